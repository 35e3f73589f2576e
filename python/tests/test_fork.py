"""papilio in processes that are started by fork, as multiprocessing and torch do, and by joblib."""

import multiprocessing
import os
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from topic_models import corpus

import papilio

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
DOCUMENTS = corpus(20)
WEIGHTS = np.ones((5000, 16), np.float32)
FORK = multiprocessing.get_context("fork")


def draw(seed, threads=2):
    return papilio.sample_categorical(WEIGHTS, seed=seed, threads=threads)


def draw_and_train(threads):
    model = papilio.train(DOCUMENTS, topics=3, sweeps=3, threads=threads)
    return int(draw(1, threads).sum()), model.log_joint_per_token


def in_child(call):
    """What a call returns in a forked child, which has a minute for it."""
    ours, theirs = FORK.Pipe(duplex=False)
    child = FORK.Process(target=lambda: theirs.send(call()))
    child.start()
    try:
        assert ours.poll(60), "the child hangs"
        return ours.recv()
    finally:
        child.kill()
        child.join()


@pytest.mark.parametrize("threads", [0, 1, 2])
def test_fork_after_use(threads):
    here = draw_and_train(threads)
    for _ in range(4):
        assert in_child(lambda: draw_and_train(threads)) == here


def test_a_child_uses_one_thread():
    draw(1)
    assert in_child(lambda: (draw(2), len(os.listdir("/proc/self/task")))[1]) == 1


def test_a_child_reads_a_corpus_alone(tmp_path):
    file = tmp_path / "c.papilio-corpus"
    papilio.write_corpus(papilio.generate_corpus(documents=40000, vocabulary=500, topics=2, mean_length=200), file)
    expected = papilio.open_corpus(file)

    def read():
        """Whether both ways of reading give the corpus; the processor time that threads other than this one took."""
        before = time.process_time_ns() - time.thread_time_ns()
        corpora = papilio.open_corpus(file), papilio.read_corpus(file)
        others = time.process_time_ns() - time.thread_time_ns() - before
        return all(np.array_equal(corpus.words, expected.words) for corpus in corpora), others

    is_right, others = in_child(read)
    assert is_right
    assert others < 1_000_000  # less than it takes to look at the words


def test_fork_during_a_call_of_another_thread():
    expected = draw(1).sum()
    stops = threading.Event()

    def go_on():
        while not stops.is_set():
            draw(2)

    other = threading.Thread(target=go_on)
    other.start()
    try:
        for _ in range(100):
            assert in_child(lambda: draw(1).sum()) == expected
    finally:
        stops.set()
        other.join()


def test_a_child_that_ends_says_nothing_of_what_other_threads_held():
    lines = """
        import os, sys, threading
        import numpy as np
        import papilio
        weights = np.ones((5000, 16), np.float32)
        def go_on():
            while True:
                papilio.sample_categorical(weights, seed=1, threads=1)
        threading.Thread(target=go_on, daemon=True).start()
        for _ in range(10):
            child = os.fork()
            if child == 0:
                sys.exit(0)
            os.waitpid(child, 0)
        os._exit(0)
    """
    program = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(lines)]
    done = subprocess.run(program, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_pool():
    draw(0)
    with FORK.Pool(2) as pool:
        drawn = pool.map_async(draw, range(8)).get(60)
    np.testing.assert_array_equal(drawn, [draw(seed) for seed in range(8)])


def test_joblib():
    joblib = pytest.importorskip("joblib")
    calls = [joblib.delayed(papilio.sample_categorical)(WEIGHTS, seed=seed) for seed in range(4)]
    for backend in ("loky", "multiprocessing", "threading"):
        drawn = joblib.Parallel(n_jobs=2, backend=backend, timeout=60)(calls)
        np.testing.assert_array_equal(drawn, [draw(seed) for seed in range(4)])


def test_workers_of_a_data_loader():
    data = pytest.importorskip("torch").utils.data

    class Draws(data.Dataset):
        def __len__(self):
            return 6

        def __getitem__(self, seed):
            return draw(seed)

    draw(0)
    loader = data.DataLoader(Draws(), batch_size=None, num_workers=2, multiprocessing_context="fork", timeout=60)
    np.testing.assert_array_equal([drawn.numpy() for drawn in loader], [draw(seed) for seed in range(6)])
