#!/usr/bin/python3
"""Draws the plots of docs/verification.md from the CSV files in FOLDER, as SVG beside them.

Usage: plots.py FOLDER
"""
import csv
import math
import sys
from collections import defaultdict
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

plt.rcParams.update({"svg.hashsalt": "bridle", "svg.fonttype": "none", "font.size": 9, "axes.grid": True, "grid.alpha": 0.3,
                     "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False})


def rows_of(folder, name):
    with open(folder / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def grouped(rows, *keys):
    groups = defaultdict(list)
    for row in rows:
        groups[tuple(row[key] for key in keys)].append(row)
    return groups


def column(rows, name):
    return [float(row[name]) for row in rows]


def save(figure, folder, name):
    figure.tight_layout()
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


def descent(folder):
    rows = rows_of(folder, "descent")
    figure, all_axes = plt.subplots(2, 2, figsize=(9, 6.4))
    for axes, algorithm in zip(all_axes.flat, "1234"):
        mine = [r for r in rows if r["algorithm"] == algorithm]
        for index, ((noise,), runs) in enumerate(grouped(mine, "noise").items()):
            ratio = [float(r["margin"]) / abs(float(r["noise_allowance"])) for r in runs]
            half = [float(r["margin_halfwidth_99"]) / abs(float(r["noise_allowance"])) for r in runs]
            axes.errorbar([k + 0.2 * index - 0.1 for k in range(len(runs))], ratio, yerr=half, fmt="os"[index], capsize=3,
                          label=noise)
            names = [(f"+{r['warm_steps']}\n" if r["warm_steps"] != "0" else "\n") + f"t={r['t']}" for r in runs]
        axes.set_xticks(range(len(names)), names, fontsize=7)
        axes.axhline(0, color="black", linewidth=1)
        axes.set_yscale("symlog", linthresh=1)
        axes.set_title(f"Algorithm {algorithm}")
        axes.set_ylabel("margin / noise term")
        axes.legend()
    save(figure, folder, "descent")


def rates(folder):
    rows = rows_of(folder, "rates")
    symbols = {"0": "E |grad Psi(z_t*)|^2", "1": "E |v|^2", "2": "E |A x - b|^2"}
    figure, all_axes = plt.subplots(1, 3, figsize=(11, 3.8))
    for axes, (quantity, symbol) in zip(all_axes, symbols.items()):
        mine = [r for r in rows if r["quantity"] == quantity]
        for (algorithm, problem), runs in grouped(mine, "algorithm", "problem").items():
            groups = grouped(runs, "evaluations")
            x = [float(evaluations) for evaluations, in groups]
            y = [sum(column(group, "value")) / len(group) for group in groups.values()]
            marker = "D-" if problem.startswith("a9a") else "s--" if "multiplicative" in problem else "o-"
            axes.plot(x, y, marker, color=f"C{int(algorithm) - 1}", markersize=4, label=f"{algorithm}: {problem}")
        x = sorted(set(column(mine, "evaluations")))
        top = max(column(mine, "value"))
        order = 1 / 2 if quantity == "0" else 2 / 3
        axes.plot(x, [2 * top * (v / x[0]) ** -order for v in x], color="grey", linewidth=1, linestyle=":",
                  label="slope -1/2" if quantity == "0" else "slope -2/3")
        axes.set(xscale="log", yscale="log", xlabel="gradient evaluations", title=symbol)
        axes.legend(fontsize=6)
    save(figure, folder, "rates")


def constant_penalty(folder):
    figure, all_axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    for axes, kind in zip(all_axes, ("equality", "inequality")):
        for (method,), rows in grouped([r for r in rows_of(folder, "constant_penalty") if r["rows"] == kind],
                                       "method").items():
            x = column(rows, "evaluations")
            line, = axes.plot(x, column(rows, "median_infeasibility"), marker="o", label=method)
            axes.fill_between(x, column(rows, "lower_quartile"), column(rows, "upper_quartile"), alpha=0.15,
                              color=line.get_color())
        axes.set(xscale="log", yscale="log", xlabel="gradient evaluations", title=f"{kind} rows")
    all_axes[0].set_ylabel("infeasibility at x_T")
    all_axes[0].legend(fontsize=7)
    save(figure, folder, "constant_penalty")


def ablations(folder):
    figure, all_axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
    noises = sorted({r["noise"] for r in rows_of(folder, "ablations")}, key=float)
    for axes, noise in zip(all_axes, noises):
        for (variant,), rows in grouped([r for r in rows_of(folder, "ablations") if r["noise"] == noise],
                                        "variant").items():
            axes.plot(column(rows, "iteration"), [max(v, 1e-9) for v in column(rows, "infeasibility")],
                      linewidth=1, label=variant)
        axes.set(yscale="log", xlabel="iteration", title=f"noise {noise}")
    all_axes[0].set_ylabel("|A x - b|")
    all_axes[0].legend(fontsize=7)
    save(figure, folder, "ablations")


def safeguard(folder):
    groups = grouped(rows_of(folder, "safeguard"), "choice")
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4))
    names = [key[0].replace(" of the sound size", "x").replace("the paper's formula", "formula")
             for key in groups]
    left.boxplot([[v + 1 for v in column(rows, "resets")] for rows in groups.values()], labels=names)
    left.set(yscale="log", ylabel="1 + resets", xlabel="M_y against the sound size of y")
    right.boxplot([column(rows, "gradient_norm") for rows in groups.values()], labels=names)
    right.set(yscale="log", ylabel="|grad Psi(z)| at the end", xlabel="M_y against the sound size of y")
    save(figure, folder, "safeguard")


def post_processing(folder):
    figure, axes = plt.subplots(figsize=(6, 3.8))
    for index, ((evaluations,), rows) in enumerate(grouped(rows_of(folder, "post_processing"), "evaluations").items()):
        after = [r for r in rows if r["batch"] != "0"]
        label = f"T = 1e{round(math.log10(float(evaluations)))}"
        axes.plot(column(after, "batch"), column(after, "median_error"), marker="o", color=f"C{index}", label=label)
        axes.fill_between(column(after, "batch"), column(after, "lower_quartile"), column(after, "upper_quartile"),
                          alpha=0.15, color=f"C{index}")
        axes.axhline(float(rows[0]["median_error"]), color=f"C{index}", linestyle=":", linewidth=1)
    axes.set(xscale="log", yscale="log", xlabel="batch B", ylabel="judge's error (dotted: before)")
    axes.legend()
    save(figure, folder, "post_processing")


def rivals(folder):
    rows = [r for r in rows_of(folder, "rivals") if r["applies"] == "yes"]
    families = grouped(rows, "family")
    methods = list(dict.fromkeys(r["method"] for r in rows_of(folder, "rivals")))
    styles = {m: (f"C{k % 10}", "o-" if k < 4 else "s--" if k < 10 else "^:") for k, m in enumerate(methods)}
    figure, all_axes = plt.subplots(math.ceil(len(families) / 2), 2, figsize=(9, 2.9 * math.ceil(len(families) / 2)))
    for axes, ((family,), mine) in zip(all_axes.flat, families.items()):
        for (method,), curve in grouped(mine, "method").items():
            points = [(float(r["eps"]), float(r["median_evaluations"])) for r in curve]
            points = [p for p in points if math.isfinite(p[1])]
            if points:
                axes.plot(*zip(*points), styles[method][1], color=styles[method][0], markersize=4, label=method)
        axes.set(xscale="log", yscale="log", xlabel="eps", ylabel="evaluations", title=family, xlim=(0.13, 0.0023))
        axes.title.set_fontsize(8)
        axes.set_xticks([0.1, 0.03, 0.01, 0.003], ["0.1", "0.03", "0.01", "0.003"])
        axes.minorticks_off()
        axes.legend(fontsize=5)
    save(figure, folder, "rivals")


def stochastic_rows(folder):
    figure, axes = plt.subplots(figsize=(6, 3.8))
    for index, ((method,), curve) in enumerate(grouped(rows_of(folder, "stochastic_rows"), "method").items()):
        points = [(float(r["eps"]), float(r["median_evaluations"])) for r in curve]
        points = [p for p in points if math.isfinite(p[1])]
        if points:
            axes.plot(*zip(*points), "o-", color=f"C{index}", markersize=4, label=method)
    axes.set(xscale="log", yscale="log", xlabel="eps", ylabel="evaluations", xlim=(0.13, 0.0023))
    axes.set_xticks([0.1, 0.03, 0.01, 0.003], ["0.1", "0.03", "0.01", "0.003"])
    axes.minorticks_off()
    axes.legend(fontsize=7)
    save(figure, folder, "stochastic_rows")


def main():
    folder = Path(sys.argv[1])
    for draw in (descent, rates, constant_penalty, ablations, safeguard, post_processing, rivals,
                 stochastic_rows):
        if (folder / f"{draw.__name__}.csv").exists():
            draw(folder)


if __name__ == "__main__":
    main()
