#!/usr/bin/env python3
"""Compiles every kernel for aarch64 NEON with the cross compiler; runs nothing.

    tools/check_neon.py BUILD_FOLDER

The kernels are the sources that BUILD_FOLDER/compile_commands.json compiles for
the target `baseline`. Ends with "N passed, N failed", or with "skipped: ..."
where there is no cross compiler.
"""

import json
import pathlib
import shlex
import shutil
import subprocess
import sys

COMPILER = "aarch64-linux-gnu-g++"


def neon_command(entry):
    """The compilation of `entry`, retargeted; its diagnostics are the result, its object goes nowhere."""
    arguments = shlex.split(entry["command"])[1:]
    del arguments[arguments.index("-o") : arguments.index("-o") + 2]
    arguments = ["-DPAPILIO_TARGET=neon" if a == "-DPAPILIO_TARGET=baseline" else a for a in arguments]
    arguments = [a for a in arguments if not a.startswith("-fsanitize")]
    return [COMPILER, *arguments, "-Werror", "-o", "/dev/null"]


def main():
    build = pathlib.Path(sys.argv[1])
    if shutil.which(COMPILER) is None:
        print(f"skipped: no {COMPILER} here; ./run test --all installs it on x86-64")
        return 0
    entries = json.loads((build / "compile_commands.json").read_text())
    kernels = [entry for entry in entries if "-DPAPILIO_TARGET=baseline" in entry["command"]]
    if not kernels:
        sys.exit(f"check_neon: {build} compiles nothing for the target baseline")
    failed = 0
    for entry in kernels:
        status = subprocess.run(neon_command(entry), cwd=entry["directory"]).returncode
        failed += status != 0
        print(f"{'ok' if status == 0 else 'FAILED'}: {entry['file']} for NEON", flush=True)
    print(f"{len(kernels) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
