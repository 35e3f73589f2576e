#!/usr/bin/env python3
"""How many draws from weights that are rounded up to 8 bits would be kept: the mean of w by that of its rounding.

    python benchmarks/python/coarse_copy.py

A draw from q >= w that is kept with probability w / q has the law of w. docs/decisions.md says why papilio has none.
Rows are scaled so that the largest weight is the largest number of the format. Needs NumPy.
"""

import numpy as np

CATEGORIES = 131_072
FORMATS = {"E4M3": (4, -6, 448.0), "E5M2": (3, -14, 57_344.0)}  # significant bits, least normal exponent, largest


def rounded_up(x, bits, least, largest):
    """Numbers of that format, not below x; what is 0 stays 0."""
    x = x * (largest / x.max())
    exponent = np.maximum(np.frexp(x)[1] - 1, least)
    unit = np.ldexp(1.0, exponent - bits + 1)
    return x, np.ceil(x / unit) * unit


def laws(generator):
    yield "uniform", generator.random(CATEGORIES)
    yield "exponential", generator.exponential(size=CATEGORIES)
    yield "Zipf", 1 / (1 + generator.permutation(CATEGORIES))
    yield "softmax of normal logits times 3", np.exp(3 * generator.standard_normal(CATEGORIES))


def main():
    print(f"{CATEGORIES:,} weights, share of draws that are kept\n")
    print("| weights | " + " | ".join(FORMATS) + " |\n| --- |" + " ---: |" * len(FORMATS))
    for name, weights in laws(np.random.default_rng(1)):
        kept = []
        for format_ in FORMATS.values():
            x, q = rounded_up(weights, *format_)
            kept.append(f"{x.sum() / q.sum():.2f}")
        print(f"| {name} | " + " | ".join(kept) + " |")


if __name__ == "__main__":
    main()
