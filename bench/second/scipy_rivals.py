"""One of SciPy's methods on a problem that bench_accuracy wrote.

Usage: scipy_rivals.py PROBLEM METHOD SECONDS TRAIL. Writes iterates to TRAIL, each as the processor seconds at which it was there and x; the clock stands still
while that is written. The derivatives are checked against those that came with the problem before anything is timed.
"""
import os
import sys
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
import numpy as np
import scipy.sparse
from scipy.optimize import Bounds, LinearConstraint, minimize
from scipy.sparse.linalg import LinearOperator

MOST_DENSE = 2000
LEAST_RATIO = 1.02  # iterates less later than the last are left out


def sigmoid(t):
    return np.exp(-np.logaddexp(0, -t))


def logistic(t, y):
    m = y * t
    s = sigmoid(-m)
    return np.logaddexp(0, -m), -y * s, s * (1 - s)


def logistic_difference(t, y):
    m = y * t
    s, r = sigmoid(-m), sigmoid(-m - 1)
    return np.logaddexp(0, -m) - np.logaddexp(0, -m - 1), -y * (s - r), s * (1 - s) - r * (1 - r)


def smoothed_01(t, y):
    m = np.clip(y * t, -1, 1)
    within = np.abs(y * t) < 1
    return 0.25 * m ** 3 - 0.75 * m + 0.5, within * y * 0.75 * (m * m - 1), within * 1.5 * m


def cauchy(t, y):
    r = (t - y) ** 2
    return np.log1p(r), 2 * (t - y) / (1 + r), 2 * (1 - r) / (1 + r) ** 2


LOSSES = {"logistic": logistic, "logistic-difference": logistic_difference, "smoothed-01": smoothed_01, "cauchy": cauchy}


class Problem:
    def __init__(self, path):
        with open(path, "rb") as file:
            def read(count, kind=np.float64):
                return np.fromfile(file, kind, count)

            def sparse(rows, columns, nonzeros):
                starts, indices, values = read(rows + 1, np.int32), read(nonzeros, np.int32), read(nonzeros)
                return scipy.sparse.csr_matrix((values, indices, starts), (rows, columns))

            samples, n, nonzeros, rows, row_nonzeros, letters = read(6, np.int64)
            self.n, self.rows_count = n, rows
            self.loss = LOSSES[file.read(letters).decode()]
            self.a = sparse(samples, n, nonzeros)
            self.transposed = self.a.T.tocsr()
            self.labels, self.ridge, self.lower, self.upper = read(samples), read(n), read(n), read(n)
            self.rows = sparse(rows, n, row_nonzeros)
            self.row_lower, self.row_upper, self.start = read(rows), read(rows), read(n)
            point, value, gradient, image = read(n), read(1)[0], read(n), read(n)
        self.at = None
        near = lambda ours, theirs: np.linalg.norm(ours - theirs) <= 1e-9 * np.linalg.norm(theirs)
        assert abs(self.value(point) - value) <= 1e-9 * abs(value), "another value"
        assert near(self.gradient(point), gradient), "another gradient"
        assert near(self.hessian(point) @ point, image), "another Hessian"

    def stand_at(self, x):
        """Value, gradient and Hessian of one point share their pass over the data."""
        if self.at is None or not np.array_equal(x, self.at):
            self.at = x.copy()
            self.values, self.slopes, self.bends = self.loss(self.a @ x, self.labels)

    def value(self, x):
        self.stand_at(x)
        return self.values.mean() + 0.5 * np.dot(self.ridge, x * x)

    def gradient(self, x):
        self.stand_at(x)
        return self.transposed @ self.slopes / len(self.slopes) + self.ridge * x

    def hessian(self, x):
        self.stand_at(x)
        weights = self.bends / len(self.bends)
        if self.n <= MOST_DENSE:
            return (self.transposed @ scipy.sparse.diags(weights) @ self.a).toarray() + np.diag(self.ridge)
        return LinearOperator((self.n, self.n), dtype=float,
                              matvec=lambda d: self.transposed @ (weights * (self.a @ d.ravel())) + self.ridge * d.ravel())


class OutOfTime(Exception):
    pass


class Recorder:
    def __init__(self, file, most_seconds):
        self.file, self.most_seconds = file, most_seconds
        self.looking, self.last, self.pending = 0.0, -1.0, None
        self.start = time.process_time()

    def __call__(self, x, _=None):
        before = time.process_time()
        now = before - self.start - self.looking
        if now > LEAST_RATIO * self.last:
            self.put(now, x)
        else:
            self.pending = (now, x.copy())
        self.looking += time.process_time() - before
        if now > self.most_seconds:
            raise OutOfTime

    def put(self, now, x):
        np.concatenate(([now], x)).tofile(self.file)
        self.file.flush()
        self.last, self.pending = now, None


def main():
    path, method, most_seconds, trail = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4]
    problem = Problem(path)
    arguments = {"bounds": Bounds(problem.lower, problem.upper)}
    if np.all(np.isinf(problem.lower)) and np.all(np.isinf(problem.upper)):
        arguments = {}
    if problem.rows_count:
        matrix = problem.rows.toarray() if method == "SLSQP" else problem.rows
        arguments["constraints"] = LinearConstraint(matrix, problem.row_lower, problem.row_upper)
    if method == "trust-constr":
        arguments["hess"] = problem.hessian
    arguments["options"] = {"SLSQP": {"maxiter": 100000, "ftol": 1e-16},
                            "trust-constr": {"maxiter": 100000, "gtol": 1e-12, "xtol": 1e-16, "barrier_tol": 1e-12},
                            "L-BFGS-B": {"maxiter": 100000, "maxfun": 1000000, "ftol": 0, "gtol": 1e-14}}[method]
    with open(trail, "wb") as file:
        recorder = Recorder(file, most_seconds)

        def value(x):
            if time.process_time() - recorder.start - recorder.looking > most_seconds:
                raise OutOfTime
            return problem.value(x)

        try:
            minimize(value, problem.start, jac=problem.gradient, method=method, callback=recorder, **arguments)
        except OutOfTime:
            pass
        if recorder.pending:
            recorder.put(*recorder.pending)


if __name__ == "__main__":
    main()
