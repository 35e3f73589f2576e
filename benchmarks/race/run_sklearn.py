"""scikit-learn's LatentDirichletAllocation, online variational Bayes by partial_fit; n_jobs is the number of threads."""

import joblib
import numpy as np
import scipy.sparse
import sklearn
from sklearn.decomposition import LatentDirichletAllocation

import corpus
from report import Report, event


def matrix(folder, meta):
    documents = corpus.documents(folder, "train")
    order = np.random.default_rng(1).permutation(len(documents))
    rows = np.repeat(np.arange(len(documents)), [len(documents[d]) for d in order])
    words = np.concatenate([documents[d] for d in order])
    counts = scipy.sparse.coo_matrix((np.ones(len(words)), (rows, words)), shape=(meta["documents"], meta["words"]))
    return counts.tocsr()


def run(options, held_words):
    meta = corpus.meta(options.corpus)
    counts = matrix(options.corpus, meta)
    batch = corpus.batch(meta)
    model = LatentDirichletAllocation(n_components=options.topics, doc_topic_prior=options.alpha,
                                      topic_word_prior=options.beta, learning_method="online", batch_size=batch,
                                      total_samples=meta["documents"], n_jobs=options.threads,
                                      random_state=options.seed)

    def export():
        return model.components_[:, held_words] / model.components_.sum(axis=1, keepdims=True)

    # Starts the worker processes and lets them import scikit-learn, which is not training.
    joblib.Parallel(n_jobs=options.threads)(joblib.delayed(LatentDirichletAllocation)() for _ in range(options.threads))
    report = Report(options.snapshots, options.limit)
    report.start(version=sklearn.__version__, detail=f"online, batches of {batch} documents, n_jobs = {options.threads}")
    seen, taken = 0, 0.0
    while True:
        begin = seen % meta["documents"]
        part = counts[begin:begin + batch]
        model.partial_fit(part)
        seen += part.shape[0]
        whole = seen % meta["documents"] == 0
        due = report.seconds - taken >= (options.limit / 100 if whole else options.limit / 10)
        if due or report.left <= 0:
            report.snapshot(seen / meta["documents"], export)
            taken = report.seconds
        if report.left <= 0:
            break
    event("end", sweeps=seen / meta["documents"], seconds=report.spent)
