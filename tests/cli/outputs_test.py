"""What a run says and leaves: exit codes, JSON, the log, the screen, interruption."""
import csv
import json
import math
import os
import pty
import re
import resource
import signal
import subprocess
import time
import unittest.mock

import command
from command import CSV, LP, QPS, QUADRATIC, toml

# Of the issue that founded the command; later keys may come, these stay.
KEYS = """status objective feasibility max_violation stationarity iterations samples seconds load_seconds solve_seconds
certify_seconds step_nanoseconds algorithm parameters seed x y""".split()

NOISY = {"small.qps": QPS, "p.toml": toml(QUADRATIC, noise="1.0", constraints='file = "small.qps"')}
ENDLESS = ["--no-second-order", "--samples", "1e13", "--tolerance", "0"]


class ExitCodes(command.CommandTest):
    def test_certified(self):
        self.write({"p.lp": LP})
        done = self.run_command("solve", "p.lp")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("stationary: objective 0.5", done.stdout)

    def test_budget_exhausted(self):
        self.write(NOISY)
        result = self.solve("p.toml", "--samples", "200", "--tolerance", "0", "--no-finish", codes=(1,))
        self.assertEqual(result["status"], "budget_exhausted")

    # x + y <= 2 against x + y >= 3
    def test_infeasible(self):
        self.write({"p.lp": LP.replace("  budget", "  more: x + y >= 3\n  budget")})
        result = self.solve("p.lp", codes=(3,))
        self.assertEqual(result["status"], "infeasible")
        self.assertGreater(result["max_violation"], 0.1)
        self.assertEqual(sorted(result["infeasibility"]["conflict"]), ["budget", "more"])
        done = self.run_command("solve", "p.lp")
        self.assertIn("contradict each other: rows", done.stdout)

    # minimise -x^2 with x free: there is nothing to find. The parameters are given, so that no rule is tested here.
    def test_diverged(self):
        self.write({"p.lp": "Minimize\n obj: [ - 2 x ^ 2 ] / 2 + x\nSubject To\n r: x + y <= 5\nBounds\n x free\nEnd\n",
                    "q.toml": "tau = 1\neta = 0\nbeta = 0\nmu = 0\nrho = 0\n"})
        result = self.solve("p.lp", "--params", "q.toml", "--samples", "10000", codes=(4,))
        self.assertEqual(result["status"], "diverged")


class Json(command.CommandTest):
    def test_standard_output_is_pure(self):
        self.write({"p.lp": LP})
        done = self.run_command("solve", "p.lp", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertIn("Bridle", done.stderr)
        self.assertIn("certificate", done.stderr)
        self.assertAlmostEqual(result["objective"], 0.5, places=4)

    def test_keys(self):
        self.write({"data.csv": CSV, "p.toml": toml(constraints="covariance = { sex = 0.05 }")})
        result = self.solve("p.toml", "--seed", "9", codes=(0, 1))
        for key in KEYS:
            self.assertIn(key, result)
        self.assertEqual(result["seed"], 9)
        self.assertEqual(result["algorithm"], "smoothed")
        self.assertEqual(list(result["x"]), ["age", "hours", "intercept"])
        self.assertEqual(list(result["y"]), ["cov_sex"])
        for name in ("tau", "eta", "beta", "mu", "rho"):
            self.assertGreater(result["parameters"][name], 0)
            self.assertTrue(result["parameters"]["reasons"][name])
        parts = sum(result[k] for k in ("load_seconds", "solve_seconds", "certify_seconds"))
        self.assertAlmostEqual(result["seconds"], parts, places=9)
        phases = result["phases"]
        self.assertEqual(list(phases), ["start", "loop", "second order", "polish", "judge"])
        self.assertAlmostEqual(sum(p["seconds"] for p in phases.values()), result["solve_seconds"] + result["certify_seconds"], places=9)
        loop_seconds = phases["start"]["seconds"] + phases["loop"]["seconds"]
        self.assertAlmostEqual(result["step_nanoseconds"] * result["iterations"] / 1e9, loop_seconds, places=9)

    # The screen's table has the figures of the JSON, and says which phase found the point.
    def test_phases_on_the_screen(self):
        self.write({"data.csv": CSV, "p.toml": toml(constraints="covariance = { sex = 0.05 }")})
        done = self.run_command("solve", "p.toml", "--epochs", "50", "--no-second-order", "--tolerance", "0", "--json", "out.json")
        result = json.loads((self.folder / "out.json").read_text())
        self.assertIn(result["found_by"], ("loop x", "loop z", "polish"))
        self.assertIn(f"found by the {result['found_by'].split()[0]}", done.stdout)
        table = done.stdout.split("phase ")[1].split("\n\n")[0].splitlines()[1:]
        self.assertEqual([line.split("  ")[1] for line in table], list(result["phases"]))
        for line, spent in zip(table, result["phases"].values(), strict=True):
            self.assertEqual([float(v) for v in line.split()[-6:-1]],
                             [spent[k] for k in ("sample_gradients", "full_gradients", "hessians", "hessian_products", "projections")])

    def test_same_seed_same_bits(self):
        self.write(NOISY)
        runs = [self.solve("p.toml", "--samples", "3000", "--seed", s, codes=(0, 1)) for s in (3, 3, 4)]
        self.assertEqual(runs[0]["x"], runs[1]["x"])
        self.assertEqual(runs[0]["y"], runs[1]["y"])
        self.assertNotEqual(runs[0]["x"], runs[2]["x"])

    def test_file_is_replaced_whole(self):
        self.write({"p.lp": LP, "out.json": "old"})
        os.symlink("out.json", self.folder / "link.json")
        done = self.run_command("solve", "p.lp", "--quiet", "--json", "link.json")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertTrue((self.folder / "link.json").is_symlink())
        self.assertEqual(json.loads((self.folder / "out.json").read_text())["status"], "stationary")
        self.assertEqual({p.name for p in self.folder.iterdir()}, {"p.lp", "out.json", "link.json"})

    # Whoever may write in the folder cannot have another file overwritten by a link laid in wait.
    def test_planted_links_are_not_followed(self):
        self.write({"p.lp": LP, "victim": "precious"})
        for name in ("out.json.new", "log.csv.new", "state.new"):
            os.symlink("victim", self.folder / name)
        done = self.run_command("solve", "p.lp", "--quiet", "--json", "out.json", "--log", "log.csv",
                                "--checkpoint", "state", "--checkpoint-seconds", "0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "victim").read_text(), "precious")
        self.assertEqual(json.loads((self.folder / "out.json").read_text())["status"], "stationary")
        self.assertEqual({p.name for p in self.folder.iterdir()}, {"p.lp", "victim", "out.json", "out.json.new", "log.csv",
                                                                   "log.csv.new", "state", "state.new"})

    # A full disk is an error with the system's reason, whether a text is shorter or longer than a buffer.
    def test_full_disk(self):
        wide = "Minimize\n obj: " + " + ".join(f"variable{k}" for k in range(5000)) + "\nSubject To\n r: " + \
            " + ".join(f"variable{k}" for k in range(5000)) + " >= 1\nEnd\n"
        self.write({"p.lp": LP, "wide.lp": wide})
        for problem in ("p.lp", "wide.lp"):
            done = self.run_command("solve", problem, "--quiet", "--samples", "1000", "--json", "/dev/full")
            self.assert_refused(done, "/dev/full: cannot write: No space left on device")
        done = self.run_command("solve", "p.lp", "--quiet", "--log", "/dev/full")
        self.assert_refused(done, "/dev/full: cannot write: No space left on device")
        self.assertEqual({p.name for p in self.folder.iterdir()}, {"p.lp", "wide.lp"})
        with open("/dev/full", "w") as full:
            done = subprocess.run([command.BRIDLE, "solve", "p.lp", "--quiet", "--json", "-"], cwd=self.folder,
                                  stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "bridle: error: standard output: cannot write: No space left on device\n"))

    # A limit on the size of files stands for a disk that fills up on the way: a log ends, a result is refused.
    def test_disk_that_fills_up(self):
        self.write({"data.csv": CSV, "p.toml": toml(), "out.json": "old"})

        def limited():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        def run(*arguments):
            return subprocess.run([command.BRIDLE, "solve", "p.toml", "--epochs", "500", "--tolerance", "0", "--quiet", *arguments],
                                  cwd=self.folder, preexec_fn=limited, capture_output=True, text=True)
        done = run("--log", "log.csv")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (1, "", "bridle: error: log.csv: cannot write: File too large; the log ends here\n"))
        self.assertGreater((self.folder / "log.csv").stat().st_size, 900)
        self.assert_refused(run("--json", "out.json"), "out.json: cannot write: File too large")
        self.assertEqual((self.folder / "out.json").read_text(), "old")
        self.assertEqual({p.name for p in self.folder.iterdir()}, {"data.csv", "p.toml", "out.json", "log.csv"})

    def test_only_json_goes_to_standard_output(self):
        self.write({"p.lp": LP})
        for option in ("--log", "--write-params"):
            self.assert_refused(self.run_command("solve", "p.lp", option, "-"), option, "needs a file")

    def test_devices_are_written_to(self):
        self.write({"p.lp": LP})
        done = self.run_command("solve", "p.lp", "--quiet", "--json", "/dev/stdout", "--log", "/dev/null")
        self.assertEqual(json.loads(done.stdout)["status"], "stationary")
        self.assertFalse(os.path.isfile("/dev/null"))


class Screen(command.CommandTest):
    def test_quiet(self):
        self.write({"p.lp": LP})
        done = self.run_command("solve", "p.lp", "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_plain_rows(self):
        self.write({"data.csv": CSV, "p.toml": toml()})
        done = self.run_command("solve", "p.toml", "--epochs", "500", "--tolerance", "0")
        self.assertEqual(done.stderr, "")
        for part in ("Bridle", "16 samples", "5 variables", "parameters", "tau", "iteration", "budget_exhausted",
                     "certificate", "stationarity"):
            self.assertIn(part, done.stdout)
        self.assertNotIn("\r", done.stdout)
        self.assertNotIn("\x1b", done.stdout)
        self.assertFalse([line for line in done.stdout.splitlines() if line != line.rstrip() or len(line) > 130])
        rows = [line for line in done.stdout.splitlines() if line.split() and line.split()[0].isdigit()]
        self.assertTrue(5 <= len(rows) <= 60, len(rows))

    # On a terminal one line is updated in place, and gone in the end.
    def test_terminal(self):
        self.write(NOISY)
        terminal, side = pty.openpty()
        process = subprocess.Popen([command.BRIDLE, "solve", "p.toml", "--samples", "100000", "--tolerance", "0"],
                                   cwd=self.folder, stdin=subprocess.DEVNULL, stdout=side, stderr=side)
        self.addCleanup(self.end, process)
        os.close(side)
        shown = b""
        while True:
            try:
                piece = os.read(terminal, 4096)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            shown += piece
        os.close(terminal)
        self.assertIn(process.wait(), (0, 1))
        text = shown.decode().replace("\r\n", "\n")
        self.assertIn("\r\x1b[K", text)
        rows = [line for line in text.split("\n") if re.match(r"\s*\d+ +[\d.e+]+ ", line)]
        self.assertEqual(rows, [], "progress rows were left on the terminal")

    def test_log(self):
        self.write({"data.csv": CSV, "p.toml": toml()})
        self.solve("p.toml", "--epochs", "500", "--tolerance", "0", "--log", "log.csv", codes=(1,))
        with open(self.folder / "log.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ("iteration samples stage phase objective objective_error feasibility stationarity error tau "
                                          "seconds").split())
        self.assertGreater(len(rows), 10)
        for row in rows:
            self.assertNotIn(None, row)
            self.assertTrue(all(v for v in row.values()), row)
            self.assertTrue(all(math.isfinite(float(v)) for k, v in row.items() if k != "phase"), row)
        steps = [int(row["iteration"]) for row in rows if row["phase"] == "loop"]
        self.assertEqual(steps, sorted(set(steps)))

    def test_information(self):
        done = self.run_command("info")
        self.assertEqual(done.returncode, 0)
        for part in ("Bridle", "smoothed", "logistic-difference", "tukey"):
            self.assertIn(part, done.stdout)
        self.assertIn("solve", self.run_command("--help").stdout)
        self.assertIn("--checkpoint", self.run_command("solve", "--help").stdout)
        self.assertRegex(self.run_command("--version").stdout, r"\d+\.\d+\.\d+")

    def test_threads_are_as_many_as_said(self):
        def threads(said):
            with unittest.mock.patch.dict(os.environ, {"OMP_NUM_THREADS": said}):
                return int(re.search(r"threads +(\d+)", self.run_command("info").stdout).group(1))
        processors = len(os.sched_getaffinity(0))
        self.assertEqual(threads("1"), 1)
        self.assertEqual(threads("1000000"), processors)
        self.assertEqual(threads("none"), processors)

    def test_demo(self):
        done = self.run_command("demo")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for part in ("Berkeley", "MADE UP", "stationary: objective", "certificate", "covariance of the score with sex", "accuracy"):
            self.assertIn(part, done.stdout)
        self.assertNotIn("WARNING", done.stdout)
        gaps = [float(part.rstrip("%")) for line in done.stdout.splitlines() if line.startswith("gap  ") for part in line.split()[1:]]
        self.assertEqual(len(gaps), 3)
        self.assertLessEqual(gaps[2], 2.0)
        self.assertGreater(gaps[0], 10)


class Interruption(command.CommandTest):
    # How soon is measured in seconds of the processor: a busy machine may take its time.
    def interrupt(self, problem, *arguments, signal_number=signal.SIGINT, after=1.0):
        process = self.start("solve", problem, "--json", "out.json", "--log", "log.csv", *arguments)
        log, limit = self.folder / "log.csv", time.monotonic() + 120  # a row of the log: the run is under way
        while not (log.exists() and log.read_text().count("\n") > 1) and process.poll() is None and time.monotonic() < limit:
            time.sleep(0.02)
        time.sleep(after)
        self.assertIsNone(process.poll(), "the run was to be long")
        used = command.processor_seconds_of(process)
        process.send_signal(signal_number)
        before = command.processor_seconds()
        _, errors = process.communicate(timeout=120)
        seconds = command.processor_seconds() - before - used
        self.assertEqual(process.returncode, 130, errors)
        self.assertLess(seconds, 20.0 if "sanitize" in command.BRIDLE else 2.0)
        self.assertFalse(list(self.folder.glob("*.new")))
        return json.loads((self.folder / "out.json").read_text())

    # The best iterate so far is written, and the judge agrees with what the file says of it.
    def check(self, problem, result):
        self.assertEqual(result["status"], "interrupted")
        self.assertGreater(result["iterations"], 0)
        judged = self.certify(problem, result, "--tolerance", "1e9")
        self.assertAlmostEqual(judged["objective"], result["objective"], places=6)

    def test_stream(self):
        self.write(NOISY)
        self.check("p.toml", self.interrupt("p.toml", *ENDLESS))

    def test_finite_sum(self):
        self.write({"data.csv": CSV, "p.toml": toml(constraints="covariance = { sex = 0.05 }")})
        self.check("p.toml", self.interrupt("p.toml", *ENDLESS))

    def test_terminate(self):
        self.write(NOISY)
        self.check("p.toml", self.interrupt("p.toml", *ENDLESS, signal_number=signal.SIGTERM))

    def test_time_limit(self):
        self.write(NOISY)
        start = command.processor_seconds()
        self.solve("p.toml", *ENDLESS, "--seconds", "0.5", codes=(0, 1))
        self.assertLess(command.processor_seconds() - start, 20)


if __name__ == "__main__":
    command.main()
