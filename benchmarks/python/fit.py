#!/usr/bin/env python3
"""Fits topic models from Python: papilio.LDA beside scikit-learn, gensim and tomotopy, one held-out measure for all.

    fit.py DATA [--corpora 20news wiki] [--topics 100] [--threads 1] [--sweeps 100] [--passes 5] [--limit SECONDS]

DATA holds folders NAME with docword.NAME.txt (or .gz, .zst) and vocab.NAME.txt. Corpora are split and models scored by
benchmarks/race (corpus.py, scorer.py): every 20th document is held out, its even tokens foretell its odd ones. The
priors are alpha = 50 / K, at most 1, and beta = 0.01 for all, and nothing else is set but what the options say. Every fit
is a process of its own; its time is that of the call that trains, from a matrix or lists of words in memory. With --limit a
process that takes longer, reading and scoring included, is stopped, and its row says so.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "race"))
import corpus  # noqa: E402
import scorer  # noqa: E402

SYSTEMS = ["papilio", "tomotopy", "gensim", "sklearn"]


def matrix(folder):
    """The training documents as counts, documents x words."""
    import scipy.sparse

    documents, size = corpus.documents(folder, "train"), corpus.meta(folder)
    rows = np.repeat(np.arange(len(documents)), [len(document) for document in documents])
    words = np.concatenate(documents)
    counts = scipy.sparse.coo_matrix((np.ones(len(words), np.int64), (rows, words)), (len(documents), size["words"]))
    return counts.tocsr()


def timed(call):
    start = time.perf_counter()
    result = call()
    return result, time.perf_counter() - start


def fit_papilio(folder, options):
    import papilio

    X = matrix(folder)
    lda = papilio.LDA(options.topics, doc_topic_prior=options.alpha, topic_word_prior=options.beta, device="cpu",
                      max_iter=options.sweeps, evaluate_every=0, n_jobs=options.threads, random_state=1)
    _, seconds = timed(lambda: lda.fit(X))
    return lda.components_, seconds, f"{options.sweeps} sweeps"


def fit_tomotopy(folder, options):
    import tomotopy

    model = tomotopy.LDAModel(tw=tomotopy.TermWeight.ONE, min_cf=0, rm_top=0, k=options.topics, alpha=options.alpha,
                              eta=options.beta, seed=1)
    model.optim_interval = 0
    for document in corpus.documents(folder, "train"):
        model.add_doc(list(map(str, document.tolist())))
    _, seconds = timed(lambda: model.train(options.sweeps, workers=options.threads))
    place = {word: column for column, word in enumerate(model.used_vocabs)}
    columns = [place[str(word)] for word in range(len(place))]
    phi = np.stack([model.get_topic_word_dist(topic)[columns] for topic in range(options.topics)])
    return phi, seconds, f"{options.sweeps} sweeps"


def fit_gensim(folder, options):
    import gensim

    bags = []
    for document in corpus.documents(folder, "train"):
        words, counts = np.unique(document, return_counts=True)
        bags.append(list(zip(words.tolist(), counts.tolist())))
    names = {word: str(word) for word in range(corpus.meta(folder)["words"])}
    settings = {"num_topics": options.topics, "id2word": names, "alpha": [options.alpha] * options.topics,
                "eta": options.beta, "passes": options.passes, "random_state": 1, "eval_every": None}
    if options.threads == 1:
        model, seconds = timed(lambda: gensim.models.LdaModel(bags, **settings))
    else:
        model, seconds = timed(lambda: gensim.models.LdaMulticore(bags, workers=options.threads, **settings))
    return model.get_topics(), seconds, f"{options.passes} passes"


def fit_sklearn(folder, options):
    from sklearn.decomposition import LatentDirichletAllocation

    X = matrix(folder)
    model = LatentDirichletAllocation(options.topics, doc_topic_prior=options.alpha, topic_word_prior=options.beta,
                                      max_iter=options.passes, learning_method="online", n_jobs=options.threads,
                                      random_state=1)
    _, seconds = timed(lambda: model.fit(X))
    return model.components_, seconds, f"{options.passes} passes"


def run_one(system, folder, options):
    """Fits and scores; prints one line of JSON."""
    phi, seconds, work = globals()[f"fit_{system}"](folder, options)
    held_out = scorer.complete(corpus.documents(folder, "held_out"), corpus.meta(folder)["words"])
    phi = phi / phi.sum(axis=1, keepdims=True)
    perplexity, tokens = scorer.perplexity(phi[:, held_out.words], held_out, options.alpha)
    record = {"system": system, "seconds": round(seconds, 2), "work": work, "perplexity": perplexity, "tokens": tokens}
    print(json.dumps(record))


def child(system, folder, options):
    """The record of one fit, in a process of its own; None where it took longer than the limit."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(options.threads), "OPENBLAS_NUM_THREADS": str(options.threads)}
    line = [sys.executable, __file__, *sys.argv[1:], "--one", system, "--folder", str(folder)]
    with subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, start_new_session=True) as run:
        try:
            out, _ = run.communicate(timeout=options.limit)
        except BaseException as error:
            os.killpg(run.pid, signal.SIGKILL)  # its own processes, too
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            return None
    if run.returncode != 0:
        sys.exit(f"{system} failed, status {run.returncode}")
    return json.loads(out.splitlines()[-1])


def run_all(name, folder, options):
    """Prints a row for each system as it finishes; times are multiples of the first one's."""
    base = None
    print(f"\n{name}, K = {options.topics}, {options.threads} thread(s)\n")
    print("| system | work | time of fit | held-out perplexity |\n| --- | --- | ---: | ---: |", flush=True)
    for system in options.systems:
        row = child(system, folder, options)
        if row is None:
            print(f"| {system} | stopped after {options.limit:g} s | | |", flush=True)
            continue
        base = base or row["seconds"]
        print(f"| {system} | {row['work']} | {row['seconds'] / base:.2f} | {row['perplexity']:.0f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("--corpora", nargs="+", default=["20news", "wiki"])
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sweeps", type=int, default=100)
    parser.add_argument("--passes", type=int, default=5)
    parser.add_argument("--limit", type=float, help="seconds of each system's process; by default none")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=SYSTEMS)
    parser.add_argument("--one", help=argparse.SUPPRESS)  # a process of its own
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.alpha, options.beta = min(1.0, 50 / options.topics), 0.01  # scikit-learn takes at most 1
    if options.one:
        return run_one(options.one, options.folder, options)
    with tempfile.TemporaryDirectory() as work:
        for name in options.corpora:
            source, folder = pathlib.Path(options.data) / name, pathlib.Path(work) / name
            corpus.prepare(source, name, folder)
            run_all(name, folder, options)


if __name__ == "__main__":
    main()
