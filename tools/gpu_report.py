#!/usr/bin/env python3
"""Makes pages and plots of what benchmarks/cuda/run.sh measured.

    tools/gpu_report.py NAME [FOLDER]

Reads the JSON files in FOLDER into benchmarks/results/NAME.json; what FOLDER does not
have stays there as it was, each part with its own commit and date. Without FOLDER that
file is read again. Then writes benchmarks/results/NAME.md and the plots docs/plots/*.svg.
What a person has to say about the figures is taken from benchmarks/results/NAME.notes.md,
where there is one; it is dated, for the figures may change after it.
"""

import datetime
import json
import pathlib
import subprocess
import sys
import textwrap

import gpu_claims
import gpu_counters
import gpu_findings
import gpu_plots
import recorded_commits

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ("batched", "peers", "draws", "methods", "figure")
TYPES = ("float", "bfloat16", "double")
LARGE = [(1 << 20, 32), (1 << 20, 128), (262144, 1024), (65536, 4096), (512, 131072)]
GOAL_GAIN = 4  # times as fast as the best peer, float, large shapes
GOALS_FLOOR = [(64, 128, 0.6), (256, 1024, 0.85)]  # topics from, to, floor / time


def read_folder(folder):
    """The parts, and the applications' times, of a folder of JSON files."""
    data = {part: json.loads((folder / f"{part}.json").read_text()) for part in PARTS if (folder / f"{part}.json").exists()}
    data["lda"] = []
    for file in sorted(folder.glob("lda*.json")):
        found = json.loads(file.read_text())
        about = {"device": found["device"], "sampler": found.get("sampler", "mean_for_mode"), "sweeps": found["sweeps"]}
        data["lda"] += [{**about, **r} for r in found["results"]]
    if not any(data.values()):
        raise SystemExit(f"gpu_report: {folder} holds none of {', '.join(f'{p}.json' for p in (*PARTS, 'lda*'))}")
    machine = folder / "machine.txt"
    data["machine"] = machine.read_text().strip().splitlines() if machine.exists() else []
    return {part: value for part, value in data.items() if value}


def merged(before, new, commit, date):
    """All parts of both, the new ones where there are two; what was measured when is noted part by part."""
    notes = {note["part"]: note for note in before.get("measured", [])}
    notes.update({part: {"part": part, "commit": commit, "date": date} for part in new if part != "machine"})
    parts = {**{"lda": [], "machine": []}, **before, **new}
    return {**parts, "measured": [notes[part] for part in (*PARTS, "lda") if part in notes]}


def measured_at(data):
    """Which parts were measured at which commit."""
    parts = {}
    for note in data.get("measured", []):
        parts.setdefault((recorded_commits.shown(note["commit"]), note.get("date")), []).append(note["part"])
    return "; ".join(f"{', '.join(names)}: commit {commit}" + (f", {date}" if date else "") for (commit, date), names in parts.items())


def records(data, part):
    return data.get(part, {}).get("records", [])


def measured(data, part):
    """The records of a part that have a time."""
    return [r for r in records(data, part) if "ms" in r]


def packed(data):
    """`data` as JSON with one record per line; records are tables, so that names are written once."""
    out = []
    for part, value in data.items():
        if isinstance(value, dict):
            head = {k: v for k, v in value.items() if k != "records"}
            columns = list(dict.fromkeys(k for r in value["records"] for k in r))
            rows = ",\n".join(json.dumps([r.get(c) for c in columns]) for r in value["records"])
            out.append(f'{json.dumps(part)}: {{"head": {json.dumps(head)}, "columns": {json.dumps(columns)}, "rows": [\n{rows}\n]}}')
        else:
            rows = ",\n".join(json.dumps(v) for v in value)
            out.append(f"{json.dumps(part)}: [\n{rows}\n]")
    return "{" + ",\n".join(out) + "}\n"


def unpacked(text):
    """What `packed` has written."""
    return unfolded(json.loads(text))


def unfolded(data):
    """The records of packed tables, as objects again."""
    data = dict(data)
    for part, value in data.items():
        if isinstance(value, dict):
            found = [{c: v for c, v in zip(value["columns"], row) if v is not None} for row in value["rows"]]
            data[part] = {**value["head"], "records": found}
    return data


def table(head, rows):
    """A table in Markdown; all columns but the first to the right."""
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def figures(value, digits=3):
    """A number with `digits` significant digits and no exponent."""
    if value is None:
        return ""
    if value == 0:
        return "0"
    rounded = float(f"{value:.{digits}g}")
    decimals = max(0, digits - 1 - gpu_claims.exponent(rounded))
    return f"{rounded:,.{decimals}f}"


def per_second(record):
    return record["bytes_per_second"] / 1e9


def read_roof(data):
    """The bandwidth of reading measured in the same run, bytes per second."""
    return next((r["bytes_per_second"] for r in measured(data, "batched") if r.get("name") == "read"), None)


def of_shape(data, part, rows, categories, kind):
    return [r for r in measured(data, part)
            if r["case"] == "batched" and (r["rows"], r["categories"], r["type"]) == (rows, categories, kind)]


def best_peer(data, rows, categories, kind):
    """The fastest record of another library, or None."""
    return min(of_shape(data, "peers", rows, categories, kind), key=lambda r: r["ms"], default=None)


def own(data, rows, categories, kind, check_negative=True):
    found = of_shape(data, "batched", rows, categories, kind)
    return next((r for r in found if r["method"] == "papilio" and r["check_negative"] == check_negative), None)


def goal_of_roof(categories):
    return 0.9 if categories >= 128 else 0.8


def verdict(reached, goal):
    return f"{figures(reached)} (goal {goal:g}: {'reached' if reached >= goal else 'missed'})"


def batched_row(data, rows, categories, kind):
    """One line of the table of batched draws, or None where nothing was measured."""
    mine = own(data, rows, categories, kind)
    if mine is None:
        return None
    unchecked = own(data, rows, categories, kind, check_negative=False)
    roof = read_roof(data)
    share = rows * categories * gpu_claims.BYTES[kind] / mine["ms"] * 1e3 / roof if roof else None
    reading = next((r for r in of_shape(data, "batched", rows, categories, kind) if r["method"] == "read only"), None)
    peer = best_peer(data, rows, categories, kind)
    multinomial = next((r for r in of_shape(data, "peers", rows, categories, kind) if r["method"] == "torch.multinomial"), None)
    goals = kind == "float" and (rows, categories) in LARGE
    gain = peer["ms"] / mine["ms"] if peer else None
    return [f"{rows:,} x {categories:,}", kind, figures(mine["ms"]), figures(unchecked["ms"]) if unchecked else "",
            figures(per_second(mine), 4),
            "" if share is None else verdict(share, goal_of_roof(categories)) if goals else figures(share, 2),
            figures(reading["ms"]) if reading else "",
            f"{peer['method']}: {figures(peer['ms'])}" if peer else "",
            "" if gain is None else verdict(gain, GOAL_GAIN) if goals else figures(gain, 2),
            figures(multinomial["ms"] / mine["ms"], 2) if multinomial else ""]


def shapes_of(data):
    return list(dict.fromkeys((r["rows"], r["categories"]) for r in measured(data, "batched") if r["case"] == "batched"))


def batched_section(data):
    rows = [row for kind in TYPES for shape in shapes_of(data) if (row := batched_row(data, *shape, kind))]
    if not rows:
        return ""
    text = "## Rows of a matrix\n\n" + table(
        ["rows", "type", "ms", "ms, signs not checked", "GB/s", "of the read roof", "ms, reading only",
         "best peer: ms", "times as fast", "torch.multinomial, times"], rows)
    peers = list(dict.fromkeys(r["method"] for r in measured(data, "peers")))
    for kind in TYPES:
        lines = [[method, *[figures(next((r["ms"] for r in of_shape(data, "peers", *shape, kind) if r["method"] == method), None))
                            for shape in shapes_of(data)]] for method in peers]
        lines = [line for line in lines if any(line[1:])]
        if lines:
            text += f"\nPeers, {kind}, ms:\n\n" + table(["", *[f"{r:,} x {c:,}" for r, c in shapes_of(data)]], lines)
    errors = [f"- {r['method']}, {r.get('rows', '')} x {r.get('categories', '')} {r.get('type', '')}: {r['error']}"
              for r in records(data, "peers") if "error" in r]
    return text + ("\nPeers that fail:\n\n" + "\n".join(errors) + "\n" if errors else "")


def ceilings_section(data):
    found = [r for r in measured(data, "batched") if r["case"] == "ceiling"]
    rows = [[r["name"] + (f", {r['row_bytes']} B" if "row_bytes" in r else ""),
             figures(r.get("footprint_bytes", r["bytes"]) / 1e6, 4), figures(per_second(r), 4)] for r in found]
    return "## Memory bandwidth\n\n" + table(["", "MB", "GB/s"], rows) if rows else ""


def goal_of_floor(topics):
    return next((goal for low, high, goal in GOALS_FLOOR if low <= topics <= high), None)


def draws_section(data):
    found = [r for r in measured(data, "draws")]
    text = ""
    for corpus in dict.fromkeys(r["corpus"] for r in found):
        by_topics = {}
        for r in found:
            if r["corpus"] == corpus:
                by_topics.setdefault(r["topics"], {})[r["method"]] = r
        rows = []
        for topics, r in sorted(by_topics.items()):
            floor, slots, trainer = (r.get(m) for m in ("floor", "slots", "trainer"))
            best = trainer or slots
            goal = goal_of_floor(topics)
            share = floor["ms"] / best["ms"] if floor and best else None
            rows.append([f"{topics:,}", figures(floor["ms"]) if floor else "", figures(slots["ms"]) if slots else "",
                         figures(floor["ms"] / slots["ms"], 2) if floor and slots else "",
                         figures(trainer["ms"]) if trainer else "",
                         "" if share is None else verdict(share, goal) if goal else figures(share, 2),
                         figures(best["tokens"] / best["ms"] / 1e6) if best else "",
                         figures(best["bytes"] / best["ms"] / 1e6, 4) if best else ""])
        tokens = next(r["tokens"] for r in found if r["corpus"] == corpus)
        text += f"\n### {corpus}: {tokens:,} tokens, float\n\n" + table(
            ["K", "floor, ms", "sample_categorical, ms", "floor / time", "trainer's kernel, ms", "floor / time",
             "billion tokens per second", "GB/s"], rows)
    return "## Topics of a corpus's tokens\n" + text if text else ""


def methods_section(data):
    found = measured(data, "methods")
    if not found:
        return ""
    text = "## The papers' methods\n\nms per pass over the tokens. Every K is in the raw data and the plots.\n"
    for kind in ("float", "double"):
        ms = gpu_claims.times(found, kind)
        topics = [K for K in (16, 48, 64, 128, 240, 256, 512, 768, 1024) if any(K in by for by in ms.values())]
        if topics:
            text += f"\n{kind}:\n\n" + table(["method", *[f"K = {K:,}" for K in topics]],
                                             [[m, *[figures(by.get(K)) for K in topics]] for m, by in ms.items()])
    claims = gpu_claims.claims(found, measured(data, "figure"))
    return text + "\n### What the paper says of its GPU, and this one\n\n" + table(["claim", "here", "holds"], claims) + "\n" + wrapped(
        "\"p % faster\" means p % less time. The paper timed the whole application, including the draws; here only the draws are timed. "
        "A claim counts as confirmed if at least 0.8 of the claimed share is found. Algorithm 7 is `butterfly_add_subtract`, 4 is `transposed`, 1 is `prefix`; "
        "[docs/benchmarks.md](../../docs/benchmarks.md) says how they differ from the papers' listings.")


def counters_section(launches, tokens):
    if not launches:
        return ""
    return ("## Hardware counters of the methods\n\n"
            + wrapped("Read by `benchmarks/cuda/counters.sh`; K = 1,024, products of two picked rows through `sample_categorical`, one draw per token.")
            + "\n" + table(gpu_counters.HEAD, gpu_counters.rows(launches, tokens, figures)))


def lda_section(data):
    if not data.get("lda"):
        return ""
    rows = [[r["device"], r.get("sampler", "mean_for_mode"), f"{r['topics']:,}", f"{r['sweeps']:,}", figures(r["seconds_per_sweep"] * 1e3),
             figures(r["seconds_per_sweep"] * r["sweeps"]), figures(r["tokens_per_second"] / 1e6),
             figures(r.get("log_joint_per_token"), 5)] for r in data["lda"]]
    return "## The whole application\n\n" + table(
        ["device", "sampler", "K", "sweeps", "ms per sweep", "s in all", "million tokens per second", "log joint per token"], rows)


def failures_section(data):
    lines = [f"- {part}: {' '.join(str(v) for k, v in r.items() if k != 'error')}: {r['error']}"
             for part in ("batched", "draws", "methods", "figure") for r in records(data, part) if "error" in r]
    lines += [f"- {part}: nothing from `{data[part]['stopped_before']}` on was measured; the time was up"
              for part in PARTS if "stopped_before" in data.get(part, {})]
    return "## Not measured\n\n" + "\n".join(lines) + "\n" if lines else ""


def wrapped(text):
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False) + "\n"


def page(name):
    """What NAME.md says of NAME.json, NAME.notes.md and NAME-counters.csv."""
    results = ROOT / "benchmarks/results"
    notes, counters = results / f"{name}.notes.md", results / f"{name}-counters.csv"
    return report(name, unpacked((results / f"{name}.json").read_text()), notes.read_text() if notes.exists() else "",
                  gpu_counters.read(counters) if counters.exists() else ())


def report(name, data, notes, launches=()):
    head = next((data[p] for p in ("batched", "draws", "methods", "figure") if p in data), {})
    peers = ", ".join(f"{k} {data['peers'][k]}" for k in ("torch", "jax", "cupy") if data.get("peers", {}).get(k))
    about = [head.get("device", "unknown device"), f"CUDA {head.get('cuda_runtime', '?')} (driver for {head.get('cuda_driver', '?')})",
             f"papilio {head.get('papilio', '?')}"] + ([peers] if peers else [])
    text = (f"# {name}\n\n" + wrapped(f"{', '.join(about)}.") + wrapped(f"Measured: {measured_at(data)}.")
            + wrapped(f"Made by `benchmarks/cuda/run.sh` and `tools/gpu_report.py {name}`. [docs/benchmarks.md](../../docs/benchmarks.md) says what each "
                      f"column means; the raw data is in {name}.json."))
    sections = [gpu_findings.sentences(sys.modules[__name__], data), notes, batched_section(data), draws_section(data), lda_section(data), methods_section(data),
                counters_section(launches, next((r["tokens"] for r in measured(data, "methods")), 0)), ceilings_section(data), failures_section(data)]
    return text + "".join("\n" + s for s in sections if s)


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 64
    name, results = sys.argv[1], ROOT / "benchmarks/results"
    raw = results / f"{name}.json"
    if len(sys.argv) == 3:
        commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
        before = unpacked(raw.read_text()) if raw.exists() else {}
        raw.write_text(packed(merged(before, read_folder(pathlib.Path(sys.argv[2])), commit, datetime.date.today().isoformat())))
    data = unpacked(raw.read_text())
    (results / f"{name}.md").write_text(page(name))
    plots = ROOT / "docs/plots"
    plots.mkdir(parents=True, exist_ok=True)
    for file, svg in gpu_plots.plots(data).items():
        (plots / file).write_text(svg)
        print(plots / file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
