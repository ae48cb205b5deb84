"""Tests of the proofs and of the comparison with another judge; judge_test.py runs them."""

import random
import unittest

import numpy as np

from judge import agrees_with, judge
from proofs import check_infeasible, check_unbounded, sizes_of
from sets import Block
from small_problems import INF, quadratic_problem


class Proofs(unittest.TestCase):
    def test_infeasible(self):
        problem = quadratic_problem([0, 0], A=[[1, 1], [1, -1], [1, 0]], lower=[3, 3, -INF], upper=[INF, INF, 2])
        right = check_infeasible(problem, {"r0": -0.5, "r1": -0.5, "r2": 1.0})
        self.assertTrue(right["proved"])
        self.assertEqual((right["margin"], right["reach"]), (1.0, INF))
        for wrong in ([-0.5, -0.5, 0.9], [0.5, 0.5, -1.0], [0, 0, 0], [-0.5, -0.4, 0.9], [-1, 0, 1], [None, 0, 0],
                      {"r9": 1.0}):
            self.assertFalse(check_infeasible(problem, wrong)["proved"], wrong)
        nearly = check_infeasible(problem, [-0.5, -0.5 - 1e-16, 1.0])
        self.assertTrue(nearly["proved"])
        self.assertGreater(nearly["reach"], 1e15)
        for slip, proved in ((2.0**-51, True), (2.0**-41, False)):   # sizes 3: reach about 1 / (6 slip)
            found = check_infeasible(problem, [-0.5, -0.5 - slip, 1.0])
            self.assertEqual(found["proved"], proved)                # what is no rounding proves nothing
            self.assertAlmostEqual(found["reach"] * slip * 6, 1, places=6)

    def test_sets_with_bounds_of_their_own(self):
        # x0 + x1 = 1 with x0 <= 0.25, so 2 x0 + x1 <= 1.25; x0 <= x1 within [0, 1] x [0, 0.5], so x0 + x1 <= 1
        for block, most, row in ((Block("simplex", np.array([0, 1]), 1.0), 1.25, [2, 1]),
                                 (Block("ordered", np.array([0, 1])), 1.0, [1, 1])):
            for asked, proved in ((most + 0.1, True), (most - 0.1, False)):
                upper = [0.25, INF] if block.kind == "simplex" else [1, 0.5]
                problem = quadratic_problem([0, 0], A=[row], lower=[asked], upper=[INF], x_lower=[0, 0], x_upper=upper,
                                            blocks=[block])
                found = check_infeasible(problem, [-1.0])
                self.assertEqual(found["proved"], proved)
                self.assertAlmostEqual(found["margin"], asked - most)

    def test_sizes(self):
        # x0 in [1, 2]; 4 x1 - 8 x0 = 0: x1 is balanced at 4; x2 at 4 / 0.5; x3 at 8; x4 would need a fourth round
        problem = quadratic_problem([0] * 5, A=[[-8, 4, 0, 0, 0], [0, 1, 0.5, 0, 0], [0, 0, 1, 1, 0],
                                                [0, 0, 0, 1, -1]], lower=[0] * 4, upper=[0] * 4,
                                    x_lower=[1] + [-INF] * 4, x_upper=[2] + [INF] * 4)
        self.assertEqual(sizes_of(problem), [2, 4, 8, 8, 0])
        # of two rows the tighter one balances: x0 = 2 x1 or 8 x2 with x1, x2 in [1, 2]; a row of zeros says nothing
        problem = quadratic_problem([0] * 4, A=[[1, -2, 0, 0], [1, 0, -8, 0], [1, 0, 0, 1]], lower=[0] * 3,
                                    upper=[0] * 3, x_lower=[-INF, 1, 1, 0], x_upper=[INF, 2, 2, 0])
        self.assertEqual(sizes_of(problem)[0], 4)
        # a bound in a row counts, and the sets bring bounds and rows of their own
        problem = quadratic_problem([0] * 4, A=[[2, 0, 0, 0]], lower=[-INF], upper=[-6],
                                    blocks=[Block("ordered", np.array([0, 1]), 1.0),
                                            Block("l1_ball", np.array([2, 3]), 5.0)])
        self.assertEqual(sizes_of(problem), [3, 3, 5, 5])

    def test_a_price_that_is_not_rounding_proves_nothing(self):
        # margin 1e12 and tiny sizes would give any reach
        problem = quadratic_problem([0, 0], A=[[1, -1], [1, 0]], lower=[0, 1e-13], upper=[0, INF],
                                    x_lower=[-INF, 1e12], x_upper=[INF, 2e12])
        self.assertIn("no rounding", check_infeasible(problem, [-1, 0])["why"])

    def test_infeasible_with_bounds_and_sets(self):
        problem = quadratic_problem([0, 0], A=[[1, 2]], lower=[7], upper=[INF], x_lower=[0, 0], x_upper=[2, 2])
        self.assertEqual(check_infeasible(problem, [-1])["margin"], 1.0)
        pair = np.array([0, 1])
        for kind, row, low, proved in (("simplex", [1, 2], 2.5, True), ("simplex", [1, 2], 2, False),
                                       ("l1_ball", [1, -2], 2.5, True), ("l1_ball", [1, -2], 2, False),
                                       ("ordered", [1, -1], 0.5, True), ("ordered", [-1, 1], 0.5, False)):
            problem = quadratic_problem([0, 0], A=[row], lower=[low], upper=[INF], blocks=[Block(kind, pair, 1.0)])
            self.assertEqual(check_infeasible(problem, [-1])["proved"], proved, (kind, row, low))

    def test_a_feasible_problem_is_never_proved_infeasible(self):
        # x0 is free, with size 0 (or 1e-13) but for what balances x1: x0 - x1 = 0, x1 in [1, 2]
        problem = quadratic_problem([0, 0], A=[[1, -1]], lower=[0], upper=[0], x_lower=[-INF, 1], x_upper=[INF, 2])
        self.assertFalse(check_infeasible(problem, [-1])["proved"])
        problem = quadratic_problem([0, 0], A=[[1, -1], [1, 0]], lower=[0, 1e-13], upper=[0, INF],
                                    x_lower=[-INF, 1], x_upper=[INF, 2])
        self.assertFalse(check_infeasible(problem, [-1, 0])["proved"])
        generator = random.Random(3)
        for _ in range(200):
            A = [[generator.randint(-3, 3) for _ in range(3)] for _ in range(3)]
            x = [generator.randint(-3, 3) for _ in range(3)]
            at = [sum(a * b for a, b in zip(row, x)) for row in A]
            problem = quadratic_problem([0] * 3, A=A, lower=[b - generator.choice((0, 1, INF)) for b in at],
                                        upper=[b + generator.choice((0, 1, INF)) for b in at],
                                        x_lower=[v - generator.choice((0, 1, INF)) for v in x],
                                        x_upper=[v + generator.choice((0, 1, INF)) for v in x])
            self.assertFalse(check_infeasible(problem, [generator.randint(-2, 2) for _ in range(3)])["proved"])

    def test_unbounded(self):
        problem = quadratic_problem([-1, 1], A=[[1, -1]], lower=[1], upper=[INF], x_lower=[0, 0])
        self.assertTrue(check_unbounded(problem, [2, 0], {"x0": 1.0})["unbounded"])
        self.assertTrue(check_unbounded(problem, [2, 0], [2, 1])["unbounded"])
        for x, d in (([2, 0], [0, 0]), ([2, 0], [1, 1]), ([2, 0], [0, 1]), ([2, 0], [1, -1]), ([0, 0], [1, 0]),
                     ([2, 0], [1, 2])):
            self.assertFalse(check_unbounded(problem, x, d)["unbounded"], (x, d))
        self.assertFalse(check_unbounded(problem, [0.9, 0], [1, 0], 0.05)["unbounded"])
        small = quadratic_problem([-1, 1], A=[[1e-3, -1e-3]], lower=[1e-3], upper=[INF], x_lower=[0, 0])
        for absolute in (False, True):
            self.assertEqual(check_unbounded(small, [0.9, 0], [1, 0], 1e-3, absolute)["unbounded"], absolute)
        saddle = quadratic_problem([0, 0], [[1, 2], [2, 1]])
        self.assertTrue(check_unbounded(saddle, [0, 0], [1, -1])["unbounded"])
        self.assertFalse(check_unbounded(saddle, [0, 0], [1, 1])["unbounded"])
        flat = quadratic_problem([0, 0])
        self.assertFalse(check_unbounded(flat, [0, 0], [1, 1])["unbounded"])
        for c, Q, d in (([1, -1], None, [1, 1]), ([1, -1 - 1e-12], None, [1, 1]), ([0, -1], None, [1, 0]),
                        ([0, 0], [[1, -1], [-1, 1]], [1, 1]), ([0, 0], [[1, 0], [0, -1]], [1, 1]),
                        ([0, 0], [[1, 0], [0, -1 - 1e-12]], [1, 1]), ([1, 0], None, [1, 0]),
                        ([-1, 0], [[1e-30, 0], [0, 0]], [1, 0])):   # flat, flat but for rounding, rising
            self.assertFalse(check_unbounded(quadratic_problem(c, Q), [0, 0], d)["unbounded"], (c, Q, d))
        for c, Q, d in (([1, -1 - 1e-8], None, [1, 1]), ([-1, 0], [[1, -1], [-1, 1]], [1, 1]),
                        ([1, 0], [[-1e-30, 0], [0, 0]], [1, 0])):
            self.assertTrue(check_unbounded(quadratic_problem(c, Q), [0, 0], d)["unbounded"], (c, Q, d))
        ball = quadratic_problem([-1, -1], blocks=[Block("l1_ball", np.array([0, 1]), 1.0)])
        self.assertFalse(check_unbounded(ball, [0, 0], [1, 1])["unbounded"])

    def test_what_drift_buys_is_no_fall(self):
        rows = [[1000, -1000, 1], [1, -1, 0], [1, 0, -10]]
        problem = quadratic_problem([0, 0, -1], A=rows, lower=[-INF, 0, 0], upper=[1, INF, INF])
        self.assertIn("rounding is worth",
                      check_unbounded(problem, [0, 0, 0], [0.9999999999999993, 1, 1.617e-12])["why"])
        open_end = quadratic_problem([0, 0, -1], A=[[0.1, -0.1, 1]], lower=[-INF], upper=[1])
        self.assertTrue(check_unbounded(open_end, [0, 0, 0], [1, 1.1, 0.01])["unbounded"])
        little = quadratic_problem([-1, 0], [[1e15, -1e15], [-1e15, 1e15 + 3]])
        self.assertFalse(check_unbounded(little, [0, 0], [1, 1])["unbounded"])

    def test_agreement(self):
        problem = quadratic_problem([-1], [[1]])
        solution = {"x": [1.0], "y": [], "status": "stationary", "objective": -0.5,
                    "relative": {"feasibility": 0.0, "set_distance": 0.0, "stationarity": 1e-12,
                                 "complementarity": 0.0, "gap": 0.0}}
        self.assertEqual(agrees_with(solution, judge(problem, solution), 1e-4), [])
        for change in ({"status": "budget_exhausted"}, {"objective": -0.4}, {"relative": {"gap": None}},
                       {"status": "infeasible"}, {"unbounded": {"direction": {"x0": 1.0}}},
                       {"relative": {"stationarity": 1e-3}}):
            other = {**solution, **change}
            self.assertTrue(agrees_with(other, judge(problem, other), 1e-4), change)
