#!/usr/bin/env python3
"""Fails when a file includes, reads or prints what its floor or room may not.

    tools/check_floors.py [ROOT]

An allow-list: what is not named here is refused. It reports
"src/warp/a.h:1: warp may not include lda". It also finds headers that include each other,
a type name that is declared twice under src/lda, and folders that have grown too large. The
modules of the Python package are the business of tools/check_imports.py.
"""

import functools
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
    "loops": {"base"},  # a library of its own, which no floor knows
}

# Room -> the rooms that it stands on: it may include these and what they stand on. A room is a folder inside a
# floor, or the rest of one; a floor that is not named here has no rooms.
ROOMS = {
    "sampling/rows": set(),
    "sampling/logits": {"sampling/rows"},
    "sampling/slots": {"sampling/rows", "sampling/logits"},
    "sampling/blocks": {"sampling/rows"},
    "sampling/gamma": {"sampling/rows"},
    "sampling/tables": {"sampling/rows"},
    "sampling/dynamic": {"sampling/tables"},
    "sampling/without_replacement": {"sampling/rows"},
    "sampling/resample": set(),
    "sampling/tokens": {"sampling/rows"},
    "sampling/tokens/first": {"sampling/tokens"},
    "sampling/tokens/near": {"sampling/tokens"},
    "sampling/tokens/window": {"sampling/tokens"},
    "sampling/tokens/intervals": {"sampling/tokens"},
    "sampling/tokens/each_way": {"sampling/tokens/first", "sampling/tokens/on_chip", "sampling/tokens/top_p"},
    "sampling/tokens/flat": {"sampling/tokens/near", "sampling/tokens/window"},
    "sampling/tokens/on_chip": {"sampling/tokens"},
    "sampling/tokens/top_p": {"sampling/tokens/window"},
    "sampling/tokens/stream": {"sampling/tokens"},
    "sampling/tokens/drafts": {"sampling/tokens"},
    "sampling/products": {"sampling/blocks"},
    "sampling": {"sampling/slots", "sampling/gamma", "sampling/logits", "sampling/products", "sampling/dynamic",
                 "sampling/without_replacement", "sampling/resample", "sampling/tokens/drafts"},
    "lda/corpus": set(),
    "lda/corpus/phrases": {"lda/corpus"},
    "lda/model": {"lda/corpus"},
    "lda/evaluation/fold_in": set(),
    "lda/evaluation": {"lda/model", "lda/evaluation/fold_in"},
    "lda/visualization": {"lda/model"},
    "lda/visualization/report": {"lda/visualization"},
    "lda/visualization/choose": {"lda/visualization/report"},
    "lda/io/bytes": {"lda/model"},
    "lda/io/format": {"lda/io/bytes"},
    "lda/io/parts": {"lda/io/model"},
    "lda/io/text": {"lda/io/format", "lda/io/parts", "lda/corpus/phrases"},
    "lda/io/counts": {"lda/io/format", "lda/io/parts"},
    "lda/io/corpus_file": {"lda/io/format"},
    "lda/io/model": {"lda/io/bytes"},
    "lda/io/ranks": {"lda/io/corpus_file", "lda/io/model"},
    "lda/editing": {"lda/io/model"},
    "lda/io": {"lda/io/text", "lda/io/counts", "lda/io/corpus_file", "lda/io/ranks"},
    "lda/training": {"lda/evaluation"},
    "lda/training/memory": {"lda/training"},
    "lda/training/parameters": {"lda/training/memory"},
    "lda/training/log_joint": {"lda/training/parameters", "lda/evaluation"},
    "lda/training/priors": {"lda/training/log_joint"},
    "lda/training/dense": {"lda/training/parameters"},
    "lda/training/sequential": {"lda/training/dense", "lda/training/sparse"},
    "lda/training/sequential/targets": {"lda/training/sequential"},
    "lda/training/sparse": {"lda/training/parameters"},
    "lda/training/sparse/parallel/by_word": {"lda/training/sparse"},
    "lda/training/sparse/parallel": {"lda/training/sparse/parallel/by_word", "lda/training/priors"},
    "lda/training/sparse/parallel/ranges": {"lda/training/sparse/parallel"},
    "lda/training/sparse/parallel/in_lanes": {"lda/training/sparse/parallel"},
    "lda/training/sparse/by_document": {"lda/training/sparse/parallel", "lda/training/dense"},
    "lda/training/sparse/targets": {
        "lda/training/sparse/by_document",
        "lda/training/sparse/parallel/in_lanes",
        "lda/training/sparse/parallel/ranges",
    },
    "lda/training/alias": {"lda/training/parameters"},
    "lda/training/chain": {"lda/training/sequential/targets", "lda/training/sparse/targets", "lda/training/alias"},
    "lda/training/distributed": {"lda/training/chain", "lda/io/model"},
    "lda/training/progressive": {"lda/training/distributed"},
    "lda/training/trainer": {"lda/training/progressive"},
    "lda/training/choose": {"lda/training/trainer"},
    "loops/program": set(),
    "loops/clang": {"loops/program"},
    "loops/access": {"loops/program"},
    "loops/dependence": {"loops/access"},
    "loops/verdict": {"loops/dependence"},
    "loops/report": set(),
    "loops/source": set(),
    "loops/claims": {"loops/source"},
    "loops/emit": {"loops/source", "loops/access"},
    "loops/check": {"loops/clang", "loops/source"},
    "loops": {"loops/clang", "loops/verdict", "loops/report", "loops/claims", "loops/emit", "loops/check"},
    "apps/loopdep": set(),
    "apps/papilio/support": set(),
    "apps/papilio/advice": {"apps/papilio/support"},
    "apps/papilio/phrases": {"apps/papilio/support"},
    "apps/papilio/commands": {"apps/papilio/advice", "apps/papilio/phrases"},
    "apps/papilio/commands/reference": {"apps/papilio/commands"},
    "apps/papilio/commands/choose": {"apps/papilio/commands"},
    "apps/papilio": {"apps/papilio/commands/choose", "apps/papilio/commands/reference"},
}
ROOMED = {room.partition("/")[0] for room in ROOMS}

# Folders whose files are found at a glance have no more than this many.
LARGEST_FOLDER = 40

# Place -> headers of others that it may include; a place is a path's beginning, and places add up.
OTHERS = {
    "src/base/": r"fmt/",
    "src/warp/": r"(imm|xmm|emm|avx2?|x86)intrin\.h|arm_neon\.h",
    "src/execution/": r"fmt/|tbb/|oneapi/|cpuid\.h|sched\.h|unistd\.h|pthread\.h|sys/mman\.h|mpi\.h",
    "src/execution/ranks/": r"dlfcn\.h",  # NCCL, where it is found
    "src/execution/cpu/": r"sanitizer/tsan_interface\.h",
    "src/execution/cuda/": r"cuda(_runtime)?(_api)?\.h",
    "src/sampling/": r"fmt/",
    "src/sampling/tokens/": r"cooperative_groups\.h|cuda_pipeline\.h",
    "src/primitives/": r"fmt/",
    "src/primitives/device/": r"cuda_pipeline_primitives\.h|cub/device/device_radix_sort\.cuh",  # sort_by_key
    "src/lda/": r"fmt/|math\.h",  # math.h: lgamma_r
    "src/lda/training/sparse/parallel/by_word/": r"cub/device/device_radix_sort\.cuh",
    "src/lda/corpus/": r"utf8proc\.h|re2/|unicode/",
    "src/lda/io/": r"nlohmann/|zlib\.h|zstd(_errors)?\.h|xxhash\.h|utf8proc\.h|dirent\.h|fcntl\.h|unistd\.h|sys/(file|mman|random|stat|types)\.h",
    "src/loops/": r"fmt/",
    "src/loops/clang/": r"nlohmann/|fcntl\.h|poll\.h|signal\.h|spawn\.h|unistd\.h|sys/(resource|wait)\.h",
    "src/loops/dependence/": r"isl/",
    "src/loops/report/": r"nlohmann/",
    "apps/": r"fmt/|CLI/|nlohmann/|fcntl\.h|signal\.h|unistd\.h|sys/(ioctl|stat|types)\.h",
    "benchmarks/": r"fmt/|benchmark/",
    "benchmarks/cuda/": r"cub/(cub|device/device_segmented_scan)\.cuh|dlfcn\.h",  # the peers; cuSPARSE, where it is found
    "examples/": r"fmt/|cublas_v2\.h",
    "python/": r"nanobind/",
}
# File -> the headers of a floor that this file of a face may include.
PEEPHOLES = {
    "benchmarks/rivals.h": ("execution/cpu/simd_targets.h",),  # the generated list: rivals are compiled for each, too
    "benchmarks/cuda/gamma.cpp": ("lda/training/parameters/dirichlet_cuda.h",),  # likewise for those that draw theta and phi
    "benchmarks/cuda/trainer_draws.cpp": ("lda/training/dense/parallel_cuda.h",),  # the trainer's kernel, measured alone
    "benchmarks/cuda/papers_application.cpp": ("lda/training/parameters/dirichlet_cuda.h", "lda/training/parameters/topic_counts_cuda.h"),
    "benchmarks/cuda/as_printed.h": ("collective/transpose.h", "random/uniform_lanes.h", "warp/warp.h"),  # the papers' listings
    "benchmarks/cuda/as_printed.cu": ("warp/cuda_warp.cuh",),
    "benchmarks/cuda/sparse_sweeps.cpp": ("lda/training/chain/chain_cuda.h",),  # sparse sweeps and what they consist of
    "benchmarks/cuda/whole/whole_run.cpp": ("lda/training/chain/chain_cuda.h",),  # the steps of a chain's start
    "benchmarks/cuda/evaluation.cpp": ("lda/training/chain/chain_cuda.h", "lda/model/optimize_priors.h"),  # what is between sweeps
}
# Slow or far-reaching headers: in a source file, never in a header.
HEAVY_AT_HOME = {"apps/papilio/support/option_types.h": "CLI/"}  # headers whose business a heavy one is
HEAVY = r"mpi\.h|nlohmann/|CLI/|tbb/|oneapi/|zlib\.h|zstd(_errors)?\.h|xxhash\.h|utf8proc\.h|re2/|unicode/"

FACES = ("apps", "benchmarks", "examples", "python")
# The second surface, as it is installed: <papilio/warp/...>. Only these show how to write kernels on it.
KERNEL_FLOORS = ("warp", "random", "collective")
KERNEL_FACES = ("benchmarks", "examples")
HEADER_SUFFIXES = {".h", ".cuh"}
SUFFIXES = HEADER_SUFFIXES | {".cpp", ".cu"}

INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
TYPE = re.compile(r"(?m)^(?:struct|class|enum(?: class)?|union)(?: alignas\(\w+\))? (\w+)(?: final)?(?: :[^;{]*)? \{")
STANDARD = re.compile(r"[a-z_0-9]+$")  # <vector>, <cstdint>: no dot, no folder
BACKEND = re.compile(r"\s*#\s*(?:if|ifdef|ifndef|elif)\b.*(?:CUDA|HIP|SSE|AVX|FMA|NEON|ARM|aarch64|x86|amd64|PAPILIO_)")
ENVIRONMENT = re.compile(r"\b(?:getenv|secure_getenv|setenv|putenv|environ)\b")
PRINTING = re.compile(
    r"\bstd::(?:cout|cerr|clog|print|println)\b|\bfmt::print(?:ln)?\b|(?<![\w.>])(?:std::)?v?f?(?:printf|puts|putchar)\s*\("
)
ENVIRONMENT_ALLOWED = "src/execution/"


@functools.cache
def rooms_below(room):
    """The rooms that a room may include, besides itself."""
    return frozenset(ROOMS[room]).union(*(rooms_below(below) for below in ROOMS[room]))


def room_of(path):
    """The room of a file or folder, "lda/model/state.h" or "apps/papilio/main.cpp"; None for a folder that is none."""
    room = path.rpartition("/")[0]
    return room if room in ROOMS else None


def room_include_fault(place, include):
    """What is wrong with an include of one room from another, both as room_of wants them, or None."""
    room, other = room_of(place), room_of(include)
    if room is None:
        return None  # said once of the file
    if other is None:
        return f"{include.rpartition('/')[0]} is no room"
    if other == room or other in rooms_below(room):
        return None
    return f"{room} may not include {other}"


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
        if top != name:
            return None if top in BELOW[name] else f"{name} may not include {top}"
        return room_include_fault(path.removeprefix("src/"), include) if name in ROOMED else None
    if path.startswith("include/"):
        return f"a public header may not include {include}"
    if top in BELOW and include not in PEEPHOLES.get(path, ()):
        return f"{name} may not include {top}; faces see only papilio/"
    if path.startswith("apps/papilio/"):  # a face's own header
        return room_include_fault(path, f"apps/papilio/{include}")
    return None


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
    """`text` with comments and raw strings (programs that we write) blanked, its lines kept."""
    text = re.sub(r'\bR"(\w*)\(.*?\)\1"', lambda raw: '""' + "\n" * raw[0].count("\n"), text, flags=re.DOTALL)
    text = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.DOTALL)
    return re.sub(r"(?m)(?<!:)//.*$", "", text)


def strongly_connected(graph):
    """The circles of a graph {node: set of nodes}: sets of more than one node that reach each other, sorted."""
    index, low, stack, circles = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == index[node]:
            begin = stack.index(node)
            if len(stack) - begin > 1:
                circles.append(sorted(stack[begin:]))
            del stack[begin:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return circles


def circle_faults(texts):
    """Headers that include each other."""
    graph = {}
    for path, text in texts.items():
        base = "src/" if path.startswith("src/") else "apps/papilio/" if path.startswith("apps/papilio/") else None
        if base and pathlib.PurePosixPath(path).suffix in HEADER_SUFFIXES:
            includes = (INCLUDE.match(line) for line in text.splitlines())
            graph[path] = {base + include[1] for include in includes if include and include[1]} & texts.keys()
    for circle in strongly_connected(graph):
        yield f"{circle[0]}:1: headers include each other: {', '.join(circle)}"


def type_faults(texts):
    """Types of one name, as seen from a namespace, in two files of src/lda."""
    first = {}
    for path, text in texts.items():
        if not path.startswith("src/lda/"):
            continue
        for found in TYPE.finditer(text):
            if first.setdefault(found[1], path) != path:
                line = text.count("\n", 0, found.start()) + 1
                yield f"{path}:{line}: {found[1]} is the name of a type of {first[found[1]]} too"


def folder_faults(texts):
    """Folders with too many files."""
    folders = {}
    for path in texts:
        folders.setdefault(path.rpartition("/")[0], []).append(path)
    for folder, files in folders.items():
        if len(files) > LARGEST_FOLDER:
            yield f"{folder}:1: {len(files)} files in one folder, expected at most {LARGEST_FOLDER}"


def check(root):
    """Returns a message for every fault below `root`, in order of path and line."""
    on_offer = headers_on_offer(root)
    messages, texts = [], {}
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
            place = path.removeprefix("src/")
            if place.partition("/")[0] in ROOMED and room_of(place) is None:
                messages.append(f"{path}:1: {place.rpartition('/')[0]} is no room")
            texts[path] = without_comments(file.read_text())
            for number, line in enumerate(texts[path].splitlines(), 1):
                faults = line_faults(path, name, line, on_offer)
                messages += [f"{path}:{number}: {fault}" for fault in faults if fault]
    messages += [*circle_faults(texts), *type_faults(texts), *folder_faults(texts)]
    return messages


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1])
    messages = check(root)
    print("\n".join(messages), end="\n" if messages else "")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
