#!/usr/bin/env python3
"""Measures draws from one row of weights beside NumPy's Generator.choice; writes a table.

    python benchmarks/python/choice.py [-o FILE.md]

Each entry draws n of K categories by weights that no call has seen before: NumPy's choice, papilio's, and both tables
made and drawn from; the last column draws from a table that is there. All on one thread but the last of papilio's, in
turns; the least of several rounds. Needs papilio and NumPy.
"""

import argparse
import os
import platform

import numpy as np
from timing import seconds, shown

import papilio

CATEGORIES = [10, 1_000, 1_000_000]
DRAWS = [1, 1_000, 1_000_000]
ROUNDS = 9


def contenders(categories, draws):
    """The calls by name."""
    p = np.random.default_rng(1).random(categories)
    p /= p.sum()
    generator = np.random.default_rng(2)
    table = papilio.AliasTable(p)
    return {
        "papilio.choice": lambda: papilio.choice(categories, draws, p, seed=1, threads=1),
        "Generator.choice": lambda: generator.choice(categories, draws, p=p),
        "AliasTable(p).sample": lambda: papilio.AliasTable(p).sample(draws, seed=1, threads=1),
        "CumulativeTable(p).sample": lambda: papilio.CumulativeTable(p).sample(draws, seed=1, threads=1),
        "table.sample": lambda: table.sample(draws, seed=1, threads=1),
        "papilio.choice, all threads": lambda: papilio.choice(categories, draws, p, seed=1),
    }


def table():
    columns = {(K, n): seconds(contenders(K, n), rounds=ROUNDS) for K in CATEGORIES for n in DRAWS}
    names = list(next(iter(columns.values())))
    lines = [
        "# Draws from one row",
        "",
        "n draws of K categories with replacement by float64 weights, made by",
        "`python benchmarks/python/choice.py`. One thread, except in the last column. The second column has",
        "papilio's time; the others are multiples of it, all in one run. Above 1 is slower than",
        "`papilio.choice`. `table.sample` draws from an alias table that has been made before.",
        "",
        f"papilio {papilio.version()}, NumPy {np.__version__}, Python {platform.python_version()}, "
        f"{papilio.cpu_target()}, {os.cpu_count()} processors.",
        "",
        "| K, n | " + " | ".join(names) + " |",
        "| --- |" + " ---: |" * len(names),
    ]
    for (K, n), times in columns.items():
        base = times["papilio.choice"]
        entries = [shown(base), *(f"{times[name] / base:.2f}" for name in names[1:])]
        lines.append(f"| {K:,}, {n:,} | " + " | ".join(entries) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    text = "\n".join(table()) + "\n"
    print(text, end="")
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
