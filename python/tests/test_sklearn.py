"""scikit-learn's door: its own checks, pipelines, searches, data frames, weights, constraints by name."""
import numpy as np
import pytest
import scipy.sparse

sklearn = pytest.importorskip("sklearn")
pandas = pytest.importorskip("pandas")

from sklearn.base import clone  # noqa: E402
from sklearn.datasets import make_classification, make_regression  # noqa: E402
from sklearn.linear_model import LogisticRegression, Ridge  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from bridle.sklearn import ConstrainedClassifier, ConstrainedRegressor, FairClassifier  # noqa: E402


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [ConstrainedClassifier(), ConstrainedRegressor(), FairClassifier(loss="logistic", tol=1e-8)])
def test_check_estimator(estimator):
    checks = list(check_estimator(estimator, generate_only=True))
    assert len(checks) > 35
    for one, check in checks:
        check(one)


def frame():
    rng = np.random.default_rng(3)
    X = pandas.DataFrame(rng.normal(size=(500, 3)), columns=["income", "debt", "age"])
    y = np.where(X["income"] - 2 * X["debt"] + 0.5 * X["age"] + rng.logistic(size=500) > 0, "yes", "no")
    return X, y


def test_logistic_regression_without_constraints():
    X, y = frame()
    ours = ConstrainedClassifier(ridge=1e-2).fit(X, y)
    theirs = LogisticRegression(C=1 / (1e-2 * len(y)), tol=1e-10, max_iter=1000).fit(X, y)
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert np.allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
    assert list(ours.classes_) == ["no", "yes"] and list(ours.feature_names_in_) == ["income", "debt", "age"]
    assert ours.certificate_.holds(1e-8)


def test_ridge_regression_without_constraints():
    X, y = make_regression(200, 4, noise=1.0, random_state=1)
    ours = ConstrainedRegressor(ridge=0.1).fit(X, y)
    theirs = Ridge(alpha=0.1 * len(y), tol=1e-12).fit(X, y)
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-5) and np.allclose(ours.intercept_, theirs.intercept_, atol=1e-5)


def test_constraints_by_name():
    X, y = frame()
    model = ConstrainedClassifier(
        monotone={"debt": 1}, bounds={"income": (None, 0.3)}, rows=[({"age": 1, "income": -1}, 0, 0, "age_as_income")]
    ).fit(X, y)
    income, debt, age = model.coef_[0]
    assert debt == 0 and abs(income - 0.3) < 1e-9 and abs(age - 0.3) < 1e-7
    assert model.result_.row_names == ["age_as_income"]
    assert np.abs(ConstrainedClassifier(budget=1.0, tol=1e-4, epochs=300).fit(X, y).coef_).sum() <= 1 + 1e-6


def test_what_cannot_be_met_is_named():
    X, y = frame()
    rows = [({"age": 1, "debt": 1}, 2, None, "much"), ({"age": 1, "debt": 1}, None, 1, "little")]
    with pytest.raises(ValueError, match="cannot be met.*(much|little)"):
        ConstrainedClassifier(rows=rows).fit(X, y)
    with pytest.raises(ValueError, match="there is no feature 'wealth'"):
        ConstrainedClassifier(monotone={"wealth": 1}).fit(X, y)
    with pytest.raises(ValueError, match="there is no feature 9"):
        ConstrainedClassifier(monotone={9: 1}).fit(X, y)


def test_bad_parameters_are_told_in_one_line():
    X, y = frame()
    twice = X.rename(columns={"debt": "income"})
    group = np.arange(500) % 2
    cases = {
        "cannot be met: coefficient of debt >= 0": (ConstrainedClassifier(monotone={"debt": 1}, bounds={"debt": (None, -1)}), X),
        "bounds: list; a dict by features": (ConstrainedClassifier(bounds=[(0, 1)]), X),
        r"bounds: age: \(0, 1, 2\)": (ConstrainedClassifier(bounds={"age": (0, 1, 2)}), X),
        "monotone: list; a dict": (ConstrainedClassifier(monotone=[1, 0, 0]), X),
        "rows: list; a dict": (ConstrainedClassifier(rows=[([1, 0, 0], 0, 1)]), X),
        "there are 2 features 'income'": (ConstrainedClassifier(monotone={"income": 1}), twice),
        "random_state = -1": (ConstrainedClassifier(random_state=-1), X),
        "loss = None; a text": (ConstrainedClassifier(loss=None), X),
        "ratio = 2; a number between 0 and 1": (FairClassifier(ratio=2), X),
        "confidence = 1; a number between 0 and 1": (FairClassifier(confidence=1), X),
        "constraint = None; a text": (FairClassifier(None), X),
        "epochs = -1; a finite number > 0": (FairClassifier(epochs=-1), X),
    }
    for line, (model, data) in cases.items():
        more = {"sensitive_features": group} if isinstance(model, FairClassifier) else {}
        with pytest.raises(ValueError, match=line) as caught:
            model.fit(data, y, **more)
        assert "\n" not in str(caught.value)
    for missing in (None, np.nan, pandas.NA):
        groups = pandas.Series(["a", "b"] * 250, dtype=object)
        groups[3] = missing
        with pytest.raises(ValueError, match="'sensitive' has no value in sample 3"):
            FairClassifier().fit(X, y, sensitive_features=groups)


def test_names_that_are_there_twice_are_numbered():
    X, y = frame()
    model = ConstrainedClassifier().fit(X.rename(columns={"debt": "income"}), y)
    assert model.result_.variable_names == ["x0", "x1", "x2", "intercept"]


def test_pipelines_searches_clones_and_sparse_data():
    X, y = frame()
    search = GridSearchCV(
        make_pipeline(StandardScaler(), ConstrainedClassifier(monotone={0: 1})),
        {"constrainedclassifier__ridge": [1e-3, 1e-1], "constrainedclassifier__loss": ["logistic", "logistic-difference"]},
        cv=3,
    ).fit(X, y)
    assert search.best_score_ > 0.75
    best = search.best_estimator_[-1]
    assert clone(best).get_params() == best.get_params()
    sparse = ConstrainedClassifier().fit(scipy.sparse.csr_matrix(X.to_numpy()), y)
    assert np.allclose(sparse.coef_, ConstrainedClassifier().fit(X.to_numpy(), y).coef_, atol=1e-6)


@pytest.mark.parametrize("loss", ["squared", "huber", "cauchy", "tukey"])
def test_losses_of_regression(loss):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 2))
    y = X @ [1.0, -1.0] + 0.1 * rng.normal(size=300)
    if loss != "squared":
        y[::10] += 30.0  # false ones
    model = ConstrainedRegressor(loss=loss, ridge=1e-6).fit(X, y)
    assert np.allclose(model.coef_, [1.0, -1.0], atol=0.1)


def people():
    """Two groups, one of which has fewer positives and is seen through a proxy."""
    rng = np.random.default_rng(11)
    group = np.where(rng.random(2000) < 0.4, "b", "a")
    shift = np.where(group == "b", -1.0, 1.0)
    X = pandas.DataFrame({"proxy": shift + rng.normal(size=2000), "skill": rng.normal(size=2000)})
    y = (X["skill"] + 0.7 * shift + rng.normal(size=2000) > 0).to_numpy().astype(int)
    return X, y, pandas.Series(group, name="group")


def gap_of(decisions, group):
    rates = [decisions[(group == g).to_numpy()].mean() for g in ("a", "b")]
    return abs(rates[0] - rates[1])


def test_fair_decisions_in_counted_people():
    X, y, group = people()
    free = ConstrainedClassifier().fit(X, y)
    assert gap_of(free.predict(X), group) > 0.3
    fair = FairClassifier(gap=0.02).fit(X, y, sensitive_features=group)
    assert gap_of(fair.predict(X), group) <= 0.02
    assert fair.rates_["reached"] and abs(fair.rates_["gap"] - gap_of(fair.predict(X), group)) < 1e-12
    assert fair.score(X, y) > 0.6
    odds = FairClassifier("equal-opportunity", gap=0.02).fit(X, y, sensitive_features=group)
    assert gap_of(odds.predict(X)[y == 1], group[y == 1]) <= 0.02


def test_fair_scores_by_covariance_and_several_columns():
    X, y, group = people()
    both = pandas.DataFrame({"group": group, "third": np.arange(2000) % 3})
    fair = FairClassifier("covariance", bound="group=0.001,third=0.01", tol=1e-6).fit(X, y, sensitive_features=both)
    member = (group == "b").to_numpy().astype(float)
    assert abs(np.mean((member - member.mean()) * fair.decision_function(X))) <= 0.001 + 1e-9
    assert {row["attribute"] for row in fair.covariances_} == {"group", "third"}
    assert fair.certificate_.holds(1e-6)


def test_fair_classifiers_in_searches_and_their_errors():
    X, y, group = people()
    search = GridSearchCV(FairClassifier(), {"gap": [0.02, 0.2]}, cv=2).fit(X, y, sensitive_features=group)
    assert search.best_params_["gap"] == 0.2  # a looser bound is right more often
    with pytest.warns(UserWarning, match="nothing is bounded"):
        FairClassifier(loss="logistic").fit(X, y)
    with pytest.raises(ValueError, match="constraint 'parity' is unknown"):
        FairClassifier("parity").fit(X, y, sensitive_features=group)
    with pytest.raises(ValueError, match="one group only"):
        FairClassifier().fit(X, y, sensitive_features=["a"] * 2000)
    with pytest.raises(ValueError, match="1999 entries for 2000 samples"):
        FairClassifier().fit(X, y, sensitive_features=group[1:])


def test_weights_count_as_repetitions():
    X, y = make_classification(300, 4, random_state=4)
    weights = np.where(np.arange(300) % 3 == 0, 2.0, 1.0)
    repeated = np.repeat(np.arange(300), weights.astype(int))
    assert np.allclose(
        ConstrainedClassifier().fit(X, y, sample_weight=weights).coef_,
        ConstrainedClassifier().fit(X[repeated], y[repeated]).coef_,
        atol=1e-6,
    )
