"""Ranks of which one fails before the first exchange of a call: the others hear of it, and why."""

import gzip
import re
import time

import pytest
from rank_engines import Threads, on_ranks, output, program_folder, start_ranks

import papilio
from papilio.distributed import gather_corpus, gather_topics

OPTIONS = {"topics": 3, "sweeps": 3, "seed": 3, "threads": 1, "start": "uniform"}


@pytest.fixture(scope="module")
def corpus():
    return papilio.generate_corpus(documents=30, vocabulary=20, topics=3, mean_length=8, seed=2)


@pytest.fixture
def calls(corpus, tmp_path):
    """A call of each function that takes ranks; with `fails` it raises before ranks exchange anything."""
    papilio.write_corpus(corpus, tmp_path / "c.papilio-corpus")
    papilio.write_corpus(corpus, tmp_path / "docword.c.txt")
    whole = papilio.train(corpus, **OPTIONS)
    papilio.save_checkpoint(whole.topics, corpus, tmp_path / "kept", **OPTIONS)
    prepared = papilio.Inference(whole.model)

    def name(fails, other="c.papilio-corpus"):
        return tmp_path / ("nowhere" if fails else other)

    return {
        "train": lambda r, fails: papilio.train(corpus, **{**OPTIONS, "sweeps": -1 if fails else 2}, ranks=r),
        "train, option": lambda r, fails: papilio.train(corpus, **OPTIONS, ranks=r, **({"topcs": 2} if fails else {})),
        "train, no GPU": lambda r, fails: papilio.train(
            corpus, **OPTIONS, device="cuda:97" if fails else "cpu", ranks=r
        ),
        "read_corpus": lambda r, fails: papilio.read_corpus(name(False), header=3 if fails else True, ranks=r),
        "read_corpus, no file": lambda r, fails: papilio.read_corpus(name(fails), ranks=r),
        "read_corpus, no UCI": lambda r, fails: papilio.read_corpus(
            name(fails, "docword.c.txt"), format="uci", ranks=r
        ),
        "read_corpus, format": lambda r, fails: papilio.read_corpus(
            name(False), format="bogus" if fails else "auto", ranks=r
        ),
        "open_corpus": lambda r, fails: papilio.open_corpus(name(fails), ranks=r),
        "load_checkpoint": lambda r, fails: papilio.load_checkpoint(
            corpus, name(fails, "kept"), **{**OPTIONS, "topics": 0 if fails else 3}, ranks=r
        ),
        "infer": lambda r, fails: papilio.infer(whole.model, None if fails else corpus, ranks=r),
        "Inference.infer": lambda r, fails: prepared.infer(corpus, sweeps=0 if fails else 9, burn_in=0, ranks=r),
        "Inference.complete_documents": lambda r, fails: prepared.complete_documents(
            corpus, em_steps=-1 if fails else 5, ranks=r
        ),
        "complete_documents": lambda r, fails: papilio.complete_documents(
            whole.model, corpus, em_steps=-1 if fails else 5, ranks=r
        ),
        "left_to_right": lambda r, fails: papilio.left_to_right(
            whole.model, corpus, particles=0 if fails else 2, ranks=r
        ),
        "choose_topics": lambda r, fails: papilio.choose_topics(
            corpus, [0 if fails else 2], sweeps=2, seeds=1, ranks=r
        ),
        "choose_topics, measure": lambda r, fails: papilio.choose_topics(
            corpus, [2], sweeps=2, seeds=1, measure="bogus" if fails else "npmi", ranks=r
        ),
        "choose_topics, no numbers": lambda r, fails: papilio.choose_topics(
            corpus, [] if fails else [2], sweeps=2, seeds=1, ranks=r
        ),
        "gather_corpus": lambda r, fails: gather_corpus(None if fails else corpus, r),
        "gather_topics": lambda r, fails: gather_topics(None if fails else whole.topics, r),
    }


CALLS = (
    "train", "train, option", "train, no GPU", "read_corpus", "read_corpus, no file", "read_corpus, no UCI",
    "read_corpus, format", "choose_topics, measure", "choose_topics, no numbers", "open_corpus", "load_checkpoint", "infer", "Inference.infer", "Inference.complete_documents",
    "complete_documents", "left_to_right", "choose_topics", "gather_corpus", "gather_topics",
)  # fmt: skip


class Patient(Threads):
    """Threads of which one that fails leaves the others waiting, as processes do; they wait as long as those."""

    def meet(self, given, do):
        assert not self.shared["barrier"].is_broken, "a rank waits for one that has gone"
        super().meet(given, do)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("failing", [0, 2])
def test_the_others_hear_which_rank_has_failed_and_why(calls, name, failing):
    call = calls[name]
    results = on_ranks(3, lambda own: call(own, own.rank == failing), Patient)
    own = results[failing]
    assert isinstance(own, Exception) and not isinstance(own, papilio.RankError), own
    for rank, heard in enumerate(results):
        if rank != failing:
            assert isinstance(heard, papilio.RankError), heard
            assert str(heard) == f"papilio.distributed: rank {failing} of 3 has failed: {own}"
            assert heard.rank == failing


@pytest.mark.parametrize("written", ["c.npz", "c.txt.gz"])
def test_a_file_that_rank_0_alone_reads(corpus, tmp_path, written):
    """Others may lack it; where rank 0 does, they hear it."""
    path = tmp_path / written
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(b"cats purr\ndogs bark\ncats bark\n"))
    else:
        papilio.write_corpus(corpus, path)

    def read(lacking):
        def work(own):
            return papilio.read_corpus("nowhere" if own.rank in lacking else path, ranks=own)

        return on_ranks(3, work, Patient)

    assert {result.tokens for result in read((1, 2))} == {papilio.read_corpus(path).tokens}
    results = read((0,))
    assert isinstance(results[0], FileNotFoundError)
    for heard in results[1:]:
        assert str(heard) == f"papilio.distributed: rank 0 of 3 has failed: {results[0]}"


def test_the_same_wrong_option_on_all_ranks(tmp_path):
    """Rank 0 alone chooses the format, and finds that it has no such option."""
    path = tmp_path / "c.txt"
    path.write_text("cats purr\ndogs bark\n")
    results = on_ranks(3, lambda own: papilio.read_corpus(path, text_column="a", ranks=own), Patient)
    assert isinstance(results[0], ValueError) and not isinstance(results[0], papilio.RankError), results[0]
    for heard in results[1:]:
        assert str(heard) == f"papilio.distributed: rank 0 of 3 has failed: {results[0]}"


class NoExchange:
    """The ranks of a group of one, which must not be asked for anything."""

    rank, ranks = 0, 1


def test_a_group_of_one_exchanges_nothing_to_meet(corpus):
    assert papilio.train(corpus, **OPTIONS, ranks=NoExchange()).model.hash() == papilio.train(corpus, **OPTIONS).model.hash()


def test_two_ranks_that_fail(calls):
    results = on_ranks(3, lambda own: calls["train"](own, own.rank > 0), Patient)
    assert str(results[0]).startswith("papilio.distributed: rank 1 of 3 has failed: papilio.train: sweeps is -1")
    assert [type(result) for result in results] == [papilio.RankError, ValueError, ValueError]


@pytest.mark.parametrize("failing", [(0,), (1,), (0, 1)])
def test_ranks_go_on_after_a_failure(calls, failing):
    """They stay together, whichever has failed: all make the same exchanges."""

    def work(own):
        found = []
        for fails in (True, False, True, False):
            try:
                found.append(calls["train"](own, fails and own.rank in failing).model.hash())
            except (ValueError, papilio.RankError) as error:
                found.append(type(error))
        return found

    results = on_ranks(2, work, Patient)
    expected = calls["train"](None, False).model.hash()
    for rank, result in enumerate(results):
        error = ValueError if rank in failing else papilio.RankError
        assert result == [error, expected, error, expected]


def test_a_slow_rank_is_waited_for(calls):
    def work(own):
        time.sleep(1.5 * own.rank)
        return calls["train"](own, False).model.hash()

    assert set(on_ranks(2, work, Patient)) == {calls["train"](None, False).model.hash()}


def test_a_reason_without_words(corpus, monkeypatch):
    def fails(*arguments, **named):
        raise MemoryError

    def work(own):
        if own.rank == 1:
            return papilio.train(corpus, topics=Unreadable(), ranks=own)
        return papilio.train(corpus, topics=3, ranks=own)

    class Unreadable:
        __index__ = fails

    results = on_ranks(2, work, Patient)
    assert isinstance(results[1], MemoryError)
    assert str(results[0]) == "papilio.distributed: rank 1 of 2 has failed: out of memory"


# --- Gloo

# What a rank does in a group whose ranks wait 60 s for one another; a line says what has become of it.
PROGRAM = """
    import sys, threading, time
    import papilio
    from papilio.distributed import join_processes

    ranks = join_processes(60)
    for failing in (0, 2, None):
        if ranks.rank == 1:
            time.sleep(2)
        start = time.monotonic()
        try:
            corpus = papilio.open_corpus("nowhere" if ranks.rank == failing else "c.papilio-corpus", ranks=ranks)
            model = papilio.train(corpus, topics=3, sweeps=3, seed=3, start="uniform", ranks=ranks).model
            outcome = model.hash()
        except Exception as error:
            outcome = f"{type(error).__name__}|{getattr(error, 'rank', None)}|{error}"
        print(f"{failing}|{time.monotonic() - start < 30}|{outcome}", flush=True)
    print(f"threads|{threading.active_count()}")
"""


def test_gloo(tmp_path, corpus):
    folder = program_folder(tmp_path, PROGRAM, corpus)
    texts = [output(process).splitlines() for process in start_ranks(3, folder, "rank.py")]
    expected = papilio.train(papilio.open_corpus(folder / "c.papilio-corpus"), **OPTIONS).model.hash()
    for rank, lines in enumerate(texts):
        for failing, line in zip((0, 2), lines, strict=False):
            heard = f"RankError|{failing}|papilio.distributed: rank {failing} of 3 has failed: "
            assert line.startswith(f"{failing}|True|" + ("FileNotFoundError|None|" if rank == failing else heard)), line
            assert "cannot open nowhere: No such file or directory" in line
        assert lines[2:] == [f"None|True|{expected}", "threads|1"]


LET_GO = """
    import threading, weakref
    import numpy as np
    import torch.distributed as dist
    from papilio.distributed import process_group

    elsewhere = []
    def note():
        if threading.current_thread() is not threading.main_thread():
            elsewhere.append(1)

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    ranks = process_group()
    for _ in range(2000):
        for call, dtype in ((ranks.add_up, np.int64), (lambda values: ranks.broadcast(values, 0), np.uint8)):
            values = np.zeros(4, dtype)
            weakref.finalize(values, note)
            call(values)
            del values
    print(len(elsewhere))
"""


def test_no_thread_of_gloo_lets_an_array_go(tmp_path, corpus):
    """One that does while the interpreter shuts down ends the process; without care it does so in one call of ten."""
    folder = program_folder(tmp_path, LET_GO, corpus)
    assert [output(process) for process in start_ranks(1, folder, "rank.py")] == ["0\n"]


def end(processes):
    """The statuses and messages of all, which have long to wait for one another: most of this is the start of torch."""
    errors = [process.communicate(timeout=400)[1] for process in processes]
    return [process.returncode for process in processes], errors


REST = ("-k", "3", "--threads", "1", "-o", "m", "--sweeps", "3")

# Of the only rank that is started otherwise: its arguments, exit status, and what the others say of it.
FAILURES = {
    "no file": (2, ("nowhere.txt",), 1, "nowhere.txt"),
    "option": (0, ("c.papilio-corpus", "--sweps", "3"), 2, "unrecognized arguments: --sweps 3"),
    "time limit": (1, ("c.papilio-corpus", "--rank-timeout", "-1"), 1, "seconds is -1.0"),
    "held out": (2, ("c.papilio-corpus", "--held-out", "nowhere"), 1, "nowhere"),
}


@pytest.mark.parametrize("failure", FAILURES)
def test_a_command_of_which_one_rank_fails(tmp_path, corpus, failure):
    folder = program_folder(tmp_path, "", corpus)
    failing, arguments, status, reason = FAILURES[failure]
    others = ("c.papilio-corpus", *REST, "--rank-timeout", "2000")
    others += ("--held-out", "c.papilio-corpus") if failure == "held out" else ()
    processes = start_ranks(3, folder, "-m", "papilio.train", *others,
                            changed={failing: ("-m", "papilio.train", *arguments, *REST)})  # fmt: skip
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
    assert all("usage: papilio.train" in text and "unrecognized arguments: --sweps 3" in text for text in errors)


AWAY = """
    import datetime, os, time
    import papilio
    import torch.distributed as dist
    from papilio.distributed import join_processes, process_group

    join_processes(120).barrier()
    ranks = process_group(dist.new_group(backend="gloo", timeout=datetime.timedelta(seconds=6)))
    ranks.barrier()
    if ranks.rank == 1:
        time.sleep(25)
    start = time.monotonic()
    try:
        papilio.open_corpus("c.papilio-corpus", ranks=ranks)
    except papilio.RankError:
        print(f"RankError|{time.monotonic() - start < 20}", flush=True)
    os._exit(0)
"""


def test_a_rank_that_does_not_come_to_the_first_exchange(tmp_path, corpus):
    folder = program_folder(tmp_path, AWAY, corpus)
    assert [output(process) for process in start_ranks(3, folder, "rank.py")] == ["RankError|True\n"] * 3


def test_a_rank_that_does_not_join(tmp_path, corpus):
    folder = program_folder(tmp_path, "", corpus)
    command = ("-m", "papilio.train", "c.papilio-corpus", *REST, "--rank-timeout", "8")
    statuses, errors = end(start_ranks(3, folder, *command, changed={2: ("-c", "")}))
    assert statuses == [75, 75, 0], errors
