"""The HTML report in headless Chromium: it renders, nothing goes wrong, and its numbers are the JSON's."""
import html.parser
import json
import random
import re
import shutil
import subprocess
import unittest

import command

CHROMIUM = shutil.which("chromium")


class Page(html.parser.HTMLParser):
    """Cells of the tables by id, the JSON inside, and what the page says of itself."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.lists, self.paragraphs, self.figures, self.body, self.canvases = {}, {}, {}, "", {}, []
        self._table = self._cell = self._script = self._list = self._paragraph = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "table":
            self._table = self.tables[attributes["id"]] = []
        elif tag == "tr":
            self._table.append([])
        elif tag in ("td", "th"):
            self._table[-1].append("")
            self._cell = True
        elif tag == "ul":
            self._list = self.lists[attributes["id"]] = []
        elif tag == "li":
            self._list.append("")
        elif tag == "p":
            self._paragraph = attributes.get("id")
        elif tag == "body":
            self.body = attributes
        elif tag == "canvas":
            self.canvases.append(attributes)
        elif tag == "script":
            self._script = attributes.get("id")

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._cell = None
        elif tag == "ul":
            self._list = None
        elif tag == "p":
            self._paragraph = None
        elif tag == "script":
            self._script = None

    def handle_data(self, text):
        if self._cell:
            self._table[-1][-1] += text
        elif self._list:
            self._list[-1] += text
        elif self._paragraph:
            self.paragraphs[self._paragraph] = self.paragraphs.get(self._paragraph, "") + text
        elif self._script == "figures":
            self.figures += text


def people(count=300):
    chance = random.Random(1)
    lines = ["hours,town,sex,income"]
    for _ in range(count):
        woman = chance.random() < 0.5
        hours = chance.randint(20, 50) + (0 if woman else 8)
        town = chance.choice(["north", "</script><script>throw 1</script>"])
        lines.append(f"{hours},{town},{'f' if woman else 'm'},{'high' if hours + chance.randint(0, 20) > 50 else 'low'}")
    return "\n".join(lines) + "\n"


@unittest.skipUnless(CHROMIUM, "chromium is not installed")
class Report(command.CommandTest):
    def open(self, *arguments, test=None, tested=True):
        self.write({"people.csv": people(), "test.csv": test or people()})
        if arguments[0] in ("--bound", "--sweep"):
            arguments = (*arguments, "--epochs", "20")
        done = self.run_command("fair", "people.csv", "--target", "income", "--positive", "high", "--sensitive", "sex", *arguments,
                                "--json", "figures.json", "--report", "report.html", *(["--test", "test.csv"] if tested else []))
        self.assertIn(done.returncode, (0, 1), done.stderr)
        shown = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", f"--user-data-dir={self.folder}/profile",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=10000", "--dump-dom",
             (self.folder / "report.html").as_uri()], capture_output=True, text=True, timeout=120)
        for line in shown.stderr.splitlines():
            self.assertFalse(re.search(r"CONSOLE.*(error|Uncaught|Refused|Failed)", line, re.IGNORECASE), line)
        page = Page(shown.stdout)
        self.assertEqual(page.body.get("data-ready"), "yes", shown.stderr[-2000:])
        self.assertEqual(json.loads(page.body["data-faults"]), [])
        figures = json.loads((self.folder / "figures.json").read_text())
        self.assertEqual(json.loads(page.figures), figures)
        inked = json.loads(page.body["data-inked"])
        return page, figures, inked

    def check_model(self, page, model, free):
        four = lambda v: "-" if v is None else f"{v:.4f}"
        shown = {line[0]: line[1:] for line in page.tables["metrics"][1:]}
        for name, key in (("loss", "loss"), ("accuracy", "accuracy"), ("AUC", "auc")):
            self.assertEqual(shown[name], [four(m["metrics"][part][key]) for m in (model, free) for part in ("train", "test")])
        groups = {(line[0], line[1]): line[2:] for line in page.tables["groups"][1:]}
        for part in ("train", "test"):
            for g in model["metrics"][part]["attributes"][0]["groups"]:
                line = groups[f"sex = {g['group']}", part]
                self.assertEqual(line[0], str(g["samples"]))
                self.assertEqual(line[2:5], [four(g[k]) for k in ("selection_rate", "true_positive_rate", "false_positive_rate")])
        row, = page.tables["rows"][1:]
        self.assertAlmostEqual(float(row[1]), model["rows"][0]["bound"], delta=1e-6)
        self.assertAlmostEqual(float(row[2]), model["rows"][0]["train"], delta=1e-5 * abs(model["rows"][0]["train"]) + 1e-12)
        weights = {name: float(value) for name, value in page.tables["weight-table"][1:]}
        self.assertEqual(set(weights), set(model["x"]))
        for name, value in weights.items():
            self.assertAlmostEqual(value, model["x"][name], delta=1e-5 * abs(value) + 1e-12)

    def check_phases(self, page, model):
        self.assertEqual([line[0] for line in page.tables["phases"][1:]], list(model["phases"]))
        for line, spent in zip(page.tables["phases"][1:], model["phases"].values(), strict=True):
            for shown, key in zip(line[1:6], ("sample_gradients", "full_gradients", "hessians", "hessian_products", "projections"), strict=True):
                self.assertAlmostEqual(float(shown), spent[key], delta=1e-5 * spent[key])

    def test_one_model(self):
        page, figures, inked = self.open("--bound", "0.01")
        self.check_phases(page, figures)
        self.check_model(page, figures, figures["without_bounds"])
        self.assertEqual({k for k, v in inked.items() if v > 0.005}, {"rates", "convergence", "weights"})

    def test_sweep(self):
        page, figures, inked = self.open("--sweep", "0.001:1:4", "--seeds", "3")
        self.check_model(page, figures["runs"][0], figures["without_bounds"][0])
        for line, point in zip(page.tables["curve-table"][1:], figures["curve"], strict=True):
            self.assertEqual(line[2:5], [f"{point['objective']['mean']:.6f}", f"{point['objective']['deviation']:.6f}",
                                         f"{point['accuracy']['mean']:.4f}"])
        self.assertEqual({k for k, v in inked.items() if v > 0.005},
                         {"rates", "curve-accuracy", "curve-objective", "convergence", "weights"})

    def test_gap(self):
        page, figures, inked = self.open("--gap", "0.05")
        self.check_phases(page, figures)
        for line, train, test in zip(page.tables["cells"][1:], figures["rates"]["train"]["cells"], figures["rates"]["test"]["cells"],
                                     strict=True):
            self.assertEqual(line[:2], [f"sex = {train['group']}", f"{train['selected']} of {train['people']}"])
            self.assertEqual(line[3], f"{test['selected']} of {test['people']}")
        self.assertEqual([line[3] for line in page.tables["tried"][1:]], [f"{t['accuracy']:.4f}" for t in figures["rates"]["tried"]])
        # Many models have no one course to draw.
        self.assertEqual({k for k, v in inked.items() if v > 0.005}, {"rates", "weights"})

    def test_what_was_measured_on_others_is_on_the_page(self):
        page, figures, _ = self.open("--gap", "auto:0.05:0.1:2", "--folds", "3", "--bootstrap", "20")
        chosen, held_out = page.lists["resampling"]
        self.assertIn(figures["choices"]["gap"]["rule"], chosen)
        self.assertIn(f"accuracy {100 * figures['folds']['held_out']['accuracy']:.1f}%, gap {figures['folds']['rates']['gap']:.4f}", held_out)
        self.assertEqual({line[0]: line[1:] for line in page.tables["intervals"][1:]},
                         {name: [f"{f[k]:.4f}" for k in ("value", "low", "high")] for name, f in figures["bootstrap"]["figures"].items()})

    def test_a_ratio_is_told_as_one(self):
        page, figures, _ = self.open("--ratio", "0.9")
        answer = page.lists["answer"]
        self.assertIn(f"the lowest rate is {figures['rates']['train']['ratio']:.4f} of the highest", answer[1])
        self.assertIn(f"the lowest rate is {figures['rates']['test']['ratio']:.4f} of the highest", answer[2])

    def test_what_the_test_data_say_of_the_bound_is_their_finding(self):
        page, figures, _ = self.open("--gap", "0.05")
        t = figures["rates"]["test"]
        self.assertIn("Reached: counted over the training data, ", page.lists["answer"][1])
        self.assertIn(f"On the test data: {t['finding']}. There the largest gap is {t['gap']:.4f}, with a 95% interval from "
                      f"{t['interval'][0]:.4f} to {t['interval'][1]:.4f} of that figure. Without bounds the gap was ", page.lists["answer"][2])

    def test_every_interval_is_of_the_figure_beside_it(self):
        page, figures, _ = self.open("--gap", "0.05")
        self.assertIn("Test data. Whiskers: the 95% interval of each group's own rate; that of the gap", page.paragraphs["rates-text"])
        self.assertIn("On the test data it is reached where the whole 95% interval of the largest gap ", page.paragraphs["sure-text"])
        page, figures, _ = self.open("--gap", "0.05", tested=False)
        self.assertEqual(page.lists["answer"][1], f"Reached: counted over the training data, the largest gap is {figures['rates']['train']['gap']:.4f}.")
        self.assertEqual(page.lists["answer"][2], "On other people: not measured, for there are no test data (--test, --validate).")
        self.assertIn("a gap that is counted here has none", page.paragraphs["rates-text"])
        self.assertNotIn("On the test data", page.paragraphs["sure-text"])

    def test_what_is_not_measured_is_not_claimed(self):
        men = "\n".join(line for line in people().splitlines() if ",f," not in line) + "\n"
        for bound in (["--gap", "0.05"], ["--ratio", "0.9"]):
            page, _, _ = self.open(*bound, test=men)
            self.assertEqual(page.lists["answer"][2], "On the test data: not measured. Nobody there is in sex = f.")
            self.assertEqual([line[3:] for line in page.tables["cells"][1:] if line[0] == "sex = f"], [["0 of 0", "not measured"]])
        page, _, _ = self.open("--bound", "0.01", test=men)
        self.assertIn("selection rates on the test data are not measured.", page.lists["answer"][1])
        self.assertEqual(page.tables["rows"][1][3], "not measured")
        self.open("--gap", "0.02:0.2:3", test=men)

    def test_sweep_of_gaps(self):
        page, figures, inked = self.open("--gap", "0.02:0.2:3")
        for line, point in zip(page.tables["curve-table"][1:], figures["curve"], strict=True):
            self.assertEqual(line[1:4], [f"{point[k]['mean']:.4f}" for k in ("gap", "test_gap", "accuracy")])
        self.assertEqual({k for k, v in inked.items() if v > 0.005},
                         {"rates", "curve-accuracy", "curve-objective", "weights"})


if __name__ == "__main__":
    command.main()
