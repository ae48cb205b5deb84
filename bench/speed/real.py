"""What a step costs on the problems people have: whole runs, 40 epochs more, beside scikit-learn's SGDClassifier with the
same ridge, which knows no constraints; and Adult with its ridge and covariance row by the command.

Usage: real.py BENCH_SPEED BRIDLE ROUNDS [SIZES [KINDS]]. Prints Markdown; least processor times of the rounds. SIZES are
n:nonzeros, separated by commas, and KINDS those of bench_speed real. Without scikit-learn, or without the data of Adult, what
needs it is left out.
"""
import os
import pathlib
import resource
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fair"))
from data import ADULT, ADULT_ARGUMENTS  # noqa: E402

try:
    from sgd_classifier import data_of, nanoseconds_of_sklearn
except SystemExit:
    nanoseconds_of_sklearn = None

ALPHA = 1e-4
SAMPLES = 50_000
SIZES = [(SAMPLES, n, nonzeros) for n in (10_000, 1_000_000, 10_000_000) for nonzeros in (20, 50)]
KINDS = [("single", "one row, no ridge, `--batch 1`"), ("plain", "one row, no ridge"), ("ridge", "one row, ridge 1e-4"), ("signs", "and signs on 50 variables with a budget"),
         ("monotone", "and 200 monotone pairs"), ("rows", "and 1,000 rows of 5 entries"), ("many", "and 10,000 rows of 5 entries")]
ADULT_SAMPLES = 30_162


def of_kind(bench, kind, size, rounds):
    """Nanoseconds of a sample in bare steps and in a whole run, seconds of its judge, the iterate and the samples of a step."""
    kind, *batch = ("plain", "1") if kind == "single" else (kind,)
    done = subprocess.run([bench, "real", kind, *map(str, size), str(rounds), *batch], capture_output=True, text=True, check=True)
    bare, whole, judge, iterate, batch = done.stdout.split()
    return float(bare), float(whole), float(judge), iterate, batch


def adult(bridle, rounds):
    """Nanoseconds of a step: 400 epochs more of the command, which fits the model without the row too."""
    def seconds(epochs):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([bridle, "fair", ADULT, *ADULT_ARGUMENTS, "--bound", "0.001", "--ridge", str(ALPHA), "--epochs",
                        str(epochs), "--tolerance", "0", "--no-second-order", "--quiet"], stdout=subprocess.DEVNULL,
                       env=dict(os.environ, OMP_NUM_THREADS="1"))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime - before.ru_utime
    return min(1e9 * (seconds(404) - seconds(4)) / (2 * 400 * ADULT_SAMPLES) for _ in range(rounds))


def main():
    bench, bridle, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
    sizes, kinds = SIZES, KINDS
    if len(sys.argv) > 4:
        sizes = [(SAMPLES, *map(int, size.split(":"))) for size in sys.argv[4].split(",")]
    if len(sys.argv) > 5:
        kinds = [kind for kind in KINDS if kind[0] in sys.argv[5].split(",")]
    print("| n | nonzeros | problem | iterate | samples a step | a sample in bare steps, ns | in a whole run, ns | of SGDClassifier's | of one row, one sample | the judge, s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for size in sizes:
        theirs = None
        if nanoseconds_of_sklearn:
            data, labels = data_of("sparse", *size)
            theirs = nanoseconds_of_sklearn(data, labels, ALPHA, rounds)
        first = None
        for kind, meaning in kinds:
            if kind == "many" and size[1] < 200_000:
                continue  # these rows have 50,000 variables
            bare, whole, judge, iterate, batch = of_kind(bench, kind, size, rounds)
            # Of many variables 40 epochs are too small a part of a run for a difference of two.
            tells = size[1] <= 1_000_000
            step = whole if tells else bare
            first = first or step
            against = f"{step / theirs:.2f} ({theirs:.0f} ns)" if theirs else ""
            print(f"| {size[1]} | {size[2]} | {meaning} | {iterate} | {batch} | {bare:.0f} | {f'{whole:.0f}' if tells else ''} | {against} | {step / first:.2f} | {judge:.2f} |",
                  flush=True)
    if ADULT.exists():
        print(f"| 103 | 14 | Adult, ridge 1e-4, one covariance row | | 1 | | {adult(bridle, rounds):.0f} | | | |", flush=True)


if __name__ == "__main__":
    main()
