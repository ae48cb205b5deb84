"""SciPy's door: objectives of all kinds under constraints of all kinds, each answer judged."""
import numpy as np
import pytest
import scipy.optimize
import scipy.sparse

import bridle


def reference(fun, x0, **more):
    return scipy.optimize.minimize(fun, x0, method="SLSQP", options={"ftol": 1e-12, "maxiter": 500}, **more)


def logistic(X, y, ridge):
    def value(x):
        return np.logaddexp(0, -y * (X @ x)).mean() + 0.5 * ridge * x @ x

    return value


def test_linear_model_with_rows_and_bounds_agrees_with_slsqp(classes):
    X, y = classes
    A = np.array([[1.0, 1.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0, 0.0, 0.0]])
    linear = scipy.optimize.LinearConstraint(A, [-0.5, 0.1], [np.inf, 0.1])
    bounds = scipy.optimize.Bounds([-1.0] * 6, [1.0] * 6)
    result = bridle.minimize(bridle.LinearModel(X, y, ridge=0.01), constraints=linear, bounds=bounds)
    assert result.success and result.status == 0
    assert result.certificate.holds(1e-6)
    slsqp = reference(logistic(X, y, 0.01), np.zeros(6), constraints=linear, bounds=bounds)
    # SLSQP takes differences for gradients: its own point is good to about 1e-6.
    assert np.allclose(result.x, slsqp.x, atol=1e-4)
    assert result.fun <= slsqp.fun + 1e-8
    # The row that holds with equality has a multiplier, and so does the judge's own fit.
    problem = bridle.Problem(bridle.LinearModel(X, y, ridge=0.01), constraints=linear, bounds=bounds)
    assert bridle.certify(problem, result.x).holds(1e-5)
    assert bridle.certify(problem, result.x, result.multipliers).holds(1e-5)
    assert not bridle.certify(problem, result.x + 0.1).holds(1e-5)


@pytest.mark.parametrize("kind", ["double", "float", "sparse", "fortran", "integer"])
def test_kinds_of_data_give_the_same_answer(classes, kind):
    X, y = classes
    X = np.round(2 * X)
    data = {
        "double": X,
        "float": X.astype(np.float32),
        "sparse": scipy.sparse.csr_matrix(X),
        "fortran": np.asfortranarray(X),
        "integer": X.astype(int),
    }[kind]
    result = bridle.minimize(bridle.LinearModel(data, y, ridge=0.1), tol=1e-8)
    assert result.success
    assert np.allclose(result.x, bridle.minimize(bridle.LinearModel(X, y, ridge=0.1), tol=1e-8).x, atol=1e-6)


def test_data_is_not_copied(classes):
    X, y = classes
    assert bridle.LinearModel(X, y).X is X
    small = X.astype(np.float32)
    assert bridle.LinearModel(small, y).X is small
    sparse = scipy.sparse.csr_matrix(X)
    assert np.shares_memory(bridle.LinearModel(sparse, y).X.data, sparse.data)


def test_the_model_keeps_its_data_alive(classes):
    X, y = classes
    model = bridle.LinearModel(X.copy(), y, ridge=0.1)
    problem = bridle.Problem(model)
    expected = bridle.solve(problem).x
    del model
    junk = [np.full_like(X, 1e9) for _ in range(5)]
    assert np.array_equal(bridle.solve(problem).x, expected) and junk


def test_labels_zero_one_and_weights(classes):
    X, y = classes
    signs = bridle.minimize(bridle.LinearModel(X, y, ridge=0.1))
    assert np.array_equal(bridle.minimize(bridle.LinearModel(X, (y > 0), ridge=0.1)).x, signs.x)
    twice = bridle.LinearModel(np.vstack([X, X[:100]]), np.append(y, y[:100]), ridge=0.1)
    weighted = bridle.LinearModel(X, y, ridge=0.1, weights=np.where(np.arange(400) < 100, 2.0, 1.0))
    assert np.allclose(bridle.minimize(twice, tol=1e-8).x, bridle.minimize(weighted, tol=1e-8).x, atol=1e-5)


def test_finite_sum_is_called_once_per_batch(classes):
    X, y = classes
    sizes = []

    def fun(x, indices):
        assert indices.dtype == np.int64
        sizes.append(indices.size)
        margins = y[indices] * (X[indices] @ x)
        slopes = -y[indices] / (1 + np.exp(margins))
        return np.logaddexp(0, -margins).mean() + 0.005 * x @ x, X[indices].T @ slopes / indices.size + 0.01 * x

    rows = bridle.Rows(np.ones((1, 6)), upper=-0.5, names=["sum"])
    result = bridle.minimize(fun, np.zeros(6), n_samples=400, constraints=rows, batch=16, epochs=200, tol=1e-3)
    assert result.success and result.row_names == ["sum"]
    assert result.nfev == len(sizes)
    # Every iteration is one call, the judge takes all samples in one. Single ones are looked at before the first step
    # only: how far apart their curvatures are decides the step.
    assert sizes.count(16) >= result.nit and 400 in sizes
    assert 1 not in sizes[max(k for k, size in enumerate(sizes) if size == 1) + 1 :]
    assert sizes.count(1) < 5000
    exact = bridle.minimize(bridle.LinearModel(X, y, ridge=0.01), constraints=rows)
    assert np.allclose(result.x, exact.x, atol=0.02)


def test_the_same_sample_brings_the_same_numbers():
    seen = {}

    def fun(x, rng):
        noise = rng.normal(size=2)
        seen.setdefault((tuple(noise), rng.integers(2**40), rng.random(dtype=np.float32)), []).append(tuple(x))
        return 0.5 * float((x - noise) @ (x - noise)), x - noise

    # STORM asks for the gradients at two points of every sample.
    bridle.minimize(fun, [1.0, 1.0], algorithm="storm", samples=2000, tol=0.5)
    twice = [points for points in seen.values() if len(set(points)) >= 2]
    assert len(twice) > 500


def test_stream_is_averaged():
    def fun(x, rng):
        noise = rng.normal(size=2)
        return 0.5 * float((x - noise - [1.0, 2.0]) @ (x - noise - [1.0, 2.0])), x - noise - [1.0, 2.0]

    first = bridle.minimize(fun, [0.0, 0.0], bounds=[(0, None), (None, 1.5)], samples=20_000, tol=0.05)
    again = bridle.minimize(fun, [0.0, 0.0], bounds=[(0, None), (None, 1.5)], samples=20_000, tol=0.05)
    assert first.success
    assert np.array_equal(first.x, again.x)
    # The loop's last point is an average over fewer than all 20,000 samples: ten standard errors of 0.007.
    assert abs(first.x[0] - 1.0) < 0.07 and abs(first.x[1] - 1.5) < 1e-3


def test_plain_functions_as_scipy_has_them():
    rosen, gradient, hessian = scipy.optimize.rosen, scipy.optimize.rosen_der, scipy.optimize.rosen_hess
    disc = scipy.optimize.NonlinearConstraint(lambda x: x @ x, -np.inf, 1.0, jac=lambda x: 2 * x[None, :])
    result = bridle.minimize(rosen, [0.1, 0.1], jac=gradient, hess=hessian, constraints=disc)
    assert result.success and result.certificate.holds(1e-6)
    slsqp = reference(rosen, [0.1, 0.1], jac=gradient, constraints=disc)
    assert np.allclose(result.x, slsqp.x, atol=1e-4)
    both = bridle.minimize(lambda x: (rosen(x), gradient(x)), [0.1, 0.1], jac=True, hess=hessian, constraints=disc)
    assert np.array_equal(both.x, result.x)


def test_dictionaries_and_differences():
    flat = bridle.Quadratic(np.eye(3), [-1.0, -1.0, -4.0])
    constraints = [
        {"type": "eq", "fun": lambda x, total: x.sum() - total, "args": (2.0,)},
        {"type": "ineq", "fun": lambda x: 1.0 - x[2], "jac": lambda x: np.array([0.0, 0.0, -1.0])},
    ]
    result = bridle.minimize(flat, np.zeros(3), constraints=constraints)
    assert result.success
    assert np.allclose(result.x, [0.5, 0.5, 1.0], atol=1e-5)


def test_sparse_rows_and_one_scalar_bound():
    n = 40
    path = scipy.sparse.diags([1.0, -1.0], [0, 1], shape=(n - 1, n), format="csc")
    rows = scipy.optimize.LinearConstraint(path, -np.inf, 0.0)  # rising
    target = np.linspace(1.0, -1.0, n)
    result = bridle.minimize(bridle.Quadratic(scipy.sparse.eye(n), -target), constraints=rows, bounds=(0.1, None))
    assert result.success
    assert np.allclose(result.x, 0.1, atol=1e-5)  # the mean of a falling line is 0, below the bound


@pytest.mark.parametrize(
    ["given", "expected"],
    [
        (bridle.Simplex(), [0.0, 0.0, 1.0]),
        (bridle.Simplex(2.0, indices=[0, 1]), [0.5, 1.5, 3.0]),
        (bridle.L1Ball(1.0), [0.0, 0.0, 1.0]),
        (bridle.Ordered(), [1.0, 2.0, 3.0]),
        (bridle.HalfSpace([1.0, 1.0, 1.0], 3.0), [0.0, 1.0, 2.0]),
        (bridle.Hyperplane([1.0, 1.0, 1.0], 3.0), [0.0, 1.0, 2.0]),
        (bridle.Polyhedron([[0.0, 0.0, 1.0]], [1.0]), [1.0, 2.0, 1.0]),
        (bridle.Ball(np.sqrt(14.0) / 2), [0.5, 1.0, 1.5]),
        ([bridle.Simplex(1.0, indices=[0, 1]), bridle.Ball(1.0, indices=[2])], [0.0, 1.0, 1.0]),
    ],
)
def test_sets(given, expected):
    result = bridle.minimize(bridle.Quadratic(np.eye(3), [-1.0, -2.0, -3.0]), sets=given)
    assert result.success, result.message
    assert np.allclose(result.x, expected, atol=1e-3)


def test_bounds_on_variables_of_a_set_become_rows():
    result = bridle.minimize(
        bridle.Quadratic(np.eye(3), [-1.0, -2.0, -3.0]), sets=bridle.Simplex(), bounds=[(0, 1), (0, 1), (0, 0.4)]
    )
    assert result.success
    assert np.allclose(result.x, [0.0, 0.6, 0.4], atol=1e-4)
    assert "bound_x3" in result.row_names


def test_what_scipy_takes_is_taken():
    flat = bridle.Quadratic(np.eye(2), [-1.0, -1.0])
    scalars = scipy.optimize.Bounds(0.0, 0.5)
    assert np.allclose(bridle.minimize(flat, constraints=None, sets=None, bounds=scalars).x, 0.5, atol=1e-6)
    line = bridle.minimize(lambda x, a: [(x[0] - a) ** 2, 2 * (x - a)], 0.0, args=3.0, jac=True)  # lists and scalars
    assert abs(line.x[0] - 3) < 1e-3
    operator = scipy.sparse.linalg.aslinearoperator(2 * np.eye(2))
    curved = bridle.minimize(lambda x: (x @ x, 2 * x), [1.0, 2.0], jac=True, hess=lambda x: operator)
    assert curved.success and np.allclose(curved.x, 0, atol=1e-6)


def test_masks_and_sparse_polyhedra_and_many_balls():
    far = bridle.Quadratic(np.eye(3), [-3.0, -3.0, -3.0])
    masked = bridle.minimize(far, sets=bridle.Simplex(indices=np.array([True, False, True])))
    assert np.allclose(masked.x, [0.5, 3.0, 0.5], atol=1e-4)
    sparse = bridle.minimize(far, sets=bridle.Polyhedron(scipy.sparse.eye(3), [1.0, 2.0, 4.0]))
    assert np.allclose(sparse.x, [1.0, 2.0, 3.0], atol=1e-4)
    balls = bridle.minimize(far, sets=[bridle.Ball(1.0, indices=[0]), bridle.Ball(2.0, indices=[1, 2])])
    assert balls.row_names == ["ball", "ball2"] and np.allclose(balls.x, [1.0, 2**0.5, 2**0.5], atol=1e-4)
    assert bridle.Ball(1.0, centre=1.0).project([4.0, 5.0]).round(12).tolist() == [1.6, 1.8]
    assert bridle.Ball(2.0).project([1.0, 1.0]).tolist() == [1.0, 1.0]


def test_sets_are_compared_by_their_values():
    assert bridle.Simplex(2.0) == bridle.Simplex(2.0) != bridle.Simplex(1.0)
    assert bridle.HalfSpace([1.0, 2.0], 1.0) == bridle.HalfSpace([1.0, 2.0], 1.0)
    assert bridle.HalfSpace([1.0, 2.0], 1.0) != bridle.HalfSpace([1.0, 3.0], 1.0)
    assert bridle.Polyhedron(np.eye(2), [1.0, 1.0]) != bridle.Polyhedron(2 * np.eye(2), [1.0, 1.0])
    assert bridle.HalfSpace([1.0], 1.0) != bridle.Hyperplane([1.0], 1.0)
    assert repr(bridle.Simplex(2.0, indices=[0])) == "Simplex(total=2.0, indices=[0])"


def test_infeasible_rows_are_proved_and_named():
    rows = bridle.Rows([[1.0, 1.0], [1.0, 1.0]], [-np.inf, 2.0], [1.0, np.inf], names=["below", "above"])
    result = bridle.minimize(bridle.Quadratic(np.eye(2)), constraints=rows)
    assert result.status == 3 and not result.success
    assert set(result.conflict) == {"below", "above"}
    assert "below" in result.message


def test_unbounded_problems_are_told():
    result = bridle.minimize(bridle.Quadratic(np.zeros((1, 1)), [-1.0]))
    assert result.status == 4 and not result.success


def test_saddles_are_left_by_indefinite_quadratics():
    result = bridle.minimize(bridle.Quadratic(np.diag([1.0, -1.0])), bounds=(-1, 1))
    assert result.success
    assert abs(result.x[1]) == 1.0 and abs(result.fun + 0.5) < 1e-9


def test_warm_start_is_shorter(classes):
    X, y = classes
    rows = bridle.Rows(np.ones((1, 6)), upper=-0.5)
    problem = bridle.Problem(bridle.LinearModel(X, y, ridge=0.01), constraints=rows)
    cold = bridle.solve(problem, second_order=False, tol=1e-4, epochs=300)
    warm = bridle.solve(problem, second_order=False, tol=1e-4, epochs=300, x0=cold.x, multipliers=cold.multipliers)
    assert warm.success and warm.nit <= cold.nit
