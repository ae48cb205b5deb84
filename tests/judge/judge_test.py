#!/usr/bin/python3
"""Tests of the second judge: readers, every figure by hand, units, proofs. Run: /usr/bin/python3 judge_test.py"""

import math
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np  # noqa: E402

from figures import Rows, Scales  # noqa: E402
from judge import agrees_with, judge  # noqa: E402
from proofs_test import Proofs  # noqa: E402, F401
from readers_test import Readers, Sets  # noqa: E402, F401
from sets import Block  # noqa: E402
from small_problems import INF, quadratic_problem, relative  # noqa: E402
from sparse import Matrix  # noqa: E402


class Figures(unittest.TestCase):
    def test_feasibility(self):
        # the bound that is broken is the scale: v = 2 of 5
        problem = quadratic_problem([0, 0], A=[[1, 2]], lower=[5], upper=[INF])
        figures = judge(problem, {"x": [1, 1]})
        self.assertAlmostEqual(figures["feasibility"], 2)
        self.assertAlmostEqual(figures["relative"]["feasibility"], 0.4)
        self.assertFalse(figures["certified"])
        self.assertAlmostEqual(figures["error"], 0.4)
        # unless 1e-8 of the terms is more: 2e10 in all
        problem = quadratic_problem([0, 0], A=[[1, 1]], lower=[5], upper=[INF])
        self.assertAlmostEqual(relative(problem, [1e13, -1e13])["feasibility"], 5 / 200)
        # a bound of 0: the terms; x0 - x1 >= 0 at (1, 3)
        problem = quadratic_problem([0, 0], A=[[1, -1]], lower=[0], upper=[INF])
        self.assertAlmostEqual(relative(problem, [1, 3])["feasibility"], 2 / 4)

    def test_feasibility_where_the_terms_vanish(self):
        # x0 + 2 x1 = 0 adds up 1e-14, which says nothing about sizes (R_0 <= 1e-6 * 2 * X'_1): so X_0 = 1e-14, and
        # X_1 = 2 from the second row, where R = 2; s = 1e-4 * max(1e-14, 2 * 2)
        problem = quadratic_problem([0, 0, 0], A=[[1, 2, 0], [0, 1, 1]], lower=[0, -INF], upper=[0, 5])
        figures = relative(problem, [1e-14, 0, 2])
        self.assertAlmostEqual(figures["feasibility"] / (1e-14 / 4e-4), 1, places=9)
        # a row that is heard is the tightest: R_0 = 0.1 for X_0; X_1 = min(0.1 / 2, 2)
        scales = Scales(problem, [0.1, 0, 2])
        np.testing.assert_allclose(scales.X.astype(float), [0.1, 0.05, 2])

    def test_rows_that_cancel_beyond_extended_precision(self):
        # x0 / 65536 + 64 x1 + 8 x2 <= -7 is broken by 2^-33; where 2^46 is added up extended precision has units of 2^-17
        problem = quadratic_problem([1, 1, 1], A=[[2.0**-16, 64, 8]], lower=[-INF], upper=[-7])
        figures = judge(problem, {"x": [2.0**62 + 2.0**20, -7 / 64 + 2.0**-39, -(2.0**43 + 2.0)]})
        self.assertEqual(figures["feasibility"], 2.0**-33)

    def test_no_variable_is_larger_than_its_set_lets_it_be(self):
        # x0 in a simplex of total 1 shares a row with x2, 1e13 and more: X_0 = 5e13 by the row, 1 by the set
        problem = quadratic_problem([1, 0, 0], A=[[1, 0, 1]], lower=[-INF], upper=[5e13], x_lower=[-INF, -INF, 1e13],
                                    x_upper=[INF, INF, 1e14], blocks=[Block("simplex", np.array([0, 1]), 1.0)])
        self.assertEqual(Scales(problem, [0.5, 0.5, 1e13]).X.astype(float).tolist(), [1, 1, 1e13 + 0.5])
        self.assertGreater(relative(problem, [0.5, 0.5, 1e13])["stationarity"], 0.4)

    def test_a_variable_without_a_cost_is_worth_what_its_cheapest_row_pays(self):
        # x2 has no cost: Y = 1 and 1e8, so D_2 = 1; d_2 = 1 is not nothing
        problem = quadratic_problem([1, 1e8, 0], A=[[1, 0, 1], [0, 1, 1]], lower=[0, 0], upper=[INF, INF])
        self.assertEqual(Scales(problem, [1, 1, 1]).D.astype(float).tolist(), [1, 1e8, 1])

    def test_a_constant_changes_nothing(self):
        problem = quadratic_problem([1, 1], Q=[[1, 0], [0, 1]])
        stake = Scales(problem, [1, 2]).stake
        problem.objective.constant = 1e30
        self.assertEqual(Scales(problem, [1, 2]).stake, stake)

    def test_a_block_off_its_set_is_not_stationary(self):
        problem = quadratic_problem([0, 0, 1], A=[[1, 1, 1]], lower=[-INF], upper=[3],
                                    blocks=[Block("simplex", np.array([0, 1]), 1.0)])
        self.assertGreater(relative(problem, [0.9, 0.9, 0])["stationarity"], 0.3)

    def test_set_distance(self):
        problem = quadratic_problem([0, 0, 0], x_lower=[1, -INF, -INF], x_upper=[2, INF, INF],
                                    blocks=[Block("simplex", np.array([1, 2]), 1.0)])
        figures = judge(problem, {"x": [2.5, 1, 1]})
        self.assertAlmostEqual(figures["set_distance"], 0.5)
        self.assertAlmostEqual(figures["relative"]["set_distance"], 0.5)      # the block: 0.5 / 1
        figures = judge(problem, {"x": [2.5, 0.5, 0.5]})
        self.assertAlmostEqual(figures["relative"]["set_distance"], 0.25)     # 0.5 / 2
        # a bound of 0: |x| itself, or 1e-4 of the size that a row gives
        problem = quadratic_problem([0, 0], A=[[1, 1]], lower=[-INF], upper=[9], x_lower=[0, 0])
        self.assertAlmostEqual(relative(problem, [-1e-9, 1])["set_distance"] / 1e-5, 1, places=6)
        self.assertAlmostEqual(relative(problem, [-1, 0])["set_distance"], 1)

    def test_stationarity_without_bounds(self):
        # f = (x - 1)^2 / 2 at 1.1: g = 0.1, g(0) = -1, G = 1, E = 1.1 * 1.1, D = max(1, 1.1), F = max(0.495, E)
        problem = quadratic_problem([-1], [[1]])
        figures = judge(problem, {"x": [1.1]})
        self.assertAlmostEqual(figures["relative"]["stationarity"], 0.1 / 1.1)
        self.assertAlmostEqual(figures["stationarity"], 0.1)
        self.assertAlmostEqual(figures["relative"]["gap"], 0.1 * 1.1 / 1.21)
        # a line has no minimum, wherever one stands
        for x in (0.0, 1e-300, 1.0, 1e300):
            self.assertEqual(relative(quadratic_problem([2]), [x])["stationarity"], 1.0)

    def test_stationarity_at_bounds(self):
        problem = quadratic_problem([1], x_lower=[2], x_upper=[INF])
        self.assertEqual(relative(problem, [2])["stationarity"], 0)
        # gap 0.1: 0.05 of sigma = 2, but |f(x) - f(2)| = 0.1 is at stake, and d gap / F = 1
        self.assertAlmostEqual(relative(problem, [2.1])["stationarity"], 1)
        # with more at stake the gap is charged: f = x0 + 10 x1 at (2.1, 1), o = (2, 0), F = 10.1
        problem = quadratic_problem([1, 10], A=[[0, 1]], lower=[1], upper=[INF], x_lower=[2, 0])
        figures = relative(problem, [2.1, 1], [-10])
        self.assertAlmostEqual(figures["stationarity"], 0.05)
        self.assertAlmostEqual(figures["gap"], 0.1 / 10.1)
        figures = relative(problem, [2.001, 1], [-9.9])     # d_1 = 0.1, and gap_1 = 1: the push is charged
        self.assertAlmostEqual(figures["stationarity"], 0.1 / 10)
        self.assertAlmostEqual(figures["gap"], 0.001 / 10.001)     # the row leaves x_1 no way down
        figures = judge(problem, {"x": [2.001, 1], "y": [-9.9]}, absolute=True)
        self.assertAlmostEqual(figures["stationarity"], 0.1)
        self.assertEqual(relative(quadratic_problem([1], x_lower=[-INF], x_upper=[2]), [2])["stationarity"], 1)

    def test_stationarity_of_blocks(self):
        problem = quadratic_problem([1, 2], blocks=[Block("simplex", np.array([0, 1]), 1.0)])
        self.assertEqual(relative(problem, [1, 0])["stationarity"], 0)
        # X_B = 1, D_B = 2, p = P((0, 1) - (1/2, 1)) = P(-1/2, 0) = (1/4, 3/4), q = 2 (x - p) = (-1/2, 1/2),
        # n = q - d = (-3/2, -3/2), o = (1/2, 1/2), F = 2 - 3/2: sum |n (p - x)| = 3/4 is more than that
        figures = relative(problem, [0, 1])
        self.assertAlmostEqual(figures["stationarity"], 1.5)
        self.assertAlmostEqual(figures["gap"], (0.75 + 0.5) / 0.5)

    def test_blocks_without_a_size(self):
        # the ball is open at 0, the order is the cone of sequences that do not fall
        for kind, c, expected in (("l1_ball", [1, 1], 1), ("l1_ball", [-3, 1], 1), ("ordered", [1, 1], 1),
                                  ("ordered", [1, -1], 1), ("ordered", [-1, 1], 0), ("ordered", [-1, 0.5], 0.25)):
            problem = quadratic_problem(c, blocks=[Block(kind, np.array([0, 1]), 1.0)])
            self.assertAlmostEqual(relative(problem, [0, 0])["stationarity"], expected, msg=(kind, c))
        problem = quadratic_problem([1, 2], blocks=[Block("simplex", np.array([0, 1]), 1.0)])
        self.assertEqual(relative(problem, [0, 0])["set_distance"], 1)

    def test_prices(self):
        # costs 6 and 2 in the first row make its Y 3 = min(6 / 2, 2 / 0.5); x2 costs |a| Y = 12 there; the second row
        # has no cost but x2's price: Y = 12 / 3, and x3 costs 4 * 5; the last variable is in no row
        problem = quadratic_problem([6, 2, 0, 0, 0], A=[[2, 0.5, -4, 0, 0], [0, 0, 3, 5, 0]], lower=[1, 0],
                                    upper=[1, 0])
        scales = Scales(problem, [0.5, 0, 0, 0, 0])
        np.testing.assert_allclose(scales.Y.astype(float), [3, 4])
        np.testing.assert_allclose(scales.D.astype(float), [6, 2, 12, 20, 0])
        # curvature makes a D but no price: f = (x0 - 1)^2 / 2 + x1^2 / 2 at (2, 0); E = 4, D_1 = sqrt(4 * 1)
        problem = quadratic_problem([-1, 0, 0], np.diag([1.0, 1, 0]), A=[[10, 1, 0], [0, 1, 1]], lower=[0, 0],
                                    upper=[INF, INF])
        scales = Scales(problem, [2, 0, 0])
        np.testing.assert_allclose(scales.Y.astype(float), [0.1, 0.1])
        np.testing.assert_allclose(scales.D.astype(float), [2, 2, 0.1])

    def test_stake(self):
        # f = x0 at x0 = 3 with x0 >= 2 as a row: |f(x) - f(0)| = 3, y = -1 is natural, -5 is not
        problem = quadratic_problem([1], A=[[1], [1]], lower=[2, 40], upper=[INF, INF])
        scales = Scales(problem, [3])
        for y, F in (([-0.5, 0], 3), ([0, -0.5], 20), ([0, -5], 40), ([-5, -5], 42)):
            rows = Rows(scales, y)
            self.assertAlmostEqual(float(scales.at_stake(rows.y, rows.bound)), F)
        # costs that cancel: 1e-8 of sum G |x|
        problem = quadratic_problem([1e4, -1e4])
        self.assertAlmostEqual(float(Scales(problem, [1, 1]).stake), 2e-4)
        # a multiplier whose bound is infinite can only be dropped
        self.assertEqual(Rows(Scales(quadratic_problem([1], A=[[1]], lower=[-INF], upper=[2]), [2]), [-1]).y, [0])

    def test_multipliers_that_cancel_excuse_nothing(self):
        problem = quadratic_problem([10], A=[[1], [1]], lower=[1, 1], upper=[1, 1])
        figures = relative(problem, [1], [1e8, -1e8 + 0.25])
        self.assertAlmostEqual(figures["stationarity"], 1)      # dropped: 10 of 10

    def test_complementarity(self):
        # the page's example: y is kept (gap 10, complementarity 1) or dropped (stationarity 1)
        problem = quadratic_problem([-1], [[1]], A=[[1]], lower=[-10], upper=[INF])
        self.assertFalse(judge(problem, {"x": [0], "y": [1]})["certified"])
        self.assertFalse(judge(problem, {"x": [0], "y": [-1]})["certified"])
        # a small multiplier far from its bound is dropped at no cost, and what was kept is told
        figures = judge(problem, {"x": [1], "y": [-1e-9]})
        self.assertTrue(figures["certified"])
        self.assertEqual((figures["relative"]["complementarity"], figures["y"]), (0, [0]))
        # near its bound it is kept: gap 1e-6 of 1
        problem = quadratic_problem([1], A=[[1]], lower=[1], upper=[INF])
        figures = judge(problem, {"x": [1 + 1e-6], "y": [-1]})
        self.assertAlmostEqual(figures["relative"]["complementarity"] * 1e6, 1, places=5)
        self.assertAlmostEqual(figures["relative"]["gap"] * 1e6, 1, places=5)
        self.assertEqual(figures["y"], [-1])
        self.assertTrue(figures["certified"])
        # what a gap is worth: 1e-3 of sigma, but half of what the objective has
        problem = quadratic_problem([1, -1000], A=[[1, 0], [0, 1]], lower=[1000, -INF], upper=[INF, 0.999])
        figures = relative(problem, [1001, 0.999], [-1, 1000])  # f(x) - f(0) = 2; F = 1000 + 999
        self.assertAlmostEqual(figures["complementarity"], 1e-3)
        problem = quadratic_problem([1], A=[[1]], lower=[1000], upper=[INF], x_lower=[999])
        figures = relative(problem, [1001], [-1e-3])            # F = max(2, 1e-3 * 1000), y is kept: d = 0.999
        self.assertAlmostEqual(figures["complementarity"], 1e-3)
        figures = relative(problem, [1001], [-1])               # F = 1000
        self.assertAlmostEqual(figures["complementarity"], 1e-3)

    def test_an_equality_has_no_gap_but_a_worth(self):
        # min x1 + x2, x1 + x2 = 1, broken by 0.1: |y| 0.1 of F = 1.1 and nothing else
        problem = quadratic_problem([1, 1], A=[[1, 1]], lower=[1], upper=[1])
        figures = judge(problem, {"x": [0.6, 0.5], "y": [-1]})
        self.assertAlmostEqual(figures["gap"], 0.1)
        self.assertEqual(figures["complementarity"], 0)
        self.assertAlmostEqual(figures["relative"]["gap"], 0.1 / 1.1)
        self.assertAlmostEqual(figures["relative"]["complementarity"], 0.1 / 1.1)
        self.assertIsNone(relative(quadratic_problem([1, 0], [[0, 1], [1, 0]]), [0, 0])["gap"])

    def test_absolute_and_not_finite(self):
        problem = quadratic_problem([-1000], [[1000]])
        self.assertTrue(judge(problem, {"x": [1 + 1e-6]})["certified"])
        self.assertFalse(judge(problem, {"x": [1 + 1e-6]}, absolute=True)["certified"])
        self.assertEqual(judge(problem, {"x": [None]})["error"], INF)
        self.assertEqual(judge(problem, {"x": [1e200]})["error"], INF)


class Agreement(unittest.TestCase):
    # Problem 1647 of the soak: sums of 4e9, of which two judges round the last digit apart.
    FAR = """Minimize
 f: -0.0044868660188713619 x0 +18.520599685023711 x1 +16817.558267508404 x2
 + [ +9.7656249999999996e-10 x0^2 +6.2499999999999997e-08 x1^2 +262144 x2^2 ] / 2
Subject To
 r0l: +0.000244140625 x0 -0.001953125 x1 >= 1
 r1u: +0.000244140625 x0 -0.0019531054687500001 x1 <= 0
 r2l: +4 x2 >= -0.77440769438789814
Bounds
 -inf <= x0
 -inf <= x1
 -inf <= x2
End
"""
    POINT = {"x": [-1183021127.353458, -147879119.71037936, -0.06415389353755342], "y": [0, 4750.462712627128, 0]}

    def test_an_absolute_gap_is_no_finer_than_its_sums(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "far.lp")
            with open(path, "w", encoding="ascii") as file:
                file.write(self.FAR)
            figures = judge(path, self.POINT, 1e-4, absolute=True)
            self.assertGreater(figures["added_up"], 4e9)
            for error, complaints in ((4.86e-7, 0), (1e-6, 0), (1e-3, 1)):
                self.assertEqual(len(agrees_with({**self.POINT, "error": error}, figures, 1e-4)), complaints)
            figures = judge(path, self.POINT, 1e-4)
            self.assertEqual(len(agrees_with({**self.POINT, "error": 1e-6}, figures, 1e-4)), 1)


class Holes(unittest.TestCase):
    """Points that earlier definitions got wrong."""

    def refused(self, problem, x, y=None):
        figures = judge(problem, {"x": list(x), "y": y})
        self.assertFalse(figures["certified"], figures)
        return figures

    def certified(self, problem, x, y=None):
        figures = judge(problem, {"x": list(x), "y": y})
        self.assertTrue(figures["certified"], figures)
        return figures

    def test_a_row_that_hardly_knows_the_variable(self):
        problem = quadratic_problem([-1, 0], A=[[1, 0], [1e-9, 1]], lower=[-INF, -INF], upper=[1, 5])
        self.assertAlmostEqual(self.refused(problem, [1.5, 1], [1, 0])["error"], 0.5)
        problem = quadratic_problem([-1, 0], A=[[1e-9, 1]], lower=[-INF], upper=[5], x_lower=[0, 0],
                                    x_upper=[1, INF])
        self.assertAlmostEqual(self.refused(problem, [1.5, 1], [0])["relative"]["set_distance"], 0.5)
        problem = quadratic_problem([-1, 0], np.diag([0, -2e-6]), x_lower=[0, -1], x_upper=[1, 1])
        for z in (0, 1):
            self.assertAlmostEqual(self.refused(problem, [0, z])["relative"]["stationarity"], 1)

    def test_next_to_no_curvature(self):
        problem = quadratic_problem([0, 1], np.diag([1e-16, 0]), A=[[1, 0]], lower=[1], upper=[INF],
                                    x_lower=[-INF, 1])
        self.assertAlmostEqual(self.refused(problem, [0, 1], [0])["relative"]["feasibility"], 1)

    def test_many_variables(self):
        n = 100000
        A = Matrix(np.zeros(n), np.arange(n), np.ones(n), (1, n))
        problem = quadratic_problem(np.zeros(n), lower=[1], upper=[1])
        problem.A, problem.row_names = A, ["sum"]
        self.assertAlmostEqual(self.refused(problem, np.full(n, 0.99 / n))["error"], 0.01)
        self.certified(problem, np.full(n, 1 / n))

    def test_costs_that_cancel(self):
        problem = quadratic_problem([1e10, -1e10, -1], np.diag([0, 0, 1]), A=[[1, -1, 0]], lower=[0], upper=[0])
        for at in (0, 1, 1e3):
            self.assertGreater(self.refused(problem, [at, at, 0], [-1e10])["relative"]["stationarity"], 0.9)
            self.certified(problem, [at, at, 1], [-1e10])

    def test_a_narrow_box_far_out(self):
        problem = quadratic_problem([1], x_lower=[1e6], x_upper=[1e6 + 1])
        self.assertAlmostEqual(self.refused(problem, [1e6 + 1])["relative"]["stationarity"], 1)
        self.certified(problem, [1e6])

    def test_multipliers_that_are_not_needed(self):
        problem = quadratic_problem([-1], [[1]], A=[[1]], lower=[1], upper=[INF])
        self.assertEqual(self.certified(problem, [1], [-5])["y"], [0])
        problem = quadratic_problem([0, 0], A=[[1, 1]], lower=[1], upper=[1])
        self.certified(problem, [0.5, 0.5], [1e-12])
        self.certified(problem, [0.5, 0.5], [1])

    def test_blocks_at_the_origin(self):
        for kind in ("l1_ball", "ordered"):
            for c in ([1, 1], [1, -1], [1e-9, 0]):
                self.refused(quadratic_problem(c, blocks=[Block(kind, np.array([0, 1]), 1.0)]), [0, 0])

    def test_far_out_the_rows_still_contradict(self):
        problem = quadratic_problem([0, 0], A=[[1, 1], [1, 1]], lower=[1, -INF], upper=[INF, 0.5])
        self.assertAlmostEqual(self.refused(problem, [1e8, -1e8 + 0.75])["relative"]["feasibility"], 0.5, places=6)


class Units(unittest.TestCase):
    """Multiply a row, a variable's unit or the objective by any positive number: every relative figure stays."""

    def random_problem(self, generator, quadratic):
        n, m = 5, 4
        A = np.where(generator.random((m, n)) < 0.6, generator.integers(-4, 5, (m, n)), 0).astype(float)
        x = np.where(generator.random(n) < 0.3, 0, generator.normal(size=n))
        middle = A @ x
        slack = np.where(generator.random((2, m)) < 0.5, 0, generator.random((2, m)))
        lower = np.where(generator.random(m) < 0.3, -INF, middle - slack[0] + 0.01 * generator.normal(size=m))
        upper = np.where(generator.random(m) < 0.3, INF, middle + slack[1])
        upper = np.where(generator.random(m) < 0.3, lower, np.maximum(lower, upper))
        upper[np.isinf(lower) & np.isinf(upper) & (upper < 0)] = INF
        B = generator.normal(size=(n, n)) * (generator.random((n, n)) < 0.5)
        Q = (B + B.T if generator.random() < 0.5 else B @ B.T) if quadratic else np.zeros((n, n))
        x_lower = np.where(generator.random(n) < 0.5, np.minimum(x, 0), -INF)
        x_upper = np.where(generator.random(n) < 0.3, x + 1e-3, INF)
        y = np.where(generator.random(m) < 0.4, 0, generator.normal(size=m))
        c = np.where(generator.random(n) < 0.3, 0, generator.normal(size=n))
        return c, Q, A, lower, upper, x_lower, x_upper, x, y

    def scaled(self, data, rows, columns, objective):
        c, Q, A, lower, upper, x_lower, x_upper, x, y = data
        problem = quadratic_problem(objective * c * columns, objective * Q * np.outer(columns, columns),
                                    A * np.outer(rows, columns), rows * lower, rows * upper,
                                    x_lower / columns, x_upper / columns)
        return problem, {"x": list(x / columns), "y": list(objective * y / rows)}

    def touches(self, data):
        """A row that is touched up to rounding: whether its gap is 0 or 1e-17, so whether its multiplier can be
        dropped, is then a matter of the last bit, and powers of ten change that."""
        _, _, A, lower, upper, _, _, x, _ = data
        at = A @ x
        return any(abs(b - a) <= 1e-12 * (1 + abs(a)) and low != high
                   for a, low, high in zip(at, lower, upper) for b in (low, high))

    def test_units_do_not_matter(self):
        for seed in range(200):
            generator = np.random.default_rng(seed)
            data = self.random_problem(generator, seed % 2 == 1)
            one = np.ones
            plain = judge(*self.scaled(data, one(4), one(5), 1.0))
            for base, highest, places in ((2.0, 40, 12), (10.0, 12, 5)):
                if base == 10 and self.touches(data):
                    continue
                rows, columns = (base ** generator.integers(-highest, highest + 1, k) for k in (4, 5))
                objective = base ** float(generator.integers(-highest, highest + 1))
                other = judge(*self.scaled(data, rows, columns, objective))
                self.assertEqual(plain["certified"], other["certified"])
                self.assertAlmostEqual(plain["error"], other["error"], delta=10.0**-places * plain["error"] + 1e-13)
                for name, value in plain["relative"].items():
                    there = other["relative"][name]
                    self.assertEqual(value is None, there is None, (seed, name))
                    if value is not None:
                        choices = [there] + [choice[name] for choice in other["as_good"] if name in choice]
                        close = any(value == one or abs(value - one) <= 10.0**-places * max(value, one) + 1e-13
                                    for one in choices)
                        self.assertTrue(close, (seed, base, name, value, choices))

    def test_blocks_by_a_common_factor(self):
        for kind in ("simplex", "l1_ball", "ordered"):
            results = []
            for factor in (1.0, 2.0**-40, 2.0**40):
                problem = quadratic_problem(np.array([1.0, -2, 0.5]) / factor,
                                            np.diag([1.0, 2, 0]) / factor**2, A=np.array([[1.0, 1, 3]]) / factor,
                                            lower=[0.1], upper=[INF],
                                            blocks=[Block(kind, np.array([0, 1, 2]), factor)])
                results.append(judge(problem, {"x": [0.2 * factor, 0.3 * factor, 0.5 * factor], "y": [-0.5]}))
            for other in results[1:]:
                for name, value in results[0]["relative"].items():
                    self.assertAlmostEqual(value, other["relative"][name], places=12)


if __name__ == "__main__":
    unittest.main()
