#!/usr/bin/env python3
"""Fails when code for one instruction set could be merged into another's.

    tools/check_target_symbols.py BUILD_FOLDER

The linker keeps one copy of an inline function, from whichever object comes
first. One compiled for AVX2 under a name that other objects use too would then
run on a machine without AVX2. So every function that an object of
papilio_<floor>_<target> defines, weak ones included, must have `::<target>::` in
its name. Targets that every machine of the family runs (baseline, neon) are not
checked, nor is code for GPUs.
"""

import pathlib
import re
import subprocess
import sys

PART = re.compile(r"/src/(?:\w+/)?CMakeFiles/papilio_[a-z]+_(?!(?:baseline|neon|cuda)\.)(\w+)\.dir/")
FUNCTION_TYPES = "TWi"  # nm: global, weak, indirect; local functions are never merged


def defined_functions(object_file):
    """The demangled names of the functions that other objects may link to."""
    listing = subprocess.run(
        ["nm", "--defined-only", "--format=posix", str(object_file)], check=True, capture_output=True, text=True
    ).stdout
    mangled = [line.split()[0] for line in listing.splitlines() if line.split()[1] in FUNCTION_TYPES]
    if not mangled:
        return []
    return subprocess.run(
        ["c++filt"], input="\n".join(mangled) + "\n", check=True, capture_output=True, text=True
    ).stdout.splitlines()


def check(build):
    """Returns the number of objects seen and a message for each function out of place."""
    objects = 0
    messages = []
    for path in sorted(build.rglob("*.o")):
        part = PART.search(path.resolve().as_posix())
        if not part:
            continue
        objects += 1
        target = part[1]
        messages += [
            f"{path.relative_to(build)}: defines {name}, expected a name with ::{target}::"
            for name in defined_functions(path)
            if f"::{target}::" not in name
        ]
    return objects, messages


def main():
    build = pathlib.Path(sys.argv[1])
    objects, messages = check(build)
    print("\n".join(messages), end="\n" if messages else "")
    if objects == 0:
        print(f"check_target_symbols: {build} holds no object of an instruction-set target")
    return 1 if messages or objects == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
