"""bridle slice: what a planner states, gets and is refused. Plans are judged here once more, from the JSON alone."""
import json
import shutil
import subprocess
import unittest

import command

CBC = shutil.which("cbc")

NODES = """
[[node]]
name = "A"
[[node]]
name = "B"
capacity = 4
functions = ["fw", "nat"]
x = 1
[[node]]
name = "C"
capacity = 4
functions = ["nat", "dpi"]
x = 2
y = 1
[[node]]
name = "D"
capacity = 4
functions = ["fw", "dpi"]
y = 1
"""
LINKS = "".join(f'[[link]]\nfrom = "{a}"\nto = "{b}"\ncapacity = 4\nboth_ways = true\n' for a, b in ("AB", "BC", "CD", "DA"))
FLOWS = """
[[flow]]
from = "A"
to = "C"
rate = 2
chain = ["fw", "nat"]
[[flow]]
name = "second"
from = "D"
to = "B"
rate = 1.5
chain = ["nat", "dpi", "fw"]
"""
INSTANCE = NODES + LINKS + FLOWS

NETWORK = """?SNDlib native format; type: network; version: 1.0
NODES (
""" + "".join(f"  N{i} ( {i} {i * i % 7} )\n" for i in range(8)) + """)
LINKS (
""" + "".join(f"  L{i} ( N{i} N{(i + s) % 8} ) 0 0 0 0 ( 10 1 )\n" for s in (1, 3) for i in range(8)) + """)
DEMANDS (
""" + "".join(f"  D{i}_{j} ( N{i} N{j} ) 1 {1 + (i + 2 * j) % 5} UNLIMITED\n" for i in range(8) for j in range(8) if i != j) + """)
"""

# What is wrong, the file, what the message must have.
BAD = [
    ("an unknown node", INSTANCE.replace('from = "D"\nto = "B"\nrate', 'from = "D"\nto = "Q"\nrate'), ["bad.toml:", "unknown node 'Q'"]),
    ("a negative capacity", INSTANCE.replace("capacity = 4\nboth", "capacity = -4\nboth", 1), ["bad.toml:", "capacity is -4", "from 0 to"]),
    ("NaN for a capacity", INSTANCE.replace("capacity = 4\nboth", "capacity = nan\nboth", 1), ["bad.toml:", "capacity"]),
    ("a function nobody offers", INSTANCE.replace('["fw", "nat"]\n[[flow]]', '["fw", "cache"]\n[[flow]]'), ["bad.toml:", "no node offers the function 'cache'"]),
    ("too few nodes for a chain", INSTANCE.replace('chain = ["fw", "nat"]', 'chain = ["fw", "fw", "fw"]'), ["bad.toml:", "do not fit on different nodes"]),
    ("a pair without a way", NODES + FLOWS + LINKS[:LINKS.index("[[link]]", 9)], ["bad.toml:", "disconnected"]),
    ("a negative delay", INSTANCE.replace("capacity = 4\nboth", "capacity = 4\ndelay = -1\nboth"), ["bad.toml:", "delay is -1"]),
    ("a link without a delay", INSTANCE.replace("capacity = 4\nboth", "capacity = 4\ndelay = 1\nboth", 1), ["bad.toml:", "either all links have one or none"]),
    ("a negative max_delay", INSTANCE.replace("rate = 2", "rate = 2\nmax_delay = -2"), ["bad.toml:", "max_delay is -2", ">= 0"]),
    ("no flows", NODES + LINKS, ["bad.toml", "list of flows is empty"]),
    ("a rate of zero", INSTANCE.replace("rate = 2", "rate = 0"), ["bad.toml:", "rate is 0", "> 0"]),
    ("an infinite rate", INSTANCE.replace("rate = 2", "rate = inf"), ["bad.toml:", "rate is inf"]),
    ("an unknown key", INSTANCE.replace("rate = 2", "rate = 2\nspeed = 3"), ["bad.toml:", "unknown key 'speed'"]),
    ("an unknown section", INSTANCE + "[edge]\n", ["bad.toml:", "unknown section 'edge'"]),
    ("no TOML at all", "this is not toml", ["bad.toml:1"]),
    ("a flow within a node", INSTANCE.replace('from = "A"\nto = "C"', 'from = "A"\nto = "A"'), ["bad.toml:", "same node 'A'"]),
]


def judge(test, figures):
    """The largest violation and the cost, added up from the routes."""
    nodes = {n["name"]: n for n in figures["nodes"]}
    links = figures["links"]
    node_load, link_load, cost, worst = dict.fromkeys(nodes, 0.0), [0.0] * len(links), 0.0, 0.0
    for flow in figures["flows"]:
        test.assertEqual(len(flow["hosts"]), len(flow["chain"]))
        test.assertEqual(len(set(flow["hosts"])), len(flow["hosts"]))
        for function, host in zip(flow["chain"], flow["hosts"]):
            test.assertIn(function, nodes[host]["functions"])
            node_load[host] += flow["rate"]
        stops = [flow["from"], *flow["hosts"], flow["to"]]
        for leg, start, end in zip(flow["legs"], stops[:-1], stops[1:], strict=True):
            for route in leg["routes"]:
                test.assertGreaterEqual(route["rate"], 1e-6 * (1 - 1e-6) * flow["rate"])
                test.assertEqual([route["nodes"][0], route["nodes"][-1]], [start, end])
                for l, a, b in zip(route["links"], route["nodes"][:-1], route["nodes"][1:], strict=True):
                    test.assertEqual([links[l]["from"], links[l]["to"]], [a, b])
                    link_load[l] += route["rate"]
                    cost += route["rate"] * (links[l]["delay"] if figures["objective"] == "delay" else 1)
            if start != end:
                worst = max(worst, abs(sum(r["rate"] for r in leg["routes"]) - flow["rate"]))
        if "max_delay" in flow:
            worst = max(worst, judge_ways(test, flow, stops, links))
    for name, load in node_load.items():
        test.assertAlmostEqual(load, nodes[name]["load"], places=9)
        worst = max(worst, load - nodes[name]["capacity"])
    for link, load in zip(links, link_load):
        test.assertAlmostEqual(load, link["load"], places=9)
        worst = max(worst, load - link["capacity"])
    return worst, cost


def judge_ways(test, flow, stops, links):
    """Of a flow with a bound on its delay: every way keeps it, and together they are the routes."""
    test.assertAlmostEqual(sum(way["rate"] for way in flow["ways"]), flow["rate"], delta=1e-8 * flow["rate"])
    for way in flow["ways"]:
        at = stops[0]
        for leg, stop in zip(way["legs"], stops[1:], strict=True):
            for l in leg:
                test.assertEqual(links[l]["from"], at)
                at = links[l]["to"]
            test.assertEqual(at, stop)
    for s, leg in enumerate(flow["legs"]):
        for route in leg["routes"]:
            carried = sum(way["rate"] for way in flow["ways"] if way["legs"][s] == route["links"])
            test.assertAlmostEqual(carried, route["rate"], delta=1e-8 * flow["rate"])
    longest = max(sum(links[l]["delay"] for leg in way["legs"] for l in leg) for way in flow["ways"])
    test.assertAlmostEqual(longest, flow["delay"])
    return longest / flow["max_delay"] - 1


def without_times(figures):
    if isinstance(figures, dict):
        return {k: without_times(v) for k, v in figures.items() if not k.endswith("seconds") and k != "threads"}
    return [without_times(v) for v in figures] if isinstance(figures, list) else figures


class SliceTest(command.CommandTest):
    def slice(self, *arguments, code=0):
        done = self.run_command("slice", *arguments, "--quiet", "--json", "-")
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def check(self, figures):
        worst, cost = judge(self, figures)
        self.assertLessEqual(worst, 1e-8)
        self.assertAlmostEqual(cost, figures["cost"], delta=1e-9 * cost)
        value = figures["largest_use"] if figures["objective"] == "balance" else cost
        self.assertLessEqual(figures["lower_bound"], value * (1 + 1e-9))
        self.assertEqual(figures["status"], "feasible")


class Slice(SliceTest):
    def test_instance_by_hand(self):
        self.write({"small.toml": INSTANCE})
        figures = self.slice("small.toml")
        self.check(figures)
        self.assertAlmostEqual(figures["cost"], 2 * 2 + 1.5 * 4)  # A B C; D C B (nat at C or B), back and forth once

    def test_network_and_what_it_writes(self):
        self.write({"net.txt": NETWORK})
        figures = self.slice("net.txt", "--flows", 12, "--tight", "--seed", 3, "--write-instance", "all.toml", "--write-lp", "all.lp")
        self.check(figures)
        again = self.slice("all.toml", "--seed", 3)
        self.assertEqual(without_times(figures), without_times(again))

    def test_functions_of_ones_own(self):
        self.write({"net.txt": NETWORK, "hosts.csv": "node,capacity,functions\nN1,9,nat dpi\nN4,,nat\nN6,7,dpi cache\n",
                    "flows.csv": "name,source,target,rate,chain\nweb,N0,N3,2,nat dpi\nmail,N5,N2,1,cache\n"})
        figures = self.slice("net.txt", "--functions", "hosts.csv", "--flows", "flows.csv")
        self.check(figures)
        self.assertEqual([n["functions"] for n in figures["nodes"] if n["functions"]], [["nat", "dpi"], ["nat"], ["dpi", "cache"]])
        self.assertEqual([(f["name"], f["hosts"][-1]) for f in figures["flows"]][1], ("mail", "N6"))
        self.check(self.slice("net.txt", "--functions", "hosts.csv", "--flows", 3))  # chains of these functions are drawn

    def test_threads_do_not_matter(self):
        self.write({"net.txt": NETWORK})
        for flows, seed in ((15, 1), (12, 5)):  # the second one ends at the bound in its second run of four
            one, two, four = (
                without_times(self.slice("net.txt", "--flows", flows, "--seed", seed, "--tight", "--threads", t))
                for t in (1, 2, 4))
            self.assertEqual(one, two)
            self.assertEqual(one, four)

    @unittest.skipUnless(CBC, "cbc is not installed")
    def test_cbc_agrees(self):
        self.write({"net.txt": NETWORK})
        figures = self.slice("net.txt", "--flows", 6, "--tight", "--seed", 2, "--write-lp", "net.lp")
        self.check(figures)
        done = subprocess.run([CBC, "net.lp", "solve"], cwd=self.folder, capture_output=True, text=True, timeout=100)
        value, = [float(line.split()[-1]) for line in done.stdout.splitlines() if line.startswith("Objective value")]
        self.assertAlmostEqual(figures["cost"], value, delta=1e-5 * value)

    def test_no_placement(self):
        self.write({"small.toml": INSTANCE.replace("capacity = 4\nboth", "capacity = 0.7\nboth")})
        done = self.run_command("slice", "small.toml", "--json", "out.json")
        self.assertEqual(done.returncode, 3)
        line, = done.stderr.splitlines()
        self.assertTrue(line.startswith("bridle: infeasible: "), line)
        self.assertIn("link D -> A (capacity 0.7)", line)  # 1.5 must leave D
        self.assertIn("link D -> C (capacity 0.7)", line)
        self.assertEqual(json.loads((self.folder / "out.json").read_text())["status"], "infeasible")

    def test_what_would_help(self):
        short = NETWORK.replace(" ) 0 0 0 0 ( 10 1 )", " ) 1 0 0 0 ( 30 1 )")
        self.write({"net.txt": short})
        done = self.run_command("slice", "net.txt", "--flows", 10, "--capacities", "installed", "--json", "out.json")
        self.assertEqual(done.returncode, 3, done.stdout)
        line, = done.stderr.splitlines()
        lack = json.loads((self.folder / "out.json").read_text())["shortage"]
        self.assertIn(f"flows that do not fit ({len(lack['flows'])} of 10", line)
        self.assertIn(lack["flows"][0] + " (N", line)
        self.assertIn(f"--capacity-factor {lack['factor']:.6g}", line)
        self.assertIn("--capacities modules", line)
        self.assertLessEqual(lack["least_factor"], lack["factor"])
        arguments = "net.txt", "--flows", 10, "--capacities"
        self.check(self.slice(*arguments, "modules"))
        self.check(self.slice(*arguments, "installed", "--capacity-factor", lack["factor"]))
        self.slice(*arguments, "installed", "--capacity-factor", 0.99 * lack["least_factor"], code=3)
        # What the command line says, whatever was said before.
        again = self.slice(*arguments, "installed", "--capacity-factor", 0.5, code=3)["shortage"]
        self.assertAlmostEqual(again["least_factor"], lack["least_factor"], delta=1e-6)

    def test_larger_links_do_not_help_small_nodes(self):
        self.write({"small.toml": INSTANCE.replace('capacity = 4\nfunctions', 'capacity = 1.7\nfunctions')})
        done = self.run_command("slice", "small.toml")
        self.assertEqual(done.returncode, 3)
        self.assertIn("flows that do not fit (1 of 2", done.stderr)
        self.assertIn("larger links alone would not help", done.stderr)

    def test_bounds_on_delays(self):
        self.write({"net.txt": NETWORK, "hurry.csv": "source,target,rate,chain,max_delay\nN0,N3,2,f1 f2,\nN5,N2,1,f3,40\n"})
        loose = self.slice("net.txt", "--flows", 12, "--tight", "--seed", 3)
        longest = max(flow["delay"] for flow in loose["flows"])
        tight = self.slice("net.txt", "--flows", 12, "--tight", "--seed", 3, "--max-delay", 0.8 * longest)
        self.check(tight)
        self.assertTrue(all(flow["delay"] <= 0.8 * longest * (1 + 1e-9) for flow in tight["flows"]))
        self.assertGreaterEqual(tight["cost"], loose["cost"] * (1 - 1e-9))
        figures = self.slice("net.txt", "--flows", "hurry.csv")
        self.check(figures)
        self.assertEqual([flow.get("max_delay") for flow in figures["flows"]], [None, 40])
        done = self.run_command("slice", "net.txt", "--flows", 5, "--max-delay", 0.1)
        self.assertEqual(done.returncode, 3)
        self.assertIn("in conflict: max_delay 0.1 of flow flow1 (its quickest way takes ", done.stderr)

    def test_objectives(self):
        self.write({"net.txt": NETWORK})
        found = {}
        for objective in ("traffic", "delay", "balance"):
            found[objective] = self.slice("net.txt", "--flows", 8, "--seed", 2, "--runs", 2, "--objective", objective)
            self.check(found[objective])
        for name, figure in (("traffic", "traffic"), ("delay", "delay"), ("balance", "largest_use")):
            self.assertLessEqual(found[name][figure], min(one[figure] for one in found.values()) * (1 + 1e-6))
        self.assertLess(found["balance"]["largest_use"], 0.99 * found["traffic"]["largest_use"])

    def test_bad_instances(self):
        for what, text, parts in BAD:
            with self.subTest(what):
                self.write({"bad.toml": text})
                self.assert_refused(self.run_command("slice", "bad.toml"), *parts)

    def test_bad_arguments(self):
        self.write({"net.txt": NETWORK, "small.toml": INSTANCE, "flows.csv": "N1,N9,1,f1\n", "few.csv": "flow1\n1\n",
                    "own.csv": "N1,N2,1,nat\n", "hosts.csv": "N3,9,dpi\n"})
        for arguments, part in ((("net.txt",), "--flows is needed"),
                                (("net.txt", "--flows", "0"), "from 1 to 10000"),
                                (("net.txt", "--flows", "flows.csv"), "flows.csv:1: unknown node 'N9'"),
                                (("net.txt", "--flows", "absent.csv"), "absent.csv"),
                                (("net.txt", "--flows", "5", "--chain", "4:2"), "--chain '4:2'"),
                                (("net.txt", "--flows", "5", "--capacities", "installed"), "no pre-installed capacity"),
                                (("net.txt", "--flows", "own.csv"), "own.csv:1: unknown function 'nat': without --functions"),
                                (("net.txt", "--flows", "own.csv", "--functions", "hosts.csv"), "own.csv:1: unknown function 'nat', no node of hosts.csv"),
                                (("net.txt", "--flows", "own.csv", "--functions", "absent.csv"), "absent.csv"),
                                (("small.toml", "--functions", "hosts.csv"), "complete instance"),
                                (("small.toml", "--flows", "5"), "complete instance"),
                                (("small.toml", "--chain", "1:2"), "--chain belongs to a network"),
                                (("small.toml", "--capacities", "installed"), "--capacities belongs to a network"),
                                (("small.toml", "--instance-seed", "5"), "--instance-seed belongs to a network"),
                                (("small.toml", "--margin", "0.1"), "--margin needs"),
                                (("small.toml", "--objective", "speed"), "--objective"),
                                (("small.toml", "--max-delay", "-1"), "'-1' is not a finite number >= 0"),
                                (("small.toml", "--overload", "0.1"), "--overload needs"),
                                (("small.toml", "--uncertain", "uniform:0.1", "--overload", "5"), "[0, 1)"),
                                (("small.toml", "--uncertain", "uniform:0.1", "--overload", "0.1", "--margin", "0.1"), "either --margin or --overload"),
                                (("small.toml", "--uncertain", "cauchy:1"), "unknown distribution 'cauchy'"),
                                (("small.toml", "--uncertain", "uniform:2"), "(0, 1]"),
                                (("small.toml", "--samples", "few.csv"), "no column for flow 'second'"),
                                (("absent.txt", "--flows", "5"), "absent.txt")):
            with self.subTest(arguments):
                self.assert_refused(self.run_command("slice", *arguments), part)

    def test_text_for_a_planner(self):
        self.write({"small.toml": INSTANCE})
        done = self.run_command("slice", "small.toml")
        self.assertEqual(done.returncode, 0, done.stderr)
        for part in ("instance small: 4 nodes (3 hosts), 8 links, 2 flows", "lower bound", "busiest links", "by the judge",
                     "second", "fw at B, nat at C", "relaxation"):
            self.assertIn(part, done.stdout)


@unittest.skipUnless((command.SHARED / "sndlib").is_dir(), "../shared/data/sndlib is not there")
class PublishedNetworks(SliceTest):
    def test_all_formats(self):
        for name in ("polska", "abilene"):
            one, two = (self.slice(command.SHARED / "sndlib" / f"{name}.{form}", "--flows", 20, "--tight")
                        for form in ("txt", "xml"))
            self.check(one)
            self.assertEqual(one["flows"], two["flows"])


if __name__ == "__main__":
    command.main()
