"""Arrays and numbers from outside, checked before anything reads them.

Nothing is dropped on the way: masks, missing values, fractions and digits that do not fit are errors.
"""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

MOST_THREADS = 4096
_PLAIN = (np.ndarray, int, float, bool, np.bool_)  # types that hide nothing


def whole(value: Any, what: str, least: int, most: int, expected: str = "") -> int:
    """`value` as int. TypeError unless it is a whole number by its type (bool is none), ValueError out of range."""
    if type(value) is int and least <= value <= most:
        return value
    expected = expected or f"a whole number from {least} to {most}"
    if isinstance(value, (bool, np.bool_)) or not hasattr(type(value), "__index__"):
        raise TypeError(f"{what} is {value!r}, expected {expected}")
    number = _index(value, what, expected)
    if not least <= number <= most:
        raise ValueError(f"{what} is {number}, expected {expected}")
    return number


def _index(value: Any, what: str, expected: str) -> int:
    try:
        return operator.index(value)
    except TypeError:  # such as an array of several numbers
        raise TypeError(f"{what} is {value!r}, expected {expected}") from None


def real(value: Any, what: str, expected: str = "a number") -> float:
    """`value` as float. TypeError unless it is a real number by its type (bool and str are none)."""
    if type(value) is float:
        return value
    if isinstance(value, (bool, np.bool_, str, bytes)) or not (
        hasattr(type(value), "__float__") or hasattr(type(value), "__index__")
    ):
        raise TypeError(f"{what} is {value!r}, expected {expected}")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{what} is {value!r}, expected {expected}") from None


def flag(value: Any, what: str) -> bool:
    """`value` as bool. TypeError for anything else, since "False" and [0] count as true."""
    if value is True or value is False:
        return value
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{what} is {value!r}, expected True or False")
    return bool(value)


_MOST_TOPICS = 2**31 - 1


def topic_numbers(topics: Any, what: str) -> list[int]:
    """Numbers of topics; whether a model has them, it says itself."""
    if isinstance(topics, (str, bytes, Mapping)) or not isinstance(topics, Iterable):
        raise TypeError(f"{what} is {topics!r}, expected a list of topics, as in [4, 9]")
    return [whole(topic, f"{what}[{i}]", 0, _MOST_TOPICS) for i, topic in enumerate(topics)]


def topic_groups(groups: Any, what: str) -> list[list[int]]:
    """Lists of topics."""
    if isinstance(groups, (str, bytes, Mapping)) or not isinstance(groups, Iterable):
        raise TypeError(f"{what} is {groups!r}, expected lists of topics, as in [[3, 7], [12, 15]]")
    listed = list(groups)
    for group in listed:
        if isinstance(group, (int, np.integer)):
            raise TypeError(f"{what} is {listed!r}, expected lists of topics, as in [[3, 7], [12, 15]]")
    return [topic_numbers(group, f"{what}[{i}]") for i, group in enumerate(listed)]


def topic_labels(labels: Any, what: str) -> dict[int, str]:
    """The label of each topic."""
    if not isinstance(labels, Mapping):
        raise TypeError(f"{what} is {labels!r}, expected a dict of topics and their labels, as in {{3: 'Politics'}}")
    checked = {}
    for topic, label in labels.items():
        if not isinstance(label, str):
            raise TypeError(f"{what}[{topic!r}] is {label!r}, expected a str")
        checked[whole(topic, f"a topic of {what}", 0, _MOST_TOPICS)] = label
    return checked


def threads(value: Any, caller: str = "papilio") -> int:
    """The number of threads."""
    if type(value) is int and 0 <= value <= MOST_THREADS:
        return value
    return whole(
        value,
        f"{caller}: threads",
        0,
        MOST_THREADS,
        f"a whole number from 1 to {MOST_THREADS}, or 0 for all processors",
    )


def file_name(path: Any) -> bytes:
    """A file's name as the system has it: bytes, which need not be UTF-8."""
    try:
        name = os.fsencode(path)
    except TypeError:
        raise TypeError(f"papilio: the path is {path!r}, expected a str, bytes or os.PathLike") from None
    if b"\0" in name:
        raise ValueError(f"papilio: the path {path!r} holds a null character, which no name of a file can")
    return name


def refuse_hidden(x: Any, what: str) -> None:
    """ValueError for an array with masked or missing entries, TypeError for one whose numbers stand for categories."""
    kind = type(x)
    if kind in _PLAIN:
        return
    if isinstance(x, np.ma.MaskedArray):
        hidden = int(np.count_nonzero(np.ma.getmaskarray(x))) if x.dtype.names is None else x.size
        if hidden:
            raise ValueError(
                f"{what} has {hidden} masked entries of {x.size}, which have no value here; "
                "fill them (x.filled(0)), or leave them out (x.compressed())"
            )
        return
    if kind in (list, tuple):
        for inner in {type(entry) for entry in x} - set(_PLAIN):
            if issubclass(inner, (list, tuple, np.ma.MaskedArray)) or inner is type(np.ma.masked):
                for entry in x:
                    refuse_hidden(entry, what)
                break
        return
    package = kind.__module__.partition(".")[0]
    if package == "pandas":
        _refuse_pandas(x, what)
    elif package == "pyarrow" or package == "polars":
        _refuse_nulls(_nulls(x), what, "x.fill_null(0)")
    for name in ("__array_interface__", "__cuda_array_interface__"):
        interface = getattr(x, name, None) if not isinstance(x, np.ndarray) else None
        if isinstance(interface, dict) and interface.get("mask") is not None:
            raise ValueError(f"{what} has a mask in its {name}; masked entries have no value here, so fill them first")


def _refuse_pandas(x: Any, what: str) -> None:
    dtypes = list(x.dtypes) if hasattr(x, "columns") else [getattr(x, "dtype", None)]
    for dtype in dtypes:
        if type(dtype).__name__ == "CategoricalDtype":
            raise TypeError(f"{what} holds categories of pandas, expected numbers; use x.astype(float), or x.cat.codes")
    if any(not isinstance(dtype, np.dtype) or dtype.kind == "O" for dtype in dtypes) and hasattr(x, "isna"):
        _refuse_nulls(int(np.asarray(x.isna()).sum()), what, "x.fillna(0)")


def _nulls(x: Any) -> int:
    """The number of nulls in an array, table, series or data frame of pyarrow or polars."""
    columns = getattr(x, "columns", None)
    if columns is not None and hasattr(x, "get_columns"):
        columns = x.get_columns()
    if columns is not None:
        return sum(_nulls(column) for column in columns)
    count = getattr(x, "null_count", 0)
    return int(count() if callable(count) else count)


def _refuse_nulls(count: int, what: str, remedy: str) -> None:
    if count:
        raise ValueError(
            f"{what} has {count} missing values (null, NA or NaN), expected numbers; fill them, as by {remedy}"
        )


def steps(strides: Any, size: int, what: str) -> tuple[int, ...]:
    """Strides in entries of `size` bytes. ValueError where they are in bytes only, as for a field of packed records."""
    for stride in strides:
        if stride % size:
            raise ValueError(
                f"papilio: {what} has a stride of {stride} bytes, not a multiple of its entries' {size}; use x.copy()"
            )
    return tuple(stride // size for stride in strides)


def refuse_huge(array: np.ndarray, what: str) -> None:
    """MemoryError for a shape that no memory holds, as strides of 0 make it; reading it would not end."""
    if array.size >= 2**40:
        raise MemoryError(f"{what} has the shape {array.shape}, which is more than any memory holds")


# Real numbers in this machine's byte order. To look a dtype up here takes a fraction of the time that its name takes.
NUMBERS = frozenset(np.dtype(code) for code in "?bhilqBHILQefd")


def plain(x: Any, what: str) -> np.ndarray:
    """`x` as an array of NumPy's numbers in this machine's byte order: bool, int, unsigned or float.

    Text, dates, complex numbers and objects that are no numbers raise TypeError; objects that are numbers become
    float64, or int64 where all are int. Lists of whole numbers become int64 or uint64, where these hold them. Sparse
    matrices are not arrays. What NumPy cannot make an array of raises its error.
    """
    if type(x) is np.ndarray and x.dtype in NUMBERS:
        refuse_huge(x, what)
        return x
    if is_sparse(x):
        raise TypeError(f"{what} is a sparse {type(x).__name__}, expected an array; use x.toarray()")
    refuse_hidden(x, what)
    array = of_list(x) if isinstance(x, (list, tuple)) else np.asarray(x)
    refuse_huge(array, what)
    if array.dtype.name == "bfloat16":
        return array.astype(np.float32)
    if array.dtype.kind == "O":
        array = _of_objects(array, what)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {what} has the dtype {array.dtype}, expected real numbers")
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{what} has the dtype {array.dtype}, expected real numbers")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def of_list(x: list | tuple) -> np.ndarray:
    """A list as an array, its whole numbers exact: where NumPy makes float64 of them, as of np.uint64 among other
    integers, they become int64 or else uint64, and objects where neither holds them.
    """
    array = np.asarray(x)
    if array.dtype.kind not in ("f", "O") or not array.size or np.asarray(_first(x)).dtype.kind == "f":
        return array
    entries = np.array(x, object)
    if not all_whole(entries.flat):
        return array
    numbers = [int(entry) for entry in entries.flat]
    for dtype in (np.int64, np.uint64):
        if np.iinfo(dtype).min <= min(numbers) and max(numbers) <= np.iinfo(dtype).max:
            return np.array(numbers, dtype).reshape(array.shape)
    return entries


def _first(x: Any) -> Any:
    while isinstance(x, (list, tuple)) and x:
        x = x[0]
    return x


def whole_of_list(x: list | tuple, what: str) -> np.ndarray:
    """As `of_list`; ValueError for whole numbers that neither int64 nor uint64 holds."""
    array = of_list(x)
    if array.dtype.kind == "O" and array.size and all_whole(array.flat):
        least, most = min(map(int, array.flat)), max(map(int, array.flat))
        raise ValueError(f"papilio: {what} has numbers from {least} to {most}, more than 64 bits hold")
    return array


def all_whole(x: Any) -> bool:
    """Whether each entry of a list is a whole number by its type."""
    return all(isinstance(entry, (int, np.integer)) and not isinstance(entry, bool) for entry in x)


def _of_objects(array: np.ndarray, what: str) -> np.ndarray:
    entries = array.ravel().tolist()
    kinds = {type(entry) for entry in entries}
    if all(issubclass(kind, (int, np.integer)) and not issubclass(kind, bool) for kind in kinds):
        try:
            return array.astype(np.int64)
        except OverflowError:
            return array.astype(np.float64)
    for number, entry in enumerate(entries):
        if isinstance(entry, (str, bytes, complex, np.complexfloating)) or not hasattr(type(entry), "__float__"):
            if _looks_missing(entry):
                raise ValueError(
                    f"{what} has a missing value: entry {number} is {entry!r}; fill the missing ones first"
                )
            raise TypeError(
                f"{what}: argument must be free of strings and other objects that are not numbers; "
                f"entry {number} is {entry!r}"
            )
    return array.astype(np.float64)


def _looks_missing(entry: Any) -> bool:
    return entry is None or type(entry).__name__ in ("NAType", "NaTType")


def is_sparse(x: Any) -> bool:
    """Whether x is a sparse matrix; if it is, scipy.sparse has been imported."""
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(x))


def _shaped(x: Any, what: str, dimensions: int) -> np.ndarray:
    array = plain(x, what)
    if array.ndim != dimensions:
        raise ValueError(f"{what} has {array.ndim} dimension(s), expected {dimensions}")
    return array


def integers(x: Any, what: str, dtype: str, dimensions: int = 1) -> np.ndarray:
    """`x` as a contiguous array of int32 or int64. Fractions and bool: TypeError; what does not fit: ValueError."""
    array = _shaped(x, what, dimensions)
    if array.dtype.kind not in "iu" and array.size:
        raise TypeError(f"{what} has the dtype {array.dtype}, expected integers")
    limits = np.iinfo(dtype)
    if array.size and array.dtype != np.dtype(dtype):
        worst = int(array.max()) if int(array.max()) > limits.max else int(array.min())
        if not limits.min <= worst <= limits.max:
            place = ", ".join(str(i) for i in np.argwhere(array == worst)[0])
            raise ValueError(f"{what}[{place}] is {worst}, expected {limits.min} to {limits.max}")
    return np.require(array, dtype, ["C", "A"])


def reals(x: Any, what: str, dimensions: int = 1) -> np.ndarray:
    """`x` as a contiguous array of float64. TypeError for bool and what is no real number."""
    array = _shaped(x, what, dimensions)
    if array.dtype.kind == "b" and array.size:
        raise TypeError(f"{what} has the dtype {array.dtype}, expected real numbers")
    return np.require(array, np.float64, ["C", "A"])
