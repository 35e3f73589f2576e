#!/usr/bin/env python3
"""Measures `transform` of one document beside scikit-learn's; writes a table.

    python benchmarks/python/one_document.py [--words 50000] [--topics 100] [--tokens 100] [-o FILE.md]

The models have the given vocabulary and topics; the document has that many tokens, drawn from the words' frequencies. A
call gets it as one row of a scipy.sparse matrix. Every figure is the least of 100 means over about 5 milliseconds, in
turns, on one thread. Needs papilio and scikit-learn.
"""

import argparse
import platform
import timeit
import warnings

import numpy as np
import scipy.sparse
import sklearn
from sklearn.decomposition import LatentDirichletAllocation

import papilio


def seconds(calls):
    """The time of each call: the least of the means of several rounds, in which all take their turn."""
    timers = {name: timeit.Timer(call) for name, call in calls.items()}
    number = {name: max(1, int(0.005 / timer.timeit(2) * 2)) for name, timer in timers.items()}
    rounds = [{name: timer.timeit(number[name]) / number[name] for name, timer in timers.items()} for _ in range(100)]
    return {name: min(times[name] for times in rounds) for name in timers}


def documents(words, topics, tokens):
    """A training corpus, and a document of its words, as a row and as a corpus."""
    training = papilio.generate_corpus(documents=4000, vocabulary=words, topics=topics, mean_length=200.0, seed=1)
    frequencies = np.bincount(training.words, minlength=words).astype(float)
    drawn = np.random.default_rng(2).choice(words, tokens, p=frequencies / frequencies.sum())
    columns, counts = np.unique(drawn, return_counts=True)
    row = scipy.sparse.csr_matrix((counts, (np.zeros(len(columns), int), columns)), shape=(1, words))
    return training, row, papilio.corpus_from_tokens([[training.vocabulary[w] for w in drawn]])


def measure(words, topics, tokens):
    training, row, text = documents(words, topics, tokens)
    gibbs = papilio.LDA(topics, max_iter=20, random_state=1, n_jobs=1, device="cpu").fit(training)
    em = papilio.LDA.from_model(gibbs.model_).set_params(transform_method="em", n_jobs=1)
    theirs = LatentDirichletAllocation(topics, learning_method="online", max_iter=1, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs.fit(papilio.corpus_to_matrix(training)[:500])
    return seconds({
        "papilio, `transform`": lambda: gibbs.transform(row),
        "papilio, `transform` of a corpus": lambda: gibbs.transform(text),
        'papilio, `transform_method="em"`': lambda: em.transform(row),
        "papilio, `papilio.infer`, which prepares the model for each call": lambda: papilio.infer(
            gibbs.model_, text, seed=1, threads=1
        ),
        "scikit-learn, `transform`": lambda: theirs.transform(row),
    })  # fmt: skip


def page(options, times):
    base = times["scikit-learn, `transform`"]
    lines = [
        "# The topics of one document",
        "",
        f"`transform` of one document of {options.tokens} tokens with a fitted model of {options.words:,} words and",
        f"{options.topics} topics, one thread, made by `python benchmarks/python/one_document.py`. Times are the least of",
        "100 means, in turns in one run; the last column is the time divided by scikit-learn's.",
        "",
        f"papilio {papilio.__version__}, scikit-learn {sklearn.__version__}, NumPy {np.__version__}, "
        f"Python {platform.python_version()}, {papilio.cpu_target()}.",
        "",
        "| call | ms | of scikit-learn's |",
        "| --- | ---: | ---: |",
        *(f"| {name} | {1e3 * time:.3f} | {time / base:.2f} |" for name, time in times.items()),
        "",
        "papilio's default samples 100 sweeps of a posterior mean; its `em` takes 100 steps of a fixed point;",
        "scikit-learn's variational iteration stops when it changes little.",
    ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=50_000)
    parser.add_argument("--topics", type=int, default=100)
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("-o", "--output", type=argparse.FileType("w"), default="-")
    options = parser.parse_args()
    options.output.write(page(options, measure(options.words, options.topics, options.tokens)))


if __name__ == "__main__":
    main()
