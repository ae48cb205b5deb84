"""The examples run as they are, from the folder they are in, and end certified."""
import json
import shutil

import command


class Examples(command.CommandTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(command.ROOT / "examples", self.folder / "examples")

    def test_quadratic(self):
        result = self.solve("examples/quadratic.toml")
        self.certify("examples/quadratic.toml", result)
        self.assertAlmostEqual(sum(result["x"].values()), 1, places=9)

    def test_loans(self):
        result = self.solve("examples/loans.toml", "--epochs", "1000")
        self.certify("examples/loans.toml", result)
        self.assertGreaterEqual(result["x"]["income"], 0)
        self.assertLessEqual(result["x"]["debt"], 0)
        self.assertLess(result["max_violation"], 1e-4)

    def test_branches(self):
        done = self.run_command("consensus", "examples/branches.toml", "--epochs", 1000, "--quiet", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertLess(result["consensus_error"], 1e-3)
        self.certify("examples/branches.toml", result, "--tolerance", "1e-3")

    def test_slices(self):
        done = self.run_command("slice", "examples/slices.toml", "--quiet", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertLessEqual(result["violation"], 1e-8)
        self.assertLess(result["gap"], 0.01)

    def test_adult_says_what_it_needs(self):
        done = self.run_command("solve", "examples/adult.toml")
        self.assert_refused(done, "examples/adult.data.gz", "No such file")


if __name__ == "__main__":
    command.main()
