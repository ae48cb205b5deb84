"""Tests of the readers, the losses and the sets; judge_test.py runs them."""

import gzip
import math
import os
import tempfile
import unittest

import numpy as np

from losses import CLASSIFICATION, REGRESSION, Loss
from problem_files import read_problem
from readers_lp import parse_lp
from readers_mps import parse_mps
from sets import Block, VariableSet, onto_l1_ball, onto_order, onto_shares, onto_simplex
from small_problems import INF, dense, quadratic_problem, sparse
from sparse import has_cholesky_factor, sparse_elimination_succeeds


class Readers(unittest.TestCase):
    def test_lp(self):
        model = parse_lp("""\\ a comment
Maximize
 obj: 2 x + 3 y + 4 + [ 2 x^2 + 4 x * y ] / 2
Subject To
 r1: -1 <= x - 2 y <= 3
 x + y >= x + 1
 r3: 2 x + 3 <= 4 + y
 4 y >= 1 + 1
 - x - z
   <= -2
 3 >= x
Bounds
 -5 <= x <= 5
 y >= -9
 z free
 w = 3
 -inf <= v <= +infinity
General
 x
Binary
 b
End
""")
        problem = model.problem()
        self.assertEqual(problem.names, ["x", "y", "z", "w", "v", "b"])
        self.assertEqual(problem.row_names, ["r1", "c2", "r3", "c4", "c5", "c6"])
        np.testing.assert_array_equal(dense(problem.A)[:, :3], [[1, -2, 0], [0, 1, 0], [2, -1, 0], [0, 4, 0],
                                                                [-1, 0, -1], [1, 0, 0]])
        np.testing.assert_array_equal(problem.lower, [-1, 1, -INF, 2, -INF, -INF])
        np.testing.assert_array_equal(problem.upper, [3, INF, 1, INF, -2, 3])
        np.testing.assert_array_equal(problem.X.lower, [-5, -9, -INF, 3, -INF, 0])
        np.testing.assert_array_equal(problem.X.upper, [5, INF, INF, 3, INF, 1])
        x = [2, -3, 0, 0, 0, 0]
        self.assertEqual(float(problem.objective.value(x)), -(4 - 9 + 4 + (8 - 24) / 2))
        np.testing.assert_array_equal(problem.objective.gradient(x).astype(float)[:2], [-(2 + 4 - 6), -(3 + 4)])

    def test_lp_names_of_unnamed_rows_give_way(self):
        rows = parse_lp("Minimize\n x\nSubject To\n c1: x >= 3\n x >= 1\n c2: x >= 2\nEnd\n").rows
        self.assertEqual([row.name for row in rows], ["c1", "c2_", "c2"])

    def test_brackets_that_are_glued_to_a_name(self):
        problem = parse_lp("min x[1,2] + [ x[1,2]^2 ]/2\nst\n c[1]: x[1,2] + y >= 3\nend").problem()
        self.assertEqual((problem.names, problem.row_names), (["x[1,2]", "y"], ["c[1]"]))
        self.assertEqual(dense(problem.objective.Q).tolist(), [[1, 0], [0, 0]])

    def test_quadratic_rows(self):
        problem = parse_lp("min x\nst\n a: x + y >= 1\n b: [ 2 x^2 - 3 x * y ] + 4 y <= 5\n c: y <= [ x^2 ] / 2\nend").problem()
        self.assertEqual((problem.row_names, problem.all_row_names()), (["a"], ["a", "b", "c"]))
        local = problem.around(np.array([2.0, 3.0]))
        self.assertEqual(list(local.values), [2 * 4 - 3 * 6 + 12, 3 - 2])
        self.assertEqual([list(row.slope(np.array([2.0, 3.0]))) for row in problem.smooth], [[-1, -2], [-2, 1]])
        self.assertEqual(list(local.activity(np.array([2.0, 3.0]))), [5, 2, 1])

    def test_lp_refuses(self):
        for text in ("Minimize\n x\n", "Minimize\n x y\nEnd\n", "Minimize\n x\nSubject To\n 1 <= 2\nEnd\n",
                     "Minimize\n x\nSubject To\n r: 3 >= x <= 2\nEnd\n"):
            with self.assertRaises(ValueError):
                parse_lp(text)

    def test_mps(self):
        problem = parse_mps("""NAME test
OBJSENSE
    MAX
ROWS
 N cost
 N other
 L r1
 G r2
 E r3
 E r4
COLUMNS
    x cost 1 r1 2
    x r2 1 other 5
    M1 'MARKER' 'INTORG'
    y cost -1 r3 1
    M1 'MARKER' 'INTEND'
    z r3 2 r4 1
RHS
    rhs cost 4 r1 10
    rhs r3 3
RANGES
    rng r1 4 r3 -2
    rng r2 -1 r4 5
BOUNDS
 UP b x -3
 BV b y
 MI b z
 UP b z 1e30
ENDATA
""").problem()
        self.assertEqual(problem.row_names, ["r1", "r2", "r3", "r4"])
        np.testing.assert_array_equal(problem.lower, [6, 0, 1, 0])
        np.testing.assert_array_equal(problem.upper, [10, 1, 3, 5])
        np.testing.assert_array_equal(problem.X.lower, [-INF, 0, -INF])
        np.testing.assert_array_equal(problem.X.upper, [-3, 1, INF])
        self.assertEqual(float(problem.objective.value([-3, 0, 0])), 7.0)

    def test_fixed_mps_and_quadratics(self):
        head = "NAME\nROWS\n N  obj\n L  my row\nCOLUMNS\n"
        lines = "    first x   my row          2.0      obj             1.0\n    second    my row          1.0\n"
        tail = "RHS\n    rhs       my row          4.0\nBOUNDS\n UP bnd       first x         3.0\n"
        model = parse_mps(head + lines + tail + "ENDATA\n")
        self.assertEqual(list(model.variables), ["first x", "second"])
        self.assertEqual(model.rows[0].upper, 4.0)
        self.assertEqual(model.upper["first x"], 3.0)
        free = "NAME\nROWS\n N o\nCOLUMNS\n x o 1\n y o 1\n"
        one = parse_mps(free + "QUADOBJ\n x x 2\n x y 3\nENDATA\n").problem()
        both = parse_mps(free + "QMATRIX\n x x 2\n x y 3\n y x 3\nENDATA\n").problem()
        for problem in (one, both):
            np.testing.assert_array_equal(dense(problem.objective.Q), [[2, 3], [3, 0]])

    def test_problem_file(self):
        with tempfile.TemporaryDirectory() as folder:
            with gzip.open(os.path.join(folder, "d.csv.gz"), "wt", newline="") as file:
                file.write("| skipped\r\n x ,9k,s,t\r\n1,a,u,yes\r\n2,?,v,no\r\n\r\n4,\"b-c\",v,no\r\n"
                           "3,b_c,v,yes\r\n8,a,u,no\r\n")
            with open(os.path.join(folder, "p.toml"), "w") as file:
                file.write('[objective]\nkind = "linear-model"\ndata = "d.csv.gz"\ntarget = "t"\npositive = "yes"\n'
                           'loss = "logistic"\nstandardise = true\nridge = 0.5\n'
                           '[variables]\nbounds = { "x" = [0, 1], "*" = [-9, 9], "intercept" = [-inf, inf] }\n'
                           '[constraints]\ncovariance = { s = 0.25 }\n'
                           'lp = """\nSubject To\n x - _9k.a >= -1\nBounds\n _9k.a <= 5\nEnd"""\n')
            problem = read_problem(os.path.join(folder, "p.toml"))
        self.assertEqual(problem.names, ["x", "_9k.a", "_9k.b_c", "_9k.b_c_2", "intercept"])
        self.assertEqual(problem.row_names, ["c1", "cov_s"])
        deviation = math.sqrt(6.5)
        expected = [[-3 / deviation, 1, 0, 0, 1], [0, 0, 1, 0, 1], [-1 / deviation, 0, 0, 1, 1],
                    [4 / deviation, 1, 0, 0, 1]]
        np.testing.assert_allclose(dense(problem.objective.samples), expected, atol=1e-15)
        np.testing.assert_array_equal(problem.objective.labels, [1, -1, 1, -1])
        s = np.array([1, 0, 0, 1]) - 0.5
        np.testing.assert_allclose(dense(problem.A)[1], s @ np.array(expected) / 4, atol=1e-15)
        np.testing.assert_array_equal(problem.X.lower, [0, -9, -9, -9, -INF])
        self.assertAlmostEqual(float(problem.objective.value(np.zeros(5))), math.log(2))
        self.assertEqual(float(problem.objective.ridge[-1]), 0)

    def test_libsvm_and_sets(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "d.svm"), "w") as file:
                file.write("1 1:2 3:4 # c\n-1 2:1\n+1\n")
            with open(os.path.join(folder, "p.toml"), "w") as file:
                file.write('[objective]\nkind = "linear-model"\ndata = ["d.svm", "d.svm"]\nloss = "squared"\n'
                           '[variables]\nordered = ["x2", "x1"]\nsimplex = { variables = ["i*"], total = 2 }\n')
            problem = read_problem(os.path.join(folder, "p.toml"))
        self.assertEqual(problem.names, ["x1", "x2", "x3", "intercept"])
        self.assertEqual(problem.objective.samples.shape, (6, 4))
        np.testing.assert_array_equal(problem.X.project([3, 5, 7, 7]).astype(float), [4, 4, 7, 2])

    def test_losses_have_the_slopes_and_curvatures_they_claim(self):
        outputs = np.linspace(-9, 9, 4001)
        for name in CLASSIFICATION + REGRESSION:
            loss = Loss(name)
            for label in (-1.0, 1.0):
                slopes = (loss.value(outputs + 1e-6, label) - loss.value(outputs - 1e-6, label)) / 2e-6
                np.testing.assert_allclose(loss.slope(outputs, label), slopes, atol=1e-6)
                bends = np.abs(loss.slope(outputs + 1e-5, label) - loss.slope(outputs - 1e-5, label)) / 2e-5
                self.assertLessEqual(bends.max(), loss.largest_curvature() + 3e-3)
                self.assertGreaterEqual(bends.max(), 0.9 * loss.largest_curvature())


class Sets(unittest.TestCase):
    def test_projections(self):
        wide = lambda *values: np.array(values, dtype=np.longdouble)  # noqa: E731
        free = np.full(6, -np.inf)
        np.testing.assert_allclose(onto_simplex(wide(0.5, 2, -1), 1).astype(float), [0, 1, 0])
        np.testing.assert_allclose(onto_simplex(wide(1, 1, -5), 1).astype(float), [0.5, 0.5, 0])
        np.testing.assert_allclose(onto_l1_ball(wide(-3, 2), 2).astype(float), [-1.5, 0.5])
        np.testing.assert_allclose(onto_l1_ball(wide(-1, 0.5), 2).astype(float), [-1, 0.5])
        np.testing.assert_allclose(onto_order(wide(1, 4, 2, 3, 0, 9), free, -free).astype(float), [1, 2.25, 2.25, 2.25, 2.25, 9])

    def test_projections_within_bounds(self):
        # p is nearest in a convex set where no direction to a point v of the set comes nearer: (x - p)'(v - p) <= 0
        generator = np.random.default_rng(7)
        for _ in range(200):
            n = generator.integers(1, 8)
            lower = np.sort(generator.integers(-3, 3, n)).astype(float)
            upper = lower + generator.integers(0, 3, n)
            upper = np.maximum.accumulate(upper)
            x = np.array(generator.normal(size=n) * 4, dtype=np.longdouble)
            p = onto_order(x, lower, upper)
            self.assertTrue(np.all(np.diff(p) >= 0) and np.all((lower <= p) & (p <= upper)))
            for _ in range(20):
                v = np.clip(np.maximum.accumulate(generator.uniform(lower, upper)), lower, upper)
                self.assertLess(np.sum((x - p) * (v - p)), 1e-12)
            lower, upper = np.abs(lower) / 4, np.abs(lower) / 4 + generator.random(n)
            inside = generator.uniform(lower, upper)
            p = onto_shares(x, lower, upper, np.sum(inside))
            self.assertAlmostEqual(float(np.sum(p) - np.sum(inside)), 0, places=14)
            self.assertTrue(np.all((lower <= p) & (p <= upper)))
            self.assertLess(np.sum((x - p) * (inside - p)), 1e-12)

    def test_reach(self):
        X = VariableSet(np.array([-3.0, -INF, 0.2, -1, -INF, 0]), np.array([2.0, 5, 0.6, INF, INF, 9]),
                        [Block("simplex", np.array([2, 3]), 1.0), Block("ordered", np.array([4, 5]))])
        self.assertEqual(X.reach().astype(float).tolist(), [3, INF, 0.6, 1, INF, 9])

    def test_convexity(self):
        yes = [[[2, 1], [1, 0.5]], [[1e-12, 1], [1, 1e12]], [[0, 0], [0, 3]]]
        no = [[[1, 2], [2, 1]], [[0, 1e-30], [1e-30, 3]], [[-1e-30, 0], [0, 3]]]
        for Q, expected in [(Q, True) for Q in yes] + [(Q, False) for Q in no]:
            self.assertEqual(quadratic_problem([0, 0], Q).objective.is_convex(), expected, Q)
        generator = np.random.default_rng(1)
        for shift in (-1e-3, 1e-3):
            B = generator.normal(size=(30, 20)) * (generator.random((30, 20)) < 0.2)
            full = B @ B.T + shift * np.eye(30)
            matrix = sparse(full)
            self.assertEqual(has_cholesky_factor(matrix, 0.0), shift > 0)
            self.assertEqual(sparse_elimination_succeeds(matrix, list(range(30)), 0.0), shift > 0)
