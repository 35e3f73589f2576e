"""The topic model as a scikit-learn estimator."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from papilio import _core, _parameters
from papilio._checked import flag
from papilio._core import Corpus
from papilio._estimator import NotFittedError
from papilio._fitted import FittedTopics
from papilio._fitting import Fitting
from papilio._keywords import suggests_options_beside
from papilio._lda_conduct import Conduct
from papilio._options import (
    Callback,
    Draws,
    Fractional,
    InferMethod,
    Ranks,
    Sampler,
    Schedule,
    SeedWords,
    Start,
    VariationalParameters,
    Vocabulary,
)
from papilio._ranks import core_ranks
from papilio._scoring import Scoring

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

__all__ = ["LDA", "NotFittedError"]


class LDA(Fitting, Scoring, FittedTopics, Conduct):
    """Latent Dirichlet allocation by Gibbs sampling, with scikit-learn's interface.

    It can replace ``sklearn.decomposition.LatentDirichletAllocation``; scikit-learn need not be installed.

    Parameters
    ----------
    n_components : int, default 100
        Topics, K; at least 1.
    doc_topic_prior : float or array of shape (K,), optional
        alpha, one for all topics or one per topic; 1e-100 to 1e6. None: 1 / K.
    topic_word_prior : float, optional
        beta; 1e-100 to 1e6. None: 1 / K.
    sampler : {"collapsed", "phi_collapsed", "theta_collapsed", "uncollapsed", "mean_for_mode"}
        Which of theta and phi are integrated out, and which are drawn.
    schedule : {"parallel", "sequential"}
        "parallel": every topic is drawn from the counts at the start of the sweep. "sequential": the exact chain, token
        by token, in one thread of the CPU.
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
    max_iter : int, default 200
        Sweeps over all tokens; at least 1.
    optimize_every, optimize_after : int, default 0 and 50
        Optimise beta and the alpha of each topic every `optimize_every` sweeps, first after sweep `optimize_after`.
        0: the priors are fixed.
    seed_words : dict of int to words, optional
        Words that belong to topics: ``{0: ["bank", "money"], 3: {"river": 50}}``, lists of words or dicts of word to
        weight. The prior of a listed word in its topic is topic_word_prior + weight, and its tokens start in that
        topic (docs/lda/seed_words.md). If the vocabulary lacks some of the words, a UserWarning names them.
    seed_weight : int, default 100
        The weight of words in lists: how many tokens of the topic a seed word is worth; 1 to 1,000,000.
    evaluate_every : int, default 10
        Compute the log-likelihood every `evaluate_every` sweeps and after the last; 0: after the last only.
    transform_method : {"gibbs", "em"}
        How `transform` finds the topics of new documents: the posterior mean by sampling, or a fixed point.
    transform_iter : int, default 100
        Sweeps of "gibbs", of which the first fifth is not counted, or steps of "em"; at least 1.
    fractional : {"raise", "round"}
        What to do with entries of X that are not whole numbers.
    random_state : int, generator, key of JAX or None
        An int is the seed itself, 0 <= seed < 2^64, and so is a key of JAX. A generator of NumPy's gives 32 bits, one
        of PyTorch's 63, and advances. None: 32 bits from NumPy's global generator.
    n_jobs : int, optional
        CPU threads. None and -1: all processors; -2: all but one. Never changes the model.
    device : str, optional
        "cpu", "cuda" or "cuda:N". None: the device named by the environment variable PAPILIO_DEVICE, else a GPU if
        there is one, else the CPU; for the sequential schedule, the CPU. Never changes the model.
    max_device_memory : int, default 0
        The most bytes of GPU memory that `fit` and `partial_fit` take; 0: nearly all that is free. Data that does not
        fit is streamed from the host's memory in every sweep. Never changes the model.
    callback : callable or list of callables, optional
        Called with a `papilio.Progress` after each sweep. Training stops after the sweep if one returns False.
    verbose : int, default 0
        1: a progress bar if tqdm is installed, else lines on standard error; over `ranks`, only from rank 0.
    ranks : papilio.distributed.Ranks, optional
        The processes that share the work, such as ``papilio.distributed.process_group()`` (docs/distributed.md). Every
        rank has an LDA with the same parameters, and gets the results of one process, bit for bit. Never changes the
        model.
    **variational
        `learning_method`, `learning_decay`, `learning_offset`, `batch_size`, `total_samples`, `perp_tol`,
        `mean_change_tol`, `max_doc_update_iter`: parameters of scikit-learn's class, which uses another method. They are
        ignored, with a warning, and are not parameters of the estimator.

    Attributes
    ----------
    components_ : array of shape (K, V)
        n_wk + beta, and the weights of seed words; read-only. Rows divided by their sums are the topics, phi.
    document_topics_ : array of shape (D, K)
        theta of the training documents, in the state of the chain: (n_dk + alpha) / (n_d + sum of alpha). Computed on
        each access.
    topics_ : array of int32, shape (N,)
        z, the topic of each training token, in the order of the corpus (of the columns, for a matrix).
    model_ : papilio.Model
        Counts, priors, vocabulary and settings.
    n_iter_ : int
        Sweeps done.
    log_joint_ : float
        log p(w, z) / N after the last sweep, in nats; theta and phi are integrated out.
    log_joint_curve_ : array of shape (n, 2)
        Sweeps, and the log-likelihood per token after each.
    held_out_curve_ : array of shape (n, 2)
        Sweeps, and the perplexity of `held_out` after each.
    bound_ : float
        ``perplexity`` of the training documents, computed on first access. Lower than that of documents that `fit`
        has not seen.
    doc_topic_prior_, topic_word_prior_ : array of shape (K,) and float
        The priors, optimised if `optimize_every` is not 0.
    vocabulary_ : list of str
        The words of the columns.
    n_features_in_ : int
        V.
    feature_names_in_ : array of str
        The column names, if X was a data frame.
    random_state_ : int
        The seed.

    Notes
    -----
    The model is a function of the counts, the parameters and the seed. It has the same bytes for any `n_jobs` and
    `device`, and the same as that of the command ``papilio train``.

    Over `ranks`, every rank must call `fit`, `partial_fit`, `fit_transform`, `transform`, `perplexity` and `score`, with
    the same documents; everything else, including attributes, concerns one rank only. Each holds all documents, all
    topics (4 bytes per token) and all rows of `transform`. If `random_state` does not determine the seed, rank 0's seed
    is used. With `device` None ranks train on the CPU; to train on GPUs, give each its own, ``device="cuda:N"``. The
    schedule must be "parallel". A pickle or copy of an LDA has no ranks; scikit-learn's ``clone`` keeps them.

    Ctrl-C stops `fit` and `partial_fit` at the end of a sweep with KeyboardInterrupt, as does any exception that a
    callback raises. The model so far can then be used, and `partial_fit` continues it.

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

    @suggests_options_beside(VariationalParameters.__annotations__)
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
        mh_steps: int = 2,
        max_iter: int = 200,
        optimize_every: int = 0,
        optimize_after: int = 50,
        seed_words: SeedWords | None = None,
        seed_weight: int = 100,
        evaluate_every: int = 10,
        transform_method: InferMethod = "gibbs",
        transform_iter: int = 100,
        fractional: Fractional = "raise",
        random_state: Any = None,
        n_jobs: int | None = None,
        device: str | None = None,
        max_device_memory: int = 0,
        callback: Callback | list[Callback] | None = None,
        verbose: int = 0,
        ranks: Ranks | None = None,
        **variational: Unpack[VariationalParameters],
    ) -> None:
        if variational:
            names = ", ".join(variational)
            warnings.warn(
                f"LDA: {names} belong to scikit-learn's variational method, and are ignored; max_iter counts sweeps",
                UserWarning,
                stacklevel=3,
            )
        self.n_components = n_components
        self.doc_topic_prior = doc_topic_prior
        self.topic_word_prior = topic_word_prior
        self.sampler = sampler
        self.schedule = schedule
        self.start = start
        self.draws = draws
        self.mh_steps = mh_steps
        self.max_iter = max_iter
        self.optimize_every = optimize_every
        self.optimize_after = optimize_after
        self.seed_words = seed_words
        self.seed_weight = seed_weight
        self.evaluate_every = evaluate_every
        self.transform_method = transform_method
        self.transform_iter = transform_iter
        self.fractional = fractional
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.device = device
        self.max_device_memory = max_device_memory
        self.callback = callback
        self.verbose = verbose
        self.ranks = ranks

    # Fitting

    def fit(self, X: Any, y: Any = None, *, vocabulary: Vocabulary | None = None, held_out: Any = None) -> Self:
        """Train a model.

        Parameters
        ----------
        X : array-like, sparse matrix or array, or data frame of shape (D, V), papilio.Corpus, or list of str
            Counts: whole numbers of any type, 0 to 2^31 - 1. Texts are read by `papilio.corpus_from_texts` with its
            defaults, lists of words by `papilio.corpus_from_tokens`.
        y : ignored
        vocabulary : iterable of str, dict of str to int, or vectorizer, optional
            The words of the columns; what has ``get_feature_names_out``, such as scikit-learn's CountVectorizer, gives
            its own. By default the column names of a data frame, the words of a corpus, or the numbers of the columns.
        held_out : as X, optional
            Documents to score, with the columns of X. Their perplexity after every `evaluate_every`-th sweep and the
            last becomes `held_out_curve_`. They never change the model.

        Returns
        -------
        LDA
            Itself.

        Warns
        -----
        UserWarning
            X has no counts at all; the model is then the prior.

        Raises
        ------
        ValueError, TypeError
            Naming the parameter or the entry of X that does not fit.
        papilio.DeviceUnavailable, papilio.DeviceError
            The device does not exist, fails, or has too little memory.
        papilio.RankError
            Of `ranks` another has failed or does not answer. What ranks differ in is a ValueError on all of them.
        """
        options = self._options(_parameters.seed(self.random_state))
        self._require_whole_or_parts(X, "fit")
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
        vocabulary: Vocabulary | None = None,
        held_out: Any = None,
    ) -> Self:
        """Continue the chain, or start one.

        With the documents of the fit, the result is that of a run without a break: `fit` with max_iter=20 equals
        `partial_fit` twice. Other documents join those of the fit, and all continue together; words of texts that the
        fit lacks are left out. Their tokens start with random topics. Where these equal the first or the last documents
        of the chain, a UserWarning says so: if they are these, they count twice.

        Parameters
        ----------
        X : as for `fit`
        y : ignored
        n_sweeps : int, default 10
            At least 1.
        vocabulary : as for `fit`, optional
            For the first call. In later ones the words must be the same.
        held_out : as for `fit`, optional

        Returns
        -------
        LDA
            Itself.

        Raises
        ------
        ValueError, TypeError
            As for `fit`; also if the vocabulary or `n_components` has changed.
        NotFittedError
            The model was read from a file without its chain; `load_chain` reads one.
        """
        n_sweeps = _parameters.integer(n_sweeps, "n_sweeps", 1, 2**32 - 1)
        if not hasattr(self, "_fitted"):
            options = self._options(_parameters.seed(self.random_state))
            self._require_whole_or_parts(X, "partial_fit")
            corpus = self._as_corpus(X, "partial_fit", reset=True, vocabulary=vocabulary)
            options.sweeps = n_sweeps
            self._train(corpus, options, held_out=held_out)
            return self
        fit = self._fitted
        if fit.topics is None:
            raise NotFittedError("LDA.partial_fit: this model has no chain; load_chain reads one")
        options = self._options(fit.seed)
        if options.topics != fit.model.topics:
            raise ValueError(f"LDA.partial_fit: n_components is {options.topics}, but the chain has {fit.model.topics}")
        self._require_whole_or_parts(X, "partial_fit")
        corpus, topics = self._join(self._further(X, vocabulary), options)
        options.sweeps = topics.sweep + n_sweeps
        self._train(corpus, options, topics, held_out)
        return self

    # New documents

    def transform(self, X: Any, *, normalize: bool = True) -> NDArray[np.floating[Any]]:
        """Find the topics of documents.

        Parameters
        ----------
        X : as for `fit`
            The words of a corpus or of texts are matched by spelling.
        normalize : bool, default True
            False: rows are the expected n_dk + alpha, and sum to the known tokens of the document + the sum of alpha.

        Returns
        -------
        array of shape (D, K)
            Rows sum to 1; float32 if X is, else float64.

        Raises
        ------
        NotFittedError
            `fit` was not called.
        ValueError, TypeError
            As for `fit`.

        Notes
        -----
        The row of a document depends on the model, the seed and the words of the document, and on nothing else. A
        document without words that the model knows gets the mean of the prior.

        The first call prepares the model (O(V K), as `papilio.Inference` does) and keeps about 60 bytes per word, which
        a pickle leaves out. Later calls take the time of their documents.
        """
        fit = self._require_fit()
        ranks = core_ranks(self.ranks, "LDA")
        normalize = flag(normalize, "LDA.transform: normalize")
        n = _parameters.integer(self.transform_iter, "transform_iter", 1)
        options = (self.transform_method, n, n // 5, n, fit.seed, _parameters.threads(self.n_jobs), "cpu", ranks)
        documents = self._as_documents(X, "transform")
        if isinstance(documents, Corpus):
            inferred = fit.inference.infer(documents, *options)
        else:
            inferred = fit.inference.infer_counts(documents.offsets, documents.columns, documents.values, *options)
        if ranks is not None:
            _core.share_topics(inferred, ranks)
        single = getattr(X, "dtype", None) == np.float32
        theta = inferred.theta.astype(np.float32 if single else np.float64)
        if not normalize:
            theta *= (inferred.document_tokens + fit.model.alpha.sum())[:, np.newaxis].astype(theta.dtype)
        return theta

    def fit_transform(
        self, X: Any, y: Any = None, *, vocabulary: Vocabulary | None = None, normalize: bool = True
    ) -> NDArray[np.floating[Any]]:
        """Call `fit`, then `transform`.

        Parameters
        ----------
        X, y, vocabulary : as for `fit`
        normalize : as for `transform`

        Returns
        -------
        array of shape (D, K)
        """
        return self.fit(X, y, vocabulary=vocabulary).transform(X, normalize=normalize)
