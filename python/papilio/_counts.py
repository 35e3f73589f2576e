"""Matrices of counts, checked."""

import warnings
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from papilio._checked import is_sparse, plain
from papilio._sparse import as_csr
from papilio._warnings import caller_level

MOST = np.iinfo(np.int32).max


def as_list(X):
    """The entries of a list or column as objects of Python, which those of Arrow are not."""
    return X.to_pylist() if hasattr(X, "to_pylist") else list(X)


def _entries(X):
    """The entries of a list or column, one after the other; nothing for a table or matrix."""
    if hasattr(X, "to_pylist"):  # of Arrow
        return iter(()) if hasattr(X, "columns") else (entry.as_py() for entry in X)
    column = getattr(X, "ndim", len(getattr(X, "shape", ()))) == 1  # a Series of polars has a shape only
    entries = iter(X if isinstance(X, (list, tuple)) or column else ())
    lists = getattr(X, "to_list", None) is not None  # those in a column of polars are Series
    return (entry.to_list() if lists and hasattr(entry, "to_list") else entry for entry in entries)


def is_missing(entry):
    """Whether an entry of a column stands for none: None, NaN, or NA or NaT of pandas."""
    if entry is None or isinstance(entry, (float, np.floating)):
        return entry is None or bool(np.isnan(entry))
    return type(entry).__name__ in ("NAType", "NaTType")


def kind_of_texts(X):
    """"texts" for a list or column of str, "tokens" for one of lists of str, "" for anything else.

    The first entry that is neither missing nor an empty document decides.
    """
    for entry in _entries(X):
        if isinstance(entry, str):
            return "texts"
        if not is_missing(entry) and not (isinstance(entry, (list, tuple)) and not entry):
            return "tokens" if isinstance(entry, (list, tuple)) and isinstance(entry[0], str) else ""
    return ""


def column_to_give(table, what, among=None):
    """What to say where a table is given for texts: the column to give, of those that hold any, and all names."""
    names = names_of_columns(table)
    first = next(iter(among or columns_of_texts(table) or names), "text")
    known = ", ".join(map(repr, names[:10])) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
    shown = f'"{first}"' if isinstance(first, str) else repr(first)
    return f"give one column, such as {what}[{shown}] (the columns: {known or 'none'})"


def names_of_columns(table):
    """The names of the columns of a data frame, a table of Arrow or a dict."""
    return list(table if isinstance(table, Mapping) else getattr(table, "column_names", table.columns))


def columns_of_texts(table):
    """The names of the columns that hold texts or lists of words."""
    return [name for name in names_of_columns(table) if kind_of_texts(table[name])]


def _refuse_texts(X, caller):
    """TypeError for texts and for lists of words; it names the function that makes a corpus of them."""
    if isinstance(X, str):
        raise TypeError(f"{caller}: X is one text, expected documents; put it in a list")
    kind = kind_of_texts(X)
    if kind:
        what = "texts" if kind == "texts" else "lists of words"
        raise TypeError(
            f"{caller}: X is {what}, expected numbers (counts) or a papilio.Corpus; papilio.corpus_from_{kind}(X) "
            "makes one"
        )


def _as_array(X, caller):
    """X as two-dimensional numbers of NumPy."""
    _refuse_texts(X, caller)
    try:
        X = plain(X, f"{caller}: X")
    except (TypeError, ValueError):
        texts = columns_of_texts(X) if hasattr(X, "columns") else []
        if not texts:
            raise
        raise TypeError(
            f"{caller}: X is a {type(X).__name__} with texts, expected counts or texts alone; "
            f"{column_to_give(X, 'X', texts)}"
        ) from None
    if X.dtype == np.float16:
        X = X.astype(np.float64)
    if X.ndim != 2:
        raise ValueError(
            f"{caller}: expected documents x words, got an array of {X.ndim} dimension(s). "
            "Reshape your data: X.reshape(1, -1) for one document"
        )
    return X


def _check_shape(shape, caller):
    if shape[0] < 1:
        raise ValueError(f"{caller}: found 0 sample(s) (shape={shape}) while a minimum of 1 is required.")
    if shape[1] < 1:
        raise ValueError(f"{caller}: found 0 feature(s) (shape={shape}) while a minimum of 1 is required.")
    if shape[1] > MOST:
        raise ValueError(f"{caller}: X has {shape[1]} columns, expected at most {MOST}")


def _compressed(X, caller):
    """Row offsets, columns and values of the non-zero entries, and the number of columns."""
    if is_sparse(X):
        offsets, columns, values = as_csr(X, caller, _check_shape)
        return offsets, columns, values, int(X.shape[1])
    X = _as_array(X, caller)
    _check_shape(X.shape, caller)
    offsets = np.zeros(X.shape[0] + 1, np.int64)  # first: a shape that is larger than memory ends here
    rows, columns = np.nonzero(X)
    offsets[1:] = np.cumsum(np.bincount(rows, minlength=X.shape[0]))
    return offsets, columns, X[rows, columns], X.shape[1]


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
        if not np.array_equal(whole, values):
            if fractional != "round":
                refuse(whole != values, f"{caller}: X must hold whole numbers (fractional='round' rounds them)")
            _warn_of_lost(values, whole, caller)
        values = whole
    if values.size and values.max() > MOST:
        refuse(values > MOST, f"{caller}: a count can be at most {MOST}")
    return values.astype(np.int64)


def _warn_of_lost(values, whole, caller):
    """Warns where rounding makes entries 0, as it does with most entries of tf-idf."""
    entries, lost = np.count_nonzero(values), np.count_nonzero((whole == 0) & (values != 0))
    if lost:
        warnings.warn(
            f"{caller}: fractional='round' rounds {lost:,} of {entries:,} entries that are not 0 to 0 "
            f"({lost / entries:.1%}), and their words are lost; X looks like shares or tf-idf, and LDA needs counts",
            UserWarning,
            stacklevel=caller_level(),
        )


class Counts(NamedTuple):
    """A matrix of counts as compressed rows (CSR)."""

    offsets: np.ndarray  # int64, rows + 1
    columns: np.ndarray  # int32
    values: np.ndarray  # int64
    width: int  # the number of columns


def as_counts(X, caller, fractional="raise"):
    """A matrix as counts: any sparse format, or anything that NumPy makes an array of. Duplicate entries add up.

    Raises ValueError naming the first entry that is not a count. Nothing of X is believed: its arrays are checked
    before anything reads through them, and offsets and columns are narrowed after that.
    """
    if fractional not in ("raise", "round"):
        raise ValueError(f"{caller}: fractional is {fractional!r}, expected 'raise' or 'round'")
    offsets, columns, values, width = _compressed(X, caller)
    counts = _as_integers(values, offsets, columns, fractional, caller)
    return Counts(offsets.astype(np.int64), columns.astype(np.int32), counts, width)
