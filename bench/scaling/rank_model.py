"""How long a run takes on many ranks: a model of four terms, calibrated here, checked here, and what it predicts.

    T(R) = rest + loop / workers + passes * pass / min(R, chunks) + passes * sum(n, R)

All but the sums is processor time of a rank, so that calibrating and checking it needs no idle machine; what ranks wait for
sums is measured by the clock, the least of 200.

Passes over all the data are shared by the ranks, at most as many as there are chunks; a pass ends with a sum of n numbers
that travels along a binary tree and back, sum(n, R) = 2 log2(R) (latency + 8 n / bandwidth). The loop of one worker is done by
every rank; workers share it, and it is supposed that they need no more epochs for that. The rest (copies of parts of the samples,
statistics, vectors of n numbers) is done by every rank, and grows with the samples as all the others do.
"""
import math
import os

NETWORKS = (("20 us, 1 GB/s", 20e-6, 1e9), ("2 us, 10 GB/s", 2e-6, 1e10))
RANKS = (8, 64, 256, 1024)
TIMES = (1, 20)  # as large as the indices of sparse data bear


def chunks(entries, n):
    """As in bridle/problem/objectives/row_passes.hpp."""
    return 2 ** int(math.log2(min(1024, max(1, entries / max(1e5, 16 * n)))))


def seconds(ranks, workers, rest, loop, passes, one_pass, n, entries, latency, bandwidth):
    working = min(ranks, chunks(entries, n))
    travel = 2 * math.ceil(math.log2(ranks)) * (latency + 8 * n / bandwidth) if ranks > 1 else 0
    return rest + loop / workers + passes * (one_pass / working + travel)


def tell(run, sizes):
    print("## Many ranks, modelled\n")
    print("Runs to 1e-2 with one worker; processor seconds of rank 0, and the model without messages. Load before: "
          f"{os.getloadavg()[0]:.1f}.\n")
    print("| data | passes | a pass | loop | the rest | ranks | measured | model |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    known, latency, bandwidth = [], None, None
    for size in sizes:
        entries, n = float(size[1]) * float(size[3]), float(size[2])
        options = {"workers": 1, "threads": 1, "tolerance": "1e-2"}
        one, two = (run(size, ranks, calibrate=1, **options) for ranks in (1, 2))
        passes = one["epochs"] + one["passes_of_judge"]
        loop = one["loop"]
        rest = max(0.0, one["processor"] - loop - passes * one["pass"])
        if latency is None:  # from the size with many variables
            per_number = (two["sum_of_n"] - two["sum_of_100"]) / (n - 100) / 2
            latency, bandwidth = max(0.0, two["sum_of_100"] / 2 - 100 * per_number), 8 / per_number
        known.append((size, rest, loop, passes, one["pass"]))
        for ranks, measured in ((1, one), (2, two), (4, run(size, 4, **options))):
            model = seconds(ranks, 1, rest, loop, passes, one["pass"], n, entries, 0, math.inf)
            print(f"| {' '.join(size)} | {passes:.1f} | {one['pass']:.3f} s | {loop:.2f} s | {rest:.2f} s | {ranks} | "
                  f"{measured['processor']:.2f} s | {model:.2f} s |", flush=True)
    print(f"\nBetween two ranks here: latency {1e6 * latency:.1f} us, bandwidth {bandwidth / 1e9:.2f} GB/s.")
    print("\nPredicted, a core for every rank, the same passes; the samples 1 and 20 times as many:\n")
    print("| data | times | network | workers | one rank | " + " | ".join(f"{ranks} ranks" for ranks in RANKS) + " | half efficient up to |")
    print("| --- | ---: | --- | --- | ---: |" + " ---: |" * (len(RANKS) + 1))
    for size, rest, loop, passes, one_pass in known:
        for times in TIMES:
            entries, n = times * float(size[1]) * float(size[3]), float(size[2])
            for name, latency, bandwidth in NETWORKS:
                for shared in (False, True):
                    def on(ranks):
                        return seconds(ranks, ranks if shared else 1, times * rest, times * loop, passes, times * one_pass, n,
                                       entries, latency, bandwidth)
                    pays = max(ranks for ranks in (2**k for k in range(11)) if on(1) / on(ranks) >= ranks / 2)
                    print(f"| {' '.join(size)} | {times:,} | {name} | {'one a rank' if shared else '1'} | {on(1):,.1f} s | "
                          + " | ".join(f"{on(ranks):,.2f} s" for ranks in RANKS) + f" | {pays:,} ranks |")
