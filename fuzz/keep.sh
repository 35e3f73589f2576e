#!/usr/bin/env bash
# Makes the archives of inputs in tests/data/fuzz that every build replays, from what fuzz/run.sh has found.
#
#   fuzz/keep.sh [BUILD_FOLDER]      FUZZ_TARGETS="npz ldac" renews some of them only
#
# Of all inputs the fewest that reach what all of them reach; those above 4 KB only where no smaller one gets there.
# An input is named by its content, and nothing else decides an archive's bytes.
set -euo pipefail

source=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$source/build/fuzz}
work=$build/fuzz
to=$source/tests/data/fuzz
mapfile -t all < "$source/fuzz/targets.txt"
if pkg-config --exists isl; then mapfile -t -O "${#all[@]}" all < "$source/fuzz/targets_loops.txt"; fi
read -r -a targets <<< "${FUZZ_TARGETS:-${all[*]}}"

# reduce TARGET TO FROM: copies inputs that reach what those in TO do not.
reduce() {
  if ! "$build/fuzz/fuzz_$1" -merge=1 -use_counters=0 -timeout=10 "$2" "$3" > "$work/$1.log" 2>&1; then
    echo "fuzz_$1 failed on an input of $3; see $work/$1.log" >&2
    exit 1
  fi
}

mkdir -p "$to"
for target in "${targets[@]}"; do
  small=$work/small/$target
  kept=$work/kept/$target
  rm -rf "$small" "$kept"
  mkdir -p "$small" "$kept"
  find "$work/corpora/$target" -type f -size -4097c -exec cp -t "$small" {} +
  reduce "$target" "$kept" "$small"
  reduce "$target" "$kept" "$work/corpora/$target"
  find "$kept" -type f -printf '%P\n' | LC_ALL=C sort |
    tar -c --format=ustar --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=644 -C "$kept" -T - |
    zstd -19 -q -f -o "$to/$target.tar.zst"
  echo "$target: $(find "$kept" -type f | wc -l) inputs, $(stat -c %s "$to/$target.tar.zst") bytes"
done
