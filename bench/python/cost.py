#!/usr/bin/python3
"""What the door to Python costs: a solve against the command's, memory, microseconds of a callback.

Usage: cost.py COMMAND
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np

import bridle

ROUNDS = 25
SAMPLES = 50_000


def data(samples, variables, seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(samples, variables)), 4)
    y = np.where(X @ rng.normal(size=variables) + rng.logistic(size=samples) > 0, 1.0, -1.0)
    return X, y


def write_csv(path, X, y):
    header = ",".join([f"x{j + 1}" for j in range(X.shape[1])] + ["label"])
    np.savetxt(path, np.column_stack([X, y]), fmt="%.4f", delimiter=",", header=header, comments="")


PROBLEM = """[objective]
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


class Both:
    """The same problem for the command and for Python."""

    def __init__(self, command, folder):
        self.command, self.folder = command, folder
        self.X, self.y = data(SAMPLES, 50, 1)
        write_csv(folder / "data.csv", self.X, self.y)
        (folder / "problem.toml").write_text(PROBLEM.format(folder=folder))

    def by_command(self, *options):
        """What the command tells of its run, and its processor seconds."""
        out, before = self.folder / "out.json", os.times()
        arguments = ["solve", self.folder / "problem.toml", "--quiet", "--json", out, *options]
        subprocess.run([self.command, *map(str, arguments)], check=False)
        after = os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        return json.loads(out.read_text()), used

    def by_python(self, **options):
        """The result, seconds and processor seconds of all that is done for it."""
        row = np.zeros((1, self.X.shape[1]))
        row[0, :3] = 1.0
        begin, cpu = time.perf_counter(), time.process_time()
        model = bridle.LinearModel(self.X, self.y, ridge=1e-3)
        rows = bridle.Rows(row, upper=0.5, names=["row"])
        result = bridle.minimize(model, constraints=rows, history=False, **options)
        return result, time.perf_counter() - begin, time.process_time() - cpu


def seconds_of(told):
    return told["solve_seconds"] + told["certify_seconds"]


def on_one_processor():
    """Both are held to one processor: when a second thread gets its turn says nothing about the door."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    bridle.use_threads(1)


def as_it_comes(both):
    """Seconds by the clock, the least of some rounds: the command's own figure, the run's in Python, all of Python's."""
    both.by_python()  # the first run in a process loads what others find loaded
    theirs, ours, around = [], [], []
    for _ in range(ROUNDS):
        told, _ = both.by_command()
        result, whole, _ = both.by_python()
        assert np.array_equal(result.x, list(told["x"].values())), "the command found another point"
        theirs.append(seconds_of(told))
        ours.append(seconds_of(result))
        around.append(whole)
    return min(theirs), min(ours), min(around), result.found_by


def loop_alone(both):
    """Processor seconds of an epoch of the loop, from runs of few and of many: reading and the end drop out."""
    few, many = 30, 330
    theirs, ours = {few: [], many: []}, {few: [], many: []}
    for _ in range(7):
        for epochs in (few, many):
            told, used = both.by_command("--no-second-order", "--epochs", epochs, "--tolerance", "0")
            result, _, own = both.by_python(second_order=False, epochs=epochs, tol=0.0)
            assert np.array_equal(result.x, list(told["x"].values())), "the command found another point"
            theirs[epochs].append(used)
            ours[epochs].append(own)
    return [(min(one[many]) - min(one[few])) / (many - few) for one in (theirs, ours)]


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
    print(f"{os.getloadavg()[0]:.1f} programs were running on {os.cpu_count()} processors")
    on_one_processor()
    with tempfile.TemporaryDirectory() as folder:
        both = Both(command, pathlib.Path(folder))
        theirs, ours, around, found_by = as_it_comes(both)
        print(f"{SAMPLES:,} x 50 logistic model, one row: the same bits, found by the {found_by}")
        print(f"  a run: command {theirs:.4f} s, Python {ours:.4f} s: {100 * (ours / theirs - 1):+.1f}%")
        print(f"  with the model, the problem and the result made in Python {around:.4f} s")
        theirs, ours = loop_alone(both)
        print(f"  an epoch of the loop: command {1e3 * theirs:.3f} ms of a processor, Python {1e3 * ours:.3f} ms:", end=" ")
        print(f"{100 * (ours / theirs - 1):+.1f}%")
    size, grown, peak = memory()
    print(f"memory: X has {size / 1e6:.0f} MB; after a solve {grown / 1e6:+.0f} MB resident, {peak / 1e6:+.0f} MB at the peak")
    for kind in ("indices", "rng"):
        above, whole, alone = per_call(kind)
        print(f"fun(x, {kind}): {whole:.2f} us per call, the callable itself {alone:.2f} us: {above:.2f} us above it")


if __name__ == "__main__":
    main()
