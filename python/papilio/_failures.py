"""How the ranks of a process group tell one another that one of them has failed."""

from __future__ import annotations

import atexit
import time
from typing import Any

from papilio._errors import RankError

_ASK = 0.5  # seconds between two questions of a rank that waits
_LINGER = 2.0  # seconds that a rank stays whose process holds the store
_SETTLE = 300.0  # seconds that a rank which has failed waits to hear whether all have
_MOST = 2000  # characters of a reason


class Failures:
    """What ranks say of their failures, in the store by which they have found one another.

    Calls over ranks have the same numbers on every rank. A rank that fails writes why under the number of its call;
    ranks that wait in that call, or in the next, read it, and the process group is of no use to them any more. If all
    ranks have failed in a call, as by a wrong argument, nobody has waited, and all go on with the next.
    """

    def __init__(self, store: Any, name: str, rank: int, ranks: int, holds_store: bool = False) -> None:
        # None once it is gone with the process that held it: torch writes pages of each question that fails.
        self._store: Any = store
        self._name, self._rank, self._ranks = name, rank, ranks
        self._holds_store = holds_store
        self._call = 0  # the number of this call or, between calls, of the next
        self._depth = 0
        self._failed = -1  # the last call in which this rank has failed
        self._settled = -1  # the last of these in which all have
        self._heard: RankError | None = None
        self._asked = 0.0

    def begin(self) -> None:
        """Begin a call over ranks; calls may be nested."""
        self._depth += 1

    def end(self) -> None:
        self._depth -= 1
        self._call += self._depth == 0

    def fail(self, reason: str) -> None:
        """Tell the others that this rank has failed in this call."""
        if self._failed == self._call or self._heard is not None:
            return
        self._failed = self._call
        if self._store is None:
            return
        try:
            if self._store.add(self._key("failed"), 1) == 1:
                self._store.set(self._key("why"), f"{self._rank} {reason[:_MOST]}")
        except Exception:  # the others find out in another way
            self._store = None
            return
        if self._holds_store:
            atexit.register(self.linger)

    def before_exchange(self) -> None:
        """RankError where the ranks cannot exchange anything any more: some have failed, and not all of them."""
        if self._heard is not None:
            raise self._heard
        if self._failed < 0 or self._settled == self._failed:
            return
        end = time.monotonic() + _SETTLE
        while self._store is not None and self._count(self._key("failed", self._failed)) < self._ranks:
            self.listen(every=0.0)
            if time.monotonic() > end:
                self._hear(self._rank, "in a call in which others have not")
            time.sleep(0.02)
        self._settled = self._failed

    def listen(self, every: float = _ASK) -> None:
        """RankError where another rank has said that it has failed. Asks the store only now and then."""
        if self._heard is not None:
            raise self._heard
        now = time.monotonic()
        if self._store is None or now - self._asked < every:
            return
        self._asked = now
        for key in (self._key("why"), self._key("why", self._call - 1), f"{self._name}/over"):
            try:
                text = self._store.get(key).decode() if self._store.check([key]) else ""
            except Exception:
                self._store = None
                return
            rank, _, reason = text.partition(" ")
            if reason and self._concerns(key):
                self._hear(int(rank), reason)

    def linger(self) -> None:
        """Let the others read what they are told, where the store ends with this process."""
        if not self._holds_store or (self._failed < 0 and self._heard is None):
            return
        end = time.monotonic() + _LINGER
        failed = self._key("failed", self._failed)  # of call -1: none
        while self._store is not None and time.monotonic() < end:
            if self._count(failed) + self._count(f"{self._name}/heard") >= self._ranks:
                return
            time.sleep(0.02)

    def _concerns(self, key: str) -> bool:
        """Not where this rank has failed too: all may have."""
        return self._failed < 0 or key != self._key("why", self._failed)

    def _hear(self, rank: int, reason: str) -> None:
        self._heard = RankError(f"papilio.distributed: rank {rank} of {self._ranks} has failed: {reason}")
        self._heard.rank = rank
        try:
            self._store.set(f"{self._name}/over", f"{rank} {reason}")
            self._store.add(f"{self._name}/heard", 1)
        except Exception:
            self._store = None
        raise self._heard

    def _count(self, key: str) -> int:
        """0 where the store is gone."""
        try:
            return int(self._store.add(key, 0))
        except Exception:
            self._store = None
            return 0

    def _key(self, what: str, call: int | None = None) -> str:
        return f"{self._name}/{self._call if call is None else call}/{what}"
