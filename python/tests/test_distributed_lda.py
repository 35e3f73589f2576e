"""LDA and Inference over ranks: engines written in Python, and Gloo where torch is installed."""

import copy
import os
import pickle
import re
import signal
import subprocess
import sys

import numpy as np
import pytest
from rank_engines import Threads, environment, on_ranks, output, program_folder, start_ranks

import papilio
import papilio.distributed

OPTIONS = {"n_components": 12, "max_iter": 8, "random_state": 3, "n_jobs": 1, "optimize_every": 3, "optimize_after": 2,
           "evaluate_every": 4}  # fmt: skip


@pytest.fixture(scope="module")
def corpus():
    return papilio.generate_corpus(documents=120, vocabulary=90, topics=5, mean_length=20, seed=2)


@pytest.fixture(scope="module")
def matrix(corpus):
    return counts_of(corpus)


def counts_of(corpus):
    counts = np.zeros((corpus.documents, corpus.vocabulary_size), np.int64)
    np.add.at(counts, (np.repeat(np.arange(corpus.documents), np.diff(corpus.document_offsets)), corpus.words), 1)
    return counts


def everything(lda, X):
    """What users see of an LDA, and what it makes of documents."""
    return {
        "model": lda.model_.hash(),
        "topics": lda.topics_.tolist(),
        "document topics": lda.document_topics_.tolist(),
        "curve": lda.log_joint_curve_.tolist(),
        "held out": lda.held_out_curve_.tolist(),
        "likelihood": lda.log_joint_,
        "sweeps": lda.n_iter_,
        "seed": lda.random_state_,
        "theta": lda.transform(X).tolist(),
        "counts": lda.transform(X.astype(np.float32), normalize=False).tolist(),
        "perplexity": lda.perplexity(X),
        "score": lda.score(X),
        "bound": lda.bound_,
        "table": [list(row.values()) for row in _rows(lda.representative_documents(2))],
    }


def _rows(table):
    return table if isinstance(table, list) else table.to_dict("records")


def of_all(ranks, work, engine=Threads):
    """What the ranks return; none may fail."""
    results = on_ranks(ranks, work, engine)
    for result in results:
        if isinstance(result, Exception):
            raise result
    return results


@pytest.mark.parametrize("start", ["uniform", "progressive"])
def test_each_rank_has_what_one_process_has(corpus, matrix, start):
    options = {**OPTIONS, "start": start}
    expected = everything(papilio.LDA(**options).fit(matrix, held_out=matrix[:40]), matrix)
    assert len(expected["curve"]) == len(expected["held out"]) == 2
    for ranks in (1, 2, 3):
        for found in of_all(
            ranks, lambda own: everything(papilio.LDA(**options, ranks=own).fit(matrix, held_out=matrix[:40]), matrix)
        ):
            assert found == expected


def test_documents_with_words_of_their_own(corpus):
    other = papilio.Corpus([0, 3, 5, 9], [0, 1, 2, 2, 3, 0, 1, 2, 3], [*corpus.vocabulary[:3], "unknown"])
    lda = papilio.LDA(**OPTIONS).fit(corpus)
    expected = lda.transform(other).tolist(), lda.perplexity(other), lda.fit_transform(corpus).tolist()

    def work(own):
        lda = papilio.LDA(**OPTIONS, ranks=own).fit(corpus)
        return lda.transform(other).tolist(), lda.perplexity(other), lda.fit_transform(corpus).tolist()

    assert all(found == expected for ranks in (2, 3) for found in of_all(ranks, work))


def test_a_corpus_file_that_ranks_have_verified_together(corpus, tmp_path):
    papilio.write_corpus(corpus, tmp_path / "c.papilio-corpus")
    lda = papilio.LDA(**OPTIONS).fit(corpus)
    expected = lda.model_.hash(), lda.topics_.tolist(), lda.transform(corpus).tolist(), lda.bound_

    def work(own):
        opened = papilio.open_corpus(tmp_path / "c.papilio-corpus", ranks=own)
        lda = papilio.LDA(**OPTIONS, ranks=own).fit(opened)
        return lda.model_.hash(), lda.topics_.tolist(), lda.transform(opened).tolist(), lda.bound_

    assert all(found == expected for ranks in (1, 2, 3) for found in of_all(ranks, work))


def test_a_chain_goes_on_with_other_ranks(matrix):
    def work(own, first=None):
        lda = first or papilio.LDA(**{**OPTIONS, "max_iter": 3}, ranks=own)
        if first is None:
            lda.fit(matrix[:100])
        lda.set_params(ranks=own).partial_fit(matrix[:100], n_sweeps=4)
        return lda.partial_fit(matrix[100:], n_sweeps=4)  # which join the others

    expected = work(None)
    assert expected.n_iter_ == 11 and len(expected.topics_) == matrix.sum()
    kept = papilio.LDA(**{**OPTIONS, "max_iter": 3}).fit(matrix[:100])
    for ranks in (1, 2, 3):
        for first in (None, kept):
            for found in of_all(ranks, lambda own, first=first: work(own, copy.copy(first))):
                assert everything(found.set_params(ranks=None), matrix) == everything(expected, matrix)


def test_a_chain_from_a_file_goes_on(matrix, tmp_path):
    papilio.LDA(**{**OPTIONS, "max_iter": 4}).fit(matrix).save_chain(tmp_path / "chain")

    def work(own):
        lda = papilio.LDA(**{**OPTIONS, "max_iter": 4}, ranks=own).load_chain(tmp_path / "chain", matrix)
        return lda.partial_fit(matrix, n_sweeps=4)

    expected = everything(work(None), matrix)
    assert expected["model"] == papilio.LDA(**OPTIONS).fit(matrix).model_.hash()
    for found in of_all(3, work):
        assert everything(found.set_params(ranks=None), matrix) == expected


@pytest.mark.parametrize("state", [None, np.random, np.random.RandomState, np.random.default_rng])
def test_ranks_without_a_seed_take_that_of_rank_0(matrix, state):
    options = {**OPTIONS, "max_iter": 2}

    def work(own):
        given = state(own.rank) if callable(state) else state
        return papilio.LDA(**{**options, "random_state": given}, ranks=own).fit(matrix)

    first, *others = of_all(3, work)
    assert all(other.random_state_ == first.random_state_ for other in others)
    assert all(other.model_.hash() == first.model_.hash() for other in others)
    assert papilio.LDA(**{**options, "random_state": first.random_state_}).fit(matrix).model_.hash() == first.model_.hash()


def test_a_seed_of_64_bits(matrix):
    options = {**OPTIONS, "max_iter": 1, "random_state": 2**64 - 2}
    assert all(lda.random_state_ == 2**64 - 2 for lda in of_all(2, lambda o: papilio.LDA(**options, ranks=o).fit(matrix)))


def test_ranks_that_differ_say_in_what(corpus, matrix):
    def fitted(own, X=matrix, **parameters):
        return papilio.LDA(**{**OPTIONS, "max_iter": 2, **parameters}, ranks=own).fit(X)

    def of_another_chain(own, sweeps=2, seed=3):
        lda = fitted(None, max_iter=sweeps, random_state=seed)
        return lda.set_params(ranks=own).partial_fit(matrix)

    empty = np.zeros_like(matrix)
    for what, work in {
        'train: ranks differ: rank 1 has "options.seed 1"': lambda own: fitted(own, random_state=own.rank),
        'train: ranks differ: rank 1 has "options.alpha ': lambda own: fitted(own, doc_topic_prior=0.1 + own.rank),
        'train: ranks differ: rank 1 has "corpus.': lambda own: fitted(own, matrix[own.rank :]),
        "LDA: ranks differ: X has no words on rank 1 and has words on rank 0": lambda own: fitted(
            own, [matrix, empty][own.rank]
        ),
        "LDA: ranks differ: random_state gives no seed of its own on rank 1": lambda own: fitted(
            own, random_state=[3, None][own.rank]
        ),
        "LDA: ranks differ: the chain has done 3 sweeps on rank 1 and has done 2 sweeps": lambda own: of_another_chain(
            own, 2 + own.rank
        ),
        "LDA: ranks differ: the chain has a state with the check sum": lambda own: of_another_chain(own, 2, own.rank),
        'infer: ranks differ: rank 1 has "model.hash ': lambda own: (
            fitted(None, random_state=own.rank).set_params(ranks=own).transform(matrix)
        ),
        'infer: ranks differ: rank 1 has "options.sweeps 6"': lambda own: (
            fitted(None).set_params(ranks=own, transform_iter=5 + own.rank).transform(matrix)
        ),
        'complete_documents: ranks differ: rank 1 has "corpus.': lambda own: (
            fitted(None).set_params(ranks=own).perplexity(matrix[own.rank :])
        ),
    }.items():
        for error in on_ranks(2, work):
            assert isinstance(error, ValueError), (what, error)
            assert what in str(error)


def test_documents_without_words_make_the_prior_on_each_rank(matrix):
    with pytest.warns(UserWarning, match="have no words, so the model is the prior"):
        found = of_all(2, lambda own: papilio.LDA(**OPTIONS, ranks=own).fit(np.zeros_like(matrix)))
    assert all((lda.components_ == found[0].components_).all() for lda in found)


def test_what_cannot_be_is_refused(matrix):
    with pytest.raises(TypeError, match=r"^LDA: ranks is 3, expected the ranks of a job, such as papilio.distributed"):
        papilio.LDA(ranks=3).fit(matrix)
    fitted = papilio.LDA(**OPTIONS).fit(matrix)
    for call in (fitted.transform, fitted.perplexity, fitted.score, fitted.partial_fit):
        fitted.set_params(ranks="all")
        with pytest.raises(TypeError, match=r"^LDA: ranks is 'all', expected the ranks of a job"):
            call(matrix)
    for error in on_ranks(2, lambda own: papilio.LDA(**OPTIONS, schedule="sequential", ranks=own).fit(matrix)):
        assert isinstance(error, (ValueError, papilio.RankError)) and "which 2 ranks cannot do" in str(error)
    inference = papilio.Inference(fitted)
    corpus = papilio.corpus_from_matrix(matrix)
    for name in ("infer", "complete_documents"):
        with pytest.raises(TypeError, match=f"^papilio.Inference.{name}: ranks is 3, expected the ranks of a job"):
            getattr(inference, name)(corpus, ranks=3)


def test_inference_has_the_bits_of_one_process(corpus):
    inference = papilio.Inference(papilio.train(corpus, topics=12, sweeps=8, seed=3).model)
    theta, score = inference.infer(corpus, seed=5).theta, inference.complete_documents(corpus, seed=4)

    def work(own):
        for _ in range(2):  # the second time the model's hash is known
            found = inference.infer(corpus, seed=5, ranks=own).theta
            assert found.tobytes() == (theta.tobytes() if own.rank == 0 else b"")
            assert inference.complete_documents(corpus, seed=4, ranks=own).log_likelihood == score.log_likelihood
        return True

    for ranks in (1, 2, 3):
        assert of_all(ranks, work) == [True] * ranks
    for error in on_ranks(2, lambda own: inference.infer(corpus, seed=own.rank, ranks=own)):
        assert 'papilio::infer: ranks differ: rank 1 has "options.seed 1"' in str(error)


class Failing(Threads):
    def broadcast(self, values, source):
        if self.rank == 1 and values.size > 3000:
            raise OSError("the cable is cut")
        super().broadcast(values, source)


def test_what_an_engine_raises_names_the_rank(matrix):
    fitted = papilio.LDA(**OPTIONS).fit(matrix)
    for results in (
        on_ranks(2, lambda own: papilio.LDA(**OPTIONS, ranks=own).fit(matrix), Failing),
        on_ranks(2, lambda own: copy.copy(fitted).set_params(ranks=own).transform(matrix), Failing),
    ):
        assert all(isinstance(result, papilio.RankError) for result in results)
        assert str(results[1]) == "papilio.distributed: rank 1 of 2: broadcast: the cable is cut"


def test_a_callback_of_one_rank_stops_all(matrix):
    class Enough(Exception):
        pass

    def stop(progress):
        if progress.sweep == 3:
            raise Enough

    def work(own):
        lda = papilio.LDA(**OPTIONS, ranks=own, callback=[None, stop, None][own.rank])
        try:
            lda.fit(matrix)
        except Enough:
            assert own.rank == 1
        return lda.n_iter_, lda.topics_.tolist(), lda.partial_fit(matrix, n_sweeps=5).model_.hash()

    expected = papilio.LDA(**{**OPTIONS, "max_iter": 3}).fit(matrix)
    sweeps, topics, hashed = expected.n_iter_, expected.topics_.tolist(), expected.partial_fit(matrix, n_sweeps=5)
    assert of_all(3, work) == [(sweeps, topics, hashed.model_.hash())] * 3


def test_rank_0_alone_tells(matrix, capfd):
    of_all(2, lambda own: papilio.LDA(**OPTIONS, ranks=own, verbose=own.rank).fit(matrix))
    assert capfd.readouterr().err == ""
    of_all(2, lambda own: papilio.LDA(**OPTIONS, ranks=own, verbose=1 - own.rank).fit(matrix))
    assert capfd.readouterr().err != ""


# Copies


def test_parameters_and_copies(matrix):
    (own,) = of_all(1, lambda own: own)
    lda = papilio.LDA(**OPTIONS, ranks=own)
    assert lda.get_params()["ranks"] is own
    assert "ranks" not in repr(papilio.LDA())
    lda.fit(matrix)
    for twin in (pickle.loads(pickle.dumps(lda)), copy.copy(lda), copy.deepcopy(lda)):
        assert twin.ranks is None and lda.ranks is own
        assert everything(twin, matrix) == everything(lda, matrix)
    state = lda.__getstate__()
    del state["ranks"]  # as before there were any
    old = papilio.LDA.__new__(papilio.LDA)
    old.__setstate__(state) if hasattr(old, "__setstate__") else old.__dict__.update(state)
    assert old.get_params()["ranks"] is None and old.transform(matrix).shape == (120, 12)


def test_clones_of_scikit_learn_keep_the_ranks(matrix):
    base = pytest.importorskip("sklearn.base")
    pipeline = pytest.importorskip("sklearn.pipeline")
    (own,) = of_all(1, lambda own: own)
    lda = papilio.LDA(**OPTIONS, ranks=own).fit(matrix)
    lda.set_output(transform="default")
    for twin in (base.clone(lda), base.clone(pipeline.make_pipeline(lda)).steps[0][1]):
        assert twin.ranks is own and twin is not lda and not hasattr(twin, "_fitted")
        assert {**twin.get_params(), "ranks": None} == {**lda.get_params(), "ranks": None}
        assert twin._sklearn_output_config == lda._sklearn_output_config


def test_a_search_of_scikit_learn_over_ranks(matrix):
    search = pytest.importorskip("sklearn.model_selection")
    options = {**OPTIONS, "max_iter": 3}

    def scores(own):
        lda = papilio.LDA(**options, ranks=own)
        return search.GridSearchCV(lda, {"n_components": [2, 4]}, cv=2).fit(matrix).cv_results_["mean_test_score"]

    expected = scores(None)
    for found in of_all(2, scores):
        assert (found == expected).all()


# A process as a rank

PROGRAM = """
    import copy, datetime, hashlib, os, pickle, sys
    import papilio

    corpus = papilio.read_corpus("c.papilio-corpus")
    own = None
    if len(sys.argv) > 1:
        import torch.distributed as dist

        dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
        own = papilio.distributed.process_group()
        assert copy.deepcopy(own) is own and copy.copy(own) is own
        try:
            pickle.dumps(own)
        except TypeError as error:
            assert str(error).startswith("papilio.distributed.ProcessGroup cannot be pickled: ")
        else:
            raise AssertionError("it was pickled")
    lda = papilio.LDA(12, max_iter=8, random_state=3, n_jobs=1, ranks=own)
    if len(sys.argv) > 2:
        lda.set_params(max_iter=10**6, callback=lambda p: print("going", flush=True) if p.sweep == 1 else None)
    try:
        theta = lda.fit(corpus).partial_fit(corpus, n_sweeps=2).transform(corpus)
        print(lda.model_.hash(), hashlib.sha256(theta.tobytes()).hexdigest(), lda.perplexity(corpus))
        print(hashlib.sha256(lda.topics_.tobytes()).hexdigest(), lda.log_joint_, lda.bound_)
    except papilio.RankError as error:
        print("RankError", error)
    sys.stdout.flush()
    os._exit(0)  # the end of a process group waits for ranks that may be gone
"""


@pytest.fixture
def folder(tmp_path, corpus):
    return program_folder(tmp_path, PROGRAM, corpus)


def test_gloo_gives_the_bits_of_one_process(folder):
    pytest.importorskip("torch")
    expected = subprocess.check_output([sys.executable, "rank.py"], cwd=folder, env=environment(), text=True)
    assert expected.count("\n") == 2
    for ranks in (1, 2, 3):
        assert [output(process) for process in start_ranks(ranks, folder, "rank.py", "gloo")] == [expected] * ranks


def test_killed_rank(folder):
    processes = start_ranks(2, folder, "rank.py", "gloo", "long")
    for process in processes:
        lines = iter(process.stdout.readline, "")
        assert next((line for line in lines if not line.startswith("[Gloo]")), None) == "going\n"
    os.kill(processes[1].pid, signal.SIGKILL)
    assert re.match(r"RankError papilio.distributed: rank 0 of 2: ", output(processes[0]))
    processes[1].communicate()
