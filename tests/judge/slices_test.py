"""The judge of plans of network slices: a sound plan passes, and each way to spoil it is found."""
import copy
import pathlib
import random
import sys
import tempfile
import tomllib
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import slices  # noqa: E402

INSTANCE = """
[[node]]
name = "a"
[[node]]
name = "b"
capacity = 5
functions = ["f"]
[[node]]
name = "c"
capacity = 5
functions = ["g"]
[[link]]
from = "a"
to = "b"
capacity = 2
both_ways = false
[[link]]
from = "a"
to = "c"
capacity = 3
both_ways = true
[[link]]
from = "c"
to = "b"
capacity = 3
both_ways = true
[[flow]]
from = "a"
to = "c"
rate = 3
chain = ["f"]
"""
# Two thirds go straight to b, one third through c; then all of it from b to c.
PLAN = {"status": "feasible", "cost": 7.0, "flows": [{"hosts": ["b"], "legs": [
    {"routes": [{"nodes": ["a", "b"], "rate": 2.0}, {"nodes": ["a", "c", "b"], "rate": 1.0}]},
    {"routes": [{"nodes": ["b", "c"], "rate": 3.0}]}]}]}


class SlicesTest(unittest.TestCase):
    def complaints(self, spoil=lambda flow, plan: None, instance=INSTANCE):
        plan = copy.deepcopy(PLAN)
        spoil(plan["flows"][0], plan)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "i.toml"
            path.write_text(instance)
            return slices.complaints(path, plan)

    def test_a_sound_plan(self):
        self.assertEqual(self.complaints(), [])

    def test_spoilt_plans(self):
        def change(flow, plan, leg, route, **what):
            flow["legs"][leg]["routes"][route].update(what)

        for wanted, spoil in {
            "does not offer": lambda flow, plan: flow.update(hosts=["c"]),
            "not one node for each function": lambda flow, plan: flow.update(hosts=["b", "c"], legs=flow["legs"] + flow["legs"][1:]),
            "do not add up": lambda flow, plan: change(flow, plan, 1, 0, rate=2.0),
            "carries": lambda flow, plan: (change(flow, plan, 0, 0, rate=3.0), change(flow, plan, 0, 1, rate=0.0)),
            "no link": lambda flow, plan: change(flow, plan, 0, 0, nodes=["a", "x", "b"]),
            "not from": lambda flow, plan: change(flow, plan, 0, 0, nodes=["a", "c"]),
            "cost": lambda flow, plan: plan.update(cost=6.0),
        }.items():
            with self.subTest(wanted):
                self.assertTrue(any(wanted in text for text in self.complaints(spoil)), self.complaints(spoil))
        narrow = INSTANCE.replace('capacity = 5\nfunctions = ["f"]', 'capacity = 2\nfunctions = ["f"]')
        self.assertTrue(any("node b runs" in text for text in self.complaints(instance=narrow)))

    def test_a_plan_without_a_leg_cannot_be_judged(self):
        with self.assertRaises(ValueError):
            self.complaints(lambda flow, plan: flow["legs"].pop())

    def test_random_instances_can_be_read(self):
        for seed in range(50):
            instance = tomllib.loads(slices.random_instance(random.Random(seed)))
            self.assertTrue(instance["node"] and instance["flow"])


if __name__ == "__main__":
    unittest.main()
