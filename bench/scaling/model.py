"""Markdown: time per iteration of bridle consensus from four measured constants, checked and extrapolated."""
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
NONZEROS = 20  # of a sample


def write_problem(folder, n, nodes, graph, probability):
    """Classification with n weights; sparse samples, four per node."""
    generator = random.Random(1)
    rows = []
    for _ in range(max(4 * nodes, 64)):
        columns = sorted(generator.sample(range(1, n + 1), min(NONZEROS, n)) + ([n] if n > NONZEROS else []))
        entries = " ".join(f"{j}:{generator.gauss(0, 1):.3f}" for j in dict.fromkeys(columns))
        rows.append(f"{generator.choice(('+1', '-1'))} {entries}")
    (folder / "data.libsvm").write_text("\n".join(rows) + "\n")
    (folder / "c.toml").write_text(
        '[objective]\nkind = "linear-model"\ndata = "data.libsvm"\nloss = "logistic-difference"\nridge = 0.01\n'
        f'intercept = false\n\n[network]\nnodes = {nodes}\ngraph = "{graph}"\nprobability = {probability}\n')


def iteration_seconds(bridle, folder, iterations, n, nodes, graph, probability=1, ranks=0):
    """Best of three runs; all nodes in one process, or over `ranks` of mpirun."""
    write_problem(folder, n, nodes, graph, probability)
    call = [bridle, "consensus", "c.toml", "--samples", str(iterations * nodes), "--quiet", "--json", "out.json",
            "--no-finish"]
    best, result = math.inf, None
    for _ in range(3):
        subprocess.run((["mpirun", "-n", str(ranks)] if ranks else []) + list(map(str, call)), cwd=folder,
                       capture_output=True, env=ENVIRONMENT, check=False)
        result = json.loads((folder / "out.json").read_text())
        best = min(best, result["solve_seconds"] / result["iterations"])
    return best, result


class Model:
    """t = node + links drawn * draw + links up * (link + message); node and link are linear in n, a message costs
    latency + 8 n / bandwidth."""

    def __init__(self, bridle, folder):
        small, large, nodes = 100, 1000, 16
        edges = nodes * (nodes - 1) / 2

        def one_process(n, iterations):
            """Seconds of a node, and of drawing, and of using, a link at one end."""
            ring, full, rare = (iteration_seconds(bridle, folder, iterations, n, nodes, graph, p)[0]
                                for graph, p in (("ring", 1), ("complete", 1), ("complete", 0.02)))
            both = (full - ring) / (edges - nodes) / 2
            use = (full - rare) / (0.98 * edges) / 2
            return ring / nodes - 2 * both, max(0, both - use), use

        def line(at_small, at_large):
            slope = (at_large - at_small) / (large - small)
            return at_small - slope * small, slope

        first, second = one_process(small, 50000), one_process(large, 10000)
        self.node, self.link = line(first[0], second[0]), line(first[2], second[2])
        self.draw = first[1]
        pair = [iteration_seconds(bridle, folder, iterations, n, 2, "complete", ranks=2)[0] - self.local(n, 1, 1)
                for n, iterations in ((small, 50000), (large, 50000))]
        self.latency, per_number = line(*pair)
        self.bandwidth = 8 / per_number

    def local(self, n, links, up):
        """Seconds of one node with so many links, and so many of them up."""
        return self.node[0] + self.node[1] * n + links * self.draw + up * (self.link[0] + self.link[1] * n)

    def iteration(self, n, links, up):
        """One node per rank, every link to another rank."""
        return self.local(n, links, up) + up * (self.latency + 8 * n / self.bandwidth)


def main():
    bridle = pathlib.Path(sys.argv[1]).resolve()
    print("# Scaling\n\nWritten by `./scripts/bench scaling` on a shared machine with "
          f"{os.cpu_count()} cores; docs/scaling.md tells what is modelled.\n")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = Model(bridle, folder)
        print("| constant | value |\n| --- | ---: |")
        print(f"| a node's step | {1e6 * model.node[0]:.2f} us + {1e9 * model.node[1]:.2f} ns per variable |")
        print(f"| a link that is up, at one end | {1e6 * model.link[0]:.2f} us + {1e9 * model.link[1]:.2f} ns per variable |")
        print(f"| drawing a link, at one end | {1e9 * model.draw:.1f} ns |")
        print(f"| latency of a message, two ranks on this machine | {1e6 * model.latency:.2f} us |")
        print(f"| bandwidth | {model.bandwidth / 1e9:.2f} GB/s |")

        print("\nChecked against runs that the constants were not taken from, time per iteration:\n")
        print("| run | measured | model |\n| --- | ---: | ---: |")
        for n, nodes, graph, p, iterations in ((1000, 32, "complete", 0.3, 5000), (300, 64, "grid", 0.5, 10000)):
            measured, result = iteration_seconds(bridle, folder, iterations, n, nodes, graph, p)
            links = result["bytes_per_node_mean"] / result["message_bytes"] / result["iterations"]
            print(f"| one process, {nodes} nodes, {graph}, p = {p}, n = {n} | {1e6 * measured:.0f} us "
                  f"| {1e6 * nodes * model.local(n, links / p, links):.0f} us |")
        n = 2000
        measured, _ = iteration_seconds(bridle, folder, 20000, n, 2, "complete", ranks=2)
        print(f"| two ranks, a node each, p = 1, n = {n} | {1e6 * measured:.0f} us | {1e6 * model.iteration(n, 1, 1):.0f} us |")

        n, nodes, iterations = 100, 1000, 3000
        measured, result = iteration_seconds(bridle, folder, iterations, n, nodes, "geometric", 0.3)
        links = result["bytes_per_node_mean"] / result["message_bytes"] / result["iterations"]
        print(f"\nSimulated in one process: {nodes} nodes, geometric graph, p = 0.3, n = {n}, {links:.2f} links up per node: "
              f"**{nodes / measured:,.0f} node-updates per second** ({1e3 * measured:.2f} ms per iteration of all nodes; "
              f"model {1e3 * nodes * model.local(n, links / 0.3, links):.2f} ms).")

        print("\nPredicted, one node per rank, geometric graph with 2 log N neighbours, p = 0.3; this machine's messages, and "
              "a network of 20 us and 1 GB/s:\n")
        print("| nodes | n | links up | here | network | bytes per node and iteration |")
        print("| ---: | ---: | ---: | ---: | ---: | ---: |")
        here = (model.latency, model.bandwidth)
        for nodes in (1000, 10000):
            for n in (100, 1000, 10000):
                links = 0.3 * 2 * math.log(nodes)
                model.latency, model.bandwidth = here
                near = model.iteration(n, links / 0.3, links)
                model.latency, model.bandwidth = 20e-6, 1e9
                far = model.iteration(n, links / 0.3, links)
                print(f"| {nodes:,} | {n:,} | {links:.1f} | {1e6 * near:,.0f} us | {1e6 * far:,.0f} us "
                      f"| {8 * n * links:,.0f} |")


if __name__ == "__main__":
    main()
