"""Tables for many draws from one row of weights."""

from __future__ import annotations

from typing import Any

import numpy as np

from papilio import _core, _seeds
from papilio._arguments import unsigned
from papilio._checked import real, threads as checked_threads
from papilio._frameworks import NumPy, adopt, room


class _Table:
    _made_by: Any

    def __init__(self, weights: Any):
        weights, arrays = adopt(weights, "weights")
        if weights.ndim != 1:
            raise ValueError(f"papilio: a table is made from weights of one dimension; got {weights.ndim}")
        self._table = self._made_by.of(arrays.view(weights, "weights"))

    @property
    def categories(self) -> int:
        """The number of categories."""
        return int(self._table.categories())

    def __len__(self) -> int:
        return self.categories

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.categories} categories)"

    def __reduce__(self) -> Any:
        raise TypeError(f"papilio.{type(self).__name__} cannot be pickled or copied; pickle its weights")

    def sample(
        self,
        size: int | None = None,
        *,
        seed: Any,
        stream: int = 0,
        first_draw: int = 0,
        out: Any = None,
        dtype: Any = None,
        threads: int = 0,
    ) -> np.ndarray:
        """Draw `size` categories, or as many as `out` holds.

        Parameters
        ----------
        size : int, optional
            Required without `out`.
        seed : int, numpy.random.Generator or key of JAX
            As for `sample_categorical`.
        stream : int, default 0
            As for `sample_categorical`. A table takes the same random numbers, so use another stream for other draws.
        first_draw : int, default 0
            The number of the first draw; the next ones follow. A batch may be split into calls at will.
        out : numpy.ndarray of int32 or int64, optional
            Receives the categories and is returned; contiguous.
        dtype : {"int32", "int64"}, optional
            The dtype of the result; int64 by default.
        threads : int, default 0
            0: all processors. Never changes a result.

        Returns
        -------
        numpy.ndarray of shape (size,)

        Raises
        ------
        ValueError, TypeError
            `size` and `out` both or neither given; a seed, stream or number out of range; a wrong dtype.
        """
        out = NumPy.view(room(size, out, dtype), "out")
        numbers = unsigned(_seeds.number(seed), "seed"), unsigned(stream, "stream"), unsigned(first_draw, "first_draw")
        self._table.draw(out, *numbers, checked_threads(threads))
        return out


class AliasTable(_Table):
    """An alias table: many draws from one row of weights, each in constant time.

    Parameters
    ----------
    weights : array of shape (K,)
        float32 or float64, on the CPU; finite, >= 0, at least one > 0.

    Raises
    ------
    ValueError
        Weights that cannot be drawn from, or on a CUDA device.
    TypeError
        Another dtype.

    Notes
    -----
    O(K) to make, O(1) per draw, 16 bytes per category. Vose's method, computed in double in a fixed order: the
    table and its draws are the same on every machine.

    Examples
    --------
    >>> table = AliasTable([1, 2, 0, 1])
    >>> table.sample(8, seed=7)
    array([1, 1, 0, 1, 1, 1, 1, 1])
    """

    _made_by = _core.AliasTable


class CumulativeTable(_Table):
    """Cumulative sums: many draws from one row of weights, each by a binary search.

    The category never decreases as the uniform random number grows.

    Parameters
    ----------
    weights : array of shape (K,)
        float32 or float64, on the CPU; finite, >= 0, at least one > 0.

    Raises
    ------
    ValueError
        Weights that cannot be drawn from, or on a CUDA device.
    TypeError
        Another dtype.

    Notes
    -----
    O(K) to make, O(log K) per draw, 8 bytes per category. The same on every machine. Draws differ from those of
    `AliasTable`.

    Examples
    --------
    >>> table = CumulativeTable([1, 2, 0, 1])
    >>> table.sample(8, seed=7)
    array([3, 3, 0, 1, 3, 1, 1, 1])
    >>> table.find(0.8)
    3
    """

    _made_by = _core.CumulativeTable

    def find(self, u: float) -> int:
        """The category whose interval contains ``u * total``.

        Parameters
        ----------
        u : float
            0 <= u < 1.

        Returns
        -------
        int
        """
        return int(self._table.find(real(u, "papilio: u", "a number, 0 <= u < 1")))
