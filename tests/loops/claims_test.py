"""Pragmas of OpenMP as claims to check: python3 claims_test.py path/to/loopdep.

Of each loop that a pragma calls parallel, and of what every thread of a region runs: whether it holds, is racy or is
not proven, with the reason, the witness and the exit status.
"""

import json
import pathlib
import subprocess
import sys
import unittest

LOOPDEP = None
TEXT = "void f(int n, int *restrict a, int *restrict b, int (*c)[99], int s) {\n%s\n}\n"
CLAIMS = {  # text of a function's body: exit status, status of the claim, a word of the reason
    "#pragma omp parallel for\nfor (int i = 0; i < n; i++) a[i] = b[i];": (0, "holds", ""),
    "#pragma omp parallel for\nfor (int i = 1; i < n; i++) a[i] = a[i - 1];": (1, "racy", "line 3"),
    "int t;\n#pragma omp parallel for\nfor (int i = 0; i < n; i++) { t = b[i]; a[i] = t * t; }": (1, "racy", "private(t)"),
    "int t;\n#pragma omp parallel for private(t)\nfor (int i = 0; i < n; i++) { t = b[i]; a[i] = t * t; }": (0, "holds", ""),
    "#pragma omp parallel for\nfor (int i = 0; i < n; i++) s += b[i];\na[0] = s;": (1, "racy", "reduction(+: s)"),
    "#pragma omp parallel for reduction(+: s)\nfor (int i = 0; i < n; i++) s += b[i];\na[0] = s;": (0, "holds", ""),
    "#pragma omp parallel for\nfor (int i = 0; i < n; i++)\n#pragma omp atomic\ns += b[i];\na[0] = s;": (0, "not_proven", ""),
    "int t = 0;\n#pragma omp parallel private(t)\n{\n#pragma omp for\nfor (int i = 0; i < n; i++) { t = b[i]; a[i] = t; }\n}":
        (0, "holds", ""),
    "int j;\n#pragma omp parallel for collapse(2)\nfor (int i = 0; i < n; i++)\nfor (j = 0; j < n; j++) c[i][j] = i;":
        (0, "holds", ""),
    "int j;\n#pragma omp parallel for\nfor (int i = 0; i < n; i++)\nfor (j = 0; j < n; j++) c[i][j] = i;": (1, "racy", "j"),
    "#pragma omp parallel for\nfor (int i = 0; i < n; i++) a[b[i]] = i;": (0, "not_proven", ""),
    # an operator that is not the loop's, and copies that lack what is read or lose what is written
    "#pragma omp parallel for reduction(*: s)\nfor (int i = 0; i < n; i++) s += b[i];\na[0] = s;":
        (0, "not_proven", "reduction(+: s), but has the operator *"),
    "#pragma omp parallel for reduction(-: s)\nfor (int i = 0; i < n; i++) s -= b[i];\na[0] = s;": (0, "holds", ""),
    "#pragma omp parallel for reduction(task, +: s)\nfor (int i = 0; i < n; i++) s += b[i];\na[0] = s;": (0, "holds", ""),
    "#pragma omp parallel for reduction(min: s)\nfor (int i = 0; i < n; i++) s = b[i] > s ? b[i] : s;\na[0] = s;":
        (0, "not_proven", "reduction(max: s)"),
    "#pragma omp parallel for reduction(max: s)\nfor (int i = 0; i < n; i++) s = b[i] > s ? b[i] : s;\na[0] = s;":
        (0, "holds", ""),
    "#pragma omp parallel for reduction(+: s)\nfor (int i = 0; i < n; i++) a[i] = s;": (0, "not_proven", "clauses on s"),
    "#pragma omp parallel for private(s)\nfor (int i = 0; i < n; i++) a[i] = s;": (0, "not_proven", "clauses on s"),
    "#pragma omp parallel for firstprivate(s)\nfor (int i = 0; i < n; i++) a[i] = s;": (0, "holds", ""),
    "int t = 0;\n#pragma omp parallel for lastprivate(t)\nfor (int i = 0; i < n; i++) { t = b[i]; a[i] = t; }\na[0] += t;":
        (0, "holds", ""),
    "int t = 0;\n#pragma omp parallel for private(t)\nfor (int i = 0; i < n; i++) { t = b[i]; a[i] = t; }\na[0] += t;":
        (0, "not_proven", "lastprivate(t)"),
    "int t = 0;\n#pragma omp parallel private(t)\n{\nt = 4;\n#pragma omp for\nfor (int i = 0; i < n; i++) a[i] = t;\n}":
        (0, "holds", ""),
    # nowait, where something follows or nothing does
    "#pragma omp parallel\n{\n#pragma omp for nowait\nfor (int i = 0; i < n; i++) a[i] = 1;\n}": (0, "holds", ""),
    "#pragma omp parallel\n{\n#pragma omp for nowait\nfor (int i = 0; i < n; i++) a[i] = 1;\nint u = a[9];\n}":
        (0, "not_proven", "`nowait`"),
    # other directives of loops, schedules, and loops that are not there
    "#pragma omp simd\nfor (int i = 0; i < n; i++) a[i] = b[i];": (0, "holds", ""),
    "#pragma omp simd\nfor (int i = 1; i < n; i++) a[i] = a[i - 1];": (1, "racy", "line 3"),
    "#pragma omp simd safelen(4)\nfor (int i = 4; i < n; i++) a[i] = a[i - 4];": (0, "not_proven", "lanes"),
    "#pragma omp parallel for simd safelen(4)\nfor (int i = 4; i < n; i++) a[i] = a[i - 4];": (1, "racy", "line 3"),
    "#pragma omp loop bind(thread)\nfor (int i = 1; i < n; i++) a[i] = a[i - 1];": (1, "racy", "line 3"),
    "#pragma omp target teams distribute\nfor (int i = 1; i < n; i++) a[i] = a[i - 1];": (1, "racy", "line 3"),
    "#pragma omp parallel for schedule(dynamic, 4) default(none) shared(a, n) num_threads(3)\n"
    "for (int i = 0; i < n; i++) a[i] = 1;": (0, "holds", ""),
    "#pragma omp parallel for ordered\nfor (int i = 1; i < n; i++)\n#pragma omp ordered\na[i] = a[i - 1];":
        (0, "not_proven", ""),
    "#pragma omp parallel for collapse(2)\nfor (int i = 1; i < n; i++) a[i] = 0;": (0, "not_proven", "`collapse`"),
    "enum { two = 2 };\n#pragma omp parallel for collapse(two)\n"
    "for (int i = 0; i < n; i++)\nfor (int j = 1; j < 99; j++) c[i][j] = c[i][j - 1];": (1, "racy", "line 5"),
}

REGIONS = {  # text of a function's body: exit status; of each claim its status, words of its reason
    "#pragma omp parallel\n{\n#pragma omp for nowait\nfor (int i = 0; i < n; i++) a[i] = 1;\nb[0] = a[9];\n}":
        (1, ("racy", "line 6, which writes b"), ("not_proven", "`nowait`")),
    "#pragma omp parallel\ns += n;": (1, ("racy", "line 3, which writes s")),
    "#pragma omp parallel\n{\nint t = n;\n{ int s = t; s++; }\n++s;\n}": (1, ("racy", "line 6, which writes s")),
    "int i;\n#pragma omp parallel\nfor (i = 0; i < n; i++) ;": (1, ("racy", "line 4, which writes i")),
    "#pragma omp parallel\n{\ns = 1;\n#pragma omp for\nfor (int i = 0; i < n; i++) a[i] = s;\n}":
        (1, ("racy", "line 4, which writes s"), ("holds", "")),
    "#pragma omp parallel\nc[3][4] = n;": (1, ("racy", "writes c")),
    "#pragma omp parallel\n{\nint t = 2 * s, u[4];\nt++;\nu[t] = t;\n}": (0, ("holds", "")),
    "#pragma omp parallel private(s)\ns = 1;": (0, ("holds", "")),
    "#pragma omp parallel firstprivate(n) reduction(+: s)\n{ s += n; n--; }": (0, ("holds", "")),
    "#pragma omp parallel num_threads(1)\ns = 1;": (0, ("not_proven", "more than one")),
    "#pragma omp parallel\nfor (int i = 0; i < n; i++) a[i] = i;": (0, ("not_proven", "write a (line 3)")),
    "#pragma omp parallel\nif (n > 3) s = 1; else s = 2;": (0, ("not_proven", "write s (line 3)")),
    "#pragma omp parallel\nif (n > 3) ; else s = 2;": (0, ("not_proven", "write s (line 3)")),
    "#pragma omp parallel\n{\nint t = 1 * s, *p = a;\n*p = t;\n}": (0, ("not_proven", "what p points to")),
    "#pragma omp parallel\n{\nint *p = a;\np[1] = 3;\n}": (0, ("not_proven", "what p points to")),
    "#pragma omp parallel\n{\nint t = 2 * s;\nn && (s = 1);\n}": (0, ("not_proven", "write s (line 5)")),
    "#pragma omp parallel\n{\nint t = 2 * s;\nn && s++;\n}": (0, ("not_proven", "write s (line 5)")),
    "#pragma omp parallel\n{\nint t = omp_get_thread_num();\na[t] = 1;\n}": (0, ("not_proven", "write a (line 5)")),
    "#pragma omp parallel\nf(n, a, b, c, s);": (0, ("not_proven", "a call of f is not analysed (line 3)")),
    "#pragma omp parallel\n{\n#pragma omp critical\ns++;\n#pragma omp barrier\n}": (0,),
    "#pragma omp parallel\n{\n#pragma omp single\n{ s = 1; }\nint t = s;\n}": (0,),
}


def run(*arguments, text):
    return subprocess.run([LOOPDEP, *arguments], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=120)


class Claims(unittest.TestCase):
    def test_loops(self):
        for body, (exit_status, status, words) in CLAIMS.items():
            with self.subTest(body=body):
                done = run("-", "--json", text=TEXT % body)
                (claim,) = json.loads(done.stdout)["claims"]
                self.assertEqual((done.returncode, claim["status"]), (exit_status, status), claim)
                self.assertIn(words, claim["reason"] + str(claim["witness"]))
                self.assertEqual(claim["witness"] is not None, status == "racy")
        page = run("-", text=TEXT % "#pragma omp parallel for\nfor (int i = 1; i < n; i++) a[i] = a[i - 1];")
        self.assertIn("pragmas\n  line 2: racy\n", page.stdout)

    def test_regions(self):
        for body, (exit_status, *wanted) in REGIONS.items():
            with self.subTest(body=body):
                done = run("-", "--json", text=TEXT % body)
                claims = json.loads(done.stdout)["claims"]
                self.assertEqual((done.returncode, [claim["status"] for claim in claims]),
                                 (exit_status, [status for status, _ in wanted]), claims)
                for claim, (status, words) in zip(claims, wanted):
                    self.assertIn(words, claim["reason"])
                    self.assertEqual(claim["witness"] is not None, status == "racy")


if __name__ == "__main__":
    LOOPDEP = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1], verbosity=2)
