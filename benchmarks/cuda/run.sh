#!/usr/bin/env bash
# All GPU measurements in one session on one machine, about 10 minutes:
#
#   benchmarks/cuda/run.sh FOLDER OUT [DOCWORD]
#
# FOLDER is the build's folder benchmarks. OUT receives batched.json, peers.json,
# draws.json, lda-cuda-SAMPLER.json, methods.json, figure.json, lda-cpu.json,
# forest.json, papers-CASE.json, machine.txt and what each part printed. DOCWORD is a
# corpus as UCI bag of words; without one corpora are generated. PYTHON is the python3
# that has the peers, QUICK=1 does a few sizes only. tools/gpu_report.py makes pages of
# OUT; tools/forest_page.py and tools/papers_page.py make those of the last files.
set -uo pipefail

if (($# < 2 || $# > 3)); then
  sed -n '2,11s/^# \?//p' "$0" >&2
  exit 64
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bench=$1/cuda/papilio_sampling_cuda_bench lda=$1/papilio_lda_bench out=$2
corpus=(${3:+--docword "$3"})
quick=(${QUICK:+--quick})
mkdir -p "$out"
status=0

# part NAME COMMAND...: runs one part and keeps what it prints; the others go on where it fails.
part() {
  local name=$1 begin=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  "$@" >"$out/$name.log" 2>&1
  local result=$?
  printf '%s: exit status %d, %d s\n' "$name" "$result" $((SECONDS - begin))
  ((result == 0)) || { tail -n 5 "$out/$name.log"; status=1; }
}

machine() {
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,power.limit --format=csv
  grep -m1 'model name' /proc/cpuinfo
}
machine >"$out/machine.txt" 2>&1

part batched "$bench" --cases ceilings,batched --limit 120 --json "$out/batched.json" "${quick[@]}"
part peers "${PYTHON:-python3}" "$here/peers.py" --limit 240 --json "$out/peers.json" "${quick[@]}"
part draws "$bench" --cases draws --limit 60 --json "$out/draws.json" "${corpus[@]}" "${quick[@]}"
topics=16,48,80,112,144,176,208,240 sweeps=${QUICK:+10}
for sampler in mean_for_mode uncollapsed theta_collapsed phi_collapsed collapsed; do
  part "lda-cuda-$sampler" "$lda" --device cuda --sampler "$sampler" --topics "$topics,256,512,1024" \
    --sweeps "${sweeps:-100}" --json "$out/lda-cuda-$sampler.json" "${corpus[@]}"
done
part methods "$bench" --cases methods --limit 90 --json "$out/methods.json" "${corpus[@]}" "${quick[@]}"
part figure "$bench" --cases figure --limit 90 --json "$out/figure.json" "${corpus[@]}" "${quick[@]}"
part lda-cpu "$lda" --device cpu --sampler collapsed --topics "$topics" --sweeps 5 --json "$out/lda-cpu.json" "${corpus[@]}"
part forest "$bench" --cases forest --limit 60 --json "$out/forest.json" "${quick[@]}"
for case in draws figure10 figure11 figure12; do
  part "papers-$case" "$1/cuda/papilio_papers_bench" --cases "$case" --limit 60 --json "$out/papers-$case.json" "${corpus[@]}" "${quick[@]}"
done
exit $status
