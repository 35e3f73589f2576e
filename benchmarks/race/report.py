"""What a run tells its driver: lines of JSON on standard output, and snapshots of phi in files.

The training clock stands still while a snapshot is taken. Memory is the peak of resident memory since loading, or since the
last snapshot, so that what exporting takes is not in it.
"""

import json
import os
import pathlib
import time

import numpy as np

SWEEPS = 200  # a run ends after these at the latest
# After these many sweeps quality is looked at: often at first, where curves are steep.
GRID = [1, 2, *range(5, 61, 5), *range(70, SWEEPS + 1, 10)]


def tree(process):
    """The process and its descendants."""
    found = [process]
    try:
        children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return found
    for child in children:
        found += tree(int(child))
    return found


def status(process, field):
    """A field of /proc/PROCESS/status in bytes, 0 where the process is gone."""
    try:
        for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def peak_memory(process):
    return sum(status(one, "VmHWM") for one in tree(process))


def forget_peaks(process):
    """Makes VmHWM count anew (proc(5), clear_refs)."""
    for one in tree(process):
        try:
            pathlib.Path(f"/proc/{one}/clear_refs").write_text("5")
        except OSError:
            pass


def event(kind, **fields):
    print(json.dumps({"event": kind, **fields}), flush=True)


class Report:
    """The clock, the limit and the snapshots of a run inside this process."""

    def __init__(self, folder, limit, process=None):
        self.folder, self.limit = pathlib.Path(folder), limit
        self.process = process or os.getpid()
        self.spent, self.since, self.peak = 0.0, None, 0

    def start(self, **details):
        forget_peaks(self.process)
        event("start", loaded_bytes=sum(status(one, "VmRSS") for one in tree(self.process)), **details)
        self.since = time.monotonic()

    @property
    def seconds(self):
        return self.spent + (time.monotonic() - self.since if self.since is not None else 0)

    @property
    def left(self):
        return self.limit - self.seconds

    def snapshot(self, sweep, export):
        """Stops the clock and keeps `export()`: phi, topics x held-out words."""
        self.spent, self.since = self.seconds, None
        self.peak = max(self.peak, peak_memory(self.process))
        path = self.folder / f"{sweep:.4f}.npy"
        np.save(path, np.asarray(export(), dtype=np.float32))
        event("snapshot", sweep=sweep, seconds=self.spent, file=path.name, peak_bytes=self.peak)
        forget_peaks(self.process)
        self.since = time.monotonic()


def train_by_steps(report, step, export):
    """Calls step(sweeps) up to each number of GRID in turn, or to what the limit still allows, and exports."""
    done = 0
    for goal in GRID:
        while done < goal:
            sweeps = goal - done
            if done:
                sweeps = min(sweeps, max(1, int(report.left * done / report.seconds)))
            step(sweeps)
            done += sweeps
            if report.left <= 0:
                break
        report.snapshot(done, export)
        if report.left <= 0:
            break
    event("end", sweeps=done, seconds=report.spent)
