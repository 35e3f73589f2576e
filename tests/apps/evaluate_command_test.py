"""Runs papilio infer, evaluate and split from end to end: python3 evaluate_command_test.py path/to/papilio."""

import ast
import json
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMMAND = ""

PETS = "cat mouse kitten milk cat mouse purr"
STARS = "star planet moon galaxy star planet orbit"


class EvaluateTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.path = Path(folder.name)
        (cls.path / "train.txt").write_text((PETS + "\n" + STARS + "\n") * 15)
        (cls.path / "new.txt").write_text("cat kitten milk cat purr\ncomet star moon planet orbit star\n\ncat star\n")
        cls.papilio(cls, "train", "train.txt", "-k", 2, "--sweeps", 50, "-o", "model", "-q")

    def papilio(self, *arguments, code=0):
        run = subprocess.run([COMMAND, *map(str, arguments)], cwd=self.path, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        assert run.returncode == code, f"{arguments}: {run.returncode}\n{run.stdout.decode()}\n{run.stderr.decode()}"
        run.out, run.err = run.stdout.decode(), run.stderr.decode()
        return run

    def rows(self, text):
        return [line.split("\t") for line in text.splitlines()]


class Infer(EvaluateTest):
    def test_writes_the_topics_of_each_document(self):
        run = self.papilio("infer", "model", "new.txt", "-o", "topics.tsv")
        self.assertIn("2 topics of 4 documents (gibbs) from 12 tokens\nleft out 1 token: ", run.err)
        self.assertIn("words that the model does not know (1 token, 1 different: comet)", run.err)
        rows = self.rows((self.path / "topics.tsv").read_text())
        self.assertEqual([row[0] for row in rows], ["0", "1", "2", "3"])
        theta = [[float(value) for value in row[2:]] for row in rows]
        for row in theta:
            self.assertEqual(len(row), 2)
            self.assertAlmostEqual(sum(row), 1, 5)
        pets = 0 if theta[0][0] > 0.5 else 1
        self.assertGreater(theta[0][pets], 0.9)
        self.assertGreater(theta[1][1 - pets], 0.9)
        self.assertEqual(theta[2], [0.5, 0.5])
        run = self.papilio("infer", "model", "new.txt", "-o", "topics.tsv", code=73)
        self.assertIn("--force", run.err)
        self.assertEqual(self.papilio("infer", "model", "new.txt", "-o", "-", "-q").out,
                         (self.path / "topics.tsv").read_text())

    def test_a_documents_topics_are_its_own(self):
        lines = (self.path / "new.txt").read_text().splitlines()
        (self.path / "turned.txt").write_text("\n".join(reversed(lines)) + "\n")
        for method in ("gibbs", "em"):
            ours = self.rows(self.papilio("infer", "model", "new.txt", "-o", "-", "--method", method).out)
            turned = self.papilio("infer", "model", "turned.txt", "-o", "-", "--method", method, "--threads", 3).out
            self.assertEqual([row[2:] for row in ours], [row[2:] for row in reversed(self.rows(turned))])

    def test_leaves_small_proportions_out(self):
        rows = self.rows(self.papilio("infer", "model", "new.txt", "-o", "-", "--max-topics", 1).out)
        self.assertEqual(rows[0][:4], ["#doc", "name", "topic", "proportion"])
        self.assertEqual([len(row) for row in rows[1:]], [4, 4, 4, 4])
        self.assertGreater(float(rows[1][3]), 0.9)
        rows = self.rows(self.papilio("infer", "model", "new.txt", "-o", "-", "--threshold", 0.8).out)
        self.assertEqual([len(row) for row in rows[1:3]], [4, 4])
        self.assertEqual(rows[3], ["2", "2"])

    def test_a_model_of_numbered_columns_refuses_texts(self):
        (self.path / "counts.mtx").write_text(
            "%%MatrixMarket matrix coordinate integer general\n2 3 3\n1 1 2\n1 2 1\n2 3 4\n")
        self.papilio("train", "counts.mtx", "-k", 2, "--sweeps", 5, "-o", "numbered", "-q")
        run = self.papilio("infer", "numbered", "new.txt", "-o", "none.tsv", code=65)
        self.assertIn("papilio infer: the model has no words, only the numbers 1 to 3 of its columns", run.err)
        self.assertFalse((self.path / "none.tsv").exists())
        self.assertEqual(len(self.papilio("infer", "numbered", "counts.mtx", "-o", "-", "-q").out.splitlines()), 2)

    def test_writes_numpys_form(self):
        self.papilio("infer", "model", "new.txt", "-o", "topics.npy")
        data = (self.path / "topics.npy").read_bytes()
        self.assertEqual(data[:8], b"\x93NUMPY\x01\x00")
        length = struct.unpack("<H", data[8:10])[0]
        self.assertEqual((10 + length) % 64, 0)
        header = ast.literal_eval(data[10:10 + length].decode())
        self.assertEqual(header, {"descr": "<f4", "fortran_order": False, "shape": (4, 2)})
        values = struct.unpack("<8f", data[10 + length:])
        rows = self.rows(self.papilio("infer", "model", "new.txt", "-o", "-").out)
        self.assertEqual(list(values), [struct.unpack("<f", struct.pack("<f", float(value)))[0]
                                        for row in rows for value in row[2:]])
        self.papilio("infer", "model", "new.txt", "-o", "b.npy", "--threshold", 0.1, code=64)

    def test_exit_codes(self):
        self.papilio("infer", "model", "new.txt", code=64)
        self.papilio("infer", "model", "new.txt", "-o", "-", "--burn-in", 100, code=64)
        self.papilio("infer", "model", "new.txt", "-o", "-", "--method", "guess", code=64)
        self.papilio("infer", "nothing", "new.txt", "-o", "-", code=66)
        self.papilio("infer", "model", "nothing", "-o", "-", code=66)
        self.papilio("infer", "new.txt", "new.txt", "-o", "-", code=65)
        self.papilio("infer", "model", "new.txt", "-o", "no/folder", code=73)


class Evaluate(EvaluateTest):
    def test_prints_what_it_was_given_corpora_for(self):
        self.assertEqual(len(self.papilio("evaluate", "model").out.splitlines()), 2)
        run = self.papilio("evaluate", "model", "--held-out", "new.txt", "--corpus", "train.txt", "--reference",
                           "train.txt", "--seed", 3)
        lines = dict(line.split(maxsplit=1) for line in run.out.splitlines())
        self.assertEqual(run.err, "new.txt: left out 1 token: words that the model does not know (1 token, 1 different: "
                                  "comet)\n")
        self.assertEqual(sorted(lines), ["c_v", "diversity", "left", "model", "npmi", "perplexity", "umass"])
        self.assertIn(": 5 tokens scored, 7 seen, split by seed 3", lines["perplexity"])
        self.assertIn("windows of 10 tokens", lines["npmi"])
        self.assertIn("windows of 110 tokens", lines["c_v"])
        self.assertIn("30 documents", lines["umass"])

    def test_json_has_every_topic(self):
        run = self.papilio("evaluate", "model", "--held-out", "new.txt", "--corpus", "train.txt", "--reference",
                           "train.txt", "--left-to-right", 50, "--format", "json")
        result = json.loads(run.out)
        self.assertEqual(result["diversity"], {"value": 1, "top_words": 25})
        completion = result["document_completion"]
        self.assertEqual(completion["documents"], 3)
        self.assertEqual(completion["left_out"], 1)
        self.assertEqual(completion["tokens"] + completion["tokens_seen"], 12)
        self.assertEqual(completion["unknown_tokens"], 1)
        self.assertEqual(result["left_to_right"]["tokens"], 12)
        for found in (completion, result["left_to_right"]):
            self.assertTrue(2 < found["perplexity"] < 12, found)  # of 11 words
        for measure in ("umass", "npmi", "c_v"):
            self.assertEqual(len(result[measure]["topics"]), 2)
            self.assertAlmostEqual(result[measure]["mean"], sum(result[measure]["topics"]) / 2)
        self.assertGreater(result["npmi"]["mean"], 0.9)  # a topic's words are always together

    def test_exit_codes(self):
        (self.path / "foreign.txt").write_text("alpha beta gamma\n")
        run = self.papilio("evaluate", "model", "--held-out", "foreign.txt", code=65)
        self.assertIn("foreign.txt has no document with two words that the model knows", run.err)
        self.papilio("evaluate", "model", "--held-out", "nothing", code=66)
        self.papilio("evaluate", "model", "--left-to-right", 5, code=64)
        self.papilio("evaluate", "model", "-n", 1, code=64)
        self.papilio("evaluate", "train.txt", code=65)


class HeldOutWhileTraining(EvaluateTest):
    def curve(self, *arguments):
        run = self.papilio("train", "train.txt", "-k", 2, "--sweeps", 25, "-o", "curve-model", "--force",
                           "--progress=json", *arguments)
        return [json.loads(line) for line in run.out.splitlines()]

    def test_perplexity_is_that_of_evaluate(self):
        events = self.curve("--held-out", "new.txt")
        scored = [event for event in events[:-1] if event["held_out_perplexity"] is not None]
        self.assertEqual([event["sweep"] for event in scored], [10, 20, 25])
        seconds = [event["seconds"] for event in events[:-1]]
        self.assertEqual(seconds, sorted(seconds))
        self.assertGreater(seconds[0], 0)
        self.assertEqual(events[-1]["held_out_perplexity"], scored[-1]["held_out_perplexity"])
        found = self.papilio("evaluate", "curve-model", "--held-out", "new.txt", "--format", "json").out
        self.assertEqual(json.loads(found)["document_completion"]["perplexity"], scored[-1]["held_out_perplexity"])
        without = self.curve()
        self.assertEqual({event["held_out_perplexity"] for event in without}, {None})

    def test_reads_any_form(self):
        expected = [event["held_out_perplexity"] for event in self.curve("--held-out", "new.txt")]
        self.papilio("convert", "new.txt", "-o", "docword.new.txt", "--force")
        self.papilio("import", "new.txt", "-o", "new.papilio-corpus", "--force")
        for name in ("docword.new.txt", "new.papilio-corpus"):
            self.assertEqual([event["held_out_perplexity"] for event in self.curve("--held-out", name)], expected)
        records = "".join(json.dumps({"text": line}) + "\n" for line in (self.path / "new.txt").read_text().splitlines())
        (self.path / "records").write_text(records)
        options = ["--held-out", "records", "--held-out-format", "jsonl", "--format", "text", "--min-df", 2]
        self.assertEqual([event["held_out_perplexity"] for event in self.curve(*options)], expected)

    def test_tells_people(self):
        run = self.papilio("train", "train.txt", "-k", 2, "--sweeps", 6, "-o", "model-6", "--force", "--held-out",
                           "new.txt", "--held-out-every", 4, "--evaluate-every", 0)
        self.assertIn("held out: read new.txt (text): 4 documents", run.err)
        lines = [line for line in run.err.splitlines() if line.startswith("sweep 4/6")]
        self.assertEqual(len(lines), 1)
        self.assertRegex(lines[0], r"tokens/s  \d+\.\d\d held-out perplexity  ")
        self.assertRegex(run.out, r"held out    perplexity \d+\.\d\d, .*; 3 documents, 5 tokens scored")

    def test_exit_codes(self):
        (self.path / "foreign.txt").write_text("alpha beta gamma\n")
        run = self.papilio("train", "train.txt", "-k", 2, "--held-out", "foreign.txt", "-o", "none", code=65)
        self.assertIn("no held-out document has two words", run.err)
        self.papilio("train", "train.txt", "-k", 2, "--held-out", "nothing", "-o", "none", code=66)
        self.papilio("train", "train.txt", "-k", 2, "--held-out-every", 5, "-o", "none", code=64)
        self.papilio("train", "-", "-k", 2, "--held-out", "-", "-o", "none", code=64)
        self.assertFalse((self.path / "none").exists())


class Ldavis(EvaluateTest):
    def test_writes_prepared_data(self):
        self.papilio("ldavis", "model", "-o", "x.ldavis.json", "-n", 4)
        data = json.loads((self.path / "x.ldavis.json").read_text())
        self.assertEqual(list(data), ["mdsDat", "tinfo", "token.table", "R", "lambda.step", "plot.opts", "topic.order"])
        self.assertEqual(data["mdsDat"]["topics"], [1, 2])
        self.assertEqual(sorted(data["topic.order"]), [1, 2])
        self.assertAlmostEqual(sum(data["mdsDat"]["Freq"]), 100)
        self.assertEqual((data["R"], data["lambda.step"]), (4, 0.01))
        tinfo = data["tinfo"]
        self.assertEqual(tinfo["Category"][:5], ["Default"] * 4 + ["Topic1"])
        self.assertEqual({len(column) for column in tinfo.values()}, {len(tinfo["Term"])})
        first = {word for word, kind in zip(tinfo["Term"], tinfo["Category"]) if kind == "Topic1"}
        self.assertGreaterEqual(len(first), 4)
        self.assertTrue(first <= set(PETS.split()) or first <= set(STARS.split()), first)
        self.assertEqual({len(column) for column in data["token.table"].values()}, {len(set(tinfo["Term"]))})
        self.assertEqual(self.papilio("ldavis", "model", "-o", "-", "-n", 4, "--threads", 3).out,
                         (self.path / "x.ldavis.json").read_text())

    def test_takes_the_sizes_of_topics_from_documents(self):
        (self.path / "pets-only.txt").write_text(PETS + "\n" + PETS + "\n")
        data = json.loads(self.papilio("ldavis", "model", "--corpus", "pets-only.txt", "-o", "-").out)
        self.assertGreater(data["mdsDat"]["Freq"][0], 90)
        in_order = json.loads(self.papilio("ldavis", "model", "--model-order", "-o", "-").out)
        self.assertEqual(in_order["topic.order"], [1, 2])

    def test_exit_codes(self):
        self.papilio("ldavis", "model", code=64)
        self.papilio("ldavis", "model", "-o", "-", "--lambda-step", 0, code=64)
        self.papilio("ldavis", "nothing", "-o", "-", code=66)
        self.papilio("ldavis", "train.txt", "-o", "-", code=65)
        (self.path / "other.txt").write_text("alpha beta gamma\n")
        self.papilio("ldavis", "model", "--corpus", "other.txt", "-o", "-", code=65)
        (self.path / "there.json").write_text("{}")
        self.papilio("ldavis", "model", "-o", "there.json", code=73)
        self.papilio("ldavis", "model", "-o", "there.json", "--force")


class Split(EvaluateTest):
    def test_holds_out_every_nth_document(self):
        run = self.papilio("split", "train.txt", "--every", 10, "-o", "parts")
        self.assertIn("27 documents", run.out)
        self.assertEqual((self.path / "docword.parts-held-out.txt").read_text().splitlines()[0], "3")
        self.assertEqual((self.path / "vocab.parts-train.txt").read_text(),
                         (self.path / "vocab.parts-held-out.txt").read_text())
        self.papilio("train", "docword.parts-train.txt", "-k", 2, "-o", "parts-model", "-q")
        run = self.papilio("evaluate", "parts-model", "--held-out", "docword.parts-held-out.txt", "--reference",
                           "docword.parts-train.txt")
        self.assertIn("docword.parts-train.txt is a bag of words", run.err)
        self.assertIn("3 documents of docword.parts-held-out.txt", run.out)
        self.papilio("split", "train.txt", "--every", 10, "-o", "parts", code=73)
        self.papilio("split", "train.txt", "--every", 10, "-o", "parts", "--force")
        self.papilio("split", "train.txt", "--every", 1, "-o", "others", code=64)
        self.papilio("split", "train.txt", "--every", 2, "-o", "no/folder", code=73)


if __name__ == "__main__":
    COMMAND = str(Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1])
