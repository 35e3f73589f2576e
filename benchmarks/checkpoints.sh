#!/usr/bin/env bash
# What saving a chain costs a run, in wall-clock time:
#
#   benchmarks/checkpoints.sh CORPUS TOPICS SWEEPS EVERY PAPILIO...
#
# Each program trains without checkpoints and with one after every EVERY sweeps, in turn, ROUNDS times (5 unless told).
# Prints for each the least of both, in seconds, and what a checkpoint adds. OPTIONS go to `papilio train`. LAUNCH
# comes before it ("mpirun -n 2 ..."). The files are written where the script is started, on a disk of interest.
set -euo pipefail

if (($# < 5)); then
  sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
  exit 64
fi
corpus=$(realpath "$1") topics=$2 sweeps=$3 every=$4
shift 4
programs=()
for program in "$@"; do programs+=("$(realpath "$program")"); done
work=$(mktemp -d -p .)
trap 'rm -rf "$work"' EXIT
cd "$work"

# Seconds of a run of program $1; the rest are options.
seconds() {
  local program=$1 TIMEFORMAT=%R
  shift
  { time ${LAUNCH:-} "$program" train "$corpus" -k "$topics" --sweeps "$sweeps" --evaluate-every 0 -q -o model --force \
    ${OPTIONS:-} "$@" >/dev/null 2>&1; } 2>&1
}

for ((round = 0; round < ${ROUNDS:-5}; ++round)); do
  for i in "${!programs[@]}"; do
    echo "$i $(seconds "${programs[i]}" --checkpoint-minutes 0) " \
      "$(seconds "${programs[i]}" --checkpoint-minutes 0 --checkpoint-every "$every")"
  done
done |
  awk -v saves=$(((sweeps - 1) / every)) '
    { if (!($1 in without) || $2 < without[$1]) without[$1] = $2; if (!($1 in with) || $3 < with[$1]) with[$1] = $3 }
    END { for (i = 0; i in without; ++i) printf "program %d: %.2f s without, %.2f s with %d checkpoints, %.0f ms each\n",
                                               i + 1, without[i], with[i], saves, 1000 * (with[i] - without[i]) / saves }'
