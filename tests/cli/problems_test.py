"""Every way to state a problem: data formats, program files, sets, rows. Every run ends at the judge."""
import gzip
import json
import re

import command
from command import CSV, LIBSVM, LP, MPS, QPS, QUADRATIC, toml

# A quadratic without rows or bounds of its own: minimise sum_k (v_k - k)^2 / 2 over v1, ..., v4.
FREE = """Minimize
  obj: - v1 - 2 v2 - 3 v3 - 4 v4 + [ v1^2 + v2^2 + v3^2 + v4^2 ] / 2
Subject To
  loose: v1 + v2 + v3 + v4 <= 1000
Bounds
  v1 free
  v2 free
  v3 free
  v4 free
End
"""


class ProblemTest(command.CommandTest):
    def solved(self, problem, *arguments, tolerance="1e-4"):
        """The result of a certified run, confirmed by the judge."""
        result = self.solve(problem, "--tolerance", tolerance, *arguments)
        self.assertEqual(result["status"], "stationary")
        judged = self.certify(problem, result, "--tolerance", tolerance)
        self.assertTrue(judged["certified"])
        self.assertAlmostEqual(judged["objective"], result["objective"], places=9)
        return result

    def assert_point(self, result, places=3, **expected):
        for name, value in expected.items():
            self.assertAlmostEqual(result["x"][name], value, places=places, msg=name)


class Data(ProblemTest):
    # The same table in other clothes gives the same bits.
    def test_clothes_of_a_table(self):
        self.write({"data.csv": CSV, "p.toml": toml()})
        plain = self.solved("p.toml", "--epochs", "2000")
        clothes = {
            "gzip": ("data.csv.gz", gzip.compress(CSV.encode())),
            "CRLF": ("crlf.csv", CSV.replace("\n", "\r\n")),
            "byte order mark": ("bom.csv", b"\xef\xbb\xbf" + CSV.encode()),
            "quotes and blanks": ("quoted.csv", CSV.replace("high", '"high"').replace(",", " , ")),
            "no line end at the end": ("cut.csv", CSV.rstrip("\n")),
            "blank lines": ("blank.csv", CSV.replace("\n", "\n\n")),
        }
        for title, (name, content) in clothes.items():
            with self.subTest(title):
                self.write({name: content, "q.toml": toml(data=f'"{name}"')})
                self.assertEqual(self.solved("q.toml", "--epochs", "2000")["x"], plain["x"])
        with self.subTest("semicolons"):
            self.write({"semicolon.csv": CSV.replace(",", ";"), "q.toml": toml(data='"semicolon.csv"', separator='";"')})
            self.assertEqual(self.solved("q.toml", "--epochs", "2000")["x"], plain["x"])
        with self.subTest("no header"):
            body = CSV.split("\n", 1)[1]
            self.write({"body.csv": body, "q.toml": toml(data='"body.csv"', columns='["age", "hours", "income", "sex"]')})
            self.assertEqual(self.solved("q.toml", "--epochs", "2000")["x"], plain["x"])

    def test_names_of_columns(self):
        text = "hours-per-week,native country,2nd,income\n40,Holand-Netherlands,1,>50K\n30,Peru,2,<=50K\n35,Peru,3,>50K\n"
        self.write({"data.csv": text, "p.toml": toml(positive='">50K"')})
        names = list(self.solved("p.toml", "--epochs", "20000")["x"])
        self.assertEqual(names, ["hours_per_week", "native_country.Holand_Netherlands", "native_country.Peru", "_2nd",
                                 "intercept"])

    def test_missing_values_are_dropped_and_counted(self):
        self.write({"data.csv": CSV + "?,3,low,f\n20,,low,f\n", "p.toml": toml()})
        done = self.run_command("solve", "p.toml", "--epochs", "2000")
        self.assertIn("2 rows with missing values dropped", done.stdout)
        self.assertIn("16 samples", done.stdout)

    def test_ignored_and_categorical_columns(self):
        self.write({"data.csv": CSV, "p.toml": toml(ignore='["hours"]', categorical='["age"]', intercept="false")})
        names = list(self.solved("p.toml", "--epochs", "5000")["x"])
        self.assertTrue(all(re.match(r"age\.\d+$|sex\.[fm]$", n) for n in names), names)

    def test_paths_are_relative_to_the_problem_file(self):
        self.write({"inner/data.csv": CSV, "inner/p.toml": toml()})
        self.solved("inner/p.toml", "--epochs", "2000")

    def test_libsvm(self):
        keys = {"without": ["target", "positive", "standardise"], "data": '"data.txt"'}
        self.write({"data.txt": LIBSVM, "p.toml": toml(**keys)})
        plain = self.solved("p.toml", "--epochs", "2000")
        self.assertEqual(list(plain["x"]), ["x1", "x2", "x3", "intercept"])
        self.write({"data.txt": gzip.compress(LIBSVM.encode())})
        self.assertEqual(self.solved("p.toml", "--epochs", "2000")["x"], plain["x"])
        # Of two labels the larger is positive unless told.
        self.write({"data.txt": LIBSVM, "p.toml": toml(positive="-1", without=["target", "standardise"], data='"data.txt"')})
        turned = self.solved("p.toml", "--epochs", "2000")
        for name, value in plain["x"].items():
            self.assertAlmostEqual(turned["x"][name], -value, places=3)

    def test_every_loss(self):
        listed = self.run_command("info").stdout.split("losses\n")[1]
        for line in listed.splitlines():
            name, classification = line.split()[0], "label * output" in line
            with self.subTest(name):
                changes = {} if classification else {"target": '"age"', "without": ["positive"]}
                self.write({"data.csv": CSV, "p.toml": toml(loss=f'"{name}"', **changes)})
                self.solved("p.toml", "--epochs", "5000")

    def test_parameters_of_losses(self):
        for keys in ({"loss": '"logistic-difference"', "shift": "0.5"}, {"loss": '"huber"', "width": "3", "target": '"age"'},
                     {"loss": '"tukey"', "width": "30.0", "target": '"age"'}):
            with self.subTest(keys):
                without = [] if "shift" in keys else ["positive"]
                self.write({"data.csv": CSV, "p.toml": toml(without=without, **keys)})
                self.solved("p.toml", "--epochs", "5000")


class Programs(ProblemTest):
    def test_quadratic_files(self):
        for name, content in {"p.lp": LP, "p.qps": QPS, "P.QPS": QPS, "p.lp.gz": gzip.compress(LP.encode()),
                              "p.mps": QPS, "crlf.lp": LP.replace("\n", "\r\n")}.items():
            with self.subTest(name):
                self.write({name: content})
                result = self.solved(name)
                self.assertAlmostEqual(result["objective"], 0.5, places=3)
                self.assert_point(result, x=0.5, y=1.5)
                self.assertAlmostEqual(result["y"]["budget"], 1, places=3)

    def test_linear_file(self):
        self.write({"p.mps": MPS})
        result = self.solved("p.mps")
        self.assertAlmostEqual(result["objective"], -3, places=2)
        self.assert_point(result, places=2, x=0, y=2)

    def test_maximisation(self):
        text = LP.replace("Minimize", "Maximize").replace("- 2 x - 4 y", "2 x + 4 y").replace("+ [", "- [").replace("+ 5", "- 5")
        self.write({"p.lp": text})
        done = self.run_command("solve", "p.lp")
        self.assertIn("maximisation turned into minimisation", done.stdout)
        result = self.solved("p.lp")
        self.assertAlmostEqual(result["objective"], 0.5, places=3)
        self.assert_point(result, x=0.5, y=1.5)

    def test_quadratic_section(self):
        self.write({"small.qps": QPS, "p.toml": toml(QUADRATIC, constraints='file = "small.qps"')})
        self.assert_point(self.solved("p.toml"), x=0.5, y=1.5)
        self.write({"p.toml": toml(QUADRATIC)})  # the file's bounds hold, its rows do not
        self.assert_point(self.solved("p.toml"), x=1, y=2)

    def test_noise(self):
        self.write({"small.qps": QPS, "p.toml": toml(QUADRATIC, noise="0.5", constraints='file = "small.qps"')})
        result = self.solved("p.toml", "--samples", "200000", tolerance="1e-2")
        self.assert_point(result, places=1, x=0.5, y=1.5)


class Sets(ProblemTest):
    def point(self, variables, constraints=None):
        self.write({"free.lp": FREE, "p.toml": toml({"kind": '"quadratic"', "file": '"free.lp"'}, variables, constraints)})
        return self.solved("p.toml")

    def test_whole_space(self):
        self.assert_point(self.point(""), v1=1, v2=2, v3=3, v4=4)

    def test_patterns_of_bounds(self):
        # An exact name beats a pattern wherever it stands; of two patterns the later one holds.
        bounds = 'bounds = { "v4" = [-inf, 1], "*" = [0, 0.5], "v[23]" = [2.5, inf] }'
        self.assert_point(self.point(bounds), v1=0.5, v2=2.5, v3=3, v4=1)
        bounds = 'bounds = { "v[23]" = [2.5, inf], "*" = [0, 0.5] }'
        self.assert_point(self.point(bounds), v1=0.5, v2=0.5, v3=0.5, v4=0.5)

    def test_simplex(self):
        self.assert_point(self.point('simplex = ["v*"]'), v1=0, v2=0, v3=0, v4=1)
        self.assert_point(self.point('simplex = { variables = ["v1", "v2"], total = 2 }'), v1=0.5, v2=1.5, v3=3, v4=4)

    def test_simplex_beside_the_bounds_it_implies(self):
        result = self.point('simplex = ["v1", "v2"]\nbounds = { "v[12]" = [0, inf], "v3" = [0, 1] }')
        self.assert_point(result, v1=0, v2=1, v3=1, v4=4)

    def test_l1_ball(self):
        self.assert_point(self.point('l1_ball = ["v3", "v4"]'), v1=1, v2=2, v3=0, v4=1)
        self.assert_point(self.point('l1_ball = { variables = ["v3", "v4"], radius = 3 }'), v3=1, v4=2)

    def test_ordered(self):
        # v4 <= v3 <= v2 <= v1: all pooled into their mean
        self.assert_point(self.point('ordered = ["v4", "v3", "v2", "v1"]'), v1=2.5, v2=2.5, v3=2.5, v4=2.5)
        self.assert_point(self.point('ordered = ["v4", "v2"]'), v1=1, v2=3, v3=3, v4=3)

    def test_sets_and_rows(self):
        rows = 'lp = """\nSubject To\n  tie: v1 - v4 = 0\n  band: -1 <= v2 + v3 <= 2\nEnd"""'
        result = self.point('bounds = { "v3" = [0, 1] }', rows)
        self.assert_point(result, v1=2.5, v4=2.5, v2=1, v3=1)
        self.assertEqual(list(result["y"]), ["tie", "band"])


class Rows(ProblemTest):
    MPS = "NAME\nROWS\n N  none\n G  floor\nCOLUMNS\n    age floor 1 \n    hours floor 1\nRHS\n    rhs floor 3\nENDATA\n"

    def test_text_and_file_together(self):
        rows = 'file = "rows.mps"\nlp = """\nSubject To\n  cap: age <= 0.5\n  c: 2 age - hours >= -10\nEnd"""'
        self.write({"data.csv": CSV, "rows.mps": self.MPS, "p.toml": toml(constraints=rows)})
        result = self.solved("p.toml", "--epochs", "5000")
        self.assertEqual(list(result["y"]), ["floor", "cap", "c"])
        x = result["x"]
        self.assertGreater(x["age"] + x["hours"], 3 - 1e-3)
        self.assertLess(x["age"], 0.5 + 1e-3)

    # Bounds that a file only implies (0 <= x) do not hold for the model's weights; bounds it states do.
    def test_bounds_of_files(self):
        self.write({"data.csv": CSV, "p.toml": toml(constraints='file = "rows.mps"'),
                    "rows.mps": self.MPS.replace("ENDATA", "BOUNDS\n UP bnd age -1\nENDATA")})
        result = self.solved("p.toml", "--epochs", "5000")
        self.assertLess(result["x"]["age"], -1 + 1e-3)

    def test_what_is_left_out_of_constraints_is_told(self):
        lp = "lp = \"\"\"\nMinimize\n 5 age\nSubject To\n a: age <= 1\nGeneral\n age\nEnd\"\"\""
        self.write({"data.csv": CSV, "p.toml": toml(constraints=lp)})
        done = self.run_command("solve", "p.toml")
        self.assertIn("integer variables are treated as continuous", done.stdout)
        self.assertIn("its objective is not taken", done.stdout)

    # Whoever states a bound means it: none is replaced, but those of the objective's file by [variables].
    def test_bounds_of_constraints_and_variables(self):
        bounds = "lp = \"\"\"\nSubject To\n a: hours <= 9\nBounds\n -0.2 <= age <= -0.1\nEnd\"\"\""
        self.write({"data.csv": CSV, "p.toml": toml(variables='bounds = { "a*" = [-0.3, 0.5] }', constraints=bounds)})
        age = self.solve("p.toml")["x"]["age"]
        self.assertTrue(-0.2 <= age <= -0.1, age)
        self.write({"p.toml": toml(variables='bounds = { "age" = [0, 0.5] }', constraints=bounds)})
        self.assert_refused(self.run_command("solve", "p.toml"), "p.toml:11: ", "'age'", "[0, 0.5]", "[-0.2, -0.1]")
        self.write({"small.qps": QPS, "p.toml": toml(QUADRATIC, variables='bounds = { "*" = [4, 5] }',
                                                     constraints='file = "small.qps"')})
        self.assertEqual(self.run_command("solve", "p.toml").returncode, 3)  # x + y <= 2 is broken, not a bound

    def test_covariance(self):
        self.write({"data.csv": CSV, "p.toml": toml(constraints="covariance = { sex = 0.01 }")})
        result = self.solved("p.toml", "--epochs", "5000")
        self.assertEqual(list(result["y"]), ["cov_sex"])
        self.assertNotIn("sex.f", result["x"])
        self.assertLess(result["max_violation"], 1e-4)

    def test_covariance_with_several_groups_and_with_numbers(self):
        text = CSV.replace("sex\n", "origin\n").replace(",f\n", ",south\n").replace(",m\n", ",north\n").replace("south", "east", 3)
        self.write({"data.csv": text, "p.toml": toml(constraints="covariance = { origin = 0.01, age = 0.02 }")})
        result = self.solved("p.toml", "--epochs", "5000")
        self.assertEqual(list(result["y"]), ["cov_age", "cov_origin.north", "cov_origin.east", "cov_origin.south"])


class SmoothRows(ProblemTest):
    """Rows that bend, stated in files."""

    # minimise sum_k (v_k - k)^2 / 2 with v1^2 + v2^2 + v3^2 + v4^2 <= 30/4: half of the way to (1, 2, 3, 4).
    def test_ball(self):
        self.write({"free.lp": FREE, "p.toml": toml({"kind": '"quadratic"', "file": '"free.lp"'}, constraints="")
                    + '[[constraints.ball]]\nname = "near"\nradius = 2.7386127875258306\n'})
        result = self.solved("p.toml")
        self.assert_point(result, v1=0.5, v2=1, v3=1.5, v4=2)
        self.assertAlmostEqual(result["y"]["near"], 0.5, places=3)  # v - k + 2 y v = 0

    # The same around (1, 2, 3, 0) over v4 and v1 alone, with an equality that bends: v2 = v3^2.
    def test_ball_over_some_and_a_curve(self):
        self.write({"free.lp": FREE, "p.toml": toml(
            {"kind": '"quadratic"', "file": '"free.lp"'},
            constraints='lp = """\nSubject To\n curve: v2 - [ v3^2 ] = 0\n sum: v1 + v4 >= 0\nEnd"""')
            + '[[constraints.ball]]\nvariables = ["v4", "v1"]\ncentre = [0, 1]\nradius = 3\n'})
        result = self.solved("p.toml")
        self.assert_point(result, v1=1, v4=3)
        self.assertAlmostEqual(result["x"]["v2"], result["x"]["v3"] ** 2, places=4)
        self.assertEqual(list(result["y"]), ["sum", "curve", "ball1"])

    def test_quadratic_rows_of_an_lp_file(self):
        self.write({"p.lp": "Minimize\n x + y\nSubject To\n disc: [ x^2 + y^2 ] <= 2\n line: x - y <= 5\n"
                            "Bounds\n x free\n y free\nEnd\n"})
        result = self.solved("p.lp")
        self.assert_point(result, x=-1, y=-1)

    def test_smooth_rows_over_data(self):
        self.write({"data.csv": CSV, "p.toml": toml(constraints="") + "[[constraints.ball]]\nradius = 0.05\n"})
        result = self.solved("p.toml")
        self.assertAlmostEqual(sum(value ** 2 for value in result["x"].values()), 0.0025, places=6)

    def test_rates(self):
        self.write({"data.csv": CSV, "free.toml": toml(ignore='["sex"]', ridge="0.01"),
                    "p.toml": toml(constraints="", ridge="0.01")
                    + '[[constraints.rate]]\ngroups = "sex"\ngap = 0.02\n'
                    + '[[constraints.rate]]\ngroups = "sex"\ngap = 0.1\ncondition = "positive"\nslope = 2\nname = "hits"\n'})
        free, result = self.solved("free.toml"), self.solved("p.toml")
        self.assertEqual(list(result["y"]), ["rate_sex", "hits"])
        self.assertGreater(result["objective"], free["objective"])  # the bound costs something

    def test_what_cannot_be_met_is_not_certified(self):
        self.write({"p.lp": "Minimize\n x + y\nSubject To\n disc: [ x^2 + y^2 ] <= -1\nEnd\n"})
        result = self.solve("p.lp", codes=(1,))
        self.assertNotIn(result["status"], ("stationary", "infeasible"))  # no proof is known for rows that bend


class Algorithms(ProblemTest):
    def test_every_algorithm_runs_and_is_judged(self):
        listed = self.run_command("info").stdout.split("algorithms\n")[1].split("losses\n")[0]
        names = [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line.split()]
        self.assertIn("smoothed", names)
        self.write({"small.qps": QPS, "p.toml": toml(QUADRATIC, noise="0.2", constraints='file = "small.qps"')})
        for name in names:
            with self.subTest(name):
                result = self.solve("p.toml", "--algorithm", name, "--samples", "20000", codes=(0, 1))
                self.assertEqual(result["algorithm"], name)
                judged = self.certify("p.toml", result, "--tolerance", "1e9")
                self.assertAlmostEqual(judged["objective"], result["objective"], places=9)

    def test_ways_to_choose_parameters(self):
        self.write({"p.lp": LP, "q.toml": 'tau = 0.1\neta = 0.5\nbeta = 0.1\nmu = 1\nrho = 2\ndecay = "constant"\n'})
        given = self.solved("p.lp", "--params", "q.toml")
        self.assertEqual(given["parameters"]["source"], "given")
        self.assertEqual(given["parameters"]["tau"], 0.1)

    def test_theory_is_the_paper_to_the_letter(self):
        self.write({"p.lp": LP})
        refused = self.run_command("solve", "p.lp", "--params", "theory", "--samples", "1000")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("sbar", refused.stderr)
        self.assertIn("--constants sbar=S", refused.stderr)
        self.assertEqual(refused.stderr.count("\n"), 1)
        self.assert_refused(self.run_command("solve", "p.lp", "--params", "theory", "--seconds", "1"), "--samples or --epochs")
        result = self.solve("p.lp", "--params", "theory", "--constants", "sbar=3,rho=2", "--samples", "1000", codes=(0, 1))
        self.assertEqual(result["parameters"]["source"], "theory")
        self.assertLess(result["parameters"]["tau"], 0.01)
        self.assertEqual(result["parameters"]["values"]["sbar"], 3)
        self.assertEqual(result["parameters"]["rho"], 2)
        self.assertEqual(result["parameters"]["reasons"]["sbar"], "given")
        self.assertTrue(result["parameters"]["reasons"]["L_f"].startswith("computed"))
        self.assertEqual(result["found_by"], "smoothed output")
        output = result["theory_output"]
        self.assertEqual(output["iterations"], 1000)
        self.assertTrue(1 <= output["time"] <= 1000)
        self.assertEqual(output["z"], result["x"])
        self.assertEqual(output["post_processing"]["batch"], 32)
        for phase in ("second order", "polish"):
            spent = result["phases"][phase]
            self.assertEqual(spent["full_gradients"] + spent["projections"] + spent["hessians"], 0)
        storm = self.solve("p.lp", "--params", "theory", "--constants", "sbar=3", "--algorithm", "storm", "--samples", "1000",
                           codes=(0, 1))
        self.assertEqual(storm["found_by"], "loop x")
        self.assertEqual(storm["theory_output"]["x"], storm["x"])
        drawn = self.solve("p.lp", "--params", "theory", "--constants", "sbar=3", "--algorithm", "safeguarded", "--dual-bound", "50",
                           "--samples", "1000", codes=(0, 1))
        self.assertEqual(drawn["parameters"]["values"]["M_y"], 50)
        self.assertEqual(drawn["parameters"]["reasons"]["M_y"], "given")

    def test_literal_draws_and_dual_bound(self):
        self.write({"p.lp": LP})
        for more in (["--literal-draws"], ["--dual-bound", "100"], ["--literal-draws", "--dual-bound", "100"]):
            with self.subTest(more):
                result = self.solve("p.lp", "--algorithm", "safeguarded", "--no-finish", "--samples", "20000", *more, codes=(0, 1))
                self.assertEqual(result["parameters"]["reasons"]["M_y"] == "given", "--dual-bound" in more)
        plain = self.solve("p.lp", "--algorithm", "safeguarded", "--no-finish", "--samples", "20000", codes=(0, 1))
        drawn = self.solve("p.lp", "--algorithm", "safeguarded", "--no-finish", "--samples", "20000", "--literal-draws", codes=(0, 1))
        self.assertNotEqual(plain["x"], drawn["x"])
        tight = self.solve("p.lp", "--algorithm", "safeguarded", "--no-finish", "--samples", "20000", "--dual-bound", "1e-3",
                           codes=(0, 1))
        self.assertGreater(tight["dual_resets"], 0)

    def test_outputs_and_sampling(self):
        self.write({"data.csv": CSV, "p.toml": toml(constraints="covariance = { sex = 0.05 }")})
        for arguments in (["--output", "last"], ["--output", "random"], ["--no-finish"], ["--sampling", "independent"],
                          ["--batch", "4"], ["--absolute"]):
            with self.subTest(arguments):
                result = self.solve("p.toml", "--epochs", "300", *arguments, codes=(0, 1))
                absolute = ["--absolute"] if "--absolute" in arguments else []
                judged = self.certify("p.toml", result, *absolute, code=0 if result["status"] == "stationary" else 1)
                self.assertEqual(judged["certified"], result["status"] == "stationary")


if __name__ == "__main__":
    command.main()
