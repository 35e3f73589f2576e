"""Programs that loopdep emits compile without a warning, do what the originals do, and have no data race:
python3 emit_test.py path/to/loopdep COMPILERS [--write].

Each file of notes, kernels and own is emitted, compiled with -Wall -Werror, compared by --check at 1, 2 and 8 threads,
and run under ThreadSanitizer, with gcc's OpenMP on POSIX threads (openmp_by_pthreads.c). What was done with each loop,
and how the comparison went, is compared with emitted.txt. COMPILERS: 1, or 0 to look at the emitted text only.
"""

import concurrent.futures
import difflib
import itertools
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
FILES = sorted(path for folder in ("notes", "kernels", "own", "forms") for path in (HERE / folder).glob("*.c"))
LOOPDEP = ""
COMPILERS = True
WRITE = False
GOLDEN = HERE / "emitted.txt"
TRANSFORMED = [  # kind, what is said of it, files
    ("tile", "in tiles of 5", ["notes/L02.c", "notes/L12.c", "notes/L15.c", "kernels/matrix_product.c",
                               "kernels/gauss_seidel.c"]),
    ("strip_mine", "in strips of 5", ["notes/L02.c", "notes/L14.c", "own/primitives.c"]),
    ("interchange", "interchanged with", ["notes/L02.c", "notes/L12.c", "notes/L15.c", "kernels/matrix_product.c"]),
    ("move_inward", "moved inwards", ["notes/L15.c", "kernels/matrix_product.c"]),
    ("distribute", "distributed into", ["notes/L02.c", "notes/L06.c", "notes/L07.c"]),
]
RACY = """int sum;
void f(int n, const int *a) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) sum += a[i];
}
"""


def run(*command, **options):
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=300, **options)


def is_of_check(line):
    """Whether a line says how a comparison went that is no failure; emission says other things."""
    return ": checked" in line or line.startswith(("not checked: ", "no loop was changed"))


def name_of(path):
    return f"{path.parent.name}/{path.name}"


def side_by_side(work, things):
    """What work makes of each thing, in their order, by as many workers as there are processors."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        return list(workers.map(work, things))


def sound_calls(program, function):
    """Two sets of arguments with which the original ends, and within its arrays, as --check's own program finds."""
    def is_sound(case):
        try:
            return subprocess.run([program, str(function), str(case), str(case), "1"], capture_output=True,
                                  timeout=20).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    sound = list(itertools.islice(filter(is_sound, (1, 5, 0, 2, 3, 4, 6, 7, 8, 9)), 2))
    assert sound, f"{program}: no arguments for function {function}"
    return [(function, case, case, 4) for case in sound]


# Where a pointer leads to the loop's own bound, that changes while the loop runs; and one that leads nowhere.
BOUNDS = """#include <stdio.h>
struct part { int n, shift, *x; };
int size;
void global(int *a) {
  for (int i = 0; i < size; i++) a[i] = 0;
}
void behind(const struct part *p, int *a) {
  for (int i = 0; i < p->n; i++) a[i] = 0;
}
void held(const struct part *p, int *a) {
  for (int i = 0; i < p->n; i++) a[i] = p->x[i];
}
void shifted(int n, const struct part *p, int *restrict a) {
  for (int i = 0; i < n; i++) a[i] = a[i + p->shift];
}
void sometimes(int n, const struct part *p, int *restrict a) {
  for (int i = 0; i < n; i++)
    if (a[i] > 99) a[i] = a[i + p->shift];
}
int main(void) {
  int a[16];
  size = 10;
  global(&size);
  struct part p[8] = {{10, 0, a + 3}, {0}, {0}, {0}, {7, 0, 0}};
  behind(p, &p[0].n);
  printf("%d %d %d %d\\n", size, p[0].n, p[1].n, p[4].n);
  for (int i = 0; i < 16; i++) a[i] = i;
  p[0].n = 9;
  held(p, a + 4);
  shifted(0, 0, a);
  sometimes(16, 0, a);
  for (int i = 0; i < 16; i++) printf("%d ", a[i]);
  return 0;
}
"""


class Threads:
    """A folder in which programs are linked with OpenMP by POSIX threads, under ThreadSanitizer."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        made = run("gcc", "-O1", "-g", "-fsanitize=thread", "-Wall", "-Werror", "-c", HERE / "openmp_by_pthreads.c",
                   "-o", self.folder / "threads.o")
        assert made.returncode == 0, made.stderr

    def reports(self, source, calls, cwd):
        """What ThreadSanitizer says of a program, which is made in cwd, and whether it ended well."""
        program, made_of = pathlib.Path(cwd) / "threads", pathlib.Path(cwd) / "threads_program.o"
        flags = ["-w", "-O1", "-g", "-std=gnu17", "-fno-strict-aliasing"]
        for command in ([*flags, "-fopenmp", "-fsanitize=thread", "-c", source, "-o", made_of],
                        ["-fsanitize=thread", made_of, self.folder / "threads.o", "-lm", "-o", program]):
            made = run("gcc", *command, cwd=cwd)
            assert made.returncode == 0, made.stderr
        text = ""
        environment = {**os.environ, "TSAN_OPTIONS": "atexit_sleep_ms=0:exitcode=66"}
        for arguments in calls:
            done = run(program, *arguments, env=environment)
            if done.returncode != 0:
                text += f"{arguments}: status {done.returncode}\n{done.stderr[:2000]}\n"
        return text


class Emitted(unittest.TestCase):
    maxDiff = None

    def test_files(self):
        lines, failures = [], []
        with tempfile.TemporaryDirectory() as folder:
            threads = Threads(folder) if COMPILERS else None
            found = side_by_side(lambda path: list(self.emitted(path, pathlib.Path(folder), threads, failures)), FILES)
        for path, said in zip(FILES, found):
            lines += [f"{name_of(path)} {line}" for line in said]
        if WRITE:
            GOLDEN.write_text("\n".join(lines) + "\n")
        wanted = GOLDEN.read_text().splitlines()
        if not COMPILERS:
            wanted = [line for line in wanted if not is_of_check(line.split(" ", 1)[1])]
        differences = list(difflib.unified_diff(wanted, lines, "emitted.txt", "found", lineterm=""))
        self.assertEqual(failures, [])
        self.assertEqual(differences, [], "\n".join(differences))
        self.assertGreater(len(FILES), 30)

    def emitted(self, path, folder, threads, failures):
        kept = folder / f"{path.parent.name}_{path.stem}"
        kept.mkdir()
        text = kept / "alone.c"
        done = run(LOOPDEP, path.name, "--emit", "omp", "--explain", "-o", text, cwd=path.parent)
        self.assertEqual(done.returncode, 0, done.stderr)
        yield from done.stderr.splitlines()
        if not COMPILERS:
            return
        for compiler in ("gcc", "clang"):
            made = run(compiler, "-std=gnu17", "-O1", "-fopenmp", "-Wall", "-Werror", "-c", text, "-o", os.devnull)
            if made.returncode != 0:
                failures.append(f"{name_of(path)}: {compiler}: {made.stderr}")
        done = run(LOOPDEP, path.name, "--check", "--keep", kept, cwd=path.parent)
        for line in done.stdout.splitlines():
            # How many sets of arguments are sound is the sanitizers' business, which differs between compilers.
            found = re.sub(r"the same for \d+ sets of arguments, at 1, 2 and 8 threads", "checked", line)
            yield found
            if not is_of_check(found):
                failures.append(f"{name_of(path)}: {line}")
        if not (kept / "emitted_harness.c").exists():
            return
        functions = len(set(re.findall(r"loopdep_call_(\d+)\(void\)", (kept / "emitted_harness.c").read_text())))
        calls = [call for number in range(functions) for call in sound_calls(kept / "sanitized", number)]
        reports = threads.reports("emitted_harness.c", calls, kept)
        if reports:
            failures.append(f"{name_of(path)}: {reports}")

    def test_transformations(self):
        """What --explain offers is written where it is asked for, and does what the original does."""
        def count(one):
            kind, words, name = one
            arguments = ["--transform", kind, "--tile", "5"]
            done = run(LOOPDEP, HERE / name, "--emit", "omp", "--explain", *arguments)
            self.assertEqual(done.returncode, 0, done.stderr)
            if COMPILERS:
                checked = run(LOOPDEP, HERE / name, "--check", *arguments)
                self.assertEqual(checked.returncode, 0, f"{name} {kind}: {checked.stdout}")
            return sum(words in line for line in done.stderr.splitlines())

        cases = [(kind, words, name) for kind, words, names in TRANSFORMED for name in names]
        made = {}
        for (kind, _, _), found in zip(cases, side_by_side(count, cases)):
            made[kind] = made.get(kind, 0) + found
        self.assertEqual(made, {"tile": 8, "strip_mine": 6, "interchange": 5, "move_inward": 2, "distribute": 3})

    def test_bounds_in_memory(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, arguments in (("original", ()), ("emitted", ("--emit", "omp", "--explain"))):
                source = pathlib.Path(folder) / f"{name}.c"
                source.write_text(BOUNDS)
                if arguments:
                    done = run(LOOPDEP, pathlib.Path(folder) / "original.c", *arguments)
                    source.write_text(done.stdout)
            said = {line.split(",")[0]: line.split(": ", 1)[1] for line in done.stderr.splitlines() if "loop" in line}
            self.assertEqual(said["sometimes"].split(": ")[:2], ["unchanged", "the condition cannot be tested before the "
                                                                 "loop, which may not read what the condition reads"])
            for function in ("global", "behind", "held", "shifted"):
                self.assertEqual(said[function], "parallel, if a condition holds")
            if not COMPILERS:
                self.skipTest("no programs are run")
            printed = []
            for name in ("original", "emitted"):
                program = pathlib.Path(folder) / name
                made = run("gcc", "-O1", "-fno-strict-aliasing", "-fopenmp", f"{program}.c", "-o", program)
                self.assertEqual(made.returncode, 0, made.stderr)
                done = run(program)
                self.assertEqual(done.returncode, 0)
                printed.append(done.stdout)
            self.assertEqual(printed[0], "0 0 0 7\n0 1 2 3 3 3 3 3 3 3 3 3 3 13 14 15 ")
            self.assertEqual(printed[1], printed[0])

    def test_a_race_is_seen(self):
        if not COMPILERS:
            self.skipTest("no programs are run")
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "racy.c"
            main = "int main(void) { static int a[100000]; f(100000, a); return 0; }\n"
            source.write_text(RACY + main)
            self.assertIn("data race", Threads(folder).reports(source, [()], folder))
            source.write_text(RACY.replace("parallel for", "parallel for reduction(+: sum)") + main)
            self.assertEqual(Threads(folder).reports(source, [()], folder), "")


if __name__ == "__main__":
    LOOPDEP, COMPILERS, WRITE = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] == "1", "--write" in sys.argv
    unittest.main(argv=sys.argv[:1], verbosity=2)
