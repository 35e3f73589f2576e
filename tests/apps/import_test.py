"""Runs papilio import, and train on what it reads: python3 import_test.py path/to/papilio."""

import csv
import gzip
import json
import os
import statistics
import subprocess
import sys
import time
import unittest

import command_test

LINES = [line for line in command_test.TEXT.splitlines() if line]
SANITIZED = os.environ.get("PAPILIO_SANITIZED") == "1"


class Import(command_test.CommandTest):
    def setUp(self):
        super().setUp()
        (self.path / "lines.txt").write_text("\n".join(LINES) + "\n")

    def train(self, corpus, *options, **others):
        """The model's bytes."""
        self.papilio("train", corpus, "-k", 3, "--sweeps", 5, "-o", "model", "--force", "-q", *options, **others)
        return self.read("model")

    def write_all_forms(self):
        with open(self.path / "pets.csv", "w", encoding="utf-8") as file:
            csv.writer(file).writerows([["id", "text"], *([f"d{i}", line] for i, line in enumerate(LINES))])
        with open(self.path / "pets.tsv", "w", encoding="utf-8") as file:
            csv.writer(file, delimiter="\t").writerows([["body", "n"], *([line, i] for i, line in enumerate(LINES))])
        lines = [json.dumps({"text": line, "id": i}) for i, line in enumerate(LINES)]
        (self.path / "pets.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
        records = [json.loads(line) for line in lines]
        (self.path / "pets.json").write_text(json.dumps(records, indent=2))
        (self.path / "one_line.json.gz").write_bytes(gzip.compress(json.dumps(records).encode()))
        (self.path / "strings.json").write_text(json.dumps(LINES))
        (self.path / "folder" / "sub").mkdir(parents=True)
        for i, line in enumerate(LINES):
            (self.path / "folder" / "sub" / f"{i}.txt").write_text(line)
        (self.path / "folder" / ".hidden").write_text("hidden")

    def test_every_form_of_a_corpus_gives_the_same_model(self):
        self.write_all_forms()
        expected = self.train("lines.txt")
        self.assertEqual(self.train("pets.csv", "--id-column", "id"), expected)
        self.assertEqual(self.train("pets.tsv", "--text-column", "body"), expected)
        self.assertEqual(self.train("pets.tsv", "--text-column", 1, "--id-column", 2), expected)
        self.assertEqual(self.train("pets.jsonl.gz", "--id-field", "id"), expected)
        self.assertEqual(self.train("pets.json", "--id-field", "id"), expected)
        self.assertEqual(self.train("one_line.json.gz"), expected)
        self.assertEqual(self.train("strings.json"), expected)
        self.assertEqual(self.train("-", "--format", "json", input=self.read("pets.json")), expected)
        self.assertEqual(self.train("folder"), expected)

    def test_a_corpus_file_gives_the_same_model(self):
        expected = self.train("lines.txt")
        self.write_all_forms()
        for corpus in ("lines.txt", "pets.csv", "pets.jsonl.gz", "pets.json", "folder"):
            run = self.papilio("import", corpus, "-o", "it.papilio-corpus", "--force")
            self.assertIn(f"documents   {len(LINES)}\n", run.out)
            self.assertEqual(self.train("it.papilio-corpus"), expected)
        self.papilio("train", "it.papilio-corpus", "-k", 3, "--sweeps", 5)
        self.assertEqual(self.read("it.papilio.safetensors"), expected)

    def test_words_are_left_out_on_import_or_later(self):
        options = ("--min-df", 2, "--stopwords", "english")
        expected = self.train("lines.txt", *options)
        self.papilio("import", "lines.txt", *options)
        self.assertEqual(self.train("lines.papilio-corpus"), expected)
        self.papilio("import", "lines.txt", "--force")
        self.assertEqual(self.train("lines.papilio-corpus", *options), expected)
        self.assertNotEqual(self.train("lines.papilio-corpus"), expected)

    def test_bags_of_words_can_be_imported(self):
        (self.path / "docword.bag.txt").write_text("2\n3\n3\n1 1 2\n1 3 1\n2 2 4\n")
        (self.path / "vocab.bag.txt").write_text("cats\ndogs\nmice\n")
        expected = self.train("docword.bag.txt")
        self.papilio("import", "docword.bag.txt")
        self.assertEqual(self.train("bag.papilio-corpus"), expected)

    def threads_of(self, *arguments):
        """How many threads the command had for most of its time. Those that run its loops stay until it ends."""
        counts = []
        with subprocess.Popen([command_test.COMMAND, *map(str, arguments)], cwd=self.path,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:  # fmt: skip
            while run.poll() is None:
                counts.append(len(os.listdir(f"/proc/{run.pid}/task")))
                time.sleep(0.001)
        self.assertEqual(run.returncode, 0, arguments)
        return statistics.median(counts)

    def test_one_thread_is_all_that_a_corpus_file_takes(self):
        self.papilio("generate", "--documents", 1500, "--words", 500, "-k", 2, "--mean-length", 200, "-o", "large")
        self.papilio("import", "docword.large.txt")
        corpus = "large.papilio-corpus"
        train = ("train", corpus, "-k", 2, "--sweeps", 5, "--evaluate-every", 1, "--held-out", corpus, "-o", "model",
                 "--device", "cpu", "--force")  # fmt: skip
        if len(os.sched_getaffinity(0)) > 1:
            self.assertGreater(self.threads_of(*train), 1)
        for command in (
            train,
            ("infer", "model", corpus, "--sweeps", 5, "--burn-in", 2, "-o", "inferred"),
            ("evaluate", "model", "--held-out", corpus, "--corpus", corpus, "--left-to-right", 1),
            ("choose", corpus, "-k", 2, "--sweeps", 5, "--seeds", 2, "--device", "cpu"),
            ("choose", corpus, "-k", "2,3", "--sweeps", 5, "--seeds", 2, "--device", "cpu"),  # reads what the first did
            ("topics", "model", "--corpus", corpus, "--documents", 1),
            ("report", "model", corpus, "-o", "report.html"),
            ("ldavis", "model", "--corpus", corpus, "-o", "ldavis.html"),
        ):
            with self.subTest(command[0]):
                self.assertEqual(self.threads_of(*command, "--threads", 1), 1)

    def test_replaces_a_file_only_when_told_to(self):
        self.papilio("import", "lines.txt")
        before = self.read("lines.papilio-corpus")
        self.assertIn("--force", self.papilio("import", "lines.txt", code=73).err)
        self.papilio("import", "lines.txt", "--force", "-q")
        self.assertEqual(self.read("lines.papilio-corpus"), before)

    def test_reads_standard_input(self):
        self.papilio("import", "-", "-o", "a", input="\n".join(LINES).encode())
        self.papilio("import", "lines.txt", "-o", "b")
        self.assertEqual(self.read("a"), self.read("b"))

    def test_tells_errors_by_their_codes(self):
        self.papilio("import", "none.csv", code=66)
        self.papilio("import", "lines.txt", "-o", "no/such/folder/x", code=73)
        self.papilio("import", "lines.txt", "-o", "-", code=64)
        self.assertIn("lines.txt", self.papilio("import", "lines.txt", "--text-column", "a", code=65).err)
        self.papilio("import", "lines.txt")
        damaged = bytearray(self.read("lines.papilio-corpus"))
        damaged[-200] ^= 1
        (self.path / "lines.papilio-corpus").write_bytes(damaged)
        self.assertIn("damaged", self.papilio("train", "lines.papilio-corpus", code=65).err)

    @unittest.skipIf(SANITIZED, "sanitizers need memory of their own")
    def test_the_memory_of_an_import_does_not_grow_with_the_tokens(self):
        """8 million tokens, 32 MB of them as words, 96 MB in memory, with 32 MiB to write to."""
        with open(self.path / "long.txt", "wb") as file:
            for _ in range(80):
                file.write(b"aaa bbb ccc ddd eee fff ggg hhh iii jjj\n" * 10000)
        arguments = f"'{command_test.COMMAND}' import long.txt --threads 1 --min-df 2"
        subprocess.run(["/bin/sh", "-c", f"ulimit -d {32 << 10}; exec {arguments}"], cwd=self.path, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertGreater((self.path / "long.papilio-corpus").stat().st_size, 32000000)



class MalletNames(command_test.CommandTest):
    """import-dir and import-file, with the lines that MALLET's tutorials show."""

    def setUp(self):
        super().setUp()
        (self.path / "web" / "en").mkdir(parents=True)
        for i, line in enumerate(LINES):
            (self.path / "web" / "en" / f"{i}.txt").write_text(line)
        (self.path / "named.txt").write_text("".join(f"{i} en {line}\n" for i, line in enumerate(LINES)))

    def words(self, corpus):
        self.papilio("convert", corpus, "-o", "docword.words.txt", "--force")
        return self.read("vocab.words.txt").decode().split()

    def test_a_tutorial_runs(self):
        run = self.papilio("import-dir", "--input", "web/en", "--output", "tutorial.mallet", "--keep-sequence",
                           "--remove-stopwords")
        self.assertIn(f"documents   {len(LINES)}\n", run.out)
        self.papilio("train-topics", "--input", "tutorial.mallet", "--num-topics", 2, "--optimize-interval", 20,
                     "--output-state", "topic-state.gz", "--output-topic-keys", "tutorial_keys.txt",
                     "--output-doc-topics", "tutorial_composition.txt")
        self.assertEqual(len(self.read("tutorial_keys.txt").splitlines()), 2)
        composition = self.read("tutorial_composition.txt").decode().splitlines()
        self.assertEqual(len([line for line in composition if not line.startswith("#")]), len(LINES))

    def test_is_import_under_another_name(self):
        self.papilio("import", "web/en", "-o", "ours", "--stopwords", "english")
        self.papilio("import-dir", "--input", "web/en", "--output", "theirs", "--remove-stopwords", "TRUE")
        self.assertEqual(self.read("theirs"), self.read("ours"))
        self.papilio("import", "named.txt", "--format", "mallet", "-o", "ours", "--force")
        self.papilio("import-file", "--input", "named.txt", "--keep-sequence", "true", "--remove-stopwords", "FALSE",
                     "--token-regex", r"\p{L}[\p{L}\p{P}]+\p{L}", "--encoding", "UTF-8")
        self.assertEqual(self.read("named.papilio-corpus"), self.read("ours"))

    def test_leaves_words_out(self):
        (self.path / "stop.txt").write_text("CAT\n")
        (self.path / "more.txt").write_text("Milk\n")
        self.papilio("import-file", "--input", "named.txt", "--output", "all")
        everything = self.words("all")
        self.assertIn("the", everything)
        self.papilio("import-file", "--input", "named.txt", "--output", "some", "--stoplist-file", "stop.txt",
                     "--remove-stopwords", "--extra-stopwords", "more.txt")
        self.assertEqual(self.words("some"), [word for word in everything if word not in ("cat", "milk")])
        self.papilio("import-file", "--input", "named.txt", "--output", "fewer", "--remove-stopwords",
                     "--extra-stopwords", "more.txt")
        self.assertNotIn("the", self.words("fewer"))
        self.assertIn("cat", self.words("fewer"))
        self.assertNotIn("milk", self.words("fewer"))

    def test_preserves_case(self):
        folded = []
        for command, source in (("import-file", "named.txt"), ("import-dir", "web/en")):
            self.papilio(command, "--input", source, "--output", "cased", "--preserve-case", "--remove-stopwords",
                         "--force")
            words = self.words("cased")
            self.assertIn("Kittens", words)
            self.assertNotIn("The", words)  # stop words are compared without case
            folded.append(sorted({word.lower() for word in words}))
            self.papilio(command, "--input", source, "--output", "folded", "--remove-stopwords", "--force")
            self.assertEqual(sorted(self.words("folded")), folded[-1])
        self.assertEqual(folded[0], folded[1])

    def test_refuses_what_has_no_meaning_by_name(self):
        for options, advice in ((["--token-regex", "[a-z"], "missing ]"),
                                (["--gram-sizes", "1,2"], "single words"),
                                (["--use-pipe-from", "other.mallet"], "by spelling"),
                                (["--skip-html"], "before it is imported"),
                                (["--line-regex", "^(.*)$"], "--text-column"),
                                (["--keep-sequence", "FALSE"], "always keep their order"),
                                (["--encoding", "Latin1"], "iconv")):
            run = self.papilio("import-file", "--input", "named.txt", *options, code=64)
            self.assertIn(options[0], run.err)
            self.assertIn(advice, run.err)
        run = self.papilio("import-dir", "--input", "web/en", "web", code=64)
        self.assertIn("2 paths, expected one", run.err)
        self.papilio("import-dir", code=64)
        self.papilio("import-file", "--input", "nothing", code=66)
        self.assertNotIn("--gram-sizes", self.papilio("import-file", "--help").out)


if __name__ == "__main__":
    command_test.COMMAND = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
