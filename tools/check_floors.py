#!/usr/bin/env python3
"""Fails when a file includes, reads or prints what its floor may not.

    tools/check_floors.py [ROOT]

An allow-list: what is not named here is refused. It reports
"src/warp/a.h:1: warp may not include lda".
"""

import pathlib
import re
import sys

# Floor -> the floors it may include, besides itself.
BELOW = {
    "base": set(),
    "warp": {"base"},
    "random": {"base", "warp"},
    "collective": {"base", "warp", "random"},
    "execution": {"base"},
    "sampling": {"base", "warp", "random", "collective", "execution"},
    "primitives": {"base", "warp", "random", "collective", "execution"},
    "lda": {"base", "warp", "random", "collective", "execution", "sampling", "primitives"},
}

# Place -> headers of others that it may include; a place is a path's beginning, and places add up.
OTHERS = {
    "src/base/": r"fmt/",
    "src/warp/": r"(imm|xmm|emm|avx2?|x86)intrin\.h|arm_neon\.h",
    "src/execution/": r"fmt/|tbb/|oneapi/|cpuid\.h|sched\.h|unistd\.h|pthread\.h|sys/mman\.h",
    "src/execution/cuda/": r"cuda(_runtime)?(_api)?\.h",
    "src/sampling/": r"fmt/",
    "src/primitives/": r"fmt/",
    "src/lda/": r"fmt/|math\.h",  # math.h: lgamma_r
    "src/lda/corpus/": r"utf8proc\.h",
    "src/lda/io/": r"nlohmann/|zlib\.h|zstd\.h|xxhash\.h|utf8proc\.h|dirent\.h|fcntl\.h|unistd\.h|sys/(file|mman|random|stat|types)\.h",
    "apps/": r"fmt/|CLI/|nlohmann/|fcntl\.h|signal\.h|unistd\.h|sys/(ioctl|stat|types)\.h",
    "benchmarks/": r"fmt/|benchmark/",
    "examples/": r"fmt/",
    "python/": r"nanobind/",
}
# File -> the headers of a floor that this file of a face may include.
PEEPHOLES = {
    "benchmarks/cuda/gamma.cpp": ("lda/training/parameters/dirichlet_cuda.h",),  # likewise for those that draw theta and phi
    "benchmarks/cuda/trainer_draws.cpp": ("lda/training/dense/parallel_cuda.h",),  # the trainer's kernel, measured alone
    "benchmarks/cuda/sparse_sweeps.cpp": (  # sparse sweeps and what they consist of
        "lda/training/sparse/parallel/chain_cuda.h",
        "lda/training/sparse/by_document/draws_cuda.h",
    ),
}
# Slow or far-reaching headers: in a source file, never in a header.
HEAVY_AT_HOME = {"apps/papilio/support/option_types.h": "CLI/"}  # headers whose business a heavy one is
HEAVY = r"nlohmann/|CLI/|tbb/|oneapi/|zlib\.h|zstd\.h|xxhash\.h|utf8proc\.h"

FACES = ("apps", "benchmarks", "examples", "python")
# The second surface, as it is installed: <papilio/warp/...>. Only these show how to write kernels on it.
KERNEL_FLOORS = ("warp", "random", "collective")
KERNEL_FACES = ("benchmarks", "examples")
HEADER_SUFFIXES = {".h", ".cuh"}
SUFFIXES = HEADER_SUFFIXES | {".cpp", ".cu"}

INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
STANDARD = re.compile(r"[a-z_0-9]+$")  # <vector>, <cstdint>: no dot, no folder
BACKEND = re.compile(r"\s*#\s*(?:if|ifdef|ifndef|elif)\b.*(?:CUDA|HIP|SSE|AVX|FMA|NEON|ARM|aarch64|x86|amd64|PAPILIO_)")
ENVIRONMENT = re.compile(r"\b(?:getenv|secure_getenv|setenv|putenv|environ)\b")
PRINTING = re.compile(
    r"\bstd::(?:cout|cerr|clog|print|println)\b|\bfmt::print(?:ln)?\b|(?<![\w.>])(?:std::)?v?f?(?:printf|puts|putchar)\s*\("
)
ENVIRONMENT_ALLOWED = "src/execution/"


def headers_on_offer(root):
    """The names after papilio/ of the public headers, and of the kernel headers."""
    public = {path.name for path in (root / "include/papilio").glob("*.h")}
    source = root / "src"
    kernel = {
        path.relative_to(source).as_posix()
        for floor in KERNEL_FLOORS
        for path in (source / floor).rglob("*")
        if path.suffix in HEADER_SUFFIXES
    }
    return public, kernel


def papilio_include_fault(name, header, on_offer):
    """What is wrong with an include of papilio/`header`, or None."""
    public, kernel = on_offer
    if header in public or (name in KERNEL_FACES and header in kernel):
        return None
    return f"{name} may not include papilio/{header}, which is no public header"


def quoted_include_fault(path, name, include):
    """What is wrong with #include "include" in `path` (relative, posix), or None."""
    top = include.partition("/")[0]
    if path.startswith("src/"):
        if top not in BELOW:
            return f'expected a path from src/ or "papilio/...", found "{include}"'
        allowed = top == name or top in BELOW[name]
        return None if allowed else f"{name} may not include {top}"
    if path.startswith("include/"):
        return f"a public header may not include {include}"
    if top in BELOW and include not in PEEPHOLES.get(path, ()):
        return f"{name} may not include {top}; faces see only papilio/"
    return None  # a face's own header


def angled_include_fault(path, name, include):
    """What is wrong with #include <include>, or None."""
    if STANDARD.match(include):
        return None
    allowed = any(path.startswith(place) and re.match(headers, include) for place, headers in OTHERS.items())
    if not allowed:
        return f"{name} may not include <{include}>"
    at_home = include.startswith(HEAVY_AT_HOME.get(path, "\n"))
    if pathlib.PurePosixPath(path).suffix in HEADER_SUFFIXES and re.match(HEAVY, include) and not at_home:
        return f"a header may not include <{include}>; only a source file may"
    return None


def line_faults(path, name, line, on_offer):
    """Everything wrong with one line of `path`, comments left out."""
    include = INCLUDE.match(line)
    if include:
        header = include[1] or include[2]
        if header.startswith("papilio/"):
            yield papilio_include_fault(name, header.removeprefix("papilio/"), on_offer)
        elif include[1]:
            yield quoted_include_fault(path, name, include[1])
        else:
            yield angled_include_fault(path, name, include[2])
        return
    if path.startswith("include/") and BACKEND.match(line):
        yield "a public header may not depend on a backend"
    if path.startswith(("src/", "include/")):
        if ENVIRONMENT.search(line) and not path.startswith(ENVIRONMENT_ALLOWED):
            yield f"{name} may not read the environment; only execution may"
        if PRINTING.search(line):
            yield f"{name} may not print; only faces may"


def without_comments(text):
    """`text` with comments blanked, its lines kept."""
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
    return re.sub(r"(?m)(?<!:)//.*$", "", text)


def check(root):
    """Returns a message for every fault below `root`, in order of path and line."""
    on_offer = headers_on_offer(root)
    messages = []
    for folder in ("include", "src", *FACES):
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in SUFFIXES:
                continue
            path = file.relative_to(root).as_posix()
            parts = path.split("/")
            name = parts[1] if folder == "src" else "a public header" if folder == "include" else folder
            if folder == "src" and name not in BELOW:
                messages.append(f"{path}:1: {name} is no floor")
                continue
            for number, line in enumerate(without_comments(file.read_text()).splitlines(), 1):
                faults = line_faults(path, name, line, on_offer)
                messages += [f"{path}:{number}: {fault}" for fault in faults if fault]
    return messages


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    messages = check(root)
    print("\n".join(messages), end="\n" if messages else "")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
