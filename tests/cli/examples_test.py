"""The examples run by the commands that stand in them, from the folder they are in, and end certified."""
import json
import re
import shutil

import command

ADULT = command.SHARED / "adult" / "adult.data.gz"


def natural_commands(path):
    """The words of the commands in a file's comments, `bridle` itself left out."""
    return [line.split() for line in re.findall(r"^[#\\]   bridle (.*)$", path.read_text(), re.M)]


class Examples(command.CommandTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(command.ROOT / "examples", self.folder / "examples")

    def run_example(self, name):
        """The result of the first command in the file, by which it ends with exit code 0."""
        words = natural_commands(self.folder / "examples" / name)[0]
        self.assertEqual(words[1:], [f"examples/{name}"], "no options are needed")
        done = self.run_command(*words, "--quiet", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def test_every_example_has_a_command_and_a_test(self):
        names = {p.name for p in (command.ROOT / "examples").iterdir() if p.suffix in (".toml", ".lp")}
        self.assertEqual(names, {"adult.toml", "branches.toml", "loans.toml", "quadratic.lp", "quadratic.toml", "slices.toml"})
        for name in names:
            self.assertTrue(natural_commands(command.ROOT / "examples" / name), name)

    def test_quadratic(self):
        result = self.run_example("quadratic.toml")
        self.certify("examples/quadratic.toml", result)
        self.assertAlmostEqual(sum(result["x"].values()), 1, places=9)

    def test_quadratic_by_itself(self):
        result = self.run_example("quadratic.lp")
        self.certify("examples/quadratic.lp", result)
        self.assertAlmostEqual(sum(result["x"].values()), 1, places=6)

    def test_loans(self):
        result = self.run_example("loans.toml")
        self.certify("examples/loans.toml", result)
        self.assertGreaterEqual(result["x"]["income"], 0)
        self.assertLessEqual(result["x"]["debt"], 0)
        self.assertLess(result["max_violation"], 1e-4)

    def test_loans_without_second_order_steps(self):
        result = self.solve("examples/loans.toml", "--no-second-order")
        self.certify("examples/loans.toml", result)

    def test_branches(self):
        result = self.run_example("branches.toml")
        self.assertLess(result["consensus_error"], 1e-3)
        self.certify("examples/branches.toml", result, "--tolerance", "1e-3")

    def test_slices(self):
        result = self.run_example("slices.toml")
        self.assertLessEqual(result["violation"], 1e-8)
        self.assertLess(result["gap"], 0.01)

    def test_adult_says_what_it_needs(self):
        done = self.run_command("solve", "examples/adult.toml")
        self.assert_refused(done, "examples/adult.data.gz: cannot open: No such file",
                            "examples/adult.toml:9 names it, and the comments there may say how to get it")

    def test_adult(self):
        if not ADULT.exists():
            self.skipTest(f"{ADULT} is not there")
        shutil.copy(ADULT, self.folder / "examples")
        self.certify("examples/adult.toml", self.run_example("adult.toml"))


if __name__ == "__main__":
    command.main()
