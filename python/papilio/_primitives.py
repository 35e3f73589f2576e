"""Passes over whole arrays: reductions by index and by segment, compaction, transposition.

As in `_direct_draws`, every array that is made on the way keeps a name until the call returns.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from papilio import _core
from papilio._arguments import index_dtype
from papilio._checked import flag, whole
from papilio._keywords import suggests_options
from papilio._options import ReduceOp
from papilio._primitive_calls import (
    Call,
    dtype_of,
    first_of,
    flags_of,
    neutral,
    own,
    result_of,
    size_of,
    values_of,
    whole_numbers,
)

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


@suggests_options
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
    >>> import papilio
    >>> _, status = papilio.scan(np.array([2**31 - 1, 1], dtype=np.int32), return_status=True)
    >>> papilio.primitive_status(status)
    PrimitiveStatus(error='sum_overflow', place=1)
    """
    error, place = _core.read_status(int(status[0]))
    return PrimitiveStatus(_ERRORS[error], place)


@suggests_options
def reduce_by_index(
    indices: Any,
    values: Any = None,
    bins: int | None = None,
    *,
    op: ReduceOp = "sum",
    skip_out_of_range: bool = False,
    small_workspace: bool = False,
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
        int32, int64, float32 or float64; contiguous. By default items are counted.
    bins : int, optional
        The number of bins; required without `out`. They begin with the neutral element of `op`.
    op : {"sum", "minimum", "maximum", "bit_and", "bit_or", "bit_xor"}, default "sum"
        The last three for integers.
    skip_out_of_range : bool, default False
        Leave out items whose index is not that of a bin; else they are an error.
    small_workspace : bool, default False
        On a CUDA device, do without a copy of the items, which makes sums into 10 to 100 million bins 1.2 to 2 times
        as fast. Never changes a result.
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
        first, arrays = values_of(indices, "indices", "reduce_by_index")
        like = first
        indices = first
        name = index_dtype(dtype) if dtype is not None else arrays.result_dtype
    else:
        if dtype is not None:
            raise ValueError("papilio: dtype is that of counts; a result has the dtype of its values")
        values, arrays = values_of(values, "values", "reduce_by_index")
        like, name = values, None
        size_of(values, "values")
    indices = whole_numbers(indices, arrays, like, "indices", keep_int32=True)
    size_of(indices, "indices")
    if (bins is None) == (out is None):
        raise ValueError("papilio: give either bins or out")
    call = Call(arrays, like, threads, return_status)
    skip = flag(skip_out_of_range, "papilio: skip_out_of_range")
    small = flag(small_workspace, "papilio: small_workspace")
    items = None if values is None else arrays.view(values, "values")
    if out is None:
        bins = whole(bins, "papilio: bins", 0, 2**63 - 1, "a number of bins, 0 or more")
        result = arrays.filled_like(like, (bins,), name, neutral(op, name or dtype_of(like)))
    else:
        result = result_of(arrays, like, out, None)
    call.run(_core.reduce_by_index, arrays.view(indices, "indices"), items, arrays.view(result, "out"), op, skip, small)
    return call.finish(result, out)


@suggests_options
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
        int32, int64, float32 or float64; contiguous.
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
    values, arrays = values_of(values, "values", "segmented_reduce")
    size_of(values, "values")
    offsets = whole_numbers(offsets, arrays, values, "offsets")
    segments = size_of(offsets, "offsets") - 1
    if segments < 0:
        raise ValueError("papilio: offsets must have one entry more than there are segments, so at least one; got none")
    call = Call(arrays, values, threads, return_status)
    result = result_of(arrays, values, out, segments)
    bounds = arrays.view(offsets, "offsets")
    call.run(_core.segmented_reduce, arrays.view(values, "values"), bounds, arrays.view(result, "out"), op)
    return call.finish(result, out)


@suggests_options
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
    values, arrays = values_of(values, "values", "compact")
    size = size_of(values, "values")
    marks = flags_of(flags, arrays, values)
    if size_of(marks, "flags") != size:
        raise ValueError(f"papilio: flags must have one entry per value; got {marks.shape[0]} for {size} values")
    call = Call(arrays, values, threads, False)
    kept = result_of(arrays, values, out, size)
    if dtype_of(kept) != dtype_of(values):
        raise TypeError(f"papilio: out must be of the dtype of values, {dtype_of(values)}; got {dtype_of(kept)}")
    size_of(kept, "out")
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
    return arrays.finish(kept if 2 * number >= size else own(kept), values)


@suggests_options
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
    matrix, arrays = values_of(matrix, "matrix", "transpose")
    if matrix.ndim not in (2, 3):
        raise ValueError(f"papilio: matrix must have two dimensions, or three where it is a batch; got {matrix.ndim}")
    shape = tuple(int(size) for size in matrix.shape)
    wanted = (*shape[:-2], shape[-1], shape[-2])
    call = Call(arrays, matrix, threads, False)
    result = arrays.empty_like(matrix, wanted) if out is None else arrays.result(out)
    if tuple(result.shape) != wanted:
        raise ValueError(f"papilio: out must have the shape {wanted}; got {tuple(result.shape)}")
    if dtype_of(result) != dtype_of(matrix):
        raise TypeError(f"papilio: out must be of the dtype of matrix, {dtype_of(matrix)}; got {dtype_of(result)}")
    if 0 not in shape:
        batch = shape[0] if len(shape) == 3 else 1
        source, stride = first_of(arrays, matrix, "matrix", False)
        target, out_stride = first_of(arrays, result, "out", True)
        _core.transpose(source, target, batch, stride, out_stride, call.threads, call.stream)
    return call.finish(result, out)
