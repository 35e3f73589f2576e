"""The part of LDA that works on a fitted model: tables, files, attributes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from papilio import _core, _parameters
from papilio._estimator import NotFittedError
from papilio._topic_tables import as_table, topic_rows, topic_word_rows
from papilio.readers import Path


class Fit:
    """The result of `fit`: a model, and the chain that it comes from."""

    def __init__(self, model, seed, corpus=None, topics=None, curve=(), held_out=()):
        self.model = model
        self.seed = seed
        self.corpus = corpus
        self.topics = topics
        self.curve = list(curve)
        self.held_out = list(held_out)
        self._components = None

    def __getstate__(self):
        return {**self.__dict__, "_components": None}

    @property
    def components(self):
        """n_wk + beta of shape (K, V), computed on first use."""
        if self._components is None:
            counts = np.ascontiguousarray(self.model.n_wk.T, np.float64)
            counts += self.model.beta
            self._components = counts
        return self._components


class FittedTopics:
    """The part of LDA that needs a fitted model: `_fitted`, a `Fit`."""

    def topics(self, top_n: int = 10) -> Any:
        """Make a table of the topics.

        Parameters
        ----------
        top_n : int, default 10
            Words per topic.

        Returns
        -------
        pandas.DataFrame, or list of dict if pandas is not installed
            topic, tokens, share (of all tokens), alpha, words (the most probable, separated by blanks).

        Examples
        --------
        >>> import papilio
        >>> corpus = papilio.corpus_from_texts(["cats purr", "dogs bark", "cats cats", "dogs dogs bark"])
        >>> lda = papilio.LDA(n_components=2, max_iter=50, random_state=1).fit(corpus)
        >>> table = lda.topics(top_n=2)
        """
        return as_table(topic_rows(self.model_, _parameters.integer(top_n, "top_n", 1)))

    def topic_words(self, top_n: int = 10) -> Any:
        """Make a table of the most probable words of each topic, one row per word.

        Parameters
        ----------
        top_n : int, default 10
            Words per topic.

        Returns
        -------
        pandas.DataFrame, or list of dict if pandas is not installed
            topic, rank (from 1), word, probability.
        """
        return as_table(topic_word_rows(self.model_, _parameters.integer(top_n, "top_n", 1)))

    # Files

    def save(self, path: Path) -> None:
        """Write the model as one safetensors file, as ``papilio train`` does; no pickle.

        Parameters
        ----------
        path : str or path-like

        Raises
        ------
        OSError
            The file cannot be written.
        """
        _core.save_model(self.model_, os.fspath(path))

    @classmethod
    def load(cls, path: Path) -> Any:
        """Read a model that `save` or ``papilio train`` wrote.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        LDA
            With the parameters in the file. It transforms and scores, but has no chain to continue.

        Raises
        ------
        OSError
            The file cannot be read.
        papilio.FormatError
            The file does not hold a model, or is damaged.
        """
        return cls.from_model(_core.load_model(os.fspath(path)))

    @classmethod
    def from_model(cls, model: _core.Model) -> Any:
        """Make a fitted LDA from a model.

        Parameters
        ----------
        model : papilio.Model

        Returns
        -------
        LDA
        """
        alpha = np.array(model.alpha)
        settings = model.settings
        lda = cls(
            model.topics,
            doc_topic_prior=float(alpha[0]) if (alpha == alpha[0]).all() else alpha,
            topic_word_prior=model.beta,
            sampler=settings.get("sampler", "collapsed"),
            schedule=settings.get("schedule", "parallel"),
            max_iter=max(1, int(settings.get("sweeps", 200))),
            random_state=int(settings.get("seed", 0)),
        )
        lda._fitted = Fit(model, lda.random_state)
        lda.n_iter_ = int(settings.get("sweeps", 0))
        lda.n_features_in_ = model.vocabulary_size
        return lda

    def save_chain(self, path: Path) -> None:
        """Write the state of the chain, for `load_chain`. The previous file stays as PATH.previous.

        Parameters
        ----------
        path : str or path-like

        Raises
        ------
        OSError
            The file cannot be written.
        """
        fit = self._require_chain("save_chain")
        _core.save_checkpoint(fit.topics, fit.corpus, self._options(fit.seed), os.fspath(path))

    def load_chain(self, path: Path, X: Any, *, vocabulary: Iterable[str] | None = None) -> Any:
        """Read a chain that `save_chain`, or ``papilio train`` as a checkpoint, wrote for the same X and parameters.

        Parameters
        ----------
        path : str or path-like
        X, vocabulary : as for `fit`

        Returns
        -------
        LDA
            Itself, fitted; `partial_fit` continues the chain.

        Raises
        ------
        ValueError
            X or a parameter differs from those of the chain; the message names the first difference.
        TypeError
            `random_state` is not an int.
        OSError
            The file cannot be read.
        papilio.FormatError
            The file and PATH.previous are damaged.
        """
        options = self._options(_parameters.integer(self.random_state, "random_state", 0, 2**64 - 1))
        corpus = self._as_corpus(X, "load_chain", reset=True, vocabulary=vocabulary)
        topics, damage = _core.load_checkpoint(corpus, options, os.fspath(path))
        if damage:
            warnings.warn(f"LDA.load_chain: read the previous checkpoint: {damage}", stacklevel=2)
        return self._take_chain(corpus, topics, options)

    def _take_chain(self, corpus, topics, options):
        """The model of the state, without a sweep."""
        options.sweeps = topics.sweep
        result = _core.train(corpus, options, topics, None, "", 0, 0.0)
        self._keep(result, options, corpus)
        return self

    def save_mallet_state(self, path: Path) -> None:
        """Write the topic of each token as MALLET's ``--output-state`` does.

        Parameters
        ----------
        path : str or path-like

        Raises
        ------
        OSError
            The file cannot be written.
        """
        fit = self._require_chain("save_mallet_state")
        _core.write_mallet_state(fit.corpus, fit.topics.z, fit.model.alpha, fit.model.beta, os.fspath(path))

    def _require_fit(self):
        if not hasattr(self, "_fitted"):
            name = type(self).__name__
            raise NotFittedError(
                f"This {name} instance is not fitted yet. Call 'fit' with appropriate arguments before using this "
                "estimator."
            )
        return self._fitted

    def _require_chain(self, method):
        fit = self._require_fit()
        if fit.topics is None:
            raise NotFittedError(f"LDA.{method}: this model has no chain")
        return fit

    @property
    def components_(self) -> np.ndarray:
        return self._require_fit().components

    @property
    def model_(self) -> _core.Model:
        return self._require_fit().model

    @property
    def log_joint_curve_(self) -> np.ndarray:
        return np.array(self._require_fit().curve, np.float64).reshape(-1, 2)

    @property
    def held_out_curve_(self) -> np.ndarray:
        return np.array(self._require_fit().held_out, np.float64).reshape(-1, 2)

    @property
    def doc_topic_prior_(self) -> np.ndarray:
        return self._require_fit().model.alpha

    @property
    def topic_word_prior_(self) -> float:
        return self._require_fit().model.beta

    @property
    def vocabulary_(self) -> list[str]:
        return self._require_fit().model.vocabulary

    @property
    def random_state_(self) -> int:
        return self._require_fit().seed

    @property
    def _n_features_out(self):
        return self._require_fit().model.topics

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_fitted")
