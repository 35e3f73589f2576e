#!/usr/bin/env python3
"""Makes the page of the race from its records.

    page.py [--records WORK/records.jsonl] [--base SYSTEM]

Reads benchmarks/results/race.json, after putting the scored records of --records into it where they are given, and writes
benchmarks/results/race.md and docs/plots/race_*.svg. The runs of each machine are a race of their own; races.json says which
is the current one, and benchmarks/results/race-NAME.notes.md is what a person has to say about it. A (corpus, topics) that
targets.json does not have gets its target by the rule that the page prints; it is written there, and stays when records are
added later.
"""

import argparse
import json
import pathlib
import sys
import textwrap

import races
import records
from races import shown

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import recorded_commits  # noqa: E402
from svg_chart import Axis, Series, line_chart  # noqa: E402

RESULTS, PLOTS = ROOT / "benchmarks/results", ROOT / "docs/plots"
EXACT = ("mallet", "tomotopy", "papilio")
RULE = "1 % above the lowest final perplexity of MALLET, tomotopy and papilio on one thread"


def gather(path):
    """The committed records, and the scored ones of `path` put in."""
    kept = RESULTS / "race.json"
    found = json.loads(kept.read_text()) if kept.exists() else []
    if path:
        found += [r for r in records.read(path) if "snapshots" not in r and r["curve"] and r not in found]
    kept.write_text("[\n" + ",\n".join(json.dumps(r) for r in found) + "\n]\n")
    return found


def targets(runs):
    """The targets, with those added that the runs of all three exact systems set."""
    known = json.loads((HERE / "targets.json").read_text())
    for _, of_machine in races.split(runs):
        for (corpus, topics, threads), group in races.groups(of_machine).items():
            ends = [group[system]["curve"][-1]["perplexity"] for system in EXACT if system in group]
            if threads == 1 and str(topics) not in known.get(corpus, {}) and len(ends) == len(EXACT):
                known.setdefault(corpus, {})[str(topics)] = round(1.01 * min(ends))
    (HERE / "targets.json").write_text(json.dumps(known, indent=1) + "\n")
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
    return (f"| {shown(record['system'])}{mark} | {seconds} | {sweeps} | {rate:.2f} | "
            f"{record['peak_bytes'] / 2**20:,.0f} | {last['perplexity']:,.1f} | {number(last['sweep'])} in {last['seconds']:.0f} s | {record['stolen']:.0%} |")


HEAD = ["| system | seconds to target | sweeps to target | million tokens per second, settled | peak memory, MiB | final perplexity | sweeps | "
        "taken by the hypervisor, of a core |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]


def plot_name(key, race):
    return f"race_{race}_{key[0]}_{key[1]}_{key[2]}.svg"


def plot(key, group, target):
    ends = [r["curve"][-1]["perplexity"] for r in group.values()]
    low = min(min(ends), target or min(ends))
    high = min(max(ends) * 1.05, low * 2.5)
    high = max(high, low * 1.4)
    series = []
    for colour, (system, record) in enumerate(group.items()):
        points = [(p["seconds"], p["perplexity"]) for p in record["curve"] if p["perplexity"] <= high and p["seconds"] > 0]
        series.append(Series(shown(system), points, colour=colour))
    if target:
        times = [p[0] for s in series for p in s.points]
        series.append(Series(f"target {target}", [(min(times), target), (max(times), target)], dashed=True, colour=5))
    return line_chart(f"{races.configuration(key)}: held-out perplexity over training time",
                      "lower and further left is better; one scorer for all systems", Axis("seconds of training", log=True),
                      Axis("held-out perplexity", low=low * 0.98, high=high), series)


def about(runs):
    """Machine, date and commits of a race."""
    some = [r for group in races.groups(runs).values() for r in group.values()]
    commits = sorted({recorded_commits.shown(r["commit"]) for r in some if r["system"].startswith("papilio")})
    disturbed = sum(map(records.disturbed, some))
    return (f"Machine: {some[0]['machine']}. Date: {', '.join(sorted({r['date'] for r in some}))}. papilio's commit: {', '.join(commits)}. {len(some)} runs"
            + (f"; in {disturbed} of them other programs used more than 2 % of a core during the run." if disturbed else ", none of them disturbed by other programs."))


def section(race, runs, goals):
    """The runs of one machine."""
    name = race["name"]
    lines = [f"## {race['title']}", "", *textwrap.wrap(about(runs), 100), ""]
    notes = RESULTS / f"race-{name}.notes.md"
    if notes.exists():
        lines += [notes.read_text().strip(), ""]
    grouped = races.groups(runs)
    for key, group in grouped.items():
        target = goals.get(key[0], {}).get(str(key[1]))
        lines += [f"### {races.configuration(key)}" + (f": to {target:,}" if target else ""), "", *HEAD,
                  *(row(r, target) for r in group.values()), "", f"![{races.configuration(key)}](../../docs/plots/{plot_name(key, name)})", ""]
    versions = sorted({(shown(r["system"]), r["version"], r["detail"], r["threads"]) for group in grouped.values() for r in group.values()})
    return lines + ["### Versions and settings", "", "| system | version | threads | settings |", "| --- | --- | ---: | --- |",
                    *(f"| {n} | {v} | {t} | {d} |" for n, v, d, t in versions), ""]


def page(runs, base, goals):
    """What race.md says of the runs."""
    lines = ["# The race to the same held-out perplexity", "",
             "How long each trainer takes to reach the same held-out quality. [benchmarks/race](../race/README.md)",
             "says what is measured and how, and makes this page:", "",
             "```sh", "benchmarks/race/race.sh build/release/apps/papilio/papilio DATA WORK",
             f"benchmarks/race/page.py --records WORK/records.jsonl --base {base}", "```", ""]
    notes = RESULTS / "race.notes.md"
    if notes.exists():
        lines += [notes.read_text().strip(), ""]
    legend = (f"`>`: the target had not been reached when the run ended, at this multiple. `<`: {shown(base)} had not reached it when its run ended. "
              f"-: neither reached it, or it was not run. Targets: nips 1,315 and 950 were set before the race; the others are {RULE}.")
    lines += ["## In short", "", *races.summary(runs, base, goals), "", *textwrap.wrap(legend, 100), ""]
    for race, of_machine in races.split(runs):
        lines += section(race, of_machine, goals)
    return "\n".join(lines)


def plots(runs, goals):
    """{name: SVG} of every configuration on every machine."""
    return {plot_name(key, race["name"]): plot(key, group, goals.get(key[0], {}).get(str(key[1])))
            for race, of_machine in races.split(runs) for key, group in races.groups(of_machine).items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=pathlib.Path)
    parser.add_argument("--base", default="mallet", help="the system that ratios are of")
    options = parser.parse_args()
    runs = gather(options.records)
    goals = targets(runs)
    (RESULTS / "race.md").write_text(page(runs, options.base, goals))
    for name, svg in plots(runs, goals).items():
        (PLOTS / name).write_text(svg)


if __name__ == "__main__":
    main()
