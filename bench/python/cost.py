#!/usr/bin/python3
"""What the door to Python costs: a solve against the command's, memory, microseconds of a callback.

Usage: cost.py COMMAND
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

import bridle

ROUNDS = 7


def data(samples, variables, seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(samples, variables)), 4)
    y = np.where(X @ rng.normal(size=variables) + rng.logistic(size=samples) > 0, 1.0, -1.0)
    return X, y


def write_csv(path, X, y):
    header = ",".join([f"x{j + 1}" for j in range(X.shape[1])] + ["label"])
    np.savetxt(path, np.column_stack([X, y]), fmt="%.4f", delimiter=",", header=header, comments="")


def solve_times(command, folder, second_order):
    """Seconds of a solve: the command's own figure, and Python's with all that is around it."""
    X, y = data(20_000, 50, 1)
    write_csv(folder / "data.csv", X, y)
    (folder / "problem.toml").write_text(
        f"""[objective]
kind = "linear-model"
data = "{folder}/data.csv"
target = "label"
positive = 1
loss = "logistic"
ridge = 1e-3
intercept = false

[constraints]
lp = "Subject To\\n row: x1 + x2 + x3 <= 0.5\\nEnd"
"""
    )
    row = np.zeros((1, 50))
    row[0, :3] = 1.0
    options = [] if second_order else ["--no-second-order", "--epochs", "30", "--tolerance", "0"]
    from_python = {} if second_order else dict(second_order=False, epochs=30, tol=0.0)
    theirs, ours, around = [], [], []
    for _ in range(ROUNDS):
        out = folder / "out.json"
        subprocess.run([command, "solve", folder / "problem.toml", "--quiet", "--json", out, *options], check=False)
        told = json.loads(out.read_text())
        theirs.append(told["solve_seconds"] + told["certify_seconds"])
        begin = time.perf_counter()
        result = bridle.minimize(
            bridle.LinearModel(X, y, ridge=1e-3), constraints=bridle.Rows(row, upper=0.5, names=["row"]), **from_python
        )
        around.append(time.perf_counter() - begin)
        ours.append(result.solve_seconds + result.certify_seconds)
        assert np.array_equal(result.x, list(told["x"].values())), "the command found another point"
    return min(theirs), min(ours), min(around), result


def status(key):
    """A figure of /proc/self/status in bytes."""
    text = pathlib.Path("/proc/self/status").read_text()
    return 1024 * int(re.search(rf"{key}:\s*(\d+) kB", text)[1])


def memory():
    X, y = data(250_000, 100, 2)  # 200 MB
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak is now what is resident
    before = status("VmRSS")
    bridle.minimize(bridle.LinearModel(X, y, ridge=1e-3), epochs=1)
    return X.nbytes, status("VmRSS") - before, status("VmHWM") - before


def per_call(kind):
    """Microseconds of processor time per call, all that the library does included, and of the callable itself."""
    n = 10
    answer = (0.5, np.full(n, 1e-3))

    def fun(x, second):
        return answer

    x, indices = np.zeros(n), np.zeros(32, dtype=np.int64)
    finite = dict(n_samples=100_000) if kind == "indices" else {}
    options = dict(batch=32, samples=3_200_000) if kind == "indices" else dict(samples=100_000)
    best = []
    for _ in range(3):
        problem = bridle.Problem(fun, x, **finite)
        begin = time.process_time()
        result = bridle.solve(problem, tol=0.0, finish=False, **options)
        whole = (time.process_time() - begin) / result.nfev
        begin = time.process_time()
        for _ in range(100_000):
            fun(x, indices)
        alone = (time.process_time() - begin) / 100_000
        best.append((whole - alone, whole, alone))
    return tuple(1e6 * value for value in min(best))


def main():
    command = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        for second_order in (True, False):
            theirs, ours, around, result = solve_times(command, pathlib.Path(folder), second_order)
            what = "as it comes" if second_order else "the loop alone, 30 epochs"
            print(f"20,000 x 50 logistic model, one row, {what}: the same bits, found by the {result.found_by}")
            print(f"  command {theirs:.4f} s, Python {ours:.4f} s: {100 * (ours / theirs - 1):+.1f}%")
            print(f"  with the model, the problem and the result made in Python {around:.4f} s")
    size, grown, peak = memory()
    print(f"memory: X has {size / 1e6:.0f} MB; after a solve {grown / 1e6:+.0f} MB resident, {peak / 1e6:+.0f} MB at the peak")
    for kind in ("indices", "rng"):
        above, whole, alone = per_call(kind)
        print(f"fun(x, {kind}): {whole:.2f} us per call, the callable itself {alone:.2f} us: {above:.2f} us above it")


if __name__ == "__main__":
    main()
