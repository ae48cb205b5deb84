"""Columns that are not what they seem, in bridle fair, predict and solve: decimal commas of files with semicolons, and text with a crowd of values."""
import csv
import io
import json
import random
import unittest

import command

NAMES = ["pay", "hours", "sex", "income"]
PROBLEM = """[objective]
kind = "linear-model"
data = "DATA"
target = "income"
positive = "high"
loss = "logistic"
ridge = 0.01
standardise = true
"""


def people(count=300, seed=1):
    chance = random.Random(seed)
    rows = []
    for _ in range(count):
        woman = chance.random() < 0.5
        pay, hours = round(chance.uniform(10, 90), 2), chance.choice([20, 37.5, 40])
        rows.append([pay, hours, "f" if woman else "m", "high" if pay + hours + chance.randint(0, 20) > 95 else "low"])
    return rows


def text(rows, comma=",", decimal=".", names=NAMES):
    lines = [comma.join(str(v).replace(".", decimal) if not isinstance(v, str) else v for v in row) for row in rows]
    return "\n".join([comma.join(names), *lines]) + "\n"


class Commas(command.CommandTest):
    def setUp(self):
        super().setUp()
        self.write({"points.csv": text(people()), "commas.csv": text(people(), ";", ",")})

    def fair(self, data, *arguments):
        done = self.run_command("fair", data, "--target", "income", "--positive", "high", "--sensitive", "sex", "--gap", "0.1", "--starts",
                                "1", "--json", "out.json", "--model", f"{data}.json", *arguments)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return json.loads((self.folder / "out.json").read_text())["x"], self.notes(done)

    @staticmethod
    def notes(done):
        return [line.split(maxsplit=1)[1] for line in done.stdout.splitlines() if line.startswith("note ")]

    def test_decimal_commas_are_numbers(self):
        note = "decimal commas in 'pay', 'hours': '{}' is read as {}; a column listed under categorical is read as text"
        first = str(people()[0][0])
        points, _ = self.fair("points.csv")
        commas, notes = self.fair("commas.csv", "--test", "points.csv")
        self.assertEqual(commas, points)
        self.assertIn(note.format(first.replace(".", ","), first), notes)
        answers = [self.run_command("predict", "commas.csv.json", name, "--pass", "pay") for name in ("points.csv", "commas.csv")]
        columns = [list(csv.DictReader(io.StringIO(done.stdout))) for done in answers]
        self.assertEqual([row["score"] for row in columns[0]], [row["score"] for row in columns[1]])
        self.assertEqual([row["pay"].replace(".", ",") for row in columns[0]], [row["pay"] for row in columns[1]])
        text_columns, notes = self.fair("commas.csv", "--categorical", "hours")
        self.assertIn("hours.37_5", text_columns)
        self.assertIn("decimal commas in 'pay': ", "\n".join(notes))

    def test_problem_files_read_them_too(self):
        found = []
        for name in ("points.csv", "commas.csv"):
            self.write({"p.toml": PROBLEM.replace("DATA", name)})
            done = self.run_command("solve", "p.toml", "--json", "out.json")
            self.assertIn(done.returncode, (0, 1), done.stderr)
            found.append(json.loads((self.folder / "out.json").read_text())["x"])
            self.assertEqual(any(note.startswith("decimal commas in 'pay', 'hours': ") for note in self.notes(done)), name == "commas.csv")
        self.assertEqual(*found)

    def test_points_beside_decimal_commas_may_separate_thousands(self):
        """Two columns like 1.234 and 0.234; the second cannot be thousands."""
        rows = [[f"{k % 9 + 1}.{100 + k}", f"{k % 2}.{100 + k}", *row] for k, row in enumerate(people())]
        names = ["sales", "share", *NAMES]
        commas = [[*row[:2], *(str(v).replace(".", ",") for v in row[2:])] for row in rows]
        self.write({"p.toml": PROBLEM.replace("DATA", "thousands.csv"), "points.csv": text(rows, names=names),
                    "thousands.csv": "\n".join([";".join(row) for row in [names, *commas]]) + "\n"})
        note = "column 'sales': '1.100' is read as 1.100, although other columns have decimal commas; if the point separates thousands, write 1100"
        _, notes = self.fair("thousands.csv")
        self.assertEqual([line for line in notes if "thousands" in line], [note])
        notes = self.notes(self.run_command("solve", "p.toml"))
        self.assertEqual([line for line in notes if "thousands" in line], [note])
        done = self.run_command("predict", "thousands.csv.json", "thousands.csv")
        self.assertEqual([line for line in done.stderr.splitlines() if "thousands" in line], ["note: " + note])
        done = self.run_command("predict", "thousands.csv.json", "points.csv")
        self.assertNotIn("thousands", done.stderr)

    def test_numbers_that_became_text_are_told(self):
        """In fair and solve alike, with commas or points between thousands."""
        for separator, values in ((",", ("1,234", "2,345.5")), (";", ("1.234,5", "2.345"))):
            rows = [[f'"{values[k % 2]}"', *row] for k, row in enumerate(people())]
            self.write({"odd.csv": text(rows, separator, names=["sales", *NAMES]), "p.toml": PROBLEM.replace("DATA", "odd.csv")})
            note = f"column 'sales' has numbers such as '{values[0]}' and is taken as text: write 1234.5, not 1,234.5 or 1234,5"
            self.assertIn(note, self.fair("odd.csv")[1])
            self.assertIn(note, self.notes(self.run_command("solve", "p.toml")))
            self.write({"p.toml": PROBLEM.replace("DATA", "odd.csv") + 'categorical = ["sales"]\n'})
            self.assertNotIn(note, self.notes(self.run_command("solve", "p.toml")))

    def test_text_that_becomes_a_crowd_of_columns_is_told(self):
        for values, told in ((50, False), (51, True)):
            rows = [[f"town {k % values}", *row] for k, row in enumerate(people())]
            self.write({"towns.csv": text(rows, names=["town", *NAMES]), "p.toml": PROBLEM.replace("DATA", "towns.csv")})
            note = f"column 'town' is text with {values} values, and becomes as many columns"
            self.assertEqual(note in self.fair("towns.csv")[1], told)
            self.assertEqual(note in self.notes(self.run_command("solve", "p.toml")), told)


if __name__ == "__main__":
    command.main()
