"""Draws from arrays of JAX under a transformation (jit, vmap, scan), and on a GPU.

A draw is a call of XLA's foreign function interface (python/bindings/jax.cpp), on the CPU and on CUDA devices.
Arrays may change from call to call; everything else is compiled in. 64-bit integers are pairs of uint32, which JAX
has without x64 mode, too. So are NumPy's doubles where JAX has none: a call never draws from rounded weights.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from papilio import _core, _seeds
from papilio._arguments import DrawOptions, index_dtype, is_integer, length, unsigned
from papilio._checked import refuse_hidden, refuse_huge, whole_of_list
from papilio._frameworks import NumPy, adopt

_TARGET = "papilio_sample_categorical"
jax.ffi.register_ffi_target(_TARGET, _core.jax_handler(on_cuda=False), platform="cpu")
jax.ffi.register_ffi_target(_TARGET, _core.jax_handler(on_cuda=True), platform="CUDA")


def sample(weights: Any, indices: Any, indptr: Any, logits: bool, temperature: float, options: DrawOptions) -> Any:
    """`papilio.sample_categorical` for these arrays."""
    if indptr is not None and logits:
        raise ValueError("papilio: indptr cannot be combined with logits, whose rows have one length")
    dtypes = ("float8_e4m3fn", "float8_e5m2", "float16", "bfloat16", "float32", "float64")
    weights = _weights(weights, dtypes, "weights")
    single = indptr is None and weights.ndim == 1
    if single:
        if indices is not None:
            raise ValueError("papilio: indices pick rows, but weights of one dimension are a single row")
        weights = weights[None]
    length(weights, "weights", 1 if indptr is not None else 2)
    rows = weights.shape[0]
    arrays = [weights]
    if indptr is not None:
        indptr = _pairs(indptr, "indptr")
        rows = length(indptr[:, 0], "indptr") - 1
    if indices is not None:
        arrays.append(_narrow(indices, "indices"))
        rows = length(arrays[-1], "indices")
    if indptr is not None:
        arrays.append(indptr)
    kind = "ragged" if indptr is not None else "logits" if logits else "matrix"
    drawn = _draw(arrays, rows, options, kind=kind, picks=indices is not None, temperature=temperature)
    if not single:
        return drawn
    return tuple(x[0] for x in drawn) if isinstance(drawn, tuple) else drawn[0]


def products(left: Any, right: Any, left_rows: Any, right_rows: Any, options: DrawOptions) -> Any:
    """`papilio.sample_products` for these arrays."""
    left = _weights(left, ("float32", "float64"), "left")
    right = _weights(right, None, "right")
    if right.dtype != left.dtype:
        raise TypeError(f"papilio: right must be of the dtype of left; got {right.dtype}")
    rows = length(left, "left", 2)
    length(right, "right", 2)
    arrays = [left]
    if left_rows is not None:
        arrays.append(_narrow(left_rows, "left_rows"))
        rows = length(arrays[-1], "left_rows")
    arrays.append(right)
    if right_rows is not None:
        arrays.append(_narrow(right_rows, "right_rows"))
    picks, picks_right = left_rows is not None, right_rows is not None
    return _draw(arrays, rows, options, kind="products", picks=picks, picks_right=picks_right)


def _weights(x: Any, dtypes: tuple[str, ...] | None, what: str) -> Any:
    """`x` as an array of JAX or, where its values are known, of NumPy."""
    if not isinstance(x, jax.Array):
        x, arrays = adopt(x, what)
        if arrays is not NumPy:
            raise TypeError(f"papilio: {what} must be an array of JAX, as the others are; got {type(x).__name__}")
        NumPy.view(x, what)
    if dtypes is not None and x.dtype.name not in dtypes:
        raise TypeError(f"papilio: {what} must be of {', '.join(dtypes[:-1])} or {dtypes[-1]}; got {x.dtype}")
    if isinstance(x, jax.Array) and not isinstance(x, jax.core.Tracer):
        platform = next(iter(x.devices())).platform
        if platform not in ("cpu", "gpu"):
            raise TypeError(f"papilio: {what} is on {platform}, which is neither the CPU nor a CUDA device")
    return x


def _is_wide(x: Any) -> bool:
    """Whether weights are doubles that JAX would round to float32."""
    return isinstance(x, np.ndarray) and x.dtype == np.float64 and not jax.config.jax_enable_x64


def _operand(x: Any) -> Any:
    """Weights as they are passed: an array of JAX; doubles that it cannot have, as pairs of uint32."""
    if not _is_wide(x):
        return x if isinstance(x, jax.Array) else jnp.asarray(x)
    return jnp.asarray(np.ascontiguousarray(x).view(np.uint32).reshape(*x.shape, 2))


class _Call(NamedTuple):
    """What is compiled into a call: the attributes that python/bindings/jax.cpp reads, by the same names."""

    kind: str
    rows: bool
    right_rows: bool
    temperature: float
    stream: int
    check_negative: bool
    status: bool
    threads: int
    method: str
    wide: bool

    def attributes(self) -> dict[str, Any]:
        """By name, with the types that XLA has for them."""
        types = {"temperature": np.float64, "stream": np.uint64, "threads": np.int64, "kind": str, "method": str}
        return {name: types.get(name, np.bool_)(value) for name, value in self._asdict().items()}


def _draw(
    arrays: list[Any],
    rows: int,
    options: DrawOptions,
    *,
    kind: str,
    picks: bool,
    picks_right: bool = False,
    temperature: float = 1.0,
) -> Any:
    if options.out is not None or options.cuda_stream is not None:
        raise TypeError("papilio: out and cuda_stream are not supported with arrays of JAX")
    for name, value in (("stream", options.stream), ("temperature", temperature)):
        if isinstance(value, jax.core.Tracer):
            raise TypeError(
                f"papilio: {name} is traced, but is compiled into the call; "
                + ("vary seed or row_ids instead" if name == "stream" else "divide the logits by it instead")
            )
    call = _Call(
        kind=kind,
        rows=picks,
        right_rows=picks_right,
        temperature=float(temperature),
        stream=unsigned(options.stream, "stream"),
        check_negative=bool(options.check_negative),
        status=bool(options.return_status),
        threads=int(options.threads),
        method=options.method,
        wide=_is_wide(arrays[0]),
    )
    numbers = _numbers(options.row_ids, rows)
    operands = [_operand(x) for x in arrays]
    refuse_compiled_generator(options.seed, *operands, numbers)
    seeds = _one_per_row(_seed_pairs(options.seed), rows, "seed")
    drawn = _call(call, rows, _result_dtype(options.dtype), *operands, seeds, numbers)
    return tuple(drawn) if call.status else drawn[0]


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def _call(call: _Call, rows: int, dtype: str, weights: Any, *arrays: Any) -> Any:
    shapes = [jax.ShapeDtypeStruct((rows,), np.dtype(dtype))]
    if call.status:
        shapes.append(jax.ShapeDtypeStruct((rows,), np.uint8))
    function = jax.ffi.ffi_call(_TARGET, shapes, vmap_method="sequential")
    return function(*jax.lax.stop_gradient((weights, *arrays)), **call.attributes())


def refuse_compiled_generator(seed: Any, *operands: Any) -> None:
    """TypeError for a generator as the seed of a call that JAX compiles."""
    if _seeds.is_generator(seed) and any(isinstance(x, jax.core.Tracer) for x in operands):
        raise TypeError(
            f"papilio: a generator of {'PyTorch' if _seeds.is_torchs(seed) else 'NumPy'}'s would give its seed once, "
            "when the call is compiled, and each run would draw the same; give a seed that is an argument of the "
            "compiled function, or a key of JAX"
        )


def _result_dtype(dtype: Any) -> str:
    name = "int32" if dtype is None else index_dtype(dtype)
    if name == "int64" and not jax.config.jax_enable_x64:
        raise TypeError("papilio: JAX has int64 in x64 mode only; leave out dtype, or set jax_enable_x64")
    return name


def _seed_pairs(seed: Any) -> Any:
    """As `_pairs`, of a seed, which may be a generator or a key."""
    if isinstance(seed, jax.Array):
        words = _seeds.key_words(seed)
        return _pairs(seed, "seed") if words is None else _seeds.halves(words, jnp)
    return _pairs(_seeds.known(seed, of_jax=True), "seed")


def _integers(x: Any, what: str) -> Any:
    """`x` as an array of integers: of JAX if it is one, else of NumPy."""
    if x is None or isinstance(x, (bool, float, str)):
        raise TypeError(f"papilio: {what} must be an integer, or one integer per row; got {x!r}")
    if is_integer(x):
        return np.asarray(unsigned(x, what), dtype=np.uint64)
    if not isinstance(x, jax.Array):
        refuse_hidden(x, f"papilio: {what}")
        x = whole_of_list(x, what) if isinstance(x, (list, tuple)) else np.asarray(x)
        refuse_huge(x, f"papilio: {what}")
    if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
        raise TypeError(f"papilio: {what} must hold integers; got keys, which are for seed")
    if x.dtype.kind not in "iu":
        if x.size:
            raise TypeError(f"papilio: {what} must hold integers; got {x.dtype}")
        x = x.astype(np.int32)
    return x


def _pairs(x: Any, what: str) -> Any:
    """The 64 bits of each integer, as uint32 of shape (..., 2): the low half first."""
    x = _integers(x, what)
    if not isinstance(x, jax.Array):
        wide = np.ascontiguousarray(x if x.dtype.itemsize == 8 else x.astype(np.int64))
        return jnp.asarray(wide.view(np.uint32).reshape(*x.shape, 2))
    if x.dtype.itemsize == 8:
        return jax.lax.bitcast_convert_type(x, jnp.uint32)
    high = jnp.where(x < 0, np.uint32(2**32 - 1), np.uint32(0))
    return jnp.stack([x.astype(jnp.uint32), high], axis=-1)


def _one_per_row(pairs: Any, rows: int, what: str) -> Any:
    if pairs.ndim == 1:
        return jnp.broadcast_to(pairs, (rows, 2))
    if pairs.ndim != 2 or pairs.shape[0] != rows:
        raise ValueError(f"papilio: {what} must have one entry per row; got shape {pairs.shape[:-1]} for {rows} rows")
    return pairs


def _numbers(row_ids: Any, rows: int) -> Any:
    """The number of each draw; a single integer is the first of them."""
    pairs = _pairs(0 if row_ids is None else row_ids, "row_ids")
    if pairs.ndim > 1:
        return _one_per_row(pairs, rows, "row_ids")
    low = pairs[0] + jnp.arange(rows, dtype=jnp.uint32)
    return jnp.stack([low, pairs[1] + (low < pairs[0]).astype(jnp.uint32)], axis=-1)


def _narrow(x: Any, what: str) -> Any:
    """Indices as int32; those that do not fit become numbers out of range."""
    x = _integers(x, what)
    if x.dtype.itemsize >= 4 and x.dtype != np.int32:
        x = x.clip(0 if x.dtype.kind == "u" else -1, 2**31 - 1)
    return jnp.asarray(x.astype(np.int32))
