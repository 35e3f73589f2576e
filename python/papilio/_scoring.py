"""The part of LDA that scores documents which it was not trained on."""

from __future__ import annotations

import math
from typing import Any

from papilio import _core, _parameters
from papilio._core import Completion, Corpus
from papilio._ranks import core_ranks


class Scoring:
    """Held-out likelihood, for a class that has `_require_fit` and `_as_documents`.

    The first score prepares the model, as `transform` does, and later ones take the time of their documents.
    """

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
        return math.exp(self._completion(X, "perplexity", core_ranks(self.ranks, "LDA"))[0].nats_per_token)

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
        completion, tokens = self._completion(X, "score", core_ranks(self.ranks, "LDA"))
        return -tokens * completion.nats_per_token

    def _completion(self, X: Any, method: str, ranks: _core.Ranks | None) -> tuple[Completion, int]:
        """The completion of X, and all its tokens."""
        fit = self._require_fit()
        documents = self._as_documents(X, method)
        options = (50, fit.seed, True, _parameters.threads(self.n_jobs), "cpu", ranks)
        if isinstance(documents, Corpus):
            result = fit.inference.complete_documents(documents, *options)
            tokens = documents.tokens
        else:
            result = fit.inference.complete_counts(documents.offsets, documents.columns, documents.values, *options)
            tokens = int(documents.values.sum())
        if result.tokens == 0:
            raise ValueError("LDA: no document has two tokens that the model knows, so there is nothing to score")
        return result, tokens
