"""bridle slice with rates that are random: margins, and how often a capacity is exceeded."""
import json

import command
from slice_test import INSTANCE, NETWORK, SliceTest


class Uncertain(SliceTest):
    def test_uncertain_rates(self):
        self.write({"net.txt": NETWORK})
        chances = []
        for margin in (0, 0.2):
            figures = self.slice("net.txt", "--flows", 10, "--uncertain", "lognormal:0.2", "--margin", margin)
            self.check(figures)
            chances.append(figures["uncertain"]["overload_probability"])
            uses = [one["load"] / one["capacity"] for one in figures["nodes"] + figures["links"] if one["load"] > 0]
            self.assertAlmostEqual(figures["largest_use"], max(uses))  # of whole capacities, as the tables have it
            for one in figures["nodes"] + figures["links"]:  # expected loads keep the margin
                self.assertLessEqual(one["load"], one["capacity"] * (1 - margin) * (1 + 1e-8) + 1e-12)
        self.assertLess(chances[1], chances[0])

    def test_the_title_says_how_often_a_capacity_is_exceeded(self):
        self.write({"net.txt": NETWORK})
        done = self.run_command("slice", "net.txt", "--flows", 10, "--tight", "--uncertain", "lognormal:0.5", "--runs", 1, "--json", "out.json")
        share = json.loads((self.folder / "out.json").read_text())["uncertain"]
        self.assertGreater(share["overload_probability"], 0.3)
        self.assertNotIn("\nfeasible placement", done.stdout)
        self.assertIn(f"\nplacement feasible in expectation, a capacity exceeded in {100 * share['overload_probability']:.2f}% "
                      f"(+- {100 * share['standard_error']:.2f}) of 10000 fresh samples: cost", done.stdout)

    def test_a_margin_for_a_share_of_overload(self):
        self.write({"net.txt": NETWORK})
        arguments = "net.txt", "--flows", 10, "--uncertain", "lognormal:0.2", "--runs", 1
        figures = self.slice(*arguments, "--overload", 0.05)
        self.check(figures)
        chosen = figures["uncertain"]
        self.assertTrue(chosen["kept"])
        self.assertLessEqual(chosen["overload_probability"], 0.05)
        smaller = [t["share"] for t in chosen["trials"] if t["margin"] < chosen["margin"] - 1e-9]
        self.assertTrue(smaller)  # or the test shows nothing
        self.assertTrue(all(share > 0.04 for share in smaller))
        # No margin makes a lognormal rate fit for sure: exit code 1, and the plan that comes nearest.
        figures = self.slice("net.txt", "--flows", 10, "--tight", "--uncertain", "lognormal:1", "--runs", 1, "--overload", 0.001, code=1)
        self.assertFalse(figures["uncertain"]["kept"])
        self.assertGreater(figures["uncertain"]["overload_probability"], 0.001)
        self.assertFalse(figures["uncertain"]["broken_off"])

    def test_samples_of_rates(self):
        self.write({"small.toml": INSTANCE,
                    "rates.csv": "second,flow1\n" + "".join(f"{1 + 0.1 * (i % 7)},{2 - 0.1 * (i % 4)}\n" for i in range(50))})
        figures = self.slice("small.toml", "--samples", "rates.csv", "--margin", 0)
        self.assertEqual(figures["uncertain"]["samples"], 10)
        kept = [i for i in range(50) if i % 5 != 4]
        self.assertAlmostEqual(figures["flows"][1]["rate"], sum(1 + 0.1 * (i % 7) for i in kept) / 40)


if __name__ == "__main__":
    command.main()
