"""How the processes that torchrun has started find one another, also when it starts them again."""

from __future__ import annotations

import datetime
import os
import time
import uuid
from typing import Any

_PAUSE = 0.05  # seconds


def join_gloo(seconds: float) -> None:
    """Make the process group of this job; a rank waits as long for the others."""
    import torch.distributed as dist

    timeout = datetime.timedelta(seconds=seconds)
    if os.environ.get("TORCHELASTIC_USE_AGENT_STORE") != "True":
        dist.init_process_group("gloo", timeout=timeout)
        return
    rank, ranks = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    store = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), is_master=False, timeout=timeout)
    own = dist.PrefixStore(meet(store, rank, ranks, seconds), store)
    dist.init_process_group("gloo", store=own, rank=rank, world_size=ranks, timeout=timeout)


def meet(store: Any, rank: int, ranks: int, seconds: float) -> str:
    """Agree on a name that no processes before these have used; RuntimeError where some do not come.

    The store of torchrun outlives the processes: those of the next start would find the addresses of the ones before,
    and their count of starts is that of one host. So each rank shows a number of its own, and takes rank 0's name from
    the answer to that number. Rank 0 answers whatever it sees until all have come.
    """
    end = time.monotonic() + seconds
    if rank > 0:
        number = uuid.uuid4().hex
        store.set(f"papilio/here/{rank}", number)
        name = str(_wait_for(store, f"papilio/answer/{number}", end).decode())
        store.set(f"{name}/came/{rank}", "")
        return name
    name = f"papilio/{uuid.uuid4().hex}"
    missing = set(range(1, ranks))
    while missing:
        for other in sorted(missing):
            if store.check([f"papilio/here/{other}"]):
                store.set(f"papilio/answer/{store.get(f'papilio/here/{other}').decode()}", name)
        missing = {other for other in missing if not store.check([f"{name}/came/{other}"])}
        if missing:
            _pause(end, f"rank {min(missing)} of {ranks} did not come")
    return name


def _wait_for(store: Any, key: str, end: float) -> Any:
    while not store.check([key]):
        _pause(end, "rank 0 did not come")
    return store.get(key)


def _pause(end: float, message: str) -> None:
    if time.monotonic() > end:
        raise RuntimeError(f"papilio.distributed.join_processes: {message} in time")
    time.sleep(_PAUSE)
