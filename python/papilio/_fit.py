"""What `fit` leaves: a model, and the chain that it comes from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from papilio import _core
from papilio._seed_words import counts_with_seeds


class Fit:
    """The result of `fit`: a model, and the chain that it comes from."""

    # Computed on first use; an older pickle does not have them.
    _components: NDArray[np.float64] | None = None
    _inference: _core.Inference | None = None
    _bound: float | None = None

    def __init__(
        self,
        model: _core.Model,
        seed: int,
        corpus: _core.Corpus | None = None,
        topics: _core.ChainState | None = None,
        curve: Iterable[tuple[int, float]] = (),
        held_out: Iterable[tuple[int, float]] = (),
    ) -> None:
        self.model = model
        self.seed = seed
        self.corpus = corpus
        self.topics = topics
        self.curve = list(curve)
        self.held_out = list(held_out)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_components": None, "_inference": None}

    @property
    def inference(self) -> _core.Inference:
        """The model made ready to infer topics, on first use. Of threads that come at once, one is kept."""
        if self._inference is None:
            self._inference = _core.Inference(self.model)
        return self._inference

    @property
    def components(self) -> NDArray[np.float64]:
        """n_wk + beta, and seed words' weights, of shape (K, V), computed on first use; read-only, as it is kept."""
        if self._components is None:
            counts = counts_with_seeds(self.model)
            counts += self.model.beta
            counts.setflags(write=False)
            self._components = counts
        return self._components


class Chain(NamedTuple):
    """The part of a `Fit` that a model from a file does not have."""

    model: _core.Model
    seed: int
    corpus: _core.Corpus
    topics: _core.ChainState
