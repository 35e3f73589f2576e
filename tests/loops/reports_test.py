"""What loopdep writes for programs and browsers: python3 reports_test.py path/to/loopdep path/to/loopdep.schema.json.

JSON after its schema, SARIF after the rules of its standard, HTML that is well formed and runs nothing, colours and
exit statuses, and hostile text within two seconds.
"""

import base64
import concurrent.futures
import hashlib
import html.parser
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from claims_test import CLAIMS, TEXT

HERE = pathlib.Path(__file__).resolve().parent
LOOPDEP = SCHEMA = None
FILES = sorted(path for folder in ("notes", "kernels", "own", "forms") for path in (HERE / folder).glob("*.c"))
LARGE = [path for path in FILES if path.parent.name != "forms"]  # which has names of its own
FAULTS = {  # what is not understood, in line 2: its column, a word of the reason
    "int i = 0; do { a[i] = i; i += n; } while (i < n);": (12, "steps the variable of its condition"),
    "for (;;) { a[n] = 1; if (n == 0) break; n--; a[n] = 1; }": (1, "no condition"),
    "for (;;) { if (a[n] == 0) continue; a[n] = 1; n--; if (n == 0) break; }": (1, "continues past its test"),
    "int i = 0; while (i < n) { if (a[i]) continue; i++; }": (12, "continues past its step"),
    "unsigned i = 0; while (i < n + 0u) { i += 2; a[i] = 1; }": (17, "may come round"),
    "for (int i = 1; i < n; i *= 2) a[i] = 1;": (1, "not a constant added"),
    "for (unsigned i = 0; i != n * n / 3 + 0u; i += 2) a[i] = 0;": (22, "its step may pass over its end"),
    "for (int i = 0, k = 0; i < n; i++, k = i) a[k] = 1;": (1, "a step uses its variable"),
    "for (int i = 0; i < n; i++) { a[i] = i; i++; }": (1, "assigned in its body"),
    "struct { int i; } s; for (s.i = 0; s.i < n; s.i++) { a[s.i] = 1; if (n) s.i = 0; }":
        (22, "its variable is assigned in its body"),
    "struct { int i; } s, t = {0}; for (s.i = 0; s.i < n; s.i++) { a[s.i] = 1; s = t; }":
        (31, "its variable is assigned in its body"),
    "for (int i = 0; i < n; i++) { a[i] = i; n--; }": (17, "its bound may change"),
    "for (double x = 0; x < n; x++) a[(int)x] = 1;": (1, "no integer"),
    "for (int i = 0; i < n; i++) { if (a[i]) goto out; a[i] = 1; } out:;": (63, "goto"),
    "for (int i = 0; i < n; i++) a[i] = g(i);": (36, "a call of g"),
    "for (int i = 0; i < n; i++) c[i].u = 1;": (29, "u is a member of a union"),
    "for (int i = 0; i < n; i++) d[i].bits = 1;": (29, "bits is a bit-field"),
    "for (int i = 0; i < n; i++) v[i] = 1;": (29, "v is volatile"),
    "for (int i = 0; i < n; i++) { *a = 1; a = (int *)d; }": (31, "the pointer a changes"),
    "for (int *p = a; p < (int *)d; p++) *p = 1;": (18, "the value of a pointer"),
    "for (int *p = a; p != e->p; p++) *p = 1;": (18, "pointers that may lead to two arrays"),
    "for (int *p = (int *)d; p < a; p++) *p = 1;": (1, "its pointer p"),
    "for (int i = 0; i < n; i++) g(a[i]), e[i].p[0] = 1;": (29, "a call of g"),
    "for (int i = 0; i < n; i++) e[i].p[0] = 1;": (29, "a pointer that is itself read from memory"),
    "for (int i = 0; i < n; i++) d[i] = *d;": (29, "a struct is copied"),
    "for (int i = 0; i < n; i++) { __asm__(\"\"); a[i] = 1; }": (31, "GCCAsmStmt"),
}


def run(*arguments, text=None, **options):
    return subprocess.run([LOOPDEP, *map(str, arguments)], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=120, **options)


def pages(*arguments):
    """What loopdep prints of each of the files, which it reads side by side."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        return zip(FILES, list(workers.map(lambda path: run(path, *arguments).stdout, FILES)))


def breaches(value, schema, root, at="$"):
    """What of a value is not as a schema says: the part of JSON Schema that ours uses."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        if all(list(breaches(value, option, root, at)) for option in schema["anyOf"]):
            yield f"{at}: none of the forms"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {schema['enum']}"
    types = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None)}
    wanted = schema.get("type", [])
    wanted = wanted if isinstance(wanted, list) else [wanted]
    if wanted and type(value) not in [types[name] for name in wanted]:
        yield f"{at}: {value!r} is no {wanted}"
        return
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{at}: {value}"
    if isinstance(value, dict):
        for name in schema.get("required", []):
            if name not in value:
                yield f"{at}: lacks {name}"
        for name, part in value.items():
            if name in schema.get("properties", {}):
                yield from breaches(part, schema["properties"][name], root, f"{at}.{name}")
            elif schema.get("additionalProperties") is False:
                yield f"{at}: has {name}"
    for number, part in enumerate(value if isinstance(value, list) else []):
        yield from breaches(part, schema.get("items", {}), root, f"{at}[{number}]")


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


class Page(html.parser.HTMLParser):
    """Elements that do not close, and what a page could run or fetch."""

    def __init__(self, text):
        super().__init__()
        self.open, self.wrong, self.policy, self.style, self.lines = [], [], "", "", 0
        self.feed(text)
        self.wrong += self.open

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag in ("script", "iframe", "object", "img", "link", "form", "base"):
            self.wrong.append(tag)
        self.wrong += [name for name in attributes if name.startswith("on") or name in ("src", "style", "href")]
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        self.lines += tag == "tr"
        if tag not in ("meta", "path"):
            self.open.append(tag)
        elif tag == "path" and "marker-end" in attributes:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append("/" + tag)

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            self.style += data


class Reports(unittest.TestCase):
    def test_json_is_as_its_schema_says(self):
        schema = json.loads(SCHEMA.read_text())
        loops = 0
        for path, text in pages("--json"):
            page = json.loads(text)
            self.assertEqual(list(breaches(page, schema, schema)), [], path.name)
            loops += len(page["loops"])
        self.assertGreater(loops, 100)
        self.assertTrue(list(breaches({"loops": [{}], "claims": [], "summaries": []}, schema, schema)))
        self.assertTrue(list(breaches({"loops": [], "claims": [], "summaries": [], "more": 1}, schema, schema)))

    def test_sarif(self):
        for body, (_, status, _) in CLAIMS.items():
            page = json.loads(run("-", "--sarif", text=TEXT % body).stdout)
            self.assertEqual((page["version"], len(page["runs"])), ("2.1.0", 1))
            self.assertTrue(page["$schema"].startswith("https://"))
            (only,) = page["runs"]
            rules = only["tool"]["driver"]["rules"]
            self.assertEqual(len({rule["id"] for rule in rules}), len(rules))
            levels = []
            for result in only["results"]:
                self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
                self.assertIn(result["level"], ("none", "note", "warning", "error"))
                self.assertTrue(result["message"]["text"])
                places = [place["physicalLocation"] for place in result["locations"] + result.get("relatedLocations", [])]
                for place in places:
                    self.assertEqual(place["artifactLocation"]["uri"], "stdin")
                    self.assertGreaterEqual(place["region"]["startLine"], 1)
                    self.assertGreaterEqual(place["region"].get("startColumn", 1), 1)
                ids = [place["id"] for place in result.get("relatedLocations", [])]
                self.assertEqual(len(set(ids)), len(ids))
                levels.append(result["level"])
            self.assertEqual("error" in levels, status == "racy")
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a b%.c").write_text("void f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = 0; }\n")
            page = json.loads(run("a b%.c", "--sarif", cwd=folder).stdout)
            self.assertEqual(page["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
                             "a%20b%25.c")

    def test_html(self):
        arrows = 0
        for (path, text), (_, again) in zip(pages("--html"), pages("--html")):
            page = Page(text)
            self.assertEqual(page.wrong, [], path.name)
            self.assertEqual(page.lines, len(path.read_text().splitlines()))
            digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
            self.assertIn(f"default-src 'none'; style-src 'sha256-{digest}'", page.policy)
            self.assertEqual(text, again)
            arrows += text.count("marker-end")
        self.assertGreater(arrows, 10)

    def test_html_of_hostile_text(self):
        text = b"// <script>alert(1)</script> \xff\xc0\x80 \xed\xa0\x80 \x01 &lt; \" '\nint x; // </td></table>\r\n"
        done = subprocess.run([LOOPDEP, "-", "--html"], input=text, stdout=subprocess.PIPE, timeout=60)
        page = Page(done.stdout.decode("utf-8"))
        self.assertEqual((page.wrong, page.lines), ([], 2))

    def test_what_is_not_understood_is_named_with_its_place(self):
        text = ("int g(int); union c { int u; }; struct d { int bits : 3; }; struct e { int *p; }; "
                "void f(int n, int *a, union c *c, struct d *d, volatile int *v, struct e *e) {\n%s\n}\n")
        for body, (column, words) in FAULTS.items():
            with self.subTest(body=body):
                (loop,) = json.loads(run("-", "--json", text=text % body).stdout)["loops"]
                self.assertEqual(loop["verdict"], "not_proven")
                self.assertRegex(loop["reason"], rf"{re.escape(words)}.* \(line 2, column {column}\)\.")

    def test_colours(self):
        text = "void f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = 0; }\n"
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        self.assertNotIn("\x1b", run("-", text=text).stdout)
        coloured = run("-", "--color", "always", text=text).stdout
        self.assertIn("\x1b[32mparallel\x1b[0m", coloured)
        self.assertEqual(re.sub(r"\x1b\[[0-9;]*m", "", coloured), run("-", text=text).stdout)
        for no_color, has in (("", True), ("1", False)):
            ours, theirs = os.openpty()
            with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
                file.write(text)
                file.flush()
                subprocess.run([LOOPDEP, file.name], stdout=theirs, timeout=60,
                               env={**environment, "TERM": "xterm", "NO_COLOR": no_color})
            os.close(theirs)
            self.assertEqual(b"\x1b[32m" in os.read(ours, 65536), has)
            os.close(ours)

    def test_options(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "f.c"
            path.write_text("void f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = 0; }\n")
            for arguments, status in ((["--json", "--html"], 64), (["--emit", "cuda"], 64), (["--keep", folder], 64),
                                      (["--color", "blue"], 64), (["-o", "/no/such/folder/x"], 66), (["--emit", "omp"], 0)):
                self.assertEqual(run(path, *arguments).returncode, status, arguments)
            self.assertEqual(run(path, "--json", "-o", pathlib.Path(folder) / "page").stdout, "")
            self.assertEqual((pathlib.Path(folder) / "page").read_text(), run(path, "--json").stdout)
            self.assertEqual(run("/no/such/file.c").returncode, 66)
        help_text = run("--help").stdout
        manual = (HERE.parent.parent / "apps/loopdep/loopdep.1").read_text().replace("\\-", "-")
        for option in re.findall(r"^  (?:-\w,)?(--?\w[\w-]*)", help_text, re.MULTILINE):
            self.assertIn(option, manual)

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

        for path in FILES:
            if path.parent.name == "notes":
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
        self.assertRegex(done.stderr, "more than 0.(1|09) seconds of the processor")
        long = ["--deadline", "600", "--seconds", "100"]
        self.assertEqual(run("-", "--json", *long, text=text).stdout, run("-", "--json", text=text).stdout)
        for wrong in ("0", "-1", "1e9", "nan", "x"):
            self.assertEqual(run("-", "--deadline", wrong, text=text).returncode, 64, wrong)

    def test_dense_text_is_not_hard(self):
        """LU's tree is the longest for its text among the kernels: a thousand of it take what they take."""
        lines = (pathlib.Path(__file__).parent / "kernels" / "lu.c").read_text()
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
            self.assertRegex(done.stderr, r"^loopdep: stdin: error: it takes more than 2 seconds of the processor, until "
                                          r"clang has read it; a longer --deadline may do\n$")

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
                    self.assertIn("a longer --deadline may do", done.stderr, name)
                if least < 2 * slow:
                    break
            self.assertLess(least, 2 * slow, f"{name} {arguments}")


if __name__ == "__main__":
    LOOPDEP, SCHEMA = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1], verbosity=2)
