"""The public functions that draw: which framework, and whether it compiles the call."""

from __future__ import annotations

import enum
from typing import Any

from papilio import _direct_draws
from papilio._arguments import DrawOptions
from papilio._checked import flag, threads as checked_threads
from papilio._frameworks import Torch, adopt, compiler_of
from papilio._keywords import suggests_options
from papilio._options import PartialSums


class DrawStatus(enum.IntEnum):
    """The status of a row. A row that is not `OK` gives category -1.

    Attributes
    ----------
    OK
        A category was drawn.
    EMPTY
        The row has no categories.
    ALL_ZERO
        No weight is positive.
    NEGATIVE, NOT_A_NUMBER, INFINITE
        A weight is negative, NaN or infinite.
    OVERFLOW
        The weights are finite, but their sum is not.
    NO_SUCH_ROW
        An index or offset of the row is out of range (on a CUDA device; on the CPU this raises ValueError).
    """

    OK = 0
    EMPTY = 1
    ALL_ZERO = 2
    NEGATIVE = 3
    NOT_A_NUMBER = 4
    INFINITE = 5
    OVERFLOW = 6
    NO_SUCH_ROW = 7


@suggests_options
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

    The probability of a category is its weight divided by the sum of the row.

    Parameters
    ----------
    weights : array of shape (rows, K) or (K,), or (values,) with `indptr`
        float8_e4m3fn, float8_e5m2, float16, bfloat16, float32 or float64; an array of NumPy (8-bit floats and bfloat16
        by `ml_dtypes`), PyTorch, CuPy or JAX, or any object with ``__dlpack__``, ``__cuda_array_interface__``,
        ``__array_interface__`` or a buffer. A list of numbers is read as float64. Weights are finite and >= 0, at least
        one per row is > 0; rows need not sum to 1. Any strides are supported, and nothing is copied; values with
        `indptr` have no gaps.
    seed : int, array of int64 or uint64 of shape (rows,), generator or key
        0 <= seed < 2^64. An array has a seed per row. From a `numpy.random.Generator` or `RandomState` a seed of 64
        bits is drawn, ``generator.integers(2**64, dtype="uint64")``: it advances, so the next call gives new draws.
        From a `torch.Generator` a seed of 63 bits is drawn; the generator is on the CPU or on the device of the
        weights. A key of JAX is a seed, and `jax.random.key(7)` is the seed 7: the first of its two words
        is the high half. Keys of 128 bits are folded. An array of keys has a seed per row. JAX arrays of uint32 are raw
        keys, of shape (2,) or (rows, 2), never seeds per row.
    stream : int, default 0
        Selects independent draws under one seed: an iteration, a purpose. 0 <= stream < 2^64; training uses streams
        from 2^32 up.
    row_ids : int or array of integers of shape (rows,), optional
        The number of each draw. By default rows are numbered 0, 1, ...; an integer is the number of the first row. A
        row with the same number keeps its draw wherever it is in a batch.
    indices : array of integers of shape (rows,), optional
        Draw i is from row ``indices[i]`` of `weights`. A row may be picked more than once.
    indptr : array of int64 of shape (rows + 1,), optional
        Rows of different lengths, one after another: row i is ``weights[indptr[i]:indptr[i + 1]]``, as in a CSR
        matrix.
    logits : bool, default False
        `weights` are logits: the weight of category k is ``exp((logit[k] - max(logit)) / temperature)``. -inf is a
        weight of 0. Cannot be combined with `indptr`.
    temperature : float, optional
        From 2^-100 to 2^100; 1 by default. Only with `logits`.
    out : array of int32 or int64 of shape (rows,), optional
        Receives the categories and is returned. Contiguous, on the device of the weights.
    return_status : bool, default False
        Return ``(categories, status)``. `status` is uint8, a `DrawStatus` per row, and a row that cannot be drawn from
        gives -1.
    dtype : {"int32", "int64"}, optional
        The dtype of the result: int64 by default, int32 for JAX.
    check_negative : bool, default True
        False skips the check for negative weights; a row that has some gives an arbitrary category.
    threads : int, default 0
        CPU threads; 0: all processors.
    method : str, default "slots"
        How the weights of a row are added up. The other methods (docs/sampling.md) are for study.
    cuda_stream : int, optional
        The CUDA stream to use, as a pointer. By default the framework's current stream.

    Returns
    -------
    array of shape (rows,), or a scalar for `weights` of shape (K,)
        Of the framework of `weights`, on the same device.

    Raises
    ------
    ValueError
        On the CPU: a row that cannot be drawn from, unless `return_status`, or an index out of range. (On a CUDA device
        the call does not wait; these rows give -1.) Everywhere: shapes, devices or options that do not fit.
    TypeError
        A dtype or an object that cannot be drawn from.
    DeviceError, DeviceUnavailable
        A CUDA device fails; it does not exist, or this build has no CUDA support.

    Notes
    -----
    The draw of a row depends only on the seed, the stream, the number and the weights of the row. It is
    the same bit for bit on every machine, for any number of threads and any split of the rows, on the CPU and on CUDA
    devices, from Python and from C++. (This holds for the method "slots".)

    Time is O(weights): they are read once. Logits on a CUDA device take 4 bytes of temporary memory per weight, 8 for
    float64; other calls take none that grows with the input. The GIL is released. On a CUDA device the call queues work
    and returns; it may be captured into a CUDA graph.

    Examples
    --------
    >>> import numpy as np
    >>> weights = np.array([[1, 2, 1], [0, 0, 5], [3, 0, 1]], dtype=np.float32)
    >>> sample_categorical(weights, seed=7)
    array([2, 2, 0])

    The same draws in two calls:

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
        seed, stream, row_ids, out, flag(return_status, "papilio: return_status"), dtype,
        flag(check_negative, "papilio: check_negative"), checked_threads(threads), method, cuda_stream,
    )  # fmt: skip
    logits = flag(logits, "papilio: logits")
    if temperature is None:
        temperature = 1.0
    elif not logits:
        raise ValueError("papilio: a temperature applies to logits; pass logits=True")
    compiler = compiler_of(
        arrays, weights, seed=seed, row_ids=row_ids, indices=indices, indptr=indptr, stream=stream, temperature=temperature
    )
    if compiler is not None:
        return _compiled_draws(compiler).sample(weights, indices, indptr, logits, temperature, options)
    return _direct_draws.categorical(arrays, weights, indices, indptr, logits, temperature, options)


@suggests_options
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
    """Draw one category from each element-wise product of two rows. The products are never stored.

    The weight of category k of draw i is ``left[left_rows[i], k] * right[right_rows[i], k]``. In a topic model `left`
    is theta, with a row per document, and `right` is phi, with a row per word: one call draws the topic of every token.

    Parameters
    ----------
    left, right : arrays of shape (rows, K)
        float32 or float64, both the same; columns are contiguous. Otherwise as `weights` of `sample_categorical`.
    left_rows, right_rows : arrays of integers of shape (draws,), optional
        The rows of each draw. By default the rows in order.
    seed, stream, row_ids, out, return_status, dtype, check_negative, threads, method, cuda_stream
        As for `sample_categorical`.

    Returns
    -------
    array of shape (draws,)
        Of the framework of `left`, on the same device.

    Raises
    ------
    ValueError, TypeError, DeviceError, DeviceUnavailable
        As for `sample_categorical`.

    Notes
    -----
    Time is O(draws * K). Draws are deterministic as for `sample_categorical`.

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
        seed, stream, row_ids, out, flag(return_status, "papilio: return_status"), dtype,
        flag(check_negative, "papilio: check_negative"), checked_threads(threads), method, cuda_stream,
    )  # fmt: skip
    compiler = compiler_of(
        arrays,
        left,
        seed=seed,
        row_ids=row_ids,
        right=right,
        left_rows=left_rows,
        right_rows=right_rows,
        stream=stream,
    )
    if compiler is not None:
        return _compiled_draws(compiler).products(left, right, left_rows, right_rows, options)
    return _direct_draws.products(arrays, left, right, left_rows, right_rows, options)


def _compiled_draws(compiler: Any) -> Any:
    """The module that draws inside code which the framework compiles; imported when it is first needed."""
    if compiler is Torch:
        from papilio import _torch

        return _torch
    from papilio import _jax

    return _jax
