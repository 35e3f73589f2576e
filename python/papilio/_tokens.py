"""Tokens of language models: `papilio.sample_tokens` and `papilio.verify_draft`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from papilio import _core
from papilio._arguments import length
from papilio._checked import flag
from papilio._frameworks import Torch, compiler_of
from papilio._keywords import suggests_options
from papilio._token_arguments import Call, Request, draft_of, logits_of, per_draft, views_of_results
from papilio._token_draws import Tokens, draw


class VerifiedDraft(NamedTuple):
    """What `verify_draft` returns.

    Attributes
    ----------
    accepted : array of int32
        How many tokens of each draft are accepted, from the first on.
    next_token : array of int32
        The token that follows them.
    status : array of uint8, or None
        A `TokenStatus` per text, where it was asked for; `accepted` and `next_token` are -1 where it is not `OK`.
    """

    accepted: Any
    next_token: Any
    status: Any = None


@suggests_options
def sample_tokens(
    logits: Any,
    *,
    seeds: Any,
    positions: Any = None,
    temperature: Any = 1.0,
    top_k: Any = 0,
    top_p: Any = 1.0,
    min_p: Any = 0.0,
    joint: bool = False,
    allowed: Any = None,
    bias: Any = None,
    stream: int = 0,
    return_log_probability: bool = False,
    return_raw_log_probability: bool = False,
    return_rank: bool = False,
    return_kept: bool | int = False,
    return_kept_mass: bool = False,
    return_status: bool = False,
    threads: int = 0,
    cuda_stream: int | None = None,
) -> Any:
    """Draw the next token of each text from its row of logits, after the filters of a decoder.

    Parameters
    ----------
    logits : array of shape (rows, V) or (V,)
        float16, bfloat16 or float32; an array of NumPy, PyTorch, CuPy or JAX. Any strides. -inf is never drawn.
    seeds : int, array of int64 or uint64 of shape (rows,), generator or key
        A seed for all rows or, for the requests of a server, one per row. As `seed` of `sample_categorical`.
    positions : int or array of integers of shape (rows,), optional
        The place of each token in its text. By default rows are numbered 0, 1, ...; an integer is the number of the
        first row. Give it with a seed per row: a draw is a function of seed, stream, position and the row itself.
    temperature : float or array of shape (rows,), default 1
        0 is greedy: the largest logit, the lowest token of equal ones. Else from 2^-100 to 2^100.
    top_k : int or array of shape (rows,), default 0
        Keep the k largest; 0 keeps all. Of equal logits the lowest tokens are kept.
    top_p : float or array of shape (rows,), default 1
        Keep the fewest whose share of what top_k left is at least top_p. 0 to 1.
    min_p : float or array of shape (rows,), default 0
        Keep tokens with at least this fraction of the largest probability. 0 to 1; 0 keeps all.
    joint : bool, default False
        True: top_p counts shares of all tokens, not of what top_k left.
    allowed : array of bool of shape (rows, V) or (V,), or of int32 of shape (rows, ceil(V / 32)), optional
        Tokens that may be drawn. Token j is bit ``j % 32`` of word ``j // 32``, as grammars give it.
    bias : dict, list of dicts, or (offsets, tokens, values), optional
        What is added to logits: a dict of token to value for all rows, one dict or None per row, or the three arrays of
        a CSR matrix, tokens ascending within a row.
    stream : int, default 0
        Selects independent draws under one seed.
    return_log_probability, return_raw_log_probability, return_rank, return_status : bool, default False
        What `Tokens` holds besides the tokens. With `return_status` no row raises.
    return_kept : bool or int, default False
        The kept tokens and their log probabilities, with kept_count. An integer is the room per row; True: room for all
        that `top_k` can leave if it is a number, else for V; 0: only kept_count.
    return_kept_mass : bool, default False
        Also kept_mass. It needs the weights of all tokens, so on a GPU a draw with filters takes 2.5 to 9 times as long.
    threads : int, default 0
        CPU threads; 0: all processors.
    cuda_stream : int, optional
        The CUDA stream to use, as a pointer. By default the framework's current stream.

    Returns
    -------
    array of int32 of shape (rows,), or a scalar for `logits` of shape (V,)
        The tokens; with any ``return_`` argument a `Tokens`.

    Raises
    ------
    ValueError
        On the CPU: a row that cannot be drawn from, unless `return_status`. Shapes, devices or options that do not fit.
    TypeError
        A dtype or an object that cannot be drawn from.

    Notes
    -----
    Bias and mask come first, then temperature, top_k, top_p, min_p. Weights are whole numbers, so the token and the
    bits of every other result are the same on every machine, for any batch and any place in it. docs/tokens.md has the
    definition of the weights.

    One row of 131,072 logits takes about 0.03 ms of one core with top_k and top_p. The GIL is released.

    Examples
    --------
    >>> import numpy as np
    >>> logits = np.array([[1, 3, 2, 0], [0, 0, 5, 1]], dtype=np.float32)
    >>> sample_tokens(logits, seeds=[7, 8], positions=[41, 3], temperature=0.8, top_k=2)
    array([1, 2], dtype=int32)
    >>> drawn = sample_tokens(logits, seeds=7, temperature=[0, 1], top_p=0.9, return_kept=2)
    >>> drawn.kept, drawn.kept_count
    (array([[ 1, -1],
           [ 2, -1]], dtype=int32), array([1, 1], dtype=int32))

    A mask and a bias:

    >>> sample_tokens(logits, seeds=7, allowed=np.array([True, False, False, True]), bias={3: 100.0})
    array([3, 3], dtype=int32)
    """
    logits, arrays = logits_of(logits)
    request = Request(
        temperature, top_k, top_p, min_p, joint, allowed, bias, seeds, stream, positions,
        flag(return_log_probability, "papilio: return_log_probability"),
        flag(return_raw_log_probability, "papilio: return_raw_log_probability"),
        flag(return_rank, "papilio: return_rank"),
        return_kept, flag(return_kept_mass, "papilio: return_kept_mass"),
        flag(return_status, "papilio: return_status"), threads, cuda_stream,
    )  # fmt: skip
    compiler = compiler_of(
        arrays,
        logits,
        seeds=seeds,
        positions=positions,
        allowed=allowed,
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
        min_p=min_p,
    )
    single = logits.ndim == 1
    if compiler is not None:
        compiled = _compiled(compiler)
        drawn = compiled.sample_tokens(logits[None] if single else logits, request)
    else:
        drawn = draw(arrays, logits[None] if single else logits, request)
    if single:
        drawn = Tokens(*(None if x is None else x[0] for x in drawn))
    extra = return_log_probability or return_raw_log_probability or return_rank or return_kept_mass or return_status
    return drawn if extra or return_kept is not False else drawn.tokens


def _compiled(compiler: Any) -> Any:
    """The module that draws inside code which the framework compiles; imported when it is first needed."""
    if compiler is Torch:
        from papilio import _torch_tokens

        return _torch_tokens
    from papilio import _jax_tokens

    return _jax_tokens


@suggests_options
def verify_draft(
    logits: Any,
    tokens: Any,
    offsets: Any = None,
    *,
    seeds: Any,
    positions: Any = None,
    probabilities: Any = None,
    kept: Any = None,
    kept_log_probability: Any = None,
    rule: str = "token",
    temperature: Any = 1.0,
    top_k: Any = 0,
    top_p: Any = 1.0,
    min_p: Any = 0.0,
    joint: bool = False,
    allowed: Any = None,
    bias: Any = None,
    stream: int = 0,
    return_status: bool = False,
    threads: int = 0,
    cuda_stream: int | None = None,
) -> VerifiedDraft:
    """Say how many tokens of each text's draft to keep, and draw the token after them.

    What is written follows the law of the target model behind its filters, whatever model drew the draft.

    Parameters
    ----------
    logits : array of shape (drafted + texts, V)
        The target model's: one row per draft token and one more per text, after its last one.
    tokens : array of integers of shape (texts, n), or (drafted,) with `offsets`
        The draft: n tokens for each text or, with `offsets`, those of all texts one after the other.
    offsets : array of integers of shape (texts + 1,), optional
        Text i has the draft tokens ``offsets[i]`` to ``offsets[i + 1]``.
    seeds, positions : as for `sample_tokens`, one per text
        Row r of a text has the position of its first row plus r.
    probabilities : array of float32 of shape (drafted, V), optional
        The law that each draft token was drawn from.
    kept, kept_log_probability : arrays of shape (drafted, room), optional
        The same as `sample_tokens` returns it. Without either, the draft is accepted as far as it is what
        `sample_tokens` draws with the same seeds and positions.
    rule : {"token", "block"}, default "token"
        Whether tokens are tested one by one, or the draft as a whole, which accepts at least as many on average.
    temperature, top_k, top_p, min_p, joint, allowed, bias
        As for `sample_tokens`, one per row of logits.
    stream, return_status, threads, cuda_stream
        As for `sample_tokens`.

    Returns
    -------
    VerifiedDraft
        ``accepted`` and ``next_token``, of shape (texts,).

    Raises
    ------
    ValueError
        A text that cannot be verified, unless `return_status` or on a device; shapes that do not fit.

    Notes
    -----
    Logits of PyTorch or CuPy on a CUDA device are verified there, on its current stream: nothing waits if all arrays
    are there. Offsets that do not fit the draft are an error on the CPU, and the status `BAD_DRAFT` there.

    Examples
    --------
    >>> import numpy as np
    >>> logits = np.array([[0, 9, 0], [9, 0, 0], [0, 0, 9]], dtype=np.float32)
    >>> verify_draft(logits, [[1, 2]], seeds=7)
    VerifiedDraft(accepted=array([1], dtype=int32), next_token=array([0], dtype=int32), status=None)
    """
    logits, arrays = logits_of(logits)
    length(logits, "logits", 2)
    if arrays.is_traced(logits):
        raise TypeError("papilio: verify_draft does not work inside code that is compiled, nor on a device of JAX")
    tokens = draft_of(tokens)
    if offsets is None:
        texts, each = tokens.shape if tokens.ndim == 2 else (0, 0)
        if tokens.ndim != 2:
            raise ValueError(f"papilio: tokens must have two dimensions without offsets; got {tokens.ndim}")
        offsets = np.arange(texts + 1, dtype=np.int64) * each
    offsets = per_draft(arrays, offsets, "int64", "offsets", logits)
    texts = max(length(offsets, "offsets") - 1, 0)
    request = Request(
        temperature, top_k, top_p, min_p, joint, allowed, bias, seeds, stream, positions,
        False, False, False, False, False, flag(return_status, "papilio: return_status"), threads, cuda_stream,
    )  # fmt: skip
    call = Call(arrays, logits, request, int(logits.shape[0]), texts, workspace=_core.draft_workspace_bytes)
    draft = {"tokens": per_draft(arrays, tokens.reshape(-1), "int32", "tokens", logits), "offsets": offsets}
    for name, x, dtype in (
        ("probabilities", probabilities, "float32"),
        ("kept_categories", kept, "int32"),
        ("kept_log_probabilities", kept_log_probability, "float32"),
    ):
        if x is not None:
            draft[name] = per_draft(arrays, x, dtype, name, logits)
            length(draft[name], name, 2)
    results = {"accepted": call.made((texts,), "int32"), "next_tokens": call.made((texts,), "int32")}
    if request.status:
        results["status"] = call.made((texts,), "uint8")
    _core.verify_draft(
        call.view,
        {"rule": rule, **views_of_results(arrays, draft)},
        views_of_results(arrays, results),
        call.filters,
        call.options,
    )
    done = {name: arrays.finish(x, logits) for name, x in results.items()}
    return VerifiedDraft(done["accepted"], done["next_tokens"], done.get("status"))
