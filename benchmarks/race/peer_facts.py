#!/usr/bin/env python3
"""Prints what the installed peers do with one seed, several threads and an interrupted run: WORK/venv/bin/python peer_facts.py

For the README's table of comparison. MALLET's line is by hand: MalletRace twice with 2 threads and one seed writes equal files.
"""

import os
import pickle
import tempfile
import warnings

import gensim
import numpy as np
import tomotopy
from sklearn.decomposition import LatentDirichletAllocation

DOCUMENTS, WORDS, TOPICS = 200, 200, 10
COUNTS = np.random.default_rng(0).poisson(0.3, (DOCUMENTS, WORDS))


def say(what, equal):
    print(f"{what:62} {'the same' if equal else 'another model'}")


def tomotopy_topics(sweeps, workers, save_after=None):
    model = tomotopy.LDAModel(k=TOPICS, alpha=0.5, eta=0.01, seed=3)
    for row in COUNTS:
        model.add_doc([str(word) for word in np.repeat(np.arange(WORDS), row)])
    for part in [save_after, sweeps - save_after] if save_after else [sweeps]:
        model.train(part, workers=workers)
        if part == save_after:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "model")
                model.save(path, full=True)
                model = tomotopy.LDAModel.load(path)
    return np.concatenate([document.topics for document in model.docs])


def gensim_topics(workers):
    bags = [[(int(word), int(row[word])) for word in np.flatnonzero(row)] for row in COUNTS]
    settings = dict(corpus=bags, num_topics=TOPICS, id2word={i: str(i) for i in range(WORDS)}, chunksize=20, passes=2,
                    random_state=1, eval_every=0)
    if workers == 1:
        return gensim.models.LdaModel(**settings).get_topics()
    return gensim.models.LdaMulticore(workers=workers, **settings).get_topics()


def sklearn_topics(jobs, pickled=False):
    model = LatentDirichletAllocation(TOPICS, batch_size=32, total_samples=DOCUMENTS, n_jobs=jobs, random_state=1)
    for part in (COUNTS[:96], COUNTS[96:]):
        model.partial_fit(part)
        if pickled:
            model = pickle.loads(pickle.dumps(model))
    return model.components_


def main():
    warnings.simplefilter("ignore")
    same = np.array_equal
    say("tomotopy, one worker, twice", same(tomotopy_topics(20, 1), tomotopy_topics(20, 1)))
    say("tomotopy, two workers, twice (it warns that they may differ)", same(tomotopy_topics(20, 2), tomotopy_topics(20, 2)))
    say("tomotopy, one worker and two", same(tomotopy_topics(20, 1), tomotopy_topics(20, 2)))
    say("tomotopy, saved and loaded after 10 of 20 sweeps", same(tomotopy_topics(20, 1), tomotopy_topics(20, 1, save_after=10)))
    say("gensim LdaModel, twice", same(gensim_topics(1), gensim_topics(1)))
    say("gensim LdaMulticore, two workers, twice", same(gensim_topics(2), gensim_topics(2)))
    say("scikit-learn, n_jobs 1, twice", same(sklearn_topics(1), sklearn_topics(1)))
    say("scikit-learn, n_jobs 2, twice", same(sklearn_topics(2), sklearn_topics(2)))
    say("scikit-learn, n_jobs 1 and 2", same(sklearn_topics(1), sklearn_topics(2)))
    say("scikit-learn, pickled between batches", same(sklearn_topics(1), sklearn_topics(1, pickled=True)))


if __name__ == "__main__":
    main()
