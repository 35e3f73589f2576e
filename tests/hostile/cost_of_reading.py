"""Cost against size of every reader: python3 cost_of_reading.py path/to/papilio [--large] [FAMILY...].

Each family (cost_families.py) is read at n and at 8 n; with --large n is 4 times as large, and it is read at 2 n and
4 n too, twice each. Time is user and system time of the process less that of one that reads nothing, the least of the
runs; memory is the peak less that of such a process.

The bounds are time(8 n) <= 18 time(n) and memory(8 n) <= 12 memory(n). What is linear gives 8. What grows as n log n
gives 9 to 10 at these sizes; where a table leaves the processor's caches on the way, an entry may cost twice as much:
16 to 18. Vectors that grow by doubling give up to 8 * 3/2 in memory. What is quadratic gives 64, and half of it
linear at 8 n, still 23. So that time(n) is no noise, n is doubled until it is at least LEAST_SECONDS. A family that
exceeds a bound is measured again, up to RUNS times, before it counts: the least of more runs is nearer to the cost
itself, so that a busy machine does not fail what is linear, nor pass what is not.

A reader that is quadratic on purpose is measured by the same means; the test fails unless it is flagged.
"""

import os
import sys
import tempfile

from cost_families import Family, families, joined
from measure import Runner, fast_folder, write

MOST_TIME, MOST_MEMORY = 18, 12
LEAST_SECONDS = 0.006
OWN_BYTES = 1 << 20  # of malloc and the threads
RUNS = 12
LEAST_FAMILIES = 80

# Looks each word up in a list, from its beginning.
QUADRATIC = "seen = []\nfor word in open('x.txt').read().split():\n    if word not in seen: seen.append(word)\n"


class Measurement:
    """A family's cost at multiples of n, each the least so far."""

    def __init__(self, runner, program, family, root, base):
        self.runner, self.program, self.family, self.root, self.base = runner, program, family, root, base
        self.cost = {}

    def read(self, n):
        family = self.family
        with tempfile.TemporaryDirectory(dir=self.root) as folder:
            write(family.make(n), folder)
            for command in family.prepare:
                prepared = self.runner.run([*self.program, *command], folder)
                if prepared["code"] != 0:
                    raise RuntimeError(f"{family.name}: {' '.join(command)}: {prepared['error'][:300]}")
            result = self.runner.run([*self.program, *family.command], folder)
        if family.code is not None and result["code"] != family.code or result["code"] < 0:
            raise RuntimeError(f"{family.name}: exit code {result['code']}: {result['error'][:300]}")
        seconds = max(result["seconds"] - self.base["seconds"], 1e-4)
        peak = max(result["peak"] - self.base["peak"], 0)
        before = self.cost.get(n, (seconds, peak))
        self.cost[n] = min(before[0], seconds), min(before[1], peak)
        return self.cost[n]

    def start(self, factor):
        """The n from which to measure."""
        n = self.family.n
        while not self.family.cheap and self.read(n)[0] < LEAST_SECONDS:
            if n >= 1024 * self.family.n:
                raise RuntimeError(f"{self.family.name}: too fast to be measured")
            n *= 2
        return n * factor

    def ratios(self, n):
        small, large = self.cost[n], self.cost[8 * n]
        least = LEAST_SECONDS if self.family.cheap else small[0]
        return large[0] / max(small[0], least), large[1] / (small[1] + OWN_BYTES)

    def is_linear(self, n):
        time, memory = self.ratios(n)
        return time <= MOST_TIME and memory <= MOST_MEMORY


def measure(measurement, large):
    """The family's line of the report, and whether it is linear."""
    n = measurement.start(4 if large else 1)
    for multiple in (1, 2, 4, 8) if large else (1, 8):
        for _ in range(2 if large else n * multiple not in measurement.cost):
            measurement.read(n * multiple)
    for _ in range(RUNS - 1):
        if measurement.is_linear(n):
            break
        measurement.read(n)
        measurement.read(8 * n)
    time, memory = measurement.ratios(n)
    steps = ", ".join(f"{at // n}: {1000 * seconds:.0f} ms {peak / 2**20:.1f} MiB"
                      for at, (seconds, peak) in sorted(measurement.cost.items()) if at >= n)
    line = f"{measurement.family.name}: time x {time:.1f}, memory x {memory:.1f} (n = {n}; {steps})"
    return line, measurement.is_linear(n), time


def control(runner, root, base):
    family = Family("quadratic on purpose", 8, lambda n: {"x.txt": joined(100 * n)}, ["-c", QUADRATIC])
    return Measurement(runner, [sys.executable, "-I", "-S"], family, root, base)


def main(program, large, only):
    runner = Runner()
    chosen = [family for family in families() if not only or any(part in family.name for part in only)]
    failures, worst = [], (0, "")
    with tempfile.TemporaryDirectory(dir=fast_folder()) as root:
        write({"tiny.txt": b"cats and dogs\n"}, root)
        tiny = [program, "convert", "tiny.txt", "--to", "text", "-o", os.devnull, "--force"]
        runs = [runner.run(tiny, root) for _ in range(5)]
        base = {what: min(run[what] for run in runs) for what in ("seconds", "peak")}
        least = runner.run([program, "--version"], root)  # some commands read no text at all
        base = {what: min(base[what], least[what]) for what in base}
        line, linear, _ = measure(control(runner, root, base), False)
        print(line)
        if linear:
            failures.append("the quadratic reader was not flagged")
        for family in chosen:
            try:
                line, linear, time = measure(Measurement(runner, [program], family, root, base), large)
            except RuntimeError as error:
                failures.append(str(error))
                continue
            print(line, flush=True)
            worst = max(worst, (time, family.name))
            if not linear:
                failures.append("not linear: " + line)
    runner.close()
    print("\n".join(["", *failures]))
    print(f"{len(chosen)} families; the largest growth of time at 8 times the size is {worst[0]:.1f} ({worst[1]}); "
          f"{len(failures)} failed")
    return 1 if failures or (not only and len(chosen) < LEAST_FAMILIES) else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), "--large" in sys.argv, [a for a in sys.argv[2:] if a[0] != "-"]))
