#!/usr/bin/env python3
"""Makes the page of the race from its records.

    page.py [--records WORK/records.jsonl] [--base SYSTEM] [--name NAME]

Reads benchmarks/results/NAME.json ("race"), after putting the scored records of --records into it where they are given, and writes
benchmarks/results/NAME.md and docs/plots/NAME_*.svg; NAME.notes.md is a part of the page. A (corpus, topics) that targets.json does not have gets its target by the
rule that the page prints; it is written there, and stays when records are added later.
"""

import argparse
import json
import pathlib
import sys

import records

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from svg_chart import Axis, Series, line_chart  # noqa: E402

RESULTS, PLOTS = ROOT / "benchmarks/results", ROOT / "docs/plots"
TARGETS = pathlib.Path(__file__).resolve().parent / "targets.json"
NAMES = {"mallet": "MALLET", "tomotopy": "tomotopy", "gensim": "gensim", "sklearn": "scikit-learn"}
ORDER = ["mallet", "tomotopy", "gensim", "sklearn"]
EXACT = ("mallet", "tomotopy", "papilio")
RULE = "1 % above the lowest perplexity at the end of MALLET's, tomotopy's and papilio's runs on one thread"


def place(system):
    return (0, 0, system) if system.startswith("papilio") else (1, ORDER.index(system), system)


def gather(path, title):
    """The committed records, and the scored ones of `path` put in."""
    kept = RESULTS / f"{title}.json"
    found = json.loads(kept.read_text()) if kept.exists() else []
    if path:
        found += [r for r in records.read(path) if "snapshots" not in r and r["curve"] and r not in found]
    kept.write_text("[\n" + ",\n".join(json.dumps(r) for r in found) + "\n]\n")
    return found


def targets(runs):
    known = json.loads(TARGETS.read_text())
    for corpus, topics in sorted({(r["corpus"], r["topics"]) for r in runs}):
        ends = [r["curve"][-1]["perplexity"] for r in runs
                if (r["corpus"], r["topics"], r["threads"]) == (corpus, topics, 1) and r["system"] in EXACT]
        if str(topics) not in known.get(corpus, {}) and len(ends) == len(EXACT):
            known.setdefault(corpus, {})[str(topics)] = round(1.01 * min(ends))
    TARGETS.write_text(json.dumps(known, indent=1) + "\n")
    return known


def number(value):
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def row(record, target):
    """One system's line of a table."""
    curve, last = record["curve"], record["curve"][-1]
    found = records.reached(curve, target) if target else None
    if found:
        seconds, sweeps = f"**{number(found[0])}**", number(found[1])
    else:
        seconds = f"not within {last['seconds']:.0f} s" if last["sweep"] < 200 else "not within 200 sweeps"
        sweeps = "-"
    rate = records.steady_rate(curve, record["tokens"]) / 1e6
    mark = f" (disturbed: {record['others']:.0%})" if records.disturbed(record) else ""
    return (f"| {NAMES.get(record['system'], record['system'])}{mark} | {seconds} | {sweeps} | {rate:.2f} | "
            f"{record['peak_bytes'] / 2**20:,.0f} | {last['perplexity']:,.1f} | {number(last['sweep'])} in {last['seconds']:.0f} s |")


HEAD = ["| system | seconds to target | sweeps to target | M tokens/s, settled | peak memory, MiB | perplexity at the end | sweeps |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]


def ratio(records_of, base, system, target):
    """How many times as long as the base a system took to the target: at least so many where it did not get there, fewer than
    so many where the base did not."""
    if not target or base not in records_of or system not in records_of:
        return "-"
    own, other = records_of[base]["curve"], records_of[system]["curve"]
    own_found, found = records.reached(own, target), records.reached(other, target)
    if not own_found and not found:
        return "-"
    share = (found[0] if found else other[-1]["seconds"]) / (own_found[0] if own_found else own[-1]["seconds"])
    return ("" if own_found and found else "> " if own_found else "< ") + f"{share:.2g}"


def groups(chosen):
    """{(corpus, topics, threads): {system: record}}, one thread first."""
    found = {}
    for record in sorted(chosen.values(), key=lambda r: (r["threads"], r["corpus"], r["topics"], place(r["system"]))):
        found.setdefault((record["corpus"], record["topics"], record["threads"]), {})[record["system"]] = record
    return found


def ratios(grouped, base, goals):
    systems = sorted({s for g in grouped.values() for s in g}, key=place)
    lines = [f"| seconds to the target, as a multiple of {NAMES.get(base, base)}'s | target | " + " | ".join(NAMES.get(s, s) for s in systems) + " |",
             "| --- | ---: |" + " ---: |" * len(systems)]
    for (corpus, topics, threads), group in grouped.items():
        target = goals.get(corpus, {}).get(str(topics))
        cells = [ratio(group, base, system, target) for system in systems]
        lines.append(f"| {corpus}, K = {topics:,}, {threads} thread{'s' * (threads > 1)} | {target or '-'} | {' | '.join(cells)} |")
    return lines


def plot(key, group, target, prefix):
    corpus, topics, threads = key
    ends = [r["curve"][-1]["perplexity"] for r in group.values()]
    low = min(min(ends), target or min(ends))
    high = min(max(ends) * 1.05, low * 2.5)
    high = max(high, low * 1.4)
    series = []
    for colour, (system, record) in enumerate(group.items()):
        points = [(p["seconds"], p["perplexity"]) for p in record["curve"] if p["perplexity"] <= high and p["seconds"] > 0]
        series.append(Series(NAMES.get(system, system), points, colour=colour))
    if target:
        times = [p[0] for s in series for p in s.points]
        series.append(Series(f"target {target}", [(min(times), target), (max(times), target)], dashed=True, colour=5))
    name = f"{prefix}_{corpus}_{topics}_{threads}.svg"
    title = f"{corpus}, K = {topics:,}, {threads} thread{'s' * (threads > 1)}: held-out perplexity over training time"
    chart = line_chart(title, "lower and further left is better; one scorer for all systems", Axis("seconds of training", log=True),
                       Axis("held-out perplexity", low=low * 0.98, high=high), series)
    (PLOTS / name).write_text(chart)
    return name


def page(runs, base, title):
    chosen = records.best(runs)
    goals, grouped = targets(chosen.values()), groups(chosen)
    some = list(chosen.values())
    notes = RESULTS / f"{title}.notes.md"
    versions = sorted({(NAMES.get(r["system"], r["system"]), r["version"], r["detail"], r["threads"]) for r in some})
    lines = ["# The race to the same held-out perplexity", "",
             f"Machine: {'; '.join(sorted({r['machine'] for r in some}))}. Date: {', '.join(sorted({r['date'] for r in some}))}. "
             f"Commit: {', '.join(sorted({r['commit'] for r in some if r['system'].startswith('papilio')}))}. {len(chosen)} runs, of which "
             f"{sum(map(records.disturbed, some))} were disturbed by others (more than 2 % of a core beside the run).", "",
             "[benchmarks/race](../race/README.md) tells what is measured and how, and makes this page:", "",
             "```sh", "benchmarks/race/race.sh build/release/apps/papilio/papilio DATA WORK",
             f"benchmarks/race/page.py --records WORK/records.jsonl --base {base}" + (f" --name {title}" if title != "race" else ""), "```", ""]
    if notes.exists():
        lines += [notes.read_text().strip(), ""]
    lines += [f"Targets: nips 1,315 and 950 were set before; the others are {RULE}.", "", "## In short", "", *ratios(grouped, base, goals), "",
              f"`>`: not there when its run ended, at this multiple. `<`: {NAMES.get(base, base)} itself was not there when its run ended. -: neither, or not run.", ""]
    for key, group in grouped.items():
        corpus, topics, threads = key
        target = goals.get(corpus, {}).get(str(topics))
        lines += [f"## {corpus}, K = {topics:,}, {threads} thread{'s' * (threads > 1)}" + (f": to {target:,}" if target else ""), "", *HEAD,
                  *(row(r, target) for r in group.values()), "", f"![{corpus} {topics}](../../docs/plots/{plot(key, group, target, title)})", ""]
    lines += ["## Versions and settings", "", "| system | version | threads | settings |", "| --- | --- | ---: | --- |",
              *(f"| {n} | {v} | {t} | {d} |" for n, v, d, t in versions), ""]
    (RESULTS / f"{title}.md").write_text("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=pathlib.Path)
    parser.add_argument("--base", default="papilio", help="the system that ratios are of")
    parser.add_argument("--name", default="race", help="of the page and its files")
    options = parser.parse_args()
    page(gather(options.records, options.name), options.base, options.name)


if __name__ == "__main__":
    main()
