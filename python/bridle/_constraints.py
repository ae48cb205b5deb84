"""Constraints in SciPy's own types, and rows with names."""
from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

import numpy as np
import numpy.typing as npt
import scipy.optimize
import scipy.sparse

from . import _arrays, _bridle
from ._arrays import Vector


class Rows:
    """l <= A x <= u with names for reports and error messages; SciPy's LinearConstraint has none.

    Parameters
    ----------
    A : array or sparse matrix of shape (rows, variables)
    lower, upper : float or array of shape (rows,)
    names : list of str, optional
    """

    def __init__(
        self,
        A: Any,
        lower: npt.ArrayLike = -np.inf,
        upper: npt.ArrayLike = np.inf,
        names: Optional[Sequence[str]] = None,
    ) -> None:
        self.A, self.lower, self.upper = A, lower, upper
        self.names = [] if names is None else [str(name) for name in names]


def add_constraints(problem: _bridle.Problem, constraints: Any, x0: Optional[Vector]) -> None:
    for one in as_list(constraints):
        if isinstance(one, Rows):
            _add_rows(problem, one.A, one.lower, one.upper, one.names)
        elif isinstance(one, scipy.optimize.LinearConstraint):
            _add_rows(problem, one.A, one.lb, one.ub, [])
        elif isinstance(one, scipy.optimize.NonlinearConstraint):
            _add_smooth(problem, one.fun, one.jac, one.hess, one.lb, one.ub, x0)
        elif isinstance(one, dict):
            _add_dictionary(problem, one, x0)
        else:
            raise ValueError(
                f"constraints: {type(one).__name__} is not known; scipy.optimize's LinearConstraint,"
                " NonlinearConstraint, a dict of those, or bridle.Rows is required (sets go into sets=)"
            )


def as_list(given: Any) -> list[Any]:
    """Of one, of several or of none."""
    if given is None:
        return []
    return list(given) if isinstance(given, (list, tuple)) else [given]


def bounds_of(bounds: Any, n: int) -> tuple[Vector, Vector]:
    """From scipy.optimize.Bounds, a pair (lower, upper), or a list of one pair per variable with None for none."""
    if bounds is None:
        lower: Any = -np.inf
        upper: Any = np.inf
    elif isinstance(bounds, scipy.optimize.Bounds):
        lower, upper = _flat(bounds.lb), _flat(bounds.ub)
    elif isinstance(bounds, tuple) and len(bounds) == 2 and all(np.ndim(_number(b)) == 0 for b in bounds):
        lower = -np.inf if bounds[0] is None else bounds[0]
        upper = np.inf if bounds[1] is None else bounds[1]
    else:
        try:
            pairs = [tuple(pair) for pair in bounds]
        except TypeError:
            raise ValueError(f"bounds = {bounds}; pairs (lower, upper) are required") from None
        if len(pairs) != n or any(len(pair) != 2 for pair in pairs):
            raise ValueError(f"bounds: {len(pairs)} of them; one pair (lower, upper) for each of {n} variables")
        lower = [-np.inf if low is None else low for low, _ in pairs]
        upper = [np.inf if high is None else high for _, high in pairs]
    low = _arrays.vector(lower, "bounds: lower", n, finite=False)
    high = _arrays.vector(upper, "bounds: upper", n, finite=False)
    for j in np.flatnonzero((low == np.inf) | (high == -np.inf)):
        raise ValueError(f"bounds: variable {j} has bounds {low[j]} and {high[j]}; no number is within them")
    return low, high


def _number(bound: Any) -> Any:
    return 0.0 if bound is None else bound


def _add_rows(problem: _bridle.Problem, matrix: Any, lower: Any, upper: Any, names: list[str]) -> None:
    rows = _arrays.matrix(matrix, "constraints: A", problem.dimension)
    count = _arrays.row_count(rows)
    low = _arrays.vector(_flat(lower), "constraints: lower", count, finite=False)
    high = _arrays.vector(_flat(upper), "constraints: upper", count, finite=False)
    problem.subject_to(rows, low, high, names)


def _flat(bound: Any) -> Any:
    array = np.asarray(bound)
    return array.ravel()[0] if array.size == 1 else bound


def _add_smooth(
    problem: _bridle.Problem, fun: Callable[..., Any], jac: Any, hess: Any, lower: Any, upper: Any, x0: Optional[Vector]
) -> None:
    def value(x: Vector) -> Vector:
        return np.atleast_1d(np.asarray(fun(x), dtype=np.float64))

    count = value(problem.starting_point() if x0 is None else x0.copy()).size
    jacobian = _differences(value) if not callable(jac) else _rows(jac)
    hessian = (lambda x, v: dense(hess(x, v))) if callable(hess) else None
    low = _arrays.vector(_flat(lower), "constraints: lower", count, finite=False)
    high = _arrays.vector(_flat(upper), "constraints: upper", count, finite=False)
    problem.subject_to_smooth(value, jacobian, hessian, count, low, high, [])


def _rows(jac: Callable[..., Any]) -> Callable[[Vector], Any]:
    def jacobian(x: Vector) -> Any:
        out = jac(x)
        return _arrays.compressed(out) if scipy.sparse.issparse(out) else np.atleast_2d(np.asarray(out))

    return jacobian


def dense(matrix: Any) -> Any:
    if scipy.sparse.issparse(matrix):
        return matrix.toarray()
    if isinstance(matrix, scipy.sparse.linalg.LinearOperator):
        return matrix @ np.eye(matrix.shape[1])
    return np.asarray(matrix)


def _differences(fun: Callable[[Vector], Vector]) -> Callable[[Vector], Vector]:
    """Central differences: an error of about the cube root of the rounding, squared."""
    relative = np.finfo(np.float64).eps ** (1 / 3)

    def jacobian(x: Vector) -> Vector:
        columns = []
        for j in range(x.size):
            step = relative * max(1.0, abs(x[j]))
            ahead, behind = x.copy(), x.copy()
            ahead[j] += step
            behind[j] -= step
            columns.append((fun(ahead) - fun(behind)) / (ahead[j] - behind[j]))
        return np.stack(columns, axis=1)

    return jacobian


def _add_dictionary(problem: _bridle.Problem, given: dict[str, Any], x0: Optional[Vector]) -> None:
    kind, fun = given.get("type"), given.get("fun")
    if kind not in ("eq", "ineq") or not callable(fun):
        raise ValueError("constraints: a dict needs type 'eq' or 'ineq' and a callable fun")
    args, jac = tuple(given.get("args", ())), given.get("jac")
    upper = 0.0 if kind == "eq" else np.inf
    gradient = _with(jac, args) if callable(jac) else None
    _add_smooth(problem, _with(fun, args), gradient, None, 0.0, upper, x0)


def _with(fun: Callable[..., Any], args: tuple[Any, ...]) -> Callable[[Vector], Any]:
    def called(x: Vector) -> Any:
        return fun(x, *args)

    return called
