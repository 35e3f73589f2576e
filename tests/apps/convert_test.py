"""Runs papilio convert from end to end: python3 convert_test.py path/to/papilio."""

import io
import os
import sys
import unittest
import zipfile

import command_test

DOCWORD = "3\n4\n5\n1 2 1\n1 4 2\n3 1 1\n3 2 3\n3 4 1\n"
WORDS = "cats\ndogs\nmice\nstars\n"


class Convert(command_test.CommandTest):
    def setUp(self):
        super().setUp()
        (self.path / "docword.a.txt").write_text(DOCWORD)
        (self.path / "vocab.a.txt").write_text(WORDS)

    def test_every_form_comes_back_to_the_same_bytes(self):
        source = "docword.a.txt"
        for number, ending in enumerate(("ldac", "svmlight", "mtx", "npz", "papilio-corpus")):
            run = self.papilio("convert", source, "-o", f"x{number}.{ending}")
            self.assertIn(f"read {source} (", run.out)
            self.assertIn("3 documents, 4 words, 8 tokens", run.out)
            source = f"x{number}.{ending}"
        self.papilio("convert", source, "-o", "docword.b.txt")
        self.assertEqual(self.read("docword.b.txt").decode(), DOCWORD)
        self.assertEqual(self.read("vocab.b.txt").decode(), WORDS)
        self.assertEqual(self.read("x0.ldac.vocab").decode(), WORDS)
        self.assertNotIn("x4.papilio-corpus.vocab", self.names())

    def test_every_form_trains_the_same_model(self):
        self.papilio("train", "docword.a.txt", "-k", 2, "--sweeps", 5, "-o", "model")
        for ending in ("ldac", "svm", "mm", "npz"):
            self.papilio("convert", "docword.a.txt", "-o", f"x.{ending}")
            self.papilio("train", f"x.{ending}", "-k", 2, "--sweeps", 5, "-o", f"model.{ending}")
            self.assertEqual(self.read(f"model.{ending}"), self.read("model"), ending)

    def test_zip_archives_are_sound(self):
        self.papilio("convert", "docword.a.txt", "-o", "x.npz")
        with zipfile.ZipFile(io.BytesIO(self.read("x.npz"))) as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(sorted(archive.namelist()),
                             ["data.npy", "format.npy", "indices.npy", "indptr.npy", "shape.npy"])
            self.assertEqual(archive.read("format.npy")[-3:], b"csr")

    def test_standard_output_has_no_words_beside_it(self):
        run = self.papilio("convert", "docword.a.txt", "-o", "-", "--to", "ldac", "--min-df", "1")
        self.assertEqual(run.out, "2 1:1 2:2\n0\n3 0:1 1:3 2:1\n")
        self.assertIn("wrote - (ldac)", run.err)
        run = self.papilio("convert", "-", "--from", "ldac", "-o", "-", "--to", "text", "--vocabulary", "vocab.a.txt",
                           input=b"2 1:1 3:2\n0\n1 0:1\n")
        self.assertEqual(run.out, "dogs stars stars\n\ncats\n")

    def test_transposed_matrices_and_first_ids(self):
        (self.path / "t.mtx").write_text("%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 3 7\n2 1 1\n")
        self.papilio("convert", "t.mtx", "--transposed", "-o", "t.svmlight")
        self.assertEqual(self.read("t.svmlight"), b"0 2:1\n0\n0 1:7\n")
        (self.path / "f.svmlight").write_bytes(self.read("t.svmlight"))  # without the words beside it
        self.papilio("convert", "f.svmlight", "--first-id", 0, "-o", "f.ldac")
        self.assertEqual(self.read("f.ldac"), b"1 2:1\n0\n1 1:7\n")

    def test_tells_errors_by_their_codes(self):
        (self.path / "bad.ldac").write_text("1 0:x\n")
        run = self.papilio("convert", "bad.ldac", "-o", "x.mtx", code=65)
        self.assertEqual(run.err, 'papilio convert: bad.ldac:1:5: expected "M id:count ...", got "1 0:x" '
                                  '(count is not a number)\n')
        self.assertNotIn("x.mtx", self.names())
        self.papilio("convert", "none.mtx", "-o", "x.ldac", code=66)
        self.papilio("convert", "docword.a.txt", "-o", "x.unknown", code=64)
        self.papilio("convert", "docword.a.txt", "-o", "x.low", code=64)
        self.papilio("convert", "docword.a.txt", "-o", "x.mtx.gz", code=64)
        self.papilio("convert", "docword.a.txt", "-o", "x.txt", "--output-vocabulary", "v", code=64)
        self.papilio("convert", "docword.a.txt", "-o", "none/x.mtx", code=73)
        self.papilio("convert", "docword.a.txt", "-o", "x.mtx")
        self.papilio("convert", "docword.a.txt", "-o", "x.mtx", code=73)
        self.papilio("convert", "docword.a.txt", "-o", "x.mtx", "--force")


if __name__ == "__main__":
    command_test.COMMAND = os.path.abspath(sys.argv.pop(1))
    unittest.main()
