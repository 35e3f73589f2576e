"""Models as objects of gensim, scikit-learn and pyLDAvis; models from states of MALLET."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from papilio import _core, _parameters
from papilio._checked import file_name, flag, real, threads as checked_threads, whole
from papilio._keywords import suggests_options, suggests_options_beside
from papilio._options import LDAParameters
from papilio._seed_words import counts_with_seeds
from papilio.readers import Path

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from papilio._lda import LDA


@suggests_options
def to_gensim(lda: LDA | _core.Model) -> Any:
    """Convert a model to a ``gensim.models.LdaModel``; needs gensim.

    Parameters
    ----------
    lda : papilio.LDA or papilio.Model

    Returns
    -------
    gensim.models.LdaModel
        With the same topics: ``get_topics()`` is phi. Its ``id2word`` is a ``gensim.corpora.Dictionary``, with the
        document frequencies of the training corpus if `lda` has it.
    """
    from gensim.models import LdaModel

    model = _model(lda)
    gensim = LdaModel(
        num_topics=model.topics,
        id2word=_gensim_dictionary(model, _training_corpus(lda)),
        alpha=np.array(model.alpha),
        eta=model.beta,
        dtype=np.float64,
    )
    gensim.state.sstats = counts_with_seeds(model)
    gensim.state.numdocs = int(model.settings.get("documents", 0))
    gensim.sync_state()
    return gensim


def _training_corpus(lda):
    """The documents that an LDA was fitted on, where it has them."""
    return getattr(getattr(lda, "_fitted", None), "corpus", None)


def _gensim_dictionary(model, corpus):
    from gensim.corpora import Dictionary

    dictionary = Dictionary()
    dictionary.token2id = {word: number for number, word in enumerate(model.vocabulary)}
    dictionary.id2token = dict(enumerate(model.vocabulary))
    dictionary.cfs = dict(enumerate(model.n_wk.sum(axis=1, dtype=np.int64).tolist()))
    if corpus is not None:
        offsets, columns, _ = corpus.counts()
        dictionary.dfs = dict(enumerate(np.bincount(columns, minlength=model.vocabulary_size).tolist()))
        dictionary.num_docs, dictionary.num_pos, dictionary.num_nnz = corpus.documents, corpus.tokens, int(offsets[-1])
    return dictionary


@suggests_options
def to_sklearn(lda: LDA | _core.Model) -> Any:
    """Convert a model to a fitted ``sklearn.decomposition.LatentDirichletAllocation``; needs scikit-learn.

    Its ``transform`` is scikit-learn's variational one. scikit-learn has one alpha for all topics: the mean of the
    model's.

    Parameters
    ----------
    lda : papilio.LDA or papilio.Model

    Returns
    -------
    sklearn.decomposition.LatentDirichletAllocation
    """
    from scipy.special import psi
    from sklearn.decomposition import LatentDirichletAllocation

    model = _model(lda)
    alpha = float(np.mean(model.alpha))
    other = LatentDirichletAllocation(model.topics, doc_topic_prior=alpha, topic_word_prior=model.beta, random_state=0)
    other.components_ = counts_with_seeds(model) + model.beta
    totals = other.components_.sum(axis=1, keepdims=True)
    other.exp_dirichlet_component_ = np.exp(psi(other.components_) - psi(totals))
    other.doc_topic_prior_, other.topic_word_prior_ = alpha, model.beta
    other.n_features_in_ = model.vocabulary_size
    other.n_batch_iter_ = other.n_iter_ = int(model.settings.get("sweeps", 1))
    other.random_state_ = np.random.RandomState(0)
    return other


@suggests_options_beside(LDAParameters.__annotations__)
def from_mallet_state(path: Path, **parameters: Unpack[LDAParameters]) -> tuple[LDA, _core.Corpus]:
    """Make an LDA from a state file of MALLET, with the chain: `partial_fit` with the corpus continues it.

    Parameters
    ----------
    path : str or path-like
        What MALLET's ``--output-state`` or `LDA.save_mallet_state` wrote.
    **parameters
        Parameters of `papilio.LDA`, except `n_components` and the priors, which the file has.

    Returns
    -------
    lda : papilio.LDA
    corpus : papilio.Corpus

    Raises
    ------
    OSError
        The file cannot be read.
    papilio.FormatError
        With the line that does not fit the format.
    """
    from papilio._lda import LDA

    state = _core.read_mallet_state(file_name(path), 0)
    corpus, topics = state.corpus, state.topics
    lda = LDA(
        state.topic_count,
        doc_topic_prior=np.array(topics.alpha),
        topic_word_prior=topics.beta,
        **parameters,
    )
    options = lda._options(_parameters.seed(lda.random_state))
    lda.n_features_in_ = corpus.vocabulary_size
    return lda._take_chain(corpus, topics, options), corpus


def _model(lda):
    return lda if isinstance(lda, _core.Model) else lda.model_


@suggests_options
def ldavis_json(
    lda: LDA | _core.Model,
    X: Any = None,
    *,
    terms: int = 30,
    lambda_step: float = 0.01,
    sort_topics: bool = True,
    threads: int = 0,
) -> str:
    """Prepare a model for the page of pyLDAvis, as JSON; pyLDAvis need not be installed.

    Parameters
    ----------
    lda : papilio.LDA or papilio.Model
    X : papilio.Corpus, or with an LDA as for `LDA.fit`, optional
        The documents whose tokens give the sizes of topics. By default the training documents.
    terms : int, default 30
        Words per bar chart.
    lambda_step : float, default 0.01
        The step of the slider between the probability of a word and its lift.
    sort_topics : bool, default True
        Sort topics by their tokens, the largest first.
    threads : int, default 0
        0: all processors. Never changes the result.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        An option out of range.

    Notes
    -----
    Time is O(V K / lambda_step) + O(K^3). Source: Sievert and Shirley, ACL workshop on interactive language learning,
    visualization and interfaces, 2014.

    Examples
    --------
    >>> import json
    >>> import papilio
    >>> from papilio import interop
    >>> corpus = papilio.generate_corpus(documents=200, vocabulary=100, topics=4)
    >>> sorted(json.loads(interop.ldavis_json(papilio.train(corpus, topics=4, sweeps=20).model)))
    ['R', 'lambda.step', 'mdsDat', 'plot.opts', 'tinfo', 'token.table', 'topic.order']
    """
    caller = "papilio.interop.ldavis_json"
    model, seed = _model(lda), 0
    if not isinstance(lda, _core.Model):
        seed = lda.random_state_
        X = None if X is None else lda._as_corpus(X, "ldavis_json")
    elif X is not None and not isinstance(X, _core.Corpus):
        raise TypeError(
            f"{caller}: X is a {type(X).__name__}, expected a papilio.Corpus, or an LDA in place of the model"
        )
    return _core.ldavis_json(
        model,
        X,
        whole(terms, f"{caller}: terms", 1, 2**31 - 1),
        real(lambda_step, f"{caller}: lambda_step"),
        flag(sort_topics, f"{caller}: sort_topics"),
        seed,
        checked_threads(threads, caller),
    )


@suggests_options
def pyldavis(
    lda: LDA | _core.Model,
    X: Any = None,
    *,
    terms: int = 30,
    lambda_step: float = 0.01,
    sort_topics: bool = True,
    threads: int = 0,
) -> Any:
    """Prepare a model for pyLDAvis, which must be installed; papilio computes the numbers.

    Parameters
    ----------
    lda, X, terms, lambda_step, sort_topics, threads
        See `ldavis_json`.

    Returns
    -------
    pyLDAvis.PreparedData
        For ``pyLDAvis.display`` or ``pyLDAvis.save_html``.
    """
    import json

    import pandas
    import pyLDAvis

    data = json.loads(
        ldavis_json(lda, X, terms=terms, lambda_step=lambda_step, sort_topics=sort_topics, threads=threads)
    )
    topics = pandas.DataFrame(data["mdsDat"], index=pandas.Index(data["topic.order"], name="topic") - 1)
    return pyLDAvis.PreparedData(
        topics,
        pandas.DataFrame(data["tinfo"]),
        pandas.DataFrame(data["token.table"]),
        data["R"],
        data["lambda.step"],
        data["plot.opts"],
        data["topic.order"],
    )
