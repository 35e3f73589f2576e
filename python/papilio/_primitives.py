"""Passes over whole arrays: reductions by index and by segment, scans, compaction, transposition.

As in `_direct_draws`, every array that is made on the way keeps a name until the call returns.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from papilio import _core
from papilio._arguments import index_dtype
from papilio._checked import flag, plain, threads as checked_threads, whole
from papilio._device_arrays import UnknownCuda
from papilio._frameworks import Jax, NumPy, adopt
from papilio._options import ReduceOp

_ERRORS = ("none", "offset_out_of_range", "index_out_of_range", "no_room", "sum_overflow")


class PrimitiveStatus(NamedTuple):
    """What a call found wrong in its arrays (`return_status`).

    Attributes
    ----------
    error : str
        "none", "offset_out_of_range", "index_out_of_range", "no_room" or "sum_overflow".
    place : int
        The first offset, index, bin, segment or value of which that is true; the number of values that are flagged,
        where there was no room.
    """

    error: str
    place: int


def primitive_status(status: Any) -> PrimitiveStatus:
    """Read the status of a call, which `return_status` asks for.

    Parameters
    ----------
    status : array of int64 of shape (1,)
        As the call returned it. For one on a CUDA device this waits for the call.

    Returns
    -------
    PrimitiveStatus

    Examples
    --------
    >>> import numpy as np
    >>> _, status = scan(np.array([2**31 - 1, 1], dtype=np.int32), return_status=True)
    >>> primitive_status(status)
    PrimitiveStatus(error='sum_overflow', place=1)
    """
    error, place = _core.read_status(int(status[0]))
    return PrimitiveStatus(_ERRORS[error], place)


def _values(x: Any, what: str, caller: str) -> tuple[Any, Any]:
    """Values as an array, whole numbers of a list as int64, and their framework."""
    if isinstance(x, (list, tuple)):
        numbers = plain(x, f"papilio: {what}")
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
    return values, arrays


def _dtype_of(x: Any) -> str:
    """The name of the dtype of an array; empty for what has none."""
    return str(x.dtype).rpartition(".")[2] if hasattr(x, "dtype") else ""


def _whole_numbers(x: Any, arrays: Any, like: Any, what: str, keep_int32: bool = False) -> Any:
    """Indices or offsets as a contiguous array of int64; of int32 where that may stay."""
    if keep_int32 and _dtype_of(x) == "int32":
        if type(x) is np.ndarray and x.flags.aligned and arrays in (NumPy, Jax):
            return np.ascontiguousarray(x)
        if arrays not in (NumPy, Jax):
            return arrays.integers(x, "int32", what, like)
    if arrays is NumPy and not isinstance(x, (list, tuple)):
        x = adopt(x, what)[0]
    numbers = arrays.integers(x, "int64", what, like)
    if _dtype_of(numbers) == "int64":
        return numbers
    if isinstance(numbers, np.ndarray) and numbers.size and numbers.max() >= 2**63:
        raise ValueError(f"papilio: {what} holds {numbers.max()}, more than any place in an array")
    return arrays.view_as(numbers, "int64")


def _flags(x: Any, arrays: Any, like: Any) -> Any:
    """Flags as bytes, of the framework of `like`."""
    if arrays in (NumPy, Jax) or not hasattr(x, "dtype") or isinstance(x, np.ndarray):
        marks = plain(x if isinstance(x, (list, tuple)) else adopt(x, "flags")[0], "papilio: flags")
        if marks.dtype.kind not in "biu" and marks.size:
            raise TypeError(f"papilio: flags must be of bool or integers; got {marks.dtype}")
        if arrays in (NumPy, Jax):
            byte = marks.dtype.itemsize == 1 and marks.flags.c_contiguous
            return (marks if byte else np.ascontiguousarray(marks != 0)).view(np.uint8)
        x = (marks != 0).astype(np.int32)
    if _dtype_of(x) in ("bool", "uint8"):
        return arrays.view_as(arrays.like(x, "flags"), "uint8")
    return arrays.view_as(arrays.integers(x, "int32", "flags", like) != 0, "uint8")


def _size(x: Any, what: str) -> int:
    """The number of entries of an array that must have one dimension."""
    if x.ndim != 1:
        raise ValueError(f"papilio: {what} must have one dimension; got {x.ndim}")
    return int(x.shape[0])


def _result(arrays: Any, like: Any, out: Any, size: int | None, dtype: str | None = None) -> Any:
    """`out`, or a new array of `size` entries of the dtype of `like` or of another."""
    if out is None:
        return arrays.empty_like(like, (size,), dtype)
    return arrays.result(out)


class _Call:
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


def _neutral(op: str, dtype: str) -> Any:
    """The neutral element of an operator; of one that is unknown, which the call refuses, 0."""
    info = np.iinfo(dtype) if dtype.startswith("int") else np.finfo(dtype) if dtype.startswith("float") else None
    return _NEUTRAL.get(op, _NEUTRAL["sum"])(info)


def reduce_by_index(
    indices: Any,
    values: Any = None,
    bins: int | None = None,
    *,
    op: ReduceOp = "sum",
    skip_out_of_range: bool = False,
    out: Any = None,
    dtype: Any = None,
    threads: int = 0,
    return_status: bool = False,
) -> Any:
    """Combine each value with the bin of its index: a histogram, weighted or by another operator.

    Parameters
    ----------
    indices : array of integers of shape (items,)
        The bin of each item, from 0. int32 and int64 are read as they are.
    values : array of shape (items,), optional
        int32, int64, float32 or float64. By default items are counted.
    bins : int, optional
        The number of bins; required without `out`. They begin with the neutral element of `op`.
    op : {"sum", "minimum", "maximum", "bit_and", "bit_or", "bit_xor"}, default "sum"
        The last three for integers.
    skip_out_of_range : bool, default False
        Leave out items whose index is not that of a bin; else they are an error.
    out : array of shape (bins,), optional
        Bins that the values are combined into, of the dtype of the values; returned.
    dtype : {"int32", "int64"}, optional
        The dtype of counts; int64 by default, int32 for JAX.
    threads : int, default 0
        CPU threads; 0: all processors. Never changes a result.
    return_status : bool, default False
        Return ``(result, status)``, where an error in the contents of the arrays is told (`primitive_status`) and
        not raised.

    Returns
    -------
    array of shape (bins,)
        Of the framework of `values` (of `indices`, where items are counted), on the same device.

    Raises
    ------
    ValueError
        On the CPU: an index out of range, or a sum that its type does not hold. (On a CUDA device the call does not
        wait: see `return_status`.) Everywhere: shapes, devices or options that do not fit.
    TypeError
        Another dtype.
    DeviceError, DeviceUnavailable
        A CUDA device fails; it does not exist, or this build has no CUDA support.

    Notes
    -----
    Integers are exact. Sums of floats are taken in fixed point of 128 bits and rounded once, so that they do not depend
    on the order of the items: the same bits for any number of threads, on every machine and CUDA device
    (docs/primitives.md). minimum and maximum put -0 below +0 and give NaN where a value is NaN.

    Examples
    --------
    >>> import numpy as np
    >>> reduce_by_index([0, 3, 1, 3, 2, 3, 0, 1], [1, 2, 3, 4, 5, 6, 7, 8], 4)
    array([ 8, 11,  5, 12])
    >>> reduce_by_index([0, 3, 1, 3], bins=5)
    array([1, 1, 0, 2, 0])
    >>> reduce_by_index([0, 2, 0], np.array([0.5, 1.5, -2.5]), 3, op="minimum")
    array([-2.5,  inf,  1.5])
    >>> reduce_by_index([0, 4], bins=4)
    Traceback (most recent call last):
    ...
    ValueError: papilio::reduce_by_index: index 1 is 4, expected 0 <= index < 4
    """
    if values is None:
        first, arrays = _values(indices, "indices", "reduce_by_index")
        like = first
        indices = first
        name = index_dtype(dtype) if dtype is not None else arrays.result_dtype
    else:
        if dtype is not None:
            raise ValueError("papilio: dtype is that of counts; a result has the dtype of its values")
        values, arrays = _values(values, "values", "reduce_by_index")
        like, name = values, None
        _size(values, "values")
    indices = _whole_numbers(indices, arrays, like, "indices", keep_int32=True)
    _size(indices, "indices")
    if (bins is None) == (out is None):
        raise ValueError("papilio: give either bins or out")
    call = _Call(arrays, like, threads, return_status)
    skip = flag(skip_out_of_range, "papilio: skip_out_of_range")
    items = None if values is None else arrays.view(values, "values")
    if out is None:
        bins = whole(bins, "papilio: bins", 0, 2**63 - 1, "a number of bins, 0 or more")
        result = _result(arrays, like, None, bins, name)
        result[...] = _neutral(op, _dtype_of(result))
    else:
        result = _result(arrays, like, out, None)
    call.run(_core.reduce_by_index, arrays.view(indices, "indices"), items, arrays.view(result, "out"), op, skip)
    return call.finish(result, out)


def segmented_reduce(
    values: Any,
    offsets: Any,
    *,
    op: ReduceOp = "sum",
    out: Any = None,
    threads: int = 0,
    return_status: bool = False,
) -> Any:
    """Combine the values of each segment.

    Parameters
    ----------
    values : array of shape (items,)
        int32, int64, float32 or float64.
    offsets : array of integers of shape (segments + 1,)
        Segment s is ``values[offsets[s]:offsets[s + 1]]``, as `indptr` of a CSR matrix: not decreasing. An empty
        segment gives the neutral element of `op` (0 for sums).
    op, threads, return_status
        As for `reduce_by_index`.
    out : array of shape (segments,), optional
        Receives the result and is returned; of the dtype of the values.

    Returns
    -------
    array of shape (segments,)
        Of the framework of `values`, on the same device.

    Raises
    ------
    ValueError, TypeError, DeviceError, DeviceUnavailable
        As for `reduce_by_index`; offsets that decrease or leave the values.

    Notes
    -----
    Sums of floats are exact and rounded once: a segment's result does not depend on the order of its values, on its
    neighbours or on the number of threads, and is the same bits on every machine and CUDA device.

    Examples
    --------
    >>> import numpy as np
    >>> segmented_reduce([1e100, 1.0, -1e100, 2.0], [0, 3, 3, 4])
    array([1., 0., 2.])
    >>> segmented_reduce(np.array([3, 1, 2]), [0, 2, 3], op="maximum")
    array([3, 2])
    """
    values, arrays = _values(values, "values", "segmented_reduce")
    _size(values, "values")
    offsets = _whole_numbers(offsets, arrays, values, "offsets")
    segments = _size(offsets, "offsets") - 1
    if segments < 0:
        raise ValueError("papilio: offsets must have one entry more than there are segments, so at least one; got none")
    call = _Call(arrays, values, threads, return_status)
    result = _result(arrays, values, out, segments)
    bounds = arrays.view(offsets, "offsets")
    call.run(_core.segmented_reduce, arrays.view(values, "values"), bounds, arrays.view(result, "out"), op)
    return call.finish(result, out)


def scan(
    values: Any,
    *,
    op: ReduceOp = "sum",
    exclusive: bool = False,
    append_total: bool = False,
    out: Any = None,
    threads: int = 0,
    return_status: bool = False,
) -> Any:
    """Compute running sums, or running combinations by another operator.

    Parameters
    ----------
    values : array of shape (items,)
        int32, int64, float32 or float64.
    op, threads, return_status
        As for `reduce_by_index`.
    exclusive : bool, default False
        Entry i is of the values before i, the neutral element of `op` where there are none; else value i is included.
    append_total : bool, default False
        One entry more, which is of all values: turns counts into offsets. Only with `exclusive`.
    out : array of shape (items,), optional
        Receives the result and is returned; of the dtype of the values. It may be `values` itself. With one entry more,
        as with `append_total`.

    Returns
    -------
    array of shape (items,)
        Of the framework of `values`, on the same device.

    Raises
    ------
    ValueError, TypeError, DeviceError, DeviceUnavailable
        As for `reduce_by_index`.

    Notes
    -----
    Every entry of a sum of floats is the exact sum of its values, rounded once: errors do not grow along the array, and
    the bits are the same for any number of threads, on every machine and CUDA device.

    Examples
    --------
    >>> import numpy as np
    >>> scan([1, 2, 3, 4, 5])
    array([ 1,  3,  6, 10, 15])
    >>> scan([2, 0, 3], exclusive=True, append_total=True)
    array([0, 2, 2, 5])
    >>> scan(np.array([3.0, 5.0, 4.0]), op="maximum")
    array([3., 5., 5.])
    """
    if flag(append_total, "papilio: append_total") and not exclusive:
        raise ValueError("papilio: append_total is for exclusive scans; an inclusive one ends with the total")
    return _scan("scan", values, None, op, exclusive, out, threads, return_status, 1 if append_total else 0)


def segmented_scan(
    values: Any,
    offsets: Any = None,
    *,
    flags: Any = None,
    op: ReduceOp = "sum",
    exclusive: bool = False,
    out: Any = None,
    threads: int = 0,
    return_status: bool = False,
) -> Any:
    """Compute running sums that start anew with each segment.

    Parameters
    ----------
    values : array of shape (items,)
        int32, int64, float32 or float64.
    offsets : array of integers of shape (segments + 1,), optional
        As for `segmented_reduce`, from 0 to the number of values. Either these or `flags`.
    flags : array of bool or integers of shape (items,), optional
        Not 0 where a segment begins; the first value begins one in any case.
    op, exclusive, threads, return_status
        As for `scan`.
    out : array of shape (items,), optional
        Receives the result and is returned; of the dtype of the values. It may be `values` itself.

    Returns
    -------
    array of shape (items,)
        Of the framework of `values`, on the same device.

    Raises
    ------
    ValueError, TypeError, DeviceError, DeviceUnavailable
        As for `segmented_reduce`.

    Notes
    -----
    As for `scan`; a segment's entries do not depend on other segments.

    Examples
    --------
    >>> segmented_scan([1, 2, 3, 4, 5, 6, 7, 8], flags=[1, 0, 0, 1, 0, 1, 0, 0])
    array([ 1,  3,  6,  4,  9,  6, 13, 21])
    >>> segmented_scan([1, 2, 3, 4, 5, 6, 7, 8], [0, 3, 5, 8], exclusive=True)
    array([ 0,  1,  3,  0,  4,  0,  6, 13])
    """
    if (offsets is None) == (flags is None):
        raise ValueError("papilio: give either offsets or flags")
    return _scan("segmented_scan", values, (offsets, flags), op, exclusive, out, threads, return_status, 0)


def _scan(
    caller: str,
    values: Any,
    segments: tuple[Any, Any] | None,
    op: str,
    exclusive: bool,
    out: Any,
    threads: int,
    return_status: bool,
    more: int,
) -> Any:
    values, arrays = _values(values, "values", caller)
    size = _size(values, "values")
    exclusive = flag(exclusive, "papilio: exclusive")
    bounds = by = None
    if segments is not None:
        offsets, flags = segments
        if offsets is not None:
            by = _whole_numbers(offsets, arrays, values, "offsets")
            if _size(by, "offsets") < 1 or (arrays.is_on_cpu(values) and (int(by[0]) != 0 or int(by[-1]) != size)):
                ends = f"{int(by[0])} ... {int(by[-1])}" if by.shape[0] else "none"
                raise ValueError(f"papilio: offsets must go from 0 to the number of values, {size}; got {ends}")
        else:
            by = _flags(flags, arrays, values)
            if _size(by, "flags") != size:
                raise ValueError(f"papilio: flags must have one entry per value; got {by.shape[0]} for {size} values")
        bounds = arrays.view(by, "offsets or flags")
    call = _Call(arrays, values, threads, return_status)
    result = _result(arrays, values, out, size + more)
    call.run(_core.scan, arrays.view(values, "values"), bounds, arrays.view(result, "out"), op, exclusive)
    return call.finish(result, out)


def compact(values: Any, flags: Any, *, out: Any = None, threads: int = 0) -> Any:
    """Keep the values whose flag is set, in order.

    Parameters
    ----------
    values : array of shape (items,)
        Of any dtype of 1, 2, 4, 8 or 16 bytes; contiguous.
    flags : array of bool or integers of shape (items,)
        Not 0 for the values to keep.
    out : array, optional
        Memory for the values that are kept, of their dtype; the part that holds them is returned.
    threads : int, default 0
        CPU threads; 0: all processors. Never changes a result.

    Returns
    -------
    array
        Of the framework of `values`, on the same device. On a CUDA device the call waits for their number.

    Raises
    ------
    ValueError
        `out` is too small; shapes or devices that do not fit.
    TypeError
        Entries of another size, Python objects, or flags that are no integers.
    DeviceError, DeviceUnavailable
        As for `reduce_by_index`.

    Examples
    --------
    >>> import numpy as np
    >>> compact(np.array([0.5, 1.5, 2.5, 3.5]), [False, True, True, False])
    array([1.5, 2.5])
    """
    values, arrays = _values(values, "values", "compact")
    size = _size(values, "values")
    marks = _flags(flags, arrays, values)
    if _size(marks, "flags") != size:
        raise ValueError(f"papilio: flags must have one entry per value; got {marks.shape[0]} for {size} values")
    call = _Call(arrays, values, threads, False)
    kept = _result(arrays, values, out, size)
    if _dtype_of(kept) != _dtype_of(values):
        raise TypeError(f"papilio: out must be of the dtype of values, {_dtype_of(values)}; got {_dtype_of(kept)}")
    _size(kept, "out")
    count = None if call.on_cpu else arrays.empty(1, "int64", values)
    number = call.run(
        _core.compact,
        arrays.elements(values, "values"),
        arrays.view(marks, "flags"),
        arrays.elements(kept, "out", True),
        None if count is None else arrays.view(count, "the count"),
    )
    if count is not None:
        number = int(count[0])
        if number > kept.shape[0]:
            raise ValueError(f"papilio: out has room for {kept.shape[0]} values, {number} are flagged")
    kept = kept[:number]
    if out is not None:
        return kept
    return arrays.finish(kept if 2 * number >= size else _own(kept), values)


def _own(x: Any) -> Any:
    """A copy, so that a few values do not keep the memory of many."""
    return x.clone() if hasattr(x, "clone") else x.copy()


def transpose(matrix: Any, *, out: Any = None, threads: int = 0) -> Any:
    """Transpose a matrix, or each matrix of a batch, into memory of its own.

    Parameters
    ----------
    matrix : array of shape (rows, columns) or (batch, rows, columns)
        Of any dtype of 1, 2, 4, 8 or 16 bytes, and any strides.
    out : array of shape (columns, rows) or (batch, columns, rows), optional
        Receives the result and is returned; of the dtype of the matrix, in memory of its own.
    threads : int, default 0
        CPU threads; 0: all processors.

    Returns
    -------
    array of shape (columns, rows) or (batch, columns, rows)
        Contiguous, of the framework of `matrix`, on the same device.

    Raises
    ------
    ValueError, TypeError, DeviceError, DeviceUnavailable
        As for `compact`.

    Notes
    -----
    What ``np.ascontiguousarray(matrix.T)`` gives, in blocks that fit the caches, by all threads. On a CUDA device the
    call queues its work and returns.

    Examples
    --------
    >>> import numpy as np
    >>> transpose(np.array([[1, 2, 3], [4, 5, 6]]))
    array([[1, 4],
           [2, 5],
           [3, 6]])
    """
    matrix, arrays = _values(matrix, "matrix", "transpose")
    if matrix.ndim not in (2, 3):
        raise ValueError(f"papilio: matrix must have two dimensions, or three where it is a batch; got {matrix.ndim}")
    shape = tuple(int(size) for size in matrix.shape)
    wanted = (*shape[:-2], shape[-1], shape[-2])
    call = _Call(arrays, matrix, threads, False)
    result = arrays.empty_like(matrix, wanted) if out is None else arrays.result(out)
    if tuple(result.shape) != wanted:
        raise ValueError(f"papilio: out must have the shape {wanted}; got {tuple(result.shape)}")
    if _dtype_of(result) != _dtype_of(matrix):
        raise TypeError(f"papilio: out must be of the dtype of matrix, {_dtype_of(matrix)}; got {_dtype_of(result)}")
    if 0 not in shape:
        batch = shape[0] if len(shape) == 3 else 1
        source, stride = _first_of(arrays, matrix, "matrix", False)
        target, out_stride = _first_of(arrays, result, "out", True)
        _core.transpose(source, target, batch, stride, out_stride, call.threads, call.stream)
    return call.finish(result, out)


def _first_of(arrays: Any, x: Any, what: str, writable: bool) -> tuple[Any, int]:
    """The first matrix of a batch, and the entries from it to the next."""
    if x.ndim == 2:
        return arrays.elements(x, what, writable), 0
    if hasattr(x, "strides"):
        step, left = divmod(x.strides[0], x.itemsize)
        if left:
            raise ValueError(f"papilio: {what} has a stride that is no multiple of its entries; use x.copy()")
    elif callable(getattr(x, "stride", None)):
        step = x.stride(0)
    else:  # of JAX: as NumPy sees it
        step = int(np.asarray(x).strides[0]) // np.asarray(x).itemsize
    return arrays.elements(x[0], what, writable), int(step)
