"""What an LDA knows of its training documents, and the names that its words get."""

import warnings

import numpy as np
import papilio
import pytest
from papilio import interop
from papilio._lda import NotFittedError
from topic_models import corpus, counts

TEXTS = ["cats purr and cats sleep", "dogs bark at cats", "stars shine", "the moon and the stars"] * 5


@pytest.fixture(scope="module")
def lda():
    return papilio.LDA(4, max_iter=20, random_state=1, doc_topic_prior=[0.1, 0.2, 0.3, 0.4]).fit(corpus())


def rows(table):
    """The rows of a table, a data frame or a list."""
    return table.to_dict("records") if hasattr(table, "to_dict") else table


def test_topics_of_the_tokens_are_those_of_the_chain(lda):
    direct = papilio.train(
        corpus(), topics=4, sweeps=20, seed=1, topic_alpha=[0.1, 0.2, 0.3, 0.4], beta=0.25, evaluate_every=10
    )
    assert lda.topics_.dtype == np.int32 and np.array_equal(lda.topics_, direct.topics.z)
    n_wk = np.zeros((80, 4), np.int32)
    np.add.at(n_wk, (corpus().words, lda.topics_), 1)
    assert np.array_equal(n_wk, lda.model_.n_wk)


def test_theta_of_the_training_documents(lda):
    theta = lda.document_topics_
    offsets, alpha = corpus().document_offsets, lda.doc_topic_prior_
    assert theta.shape == (120, 4) and theta.dtype == np.float64
    for d in (0, 17, 119):
        n_dk = np.bincount(lda.topics_[offsets[d] : offsets[d + 1]], minlength=4)
        assert np.allclose(theta[d], (n_dk + alpha) / (n_dk.sum() + alpha.sum()), rtol=1e-14)
    assert np.allclose(theta.sum(axis=1), 1)
    empty = papilio.LDA(2, max_iter=2, random_state=1).fit(np.array([[0, 0], [3, 1], [0, 0]]))
    assert empty.document_topics_[[0, 2]].tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_further_documents_join_the_tables():
    lda = papilio.LDA(4, max_iter=5, random_state=1).fit(corpus())
    more = papilio.corpus_to_matrix(corpus(10, 9))
    lda.partial_fit(papilio.corpus_from_matrix(more, vocabulary=corpus().vocabulary), n_sweeps=2)
    assert lda.document_topics_.shape == (130, 4)
    assert len(lda.topics_) == corpus().tokens + int(more.sum())


def test_further_documents_keep_the_names():
    first = papilio.corpus_from_tokens([["a", "b"], ["b"]], names=["x", "y"])
    more = papilio.corpus_from_tokens([["b"], ["a"]], vocabulary=["a", "b"], names=["z", "y"])
    unnamed = papilio.corpus_from_tokens([["a", "a"]], vocabulary=["a", "b"])
    lda = papilio.LDA(1, max_iter=1, random_state=1)
    for documents, expected in (
        (first, ["x", "y"]),
        (unnamed, ["x", "y", ""]),
        (more, ["x", "y", "", "z", "y"]),
    ):
        lda.partial_fit(documents, n_sweeps=1)
        assert lda._fitted.corpus.document_names == expected
    assert [row["name"] for row in rows(lda.representative_documents(9))] == ["x", "", "y", "z", "y"]
    lda = papilio.LDA(1, max_iter=1, random_state=1).fit(unnamed).partial_fit(np.array([[1, 0]]))
    assert lda._fitted.corpus.document_names == []
    lda.partial_fit(more)
    assert lda._fitted.corpus.document_names == ["", "", "z", "y"]


@pytest.mark.parametrize("given", [str, str.split], ids=["texts", "lists of words"])
def test_partial_fit_reads_further_texts_with_the_words_of_the_fit(given):
    first, further = [given(text) for text in TEXTS], [given(text) for text in ("dogs purr comets stars", "comets")]
    lda = papilio.LDA(2, max_iter=5, random_state=1).fit(first)
    words = lda.vocabulary_
    lda.partial_fit(further, n_sweeps=2)
    assert lda.vocabulary_ == words and "comets" not in words
    joined = lda._fitted.corpus
    assert [words[word] for word in joined.words[joined.document_offsets[20] :]] == ["dogs", "purr", "stars"]
    assert joined.documents == 22 and joined.document_offsets[-2:].tolist() == [joined.tokens] * 2
    twin = papilio.LDA(2, max_iter=5, random_state=1).fit(first)
    twin.partial_fit(papilio.corpus_from_tokens([["dogs", "purr", "stars"], []], vocabulary=words), n_sweeps=2)
    assert np.array_equal(lda.components_, twin.components_)
    assert lda.partial_fit(first + further, n_sweeps=1)._fitted.corpus.documents == 22  # the same, which go on


def test_partial_fit_of_a_corpus_with_other_words_says_what_works():
    lda = papilio.LDA(2, max_iter=5, random_state=1).fit(TEXTS)
    with pytest.raises(ValueError, match=r"corpus_from_tokens\(lists_of_words, vocabulary=lda\.vocabulary_\)"):
        lda.partial_fit(papilio.corpus_from_texts(["cats purr"]))
    lda.partial_fit(papilio.corpus_from_tokens([["cats", "purr", "comets"]], vocabulary=lda.vocabulary_))
    assert lda._fitted.corpus.documents == 21


def test_a_batch_that_is_given_again_warns():
    batches = [counts(30)[first : first + 10] for first in (0, 10, 20)]
    lda = papilio.LDA(2, max_iter=2, random_state=1).fit(batches[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lda.partial_fit(batches[0]).partial_fit(batches[1]).partial_fit(batches[2])
        lda.partial_fit(batches[1][:1]).partial_fit(batches[1][:1])  # one document may well occur twice
        lda.partial_fit(np.zeros((2, 80), int)).partial_fit(np.zeros((2, 80), int))
    for batch, place in ((batches[0], "first"), (batches[1], None), (batches[1], "last")):
        with warnings.catch_warnings(record=True) as given:
            warnings.simplefilter("always")
            lda.partial_fit(batch)
        found = [str(warning.message) for warning in given]
        assert len(found) == (place is not None)
        for warning in given:
            expected = f"the 10 documents of X equal the {place} ones of the chain; if they are these, they now count twice"
            assert expected in found[0]
            assert warning.category is UserWarning and warning.filename == __file__


def test_texts_for_a_model_with_numbers_for_words():
    """All of them would be the prior."""
    lda = papilio.LDA(2, max_iter=5, random_state=1).fit(counts())
    unknown = "the model has no words, only the numbers 0 to 79 of its columns, so it knows none of the 2 words"
    for given in (["cats purr"], [["cats", "purr"]], papilio.corpus_from_texts(["cats purr"])):
        with pytest.raises(ValueError, match=unknown):
            lda.transform(given)
    for call in (papilio.infer, lambda *given: papilio.infer(*given, method="em")):
        with pytest.raises(ValueError, match=r"such as \"cats\"; expected counts with the model's columns, or"):
            call(lda, papilio.corpus_from_texts(["cats purr"]))
    with pytest.raises(ValueError, match="partial_fit: the model has the numbers of its 80 columns for words"):
        lda.partial_fit(["cats purr"])
    assert lda.transform([["7", "79"], ["cats"]]).shape == (2, 2)  # numbers are words too
    assert np.array_equal(lda.transform([["80"], []])[0], lda.transform([[], ["80"]])[0])  # as in a corpus of counts
    named = papilio.LDA(2, max_iter=5, random_state=1).fit(corpus())
    assert np.allclose(named.transform(["cats purr"]), 0.5)  # none of the words of one document


def test_partial_fit_tells_texts_from_columns_as_transform_does():
    """As UCI files without a vocabulary have them, columns may begin at 1; and numbers may be words of texts."""
    lda = papilio.LDA(2, max_iter=5, random_state=1).fit([["1", "2"], ["2", "3", "3"]])
    with pytest.raises(ValueError, match="the model has no words, only the numbers 1 to 3 of its columns"):
        lda.transform(["cats purr"])
    with pytest.raises(ValueError, match="partial_fit: the model has the numbers of its 3 columns for words"):
        lda.partial_fit(["cats purr"])
    lda.partial_fit([["4"], ["cats", "3"]])
    assert [lda.vocabulary_[word] for word in lda._fitted.corpus.words[5:]] == ["3"]


def test_representative_documents_have_the_largest_shares(lda):
    table = rows(lda.representative_documents(3))
    assert [(row["topic"], row["rank"]) for row in table] == [(k, rank) for k in range(4) for rank in (1, 2, 3)]
    theta = lda.document_topics_
    for k in range(4):
        shares = [row["share"] for row in table if row["topic"] == k]
        assert shares == sorted(theta[:, k], reverse=True)[:3]
    assert all(row["share"] == theta[row["document"], row["topic"]] and "name" not in row for row in table)
    # Nothing of a topic is no document of it; names are shown; of two that are equal, the first.
    named = papilio.corpus_from_tokens([["a"], ["b", "b"], ["b", "b"], []], names=["x", "y", "z", "empty"])
    one = papilio.LDA(1, max_iter=1, random_state=0).fit(named)
    assert [row["name"] for row in rows(one.representative_documents(9))] == ["y", "z", "x"]
    with pytest.raises(ValueError, match="n is 0"):
        lda.representative_documents(0)
    with pytest.raises(TypeError, match="n is 2.5"):
        lda.representative_documents(2.5)


def test_a_model_without_a_chain_says_so(lda, tmp_path):
    lda.save(tmp_path / "model")
    loaded = papilio.LDA.load(tmp_path / "model")
    for attempt in (
        lambda model: model.topics_,
        lambda model: model.document_topics_,
        lambda model: model.representative_documents(),
    ):
        with pytest.raises(NotFittedError, match="has no chain"):
            attempt(loaded)
        with pytest.raises(NotFittedError, match="not fitted"):
            attempt(papilio.LDA(2))


def test_words_of_a_pipeline():
    text = pytest.importorskip("sklearn.feature_extraction.text")
    from sklearn.pipeline import make_pipeline

    vectorizer = text.CountVectorizer()
    plain = make_pipeline(vectorizer, papilio.LDA(2, max_iter=20, random_state=1)).fit(TEXTS)
    lda = plain[-1]
    numbers = rows(lda.topics(3))[0]["words"].split()
    names = vectorizer.get_feature_names_out()
    expected = " ".join(names[int(number)] for number in numbers)
    for vocabulary in (vectorizer, plain[:-1], vectorizer.vocabulary_, names.tolist()):
        assert rows(lda.topics(3, vocabulary=vocabulary))[0]["words"] == expected
    assert rows(lda.topic_words(1, vocabulary=vectorizer))[0]["word"] == expected.split()[0]
    again = make_pipeline(vectorizer, papilio.LDA(2, max_iter=20, random_state=1))
    again.fit(TEXTS, lda__vocabulary=vectorizer)
    assert rows(again[-1].topics(3))[0]["words"] == expected and again[-1].vocabulary_ == names.tolist()
    with pytest.raises(ValueError, match=r"LDA\.topics: vocabulary has 2 words for"):
        lda.topics(vocabulary=["a", "b"])
    with pytest.raises(ValueError, match="'a' occurs twice"):
        lda.topics(vocabulary=["a"] * len(names))
    made = papilio.corpus_from_matrix(vectorizer.transform(TEXTS), vocabulary=vectorizer)
    assert made.vocabulary == names.tolist()


def test_texts_are_read_as_corpus_from_texts_reads_them():
    made = papilio.corpus_from_texts(TEXTS)
    fitted = papilio.LDA(2, max_iter=5, random_state=1).fit(made)
    theta = fitted.transform(made)
    texts = [TEXTS, tuple(TEXTS), np.array(TEXTS), np.array(TEXTS, object)]
    if _pandas():
        texts.append(_pandas().Series(TEXTS, index=range(5, 5 + len(TEXTS))))
    for X in texts:
        again = papilio.LDA(2, max_iter=5, random_state=1).fit(X)
        assert again.vocabulary_ == made.vocabulary and again.n_features_in_ == made.vocabulary_size
        assert np.array_equal(again.components_, fitted.components_)
        assert np.array_equal(again.transform(X), theta) and again.perplexity(X) == fitted.perplexity(made)
    words = [text.lower().split() for text in TEXTS]
    by_words = papilio.LDA(2, max_iter=5, random_state=1).fit(words)
    assert by_words.vocabulary_ == papilio.corpus_from_tokens(words).vocabulary
    assert by_words.transform([["unheard"]]).tolist() == [[0.5, 0.5]]
    with pytest.raises(ValueError, match="vocabulary cannot be given with a corpus or texts"):
        papilio.LDA(2).fit(TEXTS, vocabulary=["a"])


def test_lists_of_words_may_begin_with_an_empty_document():
    words = [[], [], *(text.lower().split() for text in TEXTS)]
    made = papilio.corpus_from_tokens(words)
    for documents in (words, tuple(map(tuple, words)), np.array([*words, None], object)[:-1]):
        fitted = papilio.LDA(2, max_iter=5, random_state=1).fit(documents)
        assert fitted.vocabulary_ == made.vocabulary and fitted.document_topics_.shape == (22, 2)
    assert fitted.transform([[], ["cats"]]).shape == (2, 2)
    with pytest.raises(TypeError, match="X is lists of words"):
        papilio.corpus_from_matrix(words)
    with pytest.raises(TypeError, match="document 0 is None, expected its words"):
        papilio.LDA(2).fit([None, ["cats"]])
    with pytest.raises(TypeError, match="document 0 is None, expected a str"):
        papilio.LDA(2).fit([None, "cats"])


@pytest.mark.parametrize("package", ["pyarrow", "polars", "pandas"])
def test_columns_of_texts_and_of_words(package):
    module = pytest.importorskip(package)
    words = [[], *(text.lower().split() for text in TEXTS)]
    if package == "pyarrow":
        makers = [module.array, lambda x: module.chunked_array([x[:3], x[3:]]), lambda x: module.table({"x": x})["x"]]
    else:
        makers = [module.Series, lambda x: module.DataFrame({"x": x})["x"]]
    for make in makers:
        for given in (TEXTS, words):
            fitted = papilio.LDA(2, max_iter=5, random_state=1).fit(given)
            again = papilio.LDA(2, max_iter=5, random_state=1).fit(make(given))
            assert again.vocabulary_ == fitted.vocabulary_
            assert np.array_equal(again.components_, fitted.components_)
            assert np.array_equal(again.transform(make(given)), fitted.transform(given))
        assert papilio.corpus_from_tokens(make(words)).vocabulary == papilio.corpus_from_tokens(words).vocabulary
        titles = [row["text"] for row in rows(fitted.typical_documents(make(TEXTS), documents=1))]
        assert titles and set(titles) <= set(TEXTS)
        with pytest.raises(TypeError, match="X is texts, .*corpus_from_texts"):
            papilio.corpus_from_matrix(make(TEXTS))
        for missing in (None, float("nan"), module.NA) if package == "pandas" else (None,):
            for given, one in ((["cats", "dogs"], "a str"), ([["cats"], ["dogs"]], "its words")):
                for place in (0, 1):
                    column = make([*given[:place], missing, *given[place:]])
                    with pytest.raises(TypeError, match=f"document {place} is (None|nan|<NA>), expected {one}"):
                        papilio.LDA(2).fit(column)
        with pytest.raises(ValueError, match="Reshape your data"):
            papilio.LDA(2).fit(make([1, 2, 3]))
    table = module.table({"a": [1, 2], "b": [3, 0]}) if package == "pyarrow" else module.DataFrame({"a": [1, 2], "b": [3, 0]})
    by_table = papilio.LDA(2, max_iter=5, random_state=1).fit(table)
    assert np.array_equal(by_table.components_, papilio.LDA(2, max_iter=5, random_state=1).fit([[1, 3], [2, 0]]).components_)


def _pandas():
    try:
        import pandas
    except ImportError:
        return None
    return pandas


def test_texts_in_place_of_a_matrix_say_what_to_call():
    fitted = papilio.LDA(2, max_iter=2, random_state=1).fit(TEXTS)
    with pytest.raises(TypeError, match=r"X is texts, .*papilio\.corpus_from_texts\(X\) makes one"):
        papilio.corpus_from_matrix(TEXTS)
    with pytest.raises(TypeError, match=r"X is lists of words, .*corpus_from_tokens\(X\)"):
        papilio.corpus_from_matrix([["cats", "purr"], ["dogs"]])
    for call in (papilio.LDA(2).fit, fitted.transform, papilio.corpus_from_matrix):
        with pytest.raises(TypeError, match="X is one text, expected documents; put it in a list"):
            call("one text")
    with pytest.raises(TypeError, match="document 1 is None"):
        papilio.LDA(2).fit(["cats", None])
    with pytest.raises(ValueError, match="Reshape your data"):
        papilio.LDA(2).fit([1, 2, 3])


def test_gensim_finds_topics_of_words_and_coherence():
    gensim = pytest.importorskip("gensim")
    lda = papilio.LDA(4, max_iter=20, random_state=1).fit(corpus())
    model = interop.to_gensim(lda)
    assert isinstance(model.id2word, gensim.corpora.Dictionary) and model.id2word[3] == corpus().vocabulary[3]
    bags, _ = interop.bow_from_corpus(corpus())
    words = [[corpus().vocabulary[w] for w in bag_of(bag)] for bag in bags]
    theirs = gensim.corpora.Dictionary(words)
    frequencies = {theirs[number]: count for number, count in theirs.dfs.items()}
    assert {model.id2word[number]: count for number, count in model.id2word.dfs.items()} == frequencies
    assert (model.id2word.num_docs, model.id2word.num_pos, model.id2word.num_nnz) == (
        theirs.num_docs,
        theirs.num_pos,
        theirs.num_nnz,
    )
    word = lda.model_.top_words(2, 1)[0][0]
    found = dict(model.get_term_topics(word, minimum_probability=0))
    assert max(found, key=found.get) == int(np.argmax(lda.model_.phi()[:, corpus().vocabulary.index(word)]))
    from gensim.models import CoherenceModel

    ours = papilio.coherence(lda, corpus(), measure="umass", top_words=10)
    umass = CoherenceModel(model=model, corpus=bags, coherence="u_mass", topn=10)
    assert np.isfinite(umass.get_coherence())
    assert np.corrcoef(umass.get_coherence_per_topic(), ours.topics)[0, 1] > 0.9
    npmi = CoherenceModel(model=model, texts=words, coherence="c_npmi", topn=5, processes=1)
    assert np.isfinite(npmi.get_coherence())
    assert interop.to_gensim(lda.model_).id2word.token2id == model.id2word.token2id


def bag_of(pairs):
    """The words of a bag, each as often as it says."""
    return [word for word, count in pairs for _ in range(int(count))]


def test_a_matrix_has_the_same_tables():
    by_matrix = papilio.LDA(4, max_iter=5, random_state=1).fit(counts())
    assert by_matrix.document_topics_.shape == (120, 4) and len(by_matrix.topics_) == corpus().tokens
