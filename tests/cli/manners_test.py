"""What a run shows and how it ends: why it stopped, the log and its picture, starts, checks of gradients, hints."""
import csv
import json
import os
import re
import signal
import threading
import time
import xml.etree.ElementTree

import command
from command import CSV, LP, QPS, QUADRATIC, toml

NOISY = {"small.qps": QPS, "p.toml": toml(QUADRATIC, noise="1.0", constraints='file = "small.qps"')}
MODEL = {"data.csv": CSV, "p.toml": toml(constraints="covariance = { sex = 0.05 }")}


class Endings(command.CommandTest):
    def test_a_budget_that_does_not_do_says_so(self):
        self.write(MODEL)
        done = self.run_command("solve", "p.toml", "--samples", 50, "--tolerance", 1e-12, "--no-second-order", "--no-finish",
                                "--json", "out.json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("stopped: the budget is spent", done.stdout)
        result = json.loads((self.folder / "out.json").read_text())
        self.assertIn("the point meets a tolerance of", result["advice"])
        self.certify("p.toml", result, code=1)

    def test_time_is_said_to_be_over(self):
        self.write(NOISY)
        result = self.solve("p.toml", "--seconds", 0.3, "--tolerance", 0, "--no-finish", codes=(1,))
        self.assertIn("the time is over", result["advice"])
        self.assertLess(result["seconds"], 30)  # a busy machine may take its time; clocks of tests in run/ are made up

    def test_without_a_budget_the_loop_alone_ends_certified(self):
        self.write(MODEL)
        result = self.solve("p.toml", "--no-second-order", "--tolerance", 1e-6)
        self.assertNotIn("advice", result)
        self.certify("p.toml", result, "--tolerance", 1e-6)

    def test_the_share_that_is_done_does_not_go_back(self):
        self.write({**MODEL, **NOISY, "model.toml": MODEL["p.toml"]})
        for run in (["model.toml"], ["p.toml", "--samples", 20000, "--tolerance", 0]):
            done = self.run_command("solve", *run)
            shares = [int(share) for share in re.findall(r" (\d+)% ", done.stdout)]
            self.assertGreater(len(shares), 3, done.stdout)
            self.assertEqual(shares, sorted(shares), done.stdout)
            self.assertEqual(shares[-1], 100)

    def test_options_that_would_do_nothing_are_told(self):
        self.write(MODEL)
        self.assert_refused(self.run_command("solve", "p.toml", "--checkpoint-seconds", 1), "--checkpoint")
        self.assert_refused(self.run_command("fair", "data.csv", "--target", "income", "--sensitive", "sex", "--bound", 0.1,
                                             "--threads", 2), "--threads", "sweep")
        self.assertIn("there is one rank", self.run_command("solve", "p.toml", "--exact-batches").stdout)

    # Parameters of one's own are the loop's: what they leave out is said where it is missed.
    def test_without_params_second_order_steps_would_follow(self):
        self.write(MODEL)
        self.run_command("solve", "p.toml", "--write-params", "own.toml")
        done = self.run_command("solve", "p.toml", "--params", "own.toml", "--tolerance", 1e-12)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("without --params FILE second-order steps would follow", done.stdout)

    def wait_until_under_way(self, process):
        """The log is there once signals are handled; some work later the loop is under way."""
        began, limit = None, time.monotonic() + 120
        while process.poll() is None and time.monotonic() < limit:
            if began is None and (self.folder / "log.csv").exists():
                began = command.processor_seconds_of(process)
            if began is not None and command.processor_seconds_of(process) > began + 0.3:
                return
            time.sleep(0.02)
        self.fail("the run was to be long")

    def test_interrupts_are_heard_at_once(self):
        self.write(NOISY)
        for batch in (1, 2147483647):  # which takes minutes
            process = self.start("solve", "p.toml", "--samples", 1e12, "--batch", batch, "--tolerance", 0, "--json", "out.json",
                                 "--log", "log.csv")
            self.wait_until_under_way(process)
            used, before = command.processor_seconds_of(process), command.processor_seconds()
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=120)
            seconds = command.processor_seconds() - before - used  # not by the clock: the machine may be busy
            self.assertLess(seconds, 5 if "sanitize" in command.BRIDLE else 2)
            self.assertEqual(process.returncode, 130)
            self.assertIn(b"stopping    the best point so far is judged", out)
            self.certify("p.toml", json.loads((self.folder / "out.json").read_text()), "--tolerance", 1)
            (self.folder / "log.csv").unlink()


class Starts(command.CommandTest):
    def test_a_solution_is_a_start(self):
        self.write(MODEL)
        first = self.solve("p.toml")
        self.write({"first.json": json.dumps(first)})
        again = self.solve("p.toml", "--start", "first.json")
        self.assertEqual(again["found_by"], "start")
        self.assertEqual(again["iterations"], 0)
        self.certify("p.toml", again)

    def test_y_may_be_missing(self):
        self.write({**NOISY, "x.json": json.dumps({"x": [0.4, 1.4]})})
        result = self.solve("p.toml", "--start", "x.json")
        self.certify("p.toml", result)

    def test_bad_starts_are_refused(self):
        self.write({**MODEL, "no.json": "{}", "short.json": '{"x": [1]}'})
        for name, part in (("no.json", "has no 'x'"), ("short.json", "entries"), ("none.json", "No such file")):
            with self.subTest(name):
                self.assert_refused(self.run_command("solve", "p.toml", "--start", name), name, part)


class Logs(command.CommandTest):
    COLUMNS = ["iteration", "samples", "stage", "phase", "objective", "objective_error", "feasibility", "stationarity", "error", "tau",
               "seconds"]

    def log(self, *arguments, codes=(0, 1), verb="solve"):
        done = self.run_command(verb, "p.toml", "--quiet", "--log", "log.csv", "--json", "out.json", *arguments)
        self.assertIn(done.returncode, codes, done.stderr)
        rows = list(csv.DictReader((self.folder / "log.csv").read_text().splitlines()))
        self.assertEqual(list(rows[0]), self.COLUMNS)
        return rows, json.loads((self.folder / "out.json").read_text())

    def assert_measured(self, rows, result):
        for row in rows:
            for name in ("objective", "feasibility", "stationarity", "error"):
                self.assertEqual(float(row[name]), float(row[name]), f"{name} is measured in every row")  # no NaN
        self.assertEqual(rows[-1]["phase"], "result")
        self.assertAlmostEqual(float(rows[-1]["objective"]), result["objective"], places=8)
        self.assertAlmostEqual(float(rows[-1]["error"]), result["error"], places=6)
        samples = [float(row["samples"]) for row in rows]
        self.assertEqual(samples, sorted(samples))

    def test_about_200_rows_for_every_algorithm(self):
        self.write(NOISY)
        for algorithm in ("smoothed", "storm", "safeguarded", "safeguarded-storm", "plain-alm", "penalty-sgd"):
            for samples in (60000, 200000):
                with self.subTest(algorithm=algorithm, samples=samples):
                    rows, result = self.log("--algorithm", algorithm, "--samples", samples, "--no-second-order", "--tolerance", 0)
                    loop = [row for row in rows if row["phase"] == "loop"]
                    self.assertGreaterEqual(len(loop), 100)
                    self.assertLessEqual(len(loop), 260)
                    self.assertLessEqual(len(rows), 400)
                    self.assert_measured(rows, result)

    def test_the_objective_is_the_objective(self):
        """Sixteen people are looked at whole: the loop's last row is what the judge finds near it."""
        self.write(MODEL)
        rows, result = self.log("--samples", 20000, "--no-second-order", "--tolerance", 0)
        loop = [row for row in rows if row["phase"] == "loop"]
        self.assertEqual({row["objective_error"] for row in rows}, {"0.000e+00"})
        self.assertAlmostEqual(float(loop[-1]["objective"]), result["objective"], delta=0.02 * abs(result["objective"]))

    def test_phases_are_marked(self):
        self.write(MODEL)
        rows, result = self.log()
        self.assertEqual({row["phase"] for row in rows}, {"loop", "second order", "result"})
        self.assert_measured(rows, result)

    # Without a budget a run takes as many rounds as it needs: the end of a round is no result.
    def check_rounds(self, rows, result):
        phases = [row["phase"] for row in rows]
        self.assertEqual((phases.count("result"), phases[-1]), (1, "result"))
        rounds = phases.count("round")
        self.assertGreaterEqual(rounds, 1)
        self.assertLessEqual(phases.count("loop"), 260 * (rounds + 1))
        self.assert_measured(rows, result)
        for k, phase in enumerate(phases[:-1]):
            if phase == "round":  # the next begins with its point, which is not told again
                self.assertIn(phases[k + 1], ("loop", "second order", "result"))
        done = self.run_command("plot", "log.csv", "--output", "plot.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        root = xml.etree.ElementTree.parse(self.folder / "plot.svg").getroot()
        ends = [one for one in root.iter("{http://www.w3.org/2000/svg}circle") if one.get("class") == "end"]
        self.assertEqual(len(ends), 6, "a ring in each panel")

    def test_rounds_have_one_result(self):
        self.write(MODEL)
        self.check_rounds(*self.log("--no-second-order", "--tolerance", "1e-7"))

    def test_rounds_of_networks_have_one_result(self):
        self.write({"data.csv": CSV, "p.toml": toml() + "\n[network]\nnodes = 3\ngraph = \"ring\"\n"})
        self.check_rounds(*self.log("--tolerance", "1e-5", verb="consensus"))

    def test_streams(self):
        self.write(NOISY)
        rows, result = self.log("--samples", 50000, "--tolerance", 0)
        self.assert_measured(rows, result)

    def test_networks(self):
        self.write({"data.csv": CSV, "p.toml": toml() + "\n[network]\nnodes = 3\ngraph = \"ring\"\n"})
        rows, result = self.log("--epochs", 50, verb="consensus")
        self.assert_measured(rows, result)
        self.assertGreaterEqual(len(rows), 100)


class Plots(command.CommandTest):
    def setUp(self):
        super().setUp()
        self.write(MODEL)
        for name, more in (("a.csv", []), ("b.csv", ["--no-second-order", "--samples", "5000"])):
            done = self.run_command("solve", "p.toml", "--quiet", "--log", name, *more)
            self.assertIn(done.returncode, (0, 1), done.stderr)

    def test_svg(self):
        done = self.run_command("plot", "a.csv", "b.csv", "--output", "plot.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        root = xml.etree.ElementTree.parse(self.folder / "plot.svg").getroot()
        svg = "{http://www.w3.org/2000/svg}"
        self.assertEqual(root.tag, svg + "svg")
        curves = [p for p in root.iter(svg + "path") if len(p.get("d")) > 100]
        self.assertGreaterEqual(len(curves), 2 * 2 * 2, "two logs, two sides, objective and stationarity at least")
        texts = {t.text for t in root.iter(svg + "text")}
        self.assertLessEqual({"a", "b", "objective", "samples", "seconds"}, texts)
        self.assertTrue(list(root.iter(svg + "circle")), "the points that were returned")
        self.assertNotIn("nan", (self.folder / "plot.svg").read_text())

    def test_zeros_lie_on_a_floor(self):
        rows = "".join(f"{k},{k},1,{0 if k % 2 else 1e-17 if k % 3 else 1e-3},1\n" for k in range(1, 40))
        self.write({"zeros.csv": "samples,seconds,objective,feasibility,stationarity\n" + rows})
        self.assertEqual(self.run_command("plot", "zeros.csv", "--output", "plot.svg").returncode, 0)
        root = xml.etree.ElementTree.parse(self.folder / "plot.svg").getroot()
        texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
        self.assertEqual(texts.count("about 0"), 2, "in the panels of the feasibility")
        self.assertNotIn("1e-17", texts)

    def test_html(self):
        done = self.run_command("plot", "a.csv", "--output", "plot.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        page = (self.folder / "plot.html").read_text()
        self.assertIn("<svg", page)
        self.assertIn("<td>a</td>", page)

    def test_refused(self):
        self.write({"no.csv": "a,b\n1,2\n", "empty.csv": "samples,seconds,objective\n", "bad.csv": "samples,seconds,objective\n1,2,x\n",
                    "short.csv": "samples,seconds,objective\n1,2\n"})
        for arguments, parts in ((["no.csv"], ["no.csv:1", "no column 'samples'"]), (["empty.csv"], ["has no rows"]),
                                 (["bad.csv"], ["bad.csv:2", "'x'"]), (["short.csv"], ["short.csv:2", "2 fields"]),
                                 (["none.csv"], ["No such file"]), (["a.csv", "--output", "a.png"], [".svg"])):
            with self.subTest(arguments):
                self.assert_refused(self.run_command("plot", *arguments), *parts)


class Hints(command.CommandTest):
    def test_check_gradient(self):
        self.write(MODEL)
        done = self.run_command("solve", "p.toml", "--check-gradient")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("gradient    the gradient agrees with differences of the values: 16 samples", done.stdout)

    def test_an_option_of_another_command(self):
        self.write({"p.lp": LP})
        done = self.run_command("certify", "p.lp", "x.json", "--epochs", 3)
        self.assert_refused(done, "no option '--epochs'", ": bridle solve, bridle fair and bridle consensus have it".replace(": ", "; "))
        self.assert_refused(self.run_command("solve", "p.lp", "--gap", "0.1"), "no option '--gap'", "bridle fair has it")

    def test_names_that_others_have_for_an_option(self):
        for words, part in ((["solve", "p.lp", "--time", "3"], "did you mean '--seconds'?"),
                            (["solve", "p.lp", "--max-iterations=3"], "did you mean '--samples'?"),
                            (["slice", "p.lp", "--time", "3"], "did you mean '--time-limit'?"),
                            (["slice", "p.lp", "--seconds", "3"], "did you mean '--time-limit'?"),
                            (["solve", "p.lp", "--max_iter", "3"], "did you mean '--samples'?"),
                            (["consensus", "p.toml", "--tol", "1e-3"], "did you mean '--tolerance'?"),
                            (["consensus", "p.toml", "--time", "3"], "; bridle solve has --seconds"),
                            (["solve", "p.lp", "--tolerence", "1"], "did you mean '--tolerance'?"),
                            (["solve", "p.lp", "--hepl"], "did you mean '--help'?"),
                            (["solve", "p.lp", "--xyzzy"], "; see bridle solve --help")):
            with self.subTest(words):
                done = self.run_command(*words)
                self.assert_refused(done, part)

    def test_target_is_a_tolerance_and_not_fairs_column(self):
        self.write({"data.csv": CSV, "p.toml": toml() + "\n[network]\nnodes = 3\ngraph = \"ring\"\n", "x.json": "{}"})
        done = self.run_command("consensus", "p.toml", "--target", "1e-2", "--quiet", "--json", "-")
        self.assertEqual(json.loads(done.stdout)["tolerance"], 1e-2)
        done = self.run_command("certify", "p.toml", "x.json", "--target", "1e-2")
        self.assert_refused(done, "bridle solve and bridle consensus have it")
        self.assertNotIn("fair", done.stderr)

    def test_known_names_are_named_once(self):
        self.write({"data.csv": CSV, "p.toml": toml(frobnicate="1")})
        done = self.run_command("solve", "p.toml")
        self.assert_refused(done, "frobnicate")
        listed = done.stderr.split("known names: ")[1].strip().split(", ")
        self.assertEqual(len(listed), len(set(listed)), done.stderr)

    def test_a_separator_is_found_out(self):
        self.write(MODEL)
        plain = self.solve("p.toml")
        self.write({"data.csv": CSV.replace(",", ";")})
        done = self.run_command("solve", "p.toml", "--quiet", "--json", "-")  # the second judge knows commas only
        self.assertEqual(json.loads(done.stdout)["x"], plain["x"], done.stderr)

    def test_reading_that_takes_all_the_time_is_refused(self):
        line = "+1" + "".join(f" {j}:0.25" for j in range(1, 40)) + "\n"
        self.write({"data.svm": line * 200_000,
                    "p.toml": '[objective]\nkind = "linear-model"\ndata = "data.svm"\nloss = "logistic"\n'})
        done = self.run_command("solve", "p.toml", "--seconds", 0.01)
        self.assert_refused(done, "data.svm", "reading alone takes about", "and --seconds gives 0.01")

    def test_reading_is_shown_while_it_goes_on(self):
        """A pipe that gives data until its reader has told how much it has: however slow the machine, it has to."""
        os.mkfifo(self.folder / "data.csv")
        self.write({"p.toml": toml()})
        process = self.start("solve", "p.toml")
        told = threading.Event()
        lines = CSV.splitlines(keepends=True)

        def give():
            with open(self.folder / "data.csv", "w") as pipe:
                pipe.write("".join(lines))
                pipe.flush()
                while not told.wait(0.05) and process.poll() is None:
                    pipe.write("".join(lines[1:]))
                    pipe.flush()

        writer = threading.Thread(target=give, daemon=True)
        writer.start()
        seen = []
        for line in process.stdout:
            seen.append(line.decode())
            if seen[-1].startswith("reading ") and "MB/s" in seen[-1]:
                told.set()
        writer.join(60)
        self.assertTrue(told.is_set(), "".join(seen))
        self.assertTrue(seen[0].startswith("Bridle "), "first comes the banner")
        self.assertEqual(process.wait(60), 0, "".join(seen))

    def test_bounds_within_a_simplex(self):
        variables = 'simplex = ["x", "y"]\nbounds = { "x" = [0.2, 0.3] }'
        self.write({"small.qps": QPS, "p.toml": toml(QUADRATIC, variables=variables)})
        done = self.run_command("solve", "p.toml", "--quiet", "--json", "-")  # the second judge knows no such sets
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.certify("p.toml", result)
        self.assertAlmostEqual(result["x"]["x"], 0.2, places=6)
        self.assertAlmostEqual(result["x"]["y"], 0.8, places=6)

    def test_bounds_that_leave_nothing_of_a_simplex(self):
        self.write({"small.qps": QPS, "p.toml": toml(QUADRATIC, variables='simplex = ["x", "y"]\nbounds = { "*" = [0, 0.3] }')})
        self.assert_refused(self.run_command("solve", "p.toml"), "p.toml")


if __name__ == "__main__":
    command.main()
