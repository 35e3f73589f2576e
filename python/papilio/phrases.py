"""Phrases: words that stand side by side and become one word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from papilio import _core
from papilio._checked import real, whole
from papilio._core import Corpus, Model
from papilio._keywords import suggests_options

__all__ = ["Phrase", "find_phrases", "join_phrases", "phrases_in_vocabulary"]


class Phrase(NamedTuple):
    """A phrase that `find_phrases` found."""

    words: str  # joined by the delimiter
    count: int  # how often its two parts stood side by side when it was found
    npmi: float  # their normalised pointwise mutual information then


@suggests_options
def find_phrases(
    corpus: Corpus, *, threshold: float = 0.5, min_count: int = 5, length: int = 3, delimiter: str = "_"
) -> list[Phrase]:
    """Find phrases among the tokens of a corpus.

    Two words that occur n_a and n_b times among n tokens, and n_ab times one after the other in a document, are a
    phrase if n_ab is at least `min_count` and their NPMI, ln(n_ab n / (n_a n_b)) / ln(n / n_ab), is at least
    `threshold` (Bouma 2009). What is found is joined and all is counted again, so that longer phrases are found. Where
    a corpus is made of texts, the option ``phrases="auto"`` does this and joins them; it also sees what stood between
    the words.

    Parameters
    ----------
    corpus : Corpus
        With its tokens in the order of the text.
    threshold : float, default 0.5
        Of the NPMI, -1 to 1.
    min_count : int, default 5
    length : int, default 3
        The most words in a phrase, 2 to 16.
    delimiter : str, default "_"
        What joins the words.

    Returns
    -------
    list of Phrase
        (words, count, npmi), by descending NPMI. The same on every machine.

    Raises
    ------
    ValueError
        An option out of range.

    Examples
    --------
    >>> import papilio
    >>> corpus = papilio.corpus_from_texts(["New York is far", "is New York big", "the far big is"])
    >>> [phrase.words for phrase in papilio.find_phrases(corpus, min_count=2, threshold=0.9)]
    ['new_york']
    """
    options = _core.PhraseOptions()
    _set_numbers(options, threshold, min_count, length, delimiter, "papilio.find_phrases: ")
    return [Phrase(*row) for row in _core.find_phrases(corpus, options)]


@suggests_options
def join_phrases(corpus: Corpus, phrases: Iterable[str], *, delimiter: str = "_") -> Corpus:
    """Join phrases in a corpus: from left to right, at each token the longest that begins there.

    Parameters
    ----------
    corpus : Corpus
    phrases : iterable of str
        Each of 2 to 16 words, "new york" or "new_york".
    delimiter : str, default "_"

    Returns
    -------
    Corpus
        Its words are numbered anew by first occurrence.

    Raises
    ------
    ValueError
        A phrase that is not 2 to 16 words, or a delimiter that is empty or has blanks.

    Examples
    --------
    >>> import papilio
    >>> corpus = papilio.corpus_from_texts(["New York is far"])
    >>> papilio.join_phrases(corpus, ["new york"]).vocabulary
    ['new_york', 'far']
    """
    listed = _list_of_phrases(phrases, "papilio.join_phrases: ")
    return _core.join_phrases(corpus, listed, _text(delimiter, "delimiter"))


@suggests_options
def phrases_in_vocabulary(vocabulary: Iterable[str], *, delimiter: str = "_") -> list[str]:
    """Return the words of a vocabulary that are words joined by the delimiter.

    Parameters
    ----------
    vocabulary : iterable of str
    delimiter : str, default "_"

    Returns
    -------
    list of str

    Examples
    --------
    >>> import papilio
    >>> papilio.phrases_in_vocabulary(["new_york", "far"])
    ['new_york']
    """
    return _core.phrases_in_vocabulary(
        _list_of_phrases(vocabulary, "papilio.phrases_in_vocabulary: "), _text(delimiter, "delimiter")
    )


def phrase_options(phrases: Any, threshold: Any, min_count: Any, length: Any, delimiter: Any) -> _core.PhraseOptions:
    """The options of phrases where text is read, as the library takes them."""
    options = _core.PhraseOptions()
    _set_numbers(options, threshold, min_count, length, delimiter, "papilio: phrase_")
    if isinstance(phrases, str):
        if phrases != "auto":
            raise ValueError(f'papilio: phrases is "{phrases}", expected "auto", phrases, a Model or a Corpus')
        options.find = True
    elif isinstance(phrases, (Model, Corpus)):
        options.phrases = _core.phrases_in_vocabulary(phrases.vocabulary, options.delimiter)
    else:
        options.phrases = _list_of_phrases(phrases, "papilio: ")
    return options


def _set_numbers(
    options: _core.PhraseOptions, threshold: Any, min_count: Any, length: Any, delimiter: Any, prefix: str
) -> None:
    options.threshold = real(threshold, prefix + "threshold", "a number from -1 to 1")
    options.min_count = whole(min_count, prefix + "min_count", 1, 2**63 - 1)
    options.length = whole(length, prefix + "length", 2, 16)
    options.delimiter = _text(delimiter, prefix + "delimiter")


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{what} is {value!r}, expected a str")
    return value


def _list_of_phrases(phrases: Any, prefix: str) -> list[str]:
    if isinstance(phrases, (str, bytes)):
        raise TypeError(f"{prefix}phrases is one {type(phrases).__name__}; put it in a list")
    listed = list(phrases)
    for number, phrase in enumerate(listed):
        if not isinstance(phrase, str):
            raise TypeError(f"{prefix}phrase {number} is {phrase!r}, expected a str")
    return listed
