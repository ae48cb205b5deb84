#!/usr/bin/python3
"""Instructions of a solve from Python and of the same by the command, which other programs hardly change.

Usage: instructions.py COMMAND

Each is the difference between a whole run and a run of one sample, counted by valgrind: starting, reading and judging drop
out. The loop alone is not counted: two counts of 30 epochs of it differed by 16%, for reasons that are not known.
`instructions.py --child FOLDER OPTIONS` is the program that is counted.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import bridle
from cost import PROBLEM, data, write_csv

ONE_SAMPLE = dict(second_order=False, finish=False, samples=1)


def count(*arguments):
    """Instructions of a program."""
    call = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *map(str, arguments)]
    told = subprocess.run(call, capture_output=True, text=True, check=False).stderr
    return int(re.search(r"Collected : (\d+)", told)[1])


def as_options(options):
    """The same options for the command."""
    words = {"second_order": "--no-second-order", "finish": "--no-finish", "tol": "--tolerance"}
    for key, value in options.items():
        yield words.get(key, f"--{key}")
        if value is not False:
            yield value


def by_command(command, folder, options):
    return count(command, "solve", folder / "problem.toml", "--quiet", "--json", folder / "out.json", *as_options(options))


def by_python(folder, options):
    return count(sys.executable, __file__, "--child", folder, json.dumps(options))


def child(folder, options):
    X, y = np.load(f"{folder}/X.npy"), np.load(f"{folder}/y.npy")
    row = np.zeros((1, X.shape[1]))
    row[0, :3] = 1.0
    rows = bridle.Rows(row, upper=0.5, names=["row"])
    bridle.minimize(bridle.LinearModel(X, y, ridge=1e-3), constraints=rows, history=False, **json.loads(options))


def main():
    if sys.argv[1] == "--child":
        return child(*sys.argv[2:])
    if not shutil.which("valgrind"):
        return print("instructions are not counted: valgrind is not installed")
    X, y = data(20_000, 50, 1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        np.save(folder / "X.npy", X), np.save(folder / "y.npy", y)
        write_csv(folder / "data.csv", X, y)
        (folder / "problem.toml").write_text(PROBLEM.format(folder=folder))
        theirs = by_command(sys.argv[1], folder, {}) - by_command(sys.argv[1], folder, ONE_SAMPLE)
        ours = by_python(folder, {}) - by_python(folder, ONE_SAMPLE)
        print(f"the run in instructions: command {theirs / 1e6:.1f} million, Python {ours / 1e6:.1f}:", end=" ")
        print(f"{100 * (ours / theirs - 1):+.2f}%")


if __name__ == "__main__":
    main()
