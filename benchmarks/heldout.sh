#!/usr/bin/env bash
# Held-out perplexity by document completion, by papilio's commands alone:
#
#   benchmarks/heldout.sh PAPILIO CORPUS_FOLDER NAME TOPICS [TRAIN_OPTION...]
#
# CORPUS_FOLDER holds docword.NAME.txt (or .gz, .zst) and vocab.NAME.txt. Every 20th document is held out;
# alpha is 50 / TOPICS, beta 0.01. TRAIN_OPTIONs come after these, such as --sampler collapsed --sweeps 200.
# MOST_PERPLEXITY=1315 in the environment makes a higher perplexity an error; SEEDS names the splits
# whose mean is compared ("1 2 3 4 5" unless told), since one split of a small corpus is off by about 1 %.
set -euo pipefail

if (($# < 4)); then
  sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
  exit 64
fi
papilio=$(realpath "$1") folder=$2 name=$3 topics=$4
shift 4
docword=$(find "$folder" -maxdepth 1 \( -name "docword.$name.txt" -o -name "docword.$name.txt.gz" \
  -o -name "docword.$name.txt.zst" \) | sort | head -n 1)
if [[ -z $docword ]]; then
  echo "$0: there is no docword.$name.txt, plain, .gz or .zst, in $folder" >&2
  exit 66
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$papilio" split "$docword" --every 20 -o "$work/part"
alpha=$(awk -v topics="$topics" 'BEGIN { printf "%.17g", 50 / topics }')
SECONDS=0
"$papilio" train "$work/docword.part-train.txt" -k "$topics" --alpha "$alpha" --beta 0.01 --evaluate-every 0 -q \
  -o "$work/model" "$@"
echo "training    $SECONDS s, K = $topics, alpha = $alpha, beta = 0.01 $*"
total=0 count=0
for seed in ${SEEDS:-1 2 3 4 5}; do
  perplexity=$("$papilio" evaluate "$work/model" --held-out "$work/docword.part-held-out.txt" --seed "$seed" \
    --format json | sed -n 's/.*"perplexity":\([0-9.]*\).*/\1/p')
  echo "perplexity  $perplexity (split by seed $seed)"
  total=$(awk -v a="$total" -v b="$perplexity" 'BEGIN { printf "%.17g", a + b }')
  count=$((count + 1))
done
awk -v total="$total" -v count="$count" -v most="${MOST_PERPLEXITY:-0}" 'BEGIN {
  mean = total / count
  printf "mean        %.2f over %d splits\n", mean, count
  if (most > 0 && mean > most) { printf "expected at most %s\n", most; exit 1 }
}'
