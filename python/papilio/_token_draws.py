"""Draws of tokens from logits whose values are there: makes the arrays of results and calls the library."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

from papilio import _core
from papilio._token_arguments import Call, Request, views_of_results


class TokenStatus(enum.IntEnum):
    """The status of a row of `sample_tokens` or a text of `verify_draft`. What is not `OK` gives token -1.

    Attributes
    ----------
    OK
        A token was drawn.
    NOTHING_ALLOWED
        Every logit is masked or -infinity.
    NOT_A_NUMBER, INFINITE
        An allowed logit is NaN or +infinity.
    BAD_FILTER
        A temperature, top_k, top_p or min_p is out of its range.
    BAD_BIAS
        An offset or a category of the bias is out of range or order.
    BAD_DRAFT
        A token or a probability of the draft is out of range.
    """

    OK = 0
    NOTHING_ALLOWED = 1
    NOT_A_NUMBER = 2
    INFINITE = 3
    BAD_FILTER = 4
    BAD_BIAS = 5
    BAD_DRAFT = 6


class Tokens(NamedTuple):
    """What `sample_tokens` returns where more than tokens is asked for. What is not is None.

    Attributes
    ----------
    tokens : array of int32
        The category drawn from each row; -1 where the status is not `TokenStatus.OK`.
    log_probability : array of float32
        Its logarithm under the law that it was drawn from.
    raw_log_probability : array of float32
        Under the logits as they came: no bias, mask, temperature or filter.
    rank : array of int32
        How many categories come before it: 0 for the largest logit.
    kept : array of int32 of shape (rows, room)
        The categories that the filters left and that can be drawn, ascending, as far as there is room; then -1.
    kept_log_probability : array of float32 of shape (rows, room)
        The same for their logarithms; then -infinity.
    kept_count : array of int32
        How many categories the filters left, without those whose weight is 0 (docs/tokens.md).
    kept_mass : array of float32
        Their share of all that is allowed, before the filters.
    status : array of uint8
        A `TokenStatus` per row.
    """

    tokens: Any
    log_probability: Any = None
    raw_log_probability: Any = None
    rank: Any = None
    kept: Any = None
    kept_log_probability: Any = None
    kept_count: Any = None
    kept_mass: Any = None
    status: Any = None


def draw(arrays: Any, logits: Any, request: Request) -> Tokens:
    """What `sample_tokens` does for logits of two dimensions whose values are there."""
    rows = int(logits.shape[0])
    call = Call(arrays, logits, request, rows, rows)
    results = {"tokens": call.made((rows,), "int32")}
    if request.log:
        results["log_probabilities"] = call.made((rows,), "float32")
    if request.raw:
        results["raw_log_probabilities"] = call.made((rows,), "float32")
    if request.rank:
        results["ranks"] = call.made((rows,), "int32")
    if request.kept is not False:
        room = call.room(request.kept)
        results["kept_counts"] = call.made((rows,), "int32")
        results["kept_categories"] = call.made((rows, room), "int32")
        results["kept_log_probabilities"] = call.made((rows, room), "float32")
    if request.mass:
        results["kept_masses"] = call.made((rows,), "float32")
    if request.status:
        results["status"] = call.made((rows,), "uint8")
    if rows > 0:
        _core.sample_tokens(call.view, views_of_results(arrays, results), call.filters, call.options)
    done = {name: arrays.finish(x, logits) for name, x in results.items()}
    return Tokens(
        done["tokens"],
        done.get("log_probabilities"),
        done.get("raw_log_probabilities"),
        done.get("ranks"),
        done.get("kept_categories"),
        done.get("kept_log_probabilities"),
        done.get("kept_counts"),
        done.get("kept_masses"),
        done.get("status"),
    )
