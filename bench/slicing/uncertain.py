"""What a margin buys when rates are random: cost and chance of overload on fresh samples.

Usage: uncertain.py BUILD
"""
import json
import pathlib
import subprocess
import sys

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data" / "sndlib"


def main():
    if not DATA.is_dir():
        print(f"skipped: {DATA} is not there")
        return 77
    bridle = pathlib.Path(sys.argv[1]) / "cli" / "bridle"
    print("| network | rates | margin | cost | some capacity exceeded, % of samples | mean excess | s |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for network in ("polska", "france"):
        for rates in ("lognormal:0.3",):
            for margin in ("0", "0.1", "0.2", "0.3"):
                done = subprocess.run([bridle, "slice", DATA / f"{network}.txt", "--flows", "40", "--uncertain", rates, "--margin",
                                       margin, "--quiet", "--json", "-"], capture_output=True, text=True)
                r = json.loads(done.stdout)
                if r["status"] != "feasible":
                    print(f"| {network} | {rates} | {margin} | {r['status']} | | | {r['seconds']:.1f} |", flush=True)
                    continue
                u = r["uncertain"]
                print(f"| {network} | {rates} | {margin} | {r['cost']:.2f} | {100 * u['overload_probability']:.2f} | "
                      f"{u['mean_excess']:.3f} | {r['seconds']:.1f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
