"""Problems, and the doors to the solver and the judge."""
from __future__ import annotations

import os
from typing import Any, Callable, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt
import scipy.optimize

from . import _arrays, _bridle
from ._arrays import Vector
from ._constraints import add_constraints, bounds_of
from ._objectives import LinearModel, Quadratic
from ._result import Certificate, Result, result_of
from ._sets import apply_sets

Path = Union[str, "os.PathLike[str]"]

CALLABLE_BATCH = 32  # samples of one call of a Python callable, unless told otherwise


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
            fun=fun, x0=x0, args=tuple(args), jac=jac, hess=hess, n_samples=n_samples,
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
        s = self._stated
        x0 = None if s["x0"] is None else _arrays.vector(s["x0"], "x0")
        objective = _objective_of(s["fun"], x0, s["args"], s["jac"], s["hess"], s["n_samples"])
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
        return _bridle.callable_objective(_with(fun, args), "random", x0.size, 0, None)
    curvature = None if hess is None else _dense_hessian(hess, args)
    if n_samples is not None:
        if jac is not None:
            raise ValueError("jac goes with fun(x); fun(x, indices) returns (value, gradient)")
        return _bridle.callable_objective(_with(fun, args), "indices", x0.size, int(n_samples), curvature)
    return _bridle.callable_objective(_plain(fun, jac, args), "plain", x0.size, 1, curvature)


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
        out = hess(x, *args)
        return out.toarray() if hasattr(out, "toarray") else out

    return hessian


def solve(
    problem: Union[Problem, Path],
    *,
    x0: Optional[npt.ArrayLike] = None,
    multipliers: Optional[npt.ArrayLike] = None,
    samples: Optional[float] = None,
    epochs: Optional[float] = None,
    seconds: Optional[float] = None,
    tol: Optional[float] = None,
    grow: bool = False,
    absolute: bool = False,
    seed: int = 1,
    algorithm: str = "smoothed",
    parameters: str = "auto",
    curvature: Optional[float] = None,
    batch: Optional[int] = None,
    sampling: str = "reshuffled",
    output: str = "best",
    second_order: bool = True,
    finish: bool = True,
    checkpoint: Optional[Path] = None,
    checkpoint_seconds: float = 5.0,
    resume: bool = False,
    callback: Optional[Callable[[scipy.optimize.OptimizeResult], Any]] = None,
) -> Result:
    """Solve a problem, or the one that a file states, and let the judge measure the answer.

    Parameters
    ----------
    problem : Problem or path
    x0, multipliers : arrays, optional
        Where to start: ``x`` and ``multipliers`` of an earlier result make a warm start.
    samples, epochs, seconds : float, optional
        The budget in sample gradients, in passes over the data, in wall time; 30 epochs unless told.
    tol : float, optional
        The judge's error at which a run ends: 1e-6 unless told where second-order steps end it, else 1e-4.
    grow : bool
        Four times the budget again and again until ``tol`` is reached.
    absolute : bool
        Compare absolute figures with the tolerance, not relative ones.
    seed : int
        Of every random number.
    algorithm : str
        One of `bridle.algorithms`.
    parameters : str
        "auto", "theory" or a file that ``bridle solve --write-params`` wrote.
    curvature : float, optional
        The Lipschitz constant of the gradient, if you know it.
    batch : int, optional
        Samples per iteration: 1, or 32 where fun is a Python callable over a finite sum.
    sampling, output : str
        "reshuffled" or "independent"; "best", "last" or "random".
    second_order, finish : bool
        Whether second-order steps and the closing polish may end a run.
    checkpoint : path, optional
        File for the complete state, written every ``checkpoint_seconds``; ``resume`` goes on from it.
    callback : callable, optional
        Called with looks at the run (nit, samples, fun, feasibility, ...). True, or StopIteration, ends it.

    Returns
    -------
    Result
        Ctrl-C raises KeyboardInterrupt, whose attribute ``result`` has the best point so far.
    """
    if not isinstance(problem, Problem):
        problem = read(problem)
    core = problem._core
    if x0 is not None:
        core = core.copy()
        core.start_from(_arrays.vector(x0, "x0", core.dimension))
    finite_callable = problem._objective is not None and problem._objective.calls is not None and core.samples > 1
    options: dict[str, Any] = dict(
        grow=grow, absolute=absolute, algorithm=algorithm, parameters=parameters, sampling=sampling, output=output,
        second_order=second_order, finish=finish, checkpoint_seconds=float(checkpoint_seconds), resume=resume,
        batch=_whole(batch, "batch") if batch is not None else min(CALLABLE_BATCH, core.samples) if finite_callable else 1,
        seed=_whole(seed, "seed"),
    )  # fmt: skip
    given = dict(samples=samples, epochs=epochs, seconds=seconds, tolerance=tol, curvature=curvature)
    options.update({key: _positive(value, key) for key, value in given.items() if value is not None})
    if multipliers is not None:
        options["multipliers"] = _arrays.vector(multipliers, "multipliers", len(problem.row_names))
    if checkpoint is not None:
        options["checkpoint"] = os.fspath(checkpoint)
    before = problem._objective.calls if problem._objective is not None else None
    raw = _bridle.solve(core, options, _watching(callback))
    after = problem._objective.calls if problem._objective is not None else None
    result = result_of(raw, None if before is None or after is None else after - before)
    if raw["by_user"]:
        interrupt = KeyboardInterrupt("interrupted; the best point so far is in this exception's attribute result")
        setattr(interrupt, "result", result)
        raise interrupt
    return result


def _whole(value: Any, what: str) -> int:
    if int(value) != value or value < 0:
        raise ValueError(f"{what} = {value}; a whole number >= 0 is required")
    return int(value)


def _positive(value: Any, what: str) -> float:
    if not (np.isfinite(value) and (value > 0 or (what == "tolerance" and value == 0))):
        raise ValueError(f"{what} = {value}; a finite number > 0 is required")
    return float(value)


def _watching(callback: Optional[Callable[..., Any]]) -> Optional[Callable[[dict[str, Any]], bool]]:
    if callback is None:
        return None
    called = callback

    def look(progress: dict[str, Any]) -> bool:
        try:
            return called(scipy.optimize.OptimizeResult(progress)) is True
        except StopIteration:
            return True

    return look


def minimize(
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
    **options: Any,
) -> Result:
    """Minimise an expectation under constraints, in the manner of scipy.optimize.minimize.

    Parameters
    ----------
    fun : LinearModel, Quadratic or callable
        A callable is one of

        - ``fun(x, rng) -> (value, gradient)``: one sample of f and its gradient. All randomness comes from ``rng``, a
          numpy.random.Generator; the same sample is asked for again with the same numbers in it.
        - ``fun(x, indices) -> (value, gradient)`` with ``n_samples``: the means over these terms of a finite sum. It is
          called once per batch.
        - ``fun(x)`` with ``jac``: a function that is known exactly, as SciPy's are.
    x0 : array, optional
        Where to start; required for callables.
    args : tuple
        Further arguments of callables.
    jac : True or callable, optional
        True: ``fun(x)`` returns value and gradient. A callable: the gradient.
    hess : callable, optional
        hess(x), the Hessian of f, for second-order steps at the end.
    n_samples : int, optional
        The number of terms of a finite sum.
    constraints : LinearConstraint, NonlinearConstraint, dict, Rows, or a list of those
        Of scipy.optimize, and `bridle.Rows`, whose rows have names. A Jacobian that is not given comes from
        differences.
    bounds : Bounds, pair or list of pairs, optional
    sets : Simplex, L1Ball, Ordered, HalfSpace, Hyperplane, Polyhedron, Ball, or a list of those
        Each over some variables or all of them.
    names : list of str, optional
        Of the variables.
    **options
        Those of `solve`: the budget, the tolerance, the seed, callback, ...

    Examples
    --------
    A newsvendor who sees one day's demand at a time and has room for 12 papers of two kinds:

    >>> import numpy as np, bridle
    >>> def cost(x, rng):
    ...     demand = rng.gamma(4.0, [2.0, 1.0])
    ...     left = 1 / (1 + np.exp(-(x - demand)))       # smoothed: papers that nobody bought
    ...     return float(np.logaddexp(0, x - demand).sum() - 0.7 * x.sum()), left - 0.7
    >>> room = bridle.Rows([[1.0, 1.0]], upper=12.0, names=["room"])
    >>> result = bridle.minimize(cost, [1.0, 1.0], constraints=room, bounds=(0, None), samples=5000, tol=0.05)
    >>> bool(result.x.sum() <= 12 + 0.05), result.row_names
    (True, ['room'])
    """
    problem = Problem(
        fun, x0, args, jac=jac, hess=hess, n_samples=n_samples, constraints=constraints, bounds=bounds, sets=sets,
        names=names,
    )  # fmt: skip
    return solve(problem, **options)


def certify(
    problem: Union[Problem, Path],
    x: npt.ArrayLike,
    multipliers: Optional[npt.ArrayLike] = None,
    *,
    absolute: bool = False,
    batch: int = 100_000,
    seed: int = 0,
) -> Certificate:
    """Let the judge measure a point, whoever found it. Without multipliers it fits its own.

    Parameters
    ----------
    problem : Problem or path
    x, multipliers : arrays
    absolute : bool
        Absolute figures decide, not relative ones.
    batch, seed : int
        Of the judge's own samples, where f is known through samples only.

    Examples
    --------
    >>> import bridle
    >>> problem = bridle.Problem(bridle.Quadratic([[1.0]], [-3.0]), bounds=(0, 1))
    >>> bridle.certify(problem, [1.0]).holds(1e-9), bridle.certify(problem, [0.5]).holds(1e-3)
    (True, False)
    """
    if not isinstance(problem, Problem):
        problem = read(problem)
    point = _arrays.vector(x, "x", problem.dimension)
    given = None if multipliers is None else _arrays.vector(multipliers, "multipliers", len(problem.row_names))
    return Certificate.from_dict(
        _bridle.certify(problem._core, point, given, absolute, _whole(batch, "batch"), _whole(seed, "seed"))
    )
