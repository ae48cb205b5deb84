"""Why the ridge is there: without it a rare column takes a huge weight that cancels the covariance, at no cost in loss.

Usage: ridge.py BRIDLE
"""
from data import ADULT, ADULT_ARGUMENTS, command, fair


def main():
    bridle = command()
    print(f"{'ridge':>8}{'epochs':>8}{'loss':>10}{'covariance':>12}{'largest weight':>16}  of")
    for ridge, epochs in (("1e-3", 100), ("1e-4", 100), ("1e-5", 100), ("1e-6", 100), ("0", 30), ("0", 100), ("0", 1000)):
        r = fair(bridle, ADULT, *ADULT_ARGUMENTS, "--bound", "0.001", "--ridge", ridge, "--epochs", epochs)
        name, weight = max(((n, w) for n, w in r["x"].items() if n != "intercept"), key=lambda item: abs(item[1]))
        print(f"{ridge:>8}{epochs:>8}{r['metrics']['train']['loss']:>10.6f}{r['rows'][0]['train']:>12.6f}{weight:>16.2f}  {name}",
              flush=True)
    free = r["without_bounds"]
    print(f"without the bound, ridge 0: loss {free['metrics']['train']['loss']:.6f}, covariance {free['rows'][0]['train']:.6f}")


if __name__ == "__main__":
    main()
