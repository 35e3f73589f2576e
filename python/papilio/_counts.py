"""Matrices of counts, checked."""

import sys
from typing import NamedTuple

import numpy as np

MOST = np.iinfo(np.int32).max


def _is_sparse(X):
    """Whether X is a sparse matrix; if it is, scipy.sparse has been imported."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and sparse.issparse(X)


def _as_array(X, caller):
    """X as two-dimensional numbers: CSR, or a NumPy array."""
    if _is_sparse(X):
        X = X.tocsr()
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
    else:
        X = np.asarray(X)
    if np.issubdtype(X.dtype, np.complexfloating):
        raise ValueError(f"{caller}: Complex data not supported; expected counts, got {X.dtype}")
    if X.dtype.kind not in "biuf" or X.dtype == np.float16:
        X = X.astype(np.float64)
    if X.ndim != 2:
        raise ValueError(
            f"{caller}: expected documents x words, got an array of {X.ndim} dimension(s). "
            "Reshape your data: X.reshape(1, -1) for one document"
        )
    if X.shape[0] == 0:
        raise ValueError(f"{caller}: found 0 sample(s) (shape={X.shape}) while a minimum of 1 is required.")
    if X.shape[1] == 0:
        raise ValueError(f"{caller}: found 0 feature(s) (shape={X.shape}) while a minimum of 1 is required.")
    if X.shape[1] > MOST:
        raise ValueError(f"{caller}: X has {X.shape[1]} columns, expected at most {MOST}")
    return X


def _compressed(X):
    """Row offsets, columns and values of the non-zero entries."""
    if _is_sparse(X):
        return X.indptr, X.indices, X.data
    rows, columns = np.nonzero(X)
    offsets = np.searchsorted(rows, np.arange(X.shape[0] + 1))
    return offsets, columns, X[rows, columns]


def _place(entry, offsets, columns):
    row = int(np.searchsorted(offsets, entry, side="right")) - 1
    return f"row {row}, column {int(columns[entry])}"


def _as_integers(values, offsets, columns, fractional, caller):
    """The values as int64: whole numbers from 0 to 2^31 - 1."""

    def refuse(wrong, message):
        entry = int(np.argmax(wrong))
        raise ValueError(f"{message}: {_place(entry, offsets, columns)} is {values[entry]}")

    if values.dtype.kind == "f":
        finite = np.isfinite(values)
        if not finite.all():
            refuse(~finite, f"{caller}: X holds NaN or inf, expected counts")
    if values.size and values.min() < 0:
        refuse(values < 0, f"Negative values in data passed to {caller}")
    if values.dtype.kind == "f":
        whole = np.rint(values)
        if fractional != "round" and not np.array_equal(whole, values):
            refuse(whole != values, f"{caller}: X must hold whole numbers (fractional='round' rounds them)")
        values = whole
    if values.size and values.max() > MOST:
        refuse(values > MOST, f"{caller}: a count can be at most {MOST}")
    return values.astype(np.int64)


class Counts(NamedTuple):
    """A matrix of counts as compressed rows (CSR)."""

    offsets: np.ndarray  # int64, rows + 1
    columns: np.ndarray  # int32
    values: np.ndarray  # int64
    width: int  # the number of columns


def as_counts(X, caller, fractional="raise"):
    """A matrix as counts: any sparse format, or anything that NumPy makes an array of. Duplicate entries add up.

    Raises ValueError naming the first entry that is not a count.
    """
    X = _as_array(X, caller)
    offsets, columns, values = _compressed(X)
    counts = _as_integers(values, offsets, columns, fractional, caller)
    return Counts(offsets.astype(np.int64), columns.astype(np.int32), counts, X.shape[1])
