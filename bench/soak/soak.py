"""Random problems with random options until their time of the processor is up, every result judged twice.

Usage: soak.py BRIDLE KEEP [MINUTES] [--first SEED]
MINUTES are of the processor, runs and judges together: a busy machine tries as many problems as an idle one. Problem number SEED and its options depend on SEED alone. What goes wrong is kept in the folder KEEP/SEED. SIGTERM ends it
early, with the table of what was run until then.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import pathlib
import random
import resource
import signal
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "judge"), str(ROOT / "bench" / "judges")]
import compare  # noqa: E402
import judge  # noqa: E402
import problems  # noqa: E402
import slices  # noqa: E402

MOST_SECONDS = 900  # of the processor, for one problem


def random_options(rng):
    """Options of `solve` that a user might combine."""
    out = ["--samples", str(int(10 ** rng.uniform(1, 4.3))), "--seed", str(rng.randrange(1000))]
    for option, chance in (("--no-second-order", 0.4), ("--no-finish", 0.2), ("--absolute", 0.1)):
        if rng.random() < chance:
            out.append(option)
    if rng.random() < 0.3:
        out += ["--tolerance", rng.choice(["1e-2", "1e-3", "1e-6", "0"])]
    if rng.random() < 0.3:
        out += ["--batch", str(rng.choice([1, 2, 7, 64]))]
    if rng.random() < 0.2:
        out += ["--sampling", "independent"]
    if rng.random() < 0.2:
        out += ["--output", rng.choice(["last", "random"])]
    if rng.random() < 0.25:
        out += ["--algorithm", rng.choice(["storm", "safeguarded", "safeguarded-storm", "plain-alm", "penalty-sgd", "zhang-luo"])]
    if rng.random() < 0.15:
        out += ["--log", "log.csv"]
    if rng.random() < 0.15:
        out += ["--checkpoint", "state", "--checkpoint-seconds", "0"]
    return out


def limit_processor_time():
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 5))


def run(bridle, folder, *arguments):
    # By the processor's time: beside busy programs the clock says little. A run that sleeps for good ends by the clock.
    return subprocess.run([bridle, *arguments], cwd=folder, capture_output=True, text=True, timeout=10 * MOST_SECONDS,
                          preexec_fn=limit_processor_time)


def run_problem(bridle, folder, seed, rng):
    problem = problems.generate(seed)
    for file, text in problem.files().items():
        (folder / file).write_text(text)
    options = random_options(rng)
    (folder / "options").write_text(" ".join(options))
    done = run(bridle, folder, "solve", problem.main_file, "--quiet", "--json", "-", *options)
    if done.returncode == 2 and done.stderr.startswith("bridle: error: ") and done.stderr.count("\n") == 1:
        return problem.kind, "refused", []
    if done.returncode not in (0, 1, 3, 4):
        return problem.kind, "crash", [f"exit code {done.returncode}: {done.stderr.strip()[-2000:]}"]
    result = json.loads(done.stdout)
    (folder / "result.json").write_text(done.stdout)
    tolerance = result["tolerance"]
    figures = judge.judge(str(folder / problem.main_file), result, tolerance, "--absolute" in options)
    complaints = judge.agrees_with(result, figures, tolerance)
    if "--absolute" not in options and tolerance <= problems.TOLERANCE and (wrong := compare.false_verdict(problem, result)):
        complaints.append(wrong)
    return problem.kind, result["status"], complaints


def run_slice(bridle, folder, rng):
    (folder / "i.toml").write_text(slices.random_instance(rng))
    done = run(bridle, folder, "slice", "i.toml", "--runs", str(rng.randint(1, 3)), "--seed", str(rng.randrange(99)),
               "--time-limit", "20", "--quiet", "--json", "out.json")
    if done.returncode == 2 and done.stderr.startswith("bridle: error: ") and done.stderr.count("\n") == 1:
        return "slices", "refused", []
    if done.returncode not in (0, 1, 3):
        return "slices", "crash", [f"exit code {done.returncode}: {done.stderr.strip()[-2000:]}"]
    result = json.loads((folder / "out.json").read_text())
    status = {"feasible": "stationary"}.get(result["status"], result["status"])
    return "slices", status, slices.complaints(folder / "i.toml", result)


def processor_seconds():
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def run_one(bridle, keep, seed):
    begin = processor_seconds()
    rng = random.Random(seed)
    folder = pathlib.Path(keep) / str(seed)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        kind, status, complaints = run_slice(bridle, folder, rng) if seed % 11 == 10 else run_problem(bridle, folder, seed, rng)
    except subprocess.TimeoutExpired:
        kind, status, complaints = "?", "crash", [f"does not end within {10 * MOST_SECONDS} s"]
    except Exception as error:  # a result that a judge cannot even read
        kind, status, complaints = "?", "crash", [f"not judged: {error!r}"]
    if not complaints:
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()
    return seed, kind, status, complaints, processor_seconds() - begin


class Budget:
    """Of the processor's time, in minutes; SIGTERM ends it."""

    def __init__(self, minutes):
        self.most, self.spent = minutes, 0.0
        signal.signal(signal.SIGTERM, self.end)

    def end(self, *_):
        self.most = 0

    def over(self):
        return self.spent >= self.most


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("bridle")
    parser.add_argument("keep")
    parser.add_argument("minutes", nargs="?", type=float, default=10)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    counts, bad = collections.defaultdict(collections.Counter), []
    seeds = itertools.count(options.first)
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        budget = Budget(options.minutes)
        pending = set()
        while pending or not budget.over():
            while len(pending) < 4 and not budget.over():
                pending.add(pool.submit(run_one, options.bridle, options.keep, next(seeds)))
            done, pending = concurrent.futures.wait(pending, return_when=concurrent.futures.FIRST_COMPLETED)
            for seed, kind, status, complaints, seconds in (job.result() for job in done):
                budget.spent += seconds / 60
                counts[kind]["problems"] += 1
                counts[kind][status] += 1
                counts[kind]["complaints"] += bool(complaints)
                if complaints:
                    bad.append((seed, kind, status, complaints))
    print(f"{budget.spent:.1f} minutes of the processor")
    columns = ("problems", *compare.STATUSES, "refused", "crash", "complaints")
    print("| kind | " + " | ".join(c.replace("_", " ") for c in columns) + " |")
    print("| --- |" + " --- |" * len(columns))
    counts["all"] = sum(counts.values(), collections.Counter())
    for kind, row in counts.items():
        print(f"| {kind} | " + " | ".join(str(row[c]) for c in columns) + " |")
    for seed, kind, status, complaints in bad[:30]:
        print(f"problem {seed}: {kind}, {status}: {complaints}", file=sys.stderr)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
