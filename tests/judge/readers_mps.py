"""A reader of MPS and QPS files, fixed and free."""

import math

from model import Model, Row, cut

COLUMNS_OF_FIXED = ((1, 3), (4, 12), (14, 22), (24, 36), (39, 47), (49, 61))
SENSES = {"MAX": True, "MAXIMIZE": True, "MAXIMISE": True, "MIN": False, "MINIMIZE": False, "MINIMISE": False}


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def number(text):
    value = float(text.replace("D", "E").replace("d", "e"))
    if math.isnan(value):
        raise ValueError("NaN is no number")
    return value


def fixed_fields(line):
    fields = [line[low:high].strip() for low, high in COLUMNS_OF_FIXED]
    return [field for field in fields if field]


class Reader:
    def __init__(self):
        self.model = Model()
        self.objective = None
        self.kinds = {}          # row -> L, G, E or N
        self.sides, self.ranges, self.entries = {}, {}, {}
        self.maximise = False

    def pairs(self, fields, named):
        """(name, value) pairs of a line; a set's name may stand before them."""
        if named or len(fields) % 2:
            fields = fields[1:]
        if len(fields) % 2 or not fields or not all(is_number(text) for text in fields[1::2]):
            raise ValueError("not in pairs")
        return [(fields[k], number(fields[k + 1])) for k in range(0, len(fields), 2)]

    def on_sense(self, fields):
        self.maximise = SENSES[fields[0].upper()]

    def on_rows(self, fields):
        kind, name = fields[0].upper(), fields[1]
        if kind not in "NLGE" or len(fields) != 2 or name in self.kinds:
            raise ValueError("not a row")
        self.kinds[name] = kind
        if kind == "N":
            self.objective = self.objective or name
        else:
            self.entries[name] = {}

    def on_columns(self, fields):
        if len(fields) >= 3 and fields[1].strip("'").upper() == "MARKER":
            return
        pairs = self.pairs(fields, True)
        self.check_rows(pairs)
        j = self.model.place(fields[0])
        for row, value in pairs:
            if row == self.objective:
                self.model.linear[j] = self.model.linear.get(j, 0.0) + value
            elif self.kinds[row] != "N":
                self.entries[row][j] = self.entries[row].get(j, 0.0) + value

    def check_rows(self, pairs):
        for row, _ in pairs:
            if row not in self.kinds:
                raise ValueError(f"row '{row}' is not known")

    def on_rhs(self, fields):
        pairs = self.pairs(fields, False)
        self.check_rows(pairs)
        for row, value in pairs:
            if row == self.objective:
                self.model.constant = -value
            else:
                self.sides[row] = value

    def on_ranges(self, fields):
        pairs = self.pairs(fields, False)
        self.check_rows(pairs)
        self.ranges.update(pairs)

    def on_bounds(self, fields):
        kind, rest = fields[0].upper(), fields[1:]
        value = None
        if kind in ("UP", "LO", "FX", "UI", "LI"):
            rest, value = rest[:-1], cut(number(rest[-1]))
        elif len(rest) == 3 or (len(rest) == 2 and rest[1] not in self.model.variables):
            rest = rest[:-1]     # a number that has no meaning
        if len(rest) not in (1, 2) or rest[-1] not in self.model.variables:
            raise ValueError("not a bound")
        name, model = rest[-1], self.model
        if kind in ("UP", "UI"):
            model.upper[name] = value
            if value < 0 and name not in model.lower:
                model.lower[name] = -math.inf
        elif kind in ("LO", "LI"):
            model.lower[name] = value
        elif kind == "MI":
            model.lower[name] = -math.inf
        elif kind == "PL":
            model.upper[name] = math.inf
        elif kind in ("FX", "FR", "BV"):
            model.lower[name], model.upper[name] = {
                "FX": (value, value), "FR": (-math.inf, math.inf), "BV": (0.0, 1.0)}[kind]
        else:
            raise ValueError(f"bound type {kind}")

    def on_quadratic(self, fields, both):
        if len(fields) != 3:
            raise ValueError("not an entry of Q")
        i, j, value = self.model.variables[fields[0]], self.model.variables[fields[1]], number(fields[2])
        entries = self.model.quadratic
        entries[i, j] = entries.get((i, j), 0.0) + value
        if not both and i != j:
            entries[j, i] = entries.get((j, i), 0.0) + value

    def finish(self):
        model = self.model
        for name, terms in self.entries.items():
            kind, side = self.kinds[name], self.sides.get(name, 0.0)
            lower = side if kind in "GE" else -math.inf
            upper = side if kind in "LE" else math.inf
            if name in self.ranges:
                width = self.ranges[name]
                if kind == "L":
                    lower = upper - abs(width)
                elif kind == "G":
                    upper = lower + abs(width)
                elif width < 0:
                    lower = side + width
                else:
                    upper = side + width
            model.rows.append(Row(name, terms, cut(lower), cut(upper)))
        if self.maximise:
            model.negate()
        return model


def parse_mps(text):
    reader = Reader()
    handlers = {"OBJSENSE": reader.on_sense, "ROWS": reader.on_rows, "COLUMNS": reader.on_columns,
                "RHS": reader.on_rhs, "RANGES": reader.on_ranges, "BOUNDS": reader.on_bounds,
                "QUADOBJ": lambda fields: reader.on_quadratic(fields, False),
                "QSECTION": lambda fields: reader.on_quadratic(fields, False),
                "QMATRIX": lambda fields: reader.on_quadratic(fields, True)}
    section, ended = None, False
    for at, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("*"):
            continue
        if not line[0].isspace():
            words = line.split()
            section = words[0].upper()
            if section == "ENDATA":
                ended = True
                break
            if section == "OBJSENSE" and len(words) > 1:
                reader.on_sense(words[1:])
            if section not in handlers and section not in ("NAME",):
                raise ValueError(f"line {at}: section '{section}' is not known")
            continue
        if section not in handlers:
            raise ValueError(f"line {at}: text outside a section")
        try:
            handlers[section](line.split())
        except (ValueError, KeyError, IndexError) as trouble:
            try:
                handlers[section](fixed_fields(line.expandtabs()))
            except (ValueError, KeyError, IndexError):
                raise ValueError(f"line {at}: {trouble}") from trouble
    if not ended:
        raise ValueError("ENDATA is missing")
    return reader.finish()
