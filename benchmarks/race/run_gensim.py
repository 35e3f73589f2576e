"""gensim's online variational Bayes: LdaModel with one thread, LdaMulticore with as many workers as threads.

LdaMulticore has a process that gives out work and merges results beside its workers, so that with one worker it
would be slower on one core than LdaModel, which does the same arithmetic.

One call of update makes all passes, as gensim means it (the step size falls on from pass to pass; a second call would
count the documents again). The corpus is an object that sees when gensim asks for documents: at the start of a pass everything
before has been merged, so that phi can be taken there; with one thread that holds at each chunk.
"""

import gensim
import numpy as np

import corpus
from report import Report, event

PASSES = 1000  # more than any limit allows


class OutOfTime(Exception):
    pass


class Watched:
    """The training documents, chunk by chunk; calls `at(documents seen, whether a pass begins)` before each."""

    def __init__(self, documents, chunk, at):
        self.documents, self.chunk, self.at, self.seen = documents, chunk, at, 0

    def __len__(self):
        return len(self.documents)

    def __iter__(self):
        for number, document in enumerate(self.documents):
            if number % self.chunk == 0:
                self.at(self.seen, number == 0)
            yield document
            self.seen += 1


def bags(folder, order):
    documents = corpus.documents(folder, "train")
    result = []
    for number in order:
        words, counts = np.unique(documents[number], return_counts=True)
        result.append(list(zip(words.tolist(), counts.tolist())))
    return result


def run(options, held_words):
    meta = corpus.meta(options.corpus)
    order = np.random.default_rng(1).permutation(meta["documents"])
    documents = bags(options.corpus, order)
    chunk = corpus.batch(meta)
    settings = dict(num_topics=options.topics, id2word={i: str(i) for i in range(meta["words"])}, alpha=options.alpha,
                    eta=options.beta, chunksize=chunk, passes=PASSES, eval_every=0, random_state=options.seed)
    if options.threads == 1:
        model = gensim.models.LdaModel(**settings)
    else:
        model = gensim.models.LdaMulticore(workers=options.threads, **settings)
    report = Report(options.snapshots, options.limit)
    taken = [0, 0.0]  # documents seen and seconds at the last snapshot

    def export():
        return model.get_topics()[:, held_words]

    def at(seen, pass_begins):
        late = report.left <= 0
        quiet = pass_begins or options.threads == 1
        due = quiet and report.seconds - taken[1] >= (options.limit / 100 if pass_begins else options.limit / 10)
        if seen > taken[0] and (due or late):
            report.snapshot(seen / meta["documents"], export)
            taken[:] = [seen, report.seconds]
        if late:
            raise OutOfTime

    kind = type(model).__name__ + (f", {options.threads} workers" if options.threads > 1 else "")
    report.start(version=gensim.__version__, detail=f"{kind}, chunks of {chunk} documents")
    try:
        model.update(Watched(documents, chunk, at))
    except OutOfTime:
        pass
    event("end", sweeps=taken[0] / meta["documents"], seconds=report.spent)
