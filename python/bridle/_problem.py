"""Problems as they are stated."""
from __future__ import annotations

import inspect
import os
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _arrays, _bridle
from ._arrays import Vector
from ._constraints import add_constraints, bounds_of, dense
from ._objectives import LinearModel, Quadratic, Terms
from ._sets import apply_sets

Path = Union[str, "os.PathLike[str]"]


class Problem:
    """minimise E f(x, xi) subject to l <= A x <= u, lower <= c(x) <= upper, x in X.

    The parameters are those of `minimize` that state the problem. A problem can be solved many times, judged,
    copied and, where its callables can be, pickled.
    """

    def __init__(
        self,
        fun: Any,
        x0: Optional[npt.ArrayLike] = None,
        args: Sequence[Any] = (),
        *,
        jac: Any = None,
        hess: Optional[Callable[..., Any]] = None,
        n_samples: Optional[int] = None,
        constraints: Any = (),
        bounds: Any = None,
        sets: Any = (),
        names: Optional[Sequence[str]] = None,
    ) -> None:
        self._stated = dict(
            fun=fun, x0=x0, args=args if isinstance(args, tuple) else (args,), jac=jac, hess=hess, n_samples=n_samples,
            constraints=constraints, bounds=bounds, sets=sets, names=names,
        )  # fmt: skip
        self._path: Optional[str] = None
        self.description = ""
        self.notes: list[str] = []
        self._objective, self._core = self._build()

    def _build(self) -> tuple[Optional[_bridle.Objective], _bridle.Problem]:
        if self._path is not None:
            core, self.description, self.notes = _bridle.read(self._path)
            return None, core
        fun = self._stated["fun"]
        s = fun.completed(self._stated) if isinstance(fun, Terms) else self._stated
        x0 = None if s["x0"] is None else _arrays.vector(np.atleast_1d(s["x0"]), "x0")
        objective = _objective_of(fun, x0, s["args"], s["jac"], s["hess"], s["n_samples"])
        problem = _bridle.Problem(objective)
        if s["names"] is not None:
            problem.name_variables([str(name) for name in s["names"]])
        if x0 is not None:
            if x0.size != problem.dimension:
                raise ValueError(f"x0 has {x0.size} entries for {problem.dimension} variables")
            problem.start_from(x0)
        add_constraints(problem, s["constraints"], x0)
        apply_sets(problem, s["sets"], *bounds_of(s["bounds"], problem.dimension))
        return objective, problem

    @property
    def dimension(self) -> int:
        return self._core.dimension

    @property
    def variable_names(self) -> list[str]:
        return self._core.variable_names

    @property
    def row_names(self) -> list[str]:
        return self._core.row_names

    def __repr__(self) -> str:
        what = self.description or type(self._stated["fun"]).__name__
        return f"<bridle.Problem: {what}, {self.dimension} variables, {len(self.row_names)} rows>"

    def __getstate__(self) -> dict[str, Any]:
        return {"stated": self._stated, "path": self._path}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._stated, self._path = state["stated"], state["path"]
        self.description, self.notes = "", []
        self._objective, self._core = self._build()


def read(path: Path) -> Problem:
    """The problem that a file states: a problem file (.toml), or an .lp, .mps or .qps file.

    A pickled problem remembers the file's name and reads it again.
    """
    out = Problem.__new__(Problem)
    out.__setstate__({"stated": {"fun": None}, "path": os.path.abspath(os.fspath(path))})
    return out


def _objective_of(
    fun: Any, x0: Optional[Vector], args: tuple[Any, ...], jac: Any, hess: Any, n_samples: Optional[int]
) -> _bridle.Objective:
    if isinstance(fun, (LinearModel, Quadratic)):
        if jac is not None or hess is not None or n_samples is not None or args:
            raise ValueError(f"{type(fun).__name__} brings its own derivatives: no args, jac, hess, n_samples")
        return fun._core()
    if not callable(fun):
        raise ValueError("fun must be a bridle.LinearModel, a bridle.Quadratic or a callable")
    if x0 is None:
        raise ValueError("x0 is required where fun is a callable")
    if jac is None and n_samples is None:
        if hess is not None:
            raise ValueError("hess goes with jac or n_samples: fun(x, rng) is known through samples only")
        _check_takes_random(fun, args)
        return _bridle.callable_objective(_with(fun, args), "random", x0.size, 0, None)
    curvature = None if hess is None else _dense_hessian(hess, args)
    if n_samples is not None:
        if jac is not None:
            raise ValueError("jac goes with fun(x); fun(x, indices) returns (value, gradient)")
        return _bridle.callable_objective(_with(fun, args), "indices", x0.size, _arrays.whole(n_samples, "n_samples", 1), curvature)
    return _bridle.callable_objective(_plain(fun, jac, args), "plain", x0.size, 1, curvature)


INDEX_NAMES = ("i", "ii", "idx", "index", "indices", "ind", "batch", "rows", "samples")


def _check_takes_random(fun: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Says which kind of callable a function looks like that cannot be fun(x, rng)."""
    try:
        signature = inspect.signature(fun)
    except (TypeError, ValueError):  # built in: nobody knows
        return
    try:
        names = list(signature.bind(None, None, *args).arguments)
    except TypeError:
        raise ValueError(
            f"fun{signature} takes no sample: for a function that is known exactly give jac, the gradient's function or True where fun "
            "returns (value, gradient); else fun(x, rng), or fun(x, indices) with n_samples"
        ) from None
    if len(names) > 1 and names[1] in INDEX_NAMES:
        raise ValueError(f"fun{signature} asks for terms of a finite sum: n_samples, the number of terms, is required")


def _with(fun: Callable[..., Any], args: tuple[Any, ...]) -> Callable[..., Any]:
    if not args:
        return fun

    def called(x: Vector, second: Any) -> Any:
        return fun(x, second, *args)

    return called


def _plain(fun: Callable[..., Any], jac: Any, args: tuple[Any, ...]) -> Callable[..., Any]:
    if jac is not True and not callable(jac):
        raise ValueError("jac must be True (fun returns value and gradient) or a callable")

    def called(x: Vector) -> Any:
        return fun(x, *args) if jac is True else (fun(x, *args), jac(x, *args))

    return called


def _dense_hessian(hess: Callable[..., Any], args: tuple[Any, ...]) -> Callable[[Vector], Any]:
    def hessian(x: Vector) -> Any:
        return dense(hess(x, *args))

    return hessian
