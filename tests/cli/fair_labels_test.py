"""Labels of bridle fair's test data and of what bridle predict reads: those that the training data has not are refused, numbers and words alike."""
import random
import unittest

import command


def rows(labels, count=200, seed=1):
    chance = random.Random(seed)
    out = ["hours,sex,y"]
    for _ in range(count):
        sex, hours = chance.choice("fm"), chance.randint(20, 60)
        out.append(f"{hours},{sex},{labels[hours + chance.randint(0, 20) > 50]}")
    return out


def text(lines):
    return "\n".join(lines) + "\n"


class Labels(command.CommandTest):
    def fair(self, *arguments):
        return self.run_command("fair", "train.csv", "--target", "y", "--sensitive", "sex", "--gap", "0.2", "--starts", "1", "--quiet",
                                *arguments)

    def check(self, labels, other, classes, *positive):
        """One row's label is another one: both commands refuse the file; without it both take it."""
        self.write({"train.csv": text(rows(labels)), "test.csv": text(rows(labels, seed=2)),
                    "other.csv": text([*rows(labels, seed=2), f"30,f,{other}"])})
        done = self.fair("--model", "model.json", "--test", "test.csv", *positive)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = f"bridle: error: other.csv: target 'y' has the value '{other}', which the training data has not ({classes})\n"
        for done in (self.fair("--test", "other.csv", *positive), self.run_command("predict", "model.json", "other.csv")):
            self.assert_refused(done)
            self.assertEqual([done.stdout, done.stderr], ["", said])
        done = self.run_command("predict", "model.json", "test.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("accuracy ", done.stderr)

    def test_words_that_become_one_class_are_told(self):
        lines = rows(("no", "yes"))
        lines[1:11] = [line.replace(",yes", ",Yes") for line in lines[1:11]]
        counts = {name: sum(line.endswith("," + name) for line in lines) for name in ("no", "Yes")}
        self.assertGreater(counts["Yes"], 0)
        said = (f"note        target 'y': counted as not 'yes': {counts['no']} 'no', {counts['Yes']} 'Yes'; 'yes' and 'Yes' differ only in "
                "case or in blanks around them")
        self.write({"train.csv": text(lines), "p.toml": '[objective]\nkind = "linear-model"\ndata = "train.csv"\ntarget = "y"\n'
                                                        'positive = "yes"\nloss = "logistic"\nridge = 0.1\nstandardise = true\n'})
        for command_line in (["fair", "train.csv", "--target", "y", "--positive", "yes", "--sensitive", "sex", "--gap", "0.2", "--starts", "1"],
                             ["solve", "p.toml"]):
            done = self.run_command(*command_line)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertIn(said, done.stdout.splitlines())

    def test_a_third_number(self):
        self.check((1, 2), 3, "2, 1")
        self.check((1, 2), 3, "1, 2", "--positive", "1")

    def test_another_code_for_the_same_classes(self):
        self.check((0, 1), 2, "1, 0")
        self.check((0, 1), -1, "1, 0")
        self.check((0.1, 0.25), 0.2, "0.25, 0.1")

    def test_a_third_word(self):
        self.check(("no", "yes"), "maybe", "yes, no", "--positive", "yes")

    def test_words_in_place_of_numbers_and_numbers_in_place_of_words(self):
        for labels, others, positive, here, there in (((0, 1), ("no", "yes"), [], "text", "numeric"),
                                                      (("no", "yes"), (0, 1), ["--positive", "yes"], "numeric", "text")):
            self.write({"train.csv": text(rows(labels)), "other.csv": text(rows(others))})
            done = self.fair("--model", "model.json", *positive)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assert_refused(self.fair("--test", "other.csv", *positive),
                                f"other.csv: target 'y' is {here} here but was {there} in the training data")
            self.assert_refused(self.run_command("predict", "model.json", "other.csv"), "other.csv: target 'y' ", "the training data")

    def test_files_without_all_labels_are_predicted(self):
        self.write({"train.csv": text(rows((1, 2))), "some.csv": text([*rows((1, 2)), "30,f,"]),
                    "none.csv": text(line.rsplit(",", 1)[0] for line in rows((1, 2)))})
        self.assertEqual(self.fair("--model", "model.json").returncode, 0)
        for name in ("some.csv", "none.csv"):
            done = self.run_command("predict", "model.json", name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("accuracy", done.stderr)


if __name__ == "__main__":
    command.main()
