"""Tokens from a vocabulary of which each process holds a part: `papilio.sample_sharded_tokens`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from papilio import _core
from papilio._arguments import length
from papilio._checked import whole
from papilio._token_arguments import Call, Request, logits_of
from papilio._token_draws import Tokens


def sample_sharded_tokens(
    logits: Any,
    all_gather: Callable[[np.ndarray], Any],
    *,
    number: int,
    first: int,
    categories: int,
    seeds: Any,
    positions: Any = None,
    temperature: Any = 1.0,
    top_k: Any = 0,
    top_p: Any = 1.0,
    min_p: Any = 0.0,
    allowed: Any = None,
    bias: Any = None,
    stream: int = 0,
) -> Tokens:
    """Draw the tokens of `sample_tokens` from logits of which each process holds a part of every row.

    Every process calls it with its own part and the same options otherwise, and gets the tokens of all rows: those that
    one process with whole rows would draw, for any number of shards.

    Parameters
    ----------
    logits : array of shape (rows, held)
        This process's columns, on the CPU. As for `sample_tokens`.
    all_gather : callable
        Takes a contiguous array of int64 and returns those of all processes, in the order of their shards: an array of
        int64 of shape (shards, n), or a list of arrays. It is called a few times, by all processes alike.
    number : int
        This process's shard, from 0.
    first : int
        Its first column. Shards follow each other.
    categories : int
        The columns of all shards.
    allowed, bias
        Of this process's own columns, counted from its first one.
    seeds, positions, temperature, top_k, top_p, min_p, stream
        As for `sample_tokens`.

    Returns
    -------
    Tokens
        With `tokens`, `log_probability` and `status`; no row raises.

    Notes
    -----
    Two calls of `all_gather` are needed without filters, with top_k or top_p most often 6 to 8; a record has 3 KiB per
    row. Time on a process is that of reading its logits once for each.

    Examples
    --------
    Two shards of one process, which gather from each other by hand:

    >>> import threading
    >>> logits = np.array([[1, 3, 2, 0]], dtype=np.float32)
    >>> given, meet = {}, threading.Barrier(2)
    >>> def shard(number):
    ...     def all_gather(record):
    ...         given[number] = record.copy()
    ...         meet.wait()
    ...         both = [given[0], given[1]]
    ...         meet.wait()
    ...         return both
    ...     part = logits[:, 2 * number : 2 * number + 2]
    ...     drawn[number] = sample_sharded_tokens(
    ...         part, all_gather, number=number, first=2 * number, categories=4, seeds=7, top_k=3
    ...     ).tokens
    >>> drawn = {}
    >>> threads = [threading.Thread(target=shard, args=(number,)) for number in range(2)]
    >>> for thread in threads: thread.start()
    >>> for thread in threads: thread.join()
    >>> drawn[0] == drawn[1]
    array([ True])
    """
    logits, arrays = logits_of(logits)
    rows = length(logits, "logits", 2)
    if arrays.is_traced(logits) or not arrays.is_on_cpu(logits):
        raise TypeError("papilio: sample_sharded_tokens takes logits on the CPU, and not inside code that is compiled")
    first = whole(first, "papilio: first", 0, 2**31 - 1)
    categories = whole(categories, "papilio: categories", 1, 2**31 - 1)
    number = whole(number, "papilio: number", 0, 2**31 - 1)
    request = Request(
        temperature, top_k, top_p, min_p, False, allowed, bias, seeds, stream, positions,
        False, False, False, False, True, 0, None,
    )  # fmt: skip
    call = Call(arrays, logits, request, rows, rows)
    state_words, record_words = _core.token_shard_words()
    states = np.zeros(rows * state_words, np.int64)
    record = np.empty(rows * record_words, np.int64)
    common = {name: x for name, x in call.filters.items() if not name.startswith(("allowed", "bias"))}
    left = rows
    while left > 0:
        _core.summarize_shard(call.view, first, categories, states, record, call.filters)
        gathered = _gathered(all_gather, record)
        left = _core.combine_shards(gathered.reshape(-1), len(gathered), categories, states, common, call.options)
    tokens, log, status = np.empty(rows, np.int32), np.empty(rows, np.float32), np.empty(rows, np.uint8)
    results = {"tokens": tokens, "log_probabilities": log, "status": status}
    _core.finish_shard(call.view, first, categories, number, states, results, call.filters)
    # A row's token is known to the process that holds it; the others have -1.
    own = np.stack([tokens.astype(np.int64), log.view(np.int32).astype(np.int64)], axis=1)
    if rows:
        found = _gathered(all_gather, own.reshape(-1)).reshape(-1, rows, 2)
        holder = found[:, :, 0].argmax(axis=0)
        best = found[holder, np.arange(rows)]
        tokens, log = best[:, 0].astype(np.int32), best[:, 1].astype(np.int32).view(np.float32)
    return Tokens(arrays.finish(tokens, logits), arrays.finish(log, logits), status=arrays.finish(status, logits))


def _gathered(all_gather: Callable[[np.ndarray], Any], own: np.ndarray) -> np.ndarray:
    found = all_gather(own)
    together = np.ascontiguousarray(np.stack([np.asarray(x) for x in found]))
    if together.dtype != np.int64 or together.shape[1:] != own.shape:
        raise ValueError(
            f"papilio: all_gather gave arrays of {together.dtype} of the shape {together.shape[1:]}, expected int64 of "
            f"{own.shape}"
        )
    return together
