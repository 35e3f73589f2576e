#!/usr/bin/env python3
"""Keeps the numbers of pages equal to the records that they are of.

    tools/claims.py --check [PAGE...]    fails where a page says something else than the records
    tools/claims.py --write [PAGE...]    puts what the records say into the pages
    tools/claims.py --list               names every claim and prints what it says

A page marks what is computed: <!-- claims: NAME -->...<!-- end -->, a table between two lines or a number in a
sentence. tools/claims_values.py has a function for each NAME; it reads the records in benchmarks/results and nothing else.
It also lists pages that quote a number without a marker (QUOTED); they must have it.
Without PAGE: every .md file outside of build folders that has a marker or quotes, and the pages of STRICT. In these no
measured quantity (a number with a unit of time or rate, or "times as fast") may be written outside of markers.
"""

import argparse
import json
import pathlib
import re
import sys

import claims_values

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks/results"
REQUIRED = {"README.md": {"results"}, "docs/benchmarks.md": {"cpu_dense", "cpu_products", "gpu_rows", "gpu_tokens", "gpu_sweeps"}}
STRICT = tuple(REQUIRED)
SKIPPED = {"build", ".git", "shared", "node_modules"}

MARKED = re.compile(r"<!-- claims: (\w+) -->(.*?)<!-- end -->", re.DOTALL)
MARKER = re.compile(r"<!-- (?:claims: \w+|end) -->")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
RESULT_LINK = re.compile(r"benchmarks/results/([\w.-]+\.(?:md|json|csv))")
MEASURED = re.compile(
    r"\b\d[\d,.]*(?:ms|us|µs|ns| ?(?:ms|us|µs|ns|[kMGT]B/s|s|seconds)\b| (?:[MG]|million|billion)? ?(?:tokens|draws)(?:/s| per second| a second)"
    r"| times (?:as|more|less|faster|slower)| times the| ?% (?:less|more|faster|slower))")


class Records:
    """The committed records, read when they are asked for."""

    def __init__(self, folder=RESULTS):
        self.folder, self.read = folder, {}

    def __getitem__(self, name):
        if name not in self.read:
            path = self.folder / f"{name}.json"
            if not path.exists():
                raise KeyError(f"{path.name} is not there")
            self.read[name] = json.loads(path.read_text())
        return self.read[name]


def said(name, records):
    """What the records say of a claim, as it stands between the markers."""
    if name not in claims_values.CLAIMS:
        raise KeyError(f"no claim has the name {name}")
    text = claims_values.CLAIMS[name](records)
    return f"\n\n{text.strip()}\n\n" if "\n" in text else text


def difference(found, expected):
    """The first line in which two texts differ."""
    pairs = list(zip(found.split("\n") + [""], expected.split("\n") + [""]))
    return next((f"the page has {a!r}, the records say {b!r}" for a, b in pairs if a != b), "lines are missing")


def unmarked(text):
    """Measured quantities outside of markers and code, with their lines."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())  # noqa: E731
    rest = CODE.sub(blank, MARKED.sub(blank, text))
    for match in MEASURED.finditer(rest):
        yield rest.count("\n", 0, match.start()) + 1, match.group()


def check(page, text, records):
    """What is wrong with a page: messages."""
    left = MARKER.findall(MARKED.sub("", text))
    if left:
        yield f"{page}: {left[0]} has no counterpart"
    found = set()
    for match in MARKED.finditer(text):
        name, line = match.group(1), text.count("\n", 0, match.start()) + 1
        found.add(name)
        try:
            expected = said(name, records)
        except (KeyError, LookupError, ValueError) as error:
            yield f"{page}:{line}: claim {name}: {error.args[0]}"
            continue
        if match.group(2) != expected:
            yield f"{page}:{line}: claim {name}: {difference(match.group(2), expected)}"
    for name in sorted(REQUIRED.get(page, set()) - found):
        yield f"{page}: has no claim {name}"
    for name in claims_values.QUOTED.get(page, ()):
        try:
            value = said(name, records)
        except (KeyError, LookupError, ValueError) as error:
            yield f"{page}: claim {name}: {error.args[0]}"
            continue
        if not re.search(rf"(?<![\d.,]){re.escape(value)}(?!\d|[.,]\d)", text):
            yield f"{page}: does not have the {value} of claim {name}"
    for link in RESULT_LINK.findall(text):
        if not link.startswith("NAME") and not (RESULTS / link).exists():
            yield f"{page}: benchmarks/results/{link} is not there"
    if page in STRICT:
        for line, quantity in unmarked(text):
            yield f"{page}:{line}: {quantity!r} is measured and not marked as a claim"


def write(text, records):
    return MARKED.sub(lambda m: f"<!-- claims: {m.group(1)} -->{said(m.group(1), records)}<!-- end -->", text)


def pages():
    for path in sorted(ROOT.rglob("*.md")):
        name = path.relative_to(ROOT).as_posix()
        if not SKIPPED & set(path.relative_to(ROOT).parts) and (
                name in STRICT or name in claims_values.QUOTED or MARKER.search(path.read_text()) or RESULT_LINK.search(path.read_text())):
            yield name


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    for name in ("check", "write", "list"):
        what.add_argument(f"--{name}", action="store_true")
    parser.add_argument("page", nargs="*")
    options = parser.parse_args()
    records, wrong = Records(), []
    if options.list:
        for name in claims_values.CLAIMS:
            print(f"{name}: {claims_values.CLAIMS[name](records)}")
        return 0
    for page in options.page or pages():
        path = ROOT / page
        if options.write:
            path.write_text(write(path.read_text(), records))
        wrong += check(page, path.read_text(), records)
    print("\n".join(wrong) or f"{len(list(options.page or pages()))} pages agree with the records")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
