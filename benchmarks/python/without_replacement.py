#!/usr/bin/env python3
"""Measures draws without replacement beside NumPy's Generator.choice and, if it is installed, torch.multinomial.

    python benchmarks/python/without_replacement.py [-o FILE.md]

Each entry draws k distinct ones of K categories by weights that no call has seen before, on one thread, in turns; the
least processor time of several rounds, so that other work on the machine counts little. Needs papilio and NumPy.
"""

import argparse
import platform
import time

import numpy as np

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


def seconds(calls):
    """The time of each call: the least of the means of several rounds, in which all take their turn."""

    def mean(call, number):
        begin = time.process_time()
        for _ in range(number):
            call()
        return (time.process_time() - begin) / number

    number = {name: max(1, int(0.02 / max(mean(call, 2), 1e-6))) for name, call in calls.items()}
    rounds = [{name: mean(call, number[name]) for name, call in calls.items()} for _ in range(ROUNDS)]
    return {name: min(times[name] for times in rounds) for name in calls}


def shown(time_):
    return f"{time_ * 1e3:.3g} ms" if time_ >= 1e-3 else f"{time_ * 1e6:.3g} µs"


def table():
    columns = {size: seconds(contenders(*size)) for size in SIZES}
    names = list(next(iter(columns.values())))
    lines = ["| K, k | " + " | ".join(names) + " |", "| --- |" + " ---: |" * len(names)]
    for (K, k), times in columns.items():
        base = times[names[0]]
        entries = [shown(base), *(f"{times[name] / base:.2f}" for name in names[1:])]
        lines.append(f"| {K:,}, {k:,} | " + " | ".join(entries) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    print(f"papilio {papilio.version()}, {papilio.cpu_target()}, NumPy {np.__version__}, {platform.python_version()}\n")
    text = "\n".join(table()) + "\n"
    print(text, end="")
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
