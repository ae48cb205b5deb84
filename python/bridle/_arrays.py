"""From what people have (lists, arrays, sparse matrices, data frames) to what the extension module takes."""
from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt
import scipy.sparse

Vector = npt.NDArray[np.float64]
REAL = (int, float, np.integer, np.floating)
# A C-contiguous array, or (data, indices, indptr, rows, columns) of compressed rows.
Data = Union[npt.NDArray[Any], tuple[Any, Any, Any, int, int]]


def vector(values: Any, what: str, size: Optional[int] = None, finite: bool = True) -> Vector:
    """A vector of doubles; a scalar is repeated where the size is known."""
    out = numbers(values, what)
    if out.ndim == 0 and size is not None:
        out = np.full(size, float(out))
    if out.ndim != 1:
        raise ValueError(f"{what} has shape {out.shape}; 1 dimension is required")
    if size is not None and out.size != size:
        raise ValueError(f"{what} has {out.size} entries; {size} are required")
    if finite and not np.isfinite(out).all():
        bad = int(np.flatnonzero(~np.isfinite(out))[0])
        raise ValueError(f"{what} has {out[bad]} in entry {bad}; a finite number is required")
    if np.isnan(out).any():
        raise ValueError(f"{what} has nan in entry {int(np.flatnonzero(np.isnan(out))[0])}")
    return out


def is_masked(values: Any) -> bool:
    return isinstance(values, np.ma.MaskedArray) and bool(np.any(values.mask))


def numbers(values: Any, what: str) -> Vector:
    """An array of doubles; anything that is not made of real numbers is refused."""
    if is_masked(values):
        raise ValueError(f"{what} has masked values; real numbers are required")
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        try:
            if array.dtype.kind != "O":
                raise TypeError
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{what} holds {array.dtype.name} values; real numbers are required") from None
    return np.ascontiguousarray(array, dtype=np.float64) if array.ndim else array.astype(np.float64)


def matrix(values: Any, what: str, columns: Optional[int] = None) -> Data:
    """Rows of doubles: an array, or compressed rows of a sparse matrix."""
    out: Data
    if scipy.sparse.issparse(values):
        out = compressed(values)
        shape: tuple[int, ...] = (out[3], out[4])
        if not np.isfinite(out[0]).all():
            raise ValueError(f"{what} must be finite")
    else:
        out = np.atleast_2d(numbers(values, what))
        shape = out.shape
        if not np.isfinite(out).all():
            raise ValueError(f"{what} must be finite")
    if len(shape) != 2:
        raise ValueError(f"{what} has shape {shape}; 2 dimensions are required")
    if columns is not None and shape[1] != columns:
        raise ValueError(f"{what} has shape {shape}; {columns} columns are required")
    return out


def whole(value: Any, what: str, least: int = 0, most: int = 2**63 - 1) -> int:
    """A whole number, of whatever type."""
    if not isinstance(value, REAL) or not least <= value <= most or int(value) != value:
        limit = f"from {least} to {most}" if isinstance(value, REAL) and value > most else f">= {least}"
        raise ValueError(f"{what} = {value}; a whole number {limit} is required")
    return int(value)


def positive(value: Any, what: str, or_zero: bool = False) -> float:
    number = float(value) if isinstance(value, REAL) else np.nan
    if not (np.isfinite(number) and (number > 0 or (or_zero and number == 0))):
        raise ValueError(f"{what} = {value}; a finite number {'>=' if or_zero else '>'} 0 is required")
    return number


def text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{what} = {value!r}; a text is required")
    return value


def indices(values: Any, count: int, what: str) -> list[int]:
    """Of variables: numbers, or a mask over all of them."""
    array = np.asarray(values)
    if array.dtype == np.bool_ and array.shape == (count,):
        return [int(j) for j in np.flatnonzero(array)]
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise ValueError(f"{what} must be whole numbers, or a mask of {count}")
    return [int(j) for j in array]


def row_count(data: Data) -> int:
    return data[3] if isinstance(data, tuple) else int(data.shape[0])


def column_count(data: Data) -> int:
    return data[4] if isinstance(data, tuple) else int(data.shape[1])


def compressed(values: Any) -> tuple[Any, Any, Any, int, int]:
    """The arrays of a CSR matrix themselves where they are doubles with 32-bit indices in order, else copies."""
    rows = values.tocsr()
    if not rows.has_canonical_format:
        if rows is values:
            rows = rows.copy()
        rows.sum_duplicates()
    if rows.data.size >= 2**31:
        raise ValueError("sparse data with more than 2^31 entries is not supported")
    data = np.ascontiguousarray(numbers(rows.data, "sparse data"))
    indices = np.ascontiguousarray(rows.indices, dtype=np.int32)
    starts = np.ascontiguousarray(rows.indptr, dtype=np.int32)
    return data, indices, starts, int(rows.shape[0]), int(rows.shape[1])


def features(values: Any) -> Data:
    """Data of a linear model: not copied if it is a C-contiguous array of doubles or floats, or a CSR matrix."""
    if scipy.sparse.issparse(values):
        return compressed(values)
    array = np.asarray(values)
    if array.ndim != 2:
        raise ValueError(f"linear model: X has shape {array.shape}; 2 dimensions are required")
    as_it_is = array.dtype in (np.float64, np.float32) and array.flags.c_contiguous and array.flags.aligned
    return array if as_it_is and not is_masked(values) else numbers(values, "linear model: X")


def names_of(values: Any) -> list[str]:
    """The names of a data frame's columns, if they are texts."""
    columns = getattr(values, "columns", None)
    if columns is None:
        return []
    names = list(columns)
    return names if all(isinstance(name, str) for name in names) else []
