"""Problem files: TOML, or LP and MPS files given directly."""

import fnmatch
import math
import os
import tomllib

import numpy as np

from losses import Loss
from model import read_text
from problem import LinearModel, Problem, QuadraticRow, RateRow
from readers_lp import parse_lp
from readers_mps import parse_mps
from sets import Block, VariableSet
from sparse import WIDE, Matrix, empty_matrix, stack
from tables import csv_samples, fit_for_lp, libsvm_samples

ROUNDING = WIDE(10) ** -15      # of what was added up, in a coefficient of a covariance row


def read_problem(path):
    kind = kind_of(path)
    return read_model(path).problem() if kind in ("lp", "mps", "qps") else read_toml(path)


def kind_of(path):
    name = os.fspath(path).lower().removesuffix(".gz")
    return name.rsplit(".", 1)[-1]


def read_model(path):
    text = read_text(path)
    return parse_lp(text) if kind_of(path) == "lp" else parse_mps(text)


def read_toml(path):
    content = tomllib.loads(read_text(path))
    folder = os.path.dirname(os.fspath(path))
    given, constraints = content["objective"], content.get("constraints", {})
    covariances = constraints.get("covariance", {})
    if given["kind"] == "quadratic":
        model = read_model(os.path.join(folder, given["file"]))
        names, objective, samples = list(model.variables), model.objective(), None
        lower, upper = model.bounds()
    elif given["kind"] == "linear-model":
        rated = [rate["groups"] for rate in constraints.get("rate", [])]
        samples, objective = read_linear_model(given, folder, covariances, rated)
        names = samples.names
        lower, upper = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    else:
        raise ValueError(f"objective of kind '{given['kind']}'")
    problem = Problem(names, objective, [], empty_matrix(0, len(names)), np.zeros(0), np.zeros(0),
                      VariableSet(lower, upper))
    models = []
    if "file" in constraints:
        models.append(read_model(os.path.join(folder, constraints["file"])))
    if "lp" in constraints:
        models.append(parse_lp(constraints["lp"], needs_end=False))
    for model in models:
        add_rows(problem, model)
    for number, ball in enumerate(constraints.get("ball", []), 1):
        add_ball(problem, ball, number)
    if covariances:
        add_covariances(problem, samples, covariances)
    for rate in constraints.get("rate", []):
        add_rate(problem, samples, rate)
    if len(set(problem.all_row_names())) < len(problem.all_row_names()):
        raise ValueError("two rows have the same name")
    shape_set(problem, content.get("variables", {}))
    again = "file" in constraints and constraints["file"] == given.get("file")  # the objective's, whose bounds [variables] replaces
    for model in models[again:]:
        narrow(problem, model)
    if np.any(problem.X.lower > problem.X.upper):
        raise ValueError("a lower bound is above its upper bound")
    return problem


def read_linear_model(given, folder, covariances, rated):
    data = given["data"]
    paths = [os.path.join(folder, name) for name in ([data] if isinstance(data, str) else data)]
    loss = Loss(given["loss"], float(given.get("shift", 1.0)), given.get("width"))
    if given.get("format", "csv" if "target" in given else "libsvm") == "libsvm":
        samples = libsvm_samples(paths, given, loss)
    else:
        samples = csv_samples(paths, given, loss, covariances, rated)
    ridge = np.full(len(samples.names), float(given.get("ridge", 0.0)))
    if given.get("intercept", True):
        ridge[-1] = 0.0
    return samples, LinearModel(samples.matrix, samples.labels, loss, ridge)


def add_rows(problem, model):
    """The rows of a file or text."""
    places = {name: j for j, name in enumerate(problem.names)}
    for name in model.variables:
        if name not in places:
            raise ValueError(f"variable '{name}' is not in the objective")
    rows, columns, values = model.matrix(places.get)
    linear = model.linear_rows()
    extend(problem, [row.name for row in linear],
           Matrix(rows, columns, values, (len(linear), len(problem.names))),
           np.array([row.lower for row in linear]), np.array([row.upper for row in linear]))
    problem.smooth = problem.smooth + model.quadratic_rows(places.get, len(problem.names))


def narrow(problem, model):
    """By the bounds that a file or text states."""
    places = {name: j for j, name in enumerate(problem.names)}
    for name, value in model.lower.items():
        problem.X.lower[places[name]] = max(problem.X.lower[places[name]], value)
    for name, value in model.upper.items():
        problem.X.upper[places[name]] = min(problem.X.upper[places[name]], value)


def add_ball(problem, given, number):
    """|x_B - centre|^2 <= radius^2."""
    patterns, n = given.get("variables", ["*"]), len(problem.names)
    indices = list(dict.fromkeys(j for pattern in patterns for j in matching(problem.names, pattern)))
    centre = np.broadcast_to(np.asarray(given.get("centre", 0.0), dtype=float), (len(indices),))
    around = np.zeros(n)
    around[indices] = centre
    problem.smooth = problem.smooth + [QuadraticRow(
        given.get("name", f"ball{number}"), Matrix(indices, indices, np.ones(len(indices)), (n, n)), np.zeros(n),
        around, -math.inf, float(given["radius"]) ** 2)]


def add_rate(problem, samples, given):
    """One row for every two groups, text in the order of appearance, numbers by size."""
    column, condition = given["groups"], given.get("condition", "all")
    values = list(samples.groups[column])
    text = isinstance(values[0], str)
    different = list(dict.fromkeys(values)) if text else sorted(set(values))
    counted = {"all": np.full(len(values), True), "positive": samples.labels > 0, "negative": samples.labels < 0}[condition]
    parts = [np.array([value == one for value in values]) & counted for one in different]
    stem = given.get("name") or "rate_" + ("" if condition == "all" else condition + "_") + fit_for_lp(column)
    for a, first in enumerate(parts):
        for b in range(a + 1, len(parts)):
            weights = first / np.sum(first) - parts[b] / np.sum(parts[b])
            ends = [fit_for_lp(one if text else f"{one:g}") for one in (different[a], different[b])]
            problem.smooth = problem.smooth + [RateRow(
                stem if len(parts) == 2 else ".".join([stem] + ends), samples.matrix, weights,
                float(given.get("slope", 4.0)), -float(given["gap"]), float(given["gap"]))]


def extend(problem, names, matrix, lower, upper):
    problem.row_names = problem.row_names + names
    problem.A = stack(problem.A, matrix)
    problem.lower = np.concatenate((problem.lower, lower))
    problem.upper = np.concatenate((problem.upper, upper))


def add_covariances(problem, samples, covariances):
    for column in sorted(covariances):
        bound = float(covariances[column])
        for name, values in samples.attributes[column]:
            centred = values.astype(WIDE) - math.fsum(values) / len(values)
            centred -= np.sum(centred) / len(values)
            line = samples.matrix.transposed.times(centred) / len(values)
            added_up = samples.matrix.absolute().transposed.times(np.abs(centred)) / len(values)
            line = np.where(np.abs(line) <= ROUNDING * added_up, WIDE(0), line).astype(float)
            used = np.flatnonzero(line)
            extend(problem, [name], Matrix(np.zeros(len(used)), used, line[used], (1, len(line))),
                   np.array([-bound]), np.array([bound]))


def matching(names, pattern):
    if pattern in names:
        return [names.index(pattern)]
    found = [j for j, name in enumerate(names) if fnmatch.fnmatchcase(name, pattern)]
    if not found:
        raise ValueError(f"'{pattern}' matches no variable")
    return found


def shape_set(problem, variables):
    """[variables]: bounds replace those of the objective's file, sets tie variables together."""
    names, X = problem.names, problem.X
    bounds = variables.get("bounds", {})
    exact = [pattern for pattern in bounds if pattern in names]
    for pattern in [pattern for pattern in bounds if pattern not in exact] + exact:
        for j in matching(names, pattern):
            X.lower[j], X.upper[j] = map(float, bounds[pattern])
    for kind, size in (("simplex", "total"), ("l1_ball", "radius"), ("ordered", None)):
        if kind not in variables:
            continue
        given = variables[kind]
        patterns = given["variables"] if isinstance(given, dict) else given
        parameter = float(given.get(size, 1.0)) if isinstance(given, dict) and size else 1.0
        indices = list(dict.fromkeys(j for pattern in patterns for j in matching(names, pattern)))
        X.blocks.append(Block(kind, np.array(indices), parameter))
