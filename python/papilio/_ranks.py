"""The ranks of a job, checked before the library takes them."""

from __future__ import annotations

import os
import stat
from typing import Any

from papilio import _core
from papilio._checked import whole
from papilio._over_ranks import over_ranks

_MOST = 2**31 - 1


def core_ranks(ranks: Any, caller: str) -> _core.Ranks | None:
    """The ranks as the library takes them; None for the only process. TypeError for what is no engine."""
    if ranks is None:
        return None
    if not (hasattr(ranks, "rank") and hasattr(ranks, "ranks")):
        raise TypeError(
            f"{caller}: ranks is {ranks!r}, expected the ranks of a job, such as papilio.distributed.process_group()"
        )
    whole(ranks.rank, f"{caller}: ranks.rank", 0, _MOST)
    whole(ranks.ranks, f"{caller}: ranks.ranks", 1, _MOST)
    return _core.Ranks(ranks)


def is_part_on_all(documents: Any, ranks: _core.Ranks | None, caller: str, expected: str) -> bool:
    """Whether these are a corpus with the words of one rank's documents alone. Collective.

    ValueError on every rank where that is so on some of them only.
    """
    is_part = isinstance(documents, _core.Corpus) and documents.is_part
    if ranks is None:
        return is_part
    found = [bool(number) for (number,) in ranks.gather_numbers([is_part])]
    if len(set(found)) > 1:
        raise ValueError(
            f"{caller}: ranks differ: the corpus of rank {found.index(not found[0])} is {_extent(not found[0])}, that "
            f"of rank 0 {_extent(found[0])}; expected {expected}"
        )
    return is_part


def _extent(is_part: bool) -> str:
    return "one rank's part" if is_part else "whole"


def require_file(path: bytes, options: _core.CorpusOptions, own: _core.Ranks, ranks: Any) -> None:
    """Raise OSError on a rank that lacks a file it will read; the others hear of it. Collective.

    Rank 0 reads every file. The others read only files of which each rank reads a part.
    """
    if own.rank == 0:
        _require_readable(path)
    has_parts = own.rank == 0 and _core.is_read_in_parts(path, options)
    if own.gather_numbers([has_parts])[0][0]:
        _require_readable_by_all(path, ranks)


@over_ranks
def _require_readable_by_all(path: bytes, ranks: Any) -> None:
    _require_readable(path)


def _require_readable(path: bytes) -> None:
    if path != b"-" and stat.S_ISREG(os.stat(os.fsdecode(path)).st_mode):  # to open a pipe would take from it
        with open(os.fsdecode(path), "rb"):
            pass
