"""The time left that a run shows, against what really remained. Called by bench/clock/run --left."""
import re
import subprocess
import sys
import time

UNITS = {"s": 1, "m": 60, "h": 3600}


def seconds(text):
    """As the screen writes durations: 0.12s, 12.3s, 2m05s, 1h02m."""
    return sum(float(number) * UNITS[unit] for number, unit in re.findall(r"([\d.]+)([smh])", text))


def rows(text):
    """(time, left) of the rows of progress; the last is the result's."""
    found = re.findall(r"^ +\d+ .* ([\d.hms]+) +\d+% +([\d.hms]+)$", text, re.MULTILINE)
    return [(seconds(now), seconds(left)) for now, left in found]


def measure(name, command):
    """From the first third of the run on: the largest error of the time left, and of the time of the whole run."""
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    whole = time.monotonic() - start
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    shown = [(now, left) for now, left in rows(done.stdout)[:-1] if now >= whole / 3]
    if not shown:
        print(f"{name:28} {whole:7.2f} s, no row after the first third")
        return
    of_left = [abs(left - (whole - now)) / (whole - now) for now, left in shown if now <= 0.9 * whole]
    of_whole = [abs(now + left - whole) / whole for now, left in shown]
    worst = f"{100 * max(of_left):8.0f}%" if of_left else "       -"
    print(f"{name:28} {whole:7.2f} {len(shown):5d} {worst} {100 * max(of_whole):8.0f}%", flush=True)


def main():
    bridle, runs = sys.argv[1], " ".join(sys.argv[2:]).split(" -- ")
    print(f"{'run':28} {'seconds':>7} {'rows':>5} {'of left':>9} {'of whole':>9}")
    for run in runs:
        words = run.split()
        measure(run[-28:], [bridle, "solve", *words])


if __name__ == "__main__":
    main()
