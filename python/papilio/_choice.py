"""`papilio.choice`: draws from one row, as NumPy's `Generator.choice` makes them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from papilio import _core, _seeds
from papilio._arguments import index_dtype, is_integer, length, unsigned, without_gaps
from papilio._checked import flag, of_list, plain, refuse_hidden, threads as checked_threads, whole
from papilio._frameworks import NumPy, adopt
from papilio._keywords import suggests_options


@suggests_options
def choice(
    a: Any,
    size: int | tuple[int, ...] | None = None,
    p: Any = None,
    *,
    seed: Any,
    replace: bool = True,
    stream: int = 0,
    first_draw: int = 0,
    axis: int = 0,
    dtype: Any = None,
    threads: int = 0,
) -> Any:
    """Draw from one row of weights, with replacement: NumPy's `Generator.choice` with a seed.

    Parameters
    ----------
    a : int or array
        The categories: 0 to a - 1, or the entries of an array along `axis`.
    size : int or tuple of int, optional
        The shape of the draws. By default one draw.
    p : array of shape (K,), optional
        The weights of the categories: finite, >= 0, at least one > 0; they need not sum to 1. On the CPU. By default
        all categories have the same weight.
    seed : int, generator or key of JAX
        As for `sample_categorical`.
    replace : bool, default True
        As NumPy's, but False is an error: `sample_without_replacement` draws distinct categories.
    stream : int, default 0
        As for `sample_categorical`; for other draws under the same seed.
    first_draw : int, default 0
        The number of the first draw; the next ones follow. Draws may be split into calls at will.
    axis : int, default 0
        Of `a`, if that is an array.
    dtype : {"int32", "int64"}, optional
        The dtype of the result if `a` is an int; int64 by default.
    threads : int, default 0
        0: all processors. Never changes a result.

    Returns
    -------
    numpy.ndarray of shape `size`, or one category
        If `a` is an array, its entries: shape `size` replaces `axis`.

    Raises
    ------
    ValueError
        Weights that cannot be drawn from, or not one for each category; a number out of range.
    TypeError
        Objects that are not numbers.

    Notes
    -----
    Draw i is a function of the weights, `seed`, `stream` and ``first_draw + i``: the first n of more draws are the n
    draws. It is the same on every machine, for any number of threads. It is the category whose interval of the
    running sums contains ``u * total``. (`AliasTable` has the same distribution, but gives other draws.)

    The time is one reading of the weights, and about 0.1 microseconds per draw. If a call asks for at least 64 draws,
    and at least one for every four categories, an index of all categories is made first, which makes draws cheaper.
    The index never changes a draw. Many calls with the same weights are faster with an `AliasTable` or a
    `CumulativeTable`, which are made once.

    Source: Chen and Asau, AIIE Transactions 6(2), 1974 (the index).

    Examples
    --------
    >>> choice(4, 8, [1, 2, 0, 1], seed=7)
    array([3, 3, 0, 1, 3, 1, 1, 1])
    >>> choice(["red", "green", "blue"], 3, seed=7).tolist()
    ['blue', 'blue', 'red']
    """
    if not flag(replace, "papilio: replace"):
        raise ValueError(
            "papilio: replace is False, but choice draws with replacement; for distinct categories call "
            "papilio.sample_without_replacement(weights, k, seed=seed), with np.ones(a) for equal weights"
        )
    entries = None
    if is_integer(a):
        categories = whole(a, "papilio: a", 1, 2**31 - 1)
    else:
        refuse_hidden(a, "papilio: a")
        entries = of_list(a) if isinstance(a, (list, tuple)) else np.asarray(a)
        if entries.ndim == 0:
            raise TypeError(f"papilio: a is {a!r}, expected a number of categories or an array")
        axis = whole(axis, "papilio: axis", -entries.ndim, entries.ndim - 1)
        categories = whole(entries.shape[axis], "papilio: the number of entries of a", 1, 2**31 - 1)
        if dtype is not None:
            raise ValueError("papilio: dtype is for draws of numbers, but a is an array with a dtype of its own")
    weights, arrays = (None, NumPy) if p is None else _weights(p, categories)
    view = None if weights is None else arrays.view(weights, "p")
    shape = _shape(size)
    drawn = np.empty(math.prod(shape), "int64" if dtype is None else index_dtype(dtype))
    numbers = unsigned(_seeds.number(seed), "seed"), unsigned(stream, "stream"), unsigned(first_draw, "first_draw")
    _core.choice(view, categories, drawn, *numbers, checked_threads(threads))
    drawn = drawn.reshape(shape)
    if entries is not None:
        return entries.take(drawn if size is not None else int(drawn), axis=axis)
    return drawn if size is not None else drawn[()]


def _weights(p: Any, categories: int) -> tuple[Any, Any]:
    """The weights without gaps, and their framework."""
    weights, arrays = adopt(p, "p")
    if arrays is NumPy:
        if weights.dtype not in (np.float32, np.float64) or not weights.dtype.isnative:
            weights = plain(weights, "papilio: p")
            if weights.dtype.kind == "b":
                raise TypeError("papilio: p has the dtype bool, expected real numbers")
            weights = weights.astype(np.float64)
    if length(weights, "p") != categories:
        raise ValueError(f"papilio: p must have one weight per category; got {weights.shape[0]} for {categories}")
    return without_gaps(weights), arrays


def _shape(size: Any) -> tuple[int, ...]:
    if size is None:
        return ()
    sizes = size if isinstance(size, (tuple, list)) else (size,)
    shape = tuple(whole(n, "papilio: size", 0, 2**63 - 1, "a number of draws, or a shape") for n in sizes)
    if math.prod(shape) >= 2**60:
        raise MemoryError(f"papilio: size is {shape}, which is more than any memory holds")
    return shape
