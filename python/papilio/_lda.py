"""The topic model as an estimator in the manner of scikit-learn."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from papilio import _core, _parameters
from papilio._estimator import Estimator, NotFittedError
from papilio._fitted import FittedTopics
from papilio._fitting import Fitting
from papilio._options import Callback, Draws, Fractional, InferMethod, Sampler, Schedule, Start

__all__ = ["LDA", "NotFittedError"]


class LDA(Fitting, FittedTopics, Estimator):
    """Latent Dirichlet allocation by Gibbs sampling, with scikit-learn's conventions.

    It can take the place of ``sklearn.decomposition.LatentDirichletAllocation``. The same counts,
    parameters and seed give the same model, byte for byte, for any `n_jobs` and `device`, and the
    same as the command ``papilio train``. scikit-learn need not be installed.

    Parameters
    ----------
    n_components : int, default 100
        Topics, K.
    doc_topic_prior : float or array of shape (K,), optional
        alpha, for every topic or for each. None: 1 / K.
    topic_word_prior : float, optional
        beta. None: 1 / K.
    sampler : {"collapsed", "phi_collapsed", "theta_collapsed", "uncollapsed", "mean_for_mode"}
        How topics are drawn.
    schedule : {"parallel", "sequential"}
        "parallel" draws every topic from the counts of the sweep's start; "sequential" one token after the other, the
        exact chain, in one thread of the CPU.
    start : {"automatic", "uniform", "progressive"}
        "progressive": the first 40 sweeps draw a growing part of the documents, which takes less time to the same quality
        where topics are many. "automatic": where the counts of tokens and topics say so.
    draws : {"automatic", "dense", "sparse"}
        Sparse draws have the law of dense ones, in time that follows the topics of a document. "automatic": where the
        sampler knows them ("collapsed" in parallel, "mean_for_mode"), from 32 topics on; for "theta_collapsed" on request
        only.
    max_iter : int, default 200
        Sweeps over all tokens.
    optimize_every, optimize_after : int, default 0 and 50
        Sweeps between optimisations of the priors, alpha of each topic and beta (0: they stay), and
        sweeps before the first.
    evaluate_every : int, default 10
        Sweeps between likelihoods; 0: only after the last.
    transform_method : {"gibbs", "em"}
        How topics of new documents are found: the posterior mean by sampling, or a fixed point.
    transform_iter : int, default 100
        Sweeps of "gibbs", the first fifth of which is not counted, or steps of "em".
    fractional : {"raise", "round"}
        What becomes of entries of X that are not whole numbers.
    random_state : int, RandomState, Generator or None
        An int is the seed itself, 0 to 2^64 - 1.
    n_jobs : int, optional
        Threads of the CPU; None and -1: all, -2: all but one. Never changes the model.
    device : str, optional
        "cpu", "cuda", "cuda:1". None: what PAPILIO_DEVICE names, else a GPU that is there, else the
        CPU. Never changes the model.
    callback : callable or list of callables, optional
        Called with a `papilio.Progress` after each sweep; False stops training there.
    verbose : int, default 0
        1: a bar (tqdm, where it is installed), or lines on standard error.

    Attributes
    ----------
    components_ : array of shape (K, V)
        n_wk + beta; rows divided by their sums are the topics' distributions of words.
    model_ : papilio.Model
        Counts, priors, vocabulary and settings.
    n_iter_ : int
        Sweeps done.
    log_joint_ : float
        log p(w, z) of the last sweep in nats a token, theta and phi integrated out.
    log_joint_curve_ : array of shape (n, 2)
        Sweeps and the likelihood after them.
    held_out_curve_ : array of shape (n, 2)
        Sweeps and the perplexity of `held_out` after them.
    doc_topic_prior_, topic_word_prior_ : array of shape (K,) and float
        The priors, optimised where `optimize_every` says so.
    vocabulary_ : list of str
        The words of the columns.
    n_features_in_ : int
        V.
    feature_names_in_ : array of str
        Where X was a data frame.
    random_state_ : int
        The seed.

    Notes
    -----
    Ctrl-C ends `fit` and `partial_fit` with KeyboardInterrupt at the end of a sweep, and so does what
    a callback raises; the model so far is then there and usable, and `partial_fit` goes on from it.

    Examples
    --------
    >>> import papilio
    >>> corpus = papilio.corpus_from_texts(["cats purr", "dogs bark", "cats cats", "dogs dogs bark"])
    >>> lda = papilio.LDA(n_components=2, max_iter=50, random_state=1).fit(corpus)
    >>> lda.components_.shape
    (2, 4)
    >>> theta = lda.transform(corpus)
    >>> theta.shape
    (4, 2)
    """

    def __init__(
        self,
        n_components: int = 100,
        *,
        doc_topic_prior: ArrayLike | None = None,
        topic_word_prior: float | None = None,
        sampler: Sampler = "collapsed",
        schedule: Schedule = "parallel",
        start: Start = "automatic",
        draws: Draws = "automatic",
        max_iter: int = 200,
        optimize_every: int = 0,
        optimize_after: int = 50,
        evaluate_every: int = 10,
        transform_method: InferMethod = "gibbs",
        transform_iter: int = 100,
        fractional: Fractional = "raise",
        random_state: Any = None,
        n_jobs: int | None = None,
        device: str | None = None,
        callback: Callback | list[Callback] | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_components = n_components
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.sampler = sampler
        self.schedule = schedule
        self.start = start
        self.draws = draws
        self.max_iter = max_iter
        self.optimize_every = optimize_every
        self.optimize_after = optimize_after
        self.evaluate_every = evaluate_every
        self.transform_method = transform_method
        self.transform_iter = transform_iter
        self.fractional = fractional
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.device = device
        self.callback = callback
        self.verbose = verbose

    # Fitting

    def fit(self, X: Any, y: Any = None, *, vocabulary: Iterable[str] | None = None, held_out: Any = None) -> LDA:
        """Trains a model.

        Parameters
        ----------
        X : array-like, sparse matrix or array, data frame, shape (D, V), or papilio.Corpus
            Counts: whole numbers of any type.
        y : ignored
        vocabulary : iterable of str, optional
            The words of the columns. By default a data frame's column names, a corpus's own words,
            or the columns' numbers.
        held_out : as X, optional
            Documents that training does not see, with the columns of X. Their perplexity after every
            `evaluate_every`-th sweep and the last becomes `held_out_curve_`; the model stays the same.

        Returns
        -------
        LDA
            Itself.

        Raises
        ------
        ValueError, TypeError
            Naming the parameter or the entry of X that does not fit.
        """
        options = self._options(_parameters.seed(self.random_state))
        corpus = self._as_corpus(X, "fit", reset=True, vocabulary=vocabulary)
        options.sweeps = _parameters.integer(self.max_iter, "max_iter", 1, 2**32 - 1)
        self._train(corpus, options, held_out=held_out)
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        *,
        n_sweeps: int = 10,
        vocabulary: Iterable[str] | None = None,
        held_out: Any = None,
    ) -> LDA:
        """Goes on with the chain, or begins one.

        With the documents that it was trained on, the result is that of a run without a break:
        ``fit`` with max_iter=20 is ``partial_fit`` twice. Any other X is further documents: they join those
        that are there, their topics begin as in a new chain of all (uniform), and all go on together.

        Parameters
        ----------
        X : as for `fit`
        y : ignored
        n_sweeps : int, default 10
        vocabulary : iterable of str, optional
            Of the first call.
        held_out : as for `fit`, optional

        Returns
        -------
        LDA
            Itself.
        """
        n_sweeps = _parameters.integer(n_sweeps, "n_sweeps", 1, 2**32 - 1)
        if not hasattr(self, "_fitted"):
            options = self._options(_parameters.seed(self.random_state))
            corpus = self._as_corpus(X, "partial_fit", reset=True, vocabulary=vocabulary)
            options.sweeps = n_sweeps
            self._train(corpus, options, held_out=held_out)
            return self
        fit = self._fitted
        if fit.topics is None:
            raise NotFittedError("LDA.partial_fit: this model came without its chain; load_chain reads one")
        options = self._options(fit.seed)
        if options.topics != fit.model.topics:
            raise ValueError(f"LDA.partial_fit: n_components is {options.topics}, but the chain has {fit.model.topics}")
        corpus, topics = self._join(self._as_corpus(X, "partial_fit", vocabulary=vocabulary), options)
        options.sweeps = topics.sweep + n_sweeps
        self._train(corpus, options, topics, held_out)
        return self

    # New documents

    def transform(self, X: Any) -> Any:
        """Topics of documents.

        A document's row depends on the model and on its own words alone. One without words that the model knows gets the
        prior's mean.

        Parameters
        ----------
        X : as for `fit`
            The words of a corpus are matched by their spelling.

        Returns
        -------
        array of shape (D, K)
            Rows that sum to 1; float32 where X is, else float64.
        """
        fit = self._require_fit()
        corpus = self._as_corpus(X, "transform")
        n = _parameters.integer(self.transform_iter, "transform_iter", 1)
        inferred = _core.infer(
            fit.model, corpus, self.transform_method, n, n // 5, n, fit.seed, _parameters.threads(self.n_jobs)
        )
        single = getattr(X, "dtype", None) == np.float32
        return inferred.theta.astype(np.float32 if single else np.float64)

    def fit_transform(self, X: Any, y: Any = None, *, vocabulary: Iterable[str] | None = None) -> Any:
        """`fit`, then `transform`.

        Parameters
        ----------
        X, y, vocabulary : as for `fit`

        Returns
        -------
        array of shape (D, K)
        """
        return self.fit(X, y, vocabulary=vocabulary).transform(X)

    def perplexity(self, X: Any) -> float:
        """Perplexity of documents, by document completion: half of each foretells the other half.

        Parameters
        ----------
        X : as for `fit`
            Documents, best those that `fit` has not seen.

        Returns
        -------
        float
            exp of minus the mean log-likelihood of the tokens foretold.

        Raises
        ------
        ValueError
            No document has two words that the model knows.
        """
        return math.exp(self._nats_per_token(self._as_scored(X, "perplexity")))

    def score(self, X: Any, y: Any = None) -> float:
        """Log-likelihood of documents, larger is better: that of a token foretold, times their tokens.

        Parameters
        ----------
        X : as for `fit`
        y : ignored

        Returns
        -------
        float
            ``-tokens * log(perplexity(X))``, in nats.
        """
        corpus = self._as_scored(X, "score")
        return -corpus.tokens * self._nats_per_token(corpus)

    def _as_scored(self, X, method):
        self._require_fit()
        return self._as_corpus(X, method)

    def _nats_per_token(self, corpus):
        fit = self._fitted
        result = _core.complete_documents(fit.model, corpus, 50, fit.seed, True, _parameters.threads(self.n_jobs))
        if result.tokens == 0:
            raise ValueError("LDA: no document has two words that the model knows, so there is nothing to score")
        return result.nats_per_token

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
