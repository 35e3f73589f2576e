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
    """Make a corpus from texts in memory, one document per text.

    A token is a run of letters, case-folded, as in `read_corpus`. Words are numbered in the order in which they first
    occur. The corpus is the same on every machine and for any number of threads.

    Parameters
    ----------
    texts : iterable of str
        None and NaN are errors; `interop.corpus_from_column` has `missing`.
    names : iterable of str, optional
        The names of the documents.
    min_token_length, stop_words, min_df, max_df, max_vocabulary, threads, report
        See `read_corpus`.

    Returns
    -------
    Corpus

    Raises
    ------
    TypeError
        Naming the first text that is not a str.
    ValueError
        An option out of range.

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
    """Make a corpus from documents that are lists of words.

    Parameters
    ----------
    documents : iterable of iterables of str
    vocabulary : iterable of str, optional
        The words in the order of their numbers; other words are left out. By default all words, in the order in which
        they first occur.
    names : iterable of str, optional
        The names of the documents.

    Returns
    -------
    Corpus

    Raises
    ------
    TypeError
        Naming the first document that is one str.

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
    """Make a corpus from a matrix of counts: documents x words.

    Parameters
    ----------
    X : sparse matrix or array of any format, data frame, or array-like of shape (D, V)
        Whole numbers of any type, 0 to 2^31 - 1. Duplicate entries of a sparse matrix add up.
    vocabulary : iterable of str, optional
        The words of the columns, each once. By default the column names of a data frame if all are str, else the
        numbers of the columns: "0", "1", ...
    names : iterable of str, optional
        The names of the documents.
    fractional : {"raise", "round"}
        What to do with numbers that are not whole.

    Returns
    -------
    Corpus
        The tokens of a document are in the order of the columns.

    Raises
    ------
    ValueError
        Naming the first entry that is not a count, or the word that does not fit.
    TypeError
        A word that is not a str.

    Examples
    --------
    >>> import papilio
    >>> papilio.corpus_from_matrix([[2, 0], [1, 1]], vocabulary=["cats", "dogs"]).words
    array([0, 0, 0, 1], dtype=int32)
    """
    caller = "papilio.corpus_from_matrix"
    counts = as_counts(X, caller, fractional)
    words = column_words(X, counts.width, vocabulary, caller)
    return Corpus.from_counts(counts.offsets, counts.columns, counts.values, words, list(names))


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
        raise ValueError(f"{caller}: the word {double!r} occurs twice in the vocabulary")
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
    """Make a sparse matrix of the counts of a corpus: documents x words.

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    scipy.sparse.csr_matrix of int64, shape (D, V)
        Column numbers increase within each row.

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
    """Draw a corpus from a known topic model; the same corpus on every machine.

    Parameters
    ----------
    documents, vocabulary, topics : int
        D, V and K; 1 <= K <= V.
    mean_length : float, default 80
        Mean number of tokens per document; 0 < mean_length <= 1e6.
    alpha : float, default 0.1
        Prior of each topic in a document; 1e-6 <= alpha <= 1e6.
    overlap : float, default 0.1
        The share of each topic that is spread over the whole vocabulary; 0 to 1.
    seed : int, default 0
        0 <= seed < 2^64.
    threads : int, default 0
        0: all processors. Never changes the corpus.

    Returns
    -------
    Corpus

    Raises
    ------
    ValueError
        A parameter out of range.

    Examples
    --------
    >>> import papilio
    >>> papilio.generate_corpus(documents=100, vocabulary=50, topics=3)
    Corpus(100 documents, 50 words, 8059 tokens)
    """
    return _core.generate_corpus(documents, vocabulary, topics, mean_length, alpha, overlap, seed, threads)


def hold_out_every(corpus: Corpus, every: int) -> tuple[Corpus, Corpus]:
    """Split a corpus: every `every`-th document is held out.

    Parameters
    ----------
    corpus : Corpus
    every : int
        At least 2. Documents `every` - 1, 2 * `every` - 1, ... (from 0) are held out.

    Returns
    -------
    training, held_out : Corpus
        Both with the whole vocabulary and the names of their documents.

    Raises
    ------
    ValueError
        `every` is less than 2.

    Examples
    --------
    >>> import papilio
    >>> papilio.hold_out_every(papilio.generate_corpus(documents=100, vocabulary=50, topics=3), 10)
    (Corpus(90 documents, 50 words, 7271 tokens), Corpus(10 documents, 50 words, 788 tokens))
    """
    return _core.hold_out_every(corpus, every)
