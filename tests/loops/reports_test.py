"""What loopdep writes for programs and browsers: python3 reports_test.py path/to/loopdep path/to/loopdep.schema.json.

JSON after its schema, SARIF after the rules of its standard, HTML that is well formed and runs nothing, colours and
exit statuses. How long it takes: limits_test.py.
"""

import base64
import bisect
import concurrent.futures
import hashlib
import html.parser
import itertools
import json
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
FAULTS = {  # what is not understood: its column, a word of the reason
    "int i = 0; do { a[i] = i; i += n; } while (i < n);": (12, "steps the variable of its condition"),
    "for (;;) { a[n] = 1; if (n == 0) break; n--; a[n] = 1; }": (1, "no condition"),
    "for (;;) { if (a[n] == 0) continue; a[n] = 1; n--; if (n == 0) break; }": (1, "continue skips its test"),
    "int i = 0; while (i < n) { if (a[i]) continue; i++; }": (12, "continue skips its step"),
    "unsigned i = 0; while (i < n + 0u) { i += 2; a[i] = 1; }": (17, "may wrap around"),
    "for (int i = 1; i < n; i *= 2) a[i] = 1;": (1, "not a constant added"),
    "for (unsigned i = 0; i != n * n / 3 + 0u; i += 2) a[i] = 0;": (22, "its step may jump over its end"),
    "for (int i = 0, k = 0; i < n; i++, k = i) a[k] = 1;": (1, "later step uses its variable"),
    "for (int i = 0; i < n; i++) { a[i] = i; i++; }": (1, "assigned in its body"),
    "struct { int i; } s; for (s.i = 0; s.i < n; s.i++) { a[s.i] = 1; if (n) s.i = 0; }":
        (22, "its variable is assigned in its body"),
    "struct { int i; } s, t = {0}; for (s.i = 0; s.i < n; s.i++) { a[s.i] = 1; s = t; }":
        (31, "its variable is assigned in its body"),
    "for (int i = 0; i < n; i++) { a[i] = i; n--; }": (17, "its bound may change"),
    "for (double x = 0; x < n; x++) a[(int)x] = 1;": (1, "not an integer"),
    "for (int i = 0; i < n; i++) { if (a[i]) goto out; a[i] = 1; } out:;": (63, "goto"),
    "for (int i = 0; i < n; i++) a[i] = g(i);": (36, "a call of g"),
    "for (int i = 0; i < n; i++) c[i].u = 1;": (29, "u is a member of a union"),
    "for (int i = 0; i < n; i++) d[i].bits = 1;": (29, "bits is a bit-field"),
    "for (int i = 0; i < n; i++) v[i] = 1;": (29, "v is volatile"),
    "for (int i = 0; i < n; i++) { *a = 1; a = (int *)d; }": (31, "the pointer a changes"),
    "for (int *p = a; p < (int *)d; p++) *p = 1;": (18, "the value of a pointer"),
    "for (int *p = a; p != e->p; p++) *p = 1;": (18, "pointers that may point into two arrays"),
    "for (int *p = (int *)d; p < a; p++) *p = 1;": (1, "its pointer p"),
    "for (int i = 0; i < n; i++) g(a[i]), e[i].p[0] = 1;": (29, "a call of g"),
    "for (int i = 0; i < n; i++) e[i].p[0] = 1;": (29, "a pointer that is itself read from memory"),
    "for (int i = 0; i < n; i++) d[i] = *d;": (29, "a struct is copied"),
    "for (int i = 0; i < n; i++) { __asm__(\"\"); a[i] = 1; }": (31, "GCCAsmStmt"),
}


def run(*arguments, text=None, **options):
    return subprocess.run([LOOPDEP, *map(str, arguments)], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=120, **options)


def pages(*arguments, files=FILES):
    """What loopdep prints of each of the files, which it reads side by side."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        return zip(files, list(workers.map(lambda path: run(path, *arguments).stdout, files)))


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
        texts = [(TEXT % body).replace(" f(", f" f{i}(", 1) for i, body in enumerate(CLAIMS)]  # a loop and its claim each
        first = list(itertools.accumulate((text.count("\n") for text in texts), initial=1))
        page = json.loads(run("-", "--sarif", text="".join(texts)).stdout)
        self.assertEqual((page["version"], len(page["runs"])), ("2.1.0", 1))
        self.assertTrue(page["$schema"].startswith("https://"))
        (only,) = page["runs"]
        rules = only["tool"]["driver"]["rules"]
        self.assertEqual(len({rule["id"] for rule in rules}), len(rules))
        levels = [[] for _ in texts]
        for result in only["results"]:
            self.assertEqual(rules[result["ruleIndex"]]["id"], result["ruleId"])
            self.assertIn(result["level"], ("none", "note", "warning", "error"))
            self.assertTrue(result["message"]["text"])
            places = [place["physicalLocation"] for place in result["locations"] + result.get("relatedLocations", [])]
            functions = {bisect.bisect(first, place["region"]["startLine"]) - 1 for place in places}
            (function,) = functions  # none of its places is in another
            for place in places:
                self.assertEqual(place["artifactLocation"]["uri"], "stdin")
                self.assertGreaterEqual(place["region"].get("startColumn", 1), 1)
            ids = [place["id"] for place in result.get("relatedLocations", [])]
            self.assertEqual(len(set(ids)), len(ids))
            levels[function].append(result["level"])
        for (body, (_, status, _)), found in zip(CLAIMS.items(), levels):
            self.assertTrue(found, body)
            self.assertEqual("error" in found, status == "racy", body)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a b%.c").write_text("void f(int n, int *a) { for (int i = 0; i < n; i++) a[i] = 0; }\n")
            page = json.loads(run("a b%.c", "--sarif", cwd=folder).stdout)
            self.assertEqual(page["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
                             "a%20b%25.c")

    def test_html(self):
        arrows, again = 0, dict(pages("--html", files=FILES[::4]))
        for path, text in pages("--html"):
            page = Page(text)
            self.assertEqual(page.wrong, [], path.name)
            self.assertEqual(page.lines, len(path.read_text().splitlines()))
            digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
            self.assertIn(f"default-src 'none'; style-src 'sha256-{digest}'", page.policy)
            self.assertEqual(text, again.get(path, text))
            arrows += text.count("marker-end")
        self.assertGreater(arrows, 10)

    def test_html_of_hostile_text(self):
        text = b"// <script>alert(1)</script> \xff\xc0\x80 \xed\xa0\x80 \x01 &lt; \" '\nint x; // </td></table>\r\n"
        done = subprocess.run([LOOPDEP, "-", "--html"], input=text, stdout=subprocess.PIPE, timeout=60)
        page = Page(done.stdout.decode("utf-8"))
        self.assertEqual((page.wrong, page.lines), ([], 2))

    def test_what_is_not_understood_is_named_with_its_place(self):
        text = "int g(int); union c { int u; }; struct d { int bits : 3; }; struct e { int *p; };\n"
        for i, body in enumerate(FAULTS):  # which begin in lines 3, 6, ...
            text += f"void f{i}(int n, int *a, union c *c, struct d *d, volatile int *v, struct e *e) {{\n{body}\n}}\n"
        loops = json.loads(run("-", "--json", text=text).stdout)["loops"]
        self.assertEqual(len(loops), len(FAULTS))
        for i, (loop, (body, (column, words))) in enumerate(zip(loops, FAULTS.items())):
            with self.subTest(body=body):
                self.assertEqual(loop["verdict"], "not_proven")
                self.assertRegex(loop["reason"], rf"{re.escape(words)}.* \(line {3 * i + 3}, column {column}\)\.")

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



if __name__ == "__main__":
    LOOPDEP, SCHEMA = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1], verbosity=2)
