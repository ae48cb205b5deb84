"""What the estimators for scikit-learn share."""
from __future__ import annotations

import warnings
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ._arrays import whole
from ._constraints import Rows
from ._objectives import LinearModel
from ._problem import Problem
from ._result import Result
from ._run import solve
from ._sets import L1Ball

Feature = Union[str, int]
# {feature: coefficient}, lower, upper and perhaps a name.
Row = Sequence[Any]


class LinearEstimator(BaseEstimator):  # type: ignore[misc]
    """What classifiers and regressors share: scores a'coef + intercept, and constraints on coef by feature."""

    def __init__(
        self,
        loss: str,
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
        self.loss = loss
        self.ridge = ridge
        self.fit_intercept = fit_intercept
        self.monotone = monotone
        self.bounds = bounds
        self.budget = budget
        self.rows = rows
        self.tol = tol
        self.epochs = epochs
        self.random_state = random_state

    # What a subclass has no parameters for.
    monotone: Optional[Mapping[Feature, int]] = None
    bounds: Optional[Mapping[Feature, tuple[Optional[float], Optional[float]]]] = None
    budget: Optional[float] = None
    rows: Sequence[Row] = ()

    def _column(self, feature: Feature) -> int:
        """The number of a feature that a constraint names."""
        if isinstance(feature, (int, np.integer)):
            if not 0 <= feature < self.n_features_in_:
                raise ValueError(f"constraints: there is no feature {feature}; there are {self.n_features_in_}")
            return int(feature)
        names = list(getattr(self, "feature_names_in_", []))
        if feature not in names:
            raise ValueError(f"constraints: there is no feature '{feature}'" + ("" if names else ": X has no names"))
        if names.count(feature) > 1:
            raise ValueError(f"constraints: there are {names.count(feature)} features '{feature}'; name it by its number")
        return names.index(feature)

    def _names(self) -> list[str]:
        """Of the coefficients; numbered where the features' own are not all different."""
        out = [str(name) for name in getattr(self, "feature_names_in_", [])]
        if not out or len({*out, "intercept"}) <= len(out):
            out = [f"x{j}" for j in range(self.n_features_in_)]
        return out + ["intercept"] if self.fit_intercept else out

    def _with_intercept(self, X: Any) -> Any:
        if not self.fit_intercept:
            return X
        ones = np.ones((X.shape[0], 1), dtype=X.dtype)
        return scipy.sparse.hstack([X, ones], format="csr") if scipy.sparse.issparse(X) else np.hstack([X, ones])

    def _stated_bounds(self) -> list[tuple[float, float]]:
        out = [(-np.inf, np.inf)] * (self.n_features_in_ + bool(self.fit_intercept))
        for feature, pair in _by_feature(self.bounds, "bounds").items():
            if np.shape(pair) != (2,):
                raise ValueError(f"bounds: {feature}: {pair}; (lower, upper) is required, None for no bound")
            lower, upper = pair
            out[self._column(feature)] = (-np.inf if lower is None else lower, np.inf if upper is None else upper)
        for feature, sign in _by_feature(self.monotone, "monotone").items():
            if sign not in (-1, 1):
                raise ValueError(f"monotone: {feature}: {sign}; 1 (rising) or -1 (falling) is required")
            lower, upper = out[self._column(feature)]
            out[self._column(feature)] = (max(lower, 0.0), upper) if sign > 0 else (lower, min(upper, 0.0))
        for name, (lower, upper) in zip(self._names(), out):
            if lower > upper:
                raise ValueError(f"the constraints cannot be met: coefficient of {name} >= {lower} and <= {upper}")
        return out

    def _stated_rows(self) -> list[Rows]:
        out = []
        for number, row in enumerate(self.rows, 1):
            if len(row) not in (3, 4):
                raise ValueError("rows: ({feature: coefficient}, lower, upper[, name]) is required")
            entries = np.zeros((1, self.n_features_in_ + bool(self.fit_intercept)))
            for feature, value in _by_feature(row[0], "rows").items():
                entries[0, self._column(feature)] = value
            lower = -np.inf if row[1] is None else row[1]
            upper = np.inf if row[2] is None else row[2]
            out.append(Rows(entries, lower, upper, [str(row[3]) if len(row) == 4 else f"row{number}"]))
        return out

    def _seed(self) -> int:
        if isinstance(self.random_state, (int, np.integer)):
            return whole(self.random_state, "random_state")
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _weights(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        """The samples that count, and their weights; none where all weigh the same."""
        if sample_weight is None:
            return X, y, None
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, only_non_negative=True)
        counts = weights > 0
        if not counts.any():
            raise ValueError("sample_weight: all are 0")
        if not counts.all():
            X, y, weights = X[counts], y[counts], weights[counts]
        return X, y, None if (weights == weights[0]).all() else weights

    def _fit_coefficients(self, X: Any, target: Any, weights: Any) -> None:
        ridge = np.full(self.n_features_in_, float(self.ridge))
        if self.fit_intercept:
            ridge = np.append(ridge, 0.0)
        model = LinearModel(
            self._with_intercept(X), target, loss=self.loss, ridge=ridge, weights=weights, names=self._names()
        )
        ball = [] if self.budget is None else [L1Ball(self.budget, indices=range(self.n_features_in_))]
        problem = Problem(model, constraints=self._stated_rows(), bounds=self._stated_bounds(), sets=ball)
        self._keep(solve(problem, tol=self.tol, epochs=self.epochs, seed=self._seed()))

    def _keep(self, result: Result) -> None:
        if result.status == 3:
            raise ValueError(f"the constraints cannot be met: {result.message.removeprefix('cannot be met: ')}")
        if not result.success:
            warnings.warn(f"not certified to {self.tol}: {result.message}", ConvergenceWarning, stacklevel=3)
        self.result_ = result
        self.certificate_ = result.certificate
        self._set_coefficients(result.x)

    def _set_coefficients(self, x: Any) -> None:
        raise NotImplementedError

    def _scores(self, X: Any) -> Any:
        check_is_fitted(self)
        X = self._validate_data(X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return safe_sparse_dot(X, np.ravel(self.coef_)) + np.ravel(self.intercept_)[0]


def _by_feature(given: Any, what: str) -> dict[Feature, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise ValueError(f"{what}: {type(given).__name__}; a dict by features is required")
    return dict(given or {})


class BinaryClassifier(ClassifierMixin, LinearEstimator):  # type: ignore[misc]
    def _validate(self, X: Any, y: Any) -> tuple[Any, Any]:
        X, y = self._validate_data(X, y, accept_sparse="csr", dtype=[np.float64, np.float32])
        check_classification_targets(y)
        return X, y

    def _targets(self, y: Any) -> Any:
        self.classes_, codes = np.unique(y, return_inverse=True)
        if self.classes_.size == 1:
            raise ValueError(f"{type(self).__name__} needs samples of 2 classes, but the data contains only one class")
        if self.classes_.size > 2:
            raise ValueError("Only binary classification is supported. The type of the target is multiclass.")
        return 2.0 * codes - 1.0

    def _set_coefficients(self, x: Any) -> None:
        self.coef_ = x[: self.n_features_in_].reshape(1, -1)
        self.intercept_ = x[self.n_features_in_ :] if self.fit_intercept else np.zeros(1)

    def decision_function(self, X: Any) -> Any:
        """Scores; above 0 the second of ``classes_`` is predicted."""
        return self._scores(X)

    def predict(self, X: Any) -> Any:
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int)]

    def predict_proba(self, X: Any) -> Any:
        """1 / (1 + exp(-score)): a probability with the loss "logistic", a monotone score with the others."""
        scores = self.decision_function(X)
        upper = 0.5 * (1.0 + np.tanh(0.5 * scores))
        return np.column_stack([1.0 - upper, upper])

    def predict_log_proba(self, X: Any) -> Any:
        return np.log(self.predict_proba(X))

    def _more_tags(self) -> dict[str, Any]:
        return {"binary_only": True}
