"""gensim's own tests of LdaModel and CoherenceModel, run with the models that `to_gensim` makes."""

import unittest

import numpy as np
import papilio
import pytest
from papilio import interop

pytest.importorskip("gensim")
suite = pytest.importorskip("gensim.test.test_ldamodel")
coherence_suite = pytest.importorskip("gensim.test.test_coherencemodel")
from gensim.models import CoherenceModel, LdaModel
from topic_models import corpus


class Made:
    """In the place of the class: models of papilio's topics, where a test gives documents to train on."""

    load = staticmethod(LdaModel.load)
    made = 0

    def __call__(self, corpus=None, num_topics=100, id2word=None, alpha="symmetric", eta=None, **others):
        if corpus is None or id2word is None or alpha != "symmetric" or isinstance(eta, str):
            return LdaModel(corpus, num_topics, id2word, alpha=alpha, eta=eta, **others)  # of gensim's own training
        Made.made += 1
        documents = interop.corpus_from_bow(corpus, id2word)
        lda = papilio.LDA(num_topics, max_iter=200, random_state=1, schedule="sequential").fit(documents)
        return interop.to_gensim(lda)


class TestOfLdaModel(suite.TestLdaModel):
    def setUp(self):
        self.corpus = suite.mmcorpus.MmCorpus(suite.datapath("testcorpus.mm"))
        self.class_ = Made()
        self.model = self.class_(suite.corpus, id2word=suite.dictionary, num_topics=2, passes=100)
        assert Made.made


class TestOfCoherenceModel(coherence_suite.TestCoherenceModel):
    def setUp(self):
        super().setUp()
        self.ldamodel = Made()(self.corpus, id2word=self.dictionary, num_topics=2)


@pytest.fixture(scope="module")
def lda():
    return papilio.LDA(4, max_iter=30, random_state=1, doc_topic_prior=0.2, topic_word_prior=0.05).fit(corpus())


@pytest.mark.parametrize("with_documents", [True, False])
def test_what_people_call_of_a_model(lda, with_documents, tmp_path):
    model = interop.to_gensim(lda if with_documents else lda.model_)
    words, topics = lda.vocabulary_, lda.model_.phi()
    bags, _ = interop.bow_from_corpus(corpus())
    assert model.num_topics == 4 and model.num_terms == 80 and len(model.id2word) == 80
    for word in (words[3], 3):
        found = dict(model.get_term_topics(word, minimum_probability=0))
        assert max(found, key=found.get) == topics[:, 3].argmax()  # gensim: the exponential of a mean logarithm
    for k, shown in model.show_topics(num_topics=4, num_words=5, formatted=False):
        best = lda.model_.top_words(k, 5)
        assert np.allclose(sorted(p for _, p in shown), sorted(p for _, p in best))
    assert len(model.print_topics(4, 3)) == 4 and words[0] in model.id2word.token2id
    assert len(model.get_topic_terms(1, topn=7)) == 7
    theta = np.zeros((120, 4))
    for d, document in enumerate(model[bags]):
        for k, share in document:
            theta[d, k] = share
    assert (theta.argmax(axis=1) == lda.document_topics_.argmax(axis=1)).mean() > 0.9
    assert model.log_perplexity(bags) < 0
    assert len(model.top_topics(bags, topn=5)) == 4
    difference, _ = model.diff(model, distance="jensen_shannon")
    assert np.allclose(np.diag(difference), 0, atol=1e-3)
    texts = [[words[w] for w, n in bag for _ in range(n)] for bag in bags]
    for measure, given in (("u_mass", {"corpus": bags}), ("c_v", {"texts": texts}), ("c_npmi", {"texts": texts})):
        coherence = CoherenceModel(model=model, coherence=measure, topn=5, processes=1, **given)
        assert np.isfinite(coherence.get_coherence()) and len(coherence.get_coherence_per_topic()) == 4
    model.save(str(tmp_path / "model"))
    assert np.array_equal(LdaModel.load(str(tmp_path / "model")).get_topics(), model.get_topics())
    model.update(bags[:20])  # gensim's own training goes on
    assert np.allclose(model.get_topics().sum(axis=1), 1)


def test_words_of_documents_are_numbered_as_the_model_numbers_them(lda):
    model = interop.to_gensim(lda)
    bags, id2word = interop.bow_from_corpus(corpus())
    assert dict(model.id2word.items()) == id2word
    text = [id2word[w] for w, n in bags[7] for _ in range(n)]
    assert model.id2word.doc2bow(text) == bags[7]
    assert model.id2word.num_docs == 120
    assert model.id2word.dfs == {w: sum(w in dict(bag) for bag in bags) for w in range(80)}


def test_both_suites_were_run():
    for suite_class, least in ((TestOfLdaModel, 20), (TestOfCoherenceModel, 15)):
        assert len(unittest.TestLoader().getTestCaseNames(suite_class)) >= least
