"""The set X: bounds on the variables, and blocks of variables that are tied together as well."""

from dataclasses import dataclass, field

import numpy as np

from sparse import WIDE


@dataclass
class Block:
    kind: str               # "simplex", "l1_ball" or "ordered"
    indices: np.ndarray     # in the order stated
    parameter: float = 1.0  # total of the simplex, radius of the ball

    def project(self, x, lower, upper):
        if self.kind == "l1_ball":      # its bounds are those that it implies
            return onto_l1_ball(x, self.parameter)
        if self.kind == "ordered":
            return onto_order(x, lower, upper)
        lower, upper = np.maximum(lower, 0.0), np.minimum(upper, self.parameter)
        if np.any(lower > 0) or np.any(upper < self.parameter):
            return onto_shares(x, lower, upper, self.parameter)
        return onto_simplex(x, self.parameter)


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
            B = block.indices
            p[B] = block.project(x[B], self.lower[B], self.upper[B])
        return p

    def reach(self):
        """The largest |x_j| that bounds, a total or a radius leave."""
        most = np.maximum(np.abs(self.lower), np.abs(self.upper)).astype(WIDE)
        for block in self.blocks:
            if block.kind != "ordered":
                B, low = block.indices, 0.0 if block.kind == "simplex" else -block.parameter
                most[B] = np.maximum(np.abs(np.maximum(self.lower[B], low)),
                                     np.abs(np.minimum(self.upper[B], block.parameter)))
        return most


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


def onto_shares(x, lower, upper, total):
    """The nearest point of { lower <= x <= upper, sum x = total }: x - theta between the bounds, theta between two
    of its corners."""
    if not np.all(np.isfinite(x)):
        return np.full_like(x, np.nan)
    corners = np.unique(np.concatenate((x - lower, x - upper)))
    low, high = 0, len(corners) - 1                 # the sum falls from corner to corner
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if np.sum(np.clip(x - corners[middle], lower, upper)) >= total else (low, middle)
    first, last = (np.sum(np.clip(x - corners[k], lower, upper)) for k in (low, high))
    share = (first - total) / (first - last) if first > last else WIDE(0)
    return np.clip(x - corners[low] - min(max(share, WIDE(0)), WIDE(1)) * (corners[high] - corners[low]), lower, upper)


def onto_order(x, lower, upper):
    """The nearest nondecreasing sequence within the bounds: pool adjacent violators, each pool at the mean of its
    members or at the bound that is next to it."""
    pools = []                                      # value, mean, count, largest lower bound, smallest upper bound
    for value, low, high in zip(np.asarray(x, dtype=WIDE), lower, upper):
        pools.append((min(max(value, low), high), value, 1, low, high))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (_, mean, count, low, high), (_, other, more, least, most) = pools[-2:]
            mean = (mean * count + other * more) / (count + more)
            low, high = max(low, least), min(high, most)
            pools[-2:] = [(min(max(mean, low), high), mean, count + more, low, high)]
    return np.repeat(np.array([pool[0] for pool in pools], dtype=WIDE), [pool[2] for pool in pools])
