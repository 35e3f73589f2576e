"""The records of the race: one JSON object per line, one line per run. No part of this needs NumPy."""

import contextlib
import datetime
import fcntl
import json
import pathlib
import platform
import subprocess

QUIET = 0.02  # of one core: what others may use beside a run before it counts as disturbed
TRIES = 3  # a disturbed run is repeated twice at most

KEY = ("corpus", "topics", "threads", "system")


def read(path):
    path = pathlib.Path(path)
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


@contextlib.contextmanager
def locked(path):
    with open(f"{path}.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def append(path, record):
    with locked(path), open(path, "a") as file:
        file.write(json.dumps(record) + "\n")


def replace(path, number, record):
    """Puts a record in the place of line `number`, whatever was appended since."""
    path = pathlib.Path(path)
    with locked(path):
        lines = read(path)
        lines[number] = record
        changed = path.with_suffix(".new")
        changed.write_text("".join(json.dumps(line) + "\n" for line in lines))
        changed.replace(path)


def key(record):
    return tuple(record[field] for field in KEY)


def machine():
    """What tells one machine from another: the processor's name and its cores."""
    name = platform.processor()
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            name = line.split(":", 1)[1].strip()
    flags = next((set(line.split()) for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("flags")), set())
    widest = next((isa for flag, isa in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if flag in flags), "SSE2")
    count = sum(line.startswith("processor") for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines())
    return f"{name}, {count} cores, {widest}"


def commit(folder):
    run = subprocess.run(["git", "-C", folder, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return run.stdout.strip() or "unknown"


def today():
    return datetime.date.today().isoformat()


def disturbed(record):
    return record["others"] > QUIET


def of_run(records, wanted, where):
    """The records of one configuration on this machine."""
    return [r for r in records if key(r) == wanted and r["machine"] == where]


def needed(records, wanted, where):
    """Whether a configuration is still to be run: it has no undisturbed record, and tries are left."""
    found = of_run(records, wanted, where)
    return len(found) < TRIES and all(disturbed(r) for r in found)


def best(records):
    """Of each configuration the record that others disturbed least; runs of one machine only."""
    chosen = {}
    for record in records:
        name = key(record)
        if name not in chosen or (disturbed(record), record["others"]) < (disturbed(chosen[name]), chosen[name]["others"]):
            chosen[name] = record
    return chosen


def reached(curve, target):
    """Seconds and sweeps at which a curve of {"seconds", "sweep", "perplexity"} first is at the target, between two points by
    linear interpolation; None where it never is."""
    before = None
    for point in curve:
        if point["perplexity"] <= target:
            if before is None:
                return point["seconds"], point["sweep"]
            part = (before["perplexity"] - target) / (before["perplexity"] - point["perplexity"])
            return tuple(before[f] + part * (point[f] - before[f]) for f in ("seconds", "sweep"))
        before = point
    return None


def steady_rate(curve, tokens):
    """Tokens per second over the second half of the sweeps, when topics have settled."""
    if not curve:
        return None
    last = curve[-1]
    half = [p for p in curve[:-1] if p["sweep"] >= last["sweep"] / 2 - 1e-9]
    first = half[0] if half else {"sweep": 0, "seconds": 0}
    return tokens * (last["sweep"] - first["sweep"]) / (last["seconds"] - first["seconds"])
