"""Calls over ranks: a rank that fails before the first exchange of a call tells the others, which would wait for it."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from papilio._errors import RankError

_MOST = 2000  # characters of a reason
_Function = TypeVar("_Function", bound=Callable[..., Any])


class RanksOfCall:
    """The ranks of one call, by their engine. Before its first exchange each says that it has come to it, or why not.

    A rank says so exactly once in each call, so all stay together whichever of them fail. One that is slow, or does not
    come, is waited for as in any other exchange.
    """

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self._has_met = False
        self.rank: int = engine.rank
        self.ranks: int = engine.ranks
        self.engine = str(getattr(engine, "engine", "Python"))
        self._heard: tuple[int, str] | None = None  # no exception: by its traceback it would hold this object for ever

    def meet(self, reason: str = "") -> None:
        """Say once why this rank has failed, or by "" that it has not: then RankError if others have."""
        if self._has_met or self.ranks == 1:
            self.raise_heard()
            return
        self._has_met = True
        said = np.frombuffer(bytearray(reason[:_MOST].encode(errors="replace")), np.uint8)
        sizes = np.zeros(self.ranks, np.int64)
        sizes[self.rank] = said.size
        self._engine.add_up(sizes)
        failed = np.flatnonzero(sizes)
        if failed.size == 0:
            return
        first = int(failed[0])
        text = said if self.rank == first else np.zeros(int(sizes[first]), np.uint8)
        self._engine.broadcast(text, first)
        with contextlib.suppress(Exception):  # the process that failed ends, but not before all have heard
            self._engine.barrier()
        if not reason:
            self._heard = first, text.tobytes().decode()
        self.raise_heard()

    def raise_heard(self) -> None:
        """RankError if another rank has said that it has failed."""
        if self._heard is not None:
            first, why = self._heard
            error = RankError(f"papilio.distributed: rank {first} of {self.ranks} has failed: {why}")
            error.rank = first
            raise error from None

    def add_up(self, values: NDArray[Any]) -> None:
        self.meet()
        self._engine.add_up(values)

    def broadcast(self, values: NDArray[np.uint8], source: int) -> None:
        self.meet()
        self._engine.broadcast(values, source)

    def gather(self, values: NDArray[np.uint8], target: int) -> list[NDArray[np.uint8]] | None:
        self.meet()
        return cast("list[NDArray[np.uint8]] | None", self._engine.gather(values, target))

    def barrier(self) -> None:
        self.meet()
        self._engine.barrier()


def reason_of(error: BaseException) -> str:
    """Why a rank has failed, in words."""
    return "out of memory" if isinstance(error, MemoryError) else str(error) or type(error).__name__


def over_ranks(function: _Function) -> _Function:
    """A function of which all ranks make the same calls, with the argument `ranks`; an engine may be None."""
    signature = inspect.signature(function)
    place = list(signature.parameters).index("ranks")

    @functools.wraps(function)
    def call(*values: Any, **named: Any) -> Any:
        engine = values[place] if place < len(values) else named.get("ranks")
        if not (hasattr(engine, "rank") and hasattr(engine, "ranks")):
            return function(*values, **named)
        ranks = RanksOfCall(engine)
        if place < len(values):
            values = (*values[:place], ranks, *values[place + 1 :])
        else:
            named["ranks"] = ranks
        try:
            result = function(*values, **named)
        except Exception as error:
            ranks.raise_heard()  # which the library has wrapped
            with contextlib.suppress(Exception):  # what this rank raises is why it fails
                ranks.meet(reason_of(error))
            raise
        try:
            ranks.meet()  # where a call has nothing to exchange
        except RankError:
            raise
        except Exception as error:
            raise RankError(f"papilio.distributed: rank {ranks.rank} of {ranks.ranks}: {error}") from error
        return result

    call.__signature__ = signature  # type: ignore[attr-defined]
    return cast(_Function, call)
