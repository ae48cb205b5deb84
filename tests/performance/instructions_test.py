"""Instructions of a step, counted by valgrind's callgrind: fails when a step needs 20% more than it did.

Usage: instructions_test.py COUNT_STEPS. Counts do not depend on the machine's load. To accept new counts, change
EXPECTED. Exits with 77 where valgrind is not installed.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

EXPECTED = {"lazy": 1500, "pairs": 3640, "fused": 1900, "sampled": 32300, "storm": 1940}  # instructions of a step
STEPS = (2_000, 12_000)


def instructions(program, kind, steps):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={pathlib.Path(folder) / 'out'}",
                               program, kind, str(steps)], capture_output=True, text=True, check=True)
    return int(re.search(r"Collected : (\d+)", done.stderr)[1])


def main():
    if not shutil.which("valgrind"):
        print("skipped: valgrind is not installed")
        sys.exit(77)
    worse = False
    for kind, expected in EXPECTED.items():
        few, many = (instructions(sys.argv[1], kind, steps) for steps in STEPS)
        count = (many - few) / (STEPS[1] - STEPS[0])
        print(f"{kind}: {count:.0f} instructions a step, {expected} expected")
        worse = worse or count > 1.2 * expected
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
