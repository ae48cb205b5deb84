"""Names of columns that have commas, blanks and quotes: how they are named in lists, and what a note says can be copied into a shell."""
import csv
import io
import json
import random
import shlex
import unittest

import command

NAMES = ["hours, a week", "say \"a,b\"", "the person's number", "code; of town", "sex, as registered", "income"]


def people(count=300):
    chance = random.Random(1)
    rows = []
    for k in range(count):
        woman = chance.random() < 0.5
        hours = chance.randint(20, 50) + (0 if woman else 6)
        rows.append([hours, chance.randint(0, 99) / 10, 1000 + k, chance.randint(1, 4), "f" if woman else "m",
                     "high" if hours + chance.randint(0, 20) > 48 else "low"])
    return rows


def text(rows, names=NAMES):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([*([names] if names else []), *rows])
    return out.getvalue()


def quoted(*names):
    """A list of names as an argument."""
    return ",".join('"' + name.replace('"', '""') + '"' for name in names)


class ColumnNames(command.CommandTest):
    def setUp(self):
        super().setUp()
        self.write({"people.csv": text(people())})

    def fair(self, *arguments, data="people.csv", sensitive=quoted(NAMES[4])):
        return self.run_command("fair", data, "--target", "income", "--positive", "high", "--sensitive", sensitive, *arguments)

    def weights(self, *arguments, **more):
        done = self.fair("--gap", "0.2", "--quiet", "--json", "-", *arguments, **more)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return set(json.loads(done.stdout)["x"])

    def test_lists(self):
        plain = self.weights()
        self.assertLess({"hours__a_week", "say__a_b_", "code__of_town"}, plain)
        self.assertNotIn("the_person_s_number", plain)
        self.assertIn("the_person_s_number", self.weights("--keep", quoted(NAMES[2])))
        self.assertNotIn("hours__a_week", self.weights("--ignore", quoted(NAMES[0])))
        self.assertFalse({"hours__a_week", "say__a_b_"} & self.weights("--ignore", quoted(NAMES[0], NAMES[1])))
        self.assertIn("code__of_town.3", self.weights("--categorical", f"{NAMES[3]}"))
        self.write({"bare.csv": text(people(), None)})
        self.assertEqual(self.weights("--columns", quoted(*NAMES), data="bare.csv"), plain)
        self.assertEqual(self.weights(sensitive=f"{quoted(NAMES[4])},{quoted(NAMES[3])}", data="people.csv"),
                         plain - {"code__of_town"})

    def test_bounds_and_conditions(self):
        condition = quoted(f"{NAMES[4]}=f", "all")
        done = self.fair("--bound", quoted(f"{NAMES[4]}=0.5") + ",0.25", "--within", condition, "--json", "out.json",
                         sensitive=quoted(NAMES[3], NAMES[4]))
        self.assertIn(done.returncode, (0, 1), done.stderr)
        rows = json.loads((self.folder / "out.json").read_text())["rows"]
        self.assertEqual({(row["attribute"], row["within"], row["bound"]) for row in rows},
                         {(NAMES[3], f"{NAMES[4]}=f", 0.25), (NAMES[3], "all", 0.25), (NAMES[4], "all", 0.5)})
        self.assert_refused(self.fair("--bound", quoted(f"{NAMES[4]}=0.5"), sensitive=quoted(NAMES[3], NAMES[4])),
                            "--bound has none for the sensitive column 'code; of town'")

    def test_predict(self):
        done = self.fair("--gap", "0.2", "--model", "model.json")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        done = self.run_command("predict", "model.json", "people.csv", "--pass", quoted(NAMES[0], NAMES[4]))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(next(csv.reader(io.StringIO(done.stdout))), [NAMES[0], NAMES[4], "score", "label"])

    def test_what_a_note_says_can_be_copied(self):
        done = self.fair("--gap", "0.2")
        notes = [line for line in done.stdout.splitlines() if line.startswith("note ")]
        keep, = [line.split("(")[1].removesuffix(" keeps it)") for line in notes if "--keep" in line]
        self.assertIn("the_person_s_number", self.weights(*shlex.split(keep)))
        note, = [line for line in notes if "few distinct" in line]
        word = note.split("--categorical ")[1].removesuffix(" if they are codes")
        self.assertEqual(shlex.split(word), ["code; of town"])
        self.assertIn("code__of_town.3", self.weights("--categorical", *shlex.split(word)))

    def test_mistakes(self):
        for option in ("--keep", "--ignore", "--categorical", "--columns", "--within", "--missing-values"):
            self.assert_refused(self.fair("--gap", "0.2", option, '"a,b'), f"{option} '\"a,b': a quote is not closed")
        self.assert_refused(self.fair("--bound", '"sex"=1'), "--bound '\"sex\"=1': text follows a closing quote")


if __name__ == "__main__":
    command.main()
