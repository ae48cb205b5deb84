"""The figures of the certificate, as docs/certificate.md defines them."""

from dataclasses import dataclass

import numpy as np

from sparse import WIDE, segment_reduce

FLOOR = WIDE(10) ** -4          # of a size, for a distance from a bound of 0
ROUNDING = WIDE(10) ** -11      # of the terms, for a distance from any other bound
ROUNDING_OF_WORTH = WIDE(10) ** -8
NEXT_TO_NOTHING = WIDE(10) ** -6
IMPLIED_ROUNDS = 3
STEPS_OF_A_FALL = 4
CANCELLED = WIDE(10) ** -15     # of its terms: nothing that a step could go by is left of a curvature
ROWS_ON_THE_WAY = 3            # from a cost to a variable that has none
EQUAL = WIDE(10) ** -12         # gap and push often cost the same, but for the last bit
THETAS = [WIDE(0)] + [WIDE(10) ** power for power in range(-16, 1)] + [WIDE("inf")]


def ratio(above, below):
    """above / below with 0 / 0 = 0; what is not a number counts as infinite."""
    above, below = np.asarray(above, dtype=WIDE), np.asarray(below, dtype=WIDE)
    with np.errstate(all="ignore"):
        result = np.where(above == 0, WIDE(0), above / below)
    return np.where(np.isnan(result) | np.isnan(above) | np.isnan(below), WIDE(np.inf), result)


def largest(values):
    values = np.asarray(values, dtype=WIDE)
    if values.size == 0:
        return 0.0
    return float("inf") if np.any(np.isnan(values)) else float(np.max(values))


def natural_multipliers(A, cost):
    """Y of the rows (0: it has none), in waves from the variables that have a cost; A has absolute values."""
    by_column = A.transposed
    price, Y = np.asarray(cost, dtype=WIDE).copy(), np.zeros(A.shape[0], dtype=WIDE)
    while True:
        paying = np.where(price[A.indices] > 0, price[A.indices] / A.data, WIDE(np.inf))
        cheapest = segment_reduce(np.minimum, paying, A.indptr, WIDE(np.inf))
        new = (Y == 0) & np.isfinite(cheapest)
        Y = np.where(new, cheapest, Y)
        price = np.where(price > 0, price, by_column.row_maximum(by_column.data * Y[by_column.indices]))
        if not np.any(new):
            return Y


def implied_bounds(problem):
    """What three rounds over the rows leave of every variable: a row bounds one whose others are all bounded."""
    A, low, high = problem.A, problem.X.lower.astype(WIDE), problem.X.upper.astype(WIDE)
    row, a, up = A.rows, A.data.astype(WIDE), A.data > 0
    for _ in range(IMPLIED_ROUNDS):
        least = others(A, a, np.where(up, low[A.indices], high[A.indices]))
        most = others(A, a, np.where(up, high[A.indices], low[A.indices]))
        with np.errstate(all="ignore"):
            above, below = (problem.upper[row] - least) / a, (problem.lower[row] - most) / a
        above = np.where(np.isfinite(problem.upper[row]) & np.isfinite(least), above, np.where(up, WIDE(np.inf), -WIDE(np.inf)))
        below = np.where(np.isfinite(problem.lower[row]) & np.isfinite(most), below, np.where(up, -WIDE(np.inf), WIDE(np.inf)))
        low, high = low.copy(), high.copy()
        np.maximum.at(low, A.indices, np.where(up, below, above))
        np.minimum.at(high, A.indices, np.where(up, above, below))
    return low, high


def others(A, a, ends):
    """What the other terms of its row add up to, for every entry; infinite where one of them has no end."""
    finite = np.isfinite(ends)
    terms = a * np.where(finite, ends, WIDE(0))
    sums = segment_reduce(np.add, terms, A.indptr, WIDE(0))
    endless = segment_reduce(np.add, (~finite).astype(np.int64), A.indptr, 0)
    return np.where(endless[A.rows] > ~finite, WIDE(np.inf), sums[A.rows] - terms)


def scale_of_distance(bound, terms, size):
    """s and sigma: a bound that is not 0 is its own scale; a bound of 0 has that of the terms, or of the sizes."""
    return np.where(bound != 0, np.maximum(np.abs(bound), ROUNDING * terms), np.maximum(terms, FLOOR * size))


@dataclass
class Evaluation:
    """What one choice of multipliers gives."""
    y: np.ndarray
    absolute: dict
    relative: dict
    over_multipliers: float
    F: float


class Scales:
    """Everything about a point that does not depend on the multipliers."""

    def __init__(self, problem, x):
        self.problem, self.x = problem, np.asarray(x, dtype=WIDE)
        self.A = problem.A.absolute()
        with np.errstate(all="ignore"):
            self.measure_objective()
            self.measure_rows()
            self.measure_variables()
            self.find_prices()
            self.fall = self.free_fall()
        self.finite = all(np.all(np.isfinite(value)) for value in (
            self.x, self.g, self.G, self.E, self.D, self.stake, self.R, self.X, self.activity, self.objective))

    def measure_objective(self):
        """g, G, E, and the part of F that knows no multipliers."""
        objective, x = self.problem.objective, self.x
        o = self.problem.X.project(np.zeros(len(x)))
        self.objective, self.g = WIDE(objective.value(x)), objective.gradient(x)
        there, slope = WIDE(objective.value(o)), objective.gradient(o)
        self.G, self.E, change = np.abs(self.g), WIDE(0), WIDE(0)
        if np.isfinite(there) and np.all(np.isfinite(slope)):
            self.G = np.maximum(self.G, np.abs(slope))
            self.E = np.sum(np.abs(self.g - slope) * np.abs(x - o))
            change = np.abs(objective.varying(x) - objective.varying(o))
        self.terms = np.sum(self.G * np.abs(x))
        self.stake = np.max([change, self.E, ROUNDING_OF_WORTH * self.terms])

    def measure_rows(self):
        """The activity of the rows, what is broken, R."""
        problem = self.problem
        self.activity = problem.activity(self.x)
        self.row_terms = self.A.times(np.abs(self.x))
        below, above = self.activity < problem.lower, self.activity > problem.upper
        self.broken = np.where(below, problem.lower, np.where(above, problem.upper, 0.0)).astype(WIDE)
        self.violation = np.where(below | above, np.abs(self.activity - self.broken), WIDE(0))
        self.violation[np.isnan(self.activity)] = np.nan
        self.R = np.maximum(self.row_terms, np.abs(self.broken))

    def measure_variables(self):
        """X: what a variable would have to be to carry the tightest of its rows alone."""
        A, by_column, size = self.A, self.A.transposed, np.abs(self.x)
        carried = self.R[by_column.indices] / by_column.data
        widest = self.within_reach(np.maximum(size, by_column.row_maximum(carried)))
        heard = self.R > NEXT_TO_NOTHING * A.row_maximum(A.data * widest[A.indices])
        carried = np.where(heard[by_column.indices], carried, WIDE(np.inf))
        tightest = segment_reduce(np.minimum, carried, by_column.indptr, WIDE(np.inf))
        self.X = np.where(np.isinf(tightest), size, self.within_reach(tightest))
        self.in_rows = np.diff(by_column.indptr) > 0
        for block in self.problem.X.blocks:
            self.X[block.indices] = np.max(self.X[block.indices])
        self.row_floor = A.row_maximum(A.data * self.X[A.indices])

    def within_reach(self, size):
        """No more than X lets a variable have."""
        reach = self.problem.X.reach()
        return np.where(reach > 0, np.maximum(np.abs(self.x), np.minimum(size, reach)), size)

    def find_prices(self):
        """Y of the rows (0: it has none) and D of the variables, in waves from the variables that have a cost."""
        by_column, Y = self.A.transposed, natural_multipliers(self.A, self.G)
        self.H = self.problem.objective.curvature()
        self.left = implied_bounds(self.problem) if np.any(self.H == 0) else (self.problem.X.lower, self.problem.X.upper)
        by_curvature = np.sqrt(self.E * self.H)
        D = np.maximum(self.G, by_curvature)
        found = np.where(Y == 0, WIDE(np.inf), Y)[by_column.indices] * by_column.data
        by_rows = segment_reduce(np.minimum, found, by_column.indptr, WIDE(np.inf))
        cheapest = self.shortest_ways()
        cheapest = np.where(np.isfinite(cheapest), cheapest, by_rows)
        self.Y, self.D = Y, np.where((D == 0) & np.isfinite(cheapest), cheapest, D)

    def free_fall(self):
        """What f falls by on some steps of conjugate gradients on the variables that no row has and no bound stops."""
        objective, X = self.problem.objective, self.problem.X
        if not hasattr(objective, "Q"):
            return WIDE(0)
        moved = (self.D > 0) & ~np.isfinite(X.lower) & ~np.isfinite(X.upper) & ~self.in_rows
        for block in X.blocks:
            moved[block.indices] = False
        with np.errstate(all="ignore"):
            unit = np.where(moved, 1 / (self.D * self.D), WIDE(0))
            residual = -self.g
            step = residual * unit
            size, fall = np.sum(residual * step), WIDE(0)
            for _ in range(STEPS_OF_A_FALL):
                if not size > 0:
                    break
                direction = step.astype(float).astype(WIDE)
                bends = objective.Q.times(direction)
                bend, gross = np.sum(direction * bends), np.sum(np.abs(direction * bends))
                if not np.isfinite(gross) or not np.isfinite(size) or not bend > CANCELLED * gross:
                    break
                fall += size * size / (2 * bend)
                residual = residual - size / bend * bends
                left = np.sum(residual * residual * unit)
                step, size = residual * unit + left / size * step, left
        return fall

    def shortest_ways(self):
        """What the cheapest way over a few rows pays for a variable without a cost."""
        A, by_column = self.A, self.A.transposed
        cheapest = np.where(self.G > 0, self.G, WIDE(np.inf))
        for _ in range(ROWS_ON_THE_WAY):
            pays = segment_reduce(np.minimum, cheapest[A.indices] / A.data, A.indptr, WIDE(np.inf))
            found = segment_reduce(np.minimum, pays[by_column.indices] * by_column.data, by_column.indptr, WIDE(np.inf))
            cheapest = np.where(self.G > 0, cheapest, np.minimum(cheapest, found))
        return cheapest

    def at_stake(self, y, bound):
        """F."""
        fill = np.maximum(np.abs(bound), ROUNDING_OF_WORTH * self.row_terms)
        return np.maximum(self.stake, np.sum(np.minimum(np.abs(y), self.Y) * fill))

    def row_scale(self, bound):
        return scale_of_distance(bound, self.row_terms, self.row_floor)

    def variable_scale(self, bound):
        return scale_of_distance(bound, np.abs(self.x), self.X)

    def feasibility(self):
        return self.violation, ratio(self.violation, self.row_scale(self.broken))

    def set_distance(self):
        with np.errstate(all="ignore"):
            p = self.problem.X.project(self.x)
            away = np.abs(self.x - p)
            relative = ratio(away, self.variable_scale(p))
            for block in self.problem.X.blocks:
                B = block.indices
                relative[B] = ratio(np.max(away[B]), np.max([np.max(np.abs(self.x[B])), np.max(np.abs(p[B])),
                                                             FLOOR * self.X[B[0]]]))
        return away, relative


@dataclass
class Moves:
    """Of every variable: its figures, what n_j (p_j - x_j) is worth, and q."""
    plain: np.ndarray
    figure: np.ndarray
    worth: np.ndarray
    q: np.ndarray


def single_moves(scales, d, D, F):
    """Variables on their own."""
    x, X = scales.x, scales.problem.X
    bound = np.where(d > 0, X.lower, np.where(d < 0, X.upper, np.inf)).astype(WIDE)
    pushed = np.isfinite(bound)
    bound = np.where(pushed, bound, WIDE(0))
    gap = np.maximum(np.where(d > 0, x - bound, bound - x), WIDE(0))
    push = np.where(D == 0, np.where(d == 0, WIDE(0), WIDE(1)), ratio(np.abs(d), D))
    worth = np.abs(d) * np.abs(x - bound)
    length = np.where((bound == 0) & ~scales.in_rows, WIDE(0), ratio(gap, scales.variable_scale(bound)))
    charge = np.maximum(length, ratio(worth, F))
    charged = pushed & (charge < push * (1 - EQUAL))
    end = np.where(d > 0, scales.left[0], scales.left[1])   # f is straight: a push counts with all the way that is left
    straight = ~charged & (d != 0) & (scales.H == 0) & np.isfinite(end)
    way = np.abs(d) * np.abs(x - np.where(straight, end, WIDE(0)))
    return Moves(np.where(pushed, np.minimum(gap, np.abs(d)), np.abs(d)),
                 np.where(pushed, np.minimum(charge, push), push),
                 np.where(charged, worth, np.where(straight, way, WIDE(0))), np.where(charged | straight, WIDE(0), d))


def block_move(block, x, lower, upper, d, size, D, F):
    """A block of variables that X ties together: its figure, the worth of every n_j (p_j - x_j), and q."""
    none = np.zeros_like(x)
    if D == 0:
        return WIDE(1 if np.any(d != 0) else 0), none, d
    if size == 0:
        return np.max(np.abs(into(block, -d / D, lower, upper))), none, none
    p = block.project(x - (size / D) * d, lower, upper)
    q = (D / size) * (x - p)
    worth = np.abs((q - d) * (p - x))
    return np.maximum(ratio(np.max(np.abs(x - p)), size), ratio(np.sum(worth), np.maximum(F, ROUNDING_OF_WORTH * D * size))), worth, q


def into(block, direction, lower, upper):
    """The projection onto the cone of directions that lead from 0 into the set."""
    if block.kind == "ordered":
        return block.project(direction, np.where(lower == 0, 0.0, -np.inf), np.where(upper == 0, 0.0, np.inf))
    if block.kind == "simplex":
        return np.maximum(direction, WIDE(0))
    return direction if block.parameter > 0 else np.zeros_like(direction)


def moves(scales, d, D, F):
    result = single_moves(scales, d, D, F)
    for block in scales.problem.X.blocks:
        B = block.indices
        x, lower, upper = scales.x[B], scales.problem.X.lower[B], scales.problem.X.upper[B]
        result.plain[B] = np.abs(x - block.project(x - d[B], lower, upper))
        result.figure[B], result.worth[B], result.q[B] = block_move(block, x, lower, upper, d[B], scales.X[B[0]],
                                                                    np.max(D[B]), F)
    return result


class Rows:
    """The multipliers and the bounds that they speak of; those whose bound is infinite are dropped from the start."""

    def __init__(self, scales, y):
        problem = scales.problem
        y = np.asarray(y, dtype=WIDE)
        bound = np.where(y > 0, problem.upper, np.where(y < 0, problem.lower, 0.0)).astype(WIDE)
        self.y = np.where(np.isfinite(bound), y, WIDE(0))
        self.bound = np.where(self.y == 0, WIDE(0), bound)
        self.away = np.where(self.y == 0, WIDE(0), np.abs(self.bound - scales.activity))
        self.equality = problem.lower == problem.upper
        room = np.where(self.y > 0, self.bound - scales.activity, scales.activity - self.bound)
        self.gap = np.where(self.equality | (self.y == 0), WIDE(0), np.maximum(room, WIDE(0)))
        self.gap_ratio = ratio(self.gap, scales.row_scale(self.bound))

    def charge(self, F):
        return np.maximum(self.gap_ratio, ratio(np.abs(self.y) * self.away, F))

    def choices(self, scales, absolute):
        """Which multipliers to keep: every choice to be tried, in order, and each but once."""
        measure = self.gap if absolute else self.charge(scales.at_stake(self.y, self.bound))
        there = self.y != 0
        found = [there & False, there & self.equality]
        found += [there & (self.equality | (measure <= theta)) for theta in THETAS]
        different = {keep.tobytes(): keep for keep in reversed(found)}
        return list(reversed(different.values()))


def evaluate(scales, rows, keep, convex):
    """Everything that depends on the multipliers."""
    y = np.where(keep, rows.y, WIDE(0))
    with np.errstate(all="ignore"):
        d = scales.g + scales.problem.A.transposed.times(y)
        F = scales.at_stake(y, rows.bound)
        made = moves(scales, d, scales.D, F)
        M = scales.A.transposed.times(np.abs(y))
        over = moves(scales, d, np.maximum(scales.D, M), F)
        absolute = {"stationarity": largest(made.plain), "complementarity": largest(rows.gap[keep]), "gap": None}
        relative = {"stationarity": largest(made.figure), "complementarity": largest(rows.charge(F)[keep]),
                    "gap": None}
        if convex:
            gap = np.sum(np.abs(y) * rows.away) + np.sum(made.worth) + np.abs(np.sum(made.q * scales.x))
            gap = max(gap, scales.fall)
            absolute["gap"], relative["gap"] = largest([gap]), largest([ratio(gap, F)])
    return Evaluation(y, absolute, relative, largest(over.figure), float(F))


def best_kept(scales, y, absolute, convex):
    """Keep or drop multipliers, and again among those that were kept until that lowers nothing."""
    best, found = once_kept(scales, y, absolute, convex)
    while True:
        again, then = once_kept(scales, found[0].y, absolute, convex)
        if not again < best:
            return found
        best, found = again, then


def once_kept(scales, y, absolute, convex):
    """The choice whose largest figure is smallest, the first of equals, with that figure. After it come the
    others that are as good up to rounding: which of them is the best one is a matter of the last bit."""
    rows, found = Rows(scales, y), []
    for keep in rows.choices(scales, absolute):
        evaluation = evaluate(scales, rows, keep, convex)
        figures = evaluation.absolute if absolute else evaluation.relative
        found.append((max(value for value in figures.values() if value is not None), evaluation))
    found.sort(key=lambda entry: entry[0])      # stable: the first comes first among equals
    best = found[0][0]
    return best, [evaluation for worst, evaluation in found if worst == best or worst <= best * (1 + 1e-9) + 1e-12]


def figures_of(problem, x, y, tolerance, absolute):
    """All the figures of a point with its multipliers."""
    convex = problem.objective.is_convex() and not problem.smooth
    problem = problem.around(x)
    scales = Scales(problem, x)
    chosen, *as_good = best_kept(scales, y, absolute, convex)
    violation, relative_violation = scales.feasibility()
    away, relative_away = scales.set_distance()
    plain = {"feasibility": largest(violation), "set_distance": largest(away), **chosen.absolute}
    relative = {"feasibility": largest(relative_violation), "set_distance": largest(relative_away), **chosen.relative}
    counted = plain if absolute else relative
    error = max(value for value in counted.values() if value is not None)
    objective = float(scales.objective)
    if not (scales.finite and np.isfinite(objective) and np.isfinite(chosen.F) and np.all(np.isfinite(y))):
        error = float("inf")
    return {"objective": objective, "error": error, "certified": bool(error <= tolerance), **plain,
            "relative": {**relative, "stationarity_over_multipliers": chosen.over_multipliers},
            "worst_row": problem.row_names[np.argmax(relative_violation)] if np.any(relative_violation > 0) else "",
            "as_good": [{**evaluation.relative, "stationarity_over_multipliers": evaluation.over_multipliers}
                        for evaluation in as_good],
            "y": [float(value) for value in chosen.y], "E": float(scales.E), "F": chosen.F,
            "fall": float(scales.fall) if convex else 0.0,
            "terms": float(scales.terms), "added_up": float(problem.objective.added_up(x)),
            "tolerance": tolerance, "tolerance_is": "absolute" if absolute else "relative"}
