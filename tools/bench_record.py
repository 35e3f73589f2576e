#!/usr/bin/env python3
"""Runs the benchmarks and keeps what they found.

    tools/bench_record.py NAME [ARGUMENT...]
    tools/bench_record.py --page NAME

Writes benchmarks/results/NAME.json (machine, compiler, commit, command, and the
median of every benchmark) and NAME.md (tables of times as multiples of the roof's).
Arguments go to the benchmark program. With --page, makes NAME.md anew from NAME.json.
"""

import datetime
import json
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

import recorded_commits

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks/results"
PROGRAM = ROOT / "build/bench/benchmarks/papilio_sampling_bench"


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def medians(report):
    for run in report["benchmarks"]:
        if run.get("aggregate_name") != "median":
            continue
        workload, number, K, method = re.fullmatch(r"(.*)/(float|double)/K:(\d+)/(.*)/real_time", run["run_name"]).groups()
        yield {"workload": workload, "type": number, "K": int(K), "method": method,
               "ns_per_row": round(run["ns_per_row"], 2), "bytes_per_second": round(run["bytes_per_second"])}


def table(medians, workload, kind):
    """Times by method and K as multiples of the roof's, which has its own in ns."""
    times = {(m["method"], m["K"]): m["ns_per_row"] for m in medians if (m["workload"], m["type"]) == (workload, kind)}
    methods, topics = list(dict.fromkeys(method for method, _ in times)), sorted({K for _, K in times})
    lines = ["| method | " + " | ".join(f"K = {K:,}" for K in topics) + " |", "| --- |" + " ---: |" * len(topics)]
    for method in methods:
        if method == "roof":
            cells = [f"{times[method, K]:,.1f}" for K in topics]
        else:
            cells = [f"{times[method, K] / times['roof', K]:.2f}" if (method, K) in times else "" for K in topics]
        lines.append(f"| {'roof, ns per row' if method == 'roof' else method} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def page(name, record):
    """What NAME.md says of NAME.json."""
    text = (f"# {name}\n\n{record['processor']}, {record['cores']} cores, target {record['cpu_target']}, g++ {record['compiler']}, "
            f"{record['date']}, commit\n{recorded_commits.shown(record['commit'])}.\nMade by `./run bench` (the build) and `{record['command']}`.\n")
    for workload, kind in sorted({(m["workload"], m["type"]) for m in record["medians"]}):
        text += (f"\n{workload}, {kind}: time as a multiple of the roof (a plain SIMD sum of the same weights)\n\n"
                 f"{table(record['medians'], workload, kind)}\n")
    return text


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--page":
        name = sys.argv[2]
        (RESULTS / f"{name}.md").write_text(page(name, json.loads((RESULTS / f"{name}.json").read_text())))
        return 0
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 64
    name, arguments = sys.argv[1], sys.argv[2:]
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [str(PROGRAM), "--benchmark_color=false", f"--benchmark_out={out.name}", *arguments]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        report = json.load(open(out.name))
    errors = [b["error_message"] for b in report["benchmarks"] if b.get("error_occurred")]
    if errors:
        print("\n".join(errors), file=sys.stderr)
        return 1
    context = report["context"]
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    shown = " ".join(["tools/bench_record.py", name, *arguments])
    record = {"command": shown, "date": datetime.date.today().isoformat(), "processor": processor(),
              "cores": context["num_cpus"], "caches": context["caches"],
              "commit": commit, **{key: context[key] for key in ("papilio", "compiler", "cpu_target")},
              "medians": list(medians(report))}
    (RESULTS / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")
    (RESULTS / f"{name}.md").write_text(page(name, record))
    print(page(name, record))
    return 0


if __name__ == "__main__":
    sys.exit(main())
