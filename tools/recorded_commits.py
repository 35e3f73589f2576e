"""The commits that records name, as this history knows them."""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
TABLE = ROOT / "benchmarks/results/commits.json"


def joined():
    """{commit of a record: {"date", "in"}} of commits that this history does not have."""
    return json.loads(TABLE.read_text())["commits"]


def shown(commit):
    """A commit as pages show it: where it was joined into another, that one and the date of the record."""
    known = joined().get(commit)
    return f"{known['in']} (measured on {known['date']} at a commit joined into it)" if known else commit


def named(value):
    """Every commit named anywhere in a record."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in ("commit", "recorded_in"):
                yield from [inner] if isinstance(inner, str) else inner
            else:
                yield from named(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from named(inner)


def git(*arguments):
    return subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True)


def history_is_whole():
    """Whether this is a clone with all of its history, so that a commit that is missing is missing."""
    return git("rev-parse", "--is-shallow-repository").stdout.strip() == "false"


def is_in_history(commit):
    return git("merge-base", "--is-ancestor", commit.removesuffix("-dirty"), "HEAD").returncode == 0
