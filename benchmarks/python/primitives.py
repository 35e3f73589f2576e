#!/usr/bin/env python3
"""Measures the primitives beside NumPy's: bincount, add.at, cumsum, add.reduceat.

    python benchmarks/python/primitives.py [-o FILE.md] [--bins N ...]

Entries are nanoseconds per item, the least of several rounds in which all take their turn. NumPy works on one thread,
papilio on as many as `threads` of the column says. Sums of floats are papilio's exact ones; NumPy's round as they go.
Needs papilio and NumPy.
"""

import argparse
import platform
import time

import numpy as np
from timing import seconds

import papilio

ITEMS = 1 << 24
ROUNDS = 3
LAWS = ("uniform", "Zipf", "one hot bin")


def indices_of(law, bins, generator):
    if law == "uniform":
        return generator.integers(0, bins, ITEMS).astype(np.int32)
    if law == "Zipf":
        return (np.minimum(bins, 1 / (1 - generator.random(ITEMS))) - 1).astype(np.int32)
    return np.full(ITEMS, bins // 2, np.int32)


def by_index(bins, law):
    generator = np.random.default_rng(1)
    indices, wide = indices_of(law, bins, generator), generator.random(ITEMS)
    narrow, out = wide.astype(np.float32), np.zeros(bins, np.float32)
    calls = {}
    for threads in (1, 2):
        more = {"threads": threads}
        calls[f"counts, {threads}"] = lambda more=more: papilio.reduce_by_index(indices, bins=bins, **more)
        calls[f"float32, {threads}"] = lambda more=more: papilio.reduce_by_index(indices, narrow, bins, **more)
        calls[f"float64, {threads}"] = lambda more=more: papilio.reduce_by_index(indices, wide, bins, **more)
    return calls | {
        "bincount": lambda: np.bincount(indices, minlength=bins),
        "bincount, float32": lambda: np.bincount(indices, narrow, bins),
        "bincount, float64": lambda: np.bincount(indices, wide, bins),
        "add.at, float32": lambda: np.add.at(out, indices, narrow),
    }


def by_segment(mean, dtype):
    generator = np.random.default_rng(2)
    values = generator.random(ITEMS).astype(dtype)
    inner = np.unique(generator.integers(1, ITEMS, ITEMS // mean))
    offsets = np.concatenate(([0], inner, [ITEMS]))
    calls = {}
    for threads in (1, 2):
        more = {"threads": threads}
        calls[f"segmented_reduce, {threads}"] = lambda more=more: papilio.segmented_reduce(values, offsets, **more)
        calls[f"scan, {threads}"] = lambda more=more: papilio.scan(values, **more)
    return calls | {
        "add.reduceat": lambda: np.add.reduceat(values, offsets[:-1]),
        "cumsum": lambda: np.cumsum(values),
    }


def table(title, rows):
    times = {name: seconds(calls, rounds=ROUNDS, clock=time.perf_counter) for name, calls in rows.items()}
    names = list(next(iter(times.values())))
    lines = [f"| {title} | " + " | ".join(names) + " |", "| --- |" + " ---: |" * len(names)]
    for row, measured in times.items():
        lines.append(f"| {row} | " + " | ".join(f"{measured[name] / ITEMS * 1e9:.2f}" for name in names) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output")
    parser.add_argument("--bins", type=int, nargs="+", default=[1_000, 1_000_000, 100_000_000])
    options = parser.parse_args()
    print(f"papilio {papilio.version()}, {papilio.cpu_target()}, NumPy {np.__version__}, {platform.python_version()}\n")
    lines = table("bins, law", {f"{bins:,}, {law}": by_index(bins, law) for bins in options.bins for law in LAWS})
    lines += ["", *table("mean length, type", {f"{mean:,}, {np.dtype(dtype).name}": by_segment(mean, dtype)
                                               for mean in (4, 64, 4096) for dtype in (np.float32, np.float64)})]
    text = "\n".join(lines) + "\n"
    print(text, end="")
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
