"""Runs papilio on every hostile file: python3 hostile_test.py path/to/papilio.

A file that is refused ends with exit code 65, in a second of the CPU, within a
constant bound of memory, with one line on standard error that names the file, a
place in it, what was expected and what was found. PAPILIO_SANITIZED=1 allows for
the time and the address space that sanitizers take.
"""

import os
import re
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from subprocess import DEVNULL, Popen

from make_hostile import write_all

SANITIZED = os.environ.get("PAPILIO_SANITIZED") == "1"
SECONDS = 20 if SANITIZED else 1
# Of address space, whatever the file: more than two threads, a zstd window of 128 MiB
# and the 32 MiB that bombs are allowed take, less than any lie claims.
KIBIBYTES = 512 << 10
LEAST_CASES = 300
LONGEST_COMPLAINT = 1000

PLACE = re.compile(rb":\d+(:\d+)?: |line \d+ of|header|tensor|hash|metadata|byte|member|magic|holds|cut short|column|"
                   rb"checkpoint|file|archive|\.npy")
REASON = re.compile(rb"expected|damaged|ends too early|followed by|longer than|needs more than|does not fit|"
                    rb"does not match|does not follow|cut short|holds no words|must be|fewer|claims|not what|not a |"
                    rb"twice|is missing|cannot be|starts at|nested|has an extent|has data_offsets|already|its number|"
                    rb"has no |differs|is of|belongs to|overlap|are valid|are not read|elements, but|"
                    rb"inflates to more than")


def complaints(case, code, cpu, error):
    """What is wrong with how the command ended."""
    if code < 0:
        yield f"ended by signal {-code}"
    if code != (65 if case["refused"] else 0):
        yield f"exit code {code}"
    if cpu > SECONDS:
        yield f"{cpu:.2f} s of the CPU"
    if not case["refused"]:
        return
    name = os.path.basename(case["file"]).encode() if "folder:" not in case["name"] else b"x"
    lines = error.rstrip(b"\n").split(b"\n")
    if len(lines) != 1 or len(error) > LONGEST_COMPLAINT:
        yield f"{len(lines)} lines, {len(error)} bytes of complaint, expected one line"
    if not error.startswith(b"papilio "):
        yield "a complaint that does not begin with papilio"
    if name not in error:
        yield f"a complaint without the file's name, {name!r}"
    if not PLACE.search(error):
        yield "a complaint without a place"
    if not REASON.search(error):
        yield "a complaint without what was expected or found"
    if case["says"].encode() not in error:
        yield f"a complaint without {case['says']!r}"
    if any(byte < 32 and byte != 10 for byte in error):
        yield "a complaint with control characters"


def run(command, root, case):
    folder = os.path.join(root, case["folder"])
    limit = "" if SANITIZED else f"ulimit -v {KIBIBYTES}; "
    script = f'ulimit -c 0; {limit}cd "$0" && exec "$@"'
    errors = os.path.join(folder, "stderr")
    with open(errors, "wb") as error_file:
        process = Popen(["/bin/sh", "-c", script, folder, command, *case["arguments"]], stdin=DEVNULL, stdout=DEVNULL,
                        stderr=error_file)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    with open(errors, "rb") as error_file:
        error = error_file.read()
    cpu = used.ru_utime + used.ru_stime
    found = list(complaints(case, process.returncode, cpu, error))
    shutil.rmtree(folder)
    return cpu, [f"{case['name']}: {'; '.join(found)}\n    {error[:600].decode(errors='replace')}"] if found else []


def main(command):
    memory = "/dev/shm"
    with tempfile.TemporaryDirectory(dir=memory if os.path.isdir(memory) else None) as root:
        cases = write_all(command, root)
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            results = list(pool.map(lambda case: run(command, root, case), cases))
    failures = [failure for _, found in results for failure in found]
    print("\n".join(failures))
    refused = sum(case["refused"] for case in cases)
    slowest = max(zip((cpu for cpu, _ in results), (case["name"] for case in cases)))
    print(f"{refused} hostile files, {len(cases) - refused} odd ones; slowest: {slowest[0]:.2f} s, {slowest[1]}; "
          f"{sum(cpu for cpu, _ in results):.1f} s of the CPU in all; {len(failures)} failed")
    return 1 if failures or refused < LEAST_CASES else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
