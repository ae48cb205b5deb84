"""Estimators for scikit-learn: linear classifiers and regressors under constraints, and fair classifiers.

They work in pipelines and searches, take data frames, sparse matrices and sample weights, and carry the judge's
certificate. A constraint that cannot be met raises ValueError with the names of the rows that contradict each other.
"""
from __future__ import annotations

import warnings
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import _check_sample_weight

from . import _bridle
from ._arrays import features, positive, text
from ._estimators import BinaryClassifier, Feature, LinearEstimator, Row
from ._result import raise_if_interrupted, result_of

__all__ = ["ConstrainedClassifier", "ConstrainedRegressor", "FairClassifier"]


class ConstrainedClassifier(BinaryClassifier):
    """A linear classifier for two classes under constraints on its coefficients.

    Parameters
    ----------
    loss : str
        "logistic", or one of the robust, nonconvex ones: "logistic-difference", "smoothed-01".
    ridge : float
        Weight of the squares of the coefficients; the intercept goes free.
    fit_intercept : bool
    monotone : dict, optional
        {feature: 1 or -1}: the score may only rise, or fall, with the feature. Features are names or numbers.
    bounds : dict, optional
        {feature: (lower, upper)} of the coefficient; None for no bound.
    budget : float, optional
        Of the coefficients' absolute values, all together.
    rows : list, optional
        ({feature: coefficient}, lower, upper[, name]): linear rows over the coefficients.
    tol : float
        The judge's error to reach; ConvergenceWarning where it is not.
    epochs : float, optional
        The budget in passes over the data.
    random_state : int or RandomState

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, feature_names_in_
    certificate_ : bridle.Certificate
    result_ : bridle.Result

    Examples
    --------
    >>> import numpy as np
    >>> from bridle.sklearn import ConstrainedClassifier
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
    >>> model = ConstrainedClassifier(monotone={1: 1}).fit(X, [0, 0, 1, 1])
    >>> bool(model.coef_[0, 1] >= 0), model.certificate_.holds(1e-8)
    (True, True)
    """

    def __init__(
        self,
        loss: str = "logistic",
        ridge: float = 1e-3,
        fit_intercept: bool = True,
        monotone: Optional[Mapping[Feature, int]] = None,
        bounds: Optional[Mapping[Feature, tuple[Optional[float], Optional[float]]]] = None,
        budget: Optional[float] = None,
        rows: Sequence[Row] = (),
        tol: float = 1e-8,
        epochs: Optional[float] = None,
        random_state: Any = 0,
    ) -> None:
        super().__init__(loss, ridge, fit_intercept, monotone, bounds, budget, rows, tol, epochs, random_state)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ConstrainedClassifier:
        X, y = self._validate(X, y)
        X, y, weights = self._weights(X, y, sample_weight)
        self._fit_coefficients(X, self._targets(y), weights)
        return self


class ConstrainedRegressor(RegressorMixin, LinearEstimator):  # type: ignore[misc]
    """A linear regressor under constraints on its coefficients.

    ``loss`` is "squared", "huber", or one of the robust, nonconvex ones: "cauchy", "tukey". The other parameters and the
    attributes are those of `ConstrainedClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from bridle.sklearn import ConstrainedRegressor
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
    >>> model = ConstrainedRegressor(ridge=0.0, rows=[({0: 1, 1: 1}, 1.0, 1.0, "sum")]).fit(X, [1, 2, 3, 4])
    >>> float(model.coef_.sum().round(6))
    1.0
    """

    def __init__(
        self,
        loss: str = "squared",
        ridge: float = 1e-3,
        fit_intercept: bool = True,
        monotone: Optional[Mapping[Feature, int]] = None,
        bounds: Optional[Mapping[Feature, tuple[Optional[float], Optional[float]]]] = None,
        budget: Optional[float] = None,
        rows: Sequence[Row] = (),
        tol: float = 1e-8,
        epochs: Optional[float] = None,
        random_state: Any = 0,
    ) -> None:
        super().__init__(loss, ridge, fit_intercept, monotone, bounds, budget, rows, tol, epochs, random_state)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ConstrainedRegressor:
        X, y = self._validate_data(X, y, accept_sparse="csr", dtype=[np.float64, np.float32], y_numeric=True)
        X, y, weights = self._weights(X, y, sample_weight)
        self._fit_coefficients(X, np.asarray(y, dtype=np.float64), weights)
        return self

    def predict(self, X: Any) -> Any:
        return self._scores(X)

    def _set_coefficients(self, x: Any) -> None:
        self.coef_ = x[: self.n_features_in_]
        self.intercept_ = float(x[self.n_features_in_]) if self.fit_intercept else 0.0


class FairClassifier(BinaryClassifier):
    """A linear classifier whose decisions are alike in all groups of people.

    Parameters
    ----------
    constraint : str
        What is bounded: rates of decisions, "demographic-parity", "equal-opportunity", "predictive-equality" or
        "equalised-odds", or "covariance", of the groups with the score.
    gap : float
        Rates of any two groups differ by no more than this on the training data, in counted people.
    ratio : float, optional
        Instead: the lower of two rates is at least this share of the higher.
    bound : float or str
        With constraint "covariance": a number, or as `bridle fair` writes it, "10%" or "sex=0.001,race=5%".
    confidence : float
        Tightens the bound so that it holds on fresh data of this size with about this probability.
    loss, ridge, fit_intercept, tol, epochs, random_state
        As of `ConstrainedClassifier`; the loss is "logistic-difference" unless told, and ``tol`` is the tolerance of
        the smoothed problem.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, feature_names_in_, certificate_, result_
    rates_ : dict
        What was reached on the training data, group by group: "reached", "gap", "cells"; None for covariances.
    covariances_ : list of dict
        Of each group with the score.

    ``fit`` takes ``sensitive_features``, as fairlearn's estimators do: an array, a data frame with one or more columns,
    or a dict of them. Without them nothing is bounded, and a warning says so.
    """

    def __init__(
        self,
        constraint: str = "demographic-parity",
        gap: float = 0.02,
        ratio: Optional[float] = None,
        bound: Union[float, str] = 0.001,
        confidence: float = 0.0,
        loss: str = "logistic-difference",
        ridge: float = 1e-3,
        fit_intercept: bool = True,
        tol: float = 1e-4,
        epochs: Optional[float] = None,
        random_state: Any = 0,
    ) -> None:
        self.constraint = constraint
        self.gap = gap
        self.ratio = ratio
        self.bound = bound
        self.confidence = confidence
        self.loss = loss
        self.ridge = ridge
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.epochs = epochs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, sensitive_features: Any = None) -> FairClassifier:
        X, y = self._validate(X, y)
        self.rates_: Optional[dict[str, Any]] = None
        self.covariances_: list[dict[str, Any]] = []
        if sensitive_features is None:
            warnings.warn("fit without sensitive_features: nothing is bounded", UserWarning, stacklevel=2)
            X, y, weights = self._weights(X, y, sample_weight)
            self._fit_coefficients(X, self._targets(y), weights)
            return self
        attributes = _attributes_of(sensitive_features, X.shape[0])
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, X, dtype=np.float64, only_non_negative=True)
        raw = _bridle.fit_fair(self._request(X, self._targets(y), attributes, weights), self._options(), None)
        self.rates_ = raw["rates"]
        self.covariances_ = raw["covariances"]
        for warning in raw["warnings"]:
            warnings.warn(warning, UserWarning, stacklevel=2)
        result = result_of(raw)
        raise_if_interrupted(raw, result)
        self._keep(result)
        return self

    def _request(self, X: Any, target: Any, attributes: Any, weights: Any) -> dict[str, Any]:
        request: dict[str, Any] = {
            "features": features(self._with_intercept(X)),
            "labels": target,
            "names": self._names(),
            "loss": text(self.loss, "loss"),
            "ridge": float(self.ridge),
            "attributes": attributes,
        }
        if weights is not None:
            request["weights"] = weights
        if self.constraint == "covariance":
            request["bounds"] = str(self.bound)
        else:
            request.update(measure=text(self.constraint, "constraint"), gap=float(self.gap))
            request["confidence"] = _share(self.confidence, "confidence", 0.0 <= self.confidence < 1.0)
            if self.ratio is not None:
                request["ratio"] = _share(self.ratio, "ratio", 0.0 < self.ratio <= 1.0)
        return request

    def _options(self) -> dict[str, Any]:
        options: dict[str, Any] = {"tolerance": positive(self.tol, "tol", or_zero=True), "seed": self._seed() + 1}
        if self.epochs is not None:
            options["epochs"] = positive(self.epochs, "epochs")
        return options


def _share(value: Any, what: str, fits: bool) -> float:
    if not fits:
        raise ValueError(f"{what} = {value}; a number between 0 and 1 is required")
    return float(value)


def _is_missing(value: Any) -> bool:
    """None, nan, and pandas' NA, of which nothing can be asked."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def _attributes_of(sensitive: Any, samples: int) -> list[tuple[str, list[str], Any]]:
    """(name, groups, code of each sample) of every sensitive column."""
    if hasattr(sensitive, "items") and (isinstance(sensitive, dict) or getattr(sensitive, "ndim", 1) == 2):
        columns = [(str(name), np.asarray(values)) for name, values in sensitive.items()]
    else:
        array = np.asarray(sensitive)
        name = getattr(sensitive, "name", None)
        if array.ndim == 1:
            columns = [(str(name) if name is not None else "sensitive", array)]
        elif array.ndim == 2:
            columns = [(f"sensitive{j}", array[:, j]) for j in range(array.shape[1])]
        else:
            raise ValueError(f"sensitive_features has shape {array.shape}; 1 or 2 dimensions are required")
    out = []
    for label, values in columns:
        if values.shape != (samples,):
            raise ValueError(f"sensitive feature '{label}' has {values.shape[0]} entries for {samples} samples")
        missing = [_is_missing(value) for value in values.tolist()]
        if any(missing):
            raise ValueError(f"sensitive feature '{label}' has no value in sample {missing.index(True)}")
        texts = np.array([str(value) for value in values])
        groups, codes = np.unique(texts, return_inverse=True)
        if groups.size < 2:
            raise ValueError(f"sensitive feature '{label}' has one group only; nothing is to be compared")
        out.append((label, [str(group) for group in groups], codes.astype(np.int32)))
    return out
