#!/usr/bin/env bash
# Runs each fuzz target for so many seconds; ends with 1 if one of them fails.
#
#   fuzz/run.sh SECONDS [BUILD_FOLDER]
#
# Builds with clang first. Needs gzip and zstd for the seeds. Inputs that fail
# stay in BUILD_FOLDER/fuzz/failures, inputs found before in BUILD_FOLDER/fuzz/corpora.
set -euo pipefail

if [[ ! "${1:-}" =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: fuzz/run.sh SECONDS [BUILD_FOLDER]" >&2
  exit 64
fi
seconds=$1
source=$(cd "$(dirname "$0")/.." && pwd)
build=${2:-$source/build/fuzz}

cmake -S "$source" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DPAPILIO_FUZZERS=ON -DPAPILIO_TESTS=OFF -DPAPILIO_APPS=OFF -DPAPILIO_EXAMPLES=OFF > /dev/null
cmake --build "$build" --target papilio_fuzzers

work=$build/fuzz
corpora=$work/corpora
failures=$work/failures
mkdir -p "$failures" "$corpora"/{byte_source,lines_of_text,load_model,uci_bag_of_words}

make_seeds() {
  local text='Cats and dogs don'\''t x-ray.\r\n\nCaf\xc3\xa9 noir, cafe\xcc\x81\xff\x00\xe2\x82 THE end'
  local header='2 \n3\n3\n'
  local body='1 1 2\n1 3 1.0\n2 2 1\n'
  local words='cats\ndogs\ncaf\xc3\xa9\n'
  local to=$corpora/byte_source
  printf "$text" > "$to/plain"
  printf "$text" | gzip -c > "$to/gzip"
  printf "$text" | zstd -q -c > "$to/zstd"
  cat "$to/gzip" "$to/gzip" > "$to/gzip_members"
  cat "$to/zstd" "$to/zstd" > "$to/zstd_frames"
  head -c 200000 /dev/zero | gzip -c > "$to/gzip_zeros"
  head -c 200000 /dev/zero | zstd -q -c > "$to/zstd_zeros"

  to=$corpora/lines_of_text
  printf "\x00$text" > "$to/all_words"
  printf "\xf1\xef\xbb\xbf$text\n$text\n" > "$to/filtered"
  { printf '\x02'; printf "$text" | gzip -c; } > "$to/gzip"

  to=$corpora/uci_bag_of_words
  printf "\x00$header$body" > "$to/numbers"
  printf "\x00$header$body\x00$words" > "$to/vocabulary"
  printf "\xf0$header$body\x00$words" > "$to/filtered"
  printf "\x002\n3\n17179869184\n$body" > "$to/lie"
  printf "\x001\n1\n2\n1 1 2147483647\n1 1 2147483647\n" > "$to/large_counts"

  "$build/fuzz/fuzz_model_seed" "$corpora/load_model/model"
}
make_seeds

status=0
for target in byte_source lines_of_text load_model uci_bag_of_words; do
  echo "fuzz_$target, $seconds s"
  if ! "$build/fuzz/fuzz_$target" -max_total_time="$seconds" -max_len=16384 -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -verbosity=1 -artifact_prefix="$failures/$target-" "$corpora/$target" \
    > "$work/$target.log" 2>&1; then
    status=1
    echo "fuzz_$target failed; its input is in $failures, its report in $work/$target.log:" >&2
    grep -m 1 -E 'ERROR|SUMMARY|runtime error|terminate' "$work/$target.log" >&2 || tail -n 5 "$work/$target.log" >&2
  else
    grep -E 'number_of_executed_units' "$work/$target.log"
  fi
done
exit "$status"
