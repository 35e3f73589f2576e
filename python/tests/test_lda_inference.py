"""LDA: new documents, the prepared model, and what a swap for scikit-learn's class asks of it."""

import concurrent.futures
import pickle
import threading

import numpy as np
import pytest
import scipy.sparse
from topic_models import corpus, counts

import papilio

X = counts()


def lda(**parameters):
    return papilio.LDA(**{"n_components": 4, "max_iter": 20, "random_state": 7, **parameters})


def test_documents_without_words_give_the_prior(tmp_path):
    for Z in (np.zeros((5, 6)), scipy.sparse.csr_matrix((5, 6))):
        with pytest.warns(UserWarning, match="the 5 documents of X have no words, so the model is the prior"):
            fitted = lda(doc_topic_prior=[0.1, 0.2, 0.3, 0.4]).fit(Z)
        assert (fitted.components_ == 0.25).all() and fitted.n_iter_ == 20 and np.isnan(fitted.log_joint_)
        assert np.allclose(fitted.transform(Z), [0.1, 0.2, 0.3, 0.4]) and np.allclose(fitted.document_topics_[2, 3], 0.4)
        fitted.save(tmp_path / "prior")
        assert papilio.LDA.load(tmp_path / "prior").vocabulary_ == list("012345")
        assert fitted.partial_fit(np.eye(6, dtype=int), n_sweeps=2).model_.n_k.sum() == 6
        assert fitted.n_iter_ == 22


def test_the_prepared_model_is_kept_and_not_pickled():
    fitted = lda().fit(X)
    theta = fitted.transform(X)
    inference = fitted._fitted._inference
    assert inference is not None and np.array_equal(fitted.transform(X[3]), theta[3:4])
    assert fitted._fitted._inference is inference  # once
    again = pickle.loads(pickle.dumps(fitted))
    assert again._fitted._inference is None and np.array_equal(again.transform(X), theta)
    fitted.fit(X[:60])
    assert not np.array_equal(fitted.transform(X), theta)  # of the new model
    assert np.array_equal(fitted.transform(X), papilio.infer(fitted, papilio.corpus_from_matrix(X), seed=7).theta)


def test_scores_share_the_prepared_model(monkeypatch):
    fitted = lda().fit(X)
    few, words = X[:3], papilio.corpus_from_matrix(X[:3], vocabulary=fitted.vocabulary_[::-1])
    expected = {}
    for name, documents in (("few", papilio.corpus_from_matrix(few, vocabulary=fitted.vocabulary_)), ("words", words)):
        expected[name] = papilio.complete_documents(fitted, documents, seed=7)
    prepared, prepare = [], papilio._core.Inference
    monkeypatch.setattr(papilio._core, "Inference", lambda model: prepared.append(model) or prepare(model))
    monkeypatch.setattr(papilio._core, "complete_documents", None)  # it would prepare the model for every call
    for _ in range(3):
        for Z in (few, scipy.sparse.csr_matrix(few)):
            assert fitted.perplexity(Z) == expected["few"].perplexity
            assert fitted.score(Z) == -few.sum() * expected["few"].nats_per_token
        assert fitted.perplexity(words) == expected["words"].perplexity != expected["few"].perplexity
        fitted.transform(few)
    assert len(prepared) == 1 and prepared[0] is fitted.model_
    fitted.partial_fit(X, n_sweeps=1)
    assert fitted.perplexity(few) != expected["few"].perplexity and len(prepared) == 2  # another model


def test_threads_may_prepare_a_model_at_once():
    fitted = lda(n_jobs=1).fit(X)
    expected = pickle.loads(pickle.dumps(fitted)).transform(X)
    barrier = threading.Barrier(8)

    def transform(_):
        barrier.wait()
        return fitted.transform(X)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(np.array_equal(theta, expected) for theta in pool.map(transform, range(8)))


def test_inference_gives_what_infer_gives():
    model = lda().fit(corpus()).model_
    scored = papilio.Inference(model).complete_documents(corpus(), em_steps=5, seed=3, shuffle=False)
    direct = papilio.complete_documents(model, corpus(), em_steps=5, seed=3, shuffle=False)
    assert (scored.log_likelihood, scored.tokens) == (direct.log_likelihood, direct.tokens)
    with pytest.raises(ValueError, match=r"Inference\.complete_documents: em_steps is 0"):
        papilio.Inference(model).complete_documents(corpus(), em_steps=0)
    other = papilio.corpus_from_tokens([[model.vocabulary[3], "unheard", model.vocabulary[1]], []])
    assert papilio.infer(model, other).known_tokens == 2
    inference = papilio.Inference(model)
    for documents in (corpus(), other):
        for options in ({}, {"method": "em", "em_steps": 3}, {"sweeps": 9, "burn_in": 2, "seed": 5, "threads": 2}):
            ours, theirs = inference.infer(documents, **options), papilio.infer(model, documents, **options)
            assert np.array_equal(ours.theta, theirs.theta)
            assert (ours.known_tokens, ours.unknown_tokens) == (theirs.known_tokens, theirs.unknown_tokens)
    assert inference.infer(corpus()).document_tokens.tolist() == np.diff(corpus().document_offsets).tolist()
    again = pickle.loads(pickle.dumps(inference))
    assert np.array_equal(again.infer(other).theta, inference.infer(other).theta) and again.model is not model
    assert repr(inference) == "Inference(Model(4 topics, 80 words))" and inference.model is model
    with pytest.raises(TypeError, match=r"papilio\.Inference: model is a list"):
        papilio.Inference([1])
    with pytest.raises(ValueError, match=r"papilio\.Inference\.infer: sweeps is 0"):
        inference.infer(other, sweeps=0)
    with pytest.raises(TypeError, match="did you mean 'sweeps'"):
        inference.infer(other, sweep=3)


def test_shares_that_are_not_normalised_are_expected_counts():
    for method in ("gibbs", "em"):
        fitted = lda(doc_topic_prior=0.5, transform_method=method).fit(X)
        counts = fitted.transform(X, normalize=False)
        assert np.allclose(counts.sum(axis=1), np.asarray(X.sum(axis=1)).ravel() + 4 * 0.5, rtol=1e-5)
        assert np.allclose(counts / counts.sum(axis=1, keepdims=True), fitted.transform(X), atol=1e-6)
    assert np.array_equal(lda().fit_transform(X, normalize=False), lda().fit(X).transform(X, normalize=False))
    with pytest.raises(TypeError, match="normalize is 0, expected True or False"):
        fitted.transform(X, normalize=0)


def test_the_bound_is_the_perplexity_of_the_training_documents():
    fitted = lda().fit(X)
    assert fitted.bound_ == fitted.perplexity(X) == fitted.perplexity(X, sub_sampling=True)
    assert pickle.loads(pickle.dumps(fitted)).bound_ == fitted.bound_
    with pytest.raises(papilio._lda.NotFittedError, match="no chain"):
        papilio.LDA.from_model(fitted.model_).bound_


def test_parameters_of_the_variational_method_are_ignored_with_a_warning():
    with pytest.warns(UserWarning, match="LDA: learning_method, batch_size belong to scikit-learn's") as warned:
        made = papilio.LDA(4, learning_method="online", max_iter=20, batch_size=128, random_state=7)
    assert warned[0].filename == __file__
    assert made.get_params() == lda().get_params() and not hasattr(made, "batch_size")
    assert np.array_equal(made.fit(X).components_, lda().fit(X).components_)
    names = papilio._options.VariationalParameters.__annotations__
    with pytest.warns(UserWarning, match="are ignored"):
        papilio.LDA(**dict.fromkeys(names, 1))
    with pytest.raises(TypeError, match="did you mean 'max_iter'"):
        papilio.LDA(max_iters=3)
    with pytest.raises(ValueError, match="learning_decay"):
        made.set_params(learning_decay=0.5)
