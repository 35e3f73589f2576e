#!/usr/bin/env bash
# Fetches the arm64 packages that papilio's library and tests need from this machine's Debian mirror, and unpacks them:
#
#   tools/neon_sysroot.sh FOLDER
#
# Nothing of the system changes, and root is not needed: apt keeps its lists and files in FOLDER.apt. A second call with
# the same packages does nothing.
set -euo pipefail
folder=${1:?usage: tools/neon_sysroot.sh FOLDER}

headers=(libfmt-dev libtbb-dev zlib1g-dev libzstd-dev libxxhash-dev libutf8proc-dev libre2-dev libgtest-dev nlohmann-json3-dev)
# What programs load. The headers of the C library are those of the cross compiler, so its -dev package is left out.
libraries=(libc6 libgcc-s1 libstdc++6 libfmt9 libtbb12 libtbbbind-2-5 libtbbmalloc2 zlib1g libzstd1 libxxhash0 libutf8proc2 libre2-9)
packages=("${headers[@]}" "${libraries[@]}")

[[ $(cat "$folder/packages" 2>/dev/null) != "${packages[*]}" ]] || exit 0
mkdir -p "$folder.apt"/{state/lists,cache/archives}/partial
root=$(realpath "$folder.apt")
: >"$root/status" # no package counts as installed
apt=(apt-get -q -y -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State="$root/state"
     -o Dir::State::status="$root/status" -o Dir::Cache="$root/cache" -o Debug::NoLocking=1 -o APT::Sandbox::User=)
"${apt[@]}" update
(cd "$root/cache/archives" && rm -f ./*.deb && "${apt[@]}" download "${packages[@]}")
rm -rf "$folder"
mkdir -p "$folder"
for package in "$root"/cache/archives/*.deb; do dpkg-deb --extract "$package" "$folder"; done
echo "${packages[*]}" >"$folder/packages"
