"""The reference problem and the whole trade-off curve: 25 gaps, or bounds on the covariance, 5 seeds.

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
    adult = [ADULT, *ADULT_ARGUMENTS, "--test", ADULT_TEST]
    for title, arguments, curve, header in (
            ("Adult", adult, ["--gap", "0.005:0.2:25", "--seeds", "5", "--threads", "1"], "       gap"),
            ("Adult", adult, ["--sweep", "0.0005:0.2:25", "--seeds", "5"], "     bound"),
            ("COMPAS", [COMPAS, *COMPAS_ARGUMENTS], ["--sweep", "0.0005:0.2:25", "--seeds", "5"], "     bound")):
        print(f"{title}: bridle fair ... {' '.join(curve)}", flush=True)
        before = processor_seconds()
        done = subprocess.run([bridle, "fair", *arguments, *curve], capture_output=True, text=True)
        print(done.stdout[done.stdout.index(header):].rstrip() + f", {processor_seconds() - before:.1f} s of processor time\n",
              flush=True)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
