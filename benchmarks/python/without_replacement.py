#!/usr/bin/env python3
"""Measures draws without replacement beside NumPy's Generator.choice and, if it is installed, torch.multinomial.

    python benchmarks/python/without_replacement.py [-o FILE.md]

Each entry draws k distinct ones of K categories by weights that no call has seen before, on one thread, in turns; the
least processor time of several rounds, so that other work on the machine counts little. Needs papilio and NumPy.
"""

import time

import numpy as np
from timing import print_table, seconds, shown

import papilio

ROUNDS = 9
SIZES = [(K, k) for K in (1_000, 100_000, 1_000_000) for k in (10, 1_000)]


def contenders(categories, draws):
    """The calls by name."""
    weights = np.random.default_rng(1).random(categories) ** -0.9
    p = weights / weights.sum()
    single = weights.astype(np.float32)
    generator = np.random.default_rng(2)
    calls = {
        "papilio, float32": lambda: papilio.sample_without_replacement(single, draws, seed=1, threads=1),
        "papilio, float64": lambda: papilio.sample_without_replacement(weights, draws, seed=1, threads=1),
        "Generator.choice": lambda: generator.choice(categories, draws, replace=False, p=p),
    }
    try:
        import torch
    except ImportError:
        return calls
    torch.set_num_threads(1)
    tensor = torch.from_numpy(single)
    return calls | {"torch.multinomial, float32": lambda: torch.multinomial(tensor, draws, replacement=False)}


def table():
    columns = {size: seconds(contenders(*size), rounds=ROUNDS, clock=time.process_time) for size in SIZES}
    names = list(next(iter(columns.values())))
    lines = ["| K, k | " + " | ".join(names) + " |", "| --- |" + " ---: |" * len(names)]
    for (K, k), times in columns.items():
        base = times[names[0]]
        entries = [shown(base), *(f"{times[name] / base:.2f}" for name in names[1:])]
        lines.append(f"| {K:,}, {k:,} | " + " | ".join(entries) + " |")
    return lines


if __name__ == "__main__":
    print_table(__doc__, table)
