"""Markdown: what workers gain on two cores, what averaging costs in epochs, and what faults leave behind.

Usage: workers.py BRIDLE BENCH_PARALLEL DATA [SECTION...]     sections: time, epochs, ranks, faults, model
"""
import gzip
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

import rank_model

ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
ROUNDS = 3
# Name, ranks, threads, workers, and whether each rank has the samples of its workers alone
WAYS = (("1", 1, 1, 1, 0), ("2 threads", 1, 2, 1, 0), ("2 threads", 1, 2, 2, 0), ("2 ranks", 2, 1, 1, 0), ("2 ranks", 2, 1, 2, 0),
        ("2 ranks, split", 2, 1, 2, 1))
SIZES = (("sparse", "2e6", "1e5", "50"), ("dense", "1e6", "100", "100"))


def made_up(bench, size, ranks=1, **options):
    call = (["mpirun", "-n", str(ranks)] if ranks > 1 else []) + [bench, *size, *(f"{k}={v}" for k, v in options.items())]
    return json.loads(subprocess.run(call, capture_output=True, text=True, env=ENVIRONMENT, check=True).stdout)


def side_by_side(bench, size, **options):
    """Two runs of one thread at the same time, which share nothing but the machine: the mean of their seconds."""
    call = [bench, *size, *(f"{k}={v}" for k, v in options.items())]
    both = [subprocess.Popen(call, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) for _ in range(2)]
    return sum(json.loads(run.communicate()[0])["seconds"] for run in both) / 2


def times(bench):
    print("## Time to accuracy, two cores\n")
    print("Made-up data in memory, logistic-difference loss, a ridge and a row; whole runs without making the data, the shortest of three; "
          f"the judge's relative error. Load before: {os.getloadavg()[0]:.1f}. Processor: seconds of it, of both cores, which a "
          "loaded machine does not change much. Two runs side by side: twice the time of one over theirs, all that this machine has to "
          "give to a second core. Alone: the share of them in which no second thread could have helped (the loop of one "
          "worker, and all outside of what threads share); what it leaves to gain on two cores that are idle: 1/(alone + (1 - alone)/2).\n")
    print("| data | to | cores | workers | seconds | faster | processor | alone | leaves | start | loop | second order | judge | error | objective |")
    print("| --- | --- | --- | --- |" + " ---: |" * 11)
    for size in SIZES:
        for tolerance in ("1e-2", "1e-4"):
            runs = [[made_up(bench, size, ranks, threads=threads, workers=workers, split=split, tolerance=tolerance)
                     for _, ranks, threads, workers, split in WAYS] for _ in range(ROUNDS)]
            both = min(side_by_side(bench, size, threads=1, workers=1, tolerance=tolerance) for _ in range(ROUNDS))
            best = [min(way, key=lambda run: run["seconds"]) for way in zip(*runs)]
            one = best[0]["seconds"]
            for (name, ranks, _, workers, _), r in zip(WAYS, best):
                by_threads = (f"{r['processor']:.2f} | {100 * r['alone']:.1f}% | {2 / (1 + r['alone']):.2f}" if ranks == 1
                              else " - | - | - ")
                print(f"| {' '.join(size)} | {tolerance} | {name} | {workers} | {r['seconds']:.2f} | "
                      f"{one / r['seconds']:.2f} | {by_threads} | {r['start']:.2f} | {r['loop']:.2f} | "
                      f"{r['second order']:.2f} | {r['judge']:.2f} | {r['error']:.1e} | {r['objective']:.6f} |", flush=True)
            print(f"| {' '.join(size)} | {tolerance} | two runs side by side | 1 | {both:.2f} | {2 * one / both:.2f} |" + " - |" * 9, flush=True)


def write_problems(folder, data):
    """Adult and a9a, and both with their samples by label."""
    adult = [line for line in gzip.open(f"{data}/adult/adult.data.gz", "rt") if line.strip()]
    a9a = gzip.open(f"{data}/a9a/a9a.gz", "rt").read().splitlines(keepends=True)
    for name, lines, key in (("adult.data", adult, lambda line: line.rstrip().endswith(">50K")),
                             ("a9a.libsvm", a9a, lambda line: line.startswith("+1"))):
        (folder / name).write_text("".join(lines))
        (folder / ("sorted-" + name)).write_text("".join(sorted(lines, key=key)))
    example = (pathlib.Path(__file__).parents[2] / "examples" / "adult.toml").read_text()
    for prefix in ("", "sorted-"):
        (folder / f"{prefix}adult.toml").write_text(example.replace("adult.data.gz", prefix + "adult.data"))
        (folder / f"{prefix}a9a.toml").write_text(
            f'[objective]\nkind = "linear-model"\ndata = "{prefix}a9a.libsvm"\nloss = "logistic-difference"\nridge = 1e-4\n')


def objective_of(bridle, folder, problem, *options):
    subprocess.run([bridle, "solve", problem, "--quiet", "--json", "out.json", *map(str, options)], cwd=folder,
                   capture_output=True, check=False)
    return json.loads((folder / "out.json").read_text())["objective"]


def epochs(bridle, bench, folder, data):
    print("## What averaging costs\n")
    print("Epochs of the loop alone (budgets 1, 2, 4, ..., 256) after which the objective is within 1e-2 and 1e-4 of the best "
          "known, relative.\n")
    counts = (1, 2, 4, 8, 16, 64)
    print("| data | within | " + " | ".join(f"W = {w}" for w in counts) + " |")
    print("| --- | --- |" + " ---: |" * len(counts))
    write_problems(folder, data)

    def row(name, objective, best):
        for within in (1e-2, 1e-4):
            found = []
            for workers in counts:
                budget = 1
                while budget <= 256 and objective(workers, budget) > best * (1 + within):
                    budget *= 2
                found.append(str(budget) if budget <= 256 else "-")
            print(f"| {name} | {within:g} | " + " | ".join(found) + " |", flush=True)

    for name in ("adult", "a9a", "sorted-adult", "sorted-a9a"):
        problem = name + ".toml"
        known = {}

        def objective(workers, budget, problem=problem, known=known):
            if (workers, budget) not in known:
                known[workers, budget] = objective_of(bridle, folder, problem, "--no-finish", "--tolerance", 0, "--epochs",
                                                      budget, "--workers", workers)
            return known[workers, budget]
        row(name, objective, objective_of(bridle, folder, problem))
    size = ("sparse", "2e5", "1e4", "50")
    for prefix, by_label in (("", 0), ("sorted-", 1)):  # by label: workers see one class or the other
        found = {}

        def made(workers, budget, by_label=by_label, found=found):
            if (workers, budget) not in found:
                found[workers, budget] = made_up(bench, size, loop=1, tolerance=0, epochs=budget, workers=workers, threads=2,
                                                 sorted=by_label)["objective"]
            return found[workers, budget]
        row(prefix + " ".join(size), made, made_up(bench, size, workers=1, threads=2, tolerance=1e-6, sorted=by_label)["objective"])


def timed(call, folder):
    began = time.monotonic()
    subprocess.run(list(map(str, call)), cwd=folder, capture_output=True, env=ENVIRONMENT, check=False)
    return time.monotonic() - began


def ranks(bridle, folder, data):
    print("## Data that is too small to gain: ijcnn1, 5 epochs\n")
    (folder / "ijcnn1.libsvm").write_bytes(gzip.open(f"{data}/ijcnn1/ijcnn1.trn.gz").read())
    (folder / "p.toml").write_text('[objective]\nkind = "linear-model"\ndata = "ijcnn1.libsvm"\nloss = "logistic-difference"\n'
                                   'ridge = 1e-4\n')
    solve = [bridle, "solve", "p.toml", "--epochs", 5, "--quiet", "--json", "out.json"]

    def solve_seconds(call):
        seconds = []
        for _ in range(15):
            timed(call, folder)
            seconds.append(json.loads((folder / "out.json").read_text())["solve_seconds"])
        return sorted(seconds)[7]
    print("| | solving | the whole command |\n| --- | ---: | ---: |")
    for busy in (0, 2):
        others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
        for name, before in (("one process", []), ("one process of one thread", ["env", "OMP_NUM_THREADS=1"]), ("two ranks", ["mpirun", "-n", 2])):
            call = before + solve
            print(f"| {name}{', beside two busy programs' if busy else ''} | {solve_seconds(call):.3f} s | "
                  f"{min(timed(call, folder) for _ in range(3)):.2f} s |", flush=True)
        for other in others:
            other.kill()


def process_of(rank, folder):
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "cwd") == str(folder.resolve()):
                if f"OMPI_COMM_WORLD_RANK={rank}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    return int(entry.name)
        except OSError:
            continue
    return None


def faults(bridle, folder, data):
    print("## Ranks that are killed\n")
    (folder / "a9a.libsvm").write_bytes(gzip.open(f"{data}/a9a/a9a.gz").read())
    (folder / "p.toml").write_text('[objective]\nkind = "linear-model"\ndata = "a9a.libsvm"\nloss = "logistic-difference"\n'
                                   'ridge = 1e-4\n')
    solve = ["solve", "p.toml", "--epochs", "100", "--tolerance", "0", "--no-second-order", "--workers", "6", "--quiet",
             "--json", "out.json"]
    files = ["--checkpoint", "state", "--checkpoint-seconds", "0"]

    def answer():
        text = (folder / "out.json").read_text()
        (folder / "out.json").unlink()
        answer = json.loads(re.sub(r'"[a-z_]*seconds": [^,}]*', '"seconds": 0', text))
        for of_machine in ("ranks", "step_nanoseconds"):
            answer.pop(of_machine, None)
        return answer
    whole = timed([bridle, *solve], folder)
    undisturbed = answer()
    generator, same, killed = random.Random(1), 0, 0
    while killed < 20:
        (folder / "state").unlink(missing_ok=True)
        count = generator.choice((2, 3))
        process = subprocess.Popen(["mpirun", "-n", str(count), bridle, *solve, *files], cwd=folder, env=ENVIRONMENT,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(generator.uniform(0.2, 0.2 + 2 * whole))
        victim = process_of(generator.randrange(count), folder)
        if victim is None or process.poll() is not None or not (folder / "state").exists():
            process.wait()
            (folder / "out.json").unlink(missing_ok=True)
            continue
        os.kill(victim, signal.SIGKILL)
        process.wait()
        if (folder / "out.json").exists():
            (folder / "out.json").unlink()
            continue
        killed += 1
        other = generator.choice([n for n in (1, 2, 3) if n != count])
        subprocess.run((["mpirun", "-n", str(other)] if other > 1 else []) + [bridle, *solve, *files, "--resume"],
                       cwd=folder, env=ENVIRONMENT, capture_output=True, check=False)
        same += answer() == undisturbed
    print(f"{killed} runs of 2 or 3 ranks lost one at a random moment and were taken up by another number of ranks: "
          f"{same} ended with the bits of the undisturbed run.\n")


def main():
    bridle, bench, data, *sections = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for section in sections or ("time", "epochs", "ranks", "faults", "model"):
            if section == "time":
                times(bench)
            elif section == "epochs":
                epochs(bridle, bench, folder, data)
            elif section == "ranks":
                ranks(bridle, folder, data)
            elif section == "faults":
                faults(bridle, folder, data)
            elif section == "model":
                rank_model.tell(lambda size, ranks, **options: made_up(bench, size, ranks, **options), SIZES)
            print(flush=True)


if __name__ == "__main__":
    main()
