"""Markdown tables: decentralised methods on a9a, 16 nodes by label, over epochs and bytes sent."""
import json
import pathlib
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parents[3] / "shared" / "data" / "a9a" / "a9a.gz"
CONFIG = """[objective]
kind = "linear-model"
data = "{data}"
loss = "logistic-difference"

[network]
nodes = 16
graph = "erdos-renyi"
probability = {probability}
shards = "by-label"
"""
METHODS = (
    ("Algorithm 2", ["--algorithm", "safeguarded"]),
    ("Algorithm 4", ["--algorithm", "safeguarded-storm"]),
    ("Algorithm 2, three draws", ["--algorithm", "safeguarded", "--literal-draws"]),
    ("Algorithm 4, three draws", ["--algorithm", "safeguarded-storm", "--literal-draws"]),
    ("gossip SGD", ["--algorithm", "gossip"]),
    ("gossip SGD, constant step", ["--algorithm", "gossip", "--decay", "constant"]),
)
EPOCHS = (3, 10, 30)
STEPS = (0.25, 0.5, 1, 2, 4)  # times the step that the rule chooses


def run(bridle, folder, name, *arguments):
    done = subprocess.run([bridle, name, folder / "c.toml", "--quiet", "--json", "-", *map(str, arguments)],
                          capture_output=True, text=True)
    return json.loads(done.stdout)


def checked(bridle, folder, result):
    """The judge's word before a figure is printed."""
    (folder / "r.json").write_text(json.dumps(result))
    done = subprocess.run([bridle, "certify", folder / "c.toml", folder / "r.json", "--json", "-"],
                          capture_output=True, text=True)
    assert abs(json.loads(done.stdout)["objective"] - result["objective"]) < 1e-12
    return result


def main():
    bridle = pathlib.Path(sys.argv[1]).resolve()
    print("# Consensus on a9a\n\nWritten by `./scripts/bench consensus`: a9a (32,561 samples, 124 columns), "
          "logistic-difference loss, 16 nodes,\nsamples sorted by label and cut, every pair of nodes up with probability p "
          "in an iteration, one sample per node and\niteration, seed 1. Objective of the mean point, by the judge; in "
          "brackets, how far above Algorithm 1 on one machine at equal\nsamples. Consensus error max_i |x_i - mean| before "
          "and after the finishing rounds. Best step: the best objective of 1/4, 1/2, 1, 2 and\n4 times the step the rule chooses, for "
          "every method.\n")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for probability in (0.3, 0.05):
            (folder / "c.toml").write_text(CONFIG.format(data=DATA, probability=probability))
            print(f"## p = {probability}\n")
            print("| epochs | method | objective | best step | consensus error | finished | MB sent per node | seconds |")
            print("| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |")
            for epochs in EPOCHS:
                central = checked(bridle, folder, run(bridle, folder, "solve", "--epochs", epochs, "--tolerance", 0,
                                                      "--no-finish", "--output", "last"))
                print(f"| {epochs} | Algorithm 1, one machine | {central['objective']:.5f} | | | | "
                      f"| {central['solve_seconds']:.1f} |")
                for method, options in METHODS:
                    first = checked(bridle, folder, run(bridle, folder, "consensus", "--epochs", epochs, *options))
                    best = min((checked(bridle, folder, run(bridle, folder, "consensus", "--epochs", epochs, *options,
                                                            "--step", factor * first["parameters"]["tau"]))
                                if factor != 1 else first for factor in STEPS),
                               key=lambda r: r["objective"] if r["objective"] is not None else 1e9)
                    above = [100 * (r["objective"] / central["objective"] - 1) for r in (first, best)]
                    print(f"| {epochs} | {method} | {first['objective']:.5f} ({above[0]:+.2f}%) "
                          f"| {best['objective']:.5f} ({above[1]:+.2f}%) | {first['consensus_error_before_finish']:.1e} "
                          f"| {first['consensus_error']:.1e} | {first['bytes_per_node_mean'] / 1e6:.1f} "
                          f"| {first['solve_seconds']:.1f} |")
                    sys.stdout.flush()
            print()


if __name__ == "__main__":
    main()
