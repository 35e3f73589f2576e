"""Training: from a corpus and options to a model and the state of its chain."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from papilio import _core, _nccl
from papilio._checked import file_name, real, threads as checked_threads, whole
from papilio._core import ChainState, Corpus, HeldOutScore, Model, Progress, TrainResult
from papilio._keywords import suggests_options, unknown_option
from papilio._model_files import load_model, read_mallet_state, save_model, write_mallet_state
from papilio._options import Callback, Draws, PartialSums, Sampler, Schedule, SeedWords, Start, TrainOptions
from papilio._over_ranks import over_ranks
from papilio._ranks import core_ranks
from papilio._seed_words import DEFAULT_WEIGHT, seed_rows
from papilio._train_options import train_option
from papilio._warnings import caller_level
from papilio.readers import Path

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from papilio.distributed import Ranks

__all__ = [
    "ChainState",
    "HeldOutScore",
    "Model",
    "Progress",
    "TrainOptions",
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

OPTION_NAMES = tuple(TrainOptions.__annotations__)


@over_ranks
@suggests_options
def train(
    corpus: Corpus,
    *,
    topics: int = 100,
    sweeps: int = 200,
    alpha: float = 0.1,
    beta: float = 0.01,
    topic_alpha: ArrayLike | None = None,
    seed: int = 0,
    sampler: Sampler = "collapsed",
    schedule: Schedule = "parallel",
    start: Start = "automatic",
    draws: Draws = "automatic",
    mh_steps: int = 2,
    method: PartialSums = "slots",
    optimize_every: int = 0,
    optimize_after: int = 50,
    seed_words: SeedWords | None = None,
    seed_weight: int = 100,
    evaluate_every: int = 10,
    held_out: Corpus | None = None,
    held_out_every: int = 10,
    progress: Callback | None = None,
    progress_every: int = 1,
    checkpoint: Path | None = None,
    checkpoint_every: int = 0,
    checkpoint_seconds: float = 600.0,
    resume: ChainState | None = None,
    device: str = "cpu",
    max_device_memory: int = 0,
    threads: int = 0,
    ranks: Ranks | None = None,
) -> TrainResult:
    """Train a topic model on a corpus.

    Parameters
    ----------
    corpus : Corpus
        At least one token.
    topics : int, default 100
        K, at least 1.
    sweeps : int, default 200
        Sweeps in all, those of `resume` included; 0 or more.
    alpha : float, default 0.1
        Prior of each topic in a document; 1e-100 to 1e6.
    beta : float, default 0.01
        Prior of each word in a topic; 1e-100 to 1e6.
    topic_alpha : array-like of shape (K,), optional
        A prior per topic, instead of `alpha`.
    seed : int, default 0
        0 <= seed < 2^64.
    sampler : {"collapsed", "phi_collapsed", "theta_collapsed", "uncollapsed", "mean_for_mode"}
        Which of theta and phi are integrated out, and which are drawn.
    schedule : {"parallel", "sequential"}
        "parallel": every topic is drawn from the counts at the start of the sweep. "sequential": the exact chain,
        token by token, in one thread.
    start : {"automatic", "uniform", "progressive"}
        "uniform": each token starts with a random topic. "progressive": the first 40 sweeps draw a growing part of the
        documents, which reaches the same quality sooner on some corpora and later on others. "automatic": uniform.
    draws : {"automatic", "dense", "sparse", "alias"}
        Sparse draws have the same distribution as dense ones. Their time depends on the number of topics in the
        document, not on K. "automatic": sparse with 32 topics or more, for "collapsed" (parallel) and "mean_for_mode";
        "theta_collapsed" has sparse draws on request only.
        "alias" moves each topic by a few Metropolis-Hastings steps whose time does not depend on K, for "collapsed"
        (parallel) and "theta_collapsed", on a CPU (docs/lda/alias.md).
    mh_steps : int, default 2
        Proposals per token and sweep if draws are "alias", by word and by document in turn; 1 to 64.
    method : str, default "slots"
        How a dense draw adds up the weights of a token. Other methods (docs/sampling.md) are for study: they have the
        same distribution but round differently.
    optimize_every, optimize_after : int, default 0 and 50
        Optimise `beta` and the alpha of each topic every `optimize_every` sweeps, first after sweep `optimize_after`.
        0: the priors are fixed.
    seed_words : dict of int to words, optional
        Words that belong to topics: ``{0: ["bank", "money"], 3: {"river": 50}}``, lists of words or dicts of word to
        weight. The prior of a listed word in its topic is beta + weight instead of beta, and its tokens start in that
        topic (docs/lda/seed_words.md). If the corpus lacks some of the words, a UserWarning names them.
    seed_weight : int, default 100
        The weight of words in lists: how many tokens of the topic a seed word is worth; 1 to 1,000,000.
    evaluate_every : int, default 10
        Compute the log-likelihood every `evaluate_every` sweeps and after the last; 0: after the last only.
    held_out : Corpus, optional
        Documents to score by document completion; they never change the model. Words are matched by spelling. Over
        ranks each scores its part of them, and needs only that part (`read_corpus`, `open_corpus`, with the same
        ranks).
    held_out_every : int, default 10
        Score `held_out` every `held_out_every` sweeps and after the last; 0: after the last only.
    progress : callable, optional
        Called with a `Progress`. Training stops after the sweep if it returns False.
    progress_every : int, default 1
        Call `progress` every `progress_every` sweeps and after the last.
    checkpoint : str or path-like, optional
        Where to save the state of the chain during training. It is written while training continues, from a copy of
        the topics: 1 byte per token up to 256 topics, 2 up to 65,536, else 4. If a checkpoint cannot be written, a
        RuntimeWarning says so, and training continues.
    checkpoint_every : int, default 0
        Save a checkpoint every `checkpoint_every` sweeps; 0: by time only. Training waits if the previous one
        is still being written.
    checkpoint_seconds : float, default 600
        Save a checkpoint after the first sweep that ends this many seconds after the last checkpoint was begun, once
        that one has been written; 0: by sweeps only.
    resume : ChainState, optional
        The state to continue from. The result is that of an uninterrupted run.
    device : str, default "cpu"
        "cpu", "cuda", "cuda:N", or "auto": the device named by the environment variable PAPILIO_DEVICE, else a GPU if
        there is one, else the CPU. "cuda:all" and lists such as "cuda:0,2" train one model on several GPUs, a part of
        the documents on each (docs/distributed.md).
    max_device_memory : int, default 0
        The most bytes of GPU memory that training takes; 0: nearly all that is free. Data that does not fit is
        streamed from the host's memory in every sweep, which never changes the model.
    threads : int, default 0
        CPU threads; 0: all processors.
    ranks : Ranks, optional
        The processes that train this model together, such as ``papilio.distributed.process_group()``. Every rank calls
        `train` with the same corpus (the whole one, or as `read_corpus` and `open_corpus` give it with these ranks) and
        the same options, draws its own documents, and gets the same model; `TrainResult.topics` has the topics of its
        documents. All ranks are on the CPU, or each on a GPU of its own.

    Returns
    -------
    TrainResult
        `model`, the state of the chain as `topics`, `log_joint_per_token` (nats), `stopped` (True if `progress`
        stopped training), and `held_out`: a `HeldOutScore` per evaluation, with `sweep`, `training_seconds` and
        `completion` (see `complete_documents`).

    Raises
    ------
    ValueError
        An option out of range, a corpus without tokens, or a state in `resume` that does not fit the corpus.
    TypeError
        An option of the wrong type.
    DeviceUnavailable, DeviceError
        The device does not exist, fails, or has too little memory.
    RankError
        Another rank has failed or does not answer. Start the job again, from its checkpoint.
    KeyboardInterrupt
        Ctrl-C, at the end of a sweep. This exception, and any that `progress` raises, has the result so far in its
        attribute `train_result`.

    Notes
    -----
    The model is a function of corpus, options and seed. `threads`, `device` and `ranks` never change it: it has the
    same bytes on every machine.

    A dense sweep takes O(N K) time for N tokens; a sparse one, O(topics in the document) per distinct word of a
    document. Memory: 8 bytes per token, and dense draws 8 bytes per entry of the V x K tables. The GIL is released
    during training.

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
    arguments = locals()
    options = _core_options("train", {name: arguments[name] for name in OPTION_NAMES}, corpus)
    if progress is not None and not callable(progress):
        raise TypeError(f"papilio.train: progress is {progress!r}, expected a function of a Progress")
    if device.startswith("cuda") and (ranks is not None or device == "cuda:all" or "," in device):
        _nccl.point_to_wheel()
    return _core.train(
        corpus,
        options,
        resume=resume,
        progress=progress,
        checkpoint=b"" if checkpoint is None else file_name(checkpoint),
        checkpoint_every=whole(checkpoint_every, "papilio.train: checkpoint_every", 0, 2**63 - 1),
        checkpoint_seconds=real(checkpoint_seconds, "papilio.train: checkpoint_seconds", "a number of seconds"),
        held_out=held_out,
        ranks=core_ranks(ranks, "papilio.train"),
    )


def _core_options(caller: str, values: Mapping[str, Any], corpus: Corpus) -> _core.TrainOptions:
    """The options as the library takes them."""
    options = _core.TrainOptions()
    for name, value in values.items():
        if name not in OPTION_NAMES:
            raise TypeError(unknown_option(f"papilio.{caller}", name, OPTION_NAMES))
        if name in _SEED_OPTIONS or (name == "topic_alpha" and value is None):
            continue
        setattr(options, name, train_option(name, value, f"papilio.{caller}"))
    if any(name in values for name in _SEED_OPTIONS):
        words, weight = values.get("seed_words"), values.get("seed_weight", DEFAULT_WEIGHT)
        vocabulary = corpus.vocabulary if words else []
        options.seed_words = seed_rows(words, weight, vocabulary, f"papilio.{caller}")
    return options


_SEED_OPTIONS = ("seed_words", "seed_weight")
_Function = TypeVar("_Function", bound=Callable[..., Any])


def _shows_train_options(function: _Function) -> _Function:
    """Lets `help` and `inspect` show the options of `train` where a function takes them as **options."""
    signature = inspect.signature(function)
    own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    shared = inspect.signature(train).parameters
    parameters = [*own, *(shared[name] for name in OPTION_NAMES)]
    function.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return function


@over_ranks
@_shows_train_options
def save_checkpoint(
    state: ChainState, corpus: Corpus, path: Path, /, *, ranks: Ranks | None = None, **options: Unpack[TrainOptions]
) -> None:
    """Write the state of a chain, and the settings that determine how it continues.

    The file appears whole or not at all. The previous checkpoint stays as PATH.previous.

    Parameters
    ----------
    state : ChainState
        Such as `TrainResult.topics`.
    corpus : Corpus
        The corpus that the chain was trained on.
    path : str or path-like
        The file, in safetensors format: 1 byte per token up to 256 topics, 2 up to 65,536, else 4.
    ranks : Ranks, optional
        As for `train`: each rank calls this with its own part, and all must see the same folder. Any number of ranks
        can continue from it.
    **options
        Those of `train`.

    Raises
    ------
    ValueError
        A state that does not fit the corpus, or options out of range.
    OSError
        The file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import papilio
    >>> corpus = papilio.generate_corpus(documents=200, vocabulary=100, topics=4)
    >>> options: papilio.TrainOptions = {"topics": 4, "sweeps": 10, "seed": 5}
    >>> result = papilio.train(corpus, **options)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "chain")
    ...     papilio.save_checkpoint(result.topics, corpus, path, **options)
    ...     state = papilio.load_checkpoint(corpus, path, **options)
    >>> options["sweeps"] = 20
    >>> papilio.train(corpus, resume=state, **options).topics.sweep
    20
    """
    core = _core_options("save_checkpoint", options, corpus)
    _core.save_checkpoint(state, corpus, core, file_name(path), core_ranks(ranks, "papilio.save_checkpoint"))


@over_ranks
@_shows_train_options
def load_checkpoint(
    corpus: Corpus, path: Path, /, *, ranks: Ranks | None = None, **options: Unpack[TrainOptions]
) -> ChainState:
    """Read the state of a chain, to be continued by `train`.

    If the newest checkpoint is missing or damaged, PATH.previous is read instead, with a warning.

    Parameters
    ----------
    corpus : Corpus
        The corpus that the chain was trained on.
    path : str or path-like
        A file that `save_checkpoint`, `train` or the command ``papilio train`` wrote.
    ranks : Ranks, optional
        As for `train`: each rank gets the topics of its own documents. The number of ranks may differ from that of
        the ranks that wrote it.
    **options
        Those of `train`, as they were in the run that wrote the checkpoint. `threads`, `device` and `sweeps` may
        differ.

    Returns
    -------
    ChainState

    Raises
    ------
    ValueError
        The corpus or an option differs from the checkpoint's; the message names the first difference.
    FormatError
        Both files are damaged.
    OSError
        There is no such file, or it cannot be read.

    Examples
    --------
    See `save_checkpoint`.
    """
    core = _core_options("load_checkpoint", options, corpus)
    state, damage = _core.load_checkpoint(corpus, core, file_name(path), core_ranks(ranks, "papilio.load_checkpoint"))
    if damage:
        warnings.warn(f"papilio.load_checkpoint: read the previous checkpoint: {damage}", stacklevel=caller_level())
    return state


@suggests_options
def log_joint(
    corpus: Corpus,
    z: ArrayLike,
    alpha: ArrayLike,
    beta: float,
    *,
    seed_words: ArrayLike | None = None,
    threads: int = 0,
) -> float:
    """Compute log p(w, z), the log-likelihood of words and topics with theta and phi integrated out.

    Parameters
    ----------
    corpus : Corpus
    z : array-like of int32, shape (N,)
        The topic of each token, 0 to K - 1.
    alpha : array-like of float, shape (K,)
        A prior per topic; 0 < alpha <= 1e6.
    beta : float
        0 < beta <= 1e6.
    seed_words : array-like of int32, shape (n, 3), optional
        Rows of topic, word and weight, as `Model.seed_words` has them: the prior of these words is beta + weight.
    threads : int, default 0
        0: all processors. Never changes the result.

    Returns
    -------
    float
        In nats, for all tokens; the same on every machine.

    Raises
    ------
    ValueError
        Topics that do not fit the corpus, or priors out of range.

    Examples
    --------
    >>> import papilio
    >>> corpus = papilio.corpus_from_tokens([["cats", "purr"], ["dogs"]])
    >>> round(papilio.log_joint(corpus, [0, 0, 1], alpha=[0.1, 0.1], beta=0.01), 3)
    -8.305
    """
    seeds, caller = np.empty((0, 3), np.int32) if seed_words is None else seed_words, "papilio.log_joint"
    return _core.log_joint(corpus, z, alpha, real(beta, f"{caller}: beta"), checked_threads(threads, caller), seeds)

