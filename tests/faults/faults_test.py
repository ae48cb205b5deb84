"""Every system call that can fail is made to, one at a time, in a short run of every command.

    faults_test.py BRIDLE LIBRARY [--all | --every K] [--only CASE]

Whatever fails: the exit code is one of those documented and never 0 where an output is missing or differs from that of
an undisturbed run; an error is one line; inputs stay as they were; an output is the old one or the new one, whole;
nothing else is left behind; a state that a run takes up is still there. --all takes every call, --every K all calls but of the thousands of allocations every K-th;
without them a few of the allocations are taken.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from command import CSV, LP, QPS, QUADRATIC, toml  # noqa: E402

PARSER = argparse.ArgumentParser()
PARSER.add_argument("bridle", type=pathlib.Path)
PARSER.add_argument("library", type=pathlib.Path)
PARSER.add_argument("--all", dest="every", action="store_const", const=1)
PARSER.add_argument("--every", type=int)
PARSER.add_argument("--only", help="the name of a case")
ARGUMENTS = PARSER.parse_args()
BRIDLE, LIBRARY = (str(p.resolve()) for p in (ARGUMENTS.bridle, ARGUMENTS.library))
KINDS = ("open", "write", "read", "fsync", "rename", "malloc")
ROOT = pathlib.Path(__file__).resolve().parents[2]
FEW = 12  # allocations per command, unless told
TIMES = ("seconds", "nanoseconds")  # in the names of figures that differ from run to run

SLICE = """[[node]]
name = "A"
[[node]]
name = "B"
capacity = 9
functions = ["f"]
[[node]]
name = "C"
capacity = 9
functions = ["f"]
[[link]]
from = "A"
to = "B"
capacity = 3
both_ways = true
[[link]]
from = "B"
to = "C"
capacity = 3
both_ways = true
[[flow]]
from = "A"
to = "C"
rate = 2
chain = ["f"]
"""
NETWORK = '\n[network]\ngraph = "ring"\nnodes = 3\n'

MODEL = (ROOT / "tests/fuzz/corpus/model/seed-1").read_text()
LOG = "iteration,samples,stage,phase,objective,seconds\n" + "".join(f"{i},{16 * i},1,loop,{1 / i},{i / 100}\n" for i in range(1, 3000))

# `first` is a run that nothing disturbs, which leaves the state that the case goes on from.
Case = collections.namedtuple("Case", "name arguments files outputs first", defaults=[None])
CASES = [
    Case("solve", "solve p.toml --samples 30 --quiet --json out.json --log log.csv --write-params q.toml "
         "--checkpoint state --checkpoint-seconds 0",
         {"data.csv": CSV, "p.toml": toml(constraints="covariance = { sex = 0.05 }")},
         ["out.json", "log.csv", "q.toml", "state"]),
    Case("resume", "solve p.toml --samples 300 --quiet --json out.json --checkpoint state --resume",
         {"data.csv": CSV, "p.toml": toml()}, ["out.json", "state"], "solve p.toml --samples 30 --quiet --checkpoint state"),
    Case("screen", "solve p.lp --samples 100", {"p.lp": LP}, []),
    Case("certify", "certify p.lp s.json --json out.json", {"p.lp": LP, "s.json": '{"x": [0.5, 1.5], "y": [1]}'}, ["out.json"]),
    Case("fair", "fair data.csv --target income --positive high --sensitive sex --bound 0.05 --epochs 20 --quiet "
         "--json out.json --model model.json --report page.html", {"data.csv": CSV}, ["out.json", "model.json", "page.html"]),
    Case("gap", "fair data.csv --target income --positive high --sensitive sex --gap 0.2 --quiet --json out.json --log log.csv",
         {"data.csv": CSV}, ["out.json", "log.csv"]),
    Case("predict", "predict model.json data.csv --output p.csv --pass sex", {"model.json": MODEL, "data.csv": CSV}, ["p.csv"]),
    Case("plot", "plot l.csv --output p.svg", {"l.csv": LOG}, ["p.svg"]),
    Case("demo", "demo", {}, []),
    Case("slice", "slice i.toml --runs 2 --quiet --json out.json --report page.html --write-lp p.lp --write-instance j.toml",
         {"i.toml": SLICE}, ["out.json", "page.html", "p.lp", "j.toml"]),
    Case("consensus", "consensus p.toml --samples 300 --quiet --json out.json --checkpoint state",
         {"data.csv": CSV, "p.toml": toml() + NETWORK}, ["out.json"]),
    Case("network", "consensus p.toml --samples 600 --quiet --json out.json --checkpoint state --resume",
         {"data.csv": CSV, "p.toml": toml() + NETWORK}, ["out.json"], "consensus p.toml --samples 300 --quiet --checkpoint state"),
    Case("info", "info", {}, []),
]


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if not any(t in k for t in TIMES)}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def content(path):
    """What must be the same in every run: JSON without times, predictions, plots; of other files whether they are whole."""
    if not path.exists():
        return None
    text = path.read_bytes()
    if text == b"old":
        return "old"
    if path.suffix == ".json":
        return without_times(json.loads(text))  # a half-written file raises
    if path.suffix == ".csv" and not text.startswith(b"iteration,"):
        return text
    if path.suffix == ".csv":
        return "csv" if text.endswith(b"\n") and len({row.count(b",") for row in text.splitlines()}) == 1 else "cut"
    if path.suffix == ".html":
        return "page" if text.rstrip().endswith(b"</html>") else "cut"
    return text if path.suffix in (".toml", ".lp", ".svg") else "bytes"  # checkpoints hold times


class Trial:
    def __init__(self, case):
        self.case = case
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bridle-faults-"))
        for name, text in case.files.items():
            (self.folder / name).write_text(text)
        if case.first:
            subprocess.run([BRIDLE, *case.first.split()], cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        self.states = [p.name for p in self.folder.glob("state*")]
        assert bool(self.states) == bool(case.first), case.name
        for name in case.outputs:
            if name != "state":
                (self.folder / name).write_text("old")

    def run(self, **fault):
        environment = {**os.environ, "LD_PRELOAD": LIBRARY, "OMP_NUM_THREADS": "1", **{k: str(v) for k, v in fault.items()}}
        done = subprocess.run([BRIDLE, *self.case.arguments.split()], cwd=self.folder, env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        return done

    def outputs(self):
        return {name: content(self.folder / name) for name in self.case.outputs}

    def remove(self):
        shutil.rmtree(self.folder)


def undisturbed(case):
    trial = Trial(case)
    counts = trial.folder.parent / (trial.folder.name + ".counts")
    done = trial.run(FAULT_COUNTS=counts)
    assert done.returncode in (0, 1), (case.name, done)
    found = {k: int(v) for k, v in (line.split() for line in counts.read_text().splitlines())}
    counts.unlink()
    outputs = trial.outputs()
    assert all(outputs.get(n) not in (None, "old", "cut") for n in case.outputs), (case.name, outputs)
    trial.remove()
    return done, outputs, found


def complaints(case, done, expected, outputs, trial):
    code, _ = expected
    if done.returncode not in (0, 1, 2):
        yield f"exit code {done.returncode}"
    if done.returncode not in (code.returncode, 2):
        yield f"exit code {done.returncode}, not {code.returncode} or 2"
    lines = done.stderr.splitlines()
    if done.returncode == 2 and (not lines or not lines[-1].startswith("bridle: error: ")):
        yield "no error line"
    if len(lines) > 2 and code.stderr == "":
        yield f"{len(lines)} lines of errors"
    if any("should not happen" in line for line in lines):
        yield "an error that nobody has thought of"
    for name, text in case.files.items():
        if (trial.folder / name).read_text() != text:
            yield f"the input {name} is lost"
    for name, value in outputs.items():
        whole = [expected[1][name], "old"] + ([None] if name == "state" else [])
        if value not in whole:
            yield f"the output {name} is neither the old one nor the new one"
        if done.returncode == code.returncode and value != expected[1][name] and name != "state":
            yield f"exit code {code.returncode} without the output {name}"
    if done.returncode == 0 and not case.outputs and done.stdout.count("\n") < code.stdout.count("\n"):
        yield "exit code 0 without all of standard output"
    if trial.states and not any((trial.folder / name).exists() for name in trial.states + [n + ".before" for n in trial.states]):
        yield "the state is lost"
    known = {*case.files, *case.outputs, "state.rank0", "state.rank0.before"}
    left = {p.name for p in trial.folder.iterdir()} - known
    if left:
        yield f"left behind: {sorted(left)}"


def attempt(case, kind, k, expected):
    trial = Trial(case)
    try:
        done = trial.run(FAULT_KIND=kind, FAULT_AT=k)
        try:
            outputs = trial.outputs()
        except ValueError as error:
            return [f"{case.name}: {kind} {k}: a half-written output: {error}"]
        return [f"{case.name}: {kind} {k}: {text}; {done.stderr.strip()[:200]!r}" for text in complaints(case, done, expected, outputs, trial)]
    except subprocess.TimeoutExpired:
        return [f"{case.name}: {kind} {k}: does not end"]
    finally:
        trial.remove()


def main():
    generator = random.Random(1)
    jobs, tried = [], 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case in CASES:
            if ARGUMENTS.only not in (None, case.name):
                continue
            done, outputs, counts = undisturbed(case)
            for kind in KINDS:
                numbers = list(range(1, counts[kind] + 1))
                if kind == "malloc" and ARGUMENTS.every:
                    numbers = numbers[:: ARGUMENTS.every]
                elif kind == "malloc" and len(numbers) > FEW:
                    numbers = sorted(generator.sample(numbers, FEW))
                jobs += [pool.submit(attempt, case, kind, k, (done, outputs)) for k in numbers]
                tried += len(numbers)
            print(case.name, counts, flush=True)
        found = [text for job in jobs for text in job.result()]
    for text in found:
        print(text)
    print(f"{tried} faults, {len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
