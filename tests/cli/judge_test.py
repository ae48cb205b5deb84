"""bridle certify accepts what it should and refuses what it must."""
import copy
import json

import command
from command import CSV, LP, QPS, QUADRATIC, toml

SOLUTION = {"x": {"x": 0.5, "y": 1.5}, "y": {"budget": 1.0}}  # of LP, exactly


class Judge(command.CommandTest):
    def setUp(self):
        super().setUp()
        self.write({"p.lp": LP})

    def test_accepts_the_solution(self):
        judged = self.certify("p.lp", SOLUTION, "--tolerance", "1e-12")
        self.assertTrue(judged["certified"])
        for key in ("objective", "error", "feasibility", "max_violation", "set_distance", "stationarity", "complementarity",
                    "relative", "multipliers_improved", "exact_gradient"):
            self.assertIn(key, judged)
        self.assertAlmostEqual(judged["objective"], 0.5, places=12)
        self.assertTrue(self.certify("p.lp", {"x": [0.5, 1.5], "y": [1]}, "--tolerance", "1e-12")["certified"])

    def test_says_so_on_the_screen(self):
        self.write({"s.json": json.dumps(SOLUTION), "t.json": '{"x": [0, 0]}'})
        done = self.run_command("certify", "p.lp", "s.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("stationary: error", done.stdout)
        done = self.run_command("certify", "p.lp", "t.json")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("refused: error", done.stdout)

    def test_refuses_perturbed_points(self):
        for name in ("x", "y"):
            for step in (-1e-2, 1e-2):
                with self.subTest(name=name, step=step):
                    moved = copy.deepcopy(SOLUTION)
                    moved["x"][name] += step
                    self.assertFalse(self.certify("p.lp", moved, code=1)["certified"])
        for y in (-1, 0, 0.9, 1.1):
            with self.subTest(y=y):
                self.certify("p.lp", {**SOLUTION, "y": {"budget": y}}, code=1)

    def test_names_what_is_wrong(self):
        judged = self.certify("p.lp", {"x": [2, 2], "y": [0]}, code=1)
        self.assertAlmostEqual(judged["max_violation"], 2)
        self.assertEqual(judged["worst_row"], "budget")
        judged = self.certify("p.lp", {"x": [-1, 1], "y": [0]}, code=1)
        self.assertAlmostEqual(judged["set_distance"], 1)

    # A multiplier on a row that is not touched must be seen: -10 <= x, x = 0, y = 1 cancels the gradient of (x-1)^2/2.
    def test_refuses_multipliers_of_inactive_rows(self):
        self.write({"q.lp": "Minimize\n obj: - x + [ x^2 ] / 2\nSubject To\n r: x + 0.1 z >= -10\nBounds\n x free\n z = 0\nEnd\n"})
        for y in (1, -1):
            with self.subTest(y=y):
                self.assertFalse(self.certify("q.lp", {"x": [0, 0], "y": [y]}, code=1)["certified"])
        self.certify("q.lp", {"x": [1, 0], "y": [0]})

    def test_can_find_the_multipliers(self):
        point = {"x": SOLUTION["x"]}
        for y in ({}, {"y": {"budget": 0}}):
            judged = self.certify("p.lp", {**point, **y}, "--improve")
            self.assertTrue(judged["multipliers_improved"])
        self.certify("p.lp", {**point, "y": {"budget": 0}}, code=1)
        self.certify("p.lp", {"x": [1, 1]}, "--improve", code=1)

    # Without y they are fitted, and that is said.
    def test_fits_multipliers_that_are_not_there(self):
        self.assertTrue(self.certify("p.lp", {"x": SOLUTION["x"]}, "--tolerance", "1e-12")["multipliers_improved"])
        self.write({"s.json": json.dumps({"x": SOLUTION["x"]})})
        done = self.run_command("certify", "p.lp", "s.json")
        self.assertIn("the solution has no y: multipliers are fitted", done.stdout)
        self.certify("p.lp", {"x": [1, 1]}, code=1)

    # The tolerance speaks of relative figures unless told.
    def test_relative_and_absolute(self):
        large = LP.replace("- 2 x - 4 y", "- 2000000 x - 4000000 y").replace("2 x^2 + 2 y^2", "2000000 x^2 + 2000000 y^2")
        self.write({"p.lp": large.replace("+ 5", "")})
        near = {"x": [0.5, 1.5], "y": [1000000 + 1]}
        self.certify("p.lp", near)
        self.certify("p.lp", near, "--absolute", code=1)

    def test_agrees_with_the_solver(self):
        self.write({"data.csv": CSV, "small.qps": QPS,
                    "model.toml": toml(constraints="covariance = { sex = 0.01 }", variables='bounds = { "*" = [-1, 1] }'),
                    "noisy.toml": toml(QUADRATIC, noise="0.5", constraints='file = "small.qps"')})
        for problem, budget in (("model.toml", ["--epochs", "3000"]), ("noisy.toml", ["--samples", "100000"]), ("p.lp", [])):
            for tolerance in ("1e-2", "1e-4"):
                with self.subTest(problem=problem, tolerance=tolerance):
                    result = self.solve(problem, "--tolerance", tolerance, *budget, codes=(0, 1))
                    code = 0 if result["status"] == "stationary" else 1
                    judged = self.certify(problem, result, "--tolerance", tolerance, code=code)
                    for key in ("objective", "feasibility", "stationarity", "complementarity", "error"):
                        self.assertAlmostEqual(judged[key], result[key], delta=1e-9 * (1 + abs(result[key])))
                    if code == 0:
                        name = next(iter(result["x"]))
                        result["x"][name] += 0.1
                        self.certify(problem, result, "--tolerance", tolerance, code=1)


if __name__ == "__main__":
    command.main()
