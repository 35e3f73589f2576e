"""Tokens from a vocabulary of which each process holds a part: `papilio.sample_sharded_tokens`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from papilio import _core
from papilio._arguments import length
from papilio._checked import whole
from papilio._frameworks import CuPy, NumPy, Torch
from papilio._keywords import suggests_options
from papilio._token_arguments import Call, Request, logits_of, moved, views_of_results
from papilio._token_draws import Tokens


@suggests_options
def sample_sharded_tokens(
    logits: Any,
    all_gather: Callable[[Any], Any],
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
        This process's columns, of which there may be none: on the CPU, or of PyTorch or CuPy on a CUDA device. As for
        `sample_tokens`.
    all_gather : callable
        Takes a contiguous array of int64 and returns those of all processes, in the order of their shards: an array of
        int64 of shape (shards, n), or a list of arrays. It is called a few times, by all processes alike. Arrays are
        NumPy's, or for logits on a device the framework's own, there.
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
    row. Time on a process is that of reading its logits once for each. On a device each round waits for the current
    stream once, to learn whether it was the last.

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
    if arrays.is_traced(logits):
        raise TypeError(
            "papilio: sample_sharded_tokens does not work inside code that is compiled, nor on a device of JAX"
        )
    first = whole(first, "papilio: first", 0, 2**31 - 1)
    categories = whole(categories, "papilio: categories", 1, 2**31 - 1)
    number = whole(number, "papilio: number", 0, 2**31 - 1)
    request = Request(
        temperature, top_k, top_p, min_p, False, allowed, bias, seeds, stream, positions,
        False, False, False, False, False, True, 0, None,
    )  # fmt: skip
    call = Call(arrays, logits, request, rows, rows)
    state_words, record_words = _core.token_shard_words()
    # On the CPU records are NumPy's, whatever the logits are.
    home = NumPy if arrays.is_on_cpu(logits) else arrays
    states, record = home.empty(rows * state_words, "int64", logits), home.empty(rows * record_words, "int64", logits)
    states[:] = 0
    known, told = home.view(states, "states"), home.view(record, "records")
    common = {name: x for name, x in call.filters.items() if not name.startswith(("allowed", "bias"))}
    left = rows
    while left > 0:
        _core.summarize_shard(call.view, first, categories, known, told, call.filters, call.options)
        gathered = _gathered(home, all_gather, record)
        shards = len(gathered)
        all_told = home.view(gathered.reshape(-1), "records")
        left = _core.combine_shards(all_told, shards, categories, known, common, call.options)
    results = {
        "tokens": home.empty(rows, "int32", logits),
        "log_probabilities": home.empty(rows, "float32", logits),
        "status": home.empty(rows, "uint8", logits),
    }
    views = views_of_results(home, results)
    _core.finish_shard(call.view, first, categories, number, known, views, call.filters, call.options)
    tokens, log, status = results.values()
    tokens, log = _of_holders(home, all_gather, tokens, log)
    found = [arrays.finish(moved(arrays, x, logits) if home is NumPy else x, logits) for x in (tokens, log, status)]
    return Tokens(found[0], found[1], status=found[2])


def _of_holders(home: Any, all_gather: Callable[[Any], Any], tokens: Any, log: Any) -> tuple[Any, Any]:
    """A row's token is known to the process that holds it, and its logarithm; the others have -1."""
    if len(tokens) == 0:
        return tokens, log
    pairs = home.empty(2 * len(tokens), "int32", tokens)
    pairs[0::2], pairs[1::2] = home.view_as(log, "int32"), tokens  # the token is the upper half of a word
    found = _gathered(home, all_gather, home.view_as(pairs, "int64"))
    best = found.amax(0) if home is Torch else found.max(axis=0)
    pairs = home.view_as(best, "int32")
    tokens[:] = pairs[1::2]
    home.view_as(log, "int32")[:] = pairs[0::2]
    return tokens, log


def _gathered(home: Any, all_gather: Callable[[Any], Any], own: Any) -> Any:
    """What all processes gave, shards x entries."""
    found = all_gather(own)
    if home is Torch:
        together = sys.modules["torch"].stack([*found])
    elif home is CuPy:
        together = sys.modules["cupy"].stack([*found])
    else:
        together = np.ascontiguousarray(np.stack([np.asarray(x) for x in found]))
    if together.dtype != own.dtype or tuple(together.shape[1:]) != tuple(own.shape):
        raise ValueError(
            f"papilio: all_gather gave arrays of {together.dtype} of the shape {tuple(together.shape[1:])}, expected "
            f"int64 of {tuple(own.shape)}"
        )
    return together
