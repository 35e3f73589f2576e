"""mypy finds nothing in a program of a user, and finds what is wrong in one that is."""

import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("mypy")
PROGRAM = pathlib.Path(__file__).with_name("typed_program.txt")  # a program, but none for pytest to collect
WRONG = """
import papilio

lda = papilio.LDA(n_components="two")
corpus: int = papilio.corpus_from_texts(["a b"])
lda.fit(corpus).scores(corpus)
papilio.LDA(sampler="gibbs")
texts = papilio.corpus_from_texts(["a b"])
papilio.train(texts, topic=3)
papilio.train(texts, sampler="gibbs")
state = papilio.load_checkpoint(texts, "chain", sweep=3)
papilio.save_checkpoint(state, texts, "chain", seed="1")
papilio.interop.corpus_from_column(["a b"], min_length=2)
"""
FOUND = [
    "arg-type",
    "assignment",
    "attr-defined",
    "arg-type",
    "call-arg",
    "arg-type",
    "call-arg",
    "arg-type",
    "call-arg",
]


def test_a_typed_program(tmp_path):
    right, wrong = tmp_path / "right.py", tmp_path / "wrong.py"
    right.write_text(PROGRAM.read_text())
    wrong.write_text(WRONG)
    line = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--cache-dir",
        tmp_path / "cache",
        right,
        wrong,
    ]
    done = subprocess.run(line, capture_output=True, text=True, cwd=tmp_path)
    found = done.stdout.splitlines()
    errors = [text for text in found if ": error: " in text]
    assert [text.rpartition("[")[2].rstrip("]") for text in errors] == FOUND, done.stdout
    assert all(text.startswith("wrong.py:") for text in found)
