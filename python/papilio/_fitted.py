"""The part of LDA that works on a fitted model: tables, files, attributes."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from papilio import _core, _parameters
from papilio._checked import file_name
from papilio._counts import as_list, kind_of_texts
from papilio._estimator import NotFittedError
from papilio._fit import Chain, Fit
from papilio._options import ReportOptions, TypicalOptions, Vocabulary
from papilio._report import Report, report, typical_documents
from papilio._seed_words import spelled_seeds
from papilio._topic_tables import as_table, document_rows, topic_rows, topic_word_rows
from papilio.corpora import renamed
from papilio.readers import Path

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class FittedTopics:
    """The part of LDA that needs a fitted model: `_fitted`, a `Fit`."""

    def topics(self, top_n: int = 10, *, vocabulary: Vocabulary | None = None) -> Any:
        """Make a table of the topics.

        Parameters
        ----------
        top_n : int, default 10
            Words per topic.
        vocabulary : list of str, dict of str to int, or fitted vectorizer, optional
            The words of the columns, where `fit` was not given them: in a pipeline, the step before, which has
            ``get_feature_names_out``.

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
        model = self._named(vocabulary, "topics")
        return as_table(topic_rows(model, _parameters.integer(top_n, "top_n", 1)))

    def topic_words(self, top_n: int = 10, *, vocabulary: Vocabulary | None = None) -> Any:
        """Make a table of the most probable words of each topic, one row per word.

        Parameters
        ----------
        top_n : int, default 10
            Words per topic.
        vocabulary : optional
            As for `topics`.

        Returns
        -------
        pandas.DataFrame, or list of dict if pandas is not installed
            topic, rank (from 1), word, probability.
        """
        model = self._named(vocabulary, "topic_words")
        return as_table(topic_word_rows(model, _parameters.integer(top_n, "top_n", 1)))

    def _named(self, vocabulary: Vocabulary | None, method: str) -> _core.Model:
        return self.model_ if vocabulary is None else renamed(self.model_, vocabulary, f"LDA.{method}")

    def representative_documents(self, n: int = 3) -> Any:
        """Make a table of the training documents in which each topic has its largest share, `n` per topic.

        Their topics are those of the chain, so it takes no inference; `typical_documents` infers them, for any
        documents, and has their text.

        Parameters
        ----------
        n : int, default 3
            Documents per topic.

        Returns
        -------
        pandas.DataFrame, or list of dict if pandas is not installed
            topic, rank (from 1), document (its number), name (if documents have names), share (of the topic in the
            document, as in `document_topics_`). Documents without a token of the topic are left out.

        Raises
        ------
        NotFittedError
            The model was read from a file without its chain.
        """
        n = _parameters.integer(n, "n", 1)
        chain = self._require_chain("representative_documents")
        counts = self._document_counts(chain)
        return as_table(document_rows(chain.corpus, self._theta(chain, counts), counts, n))

    def typical_documents(self, X: Any = None, **options: Unpack[TypicalOptions]) -> Any:
        """Make a table of the documents with the largest share of each topic, as ``papilio topics --documents`` does.

        Parameters
        ----------
        X : as for `fit`, optional
            The documents. By default the training documents.
        **options
            Those of `papilio.typical_documents`: `documents`, `excerpt`, `texts`, ... Where X is texts, `texts` is X.

        Returns
        -------
        pandas.DataFrame, or list of dict if pandas is not installed
            topic, rank, document, name, share, text.

        Raises
        ------
        NotFittedError
            There is no X, and the model was read from a file without its chain.
        ValueError, TypeError
            As for `papilio.typical_documents` and `fit`.

        Examples
        --------
        >>> import papilio
        >>> texts = ["cats purr", "dogs bark", "cats cats", "dogs dogs bark"]
        >>> lda = papilio.LDA(n_components=2, max_iter=50, random_state=1).fit(texts)
        >>> table = lda.typical_documents(texts, documents=1)
        """
        if X is None:
            self._require_chain("typical_documents")
        corpus, texts = self._shown(X, "typical_documents")
        return typical_documents(self.model_, corpus, **{**texts, **options})

    def _shown(self, X: Any, method: str) -> tuple[_core.Corpus | None, dict[str, Any]]:
        """The documents of X, or of the training if there is a chain; and the option `texts`, where X is texts."""
        fit = self._require_fit()
        texts = {"texts": as_list(X)} if kind_of_texts(X) == "texts" else {}
        return fit.corpus if X is None else self._as_corpus(X, method), texts

    def report(self, X: Any = None, **options: Unpack[ReportOptions]) -> Report:
        """Make a page that shows the topics, their words and typical documents; a notebook shows it.

        Parameters
        ----------
        X : as for `fit`, optional
            The documents to show. By default the training documents, if there is a chain.
        **options
            Those of `papilio.report`: `title`, `texts`, `groups`, ... Where X is texts, `texts` is X; the default of
            `likelihood` is `log_joint_curve_`.

        Returns
        -------
        papilio.Report
            ``save(path)`` writes the page, ``open()`` shows it in a browser.

        Raises
        ------
        ValueError, TypeError
            As for `papilio.report` and `fit`.

        Examples
        --------
        >>> import papilio
        >>> texts = ["cats purr", "dogs bark", "cats cats", "dogs dogs bark"]
        >>> lda = papilio.LDA(n_components=2, max_iter=50, random_state=1).fit(texts)
        >>> page = lda.report(texts=texts, title="Cats and dogs")
        """
        corpus, texts = self._shown(X, "report")
        return report(self.model_, corpus, **{"likelihood": self.log_joint_curve_, **texts, **options})

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
        _core.save_model(self.model_, file_name(path))

    @classmethod
    def load(cls, path: Path) -> Self:
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
        return cls.from_model(_core.load_model(file_name(path)))

    @classmethod
    def from_model(cls, model: _core.Model) -> Self:
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
            seed_words=spelled_seeds(model),
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
        options = self._options(fit.seed)
        self._add_seed_words(options, fit.corpus)
        _core.save_checkpoint(fit.topics, fit.corpus, options, file_name(path))

    def load_chain(self, path: Path, X: Any, *, vocabulary: Vocabulary | None = None) -> Self:
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
        self._add_seed_words(options, corpus)
        topics, damage = _core.load_checkpoint(corpus, options, file_name(path))
        if damage:
            warnings.warn(f"LDA.load_chain: read the previous checkpoint: {damage}", stacklevel=2)
        return self._take_chain(corpus, topics, options)

    def _take_chain(self, corpus: _core.Corpus, topics: _core.ChainState, options: _core.TrainOptions) -> Self:
        """The model of the state, without a sweep."""
        options.sweeps = topics.sweep
        result = _core.train(corpus, options, topics, None, b"", 0, 0.0)
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
        _core.write_mallet_state(fit.corpus, fit.topics.z, fit.model.alpha, fit.model.beta, file_name(path))

    def _require_fit(self) -> Fit:
        if not hasattr(self, "_fitted"):
            name = type(self).__name__
            raise NotFittedError(
                f"This {name} instance is not fitted yet. Call 'fit' with appropriate arguments before using this "
                "estimator."
            )
        return self._fitted

    def _require_chain(self, method: str) -> Chain:
        fit = self._require_fit()
        if fit.topics is None or fit.corpus is None:
            raise NotFittedError(f"LDA.{method}: this model has no chain")
        return Chain(fit.model, fit.seed, fit.corpus, fit.topics)

    @property
    def components_(self) -> NDArray[np.float64]:
        return self._require_fit().components

    @property
    def topics_(self) -> NDArray[np.int32]:
        return self._require_chain("topics_").topics.z

    @property
    def document_topics_(self) -> NDArray[np.float64]:
        chain = self._require_chain("document_topics_")
        return self._theta(chain, self._document_counts(chain))

    def _theta(self, chain: Chain, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        theta = counts + chain.model.alpha
        theta /= theta.sum(axis=1, keepdims=True)
        return theta

    def _document_counts(self, chain: Chain) -> NDArray[np.int64]:
        """n_dk of shape (D, K)."""
        documents, topics = chain.corpus.documents, chain.model.topics
        cells = np.repeat(np.arange(documents) * topics, np.diff(chain.corpus.document_offsets)) + chain.topics.z
        return np.bincount(cells, minlength=documents * topics).reshape(documents, topics)

    @property
    def model_(self) -> _core.Model:
        return self._require_fit().model

    @property
    def log_joint_curve_(self) -> NDArray[np.float64]:
        return np.array(self._require_fit().curve, np.float64).reshape(-1, 2)

    @property
    def held_out_curve_(self) -> NDArray[np.float64]:
        return np.array(self._require_fit().held_out, np.float64).reshape(-1, 2)

    @property
    def bound_(self) -> float:
        fit = self._require_chain("bound_")
        if self._fitted._bound is None:
            self._fitted._bound = math.exp(self._completion(fit.corpus, "bound_", None)[0].nats_per_token)
        return self._fitted._bound

    @property
    def doc_topic_prior_(self) -> NDArray[np.float64]:
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
    def _n_features_out(self) -> int:
        return self._require_fit().model.topics

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fitted")
