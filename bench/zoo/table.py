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

import accounts
from accounts import FLOOR, bounded, geometric_mean

plt.rcParams.update({"svg.hashsalt": "bridle", "svg.fonttype": "none"})
MAIN = "100000"
LOOP = 3  # the loop alone ought to be within this factor of the whole run
PARAMETERS = {"automatic": "automatic", "published": "humancompatible-train 0.3.2", "theory": "theory", "grid": "grid per problem"}
NAMES = {"automatic": "automatic, whole run", "grid": "grid per problem, whole run"}
for phase, text in (("loop", "loop only"), ("polish", "loop and polish")):
    NAMES |= {f"{name}/{phase}": f"{PARAMETERS[name]}, {text}" for name in ("automatic", "published", "theory")}
EQUAL = [m for m in NAMES if m != "grid"]  # the table of equal conditions


def read(path):
    rows = list(csv.DictReader(open(path)))
    for row in rows:
        if row["family"] == "netlib noise":  # the same rows and objectives as "netlib samples only"
            row["problem"] += ", mean known"
    return rows


def medians(rows, budget=MAIN):
    """Median eps of the seeds, by method and problem; blow-ups count as 10."""
    eps = collections.defaultdict(list)
    for row in rows:
        if row["budget"] == budget and row["family"] != "infeasible":
            eps[row["method"], row["problem"]].append(bounded(row))
    return {key: statistics.median(values) for key, values in eps.items()}


def families(rows, half):
    """Problems by family, the infeasible twins apart."""
    out = collections.defaultdict(list)
    for row in rows:
        if row["half"] == half and row["family"] != "infeasible" and row["problem"] not in out[row["family"]]:
            out[row["family"]].append(row["problem"])
    return out


def mean(medians_of, method, problems):
    values = [medians_of[method, p] for p in problems if (method, p) in medians_of]
    return geometric_mean(values) if values else None


def figure(value):
    return "" if value is None else f"{value:.1e}"


def equal_conditions(rows, half):
    """One line per family: every method's parameters with the loop only, with the polish too, and the whole run."""
    eps = medians(rows)
    methods = sorted((m for m in EQUAL if any(key[0] == m for key in eps)), key=lambda m: ("/loop" not in m, "/polish" not in m))
    print("| family | problems | " + " | ".join(NAMES[m] for m in methods) + " |")
    print("| --- " + "| ---: " * (len(methods) + 1) + "|")
    lines, cut = {}, []
    for name, problems in families(rows, half).items():
        common = [p for p in problems if all((m, p) in eps for m in methods)]
        if not common:
            continue
        lines[name] = {m: mean(eps, m, common) for m in methods}
        print(f"| {name} | {len(common)} | " + " | ".join(figure(lines[name][m]) for m in methods) + " |")
        if len(common) < len(problems):
            cut.append(f"{name} ({len(common)} of {len(problems)})")
    print()
    if cut:
        print(f"Not all runs of these families were made, and the table has the problems that have all: {', '.join(cut)}.\n")
    for phase, text in (("loop", "the loop only"), ("polish", "the loop and the polish")):
        for other in ("published", "theory"):
            if f"{other}/{phase}" in methods:
                lost = [f for f in lines if lines[f][f"automatic/{phase}"] > lines[f][f"{other}/{phase}"]]
                print(f"- With {text}, {PARAMETERS[other]}'s parameters are ahead of the automatic ones in "
                      f"{len(lost)} of {len(lines)} families{': ' + ', '.join(lost) if lost else ''}.")
    if "theory/polish" in methods:
        carried = [f for f in lines if lines[f]["theory/polish"] < lines[f]["automatic/loop"]]
        print("- The polish from where the theory's parameters leave it, which is near the start, ends before the automatic loop alone in "
              f"{len(carried)} of {len(lines)} families{': ' + ', '.join(carried) if carried else ''}.")
    print()


def by_budget(rows, half):
    """One line per family: the whole run and its loop alone, by budget."""
    kinds = ("automatic", "automatic/loop")
    budgets = sorted({row["budget"] for row in rows if row["method"] == "automatic" and row["half"] == half}, key=int)
    eps = {b: medians(rows, b) for b in budgets}
    print("| family | problems | " + " | ".join(f"whole run, {int(b):,} | loop only, {int(b):,} | ratio" for b in budgets) +
          " | worst whole run, 100,000 | where |")
    print("| --- " + "| ---: " * (3 * len(budgets) + 2) + "| --- |")
    far = collections.defaultdict(list)
    counted = collections.Counter()
    for name, problems in families(rows, half).items():
        cells = []
        for b in budgets:
            both = [p for p in problems if all((k, p) in eps[b] for k in kinds)]
            whole, loop = (mean(eps[b], k, both or problems) for k in kinds)
            cells += [figure(whole), figure(loop), f"{loop / whole:.1f}" if whole and loop else ""]
            if whole and loop:
                counted[b] += 1
                if loop > LOOP * whole:
                    far[b].append(name)
        worst = max(problems, key=lambda p: eps[MAIN].get(("automatic", p), 0))
        count = sum(("automatic", p) in eps[MAIN] for p in problems)
        print(f"| {name} | {count} | " + " | ".join(cells) + f" | {eps[MAIN]['automatic', worst]:.1e} | {worst} |")
    print()
    for b in budgets:
        if counted[b]:
            print(f"At {int(b):,} gradients the loop alone is within {LOOP} times the whole run's eps in {counted[b] - len(far[b])} of "
                  f"{counted[b]} families{'; not in: ' + ', '.join(far[b]) if far[b] else ''}.")
    print()


def sampling_order(rows, half):
    """Finite sums: reshuffled epochs against independent draws, the loop only."""
    eps = medians(rows)
    pairs = [(m, f"{m}/iid") for m in ("automatic/loop", "published/loop")]
    print("| family | problems | " + " | ".join(f"{PARAMETERS[m.split('/')[0]]}, {how} | " f"{'' if how == 'reshuffled' else 'ratio'}".rstrip(" |")
                                             for m, _ in pairs for how in ("reshuffled", "independent")) + " |")
    print("| --- " + "| ---: " * (3 * len(pairs) + 1) + "|")
    for name, problems in families(rows, half).items():
        cells = []
        for pair in pairs:
            both = [p for p in problems if all((m, p) in eps for m in pair)]
            if both:
                ordered, drawn = (mean(eps, m, both) for m in pair)
                cells += [figure(ordered), figure(drawn), f"{drawn / ordered:.2f}"]
        if len(cells) == 3 * len(pairs):
            print(f"| {name} | {len(problems)} | " + " | ".join(cells) + " |")
    print()


def compare(rows):
    """Problem by problem, under equal conditions: the automatic parameters against others with the same phases."""
    reported = [row for row in rows if row["half"] == "reported"]
    pairs = [(f"automatic/{phase}", f"{other}/{phase}") for phase in ("loop", "polish") for other in ("published", "theory")]
    print("| a | against b, the same phases | problems | a within twice b's eps | a better or equal | a worse | worst ratio | where |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |")
    for ours, other in [*pairs, ("automatic", "automatic/polish"), ("automatic", "grid")]:
        seeds = {row["seed"] for row in reported if row["method"] == other and row["budget"] == MAIN}
        here = medians([row for row in reported if row["seed"] in seeds])  # the same seeds for both
        ratio = {p: here[ours, p] / here[other, p] for m, p in here if m == other and (ours, p) in here}
        if not ratio:
            continue
        worst = max(ratio, key=ratio.get)

        def share(holds):
            return f"{sum(map(holds, ratio.values())) / len(ratio):.0%}"

        print(f"| {NAMES[ours]} | {NAMES[other]} | {len(ratio)} | {share(lambda r: r <= 2)} | {share(lambda r: r <= 1)} | "
              f"{share(lambda r: r > 1)} | {ratio[worst]:.2g} | {worst} |")
    print()


def profile(rows, path):
    """For each method the share of problems on which its eps is within a factor of the best method's."""
    median = medians([row for row in rows if row["half"] == "reported"])
    methods = [m for m in NAMES if m.endswith("/loop") or m == "automatic" if any(key[0] == m for key in median)]
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


LOOP_TEXT = """Where a violation is eps, smaller last steps, tail means and larger batches of gradients fight a noise that the rows do not have; elsewhere they would not.
Tried for the loop alone: (1) a penalty that grows as the steps shrink ([why](parameters.md#a-penalty-that-grows)): kept. (2) Steps that fall faster than the
cosine, noisy regime: not kept, by hand, no figures here. (3) A slower z: see [the table](parameters.md#what-the-theory-assumes-and-what-holds).

Where the loop is not within a factor 3: on finite sums second-order steps, and with a known mean exact projections, end at 1e-8, and with T samples a loop knows the gradient to sigma/sqrt T. That excuses no family without
noise: on "netlib" and "maros-meszaros" the loop has exact gradients and is slower than the polish, which solves for the multipliers of a face where the loop finds them step by step; how much of the ratio is
that was not measured. Nor does it excuse a violated row: rows are known exactly everywhere but on "rows drawn".
"""

GRID = """ And the best of a grid per problem (step and penalty over two decades, two decays; searched on
one seed, run again on others)."""
NO_GRID = " A grid per problem (`--grid`) was not run this time."


def main():
    folder = pathlib.Path(sys.argv[1])
    rows, model_rows, wrong_rows = (read(folder / f"{name}.csv") for name in ("runs", "models", "wrong_curvature"))
    profile(rows, folder / "profile.svg")
    count, twin_count, reported = (len({r["problem"] for r in rows if holds(r)}) for holds in (
        lambda r: r["family"] != "infeasible", lambda r: r["family"] == "infeasible",
        lambda r: r["family"] != "infeasible" and r["half"] == "reported"))
    seeds = sorted({r["seed"] for r in rows if r["family"] != "infeasible"}, key=int)
    grid = any(r["method"] == "grid" for r in rows)
    print("# The zoo\n")
    print(f"""{count} problems and {twin_count} infeasible twins, run by `./scripts/bench zoo --all{" --grid" if grid else ""}`, {len(seeds)} seed{"s" if len(seeds) > 1 else ""}. Three choices of parameters:
**automatic**; **humancompatible-train 0.3.2**, the defaults of its class SSLALM (tau .05, eta .05, beta .5, mu 2, rho 1, constant, the literal loop; its dual bound of
100 is in force where the algorithm has the safeguard, "rows drawn", by the norm as in the paper; Algorithm 1 has none); **theory**, the formulas of the theorems with
L_f from the objective and sbar as if X were the whole space, which is an estimate; M_y of drawn rows is given as 100 too, since nobody knows its constants there.{GRID if grid else NO_GRID}

Every choice runs under the same conditions: **loop only** is the best point of the stochastic loop, its last x and z among them, and the loop has the whole
budget; **loop and polish** adds the closing polish (exact projections and full gradients, or batches of a stream, [which no theorem speaks
of](parameters.md#the-finish-beyond-the-paper)); the **whole run** also takes second-order steps where the objective offers curvature, and exists for the automatic parameters only.
All reshuffle finite sums every epoch unless "independent" is said. eps is the judge's relative error at the returned point; means are geometric, over
problems, of the median of the seeds. Blow-ups count as 10, eps below {FLOOR:.0e} as that. The runs are in [zoo/runs.csv](zoo/runs.csv).

Two halves: the rule was developed on one ({count - reported} problems) and is reported on the other ({reported}), which nobody tuned for but for what the note below says. Generated problems and the objectives on the Netlib
rows come from other seeds in the two; files go by their place in the family. Quadratics, flows, consensus and "netlib
samples only" with noise are streams of which the solver sees **sample gradients only**; only the judge of this table knows
the mean. In "netlib noise" the polish may ask for it. Budgets count sample gradients.
""")
    if (folder / "note.txt").exists():  # what is particular about these runs
        print((folder / "note.txt").read_text())
    print("## Equal conditions: reported half, 100,000 gradients\n")
    equal_conditions(rows, "reported")
    compare(rows)
    print("![performance profile](zoo/profile.svg)\n")
    print("## What the loop does and what is done after it, by budget\n")
    by_budget(rows, "reported")
    accounts.made_of(rows)
    print(LOOP_TEXT)
    verdicts(rows)
    print("## The order of the samples\n")
    print("Finite sums, reported half, 100,000 gradients, the loop only: reshuffled every epoch against independent draws.\n")
    sampling_order(rows, "reported")
    if any(r["half"] == "developed" for r in rows):
        print("## The half the rule was developed on\n")
        by_budget([r for r in rows if r["half"] == "developed"], "developed")
    if (folder / "before.csv").exists():
        before = read(folder / "before.csv")
        accounts.against_before(rows, before)
        if (folder / "scale_of_then.csv").exists():
            accounts.with_the_scale_of_then(read(folder / "scale_of_then.csv"), before)
        print((folder / "before.txt").read_text())
    print("## Linear models by epochs\n")
    print("Whole runs. Percent above the best objective known (the lowest of all runs, 300 epochs among them), worst of the seeds:\n")
    models(model_rows)
    print("## A wrong L\n")
    print("All quadratics, 100,000 gradients, with `--curvature` far from the truth:\n")
    accounts.wrong_curvature(wrong_rows)
    print("## Infeasible twins\n")
    accounts.twins(rows)


main()
