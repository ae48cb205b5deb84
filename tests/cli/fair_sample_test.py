"""bridle fair --gap and --ratio on test data: what is said of the bound there is measured there, and as sure as the people there are many."""
import json
import random
import unittest

import command

NAMES = "hours,race,sex,income"


def people(count, seed):
    chance = random.Random(seed)
    rows = []
    for _ in range(count):
        woman = chance.random() < 0.5
        hours = chance.randint(20, 50) + (0 if woman else 6)
        rows.append([hours, chance.choice("abc"), "f" if woman else "m", "high" if hours + chance.randint(0, 20) > 48 else "low"])
    return rows


def text(rows):
    return "\n".join([NAMES, *(",".join(map(str, row)) for row in rows)]) + "\n"


TRAIN, TEST = people(600, 3), people(300, 4)


class Sample(command.CommandTest):
    def fair(self, test, *arguments, train=TRAIN, codes=(0, 1)):
        """Figures of the test data, what the screen says of them in one line, and all figures."""
        self.write({"train.csv": text(train), "test.csv": text(test)})
        done = self.run_command("fair", "train.csv", "--target", "income", "--positive", "high", "--test", "test.csv", "--starts", "1",
                                "--json", "out.json", "--model", "model.json", *arguments)
        self.assertIn(done.returncode, codes, done.stderr)
        figures = json.loads((self.folder / "out.json").read_text())
        line, = [line for line in done.stdout.splitlines() if line.startswith("test data: ")]
        return figures["rates"]["test"], line, figures, done.stdout

    def test_a_group_without_anybody_is_not_measured(self):
        men = [row for row in TEST if row[2] == "m"]
        for bound in (["--gap", "0.3"], ["--ratio", "0.2"]):
            test, line, figures, screen = self.fair(men, "--sensitive", "sex", *bound)
            self.assertTrue(figures["rates"]["reached"])
            self.assertEqual([test[key] for key in ("gap", "ratio", "standard_error", "finding", "not_measured")],
                             [None, None, None, "not measured", ["sex = f"]])
            self.assertEqual(line, "test data: not measured; nobody there is in sex = f")
            self.assertEqual([cell["rate"] is None for cell in test["cells"]], [cell["people"] == 0 for cell in test["cells"]])
            self.assertRegex(screen, r"sex = f +\d+ of \d+ +\S+ \+- \S+ +0 of 0 +not measured")
            for key in ("selection_ratio", "demographic_parity_difference", "equal_opportunity_difference", "equalised_odds_difference"):
                self.assertIsNone(figures["metrics"]["test"]["attributes"][0][key])
        said = self.run_command("predict", "model.json", "test.csv").stderr
        self.assertIn("sex: selection rates not measured, true positive rates not measured", said)
        self.assertNotIn("nan", said)

    def test_a_condition_without_anybody_is_not_measured(self):
        refused = [row for row in TEST if row[2] == "m" or row[3] == "low"]
        test, line, _, _ = self.fair(refused, "--sensitive", "sex", "--gap", "0.3", "--measure", "equal-opportunity")
        self.assertEqual([test["gap"], test["finding"]], [None, "not measured"])
        self.assertEqual(line, "test data: not measured; nobody there is in sex = f, positive label")
        # False positive rates are there, and that is half of what was asked.
        test, line, _, _ = self.fair(refused, "--sensitive", "sex", "--gap", "0.9", "--measure", "equalised-odds")
        self.assertEqual([test["finding"], test["not_measured"]], ["not measured", ["sex = f, positive label"]])
        self.assertIsNotNone(test["gap"])
        self.assertRegex(line, r": not measured; nobody there is in sex = f, positive label$")

    def test_of_three_groups_one_is_missing(self):
        two = [row for row in TEST if row[1] != "c"]
        test, line, _, _ = self.fair(two, "--sensitive", "race", "--gap", "0.5")
        cells = [cell["rate"] for cell in test["cells"] if cell["people"] > 0]
        self.assertAlmostEqual(test["gap"], max(cells) - min(cells))
        self.assertEqual([test["finding"], test["not_measured"]], ["not measured", ["race = c"]])

    def test_covariances_without_anybody_are_not_measured(self):
        self.write({"train.csv": text(TRAIN), "test.csv": text([row for row in TEST if row[2] == "m"])})
        done = self.run_command("fair", "train.csv", "--target", "income", "--positive", "high", "--sensitive", "sex,race", "--bound",
                                "0.01", "--test", "test.csv", "--json", "out.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["row"]: row["test"] for row in json.loads((self.folder / "out.json").read_text())["rows"]}
        self.assertIsNone(rows["cov_sex"])
        self.assertIsNotNone(rows["cov_race.a"])
        self.assertRegex(done.stdout, r"  sex +0.01 +\S+ +not measured ")

    def test_a_group_that_training_has_nobody_of_is_told(self):
        train = [row for row in TRAIN if row[1] != "c" or row[3] == "low"]
        test, _, figures, screen = self.fair(TEST, "--sensitive", "race", "--gap", "0.2", "--measure", "equal-opportunity", train=train)
        self.assertEqual(figures["rates"]["empty"], ["race = c, positive label"])
        self.assertIn("nobody in the training data is in race = c, positive label: in no comparison\n", screen)

    def test_the_verdict_is_what_the_interval_says(self):
        for gap, bound in (("0.9", "reached"), ("0.05", "not decided by this sample")):
            test, line, _, _ = self.fair(TEST, "--sensitive", "sex", "--gap", gap)
            self.assertEqual([test["finding"], test["not_measured"]], [bound, []])
            low, high = test["interval"]
            self.assertTrue(low <= test["gap"] <= high)
            self.assertIn(f"the largest gap is {test['gap']:.4f} +- {test['standard_error']:.4f}", line)
            self.assertTrue(line.endswith(f", 95% interval {low:.4f} to {high:.4f}: {bound}"), line)
        # Women there who are never selected, men who always are.
        other = [[0 if row[2] == "f" else 200, *row[1:]] for row in TEST]
        test, line, figures, _ = self.fair(other, "--sensitive", "sex", "--gap", "0.05")
        self.assertTrue(figures["rates"]["reached"])
        self.assertEqual([test["gap"], test["finding"]], [1, "not reached"])
        self.assertLess(test["interval"][0], 1)
        # Three people say nothing, whatever their rates are.
        three = [row for row in other if row[2] == "f"][:1] + [row for row in other if row[2] == "m"][:2]
        test, _, _, _ = self.fair(three, "--sensitive", "sex", "--gap", "0.1")
        self.assertEqual([test["gap"], test["finding"]], [1, "not decided by this sample"])


if __name__ == "__main__":
    command.main()
