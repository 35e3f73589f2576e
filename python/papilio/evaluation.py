"""What a trained model makes of documents that it has not seen, and how good its topics are."""

from __future__ import annotations

from papilio import _core
from papilio._core import (
    ChainState,
    Coherence,
    Completion,
    Corpus,
    DocumentTopics,
    LeftToRight,
    Model,
    TopicDiagnostics,
)
from papilio._options import CoherenceMeasure, InferMethod

__all__ = [
    "Coherence",
    "Completion",
    "DocumentTopics",
    "LeftToRight",
    "TopicDiagnostics",
    "coherence",
    "complete_documents",
    "diagnose_topics",
    "diversity",
    "infer",
    "left_to_right",
]


def infer(
    model: Model,
    corpus: Corpus,
    *,
    method: InferMethod = "gibbs",
    sweeps: int = 100,
    burn_in: int = 20,
    em_steps: int = 50,
    seed: int = 0,
    threads: int = 0,
) -> DocumentTopics:
    """Folds documents into a model that stays as it is.

    A document's row depends on the model, the options and the document's words, as a bag, and on
    nothing else. Words are matched by their spelling; unknown ones have no part.

    Parameters
    ----------
    model : Model
    corpus : Corpus
    method : {"gibbs", "em"}
        The posterior mean by sampling, or a fixed point without random numbers.
    sweeps, burn_in : int
        Of gibbs: all, and the first of them that are not counted.
    em_steps : int
        Of em.
    seed : int
    threads : int
        0: all. Never changes the result.

    Returns
    -------
    DocumentTopics
        `theta`, float32 of shape (D, K), rows that sum to 1; `known_tokens`, `unknown_tokens`, `unknown_words`.

    Examples
    --------
    >>> import papilio
    >>> corpus = papilio.generate_corpus(documents=200, vocabulary=100, topics=4)
    >>> model = papilio.train(corpus, topics=4, sweeps=20).model
    >>> papilio.infer(model, corpus).theta.shape
    (200, 4)
    """
    return _core.infer(model, corpus, method, sweeps, burn_in, em_steps, seed, threads)


def complete_documents(
    model: Model, corpus: Corpus, *, em_steps: int = 50, seed: int = 0, shuffle: bool = True, threads: int = 0
) -> Completion:
    """Held-out likelihood by document completion: half of each document foretells the other half.

    Parameters
    ----------
    model : Model
    corpus : Corpus
    em_steps : int
    seed : int
        Of the shuffle that makes the halves.
    shuffle : bool
        False: tokens in the order that they have.
    threads : int
        0: all. Never changes the result.

    Returns
    -------
    Completion
        `perplexity`, `nats_per_token`, `log_likelihood`, `tokens` (scored), `documents`, `left_out`, ...

    Notes
    -----
    Wallach, Murray, Salakhutdinov and Mimno, ICML 2009, section 5.
    """
    return _core.complete_documents(model, corpus, em_steps, seed, shuffle, threads)


def left_to_right(model: Model, corpus: Corpus, *, particles: int = 20, seed: int = 0, threads: int = 0) -> LeftToRight:
    """Held-out likelihood of whole documents; time grows with the square of their lengths.

    Parameters
    ----------
    model : Model
    corpus : Corpus
    particles : int
    seed : int
    threads : int
        0: all. Never changes the result.

    Returns
    -------
    LeftToRight
        `log_likelihoods` of each document, `perplexity`, `tokens`, ...

    Notes
    -----
    Wallach, Murray, Salakhutdinov and Mimno, ICML 2009, algorithm 3; Buntine, ACML 2009.
    """
    return _core.left_to_right(model, corpus, particles, seed, threads)


def coherence(
    model: Model, corpus: Corpus, *, measure: CoherenceMeasure = "npmi", top_words: int = 10, window: int = 0, threads: int = 0
) -> Coherence:
    """How well topics' most probable words go together, by how often they do so in a corpus.

    Parameters
    ----------
    model : Model
    corpus : Corpus
        For umass that of training; for npmi and c_v one whose words are in the order of the text.
    measure : {"umass", "npmi", "c_v"}
    top_words : int
    window : int
        Tokens a window; 0: 10 for npmi, 110 for c_v. umass has none.
    threads : int
        0: all. Never changes the result.

    Returns
    -------
    Coherence
        `mean`, `topics` (NaN for a topic without two words in the corpus), `missing_words`, ...

    Notes
    -----
    Mimno and others, EMNLP 2011 (umass); Roeder, Both and Hinneburg, WSDM 2015.
    """
    return _core.coherence(model, corpus, measure, top_words, window, threads)


def diversity(model: Model, top_words: int = 25) -> float:
    """The share of distinct words among the most probable of each topic: 1 where no two share one.

    Parameters
    ----------
    model : Model
    top_words : int

    Returns
    -------
    float
    """
    return _core.diversity(model, top_words)


def diagnose_topics(corpus: Corpus, topics: ChainState, model: Model, *, words: int = 20) -> list[TopicDiagnostics]:
    """Diagnostics of every topic, as MALLET's.

    Parameters
    ----------
    corpus : Corpus
        That the model was trained on.
    topics : ChainState
        Of its tokens.
    model : Model
    words : int
        Most probable words that are looked at.

    Returns
    -------
    list of TopicDiagnostics
    """
    return _core.diagnose_topics(corpus, topics.z, model, words)
