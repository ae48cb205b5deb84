"""Time to within 1% of the Adult reference problem's objective: Bridle against SciPy's SLSQP and trust-constr and, where
bench_ipopt has been built, Ipopt, in one run.

Usage: slsqp.py BRIDLE [ROUNDS]. Reads the data by itself, so that all answers are judged by code that none shares.
Exits with 77 when SciPy or the data is not there.
"""
import csv
import gzip
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # one processor each, for Bridle too
try:
    import numpy as np
    import scipy.sparse
    from scipy.optimize import LinearConstraint, minimize
except ImportError:
    print("skipped: python3-scipy is not installed")
    sys.exit(77)

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data" / "adult" / "adult.data.gz"
COLUMNS = ("age workclass fnlwgt education education-num marital-status occupation relationship race sex capital-gain "
           "capital-loss hours-per-week native-country income").split()
BOUND, RIDGE, SHIFT = 0.001, 1e-4, 1.0
REFERENCE = 0.159843  # shared/design/FINDINGS.md section 4
EPOCHS = (1, 1.25, 1.5, 2, 3, 5, 10, 30)


def read_adult():
    """Encoded rows, labels, indicator of the first sex; columns are named as Bridle names them."""
    text = gzip.open(DATA, "rt").read()
    rows = [[f.strip() for f in r] for r in csv.reader(io.StringIO(text)) if len(r) == len(COLUMNS)]
    rows = [r for r in rows if "?" not in r]
    names, blocks = [], []
    for k, column in enumerate(COLUMNS):
        values = [r[k] for r in rows]
        if column in ("sex", "income"):
            continue
        clean = "".join(c if c.isalnum() or c in "_." else "_" for c in column)
        try:
            numbers = np.array(values, float)
            blocks.append(scipy.sparse.csr_matrix(((numbers - numbers.mean()) / numbers.std())[:, None]))
            names.append(clean)
        except ValueError:
            for category in sorted(set(values)):
                blocks.append(scipy.sparse.csr_matrix(np.array([v == category for v in values], float)[:, None]))
                names.append(clean + "." + "".join(c if c.isalnum() or c in "_." else "_" for c in category))
    blocks.append(scipy.sparse.csr_matrix(np.ones((len(rows), 1))))
    names.append("intercept")
    labels = np.array([1.0 if r[-1] == ">50K" else -1.0 for r in rows])
    sex = np.array([float(r[COLUMNS.index("sex")] == rows[0][COLUMNS.index("sex")]) for r in rows])
    return scipy.sparse.hstack(blocks).tocsr(), labels, sex, names


class Problem:
    def __init__(self):
        self.a, self.labels, sex, self.names = read_adult()
        self.transposed = self.a.T.tocsr()
        self.row = np.asarray(self.transposed @ ((sex - sex.mean()) / len(sex)))
        self.penalised = np.ones(len(self.names))
        self.penalised[-1] = 0

    def value(self, x):
        margin = self.labels * (self.a @ x)
        loss = np.logaddexp(0, -margin) - np.logaddexp(0, -margin - SHIFT)
        return loss.mean() + RIDGE / 2 * np.sum(self.penalised * x * x)

    def gradient(self, x):
        margin = self.labels * (self.a @ x)
        slope = -(1 / (1 + np.exp(margin)) - 1 / (1 + np.exp(margin + SHIFT))) * self.labels
        return self.transposed @ (slope / len(margin)) + RIDGE * self.penalised * x

    def good(self, x):
        """Within 1% of the reference, and the bound met to 1e-6."""
        return self.value(x) <= 1.01 * REFERENCE and abs(self.row @ x) <= BOUND + 1e-6


def time_scipy(problem, method):
    """Seconds to the first iterate that is good, without the time for looking at the iterates."""
    looked, found = [0.0], []

    def look(x, _=None):
        before = time.perf_counter()
        if problem.good(x):
            found.append(before - start - looked[0])
            raise StopIteration
        looked[0] += time.perf_counter() - before

    constraints = LinearConstraint(problem.row[None, :], -BOUND, BOUND)
    options = {"SLSQP": {"maxiter": 2000, "ftol": 1e-12}, "trust-constr": {"maxiter": 2000, "gtol": 1e-12}}[method]
    start = time.perf_counter()
    try:
        minimize(problem.value, np.zeros(len(problem.names)), jac=problem.gradient, constraints=constraints,
                 method=method, callback=look, options=options)
    except StopIteration:
        pass
    return found[0] if found else float("nan")


def write_problem(problem, path):
    """For bench_ipopt: sizes, rows of the data, labels, the constraint's row, bound and ridge."""
    with open(path, "wb") as file:
        for numbers, kind in (((*problem.a.shape, problem.a.nnz), np.int64), (problem.a.indptr, np.int32),
                              (problem.a.indices, np.int32), (problem.a.data, float), (problem.labels, float),
                              (problem.row, float), ((BOUND, RIDGE), float)):
            file.write(np.asarray(numbers, kind).tobytes())


def time_ipopt(program, path):
    text = subprocess.run([program, path, str(1.01 * REFERENCE)], capture_output=True, text=True, check=True).stdout.strip()
    return float("nan") if text == "none" else float(text)


def time_bridle(problem, bridle, epochs, seed):
    """Seconds of the loop alone without reading the file, objective, and whether our own figures call the weights good."""
    done = subprocess.run([bridle, "fair", DATA, "--columns", ",".join(COLUMNS), "--target", "income", "--positive", ">50K",
                           "--sensitive", "sex", "--bound", str(BOUND), "--ridge", str(RIDGE), "--epochs", str(epochs),
                           "--seed", str(seed), "--tolerance", "0.01", "--no-second-order", "--quiet", "--json", "-"], capture_output=True,
                          text=True)
    result = json.loads(done.stdout)
    x = np.array([result["x"][name] for name in problem.names])
    return result["solve_seconds"] + result["certify_seconds"], problem.value(x), problem.good(x)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if not DATA.exists():
        print(f"skipped: {DATA} is not there")
        sys.exit(77)
    bridle, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    problem = Problem()
    print(f"Adult, {problem.a.shape[0]} samples, {problem.a.shape[1]} columns, |cov(sex)| <= {BOUND}, to within 1% of {REFERENCE}")
    epochs = next(e for e in EPOCHS if all(time_bridle(problem, bridle, e, seed)[2] for seed in range(1, rounds + 1)))
    print(f"Bridle needs {epochs} epochs with seeds 1 to {rounds}")
    rivals = {method: lambda method=method: time_scipy(problem, method) for method in ("SLSQP", "trust-constr")}
    ipopt = pathlib.Path(bridle).resolve().parents[1] / "bench" / "speed" / "bench_ipopt"
    folder = tempfile.TemporaryDirectory()
    if ipopt.exists():
        path = pathlib.Path(folder.name) / "adult"
        write_problem(problem, path)
        rivals["Ipopt"] = lambda: time_ipopt(ipopt, path)
    ratios = {name: [] for name in rivals}
    for seed in range(1, rounds + 1):
        ours, objective, good = time_bridle(problem, bridle, epochs, seed)
        assert good
        line = f"  bridle {ours:.4f} s (objective {objective:.6f})"
        for name, measure in rivals.items():
            theirs = measure()
            ratios[name].append(theirs / ours)
            line += f"   {name} {theirs:.3f} s, ratio {theirs / ours:.1f}"
        print(line)
    for name, all_ratios in ratios.items():
        print(f"median ratio, {name}: {np.median(all_ratios):.1f}")


if __name__ == "__main__":
    main()
