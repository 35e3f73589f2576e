"""What the tests of topic models share."""

import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import textwrap

import numpy as np
import papilio

ROOT = pathlib.Path(__file__).parents[2]


def corpus(documents=120, seed=3):
    return papilio.generate_corpus(documents=documents, vocabulary=80, topics=4, mean_length=30.0, seed=seed)


def counts(documents=120, seed=3):
    return papilio.corpus_to_matrix(corpus(documents, seed))


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def saved(lda_or_model, folder, name="model.safetensors"):
    """The hash of a model's file."""
    path = pathlib.Path(folder, name)
    papilio.save_model(getattr(lda_or_model, "model_", lda_or_model), path)
    return digest(path)


def command():
    """The command `papilio` of this tree, or the one that PAPILIO_COMMAND names; None where there is none."""
    named = os.environ.get("PAPILIO_COMMAND")
    if named:
        return named
    built = sorted(ROOT.glob("build/*/apps/papilio/papilio"), key=os.path.getmtime)
    return str(built[-1]) if built else shutil.which("papilio")


def same_models(a, b):
    return np.array_equal(a.n_wk, b.n_wk) and np.array_equal(a.alpha, b.alpha) and a.beta == b.beta


# A process begun in the background inherits that SIGINT is ignored; so it is set anew.
INTERRUPTED = """
    import signal

    import papilio

    signal.signal(signal.SIGINT, signal.default_int_handler)
    corpus = papilio.generate_corpus(documents=300, vocabulary=500, topics=5)
    def tell(progress):
        if progress.sweep == 3:
            print("going", flush=True)

    lda = papilio.LDA(20, max_iter=1000000, random_state=1, callback=tell, device={device!r})
    try:
        lda.fit(corpus)
    except KeyboardInterrupt:
        again = papilio.LDA(20, max_iter=lda.n_iter_, random_state=1, device="cpu").fit(corpus)
        same = (again.components_ == lda.components_).all()
        print("stopped", lda.n_iter_ >= 3, same, lda.transform(corpus).shape, flush=True)
"""


def interrupt_a_fit(device):
    """What a process prints that Ctrl-C reaches while it fits: whether the model is that of the sweeps it had."""
    script = [sys.executable, "-c", textwrap.dedent(INTERRUPTED).format(device=device)]
    with subprocess.Popen(script, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline() == "going\n"
        run.send_signal(signal.SIGINT)
        try:
            return run.communicate(timeout=60)
        finally:
            run.kill()
