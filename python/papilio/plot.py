"""Plots of topic models with matplotlib, which is imported when a function is called.

Every function draws on the given axes, or on new ones, and returns them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from papilio._core import Model

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from papilio._lda import LDA

__all__ = ["document_topics", "likelihood", "topic_map", "topic_words"]


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
        ax.set_title(f"topic {k}", fontsize="medium")
        ax.tick_params(labelsize="small")
        axes.append(ax)
    return axes


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


def topic_map(lda: LDA | Model, *, top_n: int = 2, ax: Axes | None = None) -> Axes:
    """Plot topics as circles: close together if their words are similar, with areas by their share of all tokens.

    Parameters
    ----------
    lda : papilio.LDA or papilio.Model
    top_n : int, default 2
        Words to write at each topic; 0: only its number.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    model = _model(lda)
    positions = topic_positions(model)
    share = model.n_k / max(1, model.n_k.sum())
    ax = _new_axes(ax, (6, 6))
    ax.scatter(positions[:, 0], positions[:, 1], s=4000 * share, alpha=0.4)
    for k, (x, y) in enumerate(positions):
        words = " ".join(word for word, _ in model.top_words(k, top_n)) if top_n else ""
        ax.annotate(f"{k} {words}".strip(), (x, y), ha="center", va="center", fontsize="small")
    ax.margins(0.15)
    ax.set_aspect("equal", adjustable="datalim")
    ax.set_xticks([])
    ax.set_yticks([])
    return ax


def document_topics(theta: ArrayLike, *, names: Iterable[str] | None = None, ax: Axes | None = None) -> Axes:
    """Plot the topics of documents as a heat map.

    Parameters
    ----------
    theta : array of shape (D, K)
        Such as the result of `LDA.transform`.
    names : iterable of str, optional
        The names of the documents.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        One row per document, one column per topic.

    Raises
    ------
    ValueError
        `theta` is not a matrix, or `names` has another length.
    """
    theta = np.asarray(theta)
    if theta.ndim != 2:
        raise ValueError(
            f"papilio.plot.document_topics: theta has {theta.ndim} dimension(s), expected documents x topics"
        )
    ax = _new_axes(ax, (1 + 0.25 * theta.shape[1], 1 + 0.2 * theta.shape[0]))
    image = ax.imshow(theta, aspect="auto", vmin=0, vmax=1, interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label="share")
    ax.set_xlabel("topic")
    ax.set_ylabel("document")
    ax.locator_params(integer=True)
    if names is not None:
        names = list(names)
        if len(names) != len(theta):
            raise ValueError(f"papilio.plot.document_topics: {len(names)} names for {len(theta)} documents")
        ax.set_yticks(range(len(names)), names)
    return ax
