"""One draw from each of many rows of weights."""

from __future__ import annotations

import enum
from typing import Any

from papilio import _direct_draws
from papilio._arguments import DrawOptions
from papilio._frameworks import Torch, adopt
from papilio._options import PartialSums


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
    method: PartialSums = "slots",
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
    weights, arrays = adopt(weights, "weights")
    options = DrawOptions(
        seed, stream, row_ids, out, return_status, dtype, check_negative, threads, method, cuda_stream
    )
    if temperature is None:
        temperature = 1.0
    elif not logits:
        raise ValueError("papilio: a temperature applies to logits; pass logits=True")
    if arrays.is_traced(weights):
        return _compiled_draws(arrays).sample(weights, indices, indptr, logits, temperature, options)
    return _direct_draws.categorical(arrays, weights, indices, indptr, logits, temperature, options)


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
    method: PartialSums = "slots",
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
    left, arrays = adopt(left, "left")
    options = DrawOptions(
        seed, stream, row_ids, out, return_status, dtype, check_negative, threads, method, cuda_stream
    )
    if arrays.is_traced(left):
        return _compiled_draws(arrays).products(left, right, left_rows, right_rows, options)
    return _direct_draws.products(arrays, left, right, left_rows, right_rows, options)


def _compiled_draws(arrays: Any) -> Any:
    """The module that draws inside code which the framework compiles; imported when it is first needed."""
    if arrays is Torch:
        from papilio import _torch

        return _torch
    from papilio import _jax

    return _jax
