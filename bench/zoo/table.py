"""docs/zoo.md from the runs of bench_zoo. Usage: table.py RUNS.csv"""
import collections
import csv
import math
import statistics
import sys

rows = list(csv.DictReader(open(sys.argv[1])))


def geometric_mean(values):
    return math.exp(statistics.mean(math.log(max(v, 1e-16)) for v in values))


def table(method, half):
    by_family = collections.defaultdict(list)
    for row in rows:
        if row["method"] == method and row["half"] == half and row["family"] != "infeasible":
            by_family[row["family"]].append(row)
    print("| family | runs | geometric mean of eps | worst | where |")
    print("| --- | ---: | ---: | ---: | --- |")
    for family, runs in by_family.items():
        errors = [float(r["error"]) for r in runs]
        worst = max(runs, key=lambda r: float(r["error"]))
        print(f"| {family} | {len(runs)} | {geometric_mean(errors):.1e} | {float(worst['error']):.1e} | {worst['problem']} |")
    print()


def compare():
    """Median eps per problem, automatic against the others, on the half that is reported."""
    eps = collections.defaultdict(list)
    for row in rows:
        if row["half"] == "reported" and row["family"] != "infeasible":
            eps[row["method"], row["problem"]].append(float(row["error"]))
    median = {key: statistics.median(values) for key, values in eps.items()}
    others = sorted({m for m, _ in median} - {"automatic"})
    if not others:
        return
    print("Against the others, reported half, median eps of the seeds; eps below 1e-9 counts as 1e-9:\n")
    print("| against | problems | within a factor 2 of it | better | worst ratio | where |")
    print("| --- | ---: | ---: | ---: | ---: | --- |")
    for other in others:
        problems = [p for m, p in median if m == other and ("automatic", p) in median]
        ratio = {p: max(median["automatic", p], 1e-9) / max(median[other, p], 1e-9) for p in problems}
        worst = max(ratio, key=ratio.get)
        close = sum(r <= 2 for r in ratio.values()) / len(ratio)
        better = sum(r < 1 for r in ratio.values()) / len(ratio)
        print(f"| {other} | {len(ratio)} | {close:.0%} | {better:.0%} | {ratio[worst]:.2g} | {worst} |")
    print()


print("# The zoo\n")
print("Written by `./scripts/bench zoo`: problems that nobody tuned for, 100,000 gradient evaluations each, one run per "
      "noise-free problem and three seeds otherwise. eps is the judge's relative error at the returned point. The rule is "
      "developed on one half of each family and reported on the other; which half a problem is in depends on its place in the "
      "family (`bench/zoo/zoo.cpp`). The closing polish may use full gradients; these objectives know theirs.\n")
print("## Reported half\n")
table("automatic", "reported")
compare()
print("## Half that the rule was developed on\n")
table("automatic", "developed")
twins = [r for r in rows if r["family"] == "infeasible"]
proved = [r for r in twins if r["status"] == "infeasible"]
wrong = [r for r in rows if r["family"] != "infeasible" and r["status"] == "infeasible"]
print("## Infeasible twins\n")
print(f"{len(proved)} of {len(twins)} twins end `infeasible` with a proof; {len(wrong)} feasible runs do.")
for row in twins:
    if row["status"] != "infeasible":
        print(f"- not proved: {row['problem']} ({row['status']}, eps {float(row['error']):.1e})")
