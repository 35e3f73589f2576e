"""Corpora and models of other packages."""

import json
import warnings

import numpy as np
import papilio
import pytest
from papilio import interop
from topic_models import corpus, counts

X = counts()


@pytest.fixture(scope="module")
def lda():
    return papilio.LDA(4, max_iter=30, random_state=1, doc_topic_prior=0.2, topic_word_prior=0.05).fit(corpus())


def test_bags_of_words_there_and_back():
    documents, words = interop.bow_from_corpus(corpus())
    back = interop.corpus_from_bow(documents, words)
    assert (papilio.corpus_to_matrix(back) != X).nnz == 0 and back.vocabulary == corpus().vocabulary
    assert interop.corpus_from_bow([[(1, 2.0)], []]).vocabulary == ["0", "1"]
    assert interop.corpus_from_bow([]).documents == 0
    assert interop.corpus_from_bow([[(0, 1)]], ["a", "b"]).vocabulary == ["a", "b"]
    assert interop.corpus_from_bow([[(3, 1)]], {3: "d", 1: "b"}).vocabulary == ["0", "b", "2", "d"]


@pytest.mark.parametrize(
    "documents, words, error, message",
    [
        ([[(0, 0.5)]], None, ValueError, "counts must be whole; entry 0, of word 0, is 0.5"),
        ([[(0, -1)]], None, ValueError, "entry 0, of word 0, is -1"),
        ([[(0.5, 1)]], None, TypeError, "numbered by int"),
        ([[(2, 1)]], ["a"], ValueError, "there are 1 words"),
        ([[(-1, 1)]], ["a"], ValueError, "-1"),
        ([[(0, 1)]], {0: "a", 10**9: "b"}, ValueError, "numbered up to 1000000000"),
        ([[(0, float("nan"))]], None, ValueError, "whole"),
    ],
)
def test_bags_of_words_that_do_not_fit(documents, words, error, message):
    with pytest.raises(error, match=message):
        interop.corpus_from_bow(documents, words)


def test_gensim_corpora_and_dictionaries(tmp_path):
    gensim = pytest.importorskip("gensim")
    texts = [["dogs", "cats", "cats"], ["birds", "dogs"]]
    dictionary = gensim.corpora.Dictionary(texts)
    made = interop.corpus_from_bow([dictionary.doc2bow(text) for text in texts], dictionary)
    assert [made.vocabulary[w] for w in made.words] == ["cats", "cats", "dogs", "dogs", "birds"]

    dictionary.save_as_text(str(tmp_path / "theirs"))
    assert interop.read_dictionary(tmp_path / "theirs") == {n: word for word, n in dictionary.token2id.items()}
    interop.write_dictionary(made, tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    loaded = gensim.corpora.Dictionary.load_from_text(str(tmp_path / "ours"))
    assert loaded.token2id == dictionary.token2id and loaded.dfs == dictionary.dfs


def test_dictionaries_that_are_none(tmp_path):
    path = tmp_path / "dictionary"
    for text, line in [("2\n0\tcats\n", 2), ("0\tcats\t1\n0\tdogs\t1\n", 2), ("x\tcats\t1\n", 1)]:
        path.write_text(text)
        with pytest.raises(papilio.FormatError, match=f"dictionary:{line}: ") as error:
            interop.read_dictionary(path)
        assert error.value.line == line
    with pytest.raises(ValueError, match="could not be read back"):
        interop.write_dictionary(papilio.corpus_from_tokens([["a\tb"]]), path)


def test_gensim_model_has_the_topics(lda):
    pytest.importorskip("gensim")
    model = interop.to_gensim(lda)
    assert np.allclose(model.get_topics(), lda.model_.phi(), rtol=1e-12)
    documents, _ = interop.bow_from_corpus(corpus())
    theirs = np.zeros((120, 4))
    for d, document in enumerate(documents):
        for k, share in model.get_document_topics(document, minimum_probability=0):
            theirs[d, k] = share
    assert (theirs.argmax(axis=1) == lda.transform(X).argmax(axis=1)).mean() > 0.9
    shown = [word for word, _ in model.show_topic(0, 5)]
    assert set(shown) == {word for word, _ in lda.model_.top_words(0, 5)}


def test_scikit_learn_model_has_the_topics(lda):
    pytest.importorskip("sklearn")
    model = interop.to_sklearn(lda)
    assert np.array_equal(model.components_, lda.components_)
    theirs = model.transform(X)
    assert (theirs.argmax(axis=1) == lda.transform(X).argmax(axis=1)).mean() > 0.9
    assert model.perplexity(X) > 1
    assert model.get_feature_names_out().shape == (4,)


def test_columns_of_texts():
    options = {"stop_words": "english"}
    made = papilio.corpus_from_texts(["Cats purr", "dogs bark"], **options)
    for column in (["Cats purr", "dogs bark"], np.array(["Cats purr", "dogs bark"], object)):
        assert interop.corpus_from_column(column, **options).words.tolist() == made.words.tolist()
    with pytest.raises(TypeError, match="document 1 is None"):
        interop.corpus_from_column(["cats", None])
    assert interop.corpus_from_column(["cats", None, float("nan")], missing="empty").documents == 3
    with pytest.raises(ValueError, match="missing"):
        interop.corpus_from_column(["cats"], missing="drop")
    assert interop.corpus_from_column(["cats"], names=[17]).document_names == ["17"]


def test_columns_of_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": ["a", "b"], "text": ["cats purr", None]})
    made = interop.corpus_from_column(frame["text"], names=frame["id"], missing="empty")
    assert made.document_offsets.tolist() == [0, 2, 2] and made.document_names == ["a", "b"]
    strings = pandas.Series(["cats", pandas.NA], dtype="string")
    assert interop.corpus_from_column(strings, missing="empty").documents == 2
    with pytest.raises(TypeError, match="document 1"):
        interop.corpus_from_column(strings)


def test_columns_of_arrow_and_parquet(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    column = pyarrow.chunked_array([["cats purr"], ["dogs", None]])
    for array in (column, column.combine_chunks(), column.cast(pyarrow.large_string())):
        assert interop.corpus_from_column(array, missing="empty").document_offsets.tolist() == [0, 2, 3, 3]
    parquet.write_table(pyarrow.table({"body": column, "id": [1, 2, 3]}), tmp_path / "x.parquet")
    made = interop.corpus_from_parquet(tmp_path / "x.parquet", "body", names="id", missing="empty")
    assert made.document_names == ["1", "2", "3"] and made.vocabulary == ["cats", "purr", "dogs"]
    with pytest.raises((ValueError, KeyError), match="text"):
        interop.corpus_from_parquet(tmp_path / "x.parquet")


def test_mallet_states_go_on(lda, tmp_path):
    lda.save_mallet_state(tmp_path / "state.gz")
    other, documents = interop.from_mallet_state(tmp_path / "state.gz", random_state=1)
    assert other.n_components == 4 and other.n_iter_ == 0
    assert other.doc_topic_prior_.tolist() == [0.2] * 4 and other.topic_word_prior_ == 0.05
    # The state numbers words anew.
    order = [documents.vocabulary.index(word) for word in lda.vocabulary_ if word in documents.vocabulary]
    kept = [w for w, word in enumerate(lda.vocabulary_) if word in documents.vocabulary]
    assert np.array_equal(other.model_.n_wk[order], lda.model_.n_wk[kept])
    assert other.partial_fit(documents, n_sweeps=2).n_iter_ == 2


def test_pyldavis_shows_what_it_would_compute_itself(lda):
    pyLDAvis = pytest.importorskip("pyLDAvis")
    pandas = pytest.importorskip("pandas")
    theta = lda.transform(X).astype(np.float32)
    model = lda.model_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas in pyLDAvis
        theirs = pyLDAvis.prepare(
            model.phi(),
            theta / theta.sum(axis=1, keepdims=True),
            np.diff(corpus().document_offsets),
            model.vocabulary,
            model.n_wk.sum(axis=1),
            n_jobs=1,
        )
    ours = interop.pyldavis(lda, X)
    assert ours.topic_order == theirs.topic_order
    assert list(ours.topic_coordinates.columns) == list(theirs.topic_coordinates.columns)
    assert list(ours.topic_coordinates.index) == list(theirs.topic_coordinates.index)
    assert np.allclose(ours.topic_coordinates["Freq"], theirs.topic_coordinates["Freq"], rtol=1e-4)
    for axis in "xy":  # up to the sign
        assert np.allclose(abs(ours.topic_coordinates[axis]), abs(theirs.topic_coordinates[axis]), atol=1e-6)
    for topic in ("Topic1", "Topic4"):
        terms = [frame[frame["Category"] == topic].set_index("Term") for frame in (ours.topic_info, theirs.topic_info)]
        assert set(terms[0].index) == set(terms[1].index)
        assert np.allclose(terms[0]["logprob"], terms[1].loc[terms[0].index, "logprob"], atol=2e-4)
    assert isinstance(ours.token_table, pandas.DataFrame) and "mdsDat" in ours.to_json()
    assert "LDAvis" in pyLDAvis.prepared_data_to_html(ours)


def test_ldavis_json_of_a_model_alone(lda):
    data = json.loads(interop.ldavis_json(lda.model_, sort_topics=False, terms=5))
    assert data["R"] == 5 and data["topic.order"] == [1, 2, 3, 4]
    share = 100 * lda.model_.n_k / lda.model_.n_k.sum()
    assert np.allclose(data["mdsDat"]["Freq"], share)
    assert data == json.loads(interop.ldavis_json(lda, sort_topics=False, terms=5))
    with pytest.raises(ValueError, match="terms"):
        interop.ldavis_json(lda, terms=0)
