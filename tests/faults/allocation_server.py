"""Runs of papilio in which chosen allocations fail, from one process that forks before main (allocation_shim.cpp)."""

import array
import mmap
import os
import subprocess
from dataclasses import dataclass

ALL_AFTER = 1 << 60


@dataclass
class Ended:
    code: int  # below 0: the signal that ended it
    calls: int  # how often memory was asked for
    failed: int
    out: str
    err: str


class AllocationServer:
    """`folder` takes what the runs print."""

    def __init__(self, papilio, shim, folder):
        self.name = folder / "run"
        self.table = folder / "table"
        requests, self.requests = os.pipe()
        replies, to_replies = os.pipe()
        self.replies = os.fdopen(replies)
        environment = {**os.environ, "LD_PRELOAD": shim, "ALLOCATION_REQUESTS": str(requests),
                       "ALLOCATION_REPLIES": str(to_replies), "ALLOCATION_TABLE": str(self.table)}
        self.process = subprocess.Popen([papilio], env=environment, stdin=subprocess.DEVNULL,
                                        pass_fds=(requests, to_replies))
        os.close(requests)
        os.close(to_replies)

    def close(self):
        os.close(self.requests)
        self.replies.close()
        assert self.process.wait(timeout=60) == 0

    def run(self, folder, arguments, at=0, span=1, detailed=False):
        fields = [str(at), str(span), str(int(detailed)), str(folder), str(self.name), *map(str, arguments), ""]
        os.write(self.requests, b"".join(os.fsencode(field) + b"\0" for field in fields))
        status, calls, failed = map(int, self.replies.readline().split())
        out, err = (open(f"{self.name}.{what}", errors="replace").read() for what in ("out", "err"))
        return Ended(os.waitstatus_to_exitcode(status), calls, failed, out, err)

    def stacks(self, calls):
        """The hash of the calls on the stack of each allocation of the last detailed run."""
        with open(self.table, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as table:
            hashes = array.array("Q", table[16:16 + 8 * calls])
        assert len(hashes) == calls, f"more allocations than the table has room for: {calls}"
        return hashes
