"""What an LP or MPS file holds, before it becomes a problem; shared by both readers."""

import gzip
import math
from dataclasses import dataclass, field

import numpy as np

from problem import Problem, Quadratic, QuadraticRow
from sets import VariableSet
from sparse import Matrix

INFINITE = 1e20


def read_text(path):
    with open(path, "rb") as file:
        content = file.read()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    return content.decode("utf-8", errors="surrogateescape").removeprefix("\ufeff")


def cut(value):
    """1e20 and more means infinity."""
    return math.copysign(math.inf, value) if abs(value) >= INFINITE else value


@dataclass
class Row:
    name: str
    terms: dict
    lower: float
    upper: float
    quadratic: dict = field(default_factory=dict)    # (i, j) -> entry of Q in x'Qx, both triangles


@dataclass
class Model:
    variables: dict = field(default_factory=dict)    # name -> place
    constant: float = 0.0
    linear: dict = field(default_factory=dict)
    quadratic: dict = field(default_factory=dict)    # (i, j) -> entry of Q, both triangles
    rows: list = field(default_factory=list)
    lower: dict = field(default_factory=dict)        # bounds that the file states
    upper: dict = field(default_factory=dict)

    def place(self, name):
        return self.variables.setdefault(name, len(self.variables))

    def negate(self):
        self.constant = -self.constant
        self.linear = {j: -a for j, a in self.linear.items()}
        self.quadratic = {ij: -a for ij, a in self.quadratic.items()}

    def name_rows(self):
        """Rows without a name are called by their number."""
        taken = {row.name for row in self.rows if row.name}
        if len(taken) < sum(1 for row in self.rows if row.name):
            raise ValueError("two rows have the same name")
        for number, row in enumerate(self.rows, 1):
            if not row.name:
                row.name = f"c{number}"
                while row.name in taken:
                    row.name += "_"
                taken.add(row.name)

    def bounds(self):
        """Lower and upper bounds of all variables; those not stated are 0 and infinity."""
        lower, upper = np.zeros(len(self.variables)), np.full(len(self.variables), np.inf)
        for name, value in self.lower.items():
            lower[self.variables[name]] = value
        for name, value in self.upper.items():
            upper[self.variables[name]] = value
        if np.any(lower > upper):
            worst = list(self.variables)[int(np.argmax(lower > upper))]
            raise ValueError(f"variable '{worst}': the lower bound is above the upper bound")
        return lower, upper

    def objective(self):
        n = len(self.variables)
        linear = np.zeros(n)
        for j, a in self.linear.items():
            linear[j] = a
        rows, columns = [i for i, _ in self.quadratic], [j for _, j in self.quadratic]
        return Quadratic(self.constant, linear, Matrix(rows, columns, list(self.quadratic.values()), (n, n)))

    def matrix(self, place):
        """The rows over variables whose places the function tells from their names."""
        names = list(self.variables)
        rows, columns, values = [], [], []
        for i, row in enumerate(self.linear_rows()):
            for j, a in row.terms.items():
                rows.append(i)
                columns.append(place(names[j]))
                values.append(a)
        return rows, columns, values

    def linear_rows(self):
        return [row for row in self.rows if not row.quadratic]

    def quadratic_rows(self, place, n):
        """The other rows, over n variables."""
        names, found = list(self.variables), []
        for row in self.rows:
            if not row.quadratic:
                continue
            linear = np.zeros(n)
            for j, a in row.terms.items():
                linear[place(names[j])] += a
            Q = Matrix([place(names[i]) for i, _ in row.quadratic], [place(names[j]) for _, j in row.quadratic],
                       list(row.quadratic.values()), (n, n))
            found.append(QuadraticRow(row.name, Q, linear, np.zeros(n), row.lower, row.upper))
        return found

    def problem(self):
        rows, columns, values = self.matrix(self.variables.get)
        linear, n = self.linear_rows(), len(self.variables)
        return Problem(list(self.variables), self.objective(), [row.name for row in linear],
                       Matrix(rows, columns, values, (len(linear), n)),
                       np.array([row.lower for row in linear]), np.array([row.upper for row in linear]),
                       VariableSet(*self.bounds()), self.quadratic_rows(self.variables.get, n))
