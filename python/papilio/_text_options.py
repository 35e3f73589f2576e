"""Options of texts, checked before the library takes them, and warnings about what was read."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterable

from papilio import _core
from papilio._checked import real, threads as checked_threads, whole
from papilio._core import Corpus, ReadReport
from papilio._options import WordRule
from papilio._warnings import caller_level


def words_of_language(language: str) -> list[str]:
    """Its stop words; ValueError for one that papilio does not know."""
    known = _core.stop_word_languages()
    if language not in known:
        near = difflib.get_close_matches(language, known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(
            f"papilio: stop_words is {language!r}, expected an iterable of words or one of {', '.join(known)}{hint}"
        )
    return _core.stop_words(language)


def text_options(
    min_token_length: int | None,
    words: WordRule,
    token_pattern: str | None,
    stop_words: str | Iterable[str],
    min_df: int,
    max_df: float,
    max_vocabulary: int,
    threads: int,
) -> _core.TextOptions:
    """The options of texts as the library takes them."""
    options = _core.TextOptions()
    if min_token_length is not None:
        options.min_token_length = whole(min_token_length, "papilio: min_token_length", 1, 2**31 - 1)
    options.words = words
    options.token_pattern = token_pattern or ""
    if isinstance(stop_words, str):
        stop_words = [word for language in stop_words.split(",") for word in words_of_language(language)]
    options.stop_words = _words(stop_words, "stop_words")
    documents = "a number of documents, 0 or more; max_df takes a share of them"
    options.min_df = whole(min_df, "papilio: min_df", 0, 2**63 - 1, documents)
    options.max_df = real(max_df, "papilio: max_df", "a share of the documents, 0 < max_df <= 1")
    options.max_vocabulary = whole(
        max_vocabulary, "papilio: max_vocabulary", 0, 2**63 - 1, "a number of words, or 0 for all"
    )
    options.threads = checked_threads(threads)
    return options


def warn_of_stop_words(corpus: Corpus, options: _core.TextOptions, caller: str) -> None:
    """Warns where no stop words were left out and most of the frequent words are some language's."""
    found = None if options.stop_words else _core.find_frequent_stop_words(corpus, options.threads)
    if found is not None:
        language, among, words = found
        warnings.warn(
            f"{caller}: {len(words)} of the {among} most frequent words are stop words ({', '.join(words[:3])}, ...); "
            f'stop_words="{language}" leaves such words out',
            UserWarning,
            stacklevel=caller_level(),
        )


def warn_of_unspaced(report: ReadReport, caller: str) -> None:
    """Warns where text seems to have no spaces between its words."""
    if report.seems_unspaced:
        warnings.warn(
            f"{caller}: {report.unspaced_tokens} of {report.tokens_read} words are long runs of Chinese, Japanese, Thai "
            'or similar characters; words="icu" splits text without spaces into words',
            UserWarning,
            stacklevel=caller_level(),
        )


def _words(words: Iterable[str], what: str) -> list[str]:
    listed = list(words)
    for number, word in enumerate(listed):
        if not isinstance(word, str):
            raise TypeError(f"papilio: {what}: word {number} is {word!r}, expected a str")
    return listed
