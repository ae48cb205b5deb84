"""bridle solve under mpirun: workers, samples that lie with them, batches over ranks."""
import json
import os
import re
import signal
import subprocess
import time

import command
from command import CSV, toml
from ranks import ENVIRONMENT, RanksTest, exact


def large_csv(rows=4000):
    """More than 64 kB for each of three ranks: words, words in quotes that go on in the next line, rows with missing values."""
    return "age,hours,town,note,income\n" + "".join(
        f"{20 + 7 * i % 41},{'?' if i % 90 == 7 else 30 + i % 13},{'xyz'[min(i // 1500, 2)]},\"{'so, ' * 8}\n\"\"{i % 3}\"\"\","
        f"{'high' if i * i % 7 > 3 else 'low'}\r\n" for i in range(rows))


class Solve(RanksTest):
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

    def test_a_part_of_one_csv_file_for_each_rank(self):
        """The same of CSV, where a rank's bytes may begin within quotes."""
        self.write({"data.csv": large_csv(), "p.toml": toml()})
        options = ["solve", "p.toml", "--samples", 3000, "--tolerance", "0", "--no-finish", "--output", "last", "--json", "out.json",
                   "--exact-batches"]
        for ranks in (2, 3):
            alone = self.run_command(*options, "--batch", ranks)
            self.assertEqual(alone.returncode, 1, alone.stderr)
            one = json.loads((self.folder / "out.json").read_text())
            done = self.mpirun(ranks, *options)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assert_same_run(json.loads((self.folder / "out.json").read_text()), one)
            for told in (alone.stdout, done.stdout):
                self.assertIn("45 rows with missing values dropped", told)
        text = large_csv()
        lines = text.count("\n")
        for rows, part in (("word,1,x,n,low\n", f"data.csv:{lines + 1}: column 'age' is numeric"),
                           ('1,1,x,"n,low\n', f"data.csv:{lines + 1}: a quoted field opens here and is never closed"),
                           ("1,1,x,n\n" + large_csv() + '"a"b', f"data.csv:{lines + 1}: 4 fields, but the header has 5")):
            self.write({"data.csv": text + rows})
            for ranks in (2, 3):
                self.assert_told_once(self.mpirun(ranks, *options), part)

    def test_parts_without_rows(self):
        """Where a rank would keep no row of a CSV file, all read all of it."""
        self.write({"data.csv": large_csv(3000) + "1,?,x,n,low\n" * 20000, "p.toml": toml()})
        options = ["--epochs", 3, "--tolerance", "0", "--no-second-order", "--workers", 4, "--split"]
        alone = self.solved(0, *options)
        for ranks in (2, 3):
            self.assertEqual(self.solved(ranks, *options), alone)

    def test_solve_resumed(self):
        """A run that lost a rank, taken up from the checkpoint of rank 0, ends as an undisturbed one."""
        self.write({"data.csv": CSV, "p.toml": toml()})
        options = ["solve", "p.toml", "--samples", 300000, "--tolerance", "0", "--quiet", "--json", "out.json",
                   "--exact-batches"]
        self.assertEqual(self.mpirun(2, *options).returncode, 1)
        undisturbed = exact((self.folder / "out.json").read_text())
        (self.folder / "out.json").unlink()
        process = self.start_mpirun(2, *options, *self.FILES)
        deadline = time.monotonic() + 300
        while not (self.folder / "state").exists():
            self.assertIsNone(process.poll(), "the run ended before it could be disturbed")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)
        os.kill(self.process_of(1), signal.SIGKILL)
        process.communicate(timeout=300)
        self.assertFalse((self.folder / "out.json").exists(), "the run ended before it could be disturbed")
        done = self.mpirun(2, *options, *self.FILES, "--resume")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(exact((self.folder / "out.json").read_text()), undisturbed)
        self.assert_told_once(self.mpirun(3, *options, *self.FILES, "--resume"), "another problem or other options")

    def test_what_solve_cannot_do_under_mpirun(self):
        self.write({"data.csv": CSV, "p.toml": toml()})
        for option, part in ((["--seconds", "1"], "--seconds"), (["--checkpoint", "nowhere/c"], "nowhere/c"),
                             (["--exact-batches", "--workers", 2], "--workers does not go with it"),
                             (["--exact-batches", "--split"], "--split does not go with it"),
                             (["--split"], "say --workers W"), (["--split", "--workers", 20], "20 workers for 16 samples")):
            self.assert_told_once(self.mpirun(2, "solve", "p.toml", *option), part)
        self.assert_told_once(self.mpirun(3, "solve", "p.toml", "--workers", 2), "3 ranks for 2 workers")
        self.write({"data.csv": "age,hours,income\n1,2,low\n2,1,high\n", "p.toml": toml()})
        self.assert_told_once(self.mpirun(3, "solve", "p.toml", "--exact-batches"), "3 ranks for 2 samples")
        self.assert_told_once(self.mpirun(2, "solve", "p.toml", "--workers", 3), "3 workers for 2 samples")

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

    def test_samples_lie_with_their_workers(self):
        """--split: the same bits on any ranks, whatever the files, and those of the run that is not split but for rounding."""
        rows = 'lp = """\nSubject To\n sum: age + hours <= 0.1\nEnd\n"""'
        covariance = "covariance = { sex = 0.05 }"
        many = "".join(f"{i * i % 7 % 2 * 2 - 1} " + " ".join(f"{j}:{(i * j) % 11 / 7:.3f}" for j in range(1 + i % 3, 30, 3)) + "\n"
                       for i in range(3000))
        cases = [({"data.csv": CSV}, toml(constraints=rows, ignore='["sex"]')), ({"data.csv": CSV}, toml(constraints=covariance)),
                 ({"large.csv": large_csv()}, toml(data='"large.csv"')),
                 ({"d.libsvm": many}, toml(data='"d.libsvm"', without=("target", "positive", "standardise")))]
        for files, text in [*cases, *self.problems_in_files()]:
            self.write({**files, "p.toml": text})
            for more in ([], ["--no-second-order", "--deal"], ["--algorithm", "storm", "--no-second-order"]):
                options = ["--epochs", 200 if len(files) > 1 or "data.csv" in files else 3, "--tolerance", "0", *more, "--workers", 6]
                with self.subTest(files=list(files), options=more):
                    alone = self.solved(0, *options, "--split")
                    for ranks in (2, 5):  # fewer than files, and more
                        self.assertEqual(self.solved(ranks, *options, "--split"), alone)
                    whole = self.solved(0, *options)
                    self.assertAlmostEqual(float(whole["objective"]), float(alone["objective"]), delta=1e-6)
                    self.certify("p.toml", {"x": {k: float(v) for k, v in alone["x"].items()}}, "--tolerance", "1")

    def test_parameters_of_the_theory_where_samples_are_split(self):
        self.write({"data.csv": CSV, "p.toml": toml()})
        options = ["--params", "theory", "--algorithm", "storm", "--epochs", 5, "--workers", 4, "--constants", "sbar=1"]
        whole = self.solved(0, *options)
        self.assertAlmostEqual(float(self.solved(2, *options, "--split")["objective"]), float(whole["objective"]), delta=1e-12)

    def test_lines_longer_than_a_part(self):
        """Where a rank would have no line of the file, all read all of it."""
        long = " ".join(f"{j}:1.25" for j in range(1, 30000))
        self.write({"d.libsvm": "1 1:1 2:1\n-1 2:1\n" * 10 + f"1 {long}\n-1 {long}\n",
                    "p.toml": toml(data='"d.libsvm"', without=("target", "positive", "standardise"))})
        options = ["--epochs", 3, "--tolerance", "0", "--no-second-order", "--workers", 4, "--split"]
        alone = self.solved(0, *options)
        for ranks in (2, 3):
            self.assertEqual(self.solved(ranks, *options), alone)

    def test_split_data_is_read_where_it_is(self):
        files, text = next(self.problems_in_files())
        options = ["--epochs", 50, "--tolerance", "0", "--workers", 4, "--split"]
        self.write({**files, "p.toml": text})
        alone = self.solved(0, *options)
        self.assertEqual(exact(self.on_two_machines(files, text, "solve", *options, code=1)), alone)

    def test_split_runs_are_resumed_by_any_ranks(self):
        self.write({"data.csv": CSV, "p.toml": toml()})
        options = ["--tolerance", "0", "--no-second-order", "--workers", 4, "--split"]
        self.solved(3, *options, *self.FILES, "--samples", 20000)
        saved = (self.folder / "state").read_bytes()
        ends = []
        for ranks in (0, 2, 4):
            (self.folder / "state").write_bytes(saved)
            ends.append(self.solved(ranks, *options, *self.FILES, "--resume", "--samples", 60000))
        self.assertEqual(ends[0], ends[1])
        self.assertEqual(ends[0], ends[2])

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

    def test_ranks_share_processors(self):
        self.write({"data.csv": CSV, "p.toml": toml()})
        options = ["solve", "p.toml", "--workers", 2, "--quiet", "--json", "out.json"]
        here = len(os.sched_getaffinity(0))
        for how, environment, threads in ((["--bind-to", "none"], {}, max(1, here // 2)), (["--bind-to", "none"], {"OMP_NUM_THREADS": "1"}, 1),
                                          ([], {}, None)):
            subprocess.run(["mpirun", *how, "-n", "2", command.BRIDLE, *map(str, options)], stdin=subprocess.DEVNULL, cwd=self.folder,
                           check=True, capture_output=True, timeout=60, env={**ENVIRONMENT, **environment})
            found = [entry["threads"] for entry in json.loads((self.folder / "out.json").read_text())["ranks"]]
            with self.subTest(how=how, environment=environment):
                self.assertLessEqual(sum(found), max(2, here))
                if threads:
                    self.assertEqual(found, [threads, threads])


if __name__ == "__main__":
    command.main()
