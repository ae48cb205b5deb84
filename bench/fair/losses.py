"""Nonconvex losses against the logistic one: accuracy on test data, with clean labels and with 10% of them flipped.

Usage: losses.py BRIDLE. Labels are flipped in the training data only; three draws of the flips.
"""
import csv
import gzip
import io
import pathlib
import random
import statistics
import tempfile

from data import ADULT, ADULT_ARGUMENTS, ADULT_TEST, COLUMNS, COMPAS, COMPAS_ARGUMENTS, command, fair

LOSSES = ("logistic", "logistic-difference", "smoothed-01")


def read(path, header):
    rows = [[f.strip() for f in r] for r in csv.reader(io.StringIO(gzip.open(path, "rt").read())) if len(r) > 1]
    return (rows[0], rows[1:]) if header else (COLUMNS.split(","), rows)


def write(path, names, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([names, *rows])


def flipped(names, rows, target, values, fraction, seed, only=None):
    """A copy with a fraction of the labels flipped; `only` restricts it to rows that the function picks."""
    chance, k = random.Random(seed), names.index(target)
    rows = [list(r) for r in rows]
    for r in rows:
        if chance.random() < fraction and (only is None or only(r)):
            r[k] = values[1] if r[k] == values[0] else values[0]
    return rows


def compare(bridle, title, train, test, target, values, arguments):
    print(f"{title}\n{'loss':<22}{'bound':>8}{'clean':>10}{'10% flipped':>22}{'AUC clean':>12}{'AUC flipped':>14}")
    names, rows = train
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write(folder / "test.csv", *test)
        write(folder / "clean.csv", names, rows)
        for seed in (1, 2, 3):
            write(folder / f"flipped{seed}.csv", names, flipped(names, rows, target, values, 0.1, seed))
        for loss in LOSSES:
            for bound in ("0.001", "100%"):
                more = [*arguments, "--loss", loss, "--bound", bound, "--test", folder / "test.csv"]
                clean = fair(bridle, folder / "clean.csv", *more)["metrics"]["test"]
                noisy = [fair(bridle, folder / f"flipped{seed}.csv", *more)["metrics"]["test"] for seed in (1, 2, 3)]
                accuracy = [m["accuracy"] for m in noisy]
                auc = statistics.mean(m["auc"] for m in noisy)
                print(f"{loss:<22}{bound:>8}{clean['accuracy']:>10.4f}"
                      f"{statistics.mean(accuracy):>12.4f} +- {statistics.stdev(accuracy):.4f}{clean['auc']:>12.4f}{auc:>14.4f}")


def main():
    bridle = command()
    names, rows = read(ADULT, header=False)
    _, test = read(ADULT_TEST, header=False)
    adult = ["--target", "income", "--positive", ">50K", "--sensitive", "sex"]
    compare(bridle, "Adult, accuracy on its test file", (names, rows), (names, test), "income", ("<=50K", ">50K"), adult)
    names, rows = read(COMPAS, header=True)
    random.Random(0).shuffle(rows)
    cut = 2 * len(rows) // 3
    compare(bridle, "COMPAS, accuracy on a third held out", (names, rows[:cut]), (names, rows[cut:]), "two_year_recid",
            ("0", "1"), COMPAS_ARGUMENTS)


if __name__ == "__main__":
    main()
