"""Tables for many draws from one row of weights."""

from __future__ import annotations

from typing import Any

from papilio import _core, _seeds
from papilio._arguments import room, unsigned, without_gaps
from papilio._checked import real, threads as checked_threads
from papilio._device_arrays import UnknownCuda
from papilio._frameworks import NumPy, adopt


class _Table:
    _made_by: Any

    def __init__(self, weights: Any):
        weights, arrays = adopt(weights, "weights")
        if weights.ndim != 1:
            raise ValueError(f"papilio: a table is made from weights of one dimension; got {weights.ndim}")
        weights = without_gaps(weights)
        on_cpu = arrays.is_on_cpu(weights)
        self._table = self._made_by.of(arrays.view(weights, "weights"), 0 if on_cpu else arrays.stream(weights))
        self._arrays = NumPy if on_cpu else arrays
        # An array on the device of the draws; of an unknown framework, the weights themselves.
        self._like: Any = None
        if not on_cpu:
            self._like = weights if arrays is UnknownCuda else arrays.empty(0, "int64", weights)

    @property
    def device(self) -> str:
        """Where the table is and draws go: "cpu", or "cuda:0", ..."""
        return str(self._table.device())

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
        cuda_stream: int | None = None,
    ) -> Any:
        """Draw `size` categories, or as many as `out` holds.

        Parameters
        ----------
        size : int, optional
            Required without `out`.
        seed : int, generator or key of JAX
            As for `sample_categorical`.
        stream : int, default 0
            As for `sample_categorical`. A table takes the same random numbers, so use another stream for other draws.
        first_draw : int, default 0
            The number of the first draw; the next ones follow. A batch may be split into calls at will.
        out : array of int32 or int64, optional
            Receives the categories and is returned; contiguous, on the device of the table.
        dtype : {"int32", "int64"}, optional
            The dtype of the result; int64 by default.
        threads : int, default 0
            0: all processors. Never changes a result.
        cuda_stream : int, optional
            For a table on a CUDA device: the CUDA stream to use, as a pointer. By default the framework's current
            stream.

        Returns
        -------
        array of shape (size,)
            Of NumPy; for a table on a CUDA device, of the framework of its weights, on that device.

        Raises
        ------
        ValueError, TypeError
            `size` and `out` both or neither given; a seed, stream or number out of range; a wrong dtype; `out` on
            another device than the table.
        """
        arrays = self._arrays
        drawn = room(size, out, dtype, arrays, self._like)
        numbers = unsigned(_seeds.number(seed), "seed"), unsigned(stream, "stream"), unsigned(first_draw, "first_draw")
        if cuda_stream is None:
            cuda_stream = arrays.stream(self._like)
        self._table.draw(arrays.view(drawn, "out"), *numbers, checked_threads(threads), cuda_stream)
        return drawn if out is None else out


class AliasTable(_Table):
    """An alias table: many draws from one row of weights, each in constant time.

    Parameters
    ----------
    weights : array of shape (K,)
        float32 or float64; finite, >= 0, at least one > 0. Weights with gaps, such as a column of a matrix, are copied.
        The table is where the weights are: on a CUDA device too.

    Raises
    ------
    ValueError
        Weights that cannot be drawn from.
    TypeError
        Another dtype.
    DeviceError, DeviceUnavailable
        As for `sample_categorical`.

    Notes
    -----
    O(K) to make, O(1) per draw, 16 bytes per category. Vose's method, computed in double in a fixed order: the
    table and its draws are the same on every machine and CUDA device. Weights on a CUDA device are copied to the CPU,
    which the constructor waits for, and the table is copied back; `sample` only queues its draws there.

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
        float32 or float64; finite, >= 0, at least one > 0. Weights with gaps, such as a column of a matrix, are copied.
        The table is where the weights are: on a CUDA device too.

    Raises
    ------
    ValueError
        Weights that cannot be drawn from.
    TypeError
        Another dtype.
    DeviceError, DeviceUnavailable
        As for `sample_categorical`.

    Notes
    -----
    O(K) to make, O(log K) per draw, 8 bytes per category. The same on every machine, and on CUDA devices as for
    `AliasTable`. Draws differ from those of `AliasTable`.

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
        """The category whose interval contains ``u * total``. Of a table on the CPU.

        Parameters
        ----------
        u : float
            0 <= u < 1.

        Returns
        -------
        int
        """
        return int(self._table.find(real(u, "papilio: u", "a number, 0 <= u < 1")))
