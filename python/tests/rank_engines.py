"""What the tests over ranks share: an engine of threads, and processes with Gloo on loopback."""

import os
import socket
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import numpy as np
import pytest

import papilio


class Meetings:
    """A threading.Barrier of which `abort` fails those that still wait for others, and never those that all have met."""

    def __init__(self, parties):
        self.parties, self.arrived, self.number, self.is_broken = parties, 0, 0, False
        self.changed = threading.Condition()

    def wait(self, seconds):
        with self.changed:
            number = self.number
            self.arrived += 1
            if self.arrived == self.parties:
                self.arrived, self.number = 0, number + 1
                self.changed.notify_all()
            self.changed.wait_for(lambda: self.number > number or self.is_broken, seconds)
            if self.number == number:
                raise threading.BrokenBarrierError("a rank has failed or did not come")

    def abort(self):
        with self.changed:
            self.is_broken = True
            self.changed.notify_all()


class Threads:
    """The ranks of threads of one process, as an engine in Python."""

    def __init__(self, rank, shared):
        self.rank, self.ranks, self.shared = rank, len(shared["given"]), shared

    def meet(self, given, do):
        self.shared["given"][self.rank] = given
        self.shared["barrier"].wait(20)
        if self.rank == 0:
            do(self.shared["given"])
        self.shared["barrier"].wait(20)

    def add_up(self, values):
        assert values.dtype in (np.int32, np.int64)
        assert values.ndim == 1

        def add(all_values):
            total = np.sum(all_values, axis=0, dtype=values.dtype)
            for each in all_values:
                each[:] = total

        self.meet(values, add)

    def broadcast(self, values, source):
        def copy(all_values):
            for each in all_values:
                each[:] = all_values[source]

        self.meet(values, copy)

    def gather(self, values, target):
        kept = self.shared["gathered"]
        self.meet(values, lambda all_values: kept.__setitem__(slice(None), [v.copy() for v in all_values]))
        return list(kept) if self.rank == target else None

    def barrier(self):
        self.meet(None, lambda nothing: None)


def on_ranks(ranks, work, engine=Threads):
    """What work(its ranks) returns or raises in a thread per rank."""
    shared = {"given": [None] * ranks, "gathered": [], "barrier": Meetings(ranks)}
    results = [None] * ranks

    def run(rank):
        try:
            results[rank] = work(engine(rank, shared))
        except Exception as error:  # noqa: BLE001
            results[rank] = error
            shared["barrier"].abort()

    threads = [threading.Thread(target=run, args=(rank,)) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def environment():
    """That of a child, which finds the package where this process has it."""
    folder = str(Path(papilio.__file__).parents[1])
    path = os.pathsep.join([folder, os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def start_ranks(ranks, folder, *arguments, changed=None):
    """A Python per rank, with the variables that torchrun gives it. (Its agent takes long to start and to end.)

    `changed` has the arguments of ranks that have others.
    """
    pytest.importorskip("torch")
    job = {**environment(), "WORLD_SIZE": str(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    return [
        subprocess.Popen([sys.executable, *(changed or {}).get(rank, arguments)], cwd=folder,
                         env={**job, "RANK": str(rank), "LOCAL_RANK": str(rank)},
                         text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for rank in range(ranks)
    ]  # fmt: skip


def program_folder(folder, program, corpus):
    """The folder, with what ranks run and the corpus that it opens."""
    papilio.write_corpus(corpus, folder / "c.papilio-corpus")
    (folder / "rank.py").write_text(textwrap.dedent(program))
    return folder


def output(process):
    """What a rank has printed, once it has ended well."""
    text, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("[Gloo]"))
