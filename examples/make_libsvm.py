#!/usr/bin/python3
"""Writes made-up LIBSVM data: make_libsvm.py MEGABYTES FILE

A sparse linear model with noise: 20,000 columns, some 35 entries a row, common columns first.
"""
import bisect
import itertools
import random
import sys


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    megabytes, path = float(sys.argv[1]), sys.argv[2]
    generator = random.Random(7)
    columns, per_row, block = 20000, 35, 2000
    cumulative = list(itertools.accumulate(1 / (1 + j) ** 0.7 for j in range(columns)))
    weights = [generator.gauss(0, 1) for _ in range(columns)]
    rows = []
    for _ in range(block):
        chosen = sorted({bisect.bisect(cumulative, generator.random() * cumulative[-1]) for _ in range(per_row)})
        values = [round(generator.gauss(0, 1), 3) for _ in chosen]
        score = sum(weights[j] * v for j, v in zip(chosen, values))
        rows.append((score, " ".join(f"{j + 1}:{v:g}" for j, v in zip(chosen, values))))
    written = 0
    with open(path, "w", encoding="ascii") as out:  # the same rows again and again, with labels of their own
        while written < megabytes * 1e6:
            text = "".join(f"{'+1' if score + generator.gauss(0, 2) > 0 else '-1'} {row}\n" for score, row in rows)
            out.write(text)
            written += len(text)


if __name__ == "__main__":
    main()
