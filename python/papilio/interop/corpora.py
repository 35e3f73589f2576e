"""Corpora from and to gensim; columns of texts of pandas, Arrow and Parquet."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from papilio._checked import plain
from papilio._core import Corpus
from papilio._counts import column_to_give, is_missing
from papilio._errors import FormatError
from papilio._keywords import suggests_options, suggests_options_beside
from papilio._options import Missing, TextOptions
from papilio.corpora import corpus_from_texts
from papilio.readers import Path

if TYPE_CHECKING:
    from typing_extensions import Unpack


@suggests_options
def corpus_from_bow(
    documents: Iterable[Iterable[tuple[int, float]]], id2word: Any = None, *, names: Iterable[str] = ()
) -> Corpus:
    """Make a corpus from gensim's bags of words.

    Parameters
    ----------
    documents : iterable of iterables of (int, count)
        One per document, such as ``Dictionary.doc2bow`` gives; or any corpus of gensim.
    id2word : dict of int to str, gensim Dictionary, or list of str, optional
        The words; by default their numbers.
    names : iterable of str, optional
        The names of the documents.

    Returns
    -------
    papilio.Corpus

    Raises
    ------
    ValueError
        A count that is not a whole number >= 0, or a number that has no word.
    TypeError
        Words that are not numbered by int.

    Examples
    --------
    >>> from papilio import interop
    >>> interop.corpus_from_bow([[(0, 2), (1, 1)], []], {0: "cats", 1: "dogs"})
    Corpus(2 documents, 2 words, 3 tokens)
    """
    caller = "papilio.interop.corpus_from_bow"
    offsets, ids, counts = [0], [], []
    for document in documents:
        for number, count in document:
            ids.append(number)
            counts.append(count)
        offsets.append(len(ids))
    numbers = np.asarray(plain(ids, f"{caller}: word numbers"), dtype=None if ids else np.int64)
    if numbers.dtype.kind not in "iu":
        raise TypeError(f"{caller}: words must be numbered by int, got {numbers.dtype}")
    whole = plain(counts, f"{caller}: counts").astype(np.float64)
    if ((whole < 0) | (whole >= 2**31)).any():
        entry = int(np.argmax((whole < 0) | (whole >= 2**31)))
        raise ValueError(f"{caller}: a count is 0 to 2^31 - 1; entry {entry}, of word {ids[entry]}, is {counts[entry]}")
    if not (whole == np.rint(whole)).all():
        entry = int(np.argmax(whole != np.rint(whole)))
        raise ValueError(f"{caller}: counts must be whole; entry {entry}, of word {ids[entry]}, is {counts[entry]}")
    width = int(numbers.max()) + 1 if len(ids) else 0
    if id2word is None and width > 2**24 and width > 16 * len(ids):
        raise ValueError(f"{caller}: {len(ids)} entries have words numbered up to {width - 1}; give id2word")
    vocabulary = _words(id2word, width, caller)
    if len(ids) and (numbers.min() < 0 or numbers.max() >= len(vocabulary)):
        raise ValueError(
            f"{caller}: word numbers go from {numbers.min()} to {numbers.max()}, but there are {len(vocabulary)} words"
        )
    return Corpus.from_counts(
        np.array(offsets, np.int64), numbers.astype(np.int32), whole.astype(np.int64), vocabulary, list(names)
    )


def _words(id2word, width, caller):
    """The words by number. A number that the dictionary skips is its own word."""
    if id2word is None:
        return [str(number) for number in range(width)]
    if hasattr(id2word, "id2token") and hasattr(id2word, "token2id"):  # a Dictionary fills the other way when asked
        id2word = {number: word for word, number in id2word.token2id.items()}
    if hasattr(id2word, "items"):
        id2word = dict(id2word.items())
        size = max(id2word, default=-1) + 1
        if size > 16 * len(id2word) + 1024:
            raise ValueError(f"{caller}: the dictionary has {len(id2word)} words, numbered up to {size - 1}")
        return [id2word.get(number, str(number)) for number in range(size)]
    return list(id2word)


@suggests_options
def bow_from_corpus(corpus: Corpus) -> tuple[list[list[tuple[int, int]]], dict[int, str]]:
    """Return the documents of a corpus as gensim's bags of words.

    Parameters
    ----------
    corpus : papilio.Corpus

    Returns
    -------
    documents : list of lists of (int, int)
    id2word : dict of int to str

    Examples
    --------
    >>> import papilio
    >>> from papilio import interop
    >>> interop.bow_from_corpus(papilio.corpus_from_tokens([["b", "a", "b"]]))
    ([[(0, 2), (1, 1)]], {0: 'b', 1: 'a'})
    """
    offsets, words, counts = (array.tolist() for array in corpus.counts())
    documents = [list(zip(words[b:e], counts[b:e])) for b, e in pairwise(offsets)]
    return documents, dict(enumerate(corpus.vocabulary))


@suggests_options
def read_dictionary(path: Path) -> dict[int, str]:
    """Read a gensim Dictionary in text form (``save_as_text``).

    Parameters
    ----------
    path : str or path-like
        A line with the number of documents, then one line per word: id, word and document frequency, separated by tabs.

    Returns
    -------
    dict of int to str
        For `corpus_from_bow`.

    Raises
    ------
    OSError
        The file cannot be read.
    papilio.FormatError
        With the line that does not fit.
    """
    words = {}
    with open(path, encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, 1):
            fields = line.rstrip("\r\n").split("\t")
            if number == 1 and len(fields) == 1 and fields[0].strip().isdigit():
                continue
            if len(fields) != 3 or not fields[0].isdigit():
                _refuse_line(path, number, "expected id, word and document frequency, separated by tabs")
            if int(fields[0]) in words:
                _refuse_line(path, number, f"word number {fields[0]} occurs twice")
            words[int(fields[0])] = fields[1]
    return words


def _refuse_line(path, line, message):
    error = FormatError(f"papilio.interop.read_dictionary: {os.fsdecode(path)}:{line}: {message}")
    error.line = line
    raise error


@suggests_options
def write_dictionary(corpus: Corpus, path: Path) -> None:
    """Write the words of a corpus as a gensim Dictionary in text form, sorted by word as gensim does.

    Parameters
    ----------
    corpus : papilio.Corpus
    path : str or path-like

    Raises
    ------
    ValueError
        A word with a tab or a line end.
    OSError
        The file cannot be written.
    """
    _, words, _ = corpus.counts()
    frequencies = np.bincount(words, minlength=corpus.vocabulary_size)
    lines = [f"{corpus.documents}\n"]
    for word, number in sorted((word, number) for number, word in enumerate(corpus.vocabulary)):
        if any(character in word for character in "\t\r\n"):
            raise ValueError(
                f"papilio.interop.write_dictionary: word {number} is {word!r}, which could not be read back"
            )
        lines.append(f"{number}\t{word}\t{frequencies[number]}\n")
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(lines)


@suggests_options_beside(TextOptions.__annotations__)
def corpus_from_column(
    column: Any, *, names: Any = (), missing: Missing = "raise", **options: Unpack[TextOptions]
) -> Corpus:
    """Make a corpus from a column of texts, one document per row.

    Parameters
    ----------
    column : pandas.Series, pyarrow.Array or ChunkedArray, polars.Series, NumPy array or list of str
    names : column or list of str, optional
        The names of the documents.
    missing : {"raise", "empty"}
        What to do with a missing text (None, NaN): raise an error, or make an empty document.
    **options
        `min_token_length`, `words`, `token_pattern`, `stop_words`, `min_df`, `max_df`, `max_vocabulary`, `phrases` and
        its options, `threads` and `report`: see `papilio.read_corpus`.

    Returns
    -------
    papilio.Corpus

    Raises
    ------
    TypeError
        Naming the first text that is not a str.
    ValueError
        An option out of range.

    Examples
    --------
    >>> from papilio import interop
    >>> interop.corpus_from_column(["cats purr", None], missing="empty")
    Corpus(2 documents, 2 words, 2 tokens)
    """
    if missing not in ("raise", "empty"):
        raise ValueError(f"papilio.interop.corpus_from_column: missing is {missing!r}, expected 'raise' or 'empty'")
    texts = _as_list(column, "column")
    if missing == "empty":
        texts = ["" if is_missing(text) else text for text in texts]
    ids = _as_list(names, "names")
    if any(is_missing(name) for name in ids):
        raise TypeError("papilio.interop.corpus_from_column: a name is missing; fill the missing ones first")
    return corpus_from_texts(texts, names=[str(name) for name in ids], **options)


def _as_list(column, what):
    if hasattr(column, "columns") or isinstance(column, (str, bytes, dict)):
        hint = "" if isinstance(column, (str, bytes)) else f"; {column_to_give(column, 'frame')}"
        raise TypeError(
            f"papilio.interop.corpus_from_column: {what} is a {type(column).__name__}, expected one column{hint}"
        )
    for method in ("to_pylist", "tolist", "to_list"):
        if hasattr(column, method):
            return getattr(column, method)()
    return list(column)


@suggests_options_beside(TextOptions.__annotations__)
def corpus_from_parquet(
    path: Path,
    text: str = "text",
    *,
    names: str | None = None,
    missing: Missing = "raise",
    **options: Unpack[TextOptions],
) -> Corpus:
    """Make a corpus from a column of a Parquet file; needs pyarrow.

    Parameters
    ----------
    path : str or path-like
    text : str, default "text"
        The column with the texts.
    names : str, optional
        The column with the names of the documents.
    missing, **options
        See `corpus_from_column`.

    Returns
    -------
    papilio.Corpus

    Raises
    ------
    ValueError
        The file has no such column, or an option is out of range.
    OSError
        The file cannot be read.
    """
    import pyarrow.parquet

    with open(path, "rb") as file:  # Arrow takes names in UTF-8 only
        table = pyarrow.parquet.read_table(file, columns=[text] if names is None else [text, names])
    if text not in table.column_names or (names is not None and names not in table.column_names):
        raise ValueError(f"papilio.interop.corpus_from_parquet: {path} has no column {text!r} or {names!r}")
    ids = () if names is None else table.column(names)
    return corpus_from_column(table.column(text), names=ids, missing=missing, **options)
