"""The PyTorch operator `papilio::sample_tokens`, for `torch.compile` and tracing.

It is registered when this module is first imported: by `papilio.sample_tokens` under `torch.compile`, or by
`import papilio.torch`.
"""

from __future__ import annotations

from typing import Any

import torch

from papilio import _token_draws
from papilio._frameworks import Torch
from papilio._token_arguments import Request
from papilio._torch import _integers, _library, _signed, _with_defaults

# Values per row are tensors; a value for all rows is a number. What is not asked for is an empty tensor.
_SCHEMA = (
    "sample_tokens(Tensor logits, Tensor? temperatures, Tensor? top_ks, Tensor? top_ps, Tensor? min_ps, "
    "Tensor? allowed, Tensor? bias_offsets, Tensor? bias_tokens, Tensor? bias_values, Tensor? seeds, "
    "Tensor? positions, *, float temperature=1.0, int top_k=0, float top_p=1.0, float min_p=0.0, bool joint=False, "
    "int seed=0, int stream=0, int first_position=0, bool log_probability=False, bool raw_log_probability=False, "
    "bool rank=False, int room=-1, bool kept_mass=False, bool status=False, int threads=0) "
    "-> (Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor)"
)


def _draw(
    logits: Any, temperatures: Any, top_ks: Any, top_ps: Any, min_ps: Any, allowed: Any, offsets: Any, tokens: Any,
    values: Any, seeds: Any, positions: Any, **given: Any,
) -> Any:  # fmt: skip
    request = Request(
        temperature=given["temperature"] if temperatures is None else temperatures,
        top_k=given["top_k"] if top_ks is None else top_ks,
        top_p=given["top_p"] if top_ps is None else top_ps,
        min_p=given["min_p"] if min_ps is None else min_ps,
        joint=given["joint"],
        allowed=allowed,
        bias=None if offsets is None else (offsets, tokens, values),
        seeds=given["seed"] % 2**64 if seeds is None else seeds,
        stream=given["stream"] % 2**64,
        positions=given["first_position"] % 2**64 if positions is None else positions,
        log=given["log_probability"],
        raw=given["raw_log_probability"],
        rank=given["rank"],
        kept=False if given["room"] < 0 else given["room"],
        mass=given["kept_mass"],
        status=given["status"],
        threads=given["threads"],
        cuda_stream=None,
    )
    drawn = _token_draws.draw(Torch, logits, request)
    shapes = _shapes(logits, given)
    return tuple(
        logits.new_empty(shape, dtype=dtype) if x is None else x for x, (shape, dtype) in zip(drawn, shapes)
    )


def _shapes(logits: Any, given: dict[str, Any]) -> list[tuple[Any, Any]]:
    """Shape and dtype of each of the members of `Tokens`; of none, no entry."""
    rows, room = logits.shape[0], given["room"]

    def asked(wanted: bool) -> Any:
        return (rows,) if wanted else (0,)

    kept = (rows, room) if room >= 0 else (0, 0)
    return [
        ((rows,), torch.int32),
        (asked(given["log_probability"]), torch.float32),
        (asked(given["raw_log_probability"]), torch.float32),
        (asked(given["rank"]), torch.int32),
        (kept, torch.int32),
        (kept, torch.float32),
        (asked(room >= 0), torch.int32),
        (asked(given["kept_mass"]), torch.float32),
        (asked(given["status"]), torch.uint8),
    ]


def _fake(logits: Any, *tensors: Any, **given: Any) -> Any:
    return tuple(logits.new_empty(shape, dtype=dtype) for shape, dtype in _shapes(logits, given))


_library.define(_SCHEMA)
for _device in ("CPU", "CUDA"):
    _library.impl("sample_tokens", _with_defaults(_draw, _SCHEMA), _device)
torch.library.register_fake("papilio::sample_tokens", _with_defaults(_fake, _SCHEMA), lib=_library)


def _of_rows(x: Any, what: str, dtype: Any, like: Any) -> tuple[Any, Any]:
    """A tensor of one per row, or a number; the other is None."""
    if torch.is_tensor(x):
        return (x, None) if x.ndim > 0 else (x.expand(like.shape[0]), None)
    if isinstance(x, (list, tuple)):
        return torch.tensor(x, dtype=dtype, device=like.device), None
    return None, x


def sample_tokens(logits: Any, request: Request) -> Any:
    """`papilio.sample_tokens` under `torch.compile`."""
    if request.cuda_stream is not None:
        raise TypeError("papilio: cuda_stream is not supported under torch.compile")
    bias = request.bias
    if bias is not None and not (isinstance(bias, tuple) and len(bias) == 3 and all(torch.is_tensor(x) for x in bias)):
        raise TypeError("papilio: under torch.compile the bias must be three tensors: offsets, tokens and values")
    if request.allowed is not None and not torch.is_tensor(request.allowed):
        raise TypeError("papilio: under torch.compile the mask must be a tensor")
    numbers: dict[str, Any] = {}
    rows = []
    for name, dtype in (("temperature", torch.float32), ("top_k", torch.int32), ("top_p", torch.float32),
                        ("min_p", torch.float32)):  # fmt: skip
        each, number = _of_rows(getattr(request, name), name, dtype, logits)
        rows.append(each)
        if number is not None:
            numbers[name] = number
    keys: list[Any] = []
    for name, scalar in (("seeds", "seed"), ("positions", "first_position")):
        x = getattr(request, name)
        if name == "positions" and x is None:
            x = 0
        if isinstance(x, int) and not isinstance(x, bool):
            numbers[scalar] = _signed(x, name)
            keys.append(None)
        elif x is None:
            raise TypeError("papilio: seeds must be an integer, or one integer per row; got None")
        else:
            keys.append(_integers(x, name, logits))
    room = request.kept
    if room is False:
        room = -1
    elif room is True:
        top_k = numbers.get("top_k", 0)
        room = min(top_k, logits.shape[1]) if top_k > 0 else logits.shape[1]
    drawn = torch.ops.papilio.sample_tokens(
        logits, *rows, request.allowed, *(bias or (None, None, None)), *keys, joint=request.joint,
        stream=_signed(request.stream, "stream"), log_probability=request.log, raw_log_probability=request.raw,
        rank=request.rank, room=room, kept_mass=request.mass, status=request.status, threads=request.threads, **numbers,
    )  # fmt: skip
    kept = room >= 0
    asked = (True, request.log, request.raw, request.rank, kept, kept, kept, request.mass, request.status)
    return _token_draws.Tokens(*(x if wanted else None for x, wanted in zip(drawn, asked)))
