"""Tables of topics and of their documents."""

import numpy as np


def topic_rows(model, top_n):
    """One dict per topic, with its label where any topic has one."""
    labels = model.labels
    tokens = int(model.n_k.sum())
    rows = []
    for k in range(model.topics):
        words = " ".join(word for word, _ in model.top_words(k, top_n))
        n_k = int(model.n_k[k])
        share = n_k / tokens if tokens else 0.0
        label = {"label": labels[k]} if any(labels) else {}
        rows.append(
            {"topic": k, **label, "tokens": n_k, "share": share, "alpha": float(model.alpha[k]), "words": words}
        )
    return rows


def topic_word_rows(model, top_n):
    """One dict per word of a topic."""
    return [
        {"topic": k, "rank": rank, "word": word, "probability": probability}
        for k in range(model.topics)
        for rank, (word, probability) in enumerate(model.top_words(k, top_n), 1)
    ]


def document_rows(corpus, theta, counts, n):
    """One dict per document that shows a topic best; of equal shares the longer document, then the earlier."""
    lengths = np.diff(corpus.document_offsets)
    names = corpus.document_names
    rows = []
    for k in range(theta.shape[1]):
        found = np.flatnonzero(counts[:, k])
        order = found[np.lexsort((found, -lengths[found], -theta[found, k]))][:n]
        for rank, d in enumerate(order.tolist(), 1):
            name = {"name": names[d]} if names else {}
            rows.append({"topic": k, "rank": rank, "document": d, **name, "share": float(theta[d, k])})
    return rows


def typical_rows(found, labels, names):
    """One dict per document of a topic, of what _core.typical_documents has found."""
    labelled = any(labels)
    rows = []
    for k, documents in enumerate(found):
        label = {"label": labels[k]} if labelled else {}
        for rank, (d, share, text) in enumerate(documents, 1):
            name = {"name": names[d]} if names else {}
            rows.append({"topic": k, **label, "rank": rank, "document": d, **name, "share": share, "text": text})
    return rows


def as_table(rows):
    """The rows as a data frame, if pandas is installed."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)
