#!/usr/bin/env python3
"""Measures tridiagonal systems beside LAPACK's gtsv and scipy.linalg.solve_banded.

    python benchmarks/python/tridiagonal.py [-o FILE.md]

Each entry solves systems of n unknowns, 2^20 in all, on one thread, in turns; the least processor time of several
rounds, so that other work on the machine counts little. LAPACK solves one system per call, in place, without copies
where that can be asked for. Needs papilio, NumPy and SciPy.
"""

import argparse
import platform
import time

import numpy as np
from scipy.linalg import lapack, solve_banded
from timing import seconds

import papilio

ROUNDS = 7
UNKNOWNS = 1 << 20
SIZES = (8, 64, 512, 4096, UNKNOWNS)


def contenders(n, dtype):
    """The calls by name. All make x from the same d."""
    rng = np.random.default_rng(1)
    systems = UNKNOWNS // n
    a, c, d = (rng.uniform(-1, 1, (systems, n)).astype(dtype) for _ in range(3))
    b = (abs(a) + abs(c) + 0.5).astype(dtype)
    across = [np.asfortranarray(x) for x in (a, b, c, d)]
    gtsv = lapack.sgtsv if dtype == np.float32 else lapack.dgtsv
    banded = np.zeros((3, systems, n), dtype)
    banded[0, :, 1:], banded[1], banded[2, :, :-1] = c[:, :-1], b, a[:, 1:]
    out, out_across = np.empty_like(d), np.empty_like(across[3])

    def by_gtsv():
        for s in range(systems):
            gtsv(a[s, 1:], b[s], c[s, :-1], d[s])

    def by_solve_banded():
        for s in range(systems):
            solve_banded((1, 1), banded[:, s], d[s], check_finite=False)

    x = papilio.solve_tridiagonal(a, b, c, d)
    expected = np.array([gtsv(a[s, 1:], b[s], c[s, :-1], d[s])[3] for s in range(min(systems, 100))])
    error = abs(x[: len(expected)] - expected).max() / abs(expected).max()
    assert error < 100 * np.finfo(dtype).eps, error
    options = {"threads": 1, "check": False}
    calls = {
        "contiguous": lambda: papilio.solve_tridiagonal(a, b, c, d, out=out, **options),
        "interleaved": lambda: papilio.solve_tridiagonal(*across, out=out_across, **options),
    }
    if n >= 64:  # else it is Python that is measured
        calls |= {"gtsv": by_gtsv, "solve_banded": by_solve_banded}
    return calls


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", help="write the table there")
    output = parser.parse_args().output
    lines = [
        f"papilio {papilio.version()}, CPU target {papilio.cpu_target()}, one thread, NumPy {np.__version__}, Python "
        f"{platform.python_version()}; nanoseconds per unknown",
        "",
        "| numbers | n | `solve_tridiagonal`, contiguous | interleaved | LAPACK gtsv | `solve_banded` |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for dtype in (np.float32, np.float64):
        for n in SIZES:
            times = seconds(contenders(n, dtype), rounds=ROUNDS, clock=time.process_time)
            cells = [f"{times[k] / UNKNOWNS * 1e9:.2f}" if k in times else "" for k in ("contiguous", "interleaved", "gtsv", "solve_banded")]
            lines.append(f"| {np.dtype(dtype).name} | {n:,} | " + " | ".join(cells) + " |")
    text = "\n".join(lines) + "\n"
    print(text)
    if output:
        with open(output, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
