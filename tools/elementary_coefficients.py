#!/usr/bin/env python3
"""Derives the polynomials of src/random/elementary_lanes.h and src/random/gamma.h.

    tools/elementary_coefficients.py          needs mpmath

Each is the polynomial of its degree with the least relative error, found by
Remez' exchange and rounded to float; what is printed last is the greatest relative
error of the rounded polynomial, in exact arithmetic.
"""

import struct

import mpmath as mp

mp.mp.dps = 30


def to_float(x):
    return struct.unpack("<f", struct.pack("<f", float(x)))[0]


def evaluate(coefficients, x):
    value = mp.mpf(0)
    for c in reversed(coefficients):
        value = value * x + c
    return value


def remez(f, low, high, degree, rounds=12, grid=1000):
    """Coefficients, lowest first, with the least greatest |p(x) / f(x) - 1| on [low, high]."""
    low, high = mp.mpf(low), mp.mpf(high)
    points = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * i / (degree + 1)) for i in range(degree + 2)]
    xs = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * i / grid) for i in range(grid + 1)]
    fs = [f(x) for x in xs]
    for _ in range(rounds):
        matrix, right = mp.matrix(degree + 2, degree + 2), mp.matrix(degree + 2, 1)
        for i, x in enumerate(points):
            value = f(x)
            for j in range(degree + 1):
                matrix[i, j] = x**j / value
            matrix[i, degree + 1] = (-1) ** i
            right[i] = 1
        solution = mp.lu_solve(matrix, right)
        p = [solution[j] for j in range(degree + 1)]
        errors = [evaluate(p, x) / y - 1 for x, y in zip(xs, fs)]
        extremes = []  # the greatest error of each run of one sign
        for i, e in enumerate(errors):
            if extremes and (errors[extremes[-1]] > 0) == (e > 0):
                if abs(e) > abs(errors[extremes[-1]]):
                    extremes[-1] = i
            else:
                extremes.append(i)
        if len(extremes) < degree + 2:
            break
        while len(extremes) > degree + 2:
            extremes.pop(0 if abs(errors[extremes[0]]) < abs(errors[extremes[-1]]) else -1)
        points = [xs[i] for i in extremes]
    return p, xs, fs


def near_zero(f, at_zero):
    return lambda x: at_zero if abs(x) < mp.mpf(10) ** -30 else f(x)


def show(name, f, low, high, degree, scale=1):
    p, xs, fs = remez(f, low, high, degree)
    p = [to_float(c * scale) for c in p]
    error = max(abs(evaluate([mp.mpf(c) for c in p], x) / (scale * y) - 1) for x, y in zip(xs, fs))
    print(f"{name}: degree {degree} on [{low}, {high}], relative error {mp.nstr(error, 3)} = 2^{mp.nstr(mp.log(error, 2), 4)}")
    print("   ", ", ".join(f"{c.hex()}f" for c in p))
    return p


def excess(y):
    """G: ln of the acceptance probability is -d y^4 G(y)."""
    return -3 * (mp.log1p(y) - y + y * y / 2 - y**3 / 3) / y**4


def check_bound(p, low):
    """That p >= G on [low, 3]: y = c x does not go further."""
    least = mp.inf
    for i in range(int(low * 2000), 6001):
        y = mp.mpf(i) / 2000
        if i != 0:
            least = min(least, evaluate(p, y) / excess(y) - 1)
    assert least > mp.mpf("1e-5"), least
    print("    above G everywhere, by at least", mp.nstr(least, 3), "of it")


def main():
    half = mp.mpf(1) / 2
    show("-log2(1 - s / 2) / s", near_zero(lambda s: -mp.log1p(-s / 2) / mp.log(2) / s, 1 / (2 * mp.log(2))), 0, 1, 8)
    show("2^f", lambda f: mp.mpf(2) ** f, -half, half, 6)
    sine = near_zero(lambda q: mp.sin(mp.pi / 2 * mp.sqrt(q)) / mp.sqrt(q), mp.pi / 2)
    show("sin(pi r / 2) / r, in r^2", sine, 0, half**2, 3)
    show("cos(pi r / 2), in r^2", lambda q: mp.cos(mp.pi / 2 * mp.sqrt(q)), 0, half**2, 4)
    g = near_zero(excess, mp.mpf(3) / 4)
    show("G", g, mp.mpf("-0.4"), mp.mpf("0.4"), 8)
    low, high = mp.mpf("-0.85"), mp.mpf("1.6")
    p, xs, fs = remez(g, low, high, 4)
    error = max(abs(evaluate(p, x) / y - 1) for x, y in zip(xs, fs))
    check_bound(show("G from above", g, low, high, 4, scale=1 / (1 - error) + mp.mpf("1e-4")), low)


if __name__ == "__main__":
    main()
