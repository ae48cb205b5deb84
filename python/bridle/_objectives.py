"""Objectives that the library knows inside out: no Python is called while it works on them."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse

from . import _arrays, _bridle
from ._arrays import Data, Vector


class _Built:
    """Keeps the library's own object beside the arrays, and leaves it out of pickles."""

    _built: Optional[_bridle.Objective] = None

    def _core(self) -> _bridle.Objective:
        if self._built is None:
            self._built = self._build()
        return self._built

    def _build(self) -> _bridle.Objective:
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        state.pop("_built", None)
        return state


class Terms:
    """A finite sum fun(x, indices) that completes a problem's statement by what it knows itself, and keeps what was found."""

    n_samples: int

    def __call__(self, x: Vector, indices: Any) -> tuple[float, Vector]:
        raise NotImplementedError

    def completed(self, stated: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def keep(self, x: Vector) -> None:
        raise NotImplementedError


class LinearModel(_Built):
    r"""f(x) = mean of loss(a_i'x, y_i) + 1/2 sum_j ridge_j x_j^2 over the rows a_i of ``X``.

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (samples, variables)
        Not copied where it is a C-contiguous array of doubles or floats or a CSR matrix of doubles; do not change
        it while the model is in use.
    y : array of shape (samples,)
        Labels -1 and +1 (0 and 1, False and True are taken as those) for losses of classification, numbers for the
        others.
    loss : str
        One of `bridle.losses`.
    ridge : float or array of shape (variables,)
        Weights of the squares; 0 leaves a variable free.
    weights : array of shape (samples,), optional
        How much each sample counts, >= 0.
    names : list of str, optional
        Of the variables; a data frame brings its own.

    Examples
    --------
    >>> import numpy as np, bridle
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> model = bridle.LinearModel(X, [1.0, 2.0, 3.0], loss="squared")
    >>> bridle.minimize(model).x.round(4).tolist()
    [1.0, 2.0]
    """

    def __init__(
        self,
        X: Any,
        y: npt.ArrayLike,
        *,
        loss: str = "logistic",
        ridge: Any = 0.0,
        weights: Optional[npt.ArrayLike] = None,
        names: Optional[Sequence[str]] = None,
    ) -> None:
        self.names = [str(name) for name in names] if names is not None else _arrays.names_of(X)
        self._data: Data = _arrays.features(X)
        self.loss = _arrays.text(loss, "linear model: loss")
        self.y = self._labels(y, _arrays.row_count(self._data))
        self.ridge: Vector = _arrays.vector(ridge, "linear model: ridge", self.dimension)
        self.weights = None if weights is None else _arrays.vector(weights, "linear model: weights", self.samples)
        _check_unique(self.names)
        self._core()  # what is wrong is said now

    def _labels(self, y: npt.ArrayLike, count: int) -> Vector:
        labels = _arrays.vector(y, "linear model: y")
        if labels.size != count:
            raise ValueError(f"linear model: {count} rows but {labels.size} labels")
        classification = {name for name, _, classes in _bridle.losses() if classes}
        if self.loss in classification and ((labels == 0) | (labels == 1)).all() and (labels == 0).any():
            labels = 2.0 * labels - 1.0
        return labels

    @property
    def samples(self) -> int:
        return _arrays.row_count(self._data)

    @property
    def dimension(self) -> int:
        return _arrays.column_count(self._data)

    @property
    def X(self) -> Any:
        """The data, in the memory that the library reads."""
        if not isinstance(self._data, tuple):
            return self._data
        data, indices, starts, rows, columns = self._data
        return scipy.sparse.csr_matrix((data, indices, starts), shape=(rows, columns), copy=False)

    def _build(self) -> _bridle.Objective:
        ridge = self.ridge if self.ridge.any() else None
        return _bridle.linear_model(self._data, self.y, self.loss, ridge, self.weights, self.names)


def _check_unique(names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"linear model: variable name '{name}' is used twice")
        seen.add(name)


class Quadratic(_Built):
    """f(x) = offset + c'x + x'Qx/2, with gradient noise if wished.

    Parameters
    ----------
    Q : array or sparse matrix of shape (n, n)
        Symmetric, possibly indefinite.
    c : array of shape (n,), optional
    offset : float
    noise, multiplicative_noise : float
        Every sample of the gradient has Gaussian noise of this size added, and its entries changed by this share of
        x up or down.

    Examples
    --------
    >>> import bridle
    >>> bridle.minimize(bridle.Quadratic([[2.0, 0.0], [0.0, 2.0]], [-2.0, -4.0])).x.round(4).tolist()
    [1.0, 2.0]
    """

    def __init__(
        self,
        Q: Any,
        c: Optional[npt.ArrayLike] = None,
        *,
        offset: float = 0.0,
        noise: float = 0.0,
        multiplicative_noise: float = 0.0,
    ) -> None:
        self._data = _arrays.matrix(Q, "quadratic: Q")
        n = _arrays.column_count(self._data)
        self.c: Vector = np.zeros(n) if c is None else _arrays.vector(c, "quadratic: c")
        self.offset = float(offset)
        self.noise = float(noise)
        self.multiplicative_noise = float(multiplicative_noise)
        self._core()

    @property
    def dimension(self) -> int:
        return int(self.c.size)

    def _build(self) -> _bridle.Objective:
        return _bridle.quadratic(self._data, self.c, self.offset, self.noise, self.multiplicative_noise)
