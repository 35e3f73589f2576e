"""Cost against size of every reader: python3 cost_of_reading.py path/to/papilio [--large] [FAMILY...].

Each family (cost_families.py) is read at n and at 8 n; with --large n is 4 times as large, and it is read at 2 n and
4 n too, twice each. Time is user and system time of the process less that of one that reads nothing, the least of the
runs; memory is the peak less that of such a process.

The bounds are time(8 n) <= 18 time(n) and memory(8 n) <= 12 memory(n). What is linear gives 8. What grows as n log n
gives 9 to 10 at these sizes; where a table leaves the processor's caches on the way, an entry may cost twice as much:
16 to 18. Vectors that grow by doubling give up to 8 * 3/2 in memory. What is quadratic gives 64; where two thirds of
the time at n are linear, it gives 27, and from 4 n on, 45. So that time(n) is no noise, n is doubled until it is at
least LEAST_SECONDS.

A family that exceeds a bound is measured again, and the base with it, up to RUNS times, before it counts: the least of
more runs is nearer to the cost itself, so that a busy machine does not fail what is linear, nor pass what is not. A
family that still exceeds the bound of time, by less than double, is held to the same bound from LARGER n on. There a
table that left the caches between n and 8 n is outside of them at both ends, and what grows faster than linear exceeds
the bound by more. The bound of memory must hold at n.

Two readers that are quadratic on purpose, one of them in a third of its time at n, are measured by the same means; the
test fails unless both are flagged.
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
SURELY = 2 * MOST_TIME
LARGER, LARGER_RUNS = 4, 6
LEAST_FAMILIES = 80

# Looks each word up in a list, from its beginning; and before that, if asked, in one of so many others: with 800 words,
# 800 others take twice as long.
QUADRATIC = """
import sys
others, seen = ["a"] * int(sys.argv[1]), []
for word in open("x.txt").read().split():
    if word not in others and word not in seen:
        seen.append(word)
"""


class Least:
    """The least of what runs took."""

    def __init__(self):
        self.seconds, self.peak = float("inf"), float("inf")

    def add(self, result):
        self.seconds, self.peak = min(self.seconds, result["seconds"]), min(self.peak, result["peak"])


class Base:
    """What processes take that read nothing: of each command, and of all of them."""

    def __init__(self, runner, commands, root):
        self.runner, self.commands, self.root, self.least = runner, commands, root, Least()
        for _ in range(5):
            self.read()

    def read(self):
        for command in self.commands:
            self.least.add(self.runner.run(command, self.root))


class Measurement:
    """A family's cost at multiples of n, each the least so far."""

    def __init__(self, runner, program, family, root, base):
        self.runner, self.program, self.family, self.root, self.base = runner, program, family, root, base
        self.least = {}

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
        self.least.setdefault(n, Least()).add(result)

    def cost(self, n):
        """Seconds and bytes at n, without those of the base."""
        least, base = self.least[n], self.base.least
        return max(least.seconds - base.seconds, 1e-4), max(least.peak - base.peak, 0)

    def start(self, factor):
        """The n from which to measure."""
        n = self.family.n
        self.read(n)
        while not self.family.cheap and self.cost(n)[0] < LEAST_SECONDS:
            if n >= 1024 * self.family.n:
                raise RuntimeError(f"{self.family.name}: too fast to be measured")
            n *= 2
            self.read(n)
        return n * factor

    def ratios(self, n):
        small, large = self.cost(n), self.cost(8 * n)
        least = LEAST_SECONDS if self.family.cheap else small[0]
        return large[0] / max(small[0], least), large[1] / (small[1] + OWN_BYTES)

    def bounds_hold(self, n):
        time, memory = self.ratios(n)
        return time <= MOST_TIME, memory <= MOST_MEMORY

    def is_linear(self, n, runs, give_up=float("inf")):
        """Whether the bounds of time and of memory hold, after so many runs at most; fewer if time grows so much."""
        for run in range(runs):
            if run > 0:
                self.base.read()
            for multiple in (1, 8):
                if run > 0 or n * multiple not in self.least:
                    self.read(n * multiple)
            if all(self.bounds_hold(n)) or self.ratios(n)[0] >= give_up:
                break
        return self.bounds_hold(n)


def measure(measurement, large):
    """The family's line of the report, and whether it is linear."""
    n = measurement.start(4 if large else 1)
    if large:
        for multiple in (1, 2, 4, 8, 1, 2, 4, 8):
            measurement.read(n * multiple)
    time_holds, memory_holds = measurement.is_linear(n, RUNS)
    if not time_holds and measurement.ratios(n)[0] < SURELY:
        n *= LARGER
        time_holds, _ = measurement.is_linear(n, LARGER_RUNS, SURELY)
    time, memory = measurement.ratios(n)
    costs = ((at, *measurement.cost(at)) for at in sorted(measurement.least))
    steps = ", ".join(f"{at}: {1000 * seconds:.0f} ms {peak / 2**20:.1f} MiB" for at, seconds, peak in costs)
    line = f"{measurement.family.name}: time x {time:.1f}, memory x {memory:.1f} (n = {n}; {steps})"
    return line, time_holds and memory_holds, time


def control(runner, root, others):
    python = [sys.executable, "-I", "-S"]
    name = f"quadratic on purpose, {others} others"
    family = Family(name, 16, lambda n: {"x.txt": joined(100 * n)}, ["-c", QUADRATIC, str(others)])
    return Measurement(runner, python, family, root, Base(runner, [[*python, "-c", "import sys"]], root))


def main(program, large, only):
    runner = Runner()
    chosen = [family for family in families() if not only or any(part in family.name for part in only)]
    failures, worst = [], (0, "")
    with tempfile.TemporaryDirectory(dir=fast_folder()) as root:
        write({"tiny.txt": b"cats and dogs\n"}, root)
        tiny = [program, "convert", "tiny.txt", "--to", "text", "-o", os.devnull, "--force"]
        base = Base(runner, [tiny, [program, "--version"]], root)  # some commands read no text at all
        for others in (0, 800):
            measurement = control(runner, root, others)
            for _ in range(5):  # one reading at n that a busy machine held up would hide the growth
                measurement.read(measurement.family.n)
            line, linear, _ = measure(measurement, False)
            print(line)
            if linear:
                failures.append("not flagged: " + line)
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
