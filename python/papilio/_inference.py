"""Topics of documents for a model that stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from papilio import _core, _seeds
from papilio._checked import flag, threads as checked_threads, whole
from papilio._core import Completion, Corpus, DocumentTopics, Model
from papilio._keywords import suggests_options
from papilio._options import InferMethod, ModelLike
from papilio._over_ranks import over_ranks
from papilio._ranks import core_ranks

if TYPE_CHECKING:
    from papilio.distributed import Ranks

MOST = 2**31 - 1


def model_of(model: ModelLike, caller: str) -> Model:
    """The model, or that of an LDA."""
    found = getattr(model, "model_", model)
    if not isinstance(found, Model):
        raise TypeError(
            f"{caller}: model is a {type(model).__name__}, expected a papilio.Model or a fitted papilio.LDA"
        )
    return found


def corpus_of(corpus: Corpus, caller: str) -> Corpus:
    """The corpus; TypeError for anything else."""
    if not isinstance(corpus, Corpus):
        raise TypeError(
            f"{caller}: corpus is a {type(corpus).__name__}, expected a papilio.Corpus; corpus_from_texts and "
            "corpus_from_matrix make one"
        )
    return corpus


def checked_seed(seed: Any, caller: str) -> int:
    return whole(_seeds.number(seed), f"{caller}: seed", 0, 2**64 - 1, "a whole number, 0 <= seed < 2^64")


@over_ranks
@suggests_options
def infer(
    model: ModelLike,
    corpus: Corpus,
    *,
    method: InferMethod = "gibbs",
    sweeps: int = 100,
    burn_in: int = 20,
    em_steps: int = 50,
    seed: Any = 0,
    threads: int = 0,
    device: str = "cpu",
    ranks: Ranks | None = None,
) -> DocumentTopics:
    """Find the topics of documents, for a model that stays as it is.

    Words are matched by spelling; unknown words are left out.

    Parameters
    ----------
    model : Model or LDA
    corpus : Corpus
    method : {"gibbs", "em"}
        "gibbs": the posterior mean by sampling. "em": a fixed point, without random numbers.
    sweeps, burn_in : int, default 100 and 20
        For "gibbs": all sweeps, and the first of them that are not counted; 0 <= burn_in < sweeps.
    em_steps : int, default 50
        For "em"; at least 1.
    seed : int, generator or key of JAX, default 0
        For "gibbs"; 0 <= seed < 2^64.
    threads : int, default 0
        0: all processors. Never changes the result.
    device : str, default "cpu"
        "cpu", "cuda", "cuda:N" or "auto", as for `train`. Never changes the result.
    ranks : Ranks, optional
        The processes that share the documents, such as ``papilio.distributed.process_group()``. Every rank calls this
        with the same model, corpus and options, and works on its own documents (docs/distributed.md). Rank 0 gets
        all rows, bit for bit those of one process; other ranks get none, and the counts.

    Returns
    -------
    DocumentTopics
        `theta`, float32 of shape (D, K) with rows that sum to 1, and counts of known and unknown tokens. A document
        without known words gets the mean of the prior.

    Raises
    ------
    ValueError
        An option out of range, or ranks that differ in model, corpus or options.
    TypeError
        An argument of the wrong type.
    papilio.DeviceError
        The device does not exist, fails, or has too little memory for the words of one document.
    papilio.RankError
        Another rank has failed or does not answer.

    Notes
    -----
    The row of a document depends on the model, the options and the words of the document (not their order), and on
    nothing else.

    Time of "gibbs": K per distinct word of a document, and per token and sweep the number of topics in the document. Of
    "em": K per distinct word, `em_steps` per topic of each distinct word, and K per step. Ctrl-C ends it within a
    second; on ranks, when those that it waits for have come or are given up. While rank 0 collects the rows of all
    ranks it holds them twice for a moment.

    Examples
    --------
    >>> import papilio
    >>> corpus = papilio.generate_corpus(documents=200, vocabulary=100, topics=4)
    >>> model = papilio.train(corpus, topics=4, sweeps=20).model
    >>> papilio.infer(model, corpus).theta.shape
    (200, 4)
    """
    caller = "papilio.infer"
    return _core.infer(
        model_of(model, caller),
        corpus_of(corpus, caller),
        *_infer_options(method, sweeps, burn_in, em_steps, seed, threads, device, caller),
        core_ranks(ranks, caller),
    )


def _infer_options(
    method: str, sweeps: int, burn_in: int, em_steps: int, seed: Any, threads: int, device: str, caller: str
) -> tuple[str, int, int, int, int, int, str]:
    return (
        method,
        whole(sweeps, f"{caller}: sweeps", 1, MOST),
        whole(burn_in, f"{caller}: burn_in", 0, MOST),
        whole(em_steps, f"{caller}: em_steps", 1, MOST),
        checked_seed(seed, caller),
        checked_threads(threads, caller),
        device,
    )


def completion_options(
    em_steps: int, seed: Any, shuffle: bool, threads: int, device: str, caller: str
) -> tuple[int, int, bool, int, str]:
    """The options of `complete_documents`, checked."""
    return (
        whole(em_steps, f"{caller}: em_steps", 1, MOST),
        checked_seed(seed, caller),
        flag(shuffle, f"{caller}: shuffle"),
        checked_threads(threads, caller),
        device,
    )


class Inference:
    """A model prepared to find the topics of a few documents at a time, or to score them.

    For every call, `infer` and `complete_documents` read all V x K counts of the model and make a table of its words.
    An Inference does this once. `LDA.transform`, `LDA.perplexity` and `LDA.score` share an Inference.

    Parameters
    ----------
    model : Model or LDA

    Notes
    -----
    It keeps the model, and about 60 bytes per word. It can be pickled, which keeps only the model, and threads can
    share it.

    Examples
    --------
    >>> import papilio
    >>> corpus = papilio.generate_corpus(documents=200, vocabulary=100, topics=4)
    >>> model = papilio.train(corpus, topics=4, sweeps=20).model
    >>> inference = papilio.Inference(model)
    >>> bool((inference.infer(corpus).theta == papilio.infer(model, corpus).theta).all())
    True
    """

    def __init__(self, model: ModelLike) -> None:
        self._model = model_of(model, "papilio.Inference")
        self._prepared = _core.Inference(self._model)

    @property
    def model(self) -> Model:
        """The model."""
        return self._model

    def __repr__(self) -> str:
        return f"Inference({self._model!r})"

    def __reduce__(self) -> tuple[type[Inference], tuple[Model]]:
        return Inference, (self._model,)

    @over_ranks
    @suggests_options
    def infer(
        self,
        corpus: Corpus,
        *,
        method: InferMethod = "gibbs",
        sweeps: int = 100,
        burn_in: int = 20,
        em_steps: int = 50,
        seed: Any = 0,
        threads: int = 0,
        device: str = "cpu",
        ranks: Ranks | None = None,
    ) -> DocumentTopics:
        """Find the topics of documents, bit for bit as `papilio.infer` does, which has the parameters.

        Parameters
        ----------
        corpus : Corpus
            Its words are matched by spelling, which takes time for each word of its vocabulary.
        method, sweeps, burn_in, em_steps, seed, threads, device
            See `papilio.infer`.
        ranks : Ranks, optional
            As for `papilio.infer`: rank 0 gets all rows, other ranks none. Each rank has an Inference of its own.

        Returns
        -------
        DocumentTopics

        Raises
        ------
        ValueError
            An option out of range, or ranks that differ in model, corpus or options.
        papilio.RankError
            Another rank has failed or does not answer.
        """
        caller = "papilio.Inference.infer"
        options = _infer_options(method, sweeps, burn_in, em_steps, seed, threads, device, caller)
        return self._prepared.infer(corpus_of(corpus, caller), *options, core_ranks(ranks, caller))

    @over_ranks
    @suggests_options
    def complete_documents(
        self,
        corpus: Corpus,
        *,
        em_steps: int = 50,
        seed: Any = 0,
        shuffle: bool = True,
        threads: int = 0,
        device: str = "cpu",
        ranks: Ranks | None = None,
    ) -> Completion:
        """Compute held-out likelihood, bit for bit as `papilio.complete_documents` does, which has the parameters.

        Parameters
        ----------
        corpus : Corpus
            Its words are matched by spelling, which takes time for each word of its vocabulary.
        em_steps, seed, shuffle, threads, device
            See `papilio.complete_documents`.
        ranks : Ranks, optional
            As for `papilio.complete_documents`: every rank gets the same result.

        Returns
        -------
        Completion

        Raises
        ------
        ValueError
            An option out of range, or ranks that differ in model, corpus or options.
        papilio.RankError
            Another rank has failed or does not answer.
        """
        caller = "papilio.Inference.complete_documents"
        options = completion_options(em_steps, seed, shuffle, threads, device, caller)
        return self._prepared.complete_documents(corpus_of(corpus, caller), *options, core_ranks(ranks, caller))
