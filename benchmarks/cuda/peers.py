#!/usr/bin/env python3
"""Draws one category from each row of a matrix with other libraries.

    benchmarks/cuda/peers.py --json FILE [--limit SECONDS] [--quick]

The shapes, types and names of the cases are those of papilio_sampling_cuda_bench
--cases batched. Buffers take turns, so that no row is in the cache when it is read
again; times are on the device, the median of repeated calls. What is drawn is
checked before it is timed. A peer that fails, or is not installed, is recorded
with its error message, and the others go on.
"""

import argparse
import json
import os
import statistics
import sys
import time

SHAPES = [(1 << 20, 32), (1 << 20, 128), (262144, 1024), (65536, 4096), (512, 131072),
          (1, 131072), (16, 131072), (64, 131072)]
TYPES = {"float": 4, "bfloat16": 2, "double": 8}
ROTATED_BYTES = 1 << 30
LONGEST_CASE = 2.0  # seconds


class Journal:
    """Prints every case as it comes, and keeps it."""

    def __init__(self, limit):
        self.records = []
        self.head = {}
        self.start = time.monotonic()
        self.limit = limit

    def out_of_time(self):
        return time.monotonic() - self.start > self.limit

    def case(self, rows, categories, kind, method, measure):
        """Runs measure() -> (median ms, best ms, calls) and records what came of it."""
        record = {"case": "batched", "rows": rows, "categories": categories, "type": kind, "method": method}
        try:
            if self.out_of_time():
                raise TimeoutError("not measured: the time was up")
            median, best, calls = measure()
            moved = rows * categories * TYPES[kind]
            record.update(ms=median, ms_best=best, launches=calls, bytes=moved, bytes_per_second=moved / median * 1e3)
        except Exception as error:  # whatever a library may throw
            record["error"] = f"{type(error).__name__}: {error}".splitlines()[0][:300]
        self.records.append(record)
        print("  ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{v}" for k, v in record.items()), flush=True)

    def absent(self, library, error):
        self.head.setdefault(library, None)
        self.records.append({"case": "peer", "method": library, "error": f"{type(error).__name__}: {error}"[:300]})
        print(f"{library}: {error}", flush=True)


def calls_for(ms):
    """How many calls a case of `ms` a call gets: 20 to 60, fewer where 20 would take too long."""
    return max(3, min(60, max(20, int(100 / ms)), int(LONGEST_CASE * 1e3 / 2 / ms)))


# torch


def torch_methods(torch):
    """Method -> (function of a matrix, whether it is compiled)."""

    def wide(weights):  # 16-bit logarithms and sums would be no draws from these weights
        return weights if weights.dtype in (torch.float32, torch.float64) else weights.float()

    def multinomial(weights):
        return torch.multinomial(weights, 1).squeeze(1)

    def race_in_place(weights):
        w = wide(weights)
        return w.div(torch.empty_like(w).exponential_()).argmax(1)

    def race(weights):
        w = wide(weights)
        return (w / -torch.log1p(-torch.rand_like(w))).argmax(1)

    def gumbel(weights):
        w = wide(weights)
        return (w.log() - torch.log(-torch.log1p(-torch.rand_like(w)))).argmax(1)

    def search(weights):
        sums = wide(weights).cumsum(1)
        u = torch.rand(sums.shape[0], 1, dtype=sums.dtype, device=sums.device) * sums[:, -1:]
        return torch.searchsorted(sums, u, right=True).squeeze(1).clamp_(max=sums.shape[1] - 1)

    return {
        "torch.multinomial": (multinomial, False),
        "torch race": (race_in_place, False),
        "torch race, compiled": (race, True),
        "torch Gumbel": (gumbel, False),
        "torch Gumbel, compiled": (gumbel, True),
        "torch cumsum + searchsorted": (search, False),
        "torch cumsum + searchsorted, compiled": (search, True),
    }


def torch_time(torch, draw, matrices):
    """The time on the device of one call, as papilio's own is taken: queued after a wait."""
    check_draws(torch, draw(matrices[0]), matrices[0])
    events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    draw(matrices[-1])
    torch.cuda.synchronize()
    events[0].record()
    draw(matrices[1 % len(matrices)])
    events[1].record()
    torch.cuda.synchronize()
    calls = calls_for(max(events[0].elapsed_time(events[1]), 1e-3))
    events = [torch.cuda.Event(enable_timing=True) for _ in range(calls + 1)]
    torch.cuda._sleep(20_000_000)  # about 10 ms, in which the host runs ahead
    events[0].record()
    for i in range(calls):
        draw(matrices[i % len(matrices)])
        events[i + 1].record()
    torch.cuda.synchronize()
    ms = [a.elapsed_time(b) for a, b in zip(events, events[1:])]
    return statistics.median(ms), min(ms), calls


def check_draws(torch, drawn, weights):
    if drawn.numel() != weights.shape[0] or bool(((drawn < 0) | (drawn >= weights.shape[1])).any()):
        raise ValueError("a draw is out of range")
    if not bool((weights.gather(1, drawn.long().view(-1, 1)) > 0).all()):
        raise ValueError("a category of weight 0 was drawn")


def torch_matrices(torch, rows, categories, kind):
    """Matrices to take turns on: many small weights, a few large ones, one in sixteen 0."""
    dtype = {"float": torch.float32, "bfloat16": torch.bfloat16, "double": torch.float64}[kind]
    copies = max(2, ROTATED_BYTES // (rows * categories * TYPES[kind]))
    pool = torch.empty(copies * rows, categories, dtype=dtype, device="cuda")
    step = max(1, (1 << 28) // categories)
    for at in range(0, pool.shape[0], step):
        part = torch.rand(min(step, pool.shape[0] - at), categories, device="cuda")
        pool[at:at + step] = torch.where(part < 1 / 16, 0.0, part ** 3).to(dtype)
    return list(pool.split(rows))


def run_torch(journal, cases):
    import torch
    journal.head.update(torch=torch.__version__, device=torch.cuda.get_device_name(0), cuda=torch.version.cuda)
    for compiled in (False, True):
        for rows, categories, kind in cases:
            matrices = None
            for method, (draw, wants_compiling) in torch_methods(torch).items():
                if wants_compiling != compiled or (compiled and "race" not in method and kind != "float"):
                    continue

                def measure(draw=draw):
                    nonlocal matrices
                    matrices = matrices or torch_matrices(torch, rows, categories, kind)
                    if compiled:
                        torch._dynamo.reset()
                        draw = torch.compile(draw, dynamic=False)
                    with torch.no_grad():
                        return torch_time(torch, draw, matrices)

                journal.case(rows, categories, kind, method, measure)
            matrices = None
            torch.cuda.empty_cache()


# jax


def jax_time(jnp, draw, keys, logits):
    """Time of one call where several are queued before the host waits for the last."""
    drawn = draw(keys[0], logits[0]).block_until_ready()
    if int(drawn.min()) < 0 or int(drawn.max()) >= logits[0].shape[1]:
        raise ValueError("a draw is out of range")
    if not bool((jnp.take_along_axis(logits[0], drawn[:, None], 1) > -jnp.inf).all()):
        raise ValueError("a category of weight 0 was drawn")
    begin = time.perf_counter()
    draw(keys[1], logits[1]).block_until_ready()
    calls = calls_for((time.perf_counter() - begin) * 1e3)
    ms, queued = [], 5
    for first in range(0, calls, queued):
        begin = time.perf_counter()
        for i in range(first, first + queued):
            last = draw(keys[i % len(keys)], logits[i % len(logits)])
        last.block_until_ready()
        ms.append((time.perf_counter() - begin) * 1e3 / queued)
    return statistics.median(ms), min(ms), len(ms) * queued


def jax_logits(jax, jnp, rows, categories, dtype, copies):
    """Logarithms of weights as torch_matrices makes them; their making is not timed."""

    @jax.jit
    def make(key):
        u = jax.random.uniform(key, (rows, categories), dtype=jnp.float32)
        return jnp.where(u < 1 / 16, -jnp.inf, 3 * jnp.log(u)).astype(dtype)

    return [make(jax.random.key(i)) for i in range(copies)]


def run_jax(journal, cases):
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_enable_x64", True)
    journal.head["jax"] = jax.__version__
    if jax.devices()[0].platform != "gpu":
        raise RuntimeError("jax finds no GPU")
    dtypes = {"float": jnp.float32, "bfloat16": jnp.bfloat16, "double": jnp.float64}
    draw = jax.jit(lambda key, logits: jax.random.categorical(key, logits, axis=-1))
    for rows, categories, kind in cases:
        copies = max(2, min(256, ROTATED_BYTES // (rows * categories * TYPES[kind])))
        logits = None
        for generator in ("threefry2x32", "rbg"):

            def measure():
                nonlocal logits
                logits = logits or jax_logits(jax, jnp, rows, categories, dtypes[kind], copies)
                keys = list(jax.random.split(jax.random.key(1, impl=generator), 64))
                return jax_time(jnp, draw, keys, logits)

            journal.case(rows, categories, kind, f"jax.random.categorical, {generator}", measure)


# cupy


def run_cupy(journal, cases):
    import cupy
    journal.head["cupy"] = cupy.__version__

    def race(weights):
        return (weights / cupy.random.standard_exponential(weights.shape, dtype=weights.dtype)).argmax(1)

    def time_of(matrices):
        drawn = race(matrices[0])
        if not bool((cupy.take_along_axis(matrices[0], drawn.reshape(-1, 1), 1) > 0).all()):
            raise ValueError("a category of weight 0 was drawn")
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        ms = []
        while len(ms) < 20 and sum(ms) < LONGEST_CASE * 500:
            begin.record()
            race(matrices[len(ms) % len(matrices)])
            end.record()
            end.synchronize()
            ms.append(cupy.cuda.get_elapsed_time(begin, end))
        return statistics.median(ms), min(ms), len(ms)

    for rows, categories, kind in cases:
        def measure():
            if kind == "bfloat16":
                raise TypeError("cupy draws no bfloat16")
            dtype = {"float": cupy.float32, "double": cupy.float64}[kind]
            copies = max(2, min(256, ROTATED_BYTES // (rows * categories * TYPES[kind])))
            return time_of([cupy.random.random((rows, categories), dtype=dtype) for _ in range(copies)])

        journal.case(rows, categories, kind, "cupy race", measure)
        cupy.get_default_memory_pool().free_all_blocks()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", required=True)
    parser.add_argument("--limit", type=float, default=90, help="seconds after which nothing new begins")
    parser.add_argument("--quick", action="store_true", help="float and the five large shapes only")
    arguments = parser.parse_args()
    journal = Journal(arguments.limit)
    kinds = ["float"] if arguments.quick else list(TYPES)
    shapes = SHAPES[:5] if arguments.quick else SHAPES
    peers = {"torch": run_torch, "jax": run_jax, "cupy": run_cupy}
    for kind in kinds:  # floats first, in case the time runs out
        for name, run in list(peers.items()):
            try:
                run(journal, [(*shape, kind) for shape in shapes])
            except Exception as error:
                journal.absent(name, error)
                del peers[name]
    with open(arguments.json, "w") as file:
        records = ",\n".join(json.dumps(record) for record in journal.records)
        file.write(json.dumps(journal.head)[:-1] + (", " if journal.head else "") + f'"records": [\n{records}\n]}}\n')
    return 0


if __name__ == "__main__":
    sys.exit(main())
