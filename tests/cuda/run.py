#!/usr/bin/env python3
"""Runs the GPU tests of a build; the last line is "N passed, N failed[, N skipped]".

    tests/cuda/run.py FOLDER [--results DIR] [--filter PATTERN] [--shards N] [--devices N] [--sanitize] [--list]
    tests/cuda/run.py FOLDER --pack

FOLDER is a build folder, or its gpu_tests/ copied to another machine; this script
needs nothing but Python 3. A crash, a program that is missing and a machine
without a CUDA device count as failures.

--sanitize  also runs the test cases with "Smoke" in their name under compute-sanitizer,
            by memcheck, racecheck and initcheck; each tool and program is one test
--shards    runs N parts of the test cases side by side, and then those alone that look at how much of the
            device's memory is free
--devices   how many GPUs the tests of several may use; without it these are skipped
--pack      copies the shared libraries of the programs to gpu_tests/lib, from where
            they are loaded on a machine that lacks them
--list      names the test cases; needs no device
"""

import argparse
import concurrent.futures
import ctypes
import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

TOOLS = ("memcheck", "racecheck", "initcheck")
SMOKE = "*Smoke*"
# Cases that look at how much of the device's memory is free: others beside them would change it.
ALONE = ("*AllocatesNothing*", "*NeitherWaitsNorAllocates*", "*MemoryThatIsShort*")
TOOL_FAULT = 86  # exit status of compute-sanitizer where its tool found something
OF_THE_SYSTEM = re.compile(r"(ld-linux.*|libc|libm|libdl|librt|libpthread)\.so")


class Totals:
    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []

    def add(self, name, passed, reason=""):
        if passed:
            self.passed += 1
        else:
            self.failed.append(f"{name}: {reason}" if reason else name)

    def join(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped


def no_device():
    """Why this machine has no CUDA device, or None where it has one."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "no NVIDIA driver (libcuda.so.1) on this machine"
    count = ctypes.c_int(0)
    error = driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count))
    if error:
        return f"the NVIDIA driver reports error {error}"
    return None if count.value > 0 else "the NVIDIA driver finds no device"


def read_manifest(folder):
    """Pairs of a program and the file that it must print (None for Google Test programs)."""
    pairs = []
    for line in (folder / "manifest.txt").read_text().splitlines():
        if line.strip():
            program, _, expected = line.strip().partition(" ")
            pairs.append((folder / program, folder / expected if expected else None))
    return pairs


def environment(folder):
    """This process's environment, with the libraries that were packed."""
    variables = dict(os.environ)
    if (folder / "lib").is_dir():
        variables["LD_LIBRARY_PATH"] = ":".join(filter(None, [str(folder / "lib"), variables.get("LD_LIBRARY_PATH")]))
    return variables


def died(status):
    return f"died of signal {-status}" if status < 0 else f"exit status {status}"


def read_report(path, program, totals):
    """Adds the cases of a Google Test report. Returns whether there is a whole one."""
    try:
        cases = list(ElementTree.parse(path).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        return False
    for case in cases:
        name = f"{program}: {case.get('classname')}.{case.get('name')}"
        if case.find("failure") is not None or case.find("error") is not None:
            totals.failed.append(name)
        elif case.find("skipped") is not None or case.get("result") == "skipped":
            totals.skipped.append(name)
        elif case.get("status") == "run":
            totals.passed += 1
    return True


def run_cases(program, pattern, folder, results, totals, shard=None):
    """Runs a Google Test program; with `shard` (index, count) a part of its cases, whose output comes when it ends."""
    part = program.name if shard is None else f"{program.name}.{shard[0]}"
    report = results / f"{part}.xml"
    report.unlink(missing_ok=True)
    command = [program, f"--gtest_output=xml:{report}", f"--gtest_filter={pattern}", "--gtest_brief=1"]
    variables = environment(folder)
    if shard is None:
        status = subprocess.run(command, env=variables).returncode
    else:
        variables.update(GTEST_SHARD_INDEX=str(shard[0]), GTEST_TOTAL_SHARDS=str(shard[1]))
        done = subprocess.run(command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace")
        status = done.returncode
        print(f"-- {program.name}, part {shard[0] + 1} of {shard[1]}\n{done.stdout}", end="", flush=True)
    failed_before = len(totals.failed)
    complete = read_report(report, program.name, totals)
    if not complete:
        totals.failed.append(f"{program.name}: {died(status)}, no report")
    elif status != 0 and len(totals.failed) == failed_before:
        totals.failed.append(f"{program.name}: {died(status)}")


def run_shards(programs, arguments, folder, results, totals):
    """Runs parts of Google Test programs side by side, then the cases that are to be alone."""
    pattern = arguments.filter + (":" if "-" in arguments.filter else "-") + ":".join(ALONE)

    def run_part(program, index):
        own = Totals()
        run_cases(program, pattern, folder, results, own, (index, arguments.shards))
        return own

    with concurrent.futures.ThreadPoolExecutor(arguments.shards) as workers:
        parts = [workers.submit(run_part, program, index) for program in programs for index in range(arguments.shards)]
        for part in parts:
            totals.join(part.result())
    for program in programs:
        alone = [case for case in list_cases(program, arguments.filter, folder) or ()
                 if any(fnmatch.fnmatchcase(case, name) for name in ALONE)]
        if alone:
            print(f"-- {program.name}, alone", flush=True)
            run_cases(program, ":".join(alone), folder, results, totals)


def run_output(program, expected, folder, totals):
    """Runs a program that must print a file."""
    done = subprocess.run([program], env=environment(folder), stdout=subprocess.PIPE, text=True, errors="replace")
    if done.returncode != 0:
        print(done.stdout)
        totals.add(program.name, False, died(done.returncode))
        return
    same = done.stdout == expected.read_text()
    if not same:
        print(f"{program.name} printed\n{done.stdout}but {expected.name} holds\n{expected.read_text()}")
    totals.add(program.name, same, f"did not print {expected.name}")


def list_cases(program, pattern, folder):
    """The test cases of a Google Test program that match, or None where it does not even list them."""
    done = subprocess.run([program, "--gtest_list_tests", f"--gtest_filter={pattern}"], env=environment(folder),
                          stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return None
    suite, cases = "", []
    for line in done.stdout.splitlines():
        text = line.partition("#")[0].rstrip()
        if text.startswith(" "):
            cases.append(suite + text.strip())
        elif text.endswith("."):
            suite = text
    return cases


def find_sanitizer():
    return shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin")


def run_sanitizer(programs, folder, results, totals):
    sanitizer = find_sanitizer()
    if sanitizer is None:
        totals.failed.append("compute-sanitizer: not found in PATH or /usr/local/cuda/bin")
        return
    ran = 0
    for program in programs:
        if not list_cases(program, SMOKE, folder):
            continue
        ran += 1
        for tool in TOOLS:
            name = f"{tool}: {program.name}"
            print(f"-- {name}", flush=True)
            log = results / f"{program.name}.{tool}.log"
            command = [sanitizer, "--tool", tool, "--error-exitcode", str(TOOL_FAULT), "--log-file", log,
                       program, f"--gtest_filter={SMOKE}", "--gtest_brief=1"]
            status = subprocess.run(command, env=environment(folder)).returncode
            text = log.read_text(errors="replace") if log.exists() else ""
            said = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: (.*)", text)
            clean = status == 0 and bool(said) and all(re.match(r"0 (errors|hazards)", line) for line in said)
            if not clean:
                print("\n".join(text.splitlines()[:60]))
            totals.add(name, clean, said[-1] if said and status in (0, TOOL_FAULT) else died(status))
    if ran == 0:
        totals.failed.append(f"compute-sanitizer: no program has a case {SMOKE}")


def pack(programs, folder):
    """Copies the libraries that the programs load, those of the C library left out."""
    target = folder / "lib"
    target.mkdir(exist_ok=True)
    for program in programs:
        listing = subprocess.run(["ldd", program], check=True, stdout=subprocess.PIPE, text=True).stdout
        for path in re.findall(r"=> (/\S+)", listing):
            if not OF_THE_SYSTEM.match(pathlib.Path(path).name):
                shutil.copy(path, target)
    print(f"{len(list(target.iterdir()))} libraries in {target}")


def run_all(pairs, arguments, folder, totals):
    absence = no_device()
    if absence:
        totals.failed.append(f"no CUDA device: {absence}")
        return
    results = pathlib.Path(arguments.results or folder / "results").resolve()
    results.mkdir(parents=True, exist_ok=True)
    in_parts = []
    for program, expected in pairs:
        if arguments.shards == 1 or expected is not None:
            print(f"-- {program.name}", flush=True)
        if not os.access(program, os.X_OK):
            totals.failed.append(f"{program.name}: not built")
        elif expected is None and arguments.shards > 1:
            in_parts.append(program)
        elif expected is None:
            run_cases(program, arguments.filter, folder, results, totals)
        elif arguments.filter == "*":
            run_output(program, expected, folder, totals)
    run_shards(in_parts, arguments, folder, results, totals)
    if arguments.sanitize:
        run_sanitizer([program for program, expected in pairs if expected is None and os.access(program, os.X_OK)],
                      folder, results, totals)


def list_all(pairs, folder):
    """Names every case. Fails where a program cannot even do that."""
    status = 0
    for program, expected in pairs:
        cases = list_cases(program, "*", folder) if expected is None and os.access(program, os.X_OK) else []
        if not os.access(program, os.X_OK) or cases is None or (expected is None and not cases):
            print(f"{program.name}: not built, or does not list its cases")
            status = 1
            continue
        print("\n".join(f"{program.name}: {case}" for case in cases) if cases else program.name)
    return status


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--results", help="where reports and logs go; gpu_tests/results unless given")
    parser.add_argument("--filter", default="*", help="Google Test's filter")
    parser.add_argument("--shards", type=int, default=1, help="how many parts of the test cases run side by side")
    parser.add_argument("--devices", type=int, help="how many GPUs the tests of several may use")
    parser.add_argument("--sanitize", action="store_true")
    parser.add_argument("--pack", action="store_true")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    if arguments.shards < 1:
        parser.error(f"--shards is {arguments.shards}, expected at least 1")
    if arguments.devices:
        os.environ["PAPILIO_TEST_DEVICES"] = str(arguments.devices)
    folder = arguments.folder.resolve()
    if not (folder / "manifest.txt").exists():
        folder = folder / "gpu_tests"
    if not (folder / "manifest.txt").exists():
        print(f"{arguments.folder} holds no gpu_tests/manifest.txt; build the target gpu_tests with -DPAPILIO_CUDA=ON")
        print("0 passed, 1 failed")
        return 1
    pairs = read_manifest(folder)
    if arguments.list:
        return list_all(pairs, folder)
    if arguments.pack:
        return pack([program for program, _ in pairs], folder)

    totals = Totals()
    run_all(pairs, arguments, folder, totals)
    for name in totals.skipped:
        print(f"skipped  {name}")
    for name in totals.failed:
        print(f"FAILED   {name}")
    skipped = f", {len(totals.skipped)} skipped" if totals.skipped else ""
    print(f"{totals.passed} passed, {len(totals.failed)} failed{skipped}")
    return 1 if totals.failed or totals.passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
