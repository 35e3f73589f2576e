"""The ranks of a job, checked before the library takes them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

from papilio import _core
from papilio._checked import whole
from papilio._failures import Failures

_MOST = 2**31 - 1
_Function = TypeVar("_Function", bound=Callable[..., Any])


class WorkOfRank:
    """The work of one rank in a call over ranks. If it fails, the others hear of it, if the engine can tell them."""

    def __init__(self, ranks: Any) -> None:
        self._ranks = ranks
        failures = getattr(ranks, "_failures", None)
        self._failures = failures if isinstance(failures, Failures) else None

    def __enter__(self) -> None:
        if self._failures is not None:
            self._failures.begin()

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        fail = getattr(self._ranks, "fail", None)
        if error is not None and fail is not None:
            fail(reason_of(error))
        if self._failures is not None:
            self._failures.end()


def reason_of(error: BaseException) -> str:
    """Why a rank has failed, in words."""
    if isinstance(error, MemoryError):
        return "out of memory"
    return str(error) or type(error).__name__


def over_ranks(function: _Function) -> _Function:
    """A function whose keyword `ranks` names the ranks. One that raises, also for a wrong argument, tells the others."""
    return _over(function, lambda values, named: named.get("ranks"))


def over_own_ranks(method: _Function) -> _Function:
    """The same for a method of an object that has `ranks`."""
    return _over(method, lambda values, named: values[0].ranks)


def _over(function: _Function, ranks_of: Callable[[Any, Any], Any]) -> _Function:
    @functools.wraps(function)
    def call(*values: Any, **named: Any) -> Any:
        ranks = ranks_of(values, named)
        if ranks is None:
            return function(*values, **named)
        with WorkOfRank(ranks):
            return function(*values, **named)

    call.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return cast(_Function, call)


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
