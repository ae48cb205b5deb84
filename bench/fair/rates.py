"""Accuracy against the gap of the decisions on test data, for gaps 0.05, 0.02 and 0.01 of selection rates, five splits: bounds on
rates beside no bounds, bounds on covariances, a network, and fairlearn's ExponentiatedGradient and GridSearch where they and
scikit-learn can be imported.

The sets: Adult (sex), COMPAS (race, the two large groups), German credit (age up to 25, or above), and made-up admissions (three
groups). 70% of the rows train, 30% test; groups are no features. RATES_SETS, RATES_SPLITS and RATES_METHODS (names separated by ;)
choose fewer."""
import csv
import gzip
import json
import math
import os
import pathlib
import random
import resource
import statistics
import subprocess
import tempfile
import time

import data

GAPS = (0.05, 0.02, 0.01)
SPLITS = int(os.environ.get("RATES_SPLITS", "5"))
METHODS = ("no bounds, logistic", "no bounds", "covariance <= 0.001", "--gap, logistic", "--gap", "network, no bounds",
           "network, --gap", "fairlearn EG", "fairlearn grid")
WANTED = os.environ.get("RATES_METHODS", ";".join(METHODS)).split(";")
HIDDEN = "8"  # units of the network
GRID = 31  # models of fairlearn's GridSearch


def adult():
    rows = []
    for path in (data.ADULT, data.ADULT_TEST):
        with gzip.open(path, "rt") as file:
            for line in file:
                fields = [f.strip() for f in line.rstrip(".\n").split(",")]
                if len(fields) == 15 and "?" not in fields:
                    rows.append(fields)
    return data.COLUMNS.split(","), rows, "income", ">50K", "sex"


def compas():
    with gzip.open(data.COMPAS, "rt", newline="") as file:
        lines = list(csv.reader(file))
    keep = ["sex", "age", "race", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count", "c_charge_degree",
            "two_year_recid"]
    at = [lines[0].index(k) for k in keep]
    rows = [[line[k] for k in at] for line in lines[1:]]
    return keep, [r for r in rows if r[2] in ("African-American", "Caucasian")], "two_year_recid", "0", "race"


def german():
    names = ("status,months,history,purpose,amount,savings,employment,rate,personal,debtors,residence,property,age,plans,housing,"
             "credits,job,people,telephone,foreign,outcome").split(",")
    rows = []
    for line in (data.SHARED / "german" / "german.data").read_text().splitlines():
        fields = line.split()
        fields[12] = "young" if int(fields[12]) <= 25 else "older"
        fields[20] = "good" if fields[20] == "1" else "bad"
        rows.append(fields)
    return names, rows, "outcome", "good", "age"


def admissions(count=20000):
    """Three groups of different sizes whose schools and test scores differ; admission leans on both."""
    chance = random.Random(20)
    rows = []
    for _ in range(count):
        group = chance.choices("xyz", (60, 30, 10))[0]
        lean = {"x": 0.5, "y": -0.3, "z": -0.8}[group]
        school = chance.choices(["north", "south", "east", "west"], [math.exp(lean * k) for k in (1, 0.5, 0, -0.5)])[0]
        tests = [chance.gauss(0.6 * lean, 1) for _ in range(3)]
        wish = tests[0] + 0.7 * tests[1] + {"north": 0.6, "south": 0.2, "east": -0.1, "west": -0.5}[school] + chance.gauss(0, 1)
        rows.append([*(f"{t:.4f}" for t in tests), school, group, "yes" if wish > 0.8 else "no"])
    return ["first", "second", "third", "school", "group", "admitted"], rows, "admitted", "yes", "group"


SETS = {"Adult": adult, "COMPAS": compas, "German credit": german, "admissions": admissions}


def split(rows, number):
    order = list(range(len(rows)))
    random.Random(100 + number).shuffle(order)
    cut = int(0.7 * len(rows))
    return [rows[i] for i in order[:cut]], [rows[i] for i in order[cut:]]


def write(path, names, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([names, *rows])


def gap_of(rates):
    return max(rates) - min(rates)


def run_bridle(bridle, folder, target, positive, sensitive, *arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    figures = data.fair(bridle, folder / "train.csv", "--test", folder / "test.csv", "--target", target, "--positive", positive,
                        "--sensitive", sensitive, *arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return figures, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def from_metrics(metrics):
    return metrics["test"]["accuracy"], metrics["test"]["attributes"][0]["demographic_parity_difference"]


def peer():
    """fairlearn's ExponentiatedGradient and GridSearch over scikit-learn's logistic regression, or nothing."""
    try:
        import numpy
        from fairlearn.reductions import DemographicParity, ExponentiatedGradient, GridSearch
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        return None

    def encode(train, test, names, out):
        parts = [[], []]
        for j, name in enumerate(names):
            if name in out:
                continue
            columns = [numpy.array([r[j] for r in rows]) for rows in (train, test)]
            try:
                columns = [c.astype(float) for c in columns]
                mean, scale = columns[0].mean(), columns[0].std() or 1
                for part, c in zip(parts, columns):
                    part.append(((c - mean) / scale)[:, None])
            except ValueError:
                for value in sorted(set(columns[0])):
                    for part, c in zip(parts, columns):
                        part.append((c == value).astype(float)[:, None])
        return [numpy.hstack(p) for p in parts]

    def arrays(train, test, names, target, positive, sensitive):
        a, b = encode(train, test, names, (target, sensitive))
        label = [numpy.array([r[names.index(target)] == positive for r in rows], int) for rows in (train, test)]
        group = [numpy.array([r[names.index(sensitive)] for r in rows]) for rows in (train, test)]
        return a, b, label, group, sorted(set(group[0]))

    def grid(*about):
        """One grid of models; for each gap the one that is most accurate on the training data among those within it."""
        a, b, label, group, groups = arrays(*about)
        base = LogisticRegression(C=1 / (1e-4 * len(a)), max_iter=300)
        begin = time.process_time()
        models = GridSearch(base, DemographicParity(), grid_size=GRID)
        models.fit(a, label[0], sensitive_features=group[0])
        seconds = time.process_time() - begin
        found = []
        for model in models.predictors_:
            here, there = model.predict(a), model.predict(b)
            found.append(((here == label[0]).mean(), gap_of([here[group[0] == g].mean() for g in groups]),
                          (there == label[1]).mean(), gap_of([there[group[1] == g].mean() for g in groups])))
        for gap in GAPS:
            within = [f for f in found if f[1] <= gap] or [min(found, key=lambda f: f[1])]
            best = max(within)
            yield gap, best[2], best[3], best[1], seconds

    def run(train, test, names, target, positive, sensitive, gap):
        a, b, label, group, groups = arrays(train, test, names, target, positive, sensitive)
        # It bounds |rate of a group - rate of all|: for two groups that is the gap times the other's share, for more half the gap
        # is enough.
        share = max(1 - (group[0] == g).mean() for g in groups) if len(groups) == 2 else 0.5
        base = LogisticRegression(C=1 / (1e-4 * len(train)), max_iter=300)
        begin = time.process_time()
        model = ExponentiatedGradient(base, DemographicParity(difference_bound=gap * share), max_iter=50)
        model.fit(a, label[0], sensitive_features=group[0])
        seconds = time.process_time() - begin
        chance = model._pmf_predict(b)[:, 1]  # a randomised mix: expected figures
        accuracy = (chance * label[1] + (1 - chance) * (1 - label[1])).mean()
        return accuracy, gap_of([chance[group[1] == g].mean() for g in groups]), seconds

    return run, grid


def show(values, pattern="{:.4f}"):
    mean = statistics.mean(values)
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0
    return f"{pattern.format(mean)} +- {pattern.format(error)}"


def main():
    bridle = data.command()
    rivals = peer()
    if not rivals:
        print("fairlearn: not run (it or scikit-learn cannot be imported)")
    wanted = os.environ.get("RATES_SETS", ",".join(SETS)).split(",")
    missed = runs = certified = 0
    for name in wanted:
        names, rows, target, positive, sensitive = SETS[name]()
        names = list(names)
        print(f"{name}: {len(rows)} rows, {SPLITS} splits; mean over the splits and its standard error")
        print(f"  {'':<22} {'asked':>6} {'test accuracy':>18} {'test gap':>18} {'train gap':>10} {'processor s':>12}")
        table = {}
        for number in range(SPLITS):
            train, test = split(rows, number)
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                write(folder / "train.csv", names, train)
                write(folder / "test.csv", names, test)
                about = (bridle, folder, target, positive, sensitive)

                def add(method, gap, accuracy, found, train_gap, seconds):
                    table.setdefault((method, gap), []).append((accuracy, found, train_gap, seconds))

                plain, network = ["--loss", "logistic"], ["--model", "network", "--hidden", HIDDEN, "--ridge", "1e-3"]
                for more, free, gapped in ((plain, METHODS[0], METHODS[3]), ([], METHODS[1], METHODS[4]),
                                           (network, METHODS[5], METHODS[6])):
                    if gapped not in WANTED:
                        continue
                    for gap in GAPS:
                        figures, seconds = run_bridle(*about, *more, "--gap", gap)
                        runs += 1
                        missed += not figures["rates"]["reached"]
                        certified += figures["status"] == "stationary"
                        add(gapped, gap, *from_metrics(figures["metrics"]), figures["rates"]["train"]["gap"], seconds)
                    add(free, "", *from_metrics(figures["without_bounds"]["metrics"]),
                        figures["without_bounds"]["metrics"]["train"]["attributes"][0]["demographic_parity_difference"], math.nan)
                if METHODS[2] in WANTED:
                    figures, seconds = run_bridle(*about, "--bound", 0.001)
                    add(METHODS[2], "", *from_metrics(figures["metrics"]),
                        figures["metrics"]["train"]["attributes"][0]["demographic_parity_difference"], seconds)
                if rivals and METHODS[7] in WANTED:
                    for gap in GAPS:
                        accuracy, found, seconds = rivals[0](train, test, names, target, positive, sensitive, gap)
                        add(METHODS[7], gap, accuracy, found, math.nan, seconds)
                if rivals and METHODS[8] in WANTED:
                    for gap, accuracy, found, train_gap, seconds in rivals[1](train, test, names, target, positive, sensitive):
                        add(METHODS[8], gap, accuracy, found, train_gap, seconds)
        for method in METHODS:
            for (of, gap), values in table.items():
                if of != method:
                    continue
                accuracy, found, train_gap, seconds = zip(*values)
                optional = lambda v, p: "-" if math.isnan(v) else p.format(v)
                print(f"  {method:<22} {gap:>6} {show(accuracy):>18} {show(found):>18} "
                      f"{optional(max(train_gap), '{:.4f}'):>10} {optional(statistics.mean(seconds), '{:.2f}'):>12}", flush=True)
    print(f"gap not reached on the training data in {missed} of {runs} runs; weights stationary in {certified}")


if __name__ == "__main__":
    main()
