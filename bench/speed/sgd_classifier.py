"""A step of Bridle with one constraint beside a step of scikit-learn's SGDClassifier without any, in one run: least
processor times of several rounds.

Usage: sgd_classifier.py BENCH_SPEED ROUNDS. Prints Markdown. Exits with 77 when scikit-learn is not there.
"""
import os
import subprocess
import sys
import time

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
try:
    import numpy as np
    import scipy.sparse
    from sklearn.linear_model import SGDClassifier
except ImportError:
    print("skipped: python3-sklearn is not installed")
    sys.exit(77)

SIZES = [("double", 50_000, 100, 100), ("sparse", 50_000, 10_000, 50), ("sparse", 50_000, 1_000_000, 50),
         ("sparse", 50_000, 10_000_000, 50)]


def data_of(storage, samples, variables, nonzeros):
    random = np.random.default_rng(1)
    labels = random.choice([-1.0, 1.0], samples)
    if storage == "double":
        return random.standard_normal((samples, variables)) / np.sqrt(variables), labels
    starts = np.arange(samples + 1) * nonzeros
    columns = random.integers(0, variables, (samples, nonzeros))
    columns.sort(axis=1)
    values = random.standard_normal(samples * nonzeros) / np.sqrt(nonzeros)
    return scipy.sparse.csr_matrix((values, columns.ravel(), starts), shape=(samples, variables)), labels


def nanoseconds_of_sklearn(data, labels, alpha=None, rounds=1):
    """Of a step: the least of 42 epochs less the least of 2, so that what a fit does once is left out."""
    seconds = {2: [], 42: []}
    for epochs in (2, 42) * rounds:
        model = SGDClassifier(loss="log_loss", penalty="l2" if alpha else None, alpha=alpha or 1e-4, learning_rate="constant", eta0=0.2, max_iter=epochs, tol=None,
                              fit_intercept=False, random_state=1)
        before = time.process_time()
        model.fit(data, labels)
        seconds[epochs].append(time.process_time() - before)
    return 1e9 * (min(seconds[42]) - min(seconds[2])) / (40 * len(labels))


def main():
    bench, rounds = sys.argv[1], int(sys.argv[2])
    print("| data | n | nonzeros | SGDClassifier, ns | Bridle, m = 1, ns | ratio |\n| --- | --- | --- | --- | --- | --- |")
    for storage, samples, variables, nonzeros in SIZES:
        data, labels = data_of(storage, samples, variables, nonzeros)
        ours = []
        theirs = nanoseconds_of_sklearn(data, labels, rounds=rounds)
        for _ in range(rounds):
            one = subprocess.run([bench, "one", storage, str(samples), str(variables), str(nonzeros), "1", "5"],
                                 capture_output=True, text=True, check=True)
            ours.append(float(one.stdout.split()[1]))
        b = min(ours)
        print(f"| {storage} | {variables} | {nonzeros} | {theirs:.0f} | {b:.0f} | {b / theirs:.2f} |", flush=True)


if __name__ == "__main__":
    main()
