"""What the primitives of `papilio._primitives` and `papilio._scans` ask of their arrays, and lend to a call."""

from __future__ import annotations

from typing import Any

import numpy as np

from papilio._checked import all_whole, flag, plain, threads as checked_threads
from papilio._device_arrays import UnknownCuda
from papilio._frameworks import Jax, NumPy, adopt


def values_of(x: Any, what: str, caller: str) -> tuple[Any, Any]:
    """Values as an array, whole numbers of a list as int64, and their framework."""
    if isinstance(x, (list, tuple)):
        numbers = plain(x, f"papilio: {what}")
        if numbers.dtype.kind in "uf" and numbers.size and np.abs(numbers).max() >= 2**63:
            entries = np.array(x, object).ravel()
            if all_whole(entries):
                for entry in entries:
                    if not -(2**63) <= entry < 2**63:
                        raise ValueError(f"papilio: {what} holds {entry}, which int64 does not hold")
        kinds = {"i": np.int64, "u": np.int64, "f": np.float64}
        return numbers.astype(kinds.get(numbers.dtype.kind, numbers.dtype)), NumPy
    values, arrays = adopt(x, what)
    if arrays is UnknownCuda:
        raise TypeError(
            f"papilio: {caller} takes arrays on a CUDA device of PyTorch and CuPy, whose memory it asks for; got "
            f"{type(x).__name__}"
        )
    if arrays.is_traced(values):
        raise TypeError(
            f"papilio: {caller} takes arrays of {arrays.__name__} whose values are there, and of JAX on the CPU only; "
            "not inside code that is compiled"
        )
    if arrays is Jax:  # as NumPy sees it: each index of JAX's would copy, to memory that nobody keeps
        values = np.asarray(values)
    return values, arrays


def dtype_of(x: Any) -> str:
    """The name of the dtype of an array; empty for what has none."""
    return str(x.dtype).rpartition(".")[2] if hasattr(x, "dtype") else ""


def whole_numbers(x: Any, arrays: Any, like: Any, what: str, keep_int32: bool = False) -> Any:
    """Indices or offsets as a contiguous array of int64; of int32 where that may stay."""
    if keep_int32 and dtype_of(x) == "int32":
        if type(x) is np.ndarray and x.flags.aligned and arrays in (NumPy, Jax):
            return np.ascontiguousarray(x)
        if arrays not in (NumPy, Jax):
            return arrays.integers(x, "int32", what, like)
    if arrays is NumPy and not isinstance(x, (list, tuple)):
        x = adopt(x, what)[0]
    numbers = arrays.integers(x, "int64", what, like)
    if dtype_of(numbers) == "int64":
        return numbers
    if isinstance(numbers, np.ndarray) and numbers.size and numbers.max() >= 2**63:
        raise ValueError(f"papilio: {what} holds {numbers.max()}, more than any place in an array")
    return arrays.view_as(numbers, "int64")


def flags_of(x: Any, arrays: Any, like: Any) -> Any:
    """Flags as bytes, of the framework of `like`."""
    if arrays in (NumPy, Jax) or not hasattr(x, "dtype") or isinstance(x, np.ndarray):
        marks = plain(x if isinstance(x, (list, tuple)) else adopt(x, "flags")[0], "papilio: flags")
        if marks.dtype.kind not in "biu" and marks.size:
            raise TypeError(f"papilio: flags must be of bool or integers; got {marks.dtype}")
        if arrays in (NumPy, Jax):
            byte = marks.dtype.itemsize == 1 and marks.flags.c_contiguous
            return (marks if byte else np.ascontiguousarray(marks != 0)).view(np.uint8)
        x = (marks != 0).astype(np.int32)
    if dtype_of(x) in ("bool", "uint8"):
        return arrays.view_as(arrays.like(x, "flags"), "uint8")
    return arrays.view_as(arrays.integers(x, "int32", "flags", like) != 0, "uint8")


def size_of(x: Any, what: str) -> int:
    """The number of entries of an array that must have one dimension."""
    if x.ndim != 1:
        raise ValueError(f"papilio: {what} must have one dimension; got {x.ndim}")
    return int(x.shape[0])


def result_of(arrays: Any, like: Any, out: Any, size: int | None, dtype: str | None = None) -> Any:
    """`out`, or a new array of `size` entries of the dtype of `like` or of another."""
    if out is None:
        return arrays.empty_like(like, (size,), dtype)
    return arrays.result(out)


class Call:
    """What a call is lent: the framework's stream, a workspace, a word for the status."""

    def __init__(self, arrays: Any, like: Any, threads: Any, return_status: bool):
        self.arrays, self.like = arrays, like
        self.threads = checked_threads(threads)
        self.on_cpu = arrays.is_on_cpu(like)
        self.stream = 0 if self.on_cpu else arrays.stream(like)
        self.status = arrays.empty_like(like, (1,), "int64") if flag(return_status, "papilio: return_status") else None

    def run(self, function: Any, *arguments: Any) -> int:
        workspace = None
        lent = self.threads, self.stream
        status = None if self.status is None else self.arrays.view(self.status, "the status")
        if not self.on_cpu:
            size = function(*arguments, *lent, None, None, True)
            if size > 0:
                workspace = self.arrays.empty(size, "uint8", self.like)
        memory = None if workspace is None else self.arrays.view(workspace, "the workspace")
        return int(function(*arguments, *lent, memory, status, False))

    def finish(self, result: Any, out: Any) -> Any:
        result = self.arrays.finish(result, self.like) if out is None else out
        return result if self.status is None else (result, self.status)


_NEUTRAL: dict[str, Any] = {
    "sum": lambda info: 0,
    "bit_or": lambda info: 0,
    "bit_xor": lambda info: 0,
    "bit_and": lambda info: -1,
    "minimum": lambda info: info.max if isinstance(info, np.iinfo) else np.inf,
    "maximum": lambda info: info.min if isinstance(info, np.iinfo) else -np.inf,
}


def neutral(op: str, dtype: str) -> Any:
    """The neutral element of an operator; of one that is unknown, which the call refuses, 0."""
    info = np.iinfo(dtype) if dtype.startswith("int") else np.finfo(dtype) if dtype.startswith("float") else None
    return _NEUTRAL.get(op, _NEUTRAL["sum"])(info)


def own(x: Any) -> Any:
    """A copy, so that a few values do not keep the memory of many."""
    return x.clone() if hasattr(x, "clone") else x.copy()


def first_of(arrays: Any, x: Any, what: str, writable: bool) -> tuple[Any, int]:
    """The first matrix of a batch, and the entries from it to the next."""
    if x.ndim == 2:
        return arrays.elements(x, what, writable), 0
    if hasattr(x, "strides"):
        step, left = divmod(x.strides[0], x.itemsize)
        if left:
            raise ValueError(f"papilio: {what} has a stride that is not a multiple of its entries; use x.copy()")
    else:
        step = x.stride(0)
    return arrays.elements(x[0], what, writable), int(step)
