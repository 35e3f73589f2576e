"""Draws of tokens from arrays of JAX under a transformation (jit, vmap, scan), and on a GPU: by a call to the host.

Arrays may change from call to call: the logits, values per row, the mask, seeds and positions. All else is compiled in.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from papilio import _token_draws
from papilio._checked import whole
from papilio._frameworks import NumPy
from papilio._jax import _numbers, _one_per_row, _seed_pairs, refuse_compiled_generator
from papilio._token_arguments import Request

# What may be an array of one entry per row, or a mask: passed to the call, where it is one.
_ARRAYS = ("temperature", "top_k", "top_p", "min_p", "allowed")


def sample_tokens(logits: Any, request: Request) -> Any:
    """`papilio.sample_tokens` for these arrays."""
    if request.cuda_stream is not None:
        raise TypeError("papilio: cuda_stream is not supported with arrays of JAX")
    rows, columns = logits.shape
    asked = _asked(request, rows, columns)
    passed = {name: getattr(request, name) for name in _ARRAYS if hasattr(getattr(request, name), "dtype")}
    positions = _numbers(request.positions, rows)
    refuse_compiled_generator(request.seeds, logits, positions, *passed.values())
    seeds = _one_per_row(_seed_pairs(request.seeds), rows, "seeds")

    def on_host(logits: Any, seeds: Any, positions: Any, *arrays: Any) -> Any:
        given = request._replace(
            **{name: np.asarray(x) for name, x in zip(passed, arrays)},
            seeds=_words(seeds),
            positions=_words(positions),
        )
        drawn = _token_draws.draw(NumPy, np.asarray(logits), given)
        return tuple(x for x in drawn if x is not None)

    shapes = tuple(shape for shape in asked if shape is not None)
    operands = jax.lax.stop_gradient((jnp.asarray(logits), seeds, positions, *map(jnp.asarray, passed.values())))
    found = iter(jax.pure_callback(on_host, shapes, *operands, vmap_method="sequential"))
    return _token_draws.Tokens(*(None if shape is None else next(found) for shape in asked))


def _words(pairs: Any) -> np.ndarray:
    """64-bit integers from pairs of uint32."""
    return np.ascontiguousarray(np.asarray(pairs)).view(np.uint64).reshape(-1)


def _asked(request: Request, rows: int, columns: int) -> list[Any]:
    """The shapes of the members of `Tokens`; None for what is not asked for."""
    room = None
    if request.kept is True:
        top_k = request.top_k
        room = min(int(top_k), columns) if isinstance(top_k, int) and top_k > 0 else columns
    elif request.kept is not False:
        room = whole(request.kept, "papilio: return_kept", 0, 2**31 - 1)

    def one(wanted: bool, dtype: Any, *shape: int) -> Any:
        return jax.ShapeDtypeStruct((rows, *shape), dtype) if wanted else None

    kept = room is not None
    return [
        one(True, np.int32),
        one(request.log, np.float32),
        one(request.raw, np.float32),
        one(request.rank, np.int32),
        one(kept, np.int32, room or 0),
        one(kept, np.float32, room or 0),
        one(kept, np.int32),
        one(request.mass, np.float32),
        one(request.status, np.uint8),
    ]
