"""How long loopdep takes: python3 limits_test.py path/to/loopdep.

The time of small files and of large ones, what is proven of large ones, the limits that a text has, and hostile text
within two seconds.
"""

import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
LOOPDEP = None
NOTES, KERNELS, OWN = (sorted((HERE / folder).glob("*.c")) for folder in ("notes", "kernels", "own"))
LARGE = [*KERNELS, *NOTES, *OWN]  # not `forms`, which has names of its own


def run(*arguments, text=None):
    return subprocess.run([LOOPDEP, *map(str, arguments)], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=120)


def large_text(least_lines):
    """A program of the loops of the files but `forms`, again and again, each time with names of their own:
    "name_3" is the function `name` of the file 3, counted on from 0 after the last one."""
    names = re.compile(r"^(?:static )?[\w ]+[ *](\w+)\(", re.MULTILINE)
    lines, number = [], 0
    while len(lines) < least_lines:
        for path in LARGE:
            text = path.read_text()
            for name in set(names.findall(text)):
                text = re.sub(rf"\b{name}\b", f"{name}_{number}", text)
            number += 1
            lines += text.splitlines()
    return "\n".join(lines) + "\n"


def what_is_proven(loop):
    """What a loop's report says, but for names of functions and lines."""
    plain = lambda text: re.sub(r"\b\d+\b|_\d+\b", "", text)
    return (loop["verdict"], plain(loop["reason"]), [plain(c["variable"] + c["detail"]) for c in loop["clauses"]],
            loop["condition"], [(t["kind"], plain(t["detail"])) for t in loop["transformations"]], len(loop["matrix"]))


class Limits(unittest.TestCase):
    def test_time(self):
        """Files of the notes' size in 50 ms, 5,000 lines in a second: of the processor, the least of some runs; with
        twice that, as a machine that does other work runs slower. Where clang alone needs more than 20 ms for such a
        file, the machine is slower than the one of these goals, and the first limit is five times clang's time."""
        if "PAPILIO_SANITIZED" in os.environ:
            self.skipTest("sanitizers take their time")

        def processor_time(work):
            before = os.times()
            self.assertEqual(work().returncode, 0)
            after = os.times()
            return after.children_user + after.children_system - before.children_user - before.children_system

        def seconds(path, *arguments):
            return processor_time(lambda: run(path, *arguments))

        def seconds_of_clang(path):
            command = ["clang", "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json", str(path)]
            return processor_time(lambda: subprocess.run(command, capture_output=True, check=False))

        for path in NOTES:
            limit = max(0.1, 5 * min(seconds_of_clang(path) for _ in range(3)))
            self.assertLess(min(seconds(path, "--explain") for _ in range(3)), limit, path.name)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "large.c"
            path.write_text(large_text(5000))
            for arguments in ((), ("--explain",)):
                self.assertLess(min(seconds(path, *arguments) for _ in range(2)), 2, arguments)

    def test_large_text_loses_no_proof(self):
        """Of 50,000 lines each loop has the verdict, the clauses and the transformations that it has in a file alone.
        That takes no --deadline; but on a busy machine, clang takes more of the clock than of the processor."""
        alone = []
        for path in LARGE:
            alone.append({})
            for loop in json.loads(run(path, "--json").stdout)["loops"]:
                alone[-1].setdefault(loop["function"], []).append(what_is_proven(loop))
        is_slow = "PAPILIO_SANITIZED" in os.environ
        done = run("-", "--json", "--seconds", "100", *(["--deadline", "600"] if is_slow else []),
                   text=large_text(2000 if is_slow else 50000))
        self.assertEqual(done.stderr, "")
        together = {}
        for loop in json.loads(done.stdout)["loops"]:
            together.setdefault(loop["function"], []).append(what_is_proven(loop))
        self.assertGreater(len(together), 250)
        for name, loops in together.items():
            function, _, number = name.rpartition("_")
            self.assertEqual(loops, alone[int(number) % len(LARGE)][function], name)

    def test_deadline(self):
        text = large_text(2000)
        done = run("-", "--deadline", "0.1", text=text)
        self.assertEqual((done.returncode, done.stdout), (65, ""))
        self.assertIn("stdin: error: ", done.stderr)
        self.assertRegex(done.stderr, "more than 0.(1|09) seconds of processor time")
        long = ["--deadline", "600", "--seconds", "100"]
        self.assertEqual(run("-", "--json", *long, text=text).stdout, run("-", "--json", text=text).stdout)
        for wrong in ("0", "-1", "1e9", "nan", "x"):
            self.assertEqual(run("-", "--deadline", wrong, text=text).returncode, 64, wrong)

    def test_dense_text_is_not_hard(self):
        """LU's tree is the longest for its text among the kernels: a thousand of it take what they take."""
        lines = (HERE / "kernels" / "lu.c").read_text()
        copies = 160 if "PAPILIO_SANITIZED" in os.environ else 1600
        self.assertEqual(lines.count(" lu("), 1)
        done = run("-", "--json", "--seconds", "100",
                   text="".join(lines.replace(" lu(", f" lu_{k}(") for k in range(copies)))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        verdicts = [loop["verdict"] for loop in json.loads(done.stdout)["loops"]]
        self.assertEqual(verdicts, verdicts[:len(verdicts) // copies] * copies)
        self.assertIn("parallel", verdicts)

    def test_hard_syntax_tree(self):
        """A text is hard before clang has read it, and if its tree is long for it: then it has 2 seconds in all."""
        doubled = "#define M0 a[i] = 1;\n" + "".join(f"#define M{k + 1} M{k} M{k}\n" for k in range(30))
        function = "void f%d(int n, int *a) { for (int i = 0; i < n; i++) {%s} }\n"
        sums = "\n".join(f"a[{k} * i + {k}] = a[i - {k}] + a[a[i]];" for k in range(60))
        for text in (doubled + function % (0, "M30"), "".join(function % (k, sums) for k in range(1000))):
            done = run("-", "--seconds", "100", text=text)
            self.assertEqual((done.returncode, done.stdout), (65, ""))
            self.assertRegex(done.stderr, r"^loopdep: stdin: error: more than 2 seconds of processor time before clang "
                                          r"has read it; try a longer --deadline\n$")

    def test_hostile_text_ends_in_time(self):
        deep = "void f(int n, int *a) { " + "for (int i%d = 0; i%d < n; i%d++) ".replace("%d", "{0}")
        nest = "void f(int n, int *a) { " + "".join(deep[24:].format(k) for k in range(60)) + "a[i0] = 1; }"
        huge = "void f(long n, int *a) { for (long i = 0; i < n; i++) a[%s] = a[%s] + 1; }"
        many = "void f(int n, int *a, int p) { for (int i = 0; i < n; i++) {" + "".join(
            f"if (a[{k}] > {k} * p) a[{k + 2} * i + {k} * p] = a[{7 * k + 3} * i - p];" for k in range(40)) + "} }"
        condition = "void f(int n, int *a, int p) { for (int i = 0; i < n; i++) {%s} }"
        wide = "void f(" + ", ".join(f"int p{k}" for k in range(60)) + ", int *a) { for (int i = 0; i < p0; i++) a[" + \
            " + ".join(f"{2 * k + 3} * p{k}" for k in range(60)) + " + i] = a[" + \
            " + ".join(f"{5 * k + 1} * p{k}" for k in range(60)) + " - 2 * i]; }"
        conditions = condition % "".join(
            f"if (a[{k}] > {k} * p) a[{k + 2} * i + {k} * p] = a[{7 * k + 3} * i - p];\n" for k in range(80))
        texts = {
            "deep nest": nest,
            "parentheses": huge % ("(" * 250 + "i" + ")" * 250, "i"),
            "huge constants": huge % ("i * 9223372036854775807 + 4611686018427387904", "i * 4611686018427387903"),
            "products": huge % (" * ".join(["i"] * 40), " + ".join(["i * n * i"] * 40)),
            "recursion": "int f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = f(n - i, a + i) + g(n); return 0; }"
                         .replace("g(n)", "f(n, a)"),
            "circle of calls": "int g(int, int *); int f(int n, int *a) { return g(n, a); } int g(int n, int *a) {"
                               " for (int i = 0; i < n; i++) a[i] = f(i, a); return 1; }",
            "calls that double": "void f0(int n, int *a) { for (int i = 0; i < n; i++) a[i] = i; }\n" + "".join(
                f"void f{k}(int n, int *a) {{ f{k - 1}(n, a); f{k - 1}(n, a + n); }}\n" for k in range(1, 30)),
            "many conditions": many,
            "many parameters": wide,
            "long body": huge.replace("a[%s] = a[%s] + 1;", "{" + "a[i + 1] = a[3 * i];" * 300 + "}"),
            "many functions of many conditions": "\n".join(
                many.replace("void f(", f"void f{k}(").replace("if (", "\nif (") for k in range(12)),
            "many more functions of many more conditions": "\n".join(
                conditions.replace("void f(", f"void f{k}(") for k in range(40)),
            "macros that double": "#define M0 a[i] = 1;\n" + "".join(
                f"#define M{k + 1} M{k} M{k}\n" for k in range(30)) + condition % "M30",
            "conditions of one function": conditions,
            "an array of its own, written in parts": "void f(long n, int *b) { int a[1000]; for (long i = 0; i < n; i++) {"
                + "".join(f"a[i % {k + 2} + {k}] = b[i + {k}]; b[2 * i - {k}] = a[{k} + n];\n" for k in range(300)) + "} }",
            "loops in a loop": "void f(long n, int *a) { for (long i = 0; i < n; i++) {" + "".join(
                f"for (long j = 0; j < n - {k}; j++) a[i * {k + 2} + j] = a[i + {k + 1} * j];\n"
                for k in range(300)) + "} }",
            "values that double": "void f(long n, double *a) { for (long i = 1; i < n; i++) { double t0 = a[i - 1];" +
                "".join(f"double t{k + 1} = t{k} + t{k};\n" for k in range(40)) + "a[i] = t40; } }",
            "pragmas": "void f(int n, int *a) {\n" + "#pragma omp parallel for collapse(9) private(\n" * 500 +
                       "for (int i = 0; i < n; i++) a[i] = 0; }",
            "open comment": "void f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = 0; } /*",
        }
        longest = "\n".join(conditions.replace("void f(", f"void f{k}(") for k in range(400))
        slow = 10 if "PAPILIO_SANITIZED" in os.environ else 1
        runs = [(name, text, arguments) for name, text in texts.items()
                for arguments in (["--explain"], ["--emit", "omp"], ["--html"])]
        runs += [("32,000 lines of conditions", longest, [*deadline, *more])
                 for deadline in ([], ["--deadline", "2"]) for more in ([], ["--emit", "omp"])]
        for name, text, arguments in runs:
            least = math.inf
            for _ in range(3):  # a busy machine is slower: the least counts
                before = os.times().children_user
                done = run("-", *arguments, text=text)
                least = min(least, os.times().children_user - before)  # of the processor: other work does not count
                self.assertIn(done.returncode, (0, 65), f"{name}: {done.stderr}")
                if "seconds" in done.stderr:
                    self.assertIn("try a longer --deadline", done.stderr, name)
                if least < 2 * slow:
                    break
            self.assertLess(least, 2 * slow, f"{name} {arguments}")


if __name__ == "__main__":
    LOOPDEP = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1], verbosity=2)
