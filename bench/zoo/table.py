"""docs/zoo.md and its plot from the runs of bench_zoo. Usage: table.py FOLDER, which holds the CSV files"""
import collections
import csv
import math
import pathlib
import statistics
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

plt.rcParams.update({"svg.hashsalt": "bridle", "svg.fonttype": "none"})
FLOOR = 1e-8  # what lies below is not compared
MAIN = "100000"
NAMES = {"automatic": "automatic", "first-order": "the same without second-order steps", "grid": "grid per problem",
         "defaults": "published defaults", "theory": "theory"}
OTHERS = [m for m in NAMES if m != "automatic"]


def read(path):
    rows = list(csv.DictReader(open(path)))
    for row in rows:
        if row["family"] == "netlib noise":  # the same rows and objectives as "netlib samples only"
            row["problem"] += ", mean known"
    return rows


def geometric_mean(values):
    return math.exp(statistics.mean(math.log(v) for v in values))


def medians(rows, budget=MAIN):
    """Median eps of the seeds, by method and problem; blow-ups count as 10."""
    eps = collections.defaultdict(list)
    for row in rows:
        if row["budget"] == budget and row["family"] != "infeasible":
            value = float(row["error"])
            eps[row["method"], row["problem"]].append(min(10.0, max(FLOOR, value)) if math.isfinite(value) else 10.0)
    return {key: statistics.median(values) for key, values in eps.items()}


def by_family(rows, half):
    """One line per family: eps of the automatic rule by budget, its worst, and the others beside it."""
    family = {row["problem"]: row["family"] for row in rows if row["half"] == half and row["family"] != "infeasible"}
    budgets = sorted({row["budget"] for row in rows if row["method"] == "automatic"}, key=int)
    others = [m for m in OTHERS if any(r["method"] == m and r["half"] == half for r in rows)]
    by_budget = {b: medians(rows, b) for b in budgets}
    head = [f"automatic, {int(b):,}" for b in budgets] + [NAMES[m] for m in others]
    print("| family | problems | " + " | ".join(head) + " | worst automatic | where |")
    print("| --- " + "| ---: " * (len(head) + 2) + "| --- |")
    for name in dict.fromkeys(family.values()):
        problems = [p for p in family if family[p] == name]

        def mean(method, budget):
            values = [by_budget[budget][method, p] for p in problems if (method, p) in by_budget[budget]]
            return f"{geometric_mean(values):.1e}" if values else ""

        cells = [mean("automatic", b) for b in budgets] + [mean(m, MAIN) for m in others]
        worst = max(problems, key=lambda p: by_budget[MAIN].get(("automatic", p), 0))
        print(f"| {name} | {len(problems)} | " + " | ".join(cells) +
              f" | {by_budget[MAIN]['automatic', worst]:.1e} | {worst} |")
    print()


# What was found by looking, with the options --problem and --events.
BRANDY = """brandy, known through samples only: eps is relative to 1 + max(|grad f|, |A'y|), and
`bench_zoo DATA OUT.csv --family "netlib samples only" --problem "brandy noise1 b" --methods automatic,grid --events yes` prints
a distance from stationarity of 2.4 (seed 1) for the automatic rule and of 3.0 and 3.1 (seeds 1 and 2) for the grid's winner, whose
multipliers are so large that it is divided by 1.8e6 instead of 4.6e3. Both are at vertices on the way to a solution that is far off.
Tried by hand, on code that was not kept: 30, 100 and 300 smaller batches in the finish instead of ten, and batches that grow: no
change at 1e5, smaller errors at 1e6. On seven other problems of the family, two seeds, growing batches made some worse (afiro, adlittle)
and one better (israel).
"""


def compare(rows):
    reported = [row for row in rows if row["half"] == "reported"]
    median = medians(reported)
    print("| automatic against | problems | within a factor 2 | better or equal | strictly worse | worst ratio | where |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | --- |")
    for other in OTHERS:
        seeds = {row["seed"] for row in reported if row["method"] == other and row["budget"] == MAIN}
        here = medians([row for row in reported if row["seed"] in seeds])  # the same seeds for both
        ratio = {p: here["automatic", p] / here[other, p] for m, p in here if m == other and ("automatic", p) in here}
        if not ratio:
            continue
        worst = max(ratio, key=ratio.get)

        def share(holds):
            return f"{sum(map(holds, ratio.values())) / len(ratio):.0%}"

        if other == "first-order":
            hurt = sorted((p for p in ratio if ratio[p] > 2), key=ratio.get)
        if other == "grid":
            far = sorted((p for p in ratio if ratio[p] > 10), key=ratio.get)
        print(f"| {NAMES[other]} | {len(ratio)} | {share(lambda r: r <= 2)} | {share(lambda r: r <= 1)} | "
              f"{share(lambda r: r > 1)} | {ratio[worst]:.2g} | {worst} |")
    print()
    if any(key[0] == "first-order" for key in median):
        print(f"Where second-order steps hurt, more than twice the eps of the run without them: {', '.join(hurt) or 'nowhere'}.\n")
    if any(key[0] == "grid" for key in median):
        print(f"More than 10 times the grid's eps: {', '.join(far) or 'none'}.\n")
        if "brandy noise1 b" in far:
            print(BRANDY)


def profile(rows, path):
    """For each method the share of problems on which its eps is within a factor of the best method's."""
    median = medians([row for row in rows if row["half"] == "reported"])
    methods = [m for m in NAMES if any(key[0] == m for key in median)]
    problems = [p for p in {p for _, p in median} if all((m, p) in median for m in methods)]
    factors = [10 ** (k / 20) for k in range(0, 161)]
    figure, axes = plt.subplots(figsize=(6, 3.6))
    for method in methods:
        ratio = [median[method, p] / min(median[m, p] for m in methods) for p in problems]
        axes.plot(factors, [sum(r <= f for r in ratio) / len(ratio) for f in factors], label=NAMES[method],
                  drawstyle="steps-post")
    axes.set(xscale="log", ylim=(0, 1.02), xlabel="factor of the best method's eps",
             ylabel=f"share of {len(problems)} problems", title="Performance profile, reported half, 100,000 gradients")
    axes.legend(loc="lower right")
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def models(rows):
    best = collections.defaultdict(lambda: math.inf)
    for row in rows:
        best[row["problem"]] = min(best[row["problem"]], float(row["objective"]))
    epochs = sorted({row["epochs"] for row in rows}, key=float)
    epochs = epochs[:-1]  # the longest run is there for the best known objective
    print("| problem | best known | " + " | ".join(f"{e} epochs, % above" for e in epochs) +
          " | largest eps | largest relative violation |")
    print("| --- " + "| ---: " * (len(epochs) + 3) + "|")
    for problem, objective in best.items():
        runs = [r for r in rows if r["problem"] == problem]
        excess = [max(100 * (float(r["objective"]) / objective - 1) for r in runs if r["epochs"] == e) for e in epochs]
        error, violation = (max(float(r[figure]) for r in runs) for figure in ("error", "violation"))
        print(f"| {problem} | {objective:.7f} | " + " | ".join(f"{e:.5f}" for e in excess) +
              f" | {error:.0e} | {violation:.0e} |")
    close = [r for r in rows if float(r["error"]) <= 1e-6 and float(r["objective"]) <= 1.00001 * best[r["problem"]]]
    print(f"\n{len(close)} of {len(rows)} runs end within an eps of 1e-6 and 0.001% of the best objective known. Each seed is another "
          "start of the second-order steps, so that this is also the number of starts that found that minimum.\n")


def twins(rows):
    asked = [r for r in rows if r["family"] == "infeasible"]
    proved = [r for r in asked if r["status"] == "infeasible"]
    wrong = [r for r in rows if r["family"] != "infeasible" and r["status"] == "infeasible"]
    print(f"{len(proved)} of {len(asked)} runs on infeasible twins end `infeasible` with a proof that the judge has checked; "
          f"{len(wrong)} of {len(rows) - len(asked)} runs on feasible problems do.\n")
    for row in asked:
        if row["status"] != "infeasible":
            print(f"- not proved: {row['problem']} ({row['status']}, eps {float(row['error']):.1e})")


def verdicts(rows):
    certified = [r for r in rows if r["status"] == "stationary" and r["family"] != "infeasible"]
    wrong = [r for r in certified if float(r["error"]) > FLOOR]
    print(f"Of {len(rows)} runs {len(certified)} end `stationary` at {FLOOR:.0e}; the judge of this table, who takes no y from "
          f"the solver for granted, disagrees with {len(wrong)} of them.")
    budgets = sorted({r["budget"] for r in rows if r["method"] == "automatic"}, key=int)
    for less, more in zip(budgets, budgets[1:]):
        a, b = medians(rows, less), medians(rows, more)
        ratio = {p: b[m, p] / a[m, p] for m, p in a if m == "automatic" and (m, p) in b}
        worst = max(ratio, key=ratio.get)
        print(f"From {int(less):,} to {int(more):,} gradients eps grows on {sum(r > 1.001 for r in ratio.values())} of "
              f"{len(ratio)} problems, at worst by {ratio[worst]:.1f} ({worst}): these are separate runs; within a run the "
              "best point is kept.")
    print()


def wrong_curvature(rows):
    print("| L given | problems | certified at 1e-2 | correction logged | largest eps |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for method, name in (("too-small", "0.02 times the true one"), ("too-large", "50 times the true one")):
        runs = [r for r in rows if r["method"] == method]
        good = sum(float(r["error"]) <= 1e-2 for r in runs)
        told = sum(r["corrected"] == "1" for r in runs)
        print(f"| {name} | {len(runs)} | {good} | {told} | {max(float(r['error']) for r in runs):.1e} |")
    print()


GRID = """, and the best of a grid per problem (step and penalty over two decades, two decays; searched on
one seed, run again on others)"""
NO_GRID = """; a grid per problem (`--grid`) was not run this time"""


def main():
    folder = pathlib.Path(sys.argv[1])
    rows, model_rows, wrong_rows = (read(folder / f"{name}.csv") for name in ("runs", "models", "wrong_curvature"))
    profile(rows, folder / "profile.svg")
    count = len({r["problem"] for r in rows})
    print("# The zoo\n")
    grid = any(r["method"] == "grid" for r in rows)
    print(f"""{count} problems that nobody tuned for, run by `./scripts/bench zoo --all{" --grid" if grid else ""}`: the automatic parameters, the same without
second-order steps (one seed), one published implementation's defaults (tau .01, eta .05, beta .5, mu 2, rho 1, the literal loop), the
theory's formulas{GRID if grid else NO_GRID}. eps is the judge's relative error at the
returned point; means are geometric, over problems, of the median of the seeds. The runs are in [zoo/runs.csv](zoo/runs.csv).

Two halves: the rule was developed on one and is reported on the other. Generated problems and the objectives on the Netlib
rows come from other seeds in the two; files go by their place in the family. Quadratics, flows, consensus and "netlib
samples only" with noise are streams of which the solver sees **sample gradients only**; only the judge of this table knows
the mean. In "netlib noise" the finish may ask for it. Budgets count sample gradients. eps below {FLOOR:.0e} counts as that.
""")
    print("## Reported half\n")
    by_family(rows, "reported")
    compare(rows)
    print("![performance profile](zoo/profile.svg)\n")
    verdicts(rows)
    if any(r["half"] == "developed" for r in rows):
        print("## The half the rule was developed on\n")
        by_family(rows, "developed")
    print("## Linear models by epochs\n")
    print("Percent above the best objective known (the lowest of all runs, 300 epochs among them), worst of three seeds:\n")
    models(model_rows)
    print("## A wrong L\n")
    print("All quadratics, 100,000 gradients, with `--curvature` far from the truth:\n")
    wrong_curvature(wrong_rows)
    print("## Infeasible twins\n")
    twins(rows)


main()
