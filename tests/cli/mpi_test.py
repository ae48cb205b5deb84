"""bridle under mpirun: any number of ranks gives the numbers of one process, and sends what the model says."""
import json
import os
import shutil
import subprocess
import unittest

import command
from command import CSV, toml

# Containers run as root and have few cores; leaks inside MPI itself are none of ours.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
               "ASAN_OPTIONS": "detect_leaks=0"}
# What a clock or the number of ranks may change.
FREE = ("seconds", "load_seconds", "solve_seconds", "certify_seconds", "ranks", "rank_messages", "rank_bytes")


def config(nodes=8, probability=0.4, graph="complete"):
    return toml() + (f'\n[network]\nnodes = {nodes}\ngraph = "{graph}"\nprobability = {probability}\n'
                     'shards = "by-label"\n')


def exact(text):
    result = json.loads(text, parse_float=str)
    return {key: value for key, value in result.items() if key not in FREE}


@unittest.skipUnless(shutil.which("mpirun"), "mpirun is not there")
class Ranks(command.CommandTest):
    def mpirun(self, ranks, *arguments):
        return subprocess.run(["mpirun", "-n", str(ranks), command.BRIDLE, *map(str, arguments)], cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                              env=ENVIRONMENT)

    def consensus(self, ranks, *arguments):
        options = ["consensus", "c.toml", "--quiet", "--json", "out.json", "--tolerance", "1e-2", *arguments]
        done = self.mpirun(ranks, *options) if ranks else self.run_command(*options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / "out.json").read_text()

    def test_same_numbers_for_any_number_of_ranks(self):
        self.write({"data.csv": CSV, "c.toml": config()})
        for more in ([], ["--literal-draws"], ["--algorithm", "gossip"]):
            options = ["--samples", 60000, *more]
            alone = exact(self.consensus(0, *options))
            for ranks in (1, 2, 3, 4, 8):
                with self.subTest(ranks=ranks, options=more):
                    self.assertEqual(exact(self.consensus(ranks, *options)), alone)
            self.certify("c.toml", {"x": {k: float(v) for k, v in alone["x"].items()}}, "--tolerance", "1e-2")

    def test_messages_and_bytes(self):
        # All edges always up: every rank sends the points of its nodes to every other rank, in one message.
        self.write({"data.csv": CSV, "c.toml": config(nodes=4, probability=1)})
        for ranks in (1, 2, 4):
            result = json.loads(self.consensus(ranks, "--samples", 60000))
            rounds = result["iterations"] + result["finishing_rounds"]
            pairs = ranks * (ranks - 1)
            with self.subTest(ranks=ranks):
                self.assertEqual(result["message_bytes"], 8 * len(result["x"]))
                self.assertEqual(result["rank_messages"], rounds * pairs)
                self.assertEqual(result["rank_bytes"], rounds * pairs * (4 // ranks) * result["message_bytes"])
                self.assertEqual(result["bytes_per_node"], [rounds * 3 * result["message_bytes"]] * 4)

    def test_neighbours_alone_are_sent_to(self):
        # On a ring of 8 over 4 ranks a rank has two neighbouring ranks and sends each one point.
        self.write({"data.csv": CSV, "c.toml": config(nodes=8, probability=1, graph="ring")})
        result = json.loads(self.consensus(4, "--samples", 60000))
        rounds = result["iterations"] + result["finishing_rounds"]
        self.assertEqual(result["rank_messages"], rounds * 8)
        self.assertEqual(result["rank_bytes"], rounds * 8 * result["message_bytes"])

    def test_errors_are_told_once(self):
        self.write({"data.csv": CSV, "c.toml": config(nodes=2)})
        for options, part in ((["c.toml"], "3 ranks for 2 nodes"), (["nowhere.toml"], "nowhere.toml")):
            done = self.mpirun(3, "consensus", *options)
            self.assertEqual(done.returncode, 2, done.stderr)
            lines = [line for line in done.stderr.splitlines() if line.startswith("bridle")]
            self.assertEqual(len(lines), 1, done.stderr)
            self.assertIn(part, lines[0])


if __name__ == "__main__":
    command.main()
