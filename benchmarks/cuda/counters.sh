#!/usr/bin/env bash
# Hardware counters of the draws of a few K by every method, by Nsight Compute:
#     benchmarks/cuda/counters.sh BUILD/benchmarks OUT.csv [DOCWORD]
# OUT.csv has a line for each kernel and K: the last launch.
set -euo pipefail

if (($# < 2 || $# > 3)); then
  sed -n '2,4s/^# \?//p' "$0" >&2
  exit 64
fi
metrics=gpu__time_duration.sum,smsp__inst_executed.sum,smsp__issue_active.avg.pct_of_peak_sustained_active
metrics+=,dram__bytes_read.sum,l1tex__t_sector_hit_rate.pct,lts__t_sector_hit_rate.pct
metrics+=,lts__t_sectors.avg.pct_of_peak_sustained_elapsed
metrics+=,l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed,launch__registers_per_thread
raw=$(mktemp)
trap 'rm -f "$raw"' EXIT
# The clocks stay as they are. The first 400 launches are those of K = 16, 48 and 1,024, and some of 240.
ncu --launch-count 400 --clock-control none --metrics "$metrics" --csv --log-file "$raw" --kernel-name-base demangled \
  -k 'regex:draw_batches|draw_blocks' "$1/cuda/papilio_sampling_cuda_bench" --cases methods --quick \
  ${3:+--docword "$3"} >/dev/null
python3 - "$raw" >"$2" <<'PYTHON'
import csv
import re
import sys

rows = list(csv.DictReader(line for line in open(sys.argv[1]) if line.startswith('"')))
launches = {}
for row in rows:
    kernel = re.sub(r".*::(draw_\w+<.*?>)\(.*", r"\1", row["Kernel Name"])
    launch = launches.setdefault(row["ID"], {"kernel": kernel, "grid": row["Grid Size"]})
    launch[row["Metric Name"]] = row["Metric Value"].replace(",", "")
last = {}  # launches of one kernel and K execute the same number of instructions, to within a few in a million
for launch in launches.values():
    instructions = float(launch["smsp__inst_executed.sum"])
    last[launch["kernel"], launch["grid"], f"{instructions:.2e}"] = launch
writer = csv.DictWriter(sys.stdout, fieldnames=list(next(iter(last.values()))))
writer.writeheader()
writer.writerows(last.values())
PYTHON
