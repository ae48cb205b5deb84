"""bridle under mpirun: any number of ranks gives the numbers of one process, and sends what the model says."""
import json
import re
import os
import pathlib
import shutil
import signal
import subprocess
import time
import unittest

import command
from command import CSV, toml

# Containers run as root and have few cores; leaks inside MPI itself are none of ours.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
               "ASAN_OPTIONS": "detect_leaks=0"}
# What a clock or the number of ranks may change.
FREE = ("seconds", "load_seconds", "solve_seconds", "certify_seconds", "step_nanoseconds", "ranks", "rank_messages",
        "rank_bytes")


SAMPLES = 1000000  # enough to be disturbed


def config(nodes=8, probability=0.4, graph="complete"):
    return toml() + (f'\n[network]\nnodes = {nodes}\ngraph = "{graph}"\nprobability = {probability}\n'
                     'shards = "by-label"\n')


def exact(text):
    result = json.loads(text, parse_float=str)
    for spent in result.get("phases", {}).values():
        del spent["seconds"]
    result.get("second_order", {}).pop("seconds", None)
    return {key: value for key, value in result.items() if key not in FREE}


@unittest.skipUnless(shutil.which("mpirun"), "mpirun is not there")
class Ranks(command.CommandTest):
    def mpirun(self, ranks, *arguments):
        return subprocess.run(["mpirun", "-n", str(ranks), command.BRIDLE, *map(str, arguments)], cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                              env=ENVIRONMENT)

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

    def on_two_machines(self, files, text, name, *arguments, code=0):
        """Each has half of the data files and no others."""
        for k, file in enumerate(files):
            self.write({f"machine{k // 2}/{file}": files[file], f"machine{k // 2}/c.toml": text})
        options = [name, "c.toml", "--quiet", "--json", "out.json", *arguments]
        one = ["-n", "1", "--wdir", self.folder / "machine0", command.BRIDLE, *options]
        two = ["-n", "1", "--wdir", self.folder / "machine1", command.BRIDLE, *options]
        done = subprocess.run(["mpirun", *map(str, one), ":", *map(str, two)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, env=ENVIRONMENT)
        self.assertEqual(done.returncode, code, done.stderr)
        return (self.folder / "machine0" / "out.json").read_text()

    def problems_in_files(self):
        # Category 'x' and the class 'low' are in some of the files only: the ranks must agree on them.
        rows = [f"{20 + 7 * i % 41},{'xyz'[min(i // 9, 2)]},{'high' if i % 5 > 1 and i > 5 else 'low'}\n"
                for i in range(24)]
        cuts = (0, 5, 6, 15, 24)
        parts = {f"part{k}.csv": "age,town,income\n" + "".join(rows[cuts[k]:cuts[k + 1]]) for k in range(4)}
        sparse = {f"part{k}.libsvm": f"{k % 2 * 2 - 1} 1:{k + 1} {k + 2}:-0.5\n" * (k + 2) for k in range(4)}
        for files, without in ((parts, ()), (sparse, ("target", "positive", "standardise"))):
            names = ", ".join(f'"{name}"' for name in files)
            yield files, toml(data=f"[{names}]", without=without)

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

    def start_mpirun(self, ranks, *arguments):
        process = subprocess.Popen(["mpirun", "-n", str(ranks), command.BRIDLE, *map(str, arguments)],
                                   cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)
        self.addCleanup(self.end, process)
        return process

    def process_of(self, rank):
        """The process id of a rank that runs in this test's folder."""
        for entry in pathlib.Path("/proc").iterdir():
            try:
                here = entry.name.isdigit() and os.readlink(entry / "cwd") == str(self.folder.resolve())
                if here and f"OMPI_COMM_WORLD_RANK={rank}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    return int(entry.name)
            except OSError:
                continue
        self.fail(f"rank {rank} does not run")

    def disturbed(self, signal_number, algorithm):
        """A run of three ranks that loses rank 1 after its first checkpoints, and is resumed."""
        options = ["consensus", "c.toml", "--quiet", "--json", "out.json", "--samples", SAMPLES, "--tolerance", "5e-2",
                   "--algorithm", algorithm]
        files = ["--checkpoint", "state", "--checkpoint-seconds", "0"]
        for path in self.folder.glob("state*"):
            path.unlink()
        process = self.start_mpirun(3, *options, *files, "--patience", 5)
        deadline = time.monotonic() + 60
        while not all((self.folder / f"state.rank{rank}.before").exists() for rank in range(3)):
            self.assertIsNone(process.poll(), "the run ended before it could be disturbed")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)
        os.kill(self.process_of(1), signal_number)
        began = time.monotonic()
        errors = process.communicate(timeout=60)[1]
        seconds = time.monotonic() - began
        self.assertNotEqual(process.returncode, 0)
        self.assertFalse((self.folder / "out.json").exists())
        done = self.mpirun(3, *options, *files, "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "out.json").read_text()
        (self.folder / "out.json").unlink()
        return exact(text), process.returncode, errors, seconds

    def test_a_lost_rank(self):
        self.write({"data.csv": CSV, "c.toml": config(nodes=6)})
        for algorithm, lost in (("safeguarded", signal.SIGSTOP), ("safeguarded-storm", signal.SIGKILL)):
            alone = exact(self.consensus(0, "--samples", SAMPLES, "--algorithm", algorithm))
            (self.folder / "out.json").unlink()
            with self.subTest(algorithm=algorithm, lost=lost):
                result, code, errors, seconds = self.disturbed(lost, algorithm)
                self.assertEqual(result, alone)
                if lost == signal.SIGSTOP:  # the dead one is mpirun's to tell
                    self.assertEqual(code, 5, errors)
                    self.assertIn("has not answered for 5 s", errors)
                    self.assertIn("--resume goes on from state.rank*", errors)
                    self.assertLess(seconds, 30)

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

    def test_solve_with_batches_over_ranks(self):
        rows = 'lp = """\nSubject To\n sum: age + hours <= 0.1\n gap: -0.3 <= age - hours <= 0.3\nEnd\n"""'
        self.write({"data.csv": CSV, "p.toml": toml(constraints=rows, ignore='["sex"]')})
        for algorithm, ranks, batch in (("smoothed", 2, 1), ("smoothed", 3, 1), ("smoothed", 4, 1), ("smoothed", 2, 2),
                                        ("storm", 3, 1), ("safeguarded", 2, 1), ("safeguarded-storm", 2, 2)):
            # Ranks that split the data know no second-order steps.
            options = ["solve", "p.toml", "--samples", 5000, "--tolerance", "0", "--no-second-order", "--quiet", "--json", "out.json",
                       "--exact-batches", "--algorithm", algorithm]
            for finish in (["--no-finish"], []):
                alone = self.run_command(*options, "--batch", ranks * batch, *finish)
                self.assertEqual(alone.returncode, 1, alone.stderr)
                one = json.loads((self.folder / "out.json").read_text())
                done = self.mpirun(ranks, *options, "--batch", batch, *finish)
                self.assertEqual(done.returncode, 1, done.stderr)
                many = json.loads((self.folder / "out.json").read_text())
                with self.subTest(algorithm=algorithm, ranks=ranks, batch=batch, finish=finish):
                    self.assert_same_run(many, one)
            with self.subTest(algorithm=algorithm, ranks=ranks, batch=batch):
                self.certify("p.toml", many, "--tolerance", "1e-1")

    # What is told and what is drawn at the end are sums over ranks, too: the objective in the log, M_y, post-processing.
    def test_figures_beside_the_loop_are_those_of_all_data(self):
        rows = 'lp = """\nSubject To\n sum: age + hours <= 0.1\nEnd\n"""'
        self.write({"data.csv": CSV, "p.toml": toml(constraints=rows, ignore='["sex"]')})
        options = ["solve", "p.toml", "--samples", 2000, "--tolerance", "0", "--no-second-order", "--json", "out.json",
                   "--exact-batches"]
        for more in (["--output", "random", "--post-process", "50"], ["--algorithm", "safeguarded", "--log", "log.csv"]):
            alone = self.run_command(*options, "--batch", 2, *more)
            one, log = json.loads((self.folder / "out.json").read_text()), self.objectives_of_log()
            both = self.mpirun(2, *options, *more)
            self.assertEqual((alone.returncode, both.returncode), (1, 1), alone.stderr + both.stderr)
            with self.subTest(more=more):
                self.assert_same_run(json.loads((self.folder / "out.json").read_text()), one)
                self.assertEqual(bool(log), "--log" in more)
                for here, there in zip(self.objectives_of_log(), log, strict=True):
                    self.assertAlmostEqual(here, there, places=9)
                bounds = [re.findall(r"M_y *= ([0-9.e+]+)", done.stdout) for done in (alone, both)]
                self.assertEqual(bounds[0], bounds[1])
                self.assertEqual(bool(bounds[0]), "safeguarded" in more)

    def objectives_of_log(self):
        if not (self.folder / "log.csv").exists():
            return []
        header, *lines = (self.folder / "log.csv").read_text().splitlines()
        column = header.split(",").index("objective")
        return [float(line.split(",")[column]) for line in lines]

    def assert_same_run(self, many, one):
        """Sums over ranks are rounded in another order; the samples are the same."""
        self.assertEqual(many["samples"], one["samples"])
        for name, value in one["x"].items():
            self.assertAlmostEqual(many["x"][name], value, delta=1e-9 * (1 + abs(value)))

    def test_solve_with_data_files_of_ranks(self):
        for files, text in self.problems_in_files():
            self.write({**files, "p.toml": text})
            # The last point: which one is best may hang on the last digit of an error.
            options = ["--samples", 3000, "--tolerance", "0", "--no-finish", "--output", "last", "--exact-batches"]
            for ranks in (2, 3, 4):
                with self.subTest(files=list(files), ranks=ranks):
                    one = self.run_command("solve", "p.toml", "--quiet", "--json", "out.json", *options, "--batch", ranks)
                    self.assertEqual(one.returncode, 1, one.stderr)
                    one = json.loads((self.folder / "out.json").read_text())
                    done = self.mpirun(ranks, "solve", "p.toml", "--quiet", "--json", "out.json", *options)
                    self.assertEqual(done.returncode, 1, done.stderr)
                    self.assert_same_run(json.loads((self.folder / "out.json").read_text()), one)
                    if ranks == 2:
                        apart = self.on_two_machines(files, text, "solve", *options, code=1)
                        self.assert_same_run(json.loads(apart), one)

    def test_a_part_of_one_file_for_each_rank(self):
        """A large LIBSVM file is read in parts, by bytes: the samples are those of the whole, in its order."""
        lines = (f"{1 if i * i % 7 < 3 else -1} " + " ".join(f"{j}:{(i * j) % 11 / 7:.3f}" for j in range(1 + i % 3, 30, 3))
                 for i in range(3000))
        self.write({"d.libsvm": "\n".join(lines) + "\n",
                    "p.toml": toml(data='"d.libsvm"', without=("target", "positive", "standardise"))})
        options = ["solve", "p.toml", "--samples", 3000, "--tolerance", "0", "--no-finish", "--output", "last", "--quiet",
                   "--json", "out.json", "--exact-batches"]
        for ranks in (2, 3):
            self.assertEqual(self.run_command(*options, "--batch", ranks).returncode, 1)
            one = json.loads((self.folder / "out.json").read_text())
            done = self.mpirun(ranks, *options)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assert_same_run(json.loads((self.folder / "out.json").read_text()), one)
        self.write({"d.libsvm": "\n".join(["1 1:1 2:1", "-1 2:1"] * 20000 + ["1 1:"]) + "\n"})
        self.assert_told_once(self.mpirun(2, *options), "d.libsvm:40001:")

    def test_solve_resumed(self):
        """A run that lost a rank, taken up from the checkpoint of rank 0, ends as an undisturbed one."""
        self.write({"data.csv": CSV, "p.toml": toml()})
        options = ["solve", "p.toml", "--samples", 300000, "--tolerance", "0", "--quiet", "--json", "out.json",
                   "--exact-batches"]
        files = ["--checkpoint", "state", "--checkpoint-seconds", "0"]
        self.assertEqual(self.mpirun(2, *options).returncode, 1)
        undisturbed = exact((self.folder / "out.json").read_text())
        (self.folder / "out.json").unlink()
        process = self.start_mpirun(2, *options, *files)
        deadline = time.monotonic() + 60
        while not (self.folder / "state").exists():
            self.assertIsNone(process.poll(), "the run ended before it could be disturbed")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)
        os.kill(self.process_of(1), signal.SIGKILL)
        process.communicate(timeout=60)
        self.assertFalse((self.folder / "out.json").exists(), "the run ended before it could be disturbed")
        done = self.mpirun(2, *options, *files, "--resume")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(exact((self.folder / "out.json").read_text()), undisturbed)
        self.assert_told_once(self.mpirun(3, *options, *files, "--resume"), "another problem or other options")

    def test_what_solve_cannot_do_under_mpirun(self):
        self.write({"data.csv": CSV, "p.toml": toml()})
        for option, part in ((["--seconds", "1"], "--seconds"), (["--checkpoint", "nowhere/c"], "nowhere/c"),
                             (["--exact-batches", "--workers", 2], "--workers does not go with it")):
            self.assert_told_once(self.mpirun(2, "solve", "p.toml", *option), part)
        self.assert_told_once(self.mpirun(3, "solve", "p.toml", "--workers", 2), "3 ranks for 2 workers")
        self.write({"data.csv": "age,hours,income\n1,2,low\n2,1,high\n", "p.toml": toml()})
        self.assert_told_once(self.mpirun(3, "solve", "p.toml", "--exact-batches"), "3 ranks for 2 samples")
        self.assert_told_once(self.mpirun(2, "solve", "p.toml", "--workers", 3), "3 workers for 2 samples")

    def solved(self, ranks, *arguments, code=1):
        """The result of a run, without what a clock may change."""
        options = ["solve", "p.toml", "--quiet", "--json", "out.json", *arguments]
        done = self.mpirun(ranks, *options) if ranks else self.run_command(*options)
        self.assertEqual(done.returncode, code, done.stderr)
        text = (self.folder / "out.json").read_text()
        (self.folder / "out.json").unlink()
        return exact(text)

    def test_workers_are_executed_by_any_ranks(self):
        rows = 'lp = """\nSubject To\n sum: age + hours <= 0.1\nEnd\n"""'
        self.write({"data.csv": CSV, "p.toml": toml(constraints=rows, ignore='["sex"]')})
        for more in (["--no-finish"], [], ["--algorithm", "safeguarded"], ["--algorithm", "storm", "--batch", 2]):
            options = ["--samples", 5000, "--tolerance", "0", *more, "--workers", 5]
            alone = self.solved(0, *options)
            for ranks in (2, 3, 5) if "--no-finish" in more else (2,):
                with self.subTest(ranks=ranks, options=more):
                    self.assertEqual(self.solved(ranks, *options), alone)
        self.assertNotEqual(alone["x"], self.solved(0, *options[:-1], 1)["x"])
        dealt = self.solved(0, *options, "--deal")
        self.assertNotEqual(alone["x"], dealt["x"])
        self.assertEqual(self.solved(2, *options, "--deal"), dealt)

    def test_one_worker_is_one_process(self):
        self.write({"data.csv": CSV, "p.toml": toml()})
        self.assertEqual(self.solved(2, code=0), self.solved(0, code=0))

    def test_ranks_tell_how_long_they_waited(self):
        self.write({"data.csv": CSV, "p.toml": toml()})
        done = self.mpirun(2, "solve", "p.toml", "--samples", 5000, "--workers", 2, "--json", "out.json")
        self.assertIn("waited for others", done.stdout)
        result = json.loads((self.folder / "out.json").read_text())
        self.assertEqual([entry["rank"] for entry in result["ranks"]], [0, 1])
        self.assertEqual(min(entry["late_seconds"] for entry in result["ranks"]), 0)
        for entry in result["ranks"]:
            self.assertGreater(entry["waited_seconds"], 0)
            self.assertLess(entry["waited_seconds"], result["seconds"])
        alone = self.run_command("solve", "p.toml", "--samples", 5000, "--workers", 2, "--json", "out.json")
        self.assertNotIn("waited", alone.stdout)
        self.assertNotIn("ranks", json.loads((self.folder / "out.json").read_text()))

    def test_workers_resumed_by_other_ranks(self):
        """A run that lost a rank, taken up by fewer ranks and by one process: the bits of an undisturbed one."""
        self.write({"data.csv": CSV, "p.toml": toml()})
        options = ["--samples", 300000, "--tolerance", "0", "--no-second-order", "--workers", 4]
        files = ["--checkpoint", "state", "--checkpoint-seconds", "0"]
        undisturbed = self.solved(0, *options)
        process = self.start_mpirun(3, "solve", "p.toml", "--quiet", "--json", "out.json", *options, *files)
        deadline = time.monotonic() + 60
        while not (self.folder / "state").exists():
            self.assertIsNone(process.poll(), "the run ended before it could be disturbed")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)
        os.kill(self.process_of(1), signal.SIGKILL)
        process.communicate(timeout=60)
        self.assertFalse((self.folder / "out.json").exists(), "the run ended before it could be disturbed")
        saved = (self.folder / "state").read_bytes()
        for ranks in (2, 0, 4):
            (self.folder / "state").write_bytes(saved)
            with self.subTest(ranks=ranks):
                self.assertEqual(self.solved(ranks, *options, *files, "--resume"), undisturbed)

    def assert_told_once(self, done, part):
        self.assertEqual(done.returncode, 2, done.stderr)
        lines = [line for line in done.stderr.splitlines() if line.startswith("bridle")]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertIn(part, lines[0])

    def test_an_error_on_one_rank_ends_all(self):
        # No memory for a point, on rank 1 alone and in the middle of the work: no other rank can know of it.
        library = pathlib.Path(command.BRIDLE).parents[1] / "tests" / "faults" / "libfail_at.so"
        if not library.exists():
            self.skipTest("the library of faults is not built with sanitizers")
        columns = 4001  # 8 * 4001 bytes are nothing that MPI would ask for
        lines = (" ".join([str(i % 2 * 2 - 1), *(f"{j}:1" for j in range(1 + i, columns + 1, 40))]) for i in range(40))
        self.write({"d.libsvm": "\n".join(lines) + f"\n1 {columns}:1\n",
                    "p.toml": toml(data='"d.libsvm"', without=("target", "positive", "standardise"))})
        rank = ["-n", "1", command.BRIDLE, "solve", "p.toml", "--quiet", "--samples", "1000", "--exact-batches"]
        fault = ["env", f"LD_PRELOAD={library}", "FAULT_KIND=malloc", f"FAULT_BYTES={8 * columns}"]
        for number in (1, 100):
            with self.subTest(allocation=number):
                other = ["-n", "1", *fault, f"FAULT_AT={number}", *rank[2:]]
                done = subprocess.run(["mpirun", *map(str, rank), ":", *map(str, other)], stdin=subprocess.DEVNULL,
                                      cwd=self.folder, capture_output=True, text=True, timeout=40, env=ENVIRONMENT)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn("bridle: error: rank 1: std::bad_alloc", done.stderr)

    def test_errors_are_told_once(self):
        self.write({"data.csv": CSV, "c.toml": config(nodes=2), "c2.toml": config()})
        for options, part in ((["c.toml"], "3 ranks for 2 nodes"), (["nowhere.toml"], "nowhere.toml"),
                              (["c2.toml", "--algorithm", "gosip"], "'gosip' is unknown here")):
            self.assert_told_once(self.mpirun(3, "consensus", *options), part)


if __name__ == "__main__":
    command.main()
