"""Topics of new documents, held-out likelihood, and the quality of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from papilio import _core
from papilio._checked import threads as checked_threads, whole
from papilio._core import (
    ChainState,
    Coherence,
    Completion,
    Corpus,
    DocumentTopics,
    LeftOutWords,
    LeftToRight,
    TopicDiagnostics,
    TopicStability,
)
from papilio._inference import MOST, Inference, checked_seed, completion_options, corpus_of, infer, model_of
from papilio._keywords import suggests_options
from papilio._options import CoherenceMeasure, ModelLike
from papilio._over_ranks import over_ranks
from papilio._ranks import core_ranks

if TYPE_CHECKING:
    from papilio.distributed import Ranks

__all__ = [
    "Coherence",
    "Completion",
    "DocumentTopics",
    "Inference",
    "LeftToRight",
    "TopicDiagnostics",
    "TopicStability",
    "coherence",
    "complete_documents",
    "diagnose_topics",
    "diversity",
    "infer",
    "left_to_right",
    "topic_stability",
    "unknown_words",
]


@suggests_options
def unknown_words(model: ModelLike, corpus: Corpus) -> LeftOutWords:
    """Count the words of a corpus that a model does not know, which `infer` and the measures leave out.

    Many of them say that the corpus was read by other rules than that of the training: `words`, `token_pattern`,
    `min_token_length` and case must be the same.

    Parameters
    ----------
    model : Model or LDA
    corpus : Corpus

    Returns
    -------
    LeftOutWords

    Examples
    --------
    >>> import papilio
    >>> model = papilio.train(papilio.corpus_from_texts(["cats purr", "dogs bark"]), topics=2, sweeps=5).model
    >>> papilio.unknown_words(model, papilio.corpus_from_texts(["cats and cows and dogs"]))
    LeftOutWords(3 tokens of 2 words: and, cows)
    """
    caller = "papilio.unknown_words"
    return _core.unknown_words(model_of(model, caller), corpus_of(corpus, caller))


@over_ranks
@suggests_options
def complete_documents(
    model: ModelLike,
    corpus: Corpus,
    *,
    em_steps: int = 50,
    seed: Any = 0,
    shuffle: bool = True,
    threads: int = 0,
    device: str = "cpu",
    ranks: Ranks | None = None,
) -> Completion:
    """Compute held-out likelihood by document completion: half of each document predicts the other half.

    Parameters
    ----------
    model : Model or LDA
    corpus : Corpus
        Documents that the model was not trained on.
    em_steps : int, default 50
        Steps that find theta from the first half; at least 1.
    seed : int, generator or key of JAX, default 0
        For the shuffle; 0 <= seed < 2^64.
    shuffle : bool, default True
        Shuffle the tokens of a document before it is split. False: split them in their order.
    threads : int, default 0
        0: all processors. Never changes the result.
    device : str, default "cpu"
        "cpu", "cuda", "cuda:N" or "auto", as for `train`. Never changes the result.
    ranks : Ranks, optional
        The processes that share the documents, such as ``papilio.distributed.process_group()``. Every rank calls this
        with the same model, corpus and options, and works on its own documents (docs/distributed.md). Every rank gets
        the result of one process, bit for bit.

    Returns
    -------
    Completion
        `perplexity`, `nats_per_token`, `log_likelihood`, `tokens` (scored), `documents`, `left_out`, ...

    Raises
    ------
    ValueError
        An option out of range, or ranks that differ in model, corpus or options.
    TypeError
        An argument of the wrong type.
    RankError
        Another rank has failed or does not answer.

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
    caller = "papilio.complete_documents"
    return _core.complete_documents(
        model_of(model, caller),
        corpus_of(corpus, caller),
        *completion_options(em_steps, seed, shuffle, threads, device, caller),
        core_ranks(ranks, caller),
    )


@over_ranks
@suggests_options
def left_to_right(
    model: ModelLike,
    corpus: Corpus,
    *,
    particles: int = 20,
    seed: Any = 0,
    threads: int = 0,
    ranks: Ranks | None = None,
) -> LeftToRight:
    """Compute held-out likelihood of whole documents by the left-to-right algorithm.

    Parameters
    ----------
    model : Model or LDA
    corpus : Corpus
        Documents that the model was not trained on.
    particles : int, default 20
        1 to 1,000,000; more give a smaller variance.
    seed : int, generator or key of JAX, default 0
        0 <= seed < 2^64.
    threads : int, default 0
        0: all processors. Never changes the result.
    ranks : Ranks, optional
        As for `complete_documents`: every rank gets the result of one process, bit for bit.

    Returns
    -------
    LeftToRight
        `log_likelihoods` of each document, `perplexity`, `tokens`, ...

    Raises
    ------
    ValueError
        An option out of range, or ranks that differ in model, corpus or options.
    TypeError
        An argument of the wrong type.
    RankError
        Another rank has failed or does not answer.

    Notes
    -----
    Time is O(n^2 * particles * topics in the document) for a document of n tokens. The likelihood of a document depends
    on the model, the options and the words of the document. Source: Wallach, Murray, Salakhutdinov and Mimno, ICML
    2009, algorithm 3; Buntine, ACML 2009.
    """
    caller = "papilio.left_to_right"
    return _core.left_to_right(
        model_of(model, caller),
        corpus_of(corpus, caller),
        whole(particles, f"{caller}: particles", 1, 1_000_000),
        checked_seed(seed, caller),
        checked_threads(threads, caller),
        core_ranks(ranks, caller),
    )


@suggests_options
def coherence(
    model: ModelLike,
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
    model : Model or LDA
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
    caller = "papilio.coherence"
    return _core.coherence(
        model_of(model, caller),
        corpus_of(corpus, caller),
        measure,
        whole(top_words, f"{caller}: top_words", 2, 1000),
        whole(window, f"{caller}: window", 0, MOST),
        checked_threads(threads, caller),
    )


@suggests_options
def diversity(model: ModelLike, top_words: int = 25) -> float:
    """Compute the share of distinct words among the most probable words of all topics; 1: no two topics share a word.

    Parameters
    ----------
    model : Model or LDA
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
    caller = "papilio.diversity"
    return _core.diversity(model_of(model, caller), whole(top_words, f"{caller}: top_words", 1, MOST))


@suggests_options
def topic_stability(first: ModelLike, second: ModelLike, top_words: int = 25) -> TopicStability:
    """Compare the topics of two models of one vocabulary, such as two that differ only in their seed.

    Topics are partners one to one, so that the sum of their similarities is the largest possible. The similarity of two
    topics is the Jaccard index of their top words, 0 to 1.

    Parameters
    ----------
    first, second : Model or LDA
        Of the same words and the same number of topics, K.
    top_words : int, default 25
        Words per topic, 1 to 1000.

    Returns
    -------
    TopicStability
        `mean`, `similarity` and `partner`, one of each topic of `first`.

    Raises
    ------
    ValueError
        Models of different words or numbers of topics, or `top_words` out of range.

    Notes
    -----
    Deterministic; `mean` is the same with the models exchanged. Time is O(K^3) at worst, usually far less. Ctrl-C ends
    it within a second. Source: Greene, O'Callaghan and Cunningham, ECML PKDD 2014, for the assignment (the Hungarian
    algorithm); they compare words by rank, and models of samples of the documents.

    Examples
    --------
    >>> import papilio
    >>> corpus = papilio.generate_corpus(documents=200, vocabulary=100, topics=4)
    >>> first, second = (papilio.train(corpus, topics=4, sweeps=50, seed=seed).model for seed in (1, 2))
    >>> papilio.topic_stability(first, second).mean > 0.5
    True
    >>> papilio.topic_stability(first, first).mean
    1.0
    """
    caller = "papilio.topic_stability"
    return _core.topic_stability(
        model_of(first, caller), model_of(second, caller), whole(top_words, f"{caller}: top_words", 1, 1000)
    )


@suggests_options
def diagnose_topics(corpus: Corpus, state: ChainState, model: ModelLike, *, words: int = 20) -> list[TopicDiagnostics]:
    """Compute MALLET's diagnostics of every topic.

    Parameters
    ----------
    corpus : Corpus
        The corpus that the model was trained on.
    state : ChainState
        The topics of its tokens, such as `TrainResult.topics`.
    model : Model or LDA
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
    caller = "papilio.diagnose_topics"
    words = whole(words, f"{caller}: words", 1, MOST)
    return _core.diagnose_topics(corpus_of(corpus, caller), state.z, model_of(model, caller), words)
