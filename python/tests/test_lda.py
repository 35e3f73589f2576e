"""LDA: what it computes, keeps and refuses."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
from topic_models import command, corpus, counts, saved

import papilio

X = counts()


def lda(**parameters):
    return papilio.LDA(**{"n_components": 4, "max_iter": 20, "random_state": 7, **parameters})


def test_the_model_is_the_commands(tmp_path):
    papilio_command = command()
    if papilio_command is None:
        pytest.skip("the command papilio is not built; PAPILIO_COMMAND names one")
    assert X.sum(axis=0).min() > 0  # or the command would leave words out
    scipy.sparse.save_npz(tmp_path / "counts.npz", X)
    for sampler in ("collapsed", "theta_collapsed"):
        line = [papilio_command, "train", "counts.npz", "-k", "4", "--sweeps", "20", "--seed", "7"]
        line += ["--alpha", "0.25", "--beta", "0.25", "--sampler", sampler, "-o", sampler, "--quiet", "--device", "cpu"]
        subprocess.run(line, cwd=tmp_path, check=True)
        lda(sampler=sampler).fit(X).save(tmp_path / "ours")
        assert (tmp_path / "ours").read_bytes() == (tmp_path / sampler).read_bytes()


def test_the_model_is_what_it_was(tmp_path):
    # Of any machine, instruction set and number of threads. The same model as the first version of the package saved, in
    # format version 2 with start, draws and priors among the settings; without them its hash began with 542faa31, and in
    # format version 1 with 40ec4046.
    golden = "275a6f49c3102e9e66daa2b4e08435bf117b557832918d7f641e8d213fdfec9e"
    for n_jobs in (1, 2, 3, -1, None):
        assert saved(lda(sampler="uncollapsed", n_jobs=n_jobs).fit(X), tmp_path) == golden


def test_forms_of_the_same_counts_give_the_same_model(tmp_path):
    golden = saved(lda().fit(X), tmp_path)
    dense = X.toarray()
    forms = [X.tocsc(), X.tocoo(), X.astype(np.float32), dense, dense.astype(np.uint8), dense.tolist()]
    forms += [np.asfortranarray(dense), papilio.corpus_from_matrix(X)]
    for form in forms:
        assert saved(lda().fit(form), tmp_path) == golden


def test_fit_transform_is_fit_then_transform():
    theta = lda().fit_transform(X)
    fitted = lda().fit(X)
    assert np.array_equal(theta, fitted.transform(X)) and np.array_equal(theta, fitted.transform(X))
    assert theta.shape == (120, 4) and theta.dtype == np.float64
    assert np.allclose(theta.sum(axis=1), 1, atol=1e-5)
    assert np.array_equal(fitted.transform(X[5]), theta[5:6])  # a document's row is its own
    assert fitted.transform(X.astype(np.float32)).dtype == np.float32
    assert np.array_equal(lda(transform_method="em").fit(X).transform(X), lda(transform_method="em").fit_transform(X))


def test_attributes():
    fitted = lda(doc_topic_prior=0.3, topic_word_prior=0.02).fit(X)
    model = fitted.model_
    assert np.array_equal(fitted.components_, model.n_wk.T + 0.02)
    assert fitted.components_ is fitted.components_
    phi = fitted.components_ / fitted.components_.sum(axis=1, keepdims=True)
    assert np.allclose(phi, model.phi(), rtol=1e-14)
    assert fitted.n_iter_ == 20 and fitted.n_features_in_ == 80 and fitted.random_state_ == 7
    assert fitted.doc_topic_prior_.tolist() == [0.3] * 4 and fitted.topic_word_prior_ == 0.02
    assert fitted.log_joint_curve_[:, 0].tolist() == [10, 20]
    assert fitted.log_joint_curve_[-1, 1] == fitted.log_joint_
    assert fitted.get_feature_names_out().tolist() == ["lda0", "lda1", "lda2", "lda3"]
    assert len(fitted.vocabulary_) == 80 and fitted.vocabulary_[:2] == ["0", "1"]


def test_kinds_of_draws(tmp_path):
    kinds = []
    parameters = {"n_components": 32, "callback": lambda progress: kinds.append(progress.draws)}
    models = {draws: saved(lda(draws=draws, **parameters).fit(X), tmp_path) for draws in ("automatic", "dense", "sparse")}
    assert models["automatic"] == models["sparse"] != models["dense"]
    assert kinds == ["sparse"] * 20 + ["dense"] * 20 + ["sparse"] * 20
    with pytest.raises(ValueError, match="sparse draws need the method slots"):
        lda(draws="sparse", sampler="uncollapsed").fit(X)


def test_alias_draws(tmp_path):
    kinds = []
    parameters = {"draws": "alias", "callback": lambda progress: kinds.append(progress.draws)}
    two, three = (saved(lda(mh_steps=steps, **parameters).fit(X), tmp_path) for steps in (2, 3))
    assert set(kinds) == {"alias"} and two != three
    assert two == saved(lda(draws="alias", n_jobs=2).fit(X), tmp_path)
    with pytest.raises(ValueError, match="alias draws need the method slots and one of the samplers collapsed"):
        lda(draws="alias", sampler="mean_for_mode").fit(X)
    with pytest.raises(ValueError, match="mh_steps is 65, expected 1 to 64"):
        lda(draws="alias", mh_steps=65).fit(X)


def test_priors_by_default_and_of_each_topic():
    fitted = lda().fit(X)
    assert fitted.doc_topic_prior_.tolist() == [0.25] * 4 and fitted.topic_word_prior_ == 0.25
    assert lda(doc_topic_prior=[0.1, 0.2, 0.3, 0.4]).fit(X).doc_topic_prior_.tolist() == [0.1, 0.2, 0.3, 0.4]
    optimised = lda(optimize_every=5, optimize_after=5).fit(X)
    assert len(set(optimised.doc_topic_prior_)) == 4 and optimised.topic_word_prior_ != 0.25


def test_planted_topics_are_found():
    blocks = scipy.sparse.block_diag([np.full((8, 5), 4)] * 3).tocsr()
    fitted = papilio.LDA(3, max_iter=200, random_state=0, schedule="sequential").fit(blocks)
    found = {tuple(sorted(np.argsort(-row)[:5])) for row in fitted.components_}
    assert found == {tuple(range(5)), tuple(range(5, 10)), tuple(range(10, 15))}
    assert (fitted.transform(blocks).max(axis=1) > 0.9).all()


def test_the_likelihood_of_unseen_documents_rises_with_training():
    training, held_out = papilio.hold_out_every(corpus(documents=400), 4)
    few, many = (lda(max_iter=n, random_state=1).fit(training) for n in (1, 60))
    assert many.perplexity(held_out) < few.perplexity(held_out)
    assert many.score(held_out) > few.score(held_out)
    score = -held_out.tokens * np.log(many.perplexity(held_out))
    assert many.score(held_out) == pytest.approx(score)
    with pytest.raises(ValueError, match="nothing to score"):
        many.perplexity(np.eye(80, dtype=int)[:3])


def test_held_out_documents_while_fitting(tmp_path):
    training, held_out = X[:100], X[100:]
    fitted = lda(evaluate_every=8).fit(training, held_out=held_out)
    assert fitted.held_out_curve_[:, 0].tolist() == [8, 16, 20]
    options = {"seed": 0}  # of fit's shuffle, whatever the model's seed is
    last = papilio.complete_documents(fitted.model_, papilio.corpus_from_matrix(held_out), **options)
    assert fitted.held_out_curve_[-1, 1] == last.perplexity
    alone = lda(evaluate_every=8).fit(training)
    assert saved(alone, tmp_path) == saved(fitted, tmp_path) and alone.held_out_curve_.shape == (0, 2)
    fitted.partial_fit(training, n_sweeps=5, held_out=papilio.corpus_from_matrix(held_out))
    assert fitted.held_out_curve_[:, 0].tolist() == [8, 16, 20, 24, 25]
    with pytest.raises(ValueError, match="features"):
        lda().fit(training, held_out=held_out[:, :70])


def test_partial_fit_goes_on_with_the_chain(tmp_path):
    whole = saved(lda(max_iter=30, optimize_every=8, optimize_after=8).fit(X), tmp_path)
    parts = lda(optimize_every=8, optimize_after=8)
    for sweeps in (3, 17, 10):
        parts.partial_fit(X, n_sweeps=sweeps)
    assert saved(parts, tmp_path) == whole and parts.n_iter_ == 30
    fitted = pickle.loads(pickle.dumps(lda(max_iter=25, optimize_every=8, optimize_after=8).fit(X)))
    assert saved(fitted.partial_fit(X, n_sweeps=5), tmp_path) == whole
    assert fitted.log_joint_curve_[:, 0].tolist() == [10, 20, 25, 30]


def test_partial_fit_takes_further_documents_in():
    fitted = lda().fit(X[:70])
    for batch in (X[70:90], X[90:]):
        fitted.partial_fit(batch)
    assert fitted.n_iter_ == 40
    assert lda().fit(X[:70]).partial_fit(np.zeros((3, 80))).model_.n_k.sum() == X[:70].sum()  # without words
    assert np.array_equal(fitted.model_.n_wk.sum(axis=1), np.asarray(X.sum(axis=0)).ravel())
    for wrong in (X[:, :50], np.ones((2, 81), int)):
        with pytest.raises(ValueError, match="features"):
            fitted.partial_fit(wrong)
    with pytest.raises(ValueError, match="vocabulary"):
        fitted.partial_fit(papilio.corpus_from_tokens([["x"]]))
    with pytest.raises(ValueError, match="n_components is 5, but the chain has 4"):
        fitted.set_params(n_components=5).partial_fit(X)


def test_partial_fit_refuses_words_that_are_not_those_of_the_fit():
    words = [f"w{column}" for column in range(80)]
    fitted = lda().partial_fit(X[:70], vocabulary=words)
    twin = lda().partial_fit(X[:70], vocabulary=words).partial_fit(X[70:])
    fitted.partial_fit(X[70:], vocabulary={word: column for column, word in enumerate(words)})
    assert np.array_equal(fitted.components_, twin.components_)
    swapped = [*words[:78], "w79", "w78"]
    with pytest.raises(ValueError, match="vocabulary has 'w79' for column 78, expected 'w78'"):
        fitted.partial_fit(X[70:], vocabulary=swapped)
    with pytest.raises(ValueError, match="vocabulary has 79 words for 80 columns"):
        fitted.partial_fit(X[70:], vocabulary=words[:79])
    with pytest.raises(ValueError, match="has 'w0' for column 0, expected '0'"):
        lda().fit(X).partial_fit(X, vocabulary=words)
    assert fitted.n_iter_ == twin.n_iter_ and np.array_equal(fitted.components_, twin.components_)


def test_components_cannot_be_changed_in_place():
    fitted = lda().fit(X)
    before = fitted.components_.copy()
    with pytest.raises(ValueError, match="read-only"):
        fitted.components_ /= fitted.components_.sum(axis=1, keepdims=True)
    with pytest.raises(ValueError, match="read-only"):
        fitted.components_[0, 0] = 1
    assert np.array_equal(fitted.components_, before)
    assert not pickle.loads(pickle.dumps(fitted)).components_.flags.writeable


def test_random_states():
    def fit(state):
        return lda(random_state=state).fit(X)

    for make in (np.random.RandomState, np.random.default_rng):
        a, b, c = fit(make(0)), fit(make(0)), fit(make(1))
        assert a.random_state_ == b.random_state_ != c.random_state_
        assert np.array_equal(a.components_, b.components_) and not np.array_equal(a.components_, c.components_)
    np.random.seed(3)
    a, b = fit(None), fit(None)
    np.random.seed(3)
    assert fit(None).random_state_ == a.random_state_ != b.random_state_
    assert fit(np.int64(9)).random_state_ == 9 and fit(2**64 - 1).random_state_ == 2**64 - 1
    state = np.random.RandomState(0)
    fitted = fit(state)
    assert np.array_equal(fitted.transform(X), fitted.transform(X))


@pytest.mark.parametrize(
    "parameter, values",
    [
        ("n_components", [0, -1, 2.0, "4", None, True, 2**31]),
        ("doc_topic_prior", [0, -1.0, 1e7, np.nan, "x", [0.1], [[0.1] * 4], [0.1, 0.1, 0.1, 0.0]]),
        ("topic_word_prior", [0, np.inf, [0.1], "x", True]),
        ("sampler", ["gibbs", None, 3]),
        ("schedule", ["random", None]),
        ("draws", ["few", None]),
        ("max_iter", [0, -1, 1.5, None]),
        ("optimize_every", [-1, 0.5]),
        ("optimize_after", [-1, "1"]),
        ("evaluate_every", [-2, 0.5]),
        ("fractional", ["floor", None]),
        ("random_state", [-1, 2**64, 0.5, "seed", True]),
        ("n_jobs", [0, 1.5, "all"]),
        ("device", ["gpu", "cuda:x", 0]),
        ("max_device_memory", [-1, 1.5, None]),
        ("callback", ["print", 3, [print, None]]),
    ],
)
def test_parameters_that_do_not_fit(parameter, values):
    for value in values:
        with pytest.raises((ValueError, TypeError), match=parameter if parameter != "device" else "device"):
            lda(**{parameter: value}).fit(X)


def test_parameters_of_transform_that_do_not_fit():
    for parameter, value in [("transform_method", "x"), ("transform_iter", 0), ("transform_iter", 2.5)]:
        fitted = lda(**{parameter: value}).fit(X)
        with pytest.raises((ValueError, TypeError)):
            fitted.transform(X)


def test_documents_that_do_not_fit():
    with pytest.raises(ValueError, match="no tokens"):
        lda().fit(papilio.corpus_from_tokens([[], []]))  # without any word that a model could have
    with pytest.raises(ValueError, match="whole numbers"):
        lda().fit([[0.5]])
    fitted = lda().fit(X)
    for method in (fitted.transform, fitted.perplexity, fitted.score):
        with pytest.raises(ValueError, match="X has 3 features, but LDA is expecting 80 features"):
            method(np.ones((2, 3), int))
        with pytest.raises(ValueError, match="Negative"):
            method(-X)
    with pytest.raises(ValueError, match="3 words for 80 columns"):
        lda().fit(X, vocabulary=["a", "b", "c"])
    with pytest.raises(ValueError, match="which have their own"):
        lda().fit(corpus(), vocabulary=["a"])


def test_a_failing_fit_leaves_the_model_before():
    fitted = lda().fit(X)
    before = fitted.components_
    with pytest.raises(ValueError):
        fitted.set_params(sampler="x").fit(X)
    assert fitted.components_ is before


def test_not_fitted():
    for call in (lambda m: m.transform(X), lambda m: m.perplexity(X), lambda m: m.topics(), lambda m: m.save("x")):
        with pytest.raises(ValueError, match="not fitted yet"):
            call(lda())
    assert not hasattr(lda(), "components_")


def test_words_are_matched_by_spelling():
    texts = ["cats purr cats", "dogs bark", "cats purr", "dogs bark bark"] * 5
    fitted = lda(n_components=2).fit(papilio.corpus_from_texts(texts))
    a = fitted.transform(papilio.corpus_from_texts(["bark bark zebra", "cats"]))
    b = fitted.transform(papilio.corpus_from_tokens([["bark", "bark"], ["cats"]]))
    assert np.array_equal(a, b)
    prior = fitted.transform(papilio.corpus_from_tokens([["zebra"]]))
    assert np.allclose(prior, 0.5)


def test_tables():
    pandas = pytest.importorskip("pandas")
    fitted = lda().fit(X, vocabulary=[f"word{w}" for w in range(80)])
    table = fitted.topics(top_n=3)
    assert isinstance(table, pandas.DataFrame)
    assert list(table.columns) == ["topic", "tokens", "share", "alpha", "words"]
    assert table["tokens"].sum() == X.sum() and table["share"].sum() == pytest.approx(1)
    best = np.argsort(-fitted.components_[2], kind="stable")[:3]
    assert table["words"][2] == " ".join(f"word{w}" for w in best)
    words = fitted.topic_words(top_n=3)
    assert len(words) == 12 and words["rank"].tolist() == [1, 2, 3] * 4
    with pytest.raises(ValueError):
        fitted.topics(0)


def test_save_and_load(tmp_path):
    fitted = lda(sampler="uncollapsed", doc_topic_prior=[0.1, 0.2, 0.3, 0.4], topic_word_prior=0.05).fit(X)
    fitted.save(tmp_path / "model")
    other = papilio.LDA.load(tmp_path / "model")
    assert np.array_equal(other.transform(X), fitted.transform(X))
    assert np.array_equal(other.components_, fitted.components_)
    assert other.sampler == "uncollapsed" and other.random_state == 7 and other.n_iter_ == 20
    assert saved(other.set_params(max_iter=20).fit(X), tmp_path) == saved(fitted, tmp_path)
    loaded = papilio.LDA.load(tmp_path / "model")
    with pytest.raises(ValueError, match="has no chain"):
        loaded.partial_fit(X)
    with pytest.raises(FileNotFoundError):
        papilio.LDA.load(tmp_path / "none")
    (tmp_path / "model").write_bytes(b"no model")
    with pytest.raises(papilio.FormatError):
        papilio.LDA.load(tmp_path / "model")


def test_chains_come_back_from_files(tmp_path):
    whole = saved(lda(max_iter=30).fit(X), tmp_path)
    lda(max_iter=20).fit(X).save_chain(tmp_path / "chain")
    other = lda().load_chain(tmp_path / "chain", X)
    assert other.n_iter_ == 20
    assert saved(other.partial_fit(X, n_sweeps=10), tmp_path) == whole
    with pytest.raises(ValueError, match="seed"):
        lda(random_state=8).load_chain(tmp_path / "chain", X)
    with pytest.raises(ValueError):
        lda().load_chain(tmp_path / "chain", X[:50])


def test_pickles_and_copies():
    fitted = lda().fit(X)
    fitted.components_  # the table made of the counts is left out of the pickle
    for other in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        assert np.array_equal(other.transform(X), fitted.transform(X))
        assert np.array_equal(other.components_, fitted.components_)
    assert len(pickle.dumps(fitted)) < 100_000


def test_callbacks_and_stopping():
    seen = []
    fitted = lda(callback=[lambda p: seen.append(p.sweep), lambda p: p.sweep < 6]).fit(X)
    assert seen == [1, 2, 3, 4, 5, 6] and fitted.n_iter_ == 6

    def fail(progress):
        if progress.sweep == 3:
            raise ArithmeticError("stop here")

    broken = lda(callback=fail)
    with pytest.raises(ArithmeticError):
        broken.fit(X)
    assert broken.n_iter_ == 3 and broken.transform(X).shape == (120, 4)
    whole = lda().fit(X)
    assert np.array_equal(broken.set_params(callback=None).partial_fit(X, n_sweeps=17).components_, whole.components_)


def test_verbose_tells_of_progress(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    fitted = lda(verbose=1).fit(X)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(",")[0] for line in lines] == ["LDA: sweep 10 of 20", "LDA: sweep 20 of 20"]
    assert f"{fitted.log_joint_:.4f} nats" in lines[-1]
    lda().fit(X)
    assert capsys.readouterr() == ("", "")


def test_verbose_shows_a_bar(capsys):
    pytest.importorskip("tqdm")
    fitted = lda(verbose=1).fit(X)
    shown = capsys.readouterr().err
    assert "20/20" in shown and f"{fitted.log_joint_:.4f} nats" in shown


def test_devices():
    cpu = lda(device="cpu").fit(X)
    assert np.array_equal(lda().fit(X).components_, cpu.components_)  # on a GPU, where one is there
    if "compute capability" not in " ".join(papilio.describe_cuda_devices()):
        with pytest.raises(papilio.DeviceUnavailable):
            lda(device="cuda").fit(X)
    else:
        assert np.array_equal(lda(device="cuda").fit(X).components_, cpu.components_)
    assert lda(schedule="sequential").fit(X).n_iter_ == 20
