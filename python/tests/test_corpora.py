"""Corpora: from matrices, texts, tokens and files, and back."""

import json
import pickle

import numpy as np
import pytest
import scipy.sparse

import papilio

MATRIX = np.array([[2, 0, 1], [0, 0, 0], [0, 3, 1]])
WORDS = [0, 0, 2, 1, 1, 1, 2]

FORMATS = ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"]
INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float16, np.float32, np.float64]


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_dense_counts_of_any_type(dtype):
    corpus = papilio.corpus_from_matrix(MATRIX.astype(dtype))
    assert corpus.words.tolist() == WORDS
    assert corpus.document_offsets.tolist() == [0, 3, 3, 7]
    assert corpus.vocabulary == ["0", "1", "2"]


@pytest.mark.parametrize("kind", ["matrix", "array"])
@pytest.mark.parametrize("form", FORMATS)
def test_sparse_counts_of_any_form(form, kind):
    make = getattr(scipy.sparse, f"{form}_{kind}")
    # Not every form has every type.
    for dtype in (np.int32, np.int64, np.float64):
        X = make(MATRIX.astype(dtype))
        assert papilio.corpus_from_matrix(X).words.tolist() == WORDS
        assert (X.toarray() == MATRIX).all()


def test_bool_lists_and_fortran_order():
    assert papilio.corpus_from_matrix(MATRIX.astype(bool)).words.tolist() == [0, 2, 1, 2]
    assert papilio.corpus_from_matrix(MATRIX.tolist()).words.tolist() == WORDS
    assert papilio.corpus_from_matrix(np.asfortranarray(MATRIX)).words.tolist() == WORDS


def test_entries_that_come_twice_add_up_and_zeros_have_no_part():
    X = scipy.sparse.coo_matrix(([1, 2, 0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    csr = scipy.sparse.csr_matrix((np.array([1, 2, 0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    for matrix in (X, csr):
        assert papilio.corpus_from_matrix(matrix).words.tolist() == [1, 1, 1]
    assert csr.nnz == 3  # the caller's matrix is as it was


def test_matrix_and_corpus_are_each_other():
    X = papilio.corpus_to_matrix(papilio.corpus_from_matrix(MATRIX))
    assert (X.toarray() == MATRIX).all() and X.dtype == np.int64
    empty = papilio.corpus_to_matrix(papilio.corpus_from_tokens([[], []]))
    assert empty.shape == (2, 0)


@pytest.mark.parametrize(
    "X, error, message",
    [
        ([[1, -1]], ValueError, "Negative values in data passed to .*row 0, column 1 is -1"),
        ([[1, 0.5]], ValueError, "whole numbers .*row 0, column 1 is 0.5"),
        ([[0], [np.nan]], ValueError, "NaN or inf.*row 1, column 0 is nan"),
        ([[np.inf]], ValueError, "NaN or inf"),
        ([[2**31]], ValueError, "at most 2147483647: row 0, column 0 is 2147483648"),
        ([1, 2], ValueError, "1 dimension"),
        ([[[1]]], ValueError, "3 dimension"),
        (np.zeros((0, 3)), ValueError, "0 sample"),
        (np.zeros((3, 0)), ValueError, "0 feature"),
        ([[1j]], ValueError, "Complex"),
        ([["cats"]], TypeError, "corpus_from_tokens"),
        (np.array([["cats"]]), TypeError, "expected real numbers"),
        (np.array([["3"]]), TypeError, "expected real numbers"),
        ([[{}]], TypeError, "strings and other objects that are not numbers; entry 0 is {}"),
    ],
)
def test_matrices_that_are_no_counts(X, error, message):
    with pytest.raises(error, match=message):
        papilio.corpus_from_matrix(X)
    if error is ValueError and np.ndim(X) == 2 and np.size(X) and np.asarray(X).dtype.kind in "if":
        with pytest.raises(error, match=message):
            papilio.corpus_from_matrix(scipy.sparse.csr_matrix(np.array(X)))


def test_fractions_are_rounded_only_where_asked():
    assert papilio.corpus_from_matrix([[0.4, 1.6, 2.5]], fractional="round").words.tolist() == [1, 1, 2, 2]


def test_words_of_the_columns():
    with pytest.raises(ValueError, match="2 words for 3 columns"):
        papilio.corpus_from_matrix(MATRIX, vocabulary=["a", "b"])
    with pytest.raises(ValueError, match="'a' occurs twice"):
        papilio.corpus_from_matrix(MATRIX, vocabulary=["a", "b", "a"])
    with pytest.raises(TypeError, match="word 1 is 2"):
        papilio.corpus_from_matrix(MATRIX, vocabulary=["a", 2, "c"])
    corpus = papilio.corpus_from_matrix(MATRIX, vocabulary=("ä", "b", "c"), names=["x", "y", "z"])
    assert corpus.vocabulary == ["ä", "b", "c"] and corpus.document_names == ["x", "y", "z"]
    with pytest.raises(ValueError, match="names"):
        papilio.corpus_from_matrix(MATRIX, names=["x"])


def test_corpora_are_checked_and_cannot_be_written():
    with pytest.raises(ValueError):
        papilio.Corpus(np.array([0, 2]), np.array([0, 5], np.int32), ["a"])
    with pytest.raises(ValueError):
        papilio.Corpus(np.array([1, 2]), np.array([0, 0], np.int32), ["a"])
    for offsets, columns, counts in [([0, 2], [0, 1], [1, 1]), ([0, 1], [0], [-1]), ([0, 3], [0], [1]), ([], [], [])]:
        with pytest.raises(ValueError):
            papilio.Corpus.from_counts(
                np.array(offsets, np.int64), np.array(columns, np.int32), np.array(counts, np.int64), ["a"]
            )
    corpus = papilio.corpus_from_matrix(MATRIX)
    with pytest.raises(ValueError):
        corpus.words[0] = 7
    words = corpus.words
    del corpus
    assert words.tolist() == WORDS  # the view keeps what it shows


def test_pickled_corpora_are_the_same():
    corpus = papilio.corpus_from_tokens([["b", "a"], ["b"]], names=["x", "y"])
    other = pickle.loads(pickle.dumps(corpus))
    assert other.words.tolist() == corpus.words.tolist()
    assert other.document_offsets.tolist() == corpus.document_offsets.tolist()
    assert (other.vocabulary, other.document_names) == (corpus.vocabulary, corpus.document_names)


def test_texts_go_through_the_tokenizer_of_the_readers(tmp_path):
    texts = ["Cats AND dogs", "", "the Übung: x-ray, don't", "cats"]
    (tmp_path / "texts.txt").write_text("\n".join(texts) + "\n")
    options = {"stop_words": ["and"], "min_df": 1, "threads": 2}
    report, read = papilio.ReadReport(), papilio.ReadReport()
    made = papilio.corpus_from_texts(texts, report=report, **options)
    other = papilio.read_corpus(tmp_path / "texts.txt", report=read, **options)
    assert made.vocabulary == other.vocabulary == ["cats", "dogs", "the", "übung", "x-ray", "don't"]
    assert made.words.tolist() == other.words.tolist()
    assert report.stop_words_dropped == read.stop_words_dropped == 1
    assert report.empty_documents == 1


def test_texts_that_are_none():
    for texts, message in [(["a", None], "document 1 is None"), ([float("nan")], "nan"), ([b"cats"], "b'cats'")]:
        with pytest.raises(TypeError, match=message):
            papilio.corpus_from_texts(texts)
    with pytest.raises(TypeError, match="one str"):
        papilio.corpus_from_texts("cats")
    with pytest.raises(TypeError, match="document 0"):
        papilio.corpus_from_tokens(["cats"])
    with pytest.raises(ValueError, match="max_df"):
        papilio.corpus_from_texts(["cats"], max_df=0)
    with pytest.raises(ValueError, match="stop_words is 'germann', expected .* one of catalan, .*; did you mean 'german'"):
        papilio.corpus_from_texts(["cats"], stop_words="germann")
    for no_language in ("", "english,", "English", "english, german"):
        with pytest.raises(ValueError, match="stop_words"):
            papilio.corpus_from_texts(["cats"], stop_words=no_language)
    with pytest.raises(UnicodeEncodeError):
        papilio.corpus_from_texts(["\ud800"])


def test_stop_words_of_languages():
    languages = papilio.stop_word_languages()
    assert len(languages) == 20 and languages == sorted(languages)
    assert papilio.stop_words("english") == papilio.english_stop_words()
    for language in languages:
        words = papilio.stop_words(language)
        assert 350 <= len(words) <= 900 and words == sorted(set(words))
    texts = ["The ship und die Welle, daß außer rope"]
    for stop_words, left in [
        ("english", ["ship", "und", "die", "welle", "dass", "ausser", "rope"]),
        ("german", ["the", "ship", "welle", "rope"]),
        ("english,german", ["ship", "welle", "rope"]),
        (papilio.stop_words("german") + ["ship"], ["the", "welle", "rope"]),
    ]:
        assert papilio.corpus_from_texts(texts, stop_words=stop_words).vocabulary == left
    for none in ("klingon", "german,english", "", "German"):
        with pytest.raises(ValueError, match="expected an iterable of words or one of catalan, "):
            papilio.stop_words(none)


def test_frequent_stop_words_are_a_warning(tmp_path, recwarn):
    text = "the ship and the wave with the mast from the rope into the reef that this have been not"
    path = tmp_path / "text"
    path.write_text(text)
    makers = {"corpus_from_texts": lambda **o: papilio.corpus_from_texts([text], **o),
              "read_corpus": lambda **o: papilio.read_corpus(path, **o)}
    for name, make in makers.items():
        message = (
            rf"papilio.{name}: 10 of the 15 most frequent words are stop words \(the, and, with, ...\); "
            r'stop_words="english" leaves such words out'
        )
        for threads in (1, 3):
            with pytest.warns(UserWarning, match=message) as caught:
                make(threads=threads)
            assert len(caught) == 1 and caught[0].filename == __file__
    recwarn.clear()
    for make in makers.values():
        make(stop_words="english")
        make(stop_words=["the"])
    papilio.corpus_from_texts(["cats chase mice"])
    assert not recwarn


def test_tokens_with_a_vocabulary():
    corpus = papilio.corpus_from_tokens([["b", "x", "a"], []], vocabulary=["a", "b", "c"])
    assert corpus.words.tolist() == [1, 0] and corpus.vocabulary == ["a", "b", "c"]


@pytest.mark.parametrize("name", ["docword.x.txt", "x.ldac", "x.svm", "x.mtx", "x.npz", "x.papilio-corpus", "x.txt"])
def test_files_come_back(tmp_path, name):
    corpus = papilio.corpus_from_tokens([["dogs", "cats", "cats"], ["dogs"]], vocabulary=["cats", "dogs"])
    path = tmp_path / name
    papilio.write_corpus(corpus, path)
    read = papilio.read_corpus(path)
    assert sorted(read.vocabulary) == ["cats", "dogs"]
    back = papilio.corpus_to_matrix(read)
    order = [back.shape[1] - 1, 0] if name == "x.txt" else [0, 1]  # text numbers words by first occurrence
    assert back.toarray()[:, order].tolist() == [[2, 1], [0, 1]]


@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "x.csv", "x.tsv.gz", "x.mallet"])
def test_names_of_formats_that_are_only_read(tmp_path, name):
    corpus = papilio.corpus_from_tokens([["dogs", "cats", "cats"], ["dogs"]])
    path = tmp_path / name
    with pytest.raises(ValueError, match=rf"{name}' is that of a \w+ file, which is only read; give format=\"text\""):
        papilio.write_corpus(corpus, path)
    assert not path.exists()
    papilio.write_corpus(corpus, path, format="text")
    assert papilio.read_corpus(path, format="text").vocabulary == ["dogs", "cats"]


def test_json_arrays_are_read(tmp_path):
    records = [{"id": n, "text": text} for n, text in enumerate(["cats chase mice", "", "dogs chase cats"])]
    (tmp_path / "x.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (tmp_path / "x.json").write_text(json.dumps(records, indent=4))
    (tmp_path / "strings.json").write_text(json.dumps([record["text"] for record in records]))
    expected = papilio.read_corpus(tmp_path / "x.jsonl", id_column="id")
    report = papilio.ReadReport()
    for options in ({}, {"format": "json"}):
        read = papilio.read_corpus(tmp_path / "x.json", id_column="id", text_column="text", report=report, **options)
        assert report.format == "json" and read.document_names == expected.document_names == ["0", "1", "2"]
        assert read.words.tolist() == expected.words.tolist() and read.vocabulary == expected.vocabulary
    strings = papilio.read_corpus(tmp_path / "strings.json")
    assert strings.words.tolist() == expected.words.tolist() and strings.vocabulary == expected.vocabulary
    with pytest.raises(papilio.FormatError, match="expected an object with a field \"body\"") as error:
        papilio.read_corpus(tmp_path / "strings.json", text_column="body")
    assert error.value.line == 1
    with pytest.raises(papilio.FormatError, match='in Python format="json", reads an array'):
        papilio.read_corpus(tmp_path / "x.json", format="jsonl")


def test_mapped_corpora_train_as_others(tmp_path):
    corpus = papilio.generate_corpus(documents=50, vocabulary=40, topics=3)
    papilio.write_corpus(corpus, tmp_path / "x.papilio-corpus")
    mapped = papilio.open_corpus(tmp_path / "x.papilio-corpus")
    assert mapped.is_mapped and not corpus.is_mapped
    a, b = (papilio.train(x, topics=3, sweeps=5).model for x in (corpus, mapped))
    assert np.array_equal(a.n_wk, b.n_wk)


def test_errors_of_files_are_those_of_python(tmp_path):
    with pytest.raises(FileNotFoundError):
        papilio.read_corpus(tmp_path / "none.txt")
    (tmp_path / "docword.bad.txt").write_text("1\n1\n1\n1 2 x\n")
    with pytest.raises(papilio.FormatError) as error:
        papilio.read_corpus(tmp_path / "docword.bad.txt")
    assert error.value.line == 4
    with pytest.raises(ValueError, match="unknown corpus format"):
        papilio.read_corpus(tmp_path, format="word")


def test_npz_of_scipy_is_the_matrix(tmp_path):
    scipy.sparse.save_npz(tmp_path / "x.npz", scipy.sparse.csr_matrix(MATRIX))
    read, made = papilio.read_corpus(tmp_path / "x.npz", min_df=0), papilio.corpus_from_matrix(MATRIX)
    assert read.words.tolist() == made.words.tolist() and read.vocabulary == made.vocabulary


def test_held_out_documents():
    training, held_out = papilio.hold_out_every(papilio.generate_corpus(documents=10), 5)
    assert (len(training), len(held_out)) == (8, 2)


def test_what_a_word_is():
    def words(text, **options):
        return papilio.corpus_from_texts([text], **options).vocabulary

    text = "GPT-4, 5G and AI in 2020"
    assert words(text) == ["gpt", "and"]
    assert words(text, min_token_length=2) == ["gpt", "and", "ai", "in"]
    assert words(text, words="mixed") == ["gpt-4", "5g", "and"]
    assert words(text, words="numbers") == ["gpt-4", "5g", "and", "2020"]
    assert words(text, token_pattern=r"\w+") == ["gpt", "4", "5g", "and", "ai", "in", "2020"]
    assert words("#cats no #dogs", token_pattern=r"#(\w+)") == ["cats", "dogs"]
    with pytest.raises(ValueError, match=r"token_pattern is \"\(a\": missing \): \(a at character 1"):
        words(text, token_pattern="(a")
    with pytest.raises(ValueError, match="expected one of letters, mixed, numbers, icu"):
        words(text, words="digits")
    with pytest.raises(ValueError, match="words is mixed and there is a token_pattern"):
        words(text, words="mixed", token_pattern="a")


def test_text_without_spaces():
    text = "我爱北京天安门广场"
    with pytest.warns(UserWarning, match='1 of 1 words are long runs of Chinese.*words="icu"'):
        assert papilio.corpus_from_texts([text]).vocabulary_size == 1
    if papilio.icu_version():
        assert "北京" in papilio.corpus_from_texts([text], words="icu").vocabulary
    else:
        with pytest.raises(ValueError, match="this build has no ICU; install libicu-dev"):
            papilio.corpus_from_texts([text], words="icu")


def test_a_report_says_what_was_left_out(tmp_path):
    texts = ["the cats of 1999 purr", "the cats sleep", "the dogs bark", "the 7 dogs"]
    report = papilio.ReadReport()
    options = {"stop_words": ["the"], "min_df": 2, "max_vocabulary": 1, "report": report}
    papilio.corpus_from_texts(texts, **options)
    left_out = {reason: (words.tokens, words.words, words.examples) for reason, words in report.left_out.items()}
    assert left_out == {
        "too_short": (1, 1, ["of"]),
        "number": (2, 2, ["1999", "7"]),
        "stop_word": (4, 1, ["the"]),
        "min_df": (3, 3, ["bark", "purr", "sleep"]),
        "max_vocabulary": (2, 1, ["dogs"]),
    }
    assert report.describe_left_out().startswith("left out 12 tokens: words that are too short (1 token, 1 different: of)")
    assert repr(report.left_out["number"]) == "LeftOutWords(2 tokens of 2 words: 1999, 7)"
    (tmp_path / "texts.txt").write_text("\n".join(texts))
    papilio.read_corpus(tmp_path / "texts.txt", **options)
    assert {reason: words.tokens for reason, words in report.left_out.items()} == {
        reason: words[0] for reason, words in left_out.items()
    }
    papilio.corpus_from_texts(["cats"], report=report)
    assert report.left_out == {} and report.describe_left_out() == ""


def test_words_that_a_model_does_not_know():
    model = papilio.train(papilio.corpus_from_texts(["cats purr", "dogs bark"]), topics=2, sweeps=2).model
    unknown = papilio.unknown_words(model, papilio.corpus_from_texts(["cats and cows and dogs"]))
    assert (unknown.tokens, unknown.words, unknown.examples) == (3, 2, ["and", "cows"])
    with pytest.raises(TypeError):
        papilio.unknown_words(model, ["cats"])
