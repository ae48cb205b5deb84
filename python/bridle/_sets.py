"""Sets with exact projections that x, or some of its entries, must stay in."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Sequence

import numpy as np
import numpy.typing as npt

from . import _arrays, _bridle
from ._arrays import Vector


@dataclass
class ConvexSet:
    """A set over the variables ``indices``, or over all of them."""

    indices: Optional[Sequence[int]]

    def _core(self, n: int) -> _bridle.Set:
        raise NotImplementedError

    def _indices(self, n: int) -> list[int]:
        return list(range(n)) if self.indices is None else [int(j) for j in self.indices]

    def project(self, x: npt.ArrayLike) -> Vector:
        """The point of the set nearest to x, whose entries are those of the set's variables."""
        point = _arrays.vector(x, "x")
        return self._core(point.size).project(point)


@dataclass
class Simplex(ConvexSet):
    """x >= 0 with sum ``total``: shares, probabilities, portfolio weights.

    >>> Simplex().project([0.5, 2.0]).tolist()
    [0.0, 1.0]
    """

    total: float = 1.0

    def __init__(self, total: float = 1.0, indices: Optional[Sequence[int]] = None) -> None:
        self.total, self.indices = float(total), indices

    def _core(self, n: int) -> _bridle.Set:
        return _bridle.simplex(n, self.total)


@dataclass
class L1Ball(ConvexSet):
    """Absolute values that sum to at most ``radius``."""

    radius: float = 1.0

    def __init__(self, radius: float = 1.0, indices: Optional[Sequence[int]] = None) -> None:
        self.radius, self.indices = float(radius), indices

    def _core(self, n: int) -> _bridle.Set:
        return _bridle.l1_ball(n, self.radius)


@dataclass
class Ordered(ConvexSet):
    """Every entry at least as large as the one before."""

    def __init__(self, indices: Optional[Sequence[int]] = None) -> None:
        self.indices = indices

    def _core(self, n: int) -> _bridle.Set:
        return _bridle.ordered_cone(n)


@dataclass(eq=False)
class HalfSpace(ConvexSet):
    """a'x <= b."""

    def __init__(self, a: npt.ArrayLike, b: float, indices: Optional[Sequence[int]] = None) -> None:
        self.a, self.b, self.indices = _arrays.vector(a, "half-space: a"), float(b), indices

    def _core(self, n: int) -> _bridle.Set:
        return _bridle.half_space(self.a, self.b)


@dataclass(eq=False)
class Hyperplane(ConvexSet):
    """a'x = b."""

    def __init__(self, a: npt.ArrayLike, b: float, indices: Optional[Sequence[int]] = None) -> None:
        self.a, self.b, self.indices = _arrays.vector(a, "hyperplane: a"), float(b), indices

    def _core(self, n: int) -> _bridle.Set:
        return _bridle.hyperplane(self.a, self.b)


@dataclass(eq=False)
class Polyhedron(ConvexSet):
    """A x <= b with few rows, projected onto exactly; many rows belong into ``constraints``."""

    def __init__(self, A: Any, b: npt.ArrayLike, indices: Optional[Sequence[int]] = None) -> None:
        self.A, self.b = _arrays.numbers(A, "polyhedron: A"), _arrays.vector(b, "polyhedron: b")
        self.indices = indices

    def _core(self, n: int) -> _bridle.Set:
        return _bridle.polyhedron(self.A, self.b)


class Ball:
    """|x - centre| <= radius in the Euclidean norm: a smooth row of its own, with a multiplier.

    >>> import bridle
    >>> far = bridle.Quadratic([[1.0, 0.0], [0.0, 1.0]], [-3.0, -4.0])
    >>> bridle.minimize(far, sets=bridle.Ball(radius=1.0)).x.round(4).tolist()
    [0.6, 0.8]
    """

    def __init__(
        self, radius: float = 1.0, centre: Any = 0.0, indices: Optional[Sequence[int]] = None, name: str = "ball"
    ) -> None:
        self.radius, self.centre, self.indices, self.name = float(radius), centre, indices, name

    def _add_to(self, problem: _bridle.Problem) -> None:
        indices = list(range(problem.dimension)) if self.indices is None else [int(j) for j in self.indices]
        centre = _arrays.vector(self.centre, "ball: centre", len(indices))
        problem.subject_to_ball(indices, centre, self.radius, self.name)


def apply_sets(problem: _bridle.Problem, given: Any, lower: Vector, upper: Vector) -> None:
    """Sets and bounds of a problem; bounds on variables that a set ties together become rows."""
    sets: list[ConvexSet] = []
    for item in [given] if isinstance(given, (ConvexSet, Ball)) else list(given):
        if isinstance(item, Ball):
            item._add_to(problem)
        elif isinstance(item, ConvexSet):
            sets.append(item)
        else:
            raise ValueError(f"sets: {type(item).__name__} is no set of bridle's")
    n = problem.dimension
    bounded = np.isfinite(lower) | np.isfinite(upper)
    if not sets:
        if bounded.any():
            problem.within(_bridle.box(lower, upper))
        return
    blocks = []
    tied = np.zeros(n, dtype=bool)
    for one in sets:
        indices = one._indices(n)
        blocks.append((indices, one._core(len(indices))))
        tied[[j for j in indices if 0 <= j < n]] = True
    alone = np.flatnonzero(bounded & ~tied)
    if alone.size:
        blocks.append(([int(j) for j in alone], _bridle.box(lower[alone], upper[alone])))
    problem.within(_bridle.product(n, blocks))
    both = np.flatnonzero(bounded & tied)
    if both.size:
        names = [f"bound_{problem.variable_names[j]}" for j in both]
        problem.subject_to(np.eye(n)[both], lower[both], upper[both], names)
