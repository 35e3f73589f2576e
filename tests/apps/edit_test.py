"""label, merge and drop, and where labels and typical documents are shown: python3 edit_test.py path/to/papilio."""

import csv
import io
import json
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMMAND = ""
WORDS = "cat dog bird fish horse".split(), "star moon planet comet galaxy".split(), "law court judge vote party".split()


class EditTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        self.texts = [" ".join(WORDS[d % 3][(d * 3 + i * i) % 5] for i in range(9 + d % 4)) for d in range(60)]
        (self.path / "text.txt").write_text("".join(f"{text}\n" for text in self.texts))
        self.papilio("train", "text.txt", "-k", 4, "--sweeps", 30, "-o", "model", "-q", "--device", "cpu")

    def papilio(self, *arguments, code=0, stdin=None):
        done = subprocess.run([COMMAND, *map(str, arguments)], cwd=self.path, input=stdin, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120, encoding="utf-8")
        self.assertEqual(done.returncode, code, done.stderr)
        self.err = done.stderr
        return done.stdout

    def topics(self, model, *arguments):
        return json.loads(self.papilio("topics", model, "--json", *arguments))["topics"]

    def inspect(self, model):
        lines = (line.split(None, 1) for line in self.papilio("inspect", model).splitlines())
        return {name: value for name, value in lines}

    def data(self, page):
        text = (self.path / page).read_text(encoding="utf-8")
        return json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.S)[1])


class Edits(EditTest):
    def test_merge_adds_and_drop_leaves_out(self):
        before = self.topics("model")
        total = sum(topic["share"] for topic in before)
        self.papilio("merge", "model", "3,1", "-o", "merged")
        self.assertEqual(self.err, "topics 3+1 are now topic 1; wrote merged, 3 topics: topics after a removed one "
                                   "have lower numbers now\n")
        after = self.topics("merged")
        self.assertAlmostEqual(after[1]["share"], before[1]["share"] + before[3]["share"])
        self.assertEqual([after[0], after[2]], [before[0], {**before[2], "topic": 2}])
        self.papilio("drop", "merged", "0", "-o", "dropped")
        tokens = sum(len(text.split()) for text in self.texts)
        gone = round(after[0]["share"] * tokens)
        self.assertTrue(0 < gone < tokens)
        self.assertIn(f" {gone} of {tokens} tokens were dropped with topic 0; wrote dropped, 2 topics", f" {self.err}")
        self.assertEqual([topic["words"] for topic in self.topics("dropped")], [topic["words"] for topic in after[1:]])
        self.papilio("drop", "merged", "0,1", "-q", "-o", "other")
        self.papilio("drop", "merged", "0", "1", "-q", "-o", "again")
        self.assertEqual((self.path / "other").read_bytes(), (self.path / "again").read_bytes())
        self.assertEqual(self.err, "")
        self.assertAlmostEqual(total, 1)

    def test_history_is_shown_with_hashes(self):
        first = self.inspect("model")["hash"]
        self.papilio("merge", "model", "3,1", "-q", "-o", "merged")
        self.papilio("label", "merged", "1=Politics and law", "-q", "-o", "named")
        shown = self.papilio("inspect", "named")
        self.assertIn(f"edit 1      merge 3,1 of model {first}\n", shown)
        self.assertIn(f"edit 2      label '1=Politics and law' of model {self.inspect('merged')['hash']}\n", shown)
        self.assertIn("labels      1 of 3 topics\n", shown)
        self.assertNotIn("edit", self.papilio("inspect", "model"))

    def test_the_commands_of_the_page_make_the_model_again(self):
        self.papilio("merge", "model", "3,1", "-q", "-o", "merged")
        self.papilio("label", "merged", "1=Politics and law", "-q", "-o", "named")
        self.papilio("drop", "named", "0", "-q", "-o", "final")
        self.papilio("report", "final", "text.txt", "-o", "page.html")
        data = self.data("page.html")
        self.assertEqual([topic.get("label") for topic in data["topics"]], ["Politics and law", None])
        self.assertEqual(len([name for name, _ in data["origin"]["facts"] if name.startswith("edit ")]), 3)
        commands = data["origin"]["command"].splitlines()
        self.assertEqual(len(commands), 4)
        before = (self.path / "final").read_bytes()
        (self.path / "final").unlink()
        for command in commands:
            self.papilio(*shlex.split(command)[1:])
        self.assertEqual((self.path / "final").read_bytes(), before)

    def test_labels_from_a_file_and_standard_input(self):
        (self.path / "labels").write_text("0=Animals\r\n\n2\tPolitics and law = all\n", encoding="utf-8")
        self.papilio("label", "model", "--labels", "labels", "1=Sky", "-o", "named")
        self.assertEqual(self.err, "3 of 4 topics have labels; wrote named, 4 topics\n")
        self.assertEqual([topic.get("label") for topic in self.topics("named")],
                         ["Animals", "Sky", "Politics and law = all", None])
        self.papilio("label", "named", "--labels=-", "-o", "fewer", "-q", stdin="0=\n1=\n")
        self.assertEqual([topic.get("label") for topic in self.topics("fewer")],
                         [None, None, "Politics and law = all", None])

    def test_mistakes(self):
        for arguments, code, says in (
                (["label", "model", "-o", "x"], 64, "no labels are given; expected papilio label MODEL 3=Politics"),
                (["label", "model", "Sport", "-o", "x"], 64, '"Sport" is not a label; expected a topic\'s number, ='),
                (["label", "model", "1=a", "1=b", "-o", "x"], 64, '"1=b" is not a label; expected a topic\'s number'),
                (["label", "model", "9=Sport", "-o", "x"], 64, "topic 9, expected 0 <= topic < 4"),
                (["label", "model", "1=7", "-o", "x"], 64, "the label of topic 1 is a number"),
                (["label", "model", "1=a", "2=a", "-o", "x"], 64, "topics 1 and 2 have the same label, a"),
                (["label", "model", "1=a\x1b[2J", "-o", "x"], 64, "has a control character"),
                (["merge", "model", "-o", "x"], 64, "GROUPS is missing; expected papilio merge MODEL GROUPS --output"),
                (["merge", "model", "3", "-o", "x"], 64, '"3" is one topic; expected two or more topics separated by commas'),
                (["merge", "model", "3 1", "-o", "x"], 64, '"3 1" is not a list of topics; expected two or more topics'),
                (["merge", "model", "3,", "-o", "x"], 64, '"3," is not a list of topics'),
                (["merge", "model", "-o", "x", "--", "-1,2"], 64, '"-1,2" is not a list of topics'),
                (["merge", "model", "3,3", "-o", "x"], 64, "topic 3 is given twice"),
                (["merge", "model", "3,1", "1,2", "-o", "x"], 64, "topic 1 is given twice"),
                (["merge", "model", "1,4", "-o", "x"], 64, "topic 4, expected 0 <= topic < 4"),
                (["drop", "model", "4", "-o", "x"], 64, "topic 4, expected 0 <= topic < 4"),
                (["topics", "model", "--topic", 4], 64, "--topic is 4, expected 0 to 3"),
                (["drop", "model", "x", "-o", "x"], 64, '"x" is not a list of topics; expected numbers of topics'),
                (["drop", "model", "0,1,2,3", "-o", "x"], 64, "all 4 topics are given, expected one or more to stay"),
                (["drop", "model", "1"], 64, "--output is missing"),
                (["drop", "model", "1", "-o", "model", "--force"], 64, "model"),
                (["drop", "text.txt", "1", "-o", "x"], 65, "not a safetensors file"),
                (["drop", "nothing", "1", "-o", "x"], 66, "nothing"),
                (["drop", "model", "1", "-o", "text.txt"], 73, "text.txt")):
            with self.subTest(arguments=arguments):
                self.papilio(*arguments, code=code)
                self.assertIn(says, self.err)
        (self.path / "labels").write_text("0 Sport\n")
        self.papilio("label", "model", "--labels", "labels", "-o", "x", code=65)
        self.assertIn('labels:1: expected a topic\'s number, = or a tab, and a label, each topic once; got "0 Sport"',
                      self.err)
        (self.path / "labels").write_text("0=Sport\n\n4=Sky\n")
        self.papilio("label", "model", "--labels", "labels", "-o", "x", code=65)
        self.assertIn("labels:3: topic 4, expected 0 <= topic < 4", self.err)
        self.papilio("label", "model", "9=Law", "--labels", "labels", "-o", "x", code=64)
        self.assertIn("label: topic 9, expected 0 <= topic < 4", self.err)
        self.assertFalse((self.path / "x").exists())


class Labels(EditTest):
    def setUp(self):
        super().setUp()
        self.papilio("label", "model", "0=Animals, \"wild\"", "2=Law", "-q", "-o", "named")

    def test_topics_name_them(self):
        text = self.papilio("topics", "named")
        self.assertRegex(text, r"\n +2 +\d+\.\d\d%  Law: \w+")
        self.assertEqual(re.sub(r' (Law|Animals, "wild"):', "", text), self.papilio("topics", "model"))
        rows = list(csv.DictReader(io.StringIO(self.papilio("topics", "named", "--csv"))))
        self.assertEqual([row["label"] for row in rows], ['Animals, "wild"', "", "Law", ""])
        self.assertTrue(self.papilio("topics", "model", "--csv").startswith("topic,share,words\n"))
        self.assertEqual(self.papilio("topics", "named", "--format", "tsv"),
                         self.papilio("topics", "model", "--format", "tsv"))

    def test_inferred_topics_are_called_by_them(self):
        for arguments in ([], ["--threshold", 0.1]):
            named = self.papilio("infer", "named", "text.txt", "-q", "-o", "-", *arguments)
            plain = self.papilio("infer", "model", "text.txt", "-q", "-o", "-", *arguments)
            if not arguments:
                header, _, rest = named.partition("\n")
                self.assertEqual(header, '#doc\tname\tAnimals, "wild"\t1\tLaw\t3')
                self.assertEqual(rest, plain)
                continue
            self.assertIn("\tLaw\t", named)
            numbers = {"Law": "2", 'Animals, "wild"': "0"}
            rows = [[numbers.get(field, field) for field in line.split("\t")] for line in named.splitlines()]
            self.assertEqual(rows, [line.split("\t") for line in plain.splitlines()])

    def test_pages_show_them(self):
        self.papilio("ldavis", "named", "-o", "vis.html")
        self.assertEqual([topic.get("label") for topic in self.data("vis.html")["topics"]],
                         ['Animals, "wild"', None, "Law", None])
        self.papilio("ldavis", "named", "--model-order", "-o", "vis.json")
        self.assertEqual(json.loads((self.path / "vis.json").read_text())["topic.labels"],
                         ['Animals, "wild"', "", "Law", ""])


class Documents(EditTest):
    def test_typical_documents_in_every_form(self):
        found = self.topics("model", "--documents", 2, "--corpus", "text.txt")
        for topic in found:
            self.assertEqual(len(topic["documents"]), 2)
            shares = [document["share"] for document in topic["documents"]]
            self.assertEqual(shares, sorted(shares, reverse=True))
            for document in topic["documents"]:
                self.assertEqual(document["text"], self.texts[document["document"]])
        rows = list(csv.DictReader(io.StringIO(self.papilio("topics", "model", "--documents", 2, "--corpus",
                                                            "text.txt", "--csv"))))
        self.assertEqual([(int(r["topic"]), int(r["document"]), r["text"]) for r in rows],
                         [(t["topic"], d["document"], d["text"]) for t in found for d in t["documents"]])
        text = self.papilio("topics", "model", "--documents", 1, "--corpus", "text.txt", "--excerpt", 20, "--threads", 2)
        lines = text.splitlines()[1:]
        self.assertEqual(len(lines), 8)
        for topic, line in zip(lines[::2], lines[1::2]):
            first = found[int(topic.split()[0])]["documents"][0]
            self.assertRegex(line, rf"^ +\d+%  document {first['document']}  \w")
            self.assertLessEqual(len(line.split("  ")[-1].rstrip("…")), 20)
        only = self.papilio("topics", "model", "--topic", 1, "--documents", 1, "--corpus", "text.txt")
        self.assertEqual(len(only.splitlines()), 3)

    def test_they_are_those_of_the_page(self):
        self.papilio("report", "model", "text.txt", "--documents", 2, "-o", "page.html")
        data = self.data("page.html")
        page = [[data["documents"][place]["d"] for place in topic["docs"]] for topic in data["topics"]]
        found = self.topics("model", "--documents", 2, "--corpus", "text.txt")
        self.assertEqual([[d["document"] for d in topic["documents"]] for topic in found], page)

    def test_what_does_not_fit(self):
        self.papilio("topics", "model", "--documents", 2, code=64)
        self.assertIn("--documents needs the documents; expected papilio topics MODEL --documents 2 --corpus CORPUS",
                      self.err)
        self.papilio("topics", "model", "--corpus", "text.txt", code=64)
        self.papilio("topics", "model", "--documents", 2, "--corpus", "text.txt", "--format", "tsv", code=64)
        (self.path / "other.txt").write_text("und kein wort davon\n" * 9)
        self.papilio("topics", "model", "--documents", 2, "--corpus", "other.txt", code=65)
        self.assertIn("has no word that the model knows", self.err)

    def test_texts_of_an_imported_corpus(self):
        self.papilio("import", "text.txt", "-q", "-o", "text.papilio-corpus")
        with_words = self.topics("model", "--documents", 2, "--corpus", "text.papilio-corpus")
        self.assertIn("text.papilio-corpus holds no texts, so the most frequent words of documents are shown; "
                      "--texts FILE", self.err)
        found = self.topics("model", "--documents", 2, "--corpus", "text.papilio-corpus", "--texts", "text.txt")
        self.assertEqual(self.err, "")
        for topic, words in zip(found, with_words):
            for document, of_words in zip(topic["documents"], words["documents"]):
                self.assertEqual(document["text"], self.texts[document["document"]])
                self.assertEqual(document["document"], of_words["document"])
        self.papilio("report", "model", "text.papilio-corpus", "-o", "words.html")
        self.assertIn("papilio report: text.papilio-corpus holds no texts", self.err)
        self.assertTrue(self.data("words.html")["wordy"])
        self.papilio("report", "model", "text.papilio-corpus", "--texts", "text.txt", "-o", "texts.html")
        data = self.data("texts.html")
        self.assertFalse(data["wordy"])
        self.assertEqual({d["text"] for d in data["documents"]}, {self.texts[d["d"]] for d in data["documents"]})

    def test_texts_that_are_not_those_of_the_corpus(self):
        self.papilio("import", "text.txt", "-q", "-o", "text.papilio-corpus")
        (self.path / "shorter.txt").write_text("".join(f"{text}\n" for text in self.texts[:-1]))
        (self.path / "longer.txt").write_text("".join(f"{text}\n" for text in [*self.texts, "cat"]))
        (self.path / "turned.txt").write_text("".join(f"{text}\n" for text in self.texts[1:] + self.texts[:1]))
        (self.path / "docword.x.txt").write_text("1\n1\n1\n1 1 1\n")
        (self.path / "vocab.x.txt").write_text("cat\n")
        for texts, says in (("shorter.txt", "it has fewer than 60 documents"),
                            ("longer.txt", "it has 61 documents, expected 60"),
                            ("turned.txt", "are not in the same documents of the corpus"),
                            ("docword.x.txt", "docword.x.txt holds no texts; expected lines of text")):
            with self.subTest(texts=texts):
                self.papilio("report", "model", "text.papilio-corpus", "--texts", texts, "-o", "x.html", code=65)
                self.assertIn(says, self.err)
        self.papilio("report", "model", "--texts", "text.txt", "-o", "x.html", code=64)
        pages = self.path / "pages"
        pages.mkdir()
        for d, text in enumerate(self.texts):
            (pages / f"{d:02}.txt").write_text(text)
        self.papilio("import", "pages", "-q", "-o", "pages.papilio-corpus")
        self.papilio("topics", "model", "--documents", 1, "--corpus", "pages.papilio-corpus", "--texts", "pages")
        (pages / "07.txt").rename(pages / "7.txt")
        self.papilio("topics", "model", "--documents", 1, "--corpus", "pages.papilio-corpus", "--texts", "pages",
                     code=65)
        self.assertIn('document 7 is called "08.txt", expected "07.txt"', self.err)


class LabelFiles(EditTest):
    def test_what_cannot_be_read_makes_no_model(self):
        (self.path / "folder").mkdir()
        (self.path / "labels").write_text("0=Pets\n1\tStars\n")
        for arguments, code, says in ((["folder", "0=Pets"], 66, "cannot open folder: it is a folder, expected a file"),
                                      (["nowhere"], 66, "cannot open nowhere"),
                                      (["/proc/self/mem"], 74, "/proc/self/mem:1: the rest cannot be read")):
            with self.subTest(labels=arguments):
                self.papilio("label", "model", "--labels", *arguments, "-o", "named", code=code)
                self.assertIn(says, self.err)
                self.assertFalse((self.path / "named").exists())
        with open("/proc/self/mem", encoding="latin-1") as unreadable:
            done = subprocess.run([COMMAND, "label", "model", "--labels", "-", "-o", "named"], cwd=self.path,
                                  stdin=unreadable, capture_output=True, timeout=120, encoding="utf-8")
        self.assertEqual(done.returncode, 74, done.stderr)
        self.assertIn("-:1: the rest cannot be read", done.stderr)
        self.assertFalse((self.path / "named").exists())
        self.papilio("label", "model", "--labels", "labels", "-q", "-o", "named")
        self.assertEqual([topic.get("label") for topic in self.topics("named")][:2], ["Pets", "Stars"])
        self.papilio("label", "model", "--labels", "-", "-q", "-o", "same", stdin="0=Pets\n1\tStars\n")
        self.assertEqual((self.path / "same").read_bytes(), (self.path / "named").read_bytes())


class Messages(EditTest):
    def test_they_name_options_not_fields_of_the_library(self):
        (self.path / "short").write_text("a\n")
        for arguments, code, says in (
                (["train", "text.txt", "-k", 2, "--first-id", 0, "-o", "x"], 65, "--first-id was given, but text has"),
                (["train", "text.txt", "-k", 2, "--transposed", "-o", "x"], 65, "--transposed was given, but text has"),
                (["train", "text.txt", "-k", 2, "--max-df", 0, "-o", "x"], 65,
                 "--max-df is 0, expected a number above 0 and at most 1"),
                (["train", "text.txt", "-k", 2, "--max-memory", 1, "-o", "x"], 65, "raise it with --max-memory ("),
                (["report", "model", "text.txt", "--group-file", "short", "-o", "x"], 65,
                 "short has fewer lines, expected one per document: 60")):
            with self.subTest(arguments=arguments):
                self.papilio(*arguments, code=code)
                self.assertIn(says, self.err)
                self.assertNotRegex(self.err, "[a-z]_[a-z]")


if __name__ == "__main__":
    COMMAND = str(Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
