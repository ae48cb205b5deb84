"""The page on time to accuracy: accuracy.py TEMPLATE FOLDER SECONDS MACHINE PAGE PLOT.

FOLDER has one file NAME.csv per problem, as bench_accuracy prints them.
"""
import csv
import math
import pathlib
import re
import sys

GOALS = (1e-2, 1e-4, 1e-6, 1e-8)
RIVALS = ("Ipopt", "SLSQP", "trust-constr", "L-BFGS-B")
METHODS = ("Bridle", "second-order steps") + RIVALS
SHORT = {"second-order steps": "2nd"}
FRONT = ("adult logistic-difference", "a9a monotone, signs, budget", "bands n = 1000")  # in the picture of README.md


def read(folder):
    """Problem -> method -> [(seconds, error, objective)], in the order in which the problems were run."""
    out = {}
    for path in sorted(folder.glob("*.csv")):
        trails = {}
        for method, *figures in csv.reader(path.open()):
            trails.setdefault(method, []).append(tuple(map(float, figures)))
        out[path.stem.split(" ", 1)[1]] = trails
    return out


def first_times(trail):
    return [min((s for s, e, _ in trail if e <= goal), default=math.inf) for goal in GOALS]


def higher(methods):
    """Methods whose last objective is 0.1% or more above the best: they found another minimum. method -> share."""
    last = {method: trail[-1][2] for method, trail in methods.items() if trail[-1][1] <= GOALS[0]}
    best = min(last.values(), default=math.nan)
    return {method: value / best - 1 for method, value in last.items() if value > best + 1e-3 * abs(best)}


def shown(seconds):
    return "-" if math.isinf(seconds) else f"{seconds:.3f}" if seconds < 1 else f"{seconds:.1f}"


def table(times, worse):
    lines = ["| problem | method | 1e-2 | 1e-4 | 1e-6 | 1e-8 |", "| --- | --- | --- | --- | --- | --- |"]
    for problem, methods in times.items():
        name = problem
        best = [min(column) for column in zip(*(t for m, t in methods.items() if m not in worse[problem]))]
        for method in METHODS:
            if method in methods:
                cells = [f"**{shown(s)}**" if s == b and not math.isinf(s) else shown(s) for s, b in zip(methods[method], best)]
                mark = f", f {100 * worse[problem][method]:.2g}% higher" if method in worse[problem] else ""
                lines.append(f"| {name} | {SHORT.get(method, method)}{mark} | " + " | ".join(cells) + " |")
                name = ""
    return "\n".join(lines)


def adult_in_epochs(trails, times):
    """What the reference problem takes to the last accuracy, in epochs of the loop."""
    methods = trails.get("adult logistic-difference", {})
    if "epoch" not in methods:
        return ""
    epoch = methods["epoch"][0][0]
    whole, steps = (times["adult logistic-difference"][m][-1] / epoch for m in ("Bridle", "second-order steps"))
    return (f"- An epoch of the loop on Adult (logistic-difference) takes {1000 * epoch:.1f} ms: a whole run to 1e-8 takes as long as {whole:.1f} "
            f"epochs, its second-order steps alone {steps:.1f}. Three were sought.")


def in_words(ratio):
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"


def compare(times, worse, ours):
    """Where `ours` is behind, in words, and its ratios to every rival. Rivals at a higher minimum do not count."""
    behind, ratios, cases = [], {rival: [] for rival in RIVALS}, 0
    for problem, methods in times.items():
        mine = methods.get(ours, [math.inf] * len(GOALS))
        for goal, seconds, k in zip(GOALS, mine, range(len(GOALS))):
            cases += 1
            rivals = {r: methods[r][k] for r in RIVALS if r in methods and r not in worse[problem]}
            for rival, theirs in rivals.items():
                if not (math.isinf(seconds) and math.isinf(theirs)):
                    ratios[rival].append((theirs / seconds, goal))
            faster = {r: s for r, s in rivals.items() if s < seconds}
            if faster:
                rival = min(faster, key=faster.get)
                mine_text = "not there" if math.isinf(seconds) else f"{shown(seconds)} s"
                behind.append(f"{problem} to {goal:.0e} ({mine_text}, {rival} {shown(faster[rival])} s)".replace("e-0", "e-"))
    return behind, ratios, cases


def sentences(measured, worse, limit):
    out = []
    for ours, called in (("Bridle", "A whole run"), ("second-order steps", "The second-order steps alone")):
        behind, ratios, cases = compare(measured, worse, ours)
        places = "; ".join(behind)
        if behind:
            out.append(f"- **{called} is behind** in {len(behind)} of {cases} cases: {places}."
                       if ours == "Bridle" else
                       f"- **{called} are behind** in {len(behind)} of {cases} cases: {places}.")
        else:
            out.append(f"- {called} {'is' if ours == 'Bridle' else 'are'} ahead of every rival in all {cases} cases.")
        for rival in RIVALS:
            sharp = sorted(r for r, goal in ratios[rival] if goal <= 1e-4)
            if not sharp:
                continue
            never = sum(math.isinf(r) for r in sharp)
            middle = sharp[len(sharp) // 2]
            text = f"at least {in_words(sharp[0])} times as long" if sharp[0] >= 1 else f"from {in_words(sharp[0])} times as long on"
            median = f"in the median {in_words(middle)} times" if not math.isinf(middle) else "in most cases it does not get there"
            out.append(f"  - {rival} from 1e-4 on takes {text}, {median}; in {never} of {len(sharp)} cases it does not get there.")
    return "\n".join(out)


def plot(trails, path):
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    matplotlib.rcParams["svg.hashsalt"] = "bridle"
    columns = 3
    rows = -(-len(trails) // columns)
    figure, axes = plt.subplots(rows, columns, figsize=(12, max(3.6, 3 * rows)), squeeze=False)
    for axis in axes.flat[len(trails):]:
        axis.axis("off")
    for axis, (problem, methods) in zip(axes.flat, trails.items()):
        for k, method in enumerate(METHODS):
            if method not in methods:
                continue
            points, best = [], math.inf
            for seconds, error, _ in methods[method]:
                if error < best:
                    best = error
                    points.append((seconds, max(error, 1e-12)))
            style = {"linestyle": "none", "marker": "D", "markersize": 5} if method == "Bridle" else {"marker": ".", "markersize": 3}
            axis.loglog(*zip(*points), color=f"C{k}", label=SHORT.get(method, method), linewidth=1, **style)
        axis.set_title(problem, fontsize=9)
        axis.set_ylim(1e-9, 2)
        axis.grid(alpha=0.3)
        axis.tick_params(labelsize=7)
    axes[0][0].legend(fontsize=7)
    figure.supxlabel("processor seconds", fontsize=9)
    figure.supylabel("relative error", fontsize=9)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main():
    template, folder, limit, machine, page, picture = sys.argv[1:]
    trails = read(pathlib.Path(folder))
    times = {problem: {method: first_times(trail) for method, trail in methods.items()} for problem, methods in trails.items()}
    worse = {problem: higher(methods) for problem, methods in trails.items()}
    pieces = {"machine": pathlib.Path(machine).read_text().strip("\n"), "limit": limit, "table": table(times, worse),
              "sentences": "\n".join(filter(None, (sentences(times, worse, limit), adult_in_epochs(trails, times))))}
    text = re.sub(r"\{\{(\w+)\}\}", lambda m: pieces[m[1]], pathlib.Path(template).read_text())
    pathlib.Path(page).write_text(text)
    plot(trails, picture)
    front = {problem: trails[problem] for problem in FRONT if problem in trails}
    if front:
        plot(front, pathlib.Path(picture).with_name("front.svg"))


if __name__ == "__main__":
    main()
