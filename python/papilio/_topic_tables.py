"""Tables of topics."""


def topic_rows(model, top_n):
    """One dict per topic."""
    tokens = int(model.n_k.sum())
    rows = []
    for k in range(model.topics):
        words = " ".join(word for word, _ in model.top_words(k, top_n))
        n_k = int(model.n_k[k])
        share = n_k / tokens if tokens else 0.0
        rows.append({"topic": k, "tokens": n_k, "share": share, "alpha": float(model.alpha[k]), "words": words})
    return rows


def topic_word_rows(model, top_n):
    """One dict per word of a topic."""
    return [
        {"topic": k, "rank": rank, "word": word, "probability": probability}
        for k in range(model.topics)
        for rank, (word, probability) in enumerate(model.top_words(k, top_n), 1)
    ]


def as_table(rows):
    """The rows as a data frame, if pandas is installed."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)
