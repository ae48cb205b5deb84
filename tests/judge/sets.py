"""The set X: bounds on single variables, and blocks of variables that are tied together."""

from dataclasses import dataclass, field

import numpy as np

from sparse import WIDE


@dataclass
class Block:
    kind: str               # "simplex", "l1_ball" or "ordered"
    indices: np.ndarray     # in the order stated
    parameter: float = 1.0  # total of the simplex, radius of the ball

    def project(self, x):
        return {"simplex": onto_simplex, "l1_ball": onto_l1_ball, "ordered": onto_order}[self.kind](x, self.parameter)


@dataclass
class VariableSet:
    lower: np.ndarray
    upper: np.ndarray
    blocks: list = field(default_factory=list)

    @property
    def in_block(self):
        tied = np.zeros(len(self.lower), dtype=bool)
        for block in self.blocks:
            tied[block.indices] = True
        return tied

    def project(self, x):
        x = np.asarray(x, dtype=WIDE)
        p = np.minimum(np.maximum(x, self.lower), self.upper)
        for block in self.blocks:
            p[block.indices] = block.project(x[block.indices])
        return p


def onto_simplex(x, total):
    if not np.all(np.isfinite(x)):
        return np.full_like(x, np.nan)
    falling = np.sort(x)[::-1]
    excess = np.cumsum(falling) - total
    count = np.flatnonzero(falling * np.arange(1, len(x) + 1) > excess)
    last = count[-1] if count.size else 0
    return np.maximum(x - excess[last] / (last + 1), WIDE(0))


def onto_l1_ball(x, radius):
    if np.sum(np.abs(x)) <= radius:
        return x.copy()
    return np.sign(x) * onto_simplex(np.abs(x), radius)


def onto_order(x, _):
    """The nearest nondecreasing sequence: pool adjacent violators."""
    means, counts = [], []
    for value in x:
        means.append(value)
        counts.append(1)
        while len(means) > 1 and means[-2] > means[-1]:
            count = counts[-2] + counts[-1]
            mean = (means[-2] * counts[-2] + means[-1] * counts[-1]) / count
            del means[-1], counts[-1]
            means[-1], counts[-1] = mean, count
    return np.repeat(np.array(means, dtype=WIDE), counts)
