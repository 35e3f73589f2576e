"""How processes that torchrun starts, and starts again, find one another."""

import random
import threading
import time

import papilio.distributed
import pytest
from papilio._rendezvous import meet


class Store:
    """What torchrun's store is to `meet`."""

    def __init__(self):
        self.values, self.lock = {}, threading.Lock()

    def set(self, key, value):
        with self.lock:
            self.values[key] = value.encode()

    def get(self, key):
        with self.lock:
            return self.values[key]

    def check(self, keys):
        with self.lock:
            return all(key in self.values for key in keys)


def names_of(store, ranks, late):
    """What each rank is told; those that are late come after the others."""
    names = [None] * ranks

    def come(rank):
        time.sleep(0.2 if rank in late else random.random() / 50)
        names[rank] = meet(store, rank, ranks, 30)

    threads = [threading.Thread(target=come, args=(rank,)) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return names


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_each_start_has_a_name_of_its_own(ranks):
    store, before = Store(), set()
    for late in ((), (0,), (1, 3)):
        names = names_of(store, ranks, late)
        assert len(set(names)) == 1 and names[0] is not None
        assert names[0] not in before, "it is that of processes that have ended"
        before.add(names[0])


def test_a_process_that_has_ended_while_it_waited_is_no_rank():
    store = Store()
    store.set("papilio/here/1", "the number of one that was killed")
    with pytest.raises(RuntimeError, match="papilio.distributed.join_processes: rank 1 of 3 did not come in time"):
        meet(store, 0, 3, 0.2)
    assert len(set(names_of(store, 3, (1,)))) == 1


def test_rank_0_is_named_where_it_does_not_come():
    with pytest.raises(RuntimeError, match="papilio.distributed.join_processes: rank 0 did not come in time"):
        meet(Store(), 1, 2, 0.2)


def test_one_process_needs_no_torch(monkeypatch):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    assert papilio.distributed.join_processes() is None
    for seconds, error in ((0, ValueError), (float("nan"), ValueError), ("long", TypeError)):
        with pytest.raises(error, match="papilio.distributed.join_processes: seconds is "):
            papilio.distributed.join_processes(seconds)
