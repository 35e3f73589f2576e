"""Random nests do the same when they run as emitted programs: python3 emitted_nests_test.py path/to/loopdep
path/to/loops_oracle_test NESTS [SEED].

The nests are those of the oracle. Each text of 50 is emitted, and compared with the original by --check at 1, 2 and 8
threads. A nest for which no arguments are sound is not checked; at least a third must be.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

AT_ONCE = 50


def checked(loopdep, oracle, seed, folder):
    """How many of a text's functions were checked and found the same, how many not checked; those that differ."""
    path = pathlib.Path(folder) / f"nests_{seed}.c"
    path.write_text(subprocess.run([oracle, "print", str(AT_ONCE), str(seed)], stdout=subprocess.PIPE, text=True,
                                   check=True, timeout=60).stdout)
    done = subprocess.run([loopdep, path, "--check", "--seconds", "120"], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=900)
    if done.returncode not in (0, 2, 3):
        return 0, 0, [done.stdout]
    lines = done.stdout.splitlines()
    same = sum(": the same for " in line for line in lines)
    different = [line for line in lines if ": different: " in line]
    return same, len(lines) - same - len(different), different


def main():
    loopdep, oracle, nests = (*(str(pathlib.Path(p).resolve()) for p in sys.argv[1:3]), int(sys.argv[3]))
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    same, without, different = 0, 0, []
    seeds = range(first, first - (-nests // AT_ONCE))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        for seed, (s, w, d) in zip(seeds, workers.map(lambda seed: checked(loopdep, oracle, seed, folder), seeds)):
            same, without = same + s, without + w
            different += [f"seed {seed}: {line}" for line in d]
    print(f"{same} nests the same, {without} not checked, {len(different)} different")
    print(*different, sep=os.linesep)
    return 1 if different or 2 * same < without else 0


if __name__ == "__main__":
    sys.exit(main())
