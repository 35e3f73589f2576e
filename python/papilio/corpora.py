"""Corpora of texts, tokens and matrices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np

from papilio import _core
from papilio._core import Corpus, ReadReport
from papilio._counts import as_counts
from papilio._options import Fractional
from papilio.readers import text_options

__all__ = [
    "Corpus",
    "corpus_from_matrix",
    "corpus_from_texts",
    "corpus_from_tokens",
    "corpus_to_matrix",
    "generate_corpus",
    "hold_out_every",
]


def corpus_from_texts(
    texts: Iterable[str],
    *,
    names: Iterable[str] = (),
    min_token_length: int = 3,
    stop_words: Literal["english"] | Iterable[str] = (),
    min_df: int = 1,
    max_df: float = 1.0,
    max_vocabulary: int = 0,
    threads: int = 0,
    report: ReadReport | None = None,
) -> Corpus:
    """Makes a corpus of texts in memory by the rules of the readers.

    A token is a run of letters, case-folded; words are numbered by first occurrence.

    Parameters
    ----------
    texts : iterable of str
        A document each. A text that is None or NaN is an error.
    names : iterable of str
        Names of the documents, or none.
    min_token_length, stop_words, min_df, max_df, max_vocabulary, threads, report
        See `read_corpus`.

    Returns
    -------
    Corpus

    Raises
    ------
    TypeError
        Naming the first document that is not a str.
    ValueError
        Options out of range.

    Examples
    --------
    >>> import papilio
    >>> corpus = papilio.corpus_from_texts(["Cats and dogs", "Dogs, DOGS!"])
    >>> corpus.vocabulary
    ['cats', 'and', 'dogs']
    >>> corpus.words
    array([0, 1, 2, 2, 2], dtype=int32)
    """
    if isinstance(texts, str):
        raise TypeError("papilio.corpus_from_texts: expected texts, got one str")
    texts = list(texts)
    for d, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"papilio.corpus_from_texts: document {d} is {text!r}, expected a str")
    options = text_options(min_token_length, stop_words, min_df, max_df, max_vocabulary, threads)
    return _core.corpus_from_texts(texts, options, list(names), report)


def corpus_from_tokens(
    documents: Iterable[Iterable[str]], *, vocabulary: Iterable[str] | None = None, names: Iterable[str] = ()
) -> Corpus:
    """Makes a corpus of documents that are lists of words already.

    Parameters
    ----------
    documents : iterable of iterables of str
    vocabulary : list of str, optional
        Words in the order of their numbers; others are left out. By default every word, by first
        occurrence.
    names : iterable of str
        Names of the documents, or none.

    Returns
    -------
    Corpus

    Examples
    --------
    >>> import papilio
    >>> papilio.corpus_from_tokens([["cats", "dogs"], [], ["dogs"]])
    Corpus(3 documents, 2 words, 3 tokens)
    """
    words_given = None if vocabulary is None else list(vocabulary)
    numbers = {} if words_given is None else {word: number for number, word in enumerate(words_given)}
    offsets, words = [0], []
    for d, document in enumerate(documents):
        if isinstance(document, str):
            raise TypeError(f"papilio.corpus_from_tokens: document {d} is one str, expected its words")
        if words_given is None:
            words.extend([numbers.setdefault(word, len(numbers)) for word in document])
        else:
            words.extend([numbers[word] for word in document if word in numbers])
        offsets.append(len(words))
    return Corpus(
        np.array(offsets, np.int64),
        np.array(words, np.int32),
        list(numbers) if words_given is None else words_given,
        list(names),
    )


def corpus_from_matrix(
    X: Any, *, vocabulary: Iterable[str] | None = None, names: Iterable[str] = (), fractional: Fractional = "raise"
) -> Corpus:
    """Makes a corpus of a matrix of counts, documents x words.

    Parameters
    ----------
    X : sparse matrix or array of any format, data frame, or array-like, shape (D, V)
        Whole numbers of any type, 0 to 2^31 - 1.
    vocabulary : iterable of str, optional
        The words of the columns. By default the names of a data frame's columns where all are
        str, else the columns' numbers "0", "1", ...
    names : iterable of str
        Names of the documents, or none.
    fractional : {"raise", "round"}
        What becomes of numbers that are not whole.

    Returns
    -------
    Corpus
        The words of a document in the order of the columns.

    Examples
    --------
    >>> import papilio
    >>> papilio.corpus_from_matrix([[2, 0], [1, 1]], vocabulary=["cats", "dogs"]).words
    array([0, 0, 0, 1], dtype=int32)
    """
    caller = "papilio.corpus_from_matrix"
    offsets, columns, counts, width = as_counts(X, caller, fractional)
    words = column_words(X, width, vocabulary, caller)
    return Corpus.from_counts(offsets, columns, counts, words, list(names))


def column_words(X: Any, width: int, vocabulary: Iterable[str] | None, caller: str) -> list[str]:
    """The words of a matrix's columns, each once."""
    if vocabulary is None:
        vocabulary = _column_names(X, width)
    words = list(vocabulary)
    if len(words) != width:
        raise ValueError(f"{caller}: vocabulary has {len(words)} words for {width} columns")
    if len(set(words)) != width:
        seen: set[str] = set()
        double = next(word for word in words if word in seen or seen.add(word))  # type: ignore[func-returns-value]
        raise ValueError(f"{caller}: the word {double!r} comes twice in the vocabulary")
    for number, word in enumerate(words):
        if not isinstance(word, str):
            raise TypeError(f"{caller}: word {number} is {word!r}, expected a str")
    return words


def _column_names(X: Any, width: int) -> list[str]:
    columns = getattr(X, "columns", None)
    if columns is not None and len(columns) == width and all(isinstance(name, str) for name in columns):
        return list(columns)
    return [str(number) for number in range(width)]


def corpus_to_matrix(corpus: Corpus) -> Any:
    """The counts of a corpus as a sparse matrix, documents x words.

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    scipy.sparse.csr_matrix of int64, shape (D, V)

    Examples
    --------
    >>> import papilio
    >>> print(papilio.corpus_to_matrix(papilio.corpus_from_tokens([["b", "a", "b"]])).toarray())
    [[2 1]]
    """
    import scipy.sparse

    offsets, columns, counts = corpus.counts()
    return scipy.sparse.csr_matrix((counts, columns, offsets), shape=(corpus.documents, corpus.vocabulary_size))


def generate_corpus(
    *,
    documents: int = 10000,
    vocabulary: int = 5000,
    topics: int = 20,
    mean_length: float = 80.0,
    alpha: float = 0.1,
    overlap: float = 0.1,
    seed: int = 0,
    threads: int = 0,
) -> Corpus:
    """Draws a corpus from a known model, the same on every machine.

    Parameters
    ----------
    documents, vocabulary, topics : int
    mean_length : float
        Tokens a document.
    alpha : float
        Prior of documents' topics.
    overlap : float
        Share of a topic's mass that is spread over the whole vocabulary.
    seed : int
    threads : int
        0: all. Never changes the corpus.

    Returns
    -------
    Corpus

    Examples
    --------
    >>> import papilio
    >>> papilio.generate_corpus(documents=100, vocabulary=50, topics=3)
    Corpus(100 documents, 50 words, 8059 tokens)
    """
    return _core.generate_corpus(documents, vocabulary, topics, mean_length, alpha, overlap, seed, threads)


def hold_out_every(corpus: Corpus, every: int) -> tuple[Corpus, Corpus]:
    """Splits a corpus: documents every - 1, 2 every - 1, ... are held out.

    Parameters
    ----------
    corpus : Corpus
    every : int
        At least 2.

    Returns
    -------
    training, held_out : Corpus
        Both with the whole vocabulary.
    """
    return _core.hold_out_every(corpus, every)
