"""Tests what ranks read under mpirun, of a build with MPI: corpus files of which each verifies its own documents, and
other files of which each reads a part: python3 ranks_reading_test.py path/to/papilio path/to/mpirun."""

import gzip
import re
import subprocess
import unittest

from ranks_support import ENVIRONMENT, MPIRUN, PAPILIO, TRAIN, TRY_AGAIN, RanksCase, hash_of


class RanksReading(RanksCase):
    # Of a plain file each rank reads a part, of what is compressed rank 0 all.
    def test_what_ranks_read_together_is_what_one_process_reads(self):
        words = (self.shared / "vocab.c.txt").read_text().split()
        lines = self.corpus.read_text().splitlines()
        (self.folder / "docword.z.txt.gz").write_bytes(gzip.compress(self.corpus.read_bytes()))
        (self.folder / "vocab.z.txt").write_text("\n".join(words) + "\n")
        documents = [[] for _ in range(600)]
        for line in lines[3:]:
            document, word, count = map(int, line.split())
            documents[document - 1] += [words[word - 1]] * count
        (self.folder / "text.txt").write_text("".join(" ".join(text) + "\n" for text in documents))
        (self.folder / "text.jsonl").write_text("".join(f'{{"name":{i},"text":"{" ".join(text)}"}}\n'
                                                        for i, text in enumerate(documents)))
        (self.folder / "stop.txt").write_text(f"{words[0]}\n{words[7]}\n")
        subprocess.run([PAPILIO, "import", self.corpus, "-o", self.folder / "mapped"], check=True, capture_output=True)
        outputs = ("--output-doc-topics", "theta.tsv", "--output-state", "state", "--diagnostics-file", "d.xml")
        for corpus, options in ((self.corpus, ()), ("docword.z.txt.gz", ()), ("text.txt", ()),
                                ("text.jsonl", ("--id-column", "name")),
                                (self.corpus, ("--stopwords", "stop.txt", "--min-df", "3", "--max-df", "0.2")),
                                ("mapped", ("--stopwords", "stop.txt", "--min-df", "3", "--max-df", "0.2")),
                                ("text.txt", ("--stopwords", "stop.txt", "--min-df", "3", "--max-df", "0.3"))):
            expected = None
            for ranks in (0, 2, 3):
                code, _, errors = self.run_job(ranks, "--force", *outputs, *options, "--held-out", str(corpus),
                                               corpus=corpus, sweeps=5)
                self.assertEqual(code, 0, errors)
                of_what = ("read ", "held out: ", "left out", "hint")
                told = [line for line in errors.splitlines() if line.startswith(of_what)]
                self.assertGreater(len(told), 1)
                scores = re.findall(r"[\d.]+ held-out perplexity", errors)
                self.assertGreater(len(scores), 0, errors)
                found = (told, scores, [hash_of(self.folder / name) for name in ("m", "theta.tsv", "state", "d.xml")])
                expected = expected or found
                self.assertEqual(found, expected, (corpus, ranks))

    def test_what_ranks_cannot_read_is_told_once(self):
        lines = self.corpus.read_text().splitlines()
        bad = list(lines)
        bad[len(lines) - 2] = "x"
        bad[len(lines) // 2] = "1 y 1"
        for name, content, expected in (
                ("line", "\n".join(bad), f':{len(lines) // 2 + 1}:3: expected "document word count", got "1 y 1"'),
                ("short", "\n".join(lines[:-1]), f":{len(lines) - 1}: expected {lines[2]} entries (line 3: NNZ)"),
                ("empty", "3\n900\n0\n", "holds no words to train on (3 documents; 0 tokens"),
                ("long", "\n".join([*lines, "1 1 1"]), f":{len(lines) + 1}:1: expected the end of the file after")):
            (self.folder / f"docword.{name}.txt").write_text(content)
            alone = self.run_job(0, corpus=f"docword.{name}.txt")
            self.assertIn(expected, alone[2])
            code, _, errors = self.run_job(3, corpus=f"docword.{name}.txt")
            self.assertIn(code, (alone[0], TRY_AGAIN), errors)  # of whichever ended first
            self.assertEqual(errors.count(alone[2].splitlines()[-1]), 1, errors)

    # Of a corpus file each rank reads its own documents.
    def test_corpus_file_gives_the_model_and_checkpoints_of_the_text(self):
        subprocess.run([PAPILIO, "import", self.corpus, "-o", self.folder / "mapped"], check=True, capture_output=True)
        code, _, errors = self.run_job(0, model="text")
        self.assertEqual(code, 0, errors)
        for ranks, resumed_by in ((0, 3), (1, 2), (2, 0), (3, 2)):
            for old in self.folder.glob("kept*"):
                old.unlink()
            options = ("--force", "--checkpoint", "kept", "--held-out", str(self.corpus))
            code, _, errors = self.run_job(ranks, *options, corpus="mapped", sweeps=8)
            self.assertEqual(code, 0, errors)
            code, _, errors = self.run_job(resumed_by, *options, "--resume", corpus="mapped")
            self.assertEqual(code, 0, errors)
            self.assertEqual(hash_of(self.folder / "m"), hash_of(self.folder / "text"), ranks)
        # As the text has it.
        code, _, errors = self.run_job(3, "--force", "--checkpoint", "kept", "--resume", sweeps=30)
        self.assertEqual(code, 0, errors)

    # Its format is known by its first bytes only, and phrases are joined in text alone.
    def test_held_out_documents_that_only_the_first_rank_has(self):
        text = self.folder / "text"
        words = (self.shared / "vocab.c.txt").read_text().split()
        text.write_text("".join(f"{words[i]} {words[7 * i]} new york {words[3 * i]}\n" for i in range(1, 90)))
        (self.folder / "held").write_bytes(gzip.compress(self.corpus.read_bytes()))
        (self.folder / "held.vocab").write_text("york\n" + "\n".join(words[1:]) + "\n")
        (self.folder / "empty").mkdir()
        found = {}
        for ranks in (0, 2):
            job = [MPIRUN, "-n", str(ranks), "sh", "-c",
                   'if [ $OMPI_COMM_WORLD_RANK = 1 ]; then cd empty; fi; exec "$0" "$@"'] if ranks else []
            run = subprocess.run([*job, PAPILIO, "train", text, *TRAIN, "--sweeps", "5", "-o", "m", "--force",
                                  "--phrases", "auto", "--held-out", "held", "--progress", "json"], cwd=self.folder,
                                 env=ENVIRONMENT, text=True, capture_output=True, timeout=120, check=False)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("held (uci)", run.stderr)
            last = [line for line in run.stdout.splitlines() if '"event":"done"' in line]
            found[ranks] = [part for part in last[0].split(",") if "perplexity" in part]
        self.assertIn("held_out_perplexity", found[0][0])
        self.assertNotIn("null", found[0][0])
        self.assertEqual(found[2], found[0])

    def test_corpus_files_that_differ_or_are_damaged(self):
        run = subprocess.run([PAPILIO, "import", self.corpus, "-o", self.folder / "c.0"], check=True,
                             capture_output=True, text=True)
        sound = (self.folder / "c.0").read_bytes()
        at = sound.index(b'"words":{') + len('"words":{"dtype":"I32","shape":[')
        tokens = int(sound[at:sound.index(b"]", at)])
        at = sound.index(b'"data_offsets":[', at) + len('"data_offsets":[')
        begin = 8 + int.from_bytes(sound[:8], "little") + int(sound[at:sound.index(b",", at)])
        self.assertGreater(tokens, 600 * 20, run.stdout)
        last_word = begin + 4 * (tokens - 1)
        damaged = bytearray(sound)
        damaged[last_word] ^= 1  # of the last rank's
        text = self.corpus.read_text().splitlines()
        document, word, count = text[-1].split()
        text[-1] = f"{document} {word} {int(count) + 1}"
        (self.folder / "docword.other.txt").write_text("\n".join(text))
        (self.folder / "vocab.other.txt").write_bytes((self.shared / "vocab.c.txt").read_bytes())
        subprocess.run([PAPILIO, "import", "docword.other.txt", "-o", "other"], cwd=self.folder, check=True,
                       capture_output=True)
        other = (self.folder / "other").read_bytes()
        for content, expected in (
                (damaged, "papilio train: rank 2 of 3 has failed:\npapilio train: c.2: tensor words: the words of "
                          "documents "),
                (other, f'ranks differ: rank 2 has "corpus.tokens {tokens + 1}", rank 0 "corpus.tokens {tokens}"')):
            (self.folder / "c.1").write_bytes(sound)
            (self.folder / "c.2").write_bytes(content)
            script = 'exec "$0" train c.$OMPI_COMM_WORLD_RANK "$@"'
            run = subprocess.run([MPIRUN, "-n", "3", "sh", "-c", script, PAPILIO, *TRAIN, "-o", "m"], cwd=self.folder,
                                 env=ENVIRONMENT, text=True, capture_output=True, timeout=120, check=False)
            self.assertIn(run.returncode, (65, TRY_AGAIN), run.stderr)  # of whichever ended first
            self.assertIn(expected, run.stderr)
            self.assertFalse((self.folder / "m").exists())

    # Which ranks read together, or rank 0 for all; of words that the model does not know too.
    def test_infer_and_evaluate_of_text(self):
        self.assertEqual(self.run_job(0)[0], 0)
        words = (self.shared / "vocab.c.txt").read_text().split()
        text = "".join(f"{words[i]} {words[7 * i]} unknown {words[3 * i]} other{'s' * (i % 3)}\n\n" for i in range(1, 90))
        (self.folder / "text.txt").write_text(text)
        (self.folder / "text.txt.gz").write_bytes(gzip.compress(text.encode()))
        (self.folder / "text.csv").write_text("id,text\n" + "".join(f"d{i},{line}\n"
                                                                    for i, line in enumerate(text.split("\n"))))
        for corpus, options in (("text.txt", ()), ("text.txt.gz", ()), ("text.csv", ("--id-column", "id"))):
            found = {}
            for ranks in (0, 3):
                found[ranks] = []
                for command in (["infer", "m", corpus, "-o", "theta.tsv", "--force", *options],
                                ["evaluate", "m", "--held-out", corpus, "--left-to-right", "2", "--format", "json"]):
                    job = [MPIRUN, "-n", str(ranks)] if ranks else []
                    run = subprocess.run([*job, PAPILIO, *command, "--threads", "1"], cwd=self.folder, env=ENVIRONMENT,
                                         text=True, capture_output=True, timeout=120, check=False)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    self.assertIn("unknown", run.stderr)
                    found[ranks] += [run.stdout, run.stderr]
                found[ranks].append((self.folder / "theta.tsv").read_text())
            self.assertEqual(found[3], found[0], corpus)


if __name__ == "__main__":
    unittest.main()
