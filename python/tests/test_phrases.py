"""Phrases from Python: found, listed, and those of a model."""

import math

import numpy as np
import pytest

import papilio

TEXTS = ["New York is far, new York", "the far New York is", "is New the York", "New York! Far, is the bill of rights"]


def words(corpus):
    return [corpus.vocabulary[word] for word in corpus.words]


def test_texts_are_read_with_phrases():
    report = papilio.ReadReport()
    corpus = papilio.corpus_from_texts(TEXTS, phrases="auto", phrase_min_count=2, phrase_threshold=0.5, report=report)
    assert corpus.vocabulary == ["new_york", "far", "the", "new", "york", "bill", "rights"]
    assert (report.phrases, report.tokens_joined) == (1, 4)
    listed = papilio.corpus_from_texts(TEXTS, phrases=["bill of rights", "new_york"], stop_words=["new", "of"])
    assert listed.vocabulary == ["new_york", "far", "the", "york", "bill_of_rights"]
    spelled = papilio.corpus_from_texts(["new york"], phrases=["New York"], phrase_delimiter="+")
    assert spelled.vocabulary == ["new+york"]


def test_files_are_read_with_phrases(tmp_path):
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(TEXTS) + "\n")
    assert words(papilio.read_corpus(path, phrases=["new york"])) == words(
        papilio.corpus_from_texts(TEXTS, phrases=["new york"])
    )
    papilio.write_corpus(papilio.read_corpus(path), tmp_path / "it.npz")
    with pytest.raises(ValueError, match="phrases are joined only when text is read .*; this is npz"):
        papilio.read_corpus(tmp_path / "it.npz", phrases="auto")
    (tmp_path / "it.low").write_text("1\nnew york new york\n")
    (tmp_path / "it.mallet").write_text("one label new york new york\n")
    for name in ("low", "mallet"):
        for phrases in ("auto", ["new york"]):
            with pytest.raises(ValueError, match=f"phrases are joined only when text is read .*; this is {name}"):
                papilio.read_corpus(tmp_path / f"it.{name}", phrases=phrases)
        found = papilio.read_corpus(tmp_path / f"it.{name}")
        assert words(papilio.join_phrases(found, ["new york"])) == ["new_york", "new_york"]
    column = papilio.interop.corpus_from_column(TEXTS, phrases="auto", phrase_min_count=2)
    assert "new_york" in column.vocabulary


def test_new_text_gets_the_phrases_of_a_model_or_a_corpus():
    corpus = papilio.corpus_from_texts(TEXTS, phrases=["new york", "bill of rights"])
    model = papilio.train(corpus, topics=2, sweeps=2).model
    for source in (model, corpus, papilio.phrases_in_vocabulary(model.vocabulary)):
        assert words(papilio.corpus_from_texts(TEXTS, phrases=source)) == words(corpus)
    assert papilio.phrases_in_vocabulary(["a", "b-c", "b_c", "_d"]) == ["b_c"]
    assert papilio.phrases_in_vocabulary(["a", "b-c", "b_c"], delimiter="-") == ["b-c"]


def test_phrases_are_found_in_a_corpus():
    corpus = papilio.corpus_from_texts(["new york is far"] * 3 + ["is new"] * 2, min_token_length=1)
    found = papilio.find_phrases(corpus, min_count=3, threshold=0.6, length=2)
    n = len(corpus.words)
    expected = {
        "york_is": math.log(3 * n / (3 * 5)) / math.log(n / 3),
        "new_york": math.log(3 * n / (5 * 3)) / math.log(n / 3),
        "is_far": math.log(3 * n / (5 * 3)) / math.log(n / 3),
    }
    assert {phrase.words for phrase in found} == {words for words, npmi in expected.items() if npmi >= 0.6}
    for phrase in found:
        assert phrase.count == 3
        np.testing.assert_allclose(phrase.npmi, expected[phrase.words], rtol=1e-14)
    joined = papilio.join_phrases(corpus, [phrase.words for phrase in found])
    assert joined.documents == corpus.documents
    assert words(papilio.join_phrases(corpus, ["is far"]))[:3] == ["new", "york", "is_far"]


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"phrases": "new york"}, ValueError, 'phrases is "new york", expected "auto"'),
        ({"phrases": b"auto"}, TypeError, "one bytes"),
        ({"phrases": ["york"]}, ValueError, "has 1 words, expected 2 to 16"),
        ({"phrases": ["new york", 3]}, TypeError, "phrase 1 is 3, expected a str"),
        ({"phrase_threshold": "1"}, TypeError, "phrase_threshold is '1'"),
        ({"phrase_threshold": 2}, ValueError, "threshold is 2, expected -1 to 1"),
        ({"phrase_threshold": math.nan}, ValueError, "expected -1 to 1"),
        ({"phrase_min_count": 0}, ValueError, "phrase_min_count is 0"),
        ({"phrase_min_count": 0.5}, TypeError, "phrase_min_count is 0.5"),
        ({"phrase_length": 17}, ValueError, "phrase_length is 17, expected a whole number from 2 to 16"),
        ({"phrase_delimiter": ""}, ValueError, "delimiter has 0 bytes"),
        ({"phrase_delimiter": 7}, TypeError, "phrase_delimiter is 7, expected a str"),
    ],
)
def test_what_is_wrong_is_said(options, error, message):
    with pytest.raises(error, match=message):
        papilio.corpus_from_texts(TEXTS, **options)


def test_functions_say_what_is_wrong():
    corpus = papilio.corpus_from_texts(TEXTS)
    with pytest.raises(TypeError, match="phrases is one str"):
        papilio.join_phrases(corpus, "new york")
    with pytest.raises(ValueError, match="has 1 words"):
        papilio.join_phrases(corpus, ["york"])
    with pytest.raises(ValueError, match="length is 1"):
        papilio.find_phrases(corpus, length=1)
    with pytest.raises(TypeError, match="did you mean 'min_count'"):
        papilio.find_phrases(corpus, mincount=1)
    with pytest.raises(TypeError, match="delimiter is None"):
        papilio.phrases_in_vocabulary([], delimiter=None)
