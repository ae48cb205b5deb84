"""Proofs: that no point meets the constraints, and that the objective falls without end."""

import math
from fractions import Fraction

import numpy as np

from figures import Scales, largest, natural_multipliers
from problem import Quadratic
from sparse import WIDE, Matrix, stack

REACH = 10**10
LAST_DIGITS = WIDE(10) ** -15       # of what is added up along a direction
LAST_BIT = WIDE(11) / 10 * WIDE(10) ** -19  # rounding of one term in extended precision
LEVERAGE = WIDE(10) ** 8            # of a fall, over what the rows' rounding could be worth
ROUNDS = 3
CLEAR = Fraction(1, 10**10)          # of what the margin is a difference of
ROUNDING = Fraction(1, 10**15)      # what may be left of (A'y)_j in a variable without a bound, of sum_i |a_ij y_i|


def exact(value):
    return Fraction(float(value))


def bounds_with_rows(problem):
    """The variables' bounds with those of the sets, and the rows as lists of (variable, |a|), with what they are
    bounded by: those of the problem, then those of X."""
    low, high = problem.X.lower.copy(), problem.X.upper.copy()
    A, rows = problem.A, []
    for i in range(A.shape[0]):
        rows.append(([(int(A.indices[e]), abs(exact(A.data[e]))) for e in A.row(i)],
                     [abs(exact(b)) for b in (problem.lower[i], problem.upper[i]) if math.isfinite(b)]))
    one = Fraction(1)
    for block in problem.X.blocks:
        B = [int(j) for j in block.indices]
        if block.kind == "ordered":
            rows += [([(first, one), (second, one)], [Fraction(0)]) for first, second in zip(B, B[1:])]
        else:
            least = -block.parameter if block.kind == "l1_ball" else 0.0
            low[B], high[B] = np.maximum(low[B], least), np.minimum(high[B], block.parameter)
            rows.append(([(j, one) for j in B], [exact(block.parameter)]))
    return low, high, rows


def sizes_of(problem):
    """The largest of a variable's finite bounds, of |b_i| / |a_ij| over its rows and, in three rounds, of what balances
    the largest other variable in the tightest of its rows."""
    low, high, rows = bounds_with_rows(problem)
    sizes = [max([abs(exact(b)) for b in pair if math.isfinite(b)], default=Fraction(0)) for pair in zip(low, high)]
    for entries, bounds in rows:
        for j, a in entries:
            sizes[j] = max([sizes[j]] + [b / a for b in bounds])
    for _ in range(ROUNDS):
        tightest = {}
        for entries, _ in rows:
            added = sorted(((a * sizes[k], k) for k, a in entries), reverse=True)[:2]
            for j, a in entries:
                balance = max((amount for amount, k in added if k != j), default=0) / a
                if balance:
                    tightest[j] = min(balance, tightest.get(j, balance))
        sizes = [max(size, tightest.get(j, size)) for j, size in enumerate(sizes)]
    return sizes


class Farkas:
    """min over X of (A'y)'x against max over [l, u] of y's, in exact rational arithmetic."""

    def __init__(self, problem, ray):
        self.problem, self.ray = problem, ray
        self.weights = [Fraction(0)] * len(problem.names)
        self.gross = [Fraction(0)] * len(problem.names)
        A = problem.A
        for i, y in enumerate(ray):
            if y:
                for e in A.row(i):
                    share = exact(A.data[e]) * y
                    self.weights[A.indices[e]] += share
                    self.gross[A.indices[e]] += abs(share)
        self.terms = Fraction(0)    # what the margin is a difference of
        self.low = Fraction(0)      # of (A'y)'x over the bounded part of X
        self.spoiled = Fraction(0)  # what the variables without a bound take away, per unit of reach
        self.refusal = ""
        self.sizes = None

    def size(self, j):
        """The size of a variable; all are worked out when the first is asked for."""
        if self.sizes is None:
            self.sizes = sizes_of(self.problem)
        return self.sizes[j]

    def spoil(self, weight, gross, size, name):
        """A weight on something without a bound: it must be rounding, and it limits the reach."""
        if weight == 0:
            return
        if abs(weight) > ROUNDING * gross:
            self.refusal = f"variable '{name}' has no bound and a weight that is no rounding"
        elif size == 0:
            self.refusal = f"variable '{name}' has no bound and no size"
        self.spoiled += abs(weight) * size

    def single(self, j):
        weight = self.weights[j]
        if weight == 0:
            return
        bound = self.problem.X.lower[j] if weight > 0 else self.problem.X.upper[j]
        if math.isfinite(bound):
            self.low += weight * exact(bound)
            self.terms += self.gross[j] * abs(exact(bound))
        else:
            self.spoil(weight, self.gross[j], self.size(j), self.problem.names[j])

    def block(self, block):
        weights = [self.weights[j] for j in block.indices]
        if block.kind != "ordered":
            self.terms += exact(block.parameter) * max(self.gross[j] for j in block.indices)
        if block.kind == "simplex":
            self.shares(block, weights)
        elif block.kind == "l1_ball":
            self.low -= exact(block.parameter) * max(abs(weight) for weight in weights)
        elif self.bounded_order(block.indices, weights) is None:
            self.ordered(block.indices, weights)

    def shares(self, block, weights):
        """min w'x over { lower <= x <= upper, sum x = total }: the cheapest first."""
        X, left = self.problem.X, exact(block.parameter)
        lower = [exact(max(X.lower[j], 0.0)) for j in block.indices]
        left -= sum(lower)
        self.low += sum(w * low for w, low in zip(weights, lower))
        for w, low, j in sorted(zip(weights, lower, block.indices)):
            share = min(left, exact(min(X.upper[j], block.parameter)) - low)
            self.low += w * share
            left -= share

    def bounded_order(self, indices, weights):
        """min w'x over an order whose variables all have two bounds: at a corner every one is at some bound."""
        lower, upper = self.problem.X.lower[indices], self.problem.X.upper[indices]
        if not np.all(np.isfinite(lower)) or not np.all(np.isfinite(upper)):
            return None
        values = [exact(value) for value in np.unique(np.concatenate((lower, upper)))]
        best = [Fraction(0)] * len(values)      # of the variables so far, the last of them at most at values[k]
        for j, w, low, high in zip(indices, weights, lower, upper):
            least = None
            for k, value in enumerate(values):
                if exact(low) <= value <= exact(high) and best[k] is not None:
                    cost = best[k] + w * value
                    least = cost if least is None else min(least, cost)
                best[k] = least
            self.terms += self.gross[j] * max(abs(exact(low)), abs(exact(high)))
        self.low += best[-1]
        return best[-1]

    def ordered(self, indices, weights):
        """w'x = (sum w) x_1 + sum_t (w_t + w_t+1 + ...) (x_t - x_t-1), every difference >= 0 and x_1 free."""
        tail, gross = Fraction(0), Fraction(0)
        for t in range(len(indices) - 1, -1, -1):
            tail += weights[t]
            gross += self.gross[indices[t]]
            if t == 0:
                self.spoil(tail, gross, self.size(indices[0]), self.problem.names[indices[0]])
            elif tail < 0:
                self.spoil(tail, gross, self.size(indices[t]) + self.size(indices[t - 1]),
                           self.problem.names[indices[t]])

    def high(self):
        """max over [l, u] of y's; None where it is infinite."""
        total = Fraction(0)
        for i, y in enumerate(self.ray):
            if y:
                bound = self.problem.upper[i] if y > 0 else self.problem.lower[i]
                if not math.isfinite(bound):
                    return None
                total += y * exact(bound)
                self.terms += abs(y * exact(bound))
        return total


def rational(number):
    """A double for people to read; too large ones become infinite."""
    try:
        return float(number)
    except OverflowError:
        return math.copysign(math.inf, number)


def check_infeasible(problem, ray, set_ray=None):
    """Whether y (a list, or an object by name) proves that no x meets the rows and X. The best multipliers for the
    rows of X follow from y, so `set_ray` is taken note of and not needed."""
    del set_ray
    if isinstance(ray, dict):
        unknown = set(ray) - set(problem.row_names)
        if unknown:
            return verdict(False, None, None, f"the ray has '{sorted(unknown)[0]}', which is no row")
        ray = [ray.get(name, 0.0) for name in problem.row_names]
    if len(ray) != len(problem.row_names) or not all(y is not None and math.isfinite(y) for y in ray):
        return verdict(False, None, None, "the ray is not one finite number per row")
    farkas = Farkas(problem, [exact(y) for y in ray])
    tied = problem.X.in_block
    for j in np.flatnonzero(~tied):
        farkas.single(int(j))
    for block in problem.X.blocks:
        farkas.block(block)
    high = farkas.high()
    if high is None:
        return verdict(False, None, None, "the ray leans on a bound that is infinite")
    margin = farkas.low - high
    if margin <= 0:
        return verdict(False, rational(margin), 0.0, "the margin is not positive")
    if margin <= CLEAR * farkas.terms:
        return verdict(False, rational(margin), 0.0, "the margin is a matter of rounding")
    reach = margin / farkas.spoiled if farkas.spoiled else None
    far = math.inf if reach is None else rational(reach)
    if farkas.refusal:
        return verdict(False, rational(margin), far, farkas.refusal)
    if reach is not None and reach < REACH:
        return verdict(False, rational(margin), far, "the proof does not reach far enough")
    return verdict(True, rational(margin), far, "")


def verdict(proved, margin, reach, why):
    return {"proved": proved, "margin": margin, "reach": reach, "why": why}


def check_unbounded(problem, x, direction, tolerance=1e-4, absolute=False):
    """Whether the objective falls without end from x along the direction."""
    if isinstance(direction, dict):
        direction = [direction.get(name, 0.0) for name in problem.names]
    d = np.array(direction, dtype=WIDE)
    x = np.asarray(x, dtype=WIDE)
    if len(d) != len(problem.names) or not np.all(np.isfinite(d)) or not np.all(np.isfinite(x)):
        return {"unbounded": False, "why": "the direction or the point is not one finite number per variable"}
    if not np.any(d):
        return {"unbounded": False, "why": "the direction is zero"}
    scales = Scales(problem, x)
    which = 0 if absolute else 1
    if max(largest(scales.feasibility()[which]), largest(scales.set_distance()[which])) > tolerance:
        return {"unbounded": False, "why": "the point does not meet the constraints"}
    if why := leaves_set(problem, d):
        return {"unbounded": False, "why": why}
    A, lower, upper = with_orders(problem)
    change = A.times(d)
    drift = np.maximum(np.where(np.isfinite(lower), -change, WIDE(0)), np.where(np.isfinite(upper), change, WIDE(0)))
    if np.any(drift > LAST_DIGITS * A.absolute().times(np.abs(d))):
        return {"unbounded": False, "why": "the direction leaves a row"}
    rate, worth = fall(problem, scales, d)
    if rate <= 0:
        return {"unbounded": False, "why": "the objective does not fall for ever"}
    bought = np.sum(np.maximum(drift, 0) * natural_multipliers(A.absolute(), worth))
    if rate < LEVERAGE * bought:
        return {"unbounded": False, "why": "the fall may be what the rows' rounding is worth"}
    return {"unbounded": True, "why": ""}


def leaves_set(problem, d):
    X = problem.X
    if np.any(np.isfinite(X.lower) & (d < 0)) or np.any(np.isfinite(X.upper) & (d > 0)):
        return "the direction leaves the bounds of a variable"
    for block in X.blocks:
        if block.kind != "ordered" and np.any(d[block.indices] != 0):
            return f"the direction leaves a set that is bounded ({block.kind})"
    return ""


def with_orders(problem):
    """The rows, and x_k+1 - x_k >= 0 for the orders of X."""
    pairs = [pair for block in problem.X.blocks if block.kind == "ordered"
             for pair in zip(block.indices, block.indices[1:])]
    rows = np.repeat(np.arange(len(pairs)), 2)
    orders = Matrix(rows, [j for pair in pairs for j in pair], [-1.0, 1.0] * len(pairs),
                    (len(pairs), len(problem.names)))
    return (stack(problem.A, orders), np.concatenate((problem.lower, np.zeros(len(pairs)))),
            np.concatenate((problem.upper, np.full(len(pairs), np.inf))))


def fall(problem, scales, d):
    """By how much f falls per unit of t (0: it does not for ever), and what every variable is worth in that."""
    objective, nothing = problem.objective, (WIDE(0), np.zeros(len(d), dtype=WIDE))
    if not isinstance(objective, Quadratic):    # a loss and a ridge are never below 0
        return nothing
    bends, sizes = objective.Q.times(d), objective.Q.absolute().times(np.abs(d))
    curvature, gross = np.sum(d * bends), np.sum(np.abs(d) * sizes)
    flat = np.all(np.abs(bends) <= LAST_DIGITS * sizes)     # then the slope is that of the linear part, whatever x is
    slopes = np.asarray(objective.linear if flat else scales.g, dtype=WIDE)
    slope, gross_slope = np.sum(slopes * d), np.sum(np.abs(slopes * d))
    if curvature < 0 and curvature <= -WIDE(1e-9) * gross:
        return -curvature, sizes
    noise = min(LAST_DIGITS, LAST_BIT * (len(objective.Q.data) + len(d)))
    if curvature <= noise * gross and slope < 0 and slope <= -WIDE(1e-9) * gross_slope:
        return -slope, np.abs(slopes)
    return nothing
