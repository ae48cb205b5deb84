"""Random problems whose truth is known, written as files that the command reads."""
import numpy as np

TOLERANCE = 1e-4
LOSSES = ("squared", "logistic", "logistic-difference", "smoothed-01", "huber", "cauchy", "tukey")


class Problem:
    """minimise c'x + x'Qx/2 over low <= A x <= high and lower <= x <= upper, and what is true of it."""

    def __init__(self, kind, Q, c, A, low, high, lower, upper, truth, optimum=None, stake=0):
        self.kind, self.Q, self.c, self.A = kind, Q, c, A
        self.low, self.high, self.lower, self.upper = low, high, lower, upper
        self.truth = truth      # "feasible", "infeasible", "nearly infeasible" or "unbounded"
        self.optimum = optimum  # of f, where it is known
        self.stake = 0 if optimum is None else stake  # what adds up to it

    def scaled(self, rows, columns, objective):
        """The same problem in other units."""
        Q = None if self.Q is None else objective * self.Q / np.outer(columns, columns)
        optimum = None if self.optimum is None else objective * self.optimum
        return Problem(self.kind, Q, objective * self.c / columns, rows[:, None] * self.A / columns, rows * self.low,
                       rows * self.high, self.lower * columns, self.upper * columns, self.truth, optimum,
                       objective * self.stake)

    def files(self):
        return {"problem.lp": self.lp()}

    main_file = "problem.lp"

    def lp(self):
        def terms(values):
            text = " ".join(f"{v:+.17g} x{j}" for j, v in enumerate(values) if v != 0)
            return text or "0 x0"

        lines = ["Minimize", " f: " + terms(self.c)]
        if self.Q is not None:
            square = []
            for i in range(len(self.c)):
                if self.Q[i, i] != 0:
                    square.append(f"{self.Q[i, i]:+.17g} x{i}^2")
                square += [f"{2 * self.Q[i, j]:+.17g} x{i} * x{j}" for j in range(i) if self.Q[i, j] != 0]
            lines.append(" + [ " + " ".join(square) + " ] / 2")
        lines.append("Subject To")
        for i, row in enumerate(self.A):
            if self.low[i] == self.high[i]:
                lines.append(f" r{i}: {terms(row)} = {self.low[i]:.17g}")
                continue
            if np.isfinite(self.low[i]):
                lines.append(f" r{i}l: {terms(row)} >= {self.low[i]:.17g}")
            if np.isfinite(self.high[i]):
                lines.append(f" r{i}u: {terms(row)} <= {self.high[i]:.17g}")
        lines.append("Bounds")
        for j in range(len(self.c)):
            low, high = self.lower[j], self.upper[j]
            left = f"{low:.17g} <= " if np.isfinite(low) else "-inf <= "
            lines.append(f" {left}x{j}" + (f" <= {high:.17g}" if np.isfinite(high) else ""))
        return "\n".join(lines + ["End", ""])


def planted(rng, kind, convexity, degenerate=False):
    """A problem with a planted stationary point: multipliers of the right sign on what is touched."""
    n = int(rng.integers(2, 12))
    m = int(rng.integers(1, 8)) + (n if degenerate else 0)
    A = rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.7)
    A[np.arange(m), rng.integers(0, n, m)] += 1
    x = rng.normal(size=n)
    lower, upper = np.full(n, -np.inf), np.full(n, np.inf)
    normal = np.zeros(n)
    for j in range(n):
        side = rng.integers(0, 4)
        if side == 0:
            lower[j], normal[j] = x[j], -rng.exponential()
        elif side == 1:
            upper[j], normal[j] = x[j], rng.exponential()
        elif side == 2:
            lower[j] = x[j] - rng.exponential() - 0.1
        if convexity == "nonconvex":  # bounded, so that there is a minimum
            lower[j], upper[j] = max(lower[j], x[j] - 3), min(upper[j], x[j] + 3)
    activity = A @ x
    low, high, y = np.full(m, -np.inf), np.full(m, np.inf), np.zeros(m)
    for i in range(m):
        side = 1 if degenerate else rng.integers(0, 4)
        if side == 0:
            low[i] = high[i] = activity[i]
            y[i] = rng.normal()
        elif side == 1:
            high[i], y[i] = activity[i], rng.exponential() * (rng.random() < 0.7)
        elif side == 2:
            low[i], y[i] = activity[i], -rng.exponential()
        else:
            high[i] = activity[i] + rng.exponential() + 0.1
    Q = None
    if convexity == "convex":
        root = rng.normal(size=(n, max(1, n - int(rng.integers(0, 3)))))
        Q = root @ root.T
    elif convexity == "nonconvex":
        root = rng.normal(size=(n, n))
        Q = (root + root.T) / 2
    c = -normal - A.T @ y - (0 if Q is None else Q @ x)
    value = c @ x + (0 if Q is None else 0.5 * x @ Q @ x)
    return Problem(kind, Q, c, A, low, high, lower, upper, "feasible",
                   None if convexity == "nonconvex" else value, abs(c) @ abs(x))


def infeasible(rng, kind, delta):
    """A row that contradicts a combination of others by the share delta of its right-hand side."""
    p = planted(rng, kind, "convex")
    m, n = p.A.shape
    weights = rng.exponential(size=m)
    high = np.where(np.isfinite(p.high), p.high, p.A @ rng.normal(size=n) + 1)
    row = weights @ p.A
    limit = weights @ high
    at_stake = weights @ abs(high) + abs(limit)  # a share of this can be spread over all the rows
    A = np.vstack([p.A, row])
    low = np.append(np.where(p.low == p.high, p.low, -np.inf), limit + delta * at_stake)
    low[:m] = -np.inf
    return Problem(kind, p.Q, p.c, A, low, np.append(high, np.inf), p.lower, p.upper,
                   "infeasible" if delta > 10 * TOLERANCE else "nearly infeasible")


def unbounded(rng, kind, curved):
    """f falls along a direction of the recession cone, on which Q vanishes (or bends down)."""
    p = planted(rng, kind, "convex" if curved else "none")
    n = len(p.c)
    direction = rng.normal(size=n)
    direction = np.where(np.isfinite(p.lower) & np.isfinite(p.upper), 0, direction)
    direction = np.where(np.isfinite(p.lower), np.abs(direction), direction)
    direction = np.where(np.isfinite(p.upper), -np.abs(direction), direction)
    if not direction.any():
        direction[0], p.lower[0], p.upper[0] = 1, -np.inf, np.inf
    direction = np.round(direction * 4)
    if not direction.any():
        direction[np.argmax(np.isinf(p.lower) | np.isinf(p.upper))] = 1
        direction = np.where(np.isfinite(p.upper), -np.abs(direction), direction)
    A = np.round(p.A * 4)
    along = A @ direction
    activity = A @ np.clip(rng.normal(size=n), p.lower, p.upper)  # of a point that meets everything
    low = np.where((along < 0) | np.isinf(p.low), -np.inf, activity - rng.exponential(size=len(along)))
    high = np.where((along > 0) | np.isinf(p.high), np.inf, activity + rng.exponential(size=len(along)))
    Q = None
    if curved:
        # vectors with whole entries that are orthogonal to the direction: Q d = 0 exactly
        vectors = []
        for _ in range(n):
            v = np.round(rng.normal(size=n) * 2)
            vectors.append(v * (direction @ direction) - direction * (v @ direction))
        Q = sum(np.outer(v, v) for v in vectors) / 2.0 ** 12
    c = p.c - direction * (abs(p.c @ direction) + 1)
    return Problem(kind, Q, c, A, low, high, p.lower, p.upper, "unbounded")


def far(rng, kind):
    """Feasible, but only at a distance: x1 - x2 >= 1 and x1 - (1 - 1/reach) x2 <= 0."""
    reach = 10.0 ** rng.integers(3, 10)
    n = 3
    A = np.array([[1.0, -1.0, 0], [1.0, -(1 - 1 / reach), 0], [0, 0, 1.0]])
    low, high = np.array([1, -np.inf, rng.normal()]), np.array([np.inf, 0, np.inf])
    return Problem(kind, np.diag([1e-6, 1e-6, 1.0]), rng.normal(size=n), A, low, high, np.full(n, -np.inf),
                   np.full(n, np.inf), "feasible")


def costless(rng, kind):
    """max w, which grows with x1 - x0 alone; x0 = x1 = ... costs nothing and has no end, but w has."""
    n, slope, far_out = int(rng.integers(2, 5)), *(10.0 ** np.round(rng.uniform(0, 5, 2)))
    rows = [np.concatenate(([slope, -slope], np.zeros(n - 2), [1]))]     # slope (x0 - x1) + w <= 1
    steps = rng.integers(1, 10, n).astype(float)
    for i in range(n):                                                  # x_i - x_i+1 <= steps_i, round in a circle
        rows.append(np.zeros(n + 1))
        rows[-1][i], rows[-1][(i + 1) % n] = 1, -1
    rows.append(np.concatenate(([-1], np.zeros(n - 1), [far_out])))     # far_out w <= x0 + 5
    high = np.concatenate(([1], steps, [5]))
    best = -(1 + slope * sum(steps[1:]))
    return Problem(kind, None, np.append(np.zeros(n), -1.0), np.array(rows), np.full(len(high), -np.inf), high,
                   np.full(n + 1, -np.inf), np.full(n + 1, np.inf), "feasible", best, -best)


def long_way(rng, kind):
    """f falls by little per unit of t, and t has a long way to its bound: k + t - s = 1, s = (1 - little) t."""
    share = 1 - 10.0 ** -rng.uniform(1, 7)
    end = 10.0 ** np.round(rng.uniform(0, 12))
    best = 1 - (1 - share) * end
    inf = np.inf
    return Problem(kind, None, np.array([1.0, 0, 0]), np.array([[1.0, 1, -1], [0, -share, 1]]), np.array([1.0, 0]),
                   np.array([1.0, 0]), np.array([-inf, 0, -inf]), np.array([inf, end, inf]), "feasible", best, max(1, abs(best)))


def hardly_convex(rng, kind):
    """-x0 + (K x0^2 - 2 K x0 x1 + (K + little) x1^2) / 2, little down to the next double."""
    large = np.round(10.0 ** rng.uniform(0, 15))
    more = max(large + 10.0 ** rng.uniform(-4, 2), np.nextafter(large, np.inf))
    best = -more / (2 * large * (more - large))
    return Problem(kind, np.array([[large, -large], [-large, more]]), np.array([-1.0, 0]), np.zeros((0, 2)), np.zeros(0),
                   np.zeros(0), np.full(2, -np.inf), np.full(2, np.inf), "feasible", best, -best)


class Model:
    """A linear model over made-up data in raw units, with some constraints."""

    main_file = "problem.toml"

    def __init__(self, rng, kind, spread):
        self.kind, self.truth, self.optimum = kind, "feasible", None
        loss = LOSSES[int(rng.integers(0, len(LOSSES)))]
        count, n = int(rng.integers(30, 200)), int(rng.integers(2, 7))
        units = 10.0 ** (spread * (rng.random(n) - 0.5))
        data = rng.normal(size=(count, n))
        score = data @ rng.normal(size=n) + 0.5 * rng.normal(size=count)
        classes = loss in ("logistic", "logistic-difference", "smoothed-01")
        target = np.where(score > 0, "yes", "no") if classes else [f"{v:.17g}" for v in score]
        lines = [",".join([f"a{j}" for j in range(n)] + ["target"])]
        lines += [",".join([f"{v:.17g}" for v in row] + [t]) for row, t in zip(data * units, target)]
        self.csv = "\n".join(lines) + "\n"
        text = f'[objective]\nkind = "linear-model"\ndata = "data.csv"\ntarget = "target"\nloss = "{loss}"\n'
        if classes:
            text += 'positive = "yes"\n'
        if rng.random() < 0.5:
            text += f"ridge = {10.0 ** rng.integers(-5, 0)}\n"
        if rng.random() < 0.5:
            text += "standardise = true\n"
            units = np.ones(n)
        form = int(rng.integers(0, 5))
        if form == 0:
            text += f"[variables]\nbounds = {{ \"a0\" = [0, {1 / units[0]:.17g}] }}\n"
        elif form == 1 and spread == 0:
            text += '[variables]\nsimplex = ["a*"]\n'
        elif form == 2 and spread == 0:
            text += '[variables]\nl1_ball = { variables = ["a*"], radius = 0.7 }\n'
        elif form == 3:
            text += '[variables]\nordered = ["a*"]\n'
        else:
            text += ("[constraints]\nlp = \"\"\"\nSubject To\n"
                     f" r: {units[0]:.17g} a0 - {units[1]:.17g} a1 <= 0.2\nEnd\"\"\"\n")
        self.toml = text

    def files(self):
        return {"data.csv": self.csv, "problem.toml": self.toml}


def generate(seed):
    """Problem number `seed`: a kind, and units that differ by up to twelve decades."""
    rng = np.random.default_rng(seed)
    kind = ("linear", "convex", "nonconvex", "degenerate", "infeasible 1e-2", "infeasible 1e-3 ... 1e-12", "unbounded",
            "far", "model", "model, raw units", "costless", "long way", "hardly convex")[seed % 13]
    if kind == "model":
        return Model(rng, kind, 0)
    if kind == "model, raw units":
        return Model(rng, kind, 6)
    problem = {
        "linear": lambda: planted(rng, kind, "none"),
        "convex": lambda: planted(rng, kind, "convex"),
        "nonconvex": lambda: planted(rng, kind, "nonconvex"),
        "degenerate": lambda: planted(rng, kind, ("none", "convex")[int(rng.integers(0, 2))], degenerate=True),
        "infeasible 1e-2": lambda: infeasible(rng, kind, 1e-2),
        "infeasible 1e-3 ... 1e-12": lambda: infeasible(rng, kind, 10.0 ** -rng.integers(3, 13)),
        "unbounded": lambda: unbounded(rng, kind, bool(rng.integers(0, 2))),
        "far": lambda: far(rng, kind),
        "costless": lambda: costless(rng, kind),
        "long way": lambda: long_way(rng, kind),
        "hardly convex": lambda: hardly_convex(rng, kind),
    }[kind]()
    exact = ("unbounded", "far", "costless", "long way", "hardly convex")

    def units(count, wanted):
        if not wanted:
            return np.ones(count)
        return 10.0 ** rng.uniform(-6, 6, count) if kind not in exact else 2.0 ** rng.integers(-20, 20, count)

    m, n = problem.A.shape
    return problem.scaled(units(m, rng.random() < 0.5), units(n, rng.random() < 0.5), units(1, rng.random() < 0.5)[0])
