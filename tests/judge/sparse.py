"""Sparse matrices by hand: rows as (indptr, indices, data), products in extended precision."""

import fractions

import numpy as np

WIDE = np.longdouble
CANCELS = 1e-9  # what is left of a row's terms, at most, when they are added up exactly


def exactly(number):
    """A number in extended precision as a fraction."""
    high = float(number)
    return fractions.Fraction(high) + fractions.Fraction(float(number - WIDE(high)))


def segment_reduce(operation, values, indptr, empty):
    """operation.reduceat over the segments of indptr, with `empty` where a segment holds nothing."""
    result = np.full(len(indptr) - 1, empty, dtype=values.dtype)
    filled = np.flatnonzero(indptr[1:] > indptr[:-1])
    if filled.size:
        result[filled] = operation.reduceat(values, indptr[filled])
    return result


class Matrix:
    """A sparse matrix of doubles; entries given twice add up, and entries that are zero are left out."""

    def __init__(self, rows, columns, values, shape):
        rows = np.asarray(rows, dtype=np.int64)
        columns = np.asarray(columns, dtype=np.int64)
        values = np.asarray(values, dtype=float)
        self.shape = shape
        if rows.size:
            key = rows * max(shape[1], 1) + columns
            if np.any(key[1:] <= key[:-1]):
                order = np.argsort(key, kind="stable")
                key, values = key[order], values[order]
                first = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
                key, values = key[first], np.add.reduceat(values, first)
            kept = values != 0
            key, values = key[kept], values[kept]
            rows, columns = key // max(shape[1], 1), key % max(shape[1], 1)
        self.rows, self.indices, self.data = rows, columns, values
        self.indptr = np.searchsorted(rows, np.arange(shape[0] + 1))
        self._transposed = None

    @property
    def transposed(self):
        if self._transposed is None:
            self._transposed = Matrix(self.indices, self.rows, self.data, (self.shape[1], self.shape[0]))
            self._transposed._transposed = self
        return self._transposed

    def absolute(self):
        return Matrix(self.rows, self.indices, np.abs(self.data), self.shape)

    def times(self, x):
        """The product with a vector, in extended precision; rows that cancel beyond it are added up exactly."""
        x = np.asarray(x, dtype=WIDE)
        products = self.data * x[self.indices]
        out = segment_reduce(np.add, products, self.indptr, WIDE(0))
        added_up = segment_reduce(np.add, np.abs(products), self.indptr, WIDE(0))
        for i in np.flatnonzero((np.abs(out) < CANCELS * added_up) & np.isfinite(added_up)):
            out[i] = float(sum(fractions.Fraction(self.data[e]) * exactly(x[self.indices[e]]) for e in self.row(i)))
        return out

    def row_maximum(self, values):
        """The largest of `values` (one per entry) in each row, 0 where there is none."""
        return segment_reduce(np.maximum, np.asarray(values, dtype=WIDE), self.indptr, WIDE(0))

    def row(self, i):
        return range(self.indptr[i], self.indptr[i + 1])


def empty_matrix(rows, columns):
    return Matrix([], [], [], (rows, columns))


def stack(upper, lower):
    """The rows of `upper` above those of `lower`."""
    return Matrix(np.concatenate((upper.rows, lower.rows + upper.shape[0])),
                  np.concatenate((upper.indices, lower.indices)), np.concatenate((upper.data, lower.data)),
                  (upper.shape[0] + lower.shape[0], upper.shape[1]))


def has_cholesky_factor(matrix, shift):
    """Whether the symmetric matrix + shift I has a Cholesky factor; each connected part is looked at alone."""
    for part in connected_parts(matrix):
        if len(part) == 1:
            j = part[0]
            if sum(matrix.data[e] for e in matrix.row(j)) + shift <= 0:
                return False
        elif len(part) <= 6000:
            place = {j: k for k, j in enumerate(part)}
            dense = np.zeros((len(part), len(part)))
            for j in part:
                for e in matrix.row(j):
                    dense[place[j], place[matrix.indices[e]]] = matrix.data[e]
            dense[np.diag_indices(len(part))] += shift
            try:
                np.linalg.cholesky(dense)
            except np.linalg.LinAlgError:
                return False
        elif not sparse_elimination_succeeds(matrix, part, shift):
            return False
    return True


def connected_parts(matrix):
    seen = np.zeros(matrix.shape[0], dtype=bool)
    parts = []
    for start in range(matrix.shape[0]):
        if seen[start]:
            continue
        seen[start] = True
        part, waiting = [], [start]
        while waiting:
            j = waiting.pop()
            part.append(j)
            for e in matrix.row(j):
                k = int(matrix.indices[e])
                if not seen[k]:
                    seen[k] = True
                    waiting.append(k)
        parts.append(part)
    return parts


def sparse_elimination_succeeds(matrix, part, shift):
    """Gaussian elimination of a large symmetric part, the variable with the fewest neighbours first."""
    import heapq
    lines = {j: {int(matrix.indices[e]): float(matrix.data[e]) for e in matrix.row(j)} for j in part}
    for j in part:
        lines[j][j] = lines[j].get(j, 0.0) + shift
    queue = [(len(lines[j]), j) for j in part]
    heapq.heapify(queue)
    while queue:
        length, j = heapq.heappop(queue)
        if j not in lines:
            continue
        if length != len(lines[j]):
            heapq.heappush(queue, (len(lines[j]), j))
            continue
        line = lines.pop(j)
        pivot = line.pop(j)
        if not pivot > 0:
            return False
        for k, a in line.items():
            target = lines[k]
            target.pop(j, None)
            for m, b in line.items():
                target[m] = target.get(m, 0.0) - a * b / pivot
            heapq.heappush(queue, (len(target), k))
    return True
