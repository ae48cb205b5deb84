"""How a step's time grows with n, N and m, and memory with N: a table to standard output, log-log plots to a file.

Usage: growth.py BENCH_SPEED PLOT.svg [ROUNDS]. Every point is a process of its own.
"""
import os
import subprocess
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

plt.rcParams.update({"svg.hashsalt": "bridle", "svg.fonttype": "none", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3})

# storage, N, n, nonzeros, m; what varies is in the title
SERIES = {
    "variables n": [("sparse", 50_000, n, 50, 1) for n in (1_000, 10_000, 100_000, 1_000_000, 10_000_000)],
    "samples N": [("sparse", count, 10_000, 50, 1) for count in (1_000, 10_000, 100_000, 1_000_000)],
    "rows m, sparse data": [("sparse", 50_000, 10_000, 50, m) for m in (1, 2, 4, 8, 16, 32, 64)],
    "rows m, dense data, n = 100": [("double", 50_000, 100, 100, m) for m in (1, 2, 4, 8, 16)],
}
VARIES = {"variables n": 2, "samples N": 1, "rows m, sparse data": 4, "rows m, dense data, n = 100": 4}


def measure(bench, point, rounds):
    """Nanoseconds of the floor's step and of ours, and the most memory the process had, in MB."""
    child = subprocess.Popen([bench, "one", *map(str, point), str(rounds)], stdout=subprocess.PIPE, text=True)
    text = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"{bench} one {point} failed")
    floor, ours = map(float, text.split())
    return floor, ours, usage.ru_maxrss / 1024


def data_megabytes(point):
    storage, samples, _, nonzeros, _ = point
    return samples * nonzeros * (12 if storage == "sparse" else 8) / 1e6


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    bench, plot, rounds = sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "7"
    figures = {title: [(point, measure(bench, point, rounds)) for point in points] for title, points in SERIES.items()}
    print("| what grows | | floor, ns | Bridle, ns | data, MB | most memory, MB |")
    print("| --- | --- | --- | --- | --- | --- |")
    for title, rows in figures.items():
        for point, (floor, ours, memory) in rows:
            print(f"| {title} | {point[VARIES[title]]} | {floor:.0f} | {ours:.0f} | {data_megabytes(point):.0f} | {memory:.0f} |")
    figure, all_axes = plt.subplots(2, 2, figsize=(9, 6.4))
    for axes, title in zip(all_axes.flat, ("variables n", "samples N")):
        at = [point[VARIES[title]] for point, _ in figures[title]]
        axes.loglog(at, [f for _, (f, _, _) in figures[title]], "o--", color="0.5", label="floor: bare SGD, no constraints")
        axes.loglog(at, [o for _, (_, o, _) in figures[title]], "o-", color="C0", label="Bridle, one row")
        axes.set(xlabel=title, ylabel="ns a step", title="sparse data, 50 nonzeros a sample", ylim=(50, 5000))
        axes.legend()
    axes = all_axes[1, 0]
    for title, colour in (("rows m, sparse data", "C0"), ("rows m, dense data, n = 100", "C1")):
        at = [point[VARIES[title]] for point, _ in figures[title]]
        axes.loglog(at, [o for _, (_, o, _) in figures[title]], "o-", color=colour, label=title.split(", ", 1)[1])
    axes.set(xlabel="rows m", ylabel="ns a step", title="constraint rows, dense over the variables", ylim=(50, 5000))
    axes.legend()
    axes = all_axes[1, 1]
    rows = figures["samples N"]
    at = [point[1] for point, _ in rows]
    axes.loglog(at, [data_megabytes(point) for point, _ in rows], "o--", color="0.5", label="data: 12 bytes a nonzero")
    axes.loglog(at, [memory for _, (_, _, memory) in rows], "o-", color="C0", label="most memory of the process")
    axes.set(xlabel="samples N", ylabel="MB", title="memory, 50 nonzeros a sample")
    axes.legend()
    figure.tight_layout()
    os.makedirs(os.path.dirname(plot), exist_ok=True)
    figure.savefig(plot, metadata={"Date": None})


if __name__ == "__main__":
    main()
