#!/usr/bin/env bash
# Alias draws beside dense and sparse ones in equal CPU time, one thread:
#
#   benchmarks/alias_draws.sh PAPILIO DOCWORD TOPICS SECONDS DRAWS...
#
# DRAWS are of dense, sparse, alias. For each: the user time per sweep, from two runs (of SWEEPS, "2 8" unless told);
# then as many sweeps as have room in SECONDS of it, and the held-out perplexity. Every 20th document is held out. Prints
# rows of the table in benchmarks/results/alias-draws.md. User time, since other programs may share the machine.
set -euo pipefail

if (($# < 5)); then
  sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
  exit 64
fi
papilio=$(realpath "$1") docword=$(realpath "$2") topics=$3 seconds=$4
shift 4
read -r few many <<<"${SWEEPS:-2 8}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$papilio" split "$docword" --every 20 -o part >/dev/null

train() {
  "$papilio" train docword.part-train.txt -k "$topics" --start uniform --alpha-sum 50 --beta 0.01 --threads 1 \
    --evaluate-every 0 --device cpu "$@"
}
user_seconds() {
  local TIMEFORMAT=%U
  { time train -q --draws "$1" --sweeps "$2" >/dev/null 2>&1; } 2>&1
}

for draws in "$@"; do
  first=$(user_seconds "$draws" "$few")
  second=$(user_seconds "$draws" "$many")
  per_sweep=$(awk -v a="$first" -v b="$second" -v n=$((many - few)) 'BEGIN { printf "%.4f", (b - a) / n }')
  sweeps=$(awk -v s="$seconds" -v p="$per_sweep" 'BEGIN { n = int(s / p); print n < 1 ? 1 : n }')
  train --draws "$draws" --sweeps "$sweeps" --progress=json --held-out docword.part-held-out.txt --held-out-every 0 \
    >log 2>&1
  python3 - "$topics" "$draws" "$per_sweep" "$sweeps" <<'END'
import json, sys
topics, draws, per_sweep, sweeps = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
done = next(r for r in map(json.loads, (line for line in open("log") if line.startswith("{"))) if r["event"] == "done")
print(f"| {topics:,} | {draws} | {per_sweep:.3f} s | {done['tokens'] / per_sweep / 1e6:.1f} | {sweeps} | "
      f"{done['log_joint_per_token']:.2f} | {done['held_out_perplexity']:,.0f} |", flush=True)
END
done
