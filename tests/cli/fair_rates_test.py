"""bridle fair --gap and --ratio, end to end: what is claimed of decisions is counted again from what bridle predict writes."""
import csv
import io
import json
import random
import unittest

import command

NAMES = ["hours", "education", "town", "race", "sex", "income"]
USUAL = ["--target", "income", "--positive", "high"]


def people(count=900, seed=3):
    chance = random.Random(seed)
    rows = []
    for _ in range(count):
        woman, race = chance.random() < 0.5, chance.choice("abc")
        hours, education = round(chance.uniform(20, 50) + (0 if woman else 8), 2), chance.randint(0, 9)
        town = "north" if chance.random() < (0.8 if race == "a" else 0.4) else "south"
        rich = hours + 3 * education + (4 if town == "north" else 0) + chance.randint(0, 20) > 66
        rows.append([hours, education, town, race, "f" if woman else "m", "high" if rich else "low"])
    return rows


def text(rows, comma=",", names=NAMES):
    return "\n".join(comma.join(map(str, r)) for r in [names, *rows]) + "\n"


TRAIN, TEST = people(), people(400, 4)


class Rates(command.CommandTest):
    def setUp(self):
        super().setUp()
        self.write({"train.csv": text(TRAIN), "test.csv": text(TEST)})

    def fair(self, *arguments, train="train.csv", codes=(0,)):
        done = self.run_command("fair", train, *USUAL, *arguments, "--quiet", "--json", "-", "--model", "model.json")
        self.assertIn(done.returncode, codes, done.stderr)
        return json.loads(done.stdout)

    def decisions(self, data="train.csv", *arguments):
        done = self.run_command("predict", "model.json", data, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line["label"] == "high" for line in csv.DictReader(io.StringIO(done.stdout))], done.stderr

    def rates(self, rows, selected, key, counted=lambda row: True):
        """Selected and people of each group, counted here."""
        out = {}
        for row, yes in zip(rows, selected, strict=True):
            if counted(row):
                cell = out.setdefault(key(row), [0, 0])
                cell[0] += yes
                cell[1] += 1
        return out

    def gap(self, cells):
        rates = [a / b for a, b in cells.values()]
        return max(rates) - min(rates)

    def test_selection_rates_are_within_the_gap_and_counts_are_right(self):
        for gap in ("0.05", "2%"):
            r = self.fair("--sensitive", "sex", "--gap", gap, "--test", "test.csv")
            asked = 0.05 if gap == "0.05" else 0.02
            self.assertTrue(r["rates"]["reached"])
            self.assertEqual(r["rates"]["gap"], asked)
            selected, _ = self.decisions()
            cells = self.rates(TRAIN, selected, lambda row: row[4])
            self.assertLessEqual(self.gap(cells), asked + 1e-12)
            for cell in r["rates"]["train"]["cells"]:
                self.assertEqual([cell["selected"], cell["people"]], cells[cell["group"]])
            self.assertGreater(r["without_bounds"]["metrics"]["train"]["attributes"][0]["demographic_parity_difference"], 0.1)
            self.assertEqual(r["warnings"], [])
            self.assertLess(r["rates"]["smoothed_problem"]["error"], 1e-6)
            # The status is the judge's word on the weights that are returned.
            self.assertEqual(r["status"], "stationary")
            self.assertLessEqual(r["error"], 1e-4)
            self.assertEqual(r["error"], r["rates"]["smoothed_problem_after_walk"]["error"])

    def test_true_and_false_positive_rates(self):
        self.fair("--sensitive", "sex", "--gap", "0.02", "--measure", "equalised-odds")
        selected, _ = self.decisions()
        for label in ("high", "low"):
            self.assertLessEqual(self.gap(self.rates(TRAIN, selected, lambda row: row[4], lambda row: row[5] == label)), 0.02 + 1e-12)
        self.fair("--sensitive", "sex", "--gap", "0.01", "--measure", "equal-opportunity")
        selected, _ = self.decisions()
        self.assertLessEqual(self.gap(self.rates(TRAIN, selected, lambda row: row[4], lambda row: row[5] == "high")), 0.01 + 1e-12)

    def test_several_columns_and_their_intersections(self):
        # Nineteen rows on five weights: counted, though no width need end at a stationary point.
        r = self.fair("--sensitive", "sex,race", "--gap", "0.04", "--intersections", codes=(0, 1))
        self.assertTrue(r["rates"]["reached"])
        selected, _ = self.decisions()
        for key in (lambda row: row[4], lambda row: row[3], lambda row: (row[3], row[4])):
            self.assertLessEqual(self.gap(self.rates(TRAIN, selected, key)), 0.04 + 1e-12)
        # Names of any length leave the figures in their columns.
        rows = [[*row[:3], f"those whom the register calls {row[3]}", *row[4:]] for row in TRAIN]
        names = ["the register of 2019" if name == "race" else name for name in NAMES]
        self.write({"long.csv": text(rows, names=names)})
        said = self.run_command("fair", "long.csv", *USUAL, "--sensitive", f"sex,{names[3]}", "--gap", "0.2", "--intersections").stdout
        table = [line for line in said.splitlines() if " diff. " in line or "p% rule" in line]
        self.assertEqual(len(table), 12)
        self.assertEqual(len({len(line) for line in table}), 1, said)
        table = said[said.index("groups (training data)"):].splitlines()
        self.assertEqual(len({len(line) for line in table}), 1, said)

    def test_ratio(self):
        r = self.fair("--sensitive", "sex", "--ratio", "0.8")
        self.assertTrue(r["rates"]["reached"])
        selected, _ = self.decisions()
        rates = [a / b for a, b in self.rates(TRAIN, selected, lambda row: row[4]).values()]
        self.assertGreaterEqual(min(rates) / max(rates), 0.8 - 1e-12)
        done = self.run_command("fair", "train.csv", *USUAL, "--sensitive", "sex", "--ratio", "0.8")
        self.assertIn(f"reached, counted: in the training data the smallest ratio is {min(rates) / max(rates):.6f}", done.stdout)
        self.assertIn("loosening the bound by 0.01 of a rate", done.stdout)
        self.assertIn("found by the second-order steps\n\nphase ", done.stdout)

    def test_same_bits_again(self):
        first = self.fair("--sensitive", "sex", "--gap", "0.02")
        self.assertEqual(self.fair("--sensitive", "sex", "--gap", "0.02")["x"], first["x"])

    def test_confidence_tightens(self):
        r = self.fair("--sensitive", "sex", "--gap", "0.15", "--confidence", "0.9", "--test", "test.csv")
        self.assertLess(r["rates"]["tightest"], 0.15)
        self.assertLessEqual(r["rates"]["train"]["gap"], r["rates"]["tightest"] + 1e-12)
        self.assertEqual([r["rates"]["bounds"], r["rates"]["too_few_people"]], [1, 0])
        # 900 people have a standard error of some 0.03 in a gap: nobody can promise 0.01.
        done = self.run_command("fair", "train.csv", *USUAL, "--sensitive", "sex", "--gap", "0.01", "--confidence", "0.9", "--starts", "1",
                                "--json", "few.json")
        self.assertIn("TOO FEW PEOPLE for this promise: the margin is larger than the gap for 1 of 1 pairs of groups", done.stdout)
        self.assertEqual(json.loads((self.folder / "few.json").read_text())["rates"]["too_few_people"], 1)

    def test_options_of_rates_are_not_for_covariances(self):
        for option in (["--measure", "equal-opportunity"], ["--measure", "demographic-parity"], ["--confidence", "0.95"],
                       ["--smallest-group", "50"], ["--starts", "3"]):
            done = self.run_command("fair", "train.csv", *USUAL, "--sensitive", "sex", "--bound", "0.1", *option)
            with self.subTest(option=option):
                self.assertEqual(done.returncode, 2)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertIn(f"{option[0]} goes with --gap and --ratio", done.stderr)

    def test_options_of_covariances_are_not_for_rates(self):
        done = self.run_command("fair", "train.csv", *USUAL, "--sensitive", "sex", "--gap", "0.1", "--epochs", "3")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIn("--epochs goes with --bound and --sweep", done.stderr)

    def test_sweep_of_gaps(self):
        done = self.run_command("fair", "train.csv", *USUAL, "--sensitive", "sex", "--gap", "0.01:0.1:3", "--seeds", "2", "--csv",
                                "runs.csv", "--quiet", "--json", "curve.json", "--test", "test.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = list(csv.DictReader(io.StringIO((self.folder / "runs.csv").read_text())))
        self.assertEqual(len(lines), 6)
        for line in lines:
            self.assertEqual(line["reached"], "yes")
            self.assertLessEqual(float(line["gap"]), float(line["bound"]) + 1e-12)
        curve = json.loads((self.folder / "curve.json").read_text())["curve"]
        self.assertLess(curve[0]["gap"]["mean"], curve[-1]["gap"]["mean"] + 1e-12)

    def test_a_classifier_that_is_none_is_said_to_be_so(self):
        # Nothing but noise: whoever is in the majority class is what a model can say.
        chance = random.Random(1)
        rows = [[round(chance.random(), 3), chance.choice("fm"), "high" if chance.random() < 0.95 else "low"] for _ in range(400)]
        self.write({"noise.csv": text(rows, names=["luck", "sex", "income"])})
        done = self.run_command("fair", "noise.csv", *USUAL, "--sensitive", "sex", "--bound", "0.001", "--json", "out.json")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("decides the same for everybody", done.stdout)
        self.assertIn("decides the same for everybody", " ".join(json.loads((self.folder / "out.json").read_text())["warnings"]))

    def test_the_positive_label_comes_first_on_the_screen(self):
        done = self.run_command("fair", "train.csv", *USUAL, "--sensitive", "sex", "--gap", "0.05")
        self.assertIn("positive label: income = high", done.stdout.splitlines()[:4])

    def test_folds_give_probabilities(self):
        r = self.fair("--sensitive", "sex", "--gap", "0.05", "--folds", "4")
        self.assertEqual(len(r["folds"]["accuracies"]), 4)
        done = self.run_command("predict", "model.json", "test.csv", "--probability", "--pass", "town,hours")
        lines = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual([[line["town"], line["hours"]] for line in lines], [[row[2], str(row[0])] for row in TEST])
        chance = [float(line["probability"]) for line in lines]
        self.assertTrue(all(0 <= p <= 1 for p in chance))
        share = sum(row[5] == "high" for row in TEST) / len(TEST)
        # 400 people: three standard errors of a share are 0.075.
        self.assertAlmostEqual(sum(chance) / len(chance), share, delta=0.08)
        self.assertIn("accuracy", done.stderr)
        # What the gap was counted for are the model's own decisions: no figure beside them changes them.
        plain, _ = self.decisions("test.csv")
        self.assertEqual([line["label"] == "high" for line in lines], plain)
        fewer = self.run_command("predict", "model.json", "test.csv", "--probability", "--threshold", "0.9")
        self.assertLess(fewer.stdout.count(",high"), done.stdout.count(",high"))
        moved = done.stdout.count(",high") - fewer.stdout.count(",high")
        self.assertIn(f"note: the threshold changes {moved} decisions", fewer.stderr)
        self.assertNotIn("note:", done.stderr)
        for threshold in ("1.3", "-0.1", "nan"):
            refused = self.run_command("predict", "model.json", "test.csv", "--probability", f"--threshold={threshold}")
            self.assertEqual([refused.returncode, len(refused.stderr.splitlines())], [2, 1], refused.stderr)
            self.assertIn("--threshold", refused.stderr)

    def test_predict_tells_the_rates_of_groups_that_are_numbers(self):
        rows = [[*row[:4], int(row[4] == "f"), row[5]] for row in TRAIN]
        self.write({"coded.csv": text(rows)})
        r = self.fair("--sensitive", "sex", "--gap", "0.05", train="coded.csv")
        _, said = self.decisions("coded.csv")
        for cell in r["rates"]["train"]["cells"]:
            self.assertIn(f"sex = {cell['group']}: {cell['people']} people, selected {cell['rate']:.4f}", said)

    def test_probabilities_need_folds(self):
        self.fair("--sensitive", "sex", "--gap", "0.05")
        done = self.run_command("predict", "model.json", "test.csv", "--probability")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--folds", done.stderr)

    def test_validation_and_intervals(self):
        r = self.fair("--sensitive", "sex", "--gap", "0.05", "--validate", "0.3", "--bootstrap", "50")
        self.assertEqual([r["setting"]["train"]["samples"], r["setting"]["test"]["samples"]], [630, 270])
        accuracy = r["bootstrap"]["figures"]["accuracy"]
        self.assertLessEqual(accuracy["low"], accuracy["value"])
        self.assertGreaterEqual(accuracy["high"], accuracy["value"])
        self.assertAlmostEqual(accuracy["value"], r["metrics"]["test"]["accuracy"])

    def test_separators_and_missing_values(self):
        plain = self.fair("--sensitive", "sex", "--gap", "0.05")
        for name, comma in (("semicolon", ";"), ("tab", "\t"), ("blank", "  ")):
            self.write({"other.csv": text(TRAIN, comma)})
            self.assertEqual(self.fair("--sensitive", "sex", "--gap", "0.05", train="other.csv")["x"], plain["x"], name)
        done = self.run_command("fair", "other.csv", *USUAL, "--sensitive", "sex", "--gap", "0.05", "--separator", "comma")
        self.assertEqual(done.returncode, 2)
        self.assertIn("separator", done.stderr)
        rows = [list(row) for row in TRAIN]
        for k, missing in enumerate(["NA", "N/A", "null", "nan", "?", ""]):
            rows[10 * k][0] = missing
        self.write({"gaps.csv": text(rows)})
        self.assertEqual(self.fair("--sensitive", "sex", "--gap", "0.05", train="gaps.csv")["setting"]["train"]["dropped_rows"], 6)

    def test_weights(self):
        plain = self.fair("--sensitive", "sex", "--gap", "0.05")
        # Weights that are all 2 change nothing but rounding; a row of weight 3 is a row that is there three times.
        for gap in (["--gap", "0.05"], ["--bound", "0.01"]):
            chance = random.Random(1)
            weights = [chance.choice([0, 1, 3]) for _ in TRAIN]
            self.write({"weighted.csv": text([[w, *row] for w, row in zip(weights, TRAIN)], names=["weight", *NAMES])})
            r = self.fair("--sensitive", "sex", *gap, "--weights", "weight", train="weighted.csv", codes=(0, 1))
            self.assertNotIn("weight", r["x"])
        many = [row for w, row in zip(weights, TRAIN) for _ in range(w)]
        self.write({"many.csv": text(many)})
        again = self.fair("--sensitive", "sex", "--bound", "1000", "--no-standardise", train="many.csv")
        r = self.fair("--sensitive", "sex", "--bound", "1000", "--no-standardise", "--weights", "weight", train="weighted.csv")
        self.assertAlmostEqual(r["objective"], again["objective"], delta=1e-5)
        balanced = self.fair("--sensitive", "sex", "--gap", "0.05", "--balanced", train="train.csv")
        self.assertGreaterEqual(balanced["metrics"]["train"]["balanced_accuracy"],
                                plain["metrics"]["train"]["balanced_accuracy"] - 0.01)
        done = self.run_command("fair", "train.csv", *USUAL, "--sensitive", "sex", "--gap", "0.05", "--weights", "town")
        self.assertEqual(done.returncode, 2)

    def test_ids_are_left_out(self):
        rows = [[f"person {k}", 1000 + 3 * k, *row] for k, row in enumerate(TRAIN)]
        self.write({"ids.csv": text(rows, names=["name", "number", *NAMES])})
        r = self.fair("--sensitive", "sex", "--gap", "0.05", train="ids.csv")
        self.assertFalse([name for name in r["x"] if name.startswith("n")])
        r = self.fair("--sensitive", "sex", "--gap", "0.05", "--keep", "number", train="ids.csv")
        self.assertIn("number", r["x"])

    def notes(self, *arguments, train):
        done = self.run_command("fair", train, *USUAL, *arguments, "--gap", "0.1")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return [line.split(maxsplit=1)[1] for line in done.stdout.splitlines() if line.startswith("note ")]

    def test_columns_that_are_not_what_they_seem_are_told(self):
        rows = [['"' + f"{row[0] + k / 1000:.3f}".replace(".", ",") + '"', *row[1:4], k % 3, row[5]] for k, row in enumerate(TRAIN)]
        self.write({"odd.csv": text(rows)})
        said = self.notes("--sensitive", "sex", train="odd.csv")
        self.assertEqual([line for line in said if "'hours'" in line],
                         [f"column 'hours' has numbers such as '{rows[0][0][1:-1]}' and is left out: write 1234.5, not 1,234.5 or 1234,5"])
        cut, = [line for line in said if "'sex'" in line]
        self.assertIn("up to the median 1", cut)
        self.assertIn("--categorical sex", cut)
        said = self.notes("--sensitive", "sex", "--categorical", "sex", train="odd.csv")
        self.assertFalse([line for line in said if "'sex'" in line])
        few = [['"' + str(row[1] / 2).replace(".", ",") + '"', *row[1:]] for row in TRAIN]
        self.write({"few.csv": text(few)})
        self.assertIn(f"column 'hours' has numbers such as '{few[0][0][1:-1]}' and is taken as text: write 1234.5, not 1,234.5 or 1234,5",
                      self.notes("--sensitive", "sex", train="few.csv"))

    def test_no_status_says_more_than_the_certificate_of_the_weights(self):
        # A gap of 0 is met by chance or by a walk over decisions, which leaves the stationary point.
        r = self.fair("--sensitive", "sex", "--gap", "0", codes=(0, 1))
        self.assertEqual(r["status"] == "stationary", r["rates"]["reached"] and r["error"] <= 1e-4)
        done = self.run_command("fair", "train.csv", *USUAL, "--sensitive", "sex", "--gap", "0")
        self.assertEqual("smoothed problem: stationary, error" in done.stdout, r["status"] == "stationary")
        self.assertIn("decisions: ", done.stdout)

    def network_rows(self):
        chance = random.Random(8)
        rows = []
        for _ in range(500):
            a, b, c = (chance.gauss(0, 1) for _ in range(3))
            good = a * b + 0.5 * c + 0.1 * chance.gauss(0, 1) > 0
            rows.append([round(a, 4), round(b, 4), round(c, 4), "f" if c + chance.gauss(0, 1) > 0 else "m", "high" if good else "low"])
        return rows

    def test_a_network_is_trained_written_and_read(self):
        rows = self.network_rows()
        self.write({"crossed.csv": text(rows, names=["a", "b", "c", "sex", "income"])})
        r = self.fair("--sensitive", "sex", "--gap", "0.05", "--model", "network", "--hidden", "6", "--ridge", "1e-3", "--starts", "1",
                      train="crossed.csv", codes=(0, 1))
        self.assertEqual([r["setting"]["model"], r["setting"]["hidden"], r["setting"]["weights"]], ["network", [6], 4 * 6 + 7])
        self.assertEqual(len(r["x"]), 4 * 6 + 7)
        self.assertTrue(r["rates"]["reached"])
        selected, figures = self.decisions("crossed.csv")
        cells = self.rates(rows, selected, lambda row: row[3])
        self.assertLessEqual(self.gap(cells), 0.05 + 1e-12)
        for cell in r["rates"]["train"]["cells"]:
            self.assertEqual([cell["selected"], cell["people"]], cells[cell["group"]])
        right = sum(yes == (row[4] == "high") for row, yes in zip(rows, selected)) / len(rows)
        self.assertAlmostEqual(right, r["metrics"]["train"]["accuracy"])
        self.assertGreater(right, 0.7)
        self.assertIn("accuracy", figures)
        model = json.loads((self.folder / "model.json").read_text())
        self.assertEqual([(one["inputs"], one["units"]) for one in model["layers"]], [(3, 6), (6, 1)])
        model["layers"][1]["weights"].pop()
        self.write({"model.json": json.dumps(model)})
        done = self.run_command("predict", "model.json", "crossed.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("is damaged", done.stderr)

    def test_a_network_with_a_bound_on_the_covariance(self):
        self.write({"crossed.csv": text(self.network_rows(), names=["a", "b", "c", "sex", "income"])})
        r = self.fair("--sensitive", "sex", "--bound", "0.01", "--hidden", "4", "--ridge", "1e-3", train="crossed.csv", codes=(0, 1))
        self.assertLessEqual(abs(r["rows"][0]["train"]), 0.01 * (1 + 1e-9))
        self.assertGreater(abs(r["without_bounds"]["rows"][0]["train"]), 0.02)

    def test_ridge_and_gap_are_chosen_by_a_rule(self):
        r = self.fair("--sensitive", "sex", "--gap", "auto:0.02:0.2:3", "--ridge", "auto", "--folds", "3", codes=(0, 1))
        for of, largest in (("gap", False), ("ridge", True)):
            choice = r["choices"][of]
            best = max(choice["tried"], key=lambda one: one["accuracy"])
            enough = [one["value"] for one in choice["tried"] if one["accuracy"] >= best["accuracy"] - best["standard_error"]]
            self.assertEqual(choice["chosen"], (max if largest else min)(enough))
            self.assertIn("within one standard error", choice["rule"])
        self.assertEqual(r["rates"]["gap"], r["choices"]["gap"]["chosen"])
        self.assertEqual(r["setting"]["ridge"], r["choices"]["ridge"]["chosen"])
        self.assertTrue(r["rates"]["reached"])

    def test_bad_input(self):
        for arguments, part in ((["--gap", "1.5"], "above 1"), (["--gap", "x"], "--gap 'x'"), (["--gap", "0.1", "--bound", "1"], "one of"),
                                (["--gap", "0.1", "--measure", "parity"], "--measure 'parity'"),
                                (["--gap", "0.1", "--intersections"], "two sensitive columns"),
                                (["--gap", "0.1", "--smallest-group", "10000"], "fewer than two groups"),
                                (["--gap", "0.1", "--validate", "0.5", "--test", "test.csv"], "--validate"),
                                (["--gap", "0.1", "--hidden", "8,x"], "--hidden '8,x'"), (["--gap", "0.1", "--hidden", "0"], "--hidden '0'"),
                                (["--gap", "0.1", "--hidden", "8,"], "--hidden '8,'"), (["--gap", "0.1", "--hidden", "1.5"], "--hidden '1.5'"),
                                (["--gap", "0.1", "--hidden", "-4"], "--hidden"), (["--gap", "0.1", "--hidden", "100000"], "512"),
                                (["--gap", "0.1", "--hidden", "2,2,2,2,2,2"], "at most 5"),
                                (["--gap", "0.1", "--hidden", "4", "--model", "linear"], "--model linear"),
                                (["--gap", "0.1", "--model", "linear", "--model", "network"], "twice"),
                                (["--gap", "0.1", "--model", "a.json", "--model", "b.json"], "two files"),
                                (["--gap", "0.1", "--ridge", "some"], "--ridge 'some'"), (["--gap", "0.1", "--ridge", "-1"], "--ridge"),
                                (["--gap", "automatic"], "--gap 'automatic'"), (["--gap", "0.01:0.1:2", "--ridge", "auto"], "--ridge auto"),
                                (["--bound", "0.1", "--model", "network", "--epochs", "5"], "--epochs is for linear models"),
                                (["--gap", "0.1", "--keep", "nothing"], "nothing")):
            done = self.run_command("fair", "train.csv", *USUAL, "--sensitive", "sex", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(part, done.stderr)
            self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)


if __name__ == "__main__":
    command.main()
