"""One draw from each of many rows of weights."""

from __future__ import annotations

import enum
import operator
from typing import Any

import numpy as np

from papilio import _core, _frameworks


class DrawStatus(enum.IntEnum):
    """What became of a row; a row that is not `OK` gives -1."""

    OK = 0
    EMPTY = 1
    ALL_ZERO = 2
    NEGATIVE = 3
    NOT_A_NUMBER = 4
    INFINITE = 5
    OVERFLOW = 6
    NO_SUCH_ROW = 7


def sample_categorical(
    weights: Any,
    *,
    seed: Any,
    stream: int = 0,
    row_ids: Any = None,
    indices: Any = None,
    indptr: Any = None,
    logits: bool = False,
    temperature: float | None = None,
    out: Any = None,
    return_status: bool = False,
    dtype: Any = None,
    check_negative: bool = True,
    threads: int = 0,
    method: str = "slots",
    cuda_stream: int | None = None,
) -> Any:
    """Draw one category from each row of weights.

    The same seed, stream, row numbers and weights give the same categories, bit for bit, on
    every machine, for any number of threads and any split of the rows, on the CPU and on
    CUDA devices, from Python and from C++.

    Parameters
    ----------
    weights : array of shape (rows, K), (K,) or, with `indptr`, (values,)
        float16, bfloat16, float32 or float64; from NumPy, PyTorch, CuPy, JAX or anything with
        ``__dlpack__``, ``__cuda_array_interface__``, ``__array_interface__`` or a buffer.
        Finite, >= 0, at least one > 0 a row; rows need not sum to 1. Strides may be any;
        nothing is copied. Lists of numbers are taken as float64.
    seed : int, array of int64 or uint64 of shape (rows,), or torch.Generator
        0 <= seed < 2^64. With an array each row has its own. A generator of PyTorch, for tensors,
        gives a seed of 63 bits and moves on; it is on the CPU or on the device of the weights.
    stream : int
        Independent draws under one seed: an iteration, a purpose. Below 2^32, to keep clear
        of those that training uses.
    row_ids : None, int or array of integers, shape (rows,)
        The numbers of the draws: 0, 1, ... by default, or counted from an integer. A row keeps
        its draw wherever it stands in a batch, if it keeps its number.
    indices : array of integers, shape (rows,), optional
        Draw from row ``indices[i]`` of `weights`. A row may be picked more than once.
    indptr : array of int64, shape (rows + 1,), optional
        Rows of different lengths, one after the other: row i is
        ``weights[indptr[i]:indptr[i + 1]]``, as in a CSR matrix.
    logits : bool
        `weights` are logits: category k has the weight ``exp((logit - largest) / temperature)``.
        -inf is a weight of 0. Not with `indptr`.
    temperature : float, optional
        1 by default; only with `logits`.
    out : array of int32 or int64, shape (rows,), optional
        Receives the categories and is returned; contiguous, where the weights are.
    return_status : bool
        Return ``(categories, status)``: status is uint8, a `DrawStatus` a row, and rows that
        cannot be drawn from give -1.
    dtype : "int32" or "int64", optional
        Of the result; int64 by default (int32 for JAX).
    check_negative : bool
        False skips the search for negative weights.
    threads : int
        0: all processors. Never changes a result.
    method : str
        "slots", or a method of the papers (docs/sampling.md), for study.
    cuda_stream : int, optional
        The CUDA stream to queue on, as a pointer; by default the framework's current one.

    Returns
    -------
    array of shape (rows,), or a single number for `weights` of shape (K,)
        Of the framework of `weights`, on their device.

    Raises
    ------
    ValueError
        A row on the CPU that cannot be drawn from, unless `return_status`; indices out of
        range; shapes or devices that do not fit. On a CUDA device a bad row gives -1 instead:
        the call does not wait.
    TypeError
        A dtype or an object that cannot be drawn from.
    RuntimeError
        `DeviceError`: a CUDA device failed; `DeviceUnavailable`: it is not there, or this
        build has no CUDA.

    Notes
    -----
    Takes time O(weights), one read of them; no memory but the result (logits on a CUDA
    device: 4 bytes a weight, 8 for float64). The GIL is released. On a CUDA device the call
    queues work and returns; it may be captured into a CUDA graph.

    Examples
    --------
    >>> import numpy as np
    >>> weights = np.array([[1, 2, 1], [0, 0, 5], [3, 0, 1]], dtype=np.float32)
    >>> sample_categorical(weights, seed=7)
    array([2, 2, 0])

    The draws of one call, in two:

    >>> sample_categorical(weights[1:], seed=7, row_ids=1)
    array([2, 0])

    A row that cannot be drawn from:

    >>> sample_categorical(np.zeros((1, 3)), seed=7)
    Traceback (most recent call last):
    ...
    ValueError: papilio::sample_categorical: row 0 has no positive weight, so there is nothing to draw (3 categories)
    >>> sample_categorical(np.zeros((1, 3)), seed=7, return_status=True)
    (array([-1]), array([2], dtype=uint8))

    Rows of different lengths, and logits:

    >>> sample_categorical(np.ones(6), indptr=np.array([0, 3, 4, 6]), seed=7)
    array([2, 0, 0])
    >>> sample_categorical(np.log(weights, where=weights > 0, out=np.full((3, 3), -np.inf)), logits=True, seed=7)
    array([2, 2, 0])
    """
    weights, arrays = _frameworks.adopt(weights, "weights")
    options = (seed, stream, row_ids, out, return_status, dtype, check_negative, threads, method, cuda_stream)
    if temperature is None:
        temperature = 1.0
    elif not logits:
        raise ValueError("papilio: a temperature applies to logits; pass logits=True")
    if arrays.is_traced(weights):
        return arrays.trace()(weights, indices, indptr, logits, temperature, options)
    single = indptr is None and weights.ndim == 1
    if single and indices is not None:
        raise ValueError("papilio: indices pick rows, but weights of one dimension are a single row")
    if not 1 <= weights.ndim <= 2:
        raise ValueError(f"papilio: weights must have one or two dimensions; got {weights.ndim}")
    rows = 1 if single else weights.shape[0]
    view = arrays.view(weights, "weights")
    picked = None
    if indices is not None:
        indices = arrays.integers(indices, "int32", "indices", weights)
        rows = _length(indices, "indices")
        picked = arrays.view(indices, "indices")
    if indptr is not None:
        if logits:
            raise ValueError("papilio: logits are not taken with indptr: their rows must be of one length")
        indptr = arrays.integers(indptr, "int64", "indptr", weights)
        if indices is None:
            rows = _length(indptr, "indptr") - 1
        if rows < 0:
            raise ValueError("papilio: indptr must have one entry more than there are rows, so at least one; got none")
        source: tuple[Any, ...] = ("ragged", view, arrays.view(indptr, "indptr"), picked)
    elif logits:
        source = ("logits", view, picked, float(temperature))
    else:
        source = ("matrix", view, picked)
    return _draw(arrays, weights, source, rows, single, options)


def sample_products(
    left: Any,
    right: Any,
    left_rows: Any = None,
    right_rows: Any = None,
    *,
    seed: Any,
    stream: int = 0,
    row_ids: Any = None,
    out: Any = None,
    return_status: bool = False,
    dtype: Any = None,
    check_negative: bool = True,
    threads: int = 0,
    method: str = "slots",
    cuda_stream: int | None = None,
) -> Any:
    """Draw one category from each product of two rows, which is never stored.

    Category k of draw i has the weight ``left[left_rows[i], k] * right[right_rows[i], k]``. In
    a topic model `left` is theta, by document, and `right` is phi, by word: this draws the
    topic of every token.

    Parameters
    ----------
    left, right : arrays of shape (rows, K)
        float32 or float64, both alike; columns next to each other. As `weights` of
        `sample_categorical` otherwise.
    left_rows, right_rows : arrays of integers, shape (draws,), optional
        The rows of each draw; without them a side gives its rows in order.
    seed, stream, row_ids, out, return_status, dtype, check_negative, threads, method, cuda_stream
        As for `sample_categorical`.

    Returns
    -------
    array of shape (draws,)
        Of the framework of `left`, on its device.

    Raises
    ------
    ValueError, TypeError, RuntimeError
        As `sample_categorical`.

    Examples
    --------
    >>> import numpy as np
    >>> theta = np.array([[0.5, 0.5, 0], [0, 0.1, 0.9]])
    >>> phi = np.array([[0.2, 0, 0.8], [0.1, 0.6, 0.3], [0.4, 0.4, 0.2]])
    >>> sample_products(theta, phi, [0, 0, 1, 1], [0, 1, 1, 2], seed=7)
    array([0, 1, 1, 2])
    """
    left, arrays = _frameworks.adopt(left, "left")
    options = (seed, stream, row_ids, out, return_status, dtype, check_negative, threads, method, cuda_stream)
    if arrays.is_traced(left):
        return arrays.trace_products()(left, right, left_rows, right_rows, options)
    right = arrays.like(right, "right")
    rows = _length(left, "left", 2)
    picked_left = picked_right = None
    if left_rows is not None:
        left_rows = arrays.integers(left_rows, "int32", "left_rows", left)
        rows = _length(left_rows, "left_rows")
        picked_left = arrays.view(left_rows, "left_rows")
    if right_rows is not None:
        right_rows = arrays.integers(right_rows, "int32", "right_rows", left)
        picked_right = arrays.view(right_rows, "right_rows")
    source = ("products", arrays.view(left, "left"), picked_left, arrays.view(right, "right"), picked_right)
    return _draw(arrays, left, source, rows, False, options)


def _length(x: Any, what: str, dimensions: int = 1) -> int:
    if x.ndim != dimensions:
        expected = "one dimension" if dimensions == 1 else "two dimensions"
        raise ValueError(f"papilio: {what} must have {expected}; got {x.ndim}")
    return int(x.shape[0])


def _number(x: Any, what: str) -> int:
    """An integer as 64 bits."""
    x = operator.index(x)
    if not 0 <= x < 2**64:
        raise ValueError(f"papilio: {what} must lie in 0 <= {what} < 2^64; got {x}")
    return x


def _is_number(x: Any) -> bool:
    return isinstance(x, (int, np.integer)) and not isinstance(x, bool)


def _many(x: Any, arrays: Any, like: Any, rows: int, what: str) -> Any:
    """One number a row; a seed without a dimension is that of all rows, a row number that of the first."""
    x = arrays.integers(x, "int64", what, like)
    if x.ndim == 0:
        x = arrays.repeat(x, rows) if what == "seed" else arrays.count_from(x, rows)
    if _length(x, what) != rows:
        raise ValueError(f"papilio: {what} must have one entry a row; got {x.shape[0]} for {rows} rows")
    return x


def _draw(arrays: Any, like: Any, source: tuple[Any, ...], rows: int, single: bool, options: tuple[Any, ...]) -> Any:
    """Makes the arrays of results and calls the library.

    A view may be no more than an address, so every array that was made on the way has a name
    here or in the caller until the call is over.
    """
    seed, stream, row_ids, out, return_status, dtype, check_negative, threads, method, cuda_stream = options
    seeds = numbers = workspace = status = None
    first = 0
    if not _is_number(seed):
        seed = arrays.seed(seed)
    if _is_number(seed):
        seed = _number(seed, "seed")
    elif seed is None or isinstance(seed, (bool, float, str)):
        raise TypeError(f"papilio: the seed must be an integer, or one integer a row; got {seed!r}")
    else:
        seed, seeds = 0, _many(seed, arrays, like, rows, "seed")
    if row_ids is not None:
        if _is_number(row_ids):
            first = _number(row_ids, "row_ids")
        else:
            numbers = _many(row_ids, arrays, like, rows, "row_ids")
    if out is None:
        drawn = arrays.empty(rows, arrays.result_dtype if dtype is None else _result_dtype(dtype), like)
    else:
        if dtype is not None:
            raise ValueError("papilio: the dtype is that of out; give one of the two")
        drawn = arrays.result(out)
        if _length(drawn, "out") != rows:
            raise ValueError(f"papilio: out must have one entry a row; got {drawn.shape[0]} for {rows} rows")
    if return_status:
        status = arrays.empty(rows, "uint8", like)
    if rows > 0:
        if not arrays.is_on_cpu(like):
            if cuda_stream is None:
                cuda_stream = arrays.stream(like)
            size = _core.workspace_bytes(source, method)
            if size > 0:
                workspace = arrays.empty(size, "uint8", like)
        # fmt: off
        _core.draw(source, arrays.view(drawn, "out"),
                   (seed, _number(stream, "stream"), first,
                    None if numbers is None else arrays.view(numbers, "row_ids"),
                    None if seeds is None else arrays.view(seeds, "seed"),
                    None if status is None else arrays.view(status, "status"),
                    check_negative, threads, method, cuda_stream or 0,
                    None if workspace is None else arrays.view(workspace, "the workspace")))
        # fmt: on
    if out is None:
        drawn = arrays.finish(drawn, like)
        if single:
            drawn = drawn[0]
    if status is None:
        return drawn
    status = arrays.finish(status, like)
    return drawn, status[0] if single else status


def _result_dtype(dtype: Any) -> str:
    name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", None) or str(dtype).rpartition(".")[2]
    if name not in ("int32", "int64"):
        raise TypeError(f"papilio: results are int32 or int64; got dtype {dtype!r}")
    return name
