"""Threads, memory, signals and what an import costs."""

import concurrent.futures
import gc
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import papilio


def python(code, **options):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120, **options
    )


def test_several_threads_draw_at_once(golden):
    weights = golden.matrix()
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        draws = list(pool.map(lambda _: papilio.sample_categorical(weights, seed=3, threads=1), range(32)))
    assert all(golden.hash_of(drawn) == golden.hash for drawn in draws)


def test_other_threads_run_while_one_draws():
    """Held all the time, the lock would let this thread take a step or two."""
    weights = np.broadcast_to(np.ones(1000, np.float32), (3_000_000, 1000))
    drawing = threading.Thread(target=papilio.sample_categorical, args=(weights,), kwargs={"seed": 1, "threads": 1})
    drawing.start()
    steps = 0
    while drawing.is_alive():
        time.sleep(0.0001)
        steps += 1
    assert steps > 10


def test_threads_1_is_the_calling_thread_alone(tmp_path):
    corpus = papilio.generate_corpus(documents=4000, vocabulary=500, topics=2, mean_length=200, seed=1)
    papilio.write_corpus(corpus, tmp_path / "c.papilio-corpus")
    done = python(
        """
        import contextlib, io, os, numpy as np, papilio, runpy, sys
        threads = lambda: len(os.listdir("/proc/self/task"))
        lda = papilio.LDA(n_components=2, max_iter=1, n_jobs=1).fit([[1, 2]])  # scikit-learn starts threads of its own
        before = threads()
        corpus = papilio.open_corpus("c.papilio-corpus", threads=1)
        papilio.read_corpus("c.papilio-corpus", threads=1)
        result = papilio.train(corpus, topics=2, sweeps=1, threads=1)
        papilio.infer(result.model, corpus, sweeps=2, burn_in=1, threads=1)
        papilio.complete_documents(result.model, corpus, threads=1)
        papilio.coherence(result.model, corpus, threads=1)
        papilio.log_joint(corpus, result.topics.z, [0.1, 0.1], 0.1, threads=1)
        papilio.corpus_from_texts(["cats purr and dogs bark " * 60000], threads=1)
        lda.fit(np.full((1000, 500), 1))
        sys.argv = ["train", *"c.papilio-corpus -k 2 --sweeps 1 --threads 1 --held-out c.papilio-corpus -o m".split()]
        with contextlib.redirect_stderr(io.StringIO()):
            runpy.run_module("papilio.train", run_name="__main__")
        print(threads() - before)
        papilio.sample_categorical(np.ones((20000, 1000), np.float32), seed=1)
        print(threads() > before or len(os.sched_getaffinity(0)) == 1)
        """,
        cwd=tmp_path,
    )
    assert (done.stdout, done.stderr) == ("0\nTrue\n", "")


def peak_memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_calls_leave_no_memory_behind():
    weights, rows = np.ones((200, 64)), np.arange(200)

    def calls(count):
        for _ in range(count):
            papilio.sample_categorical(weights, seed=1, indices=rows, row_ids=rows, return_status=True)
            papilio.sample_categorical(weights.ravel(), seed=rows[:2], indptr=[0, 7, 12800], threads=1)
            papilio.sample_products(weights, weights, seed=1)
            papilio.AliasTable(weights[0]).sample(200, seed=1)
            with pytest.raises(ValueError):
                papilio.sample_categorical(-weights, seed=1)
            with pytest.raises(TypeError):
                papilio.sample_categorical(weights, seed=1, out=np.empty(200))

    calls(200)
    before = peak_memory()
    calls(1500)  # each would leave at least a result of 1.6 KB
    assert peak_memory() - before < 2**20


def test_reference_counts():
    weights, rows = np.ones((20, 6)), np.arange(20, dtype=np.int32)
    seeds, out = np.arange(20), np.empty(20, np.int64)
    arrays = (weights, rows, seeds, out)
    gc.collect()
    before = [sys.getrefcount(x) for x in arrays]
    for _ in range(100):
        papilio.sample_categorical(weights, seed=seeds, indices=rows, row_ids=seeds, out=out)
        with pytest.raises(ValueError):
            papilio.sample_categorical(weights, seed=seeds, indices=rows + 1, row_ids=seeds, out=out)
        papilio.sample_products(weights, weights, rows, rows, seed=seeds, out=out)
    gc.collect()
    assert [sys.getrefcount(x) for x in arrays] == before


def test_nothing_is_said_at_exit():
    """nanobind reports objects and functions that are still alive."""
    done = python(
        """
        import numpy as np, papilio
        table = papilio.AliasTable([1.0, 2])
        kept = papilio.sample_categorical(np.ones((3, 4)), seed=1)
        try:
            papilio.sample_categorical(np.zeros((3, 4)), seed=1)
        except ValueError as error:
            kept_error = error
        """
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_import_brings_numpy_only():
    done = python(
        """
        import sys, papilio
        heavy = {"torch", "jax", "cupy", "sklearn", "matplotlib", "pandas", "scipy"}
        print(sorted(heavy & set(sys.modules)))
        """
    )
    assert done.stdout.strip() == "[]", done


def test_ctrl_c_stops_between_calls():
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import signal\n"
            "import numpy as np, papilio\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # whatever the caller left behind
            "weights = np.ones((1000, 1000), np.float32)\n"
            "print('drawing', flush=True)\n"
            "while True: papilio.sample_categorical(weights, seed=1)\n",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "drawing\n"
    process.send_signal(signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert "KeyboardInterrupt" in errors
