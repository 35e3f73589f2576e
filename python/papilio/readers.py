"""Files of corpora."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, Union

from papilio import _core
from papilio._core import Corpus, ReadReport
from papilio._options import CorpusFormat

Path = Union[str, "os.PathLike[str]"]

__all__ = ["ReadReport", "english_stop_words", "open_corpus", "read_corpus", "write_corpus"]


def english_stop_words() -> list[str]:
    """About 500 function words of English, sorted.

    Returns
    -------
    list of str

    Examples
    --------
    >>> import papilio
    >>> "because" in papilio.english_stop_words()
    True
    """
    return _core.english_stop_words()


def text_options(
    min_token_length: int,
    stop_words: Literal["english"] | Iterable[str],
    min_df: int,
    max_df: float,
    max_vocabulary: int,
    threads: int,
) -> _core.TextOptions:
    """How text becomes words."""
    options = _core.TextOptions()
    options.min_token_length = min_token_length
    if isinstance(stop_words, str):
        if stop_words != "english":
            raise ValueError(f'papilio: stop_words is "{stop_words}", expected "english" or words')
        stop_words = english_stop_words()
    options.stop_words = list(stop_words)
    options.min_df = min_df
    options.max_df = max_df
    options.max_vocabulary = max_vocabulary
    options.threads = threads
    return options


def read_corpus(
    path: Path,
    *,
    format: CorpusFormat = "auto",
    vocabulary: Path | None = None,
    first_id: int | None = None,
    transposed: bool = False,
    text_column: str | None = None,
    id_column: str | None = None,
    header: bool = True,
    quotes: bool = True,
    min_token_length: int = 3,
    stop_words: Literal["english"] | Iterable[str] = (),
    min_df: int = 1,
    max_df: float = 1.0,
    max_vocabulary: int = 0,
    threads: int = 0,
    report: ReadReport | None = None,
) -> Corpus:
    """Reads a corpus of any format that the library knows, plain, gzip or zstd.

    Parameters
    ----------
    path : str or path-like
        A file or a folder; "-" is standard input.
    format : str
        "auto" goes by the name and the first bytes; else "text", "uci", "ldac", "svmlight", "mtx",
        "npz", "low", "mallet", "csv", "tsv", "jsonl", "folder" or "corpus".
    vocabulary : str or path-like, optional
        A file of words, one a line. By default looked for beside the corpus.
    first_id : {0, 1}, optional
        Of ldac and svmlight: the number of the first word.
    transposed : bool
        Of mtx and npz: rows are words.
    text_column, id_column : str, optional
        Of csv, tsv and jsonl: what holds the text, and the documents' names.
    header, quotes : bool
        Of csv and tsv.
    min_token_length : int
        Code points that a word of text has at least.
    stop_words : "english" or iterable of str
    min_df : int
        Keep words of at least this many documents.
    max_df : float
        And of at most this share of the documents.
    max_vocabulary : int
        Keep the most frequent words only; 0: all.
    threads : int
        0: all. Never changes the corpus.
    report : ReadReport, optional
        Receives what the reader met on the way.

    Returns
    -------
    Corpus

    Raises
    ------
    OSError
        The file cannot be read.
    FormatError
        It does not hold what its format says; with line and column.
    ValueError
        Options that do not fit the format.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import papilio
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "texts.txt")
    ...     _ = path.write_text("cats and dogs\\ndogs chase cats\\n")
    ...     papilio.read_corpus(path, stop_words="english")
    Corpus(2 documents, 3 words, 5 tokens)
    """
    options = _core.CorpusOptions()
    options.vocabulary = "" if vocabulary is None else os.fspath(vocabulary)
    options.first_id = first_id
    options.transposed = transposed
    options.text_column = text_column or ""
    options.id_column = id_column or ""
    options.header = header
    options.quotes = quotes
    text = text_options(min_token_length, stop_words, min_df, max_df, max_vocabulary, threads)
    return _core.read_corpus(os.fspath(path), format, options, text, report)


def write_corpus(corpus: Corpus, path: Path, *, format: CorpusFormat | None = None, vocabulary: Path | None = None) -> None:
    """Writes a corpus as text, uci, ldac, svmlight, mtx, npz or a corpus file.

    Parameters
    ----------
    corpus : Corpus
    path : str or path-like
        The file, which appears whole or not at all.
    format : str, optional
        By default what the name says: ".npz", ".mtx", "docword.*", ".ldac", ".svm", ".papilio-corpus", else text.
    vocabulary : str or path-like, optional
        Where the words go, one a line; by default `path` with ".vocab" behind it, for formats that
        keep them apart.

    Raises
    ------
    OSError
        The file cannot be written.
    ValueError
        A format that is not written, or words that would not come back.
    """
    path = os.fspath(path)
    if format is None:
        format = _core.corpus_format_of_name(path)
        format = "text" if format == "auto" else format
    if vocabulary is None:
        vocabulary = path + ".vocab" if _core.has_vocabulary_file(format) else ""
    _core.write_corpus(corpus, path, format, os.fspath(vocabulary))


def open_corpus(path: Path) -> Corpus:
    """Maps a corpus file ("papilio import" and `write_corpus` make them) and verifies it.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    Corpus
        Its arrays stay in the file, so that corpora larger than memory can be trained on.
    """
    return _core.open_corpus(os.fspath(path))
