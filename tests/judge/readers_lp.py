"""A reader of CPLEX's LP format."""

import math
import re
from dataclasses import dataclass

from model import Model, Row, cut

SECTIONS = [
    ("minimize", r"minimi[sz]e|minimum|min"),
    ("maximize", r"maximi[sz]e|maximum|max"),
    ("rows", r"subject\s+to|such\s+that|s\.t\.|st\.|st"),
    ("bounds", r"bounds?"),
    ("free", r"free"),
    ("integer", r"generals?|gen|integers?|int"),
    ("binary", r"binary|binaries|bin"),
    ("end", r"end"),
]
HEADINGS = [(section, re.compile(rf"\s*(?:{pattern})(?=\s|$)(?!\s*:)", re.IGNORECASE)) for section, pattern in SECTIONS]
SPECIAL = r"+\-*/^\[\]:<>=\\\s"
TOKEN = re.compile(rf"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<relation><=|=<|>=|=>|<|>|=)"
                   rf"|(?P<symbol>[+\-*/^\[\]:])|(?P<name>[^{SPECIAL}\d.][^{SPECIAL}]*(?:\[[^{SPECIAL}]*\][^{SPECIAL}]*)*))")
DIRECTION = {"<=": "<=", "=<": "<=", "<": "<=", ">=": ">=", "=>": ">=", ">": ">=", "=": "="}
FLIPPED = {"<=": ">=", ">=": "<=", "=": "="}


@dataclass
class Token:
    kind: str
    text: str
    line: int
    first: bool     # the first one on its line


@dataclass
class Expression:
    terms: dict
    constant: float
    quadratic: dict


class Stream:
    def __init__(self, tokens):
        self.tokens, self.at = tokens, 0

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else Token("end", "", 0, True)

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1] if self.at <= len(self.tokens) else Token("end", "", 0, True)

    def takes(self, text):
        if self.peek().text == text:
            self.at += 1
            return True
        return False

    def expect(self, text):
        if not self.takes(text):
            self.fail(f"expected '{text}'")

    def fail(self, why):
        raise ValueError(f"line {self.peek().line}: {why} before '{self.peek().text}'")


def sections_of(text, needs_end):
    """The tokens of each section, in the order of the text."""
    found, current, ended = [], None, False
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("\\", 1)[0]
        for section, heading in HEADINGS:
            match = heading.match(line)
            if match:
                current, line = section, line[match.end():]
                found.append((section, []))
                ended = ended or section == "end"
                break
        at, first = 0, True
        line = line.rstrip()
        while at < len(line):
            match = TOKEN.match(line, at)
            if not match or current in (None, "end"):
                raise ValueError(f"line {number}: cannot read '{line[at:].strip()}'")
            found[-1][1].append(Token(match.lastgroup, match[match.lastgroup], number, first))
            at, first = match.end(), False
    if needs_end and not ended:
        raise ValueError("'End' is missing")
    return found


def signs(stream):
    sign, seen = 1.0, False
    while stream.peek().text in ("+", "-"):
        sign, seen = (-sign if stream.next().text == "-" else sign), True
    return sign, seen


def read_bracket(stream, model, sign, into, in_row):
    """[ 2 x^2 + 4 x * y ] / 2, as entries of Q in x'Qx / 2; in a row [ 2 x^2 + 4 x * y ], of Q in x'Qx, or half of it."""
    found = {}
    while not stream.takes("]"):
        factor, _ = signs(stream)
        if stream.peek().kind == "number":
            factor *= float(stream.next().text)
            stream.takes("*")
        if stream.peek().kind != "name":
            stream.fail("expected a variable in the quadratic part")
        i = model.place(stream.next().text)
        if stream.takes("^"):
            if stream.next().text != "2":
                stream.fail("expected a square")
            j = i
        else:
            stream.expect("*")
            j = model.place(stream.next().text)
        # factor x_i x_j / 2 = x'Qx / 2: a square puts `factor` on the diagonal, a product half of it on either side
        for place in ((i, j), (j, i)):
            found[place] = found.get(place, 0.0) + sign * factor / 2
    halved = stream.takes("/")
    if halved and stream.next().text != "2" or not (halved or in_row):
        stream.fail("the quadratic part is written [ ... ] / 2")
    for place, a in found.items():
        into[place] = into.get(place, 0.0) + (a / 2 if halved and in_row else a)


def read_expression(stream, model, right_side=False, in_row=False):
    result = Expression({}, 0.0, {})
    started = False
    while True:
        token = stream.peek()
        if started and token.text not in ("+", "-"):
            return result
        if started and right_side and token.first and not (result.terms or result.quadratic):
            return result       # a right side that is a number ends with its line
        sign, _ = signs(stream)
        if stream.takes("["):
            read_bracket(stream, model, sign, result.quadratic, in_row)
            started = True
            continue
        factor, numbered = sign, False
        while stream.peek().kind == "number":
            if numbered and (right_side and stream.peek().first):
                break
            if numbered:
                stream.fail("two numbers in a row")
            factor, numbered = factor * float(stream.next().text), True
            stream.takes("*")
        name = stream.peek()
        starts_row = stream.peek(1).text == ":" or (right_side and numbered and name.first)
        if name.kind == "name" and not starts_row and not (right_side and is_infinity(name.text)):
            j = model.place(stream.next().text)
            result.terms[j] = result.terms.get(j, 0.0) + factor
        elif name.kind == "name" and not starts_row and not numbered:
            stream.next()
            result.constant += sign * math.inf
        elif numbered:
            result.constant += factor
        elif not started and not right_side and token.kind == "end":
            return result
        else:
            stream.fail("expected a term")
        started = True


def is_infinity(text):
    return text.lower() in ("inf", "infinity")


def read_rows(stream, model):
    while stream.peek().kind != "end":
        name = ""
        if stream.peek().kind == "name" and stream.peek(1).text == ":":
            name = stream.next().text
            stream.next()
        parts, relations = [read_expression(stream, model, in_row=True)], []
        while stream.peek().kind == "relation":
            relations.append(DIRECTION[stream.next().text])
            parts.append(read_expression(stream, model, True, True))
        if len(parts) not in (2, 3):
            stream.fail("expected a row")
        model.rows.append(row_of(name, parts, relations, stream))


def row_of(name, parts, relations, stream):
    if len(parts) == 3:
        low, middle, high = parts
        if low.terms or high.terms or low.quadratic or high.quadratic or relations[0] != relations[1] or relations[0] == "=":
            stream.fail("a row with two relations is written low <= expression <= high")
        if relations[0] == ">=":
            low, high = high, low
        return Row(name, middle.terms, cut(low.constant - middle.constant), cut(high.constant - middle.constant),
                   middle.quadratic)
    left, right = parts
    relation = relations[0]
    if not (left.terms or left.quadratic):
        left, right, relation = right, left, FLIPPED[relation]
    terms = dict(left.terms)
    for j, a in right.terms.items():
        terms[j] = terms.get(j, 0.0) - a
    quadratic = dict(left.quadratic)
    for place, a in right.quadratic.items():
        quadratic[place] = quadratic.get(place, 0.0) - a
    quadratic = {place: a for place, a in quadratic.items() if a != 0}
    if not (terms or quadratic):
        stream.fail("the row has no variable")
    side = cut(right.constant - left.constant)
    return Row(name, terms, side if relation != "<=" else -math.inf, side if relation != ">=" else math.inf,
               quadratic)


def read_bounds(stream, model):
    while stream.peek().kind != "end":
        first = bound_item(stream)
        if isinstance(first, str) and stream.peek().text.lower() == "free" and not stream.peek().first:
            stream.next()
            model.place(first)
            model.lower[first], model.upper[first] = -math.inf, math.inf
            continue
        items, relations = [first], []
        while stream.peek().kind == "relation":
            relations.append(DIRECTION[stream.next().text])
            items.append(bound_item(stream))
        for k, relation in enumerate(relations):
            left, right = items[k], items[k + 1]
            if isinstance(right, str):
                left, right, relation = right, left, FLIPPED[relation]
            if not isinstance(left, str) or isinstance(right, str):
                stream.fail("expected a bound")
            model.place(left)
            if relation != "<=":
                model.lower[left] = cut(right)
            if relation != ">=":
                model.upper[left] = cut(right)
        if not relations:
            stream.fail("expected a bound")


def bound_item(stream):
    """A number, or the name of a variable."""
    sign, signed = signs(stream)
    token = stream.next()
    if token.kind == "number":
        return sign * float(token.text)
    if token.kind == "name" and is_infinity(token.text):
        return sign * math.inf
    if token.kind == "name" and not signed:
        return token.text
    stream.fail("expected a number or a name")


def parse_lp(text, needs_end=True):
    model, maximise = Model(), False
    for section, tokens in sections_of(text, needs_end):
        stream = Stream(tokens)
        if section in ("minimize", "maximize"):
            maximise = section == "maximize"
            if stream.peek().kind == "name" and stream.peek(1).text == ":":
                stream.at += 2
            objective = read_expression(stream, model)
            if stream.peek().kind != "end":
                stream.fail("unexpected text in the objective")
            model.constant, model.linear, model.quadratic = objective.constant, objective.terms, objective.quadratic
        elif section == "rows":
            read_rows(stream, model)
        elif section == "bounds":
            read_bounds(stream, model)
        else:
            for token in tokens:
                model.place(token.text)
                if section == "free":
                    model.lower[token.text], model.upper[token.text] = -math.inf, math.inf
                elif section == "binary":
                    model.lower[token.text], model.upper[token.text] = 0.0, 1.0
    if maximise:
        model.negate()
    model.name_rows()
    return model
