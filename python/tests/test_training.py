"""The functions below LDA: train, checkpoints, evaluation."""

import pickle
import threading
import warnings

import numpy as np
import papilio
import pytest
from topic_models import corpus, digest, same_models, saved


@pytest.mark.parametrize("sampler", papilio._core.samplers())
def test_every_sampler_and_any_threads(sampler, tmp_path):
    documents = corpus()
    hashes = {
        saved(papilio.train(documents, topics=4, sweeps=6, sampler=sampler, threads=threads).model, tmp_path)
        for threads in (1, 2, 3)
    }
    assert len(hashes) == 1


def test_options_by_name():
    documents = corpus()
    for options, error, message in [
        ({"topics": 0}, ValueError, "topics is 0"),
        ({"topics": "x"}, TypeError, "topics is 'x'"),
        ({"alpha": -1.0}, ValueError, "alpha is -1"),
        ({"beta": 0.0}, ValueError, "beta is 0"),
        ({"seed": -1}, ValueError, "seed is -1"),
        ({"threads": -1}, ValueError, "threads"),
        ({"sampler": "x"}, ValueError, "expected one of collapsed"),
        ({"schedule": "x"}, ValueError, "parallel"),
        ({"start": "x"}, ValueError, 'unknown start "x", expected one of automatic, uniform'),
        ({"device": "gpu"}, ValueError, "unknown device"),
        ({"device": "cuda:0,x"}, ValueError, "unknown devices"),
        ({"device": "cuda:1,1"}, ValueError, "names cuda:1 twice"),
        ({"topic_alpha": [0.1]}, ValueError, "topic_alpha has 1"),
        ({"topic": 3}, TypeError, "unknown option 'topic'; did you mean 'topics'"),
        ({"sweeps": -1}, ValueError, "sweeps is -1"),
        ({"evaluate_every": -1}, ValueError, "evaluate_every"),
        ({"held_out_every": -1}, ValueError, "held_out_every is -1"),
        ({"max_device_memory": -1}, ValueError, "max_device_memory is -1"),
        ({"max_device_memory": 1.5}, TypeError, "max_device_memory"),
        ({"method": "x"}, ValueError, 'unknown method "x", expected one of slots, prefix'),
        ({"method": 3}, TypeError, "method is 3"),
        ({"held_out": 3}, TypeError, "incompatible function arguments"),
    ]:
        with pytest.raises(error, match=message):
            papilio.train(documents, **options)
    with pytest.raises(TypeError):
        papilio.train("corpus")
    with pytest.raises(TypeError, match="load_checkpoint: unknown option 'topic'"):
        papilio.load_checkpoint(documents, "nowhere", topic=3)


def test_nothing_to_train_on():
    with pytest.raises(ValueError, match="no tokens"):
        papilio.train(papilio.corpus_from_tokens([[], []], vocabulary=["a"]))


def test_a_chain_goes_on(tmp_path):
    documents = corpus()
    whole = papilio.train(documents, topics=4, sweeps=12, seed=5)
    half = papilio.train(documents, topics=4, sweeps=7, seed=5)
    rest = papilio.train(documents, topics=4, sweeps=12, seed=5, resume=pickle.loads(pickle.dumps(half.topics)))
    assert saved(rest.model, tmp_path) == saved(whole.model, tmp_path, "other")
    assert np.array_equal(rest.topics.z, whole.topics.z)
    assert rest.log_joint_per_token == whole.log_joint_per_token


def test_checkpoints(tmp_path):
    documents = corpus()
    options = {"topics": 4, "seed": 5}
    path = tmp_path / "chain"
    whole = papilio.train(documents, sweeps=12, **options)
    papilio.train(documents, sweeps=12, checkpoint=path, checkpoint_every=8, checkpoint_seconds=0, **options)
    topics = papilio.load_checkpoint(documents, path, **options)
    assert topics.sweep == 8
    assert same_models(papilio.train(documents, sweeps=12, resume=topics, **options).model, whole.model)
    papilio.save_checkpoint(whole.topics, documents, path, **options)
    assert papilio.load_checkpoint(documents, path, **options).sweep == 12
    with pytest.raises(ValueError, match="seed"):
        papilio.load_checkpoint(documents, path, topics=4, seed=6)
    path.write_bytes(b"damaged")
    with pytest.warns(UserWarning, match="read the previous checkpoint"):
        assert papilio.load_checkpoint(documents, path, **options).sweep == 8


def test_checkpoints_that_cannot_be_written_cost_no_chain(tmp_path):
    documents = corpus()
    options = {"topics": 4, "seed": 5, "sweeps": 6}
    checkpoints = {"checkpoint": tmp_path / "no such folder" / "chain", "checkpoint_every": 2}
    with pytest.warns(RuntimeWarning, match="No such file or directory; training goes on") as told:
        result = papilio.train(documents, **checkpoints, **options)
    assert len(told) == 2
    assert same_models(result.model, papilio.train(documents, **options).model)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning) as raised:
            papilio.train(documents, **checkpoints, **options)
    # The file of sweep 2 is written during sweep 3, or waited for when that of sweep 4 is due; training ends a sweep later.
    assert raised.value.train_result.topics.sweep in (4, 5)


def test_words_that_a_model_cannot_hold_are_refused_before_the_first_sweep():
    for words, message in [
        (["cats", ""], "word 1 is empty"),
        (["cats", "cats"], "words 0 and 1 are spelled the same"),
    ]:
        documents = papilio.Corpus(np.array([0, 2]), np.array([0, 1], np.int32), words)
        with pytest.raises(ValueError, match=message):
            papilio.train(documents, topics=2, progress=lambda progress: pytest.fail("a sweep"))


def test_no_start_of_another_chain():
    documents = corpus()
    begun = papilio.train(documents, topics=4, sweeps=3, start="uniform").topics
    with pytest.raises(ValueError, match="start is progressive, but the chain to resume started as uniform"):
        papilio.train(documents, topics=4, sweeps=5, start="progressive", resume=begun)


def test_a_progressive_start_goes_on():
    documents, shares = corpus(), []
    options = {"topics": 4, "seed": 5, "start": "progressive"}
    whole = papilio.train(documents, sweeps=43, progress=lambda done: shares.append(done.share), **options)
    half = papilio.train(documents, sweeps=7, **options).topics
    assert half.start == "progressive"
    for begun in (half, pickle.loads(pickle.dumps(half))):
        rest = papilio.train(documents, topics=4, seed=5, sweeps=43, resume=begun)
        assert np.array_equal(rest.topics.z, whole.topics.z)
    assert 0 < shares[0] < shares[39] < shares[40] == 1
    uniform = papilio.train(documents, topics=4, seed=5, sweeps=43)
    assert not np.array_equal(uniform.topics.z, whole.topics.z)
    again = papilio.LDA(4, doc_topic_prior=0.1, topic_word_prior=0.01, random_state=5, start="progressive", max_iter=43)
    assert same_models(again.fit(documents).model_, whole.model)


def test_progress_sees_sweeps_and_stops_training():
    seen = []

    def progress(report):
        seen.append((report.sweep, report.sweeps, report.log_joint_per_token))
        return report.sweep < 4

    result = papilio.train(corpus(), topics=4, sweeps=9, evaluate_every=2, progress=progress)
    assert result.stopped and result.topics.sweep == 4
    assert [sweep for sweep, _, _ in seen] == [1, 2, 3, 4]
    assert {sweeps for _, sweeps, _ in seen} == {9}
    assert [value is None for _, _, value in seen] == [True, False, True, False]
    assert seen[-1][2] == result.log_joint_per_token


@pytest.mark.parametrize(("answer", "stops"), [(False, True), (np.False_, True), (np.True_, False), (0, False), (None, False)])
def test_what_stops_training(answer, stops):
    result = papilio.train(corpus(), topics=4, sweeps=3, progress=lambda report: answer)
    assert (result.stopped, result.topics.sweep) == (stops, 1 if stops else 3)
    for callback in (lambda report: answer, [lambda report: None, lambda report: answer]):
        assert papilio.LDA(4, max_iter=3, callback=callback).fit(corpus()).n_iter_ == (1 if stops else 3)
    chosen = papilio.choose_topics(corpus(), [2, 3], seeds=1, sweeps=2, threads=1, progress=lambda report: answer)
    assert chosen.stopped == stops


def test_held_out_documents_are_scored_on_the_way(tmp_path):
    training, held_out = papilio.hold_out_every(corpus(), 5)
    seen = []
    options = {"topics": 4, "sweeps": 7}
    result = papilio.train(training, held_out=held_out, held_out_every=3, progress=seen.append, **options)
    assert [score.sweep for score in result.held_out] == [3, 6, 7]
    alone = papilio.train(training, **options)
    assert saved(result.model, tmp_path) == saved(alone.model, tmp_path) and alone.held_out == []
    last = papilio.complete_documents(alone.model, held_out)
    assert result.held_out[-1].completion.log_likelihood == last.log_likelihood
    told = {progress.sweep: progress.held_out_perplexity for progress in seen}
    perplexities = {score.sweep: score.completion.perplexity for score in result.held_out}
    assert told == {sweep: perplexities.get(sweep) for sweep in range(1, 8)}
    seconds = [score.training_seconds for score in result.held_out]
    assert 0 < seconds[0] < seconds[1] < seconds[2] <= seen[-1].training_seconds
    ends = papilio.train(training, held_out=held_out, held_out_every=0, **options).held_out
    assert [score.sweep for score in ends] == [7]


def test_methods_of_adding_weights_up():
    """Other roundings, the same counts of tokens; each the same whenever it is asked for."""
    documents = corpus()
    options = {"topics": 40, "sweeps": 4, "draws": "dense"}
    usual = papilio.train(documents, **options)
    assert same_models(papilio.train(documents, method="slots", **options).model, usual.model)
    for method in ("prefix", "butterfly_swap"):
        other = papilio.train(documents, method=method, **options)
        assert same_models(papilio.train(documents, method=method, threads=1, **options).model, other.model)
        assert int(other.model.n_k.sum()) == documents.tokens
        assert other.log_joint_per_token == pytest.approx(usual.log_joint_per_token, rel=0.02)


def test_what_a_callback_raises_ends_training_and_brings_the_result():
    def progress(report):
        if report.sweep == 3:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough") as error:
        papilio.train(corpus(), topics=4, progress=progress)
    result = error.value.train_result
    assert result.topics.sweep == 3 and int(result.model.n_k.sum()) == corpus().tokens


def test_threads_train_at_once_and_python_goes_on():
    documents = corpus(documents=400)
    alone = papilio.train(documents, topics=4, sweeps=20, threads=1).model
    models = [None] * 4

    def work(i):
        models[i] = papilio.train(documents, topics=4, sweeps=20, threads=1).model

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(same_models(model, alone) for model in models)


def test_the_lock_of_python_is_free_while_training():
    started, ticks = threading.Event(), []

    def count():
        started.wait()
        while not done.is_set():
            ticks.append(1)
            done.wait(0.001)

    done = threading.Event()
    counter = threading.Thread(target=count)
    counter.start()
    # One sweep without a callback in between: ticks come only where the lock is free.
    documents = papilio.generate_corpus(documents=12_000, vocabulary=500, topics=5)
    started.set()
    before = len(ticks)
    papilio.train(documents, topics=300, sweeps=1, evaluate_every=0, threads=1)
    during = len(ticks) - before
    done.set()
    counter.join()
    assert during >= 3


def test_log_joint_of_the_result():
    documents = corpus()
    result = papilio.train(documents, topics=4, sweeps=5)
    nats = papilio.log_joint(documents, result.topics.z, [0.1] * 4, 0.01)
    assert nats / documents.tokens == result.log_joint_per_token
    with pytest.raises(ValueError):
        papilio.log_joint(documents, result.topics.z[:-1], [0.1] * 4, 0.01)


def test_models_come_back_from_files_and_pickles(tmp_path):
    model = papilio.train(corpus(), topics=4, sweeps=5, topic_alpha=[0.1, 0.2, 0.3, 0.4]).model
    papilio.save_model(model, tmp_path / "a")
    for other in (papilio.load_model(tmp_path / "a"), pickle.loads(pickle.dumps(model))):
        assert same_models(other, model)
        assert other.vocabulary == model.vocabulary and other.settings == model.settings
        papilio.save_model(other, tmp_path / "b")
        assert digest(tmp_path / "a") == digest(tmp_path / "b")
    with pytest.raises(papilio.FormatError):
        (tmp_path / "a").write_bytes(b"x" * 100)
        papilio.load_model(tmp_path / "a")
    with pytest.raises(FileNotFoundError):
        papilio.load_model(tmp_path / "none")


def test_counts_that_are_mostly_zero_come_back_from_a_file(tmp_path):
    counts = np.zeros((70, 300), np.int32)
    counts[np.arange(70), np.arange(70) * 4] = np.arange(1, 71) * 1000
    model = papilio.Model(counts, np.full(300, 0.1), 0.5, [f"w{w}" for w in range(70)])
    papilio.save_model(model, tmp_path / "a")
    assert (tmp_path / "a").stat().st_size < counts.nbytes / 4
    assert same_models(papilio.load_model(tmp_path / "a"), model)


def test_models_are_checked():
    counts = np.array([[1, 0], [0, 2]], np.int32)
    model = papilio.Model(counts, np.array([0.1, 0.1]), 0.5, ["a", "b"])
    assert model.n_k.tolist() == [1, 2] and model.top_words(1, 1) == [("b", 2.5 / 3)]
    assert np.allclose(model.phi(), [[0.75, 0.25], [0.5 / 3, 2.5 / 3]])
    for change in [{"n_wk": -counts}, {"alpha": np.array([0.1])}, {"vocabulary": ["a"]}]:
        values = {"n_wk": counts, "alpha": np.array([0.1, 0.1]), "beta": 0.5, "vocabulary": ["a", "b"], **change}
        with pytest.raises(ValueError):
            papilio.Model(**values)
    for topic in (-1, 2):
        with pytest.raises(ValueError, match="topic is"):
            model.top_words(topic)


def test_evaluation():
    training, held_out = papilio.hold_out_every(corpus(documents=400), 5)
    model = papilio.train(training, topics=4, sweeps=60).model
    completion = papilio.complete_documents(model, held_out)
    assert completion.tokens + completion.tokens_seen + completion.unknown_tokens == held_out.tokens
    assert 1 < completion.perplexity < 60 and completion.perplexity == pytest.approx(np.exp(completion.nats_per_token))
    whole = papilio.left_to_right(model, held_out, particles=5)
    assert whole.log_likelihoods.shape == (80,)
    assert whole.log_likelihoods.sum() == pytest.approx(whole.log_likelihood)
    coherence = papilio.coherence(model, training, measure="umass")
    assert coherence.topics.shape == (4,) and coherence.mean == pytest.approx(coherence.topics.mean())
    assert 0.25 <= papilio.diversity(model) <= 1
    diagnostics = papilio.diagnose_topics(training, papilio.train(training, topics=4, sweeps=60).topics, model)
    assert [topic.tokens for topic in diagnostics] == model.n_k.tolist()
    for wrong in [
        lambda: papilio.coherence(model, training, measure="x"),
        lambda: papilio.infer(model, training, method="x"),
        lambda: papilio.infer(model, training, sweeps=0),
        lambda: papilio.coherence(model, training, top_words=1),
    ]:
        with pytest.raises(ValueError):
            wrong()


def test_rows_of_infer_are_their_documents_own():
    model = papilio.train(corpus(), topics=4, sweeps=20).model
    theta = papilio.infer(model, corpus()).theta
    again = papilio.infer(model, corpus(), threads=1).theta
    assert theta.dtype == np.float32 and np.array_equal(theta, again)
    assert np.allclose(theta.sum(axis=1), 1, atol=1e-5)
    held = papilio.hold_out_every(corpus(), 3)[1]
    assert np.array_equal(papilio.infer(model, held).theta, theta[2::3])


def test_infer_works_in_parts():
    # 400,000 tokens are two parts; single documents are what they are in both.
    documents = papilio.generate_corpus(documents=4000, vocabulary=80, topics=4, mean_length=100.0)
    assert documents.tokens > 2**18
    model = papilio.train(corpus(), topics=4, sweeps=20).model
    whole = papilio.infer(model, documents, sweeps=2, burn_in=1)
    assert whole.theta.shape == (4000, 4)
    assert whole.known_tokens + whole.unknown_tokens == documents.tokens
    X = papilio.corpus_to_matrix(documents)
    for d in (0, 2500, 2700, 3999):
        row = papilio.corpus_from_matrix(X[d], vocabulary=documents.vocabulary)
        assert np.array_equal(papilio.infer(model, row, sweeps=2, burn_in=1).theta[0], whole.theta[d])


def test_mallet_states_come_back(tmp_path):
    documents = corpus()
    result = papilio.train(documents, topics=4, sweeps=5, alpha=0.3, beta=0.02)
    papilio.write_mallet_state(documents, result.topics, result.model, tmp_path / "state.gz")
    other, topics, count = papilio.read_mallet_state(tmp_path / "state.gz")
    assert count == 4 and topics.beta == 0.02 and topics.alpha.tolist() == [0.3] * 4
    assert np.array_equal(topics.z, result.topics.z)
    assert [other.vocabulary[w] for w in other.words] == [documents.vocabulary[w] for w in documents.words]
