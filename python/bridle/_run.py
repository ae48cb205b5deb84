"""The doors to the solver and to the judge."""
from __future__ import annotations

import difflib
import inspect
import os
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy.typing as npt
import scipy.optimize

from . import _arrays, _bridle
from ._objectives import Terms
from ._problem import Path, Problem, read
from ._result import STATUS, Certificate, Result, raise_if_interrupted, result_of

CALLABLE_BATCH = 32  # samples of one call of a Python callable, unless told otherwise


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
    constants: Optional[Mapping[str, float]] = None,
    dual_bound: Optional[float] = None,
    batch: Optional[int] = None,
    workers: int = 1,
    sampling: str = "reshuffled",
    output: str = "best",
    second_order: bool = True,
    finish: bool = True,
    checkpoint: Optional[Path] = None,
    checkpoint_seconds: float = 5.0,
    resume: bool = False,
    history: bool = True,
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
    constants : mapping, optional
        With parameters "theory", which is the paper to the letter (independent draws, nothing after the loop, its output
        at a random time): constants of its theorems that you know, of "L_f", "L_0", "A" (its norm), "sbar", "rho".
    dual_bound : float, optional
        M_y of the dual safeguard of "safeguarded" and "safeguarded-storm".
    batch : int, optional
        Samples per iteration: 32 where fun is a Python callable over a finite sum, else 1, or more where rows or
        bounds make every step of a linear model dear.
    workers : int
        That share the samples, each a loop of its own, and average their states after rounds of iterations; threads
        execute them, and change no bit. Python callables get them one after the other.
    sampling, output : str
        "reshuffled" or "independent"; "best", "last" or "random".
    second_order, finish : bool
        Whether second-order steps and the closing polish may end a run.
    checkpoint : path, optional
        File for the complete state, written every ``checkpoint_seconds``; ``resume`` goes on from it.
    history : bool
        Whether to measure the objective at the looks that `Result.history` keeps; without it, and without a callback,
        there are none, as of ``bridle solve --quiet``.
    callback : callable, optional
        Called with looks at the run (nit, samples, fun, feasibility, ...). True, or StopIteration, ends it.

    Returns
    -------
    Result
        Ctrl-C raises KeyboardInterrupt, whose attribute ``result`` has the best point so far.
    """
    problem = _stated(problem)
    core = problem._core
    if x0 is not None:
        core = core.copy()
        core.start_from(_arrays.vector(x0, "x0", core.dimension))
    finite_callable = problem._objective is not None and problem._objective.calls is not None and core.samples > 1
    options: dict[str, Any] = dict(
        grow=bool(grow), absolute=bool(absolute), second_order=bool(second_order), finish=bool(finish),
        resume=bool(resume), history=bool(history), checkpoint_seconds=_arrays.positive(checkpoint_seconds, "checkpoint_seconds", or_zero=True),
        seed=_arrays.whole(seed, "seed"), workers=_arrays.whole(workers, "workers", 1),
    )  # fmt: skip
    texts = dict(algorithm=algorithm, parameters=parameters, sampling=sampling, output=output)
    options.update({key: _arrays.text(value, key) for key, value in texts.items()})
    given = dict(samples=samples, epochs=epochs, seconds=seconds, tolerance=tol, curvature=curvature, dual_bound=dual_bound)
    options.update(
        {key: _arrays.positive(value, key, or_zero=key == "tolerance") for key, value in given.items() if value is not None}
    )
    if batch is not None:
        options["batch"] = _arrays.whole(batch, "batch", 1)
    elif finite_callable:
        options["batch"] = min(CALLABLE_BATCH, core.samples)
    if multipliers is not None:
        options["multipliers"] = _arrays.vector(multipliers, "multipliers", len(problem.row_names))
    if constants is not None:
        options["constants"] = {name: _arrays.positive(value, name, or_zero=True) for name, value in constants.items()}
    if checkpoint is not None:
        options["checkpoint"] = os.fspath(checkpoint)
    before = problem._objective.calls if problem._objective is not None else None
    raw = _bridle.solve(core, options, _watching(callback))
    after = problem._objective.calls if problem._objective is not None else None
    result = result_of(raw, None if before is None or after is None else after - before)
    fun = problem._stated["fun"]
    if isinstance(fun, Terms) and result.status not in (STATUS["infeasible"], STATUS["diverged"]):
        fun.keep(result.x)
    raise_if_interrupted(raw, result)
    return result


def _stated(problem: Any) -> Problem:
    if isinstance(problem, Problem):
        return problem
    if not isinstance(problem, (str, os.PathLike)):
        raise ValueError(f"problem is a {type(problem).__name__}; a bridle.Problem or a file's name is required")
    return read(problem)


def _watching(callback: Optional[Callable[..., Any]]) -> Optional[Callable[[dict[str, Any]], bool]]:
    if callback is None:
        return None
    if not callable(callback):
        raise ValueError(f"callback = {callback}; a callable is required")
    called = callback

    def look(progress: dict[str, Any]) -> bool:
        try:
            return called(scipy.optimize.OptimizeResult(progress)) is True
        except StopIteration:
            return True

    return look


SCIPY_NAMES = {"tolerance": "tol", "ftol": "tol", "gtol": "tol", "maxiter": "samples", "method": "algorithm", "random_state": "seed"}


def _check_options(options: Mapping[str, Any]) -> None:
    known = [name for name in inspect.signature(solve).parameters if name not in ("problem", "x0")]
    for name in options:
        if name not in known:
            near = SCIPY_NAMES.get(name) or next(iter(difflib.get_close_matches(name, known, 1)), None)
            hint = f"; did you mean '{near}'?" if near else f"; it has {', '.join(known)}"
            raise TypeError(f"minimize() has no option '{name}'{hint}")


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
    _check_options(options)
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
    problem = _stated(problem)
    point = _arrays.vector(x, "x", problem.dimension)
    given = None if multipliers is None else _arrays.vector(multipliers, "multipliers", len(problem.row_names))
    return Certificate.from_dict(
        _bridle.certify(problem._core, point, given, absolute, _arrays.whole(batch, "batch", 1), _arrays.whole(seed, "seed"))
    )
