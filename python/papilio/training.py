"""Training as the library has it: from a corpus and options to a model and its chain."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from papilio import _core
from papilio._core import Corpus, HeldOutScore, Model, Progress, ChainState, TrainResult
from papilio.readers import Path

__all__ = [
    "HeldOutScore",
    "Model",
    "Progress",
    "ChainState",
    "TrainResult",
    "load_checkpoint",
    "load_model",
    "log_joint",
    "read_mallet_state",
    "save_checkpoint",
    "save_model",
    "train",
    "write_mallet_state",
]

OPTIONS = (
    "topics",
    "sweeps",
    "alpha",
    "beta",
    "seed",
    "threads",
    "device",
    "sampler",
    "schedule",
    "start",
    "draws",
    "topic_alpha",
    "evaluate_every",
    "optimize_every",
    "optimize_after",
    "progress_every",
    "held_out_every",
    "method",
)


def _options(caller: str, values: dict[str, Any]) -> _core.TrainOptions:
    options = _core.TrainOptions()
    for name, value in values.items():
        if name not in OPTIONS:
            raise TypeError(f"papilio.{caller}: unknown option {name!r}, expected one of {', '.join(OPTIONS)}")
        try:
            setattr(options, name, value)
        except TypeError:
            raise TypeError(f"papilio.{caller}: {name} is {value!r}, which does not fit its type or range") from None
    return options


def train(
    corpus: Corpus,
    *,
    resume: ChainState | None = None,
    held_out: Corpus | None = None,
    progress: Callable[[Progress], bool | None] | None = None,
    checkpoint: Path | None = None,
    checkpoint_every: int = 0,
    checkpoint_seconds: float = 600.0,
    **options: Any,
) -> TrainResult:
    """Trains a topic model on a corpus.

    The model is a function of corpus, options and seed: the same bytes for any number of threads, on
    the CPU and on a GPU, and on every machine. Other threads of Python run meanwhile.

    Parameters
    ----------
    corpus : Corpus
    resume : ChainState, optional
        Topics to go on from; the result is that of a run without a break.
    held_out : Corpus, optional
        Documents that training does not see; words are matched by spelling. They are scored by document completion
        after every `held_out_every`-th sweep and the last, which never changes the model.
    progress : callable, optional
        Called with a `Progress` after each sweep, or each `progress_every`-th; False stops training.
    checkpoint : str or path-like, optional
        Where the chain is saved while training goes on, every `checkpoint_seconds` seconds and every
        `checkpoint_every`-th sweep; 0: not for that reason.
    topics : int, default 100
    sweeps : int, default 200
        Those of `resume` included.
    alpha, beta : float, default 0.1 and 0.01
        Priors of documents' topics (each topic) and topics' words.
    topic_alpha : list of float, optional
        A prior for each topic in place of alpha.
    seed : int, default 0
    threads : int, default 0
        Of the CPU; 0: all.
    device : str, default "cpu"
        "cpu", "cuda", "cuda:1", or "auto": what PAPILIO_DEVICE names, else a GPU that is there.
    sampler : {"collapsed", "phi_collapsed", "theta_collapsed", "uncollapsed", "mean_for_mode"}
    schedule : {"parallel", "sequential"}
        "sequential" is the exact chain token by token, in one thread of the CPU.
    start : {"automatic", "uniform", "progressive"}
        "progressive": the first 40 sweeps draw a growing part of the documents, which takes less time to the same quality
        where topics are many. "automatic": where the counts of tokens and topics say so.
    draws : {"automatic", "dense", "sparse"}
        Sparse draws have the law of dense ones, in time that follows the topics of a document. "automatic": from 32
        topics on where the sampler knows them; for "theta_collapsed" on request only.
    evaluate_every : int, default 10
        Sweeps between likelihoods; 0: only after the last.
    optimize_every, optimize_after : int, default 0 and 50
        Sweeps between optimisations of the priors (0: they stay), and before the first.
    progress_every : int, default 1
    held_out_every : int, default 10
        0: held-out documents are scored after the last sweep alone.
    method : str, default "slots"
        How a dense draw adds a token's weights up; the others, which docs/sampling.md lists, are for study.

    Returns
    -------
    TrainResult
        With `model`, `topics`, `log_joint_per_token`, `stopped`, and `held_out`: for each score a `HeldOutScore` with
        `sweep`, `training_seconds` and `completion` (as `papilio.complete_documents` gives it).

    Raises
    ------
    ValueError
        Options out of range, an empty corpus, topics that do not fit.
    DeviceUnavailable, DeviceError
    KeyboardInterrupt
        Ctrl-C, at the end of a sweep. This, and whatever `progress` raises, has the result so far as
        its attribute `train_result`.

    Examples
    --------
    >>> import papilio
    >>> corpus = papilio.generate_corpus(documents=200, vocabulary=100, topics=4)
    >>> result = papilio.train(corpus, topics=4, sweeps=20, seed=1)
    >>> result.model
    Model(4 topics, 100 words)
    >>> result.topics.sweep
    20
    """
    return _core.train(
        corpus,
        _options("train", options),
        resume,
        progress,
        "" if checkpoint is None else os.fspath(checkpoint),
        checkpoint_every,
        checkpoint_seconds,
        held_out,
    )


def log_joint(corpus: Corpus, z: ArrayLike, alpha: ArrayLike, beta: float, *, threads: int = 0) -> float:
    """The collapsed log-likelihood log p(w, z) in nats, theta and phi integrated out.

    Parameters
    ----------
    corpus : Corpus
    z : array of int32, shape (N,)
        The topic of each token.
    alpha : array of float, shape (K,)
        A prior for each topic.
    beta : float
    threads : int
        0: all. Never changes the result.

    Returns
    -------
    float
    """
    z = np.ascontiguousarray(z, np.int32)
    return _core.log_joint(corpus, z, np.ascontiguousarray(alpha, np.float64), beta, threads)


def save_model(model: Model, path: Path) -> None:
    """Writes a model as one safetensors file, whole or not at all: the bytes that the command writes.

    Parameters
    ----------
    model : Model
    path : str or path-like
    """
    _core.save_model(model, os.fspath(path))


def load_model(path: Path) -> Model:
    """Reads what `save_model` or the command `papilio train` wrote.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    Model

    Raises
    ------
    OSError, FormatError
    """
    return _core.load_model(os.fspath(path))


def save_checkpoint(topics: ChainState, corpus: Corpus, path: Path, /, **options: Any) -> None:
    """Writes a chain with what decides how it goes on; the checkpoint before stays as PATH.previous.

    Parameters
    ----------
    topics : ChainState
    corpus : Corpus
    path : str or path-like
    **options
        Those of `train`.
    """
    _core.save_checkpoint(topics, corpus, _options("save_checkpoint", options), os.fspath(path))


def load_checkpoint(corpus: Corpus, path: Path, /, **options: Any) -> ChainState:
    """Reads a chain of the same corpus and options; the previous checkpoint where the newest is damaged.

    Parameters
    ----------
    corpus : Corpus
    path : str or path-like
    **options
        Those of `train`.

    Returns
    -------
    ChainState

    Raises
    ------
    ValueError
        Naming the first difference to the run of the checkpoint.
    OSError, FormatError
    """
    import warnings

    topics, damage = _core.load_checkpoint(corpus, _options("load_checkpoint", options), os.fspath(path))
    if damage:
        warnings.warn(f"took the checkpoint before: {damage}", stacklevel=2)
    return topics


def read_mallet_state(path: Path) -> tuple[Corpus, ChainState, int]:
    """Reads a state file of MALLET (--output-state) or of `write_mallet_state`.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    corpus : Corpus
    topics : ChainState
        With alpha and beta, to be given to `train` as `resume`.
    count : int
        Topics.
    """
    state = _core.read_mallet_state(os.fspath(path), 0)
    return state.corpus, state.topics, state.topic_count


def write_mallet_state(corpus: Corpus, topics: ChainState, model: Model, path: Path) -> None:
    """Writes a chain as MALLET's --output-state does.

    Parameters
    ----------
    corpus : Corpus
    topics : ChainState
    model : Model
        Whose priors go into the file.
    path : str or path-like
    """
    _core.write_mallet_state(corpus, topics.z, model.alpha, model.beta, os.fspath(path))
