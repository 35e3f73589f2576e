"""Tables for many draws from one row."""

from __future__ import annotations

from typing import Any

import numpy as np

from papilio import _core
from papilio._arguments import index_dtype, unsigned
from papilio._frameworks import adopt


class _Table:
    _made_by: Any

    def __init__(self, weights: Any):
        weights, arrays = adopt(weights, "weights")
        if weights.ndim != 1:
            raise ValueError(f"papilio: a table is made from weights of one dimension; got {weights.ndim}")
        self._table = self._made_by.of(arrays.view(weights, "weights"))

    @property
    def categories(self) -> int:
        """How many categories the row has."""
        return int(self._table.categories())

    def __len__(self) -> int:
        return self.categories

    def sample(
        self,
        size: int | None = None,
        *,
        seed: int,
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
            Left out where `out` is given.
        seed, stream : int
            As for `sample_categorical`, with which a table shares its random numbers.
        first_draw : int
            Draw i is number ``first_draw + i``, so that batches split freely.
        out : numpy.ndarray of int32 or int64, optional
            Contiguous; is returned.
        dtype : "int32" or "int64", optional
            Of the result; int64 by default.
        threads : int
            0: all processors. Never changes a result.

        Returns
        -------
        numpy.ndarray of shape (size,)
        """
        if (size is None) == (out is None):
            raise ValueError("papilio: give either size or out")
        if out is None:
            out = np.empty(size, "int64" if dtype is None else index_dtype(dtype))
        elif dtype is not None:
            raise ValueError("papilio: out has a dtype of its own; give either out or dtype")
        self._table.draw(
            out, unsigned(seed, "seed"), unsigned(stream, "stream"), unsigned(first_draw, "first_draw"), threads
        )
        return out


class AliasTable(_Table):
    """Many draws from one row, each in constant time.

    Parameters
    ----------
    weights : array of shape (K,)
        float32 or float64, on the CPU; finite, >= 0, at least one > 0.

    Raises
    ------
    ValueError
        A row that cannot be drawn from.

    Notes
    -----
    O(K) to make (Vose's method, in double, in a fixed order: the same table on every
    machine), O(1) a draw, 16 bytes a category.

    Examples
    --------
    >>> table = AliasTable([1, 2, 0, 1])
    >>> table.sample(8, seed=7)
    array([1, 1, 0, 1, 1, 1, 1, 1])
    """

    _made_by = _core.AliasTable


class CumulativeTable(_Table):
    """Many draws from one row, each by a binary search; monotone in the uniform number.

    Parameters
    ----------
    weights : array of shape (K,)
        float32 or float64, on the CPU; finite, >= 0, at least one > 0.

    Raises
    ------
    ValueError
        A row that cannot be drawn from.

    Notes
    -----
    O(K) to make, O(log K) a draw, 8 bytes a category. Draws differ from `AliasTable`'s.

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
        """The category in whose interval ``u * total`` lies; 0 <= u < 1."""
        return int(self._table.find(u))
