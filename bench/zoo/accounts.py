"""Accounts of docs/zoo.md that compare runs: with those before the house was rebuilt, of what eps of the loop is made, twins, a wrong L."""
import collections
import math
import statistics

FLOOR = 1e-8  # what lies below is not compared
SHARE = 0.9  # eps counts as a violation where the largest relative violation is more than this of it
BEFORE = ("netlib samples only", 100)  # the family whose growth is told problem by problem, from this factor


def bounded(row):
    value = float(row["error"])
    return min(10.0, max(FLOOR, value)) if math.isfinite(value) else 10.0


def geometric_mean(values):
    return math.exp(statistics.mean(math.log(v) for v in values))


def against_before(rows, before):
    """Whole runs of the reported half at 100,000 gradients, seed 1: now over then, by family."""
    now = {(r["family"], r["problem"]): r for r in rows
           if (r["method"], r["budget"], r["half"], r["seed"]) == ("automatic", "100000", "reported", "1")}
    pairs = [(then, now[then["family"], then["problem"]]) for then in before if (then["family"], then["problem"]) in now]
    ratio = collections.defaultdict(dict)
    for then, today in pairs:
        if then["family"] != "infeasible":
            ratio[then["family"]][then["problem"]] = bounded(today) / bounded(then)
    print("## Against the zoo before the house was rebuilt\n")
    print('[zoo/before.csv](zoo/before.csv) has the runs of the commit "The zoo printed with the certificate as it is": whole runs, reported half, '
          "100,000 gradients, seed 1, as today's. eps of now over eps of then, geometric mean:\n")
    print("| family | problems | now over then | problems with a larger eps | largest growth | where |")
    print("| --- | ---: | ---: | ---: | ---: | --- |")
    for family, found in ratio.items():
        worst = max(found, key=found.get)
        larger = sum(r > 1.001 for r in found.values())
        print(f"| {family} | {len(found)} | {geometric_mean(found.values()):.3g} | {larger} | "
              f"{f'{found[worst]:.3g} | {worst}' if larger else ' | '} |")
    changed = [f"{then['problem']} ({then['status']}, now {today['status']} at {float(today['error']):.1e})"
               for then, today in pairs if then["status"] != today["status"]]
    twins = sum(then["family"] == "infeasible" for then, _ in pairs)
    print(f"\nStatuses differ on {len(changed)} of {len(pairs) - twins} problems and {twins} infeasible twins{': ' + ', '.join(changed) if changed else ''}.")
    family, much = BEFORE
    found = ratio[family]
    far = sorted((p for p in found if found[p] > much), key=found.get, reverse=True)
    rest = [r for p, r in found.items() if not p.startswith("bore3d")]
    print(f'On "{family}" eps grew on {sum(r > 1.001 for r in found.values())} of {len(found)} problems, on {len(far)} of them more than '
          f"{much} times ({', '.join(f'{p.split()[0]} {found[p]:,.0f}' for p in far)}); without bore3d the mean is "
          f"{geometric_mean(rest):.0f}.\n")


def with_the_scale_of_then(runs, before):
    """Runs of today's code whose judge scales callables as he did then: eps over that of then, by family."""
    then = {(r["family"], r["problem"]): r for r in before}
    ratio = collections.defaultdict(list)
    for run in runs:
        ratio[run["family"]].append(bounded(run) / bounded(then[run["family"], run["problem"]]))
    print("**The judge became stricter, the runs did not get worse.** These two families are callables, which do not tell their curvature: he takes it from gradients now, and took all that f bends for it then. "
          "Today's code with his scale of then (`bridle/certify/scales.cpp`, `by_curvature`: `bent` for all variables; [zoo/scale_of_then.csv](zoo/scale_of_then.csv)) has, over the eps of then: "
          + "; ".join(f'"{family}" {geometric_mean(found):.2g} times on {len(found)} problems, {max(found):.2g} at worst' for family, found in ratio.items()) + ".\n")


def made_of(rows):
    """Runs of the loop alone that do not end stationary: how often a row's violation is eps."""
    runs = [r for r in rows if r["method"] == "automatic/loop" and r["half"] == "reported" and r["family"] != "infeasible" and
            r["status"] != "stationary"]
    budgets = sorted({r["budget"] for r in runs}, key=int)
    print(f"What eps is in these runs of the loop that do not end `stationary`: the runs whose largest relative violation of a row is more than {SHARE} eps, "
          "of how many. In the others it is the stationarity (or complementarity).\n")
    print("| family | " + " | ".join(f"{int(b):,} gradients" for b in budgets) + " |")
    print("| --- " + "| ---: " * len(budgets) + "|")

    def share(some):
        return f"{sum(float(r['violation']) > SHARE * float(r['error']) for r in some)} of {len(some)}" if some else ""

    for family in dict.fromkeys(r["family"] for r in runs):
        print(f"| {family} | " + " | ".join(share([r for r in runs if (r["family"], r["budget"]) == (family, b)]) for b in budgets) + " |")
    print("| all | " + " | ".join(share([r for r in runs if r["budget"] == b]) for b in budgets) + " |\n")


def twins(rows):
    asked = [r for r in rows if r["family"] == "infeasible"]
    proved = [r for r in asked if r["status"] == "infeasible"]
    wrong = [r for r in rows if r["family"] != "infeasible" and r["status"] == "infeasible"]
    print(f"{len(proved)} of {len(asked)} runs on infeasible twins end `infeasible` with a proof that the judge has checked; "
          f"{len(wrong)} of {len(rows) - len(asked)} runs on feasible problems do.\n")
    for row in asked:
        if row["status"] != "infeasible":
            print(f"- not proved: {row['problem']} ({row['status']}, eps {float(row['error']):.1e})")


def wrong_curvature(rows):
    print("| L given | problems | certified at 1e-2 | correction logged | largest eps |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for method, name in (("too-small", "0.02 times the true one"), ("too-large", "50 times the true one")):
        runs = [r for r in rows if r["method"] == method]
        good = sum(float(r["error"]) <= 1e-2 for r in runs)
        told = sum(r["corrected"] == "1" for r in runs)
        print(f"| {name} | {len(runs)} | {good} | {told} | {max(float(r['error']) for r in runs):.1e} |")
    print()
