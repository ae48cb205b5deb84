"""How often a gap holds on fresh data, with --confidence and without: random halves of the data train and test. COVERAGE_SPLITS
says how many (200), COVERAGE_ROWS how many rows of Adult are used (6000)."""
import os
import pathlib
import random
import tempfile

import data
import rates

SPLITS = int(os.environ.get("COVERAGE_SPLITS", "200"))
ROWS = int(os.environ.get("COVERAGE_ROWS", "6000"))
ASKED = {"Adult": 0.05, "COMPAS": 0.1}


def main():
    bridle = data.command()
    for name, gap in ASKED.items():
        names, rows, target, positive, sensitive = rates.SETS[name]()
        for confidence in (None, 0.9, 0.95):
            held, accuracy, tightest = 0, 0.0, 0.0
            for number in range(SPLITS):
                chance = random.Random(number)
                some = chance.sample(rows, min(ROWS, len(rows)))
                half = len(some) // 2
                with tempfile.TemporaryDirectory() as folder:
                    folder = pathlib.Path(folder)
                    rates.write(folder / "train.csv", names, some[:half])
                    rates.write(folder / "test.csv", names, some[half:])
                    more = ["--confidence", confidence] if confidence else []
                    figures, _ = rates.run_bridle(bridle, folder, target, positive, sensitive, "--gap", gap, "--starts", 1, *more)
                held += figures["rates"]["test"]["gap"] <= gap
                accuracy += figures["metrics"]["test"]["accuracy"] / SPLITS
                tightest += figures["rates"]["tightest"] / SPLITS
            print(f"{name}, gap {gap}, confidence {confidence or 'none':>4}: held on fresh data in {held} of {SPLITS} splits; bound on the "
                  f"training data {tightest:.4f}, test accuracy {accuracy:.4f}", flush=True)


if __name__ == "__main__":
    main()
