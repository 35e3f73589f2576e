"""What the figures of tools/gpu_report.py say, in sentences that are computed from them."""

import textwrap

from gpu_claims import BASELINE, BUTTERFLY, TRANSPOSED, percent, saved, sawtooth, times

SWAP, TWO_PASS, DEFAULT = "butterfly_swap", "butterfly_two_pass", "slots"


def spread(values, digits=0):
    """ "18 to 25" of percentages, or "18" where they do not differ."""
    low, high = (f"{100 * v:.{digits}f}" for v in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def less_time(ms, new, old, wanted):
    """Shares of the time that `new` saves beside `old` at all K for which wanted(K)."""
    shares = {K: saved(ms, new, old, K) for K in ms.get(new, {}) if wanted(K)}
    return {K: share for K, share in shares.items() if share is not None}


def compared(ms, new, old, wanted, where):
    """ "18 to 25 % less time than B at ..." of methods A and B."""
    shares = less_time(ms, new, old, wanted)
    if not shares:
        return None
    if min(shares.values()) >= 0:
        return f"`{new}` takes {spread(shares.values())} % less time than `{old}` {where}"
    if max(shares.values()) <= 0:
        return f"`{new}` takes {spread([-s for s in shares.values()])} % more time than `{old}` {where}"
    return f"`{new}` takes from {percent(max(shares.values()))} to {percent(min(shares.values()))} than `{old}` {where}"


def of_methods(methods, figure):
    """The papers' methods beside one another."""
    out = []

    def wide(K):
        return K > 64 and K % 32 == 0

    for kind in ("float", "double"):
        ms = times(methods, kind)
        for new, old in ((BUTTERFLY, TRANSPOSED), (SWAP, TRANSPOSED), (SWAP, BUTTERFLY), (TWO_PASS, BUTTERFLY)):
            line = compared(ms, new, old, wide, f"at the multiples of 32 above 64 ({kind})")
            if line and 1024 in ms[new] and saved(ms, new, old, 1024) is not None:
                line += f"; at K = 1,024: {percent(saved(ms, new, old, 1024))}"
            out.append(line)
        for method in (BUTTERFLY, DEFAULT):
            if 1024 in ms.get(BASELINE, {}) and 1024 in ms.get(method, {}):
                out.append(f"`{BASELINE}` takes {ms[BASELINE][1024] / ms[method][1024]:.2f} times as long as `{method}` at K = 1,024 ({kind})")
    for kind in ("float", "double"):
        found = [(method, sawtooth(figure, kind, method)[0]) for method in (TRANSPOSED, BUTTERFLY)]
        found = [f"`{method}` {percent(dip)}" for method, dip in found if dip is not None]
        if found:
            out.append(f"Figure 12's sawtooth, K of 480 to 544 ({kind}): at multiples of 32 {' and '.join(found)} than beside them")
    return [f"- {line}." for line in out if line]


def of_goals(name, reached, goal, show):
    """One line for a goal of several cases: [(case, value)], those that miss it named."""
    if not reached:
        return []
    missed = [f"{case}: {show(value)}" for case, value in reached if value < goal]
    low, high = show(min(v for _, v in reached)), show(max(v for _, v in reached))
    text = f"- {name}, goal {goal:g}: {low}" + (f" to {high}" if high != low else "")
    if len(reached) == 1:
        return [f"{text}, {'missed' if missed else 'reached'}."]
    return [text + (f". Missed at {'; '.join(missed)}." if missed else ", reached everywhere.")]


def whole_application(report, data):
    """The quickest and the slowest sampler's sweep on the GPU at K = 1,024."""
    found = sorted((r["seconds_per_sweep"] * 1e3, r["sampler"]) for r in data.get("lda", [])
                   if r["device"].startswith("cuda") and r["topics"] == 1024)
    if not found:
        return []
    return [f"- A whole sweep of training at K = 1,024: {', '.join(f'{sampler} {report.figures(ms)} ms' for ms, sampler in found)}."]


def sentences(report, data):
    """The section "What the figures say"; `report` is the module gpu_report."""
    two = lambda value: f"{value:.2f}"  # noqa: E731
    roof, shares, gains, ends = report.read_roof(data), {}, [], []
    for rows, categories in report.LARGE:
        own, peer = report.own(data, rows, categories, "float"), report.best_peer(data, rows, categories, "float")
        reading = next((r for r in report.of_shape(data, "batched", rows, categories, "float") if r["method"] == "read only"), None)
        name = f"{rows:,} x {categories:,}"
        if own and roof:
            shares.setdefault(report.goal_of_roof(categories), []).append((name, rows * categories * 4 / own["ms"] * 1e3 / roof))
        if own and peer:
            gains.append((name, peer["ms"] / own["ms"]))
        if own and reading:
            ends.append(f"{name} {report.figures(own['ms'])} and {report.figures(reading['ms'])}")
    lines = [line for goal, found in sorted(shares.items())
             for line in of_goals(f"Share of the read roof, float, {'128 categories and more' if goal == 0.9 else '32 categories'}", found, goal, two)]
    if ends:
        lines.append(f"- The draws and a kernel that only reads the same rows, float, ms: {'; '.join(ends)}.")
    lines += of_goals("Times as fast as the best peer, float", gains, report.GOAL_GAIN, two)
    for low, high, goal in report.GOALS_FLOOR:
        for corpus in dict.fromkeys(r["corpus"] for r in report.measured(data, "draws")):
            by = {(r["topics"], r["method"]): r["ms"] for r in report.measured(data, "draws") if r["corpus"] == corpus}
            found = [(f"K = {K:,}", by[K, "floor"] / by[K, "trainer"]) for K, method in sorted(by)
                     if method == "trainer" and low <= K <= high and (K, "floor") in by]
            lines += of_goals(f"Floor / time of the trainer's draws, K = {low:,} to {high:,}, {corpus}", found, goal, two)
    lines += whole_application(report, data)
    methods = of_methods(report.measured(data, "methods"), report.measured(data, "figure"))
    text = "\n".join(textwrap.fill(line, 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False) for line in lines + methods)
    return f"## What the figures say\n\nComputed from the figures below.\n\n{text}\n" if text else ""
