"""What `papilio train` writes beside the model, by MALLET's names: python3 outputs_test.py path/to/papilio."""

import collections
import gzip
import math
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

COMMAND = ""
WORDS = "cat dog bird fish horse".split(), "star moon planet comet galaxy".split()


class Outputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        documents = [" ".join(WORDS[d % 2][(d * 3 + i * i) % 5] for i in range(9 + d % 4)) for d in range(40)]
        (self.path / "text.txt").write_text("\n".join(documents + [""]) + "\n")

    def papilio(self, *arguments, code=0):
        done = subprocess.run([COMMAND, *map(str, arguments)], cwd=self.path, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done.stdout.decode()

    def train(self, *arguments, code=0):
        return self.papilio("train-topics", "text.txt", "--num-topics", 2, "--num-iterations", 20, "--device", "cpu",
                            "--force", *arguments, code=code)

    def state(self, name="state.gz"):
        """alpha, beta and (document, word, topic) of each token."""
        lines = gzip.decompress((self.path / name).read_bytes()).decode().splitlines()
        self.assertEqual(lines[0], "#doc source pos typeindex type topic")
        alpha = [float(x) for x in lines[1].removeprefix("#alpha : ").split()]
        beta = float(lines[2].removeprefix("#beta : "))
        tokens = [line.split(" ") for line in lines[3:]]
        return alpha, beta, [(int(t[0]), t[4], int(t[5])) for t in tokens]

    def test_state_and_what_follows_from_it(self):
        self.train("--output-state", "state.gz", "--output-doc-topics", "doc.tsv", "--diagnostics-file", "d.xml",
                   "--topic-word-weights-file", "weights.tsv", "--output-topic-keys", "keys.tsv", "--num-top-words", 4)
        alpha, beta, tokens = self.state()
        counts = collections.Counter((word, topic) for _, word, topic in tokens)
        of_topic = collections.Counter(topic for _, _, topic in tokens)

        rows = [line.split("\t") for line in (self.path / "doc.tsv").read_text().splitlines()]
        self.assertEqual(len(rows), 41)
        for number, name, *theta in rows:
            self.assertEqual(number, name)
            here = collections.Counter(topic for d, _, topic in tokens if d == int(number))
            for k in range(2):
                expected = (here[k] + alpha[k]) / (sum(here.values()) + sum(alpha))
                self.assertAlmostEqual(float(theta[k]), expected, places=6)

        for line in (self.path / "weights.tsv").read_text().splitlines():
            topic, word, weight = line.split("\t")
            self.assertAlmostEqual(float(weight), counts[word, int(topic)] + beta, places=9)
        self.check_diagnostics(tokens, counts, of_topic, beta)

    def check_diagnostics(self, tokens, counts, of_topic, beta):
        words = sorted({word for _, word, _ in tokens})
        documents = {word: {d for d, w, _ in tokens if w == word} for word in words}
        for topic in xml.parse(self.path / "d.xml").getroot():
            k = int(topic.get("id"))
            self.assertEqual(float(topic.get("tokens")), of_topic[k])
            p = {w: counts[w, k] / of_topic[k] for w in words if counts[w, k]}
            self.assertAlmostEqual(float(topic.get("uniform_dist")),
                                   sum(x * math.log(x * len(words)) for x in p.values()), places=3)
            self.assertAlmostEqual(float(topic.get("eff_num_words")), 1 / sum(x * x for x in p.values()), places=3)
            of_document = collections.Counter(d for d, _, t in tokens if t == k)
            entropy = -sum(n / of_topic[k] * math.log(n / of_topic[k]) for n in of_document.values())
            self.assertAlmostEqual(float(topic.get("document_entropy")), entropy, places=3)
            top = [word.text for word in topic]
            self.assertEqual(len(top), min(4, len(p)))
            coherence = sum(math.log((len(documents[a] & documents[b]) + beta) / len(documents[b]))
                            for i, a in enumerate(top) for b in top[:i])
            self.assertAlmostEqual(float(topic.get("coherence")), coherence, places=3)

    def test_a_state_begins_a_run(self):
        self.train("--output-state", "state.gz", "-o", "first")
        # The subjects keep the topics that they begin with, also where these are exchanged.
        lines = gzip.decompress((self.path / "state.gz").read_bytes()).decode().splitlines()
        other = [line if line[0] == "#" else f"{line[:-1]}{1 - int(line[-1])}" for line in lines]
        (self.path / "other.txt.gz").write_bytes(gzip.compress("\n".join(other).encode()))
        self.train("--input-state", "other.txt.gz", "--output-state", "again.gz", "-o", "second")
        pairs = list(zip(self.state()[2], self.state("again.gz")[2]))
        self.assertTrue(all(a[:2] == b[:2] for a, b in pairs))
        self.assertGreater(sum(a[2] != b[2] for a, b in pairs), 0.9 * len(pairs))
        self.papilio("train", "text.txt", "-k", 1, "--input-state", "state.gz", "--force", code=64)
        (self.path / "other.txt").write_text("cat dog\n")
        self.papilio("train", "other.txt", "-k", 2, "--input-state", "state.gz", code=65)
        (self.path / "broken").write_text("0 NA 0 0 cat x\n")
        self.train("--input-state", "broken", code=65)

    def test_numpy_forms(self):
        self.train("--output-doc-topics", "doc.npy", "--topic-word-weights-file", "phi.npy")
        for name, rows, columns in (("doc.npy", 41, 2), ("phi.npy", 2, 10)):
            data = (self.path / name).read_bytes()
            self.assertEqual(data[:8], b"\x93NUMPY\x01\x00")
            length = struct.unpack("<H", data[8:10])[0]
            self.assertIn(f"({rows}, {columns})", data[10:10 + length].decode())
            values = struct.unpack(f"<{rows * columns}f", data[10 + length:])
            for row in range(rows):
                self.assertAlmostEqual(sum(values[row * columns:(row + 1) * columns]), 1, places=5)
        self.train("--output-doc-topics", "doc.npy", "--doc-topics-max", 1, code=64)

    def test_samplers_schedules_and_priors_have_names(self):
        for sampler in ("collapsed", "phi_collapsed", "theta_collapsed", "uncollapsed", "mean_for_mode"):
            self.train("--sampler", sampler, "--optimize-interval", 5, "--optimize-burn-in", 5, "-q")
        self.train("--schedule", "sequential", "--alpha-sum", 5, "--partial-sums", "butterfly_swap_remnant_first", "-q")
        self.train("--alpha-sum", 5, "--alpha", 1, code=64)

    def test_manual_and_completions(self):
        page = self.papilio("man")
        self.assertTrue(page.startswith(".TH PAPILIO 1"))
        self.assertIn("\\-\\-output\\-state", page)
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("--output-state" if shell != "fish" else "-l output-state",
                          self.papilio("completion", shell))
        script = self.papilio("completion", "bash")
        self.assertEqual(subprocess.run(["bash", "-n"], input=script.encode(), timeout=60).returncode, 0)
        self.papilio("completion", "tcsh", code=64)


if __name__ == "__main__":
    COMMAND = str(Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1], verbosity=2)
