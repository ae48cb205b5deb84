"""A problem: minimise f(x) subject to l <= A x <= u, l <= c(x) <= u, x in X, as the user stated it."""

from dataclasses import dataclass, field, replace

import numpy as np

from sets import VariableSet
from sparse import WIDE, Matrix, has_cholesky_factor, segment_reduce, stack

CONVEXITY_SHIFT = 1e-10


@dataclass
class Quadratic:
    """f(x) = constant + linear'x + x'Qx/2, Q with both triangles."""
    constant: float
    linear: np.ndarray
    Q: Matrix

    def value(self, x):
        return self.constant + self.varying(x)

    def varying(self, x):
        x = np.asarray(x, dtype=WIDE)
        return np.sum(self.linear * x) + np.sum(x * self.Q.times(x)) / 2

    def added_up(self, x):
        """The terms of f without their signs: what rounding in another order of additions is a share of."""
        size = np.abs(np.asarray(x, dtype=WIDE))
        magnitudes = Matrix(self.Q.rows, self.Q.indices, np.abs(self.Q.data), self.Q.shape)
        return np.sum(np.abs(self.linear) * size) + np.sum(size * magnitudes.times(size)) / 2

    def gradient(self, x):
        return self.linear + self.Q.times(x)

    def diagonal(self):
        on_it = self.Q.rows == self.Q.indices
        result = np.zeros(len(self.linear))
        result[self.Q.rows[on_it]] = self.Q.data[on_it]
        return result

    def curvature(self):
        return np.abs(self.diagonal()).astype(WIDE)

    def is_convex(self):
        diagonal = self.diagonal()
        off = self.Q.rows != self.Q.indices
        rows, columns = self.Q.rows[off], self.Q.indices[off]
        if np.any(diagonal < 0) or np.any(diagonal[rows] == 0) or np.any(diagonal[columns] == 0):
            return False
        root = np.sqrt(diagonal)
        scaled = Matrix(self.Q.rows, self.Q.indices, self.Q.data / root[self.Q.rows] / root[self.Q.indices],
                        self.Q.shape)
        used = np.unique(scaled.rows)
        place = np.zeros(len(diagonal), dtype=np.int64)
        place[used] = np.arange(len(used))
        small = Matrix(place[scaled.rows], place[scaled.indices], scaled.data, (len(used), len(used)))
        return has_cholesky_factor(small, CONVEXITY_SHIFT)


@dataclass
class LinearModel:
    """f(x) = (1/N) sum_i V(a_i'x, label_i) + sum_j ridge_j x_j^2 / 2."""
    samples: Matrix
    labels: np.ndarray
    loss: object
    ridge: np.ndarray

    def value(self, x):
        x = np.asarray(x, dtype=WIDE)
        losses = self.loss.value(self.samples.times(x), self.labels)
        return np.sum(losses) / len(self.labels) + np.sum(self.ridge * x * x) / 2

    def varying(self, x):
        return self.value(x)

    def added_up(self, x):
        return abs(self.value(x))  # losses are not negative

    def gradient(self, x):
        x = np.asarray(x, dtype=WIDE)
        slopes = self.loss.slope(self.samples.times(x), self.labels)
        return self.samples.transposed.times(slopes) / len(self.labels) + self.ridge * x

    def curvature(self):
        by_column = self.samples.transposed
        squares = segment_reduce(np.add, by_column.data.astype(WIDE) ** 2, by_column.indptr, WIDE(0))
        return self.loss.largest_curvature() * squares / len(self.labels) + self.ridge

    def is_convex(self):
        return self.loss.convex


@dataclass
class QuadraticRow:
    """A smooth row: lower <= (x - centre)'Q(x - centre) + linear'x <= upper."""
    name: str
    Q: Matrix
    linear: np.ndarray
    centre: np.ndarray
    lower: float
    upper: float

    def value(self, x):
        away = x - self.centre
        return np.sum(away * self.Q.times(away)) + np.sum(self.linear * x)

    def slope(self, x):
        away = x - self.centre
        return self.Q.times(away) + self.Q.transposed.times(away) + self.linear


@dataclass
class RateRow:
    """A smooth row: the difference of the rates of two groups, -gap <= mean of sigma(slope t) over one - over the other <= gap."""
    name: str
    samples: Matrix
    weights: np.ndarray     # 1/n, -1/n or 0 for every sample
    steepness: float
    lower: float
    upper: float

    def decided(self, x):
        with np.errstate(over="ignore"):
            return 1 / (1 + np.exp(-self.steepness * self.samples.times(x)))

    def value(self, x):
        return np.sum(self.weights * self.decided(x))

    def slope(self, x):
        s = self.decided(x)
        return self.samples.transposed.times(self.weights * self.steepness * s * (1 - s))


@dataclass
class Problem:
    names: list
    objective: object
    row_names: list
    A: Matrix
    lower: np.ndarray
    upper: np.ndarray
    X: VariableSet
    smooth: list = field(default_factory=list)
    values: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=WIDE))     # of rows that were smooth

    def around(self, x):
        """The rows as they are at x: those of the Jacobian below those of A, with what c(x) is."""
        if not self.smooth:
            return self
        x = np.asarray(x, dtype=WIDE)
        slopes = np.array([row.slope(x) for row in self.smooth], dtype=WIDE)
        rows, columns = np.nonzero(np.nan_to_num(slopes.astype(float), nan=1.0))
        jacobian = Matrix(rows, columns, slopes[rows, columns].astype(float), (len(self.smooth), len(self.names)))
        return replace(self, A=stack(self.A, jacobian), row_names=self.all_row_names(), smooth=[],
                       lower=np.concatenate((self.lower, [row.lower for row in self.smooth])),
                       upper=np.concatenate((self.upper, [row.upper for row in self.smooth])),
                       values=np.array([row.value(x) for row in self.smooth], dtype=WIDE))

    def activity(self, x):
        linear = self.A.times(x)
        return np.concatenate((linear[:len(linear) - len(self.values)], self.values))

    def all_row_names(self):
        return self.row_names + [row.name for row in self.smooth]

    def vector(self, given, names, what):
        """A vector from a JSON object by name, or from a list in the problem's order."""
        if isinstance(given, dict):
            unknown = set(given) - set(names)
            if unknown:
                raise ValueError(f"{what} has '{sorted(unknown)[0]}', which the problem does not know")
            missing = [name for name in names if name not in given]
            if missing:
                raise ValueError(f"{what} lacks '{missing[0]}'")
            given = [given[name] for name in names]
        if len(given) != len(names):
            raise ValueError(f"{what} has {len(given)} entries but the problem has {len(names)}")
        return np.array([np.nan if value is None else float(value) for value in given], dtype=float)

    def point(self, solution):
        return self.vector(solution["x"], self.names, "x")

    def multipliers(self, solution):
        if solution.get("y") is None:
            return np.zeros(len(self.all_row_names()))
        return self.vector(solution["y"], self.all_row_names(), "y")
