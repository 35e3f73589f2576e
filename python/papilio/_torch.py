"""The PyTorch operators `papilio::sample_categorical` and `papilio::sample_products`, for `torch.compile` and tracing.

They are registered when this module is first imported: by `papilio.sample_categorical` under `torch.compile`, or by
`import papilio.torch`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from papilio import _direct_draws
from papilio._arguments import DrawOptions, index_dtype
from papilio._frameworks import Torch

_OPTIONS = (
    "int seed=0, int stream=0, int first_row_id=0, bool narrow=False, bool return_status=False, "
    "bool check_negative=True, int threads=0, str method='slots'"
)
_CATEGORICAL = (
    "sample_categorical(Tensor weights, Tensor? seeds, Tensor? row_ids, Tensor? indices, Tensor? indptr, *, "
    f"bool logits=False, float temperature=1.0, {_OPTIONS}) -> (Tensor, Tensor)"
)
_PRODUCTS = (
    "sample_products(Tensor left, Tensor right, Tensor? seeds, Tensor? row_ids, Tensor? left_rows, "
    f"Tensor? right_rows, *, {_OPTIONS}) -> (Tensor, Tensor)"
)
_library = torch.library.Library("papilio", "DEF")


def _options(seeds: Any, row_ids: Any, given: dict[str, Any]) -> DrawOptions:
    """The operators' options as papilio's. PyTorch's integers have a sign; papilio's are the same 64 bits without."""
    seed, stream, first = (given[name] % 2**64 for name in ("seed", "stream", "first_row_id"))
    return DrawOptions(
        seed=seed if seeds is None else seeds,
        stream=stream,
        row_ids=first if row_ids is None else row_ids,
        out=None,
        return_status=given["return_status"],
        dtype="int32" if given["narrow"] else "int64",
        check_negative=given["check_negative"],
        threads=given["threads"],
        method=given["method"],
        cuda_stream=None,
    )


def _categorical(weights: Any, seeds: Any, row_ids: Any, indices: Any, indptr: Any, **given: Any) -> Any:
    options = _options(seeds, row_ids, given)
    result = _direct_draws.categorical(Torch, weights, indices, indptr, given["logits"], given["temperature"], options)
    return result if options.return_status else (result, weights.new_empty(0, dtype=torch.uint8))


def _fake_categorical(weights: Any, seeds: Any, row_ids: Any, indices: Any, indptr: Any, **options: Any) -> Any:
    if indices is not None:
        shape = (indices.shape[0],)
    elif indptr is not None:
        shape = (indptr.shape[0] - 1,)
    else:
        shape = tuple(weights.shape[:-1])
    return _fake_result(weights, shape, options)


def _products(left: Any, right: Any, seeds: Any, row_ids: Any, left_rows: Any, right_rows: Any, **given: Any) -> Any:
    options = _options(seeds, row_ids, given)
    result = _direct_draws.products(Torch, left, right, left_rows, right_rows, options)
    return result if options.return_status else (result, left.new_empty(0, dtype=torch.uint8))


def _fake_products(
    left: Any, right: Any, seeds: Any, row_ids: Any, left_rows: Any, right_rows: Any, **options: Any
) -> Any:
    return _fake_result(left, ((left if left_rows is None else left_rows).shape[0],), options)


def _fake_result(like: Any, shape: Any, options: dict[str, Any]) -> Any:
    drawn = like.new_empty(shape, dtype=torch.int32 if options["narrow"] else torch.int64)
    return drawn, like.new_empty(shape if options["return_status"] else 0, dtype=torch.uint8)


def _with_defaults(function: Any, schema: str) -> Any:
    """Adds the schema's defaults: the dispatcher passes only what differs from them."""
    arguments = torch._C.parse_schema("papilio::" + schema).arguments
    names = [argument.name for argument in arguments if not argument.kwarg_only]
    defaults = {argument.name: argument.default_value for argument in arguments if argument.kwarg_only}

    def called(*tensors: Any, **given: Any) -> Any:
        tensors += tuple(given.pop(name, None) for name in names[len(tensors) :])
        return function(*tensors, **{**defaults, **given})

    return called


for _schema, _real, _fake in [(_CATEGORICAL, _categorical, _fake_categorical), (_PRODUCTS, _products, _fake_products)]:
    _name = _schema.partition("(")[0]
    _library.define(_schema)
    for _device in ("CPU", "CUDA"):
        _library.impl(_name, _with_defaults(_real, _schema), _device)
    torch.library.register_fake(f"papilio::{_name}", _with_defaults(_fake, _schema), lib=_library)


def _signed(x: int, what: str) -> int:
    """64 bits without a sign as PyTorch's integers, which have one."""
    if not 0 <= x < 2**64:
        raise ValueError(f"papilio: {what} must be in the range 0 <= {what} < 2^64; got {x}")
    return x - 2**64 if x >= 2**63 else x


def _integers(x: Any, what: str, like: Any) -> Any:
    """Integers as a tensor, if they are not one yet. The order of the questions is one that Dynamo can trace."""
    if x is None or torch.is_tensor(x):
        return x
    if isinstance(x, (list, tuple)):
        return torch.tensor([_signed(int(i), what) for i in x], dtype=torch.int64, device=like.device)
    if isinstance(x, np.ndarray):
        return torch.as_tensor(x, device=like.device)
    raise TypeError(
        f"papilio: {what} is a {type(x).__name__}, expected an integer, a tensor or integers in a list under "
        "torch.compile; draw a seed from a generator before the compiled call"
    )


def _called(like: Any, options: DrawOptions) -> tuple[Any, Any, dict[str, Any]]:
    """The tensors of seeds and row numbers, where these are tensors, and the operators' other options."""
    if options.out is not None or options.cuda_stream is not None:
        raise TypeError("papilio: out and cuda_stream are not supported under torch.compile")
    seed, first, seeds, numbers = 0, 0, None, None
    if isinstance(options.seed, int) and not isinstance(options.seed, bool):
        seed = _signed(options.seed, "seed")
    elif options.seed is None:
        raise TypeError("papilio: the seed must be an integer, or one integer per row; got None")
    else:
        seeds = _integers(options.seed, "seed", like)
    if isinstance(options.row_ids, int):
        first = _signed(options.row_ids, "row_ids")
    else:
        numbers = _integers(options.row_ids, "row_ids", like)
    given = {
        "seed": seed,
        "stream": _signed(options.stream, "stream"),
        "first_row_id": first,
        "narrow": options.dtype is not None and index_dtype(options.dtype) == "int32",
        "return_status": options.return_status,
        "check_negative": options.check_negative,
        "threads": options.threads,
        "method": options.method,
    }
    return seeds, numbers, given


def sample(weights: Any, indices: Any, indptr: Any, logits: bool, temperature: float, options: DrawOptions) -> Any:
    """`papilio.sample_categorical` under `torch.compile`."""
    seeds, numbers, given = _called(weights, options)
    indices, indptr = _integers(indices, "indices", weights), _integers(indptr, "indptr", weights)
    drawn, status = torch.ops.papilio.sample_categorical(
        weights, seeds, numbers, indices, indptr, logits=logits, temperature=temperature, **given
    )
    return (drawn, status) if given["return_status"] else drawn


def products(left: Any, right: Any, left_rows: Any, right_rows: Any, options: DrawOptions) -> Any:
    """`papilio.sample_products` under `torch.compile`."""
    seeds, numbers, given = _called(left, options)
    left_rows, right_rows = _integers(left_rows, "left_rows", left), _integers(right_rows, "right_rows", left)
    drawn, status = torch.ops.papilio.sample_products(left, right, seeds, numbers, left_rows, right_rows, **given)
    return (drawn, status) if given["return_status"] else drawn
