"""Corpora in files."""

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
    """Return about 500 function words of English, sorted.

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
    """The options of texts as the library takes them."""
    options = _core.TextOptions()
    options.min_token_length = min_token_length
    if isinstance(stop_words, str):
        if stop_words != "english":
            raise ValueError(f'papilio: stop_words is "{stop_words}", expected "english" or an iterable of words')
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
    """Read a corpus in any supported format, plain or compressed by gzip or zstd.

    Parameters
    ----------
    path : str or path-like
        A file or a folder; "-" is standard input.
    format : str, default "auto"
        "auto": from the name and the first bytes. Else "text", "uci", "ldac", "svmlight", "mtx", "npz", "low",
        "mallet", "csv", "tsv", "jsonl", "folder" or "corpus" (docs/corpus_formats.md).
    vocabulary : str or path-like, optional
        A file with one word per line, for formats that number words. By default a file next to the corpus.
    first_id : {0, 1}, optional
        For ldac and svmlight: the number of the first word.
    transposed : bool, default False
        For mtx and npz: rows are words, columns are documents.
    text_column, id_column : str, optional
        For csv, tsv and jsonl: the columns with the text and with the names of the documents.
    header, quotes : bool, default True
        For csv and tsv: whether the first line has column names, and whether fields may be quoted.
    min_token_length : int, default 3
        Leave out words of text with fewer code points.
    stop_words : "english" or iterable of str
        Words to leave out.
    min_df : int, default 1
        Leave out words that occur in fewer documents.
    max_df : float, default 1.0
        Leave out words that occur in more than this share of the documents.
    max_vocabulary : int, default 0
        Keep this many of the most frequent words; 0: all.
    threads : int, default 0
        0: all processors. Never changes the corpus.
    report : ReadReport, optional
        Receives counts of what was read and left out.

    Returns
    -------
    Corpus
        The same on every machine.

    Raises
    ------
    OSError
        The file cannot be read.
    FormatError
        The content does not match the format; with line and column.
    ValueError
        An option out of range, or one that does not fit the format.

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


def write_corpus(
    corpus: Corpus, path: Path, *, format: CorpusFormat | None = None, vocabulary: Path | None = None
) -> None:
    """Write a corpus as text, uci, ldac, svmlight, mtx, npz or a corpus file.

    Each file appears whole or not at all.

    Parameters
    ----------
    corpus : Corpus
    path : str or path-like
    format : str, optional
        By default from the name: ".npz", ".mtx", "docword.*", ".ldac", ".svm", ".papilio-corpus"; else text.
    vocabulary : str or path-like, optional
        Where to write the words, one per line, for formats that number words. By default `path` followed by ".vocab".

    Raises
    ------
    OSError
        A file cannot be written.
    ValueError
        A format that cannot be written, or words that could not be read back.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import papilio
    >>> corpus = papilio.corpus_from_texts(["cats purr", "dogs bark"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "corpus.npz")
    ...     papilio.write_corpus(corpus, path)
    ...     papilio.read_corpus(path).vocabulary
    ['cats', 'purr', 'dogs', 'bark']
    """
    path = os.fspath(path)
    if format is None:
        format = _core.corpus_format_of_name(path)
        format = "text" if format == "auto" else format
    if vocabulary is None:
        vocabulary = path + ".vocab" if _core.has_vocabulary_file(format) else ""
    _core.write_corpus(corpus, path, format, os.fspath(vocabulary))


def open_corpus(path: Path) -> Corpus:
    """Map a corpus file into memory and verify it.

    Parameters
    ----------
    path : str or path-like
        What `write_corpus` (format "corpus") or the command ``papilio import`` wrote.

    Returns
    -------
    Corpus
        Its arrays stay in the file, so a corpus may be larger than memory.

    Raises
    ------
    OSError
        The file cannot be read.
    FormatError
        The file is not a corpus file, or is damaged.
    """
    return _core.open_corpus(os.fspath(path))
