"""The page of `papilio report`, and what it does in a headless Chromium: python3 report_test.py path/to/papilio.

The tests of class Page need chromium, and are skipped by name where it is missing.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMMAND = ""
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WORDS = "cat dog bird fish horse".split(), "star moon planet comet galaxy".split()
HOSTILE = "</script><script>window.hurt=1</script><img src=x onerror=window.hurt=1><!--\u2028\u202e\"'&"


class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        rows = []
        for d in range(60):
            text = " ".join(WORDS[d % 2][(d * 3 + i * i) % 5] for i in range(9 + d % 4))
            rows.append(f"{1990 + d % 9}\t{HOSTILE if d % 7 == 0 else ''} {text}")
        (self.path / "text.tsv").write_text("year\ttext\n" + "\n".join(rows) + "\n", encoding="utf-8")
        self.papilio("train", "text.tsv", "--no-quotes", "-k", 3, "--sweeps", 20, "-o", "model", "--device", "cpu")

    def papilio(self, *arguments, code=0):
        done = subprocess.run([COMMAND, *map(str, arguments)], cwd=self.path, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stderr.decode()

    def report(self, *arguments, name="page.html"):
        self.papilio("report", "model", "text.tsv", "--no-quotes", "--group-column", "year", "-o", name, "--force",
                     *arguments)
        return (self.path / name).read_text(encoding="utf-8")

    def data(self, page):
        return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.S)[1])


class Command(Report):
    def test_the_page_holds_topics_documents_and_years(self):
        page = self.report()
        data = self.data(page)
        self.assertEqual(data["title"], "model")
        self.assertEqual([len(data["topics"]), data["groups"]["dates"]], [3, True])
        self.assertEqual(data["groups"]["names"], [str(1990 + i) for i in range(9)])
        self.assertTrue(any(HOSTILE[:9] in document["text"] for document in data["documents"]))
        facts = dict(data["origin"]["facts"])
        self.assertEqual(facts["SHA-256 of the model"], hashlib.sha256((self.path / "model").read_bytes()).hexdigest())
        self.assertEqual(page, self.report("--threads", 2, name="again.html"))

    def test_groups_and_texts_come_from_a_json_array_too(self):
        lines = (self.path / "text.tsv").read_text(encoding="utf-8").split("\n")
        rows = [line.split("\t") for line in lines[1:-1]]
        records = [{"year": year, "text": text} for year, text in rows]
        (self.path / "text.json").write_text(json.dumps(records, indent=2))
        self.papilio("report", "model", "text.json", "--group-column", "year", "-o", "json.html")
        data = self.data((self.path / "json.html").read_text(encoding="utf-8"))
        expected = self.data(self.report())
        for part in ("groups", "documents", "topics"):
            self.assertEqual(data[part], expected[part])
        (self.path / "strings.json").write_text(json.dumps([record["text"] for record in records]))
        told = self.papilio("report", "model", "strings.json", "--group-column", "year", "-o", "no.html", code=65)
        self.assertIn('strings.json:1:2: expected an object with a field "year"', told)

    def test_its_command_makes_the_model_again(self):
        command = self.data(self.report())["origin"]["command"].split()
        before = (self.path / "model").read_bytes()
        (self.path / "model").unlink()
        self.papilio(*command[1:])
        self.assertEqual((self.path / "model").read_bytes(), before)

    def test_its_command_has_the_steps_of_alias_draws(self):
        self.papilio("train", "text.tsv", "--no-quotes", "-k", 3, "--sweeps", 20, "--draws", "alias", "--mh-steps", 5,
                     "-o", "model", "--force", "--device", "cpu")
        before = (self.path / "model").read_bytes()
        command = self.data(self.report())["origin"]["command"].split()
        self.assertEqual(command[command.index("--mh-steps") + 1], "5")
        (self.path / "model").unlink()
        self.papilio(*command[1:])
        self.assertEqual((self.path / "model").read_bytes(), before)

    def test_no_command_where_other_topics_were_the_first(self):
        train = ["train", "text.tsv", "--no-quotes", "-k", 3, "--sweeps", 20, "-o", "model", "--force"]
        self.papilio(*train, "--output-state", "state.gz")
        self.assertTrue(self.data(self.report())["origin"].get("command"))
        self.papilio(*train, "--input-state", "state.gz")
        origin = self.data(self.report())["origin"]
        self.assertFalse(origin.get("command"), origin)

    def test_no_command_where_the_corpus_was_read_with_other_options(self):
        rows = (self.path / "text.tsv").read_text(encoding="utf-8").splitlines(keepends=True)
        (self.path / "more.tsv").write_text("".join([*rows, "1999\t\n"]), encoding="utf-8")  # an empty document
        (self.path / "other.tsv").write_text("".join(rows).replace("horse", "mouse"), encoding="utf-8")  # another word
        (self.path / "longer.tsv").write_text("".join(rows)[:-1] + " cat\n", encoding="utf-8")  # one more token
        (self.path / "stop").write_text("cat\n")
        for file, *options in (["text.tsv", "--stopwords", "stop"], ["text.tsv", "--max-vocabulary", 5], ["more.tsv"],
                               ["other.tsv"], ["longer.tsv"]):
            with self.subTest(file=file, options=options):
                self.papilio("report", "model", file, "--no-quotes", "-o", "other.html", "--force", *options)
                origin = self.data((self.path / "other.html").read_text(encoding="utf-8"))["origin"]
                self.assertFalse(origin.get("command"), origin)
                self.assertIn("the corpus was read with other options than when the model was trained",
                              dict(origin["facts"])["command"])
        self.assertNotIn("command", dict(self.data(self.report())["origin"]["facts"]))

    def test_a_model_alone_a_log_and_mistakes(self):
        self.papilio("ldavis", "model", "-o", "x.html")
        self.assertEqual(self.data((self.path / "x.html").read_text())["model"]["topics"], 3)
        (self.path / "log").write_text('{"event":"sweep","sweep":1,"log_joint_per_token":-3.5}\n')
        self.assertEqual(self.data(self.report("--training-log", "log"))["origin"]["likelihood"], [[1, -3.5]])
        self.papilio("report", "model", "-o", "page.html", code=73)
        self.papilio("report", "model", "--group-column", "year", "-o", "y.html", code=64)
        self.papilio("report", "text.tsv", "-o", "y.html", code=65)
        self.papilio("report", "nothing", "-o", "y.html", code=66)


@unittest.skipUnless(CHROMIUM, "chromium is not installed, so the page was not opened")
class Page(Report):
    def open(self, address):
        done = subprocess.run(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000",
             "--enable-logging=stderr", "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={self.path}/chrome",
             "--dump-dom", f"file://{self.path}/{address}"], capture_output=True, timeout=100)
        self.assertNotIn("CONSOLE", done.stderr.decode(errors="replace"))
        return done.stdout.decode()

    def test_it_draws_without_a_message_and_runs_no_word(self):
        self.report("--title", HOSTILE)
        dom = self.open("page.html#topic-1")
        self.assertIn('data-ready="true"', dom)
        self.assertEqual(dom.count("<circle"), 3)
        self.assertIn("Typical documents", dom)
        self.assertIn("Over time", dom)
        self.assertEqual(dom.count("<script"), 2)
        self.assertNotIn("<img", dom)

    def test_topics_are_called_by_their_labels(self):
        self.papilio("label", "model", "1=<b>Sky & stars", "-q", "-o", "named")
        self.papilio("report", "named", "text.tsv", "--no-quotes", "-o", "named.html")
        dom = self.open("named.html#topic-1")
        self.assertIn('data-ready="true"', dom)
        self.assertIn("<h2><bdi>&lt;b&gt;Sky &amp; stars</bdi></h2>", dom)  # as the title of the topic
        self.assertIn("<b><bdi>&lt;b&gt;Sky &amp; stars</bdi></b> ", dom)  # in the list
        self.assertEqual(len(re.findall(r'aria-label="Topic 1: &lt;b&gt;Sky &amp; stars; |'
                                        r'aria-label="Topic 1: <b>Sky &amp; stars; ', dom)), 2)  # row and circle
        self.assertNotIn("<b>Sky &amp; stars</b>", dom)

    def test_the_policy_refuses_what_is_not_its_own(self):
        page = self.report().replace("</body>", "<script>document.title='hurt'</script></body>")
        (self.path / "changed.html").write_text(page, encoding="utf-8")
        done = subprocess.run(
            [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000",
             "--enable-logging=stderr", f"--user-data-dir={self.path}/chrome", "--dump-dom",
             f"file://{self.path}/changed.html"], capture_output=True, timeout=100)
        self.assertIn("Content Security Policy", done.stderr.decode(errors="replace"))
        self.assertIn("<title>model</title>", done.stdout.decode())


if __name__ == "__main__":
    COMMAND = str(Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
