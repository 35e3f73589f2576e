#!/usr/bin/env bash
# The whole race, or what is left of it:
#
#   benchmarks/race/race.sh PAPILIO DATA WORK
#
# PAPILIO is the program, DATA holds NAME/docword.NAME.txt (or .gz, .zst) and NAME/vocab.NAME.txt, WORK takes everything
# that is installed and measured (3 GB). Runs that WORK/records.jsonl has are not repeated. In the environment:
#   CORPORA="nips wiki 20news"  TOPICS="1000 100"  THREADS="1 2"  SYSTEMS="papilio mallet tomotopy gensim sklearn"
# Runs of one thread are made two at a time, on processors 0 and 1, so that all have the same neighbour. The page is made
# by page.py afterwards. About 50 minutes on two idle cores, and then the scoring.
set -euo pipefail

if (($# != 3)); then
  sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
  exit 64
fi
papilio=$(realpath "$1") data=$(realpath "$2")
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$3"
work=$(cd "$3" && pwd)
read -ra corpora <<<"${CORPORA:-nips wiki 20news}"
read -ra topics <<<"${TOPICS:-1000 100}"
read -ra threads <<<"${THREADS:-1 2}"
read -ra systems <<<"${SYSTEMS:-papilio mallet tomotopy gensim sklearn}"

"$here/setup.sh" "$work"
race() { "$work/venv/bin/python" "$here/race.py" "$@" --work "$work"; }
race prepare "${corpora[@]}" --data "$data"

# The runs of one thread, or of two, in lines "CORPUS TOPICS SYSTEM".
runs() {
  local corpus k system
  for corpus in "${corpora[@]}"; do
    for k in "${topics[@]}"; do
      for system in "${systems[@]}"; do
        echo "$corpus $k $system"
      done
    done
  done
}

one_run() {
  race run --corpus "$1" --topics "$2" --system "$3" --papilio "$papilio" --once --score-later "${@:4}"
}
export -f race one_run
export work here papilio

for thread in "${threads[@]}"; do
  if ((thread == 1)); then
    # shellcheck disable=SC2016
    runs | xargs -P 2 -L 1 --process-slot-var=slot bash -c 'one_run "$@" --threads 1 --processor "$slot" --beside 1' one_run
  else
    while read -r corpus k system; do one_run "$corpus" "$k" "$system" --threads "$thread" </dev/null; done < <(runs)
  fi
done
race score --jobs 2
