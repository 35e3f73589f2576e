"""Choosing the number of topics over ranks: engines written in Python, and Gloo where torch is installed."""

import json
import os
import subprocess
import sys
import threading

import pytest
from rank_engines import Threads, environment, on_ranks, output, program_folder, start_ranks

import papilio
import papilio.distributed

OPTIONS = {"seeds": 2, "held_out_every": 4, "sweeps": 10, "top_words": 6, "seed": 3, "threads": 1}
TOPICS = [5, 2, 3]


@pytest.fixture(scope="module")
def corpus():
    return papilio.generate_corpus(documents=120, vocabulary=90, topics=5, mean_length=20, seed=2)


@pytest.fixture(scope="module")
def expected(corpus):
    return papilio.choose_topics(corpus, TOPICS, **OPTIONS)


def measures(result):
    return [run._replace(seconds=0) for run in result.runs], [repr(row._replace(seconds=0)) for row in result.rows]


def test_any_number_of_ranks_chooses_as_one_process(corpus, expected):
    for ranks in (1, 2, 3, 7):  # of 6 models
        for found in on_ranks(ranks, lambda own: papilio.choose_topics(corpus, TOPICS, **OPTIONS, ranks=own)):
            assert measures(found) == measures(expected)
            assert (found.page(), found.summary, found.stopped) == (expected.page(), expected.summary, False)


def test_the_sequential_schedule_is_that_of_one_process(corpus):
    options = {**OPTIONS, "schedule": "sequential"}
    alone = papilio.choose_topics(corpus, TOPICS, **options)
    for found in on_ranks(2, lambda own: papilio.choose_topics(corpus, TOPICS, **options, ranks=own)):
        assert measures(found) == measures(alone)


def test_a_file_of_ranks_goes_on(corpus, expected, tmp_path):
    state, lock, trained = tmp_path / "state", threading.Lock(), []

    def choose(own, stops=False):
        def progress(progress):
            if progress.training.sweep == 1:
                with lock:
                    trained.append(progress.model)
            return not (stops and progress.model == 4 and progress.training.sweep == 5)

        # Other ranks need not see the file.
        path = state if own is None or own.rank == 0 else tmp_path / "nowhere" / "state"
        return papilio.choose_topics(corpus, TOPICS, **OPTIONS, state=path, progress=progress, ranks=own)

    for found in on_ranks(2, lambda own: choose(own, stops=True)):
        assert found.stopped and len(found.runs) == 2
    assert sorted(trained) == [1, 2, 3, 4]
    for found in on_ranks(3, choose):
        assert measures(found) == measures(expected)
    assert sorted(trained[4:]) == [1, 2, 3, 4]
    assert measures(choose(None)) == measures(expected)
    assert len(trained) == 8, "one process has found the models of the ranks"


def test_ranks_that_differ_say_in_what(corpus):
    other = papilio.generate_corpus(documents=120, vocabulary=90, topics=5, mean_length=20, seed=3)
    for what, call in {
        "options.seed 1": lambda own: papilio.choose_topics(corpus, TOPICS, seed=own.rank, ranks=own),
        "options.seeds 2": lambda own: papilio.choose_topics(corpus, TOPICS, seeds=1 + own.rank, ranks=own),
        "options.topics 2,4": lambda own: papilio.choose_topics(corpus, [2, 3 + own.rank], ranks=own),
        "settings.sweeps 6": lambda own: papilio.choose_topics(corpus, TOPICS, sweeps=5 + own.rank, ranks=own),
        "settings.coherence c_v": lambda own: papilio.choose_topics(
            corpus, TOPICS, measure=["npmi", "c_v"][own.rank], ranks=own
        ),
        "corpus.": lambda own: papilio.choose_topics([corpus, other][own.rank], TOPICS, ranks=own),
    }.items():
        for error in on_ranks(2, call):
            assert isinstance(error, ValueError), error
            assert f'papilio::choose_topics: ranks differ: rank 1 has "{what}' in str(error)


def test_what_is_no_engine_is_refused(corpus):
    with pytest.raises(TypeError, match="^papilio.choose_topics: ranks is 3, expected the ranks of a job"):
        papilio.choose_topics(corpus, TOPICS, ranks=3)
    for error in on_ranks(2, lambda own: papilio.choose_topics(corpus, [1000], ranks=own)):
        assert isinstance(error, ValueError) and "1000 topics are more than" in str(error)


class Failing(Threads):
    def gather(self, values, target):
        if self.rank == 1 and values.size > 100 and values.size % 4 == 0 and b"options." not in bytes(values):
            raise OSError("the cable is cut")
        return super().gather(values, target)


def test_what_an_engine_raises_names_the_rank(corpus):
    results = on_ranks(2, lambda own: papilio.choose_topics(corpus, TOPICS, **OPTIONS, ranks=own), Failing)
    assert all(isinstance(result, papilio.RankError) for result in results)
    assert str(results[1]) == "papilio.distributed: rank 1 of 2: gather: the cable is cut"


def test_a_callback_that_raises_ends_all(corpus):
    class Enough(Exception):
        pass

    def stop(progress):
        if progress.training.sweep == 4:
            raise Enough

    results = on_ranks(
        3, lambda own: papilio.choose_topics(corpus, TOPICS, **OPTIONS, progress=[None, stop, None][own.rank], ranks=own)
    )
    assert isinstance(results[1], Enough)
    assert all(result.stopped and result.runs == [] for result in (results[0], results[2]))


PROGRAM = """
    import json, os, sys
    import papilio

    own = papilio.distributed.join_processes(60)
    corpus = papilio.read_corpus("c.papilio-corpus")
    try:
        result = papilio.choose_topics(corpus, [5, 2, 3], seeds=2, held_out_every=4, sweeps=int(sys.argv[1]), seed=3,
                                       threads=1, progress=lambda p: print("going", flush=True)
                                       if len(sys.argv) > 2 and p.training.sweep == 1 else None, ranks=own)
        print(json.dumps([run._replace(seconds=0) for run in result.runs]))
    except papilio.RankError as error:
        print("RankError", error)
    sys.stdout.flush()
    os._exit(0)  # the end of a process group waits for ranks that may be gone
"""


@pytest.fixture
def folder(tmp_path, corpus):
    return program_folder(tmp_path, PROGRAM, corpus)


def test_gloo_chooses_as_one_process(folder):
    pytest.importorskip("torch")
    alone = subprocess.check_output([sys.executable, "rank.py", "10"], cwd=folder, env=environment(), text=True)
    assert len(json.loads(alone)) == 6
    for ranks in (2, 3):
        assert [output(process) for process in start_ranks(ranks, folder, "rank.py", "10")] == [alone] * ranks


def test_killed_rank(folder):
    processes = start_ranks(2, folder, "rank.py", "1000000", "long")
    for process in processes:
        lines = iter(process.stdout.readline, "")
        assert next((line for line in lines if not line.startswith("[Gloo]")), None) == "going\n"
    os.kill(processes[1].pid, 9)
    assert output(processes[0]).startswith("RankError papilio.distributed: rank 0 of 2: ")
    processes[1].communicate()
