"""Bad input raises ValueError with one line that says what is wrong, and never ends the interpreter."""
import re

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse

import bridle

X, y = np.ones((4, 2)), np.array([1.0, -1.0, 1.0, -1.0])
QUADRATIC = bridle.Quadratic(np.eye(2))
NAN = np.array([[1.0, np.nan], [0.0, 1.0]])


def fun(x, indices):
    return float(x @ x), 2 * x


CASES = {
    "a vector for X": (lambda: bridle.LinearModel(np.ones(4), y), r"X has shape \(4,\); 2 dimensions are required"),
    "nan in X": (lambda: bridle.LinearModel(NAN, [1.0, -1.0]), "X has nan in row 0, column 1"),
    "nan in sparse X": (lambda: bridle.LinearModel(scipy.sparse.csr_matrix(NAN), [1.0, -1.0]), "X has nan in row 0"),
    "infinity in X": (lambda: bridle.LinearModel(X.astype(np.float32) * np.inf, y), "X has inf in row 0"),
    "objects in X": (lambda: bridle.LinearModel(np.array([["a", 1.0]], dtype=object), [1.0]), "X holds object values"),
    "texts in X": (lambda: bridle.LinearModel(np.array([["a", "b"]]), [1.0]), "real numbers are required"),
    "complex X": (lambda: bridle.LinearModel(1j * X, y), "X holds complex128 values"),
    "times for X": (lambda: bridle.LinearModel(np.ones((4, 2), dtype="M8[s]"), y), "X holds datetime64"),
    "masked X": (lambda: bridle.LinearModel(np.ma.masked_array(X, X > 0), y), "X has masked values"),
    "no loss": (lambda: bridle.LinearModel(X, y, loss=None), "loss = None; a text is required"),
    "names twice": (lambda: bridle.LinearModel(X, y, names=["a", "a"]), "variable name 'a' is used twice"),
    "Q of 3 dimensions": (lambda: bridle.Quadratic(np.ones((2, 2, 2))), r"\(2, 2, 2\); 2 dimensions are required"),
    "empty X": (lambda: bridle.LinearModel(np.ones((0, 2)), []), "the data is empty"),
    "labels missing": (lambda: bridle.LinearModel(X, y[:3]), "4 rows but 3 labels"),
    "labels of three kinds": (lambda: bridle.LinearModel(X, [0, 1, 2, 3]), "a classification loss needs labels -1 and"),
    "nan in y": (lambda: bridle.LinearModel(X, [1, np.nan, 1, 1], loss="squared"), "y has nan in entry 1"),
    "unknown loss": (lambda: bridle.LinearModel(X, y, loss="logistik"), "loss 'logistik' is unknown.*'logistic'"),
    "negative ridge": (lambda: bridle.LinearModel(X, y, ridge=-1.0), "ridge weight -1.0+; it must be finite and >= 0"),
    "ridge of another length": (lambda: bridle.LinearModel(X, y, ridge=[1.0] * 3), "ridge has 3 entries; 2 are"),
    "negative weights": (lambda: bridle.LinearModel(X, y, weights=[-1.0, 1, 1, 1]), "weight"),
    "names missing": (lambda: bridle.LinearModel(X, y, names=["a"]), "2 columns but 1 names"),
    "Q not symmetric": (lambda: bridle.Quadratic([[1.0, 2.0], [0.0, 1.0]]), "Q is not symmetric"),
    "Q not square": (lambda: bridle.Quadratic(np.ones((2, 3))), "quadratic: Q is 2 x 3 but c has 3 entries"),
    "Q of nan": (lambda: bridle.Quadratic(NAN), "quadratic: Q must be finite"),
    "c too long": (lambda: bridle.Quadratic(np.eye(2), [1.0] * 3), "Q is 2 x 2 but c has 3 entries"),
    "no objective": (lambda: bridle.minimize(3), "fun must be"),
    "no sample": (lambda: bridle.minimize(lambda x: x @ x, [1.0]), r"fun\(x\) takes no sample: .* give jac"),
    "no n_samples": (lambda: bridle.minimize(lambda x, i: (0.0, x), [1.0]), r"fun\(x, i\) asks for terms .*n_samples"),
    "no start": (lambda: bridle.minimize(fun, n_samples=3), "x0 is required"),
    "start of nan": (lambda: bridle.minimize(fun, [np.nan], n_samples=3), "x0 has nan in entry 0"),
    "start too long": (lambda: bridle.minimize(QUADRATIC, [1.0] * 3), "x0 has 3 entries for 2 variables"),
    "empty start": (lambda: bridle.minimize(fun, [], n_samples=3), "x0 has no entries"),
    "no samples": (lambda: bridle.minimize(fun, [1.0], n_samples=0), "n_samples = 0; a whole number >= 1"),
    "half a sample": (lambda: bridle.minimize(fun, [1.0], n_samples=2.5), "n_samples = 2.5; a whole number >= 1"),
    "columns of A": (lambda: bridle.minimize(QUADRATIC, constraints=bridle.Rows([[1.0] * 3])), "2 columns are required"),
    "nan in A": (lambda: bridle.minimize(QUADRATIC, constraints=bridle.Rows(NAN)), "constraints: A must be finite"),
    "nan in a bound": (lambda: bridle.minimize(QUADRATIC, constraints=bridle.Rows(np.eye(2), np.nan)), "nan in entry 0"),
    "crossed rows": (lambda: bridle.minimize(QUADRATIC, constraints=bridle.Rows(np.eye(2), 1.0, 0.0)), "row1"),
    "crossed bounds": (lambda: bridle.minimize(QUADRATIC, bounds=(1, 0)), "box: variable 0 has lower bound 1"),
    "bounds missing": (lambda: bridle.minimize(QUADRATIC, bounds=[(0, 1)]), "bounds: 1 of them"),
    "bounds at infinity": (lambda: bridle.minimize(QUADRATIC, bounds=(np.inf, None)), "variable 0 has bounds inf and inf"),
    "bounds of another kind": (lambda: bridle.minimize(QUADRATIC, bounds=3), "bounds = 3; pairs"),
    "a set for a constraint": (lambda: bridle.minimize(QUADRATIC, constraints=bridle.Simplex()), "sets go into sets="),
    "half an index": (lambda: bridle.minimize(QUADRATIC, sets=bridle.Simplex(indices=[0.5])), "must be whole numbers"),
    "ball over one twice": (lambda: bridle.minimize(QUADRATIC, sets=bridle.Ball(indices=[0, 0])), "every variable once"),
    "no constraint": (lambda: bridle.minimize(QUADRATIC, constraints=[3]), "constraints: int is not known"),
    "half a dict": (lambda: bridle.minimize(QUADRATIC, constraints={"type": "eq"}), "a callable fun"),
    "no set": (lambda: bridle.minimize(QUADRATIC, sets=[3]), "sets: int is no set"),
    "negative simplex": (lambda: bridle.minimize(QUADRATIC, sets=bridle.Simplex(-1.0)), "simplex: total -1;"),
    "set out of range": (lambda: bridle.minimize(QUADRATIC, sets=bridle.Simplex(indices=[7])), "index 7"),
    "two sets at once": (lambda: bridle.minimize(QUADRATIC, sets=[bridle.Simplex(), bridle.Ordered()]), "already"),
    "ball out of range": (lambda: bridle.minimize(QUADRATIC, sets=bridle.Ball(indices=[9])), "ball: index 9"),
    "unknown algorithm": (lambda: bridle.minimize(QUADRATIC, algorithm="smoothd"), "algorithm 'smoothd' is unknown"),
    "negative budget": (lambda: bridle.minimize(QUADRATIC, epochs=-1), "epochs = -1; a finite number > 0"),
    "broken seed": (lambda: bridle.minimize(QUADRATIC, seed=1.5), "seed = 1.5; a whole number >= 0"),
    "seed of 71 bits": (lambda: bridle.minimize(QUADRATIC, seed=2**70), "seed = .*; a whole number from 0 to"),
    "no seed": (lambda: bridle.minimize(QUADRATIC, seed=None), "seed = None; a whole number >= 0"),
    "empty batch": (lambda: bridle.minimize(QUADRATIC, batch=0), "batch = 0; a whole number >= 1"),
    "text for a tolerance": (lambda: bridle.minimize(QUADRATIC, tol="a"), "tolerance = a; a finite number >= 0"),
    "no algorithm": (lambda: bridle.minimize(QUADRATIC, algorithm=None), "algorithm = None; a text is required"),
    "a dict of parameters": (lambda: bridle.minimize(QUADRATIC, parameters={}), "parameters = {}; a text"),
    "no callback": (lambda: bridle.minimize(QUADRATIC, callback=3), "callback = 3; a callable"),
    "checkpoints at nan": (lambda: bridle.minimize(QUADRATIC, checkpoint_seconds=np.nan), "checkpoint_seconds = nan"),
    "no problem": (lambda: bridle.solve(QUADRATIC), "problem is a Quadratic; a bridle.Problem or a file"),
    "judging nothing": (lambda: bridle.certify(bridle.Problem(QUADRATIC), [1.0, 1.0], batch=0), "batch = 0"),
    "no threads": (lambda: bridle.use_threads("a"), "use_threads: count = a; a whole number >= 1"),
    "no variables": (lambda: bridle.Quadratic(np.zeros((0, 0))), "quadratic: there are no variables; at least 1"),
    "unknown sampling": (lambda: bridle.minimize(QUADRATIC, sampling="none"), "sampling 'none' is unknown"),
    "resume from nowhere": (lambda: bridle.minimize(QUADRATIC, resume=True), "resume needs a checkpoint"),
    "no file": (lambda: bridle.read("/nowhere/problem.toml"), "/nowhere/problem.toml"),
    "judging another length": (lambda: bridle.certify(bridle.Problem(QUADRATIC), [1.0]), "x has 1 entries; 2 are"),
    "projecting another length": (lambda: bridle.HalfSpace([1.0], 1.0).project([1.0, 2.0]), "dimension 1"),
    "gradient too short": (
        lambda: bridle.minimize(lambda x, i: (0.0, x[:1]), [1.0, 2.0], n_samples=3),
        "fun returned a gradient of 1 entries in 1 dimensions; a vector of 2",
    ),
    "gradient of objects": (
        lambda: bridle.minimize(lambda x, i: (0.0, np.array(["a"], dtype=object)), [1.0], n_samples=3),
        "the gradient of fun must be made of real numbers",
    ),
    "complex gradient": (
        lambda: bridle.minimize(lambda x, i: (0.0, 1j * x), [1.0], n_samples=3),
        "the gradient of fun must be made of real numbers",
    ),
    "constraint that changes": (
        lambda: bridle.minimize(
            QUADRATIC,
            [1.0, 1.0],
            constraints=scipy.optimize.NonlinearConstraint(lambda x: x, 0, 1, jac=lambda x: np.eye(3)),
        ),
        "Jacobian is 3 x 3; 2 x 2",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_one_line(case):
    call, line = CASES[case]
    with pytest.raises(ValueError) as caught:
        call()
    message = str(caught.value)
    assert re.search(line, message), message
    assert "\n" not in message


def test_wrong_types():
    with pytest.raises(TypeError, match="fun must return a tuple"):
        bridle.minimize(lambda x, i: 3.0, [1.0], n_samples=3)
    with pytest.raises(TypeError):
        bridle.minimize(lambda x, i: ("a", x), [1.0], n_samples=3)
    with pytest.raises(TypeError, match="no option 'no_such_option'; it has multipliers, "):
        bridle.minimize(QUADRATIC, no_such_option=3)
    for wrong, right in {"tolerance": "tol", "maxiter": "samples", "epoch": "epochs"}.items():
        with pytest.raises(TypeError, match=f"no option '{wrong}'; did you mean '{right}'"):
            bridle.minimize(QUADRATIC, **{wrong: 3})


def test_nan_from_a_callable_never_reaches_a_result():
    result = bridle.minimize(lambda x, i: (float("nan"), x * np.nan), [1.0, 1.0], n_samples=50, samples=500)
    assert not result.success
    assert np.isfinite(result.x).all() and np.isfinite(result.multipliers).all()


def test_data_that_is_cut_short_is_refused():
    from bridle import _bridle

    data, indices, starts = np.ones(2), np.array([0, 5], dtype=np.int32), np.array([0, 2], dtype=np.int32)
    for bad in (
        (data, indices, starts, 1, 2),  # a column that is not there
        (data, indices, np.array([0, 9], dtype=np.int32), 1, 6),  # entries that are not there
        (data, indices, starts, 2, 6),  # rows that are not there
        (data, indices[::-1].copy(), starts, 1, 6),  # falling columns
        (data.astype(np.float32), indices, starts, 1, 6),
        (data, indices, starts),
    ):
        with pytest.raises(ValueError):
            _bridle.linear_model(bad, [1.0], "logistic", None, None, [])
