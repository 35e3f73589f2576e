"""How the objects of the compiled module show themselves: a line in a console, a small table in a notebook.

`install` gives its classes these methods once, when papilio is imported.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from papilio import _core

SHOWN_TOPICS, SHOWN_WORDS, SHOWN_DOCUMENTS = 20, 8, 5


def table(caption: str, header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table of HTML; every text is escaped."""

    def line(cells: Iterable[object], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    lines = [line(header, "th"), *(line(cells, "td") for cells in rows)]
    return f"<table><caption>{html.escape(caption)}</caption>\n" + "\n".join(lines) + "\n</table>"


def topics_table(model: _core.Model, caption: str) -> str:
    """The largest topics of a model as HTML."""
    order = np.argsort(-model.n_k, kind="stable")[:SHOWN_TOPICS].tolist()
    total = max(1, int(model.n_k.sum()))
    if len(order) < model.topics:
        caption += f", the {len(order)} largest"
    labels = model.labels
    named = any(labels)
    rows = [
        (
            k,
            *([labels[k]] if named else []),
            f"{model.n_k[k] / total:.1%}",
            " ".join(word for word, _ in model.top_words(k, SHOWN_WORDS)),
        )
        for k in order
    ]
    return table(caption, ("topic", *(["label"] if named else []), "share", "words"), rows)


def corpus_table(corpus: _core.Corpus) -> str:
    """The first documents of a corpus as HTML."""
    count = min(corpus.documents, SHOWN_DOCUMENTS)
    offsets = corpus.document_offsets
    vocabulary, names = corpus.vocabulary, corpus.document_names
    shown = 0 if corpus.is_part else SHOWN_WORDS  # the words of a part may be those of other documents
    rows = []
    for d in range(count):
        first, last = int(offsets[d]), int(offsets[d + 1])
        numbers = corpus.words[first : min(last, first + shown)].tolist() if shown else []
        words = " ".join(vocabulary[w] for w in numbers)
        rows.append((names[d] if names else d, last - first, words + (" ..." if last - first > shown else "")))
    caption = repr(corpus) + (f", the first {count}" if count < corpus.documents else "")
    return table(caption, ("document", "tokens", "words"), rows)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _result(self: _core.TrainResult) -> str:
    model, stopped = self.model, ", stopped" if self.stopped else ""
    parts = f"{_count(model.topics, 'topic')}, {_count(model.vocabulary_size, 'word')}, sweep {self.topics.sweep}"
    return f"TrainResult({parts}, {self.log_joint_per_token:.4f} nats per token{stopped})"


def _document_topics(self: _core.DocumentTopics) -> str:
    documents, topics = self.theta.shape
    known = f"{_count(self.known_tokens, 'known token')}, {self.unknown_tokens} unknown"
    return f"DocumentTopics({_count(documents, 'document')}, {_count(topics, 'topic')}, {known})"


def _progress(self: _core.Progress) -> str:
    value = self.log_joint_per_token
    known = "" if value is None else f", {value:.4f} nats per token"
    return f"Progress(sweep {self.sweep} of {self.sweeps}{known}, {self.seconds:.1f} s)"


def _report(self: _core.ReadReport) -> str:
    tokens = f"{self.tokens_kept} of {_count(self.tokens_read, 'token')} kept"
    return f"ReadReport({self.format or 'nothing read'}, {_count(self.documents, 'document')}, {tokens})"


def _left_out(self: _core.LeftOutWords) -> str:
    words = ("more than " if self.has_more_words else "") + _count(self.words, "word")
    examples = f": {', '.join(self.examples)}" if self.examples else ""
    return f"LeftOutWords({_count(self.tokens, 'token')} of {words}{examples})"


def _diagnostics(self: _core.TopicDiagnostics) -> str:
    return (
        f"TopicDiagnostics({_count(self.tokens, 'token')}, {_count(self.documents, 'document')}, "
        f"coherence {self.coherence:.4g}, exclusivity {self.exclusivity:.4g})"
    )


def _scored(self: _core.Completion | _core.LeftToRight) -> str:
    documents = self.documents if isinstance(self, _core.Completion) else len(self.log_likelihoods)
    counts = f"{_count(documents, 'document')}, {_count(self.tokens, 'token')}"
    return f"{type(self).__name__}(perplexity {self.perplexity:.6g}, {counts}, {self.unknown_tokens} unknown)"


# A line per class; Corpus and Model have one of their own.
_LINES: dict[type, Callable[[Any], str]] = {
    _core.TrainResult: _result,
    _core.DocumentTopics: _document_topics,
    _core.Progress: _progress,
    _core.ReadReport: _report,
    _core.LeftOutWords: _left_out,
    _core.TopicDiagnostics: _diagnostics,
    _core.Completion: _scored,
    _core.LeftToRight: _scored,
    _core.TopicStability: lambda self: f"TopicStability({_count(len(self.partner), 'topic')}, mean {self.mean:.4g})",
    _core.ChooseProgress: lambda self: (
        f"ChooseProgress(model {self.model} of {self.models}: {_count(self.topics, 'topic')}, seed {self.seed}, "
        f"sweep {self.training.sweep} of {self.training.sweeps})"
    ),
    _core.ChainState: lambda self: f"ChainState({_count(len(self.z), 'token')}, sweep {self.sweep})",
    _core.HeldOutScore: lambda self: f"HeldOutScore(sweep {self.sweep}, perplexity {self.completion.perplexity:.6g})",
    _core.Coherence: lambda self: f"Coherence({_count(len(self.topics), 'topic')}, mean {self.mean:.4g})",
}

_TABLES: dict[type, Callable[[Any], str]] = {
    _core.Model: lambda self: topics_table(self, repr(self)),
    _core.TrainResult: lambda self: topics_table(self.model, repr(self)),
    _core.Corpus: corpus_table,
}

# What to pickle in place of a result, which only a call of the library makes.
_KEPT: dict[type, str] = {
    _core.TrainResult: "pickle its model and its topics, which can be",
    _core.DocumentTopics: "pickle its theta, an array",
    _core.Coherence: "pickle its topics, an array, and its mean",
    _core.TopicStability: "pickle its similarity and partner, arrays",
    _core.ChooseProgress: "pickle the numbers that it has",
    _core.Completion: "pickle the numbers that it has, such as log_likelihood and tokens",
    _core.LeftToRight: "pickle its log_likelihoods, an array",
    _core.HeldOutScore: "pickle the numbers that it has, such as sweep and completion.perplexity",
    _core.TopicDiagnostics: "pickle the numbers that it has",
    _core.ReadReport: "pickle the numbers that it has",
    _core.LeftOutWords: "pickle the numbers that it has",
    _core.Progress: "pickle the numbers that it has",
}


def no_pickle(kind: type, instead: str) -> Callable[[Any], Any]:
    """A method that refuses to pickle, and says what can be pickled."""

    def __reduce__(self: object) -> Any:
        raise TypeError(f"papilio.{kind.__name__} cannot be pickled or copied; {instead}")

    return __reduce__


def install() -> None:
    """Gives the classes of the compiled module their methods."""
    for kind, line in _LINES.items():
        kind.__repr__ = line  # type: ignore[assignment, method-assign]
    for kind, shown in _TABLES.items():
        kind._repr_html_ = shown  # type: ignore[attr-defined]
    for kind, instead in _KEPT.items():
        kind.__reduce__ = no_pickle(kind, instead)  # type: ignore[assignment, method-assign]
