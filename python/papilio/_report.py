"""The page that shows a model, as the command ``papilio report`` writes it, and the documents typical of each topic."""

from __future__ import annotations

import html
import os
import pathlib
import tempfile
import webbrowser
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from papilio import _core
from papilio._checked import reals, threads as checked_threads, whole
from papilio._core import Corpus
from papilio._inference import MOST, checked_seed, corpus_of, model_of
from papilio._keywords import suggests_options
from papilio._options import ModelLike
from papilio._topic_tables import as_table, typical_rows
from papilio.readers import Path

__all__ = ["Report", "report", "typical_documents"]

HEIGHT = 760  # of the frame in a notebook, in pixels


class Report:
    """A page of topics: HTML that needs no network and no other file. `papilio.report` and `LDA.report` make it.

    A notebook shows it in a frame of its own, which can run the page's script and nothing else: it has neither the
    origin nor the storage of the notebook (``sandbox``), and the page's policy blocks all requests.

    Attributes
    ----------
    html : str
        The page.

    Examples
    --------
    >>> import papilio
    >>> corpus = papilio.generate_corpus(documents=200, vocabulary=100, topics=4)
    >>> page = papilio.train(corpus, topics=4, sweeps=20).model.report(corpus, title="Made up")
    >>> page.html.startswith("<!DOCTYPE html>")
    True
    """

    def __init__(self, html: str, title: str) -> None:
        self.html = html
        self._title = title

    def __repr__(self) -> str:
        return f"Report({self._title!r}, {len(self.html.encode()) / 1e6:.2f} MB; save(path) writes it, open() shows it)"

    def _repr_html_(self) -> str:
        page, title = html.escape(self.html), html.escape(self._title)
        return (
            f'<iframe title="{title}" sandbox="allow-scripts" srcdoc="{page}" '
            f'style="width: 100%; height: {HEIGHT}px; border: 0"></iframe>'
        )

    def save(self, path: Path) -> None:
        """Write the page, in UTF-8. A file of that name is replaced.

        Parameters
        ----------
        path : str or path-like

        Raises
        ------
        OSError
            The file cannot be written.
        """
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(self.html)

    def open(self) -> str:
        """Show the page in a browser, from a temporary file, which stays.

        Returns
        -------
        str
            The path of the file.
        """
        handle, path = tempfile.mkstemp(prefix="papilio-", suffix=".html")
        os.close(handle)
        self.save(path)
        webbrowser.open(pathlib.Path(path).as_uri())
        return path


@suggests_options
def report(
    model: ModelLike,
    corpus: Corpus | None = None,
    *,
    title: str = "Topics",
    words: int = 30,
    documents: int = 5,
    excerpt: int = 320,
    texts: Sequence[str] | None = None,
    groups: Iterable[str] | None = None,
    group_name: str = "",
    facts: Mapping[str, str] | None = None,
    command: str = "",
    likelihood: ArrayLike | None = None,
    seed: int = 0,
    threads: int = 0,
) -> Report:
    """Make a page that shows a model: a map of its topics, their words and typical documents.

    Parameters
    ----------
    model : Model or LDA
    corpus : Corpus, optional
        Documents to show, usually those of the training. Without it the page shows topics and words.
    title : str, default "Topics"
    words : int, default 30
        Words per topic; at least 1.
    documents : int, default 5
        Typical documents per topic; 0 or more.
    excerpt : int, default 320
        Characters shown of a document's text; at least 1.
    texts : sequence of str, optional
        The text of each document, to show how it begins. Without it the page shows a document's most frequent words.
        Only the texts that are shown are read.
    groups : iterable of str, optional
        The group or date (YYYY, YYYY-MM or YYYY-MM-DD) of each document; "" for none. The page shows topics by group,
        or over time where all are dates.
    group_name : str, optional
        What the groups are: "year", "newsgroup".
    facts : dict of str to str, optional
        More lines for the page's table of settings, such as hashes of files.
    command : str, optional
        What to type to make the model again.
    likelihood : array-like of shape (n, 2), optional
        Sweeps, and the log-likelihood per token after each, such as `LDA.log_joint_curve_`.
    seed : int, default 0
        Of the inference on the documents; 0 <= seed < 2^64.
    threads : int, default 0
        0: all processors. Never changes the page.

    Returns
    -------
    Report
        Shown by notebooks; `save` writes it, `open` shows it in a browser.

    Raises
    ------
    ValueError
        An option out of range; texts or groups that are not one per document.
    TypeError
        Texts or groups that are no str.

    Notes
    -----
    The same arguments give the same bytes, on every machine and for any number of threads; they are those of the
    command ``papilio report``, which fills `facts`, `command` and `likelihood` from files. Whatever words, names and
    texts hold, it never becomes markup or script (docs/report.md).

    Examples
    --------
    >>> import papilio
    >>> corpus = papilio.generate_corpus(documents=200, vocabulary=100, topics=4)
    >>> model = papilio.train(corpus, topics=4, sweeps=20).model
    >>> page = papilio.report(model, corpus, title="Made up", words=10)
    """
    caller = "papilio.report"
    for name, value in (("title", title), ("group_name", group_name), ("command", command)):
        if not isinstance(value, str):
            raise TypeError(f"{caller}: {name} is {value!r}, expected a str")
    if corpus is None and (texts is not None or groups is not None):
        raise ValueError(f"{caller}: texts and groups are those of documents, so they need the corpus")
    page = _core.report_page(
        model_of(model, caller),
        None if corpus is None else corpus_of(corpus, caller),
        None if texts is None else _reader(texts, corpus_of(corpus, caller), caller),
        _list_of_groups(groups, caller),
        group_name,
        title,
        whole(words, f"{caller}: words", 1, MOST),
        whole(documents, f"{caller}: documents", 0, MOST),
        whole(excerpt, f"{caller}: excerpt", 1, MOST),
        checked_seed(seed, caller),
        checked_threads(threads, caller),
        [(str(name), str(value)) for name, value in (facts or {}).items()],
        command,
        _points(likelihood, caller),
    )
    return Report(page, title)


@suggests_options
def typical_documents(
    model: ModelLike,
    corpus: Corpus,
    *,
    documents: int = 5,
    excerpt: int = 320,
    texts: Sequence[str] | None = None,
    seed: int = 0,
    threads: int = 0,
) -> Any:
    """Make a table of the documents with the largest share of each topic, as ``papilio topics --documents`` shows them.

    They are those of the page of `papilio.report`. The topics of the documents are inferred;
    `LDA.representative_documents` takes those of the training documents from the chain.

    Parameters
    ----------
    model : Model or LDA
    corpus : Corpus
        The documents, usually those of the training.
    documents : int, default 5
        Documents per topic; 0 or more.
    excerpt : int, default 320
        Characters of a document's text; at least 1.
    texts : sequence of str, optional
        The text of each document, of which those in the table are read. Without it the table has a document's most
        frequent words.
    seed : int, default 0
        Of the inference; 0 <= seed < 2^64.
    threads : int, default 0
        0: all processors. Never changes the table.

    Returns
    -------
    pandas.DataFrame, or list of dict if pandas is not installed
        topic, label (if any topic has one), rank (from 1), document (its number), name (if documents have names), share
        (of its tokens that the topic has), text. Documents without a word that the model knows are left out.

    Raises
    ------
    ValueError
        An option out of range; texts that are not one per document.
    TypeError
        A text that is no str.

    Examples
    --------
    >>> import papilio
    >>> texts = ["cats purr", "dogs bark", "cats cats", "dogs dogs bark"]
    >>> lda = papilio.LDA(n_components=2, max_iter=50, random_state=1).fit(texts)
    >>> table = papilio.typical_documents(lda, papilio.corpus_from_texts(texts), documents=1, texts=texts)
    """
    caller = "papilio.typical_documents"
    model, corpus = model_of(model, caller), corpus_of(corpus, caller)
    found = _core.typical_documents(
        model,
        corpus,
        None if texts is None else _reader(texts, corpus, caller),
        whole(documents, f"{caller}: documents", 0, MOST),
        whole(excerpt, f"{caller}: excerpt", 1, MOST),
        checked_seed(seed, caller),
        checked_threads(threads, caller),
    )
    return as_table(typical_rows(found, model.labels, corpus.document_names))


def _reader(texts: Any, corpus: Corpus, caller: str) -> Callable[[list[int]], list[str]]:
    """Gives the texts of documents by number. ValueError unless there is one per document."""
    if len(texts) != corpus.documents:
        raise ValueError(f"{caller}: there are {len(texts)} texts for {corpus.documents} documents")
    return lambda numbers: [_text(texts, number, caller) for number in numbers]


def _text(texts: Any, number: int, caller: str) -> str:
    """A text; of a pandas Series by its place."""
    text = texts.iloc[number] if hasattr(texts, "iloc") else texts[number]
    if not isinstance(text, str):
        raise TypeError(f"{caller}: text {number} is {text!r}, expected a str")
    return str(text)


def _list_of_groups(groups: Any, caller: str) -> list[str]:
    if isinstance(groups, (str, bytes)):
        raise TypeError(f"{caller}: groups is one {type(groups).__name__}, expected a str per document")
    listed = [] if groups is None else list(groups)
    for number, group in enumerate(listed):
        if not isinstance(group, str):
            raise TypeError(f"{caller}: group {number} is {group!r}, expected a str")
    return listed


def _points(likelihood: Any, caller: str) -> list[tuple[int, float]]:
    if likelihood is None or np.size(likelihood) == 0:
        return []
    values = reals(likelihood, f"{caller}: likelihood", 2)
    if values.shape[1] != 2:
        raise ValueError(f"{caller}: likelihood has {values.shape[1]} columns, expected 2: sweep and likelihood")
    return [(int(sweep), value) for sweep, value in values.tolist()]
