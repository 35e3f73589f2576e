"""Draws without replacement, and reservoirs of streams."""

from __future__ import annotations

from typing import Any

import numpy as np

from papilio import _core, _seeds
from papilio._arguments import index_dtype, is_integer, length, unsigned, without_gaps
from papilio._checked import flag, plain, real, threads as checked_threads, whole
from papilio._frameworks import NumPy, adopt
from papilio._keywords import suggests_options


def _adopted(x: Any, what: str) -> tuple[Any, Any]:
    """Weights as the module takes them, and their framework."""
    weights, arrays = adopt(x, what)
    if arrays is NumPy and (weights.dtype not in (np.float32, np.float64) or not weights.dtype.isnative):
        weights = plain(weights, f"papilio: {what}")
        if weights.dtype.kind == "b":
            raise TypeError(f"papilio: {what} has the dtype bool, expected real numbers")
        weights = weights.astype(np.float64)
    return weights, arrays


def _one_per_row(x: Any, rows: int, what: str) -> np.ndarray:
    numbers = NumPy.integers(x, "int64", what)
    if length(numbers, what) != rows:
        raise ValueError(f"papilio: {what} must have one entry per row; got {numbers.shape[0]} for {rows} rows")
    return numbers


class _Rows:
    """The rows of a call: their source, their number, and the arrays that it looks at."""

    def __init__(self, weights: Any, indices: Any, indptr: Any, logits: bool, temperature: float | None):
        self.weights, arrays = _adopted(weights, "weights")
        if not 1 <= self.weights.ndim <= 2:
            raise ValueError(f"papilio: weights must have one or two dimensions; got {self.weights.ndim}")
        self.single = indptr is None and self.weights.ndim == 1
        self.columns = int(self.weights.shape[-1])
        logits = flag(logits, "papilio: logits")
        temperature = None if temperature is None else real(temperature, "papilio: temperature")
        if temperature is not None and not logits:
            raise ValueError("papilio: a temperature applies to logits; pass logits=True")
        self.view = arrays.view(self.weights, "weights")
        self.indices = self.indptr = None
        if indices is not None:
            if self.single:
                raise ValueError("papilio: indices pick rows, but weights of one dimension are a single row")
            self.indices = NumPy.integers(indices, "int32", "indices")
        if indptr is not None:
            if logits:
                raise ValueError("papilio: indptr cannot be combined with logits, whose rows have one length")
            self.indptr = NumPy.integers(indptr, "int64", "indptr")
            self.count = length(self.indptr, "indptr") - 1
            if self.count < 0:
                raise ValueError(
                    "papilio: indptr must have one entry more than there are rows, so at least one; got none"
                )
            self.source = _core.DrawSource.ragged(self.view, self.indptr, self.indices)
        else:
            self.count = 1 if self.single else int(self.weights.shape[0])
            self.source = (
                _core.DrawSource.logits(self.view, self.indices, 1.0 if temperature is None else temperature)
                if logits
                else _core.DrawSource.matrix(self.view, self.indices)
            )
        if self.indices is not None:
            self.count = length(self.indices, "indices")

    def draw(
        self, size: int, draws: int, seed: Any, stream: int, row_ids: Any, dtype: Any, return_status: bool, threads: int
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """`draws` categories of each row, or all of those of ragged rows where it is negative: `size` in all."""
        seed, seeds = _seeds.known(seed), None
        if is_integer(seed):
            seed = unsigned(seed, "seed")
        elif seed is None or isinstance(seed, (bool, float, str)):
            raise TypeError(f"papilio: the seed must be an integer, or one integer per row; got {seed!r}")
        else:
            seed, seeds = 0, _one_per_row(seed, self.count, "seed")
        first, numbers = 0, None
        if is_integer(row_ids):
            first = unsigned(row_ids, "row_ids")
        elif row_ids is not None:
            numbers = _one_per_row(row_ids, self.count, "row_ids")
        drawn = np.empty(size, "int64" if dtype is None else index_dtype(dtype))
        status = np.empty(self.count, np.uint8) if flag(return_status, "papilio: return_status") else None
        if self.count > 0:
            _core.sample_without_replacement(
                self.source,
                drawn,
                rows=self.count,
                draws=draws,
                seed=seed,
                stream=unsigned(stream, "stream"),
                first_row_id=first,
                row_ids=numbers,
                seeds=seeds,
                status=status,
                threads=checked_threads(threads),
            )
        return drawn, status


def _result(drawn: np.ndarray, status: np.ndarray | None, single: bool) -> Any:
    if single:
        drawn, status = drawn[0], None if status is None else status[0]
    return drawn if status is None else (drawn, status)


@suggests_options
def sample_without_replacement(
    weights: Any,
    k: int,
    *,
    seed: Any,
    stream: int = 0,
    row_ids: Any = None,
    indices: Any = None,
    indptr: Any = None,
    logits: bool = False,
    temperature: float | None = None,
    return_status: bool = False,
    dtype: Any = None,
    threads: int = 0,
) -> Any:
    """Draw `k` distinct categories from each row of weights, one after the other without replacement.

    Each draw takes one of the categories that are left, with a probability in proportion to its weight.

    Parameters
    ----------
    weights : array of shape (rows, K) or (K,), or (values,) with `indptr`
        float32 or float64, on the CPU; other numbers become float64. Finite and >= 0; their sum may be beyond float64.
    k : int
        Draws per row, 0 or more.
    seed, stream, row_ids, indices, indptr
        As for `sample_categorical`; seeds and row numbers may be arrays, one per row.
    logits : bool, default False
        `weights` are logits; -inf is a weight of 0. Cannot be combined with `indptr`.
    temperature : float, optional
        Logits are divided by it; 1 by default. Only with `logits`.
    return_status : bool, default False
        Return ``(categories, status)``: uint8, a `DrawStatus` per row. A faulty row gives -1; one with fewer than `k`
        positive weights gives all of these, then -1, and has the status ``ALL_ZERO`` (``EMPTY`` without categories).
    dtype : {"int32", "int64"}, optional
        The dtype of the result; int64 by default.
    threads : int, default 0
        0: all processors, which share the rows. Never changes a result.

    Returns
    -------
    numpy.ndarray of shape (rows, k), or (k,) for `weights` of shape (K,)
        In the order of the draws.

    Raises
    ------
    ValueError
        Unless `return_status`, a row with weights that cannot be drawn from, or fewer than `k` positive ones; shapes
        or options that do not fit; arrays that are not on the CPU.
    TypeError
        A dtype or an object that cannot be drawn from.

    Notes
    -----
    The draws are those of an exponential race: category c arrives at the time ``E_c / w_c``, and the first `k` to
    arrive are drawn. ``E_c`` depends on the seed, the stream, the number of the row and c, and on nothing else. So
    fewer draws are the first of more, and draws are the same on every machine, for any number of threads and any split
    of the rows. NumPy's ``Generator.choice(replace=False)`` draws from the same distribution.

    Time is about a nanosecond per category, and O(k log k) per row. The GIL is released.

    Source: Efraimidis and Spirakis, Information Processing Letters 97(5), 2006.

    Examples
    --------
    >>> import numpy as np
    >>> weights = np.array([[1, 2, 1, 4], [0, 3, 5, 0]], dtype=np.float32)
    >>> sample_without_replacement(weights, 2, seed=7)
    array([[3, 0],
           [2, 1]])
    >>> sample_without_replacement(weights, 3, seed=7, return_status=True)
    (array([[ 3,  0,  2],
           [ 2,  1, -1]]), array([0, 2], dtype=uint8))
    """
    k = whole(k, "papilio: k", 0, 2**31 - 1, "a number of draws, 0 or more")
    rows = _Rows(weights, indices, indptr, logits, temperature)
    if k > rows.columns and rows.count > 0 and not return_status:  # before an array of k is made
        raise ValueError(f"papilio: k is {k}, but no row has more than {rows.columns} categories")
    drawn, status = rows.draw(rows.count * k, k, seed, stream, row_ids, dtype, return_status, threads)
    return _result(drawn.reshape(rows.count, k), status, rows.single)


@suggests_options
def weighted_shuffle(
    weights: Any,
    *,
    seed: Any,
    stream: int = 0,
    row_ids: Any = None,
    indptr: Any = None,
    return_status: bool = False,
    dtype: Any = None,
    threads: int = 0,
) -> Any:
    """All categories of each row in the order in which they are drawn without replacement: heavy ones tend to be early.

    Parameters
    ----------
    weights, seed, stream, row_ids, indptr, return_status, dtype, threads
        As for `sample_without_replacement`. A weight of 0 is never drawn, so a row with one has the status
        ``ALL_ZERO``, and is an error without `return_status`.

    Returns
    -------
    numpy.ndarray of the shape of `weights`
        Rows of different lengths one after the other, as the weights are; categories count from 0 in each row.

    Raises
    ------
    ValueError, TypeError
        As `sample_without_replacement`.

    Examples
    --------
    >>> weighted_shuffle([1, 2, 3, 4], seed=7)
    array([3, 2, 0, 1])
    """
    rows = _Rows(weights, None, indptr, False, None)
    if rows.indptr is not None:
        size = int(rows.indptr[-1]) - int(rows.indptr[0]) if rows.count > 0 else 0
        if not 0 <= size <= rows.columns:
            ends = f"from {rows.indptr[0]} to {rows.indptr[-1]}"
            raise ValueError(f"papilio: indptr goes {ends}, but there are {rows.columns} weights")
        drawn, status = rows.draw(size, -1, seed, stream, row_ids, dtype, return_status, threads)
        return _result(drawn, status, False)
    size = rows.count * rows.columns
    drawn, status = rows.draw(size, rows.columns, seed, stream, row_ids, dtype, return_status, threads)
    return _result(drawn.reshape(rows.count, rows.columns), status, rows.single)


class WeightedReservoir:
    """`k` distinct items of a stream, drawn by weight without replacement, that needs each item once.

    Parameters
    ----------
    k : int
        How many items are kept: 1 to 2^40 - 1.
    seed : int, generator or key of JAX
        As for `sample_categorical`.
    stream : int, default 0
        As for `sample_categorical`.
    row_id : int, default 0
        The number of the row that the stream of items is.

    Raises
    ------
    ValueError
        A number out of range.

    Notes
    -----
    Items have numbers. What is kept depends on the items, their numbers and their weights, and not on the order in
    which they come, nor on how they are split into pieces or over reservoirs that are merged. It is what
    `sample_without_replacement` draws from a row with the weight of item i in place i, with the same seed, stream and
    row number. An item that is given again with the same weight counts once.

    Pickles, copies and `to_bytes` keep all of it.

    Source: Efraimidis and Spirakis, Information Processing Letters 97(5), 2006.

    Examples
    --------
    >>> reservoir = WeightedReservoir(3, seed=7)
    >>> reservoir.add([1, 2, 1, 4])
    >>> reservoir.add([0, 3, 5, 1], first=4)
    >>> reservoir.items
    array([6, 3, 0])
    >>> sample_without_replacement([1, 2, 1, 4, 0, 3, 5, 1], 3, seed=7)
    array([6, 3, 0])
    """

    def __init__(self, k: int, *, seed: Any, stream: int = 0, row_id: int = 0):
        self._kept = _core.WeightedReservoir.of(
            whole(k, "papilio: k", 1, 2**40 - 1),
            unsigned(_seeds.number(seed), "seed"),
            unsigned(stream, "stream"),
            unsigned(row_id, "row_id"),
        )

    @property
    def k(self) -> int:
        """How many items are kept at most."""
        return self._kept.capacity()

    @property
    def items(self) -> np.ndarray:
        """The numbers of the items that are kept, int64, in the order of the draws; a copy."""
        out = np.empty(len(self), np.int64)
        self._kept.items(out)
        return out

    def __len__(self) -> int:
        return self._kept.size()

    def __repr__(self) -> str:
        return f"WeightedReservoir(k={self.k}, seed={self._kept.seed()}, {len(self)} items)"

    def add(self, weights: Any, first: int = 0) -> None:
        """Add the items `first`, `first` + 1, ... with these weights.

        Parameters
        ----------
        weights : array of shape (n,)
            Finite and >= 0; float32 or float64 on the CPU, or numbers that become float64.
        first : int, default 0
            The number of the first of them; numbers are below 2^62.

        Raises
        ------
        ValueError
            A weight that is negative, infinite or NaN; numbers out of range. Then nothing has changed.
        """
        array, arrays = _adopted(weights, "weights")
        length(array, "weights")
        array = without_gaps(array)
        self._kept.add(arrays.view(array, "weights"), whole(first, "papilio: first", 0, 2**62 - 1))

    def merge(self, other: WeightedReservoir) -> None:
        """Add the items of another reservoir with the same k, seed, stream and row_id; ValueError for others."""
        if not isinstance(other, WeightedReservoir):
            raise TypeError(f"papilio: the other is {type(other).__name__}, expected a WeightedReservoir")
        self._kept.merge(other._kept)

    def to_bytes(self) -> bytes:
        """The state as bytes, the same on every machine; `from_bytes` of them goes on alike."""
        return self._kept.to_bytes()

    @classmethod
    def from_bytes(cls, state: bytes) -> WeightedReservoir:
        """What `to_bytes` kept. ValueError for other bytes."""
        if not isinstance(state, bytes):
            raise TypeError(f"papilio: the state is {type(state).__name__}, expected bytes")
        made = cls.__new__(cls)
        made._kept = _core.WeightedReservoir.from_bytes(state)
        return made

    def __reduce__(self) -> Any:
        return type(self).from_bytes, (self.to_bytes(),)

    def __copy__(self) -> WeightedReservoir:
        return self.from_bytes(self.to_bytes())
