"""Seed words: from topics and spellings to rows of topic, word number and weight."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from papilio import _core
from papilio._checked import whole

MOST_WEIGHT = _core.largest_seed_weight()
DEFAULT_WEIGHT = _core.default_seed_weight()


def seed_rows(seed_words: Any, seed_weight: Any, vocabulary: Sequence[str], caller: str) -> NDArray[np.int32]:
    """Rows of topic, word and weight, shape (n, 3). Words outside the vocabulary are a warning that names them."""
    weight = _weight(seed_weight, f"{caller}: seed_weight")
    rows: list[tuple[int, int, int]] = []
    if seed_words is not None:
        if not isinstance(seed_words, Mapping):
            raise TypeError(f"{caller}: seed_words is {seed_words!r}, expected a dict of topic to words")
        numbers = {word: number for number, word in enumerate(vocabulary)} if seed_words else {}
        unknown: list[str] = []
        for topic, words in seed_words.items():
            number = whole(topic, f"{caller}: a topic of seed_words", 0, 2**31 - 1)
            rows += _topic_rows(number, words, weight, numbers, unknown, caller)
        _warn(unknown, caller)
    return np.array(rows, np.int32).reshape(-1, 3)


def _topic_rows(
    topic: int, words: Any, weight: int, numbers: dict[str, int], unknown: list[str], caller: str
) -> list[tuple[int, int, int]]:
    where = f"{caller}: seed_words[{topic}]"
    if isinstance(words, (str, bytes)):
        raise TypeError(f"{where} is {words!r}, expected a list of words, or a dict of word to weight")
    weights = dict(words) if isinstance(words, Mapping) else dict.fromkeys(words, weight)
    rows = []
    for word, of_word in weights.items():
        if not isinstance(word, str):
            raise TypeError(f"{where} has {word!r}, expected words as str")
        if word in numbers:
            rows.append((topic, numbers[word], _weight(of_word, f"{where}[{word!r}]")))
        else:
            unknown.append(word)
    if not rows:
        raise ValueError(f"{where} has no word of the vocabulary, expected at least one")
    return rows


def _weight(value: Any, what: str) -> int:
    return whole(value, what, 1, MOST_WEIGHT)


def _warn(unknown: list[str], caller: str) -> None:
    if unknown:
        names = ", ".join(unknown[:10]) + (", ..." if len(unknown) > 10 else "")
        text = f"{caller}: {len(unknown)} of the seed words are not in the vocabulary and left out: {names}"
        warnings.warn(text, UserWarning, stacklevel=4)


def counts_with_seeds(model: Any) -> NDArray[np.float64]:
    """n_wk with the weights of seed words, transposed: shape (K, V)."""
    counts = np.array(model.n_wk.T, np.float64, order="C")
    topics, words, weights = model.seed_words.T
    counts[topics, words] += weights
    return counts


def spelled_seeds(model: Any) -> dict[int, dict[str, int]] | None:
    """The seed words of a model as parameters have them; None where there are none."""
    vocabulary = model.vocabulary if len(model.seed_words) else []
    seeds: dict[int, dict[str, int]] = {}
    for topic, word, weight in model.seed_words.tolist():
        seeds.setdefault(topic, {})[vocabulary[word]] = weight
    return seeds or None
