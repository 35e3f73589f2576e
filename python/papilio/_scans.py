"""Running combinations of whole arrays, and of each of their segments.

As in `_direct_draws`, every array that is made on the way keeps a name until the call returns.
"""

from __future__ import annotations

from typing import Any

from papilio import _core
from papilio._checked import flag
from papilio._keywords import suggests_options
from papilio._options import ReduceOp
from papilio._primitive_calls import Call, flags_of, result_of, size_of, values_of, whole_numbers


@suggests_options
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
        int32, int64, float32 or float64; contiguous.
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


@suggests_options
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
        int32, int64, float32 or float64; contiguous.
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
    values, arrays = values_of(values, "values", caller)
    size = size_of(values, "values")
    exclusive = flag(exclusive, "papilio: exclusive")
    bounds = by = None
    if segments is not None:
        offsets, flags = segments
        if offsets is not None:
            by = whole_numbers(offsets, arrays, values, "offsets")
            if size_of(by, "offsets") < 1 or (arrays.is_on_cpu(values) and (int(by[0]) != 0 or int(by[-1]) != size)):
                ends = f"{int(by[0])} ... {int(by[-1])}" if by.shape[0] else "none"
                raise ValueError(f"papilio: offsets must go from 0 to the number of values, {size}; got {ends}")
        else:
            by = flags_of(flags, arrays, values)
            if size_of(by, "flags") != size:
                raise ValueError(f"papilio: flags must have one entry per value; got {by.shape[0]} for {size} values")
        bounds = arrays.view(by, "offsets or flags")
    call = Call(arrays, values, threads, return_status)
    result = result_of(arrays, values, out, size + more)
    call.run(_core.scan, arrays.view(values, "values"), bounds, arrays.view(result, "out"), op, exclusive)
    return call.finish(result, out)
