"""Stochastic optimisation under constraints, with every answer measured by a judge.

>>> import bridle, numpy as np
>>> result = bridle.minimize(bridle.Quadratic(np.eye(2), [-1.0, -2.0]), bounds=(0, 1))
>>> result.x.round(6).tolist(), bool(result.success)
([1.0, 1.0], True)
"""
import os

from . import _arrays, _bridle
from ._constraints import Rows
from ._objectives import LinearModel, Quadratic
from ._problem import Problem, read
from ._result import Certificate, Figure, Parameter, Result
from ._run import certify, minimize, solve
from ._sets import Ball, HalfSpace, Hyperplane, L1Ball, Ordered, Polyhedron, Simplex

__version__: str = _bridle.version

__all__ = [
    "Ball",
    "Certificate",
    "Figure",
    "HalfSpace",
    "Hyperplane",
    "L1Ball",
    "LinearModel",
    "Ordered",
    "Parameter",
    "Polyhedron",
    "Problem",
    "Quadratic",
    "Result",
    "Rows",
    "Simplex",
    "algorithms",
    "certify",
    "losses",
    "minimize",
    "read",
    "solve",
    "use_threads",
]


def losses() -> dict[str, str]:
    """The losses of a linear model: name and meaning.

    >>> "huber" in losses()
    True
    """
    return {name: meaning for name, meaning, _ in _bridle.losses()}


def algorithms() -> dict[str, str]:
    """The algorithms: name and meaning.

    >>> next(iter(algorithms()))
    'smoothed'
    """
    return dict(_bridle.algorithms())


def use_threads(count: int) -> None:
    """Let passes over all the data take ``count`` threads. Results do not depend on it, to the last bit.

    Unless told, there is one for each processor that the process may use, as with the command, or as many as
    ``OMP_NUM_THREADS`` says, which pools of processes (joblib's) set for their workers.
    """
    _bridle.use_threads(min(_arrays.whole(count, "use_threads: count", 1), 2**16))


def _threads_unless_told() -> int:
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return int(asked) if asked.isdecimal() and 0 < int(asked) < 2**16 else len(os.sched_getaffinity(0))


use_threads(_threads_unless_told())
