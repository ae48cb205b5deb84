"""Few flows: what branches over hostings make of the bound over chains, and whether CBC agrees with the optimum.

Usage: few.py BUILD [--networks A,B] [--flows 3,10] [--seeds 1,2,3] [--limit S]
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from compare import DATA, cbc, cell, timed


def run_one(bridle, network, flows, case, seed, limit):
    with tempfile.TemporaryDirectory() as folder:
        lp = pathlib.Path(folder) / "instance.lp"
        options = [DATA / f"{network}.txt", "--flows", flows, "--seed", seed, "--quiet", *(["--tight"] if case == "tight" else [])]
        subprocess.run([str(a) for a in (bridle, "slice", *options, "--runs", 1, "--branches", 0, "--time-limit", 0.001, "--write-lp", lp)],
                       check=False)
        done, seconds, _ = timed([bridle, "slice", *options, "--json", "-"])
        ours = json.loads(done.stdout)
        root, _, _ = timed([bridle, "slice", *options, "--runs", 1, "--branches", 0, "--json", "-"])
        value, _, status, cbc_seconds = cbc(lp, 1e-6, limit)
        row = {"seconds": seconds, "cbc_seconds": cbc_seconds, "status": ours["status"], "cbc_status": status, "cbc": value}
        if ours["status"] == "feasible":
            row.update(cost=ours["cost"], proven=100 * ours["gap"], root=100 * (ours["cost"] / json.loads(root.stdout)["lower_bound"] - 1))
        return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--networks", default="polska,abilene,atlanta,nobel-us")
    parser.add_argument("--flows", default="3,10")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--limit", type=float, default=20)
    a = parser.parse_args()
    if not DATA.is_dir():
        print(f"skipped: {DATA} is not there")
        return 77
    print("| network | flows | case | placed, proven impossible, open | gap of the bound over chains: worst % | with branches: worst % | "
          "cost above CBC's: worst % | s | CBC s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    wrong = 0
    for network in a.networks.split(","):
        for flows in a.flows.split(","):
            for case in ("loose", "tight"):
                rows = [run_one(a.build / "cli" / "bridle", network, flows, case, seed, a.limit) for seed in a.seeds.split(",")]
                placed = [r for r in rows if r["status"] == "feasible"]
                impossible = [r for r in rows if r["status"] == "infeasible"]
                wrong += sum(r["cbc"] is not None for r in impossible)
                above = [100 * (r["cost"] / r["cbc"] - 1) for r in placed if r["cbc"] is not None]
                wrong += sum(r["cbc"] is not None and r["cbc"] < (1 - 1e-6) * r["cost"] / (1 + r["proven"] / 100) for r in placed)
                print(f"| {network} | {flows} | {case} | {len(placed)}, {len(impossible)}, {len(rows) - len(placed) - len(impossible)} | "
                      f"{cell(max((r['root'] for r in placed), default=None))} | {cell(max((max(0, r['proven']) for r in placed), default=None))} | "
                      f"{cell(max((max(0, v) for v in above), default=None))} | {statistics.median(r['seconds'] for r in rows):.1f} | "
                      f"{statistics.median(r['cbc_seconds'] for r in rows):.1f} |", flush=True)
    print(f"\n{wrong} bounds or proofs that CBC contradicts")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
