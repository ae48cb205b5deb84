"""Solves random problems with known truth and asks both judges: the program's, and tests/judge/judge.py.

Usage: compare.py BRIDLE [--problems N] [--first SEED] [--keep FOLDER]
Prints a table for docs/certificate.md; exit code 1 when a verdict was wrong or the judges disagree.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "judge"), str(pathlib.Path(__file__).parent)]
import judge  # noqa: E402
import problems  # noqa: E402

STATUSES = ("stationary", "infeasible", "diverged", "budget_exhausted")
WIDE = 100  # times the tolerance: a certified objective of a convex problem is at least this near to the optimum


def false_verdict(problem, result):
    """What is wrong with the status, given the truth; empty if nothing is."""
    status = result["status"]
    if status == "infeasible" and problem.truth in ("feasible", "unbounded"):
        return "false infeasible"
    if status == "stationary" and problem.truth in ("infeasible", "unbounded"):
        return "false stationary"
    if status == "diverged" and "unbounded" in result and problem.truth not in ("unbounded",):
        return "false unbounded"
    if status == "stationary" and problem.optimum is not None:
        off = abs(result["objective"] - problem.optimum)
        if off > WIDE * problems.TOLERANCE * max(abs(problem.optimum), problem.stake):
            return "false stationary"
    return ""


def run_one(arguments):
    bridle, seed, keep = arguments
    problem = problems.generate(seed)
    with tempfile.TemporaryDirectory(prefix="bridle-judges-") as name:
        folder = pathlib.Path(keep) / str(seed) if keep else pathlib.Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in problem.files().items():
            (folder / file).write_text(text)
        done = subprocess.run([bridle, "solve", problem.main_file, "--quiet", "--json", "-", "--samples", "40000"],
                              cwd=folder, capture_output=True, text=True, timeout=600)
        if done.returncode not in (0, 1, 3, 4):
            return seed, problem.kind, problem.truth, "crash", [done.stderr.strip()], ""
        result = json.loads(done.stdout)
        (folder / "result.json").write_text(done.stdout)
        figures = judge.judge(str(folder / problem.main_file), result, problems.TOLERANCE)
        complaints = judge.agrees_with(result, figures, problems.TOLERANCE)
        return seed, problem.kind, problem.truth, result["status"], complaints, false_verdict(problem, result)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bridle")
    parser.add_argument("--problems", type=int, default=2600)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--keep", default="")
    options = parser.parse_args()
    bridle = str(pathlib.Path(options.bridle).resolve())
    counts = collections.defaultdict(collections.Counter)
    bad = []
    jobs = [(bridle, seed, options.keep) for seed in range(options.first, options.first + options.problems)]
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for seed, kind, truth, status, complaints, wrong in pool.map(run_one, jobs, chunksize=10):
            row = counts[kind]
            row["problems"] += 1
            row[status] += 1
            row["disagreements"] += bool(complaints)
            row[wrong or "right"] += 1
            row["not proved"] += truth in ("infeasible", "unbounded") and status == "budget_exhausted"
            if complaints or wrong or status == "crash":
                bad.append((seed, kind, truth, status, complaints, wrong))
    columns = ("problems", *STATUSES, "not proved", "false stationary", "false infeasible", "false unbounded", "disagreements")
    print("| kind | " + " | ".join(c.replace("_", " ") for c in columns) + " |")
    print("| --- |" + " --- |" * len(columns))
    total = collections.Counter()
    for kind, row in counts.items():
        total.update(row)
        print(f"| {kind} | " + " | ".join(str(row[c]) for c in columns) + " |")
    print("| all | " + " | ".join(str(total[c]) for c in columns) + " |")
    for entry in bad[:30]:
        print("problem {}: {} ({}), {}: {} {}".format(*entry), file=sys.stderr)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
