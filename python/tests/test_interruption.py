"""Ctrl-C ends long calls within a second."""

import signal
import subprocess
import sys
import textwrap
import time

import pytest

PROGRAM = """
    import signal, sys, time
    import numpy as np
    import papilio

    signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever the caller left behind
    long_document = papilio.Corpus([0, 40_000], np.arange(40_000) % 500, [f"w{{w}}" for w in range(500)])
    documents = papilio.generate_corpus(documents=400, vocabulary=500, topics=5)
    many = papilio.Corpus(np.arange(0, 2_000_001, 500), np.arange(2_000_000) % 500, [f"w{{w}}" for w in range(500)])
    model = papilio.train(long_document, topics=64, sweeps=2).model
    papilio.LDA  # imported at first use, which is not what is tested
    print("going", flush=True)
    try:
        {call}
    except KeyboardInterrupt:
        print(time.monotonic(), flush=True)
    drawn = papilio.infer(model, documents, sweeps=2, burn_in=1).theta.shape  # the library goes on
    print(drawn)
"""
CALLS = {
    "left_to_right": "papilio.left_to_right(model, long_document, particles=50)",
    "infer, em": "papilio.infer(model, long_document, method='em', em_steps=10_000_000)",
    "infer, gibbs": "papilio.infer(model, long_document, sweeps=1_000_000)",
    "infer in one thread": "papilio.infer(model, long_document, sweeps=1_000_000, threads=1)",
    "coherence": "papilio.coherence(model, many, top_words=400, window=200)",
    "generate_corpus": "papilio.generate_corpus(documents=20_000_000, vocabulary=100_000, topics=20)",
    "complete_documents": "papilio.complete_documents(model, many, em_steps=1_000_000)",
    "LDA.transform": "papilio.LDA.from_model(model).set_params(transform_iter=1_000_000).transform(long_document)",
}


@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c(call):
    program = textwrap.dedent(PROGRAM).format(call=CALLS[call])
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        try:
            assert run.stdout.readline() == "going\n"
            time.sleep(0.3)
            assert run.poll() is None, "it ended by itself"
            sent = time.monotonic()
            run.send_signal(signal.SIGINT)
            out, err = run.communicate(timeout=60)
        finally:
            run.kill()
    assert (run.returncode, err) == (0, "")
    stopped, shape = out.splitlines()
    assert float(stopped) - sent < 1
    assert shape == "(400, 64)"
