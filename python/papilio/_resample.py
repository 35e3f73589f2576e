"""`papilio.resample`: the ancestors of a particle filter's next step."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from papilio import _core, _seeds
from papilio._arguments import index_dtype, length, unsigned, without_gaps
from papilio._checked import whole
from papilio._keywords import suggests_options
from papilio._without_replacement import _adopted


@suggests_options
def resample(
    weights: Any,
    m: int | None = None,
    *,
    method: Literal["systematic", "stratified", "residual", "multinomial"] = "systematic",
    seed: Any,
    stream: int = 0,
    dtype: Any = None,
) -> np.ndarray:
    """Draw the ancestors of `m` particles from n weighted ones: categories in ascending order.

    Parameters
    ----------
    weights : array of shape (n,)
        Finite and >= 0, at least one > 0; float32 or float64 on the CPU, or numbers that become float64.
    m : int, optional
        The number of draws, 0 to 2^31 - 1; n by default.
    method : {"systematic", "stratified", "residual", "multinomial"}, default "systematic"
        Every category is expected ``m * w / sum(w)`` times. ``systematic`` draws it that often, rounded down or up;
        ``residual`` at least that often rounded down, the rest independently; ``stratified`` has a random number for
        each m-th of the total; the draws of ``multinomial`` are independent.
    seed : int, generator or key of JAX
        As for `sample_categorical`.
    stream : int, default 0
        As for `sample_categorical`: the time step.
    dtype : {"int32", "int64"}, optional
        The dtype of the result; int64 by default.

    Returns
    -------
    numpy.ndarray of shape (m,)
        Categories that never decrease.

    Raises
    ------
    ValueError
        Weights that cannot be drawn from, an unknown method, a number out of range, an array not on the CPU.
    TypeError
        Objects that are no numbers.

    Notes
    -----
    Weights become whole numbers of at most 62 bits, and all else is exact arithmetic with these, so the result is the
    same on every machine, and counts keep within their bounds exactly. Time is O(n + m), or O(n + m log m) for
    ``residual`` and ``multinomial``.

    Source: Douc and Cappé, ISPA 2005, for the four methods side by side.

    Examples
    --------
    >>> resample([1, 2, 0, 1], 8, seed=7)
    array([0, 0, 1, 1, 1, 1, 3, 3])
    >>> resample([1, 2, 0, 1], 8, method="multinomial", seed=7)
    array([0, 1, 1, 1, 1, 3, 3, 3])
    """
    array, arrays = _adopted(weights, "weights")
    n = length(array, "weights")
    array = without_gaps(array)
    if not isinstance(method, str):
        raise TypeError(f"papilio: method is {method!r}, expected a str")
    m = n if m is None else whole(m, "papilio: m", 0, 2**31 - 1, "a number of draws, 0 or more")
    ancestors = np.empty(m, "int64" if dtype is None else index_dtype(dtype))
    numbers = unsigned(_seeds.number(seed), "seed"), unsigned(stream, "stream")
    _core.resample(arrays.view(array, "weights"), ancestors, method, *numbers)
    return ancestors
