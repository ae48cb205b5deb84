"""The log and the screen of bridle fair with bounds on rates: many models are trained in turn, and told as one sequence that ends with the point returned."""
import csv
import itertools
import json
import random
import re
import unittest
import xml.etree.ElementTree

import command

SVG = "{http://www.w3.org/2000/svg}"
USUAL = ["people.csv", "--target", "income", "--positive", "high", "--sensitive", "sex"]


def people(count=400):
    chance = random.Random(3)
    lines = ["hours,education,sex,income"]
    for _ in range(count):
        woman = chance.random() < 0.5
        hours, education = chance.randint(20, 50) + (0 if woman else 6), chance.randint(0, 9)
        lines.append(f"{hours},{education},{'f' if woman else 'm'},{'high' if hours + 2 * education + chance.randint(0, 20) > 55 else 'low'}")
    return "\n".join(lines) + "\n"


class Log(command.CommandTest):
    def setUp(self):
        super().setUp()
        self.write({"people.csv": people()})

    def run_fair(self, *arguments):
        """Rows of the log, figures, and what the screen says is done, in percent."""
        done = self.run_command("fair", *USUAL, *arguments, "--log", "log.csv", "--json", "out.json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        shares = [int(one) for one in re.findall(r"^ +\d+ .* (\d+)% +\S+$", done.stdout, re.MULTILINE)]
        rows = list(csv.DictReader((self.folder / "log.csv").read_text().splitlines()))
        return rows, json.loads((self.folder / "out.json").read_text()), shares

    def check(self, rows, result, shares):
        for name in ("iteration", "samples", "seconds"):
            values = [float(row[name]) for row in rows]
            self.assertEqual(values, sorted(values), name)
        for row in rows:
            for name in ("objective", "feasibility", "stationarity", "error"):
                self.assertEqual(float(row[name]), float(row[name]), f"{name} is measured in every row")  # no NaN
        # A phase is not come back to, and the point returned is the last row and the only one of its kind.
        phases = [phase for phase, _ in itertools.groupby(row["phase"] for row in rows)]
        self.assertEqual(len(phases), len(set(phases)), phases)
        self.assertEqual(phases[-1], "result")
        self.assertEqual(sum(row["phase"] == "result" for row in rows), 1)
        self.assertAlmostEqual(float(rows[-1]["objective"]), result["objective"], places=8)
        self.assertAlmostEqual(float(rows[-1]["error"]), result["error"], places=6)
        self.assertEqual(shares, sorted(shares))
        self.assertEqual([share for share in shares if share == 100], [100], shares)
        return phases

    def check_plot(self, phases):
        done = self.run_command("plot", "log.csv", "--output", "plot.svg")
        self.assertEqual(done.returncode, 0, done.stderr)
        root = xml.etree.ElementTree.parse(self.folder / "plot.svg").getroot()
        curves = [path.get("d") for path in root.iter(SVG + "path") if path.get("class") == "curve"]
        self.assertEqual({curve.count("M") for curve in curves}, {len(phases)}, "a line for every model")
        self.assertEqual(sum(one.get("class") == "end" for one in root.iter(SVG + "circle")), len(curves))

    def test_bounds_on_rates(self):
        for more in ([], ["--starts", "1"], ["--confidence", "0.9", "--starts", "2"]):
            rows, result, shares = self.run_fair("--gap", "0.1", *more)
            phases = self.check(rows, result, shares)
            self.assertEqual([phase for phase in phases if phase.count(" ") == 1],
                             [f"model {k + 1}" for k in range(len(result["rates"]["tried"]))])
            # Decisions beyond the bound, counted.
            self.assertEqual(float(rows[-1]["feasibility"]) == 0, result["rates"]["reached"])
            self.check_plot(phases)

    def test_a_log_changes_nothing(self):
        _, watched, _ = self.run_fair("--gap", "0.1")
        done = self.run_command("fair", *USUAL, "--gap", "0.1", "--quiet", "--json", "-")
        self.assertEqual(json.loads(done.stdout)["x"], watched["x"])

    def test_networks(self):
        for bound in (["--gap", "0.1"], ["--bound", "0.01"]):
            rows, result, shares = self.run_fair(*bound, "--hidden", "3", "--ridge", "1e-2", "--tolerance", "1e-2")
            self.check_plot(self.check(rows, result, shares))


if __name__ == "__main__":
    command.main()
