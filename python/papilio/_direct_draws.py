"""Draws from arrays that hold their values: makes the arrays of results and calls the library.

A view of an array may be no more than its address. So every array that is made on the way keeps a name until
the call returns.
"""

from __future__ import annotations

from typing import Any

from papilio import _core
from papilio._arguments import DrawOptions, index_dtype, is_integer, length, unsigned
from papilio._checked import real


def categorical(
    arrays: Any, weights: Any, indices: Any, indptr: Any, logits: bool, temperature: float, options: DrawOptions
) -> Any:
    """What `papilio.sample_categorical` does for weights of the framework `arrays`."""
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
        rows = length(indices, "indices")
        picked = arrays.view(indices, "indices")
    if indptr is not None:
        if logits:
            raise ValueError("papilio: indptr cannot be combined with logits, whose rows have one length")
        indptr = arrays.integers(indptr, "int64", "indptr", weights)
        if indices is None:
            rows = length(indptr, "indptr") - 1
        if rows < 0:
            raise ValueError("papilio: indptr must have one entry more than there are rows, so at least one; got none")
        source = _core.DrawSource.ragged(view, arrays.view(indptr, "indptr"), picked)
    elif logits:
        source = _core.DrawSource.logits(view, picked, real(temperature, "papilio: temperature"))
    else:
        source = _core.DrawSource.matrix(view, picked)
    return _draw(arrays, weights, source, rows, single, options)


def products(arrays: Any, left: Any, right: Any, left_rows: Any, right_rows: Any, options: DrawOptions) -> Any:
    """What `papilio.sample_products` does for arrays of the framework `arrays`."""
    right = arrays.like(right, "right")
    rows = length(left, "left", 2)
    picked_left = picked_right = None
    if left_rows is not None:
        left_rows = arrays.integers(left_rows, "int32", "left_rows", left)
        rows = length(left_rows, "left_rows")
        picked_left = arrays.view(left_rows, "left_rows")
    if right_rows is not None:
        right_rows = arrays.integers(right_rows, "int32", "right_rows", left)
        picked_right = arrays.view(right_rows, "right_rows")
    left_view, right_view = arrays.view(left, "left"), arrays.view(right, "right")
    source = _core.DrawSource.products(left_view, picked_left, right_view, picked_right)
    return _draw(arrays, left, source, rows, False, options)


def _one_per_row(x: Any, arrays: Any, like: Any, rows: int, what: str) -> Any:
    """One integer per row. A seed without a dimension is that of all rows; a row number, that of the first row."""
    x = arrays.integers(x, "int64", what, like)
    if x.ndim == 0:
        x = arrays.repeat(x, rows) if what == "seed" else arrays.count_from(x, rows)
    if length(x, what) != rows:
        raise ValueError(f"papilio: {what} must have one entry per row; got {x.shape[0]} for {rows} rows")
    return x


def _draw(arrays: Any, like: Any, source: _core.DrawSource, rows: int, single: bool, options: DrawOptions) -> Any:
    """Draws from the source, with results of the framework of `like`."""
    seed, cuda_stream = options.seed, options.cuda_stream
    seeds = numbers = workspace = status = None
    first = 0
    if not is_integer(seed):
        seed = arrays.seed(seed)
    if is_integer(seed):
        seed = unsigned(seed, "seed")
    elif seed is None or isinstance(seed, (bool, float, str)):
        raise TypeError(f"papilio: the seed must be an integer, or one integer per row; got {seed!r}")
    else:
        seed, seeds = 0, _one_per_row(seed, arrays, like, rows, "seed")
    if options.row_ids is not None:
        if is_integer(options.row_ids):
            first = unsigned(options.row_ids, "row_ids")
        else:
            numbers = _one_per_row(options.row_ids, arrays, like, rows, "row_ids")
    drawn = _results(arrays, like, rows, options)
    if options.return_status:
        status = arrays.empty(rows, "uint8", like)
    if rows > 0:
        if not arrays.is_on_cpu(like):
            if cuda_stream is None:
                cuda_stream = arrays.stream(like)
            size = _core.workspace_bytes(source, options.method)
            if size > 0:
                workspace = arrays.empty(size, "uint8", like)
        _core.draw(
            source,
            arrays.view(drawn, "out"),
            seed=seed,
            stream=unsigned(options.stream, "stream"),
            first_row_id=first,
            row_ids=None if numbers is None else arrays.view(numbers, "row_ids"),
            seeds=None if seeds is None else arrays.view(seeds, "seed"),
            status=None if status is None else arrays.view(status, "status"),
            check_negative=options.check_negative,
            threads=options.threads,
            method=options.method,
            cuda_stream=cuda_stream or 0,
            workspace=None if workspace is None else arrays.view(workspace, "the workspace"),
        )
    if options.out is None:
        drawn = arrays.finish(drawn, like)
        if single:
            drawn = drawn[0]
    if status is None:
        return drawn
    status = arrays.finish(status, like)
    return drawn, status[0] if single else status


def _results(arrays: Any, like: Any, rows: int, options: DrawOptions) -> Any:
    """The array that receives the categories: `out`, or a new one."""
    if options.out is None:
        dtype = arrays.result_dtype if options.dtype is None else index_dtype(options.dtype)
        return arrays.empty(rows, dtype, like)
    if options.dtype is not None:
        raise ValueError("papilio: out has a dtype of its own; give either out or dtype")
    drawn = arrays.result(options.out)
    if length(drawn, "out") != rows:
        raise ValueError(f"papilio: out must have one entry per row; got {drawn.shape[0]} for {rows} rows")
    return drawn
