#!/usr/bin/env python3
"""Writes python/papilio/_core.pyi, the types of the compiled module, by nanobind's stubgen.

    tools/make_stubs.py [--check]

Needs papilio and nanobind installed in the Python that runs it. With --check nothing is
written, and the exit status is 1 where the file is not what it would be.
"""

import pathlib
import sys

import papilio._core
import papilio._display
from nanobind.stubgen import StubGen

STUB = pathlib.Path(__file__).parents[1] / "python/papilio/_core.pyi"


# Types that nanobind does not know: (what it writes, what is meant, how often). `object` remains where any array of any
# framework may come, which the module looks at itself.
PRECISE = [
    ("def shape(self) -> tuple:", "def shape(self) -> tuple[int, ...]:", 1),
    (
        "progress: object | None, ranks: Ranks | None = None) -> ChooseResult",
        "progress: Callable[[ChooseProgress], bool | None] | None, ranks: Ranks | None = None) -> ChooseResult",
        1,
    ),
    ("progress: object | None", "progress: Callable[[Progress], bool | None] | None", 1),
    ("texts: object | None", "texts: Callable[[list[int]], list[str]] | None", 2),
    ("from collections.abc import Mapping", "from collections.abc import Callable, Mapping", 1),
]
STATES = {
    "Corpus": "tuple[NDArray[numpy.int64], NDArray[numpy.int32], list[str], list[str]]",
    "Model": "tuple[NDArray[numpy.int32], NDArray[numpy.float64], float, list[str], dict[str, str], NDArray[numpy.int32], "
    "list[str], list[tuple[list[str], str]]]",
    "ChainState": "tuple[NDArray[numpy.int32], int, NDArray[numpy.float64], float, str]",
}


def precise(text):
    """The types of the module with those of PRECISE and STATES."""
    for written, meant, times in PRECISE:
        assert text.count(written) == times, written
        text = text.replace(written, meant)
    for name, state in STATES.items():
        before, start, rest = text.partition(f"\nclass {name}:\n")
        assert start, name
        text = (
            before + start + rest.replace("def __getstate__(self) -> tuple:", f"def __getstate__(self) -> {state}:", 1)
        )
    assert "-> tuple:" not in text
    return text


def only_compiled():
    """Takes from the classes what papilio._display gave them; all of it is in `object` or for notebooks only."""
    for kind in vars(papilio._core).values():
        for name, value in list(vars(kind).items()) if isinstance(kind, type) else []:
            if getattr(value, "__module__", None) == papilio._display.__name__:
                delattr(kind, name)


def stub():
    only_compiled()
    generator = StubGen(papilio._core)
    generator.put(papilio._core)
    return precise(generator.get())


def main():
    text = stub()
    if "--check" not in sys.argv[1:]:
        STUB.write_text(text)
        return 0
    if STUB.read_text() == text:
        return 0
    print(f"{STUB} does not fit the module; tools/make_stubs.py writes it")
    return 1


if __name__ == "__main__":
    sys.exit(main())
