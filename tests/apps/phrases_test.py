"""Runs papilio with phrases: python3 phrases_test.py path/to/papilio."""

import gzip
import json
import os
import random
import sys
import unittest

import command_test


def text(seed, documents=120):
    """Documents in which New York, stock market and bill of rights come together, and other words do not."""
    draw = random.Random(seed)
    words = "river hill house stone water bread paper light music train garden winter summer market stock york".split()
    lines = []
    for _ in range(documents):
        line = []
        for _ in range(20):
            line.append(draw.choice(words))
            if draw.random() < 0.1:
                line.append(draw.choice(["New York", "stock market", "bill of rights", "New York City"]))
            if draw.random() < 0.1:
                line[-1] += "."
        lines.append(" ".join(line))
    return "\n".join(lines) + "\n"


class Phrases(command_test.CommandTest):
    def setUp(self):
        super().setUp()
        (self.path / "text.txt").write_text(text(1))
        (self.path / "new.txt").write_text(text(2, 30))
        (self.path / "list.txt").write_text("# places\nNew York City\nnew_york  # the same\n\nBill of Rights\n")

    def words(self, corpus, *options, **keywords):
        """The words of a corpus that a run of convert writes, by document."""
        run = self.papilio("convert", corpus, "-o", "-", "--to", "text", *options, **keywords)
        return [line.split() for line in run.out.splitlines()]

    def phrases(self, *arguments, **keywords):
        return {word for words in self.words(*arguments, **keywords) for word in words if "_" in word}

    def test_finds_phrases(self):
        self.assertEqual(self.phrases("text.txt"), set())
        found = self.phrases("text.txt", "--phrases", "auto")
        self.assertIn("new_york", found)
        self.assertIn("new_york_city", found)
        self.assertNotIn("river_hill", found)
        self.assertEqual({word for word in found if "rights" in word}, set())  # "of" is left out between them
        pairs = self.phrases("text.txt", "--phrases", "auto", "--phrase-length", 2)
        self.assertNotIn("new_york_city", pairs)
        self.assertEqual(self.phrases("text.txt", "--phrases", "auto", "--phrase-min-count", 10**6), set())
        self.assertLess(found, self.phrases("text.txt", "--phrases", "auto", "--phrase-threshold", 0))

    def test_joins_the_phrases_of_a_list(self):
        listed = self.phrases("text.txt", "--phrases", "list.txt")
        self.assertEqual(listed, {"new_york", "new_york_city", "bill_of_rights"})
        (self.path / "dashed.txt").write_text("New-York-City\nnew york\n")
        dashed = self.words("text.txt", "--phrases", "dashed.txt", "--phrase-delimiter", "-")
        self.assertIn("new-york-city", {word for words in dashed for word in words})
        self.assertEqual(self.phrases("text.txt", "--phrases", "-", input=b"stock market\n"), {"stock_market"})

    # A look at its first bytes, for a model or a corpus file, would take them away.
    def test_joins_the_phrases_that_come_through_a_pipe(self):
        ours, theirs = os.pipe()
        os.write(theirs, self.read("list.txt"))
        os.close(theirs)
        self.addCleanup(os.close, ours)
        self.assertEqual(self.phrases("text.txt", "--phrases", f"/dev/fd/{ours}", pass_fds=(ours,)),
                         {"new_york", "new_york_city", "bill_of_rights"})

    def test_import_train_and_convert_join_the_same(self):
        self.papilio("import", "text.txt", "--phrases", "auto", "-o", "it.papilio-corpus")
        self.assertEqual(self.words("it.papilio-corpus"), self.words("text.txt", "--phrases", "auto"))
        run = self.papilio("train", "text.txt", "--phrases", "auto", "-k", 3, "--sweeps", 5, "-o", "model")
        self.assertIn(" phrases joined", run.err)
        self.papilio("train", "it.papilio-corpus", "-k", 3, "--sweeps", 5, "-o", "same")
        self.assertEqual(self.read("same"), self.read("model"))
        for threads in (1, 3):
            self.papilio("import", "text.txt", "--phrases", "auto", "-o", f"{threads}", "--threads", threads)
            self.assertEqual(self.read(f"{threads}"), self.read("it.papilio-corpus"))

    def test_new_text_has_the_phrases_of_the_model(self):
        self.papilio("import", "text.txt", "--phrases", "auto", "-o", "it.papilio-corpus")
        self.papilio("train", "it.papilio-corpus", "-k", 3, "--sweeps", 5, "-o", "model.papilio.safetensors")
        model = "model.papilio.safetensors"
        known = self.phrases("it.papilio-corpus")
        self.assertEqual(self.phrases("text.txt", "--phrases", model), known)
        self.assertEqual(self.words("text.txt", "--phrases", model), self.words("it.papilio-corpus"))
        self.assertEqual(self.words("text.txt", "--phrases", "it.papilio-corpus"), self.words("it.papilio-corpus"))
        run = self.papilio("infer", model, "new.txt", "-o", "plain")
        self.assertIn(f"2 words of the model are phrases (new_york, ...), and the text has none; "
                      f"--phrases {model} joins them", run.err)
        (self.path / "mixed.txt").write_text(text(2, 30) + "a new_york like no other\n")  # spelled so by itself
        run = self.papilio("infer", model, "mixed.txt", "-o", "mixed")
        self.assertIn(f"and the text has only 1; --phrases {model} joins them", run.err)
        (self.path / "spelled.txt").write_text("new_york_city and new_york, not york\n")
        self.assertNotIn("joins them", self.papilio("infer", model, "spelled.txt", "-o", "spelled").err)
        joined = self.papilio("infer", model, "new.txt", "-o", "joined", "--phrases", model)
        self.assertNotIn("joins them", joined.err)
        self.papilio("convert", "new.txt", "--phrases", model, "-o", "new.papilio-corpus")
        again = self.papilio("infer", model, "new.papilio-corpus", "-o", "again")
        self.assertEqual(self.read("joined"), self.read("again"))
        self.assertNotIn("joins them", again.err)
        self.assertNotEqual(self.read("joined"), self.read("plain"))

    def test_text_that_is_joined_has_the_parts_of_phrases_too(self):
        names = [first + second for first in "abcdef" for second in "uvwxyz"]
        pairs = [(f"north{name}", f"town{name}") for name in names]
        (self.path / "listed.txt").write_text("".join(f"{a} {b}\n" for a, b in pairs))
        self.papilio("train", "listed.txt", "--phrases", "listed.txt", "-k", 2, "--sweeps", 2, "-o", "model", "-q")
        parts = "".join(f"{b} river {a}\n" for a, b in pairs)
        beside = "".join(f"{a} {b}\n" for a, b in pairs[:2])
        for name, text, noted in (
                ("joined", "northau_townau here\n" + parts, None),
                ("parts", parts, None),
                ("lines", "".join(f"{a}\n{b}\n" for a, b in pairs), None),
                ("fewer", "".join(f"{a}_{b}\n" for a, b in pairs[2:5]) + beside + parts, None),
                ("more", "northew_townew\n" + beside + parts, "only 1"),
                ("neighbours", beside + parts, "none")):
            (self.path / f"{name}.txt").write_text(text)
            run = self.papilio("infer", "model", f"{name}.txt", "-o", name)
            note = f"note: 36 words of the model are phrases (northau_townau, ...), and the text has {noted}; "
            self.assertEqual([line for line in run.err.splitlines() if line.startswith("note: ")],
                             [] if noted is None else [note + "--phrases model joins them"], name)

    def test_held_out_text_has_the_phrases_of_the_corpus(self):
        options = ("-k", 3, "--sweeps", 4, "--held-out-every", 2, "--progress", "json", "--force")
        run = self.papilio("train", "text.txt", "--phrases", "auto", "--held-out", "new.txt", "-o", "model", *options)
        self.papilio("convert", "new.txt", "--phrases", "model", "--min-df", 1, "-o", "new.papilio-corpus")
        same = self.papilio(
            "train", "text.txt", "--phrases", "auto", "--held-out", "new.papilio-corpus", "-o", "model", *options)
        perplexity = [json.loads(r.out.splitlines()[-1])["held_out_perplexity"] for r in (run, same)]
        self.assertGreater(perplexity[0], 1)
        self.assertEqual(perplexity[0], perplexity[1])
        run = self.papilio("evaluate", "model", "--held-out", "new.txt", "--phrases", "model", "--corpus", "text.txt")
        same = self.papilio(
            "evaluate", "model", "--held-out", "new.papilio-corpus", "--phrases", "model", "--corpus", "text.txt")
        self.assertEqual(run.out.replace("new.txt", "new.papilio-corpus"), same.out)

    def test_states_of_mallet_have_phrases_as_words(self):
        line = ("train", "text.txt", "-k", 2, "--sweeps", 3, "-o", "model", "--force")
        self.papilio(*line, "--phrases", "list.txt", "--output-state", "state.gz")
        self.assertIn(" bill_of_rights ", gzip.decompress(self.read("state.gz")).decode())
        self.papilio(*line, "--phrases", "list.txt", "--input-state", "state.gz")
        run = self.papilio(*line, "--input-state", "state.gz", code=65)  # of another corpus
        self.assertIn("tokens in the corpus and", run.err)

    def test_what_is_wrong_is_said(self):
        self.papilio("generate", "-o", "made", "--documents", 9, "--words", 20, "-k", 2)
        run = self.papilio("train", "docword.made.txt", "-k", 2, "--phrases", "auto", code=65)
        self.assertIn("phrases are joined only when text is read (text, csv, tsv, jsonl, json, folder); this is uci",
                      run.err)
        (self.path / "it.low").write_text("1\nnew york new york\n")
        (self.path / "it.mallet").write_text("one label new york new york\n")
        for name in ("low", "mallet"):
            for job in (("train", "-k", 2), ("import",), ("convert", "--to", "text")):
                run = self.papilio(*job, f"it.{name}", "--phrases", "list.txt", "-o", "x", code=65)
                self.assertIn(f"is read (text, csv, tsv, jsonl, json, folder); this is {name}", run.err)
        self.papilio("import", "text.txt", "-o", "it.papilio-corpus")
        run = self.papilio("train", "it.papilio-corpus", "-k", 2, "--phrases", "auto", code=65)
        self.assertIn("; this is corpus", run.err)
        (self.path / "one.txt").write_text("new york\ncity\n")
        run = self.papilio("import", "text.txt", "--phrases", "one.txt", "-o", "x", code=65)
        self.assertIn('one.txt: "city" has 1 words; expected phrases of 2 to 16 words, one per line', run.err)
        self.papilio("import", "text.txt", "--phrases", "nowhere.txt", "-o", "x", code=66)
        self.papilio("train", "text.txt", "-k", 2, "--sweeps", 2, "-o", "model")
        run = self.papilio("infer", "model", "new.txt", "-o", "x", "--phrases", "auto", code=64)
        self.assertIn("--phrases is auto, but only phrases that the model knows help here", run.err)
        for option, value in (("threshold", "1.5"), ("threshold", "nan"), ("min-count", "0"), ("length", "1"),
                              ("length", "17"), ("delimiter", ""), ("delimiter", " ")):
            self.papilio("import", "text.txt", "--phrases", "auto", f"--phrase-{option}={value}", "-o", "x", code=64)
        run = self.papilio("import", "-", "--phrases", "-", "-o", "x", code=64)
        self.assertIn("--phrases", run.err)
        run = self.papilio("import", "text.txt", "--phrases", "list.txt", "-o", "list.txt", "--force", code=64)
        self.assertIn("--phrases", run.err)
        self.assertNotIn("x", self.names())


if __name__ == "__main__":
    command_test.COMMAND = sys.argv.pop(1)
    unittest.main()
