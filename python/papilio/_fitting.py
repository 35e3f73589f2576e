"""From parameters and counts to a run of the library."""

from __future__ import annotations

import numpy as np

from papilio import _core, _parameters
from papilio._core import Corpus
from papilio._counts import as_counts
from papilio._fitted import Fit
from papilio._progress import Reporter
from papilio.corpora import column_words


class Fitting:
    """The part of LDA that trains: parameters to options, X to a corpus, and what becomes of the result."""

    def _options(self, seed):
        options = _core.TrainOptions()
        options.topics = topics = _parameters.integer(self.n_components, "n_components", 1)
        alpha = _parameters.document_prior(self.doc_topic_prior, topics)
        if isinstance(alpha, float):
            options.alpha = alpha
        else:
            options.topic_alpha = alpha
        options.beta = _parameters.word_prior(self.topic_word_prior, topics)
        for name in ("sampler", "schedule", "start", "draws"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"LDA: {name} is {getattr(self, name)!r}, expected a str")
        options.sampler = self.sampler
        options.schedule = self.schedule
        options.start = self.start
        options.draws = self.draws
        options.optimize_every = _parameters.integer(self.optimize_every, "optimize_every", 0)
        options.optimize_after = _parameters.integer(self.optimize_after, "optimize_after", 0)
        options.evaluate_every = max(0, _parameters.integer(self.evaluate_every, "evaluate_every", -1))
        options.held_out_every = options.evaluate_every
        options.threads = _parameters.threads(self.n_jobs)
        options.device = _parameters.device(self.device, self.schedule)
        options.seed = seed
        return options

    def _as_corpus(self, X, method, *, reset=False, vocabulary=None, words=None):
        """X as a corpus, with these words or the model's. Without `reset`, the columns must be those of the fit."""
        caller = f"{type(self).__name__}.{method}"
        if self.fractional not in ("raise", "round"):
            raise ValueError(f"LDA: fractional is {self.fractional!r}, expected 'raise' or 'round'")
        if isinstance(X, Corpus):
            if vocabulary is not None:
                raise ValueError(f"{caller}: vocabulary cannot be given with a corpus, which has its own")
            if reset:
                self.n_features_in_ = X.vocabulary_size
                self.__dict__.pop("feature_names_in_", None)
            return X
        counts = as_counts(X, caller, self.fractional)
        self._check_columns(X, counts.width, reset)
        if words is None:
            words = column_words(X, counts.width, vocabulary, caller) if reset else self._fitted.model.vocabulary
        return Corpus.from_counts(counts.offsets, counts.columns, counts.values, words)

    def _join(self, corpus, options):
        """The documents of the chain, followed by those of `corpus` if these are new; and the state of the chain."""
        old, topics = self._fitted.corpus, self._fitted.topics
        if corpus.vocabulary != old.vocabulary:
            raise ValueError("LDA.partial_fit: further documents must have the vocabulary of the fit")
        if np.array_equal(old.document_offsets, corpus.document_offsets) and np.array_equal(old.words, corpus.words):
            return old, topics
        joined = Corpus(
            np.concatenate([old.document_offsets, corpus.document_offsets[1:] + old.tokens]),
            np.concatenate([old.words, corpus.words]),
            old.vocabulary,
        )
        options.sweeps = 0
        first = _core.train(joined, options, None, None, "", 0, 0.0).topics.z
        z = np.concatenate([topics.z, first[old.tokens :]])
        return joined, _core.ChainState(z, topics.sweep, topics.alpha, topics.beta)

    def _train(self, corpus, options, resume=None, held_out=None):
        before = None if resume is None else self._fitted
        if held_out is not None:
            held_out = self._as_corpus(held_out, "fit", words=corpus.vocabulary)
        done = 0 if resume is None else resume.sweep
        callbacks = _parameters.callbacks(self.callback)
        report = Reporter(callbacks, self.verbose, options.sweeps, done)
        try:
            result = _core.train(corpus, options, resume, report, "", 0, 0.0, held_out)
        except BaseException as error:
            result = getattr(error, "train_result", None)
            if result is not None:
                self._keep(result, options, corpus, before, report.curve)
            raise
        finally:
            report.close()
        self._keep(result, options, corpus, before, report.curve)

    def _keep(self, result, options, corpus, before=None, curve=()):
        """Keeps the result; its curves follow those of the fit before."""
        held_out = [(score.sweep, score.completion.perplexity) for score in result.held_out]
        if before is not None:
            curve, held_out = [*before.curve, *curve], [*before.held_out, *held_out]
        self._fitted = Fit(result.model, options.seed, corpus, result.topics, curve, held_out)
        self.n_iter_ = result.topics.sweep
        self.log_joint_ = result.log_joint_per_token
