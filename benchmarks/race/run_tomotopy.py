"""tomotopy's LDAModel: the collapsed Gibbs sampler, priors fixed. One worker: no parallel scheme. More: its default (PARTITION)."""

import numpy as np
import tomotopy

import corpus
from report import Report, train_by_steps


def run(options, held_words):
    model = tomotopy.LDAModel(tw=tomotopy.TermWeight.ONE, min_cf=0, rm_top=0, k=options.topics, alpha=options.alpha,
                              eta=options.beta, seed=options.seed)
    model.optim_interval = 0
    for document in corpus.documents(options.corpus, "train"):
        model.add_doc(list(map(str, document.tolist())))
    parallel = tomotopy.ParallelScheme.NONE if options.threads == 1 else tomotopy.ParallelScheme.PARTITION

    def train(sweeps):
        model.train(sweeps, workers=options.threads, parallel=parallel)

    train(0)  # prepares: initial topics
    place = {word: column for column, word in enumerate(model.used_vocabs)}
    columns = np.array([place[str(word)] for word in held_words])

    def export():
        return np.stack([model.get_topic_word_dist(topic)[columns] for topic in range(options.topics)])

    report = Report(options.snapshots, options.limit)
    report.start(version=tomotopy.__version__,
                 detail=f"instruction set {tomotopy.isa}, "
                 + (f"scheme {parallel.name}, {options.threads} workers" if options.threads > 1 else "one worker"))
    train_by_steps(report, train, export)
