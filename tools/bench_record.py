#!/usr/bin/env python3
"""Runs the benchmarks and keeps what they found.

    tools/bench_record.py NAME [ARGUMENT...]

Writes benchmarks/results/NAME.json (machine, compiler, commit, command, and the
median of every benchmark) and NAME.md (the tables that the benchmark prints).
Arguments go to the benchmark program.
"""

import datetime
import json
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
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


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 64
    name, arguments = sys.argv[1], sys.argv[2:]
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        command = [str(PROGRAM), "--benchmark_color=false", f"--benchmark_out={out.name}", *arguments]
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
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
    folder = ROOT / "benchmarks/results"
    (folder / f"{name}.json").write_text(json.dumps(record, indent=1) + "\n")
    tables = run.stdout[re.search(r"^\S.*: time as a multiple of the roof", run.stdout, re.M).start():]
    (folder / f"{name}.md").write_text(
        f"# {name}\n\n{record['processor']}, {record['cores']} cores, target {record['cpu_target']}, g++ {record['compiler']}, "
        f"commit {record['commit']}, {record['date']}.\nMade by `./run bench` (the build) and `{shown}`.\n\n{tables}")
    print(tables)
    return 0


if __name__ == "__main__":
    sys.exit(main())
