"""Inference and held-out scores over ranks: engines written in Python, and Gloo where torch is installed."""

import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from rank_engines import Threads, environment, on_ranks, output, program_folder, start_ranks

import papilio
import papilio.distributed

COUNTS = ("known_tokens", "unknown_words", "unknown_tokens")
COMPLETION = ("documents", "left_out", "tokens", "tokens_seen", "unknown_tokens", "log_likelihood", "perplexity")
LEFT_TO_RIGHT = ("tokens", "unknown_tokens", "log_likelihood", "perplexity")


@pytest.fixture(scope="module")
def corpus():
    return papilio.generate_corpus(documents=120, vocabulary=90, topics=5, mean_length=20, seed=2)


@pytest.fixture(scope="module")
def model(corpus):
    """One that does not know all words of the corpus."""
    part = papilio.Corpus([0, 60], np.arange(60), corpus.vocabulary[:70])
    return papilio.train(part, topics=12, sweeps=8, seed=3).model


def bits(theta):
    return theta.view(np.uint32)


@pytest.mark.parametrize("method", ["gibbs", "em"])
def test_any_number_of_ranks_infers_the_topics_of_one_process(corpus, model, method):
    options = {"method": method, "sweeps": 9, "burn_in": 2, "em_steps": 7, "seed": 5, "threads": 1}
    expected = papilio.infer(model, corpus, **options)
    assert expected.unknown_tokens > 0
    for ranks in (1, 2, 3):
        for rank, found in enumerate(on_ranks(ranks, lambda own: papilio.infer(model, corpus, **options, ranks=own))):
            np.testing.assert_array_equal(bits(found.theta), bits(expected.theta) if rank == 0 else np.empty((0, 12)))
            tokens = expected.document_tokens if rank == 0 else np.empty(0)
            np.testing.assert_array_equal(found.document_tokens, tokens)
            assert all(getattr(found, name) == getattr(expected, name) for name in COUNTS)


def test_any_number_of_ranks_scores_as_one_process(corpus, model):
    completion = papilio.complete_documents(model, corpus, seed=4)
    estimate = papilio.left_to_right(model, corpus, particles=2, seed=5)
    assert completion.unknown_tokens > 0 and completion.tokens > 0
    for ranks in (1, 2, 3):
        for found in on_ranks(ranks, lambda own: papilio.complete_documents(model, corpus, seed=4, ranks=own)):
            assert all(getattr(found, name) == getattr(completion, name) for name in COMPLETION)
        for found in on_ranks(ranks, lambda own: papilio.left_to_right(model, corpus, particles=2, seed=5, ranks=own)):
            np.testing.assert_array_equal(found.log_likelihoods, estimate.log_likelihoods)
            assert all(getattr(found, name) == getattr(estimate, name) for name in LEFT_TO_RIGHT)


def test_a_rank_may_have_no_documents(corpus, model):
    one, none = papilio.Corpus([0, 3], [0, 1, 80], corpus.vocabulary), papilio.Corpus([0], [], corpus.vocabulary)
    for few in (one, none):
        expected = papilio.infer(model, few)
        first, *others = on_ranks(3, lambda own, few=few: papilio.infer(model, few, ranks=own))
        np.testing.assert_array_equal(bits(first.theta), bits(expected.theta))
        assert all(other.theta.shape == (0, 12) for other in others)
        assert first.unknown_tokens == expected.unknown_tokens
        scored = papilio.complete_documents(model, few)
        for found in on_ranks(3, lambda own, few=few: papilio.complete_documents(model, few, ranks=own)):
            assert (found.tokens, found.log_likelihood) == (scored.tokens, scored.log_likelihood)


def test_ranks_that_differ_say_in_what(corpus, model):
    other = papilio.train(corpus, topics=12, sweeps=3).model
    shorter = papilio.Corpus([0, 3], [0, 1, 2], corpus.vocabulary)
    for what, call in {
        'infer: ranks differ: rank 1 has "options.seed 1"': lambda own: papilio.infer(
            model, corpus, seed=own.rank, ranks=own
        ),
        'complete_documents: ranks differ: rank 1 has "model.hash ': lambda own: papilio.complete_documents(
            [model, other][own.rank], corpus, ranks=own
        ),
        'left_to_right: ranks differ: rank 1 has "corpus.': lambda own: papilio.left_to_right(
            model, [corpus, shorter][own.rank], ranks=own
        ),
    }.items():
        for error in on_ranks(2, call):
            assert isinstance(error, ValueError)
            assert f"papilio::{what}" in str(error)


def test_what_ranks_do_not_do_is_refused(corpus, model):
    expected = "ranks is 3, expected the ranks of a job, such as papilio.distributed.process_group()"
    for function in (papilio.infer, papilio.complete_documents, papilio.left_to_right):
        with pytest.raises(TypeError, match="^" + re.escape(f"papilio.{function.__name__}: {expected}") + "$"):
            function(model, corpus, ranks=3)

    class Odd(Threads):
        def __init__(self, rank, ranks):
            self.rank, self.ranks = rank, ranks

    for rank, ranks, error, message in [
        ("0", 2, TypeError, "papilio.infer: ranks.rank is '0', expected a whole number"),
        (0, 2.0, TypeError, "papilio.infer: ranks.ranks is 2.0, expected a whole number"),
        (-1, 2, ValueError, "papilio.infer: ranks.rank is -1, expected a whole number"),
        (0, 0, ValueError, "papilio.infer: ranks.ranks is 0, expected a whole number"),
        (2, 2, ValueError, "papilio.distributed: ranks has rank 2 of 2, expected 0 <= rank < ranks"),
    ]:
        with pytest.raises(error, match=re.escape(message)):
            papilio.infer(model, corpus, ranks=Odd(rank, ranks))
    for results in (
        on_ranks(2, lambda own: papilio.complete_documents(model, corpus, em_steps=0, ranks=own)),
        on_ranks(2, lambda own: papilio.infer(model, corpus, burn_in=200, ranks=own)),
    ):
        assert all(isinstance(error, ValueError) for error in results)


def test_numbers_of_numpy_number_ranks(corpus, model):
    class Numpy(Threads):
        def __init__(self, rank, shared):
            super().__init__(rank, shared)
            self.rank, self.ranks = np.int64(rank), np.int32(self.ranks)

    expected = papilio.infer(model, corpus, seed=1).theta
    found = on_ranks(2, lambda own: papilio.infer(model, corpus, seed=1, ranks=own), Numpy)[0]
    np.testing.assert_array_equal(bits(found.theta), bits(expected))


class Failing(Threads):
    def gather(self, values, target):
        if self.rank == 1 and values.size > 400:
            raise OSError("the cable is cut")
        return super().gather(values, target)


def test_what_an_engine_raises_names_the_rank(corpus, model):
    for call in (papilio.infer, papilio.complete_documents):
        results = on_ranks(2, lambda own, call=call: call(model, corpus, ranks=own), Failing)
        assert all(isinstance(result, papilio.RankError) for result in results)
        assert "papilio.distributed: rank 1 of 2: gather: the cable is cut" in str(results[1])


# A process as a rank: it says what it found by bits.
PROGRAM = """
    import datetime, hashlib, os, signal, sys, time
    import papilio

    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the caller left behind
    corpus, model = papilio.read_corpus("c.papilio-corpus"), papilio.load_model("model")
    own = None
    if len(sys.argv) > 1:
        import torch.distributed as dist

        dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
        own = papilio.distributed.process_group()

    def ask(**options):
        return papilio.infer(model, corpus, threads=1, ranks=own, **options)

    try:
        if len(sys.argv) > 2:
            print("going", flush=True)
            ask(sweeps=int(sys.argv[2]))
        for method in ("gibbs", "em"):
            theta = ask(method=method, sweeps=9, burn_in=2, seed=5).theta
            if own is None or own.rank == 0:
                print(theta.shape, hashlib.sha256(theta.tobytes()).hexdigest())
        if own is None or own.rank == 0:
            print("of all")
        print(papilio.complete_documents(model, corpus, seed=4, ranks=own).log_likelihood.hex())
        found = papilio.left_to_right(model, corpus, particles=2, seed=5, ranks=own)
        print(found.log_likelihood.hex(), hashlib.sha256(found.log_likelihoods.tobytes()).hexdigest())
    except (papilio.RankError, KeyboardInterrupt) as error:
        print(type(error).__name__, time.monotonic(), error)
    sys.stdout.flush()
    os._exit(0)  # the end of a process group waits for ranks that may be gone
"""


@pytest.fixture
def folder(tmp_path, corpus, model):
    papilio.save_model(model, tmp_path / "model")
    return program_folder(tmp_path, PROGRAM, corpus)


def test_gloo_gives_the_bits_of_one_process(folder):
    pytest.importorskip("torch")
    expected = subprocess.check_output([sys.executable, "rank.py"], cwd=folder, env=environment(), text=True)
    scores = expected.partition("of all\n")[2]
    assert expected.startswith("(120, 12) ") and scores.count("\n") == 2
    assert all(float.fromhex(score.split()[0]) < 0 for score in scores.splitlines())
    for ranks in (1, 2, 3):
        first, *others = map(output, start_ranks(ranks, folder, "rank.py", "gloo"))
        assert first == expected
        assert others == [scores] * (ranks - 1)


def start_long(folder, sweeps):
    """Two ranks that infer."""
    processes = start_ranks(2, folder, "rank.py", "gloo", str(sweeps))
    for process in processes:
        lines = iter(process.stdout.readline, "")
        assert next((line for line in lines if not line.startswith("[Gloo]")), None) == "going\n"
    return processes


def test_ctrl_c_ends_the_ranks(folder):
    processes = start_long(folder, 1_000_000)
    time.sleep(0.5)
    assert all(process.poll() is None for process in processes), "one ended by itself"
    sent = time.monotonic()
    for process in processes:
        process.send_signal(signal.SIGINT)
    for process in processes:
        kind, when, *_ = output(process).split()
        assert kind == "KeyboardInterrupt"
        assert float(when) - sent < 5


def test_killed_rank(folder):
    processes = start_long(folder, 20_000)
    processes[1].kill()
    text = output(processes[0])
    assert text.startswith("RankError ")
    assert "papilio.distributed: rank 0 of 2: " in text
    processes[1].communicate()
