"""Topics of new documents, held-out likelihood, and the quality of topics."""

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
    """Find the topics of documents, for a model that stays as it is.

    Words are matched by spelling; unknown words are left out.

    Parameters
    ----------
    model : Model
    corpus : Corpus
    method : {"gibbs", "em"}
        "gibbs": the posterior mean by sampling. "em": a fixed point, without random numbers.
    sweeps, burn_in : int, default 100 and 20
        For "gibbs": all sweeps, and the first of them that are not counted; 0 <= burn_in < sweeps.
    em_steps : int, default 50
        For "em"; at least 1.
    seed : int, default 0
        For "gibbs"; 0 <= seed < 2^64.
    threads : int, default 0
        0: all processors. Never changes the result.

    Returns
    -------
    DocumentTopics
        `theta`, float32 of shape (D, K) with rows that sum to 1, and counts of known and unknown tokens. A document
        without known words gets the mean of the prior.

    Raises
    ------
    ValueError
        An option out of range.

    Notes
    -----
    The row of a document depends on the model, the options and the words of the document (not their order), and on
    nothing else.

    Time of "gibbs": K per distinct word of a document, and per token and sweep the number of topics in the document. Of
    "em": `em_steps` * K per distinct word. Ctrl-C is seen every 2^18 tokens.

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
    """Compute held-out likelihood by document completion: half of each document predicts the other half.

    Parameters
    ----------
    model : Model
    corpus : Corpus
        Documents that the model was not trained on.
    em_steps : int, default 50
        Steps that find theta from the first half; at least 1.
    seed : int, default 0
        For the shuffle; 0 <= seed < 2^64.
    shuffle : bool, default True
        Shuffle the tokens of a document before it is split. False: split them in their order.
    threads : int, default 0
        0: all processors. Never changes the result.

    Returns
    -------
    Completion
        `perplexity`, `nats_per_token`, `log_likelihood`, `tokens` (scored), `documents`, `left_out`, ...

    Raises
    ------
    ValueError
        An option out of range.

    Notes
    -----
    Unknown words are left out of both halves, so compare models of the same training corpus. The last digits may differ
    between machines. Source: Wallach, Murray, Salakhutdinov and Mimno, ICML 2009, section 5.

    Examples
    --------
    >>> import papilio
    >>> corpus = papilio.generate_corpus(documents=200, vocabulary=100, topics=4)
    >>> training, held_out = papilio.hold_out_every(corpus, 10)
    >>> model = papilio.train(training, topics=4, sweeps=20).model
    >>> 1 < papilio.complete_documents(model, held_out).perplexity < 100
    True
    """
    return _core.complete_documents(model, corpus, em_steps, seed, shuffle, threads)


def left_to_right(model: Model, corpus: Corpus, *, particles: int = 20, seed: int = 0, threads: int = 0) -> LeftToRight:
    """Compute held-out likelihood of whole documents by the left-to-right algorithm.

    Parameters
    ----------
    model : Model
    corpus : Corpus
        Documents that the model was not trained on.
    particles : int, default 20
        1 to 1,000,000; more give a smaller variance.
    seed : int, default 0
        0 <= seed < 2^64.
    threads : int, default 0
        0: all processors. Never changes the result.

    Returns
    -------
    LeftToRight
        `log_likelihoods` of each document, `perplexity`, `tokens`, ...

    Raises
    ------
    ValueError
        An option out of range.

    Notes
    -----
    Time is O(n^2 * particles * topics in the document) for a document of n tokens. The likelihood of a document depends
    on the model, the options and the words of the document. Source: Wallach, Murray, Salakhutdinov and Mimno, ICML
    2009, algorithm 3; Buntine, ACML 2009.
    """
    return _core.left_to_right(model, corpus, particles, seed, threads)


def coherence(
    model: Model,
    corpus: Corpus,
    *,
    measure: CoherenceMeasure = "npmi",
    top_words: int = 10,
    window: int = 0,
    threads: int = 0,
) -> Coherence:
    """Measure how often the most probable words of each topic occur together in a corpus.

    Parameters
    ----------
    model : Model
    corpus : Corpus
        For "umass" the training corpus. For "npmi" and "c_v" a corpus whose words are in the order of the text.
    measure : {"umass", "npmi", "c_v"}
        Default "npmi".
    top_words : int, default 10
        Words per topic, 2 to 1000.
    window : int, default 0
        Tokens per window; 0: 10 for "npmi", 110 for "c_v". "umass" counts whole documents, and `window` must be 0.
    threads : int, default 0
        0: all processors. Never changes the result.

    Returns
    -------
    Coherence
        `mean`, `topics` (NaN for a topic with fewer than two words in the corpus), `missing_words`, ...

    Raises
    ------
    ValueError
        An option out of range.

    Notes
    -----
    Time is O(N), plus the pairs of top words per document. Source: Mimno, Wallach, Talley, Leenders and McCallum, EMNLP
    2011 (umass); Roeder, Both and Hinneburg, WSDM 2015.
    """
    return _core.coherence(model, corpus, measure, top_words, window, threads)


def diversity(model: Model, top_words: int = 25) -> float:
    """Compute the share of distinct words among the most probable words of all topics; 1: no two topics share a word.

    Parameters
    ----------
    model : Model
    top_words : int, default 25
        Words per topic; at least 1.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        `top_words` out of range.

    Notes
    -----
    Source: Dieng, Ruiz and Blei, TACL 8, 2020.
    """
    return _core.diversity(model, top_words)


def diagnose_topics(corpus: Corpus, state: ChainState, model: Model, *, words: int = 20) -> list[TopicDiagnostics]:
    """Compute MALLET's diagnostics of every topic.

    Parameters
    ----------
    corpus : Corpus
        The corpus that the model was trained on.
    state : ChainState
        The topics of its tokens, such as `TrainResult.topics`.
    model : Model
    words : int, default 20
        Most probable words to use per topic; at least 1.

    Returns
    -------
    list of TopicDiagnostics
        One per topic.

    Raises
    ------
    ValueError
        A state that does not fit the corpus or the model.

    Notes
    -----
    Time is O(N + V K), plus the documents of the top words; one thread.
    """
    return _core.diagnose_topics(corpus, state.z, model, words)
