"""bridle consensus under mpirun: any number of ranks gives the numbers of one process, and sends what the model says."""
import json
import os
import signal
import time

import command
from command import CSV, toml
from ranks import RanksTest, exact

SAMPLES = 1000000  # enough to be disturbed


def config(nodes=8, probability=0.4, graph="complete"):
    return toml() + (f'\n[network]\nnodes = {nodes}\ngraph = "{graph}"\nprobability = {probability}\n'
                     'shards = "by-label"\n')


class Consensus(RanksTest):
    def consensus(self, ranks, *arguments):
        options = ["consensus", "c.toml", "--quiet", "--json", "out.json", "--tolerance", "5e-2", *arguments]
        done = self.mpirun(ranks, *options) if ranks else self.run_command(*options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.folder / "out.json").read_text()

    def test_same_numbers_for_any_number_of_ranks(self):
        self.write({"data.csv": CSV, "c.toml": config()})
        storm = ["--algorithm", "safeguarded-storm"]
        for more in ([], ["--literal-draws"], storm, [*storm, "--literal-draws"], ["--algorithm", "gossip"]):
            options = ["--samples", 60000, *more]
            alone = exact(self.consensus(0, *options))
            for ranks in (2, 3) if more else (1, 2, 3, 4, 8):
                with self.subTest(ranks=ranks, options=more):
                    self.assertEqual(exact(self.consensus(ranks, *options)), alone)
            self.certify("c.toml", {"x": {k: float(v) for k, v in alone["x"].items()}}, "--tolerance", "5e-2")

    def test_a_file_per_node(self):
        for files, text in self.problems_in_files():
            text += '\n[network]\nnodes = 4\ngraph = "ring"\nprobability = 0.7\nshards = "by-file"\n'
            self.write({**files, "c.toml": text})
            alone = exact(self.consensus(0, "--samples", 60000))
            for ranks in (1, 2, 4):
                with self.subTest(files=list(files), ranks=ranks):
                    self.assertEqual(exact(self.consensus(ranks, "--samples", 60000)), alone)
            self.certify("c.toml", {"x": {k: float(v) for k, v in alone["x"].items()}}, "--tolerance", "5e-2")

            apart = self.on_two_machines(files, text, "consensus", "--tolerance", "5e-2", "--samples", 60000)
            self.assertEqual(exact(apart), alone)

    def test_files_of_ranks_that_do_not_fit(self):
        text = toml(data='["a.csv", "b.csv"]') + '\n[network]\nnodes = 2\ngraph = "ring"\nshards = "by-file"\n'
        for other, part in ((CSV.replace("hours", "days"), "column 'days' where"), ("", "b.csv"),
                            (CSV.replace("25,30", "25"), "b.csv:2")):
            self.write({"a.csv": CSV, "b.csv": other, "c.toml": text})
            with self.subTest(part=part):
                self.assert_told_once(self.mpirun(2, "consensus", "c.toml"), part)

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

    def disturbed(self, signal_number, algorithm):
        """A run of three ranks that loses rank 1 after its first checkpoints, and is resumed."""
        options = ["consensus", "c.toml", "--quiet", "--json", "out.json", "--samples", SAMPLES, "--tolerance", "5e-2",
                   "--algorithm", algorithm]
        files = ["--checkpoint", "state", "--checkpoint-seconds", "0"]
        for path in self.folder.glob("state*"):
            path.unlink()
        process = self.start_mpirun(3, *options, *files, "--patience", 5)
        deadline = time.monotonic() + 300
        while not all((self.folder / f"state.rank{rank}.before").exists() for rank in range(3)):
            self.assertIsNone(process.poll(), "the run ended before it could be disturbed")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        os.kill(self.process_of(1), signal_number)
        errors = process.communicate(timeout=300)[1]  # a busy machine may take its time; the patience of 5 s is in the message
        self.assertNotEqual(process.returncode, 0)
        self.assertFalse((self.folder / "out.json").exists())
        done = self.mpirun(3, *options, *files, "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "out.json").read_text()
        (self.folder / "out.json").unlink()
        return exact(text), process.returncode, errors

    def test_a_lost_rank(self):
        self.write({"data.csv": CSV, "c.toml": config(nodes=6)})
        for algorithm, lost in (("safeguarded", signal.SIGSTOP), ("safeguarded-storm", signal.SIGKILL)):
            alone = exact(self.consensus(0, "--samples", SAMPLES, "--algorithm", algorithm))
            (self.folder / "out.json").unlink()
            with self.subTest(algorithm=algorithm, lost=lost):
                result, code, errors = self.disturbed(lost, algorithm)
                self.assertEqual(result, alone)
                if lost == signal.SIGSTOP:  # the dead one is mpirun's to tell
                    self.assertEqual(code, 5, errors)
                    self.assertIn("has not answered for 5 s", errors)
                    self.assertIn("--resume goes on from state.rank*", errors)

    def test_checkpoints_that_do_not_fit(self):
        self.write({"data.csv": CSV, "c.toml": config()})
        files = ["--checkpoint", "state", "--checkpoint-seconds", "0"]
        self.consensus(2, "--samples", 60000, *files)
        for ranks, option, part in ((2, ["--step", "0.01"], "another problem"),
                                    (4, [], "one of 2 ranks, but this run has 4"),
                                    (1, [], "one of 2 ranks, but this run has 1")):
            done = self.mpirun(ranks, "consensus", "c.toml", "--samples", 60000, *option, *files, "--resume")
            self.assert_told_once(done, part)
        done = self.mpirun(2, "consensus", "c.toml", "--checkpoint", "nowhere/state")
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_a_larger_budget_goes_on(self):
        self.write({"data.csv": CSV, "c.toml": config()})
        files = ["--checkpoint", "state", "--checkpoint-seconds", "0"]
        once = json.loads(self.consensus(2, "--samples", 60000, *files))
        more = json.loads(self.consensus(2, "--samples", 100000, *files, "--resume"))
        self.assertEqual(once["samples"], 60000)
        self.assertEqual(more["samples"], 100000)
        self.assertLess(more["bytes_per_node"][0], 2 * once["bytes_per_node"][0])
        self.certify("c.toml", more, "--tolerance", "5e-2")
        # What was done before is not done again: nothing is left to do.
        again = json.loads(self.consensus(2, "--samples", 100000, *files, "--resume"))
        self.assertEqual(again["x"], more["x"])

    def test_errors_are_told_once(self):
        self.write({"data.csv": CSV, "c.toml": config(nodes=2), "c2.toml": config()})
        for options, part in ((["c.toml"], "3 ranks for 2 nodes"), (["nowhere.toml"], "nowhere.toml"),
                              (["c2.toml", "--algorithm", "gosip"], "'gosip' is unknown here")):
            self.assert_told_once(self.mpirun(3, "consensus", *options), part)


if __name__ == "__main__":
    command.main()
