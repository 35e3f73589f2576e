"""Seeds that are neither integers nor arrays of them: generators of NumPy and PyTorch, and JAX's keys.

A generator gives 64 bits (one of PyTorch's 63) and advances. A key is 64 bits already: `jax.random.key(7)` is the
seed 7.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

_ODD = 0x9E3779B9  # 2^32 divided by the golden ratio


def is_torchs(x: Any) -> bool:
    """Whether x is a generator of PyTorch's."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Generator)


def is_generator(x: Any) -> bool:
    """Whether x is a generator of NumPy's, of the new kind or the old, or of PyTorch's."""
    return isinstance(x, (np.random.Generator, np.random.RandomState)) or is_torchs(x)


def drawn_by_torch(generator: Any) -> Any:
    """63 bits of a generator of PyTorch's, which advances: a tensor of no dimension, on its device."""
    return sys.modules["torch"].randint(2**63 - 1, (), generator=generator, device=generator.device)


def drawn_from(generator: Any) -> int:
    """The bits that a generator gives; it advances."""
    if is_torchs(generator):
        return int(drawn_by_torch(generator))
    integers = generator.integers if isinstance(generator, np.random.Generator) else generator.randint
    return int(integers(0, 2**64, dtype=np.uint64))


def key_words(x: Any) -> Any:
    """The words of a key of JAX, or of an array of keys, as uint32 of shape (..., 2 or 4); None where x is no key.

    An array of uint32 of JAX's with dimensions is a raw key, such as `jax.random.PRNGKey(7)`, whatever its shape: if
    the shape decided, two seeds would be one key. Raises TypeError where it cannot be a key.
    """
    jax = sys.modules.get("jax")
    if jax is None or not isinstance(x, jax.Array):
        return None
    if jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key):
        return jax.random.key_data(x)
    return raw_key_words(x)


def raw_key_words(x: Any) -> Any:
    """As `key_words`, of an array that is JAX's, or NumPy's in a call of JAX's."""
    if x.dtype != np.uint32 or x.ndim == 0:
        return None
    if x.shape[-1] not in (2, 4):
        raise TypeError(
            f"papilio: seed is an array of uint32 of the shape {tuple(x.shape)}; uint32 is for raw keys of JAX, of "
            "the shape (2,) or (rows, 2). Give a seed per row as int32, int64 or uint64, or as keys"
        )
    return x


def halves(words: Any, numpy: Any) -> Any:
    """The 64 bits of each key, as uint32 of shape (..., 2): the low half first. `numpy` is NumPy, or JAX's.

    The first word is the high half. Of the 128 bits of an "rbg" key, whose halves are the same as JAX makes them, the
    second 64 enter by how they differ from the first.
    """
    high, low = words[..., 0:1], words[..., 1:2]
    if words.shape[-1] == 4:
        odd = numpy.asarray(_ODD, dtype=np.uint32)
        high, low = high ^ (words[..., 2:3] ^ high) * odd, low ^ (words[..., 3:4] ^ low) * odd
    return numpy.concatenate([low, high], axis=-1)


def known(x: Any, of_jax: bool = False) -> Any:
    """A seed as an integer or an array: what a generator gives, and what a key is. Anything else as it is.

    `of_jax` says that the call is one of JAX's, in which NumPy's arrays are taken for JAX's.
    """
    if is_generator(x):
        return drawn_from(x)
    words = raw_key_words(x) if of_jax and isinstance(x, np.ndarray) else key_words(x)
    if words is None:
        return x
    pairs = np.ascontiguousarray(halves(np.asarray(words), np))
    seeds = pairs.view(np.uint64).reshape(pairs.shape[:-1])
    return int(seeds) if seeds.ndim == 0 else seeds


def number(x: Any) -> Any:
    """A seed where only one will do: as `known`, but an array of keys raises ValueError."""
    seed = known(x)
    if isinstance(seed, np.ndarray):
        raise ValueError(f"papilio: seed must be one integer, or one key; got an array of the shape {seed.shape}")
    return seed
