"""What the 2019 paper (section 7) says of its methods on its GPU, and whether the figures measured here agree."""

import math

BYTES = {"float": 4, "bfloat16": 2, "double": 8}
BASELINE, TRANSPOSED, BUTTERFLY = "prefix", "transposed", "butterfly_add_subtract"


def exponent(value):
    """The decimal exponent of a number other than 0."""
    return math.floor(math.log10(abs(value)))


def times(records, kind):
    """method -> {K: ms} of one type."""
    out = {}
    for r in records:
        if r["type"] == kind:
            out.setdefault(r["method"], {})[r["topics"]] = r["ms"]
    return out


def saved(ms, new, old, K):
    """The share of the time of `old` that `new` saves at K; None where one was not measured."""
    a, b = ms.get(new, {}).get(K), ms.get(old, {}).get(K)
    return None if a is None or b is None else 1 - a / b


def percent(share):
    return f"{100 * share:.0f} % less time" if share >= 0 else f"{100 * -share:.0f} % more time"


def stretches(values, step):
    """[16, 32, 48, 96] with step 16: "16 ... 48, 96"."""
    runs = []
    for value in sorted(values):
        if runs and value - runs[-1][-1] <= step:
            runs[-1].append(value)
        else:
            runs.append([value])
    return ", ".join(f"{r[0]:,}" if len(r) == 1 else f"{r[0]:,} ... {r[-1]:,}" for r in runs)


def faster_everywhere(ms, new, old, wanted, words):
    """A claim that `new` is faster at every measured K for which wanted(K)."""
    both = [K for K in sorted(ms.get(new, {})) if K in ms.get(old, {}) and wanted(K)]
    if not both:
        return None
    good = [K for K in both if ms[new][K] < ms[old][K]]
    step = min((b - a for a, b in zip(both, both[1:])), default=1)
    here = f"faster at {len(good)} of {len(both)} K" + (f" ({stretches(good, step)})" if 0 < len(good) < len(both) else "")
    return [words, here, "yes" if len(good) == len(both) else "no" if not good else "in part"]


def saves(ms, new, old, K, claimed, words):
    """A claim of a share of time saved at one K; it holds where at least 0.8 of that share is found."""
    share = saved(ms, new, old, K)
    return None if share is None else [words, percent(share), "yes" if share >= 0.8 * claimed else "no"]


def sawtooth(records, kind, method):
    """How much less time multiples of 32 take than their neighbours, and 16 mod 32 than theirs."""
    ms = times(records, kind).get(method, {})

    def dip(multiple):
        shares = [1 - 2 * ms[K] / (ms[K - 1] + ms[K + 1]) for K in ms
                  if K % 32 == multiple and K - 1 in ms and K + 1 in ms]
        return sum(shares) / len(shares) if shares else None

    return dip(0), dip(16)


def claims(methods, figure):
    """[claim, what is found here, whether it holds] of everything that was measured."""
    single, double = times(methods, "float"), times(methods, "double")
    out = [
        faster_everywhere(single, BUTTERFLY, BASELINE, lambda K: 80 <= K <= 240 and K % 32 == 16,
                          "Fig. 10: butterfly faster than no butterfly, K >= 80 (float)"),
        saves(single, BUTTERFLY, BASELINE, 208, 0.5, "Fig. 10: more than twice as fast, K = 208 (float)"),
        saves(single, BUTTERFLY, BASELINE, 240, 0.5, "Fig. 10: more than twice as fast, K = 240 (float)"),
        faster_everywhere(single, BUTTERFLY, TRANSPOSED, lambda K: K > 576,
                          "Fig. 11(a): Algorithm 7 faster than 4, all K > 576 (float)"),
        faster_everywhere(single, BUTTERFLY, TRANSPOSED, lambda K: K > 64 and K % 32 == 0,
                          "Fig. 11(a): the same for multiples of 32 above 64 (float)"),
        faster_everywhere(double, BUTTERFLY, TRANSPOSED, lambda K: K > 64,
                          "Fig. 11(b): Algorithm 7 faster than 4, all K > 64 (double)"),
    ]
    for ms, kind, new, old, K, claimed in [
            (single, "float", BUTTERFLY, TRANSPOSED, 512, 0.08), (single, "float", BUTTERFLY, TRANSPOSED, 1024, 0.13),
            (double, "double", BUTTERFLY, TRANSPOSED, 512, 0.33), (double, "double", BUTTERFLY, TRANSPOSED, 1024, 0.35),
            (single, "float", BUTTERFLY, BASELINE, 1024, 0.74), (double, "double", BUTTERFLY, BASELINE, 1024, 0.71),
            (single, "float", TRANSPOSED, BASELINE, 1024, 0.70), (double, "double", TRANSPOSED, BASELINE, 1024, 0.56)]:
        number = {BUTTERFLY: 7, TRANSPOSED: 4, BASELINE: 1}
        out.append(saves(ms, new, old, K, claimed,
                         f"Algorithm {number[new]} against {number[old]}, K = {K:,}: {100 * claimed:.0f} % less time ({kind})"))
    for kind in ("float", "double"):
        for method, number in ((TRANSPOSED, 4), (BUTTERFLY, 7)):
            dip, half = sawtooth(figure, kind, method)
            if dip is not None:
                found = f"multiples of 32: {percent(dip)} than their neighbours" + (
                    f"; 16 mod 32: {percent(half)}" if half is not None else "")
                out.append([f"Fig. 12: sawtooth, Algorithm {number} ({kind})", found, "yes" if dip > 0.01 else "no"])
    return [claim for claim in out if claim]
