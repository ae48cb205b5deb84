"""The reference problem and the whole trade-off curve: 25 bounds, 5 seeds.

Usage: sweep.py BRIDLE
"""
import resource
import subprocess

from data import ADULT, ADULT_ARGUMENTS, ADULT_TEST, COMPAS, COMPAS_ARGUMENTS, command, fair

REFERENCE = 0.159843


def main():
    bridle = command()
    for seed in (1, 2, 3, 4, 5):
        r = fair(bridle, ADULT, *ADULT_ARGUMENTS, "--bound", "0.001", "--test", ADULT_TEST, "--seed", seed)
        print(f"Adult reference problem, seed {seed}: {r['status']}, objective {r['objective']:.6f} "
              f"({100 * (r['objective'] / REFERENCE - 1):+.4f}%), covariance on train {abs(r['rows'][0]['train']):.9f}, "
              f"{r['solve_seconds'] + r['certify_seconds']:.2f} s")
    for title, train, arguments in (("Adult", ADULT, [*ADULT_ARGUMENTS, "--test", ADULT_TEST]),
                                    ("COMPAS", COMPAS, COMPAS_ARGUMENTS)):
        print(f"{title}: bridle fair ... --sweep 0.0005:0.2:25 --seeds 5", flush=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run([bridle, "fair", train, *arguments, "--sweep", "0.0005:0.2:25", "--seeds", "5"],
                              capture_output=True, text=True)
        processor = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        print(done.stdout[done.stdout.index("     bound"):].rstrip() + f", {processor:.1f} s of processor time\n", flush=True)


if __name__ == "__main__":
    main()
