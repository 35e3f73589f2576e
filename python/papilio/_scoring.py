"""The part of LDA that scores documents which it was not trained on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from papilio import _core, _parameters

if TYPE_CHECKING:
    from papilio._fit import Fit


class Scoring:
    """Held-out likelihood, for a class that has `_require_fit` and `_as_corpus`."""

    _fitted: Fit

    def perplexity(self, X: Any, sub_sampling: bool = False) -> float:
        """Compute the perplexity of documents by document completion: half of each predicts the other half.

        Parameters
        ----------
        X : as for `fit`
            Documents that `fit` has not seen.
        sub_sampling : ignored
            A parameter of scikit-learn's class.

        Returns
        -------
        float
            exp(-mean log-likelihood of the predicted tokens).

        Raises
        ------
        ValueError
            No document has two tokens that the model knows.
        """
        return math.exp(self._nats_per_token(self._as_scored(X, "perplexity")))

    def score(self, X: Any, y: Any = None) -> float:
        """Compute the log-likelihood of documents; larger is better.

        Parameters
        ----------
        X : as for `fit`
        y : ignored

        Returns
        -------
        float
            ``-N * log(perplexity(X))`` in nats, N being the number of tokens.
        """
        corpus = self._as_scored(X, "score")
        return -corpus.tokens * self._nats_per_token(corpus)

    def _as_scored(self, X: Any, method: str) -> Corpus:
        self._require_fit()
        return self._as_corpus(X, method)

    def _nats_per_token(self, corpus: Corpus) -> float:
        fit = self._fitted
        result = _core.complete_documents(fit.model, corpus, 50, fit.seed, True, _parameters.threads(self.n_jobs))
        if result.tokens == 0:
            raise ValueError("LDA: no document has two tokens that the model knows, so there is nothing to score")
        return result.nats_per_token
