#!/usr/bin/env python3
"""Measures draws of tokens from one row of logits beside NumPy and, if it is installed, PyTorch.

    python benchmarks/python/tokens.py [-o FILE.md]

V logits, float32, temperature 0.8 and the filters that the line names, one thread, all in turns; the least processor
time of several rounds, so that other work on the machine counts little. Needs papilio and NumPy.
"""

import time

import numpy as np
from timing import print_table, seconds, shown

import papilio

ROUNDS = 9
CASES = [(V, filters) for V in (32_000, 131_072) for filters in ({"top_k": 50, "top_p": 0.9}, {"top_p": 0.9}, {})]


def by_numpy(logits, generator, top_k=0, top_p=1.0):
    """The usual way: the k largest, or a sort of all; cumulative sums; one uniform number."""
    if top_k:
        order = np.argpartition(logits, -top_k)[-top_k:]
        order = order[np.argsort(-logits[order])]
    else:
        order = np.argsort(-logits) if top_p < 1 else np.arange(len(logits))
    scaled = logits[order] / np.float32(0.8)
    sums = np.cumsum(np.exp(scaled - scaled.max()))
    if top_p < 1:
        sums = sums[: np.searchsorted(sums, top_p * sums[-1]) + 1]
    return order[np.searchsorted(sums, generator.random() * sums[-1], side="right")]


def by_torch(torch, logits, top_k=0, top_p=1.0):
    scaled = logits / 0.8
    if top_k:
        scaled, order = torch.topk(scaled, top_k)
    elif top_p < 1:
        scaled, order = torch.sort(scaled, descending=True)
    else:
        return torch.multinomial(torch.softmax(scaled, -1), 1)
    p = torch.softmax(scaled, -1)
    p[torch.cumsum(p, -1) - p >= top_p] = 0
    return order[torch.multinomial(p, 1)]


def contenders(V, filters):
    """The calls by name."""
    logits = np.random.default_rng(1).normal(size=V).astype(np.float32) * 3
    generator = np.random.default_rng(2)
    given = dict(seeds=1, temperature=0.8, threads=1, **filters)
    calls = {
        "papilio": lambda: papilio.sample_tokens(logits, **given),
        "papilio, all results": lambda: papilio.sample_tokens(
            logits, return_log_probability=True, return_rank=True, return_kept=64, return_kept_mass=True, **given
        ),
        "NumPy": lambda: by_numpy(logits, generator, **filters),
    }
    try:
        import torch
    except ImportError:
        return calls
    torch.set_num_threads(1)
    tensor = torch.from_numpy(logits)
    return calls | {f"PyTorch {torch.__version__}": lambda: by_torch(torch, tensor, **filters)}


def table():
    times = [seconds(contenders(*case), rounds=ROUNDS, clock=time.process_time) for case in CASES]
    names = list(times[0])
    lines = ["| V, filters | " + " | ".join(names) + " |", "| --- |" + " ---: |" * len(names)]
    for (V, filters), row in zip(CASES, times):
        what = ", ".join(f"{name} {value}" for name, value in filters.items()) or "none"
        entries = [shown(row[names[0]]), *(f"{row[name] / row[names[0]]:.2f}" for name in names[1:])]
        lines.append(f"| {V:,}, {what} | " + " | ".join(entries) + " |")
    return lines


if __name__ == "__main__":
    print_table(__doc__, table)
