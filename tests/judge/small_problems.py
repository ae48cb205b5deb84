"""Small problems for the tests."""

import math

import numpy as np

from judge import judge
from problem import Problem, Quadratic
from sets import VariableSet
from sparse import Matrix

INF = math.inf


def dense(matrix):
    result = np.zeros(matrix.shape)
    result[matrix.rows, matrix.indices] = matrix.data
    return result


def sparse(rows, shape=None):
    full = np.array(rows, dtype=float).reshape(shape or np.shape(rows))
    at = np.nonzero(full)
    return Matrix(at[0], at[1], full[at], full.shape)


def quadratic_problem(c, Q=None, A=None, lower=(), upper=(), x_lower=None, x_upper=None, blocks=()):
    n = len(c)
    A = sparse(A) if A is not None else Matrix([], [], [], (0, n))
    Q = sparse(Q) if Q is not None else Matrix([], [], [], (n, n))
    X = VariableSet(np.array(x_lower if x_lower is not None else [-INF] * n, dtype=float),
                    np.array(x_upper if x_upper is not None else [INF] * n, dtype=float), list(blocks))
    return Problem([f"x{j}" for j in range(n)], Quadratic(0.0, np.array(c, dtype=float), Q),
                   [f"r{i}" for i in range(A.shape[0])], A, np.array(lower, dtype=float),
                   np.array(upper, dtype=float), X)


def relative(problem, x, y=None):
    return judge(problem, {"x": list(x), "y": list(y) if y is not None else None})["relative"]
