"""Sets with exact projections that x, or some of its entries, must stay in."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse

from . import _arrays, _bridle
from ._arrays import Vector
from ._constraints import as_list


class _Described:
    """Equal to whatever has the same type and the same values, and shown by them."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        mine, others = vars(self), vars(other)
        return all(np.array_equal(np.asarray(mine[k], dtype=object), np.asarray(others[k], dtype=object)) for k in mine)

    __hash__ = None  # type: ignore[assignment]


class ConvexSet(_Described):
    """A set over the variables ``indices`` (numbers or a mask), or over all of them."""

    indices: Optional[Sequence[int]]

    def _core(self, n: int) -> _bridle.Set:
        raise NotImplementedError

    def _indices(self, n: int) -> list[int]:
        return list(range(n)) if self.indices is None else _arrays.indices(self.indices, n, "sets: indices")

    def project(self, x: npt.ArrayLike) -> Vector:
        """The point of the set nearest to x, whose entries are those of the set's variables."""
        point = _arrays.vector(x, "x")
        return self._core(point.size).project(point)


class Simplex(ConvexSet):
    """x >= 0 with sum ``total``: shares, probabilities, portfolio weights.

    >>> Simplex().project([0.5, 2.0]).tolist()
    [0.0, 1.0]
    """

    def __init__(self, total: float = 1.0, indices: Optional[Sequence[int]] = None) -> None:
        self.total, self.indices = float(total), indices

    def _core(self, n: int) -> _bridle.Set:
        return _bridle.simplex(n, self.total)


class L1Ball(ConvexSet):
    """Absolute values that sum to at most ``radius``."""

    def __init__(self, radius: float = 1.0, indices: Optional[Sequence[int]] = None) -> None:
        self.radius, self.indices = float(radius), indices

    def _core(self, n: int) -> _bridle.Set:
        return _bridle.l1_ball(n, self.radius)


class Ordered(ConvexSet):
    """Every entry at least as large as the one before."""

    def __init__(self, indices: Optional[Sequence[int]] = None) -> None:
        self.indices = indices

    def _core(self, n: int) -> _bridle.Set:
        return _bridle.ordered_cone(n)


class HalfSpace(ConvexSet):
    """a'x <= b."""

    def __init__(self, a: npt.ArrayLike, b: float, indices: Optional[Sequence[int]] = None) -> None:
        self.a, self.b, self.indices = _arrays.vector(a, "half-space: a"), float(b), indices

    def _core(self, n: int) -> _bridle.Set:
        return _bridle.half_space(self.a, self.b)


class Hyperplane(ConvexSet):
    """a'x = b."""

    def __init__(self, a: npt.ArrayLike, b: float, indices: Optional[Sequence[int]] = None) -> None:
        self.a, self.b, self.indices = _arrays.vector(a, "hyperplane: a"), float(b), indices

    def _core(self, n: int) -> _bridle.Set:
        return _bridle.hyperplane(self.a, self.b)


class Polyhedron(ConvexSet):
    """A x <= b with few rows, projected onto exactly; many rows belong into ``constraints``."""

    def __init__(self, A: Any, b: npt.ArrayLike, indices: Optional[Sequence[int]] = None) -> None:
        self.A = _arrays.numbers(A.toarray() if scipy.sparse.issparse(A) else A, "polyhedron: A")
        self.b = _arrays.vector(b, "polyhedron: b")
        self.indices = indices

    def _core(self, n: int) -> _bridle.Set:
        return _bridle.polyhedron(self.A, self.b)


class Ball(_Described):
    """|x - centre| <= radius in the Euclidean norm: a smooth row of its own, with a multiplier.

    >>> import bridle
    >>> far = bridle.Quadratic([[1.0, 0.0], [0.0, 1.0]], [-3.0, -4.0])
    >>> bridle.minimize(far, sets=bridle.Ball(radius=1.0)).x.round(4).tolist()
    [0.6, 0.8]
    """

    def __init__(
        self,
        radius: float = 1.0,
        centre: Any = 0.0,
        indices: Optional[Sequence[int]] = None,
        name: Optional[str] = None,
    ) -> None:
        self.radius, self.centre, self.indices, self.name = float(radius), centre, indices, name

    def project(self, x: npt.ArrayLike) -> Vector:
        """The point of the ball nearest to x, whose entries are those of the ball's variables."""
        point = _arrays.vector(x, "x")
        centre = _arrays.vector(self.centre, "ball: centre", point.size)
        away = point - centre
        out: Vector = centre + away * min(1.0, self.radius / max(float(np.linalg.norm(away)), self.radius))
        return out

    def _add_to(self, problem: _bridle.Problem) -> None:
        n = problem.dimension
        indices = list(range(n)) if self.indices is None else _arrays.indices(self.indices, n, "ball: indices")
        if len(set(indices)) < max(len(indices), 1):
            raise ValueError("ball: every variable once, and at least one, is required")
        centre = _arrays.vector(self.centre, "ball: centre", len(indices))
        problem.subject_to_ball(indices, centre, self.radius, self.name or _free_name("ball", problem.row_names))


def _free_name(name: str, taken: list[str]) -> str:
    number = 1
    while (out := name if number == 1 else f"{name}{number}") in taken:
        number += 1
    return out


def apply_sets(problem: _bridle.Problem, given: Any, lower: Vector, upper: Vector) -> None:
    """Sets and bounds of a problem; bounds on variables that a set ties together become rows."""
    sets: list[ConvexSet] = []
    for item in as_list(given):
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
