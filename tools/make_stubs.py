#!/usr/bin/env python3
"""Writes python/papilio/_core.pyi, the types of the compiled module, by nanobind's stubgen.

    tools/make_stubs.py [--check]

Needs papilio and nanobind installed in the Python that runs it. With --check nothing is
written, and the exit status is 1 where the file is not what it would be.
"""

import pathlib
import sys

import papilio._core
from nanobind.stubgen import StubGen

STUB = pathlib.Path(__file__).parents[1] / "python/papilio/_core.pyi"


def stub():
    generator = StubGen(papilio._core)
    generator.put(papilio._core)
    return generator.get()


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
