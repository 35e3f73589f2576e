#!/usr/bin/env python3
"""Verdicts on loops, compared with Polly's and GCC's: python3 benchmarks/loopdep_peers.py path/to/loopdep [-o PAGE.md]

For each loop of tests/loops/kernels, notes and own: what loopdep says, and what it takes; how many loops of the
function Polly models, and how many of these it knows to be parallel; which loops GCC makes parallel. Needs opt-14 and
clang-14 (Debian: clang, llvm-14) and gcc. Polly 14 models a loop where all bounds, conditions and subscripts are
affine; it is asked for all it has, profitable or not. Prints Markdown; the same for the same versions.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("kernels", "notes", "own")


def output_of(*command):
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=120, check=True).stdout


def polly(path, folder):
    """Function -> (loops that Polly models, those of them that it knows to be parallel)."""
    code = pathlib.Path(folder) / "code.ll"
    output_of("clang-14", "-O1", "-w", "-std=gnu17", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm", path, "-o", code)
    text = output_of("opt-14", "-enable-new-pm=0", "-polly-canonicalize", "-polly-ast", "-polly-ast-detect-parallel",
                     "-polly-process-unprofitable", "-analyze", code)
    found = collections.defaultdict(lambda: [0, 0])
    for block in re.split(r"(?=^:: isl ast :: )", text, flags=re.MULTILINE)[1:]:
        counts = found[re.match(r":: isl ast :: (\S+)", block)[1]]
        body = block.partition("Printing analysis")[0]
        counts[0] += len(re.findall(r"^\s*for \(", body, re.MULTILINE))
        counts[1] += len(re.findall(r"^\s*#pragma (?:known-parallel|omp parallel for)", body, re.MULTILINE))
    return found


def gcc(path):
    """The lines of the loops that GCC makes parallel."""
    text = output_of("gcc", "-std=gnu17", "-w", "-O3", "-ftree-parallelize-loops=4", "-floop-parallelize-all",
                     "-fopt-info-loop-all", "-c", path, "-o", "/dev/null")
    return {int(line) for line in re.findall(r":(\d+):\d+: optimized: parallelizing (?:outer|inner) loop", text)}


def said(loop):
    words = loop["verdict"].replace("_", " ")
    takes = [f"`{c['kind']}({c['variable']})`" for c in loop["clauses"]]
    takes += [f"`{t['kind']}`" for t in loop["transformations"]
              if t["kind"] in ("distribute", "privatize") and "parallel" not in loop["verdict"]]
    return words + (": " + ", ".join(takes) if takes else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("loopdep", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path)
    arguments = parser.parse_args()
    loopdep = arguments.loopdep.resolve()
    rows, totals = [], collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(path for name in FOLDERS for path in (ROOT / "tests/loops" / name).glob("*.c")):
            loops = json.loads(subprocess.run([loopdep, path, "--json"], stdout=subprocess.PIPE, timeout=120).stdout)["loops"]
            models, lines = polly(path, folder), gcc(path)
            shown = set()
            for loop in loops:
                function = loop["function"]
                modelled, parallel = models[function] if function in models else (0, 0)
                by_gcc = loop["line"] in lines
                totals["loops"] += 1
                totals["loopdep"] += "parallel" in loop["verdict"] or loop["verdict"] == "scan"
                totals["with help"] += loop["verdict"] in ("sequential", "not_proven") and any(
                    t["kind"] in ("distribute", "privatize") for t in loop["transformations"])
                totals["gcc"] += by_gcc
                if function not in shown:
                    totals["modelled"] += modelled
                    totals["polly"] += parallel
                counts = "" if function in shown else f"{parallel} of {modelled}" if modelled else "no model"
                shown.add(function)
                indent = "&nbsp;&nbsp;" * loop["depth"]
                rows.append(f"| {path.parent.name}/{path.name}:{loop['line']} | {indent}{function}, {loop['variable']} | "
                            f"{said(loop)} | {counts} | {'parallel' if by_gcc else ''} |")
    versions = [output_of("opt-14", "--version").splitlines()[0].replace("Debian ", ""), output_of("gcc", "--version").splitlines()[0]]
    page = [
        "# Verdicts on loops, compared with Polly's and GCC's", "",
        f"Made by `python3 benchmarks/loopdep_peers.py build/release/apps/loopdep/loopdep`\nwith {versions[0]} and {versions[1]}.",
        "", "Polly: how many loops of the function it models, and how many of these it knows to be parallel; it may have",
        "cut a loop into several, and it does not say which line one comes from. GCC: whether",
        "`-O3 -ftree-parallelize-loops=4 -floop-parallelize-all` makes the loop of this line parallel; it takes one loop",
        "of a nest. Neither names a condition, a copy, a scan, or an array that must be expanded.", "",
        f"Of {totals['loops']} loops: loopdep {totals['loopdep']} parallel (by clauses and conditions) or scans, "
        f"{totals['with help']} more after distribution or privatisation;",
        f"Polly models {totals['modelled']} and knows {totals['polly']} to be parallel; GCC makes {totals['gcc']} parallel.", "",
        "| loop | function, variable | loopdep | Polly | GCC |", "| --- | --- | --- | ---: | --- |", *rows]
    text = "\n".join(page) + "\n"
    if arguments.output:
        arguments.output.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
