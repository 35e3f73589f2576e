"""Corpora of texts, tokens and matrices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from papilio import _core, _seeds
from papilio._checked import real, threads as checked_threads, whole
from papilio._core import Corpus, Model, ReadReport
from papilio._counts import as_counts, as_list, column_to_give, is_missing
from papilio._keywords import suggests_options
from papilio._options import Fractional, Phrases, Vocabulary, WordRule
from papilio._text_options import text_options, warn_of_stop_words, warn_of_unspaced
from papilio.phrases import phrase_options

__all__ = [
    "Corpus",
    "corpus_from_matrix",
    "corpus_from_texts",
    "corpus_from_tokens",
    "corpus_to_matrix",
    "generate_corpus",
    "hold_out_every",
]


@suggests_options
def corpus_from_texts(
    texts: Iterable[str],
    *,
    names: Iterable[str] = (),
    min_token_length: int | None = None,
    words: WordRule = "letters",
    token_pattern: str | None = None,
    stop_words: str | Iterable[str] = (),
    min_df: int = 1,
    max_df: float = 1.0,
    max_vocabulary: int = 0,
    phrases: Phrases = (),
    phrase_threshold: float = 0.5,
    phrase_min_count: int = 5,
    phrase_length: int = 3,
    phrase_delimiter: str = "_",
    threads: int = 0,
    report: ReadReport | None = None,
) -> Corpus:
    """Make a corpus from texts in memory, one document per text.

    A token is a run of letters, case-folded, as in `read_corpus`. Words are numbered in the order in which they first
    occur. The corpus is the same on every machine and for any number of threads.

    Parameters
    ----------
    texts : iterable of str
        A list, or one column of a table. A whole table, None and NaN are errors; `interop.corpus_from_column` has
        `missing`.
    names : iterable of str, optional
        The names of the documents.
    min_token_length, words, token_pattern, stop_words, min_df, max_df, max_vocabulary, threads, report
        See `read_corpus`.
    phrases, phrase_threshold, phrase_min_count, phrase_length, phrase_delimiter
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

    Warns
    -----
    UserWarning
        The text looks as if it had no spaces, but `words` is not "icu".

    Examples
    --------
    >>> import papilio
    >>> corpus = papilio.corpus_from_texts(["Cats and dogs", "Dogs, DOGS!"])
    >>> corpus.vocabulary
    ['cats', 'and', 'dogs']
    >>> corpus.words
    array([0, 1, 2, 2, 2], dtype=int32)
    >>> report = papilio.ReadReport()
    >>> papilio.corpus_from_texts(["GPT-4 and 5G in 2020"], words="mixed", report=report).vocabulary
    ['gpt-4', 'and', '5g']
    >>> report.left_out["too_short"].examples, report.left_out["number"].examples
    (['in'], ['2020'])
    """
    caller = "papilio.corpus_from_texts"
    listed = _list_of_str(texts, "text", caller)
    options = text_options(
        min_token_length, words, token_pattern, stop_words, min_df, max_df, max_vocabulary, threads
    )
    options.phrases = phrase_options(phrases, phrase_threshold, phrase_min_count, phrase_length, phrase_delimiter)
    found = ReadReport() if report is None else report
    corpus = _core.corpus_from_texts(listed, options, _list_of_str(names, "name", caller), found)
    warn_of_unspaced(found, caller)
    warn_of_stop_words(corpus, options, caller)
    return corpus


_ENTRY = {"text": "document", "name": "the name of document", "word": "word"}


def _list_of_str(values: Any, what: str, caller: str) -> list[str]:
    """One str per document. TypeError for a str, a table, bytes, a dict, and for the first entry that is no str."""
    if isinstance(values, (str, bytes, bytearray)):
        raise TypeError(f"{caller}: expected {what}s, got one {type(values).__name__}; put it in a list")
    if hasattr(values, "columns") or isinstance(values, Mapping):
        raise TypeError(
            f"{caller}: {what}s is a {type(values).__name__}, whose columns would be taken for documents; "
            f"{column_to_give(values, what + 's')}"
        )
    if isinstance(values, (set, frozenset)):
        raise TypeError(f"{caller}: {what}s is a {type(values).__name__}, which has no order; give a list")
    if getattr(values, "ndim", 1) != 1:
        raise TypeError(f"{caller}: {what}s has {values.ndim} dimensions, expected one with a str per document")
    entries = as_list(values)
    for number, entry in enumerate(entries):
        if not isinstance(entry, str):
            raise TypeError(f"{caller}: {_ENTRY[what]} {number} is {entry!r}, expected a str")
    return entries


@suggests_options
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
        Naming the first document that is one str or missing.

    Examples
    --------
    >>> import papilio
    >>> papilio.corpus_from_tokens([["cats", "dogs"], [], ["dogs"]])
    Corpus(3 documents, 2 words, 3 tokens)
    """
    caller = "papilio.corpus_from_tokens"
    if hasattr(documents, "columns"):
        column = column_to_give(documents, "documents")
        raise TypeError(f"{caller}: documents is a {type(documents).__name__}, expected lists of words; {column}")
    words_given = None if vocabulary is None else _vocabulary(vocabulary, caller)
    numbers = {} if words_given is None else {word: number for number, word in enumerate(words_given)}
    offsets, words = [0], []
    for d, document in enumerate(as_list(documents) if hasattr(documents, "to_pylist") else documents):
        if is_missing(document) or isinstance(document, str):
            what = "one str" if isinstance(document, str) else repr(document)
            raise TypeError(f"{caller}: document {d} is {what}, expected its words")
        if words_given is None:
            words.extend([numbers.setdefault(word, len(numbers)) for word in document])
        else:
            words.extend([numbers[word] for word in document if word in numbers])
        offsets.append(len(words))
    return Corpus(
        np.array(offsets, np.int64),
        np.array(words, np.int32),
        _list_of_str(list(numbers), "word", caller) if words_given is None else words_given,
        _list_of_str(names, "name", caller),
    )


def _vocabulary(vocabulary: Any, caller: str) -> list[str]:
    """The words in the order of their numbers.

    A dict gives the number of each word, as scikit-learn's does; what has `get_feature_names_out`, such as a
    CountVectorizer, has the words itself.
    """
    if callable(getattr(vocabulary, "get_feature_names_out", None)):
        vocabulary = vocabulary.get_feature_names_out().tolist()
    if isinstance(vocabulary, Mapping):
        words = sorted(vocabulary, key=vocabulary.__getitem__)
        if [vocabulary[word] for word in words] != list(range(len(words))):
            raise ValueError(
                f"{caller}: vocabulary is a dict, whose values must be the numbers 0 to {len(words) - 1}, each once"
            )
        vocabulary = words
    return _list_of_str(vocabulary, "word", caller)


@suggests_options
def corpus_from_matrix(
    X: Any, *, vocabulary: Vocabulary | None = None, names: Iterable[str] = (), fractional: Fractional = "raise"
) -> Corpus:
    """Make a corpus from a matrix of counts: documents x words.

    Parameters
    ----------
    X : sparse matrix or array of any format, data frame, or array-like of shape (D, V)
        Whole numbers of any type, 0 to 2^31 - 1. Duplicate entries of a sparse matrix add up. Masked and missing
        entries are errors.
    vocabulary : iterable of str, dict of str to int, or vectorizer, optional
        The words of the columns, each once; a dict has their numbers, as scikit-learn's ``vocabulary_``, and what has
        ``get_feature_names_out``, such as a CountVectorizer, gives its own. By default the
        column names of a data frame if all are str, else the numbers of the columns: "0", "1", ...
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
    return Corpus.from_counts(counts.offsets, counts.columns, counts.values, words, _list_of_str(names, "name", caller))


def renamed(model: Model, vocabulary: Any, caller: str) -> Model:
    """The model with these words for its columns."""
    words = column_words(None, model.vocabulary_size, vocabulary, caller)
    return Model(model.n_wk, model.alpha, model.beta, words, model.settings, model.seed_words, model.labels)


def column_words(X: Any, width: int, vocabulary: Vocabulary | None, caller: str) -> list[str]:
    """The words of a matrix's columns, each once."""
    if vocabulary is None:
        vocabulary = _column_names(X, width)
    words = _vocabulary(vocabulary, caller)
    if len(words) != width:
        raise ValueError(f"{caller}: vocabulary has {len(words)} words for {width} columns")
    if len(set(words)) != width:
        seen: set[str] = set()
        double = next(word for word in words if word in seen or seen.add(word))  # type: ignore[func-returns-value]
        raise ValueError(f"{caller}: the word {double!r} occurs twice in the vocabulary")
    return words


def _column_names(X: Any, width: int) -> list[str]:
    columns = getattr(X, "columns", None)
    if columns is not None and len(columns) == width and all(isinstance(name, str) for name in columns):
        return list(columns)
    return [str(number) for number in range(width)]


@suggests_options
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


@suggests_options
def generate_corpus(
    *,
    documents: int = 10000,
    vocabulary: int = 5000,
    topics: int = 20,
    mean_length: float = 80.0,
    length_spread: float = 0.0,
    alpha: float = 0.1,
    overlap: float = 0.1,
    seed: Any = 0,
    threads: int = 0,
) -> Corpus:
    """Draw a corpus from a known topic model; the same corpus on every machine.

    Parameters
    ----------
    documents, vocabulary, topics : int
        D, V and K; 1 <= K <= V.
    mean_length : float, default 80
        Mean number of tokens per document; 0 < mean_length <= 1e6.
    length_spread : float, default 0
        Standard deviation of the logarithm of a document's expected length, which is at most 1e6; 0 to 5.
    alpha : float, default 0.1
        Prior of each topic in a document; 1e-6 <= alpha <= 1e6.
    overlap : float, default 0.1
        The share of each topic that is spread over the whole vocabulary; 0 to 1.
    seed : int, generator or key of JAX, default 0
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
    caller = "papilio.generate_corpus"
    most = 2**31 - 1
    return _core.generate_corpus(
        whole(documents, f"{caller}: documents", 1, most),
        whole(vocabulary, f"{caller}: vocabulary", 1, most),
        whole(topics, f"{caller}: topics", 1, most),
        real(mean_length, f"{caller}: mean_length"),
        real(length_spread, f"{caller}: length_spread"),
        real(alpha, f"{caller}: alpha"),
        real(overlap, f"{caller}: overlap"),
        whole(_seeds.number(seed), f"{caller}: seed", 0, 2**64 - 1, "a whole number, 0 <= seed < 2^64"),
        checked_threads(threads, caller),
    )


@suggests_options
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
    return _core.hold_out_every(corpus, whole(every, "papilio.hold_out_every: every", 2, 2**63 - 1))
