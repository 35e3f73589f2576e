"""Seed words on the command line: python3 seed_words_test.py path/to/papilio."""

import gzip
import json
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMMAND = ""
WORDS = "cat dog bird fish horse".split(), "star moon planet comet galaxy".split()


class SeedWords(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        documents = [" ".join(WORDS[d % 2][(d * 3 + i * i) % 5] for i in range(9 + d % 4)) for d in range(60)]
        (self.path / "text.txt").write_text("\n".join(documents) + "\n")
        self.seeds("1: cat dog\n3: star moon\n")

    def seeds(self, text):
        (self.path / "seeds.txt").write_text(text)

    def papilio(self, *arguments, code=0):
        done = subprocess.run([COMMAND, *map(str, arguments)], cwd=self.path, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stdout.decode(), done.stderr.decode()

    def train(self, *arguments, k=5, sweeps=30, code=0):
        return self.papilio("train", "text.txt", "-k", k, "--sweeps", sweeps, "--device", "cpu", "--seed-words",
                            "seeds.txt", "-o", "model", "--force", *arguments, code=code)

    def test_topics_have_their_words(self):
        for seed in range(4):
            _, err = self.train("--seed", seed)
            self.assertIn("seed words: 4 in 2 topics\n", err)
            out, _ = self.papilio("topics", "model", "-n", 2)
            rows = {int(line.split()[0]): line.split()[2:] for line in out.splitlines() if line.split()[0].isdigit()}
            self.assertEqual(set(rows[1]), {"cat", "dog"})
            self.assertEqual(set(rows[3]), {"star", "moon"})

    def test_inspect_lists_them(self):
        self.seeds("1: cat dog\n3 weight 7: star moon\n")
        self.train()
        out, _ = self.papilio("inspect", "model")
        self.assertIn("seed words  4 in 2 topics\n  topic 1: cat (100) dog (100)\n  topic 3: star (7) moon (7)\n",
                      out)
        self.train("--seed-weight", 20)
        self.assertIn("topic 1: cat (20) dog (20)\n  topic 3: star (7) moon (7)\n", self.papilio("inspect", "model")[0])

    def test_same_bytes_for_any_number_of_threads(self):
        for k in (5, 40):  # dense, sparse
            self.train("--threads", 1, k=k)
            one = (self.path / "model").read_bytes()
            self.train("--threads", 3, k=k)
            self.assertEqual((self.path / "model").read_bytes(), one)

    def test_resumes_with_the_same_words_only(self):
        self.train()
        whole = (self.path / "model").read_bytes()
        (self.path / "model").unlink()
        arguments = ["--checkpoint", "chain", "--checkpoint-every", 10]
        self.train(*arguments, sweeps=10)
        self.train(*arguments, "--resume")
        self.assertEqual((self.path / "model").read_bytes(), whole)
        self.train(*arguments, sweeps=10)
        self.seeds("1: cat dog\n3: star\n")
        _, err = self.train(*arguments, "--resume", code=65)
        self.assertIn("the checkpoint belongs to another run: --seed-words is \"4 words in 2 topics, ", err)
        _, err = self.papilio("train", "text.txt", "-k", 5, "--sweeps", 30, *arguments, "-o", "model", "--resume",
                              code=65)
        self.assertIn(", expected none", err)

    def test_counts_words_that_the_corpus_lacks(self):
        self.seeds("0: cat Dog wolf\n")
        _, err = self.train()
        self.assertIn("papilio train: warning: 2 seed words are not in the vocabulary, left out: Dog, wolf\n", err)
        _, err = self.train("-q")
        self.assertIn("2 seed words are not in the vocabulary", err)
        self.seeds("0: cat wolf\n")
        self.assertIn("warning: 1 seed word is not in the vocabulary, left out: wolf\n", self.train()[1])

    def test_refuses_what_does_not_fit(self):
        for text, message in [("0: wolf\n", "seeds.txt:1: none of the words for topic 0 is in the vocabulary"),
                              ("5: cat\n", "seeds.txt:1: the topic is \"5\", expected 0 to 4"),
                              ("0 weight 0: cat\n", "seeds.txt:1: the weight is \"0\", expected 1 to 1000000"),
                              ("0: cat cat\n", "seeds.txt:1: topic 0 has the word \"cat\" twice"),
                              ("", "--seed-words seeds.txt: no words, expected a line per topic")]:
            self.seeds(text)
            self.assertIn(message, self.train(code=65)[1])
        self.assertIn("--seed-weight", self.train("--seed-weight", 0, code=64)[1])
        self.papilio("train", "text.txt", "-k", 5, "--seed-weight", 5, "-o", "model", "--force", code=64)
        (self.path / "seeds.txt").unlink()
        self.assertIn("seeds.txt", self.train(code=66)[1])
        self.assertFalse((self.path / "model").exists())

    def test_never_overwrites_its_own_input(self):
        self.papilio("train", "text.txt", "-k", 5, "--seed-words", "seeds.txt", "-o", "seeds.txt", "--force", code=64)
        self.assertEqual((self.path / "seeds.txt").read_text(), "1: cat dog\n3: star moon\n")

    def test_outputs_have_weights_and_states_tokens(self):
        self.train("--topic-word-weights-file", "weights.tsv", "--output-state", "state.gz")
        tokens = [line.split(" ") for line in gzip.decompress((self.path / "state.gz").read_bytes()).decode()
                  .splitlines()[3:]]
        for line in (self.path / "weights.tsv").read_text().splitlines():
            topic, word, weight = line.split("\t")
            seed = 100 if (topic, word) in {("1", "cat"), ("1", "dog"), ("3", "star"), ("3", "moon")} else 0
            n = sum(1 for token in tokens if token[4] == word and token[5] == topic)
            self.assertAlmostEqual(float(weight), n + seed + 0.01)

    def test_files_without_them_have_the_version_before(self):
        def header(name):
            data = (self.path / name).read_bytes()
            return json.loads(data[8 : 8 + struct.unpack("<Q", data[:8])[0]])

        self.train()
        self.assertEqual(header("model")["__metadata__"]["format_version"], "3")
        self.assertEqual(header("model")["seed_words"]["shape"], [4, 3])
        self.papilio("train", "text.txt", "-k", 5, "--sweeps", 3, "-o", "model", "--force")
        self.assertEqual(header("model")["__metadata__"]["format_version"], "2")
        self.assertNotIn("seed_words", header("model"))


if __name__ == "__main__":
    COMMAND = str(Path(sys.argv.pop(1)).resolve())
    unittest.main()
