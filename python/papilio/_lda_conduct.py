"""How LDA is copied, pickled and shown, and what it tells scikit-learn of itself."""

from __future__ import annotations

import copy
import functools
import html
from typing import TYPE_CHECKING, Any

from papilio._core import Model
from papilio._display import topics_table
from papilio._estimator import Estimator
from papilio._options import Ranks

if TYPE_CHECKING:
    from typing_extensions import Self


class Conduct(Estimator):
    """The part of LDA that concerns the object itself."""

    ranks: Ranks | None
    model_: Model
    n_iter_: int

    # Copies

    def __getstate__(self) -> dict[str, Any]:
        """Without `ranks`, which belong to the processes of a running job."""
        inherited = getattr(super(), "__getstate__", None)  # Python has one from 3.11 on
        state = self.__dict__ if inherited is None else inherited()
        return {**state, "ranks": None}

    def __sklearn_clone__(self) -> Self:
        twin = copy.copy(self)
        inherited = getattr(super(Conduct, twin), "__sklearn_clone__", None)  # the base of scikit-learn 1.6 has one
        if inherited is None:
            parameters = {name: copy.deepcopy(value) for name, value in twin.get_params(deep=False).items()}
            inherited = functools.partial(type(self), **parameters)
        clone: Self = inherited()
        clone.ranks = self.ranks
        return clone

    # Notebooks

    def _repr_html_(self) -> str:
        if not hasattr(self, "_fitted"):
            return f"<pre>{html.escape(repr(self))}</pre>"
        return topics_table(self.model_, f"{self!r}, {self.n_iter_} sweeps")

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
