"""The slicing report in headless Chromium: the network is drawn, nothing goes wrong, and its numbers are the JSON's."""
import html.parser
import json
import re
import shutil
import subprocess
import unittest

import command
from slice_test import INSTANCE

CHROMIUM = shutil.which("chromium")


class Page(html.parser.HTMLParser):
    """Cells of the tables by id, the drawing's elements, the JSON inside, and what the page says of itself."""

    def __init__(self, text):
        super().__init__()
        self.tables, self.figures, self.body, self.drawing, self.texts = {}, "", {}, [], []
        self.title, self.summary, self.options = "", "", []
        self._inside = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "table":
            self._table = self.tables[attributes["id"]] = []
        elif tag == "tr":
            self._table.append([])
        elif tag in ("td", "th"):
            self._table[-1].append("")
        elif tag == "body":
            self.body = attributes
        elif tag in ("line", "rect", "circle"):
            self.drawing.append((tag, attributes))
        elif tag == "text":
            self.texts.append("")
        elif tag == "option":
            self.options.append("")
        self._inside.append((tag, attributes.get("id")))

    def handle_endtag(self, tag):
        while self._inside and self._inside.pop()[0] != tag:
            pass

    def handle_data(self, text):
        tag, name = self._inside[-1] if self._inside else (None, None)
        if tag in ("td", "th"):
            self._table[-1][-1] += text
        elif tag == "text":
            self.texts[-1] += text
        elif tag == "option":
            self.options[-1] += text
        elif name == "figures":
            self.figures += text
        elif name == "title":
            self.title += text
        elif name == "summary":
            self.summary += text


# Which labels of the drawing cover each other, as the browser has laid them out, and how many lines of a table show.
OVERLAPS = """
const boxes = [...document.querySelectorAll("#network text")].map((t) => ({ text: t.textContent, box: t.getBBox() }));
const pairs = [];
const cover = (a, b) => Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x) > 0.5 &&
  Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) > 0.5;
boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => { if (cover(a.box, b.box)) pairs.push([a.text, b.text]); }));
const outside = boxes.filter(({ box }) => box.x < 0 || box.y < 0 || box.x + box.width > 1040 || box.y + box.height > 640).map((b) => b.text);
const count = () => [...document.getElementById("flows").rows].filter((row) => row.offsetHeight > 0).length;
const shown = count();
document.querySelector("#flows + button").click();
document.body.dataset.overlaps = JSON.stringify({ labels: boxes.length, pairs, outside, shown, unfolded: count() });
"""


@unittest.skipUnless(CHROMIUM, "chromium is not installed")
class Report(command.CommandTest):
    def open(self, instance, *arguments, code=0, measure=""):
        """`measure` is a script that looks at the page when it is done and leaves what it finds in the body's dataset."""
        if isinstance(instance, str):
            self.write({"small.toml": instance})
            instance = "small.toml"
        done = self.run_command("slice", instance, *arguments, "--quiet", "--json", "figures.json", "--report", "report.html")
        self.assertEqual(done.returncode, code, done.stderr)
        report = self.folder / "report.html"
        report.write_text(report.read_text().replace("</body>", f"<script>{measure}</script></body>"))
        shown = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", f"--user-data-dir={self.folder}/profile",
             "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=10000", "--dump-dom",
             report.as_uri()], capture_output=True, text=True, timeout=120)
        for line in shown.stderr.splitlines():
            self.assertFalse(re.search(r"CONSOLE.*(error|Uncaught|Refused|Failed)", line, re.IGNORECASE), line)
        page = Page(shown.stdout)
        self.assertEqual(page.body.get("data-ready"), "yes", shown.stderr[-2000:])
        self.assertEqual(json.loads(page.body["data-faults"]), [])
        figures = json.loads((self.folder / "figures.json").read_text())
        self.assertEqual(json.loads(page.figures), figures)
        return page, figures

    def test_the_network_is_drawn(self):
        page, figures = self.open(INSTANCE.replace('"D"', '"</script><script>throw 1</script>"'))
        kinds = [attributes.get("class") for _, attributes in page.drawing]
        self.assertEqual(kinds.count("link"), len(figures["links"]))
        self.assertEqual(kinds.count("frame host"), 3)
        first = figures["flows"][0]
        self.assertEqual(kinds.count("way"), sum(len(r["links"]) for leg in first["legs"] for r in leg["routes"]))
        for node in figures["nodes"]:
            self.assertIn(node["name"], page.texts)
        for s, function in enumerate(first["chain"]):
            self.assertIn(f"{s + 1}: {function}", page.texts)
        self.assertEqual(len(page.options), len(figures["flows"]))

    def test_its_numbers_are_the_jsons(self):
        page, figures = self.open(INSTANCE)
        used = {n["name"]: f"{100 * n['load'] / n['capacity']:.1f}%" for n in figures["nodes"] if n["functions"]}
        self.assertEqual({line[0]: line[3] for line in page.tables["nodes"][1:]}, used)
        links = {f"{l['from']} -> {l['to']}": f"{100 * l['load'] / l['capacity']:.1f}%" for l in figures["links"]}
        self.assertEqual({line[0]: line[3] for line in page.tables["links"][1:]}, links)
        for line, flow in zip(page.tables["flows"][1:], figures["flows"], strict=True):
            self.assertEqual(line[7], ", ".join(f"{f} at {h}" for f, h in zip(flow["chain"], flow["hosts"])))
        self.assertIn(f"Cost {figures['cost']:.5g}", page.summary)

    def test_labels_do_not_overlap_and_long_tables_fold(self):
        network = command.SHARED / "sndlib" / "france.txt"
        if not network.exists():
            self.skipTest(f"{network} is not there")
        page, figures = self.open(network, "--flows", 30, "--runs", 1, "--time-limit", 20, measure=OVERLAPS)
        found = json.loads(page.body["data-overlaps"])
        self.assertEqual(found["labels"], len(figures["nodes"]) + len(figures["flows"][0]["chain"]))
        self.assertEqual(found["pairs"], [])
        self.assertEqual(found["outside"], [])
        self.assertEqual(found["shown"], 13)  # a header and twelve of the thirty flows
        self.assertEqual(found["unfolded"], 31)
        self.assertEqual(len(page.tables["flows"]), 31)

    def test_uncertain_and_infeasible(self):
        page, figures = self.open(INSTANCE, "--uncertain", "uniform:0.3")
        self.assertEqual(page.tables["nodes"][0][4], "overloaded")
        self.assertIn(f"exceeded in {100 * figures['uncertain']['overload_probability']:.2f}% of samples", page.title)
        page, figures = self.open(INSTANCE.replace("capacity = 4\nboth", "capacity = 0.7\nboth"), code=3)
        self.assertIn(figures["conflict"][0], page.summary)
        self.assertIn("no placement keeps the capacities", page.title)


if __name__ == "__main__":
    command.main()
