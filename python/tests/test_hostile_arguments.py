"""Numbers, file names and processes from outside: threads, exit, names that are not UTF-8."""

import os
import pathlib
import subprocess
import sys
import tempfile
import textwrap

import numpy as np
import pytest
from topic_models import corpus, counts

import papilio
from papilio import interop

DOCUMENTS = corpus(20)
MODEL = papilio.train(DOCUMENTS, topics=3, sweeps=2, threads=1).model
FOLDER = tempfile.TemporaryDirectory()
CORPUS_FILE = pathlib.Path(FOLDER.name, "c.papilio-corpus")
papilio.write_corpus(DOCUMENTS, CORPUS_FILE)
WEIGHTS = np.ones((4, 3))
THREADED = {
    "sample_categorical": lambda n: papilio.sample_categorical(WEIGHTS, seed=1, threads=n),
    "sample_products": lambda n: papilio.sample_products(WEIGHTS, WEIGHTS, seed=1, threads=n),
    "AliasTable": lambda n: papilio.AliasTable([1, 2]).sample(3, seed=1, threads=n),
    "CumulativeTable": lambda n: papilio.CumulativeTable([1, 2]).sample(3, seed=1, threads=n),
    "choice": lambda n: papilio.choice(2, 3, seed=1, threads=n),
    "reduce_by_index": lambda n: papilio.reduce_by_index([0, 1], [1, 2], 2, threads=n),
    "segmented_reduce": lambda n: papilio.segmented_reduce([1, 2], [0, 2], threads=n),
    "scan": lambda n: papilio.scan([1, 2], threads=n),
    "segmented_scan": lambda n: papilio.segmented_scan([1, 2], [0, 2], threads=n),
    "compact": lambda n: papilio.compact([1, 2], [0, 1], threads=n),
    "transpose": lambda n: papilio.transpose(np.ones((2, 3)), threads=n),
    "corpus_from_texts": lambda n: papilio.corpus_from_texts(["cats"], threads=n),
    "corpus_from_column": lambda n: interop.corpus_from_column(["cats"], threads=n),
    "read_corpus": lambda n: papilio.read_corpus(os.devnull, format="text", threads=n),
    "open_corpus": lambda n: papilio.open_corpus(CORPUS_FILE, threads=n),
    "generate_corpus": lambda n: papilio.generate_corpus(documents=3, vocabulary=30, topics=2, threads=n),
    "train": lambda n: papilio.train(DOCUMENTS, topics=2, sweeps=1, threads=n),
    "infer": lambda n: papilio.infer(MODEL, DOCUMENTS, sweeps=2, burn_in=1, threads=n),
    "complete_documents": lambda n: papilio.complete_documents(MODEL, DOCUMENTS, threads=n),
    "left_to_right": lambda n: papilio.left_to_right(MODEL, DOCUMENTS, particles=1, threads=n),
    "coherence": lambda n: papilio.coherence(MODEL, DOCUMENTS, threads=n),
    "log_joint": lambda n: papilio.log_joint(DOCUMENTS, np.zeros(DOCUMENTS.tokens, int), [0.1], 0.1, threads=n),
    "ldavis_json": lambda n: interop.ldavis_json(MODEL, threads=n),
}


@pytest.mark.parametrize("function", THREADED)
def test_threads(function):
    call = THREADED[function]
    for wrong in (2.5, "4", True, np.float64(1), None, [1], np.array([1, 2])):
        with pytest.raises(TypeError, match="threads is .*expected a whole number from 1 to 4096, or 0 for all"):
            call(wrong)
    for wrong in (-1, 4097, 2**31, 2**40, 2**64, np.int64(-1)):
        with pytest.raises(ValueError, match="threads is .*expected a whole number from 1 to 4096, or 0 for all"):
            call(wrong)
    for right in (0, 1, 4096, np.int8(2), np.uint64(3)):
        call(right)


def test_n_jobs():
    for wrong in (2.5, "4", True):
        with pytest.raises(TypeError, match="n_jobs"):
            papilio.LDA(2, n_jobs=wrong).fit(counts())
    for wrong in (0, 2**40, 4097):
        with pytest.raises(ValueError, match="n_jobs"):
            papilio.LDA(2, n_jobs=wrong).fit(counts())


@pytest.mark.parametrize(
    "call, error, message",
    [
        (lambda: papilio.corpus_from_texts(["a"], min_df=0.5), TypeError, "min_df is 0.5, expected a number of documents"),
        (lambda: papilio.corpus_from_texts(["a"], max_df="all"), TypeError, "max_df is 'all', expected a share"),
        (lambda: papilio.corpus_from_texts(["a"], max_df=True), TypeError, "max_df is True"),
        (lambda: papilio.corpus_from_texts(["a"], max_vocabulary=1e3), TypeError, "max_vocabulary is 1000.0"),
        (lambda: papilio.corpus_from_texts(["a"], min_token_length=2.0), TypeError, "min_token_length is 2.0"),
        (lambda: papilio.corpus_from_texts(["a"], stop_words=[1]), TypeError, "stop_words: word 0 is 1, expected a str"),
        (lambda: papilio.train(DOCUMENTS, sweeps=2.5), TypeError, "sweeps is 2.5, expected a whole number"),
        (lambda: papilio.train(DOCUMENTS, sweeps=True), TypeError, "sweeps is True"),
        (lambda: papilio.train(DOCUMENTS, topics=2**40), ValueError, "topics is 1099511627776, expected"),
        (lambda: papilio.train(DOCUMENTS, alpha="0.1"), TypeError, "alpha is '0.1', expected a number"),
        (lambda: papilio.train(DOCUMENTS, progress=3), TypeError, "progress is 3, expected a function"),
        (lambda: papilio.infer(MODEL, DOCUMENTS, sweeps=1.5), TypeError, "sweeps is 1.5"),
        (lambda: papilio.infer(MODEL, DOCUMENTS, seed=-1), ValueError, "seed is -1"),
        (lambda: papilio.infer(MODEL, DOCUMENTS, device="tpu"), ValueError, "tpu"),
        (lambda: papilio.complete_documents(MODEL, DOCUMENTS, device="tpu"), ValueError, "tpu"),
        (lambda: papilio.infer(3, DOCUMENTS), TypeError, "model is a int, expected a papilio.Model or a fitted papilio.LDA"),
        (lambda: papilio.infer(MODEL, ["a"]), TypeError, "corpus is a list, expected a papilio.Corpus"),
        (lambda: papilio.coherence(MODEL, DOCUMENTS, top_words=2.5), TypeError, "top_words is 2.5"),
        (lambda: papilio.left_to_right(MODEL, DOCUMENTS, particles=2**40), ValueError, "particles is 1099511627776"),
        (lambda: papilio.generate_corpus(documents=1e3), TypeError, "documents is 1000.0"),
        (lambda: papilio.generate_corpus(length_spread="1"), TypeError, "length_spread is '1', expected a number"),
        (lambda: papilio.generate_corpus(length_spread=float("nan")), ValueError, "length_spread is nan, expected 0 to 5"),
        (lambda: papilio.generate_corpus(length_spread=-0.5), ValueError, "length_spread is -0.5, expected 0 to 5"),
        (lambda: papilio.generate_corpus(length_spread=1e308), ValueError, r"length_spread is 1e\+308, expected 0 to 5"),
        (lambda: papilio.hold_out_every(DOCUMENTS, 2.5), TypeError, "every is 2.5"),
        (lambda: papilio.diversity(MODEL, "ten"), TypeError, "top_words is 'ten'"),
        (lambda: papilio.AliasTable([1, 2]).sample(2.5, seed=1), TypeError, "size is 2.5"),
        (lambda: papilio.AliasTable([1, 2]).sample(-1, seed=1), ValueError, "size is -1"),
    ],
)  # fmt: skip
def test_numbers(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_evaluation_takes_an_lda():
    lda = papilio.LDA(3, max_iter=5, random_state=0).fit(DOCUMENTS)
    assert papilio.coherence(lda, DOCUMENTS).mean == papilio.coherence(lda.model_, DOCUMENTS).mean
    assert (papilio.infer(lda, DOCUMENTS).theta == papilio.infer(lda.model_, DOCUMENTS).theta).all()
    assert papilio.diversity(lda) == papilio.diversity(lda.model_)
    assert papilio.complete_documents(lda, DOCUMENTS).perplexity > 1


# Processes


def python(code, timeout=120):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=timeout
    )


DAEMON = """
    import threading, time
    import numpy as np, papilio
    weights = np.ones((20000, 64), np.float32)
    corpus = papilio.generate_corpus(documents=300, vocabulary=200, topics=5)

    def draw():
        while True:
            papilio.sample_categorical(weights, seed=1)

    def train():
        while True:
            papilio.train(corpus, topics=50, sweeps=50, progress=lambda p: True)

    for work in (draw, draw, train):
        threading.Thread(target=work, daemon=True).start()
    time.sleep({})
"""


def test_a_daemon_thread_at_exit():
    for pause in (0.0, 0.02, 0.05, 0.11, 0.2, 0.3):
        done = python(DAEMON.format(pause))
        assert (done.returncode, done.stderr) == (0, ""), pause


def test_atexit_functions_may_draw():
    done = python(
        """
        import atexit
        atexit.register(lambda: print(papilio.sample_categorical(np.ones((2, 1)), seed=1)))  # runs after papilio's own
        import numpy as np, papilio
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "[0 0]\n", "")


# Names of files


class PathLike:
    def __init__(self, name):
        self.name = name

    def __fspath__(self):
        return self.name


def names(folder):
    """One name, not UTF-8, in every form that Python has for it."""
    raw = os.fsencode(folder) + b"/caf\xe9"
    return [raw, os.fsdecode(raw), pathlib.Path(os.fsdecode(raw)), PathLike(raw), PathLike(os.fsdecode(raw))]


@pytest.mark.parametrize("form", range(5))
def test_names_that_are_not_utf_8(form, tmp_path):
    name = names(tmp_path)[form]
    raw = os.fsencode(name)
    papilio.write_corpus(DOCUMENTS, name, format="npz")
    assert os.path.exists(raw + b".vocab")
    assert papilio.read_corpus(name, format="npz").tokens == DOCUMENTS.tokens
    assert papilio.read_corpus(name, format="npz", vocabulary=raw + b".vocab").tokens == DOCUMENTS.tokens
    papilio.write_corpus(DOCUMENTS, name, format="corpus")
    assert papilio.open_corpus(name).tokens == papilio.read_corpus(name).tokens == DOCUMENTS.tokens
    papilio.save_model(MODEL, name)
    assert papilio.load_model(name).topics == 3
    lda = papilio.LDA(3, max_iter=2, random_state=0).fit(DOCUMENTS)
    lda.save(name)
    assert papilio.LDA.load(name).model_.topics == 3
    lda.save_chain(name)
    papilio.LDA(3, max_iter=2, random_state=0).load_chain(name, DOCUMENTS)
    options = {"topics": 3, "sweeps": 2}
    result = papilio.train(DOCUMENTS, checkpoint=name, checkpoint_every=1, **options)
    assert papilio.load_checkpoint(DOCUMENTS, name, **options).sweep in (1, 2)
    papilio.save_checkpoint(result.topics, DOCUMENTS, name, **options)
    pathlib.Path(os.fsdecode(name)).write_bytes(b"damaged")
    with pytest.warns(UserWarning, match=r"caf\\xe9"):
        papilio.load_checkpoint(DOCUMENTS, name, **options)
    papilio.write_mallet_state(DOCUMENTS, result.topics, result.model, name)
    assert papilio.read_mallet_state(name)[2] == 3
    assert interop.from_mallet_state(name)[1].tokens == DOCUMENTS.tokens
    lda.save_mallet_state(name)
    interop.write_dictionary(DOCUMENTS, name)
    assert len(interop.read_dictionary(name)) == DOCUMENTS.vocabulary_size
    pathlib.Path(os.fsdecode(name)).write_bytes(b"x\ty\n")
    with pytest.raises(papilio.FormatError):
        interop.read_dictionary(name)


def test_parquet_in_a_file_whose_name_is_not_utf_8(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    with open(names(tmp_path)[0], "wb") as file:
        pyarrow.parquet.write_table(pyarrow.table({"text": ["cats purr"]}), file)
    for name in names(tmp_path):
        assert interop.corpus_from_parquet(name).documents == 1


def test_errors_name_files_that_are_not_utf_8(tmp_path):
    for name in names(tmp_path):
        with pytest.raises(FileNotFoundError, match=r"caf\\xe9"):
            papilio.load_model(name)
        with pytest.raises(FileNotFoundError, match=r"caf\\xe9"):
            papilio.read_corpus(name, format="text")
    pathlib.Path(names(tmp_path)[1]).write_bytes(b"no model")
    with pytest.raises(papilio.FormatError, match=r"caf\\xe9"):
        papilio.load_model(names(tmp_path)[0])


def test_a_folder_of_files_whose_names_are_not_utf_8(tmp_path):
    for name in (b"caf\xe9.txt", b"tea.txt"):
        (tmp_path / os.fsdecode(name)).write_bytes(b"cats purr")
    read = papilio.read_corpus(tmp_path, format="folder")
    assert [os.fsencode(name) for name in read.document_names] == [b"caf\xe9.txt", b"tea.txt"]
    again = papilio.Corpus(read.document_offsets, read.words, read.vocabulary, read.document_names)
    assert again.document_names == read.document_names


def test_names_that_no_file_can_have():
    for name in ("a\0b", b"a\0b", pathlib.Path("a\0b")):
        with pytest.raises(ValueError, match="null character"):
            papilio.load_model(name)
    for name in (3, None, 2.5):
        with pytest.raises(TypeError, match="path"):
            papilio.load_model(name)
