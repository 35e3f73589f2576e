"""Corpora in files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Union

from papilio import _core
from papilio._checked import file_name, flag, threads as checked_threads, whole
from papilio._core import Corpus, LeftOutWords, ReadReport
from papilio._keywords import suggests_options
from papilio._options import CorpusFormat, Phrases, WordRule
from papilio._over_ranks import over_ranks
from papilio._ranks import core_ranks, require_file
from papilio._text_options import text_options, warn_of_stop_words, warn_of_unspaced, words_of_language
from papilio.phrases import phrase_options

if TYPE_CHECKING:
    from papilio.distributed import Ranks

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]

__all__ = [
    "LeftOutWords",
    "ReadReport",
    "english_stop_words",
    "icu_version",
    "open_corpus",
    "read_corpus",
    "stop_word_languages",
    "stop_words",
    "write_corpus",
]


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


def stop_word_languages() -> list[str]:
    """Return the languages whose stop words papilio knows, by their English names, sorted.

    Returns
    -------
    list of str

    Examples
    --------
    >>> import papilio
    >>> papilio.stop_word_languages()[:4]
    ['catalan', 'czech', 'danish', 'dutch']
    """
    return _core.stop_word_languages()


@suggests_options
def stop_words(language: str) -> list[str]:
    """Return the function words of a language: articles, pronouns, prepositions, conjunctions, auxiliaries, particles.

    Parameters
    ----------
    language : str
        One of `stop_word_languages`.

    Returns
    -------
    list of str
        350 to 900 words in all their forms, case-folded as text is, in NFC, sorted.

    Raises
    ------
    ValueError
        For any other language.

    Examples
    --------
    >>> import papilio
    >>> words = papilio.stop_words("german")
    >>> "und" in words, "dass" in words, "haus" in words
    (True, True, False)
    """
    return words_of_language(language)


def icu_version() -> str:
    """Return the version of ICU, on which the words of ``words="icu"`` depend.

    Returns
    -------
    str
        Such as "72.1"; empty where papilio was built without ICU, and ``words="icu"`` is an error.

    Examples
    --------
    >>> import papilio
    >>> version = papilio.icu_version()
    """
    return _core.icu_version()


@over_ranks
@suggests_options
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
    ranks: Ranks | None = None,
) -> Corpus:
    """Read a corpus in any supported format, plain or compressed by gzip or zstd.

    Parameters
    ----------
    path : str, bytes or path-like
        A file or a folder; "-" is standard input.
    format : str, default "auto"
        "auto": from the name and the first bytes. Else "text", "uci", "ldac", "svmlight", "mtx", "npz", "low",
        "mallet", "csv", "tsv", "jsonl", "json", "folder" or "corpus" (docs/corpus_formats.md).
    vocabulary : str or path-like, optional
        A file with one word per line, for formats that number words. By default a file next to the corpus.
    first_id : {0, 1}, optional
        For ldac and svmlight: the number of the first word.
    transposed : bool, default False
        For mtx and npz: rows are words, columns are documents.
    text_column, id_column : str, optional
        For csv, tsv, jsonl and json: the columns with the text and with the names of the documents.
    header, quotes : bool, default True
        For csv and tsv: whether the first line has column names, and whether fields may be quoted.
    min_token_length : int, optional
        Leave out words of text with fewer characters (code points). By default 3; 2 for words with a digit; 1 with
        `token_pattern` and ``words="icu"``.
    words : {"letters", "mixed", "numbers", "icu"}
        What a word of text is. "letters": a run of letters. "mixed": of letters and digits, such as "gpt-4". "numbers":
        numbers too. "icu": what lies between ICU's word boundaries, for text without spaces (Chinese, Japanese, Thai);
        such a corpus depends on `icu_version`, and wheels have no ICU.
    token_pattern : str, optional
        Replaces `words`: a regular expression of RE2. Each match in a line of text is a word, or its first group if
        there is one. The line is case-folded before. ``\\w`` and ``\\b`` are ASCII in RE2; ``\\pL`` is any letter.
    stop_words : str or iterable of str
        Words to leave out: themselves, or the name of a language (`stop_word_languages`), or several names with commas
        between them, "english,german". If none are given and most of the frequent words are stop words of a
        language, a UserWarning names it.
    min_df : int, default 1
        Leave out words that occur in fewer documents.
    max_df : float, default 1.0
        Leave out words that occur in more than this share of the documents.
    max_vocabulary : int, default 0
        Keep this many of the most frequent words; 0: all.
    phrases : "auto", iterable of str, Model or Corpus
        Words of text to join: "auto" finds phrases, as `find_phrases` does; an iterable lists them ("new york"); a
        model or a corpus gives the phrases among its words, for new text (docs/phrases.md). Not for matrices.
    phrase_threshold, phrase_min_count, phrase_length
        For "auto": `threshold`, `min_count` and `length` of `find_phrases`.
    phrase_delimiter : str, default "_"
        What stands between the words of a phrase.
    threads : int, default 0
        0: all processors. Never changes the corpus.
    report : ReadReport, optional
        Receives counts of what was read and left out.
    ranks : Ranks, optional
        The processes that train together (see `train`), all of which call this with the same options. Each reads its
        share of a corpus file and of uncompressed text, JSON lines and UCI files, and holds the words of its own
        documents only (docs/distributed.md). `train`, `infer` and everything that takes `ranks` accept this corpus;
        functions that need the words of all documents raise an error (`Corpus.is_part`). Only rank 0 has a report of
        the words left out.

    Returns
    -------
    Corpus
        The same on every machine.

    Raises
    ------
    OSError
        The file cannot be read.
    FormatError
        The content does not match the format; with line and column. Over ranks from the one that reads it.
    ValueError
        An option out of range, or one that does not fit the format; ranks whose files are not the same.
    RankError
        Another rank has failed.

    Warns
    -----
    UserWarning
        The text looks as if it had no spaces, but `words` is not "icu".

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
    options.format = format
    options.vocabulary = b"" if vocabulary is None else file_name(vocabulary)
    options.first_id = None if first_id is None else whole(first_id, "papilio.read_corpus: first_id", 0, 1, "0 or 1")
    options.transposed = flag(transposed, "papilio.read_corpus: transposed")
    options.text_column = text_column or ""
    options.id_column = id_column or ""
    options.header = flag(header, "papilio.read_corpus: header")
    options.quotes = flag(quotes, "papilio.read_corpus: quotes")
    text = text_options(
        min_token_length, words, token_pattern, stop_words, min_df, max_df, max_vocabulary, threads
    )
    text.phrases = phrase_options(phrases, phrase_threshold, phrase_min_count, phrase_length, phrase_delimiter)
    options.text = text
    found = ReadReport() if report is None else report
    own = core_ranks(ranks, "papilio.read_corpus")
    if own is not None:
        require_file(file_name(path), options, own, ranks)
    corpus = _read(file_name(path), options, found, ranks)
    warn_of_unspaced(found, "papilio.read_corpus")
    warn_of_stop_words(corpus, text, "papilio.read_corpus")
    return corpus


@over_ranks  # a meeting of its own: what the library finds wrong before it exchanges anything is told, too
def _read(
    path: bytes, options: _core.CorpusOptions, report: ReadReport, ranks: Ranks | None
) -> Corpus:
    return _core.read_corpus(path, options, report, core_ranks(ranks, "papilio.read_corpus"))


@suggests_options
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
        By default from the name: ".npz", ".mtx", "docword.*", ".ldac", ".svm", ".papilio-corpus"; else text. A name of
        a format that is only read, such as ".csv" or ".json", is an error.
    vocabulary : str or path-like, optional
        Where to write the words, one per line, for formats that number words. By default `path` followed by ".vocab".

    Raises
    ------
    OSError
        A file cannot be written.
    ValueError
        A format that is only read, or words that could not be read back.

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
    name = file_name(path)
    chosen = _core.corpus_format_of_name(name) if format is None else format
    if format is None and chosen == "auto":
        chosen = "text"
    if format is None and not _core.is_written(chosen):
        raise ValueError(
            f"papilio.write_corpus: the name {os.fsdecode(name)!r} is that of a {chosen} file, which is only read; give "
            'format="text", or a name with another ending'
        )
    if vocabulary is None:
        words = name + b".vocab" if _core.has_vocabulary_file(chosen) else b""
    else:
        words = file_name(vocabulary)
    _core.write_corpus(corpus, name, chosen, words)


@over_ranks
@suggests_options
def open_corpus(path: Path, *, threads: int = 0, ranks: Ranks | None = None) -> Corpus:
    """Map a corpus file into memory and verify it.

    Parameters
    ----------
    path : str or path-like
        What `write_corpus` (format "corpus") or the command ``papilio import`` wrote.
    threads : int, default 0
        CPU threads; 0: all processors.
    ranks : Ranks, optional
        The processes that train together (see `train`), all of which call this: each verifies its own documents, and
        rank 0 all. Then `train`, `save_checkpoint` and `load_checkpoint` with the same ranks read no others. Each
        process may have a copy of the file.

    Returns
    -------
    Corpus
        Its arrays stay in the file, so a corpus may be larger than memory.

    Raises
    ------
    OSError
        The file cannot be read.
    FormatError
        The file is not a corpus file, or is damaged in what this rank reads.
    ValueError
        The ranks' files are not the same corpus.
    RankError
        Another rank has failed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import papilio
    >>> corpus = papilio.corpus_from_tokens([["cats", "purr"], ["dogs"]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "pets.papilio-corpus")
    ...     papilio.write_corpus(corpus, path)
    ...     papilio.open_corpus(path).tokens
    3
    """
    return _core.open_corpus(file_name(path), core_ranks(ranks, "papilio.open_corpus"), checked_threads(threads))
