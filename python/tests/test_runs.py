"""What a run tells and takes: results, callbacks, Ctrl-C, exceptions, threads, pickles, files, checkpoints."""
import copy
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import bridle

QUADRATIC = bridle.Quadratic(np.diag([1.0, 4.0]), [-1.0, -1.0])
ROWS = bridle.Rows([[1.0, 1.0]], upper=1.0, names=["room"])


def square(x, indices):
    return 0.5 * float((x - 1) @ (x - 1)), x - 1


def test_result_has_all_that_is_known():
    result = bridle.minimize(QUADRATIC, constraints=ROWS)
    assert {"x", "fun", "success", "status", "message", "nit", "nfev", "njev"} <= set(result)
    assert result.found_by in ("start", "loop x", "loop z", "polish", "second order")
    assert list(result.phases) == ["start", "loop", "second order", "polish", "judge"]
    spent = result.phases["loop"]
    assert spent["sample_gradients"] == spent["projections"] == result.nit
    assert all(phase["seconds"] >= 0 for phase in result.phases.values())
    assert result.row_names == ["room"] and result.multipliers.shape == (1,)
    assert result.multipliers[0] > 0  # the row is touched from below
    assert result.parameters["tau"].value > 0 and result.parameters["tau"].why
    assert isinstance(result.events, list)
    assert set(result.history) == {"nit", "samples", "fun", "feasibility", "stationarity", "step", "seconds"}
    assert all(isinstance(column, np.ndarray) for column in result.history.values())
    assert "certificate" in str(result) and "feasibility" in str(result.certificate)


def test_a_history_is_kept_unless_told_otherwise(classes):
    X, y = classes
    model = bridle.LinearModel(X, y, ridge=0.01)
    kept = bridle.minimize(model, second_order=False, epochs=30, tol=0)
    none = bridle.minimize(model, second_order=False, epochs=30, tol=0, history=False)
    assert kept.history["nit"].size > 5 and none.history["nit"].size == 0
    assert np.array_equal(kept.x, none.x)
    looks = []
    bridle.minimize(model, second_order=False, epochs=30, tol=0, history=False, callback=looks.append)
    assert len(looks) > 5


def on_threads(solve):
    """What it finds on one, two and five threads: the same."""
    found = []
    try:
        for threads in (1, 2, 5):
            bridle.use_threads(threads)
            found.append(solve().x)
    finally:
        bridle.use_threads(bridle._threads_unless_told())
    assert all(np.array_equal(x, found[0]) for x in found)
    return found[0]


def test_results_do_not_depend_on_threads(classes):
    X, y = classes
    model = bridle.LinearModel(np.tile(X, (20, 1)), np.tile(y, 20), ridge=0.01)
    on_threads(lambda: bridle.minimize(model))


def test_workers(classes):
    X, y = classes
    model = bridle.LinearModel(X, y, ridge=0.01)
    loop = dict(second_order=False, finish=False, epochs=20, tol=0)
    four = on_threads(lambda: bridle.minimize(model, workers=4, **loop))
    assert not np.array_equal(four, bridle.minimize(model, **loop).x)
    with pytest.raises(ValueError, match="workers"):
        bridle.minimize(model, workers=0)
    with pytest.raises(ValueError, match="workers for"):
        bridle.minimize(model, workers=len(y) + 1)


@pytest.mark.parametrize("said, threads", [("3", 3), ("", None), ("0", None), ("2,4", None), ("-1", None), ("9" * 30, None)])
def test_threads_unless_told(monkeypatch, said, threads):
    monkeypatch.setenv("OMP_NUM_THREADS", said)
    assert bridle._threads_unless_told() == (threads or len(os.sched_getaffinity(0)))


def test_callback_sees_the_run_and_ends_it():
    looks = []
    full = bridle.minimize(square, [3.0, 3.0], n_samples=1000, epochs=20, tol=1e-12, callback=looks.append)
    assert looks and looks[-1].nit > 0 and {"fun", "feasibility", "samples"} <= set(looks[0])
    short = bridle.minimize(square, [3.0, 3.0], n_samples=1000, epochs=20, tol=1e-12, callback=lambda look: True)
    assert short.status == 130 and short.nit < full.nit

    def stop(look):
        raise StopIteration

    assert bridle.minimize(square, [3.0, 3.0], n_samples=1000, epochs=20, tol=1e-12, callback=stop).status == 130


def test_exceptions_come_through_with_their_traceback():
    def broken(x, indices):
        raise ZeroDivisionError("in the callable")

    with pytest.raises(ZeroDivisionError, match="in the callable") as caught:
        bridle.minimize(broken, [1.0], n_samples=10)
    assert caught.traceback[-1].name == "broken"

    def bad_callback(look):
        raise LookupError("in the callback")

    with pytest.raises(LookupError):
        bridle.minimize(square, [3.0, 3.0], n_samples=1000, callback=bad_callback)


@pytest.fixture
def listening():
    """Ctrl-C is heard, however the tests were started: in the background a shell has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


INTERRUPTED = """
import bridle, numpy as np, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
def fun(x, indices):
    time.sleep({sleep})
    return 0.5 * float(x @ x), x + 0.0
X = np.random.default_rng(1).normal(size=(20000, 200))
model = bridle.LinearModel(X, np.sign(X[:, 0] + 0.5), ridge=1e-9)
print("started", flush=True)
try:
    if {callable}:
        bridle.minimize(fun, np.ones(3), n_samples=100, samples=1e9, tol=0, finish=False)
    else:
        bridle.minimize(model, samples=1e12, tol=0, second_order=False)
except KeyboardInterrupt as interrupt:
    print("kept", interrupt.result.status, np.isfinite(interrupt.result.x).all(), flush=True)
"""


@pytest.mark.parametrize("callable", [True, False])
def test_ctrl_c_keeps_the_best_point(callable):
    code = INTERRUPTED.format(callable=callable, sleep=0.001)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline().strip() == "started"
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        try:
            out, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert out.strip() == "kept 130 True"
    assert process.returncode == 0


def interrupt(look):
    signal.raise_signal(signal.SIGINT)


def test_ctrl_c_within_a_callback_keeps_the_best_point(listening):
    with pytest.raises(KeyboardInterrupt) as caught:
        bridle.minimize(square, [3.0, 3.0], n_samples=1000, epochs=20, tol=0, callback=interrupt)
    assert caught.value.result.status == 130 and np.isfinite(caught.value.result.x).all()


def test_ctrl_c_ends_the_fit_of_a_fair_classifier(monkeypatch, listening):
    pytest.importorskip("sklearn")
    from bridle import _bridle
    from bridle.sklearn import FairClassifier

    rng = np.random.default_rng(1)
    X, group = rng.normal(size=(500, 3)), np.arange(500) % 2
    fit = _bridle.fit_fair
    monkeypatch.setattr(_bridle, "fit_fair", lambda request, options, callback: fit(request, options, interrupt))
    with pytest.raises(KeyboardInterrupt) as caught:
        FairClassifier().fit(X, X[:, 0] + group > 0, sensitive_features=group)
    assert np.isfinite(caught.value.result.x).all()


def test_the_lock_is_released_while_the_library_works(classes):
    X, y = classes
    model = bridle.LinearModel(np.tile(X, (200, 1)), np.tile(y, 200), ridge=1e-9)
    done, ticks = threading.Event(), 0
    thread = threading.Thread(
        target=lambda: (bridle.minimize(model, epochs=20, tol=0, second_order=False, finish=False), done.set())
    )
    thread.start()
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    thread.join()
    assert ticks > 5  # with the lock held, this thread would have slept through the run


def in_threads(work, count=3):
    answers = {}
    threads = [threading.Thread(target=lambda k=k: answers.update({k: work()})) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == count
    return answers


def test_many_threads_may_solve_one_problem():
    def fun(x, indices):
        time.sleep(0)  # lets other threads in
        target = np.stack([np.cos(indices), np.sin(indices)], axis=1).mean(axis=0)
        return 0.5 * float((x - target) @ (x - target)), x - target

    problem = bridle.Problem(fun, [3.0, 3.0], n_samples=50)
    answers = in_threads(lambda: bridle.solve(problem, epochs=100, batch=10).x)
    assert all(np.array_equal(answers[0], answers[k]) for k in answers)


def test_many_threads_may_draw_from_one_stream():
    def fun(x, rng):
        noise = rng.normal(size=2)
        time.sleep(0)
        return float(rng.random()), x - noise

    problem = bridle.Problem(fun, [0.0, 0.0])
    alone = bridle.certify(problem, [1.0, 1.0], batch=500)
    answers = in_threads(lambda: bridle.certify(problem, [1.0, 1.0], batch=500))
    assert all(answers[k].stationarity.absolute == alone.stationarity.absolute for k in answers)


def test_a_callable_may_solve_problems_of_its_own():
    def outer(x, indices):
        inner = bridle.minimize(QUADRATIC, constraints=ROWS)
        return 0.5 * float((x - inner.x) @ (x - inner.x)), x - inner.x

    result = bridle.minimize(outer, [0.0, 0.0], n_samples=2, samples=50, tol=0.1)
    assert np.isfinite(result.x).all()


def test_pickles_and_copies(classes):
    X, y = classes
    model = bridle.LinearModel(X, y, ridge=0.1)
    problem = bridle.Problem(model, constraints=bridle.Rows(np.ones((1, 6)), upper=-0.5), bounds=(-1, 1))
    result = bridle.solve(problem)
    for again in (pickle.loads(pickle.dumps(problem)), copy.copy(problem), copy.deepcopy(problem)):
        assert np.array_equal(bridle.solve(again).x, result.x)
    for again in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert np.array_equal(again.x, result.x) and again.certificate.error == result.certificate.error
    assert np.array_equal(bridle.minimize(pickle.loads(pickle.dumps(QUADRATIC))).x, bridle.minimize(QUADRATIC).x)
    assert bridle.minimize(square, [2.0], n_samples=100).success
    pickle.loads(pickle.dumps(bridle.Problem(square, [1.0], n_samples=3, sets=bridle.Simplex())))


def test_files_give_the_same_as_the_command(root, command, tmp_path):
    path = root / "examples" / "loans.toml"
    out = tmp_path / "loans.json"
    run = subprocess.run([command, "solve", str(path), "--json", str(out), "--quiet"], cwd=root)
    previous = os.getcwd()
    os.chdir(root)
    try:
        problem = bridle.read(path)
        result = bridle.solve(problem)
        again = bridle.solve(pickle.loads(pickle.dumps(problem)))
    finally:
        os.chdir(previous)
    told = json.loads(out.read_text())
    assert run.returncode == result.status
    assert result.variable_names == list(told["x"])
    assert np.array_equal(result.x, list(told["x"].values()))
    assert np.array_equal(again.x, result.x)
    assert bridle.certify(problem, result.x, result.multipliers).holds(result.tolerance)


def test_programs_in_lp_files(tmp_path):
    file = tmp_path / "small.lp"
    file.write_text("Minimize\n obj: x + y\nSubject To\n need: x + 2 y >= 2\nEnd\n")
    result = bridle.solve(file)
    assert result.success and result.variable_names == ["x", "y"] and result.row_names == ["need"]
    assert np.allclose(result.x, [0.0, 1.0], atol=1e-4)


def test_checkpoints_go_on_to_the_same_bits(tmp_path, classes):
    X, y = classes
    problem = bridle.Problem(bridle.LinearModel(X, y, ridge=0.01), constraints=bridle.Rows(np.ones((1, 6)), upper=-0.5))
    options = dict(epochs=50, tol=0.0, second_order=False)
    whole = bridle.solve(problem, **options)
    file = tmp_path / "state"
    cut = bridle.solve(
        problem, checkpoint=file, checkpoint_seconds=0.0, callback=lambda look: look.nit > 5000, **options
    )
    assert cut.status == 130 and file.exists()
    rest = bridle.solve(problem, checkpoint=file, resume=True, **options)
    assert np.array_equal(rest.x, whole.x)


def test_plot_draws_two_axes(tmp_path):
    pytest.importorskip("matplotlib")
    result = bridle.minimize(square, [3.0, 3.0], n_samples=1000, epochs=20, tol=1e-12)
    axes = result.plot()
    assert len(axes) == 2 and axes[0].lines
    axes[0].figure.savefig(tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 5000


def test_theory_is_the_paper_to_the_letter():
    with pytest.raises(ValueError, match="sbar"):
        bridle.minimize(QUADRATIC, constraints=ROWS, parameters="theory", samples=1000)
    result = bridle.minimize(QUADRATIC, constraints=ROWS, parameters="theory", samples=1000, constants={"sbar": 2.0})
    assert result.found_by == "smoothed output"
    output = result.theory_output
    assert (output["z"] == result.x).all() and output["batch"] == 32 and 1 <= output["time"] <= output["iterations"] == 1000
    assert result.parameters["sbar"].value == 2 and result.parameters["sbar"].why == "given"
    with pytest.raises(ValueError, match="none of L_f"):
        bridle.minimize(QUADRATIC, parameters="theory", samples=10, constants={"s": 1.0})
