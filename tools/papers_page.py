#!/usr/bin/env python3
"""Makes the page of the papers' figures as printed.

    tools/papers_page.py [FILE...]

The FILEs are JSON that papilio_papers_bench or papilio_papers_cpu_bench wrote; what they measured replaces what
benchmarks/results/papers-figures.json has of the same cases, and the rest stays. Without a FILE that file is read again.
Then writes benchmarks/results/papers-figures.md, with what a person has to say from papers-figures.notes.md.
"""

import json
import pathlib
import sys

from gpu_report import figures, table, wrapped

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks/results"
NAME = "papers-figures"

ONE, FOUR, SEVEN = (f"Algorithm {n} as printed" for n in (1, 4, 7))
METHODS = {  # of the page, in its order
    ONE: "Algorithm 1", "prefix": "prefix", FOUR: "Algorithm 4", "transposed_remnant_first": "transposed_remnant_first",
    SEVEN: "Algorithm 7", f"{SEVEN}, theta in shared memory": "Algorithm 7, theta in shared memory",
    "butterfly_add_subtract_remnant_first": "butterfly_add_subtract_remnant_first", "butterfly_two_pass": "butterfly_two_pass",
    "slots": "slots"}
SAMPLERS = {"collapsed": "both integrated out", "theta_collapsed": "theta integrated out", "phi_collapsed": "phi integrated out",
            "uncollapsed": "neither integrated out"}
TYPES = ("float", "double")
FOUND = 0.8  # of what the paper claims, from which on a claim counts as found


def merged(before, files):
    """The heads and records of what was kept, with those of the files in place of the same cases."""
    heads, records = dict(before.get("heads", {})), list(before.get("records", []))
    for file in files:
        data = json.loads(pathlib.Path(file).read_text())
        cases = {r["case"] for r in data["records"]}
        records = [r for r in records if r["case"] not in cases] + data["records"]
        for case in cases:
            heads[case] = {k: v for k, v in data.items() if k != "records"}
    return {"heads": heads, "records": records}


def packed(data):
    lines = ",\n".join(json.dumps(r) for r in data["records"])
    return json.dumps({"heads": data["heads"]})[:-1] + f', "records": [\n{lines}\n]}}\n'


class Times:
    """Times by (method, K) of a case, a type and a sampler."""

    def __init__(self, data, case, kind, sampler=None, key="ms_per_sweep"):
        self.at = {(r["method"], r["topics"]): r[key] for r in data["records"]
                   if r["case"] == case and r["type"] == kind and r.get("sampler") == sampler and key in r}

    def topics(self):
        return sorted({K for _, K in self.at})

    def get(self, method, K):
        return self.at.get((method, K))

    def saved(self, new, old, K):
        """The share of the time of `old` that `new` saves, or None."""
        a, b = self.get(new, K), self.get(old, K)
        return None if a is None or b is None else 1 - a / b

    def rows(self, topics):
        return [[label, *(figures(self.get(name, K)) for K in topics)] for name, label in METHODS.items()
                if any(self.get(name, K) is not None for K in topics)]


def by_topics(times, topics=None):
    topics = topics or times.topics()
    return table(["method", *(f"K = {K:,}" for K in topics)], times.rows(topics)) if times.at else ""


def percent(share):
    if share is None:
        return "not measured"
    return f"{100 * abs(share):.0f} % {'less' if share >= 0 else 'more'} time"


def counted(saved, wanted=0.0):
    """How many of [(K, share)] save more than `wanted`; and whether all do."""
    known = [(K, s) for K, s in saved if s is not None]
    good = sum(s > wanted for _, s in known)
    return f"at {good} of {len(known)}", "yes" if known and good == len(known) else "in part" if good else "no" if known else ""


def claims(data):
    """[what the article says, what is found here, whether it holds]"""
    rows = []
    ten = {sampler: Times(data, "figure10", "float", sampler) for sampler in SAMPLERS}
    if any(t.at for t in ten.values()):
        for text, least, wanted in (("Fig. 10: the butterfly is faster than Algorithm 1, K >= 80, four samplers", 80, 0.0),
                                    ("Fig. 10: more than twice as fast, K >= 200, four samplers", 200, 0.5)):
            saved = [(K, t.saved(SEVEN, ONE, K)) for t in ten.values() for K in t.topics() if K >= least]
            rows.append([text + " (float)", *counted(saved, wanted)])
    eleven = {kind: Times(data, "figure11", kind, "uncollapsed") for kind in TYPES}
    ranges = [("float", "Fig. 11(a): Algorithm 7 faster than 4, all K > 576", lambda K: K > 576),
              ("float", "Fig. 11(a): the same for multiples of 32 above 64", lambda K: K > 64 and K % 32 == 0),
              ("double", "Fig. 11(b): Algorithm 7 faster than 4, all K > 64", lambda K: K > 64)]
    for kind, text, wanted in ranges:
        if eleven[kind].at:
            saved = [(K, eleven[kind].saved(SEVEN, FOUR, K)) for K in eleven[kind].topics() if wanted(K)]
            rows.append([f"{text} ({kind})", *counted(saved)])
    for kind, new, old, K, share in (("float", SEVEN, FOUR, 512, 0.08), ("float", SEVEN, FOUR, 1024, 0.13), ("double", SEVEN, FOUR, 512, 0.33),
                                     ("double", SEVEN, FOUR, 1024, 0.35), ("float", SEVEN, ONE, 1024, 0.74), ("double", SEVEN, ONE, 1024, 0.71),
                                     ("float", FOUR, ONE, 1024, 0.70), ("double", FOUR, ONE, 1024, 0.56)):
        found = eleven[kind].saved(new, old, K)
        if found is not None:
            rows.append([f"{METHODS[new]} against {METHODS[old].split()[-1]}, K = {K:,}: {100 * share:.0f} % less time ({kind})", percent(found),
                         "yes" if found >= FOUND * share else "in part" if found > 0 else "no"])
    return rows + sawtooth_claims(data)


def sawtooth_claims(data):
    """Multiples of 32 beside their neighbours, and K = 16 modulo 32 beside theirs, in Figure 12."""
    rows = []
    for kind in TYPES:
        times = Times(data, "figure12", kind, "uncollapsed")
        for method in (FOUR, SEVEN):
            found = []
            for remainder in (0, 16):
                here = [(times.get(method, K), times.get(method, K - 2), times.get(method, K + 2)) for K in times.topics() if K % 32 == remainder]
                shares = [1 - 2 * ms / (low + high) for ms, low, high in here if ms and low and high]
                found.append(sum(shares) / len(shares) if shares else None)
            if found[0] is not None:
                text = f"multiples of 32: {percent(found[0])} than beside them; 16 mod 32: {percent(found[1])}"
                rows.append([f"Fig. 12: sawtooth, {METHODS[method]} ({kind})", text, "yes" if found[0] > max(0, found[1] or 0) else "no"])
    return rows


def draws_section(data):
    text = ""
    for kind in TYPES:
        times = Times(data, "draws", kind, key="ms")
        if times.at:
            text += f"\n{kind}:\n\n{by_topics(times)}"
    return "## Draws alone\n\nms per pass over the tokens, by events on the device.\n" + text if text else ""


def figure_10_section(data):
    text = ""
    for sampler, label in SAMPLERS.items():
        for kind in TYPES:
            times = Times(data, "figure10", kind, sampler, "seconds_per_100_sweeps")
            if times.at:
                text += f"\n{label}, {kind}:\n\n{by_topics(times)}"
    return "## Figure 10\n\nSeconds for 100 sweeps of the whole application.\n" + text if text else ""


def figure_11_section(data):
    text = ""
    for case, picked in (("figure11", None), ("figure12", lambda K: K % 8 == 0)):
        for kind in TYPES:
            times = Times(data, case, kind, "uncollapsed", "seconds_per_100_sweeps")
            if times.at:
                text += f"\nFigure {case[6:]}, {kind}:\n\n{by_topics(times, [K for K in times.topics() if picked is None or picked(K)])}"
    return ("## Figures 11 and 12\n\nSeconds for 100 sweeps of the whole application, neither theta nor phi integrated out. Every K is in the raw data.\n"
            + text) if text else ""


def cpu_section(data):
    text = ""
    for sampler, label in SAMPLERS.items():
        for kind in TYPES:
            times = Times(data, "figure10 on the CPU", kind, sampler, "cpu_ns_per_token")
            if times.at:
                text += f"\n{label}, {kind}:\n\n{by_topics(times)}"
    return ("## Figure 10 on the CPU\n\n"
            + wrapped("Nanoseconds of CPU time per token and sweep of the whole application (the machine was shared with other programs); the methods "
                      "in the library's forms, and every eighth document of the corpus.") + text) if text else ""


def failures_section(data):
    failed = [r for r in data["records"] if "error" in r]
    lines = "".join(f"- {r['case']}, {r['method']}, K = {r['topics']}, {r['type']}: {r['error']}\n" for r in failed)
    return "## What failed\n\n" + lines if lines else ""


def about(data):
    out = []
    for case in sorted(data["heads"]):
        head = data["heads"][case]
        where = head.get("device") or f"{head.get('cpu_target', '?')}, {head.get('threads', '?')} thread(s)"
        out.append(f"{case}: {where}")
    return "; ".join(out)


def page(data, notes):
    head = ("# The papers' figures as printed\n\n"
            + wrapped("Algorithms 1, 4 and 7 of Steele and Tristan, ACM TOPC 6(4):22, 2019, line by line (`benchmarks/cuda/as_printed.h`), beside the "
                      "library's forms of them and its own method, `slots`; also the article's Figures 10 to 12 with the whole application, "
                      "in float and in double.")
            + "\n" + wrapped(f"{about(data)}.") + "\n"
            + "    papilio_papers_bench --json papers.json\n    papilio_papers_cpu_bench --json papers-cpu.json\n"
              "    tools/papers_page.py papers.json papers-cpu.json\n")
    found = claims(data)
    verdicts = "## What the article says of its GPU, and this one\n\n" + table(["claim", "here", "holds"], found) + "\n" + wrapped(
        f"A claim counts as confirmed if at least {FOUND} of the claimed share is found.") if found else ""
    sections = [verdicts, notes if verdicts else "", draws_section(data), figure_10_section(data), figure_11_section(data), cpu_section(data), failures_section(data)]
    return head + "".join("\n" + s for s in sections if s)


def main():
    if any(a.startswith("-") for a in sys.argv[1:]):
        print(__doc__, file=sys.stderr)
        return 64
    raw, notes = RESULTS / f"{NAME}.json", RESULTS / f"{NAME}.notes.md"
    data = merged(json.loads(raw.read_text()) if raw.exists() else {}, sys.argv[1:])
    if not data["records"]:
        raise SystemExit("papers_page: there is nothing to make a page of; give it a FILE")
    raw.write_text(packed(data))
    (RESULTS / f"{NAME}.md").write_text(page(data, notes.read_text() if notes.exists() else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
