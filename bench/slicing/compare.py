"""bridle slice against CBC, the rounded linear program and successive linear programs, on the same instances.

Seconds are processor time, so that other work on the machine does not count; ours spreads its own over threads, and its wall
time stands beside it.

Usage: compare.py BUILD [--long] [--networks A,B] [--flows 40] [--seeds 1] [--cases tight,loose] [--limit S] [--csv FILE]
"""
import argparse
import csv
import json
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared" / "data" / "sndlib"
NETWORKS = "polska,abilene,atlanta,nobel-us,newyork,france"
FIELDS = ["network", "flows", "case", "seed", "bound", "ours", "ours_seconds", "ours_wall", "violation", "cbc", "cbc_bound", "cbc_seconds",
          "cbc_status", "cbc1", "cbc1_seconds", "rounded", "rounded_seconds", "psum", "psum_seconds"]


def timed(arguments, **options):
    """What it did, its processor seconds, its wall seconds."""
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    before, start = used(), time.monotonic()
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True, **options)
    return done, used() - before, time.monotonic() - start


def cbc(lp, ratio, limit):
    """Value, lower bound, status, seconds."""
    done, seconds, _ = timed(["cbc", lp, "-timeMode", "cpu", "-sec", limit, "-ratio", ratio, "-solve"])
    text = done.stdout
    result = re.search(r"^Result - (.*)$", text, re.MULTILINE)
    status = result[1].strip() if result else "no result"
    value = re.search(r"^Objective value:\s+(\S+)", text, re.MULTILINE)
    bound = re.search(r"^Lower bound:\s+(\S+)", text, re.MULTILINE)
    value = float(value[1]) if value and "infeasible" not in status.lower() and "No feasible" not in text else None
    optimal = status.startswith("Optimal solution found") and "gap" not in status
    return value, float(bound[1]) if bound else (value if optimal else None), "optimal" if optimal else status, seconds


def run_one(build, network, flows, case, seed, limit):
    bridle = build / "cli" / "bridle"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        toml, lp = folder / "instance.toml", folder / "instance.lp"
        tight = ["--tight"] if case == "tight" else []
        subprocess.run([bridle, "slice", DATA / f"{network}.txt", "--flows", str(flows), "--seed", str(seed), *tight, "--quiet",
                        "--runs", "1", "--time-limit", "0.001", "--write-instance", toml, "--write-lp", lp], check=False)
        done, seconds, wall = timed([bridle, "slice", toml, "--quiet", "--json", "-"])
        ours = json.loads(done.stdout)
        row = {"network": network, "flows": flows, "case": case, "seed": seed, "bound": ours.get("lower_bound"),
               "ours": ours["cost"] if ours["status"] == "feasible" else None, "ours_seconds": seconds, "ours_wall": wall,
               "violation": ours.get("violation")}
        to_one_percent = cbc(lp, 0.01, limit)
        # Stopped by the limit before a gap of 1%, CBC would do the same again on its way to a smaller one.
        to_optimality = to_one_percent if "time" in to_one_percent[2] else cbc(lp, 1e-6, limit)
        row["cbc1"], _, _, row["cbc1_seconds"] = to_one_percent
        row["cbc"], row["cbc_bound"], row["cbc_status"], row["cbc_seconds"] = to_optimality
        done, _, _ = timed([build / "bench" / "slicing" / "bench_slicing", toml])
        rivals = json.loads(done.stdout)
        row.update(rounded=rivals.get("rounded"), rounded_seconds=rivals.get("lp_seconds"), psum=rivals.get("psum"),
                   psum_seconds=rivals.get("psum_seconds"))
        return {k: round(v, 6) if isinstance(v, float) else v for k, v in row.items()}


def best_known(row):
    known = [row[k] for k in ("ours", "cbc", "cbc1", "rounded", "psum") if row[k] is not None]
    return min(known) if known else None


def gap(row, key):
    best = best_known(row)
    return None if row[key] is None or best is None else 100 * (row[key] / best - 1)


def proven_gap(row):
    """To the better of the two lower bounds."""
    bounds = [b for b in (row["bound"], row["cbc_bound"]) if b is not None]
    return None if row["ours"] is None or not bounds else 100 * (row["ours"] / max(bounds) - 1)


def cell(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def table(rows):
    print("| network | flows | case | seed | ours: gap %, s (wall s) | CBC 1%: gap %, s | CBC: gap %, s | rounded LP: gap %, s | "
          "PSUM: gap %, s | proven gap % |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for r in rows:
        cells = [f"{cell(gap(r, k))}, {cell(r[s], 1)}" + (f" ({cell(r['ours_wall'], 1)})" if k == "ours" else "") for k, s in (
            ("ours", "ours_seconds"), ("cbc1", "cbc1_seconds"), ("cbc", "cbc_seconds"), ("rounded", "rounded_seconds"),
            ("psum", "psum_seconds"))]
        print(f"| {r['network']} | {r['flows']} | {r['case']} | {r['seed']} | " + " | ".join(cells) +
              f" | {cell(proven_gap(r))} |")


def grouped(rows):
    """The same over the seeds: gaps are the worst, seconds the median; how often there is a placement where it is not always."""
    print("| network | flows | case | ours: worst gap %, s | CBC 1%: worst gap %, s | CBC: worst gap %, s | "
          "rounded LP: worst gap %, s | PSUM: worst gap %, s | worst proven gap % |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for key in dict.fromkeys((r["network"], r["flows"], r["case"]) for r in sorted(
            rows, key=lambda r: (r["flows"], r["case"], NETWORKS.split(",").index(r["network"])))):
        group = [r for r in rows if (r["network"], r["flows"], r["case"]) == key]
        cells = []
        for k in ("ours", "cbc1", "cbc", "rounded", "psum"):
            gaps = [gap(r, k) for r in group if r[k] is not None]
            often = "" if len(gaps) == len(group) else f" ({len(gaps)} of {len(group)})"
            cells.append(f"{cell(max(gaps, default=None))}{often}, {cell(statistics.median(r[k + '_seconds'] for r in group), 1)}")
        proven = [proven_gap(r) for r in group if proven_gap(r) is not None]
        print(f"| {key[0]} | {key[1]} | {key[2]} | " + " | ".join(cells) + f" | {cell(max(proven, default=None))} |")


def summary(rows):
    feasible = [r for r in rows if best_known(r) is not None]
    print(f"\n{len(feasible)} of {len(rows)} instances have a known placement; ours is feasible on "
          f"{sum(r['ours'] is not None for r in feasible)}, largest violation {max((r['violation'] or 0) for r in feasible):.1e}")
    for title, chosen in (("40 flows and more", [r for r in feasible if int(r["flows"]) >= 40]),
                          ("20 flows, tight", [r for r in feasible if int(r["flows"]) == 20 and r["case"] == "tight"]),
                          ("20 flows, loose", [r for r in feasible if int(r["flows"]) == 20 and r["case"] == "loose"])):
        gaps = [gap(r, "ours") for r in chosen if r["ours"] is not None]
        if gaps:
            print(f"{title}: gap to the best known: median {statistics.median(gaps):.3f}%, worst {max(gaps):.3f}% "
                  f"({len(gaps)} instances)")
    tight = [r for r in feasible if int(r["flows"]) >= 40 and r["case"] == "tight"]
    faster = [r for r in tight if r["ours"] is not None and gap(r, "ours") <= 1 and r["ours_seconds"] < r["cbc1_seconds"]]
    france = [r["ours_wall"] for r in rows if r["network"] == "france" and int(r["flows"]) == 80]
    if france:
        print(f"france with 80 flows: at most {max(france):.1f} s by the clock")
    if tight:
        print(f"40 flows and more, tight: faster than CBC stopped at 1%, and within 1% of the best: {len(faster)} of {len(tight)}")


def number(text):
    try:
        return float(text) if text not in ("", None) else None
    except ValueError:
        return text


def read(path):
    if not path or not path.exists():
        return []
    with open(path, newline="") as file:
        rows = [{k: (v if k in ("network", "case", "cbc_status") else number(v)) for k, v in r.items()} for r in csv.DictReader(file)]
    for r in rows:
        r["flows"], r["seed"] = int(r["flows"]), int(r["seed"])
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--networks", default=NETWORKS)
    parser.add_argument("--flows")
    parser.add_argument("--seeds")
    parser.add_argument("--cases")
    parser.add_argument("--limit", type=float)
    parser.add_argument("--csv", type=pathlib.Path)
    a = parser.parse_args()
    if not DATA.is_dir():
        print(f"skipped: {DATA} is not there")
        return 77
    flows = [int(k) for k in (a.flows or ("20,40,80" if a.long else "40")).split(",")]
    seeds = [int(s) for s in (a.seeds or ("1,2,3,4,5" if a.long else "1")).split(",")]
    cases = (a.cases or ("loose,tight" if a.long else "tight")).split(",")
    limit = a.limit or (120 if a.long else 15)
    path = a.csv or (ROOT / "docs" / "slicing" / "runs.csv" if a.long else None)
    rows = read(path)
    done = {(r["network"], r["flows"], r["case"], r["seed"]) for r in rows}
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        for count in flows:
            for case in cases:
                for network in a.networks.split(","):
                    if (network, count, case, seed) in done:
                        continue
                    row = run_one(a.build, network, count, case, seed, limit)
                    rows.append(row)
                    print(f"{network} {count} {case} {seed}: ours {cell(row['ours'], 3)} in {row['ours_seconds']:.1f} s, CBC 1% "
                          f"{cell(row['cbc1'], 3)} in {row['cbc1_seconds']:.1f} s, CBC {cell(row['cbc'], 3)} in "
                          f"{row['cbc_seconds']:.1f} s ({row['cbc_status']})", file=sys.stderr, flush=True)
                    if path:
                        new = not path.exists()
                        with open(path, "a", newline="") as file:
                            writer = csv.DictWriter(file, FIELDS)
                            if new:
                                writer.writeheader()
                            writer.writerow(row)
    (grouped if a.long else table)(rows)
    summary(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
