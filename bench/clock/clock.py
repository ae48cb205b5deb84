"""--seconds S against the same samples planned: objective excess and wall time. Called by bench/clock/run."""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy

PROBLEM = """[objective]
kind = "linear-model"
data = "data.svm"
loss = "logistic"
ridge = 1e-4

[constraints]
lp = \"\"\"
  Subject To
    first: x1 + x2 + x3 <= 0.1
  End\"\"\"
"""
FEATURES, PER_ROW = 20000, 40
SEEDS = (1, 2, 3)


def generate(path, megabytes):
    """LIBSVM data with labels of a sparse model, about so many megabytes."""
    generator = numpy.random.default_rng(7)
    weights = generator.normal(size=FEATURES)
    popularity = 1 / (1 + numpy.arange(FEATURES)) ** 0.7
    cumulative = numpy.cumsum(popularity / popularity.sum())
    written = 0
    with open(path, "w", encoding="ascii") as out:
        while written < megabytes * 1e6:
            lines = []
            columns = numpy.searchsorted(cumulative, generator.random((2000, PER_ROW)))
            values = generator.normal(size=columns.shape).round(4)
            noise = generator.logistic(size=len(columns))
            for row, value, shock in zip(columns, values, noise):
                row, first = numpy.unique(row, return_index=True)
                value = value[first]
                label = "+1" if weights[row] @ value + shock > 0 else "-1"
                lines.append(label + "".join(f" {c + 1}:{v:g}" for c, v in zip(row, value)))
            text = "\n".join(lines) + "\n"
            out.write(text)
            written += len(text)


def solve(bridle, folder, *options):
    """The result, and the wall time of the command."""
    start = time.monotonic()
    done = subprocess.run([bridle, "solve", folder / "problem.toml", "--quiet", "--json", "-", *map(str, options)],
                          capture_output=True, text=True, check=False)
    seconds = time.monotonic() - start
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    return json.loads(done.stdout), seconds


def objective(bridle, folder, result):
    """On all samples: short of time the run's own judge sees some of them only."""
    solution = folder / "solution.json"
    solution.write_text(json.dumps(result))
    done = subprocess.run([bridle, "certify", folder / "problem.toml", solution, "--json", "-"],
                          capture_output=True, text=True, check=False)
    return json.loads(done.stdout)["objective"]


def compare(bridle, folder, megabytes, seconds, best):
    """A row for each seed, with the geometric mean of the ratios so far."""
    ratios = []
    for seed in SEEDS:
        how = ["--no-second-order", "--tolerance", 0, "--seed", seed]
        timed, wall = solve(bridle, folder, *how, "--seconds", f"{seconds:.2f}")
        # What is planned is the loop; the polish of both comes on top.
        loop = int(timed["phases"]["loop"]["sample_gradients"])
        planned, _ = solve(bridle, folder, *how, "--samples", loop)
        excess = [max(1e-12, objective(bridle, folder, run) - best) for run in (timed, planned)]
        ratios.append(excess[0] / excess[1])
        print(f"{megabytes:6.0f} {seconds:8.2f} {wall:7.2f} {loop:10.3g} {excess[0]:10.3e} {excess[1]:10.3e} {ratios[-1]:6.2f} "
              f"{numpy.exp(numpy.mean(numpy.log(ratios))):6.2f}", flush=True)


def main():
    bridle, sizes = sys.argv[1], [float(word) for word in sys.argv[2:]] or [50, 1000]
    print(f"{'MB':>6} {'seconds':>8} {'wall':>7} {'samples':>10} {'excess':>10} {'planned':>10} {'ratio':>6} {'mean':>6}")
    for megabytes in sizes:
        with tempfile.TemporaryDirectory(prefix="bridle-clock-") as name:
            folder = pathlib.Path(name)
            generate(folder / "data.svm", megabytes)
            (folder / "problem.toml").write_text(PROBLEM)
            # The lowest objective that is known: a run that is left alone for long.
            loading, _ = solve(bridle, folder, "--samples", 1)
            best, _ = solve(bridle, folder, "--tolerance", "1e-5", "--seconds", max(60, 8 * loading["load_seconds"]))
            for share in (1.5, 4):
                compare(bridle, folder, megabytes, max(2.0, share * loading["load_seconds"]), best["objective"])


if __name__ == "__main__":
    main()
