"""Why the ridge is there: without it a rare column takes a huge weight, and the bound is met at no cost and to no avail.

Usage: ridge.py BRIDLE. The data: Adult with one more column, a mark that seven women carry, all of them below 50K.
"""
import csv
import gzip
import io
import pathlib
import tempfile

from data import ADULT, COLUMNS, command, fair


def main():
    bridle = command()
    rows = [[f.strip() for f in r] for r in csv.reader(io.StringIO(gzip.open(ADULT, "rt").read())) if len(r) > 1]
    names = COLUMNS.split(",")
    women = [r for r in rows if r[names.index("sex")] == "Female" and r[-1] == "<=50K" and "?" not in r][:7]
    for r in rows:
        r.append("1" if any(r is w for w in women) else "0")
    arguments = ["--target", "income", "--positive", ">50K", "--sensitive", "sex", "--bound", "0.001", "--epochs", "300"]
    print(f"{'ridge':>8}{'objective':>12}{'loss':>10}{'covariance':>12}{'weight of the mark':>20}{'largest weight':>16}"
          f"{'mean score of women without it, men':>38}")
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "marked.csv"
        with open(path, "w", newline="") as file:
            csv.writer(file).writerows([[*names, "mark"], *rows])
        for ridge in ("1e-3", "1e-4", "1e-5", "1e-6", "0"):
            r = fair(bridle, path, *arguments, "--ridge", ridge)
            train = r["metrics"]["train"]
            groups = {g["group"]: g for g in train["attributes"][0]["groups"]}
            mark = r["x"]["mark"]
            unit = (7 * (len(rows) - 7)) ** 0.5 / len(rows)  # about the standard deviation of the mark
            women_without = groups["Female"]["mean_score"] - mark / unit * 7 / groups["Female"]["samples"]
            largest = max(abs(w) for w in r["x"].values())
            print(f"{ridge:>8}{r['objective']:>12.6f}{train['loss']:>10.6f}{r['rows'][0]['train']:>12.6f}{mark:>20.3f}"
                  f"{largest:>16.2f}{women_without:>30.3f}{groups['Male']['mean_score']:>8.3f}")
        r = fair(bridle, path, *arguments, "--ridge", "1e-4")["without_bounds"]
        print(f"without the bound (ridge 1e-4): loss {r['metrics']['train']['loss']:.6f}, covariance {r['rows'][0]['train']:.6f}")


if __name__ == "__main__":
    main()
