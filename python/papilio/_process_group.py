"""The ranks of a process group of torch.distributed."""

from __future__ import annotations

import atexit
import contextlib
import datetime
import itertools
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from papilio._errors import RankError
from papilio._failures import Failures

_TURN = datetime.timedelta(seconds=0.5)  # that a rank waits before it asks whether another has failed
_made = itertools.count()  # the process groups of this process


class ProcessGroup:
    """The ranks of a process group of torch.distributed.

    Parameters
    ----------
    group : torch.distributed.ProcessGroup, optional
        By default the one that ``torch.distributed.init_process_group`` has made. Its timeout is the time that a rank
        waits for the others.

    Raises
    ------
    ImportError
        torch is not installed.
    RuntimeError
        There is no process group.

    Notes
    -----
    Gloo adds up in the host's memory. With NCCL the numbers pass through the current CUDA device; set it before, by
    ``torch.cuda.set_device(local_rank)``. Only integers are added up, so both give the same model.
    """

    def __init__(self, group: Any = None) -> None:
        import torch
        import torch.distributed

        self.rank: int
        self.ranks: int
        self.engine: str
        self._torch = torch
        self._distributed = torch.distributed
        if not self._distributed.is_initialized():
            raise RuntimeError(
                "papilio.distributed.process_group: there is no process group; "
                "expected torch.distributed.init_process_group before"
            )
        self._group = group
        self.rank = self._distributed.get_rank(group)
        self.ranks = self._distributed.get_world_size(group)
        backend = self._distributed.get_backend(group)
        self.engine = f"torch.distributed, {backend}"
        self._device = "cuda" if backend == "nccl" else "cpu"
        # The tensor of the last call. Threads of torch hold it a little longer than the call takes; the last to let it
        # go asks for the lock of the interpreter, which is held by who waits for these threads at the end.
        self._kept: Any = None
        self._failures = self._listening()

    def _listening(self) -> Failures | None:
        """None for a group whose store torch does not tell."""
        number = next(_made)
        try:
            store = self._distributed.distributed_c10d._get_process_group_store(
                self._group if self._group is not None else self._distributed.group.WORLD
            )
        except (AttributeError, KeyError, RuntimeError):
            return None
        holds_store = self.rank == 0 and os.environ.get("TORCHELASTIC_USE_AGENT_STORE") != "True"
        return Failures(store, f"papilio/failures/{number}", self.rank, self.ranks, holds_store)

    def __reduce__(self) -> Any:
        raise TypeError(
            "papilio.distributed.ProcessGroup cannot be pickled: it belongs to the processes of a running job"
        )

    def __copy__(self) -> ProcessGroup:
        return self

    def __deepcopy__(self, memo: Any) -> ProcessGroup:
        return self

    def __repr__(self) -> str:
        return f"ProcessGroup(rank {self.rank} of {self.ranks}, {self.engine})"

    def add_up(self, values: NDArray[Any]) -> None:
        """Replace int32 or int64 numbers by their sums over all ranks."""
        here = self._torch.from_numpy(values)
        there = self._kept = here.to(self._device)
        self._do(lambda: self._distributed.all_reduce(there, group=self._group, async_op=True))
        if there is not here:
            here.copy_(there)

    def broadcast(self, values: NDArray[np.uint8], source: int) -> None:
        """Replace bytes by those of rank `source`."""
        here = self._torch.from_numpy(values)
        there = self._kept = here.to(self._device)
        origin = self._member(source)
        self._do(lambda: self._distributed.broadcast(there, src=origin, group=self._group, async_op=True))
        if there is not here:
            here.copy_(there)

    def gather(self, values: NDArray[np.uint8], target: int) -> list[NDArray[np.uint8]] | None:
        """Return on rank `target` the bytes of each rank."""
        sizes = np.zeros(self.ranks, np.int64)
        sizes[self.rank] = len(values)
        self.add_up(sizes)
        if self.rank != target:
            if len(values) > 0:
                there = self._kept = self._torch.from_numpy(values).to(self._device)
                self._distributed.send(there, dst=self._member(target), group=self._group)
            return None
        gathered = []
        for rank, size in enumerate(sizes.tolist()):
            if rank == target:
                gathered.append(values)
                continue
            there = self._kept = self._torch.empty(size, dtype=self._torch.uint8, device=self._device)
            if size > 0:
                self._distributed.recv(there, src=self._member(rank), group=self._group)
            gathered.append(there.cpu().numpy())
        return gathered

    def barrier(self) -> None:
        """Return when every rank has called it."""
        self.add_up(np.zeros(1, np.int64))

    def fail(self, reason: str) -> None:
        """Tell the other ranks that this one has failed, so that they raise RankError rather than wait for it.

        The functions of papilio that take `ranks` do this if they raise. A script may, before it ends by an error of
        its own. Not collective.

        Parameters
        ----------
        reason : str
            Why, in a line.
        """
        if self._failures is not None:
            self._failures.fail(str(reason))

    def listen(self) -> None:
        """Raise RankError if another rank has said that it has failed. Not collective."""
        if self._failures is not None:
            self._failures.listen()

    def linger(self) -> None:
        """After a failure, let the others hear of it, where the store of the group ends with this process."""
        if self._failures is not None:
            self._failures.linger()

    def _do(self, begin: Callable[[], Any]) -> None:
        """Begin a call of all ranks, and wait until it is done or another rank says that it has failed."""
        if self._failures is None:
            begin().wait()
            return
        self._failures.before_exchange()
        try:
            work = begin()
            if self._device == "cpu":
                self._wait_in_turns(work)
            else:
                self._poll(work)
        except RuntimeError:
            self._failures.listen(every=0.0)  # where that is why, it says more
            raise

    def _wait_in_turns(self, work: Any) -> None:
        while True:
            try:
                work.wait(_TURN)
                return
            except RuntimeError:
                if work.is_completed():
                    raise
            try:
                self.listen()
            except RankError:
                # torch ends the process by a signal if the call is still under way then. It ends with the failed rank.
                atexit.register(_wait_for_end, work)
                raise

    def _poll(self, work: Any) -> None:
        """Of NCCL, whose `wait` ends a group whose time is over, and leaves the host to wait for the device."""
        pause = 0.0
        while not work.is_completed():
            time.sleep(pause)
            pause = min(pause + 2e-5, 2e-3)
            self.listen()
        work.wait()

    def _member(self, rank: int) -> int:
        """The number that a rank of the group has among all processes."""
        if self._group is None:
            return rank
        return int(self._distributed.get_global_rank(self._group, rank))


def _wait_for_end(work: Any) -> None:
    with contextlib.suppress(RuntimeError):
        work.wait(10 * _TURN)
