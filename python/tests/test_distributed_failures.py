"""Ranks of which one alone fails before it has met the others: these end at once, and say which one and why."""

import re
import threading
import time

import pytest
from rank_engines import Threads, on_ranks, output, program_folder, start_ranks

import papilio
from papilio._failures import Failures


class Store:
    """What Failures asks of a store of torch.distributed."""

    def __init__(self):
        self.values, self.lock = {}, threading.Lock()

    def add(self, key, number):
        with self.lock:
            self.values[key] = self.values.get(key, 0) + number
            return self.values[key]

    def set(self, key, text):
        self.values[key] = text.encode()

    def get(self, key):
        return self.values[key]

    def check(self, keys):
        return all(key in self.values for key in keys)


def failures_of(ranks):
    store = Store()
    return [Failures(store, "name", rank, ranks) for rank in range(ranks)]


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_a_failure_is_heard_in_the_same_call_and_in_the_next(failing):
    for is_next in (False, True):
        ranks = failures_of(3)
        for rank in ranks:
            rank.begin()
        ranks[failing].fail("no file")
        for rank in ranks:
            rank.end()
            rank.begin()
        others = [rank for rank in ranks if rank is not ranks[failing]]
        if not is_next:
            for rank in others:
                rank._call = 0
        for rank in others:
            with pytest.raises(papilio.RankError, match=f"rank {failing} of 3 has failed: no file") as heard:
                rank.listen(every=0)
            assert heard.value.rank == failing
            with pytest.raises(papilio.RankError, match="has failed: no file"):
                rank.before_exchange()
        with pytest.raises(papilio.RankError, match=f"rank {failing} of 3 has failed: no file"):
            ranks[failing].before_exchange()  # it went on, and hears that the others have not failed


def test_where_all_have_failed_they_go_on():
    ranks = failures_of(3)
    for _ in range(2):
        for rank in ranks:
            rank.begin()
            rank.begin()  # as fit_transform calls fit
            rank.fail("a wrong argument")
            rank.end()
            rank.fail("a wrong argument")
            rank.end()
        for rank in ranks:
            rank.begin()
            rank.before_exchange()
            rank.listen(every=0)
            rank.end()


def test_a_rank_that_has_failed_waits_until_all_have():
    ranks = failures_of(2)
    for rank in ranks:
        rank.begin()
    ranks[0].fail("early")
    ranks[0].end()
    ranks[0].begin()
    went_on = threading.Event()

    def go_on():
        ranks[0].before_exchange()
        went_on.set()

    thread = threading.Thread(target=go_on)
    thread.start()
    assert not went_on.wait(0.2)
    ranks[1].fail("late")
    assert went_on.wait(10)
    thread.join()


def test_questions_are_asked_now_and_then():
    ranks = failures_of(2)
    ranks[1].begin()
    ranks[1].listen()
    ranks[0].begin()
    ranks[0].fail("no file")
    ranks[1].listen()
    time.sleep(0.6)
    with pytest.raises(papilio.RankError, match="no file"):
        ranks[1].listen()


def test_a_store_that_is_gone_says_nothing():
    rank = Failures(None, "name", 0, 2, holds_store=True)
    rank.begin()
    rank.fail("no file")
    rank.listen(every=0)
    rank.linger()
    rank.end()


class Telling(Threads):
    """The engine of threads, of which one can tell the others that it has failed."""

    def fail(self, reason):
        self.shared.setdefault("reasons", []).append((self.rank, reason))
        self.shared["barrier"].abort()


def test_an_engine_that_can_is_told_why_a_rank_has_failed():
    corpus = papilio.corpus_from_texts(["cats purr", "dogs bark"] * 9)
    reasons = {}

    def work(own):
        reasons.setdefault("of", own.shared)
        return papilio.train(corpus, topics=2, sweeps=2 if own.rank else -1, ranks=own)

    results = on_ranks(2, work, Telling)
    assert isinstance(results[0], ValueError)
    assert isinstance(results[1], papilio.RankError)
    assert reasons["of"]["reasons"][0] == (0, str(results[0]))


# --- Gloo

# Each call in a group of its own, with each of two ranks failing: a line says what has become of it.
CALLS = """
    import os, sys, time, datetime
    import torch.distributed as dist
    import numpy as np
    import papilio
    from papilio.distributed import gather_topics, join_processes, process_group

    everyone = join_processes(60)
    corpus = papilio.open_corpus("c.papilio-corpus")
    options = {"topics": 3, "sweeps": 9, "start": "uniform"}
    whole = papilio.train(corpus, **options)
    if everyone.rank == 0:
        papilio.save_checkpoint(whole.topics, corpus, "kept", **options)
    everyone.barrier()
    fitted = papilio.LDA(3, max_iter=2, random_state=1).fit(corpus)
    prepared = papilio.Inference(whole.model)
    name = lambda fails: "nowhere" if fails else "c.papilio-corpus"

    def lda(ranks, fails):
        return papilio.LDA(0 if fails else 3, max_iter=2, random_state=1, ranks=ranks)

    def with_ranks(ranks):
        fitted.ranks = ranks
        return fitted

    calls = {
        "train": lambda r, fails: papilio.train(corpus, **{**options, "sweeps": -1 if fails else 2}, ranks=r),
        "train, option": lambda r, fails: papilio.train(corpus, **options, ranks=r, **({"topcs": 2} if fails else {})),
        "read_corpus": lambda r, fails: papilio.read_corpus(name(fails), ranks=r),
        "open_corpus": lambda r, fails: papilio.open_corpus(name(fails), ranks=r),
        "load_checkpoint": lambda r, fails: papilio.load_checkpoint(
            corpus, "kept", **{**options, "topics": 0 if fails else 3}, ranks=r),
        "infer": lambda r, fails: papilio.infer(whole.model, None if fails else corpus, ranks=r),
        "Inference.infer": lambda r, fails: prepared.infer(corpus, sweeps=0 if fails else 9, burn_in=0, ranks=r),
        "complete_documents": lambda r, fails: papilio.complete_documents(
            whole.model, corpus, em_steps=-1 if fails else 5, ranks=r),
        "left_to_right": lambda r, fails: papilio.left_to_right(whole.model, corpus, particles=0 if fails else 2, ranks=r),
        "choose_topics": lambda r, fails: papilio.choose_topics(
            corpus, [0 if fails else 2], sweeps=2, seeds=1, ranks=r),
        "gather_topics": lambda r, fails: gather_topics(None if fails else whole.topics, r),
        "LDA.fit": lambda r, fails: lda(r, fails).fit(corpus),
        "LDA.fit, X": lambda r, fails: lda(r, False).fit([[0, -1]] if fails else corpus),
        "LDA.partial_fit": lambda r, fails: lda(r, fails).partial_fit(corpus),
        "LDA.fit_transform": lambda r, fails: lda(r, fails).fit_transform(corpus),
        "LDA.transform": lambda r, fails: with_ranks(r).transform(3 if fails else corpus),
        "LDA.perplexity": lambda r, fails: with_ranks(r).perplexity(3 if fails else corpus),
    }

    for name_of_call, call in calls.items():
        for failing in (0, everyone.ranks - 1):
            ranks = process_group(dist.new_group(backend="gloo", timeout=datetime.timedelta(seconds=60)))
            start = time.monotonic()
            try:
                call(ranks, ranks.rank == failing)
                outcome = "nothing"
            except BaseException as error:
                outcome = f"{type(error).__name__}|{getattr(error, 'rank', None)}|{error}"
            print(f"{name_of_call}|{failing}|{time.monotonic() - start:.1f}|{outcome}".replace("\\n", " "), flush=True)

    # All fail alike, as in a search with a wrong parameter, and go on with the same group.
    ranks = process_group(dist.new_group(backend="gloo", timeout=datetime.timedelta(seconds=60)))
    for _ in range(3):
        for fails in (True, False):
            try:
                print("alike|", fails, lda(ranks, fails).fit(corpus).model_.hash() == fitted.model_.hash())
            except ValueError as error:
                print("alike|", fails, "ValueError")
    sys.stdout.flush()
    os._exit(0)
"""


def test_calls_of_which_one_rank_fails(tmp_path):
    corpus = papilio.generate_corpus(documents=30, vocabulary=20, topics=3, mean_length=8, seed=2)
    folder = program_folder(tmp_path, CALLS, corpus)
    ranks = 3
    texts = [output(process).splitlines() for process in start_ranks(ranks, folder, "rank.py")]
    alike = [[line for line in text if line.startswith("alike|")] for text in texts]
    assert alike == [["alike| True ValueError", "alike| False True"] * 3] * ranks
    lines = [[line for line in text if not line.startswith("alike|")] for text in texts]
    assert len(lines[0]) == 2 * 17
    for of_call in zip(*lines, strict=True):
        fields = [line.split("|", 5) for line in of_call]
        failing = int(fields[0][1])
        own = fields[failing]
        assert own[3] not in ("nothing", "RankError"), of_call
        reason = own[5]
        for rank, (_, _, seconds, kind, named, text) in enumerate(fields):
            assert float(seconds) < 15, of_call
            if rank != failing:
                assert (kind, named) == ("RankError", str(failing)), of_call
                assert text == f"papilio.distributed: rank {failing} of {ranks} has failed: {reason}", of_call


ENDS = """
    import papilio
    from papilio.distributed import join_processes

    ranks = join_processes(2000)
    corpus = papilio.open_corpus("c.papilio-corpus")
    papilio.train(corpus, topics=3, sweeps=-1 if ranks.rank == FAILING else 9, ranks=ranks)
"""


@pytest.mark.parametrize("failing", [0, 2])
def test_scripts_that_end_by_the_error(tmp_path, failing):
    corpus = papilio.generate_corpus(documents=30, vocabulary=20, topics=3, mean_length=8, seed=2)
    folder = program_folder(tmp_path, ENDS.replace("FAILING", str(failing)), corpus)
    statuses, errors = end(start_ranks(3, folder, "rank.py"))
    assert statuses == [1, 1, 1], errors
    for rank, text in enumerate(errors):
        if rank == failing:
            assert "ValueError: papilio.train: sweeps is -1" in text
        else:
            assert f"papilio.RankError: papilio.distributed: rank {failing} of 3 has failed: papilio.train: sweeps is -1" in text


def end(processes):
    """The statuses and messages of all, which have long to wait for one another: most of this is the start of torch."""
    errors = [process.communicate(timeout=400)[1] for process in processes]
    return [process.returncode for process in processes], errors


# Of the only rank that is started otherwise: its arguments, exit status, and what the others say of it.
FAILURES = {
    "no file": (("nowhere.txt",), 1, "nowhere.txt: No such file or directory"),
    "option": (("c.papilio-corpus", "--sweps", "3"), 2, "unrecognized arguments: --sweps 3"),
    "range": (("c.papilio-corpus", "--sweeps", "-3"), 1, "sweeps is -3"),
    "time limit": (("c.papilio-corpus", "--rank-timeout", "-1"), 1, "seconds is -1.0"),
    "no GPU": (("c.papilio-corpus", "--device", "cuda:97"), 1, "CUDA device 97 was asked for"),
}


@pytest.mark.parametrize(
    ("failure", "failing"),
    [("no file", 0), ("no file", 2), ("option", 0), ("option", 2), ("range", 2), ("time limit", 0), ("no GPU", 2)],
)
def test_a_command_of_which_one_rank_fails(tmp_path, failure, failing):
    corpus = papilio.generate_corpus(documents=30, vocabulary=20, topics=3, mean_length=8, seed=2)
    folder = program_folder(tmp_path, "", corpus)
    arguments, status, reason = FAILURES[failure]
    rest = ("-k", "3", "--threads", "1", "-o", "m")
    processes = start_ranks(3, folder, "-m", "papilio.train", "c.papilio-corpus", *rest, "--rank-timeout", "2000",
                            changed={failing: ("-m", "papilio.train", *arguments, *rest)})  # fmt: skip
    statuses, errors = end(processes)
    assert statuses == [status if rank == failing else 75 for rank in range(3)], errors
    for rank, text in enumerate(errors):
        assert f"papilio.train: rank {rank} of 3: " in text
        if rank != failing:
            assert re.search(f"papilio.distributed: rank {failing} of 3 has failed: .*{re.escape(reason)}", text), text
    assert not (folder / "m").exists()


def test_all_ranks_with_a_wrong_option(tmp_path):
    statuses, errors = end(start_ranks(2, tmp_path, "-m", "papilio.train", "c", "-o", "m", "--sweps", "3"))
    assert statuses == [2, 2], errors
    assert all("usage: papilio.train" in text for text in errors)
