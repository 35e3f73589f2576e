"""Seed words from Python: options, models, estimator, files."""

import pickle
import warnings

import numpy as np
import papilio
import pytest

CATS = "cats purr sleep whiskers".split()
STARS = "stars moon shine night".split()


def corpus():
    rng = np.random.default_rng(3)
    words = [CATS, STARS]
    return papilio.corpus_from_tokens([list(rng.choice(words[d % 2], 12)) for d in range(80)])


def top(model, topic, n=2):
    return {word for word, _ in model.top_words(topic, n)}


OPTIONS = {"topics": 6, "sweeps": 30, "seed": 1, "seed_words": {4: ["cats", "purr"], 1: {"stars": 30, "moon": 20}}}


def test_give_topics_their_words():
    texts = corpus()
    for seed in range(3):
        model = papilio.train(texts, **{**OPTIONS, "seed": seed}).model
        assert top(model, 4) == {"cats", "purr"}
        assert top(model, 1) == {"stars", "moon"}
    rows = {(topic, model.vocabulary[word]): weight for topic, word, weight in model.seed_words.tolist()}
    assert rows == {(4, "cats"): 100, (4, "purr"): 100, (1, "stars"): 30, (1, "moon"): 20}
    assert model.n_wk.sum() == texts.tokens
    assert papilio.train(texts, topics=6, sweeps=2).model.seed_words.shape == (0, 3)


def test_are_in_phi_and_not_in_counts():
    model = papilio.train(corpus(), **OPTIONS).model
    counts = model.n_wk.T + model.beta
    counts[tuple(model.seed_words.T[:2])] += model.seed_words[:, 2]
    np.testing.assert_allclose(model.phi(), counts / counts.sum(axis=1, keepdims=True), rtol=1e-12)
    again = papilio.Model(model.n_wk, model.alpha, model.beta, model.vocabulary, model.settings, model.seed_words[::-1])
    np.testing.assert_array_equal(again.seed_words, model.seed_words)
    np.testing.assert_array_equal(again.phi(), model.phi())


def test_are_in_the_likelihood():
    texts = corpus()
    result = papilio.train(texts, **OPTIONS)
    model, z = result.model, result.topics.z
    found = papilio.log_joint(texts, z, model.alpha, model.beta, seed_words=model.seed_words)
    assert found / texts.tokens == pytest.approx(result.log_joint_per_token, rel=1e-12)
    assert found != papilio.log_joint(texts, z, model.alpha, model.beta)


def test_are_kept_by_files_and_pickles(tmp_path):
    model = papilio.train(corpus(), **OPTIONS).model
    papilio.save_model(model, tmp_path / "model")
    for other in (papilio.load_model(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.seed_words, model.seed_words)
        np.testing.assert_array_equal(other.phi(), model.phi())


def test_decide_how_a_chain_goes_on(tmp_path):
    texts = corpus()
    whole = papilio.train(texts, **OPTIONS).model
    half = {**OPTIONS, "sweeps": 10}
    papilio.save_checkpoint(papilio.train(texts, **half).topics, texts, tmp_path / "chain", **half)
    state = papilio.load_checkpoint(texts, tmp_path / "chain", **OPTIONS)
    np.testing.assert_array_equal(papilio.train(texts, resume=state, **OPTIONS).model.n_wk, whole.n_wk)
    with pytest.raises(ValueError, match="options.seed_words is"):
        papilio.load_checkpoint(texts, tmp_path / "chain", **{**OPTIONS, "seed_weight": 99})


def test_that_the_vocabulary_lacks_are_counted():
    with pytest.warns(UserWarning, match=r"papilio.train: 2 of the seed words are not in the vocabulary .*: Cats, dogs$"):
        papilio.train(corpus(), topics=3, sweeps=1, seed_words={0: ["cats", "Cats", "dogs"]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        papilio.train(corpus(), topics=3, sweeps=1, seed_words={0: ["cats"]})


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ({3: ["cats"]}, ValueError, "a seed word is of topic 3, expected 0 <= topic < 3"),
        ({-1: ["cats"]}, ValueError, "a topic of seed_words"),
        ({"0": ["cats"]}, TypeError, "a topic of seed_words"),
        ({0: "cats"}, TypeError, "expected a list of words"),
        ({0: [7]}, TypeError, "expected words as str"),
        ({0: ["dogs"]}, ValueError, "has no word of the vocabulary"),
        ({0: {"cats": 0}}, ValueError, "expected a whole number from 1 to 1000000"),
        ({0: {"cats": 1.5}}, TypeError, "expected a whole number from 1"),
        (["cats"], TypeError, "expected a dict of topic to words"),
    ],
)
def test_that_do_not_fit_are_refused(words, error, message):
    with pytest.raises(error, match=message):
        papilio.train(corpus(), topics=3, sweeps=1, seed_words=words)
    with pytest.raises(error, match=message):
        papilio.LDA(3, max_iter=1, seed_words=words).fit(corpus())


def test_of_a_model_that_do_not_fit_are_refused():
    counts, alpha = np.array([[3, 0], [1, 2]], np.int32), np.array([0.1, 0.1])
    for rows, message in [
        ([[0, 2, 1]], "number 2, expected 0 <= word < 2"),
        ([[2, 0, 1]], "topic 2, expected 0 <= topic < 2"),
        ([[0, 0, 1], [0, 0, 2]], "twice"),
        ([[0, 0]], "expected 3"),
    ]:
        with pytest.raises(ValueError, match=message):
            papilio.Model(counts, alpha, 0.01, ["cats", "dogs"], {}, np.array(rows, np.int32))


def test_lda(tmp_path):
    texts = corpus()
    seeds = {4: ["cats", "purr"], 1: {"stars": 30}}
    lda = papilio.LDA(6, max_iter=20, random_state=0, seed_words=seeds, seed_weight=50).fit(texts)
    assert top(lda.model_, 4) == {"cats", "purr"}
    np.testing.assert_allclose(
        lda.components_ / lda.components_.sum(axis=1, keepdims=True), lda.model_.phi(), rtol=1e-12
    )
    parts = papilio.LDA(6, max_iter=10, random_state=0, seed_words=seeds, seed_weight=50).fit(texts)
    parts.save_chain(tmp_path / "chain")
    np.testing.assert_array_equal(parts.partial_fit(texts, n_sweeps=10).components_, lda.components_)
    chain = papilio.LDA(6, random_state=0, seed_words=seeds, seed_weight=50).load_chain(tmp_path / "chain", texts)
    np.testing.assert_array_equal(chain.partial_fit(texts, n_sweeps=10).components_, lda.components_)
    lda.save(tmp_path / "model")
    loaded = papilio.LDA.load(tmp_path / "model")
    assert loaded.seed_words == {4: {"cats": 50, "purr": 50}, 1: {"stars": 30}}
    np.testing.assert_array_equal(loaded.transform(texts), lda.transform(texts))
    assert lda.get_params()["seed_words"] is seeds
