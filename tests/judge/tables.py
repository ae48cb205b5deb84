"""Readers of CSV and LIBSVM data, and what linear models make of them."""

import csv
import io
import math
import re
from dataclasses import dataclass

import numpy as np

from model import read_text
from sparse import Matrix

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass
class Samples:
    names: list
    matrix: Matrix
    labels: np.ndarray
    attributes: dict       # column -> list of (row name, values), for covariance rows
    groups: dict           # column -> its values, text or numbers, for rates


def fit_for_lp(text):
    """A name that can stand in an LP text."""
    name = re.sub(r"[^A-Za-z0-9_.]", "_", text)
    return "_" + name if not name or name[0].isdigit() or name[0] == "." else name


def make_unique(names):
    taken, result = set(), []
    for name in names:
        candidate, number = name, 1
        while candidate in taken:
            number += 1
            candidate = f"{name}_{number}"
        taken.add(candidate)
        result.append(candidate)
    return result


def read_libsvm(paths):
    """Row, column and value of every entry, and the labels."""
    rows, columns, values, labels = [], [], [], []
    for path in paths:
        for line in read_text(path).splitlines():
            fields = line.split("#", 1)[0].split()
            if not fields:
                continue
            for field in fields[1:]:
                index, value = field.split(":")
                rows.append(len(labels))
                columns.append(int(index) - 1)
                values.append(float(value))
            labels.append(float(fields[0]))
    return np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64), np.array(values), labels


def read_csv(paths, given):
    """The columns of the files by name, as text, without the rows that lack a value."""
    separator = given.get("separator", ",")
    columns, records = None, []
    for path in paths:
        text = read_text(path)
        if text.startswith("|"):
            text = text.partition("\n")[2]
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
        lines = [[field.strip() for field in record] for record in reader]
        lines = [line for line in lines if any(line)]
        if separator.isspace():
            lines = [[field for field in line if field] for line in lines]
        if given.get("columns"):
            header = list(given["columns"])
        else:
            header, lines = lines[0], lines[1:]
        if columns is not None and header != columns:
            raise ValueError(f"{path}: the columns differ from those of the first file")
        columns = header
        for line in lines:
            if len(line) != len(columns):
                raise ValueError(f"{path}: a row has {len(line)} fields and not {len(columns)}")
        records += lines
    used = [k for k, name in enumerate(columns) if name not in given.get("ignore", [])]
    kept = [record for record in records if all(record[k] not in ("", "?") for k in used)]
    if len(kept) < len(records) and given.get("missing", "drop") == "error":
        raise ValueError("a value is missing")
    if not kept:
        raise ValueError("no rows")
    return {columns[k]: [record[k] for record in kept] for k in used}


def as_numbers(values, name):
    numbers = np.array([float(value) for value in values])
    if not np.all(np.isfinite(numbers)):
        raise ValueError(f"column '{name}' holds a value that is not finite")
    return numbers


def labels_of(values, numeric, loss, positive):
    if not loss.classifies:
        return np.array([float(value) for value in values])
    if not numeric:
        if positive is None:
            raise ValueError("a text target needs 'positive'")
        return np.array([1.0 if value == positive else -1.0 for value in values])
    numbers = np.array([float(value) for value in values])
    if positive is None:
        different = np.unique(numbers)
        if len(different) != 2:
            raise ValueError("a numeric target with other than two values needs 'positive'")
        positive = different[-1]
    return np.where(numbers == float(positive), 1.0, -1.0)


def libsvm_samples(paths, given, loss):
    rows, columns, values, labels = read_libsvm(paths)
    width = int(columns.max()) + 1 if columns.size else 0
    names = [f"x{k + 1}" for k in range(width)]
    if given.get("intercept", True):
        rows = np.concatenate((rows, np.arange(len(labels))))
        columns = np.concatenate((columns, np.full(len(labels), width)))
        values = np.concatenate((values, np.ones(len(labels))))
        names.append("intercept")
    matrix = Matrix(rows, columns, values, (len(labels), len(names)))
    return Samples(names, matrix, labels_of(labels, True, loss, given.get("positive")), {}, {})


def csv_samples(paths, given, loss, covariances, rated=()):
    table = read_csv(paths, given)
    categorical = given.get("categorical", [])
    numeric = {name: name not in categorical and bool(NUMBER.fullmatch(values[0])) for name, values in table.items()}
    target = given["target"]
    count = len(table[target])
    names, dense = [], []
    for name, values in table.items():
        if name == target or name in covariances or name in rated:
            continue
        if numeric[name]:
            column = as_numbers(values, name)
            if given.get("standardise", False):
                column = standardised(column)
            names.append(fit_for_lp(name))
            dense.append(column)
        else:
            for value in sorted(set(values), key=lambda text: text.encode("utf-8", "surrogateescape")):
                names.append(fit_for_lp(f"{name}.{value}"))
                dense.append(np.array([entry == value for entry in values], dtype=float))
    if given.get("intercept", True):
        names.append("intercept")
        dense.append(np.ones(count))
    full = np.array(dense).T
    rows, columns = np.nonzero(full)
    attributes = {name: attribute(name, table[name], numeric[name]) for name in covariances}
    return Samples(make_unique(names), Matrix(rows, columns, full[rows, columns], full.shape),
                   labels_of(table[target], numeric[target], loss, given.get("positive")), attributes,
                   {name: as_numbers(table[name], name) if numeric[name] else table[name] for name in rated})


def standardised(column):
    """Mean 0 and deviation 1 (over the N samples); a constant column becomes 0."""
    if np.all(column == column[0]):
        return np.zeros(len(column))
    centred = column - math.fsum(column) / len(column)
    return centred / math.sqrt(math.fsum(centred**2) / len(column))


def attribute(name, values, numeric):
    """The numbers that a protected column stands for, one list per covariance row."""
    if numeric:
        return [(fit_for_lp(f"cov_{name}"), as_numbers(values, name))]
    different = list(dict.fromkeys(values))      # in the order of their first appearance
    if len(different) < 2:
        raise ValueError(f"column '{name}' has one value only")
    if len(different) == 2:
        return [(fit_for_lp(f"cov_{name}"), np.array([value == different[0] for value in values], dtype=float))]
    return [(fit_for_lp(f"cov_{name}.{one}"), np.array([value == one for value in values], dtype=float))
            for one in different]
