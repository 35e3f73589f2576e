"""The ranks of a job, checked before the library takes them."""

from __future__ import annotations

from typing import Any

from papilio import _core
from papilio._checked import whole

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
