#!/usr/bin/env bash
# Writes the English descriptions of all Debian packages, one per line, each once (on Ubuntu, of Ubuntu's).
#
#   tools/fetch_demo_corpus.sh FOLDER    leaves them in FOLDER/descriptions.txt
#
# They are apt's Translation-en. Where this machine does not keep it, it is
# fetched from the machine's own mirror into FOLDER: the system's package lists
# stay as they are, and no root is needed.
set -euo pipefail

if ! command -v apt-get >/dev/null; then
  echo "fetch_demo_corpus: the demo reads the package descriptions that apt keeps, and there is no apt-get here;" \
    "papilio itself reads any text: ./run install, then papilio train FILE" >&2
  exit 1
fi
folder=$(mkdir -p "$1" && cd "$1" && pwd)
helper=/usr/lib/apt/apt-helper # reads lists in whatever compression apt keeps them

# Lists the Translation-en files of the distribution's own archives that are here; options go to apt.
translations() {
  local origin
  for origin in Debian Ubuntu; do
    apt-get indextargets "$@" --format '$(FILENAME)' "Created-By: Translations" "Language: en" "Origin: $origin" |
      while IFS= read -r file; do
        [[ ! -r $file ]] || printf '%s\n' "$file"
      done
  done
}

# Fetches them. The sources, keys and proxies are the machine's; everything that apt writes goes to FOLDER.
fetch_translations() {
  mkdir -p "$folder/lists/partial" "$folder/cache"
  cat >"$folder/apt.conf" <<CONF
#clear APT::Update;
#clear Acquire::Languages;
Acquire::Languages "en";
Acquire::Retries "3";
Acquire::IndexTargets::deb::Packages::DefaultEnabled "false";
Dir::State::lists "$folder/lists";
Dir::Cache "$folder/cache";
CONF
  apt-get -c "$folder/apt.conf" -q update >&2
}

# Turns paragraphs "Package: ... / Description-en: short / long" into lines of text.
descriptions() {
  LC_ALL=C awk '
    function flush() { if (text != "" && !seen[text]++) print text; text = "" }
    /^Package:/ { flush(); inside = 0; next }
    /^Description-en:/ { inside = 1; sub(/^Description-en:[ \t]*/, ""); text = $0; next }
    /^[^ \t]/ { inside = 0; next }
    inside && !/^ \.$/ { sub(/^[ \t]+/, ""); text = text " " $0 }
    END { flush() }'
}

mapfile -t files < <(translations)
if ((${#files[@]} == 0)); then
  echo "fetching the package descriptions into $folder/lists" >&2
  fetch_translations
  mapfile -t files < <(translations -c "$folder/apt.conf")
fi
if ((${#files[@]} == 0)); then
  echo "fetch_demo_corpus: the apt sources of this machine name no archive of Debian or Ubuntu with English descriptions" >&2
  exit 1
fi

for file in "${files[@]}"; do
  "$helper" cat-file "$file"
done | descriptions >"$folder/descriptions.txt.part"
mv "$folder/descriptions.txt.part" "$folder/descriptions.txt"
