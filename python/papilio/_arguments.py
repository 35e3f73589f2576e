"""Arguments that every kind of draw shares: checked numbers, and the options of one call by name."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from papilio._checked import whole


class DrawOptions(NamedTuple):
    """The options of `papilio.sample_categorical` and `papilio.sample_products`, as the caller gave them."""

    seed: Any
    stream: int
    row_ids: Any
    out: Any
    return_status: bool
    dtype: Any
    check_negative: bool
    threads: int
    method: str
    cuda_stream: int | None


def length(x: Any, what: str, dimensions: int = 1) -> int:
    """The number of rows of an array that must have this many dimensions."""
    if x.ndim != dimensions:
        expected = "one dimension" if dimensions == 1 else "two dimensions"
        raise ValueError(f"papilio: {what} must have {expected}; got {x.ndim}")
    return int(x.shape[0])


def without_gaps(x: Any) -> Any:
    """An array of one dimension as one whose entries follow each other: a copy where they do not.

    On a device whose framework is not known it stays as it is.
    """
    if isinstance(x, np.ndarray):
        return np.require(x, requirements=["C", "A"])
    return x.ravel() if hasattr(x, "ravel") else x


def unsigned(x: Any, what: str) -> int:
    """An integer that fits into 64 bits without a sign."""
    if isinstance(x, (bool, np.bool_)):
        raise TypeError(f"papilio: {what} is {x!r}, expected a whole number")
    try:
        x = operator.index(x)
    except TypeError as error:
        raise TypeError(f"papilio: {what} is {x!r}, expected a whole number") from error
    if not 0 <= x < 2**64:
        raise ValueError(f"papilio: {what} must be in the range 0 <= {what} < 2^64; got {x}")
    return x


def is_integer(x: Any) -> bool:
    return isinstance(x, (int, np.integer)) and not isinstance(x, bool)


def index_dtype(dtype: Any) -> str:
    """The name of the dtype, which must be int32 or int64."""
    name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", None) or str(dtype).rpartition(".")[2]
    if name not in ("int32", "int64"):
        raise TypeError(f"papilio: results are int32 or int64; got dtype {dtype!r}")
    return name


def room(size: int | None, out: Any, dtype: Any, arrays: Any, like: Any = None) -> Any:
    """Where `size` draws go: `out`, or a new array of int32 or int64, on the device of `like`."""
    if (size is None) == (out is None):
        raise ValueError("papilio: give either size or out")
    if out is None:
        size = whole(size, "papilio: size", 0, 2**63 - 1, "a number of draws, 0 or more")
        return arrays.empty(size, "int64" if dtype is None else index_dtype(dtype), like)
    if dtype is not None:
        raise ValueError("papilio: out has a dtype of its own; give either out or dtype")
    return arrays.result(out)
