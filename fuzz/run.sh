#!/usr/bin/env bash
# Runs the fuzz targets for SECONDS in total, shared equally. The last line counts the targets, "N passed, N failed";
# ends with 1 if one of them fails. Says of each failure why, and prints its input.
#
#   fuzz/run.sh SECONDS [BUILD_FOLDER]      FUZZ_TARGETS="npz ldac" runs some of them only; FUZZ_SEED=1 makes the
#                                           same inputs in each run, as far as the time goes (else: other ones)
#   fuzz/run.sh build [BUILD_FOLDER]        builds, and runs nothing
#
# Builds with clang first. Starts from seeds and from the inputs in tests/data/fuzz. Needs gzip and zstd for them.
# Inputs that fail stay in BUILD_FOLDER/fuzz/failures, inputs that were found in BUILD_FOLDER/fuzz/corpora; keep.sh
# makes the archives of tests/data/fuzz from these.
set -euo pipefail

if [[ ! "${1:-}" =~ ^([1-9][0-9]*|build)$ ]]; then
  echo "usage: fuzz/run.sh SECONDS|build [BUILD_FOLDER]" >&2
  exit 64
fi
source=$(cd "$(dirname "$0")/.." && pwd)
mapfile -t all < "$source/fuzz/targets.txt"
if pkg-config --exists isl; then
  mapfile -t -O "${#all[@]}" all < "$source/fuzz/targets_loops.txt"
else
  echo "skipped, as libisl is not here: $(paste -s -d ' ' "$source/fuzz/targets_loops.txt")"
fi
read -r -a targets <<< "${FUZZ_TARGETS:-${all[*]}}"
build=${2:-$source/build/fuzz}

cmake -S "$source" -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=RelWithDebInfo \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -gline-tables-only -DNDEBUG" -DPAPILIO_FUZZERS=ON -DPAPILIO_CPU_TARGETS=baseline -DPAPILIO_TESTS=OFF -DPAPILIO_APPS=OFF -DPAPILIO_EXAMPLES=OFF > /dev/null
cmake --build "$build" --target papilio_fuzzers
if [[ $1 == build ]]; then exit; fi
seconds=$((($1 + ${#targets[@]} - 1) / ${#targets[@]}))

work=$build/fuzz
corpora=$work/corpora
failures=$work/failures
mkdir -p "$failures" "${all[@]/#/$corpora/}"

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

  to=$corpora/over_ranks
  printf "\x00\x04$text\n\n$text\n" > "$to/text"
  printf '%b{"t":"cats","i":1}\n\n{"t":"dogs the"}\n' '\x00\x19' > "$to/json_lines"
  printf "\xf0\x0a$header$body\x00$words" > "$to/uci"

  to=$corpora/table
  printf "\x00\x00text,id\n\"cats, \"\"dogs\"\"\n\",1\n\n$words,2\n" > "$to/csv"
  printf "\x00\x07text\tid\r\ncats dogs\tx\r\n" > "$to/tsv"
  printf "\x00\x1e\"cats,2\ndogs\",\"3\n" > "$to/plain"
  { printf '\x00\x02'; printf 'text,id\n"cats\ndogs",1\n' | gzip -c; } > "$to/gzip"

  to=$corpora/json_array
  printf '%b[{"t":"cats \\u00e9\\n",\n"i":7,"x":[1,{"a":null}]},\n {"i":"b","t":"dogs"}\n]\n' '\x03' > "$to/ids"
  printf '%b["cats","dogs \\ud83d\\ude00 the"]' '\x00' > "$to/strings"
  to=$corpora/json_lines
  printf '%b{"t":"cats \\u00e9\\ud83d\\ude00\\n","i":7,"x":[1,-2.5e3,{"a":null}]}\n\n{"i":"b","t":"dogs"}\n' '\x01' > "$to/ids"
  printf '%b{"t":"cats","x":"\\"\\\\\\/","y":true,"z":{"t":[[]]}}\n' '\x00' > "$to/values"

  to=$corpora/texts_in_memory
  printf "\x00$text\n\n$text" > "$to/all_words"
  printf "\xf1the cats\nthe dogs\n\xef\xbb\xbfcats\r\n" > "$to/filtered"

  to=$corpora/folder
  printf '\x00\x0athe cats, \x00\x06a\nb\r\nc\x09\xef\xbb\xbfdogs\r\n\x02\xff\xfe' > "$to/files"
  { printf '\x00\xff'; printf "$text" | zstd -q -c; } > "$to/zstd"

  to=$corpora/low
  printf '\x00\x002\ncats the dogs \n\tcats\n' > "$to/two"
  printf '\xf0\x001 \r\ncaf\xc3\xa9 CAF\xc3\x89 the\r\n\r\n' > "$to/filtered"
  to=$corpora/mallet
  printf '\x00\x00first en cats and dogs\n\nsecond\tx\n' > "$to/two"
  printf "\xf0\x00n l $text" > "$to/filtered"

  local state='#doc source pos typeindex type topic\n#alpha : 0.5 0.25 \n#beta : 0.01\n0 NA 0 0 cats 1\n0 NA 1 1 dogs 0\n'
  to=$corpora/mallet_state
  printf "${state}3 a name 0 0 cats 0\n" > "$to/named"
  printf "$state" | gzip -c > "$to/gzip"
  printf '0 NA 0 1048576 x 16777215\r\n1 NA 0 0 y 0\n' > "$to/sparse"
  printf 'cats # comment\n\n \tcaf\xc3\xa9\r\n#\n"dogs"' > "$corpora/word_list/words"
  printf '# all\n0: bank money x\n3 weight 50: a b a:b # c\r\nfresh water: c#\nc\n' > "$corpora/seed_words/lines"

  to=$corpora/any_format
  printf "\x00$text" > "$to/text"
  printf "\x00$header$body" > "$to/uci"
  printf '\x002 0:1 1:2\n1 0:1\n' > "$to/ldac"
  printf '\x001.0 1:1 2:2\n-1 1:1 # x\n' > "$to/svmlight"
  printf '\x00%%%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 2\n2 2 1\n' > "$to/matrix_market"
  make_written_seeds
}

# Files that the library writes.
make_written_seeds() {
  "$build/fuzz/fuzz_model_seed" "$corpora/load_model/model" "$corpora/load_model/sparse" "$corpora/corpus_file/corpus"
  { printf '\x00'; cat "$corpora/corpus_file/corpus"; } > "$corpora/any_format/corpus_file"
  { printf '\x00\x17'; cat "$corpora/corpus_file/corpus"; } > "$corpora/over_ranks/corpus_file"
  local case
  for case in 0 1 2; do
    "$build/fuzz/fuzz_checkpoint_seed" "$case" "$work/seed"
    { printf "\x0$case"; cat "$work/seed"; } > "$corpora/checkpoint/case_$case"
  done
  rm -f "$work"/seed*
  "$build/fuzz/fuzz_command_line_seed" "$work/command_line.dict" "$corpora/command_line"
  make_format_seeds
  if pkg-config --exists isl; then make_loop_seeds; fi
}

# Two bytes of options in front, see format_check.h.
make_format_seeds() {
  local banner='%%%%MatrixMarket matrix coordinate'
  local words='\n\xffcats\ndogs\ncaf\xc3\xa9\n'
  local format
  for format in ldac svmlight mtx npz; do
    local to=$corpora/${format/mtx/matrix_market}
    "$build/fuzz/fuzz_corpus_seed" "$format" "$work/seed"
    { printf '\x00\x00'; cat "$work/seed"; } > "$to/written"
    { printf '\x00\x00'; gzip -c "$work/seed"; } > "$to/gzip"
  done
  local scipy
  for scipy in "$source"/tests/data/npz/*.npz; do
    { printf '\x00\x00'; cat "$scipy"; } > "$corpora/npz/$(basename "$scipy")"
  done
  printf "\x00\x802 1:1 2:2.0\n0\n1 0:1$words" > "$corpora/ldac/vocabulary"
  printf '\xf0\x032 1:1 2:2\n1 3:17179869184\n' > "$corpora/ldac/first_1"
  printf "\x00\x80+1 qid:3 1:1 2:2.0 # text\n\n1,2\n0 3:1$words" > "$corpora/svmlight/vocabulary"
  printf '\x00\x002:1 3:2\n\n0:1\n' > "$corpora/svmlight/without_labels"
  printf "\x00\x80$banner real general\n%%%% text\n3 3 3 \n1 2 1.0\n1 3 2\n3 1 1$words" > "$corpora/matrix_market/vocabulary"
  printf "\x00\x01$banner pattern general\n9 2 17179869184\n1 1\n9 2\n" > "$corpora/matrix_market/pattern"
}

# Loops as C, and as clang's syntax tree without what the analysis does not read.
make_loop_seeds() {
  local file kernel
  local kernels=(
    'void f(int n, int *a) { for (int i = 1; i < n; i++) a[i] = a[i - 1] + 1; }'
    'void f(int n, int m, int *a, const int *x) { for (int i = 0; i < n; i += 2) if (x[i] > m) a[x[i]] += i * m; }'
    'int f(int n, int k, int *a) { int s = 0; for (int i = n; i > 0; --i) { k += 2; s += a[k]; } return s; }'
    'int f(int n, int *a) { int c = 0, i = 0; while (i < n) { if (a[i]) a[c++] = i; i++; } return c; }'
    'static void g(int n, double *x) { for (int j = 0; j != n; j++) x[j] = j; } void f(int n, double *x) { for (int i = 0; i < n; i++) g(n, &x[i * n]); }'
    'struct s { int x, y; }; void f(unsigned n, struct s *p, int a[9][9]) { for (unsigned i = 0; i < n; i++) { p[i].x = i > 3 ? a[i][2] : p[i].y; if (p[i].x) break; } }'
  )
  for file in "$source"/tests/loops/notes/*.c "$source"/tests/loops/kernels/*.c; do
    cp "$file" "$corpora/loops_text/$(basename "$file")"
  done
  for kernel in "${!kernels[@]}"; do
    clang -x c -std=gnu17 -w -Xclang -ast-dump=json -fsyntax-only - <<< "${kernels[kernel]}" |
      sed -E -e '/"(isUsed|mangledName|isReferenced|valueCategory|tokLen|offset)":/d' -e 's/^ +//' |
      tr -d '\n' | sed -E -e 's/,([]}])/\1/g' > "$corpora/loops_tree/kernel_$kernel"
  done
}
make_seeds
for target in "${targets[@]}"; do
  kept=$source/tests/data/fuzz/$target.tar.zst
  if [[ -e $kept ]]; then tar -x --zstd -f "$kept" -C "$corpora/$target"; fi
done

# told LOG: why a target failed, on one line.
told() {
  grep -m 1 -E 'ERROR|runtime error|terminate|: required|Assertion|SUMMARY' "$1" || tail -n 1 "$1"
}

passed=0
failed=0
for target in "${targets[@]}"; do
  echo "fuzz_$target, $seconds s"
  options=()
  if [[ -e $work/$target.dict ]]; then options+=("-dict=$work/$target.dict"); fi
  touch "$work/$target.begin"
  if "$build/fuzz/fuzz_$target" "${options[@]}" -max_total_time="$seconds" -max_len=16384 -timeout=10 \
    -rss_limit_mb=2048 -print_final_stats=1 -seed="${FUZZ_SEED:-0}" \
    -verbosity=1 -artifact_prefix="$failures/$target-" "$corpora/$target" \
    > "$work/$target.log" 2>&1 && grep -E 'number_of_executed_units' "$work/$target.log"; then
    passed=$((passed + 1))
    continue
  fi
  failed=$((failed + 1))
  tail -n 40 "$work/$target.log"
  # The input itself, since the build folder of another machine may be out of reach: compressed by zstd, as base64.
  for input in $(find "$failures" -name "$target-*" -newer "$work/$target.begin" -printf '%f\n'); do
    echo "$input as base64 of zstd: $(zstd -19 -q -c "$failures/$input" | base64 -w 0)"
  done
  echo "FAILED   fuzz_$target: $(told "$work/$target.log"); inputs in $failures"
done
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
