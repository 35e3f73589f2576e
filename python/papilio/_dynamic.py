"""Distributions whose weights change between draws."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import numpy as np

from papilio import _core, _seeds
from papilio._arguments import index_dtype, length, room, unsigned
from papilio._checked import plain, real, threads as checked_threads, whole
from papilio._frameworks import Jax, NumPy, Torch, framework_of

def _weights(x: Any, what: str, dimensions: int) -> np.ndarray:
    array = np.ascontiguousarray(plain(x, f"papilio: {what}"), dtype=np.float64)
    if array.ndim != dimensions:
        raise ValueError(f"papilio: {what} must have {dimensions} dimension(s); got {array.ndim}")
    return array


def _numbers(x: Any, what: str) -> np.ndarray:
    array = np.atleast_1d(NumPy.integers(x, "int64", what))
    if array.ndim != 1:
        raise ValueError(f"papilio: {what} must have one dimension; got {array.ndim}")
    if array.dtype == np.uint64:
        if array.size and array.max() >= 2**63:
            raise ValueError(f"papilio: {what} holds {array.max()}, which int64 does not hold")
        array = array.view(np.int64)
    return array


def _matched(weights: Any, count: int) -> np.ndarray:
    """Weights for `count` places; one number is for all of them."""
    array = np.asarray(plain(weights, "papilio: weights"), dtype=np.float64)
    if array.ndim > 1:
        raise ValueError(f"papilio: weights must be a number or have one dimension; got {array.ndim}")
    return np.ascontiguousarray(np.broadcast_to(array, (count,)) if array.ndim == 0 else array)


class DynamicWeights:
    """A distribution over K categories whose weights change between draws.

    Parameters
    ----------
    weights : array of shape (K,)
        Finite, >= 0; all may be 0. Kept as float64.
    method : {"tree", "buckets", "huffman"}, default "tree"
        ``tree``: draw and update in O(log K). ``buckets``: both in O(1) expected, for very many categories.
        ``huffman``: few comparisons per draw where a few categories have most of the weight.

    Raises
    ------
    ValueError
        Weights that are negative, infinite or NaN, no weights at all, or an infinite total.

    Notes
    -----
    ``w[k]`` is a weight, ``w[k] = x`` changes it, and ``w[[i, j]] = [x, y]`` changes several at once. Sums do not
    drift: they are what a new object with the same weights would have. The same seed, stream and draw number give
    the same category on every machine and for any number of threads. For ``tree`` that depends on the weights alone,
    for ``buckets`` also on the order of the updates, and for ``huffman`` on the weights at the last `rebuild`.

    Pickles, copies and `to_bytes` keep all of it. Several threads may draw at the same time; an update waits for them.

    Examples
    --------
    >>> w = DynamicWeights([1, 2, 0, 1])
    >>> w[1] = 0
    >>> w[[2, 3]] = [5, 0.5]
    >>> w.total
    6.5
    >>> w.sample(8, seed=7)
    array([2, 2, 0, 2, 3, 2, 2, 2])
    """

    def __init__(self, weights: Any, *, method: Literal["tree", "buckets", "huffman"] = "tree"):
        if not isinstance(method, str):
            raise TypeError(f"papilio: method is {method!r}, expected a str")
        self._kept = _core.DynamicWeights.of(_weights(weights, "weights", 1), method)

    @property
    def categories(self) -> int:
        """The number of categories."""
        return self._kept.categories()

    @property
    def method(self) -> str:
        """How the weights are kept."""
        return self._kept.method()

    @property
    def total(self) -> float:
        """The sum of all weights."""
        return self._kept.total()

    @property
    def weights(self) -> np.ndarray:
        """All weights, float64 of shape (K,); a copy."""
        return np.asarray(self._kept.weights(), dtype=np.float64)

    def __len__(self) -> int:
        return self.categories

    def __repr__(self) -> str:
        return f"DynamicWeights({self.categories} categories, method={self.method!r}, total={self.total:g})"

    def __getitem__(self, category: int) -> float:
        return self._kept.weight(whole(category, "papilio: category", 0, self.categories - 1))

    def __iter__(self) -> Iterator[float]:
        """The weights of now, in order."""
        return iter(self.weights.tolist())

    def __setitem__(self, categories: Any, weights: Any) -> None:
        places = _numbers(categories, "categories")
        self._kept.update(places, _matched(weights, len(places)))

    def add(self, category: int, amount: float) -> None:
        """Add `amount`, which may be negative, to a weight; ValueError where the sum is negative or infinite."""
        self._kept.add(
            whole(category, "papilio: category", 0, self.categories - 1), real(amount, "papilio: amount", "a number")
        )

    def rebuild(self) -> None:
        """Shape a Huffman tree anew for the weights of now, in O(K log K). Nothing for other methods."""
        self._kept.rebuild()

    @property
    def mean_comparisons(self) -> float:
        """Mean comparisons of a draw from a Huffman tree: at most entropy + 1 after `rebuild`. 0 for other methods."""
        return self._kept.mean_comparisons()

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
        seed : int, generator or key of JAX
            As for `sample_categorical`.
        stream : int, default 0
            As for `sample_categorical`.
        first_draw : int, default 0
            The number of the first draw; the next ones follow.
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
        ValueError
            Every weight is 0; numbers out of range.
        """
        out = room(size, out, dtype, NumPy)
        numbers = unsigned(_seeds.number(seed), "seed"), unsigned(stream, "stream"), unsigned(first_draw, "first_draw")
        self._kept.draw(NumPy.view(out, "out"), *numbers, checked_threads(threads))
        return out

    def to_bytes(self) -> bytes:
        """The state as bytes, the same on every machine; `from_bytes` of them draws the same."""
        return self._kept.to_bytes()

    @classmethod
    def from_bytes(cls, state: bytes) -> DynamicWeights:
        """What `to_bytes` kept. ValueError for other bytes."""
        if not isinstance(state, bytes):
            raise TypeError(f"papilio: the state is {type(state).__name__}, expected bytes")
        made = cls.__new__(cls)
        made._kept = _core.DynamicWeights.from_bytes(state)
        return made

    def __reduce__(self) -> Any:
        return type(self).from_bytes, (self.to_bytes(),)

    def __copy__(self) -> DynamicWeights:
        return self.from_bytes(self.to_bytes())


class DynamicForest:
    """Many distributions over K categories each, with updates between batches of draws.

    Parameters
    ----------
    weights : array of shape (R, K)
        A row for each distribution; finite, >= 0. Kept as float64, in trees as `DynamicWeights` has them.

    Notes
    -----
    A forest made from a tensor of PyTorch or an array of CuPy on a CUDA device is on that device, and so are the arrays
    of its calls and its draws. `update` and `sample` are queued on the framework's current stream and do not wait.
    The same weights, seed, stream and draw number give the same category there as on the CPU.

    Examples
    --------
    >>> forest = DynamicForest([[1, 0, 1], [0, 2, 0]])
    >>> forest.update(rows=[0, 0], categories=[0, 1], weights=[0, 3])
    >>> forest.sample([1, 0, 0, 0], seed=7)
    array([1, 2, 1, 1])
    """

    def __init__(self, weights: Any):
        arrays = _cuda_framework(weights)
        if arrays is None:
            self._arrays, self._like = NumPy, None
            self._kept = _core.DynamicForest.of(_weights(weights, "weights", 2), 0)
            return
        if weights.ndim != 2:
            raise ValueError(f"papilio: weights must have 2 dimension(s); got {weights.ndim}")
        weights = _as_float64(arrays, weights)
        self._arrays, self._like = arrays, arrays.empty(0, "uint8", weights)  # whose device is that of the forest
        self._kept = _core.DynamicForest.of(arrays.view(weights, "weights"), arrays.stream(weights))

    @property
    def shape(self) -> tuple[int, int]:
        """(R, K)."""
        return self._kept.rows(), self._kept.categories()

    def __repr__(self) -> str:
        rows, categories = self.shape
        return f"DynamicForest({rows} rows of {categories} categories)"

    def __reduce__(self) -> Any:
        raise TypeError("papilio.DynamicForest cannot be pickled or copied; pickle its weights")

    def _stream(self) -> int:
        return 0 if self._like is None else self._arrays.stream(self._like)

    def weight(self, row: int, category: int) -> float:
        """One weight. On a CUDA device it is copied from there, and the call waits for it."""
        rows, categories = self.shape
        places = whole(row, "papilio: row", 0, rows - 1), whole(category, "papilio: category", 0, categories - 1)
        return self._kept.weight(*places, self._stream())

    def total(self, row: int) -> float:
        """The sum of a row's weights. On a CUDA device it is copied from there, and the call waits for it."""
        return self._kept.total(whole(row, "papilio: row", 0, self.shape[0] - 1), self._stream())

    def update(self, rows: Any, categories: Any, weights: Any, *, threads: int = 0) -> Any:
        """Weight `categories[i]` of row `rows[i]` becomes `weights[i]`; the last of several for one place holds.

        Returns
        -------
        None, or the `DrawStatus` of each update as uint8 for a forest on a CUDA device
            `OK`, `NO_SUCH_ROW` for a place out of range, `NEGATIVE`, `NOT_A_NUMBER` or `INFINITE` for a weight,
            `OVERFLOW` for a row whose total would be infinite. Unless all are `OK`, nothing has changed.

        Raises
        ------
        ValueError
            On the CPU: places or weights out of range; then nothing has changed.
        """
        threads = checked_threads(threads)
        if self._like is None:
            places = _numbers(rows, "rows")
            columns = _numbers(categories, "categories")
            self._kept.update(places, columns, _matched(weights, len(places)), threads, None, 0, None)
            return None
        arrays, like = self._arrays, self._like
        places = arrays.integers(rows, "int64", "rows", like)
        columns = arrays.integers(categories, "int64", "categories", like)
        count = length(places, "rows")
        values = _as_float64(arrays, _spread(arrays, weights, count, like))
        status = arrays.empty(count, "uint8", like)
        workspace = arrays.empty(self._kept.workspace_bytes(count), "uint8", like)
        views = arrays.view(places, "rows"), arrays.view(columns, "categories"), arrays.view(values, "weights")
        memory = arrays.view(workspace, "the workspace") if count else None
        self._kept.update(*views, threads, arrays.view(status, "status"), self._stream(), memory)
        return status

    def sample(
        self,
        rows: Any,
        *,
        seed: Any,
        stream: int = 0,
        first_draw: int = 0,
        out: Any = None,
        dtype: Any = None,
        threads: int = 0,
    ) -> Any:
        """Draw a category from each of `rows`: draw i is from row ``rows[i]`` and has the number ``first_draw + i``.

        On a CUDA device a row that is out of range, or whose weights are all 0, gives -1. Other parameters, and errors,
        as those of `DynamicWeights.sample`.
        """
        numbers = unsigned(_seeds.number(seed), "seed"), unsigned(stream, "stream"), unsigned(first_draw, "first_draw")
        if self._like is None:
            places = _numbers(rows, "rows")
            out = room(len(places) if out is None else None, out, dtype, NumPy)
        else:
            places = self._arrays.integers(rows, "int64", "rows", self._like)
            if out is not None and dtype is not None:
                raise ValueError("papilio: out has a dtype of its own; give either out or dtype")
            kind = "int64" if dtype is None else index_dtype(dtype)
            count = length(places, "rows")
            out = self._arrays.empty(count, kind, self._like) if out is None else self._arrays.result(out)
        view = self._arrays.view
        self._kept.draw(view(places, "rows"), view(out, "out"), *numbers, checked_threads(threads), self._stream())
        return out


def _cuda_framework(x: Any) -> Any:
    """The framework of an array on a CUDA device; None for everything else."""
    arrays = framework_of(x)
    on_cuda = arrays is not None and not arrays.is_on_cpu(x)
    if (arrays is None and hasattr(x, "__cuda_array_interface__")) or (arrays is Jax and arrays.is_traced(x)):
        raise TypeError(
            f"papilio: the weights of a forest on a CUDA device are those of PyTorch or CuPy; got {type(x).__name__}"
        )
    return arrays if on_cuda else None


def _as_float64(arrays: Any, x: Any) -> Any:
    return x.double() if arrays is Torch else x.astype("float64", copy=False)


def _spread(arrays: Any, weights: Any, count: int, like: Any) -> Any:
    """Weights for `count` places of a forest on a device; one number is for all of them."""
    if isinstance(weights, (int, float)):
        one = arrays.empty(1, "float64", like)
        one[...] = weights
        return arrays.repeat(one, count)
    weights = arrays.like(weights, "weights")
    length(weights, "weights")
    return weights.ravel()  # without gaps
