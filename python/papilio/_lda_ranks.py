"""What `LDA` does with the ranks of a job: agreement before training, and the topics of all tokens after it."""

from __future__ import annotations

import zlib

from papilio import _core
from papilio._core import ChainState, Corpus

_HALF = 32


def agreed_seed(
    ranks: _core.Ranks, seed: int, is_drawn: bool, corpus: Corpus, chain: ChainState | None
) -> int:
    """The seed of this rank, or that of rank 0 where all ranks have drawn theirs. Collective.

    ValueError on every rank where some differ in what `train` does not compare.
    """
    halves = (seed >> _HALF, seed & (2**_HALF - 1))
    of_rank = ranks.gather_numbers([corpus.tokens == 0, is_drawn, *_summary(chain), *halves])
    expected = of_rank[0]
    for rank, found in enumerate(of_rank):
        for place, (name, words) in enumerate(_COMPARED):
            if found[place] != expected[place]:
                raise ValueError(
                    f"LDA: ranks differ: {name} {words(found[place])} on rank {rank} and {words(expected[place])} on "
                    "rank 0; expected the same on every rank"
                )
    return (expected[-2] << _HALF) | expected[-1] if is_drawn else seed


def _summary(chain: ChainState | None) -> tuple[int, int]:
    """The sweeps of a chain that is to be continued, and a check sum of its state."""
    if chain is None:
        return -1, 0
    return chain.sweep, zlib.crc32(chain.alpha, zlib.crc32(chain.z))


def _is_empty(value: int) -> str:
    return "has no words" if value else "has words"


def _is_drawn(value: int) -> str:
    return "gives no seed of its own" if value else "is a seed"


def _sweeps(value: int) -> str:
    return "is new" if value < 0 else f"has done {value} sweeps"


def _check_sum(value: int) -> str:
    return f"has a state with the check sum {value:08x}"


_COMPARED = (("X", _is_empty), ("random_state", _is_drawn), ("the chain", _sweeps), ("the chain", _check_sum))


def part_of(chain: ChainState, corpus: Corpus, ranks: _core.Ranks) -> ChainState:
    """The state of the documents that a rank draws."""
    _, _, first, end = _core.documents_of_rank(corpus, ranks.rank, ranks.ranks)
    return ChainState(chain.z[first:end], chain.sweep, chain.alpha, chain.beta, chain.start)
