"""Plots of topic models with matplotlib, which is imported when a function is called.

Every function draws on the given axes, or on new ones, and returns them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from papilio._checked import plain
from papilio._core import Model
from papilio._keywords import suggests_options

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

    from papilio._lda import LDA

__all__ = ["choose_topics", "document_topics", "likelihood", "topic_map", "topic_words"]


def _new_axes(ax, figsize):
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=figsize, layout="constrained")[1]


def _model(lda):
    return lda if isinstance(lda, Model) else lda.model_


def _topics(model, topics):
    """The given topics; by default all, those with the most tokens first."""
    if topics is None:
        return np.argsort(-model.n_k, kind="stable").tolist()
    for k in topics:
        if not 0 <= k < model.topics:
            raise ValueError(f"papilio.plot: topic {k} is out of range, expected 0 to {model.topics - 1}")
    return list(topics)


@suggests_options
def topic_words(
    lda: LDA | Model,
    topics: Iterable[int] | None = None,
    *,
    top_n: int = 10,
    columns: int = 4,
    figure: Figure | None = None,
) -> list[Axes]:
    """Plot the most probable words of topics as bars, one panel per topic.

    Parameters
    ----------
    lda : papilio.LDA or papilio.Model
    topics : iterable of int, optional
        By default the eight topics with the most tokens.
    top_n : int, default 10
        Words per topic.
    columns : int, default 4
        Panels per row.
    figure : matplotlib.figure.Figure, optional
        By default a new one.

    Returns
    -------
    list of matplotlib.axes.Axes
        One per topic, with the most probable word at the top.

    Raises
    ------
    ValueError
        A topic out of range.
    """
    model = _model(lda)
    chosen = _topics(model, None)[:8] if topics is None else _topics(model, topics)
    columns = min(columns, len(chosen))
    rows = -(-len(chosen) // columns)
    if figure is None:
        import matplotlib.pyplot as plt

        figure = plt.figure(figsize=(2.6 * columns, 0.6 + 0.2 * top_n * rows), layout="constrained")
    axes = []
    for place, k in enumerate(chosen, 1):
        ax = figure.add_subplot(rows, columns, place)
        words, shares = zip(*model.top_words(k, top_n))
        places = range(len(words))
        ax.barh(places, shares)
        ax.set_yticks(places, words)
        ax.invert_yaxis()
        ax.set_title(model.labels[k] or f"topic {k}", fontsize="medium")
        ax.tick_params(labelsize="small")
        axes.append(ax)
    return axes


class _Measured(Protocol):
    """A `papilio.ChooseResult`, as far as it is plotted."""

    rows: Any
    runs: Any


@suggests_options
def choose_topics(result: _Measured, *, figure: Figure | None = None) -> list[Axes]:
    """Plot the measures of models over their number of topics, one panel per measure.

    Parameters
    ----------
    result : papilio.ChooseResult
        Of `papilio.choose_topics`.
    figure : matplotlib.figure.Figure, optional
        By default a new one.

    Returns
    -------
    list of matplotlib.axes.Axes
        Perplexity, coherence, diversity and, with several seeds, stability: a line through the means, and a ring for
        each model.

    Raises
    ------
    ValueError
        A result without rows.
    """
    if not result.rows:
        raise ValueError("papilio.plot.choose_topics: the result has no rows")
    names = {"perplexity": "held-out perplexity", "coherence": "coherence", "diversity": "diversity"}
    if any(row.seeds > 1 for row in result.rows):
        names["stability"] = "stability"
    if figure is None:
        import matplotlib.pyplot as plt

        figure = plt.figure(figsize=(8, 6), layout="constrained")
    axes = []
    topics = [row.topics for row in result.rows]
    for place, (name, title) in enumerate(names.items(), 1):
        ax = figure.add_subplot(2, 2, place)
        ax.plot(topics, [getattr(row, name) for row in result.rows], marker="o")
        if name != "stability" and len(result.runs) > len(topics):
            x, y = [run.topics for run in result.runs], [getattr(run, name) for run in result.runs]
            ax.scatter(x, y, s=16, facecolors="none", edgecolors="C0", alpha=0.6)
        ax.set_xscale("log")
        ax.set_xticks(topics, [str(k) for k in topics])
        ax.minorticks_off()
        ax.set_title(title, fontsize="medium")
        ax.set_xlabel("topics")
        axes.append(ax)
    return axes


@suggests_options
def likelihood(lda: LDA, *, ax: Axes | None = None, label: str | None = None) -> Axes:
    """Plot the log-likelihood of the chain by sweep.

    Parameters
    ----------
    lda : papilio.LDA
        Its `log_joint_curve_`: one point every `evaluate_every` sweeps.
    ax : matplotlib.axes.Axes, optional
    label : str, optional
        For a legend.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        A model from a file, which has no curve.
    """
    curve = lda.log_joint_curve_
    if not len(curve):
        raise ValueError("papilio.plot.likelihood: this model has no curve")
    ax = _new_axes(ax, (6, 3.5))
    ax.plot(curve[:, 0], curve[:, 1], marker=".", label=label)
    ax.set_xlabel("sweep")
    ax.set_ylabel("log p(w, z), nats per token")
    return ax


def topic_distances(model: Model) -> np.ndarray:
    """Compute the Jensen-Shannon distances between the word distributions of topics.

    Parameters
    ----------
    model : papilio.Model

    Returns
    -------
    array of shape (K, K)
        Square roots of the divergence in bits: 0 for equal topics, 1 for topics that share no word.
    """
    phi = model.phi()
    entropy = -(phi * np.log2(phi)).sum(axis=1)
    distances = np.zeros((model.topics, model.topics))
    for k in range(model.topics):
        mean = (phi[k] + phi[k + 1 :]) / 2
        divergence = -(mean * np.log2(mean)).sum(axis=1) - (entropy[k] + entropy[k + 1 :]) / 2
        distances[k, k + 1 :] = distances[k + 1 :, k] = np.sqrt(np.clip(divergence, 0, 1))
    return distances


def topic_positions(model: Model) -> np.ndarray:
    """Place topics in the plane by classical scaling of their distances.

    Parameters
    ----------
    model : papilio.Model

    Returns
    -------
    array of shape (K, 2)
        Centred. The coordinate of the largest magnitude on each axis is positive.
    """
    squares = topic_distances(model) ** 2
    gram = -(squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()) / 2
    values, vectors = np.linalg.eigh(gram)
    order = np.argsort(-values)[:2]
    positions = np.zeros((model.topics, 2))
    found = vectors[:, order] * np.sqrt(np.clip(values[order], 0, None))
    found *= np.where(found[np.abs(found).argmax(axis=0), np.arange(found.shape[1])] < 0, -1.0, 1.0)
    positions[:, : found.shape[1]] = found
    return positions


@suggests_options
def topic_map(lda: LDA | Model, *, top_n: int = 2, ax: Axes | None = None) -> Axes:
    """Plot topics as circles: close together if their words are similar, with areas by their share of all tokens.

    Labels never overlap: the largest topics are labelled first, beside their circle where it is taken. Where there is
    no place left, a topic has its number only, and then no label at all. Up to ten topics always have one.

    Parameters
    ----------
    lda : papilio.LDA or papilio.Model
    top_n : int, default 2
        Words to write at each topic; 0: only its number.
    ax : matplotlib.axes.Axes, optional
        By default new ones, 6 to 12 inches wide by the number of topics.

    Returns
    -------
    matplotlib.axes.Axes
    """
    model = _model(lda)
    positions = topic_positions(model)
    share = model.n_k / max(1, model.n_k.sum())
    inches = min(12.0, max(6.0, 4 + model.topics**0.5))
    ax = _new_axes(ax, (inches, inches))
    ax.scatter(positions[:, 0], positions[:, 1], s=4000 * (inches / 6) ** 2 * share, alpha=0.4, linewidths=0)
    ax.margins(0.15)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xticks([])
    ax.set_yticks([])
    _label_topics(ax, model, positions, top_n)
    return ax


_MOST_LABELLED = 200  # of the topics on a map, the largest


def _label_topics(ax: Axes, model: Model, positions: np.ndarray, top_n: int) -> None:
    """Writes topics on a map, the largest first: each label in the nearest place that is free."""
    ax.figure.canvas.figure.draw_without_rendering()  # or the axes do not have their size yet
    frame, points = ax.get_window_extent(), 72 / ax.figure.dpi
    probe = ax.text(0, 0, "", fontsize="small")
    taken: list[tuple[float, float, float, float]] = []
    labels = {}
    for k in _topics(model, None)[:_MOST_LABELLED]:
        words = model.labels[k] or (" ".join(word for word, _ in model.top_words(k, top_n)) if top_n else "")
        x, y = ax.transData.transform(positions[k])
        for label in (f"{k} {words}".strip(), str(k)):
            probe.set_text(label)
            extent = probe.get_window_extent()
            box = _free_place((x, y, extent.width, extent.height), taken, frame)
            if box is not None:
                taken.append(box)
                labels[k] = label, (box[1] - y) * points
                break
        else:
            if model.topics <= 10:
                labels[k] = f"{k} {words}".strip(), 0.0
    probe.remove()
    for k, (label, up) in sorted(labels.items()):
        ax.annotate(
            label, positions[k], (0, up), textcoords="offset points", ha="center", va="center", fontsize="small"
        )


def _free_place(
    box: tuple[float, float, float, float], taken: list[tuple[float, float, float, float]], frame: Bbox
) -> tuple[float, float, float, float] | None:
    """The box (centre, width, height), moved up or down by up to three lines, that meets no other and lies in the frame."""
    x, y, width, height = box
    if x - width / 2 < frame.x0 or x + width / 2 > frame.x1:
        return None
    others = np.array(taken).reshape(-1, 4)
    near = others[np.abs(others[:, 0] - x) < (others[:, 2] + width) / 2 + 2]
    for lines in (0, 1, -1, 2, -2, 3, -3):
        at = y + lines * height
        inside = frame.y0 < at - height / 2 and at + height / 2 < frame.y1
        if inside and not (np.abs(near[:, 1] - at) < (near[:, 3] + height) / 2).any():
            return x, at, width, height
    return None


_MOST_ROWS = 1000  # of a heat map of documents
_MOST_NAMES = 100


@suggests_options
def document_topics(theta: ArrayLike, *, names: Iterable[str] | None = None, ax: Axes | None = None) -> Axes:
    """Plot the topics of documents as a heat map.

    Parameters
    ----------
    theta : array of shape (D, K)
        Such as the result of `LDA.transform`. Of more than 1,000 documents a row of the picture shows the mean of
        several that follow each other; its scale then ends at the largest mean.
    names : iterable of str, optional
        The names of the documents. Of more than 100 documents, 100 at even distances are named.
    ax : matplotlib.axes.Axes, optional
        By default new ones, at most 16 inches wide and 20 inches high.

    Returns
    -------
    matplotlib.axes.Axes
        One row per document, or per several; one column per topic.

    Raises
    ------
    ValueError
        `theta` is not a matrix, or `names` has another length.
    """
    theta = plain(theta, "papilio.plot.document_topics: theta")
    if theta.ndim != 2:
        raise ValueError(
            f"papilio.plot.document_topics: theta has {theta.ndim} dimension(s), expected documents x topics"
        )
    documents, topics = theta.shape
    listed = None if names is None else list(names)
    if listed is not None and len(listed) != documents:
        raise ValueError(f"papilio.plot.document_topics: {len(listed)} names for {documents} documents")
    together = max(1, -(-documents // _MOST_ROWS))
    shown = theta
    if together > 1:
        starts = np.arange(0, documents, together)
        shown = np.add.reduceat(theta, starts, axis=0, dtype=np.float64)
        shown /= np.diff(starts, append=documents)[:, None]
    ax = _new_axes(ax, (min(16, 1 + 0.25 * topics), min(20, 1 + 0.2 * documents)))
    extent = (-0.5, topics - 0.5, len(shown) * together - 0.5, -0.5)
    most = 1.0 if together == 1 else float(shown.max(initial=0.0)) or 1.0
    image = ax.imshow(shown, aspect="auto", vmin=0, vmax=most, interpolation="nearest", extent=extent)
    ax.set_ylim(documents - 0.5, -0.5)
    ax.figure.colorbar(image, ax=ax, label="share" if together == 1 else f"mean share of {together} documents")
    ax.set_xlabel("topic")
    ax.set_ylabel("document")
    ax.locator_params(integer=True)
    if listed is not None:
        step = max(1, -(-documents // _MOST_NAMES))
        ax.set_yticks(range(0, documents, step), listed[::step])
    return ax
