#!/usr/bin/env bash
# Installs the peers of the race into a folder of its own: benchmarks/race/setup.sh WORK
#
# tomotopy, gensim and scikit-learn come from PyPI, into a virtual environment. MALLET comes from PyPI too: the package tethne
# carries its classes (2.0.7); no Debian package and no newer PyPI package does. Debian: python3-venv, zstd, a JDK.
set -euo pipefail

if (($# != 1)); then
  sed -n '2,5s/^# \{0,1\}//p' "$0" >&2
  exit 64
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
work=$(cd "$1" && pwd)

missing=()
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
command -v zstd >/dev/null || missing+=(zstd)
command -v taskset >/dev/null || missing+=(util-linux)
command -v javac >/dev/null || missing+=(default-jdk-headless)
if ((${#missing[@]})); then
  sudo=()
  ((EUID == 0)) || sudo=(sudo)
  "${sudo[@]}" apt-get update -q
  "${sudo[@]}" apt-get install -y --no-install-recommends "${missing[@]}"
fi

if [[ ! -e $work/venv/ready ]]; then
  python3 -m venv "$work/venv"
  "$work/venv/bin/pip" install --quiet -r "$here/requirements.txt"
  touch "$work/venv/ready"
fi

if [[ ! -e $work/mallet/class ]]; then
  unpacked=$(mktemp -d -p "$work")
  trap 'rm -rf "$unpacked"' EXIT
  "$work/venv/bin/pip" download --quiet --no-deps --no-binary :all: --dest "$unpacked" tethne==0.8
  tar -xzf "$unpacked/tethne-0.8.tar.gz" -C "$unpacked"
  rm -rf "$work/mallet"
  mv "$unpacked/tethne-0.8/tethne/bin/mallet-2.0.7" "$work/mallet"
fi
mkdir -p "$work/classes"
javac -d "$work/classes" -cp "$work/mallet/class:$work/mallet/lib/mallet-deps.jar" "$here/MalletRace.java"
