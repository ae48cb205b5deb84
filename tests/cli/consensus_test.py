"""bridle consensus: the nodes agree, the judge confirms, bad networks are refused in one line."""
import json
import unittest

import command
from command import CSV, LIBSVM, QPS, QUADRATIC, toml

NETWORK = {"nodes": "4", "graph": '"complete"', "probability": "0.3", "shards": '"by-label"'}


def config(without=(), problem=None, **changes):
    keys = {**NETWORK, **changes}
    text = "".join(f"{k} = {v}\n" for k, v in keys.items() if k not in without)
    return (problem or toml()) + "\n[network]\n" + text


class Consensus(command.CommandTest):
    def consensus(self, *arguments, codes=(0,)):
        done = self.run_command("consensus", "c.toml", "--quiet", "--json", "-", *arguments)
        self.assertIn(done.returncode, codes, done.stderr)
        self.assertEqual(done.stderr, "")
        return json.loads(done.stdout)

    def test_nodes_agree_and_the_judge_confirms(self):
        self.write({"data.csv": CSV, "c.toml": config()})
        result = self.consensus("--samples", 200000, "--tolerance", "1e-2")
        self.assertLessEqual(result["consensus_error"], 1e-3)
        judged = self.certify("c.toml", result, "--tolerance", "1e-2")
        central = self.solve("c.toml", codes=(0, 1))
        # The objective is convex: a certified point is as far above the least value as |gradient| |x - x*| says.
        self.assertAlmostEqual(judged["objective"], central["objective"], delta=1e-2)
        self.assertEqual(len(result["bytes_per_node"]), 4)

    def test_libsvm_equal_shards_and_edges_from_a_file(self):
        problem = toml(data='"d.libsvm"', without=("target", "positive", "standardise"))
        self.write({"d.libsvm": LIBSVM, "edges.csv": "from,to,probability\n0, 1\n1,2,0.2\n\n2,3,1\n",
                    "c.toml": config(problem=problem, without=("graph", "nodes"), file='"edges.csv"',
                                     shards='"equal"')})
        result = self.consensus("--samples", 200000, "--tolerance", "1e-2")
        self.assertEqual(result["nodes"], 4)
        self.certify("c.toml", result, "--tolerance", "1e-2")

    def test_a_file_per_node(self):
        lines = CSV.splitlines(keepends=True)
        parts = {f"part{k}.csv": "".join(lines[:1] + lines[a:b]) for k, (a, b) in enumerate(((1, 4), (4, 11), (11, 17)))}
        files = "[" + ", ".join(f'"{name}"' for name in parts) + "]"
        self.write({**parts, "data.csv": CSV, "one.toml": toml(),
                    "c.toml": config(problem=toml(data=files), nodes="3", shards='"by-file"')})
        result = self.consensus("--samples", 200000, "--tolerance", "1e-2")
        judged = self.certify("c.toml", result, "--tolerance", "1e-2")
        # The files together are the one they were cut from.
        self.assertEqual(judged["objective"], self.certify("one.toml", result, "--tolerance", "1e-2")["objective"])

        sparse = LIBSVM.splitlines(keepends=True)
        self.write({"a.libsvm": "".join(sparse[:5]), "b.libsvm": "".join(sparse[5:]) + "+1 7:1\n",
                    "c.toml": config(problem=toml(data='["a.libsvm", "b.libsvm"]',
                                                  without=("target", "positive", "standardise")),
                                     nodes="2", shards='"by-file"')})
        result = self.consensus("--samples", 200000, "--tolerance", "1e-2")
        self.assertIn("x7", result["x"])
        self.certify("c.toml", result, "--tolerance", "1e-2")

    def test_files_that_do_not_fit(self):
        for more, nodes, *parts in (
            (CSV, "3", "c.toml", "2 data files for 3 nodes"),
            ("age,hours,income\n1,2,low\n", "2", "more.csv", "3 columns, but", "has 4"),
            (CSV.replace("hours", "days"), "2", "more.csv:1", "column 'days'", "'hours'"),
            (CSV.replace("25,30", "old,30"), "2", "more.csv"),
        ):
            self.write({"data.csv": CSV, "more.csv": more,
                        "c.toml": config(problem=toml(data='["data.csv", "more.csv"]'), nodes=nodes,
                                         shards='"by-file"')})
            with self.subTest(parts=parts):
                self.assert_refused(self.run_command("consensus", "c.toml"), *parts)

    def test_quadratic_with_noise(self):
        self.write({"small.qps": QPS, "c.toml": config(problem=toml(QUADRATIC, noise="0.1"), shards='"equal"')})
        result = self.consensus("--samples", 200000, "--tolerance", "1e-2")
        self.certify("c.toml", result, "--tolerance", "1e-2")

    # Without the closing rounds the point is the loop's best: x or z of the nodes, and never the averaged one.
    def test_who_found_it(self):
        self.write({"data.csv": CSV, "c.toml": config()})
        misses = {}
        for more in ([], ["--no-finish"]):
            result = self.consensus("--samples", 4000, "--tolerance", "1e-2", *more, codes=(0, 1))
            self.assertIn(result["found_by"], ("loop x", "loop z") if more else ("loop x", "loop z", "polish"))
            self.assertEqual(result["finishing_rounds"] > 0, not more)
            phases = result["phases"]
            self.assertEqual(phases["loop"]["sample_gradients"], result["samples"])
            self.assertEqual(phases["loop"]["projections"], 4 * result["iterations"])
            self.assertEqual(phases["judge"]["full_gradients"], 3 if more else 4, "x, z, the averaged points, and the origin")
            self.assertAlmostEqual(sum(p["seconds"] for p in phases.values()), result["solve_seconds"] + result["certify_seconds"],
                                   places=9)
            self.certify("c.toml", result, "--tolerance", "1e9")
            misses[len(more)] = max(result["error"] / 1e-2, result["consensus_error"] / 1e-3)
        self.assertLessEqual(misses[0], misses[1])

    def test_text_report(self):
        self.write({"data.csv": CSV, "c.toml": config()})
        done = self.run_command("consensus", "c.toml", "--samples", 4000, "--log", "log.csv")
        self.assertIn("found by", done.stdout)
        self.assertIn("sample grad.", done.stdout)
        self.assertIn("consensus error", done.stdout)
        self.assertIn("4 nodes, 6 edges, each up with probability 0.3; shards by label", done.stdout)
        self.assertEqual((self.folder / "log.csv").read_text().splitlines()[0].split(",")[0], "iteration")

    def test_bad_networks(self):
        rows = toml(constraints='lp = """\nSubject To\n r: age + hours <= 1\nEnd\n"""')
        for text, *parts in (
            (toml(), "c.toml", "[network] is missing"),
            (config(nodes="0"), "c.toml:11", "nodes", "from 1 to"),
            (config(nodes="2.5"), "c.toml:11", "nodes", "whole"),
            (config(nodes='"4"'), "c.toml:11", "nodes must be a number"),
            (config(nodes="17"), "c.toml:10", "16 samples", "17 nodes"),
            (config(graph='"rung"'), "c.toml:12", "'rung' is unknown", "ring"),
            (config(probability="1.5"), "c.toml:13", "probability must be in (0, 1]"),
            (config(probability="0"), "c.toml:13", "probability must be in (0, 1]"),
            (config(shards='"by-lable"'), "c.toml:14", "'by-lable' is unknown", "by-label"),
            (config(density="0.5"), "c.toml:15", "density belongs to the graph erdos-renyi"),
            (config(graf='"ring"'), "c.toml:15", "unknown key 'graf'", "graph"),
            (config(without=("graph",)), "c.toml:10", "either the key 'graph' or the key 'file'"),
            (config(without=("nodes",)), "c.toml:10", "needs the key 'nodes'"),
            (config(problem=rows), "c.toml:10: ", "no rows besides consensus"),
            (config(graph='"geometric"', radius="0.01"), "c.toml", "the graph falls apart"),
            (config(without=("graph",), file='"nowhere.csv"'), "nowhere.csv", "cannot open"),
        ):
            with self.subTest(parts=parts):
                self.write({"data.csv": CSV, "c.toml": text})
                self.assert_refused(self.run_command("consensus", "c.toml"), *parts)

    def test_bad_edges(self):
        for edges, *parts in (
            ("0,1\n1,2\n2\n", "edges.csv:3", "1 fields"),
            ("0,1\n1,x\n", "edges.csv:2", "'x' is no node"),
            ("0,1\n1,-2\n", "edges.csv:2", "'-2' is no node"),
            ("0,1\n1,2,1.5\n", "edges.csv:2", "'1.5' is no probability"),
            ("0,1\n1,1\n", "edges.csv:2", "node 1 has an edge to itself"),
            ("0,1\n1,2\n1,0\n", "edges.csv:3: ", "edge (1, 0) is there twice, first in line 1"),
            ("0,1\n1,7\n", "edges.csv:2: ", "edge (1, 7) does not join two of the nodes 0, ..., 3", "nodes = 4"),
            ("0,1\n1,2\n", "c.toml:10: ", "the graph falls apart"),
            ("from,to\n", "edges.csv", "has no edges"),
        ):
            with self.subTest(parts=parts):
                self.write({"data.csv": CSV, "edges.csv": edges,
                            "c.toml": config(without=("graph",), file='"edges.csv"')})
                self.assert_refused(self.run_command("consensus", "c.toml"), *parts)

    def test_bad_options(self):
        self.write({"data.csv": CSV, "c.toml": config()})
        for options, *parts in (
            (["--algorithm", "gosip"], "'gosip' is unknown here", "gossip"),
            (["--algorithm", "gossip", "--literal-draws"], "literal draws"),
            (["--batch", "0"], "--batch"),
            (["--decay", "fast"], "--decay"),
        ):
            with self.subTest(options=options):
                self.assert_refused(self.run_command("consensus", "c.toml", *options), *parts)


@unittest.skipUnless((command.SHARED / "a9a").exists(), "../shared/data/a9a is not there")
class A9a(command.CommandTest):
    """Sixteen nodes, data sorted by label: as good as the centralised run, whatever the edges do."""

    def run_a9a(self, name, *arguments):
        done = self.run_command(name, "c.toml", "--quiet", "--json", "-", *arguments)
        return json.loads(done.stdout)

    def test_show(self):
        problem = (f'[objective]\nkind = "linear-model"\ndata = "{command.SHARED / "a9a" / "a9a.gz"}"\n'
                   'loss = "logistic-difference"\n')
        for probability, margin in (("0.3", 0.01), ("0.05", 0.02)):
            self.write({"c.toml": config(problem=problem, nodes="16", graph='"erdos-renyi"', probability=probability)})
            central = self.run_a9a("solve", "--epochs", 30, "--tolerance", 0, "--no-finish", "--output", "last")
            result = self.run_a9a("consensus", "--epochs", 30)
            with self.subTest(probability=probability):
                self.assertLessEqual(result["samples"], central["samples"])
                self.assertLessEqual(result["consensus_error"], 1e-3)
                self.assertLessEqual(result["objective"], (1 + margin) * central["objective"])
                self.certify("c.toml", result, "--tolerance", "2e-3")


if __name__ == "__main__":
    command.main()
