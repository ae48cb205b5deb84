"""How long a run takes on many ranks: a model of three terms, calibrated here, checked here, and what it predicts.

    T(R) = own + shared / R + sums(R)

Data that is split, one worker a rank. All but the sums is processor time of rank 0, so that calibrating and checking it needs no
idle machine: `own` and `shared` are from runs of 1 and 2 ranks, and 4 ranks check them. What ranks wait for sums is measured by the
clock, the least of 200.

Shared is all that is done sample by sample: the loop, passes over the data, statistics, copies of parts of the samples. Own is
what every rank does by itself, with vectors of n numbers. A gradient or a product with a Hessian ends with a sum of n numbers, a Hessian
with one of n^2, that travel along a binary tree and back: 2 log2(R) (latency + 8 n / bandwidth) each. It is supposed that more workers need no more epochs,
and that with more samples the shared part grows with them and no other.
"""
import math
import os

NETWORKS = (("20 us, 1 GB/s", 20e-6, 1e9), ("2 us, 10 GB/s", 2e-6, 1e10))
RANKS = (8, 64, 256, 1024)
TIMES = (1, 20, 500)  # as many samples


def travel(ranks, vectors, hessians, n, latency, bandwidth):
    steps = 2 * math.ceil(math.log2(ranks))
    return steps * (vectors * (latency + 8 * n / bandwidth) + hessians * (latency + 8 * n * n / bandwidth))


def tell(run, sizes):
    print("## Many ranks, modelled\n")
    print("Runs to 1e-2, data split, one worker a rank; processor seconds of rank 0, and the model without messages. Load before: "
          f"{os.getloadavg()[0]:.1f}.\n")
    print("| data | sums of n | Hessians | own | shared | ranks | measured | model |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    known, here = [], None
    for size in sizes:
        n = float(size[2])
        measured = {ranks: run(size, ranks, workers=ranks, split=1, threads=1, tolerance="1e-2", calibrate=1) for ranks in (1, 2, 4)}
        one, two = (measured[ranks]["processor"] for ranks in (1, 2))
        own = max(0.0, 2 * two - one)
        shared = one - own
        counts = measured[1]
        vectors, hessians = counts["full_gradients"] + counts["hessian_products"] + counts["passes_of_judge"], counts["hessians"]
        if here is None:  # from the size with many variables
            sums = measured[2]
            per_number = (sums["sum_of_n"] - sums["sum_of_100"]) / (n - 100) / 2
            here = max(0.0, sums["sum_of_100"] / 2 - 100 * per_number), 8 / per_number
        known.append((size, own, shared, vectors, hessians))
        for ranks, result in measured.items():
            print(f"| {' '.join(size)} | {vectors:.0f} | {hessians:.0f} | {own:.2f} s | {shared:.2f} s | {ranks} | "
                  f"{result['processor']:.2f} s | {own + shared / ranks:.2f} s |", flush=True)
    print(f"\nBetween two ranks here: latency {1e6 * here[0]:.1f} us, bandwidth {here[1] / 1e9:.2f} GB/s.")
    print("\nPredicted, a core for every rank; samples once, 20 and 500 times as many:\n")
    print("| data | times | network | one rank | " + " | ".join(f"{ranks} ranks" for ranks in RANKS) + " | half efficient up to |")
    print("| --- | ---: | --- | ---: |" + " ---: |" * (len(RANKS) + 1))
    for size, own, shared, vectors, hessians in known:
        for times in TIMES:
            for name, latency, bandwidth in NETWORKS:
                def on(ranks):
                    sums = travel(ranks, vectors, hessians, float(size[2]), latency, bandwidth)
                    return own + times * shared / ranks + sums
                pays = max(ranks for ranks in (2**k for k in range(15)) if on(1) / on(ranks) >= ranks / 2)
                print(f"| {' '.join(size)} | {times:,} | {name} | {on(1):,.1f} s | "
                      + " | ".join(f"{on(ranks):,.2f} s" for ranks in RANKS) + f" | {pays:,} ranks |")
