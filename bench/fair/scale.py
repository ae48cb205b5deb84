"""Time and memory as the data grows: Adult repeated to 3 million rows.

Usage: scale.py BRIDLE [EPOCHS]. Processor time is of the whole run, both models and reading
included. Encoded data: 12 bytes per nonzero of the sparse matrix, 4 per row, 8 per label.
"""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from data import ADULT, ADULT_ARGUMENTS, command

NONZEROS = 14  # thirteen columns of the table and the intercept


def peak_and_result(arguments):
    """The peak of the resident memory of one run in bytes, its processor seconds, and its JSON."""
    done = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    text = done.stdout.read()
    _, _, usage = os.wait4(done.pid, 0)
    return 1024 * usage.ru_maxrss, usage.ru_utime + usage.ru_stime, json.loads(text)


def main():
    bridle = command()
    epochs = sys.argv[2] if len(sys.argv) > 2 else "5"
    lines = [l for l in gzip.open(ADULT, "rt").read().splitlines() if l.strip() and "?" not in l]
    print(f"{'rows':>10}{'load s':>9}{'solve s':>9}{'processor s':>13}{'us per row':>12}{'objective':>11}{'encoded MB':>12}{'peak MB':>9}{'ratio':>7}")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "adult.csv"
        for rows in (30_000, 300_000, 3_000_000):
            with open(path, "w") as file:
                for k in range(rows):
                    file.write(lines[k % len(lines)] + "\n")
            peak, processor, r = peak_and_result([bridle, "fair", str(path), *ADULT_ARGUMENTS, "--bound", "0.001", "--epochs", epochs,
                                       "--quiet", "--json", "-"])
            encoded = rows * (12 * NONZEROS + 4 + 8)
            seconds = r["solve_seconds"] + r["certify_seconds"]
            print(f"{rows:>10}{r['load_seconds']:>9.2f}{seconds:>9.2f}{processor:>13.2f}{1e6 * processor / rows:>12.2f}{r['objective']:>11.6f}"
                  f"{encoded / 1e6:>12.0f}{peak / 1e6:>9.0f}{peak / encoded:>7.2f}", flush=True)


if __name__ == "__main__":
    main()
