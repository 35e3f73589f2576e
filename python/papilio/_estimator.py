"""The base classes of LDA: scikit-learn's from 1.6 on, else the methods of them that users call."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from papilio._feature_names import check_feature_names

if TYPE_CHECKING:
    from typing import TypeVar

    Self = TypeVar("Self", bound="Estimator")

    class NotFittedError(ValueError, AttributeError): ...

    class Estimator:
        """What both classes below have."""

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self: Self, **params: Any) -> Self: ...
        def get_feature_names_out(self, input_features: Any = None) -> np.ndarray: ...
        def _check_columns(self, X: Any, width: int, reset: bool) -> None: ...
        def __sklearn_tags__(self) -> Any: ...

else:
    try:
        from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
        from sklearn.exceptions import NotFittedError
        from sklearn.utils.validation import validate_data

        class Estimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
            """A transformer of scikit-learn."""

            def _check_columns(self, X, width, reset):
                validate_data(self, X, reset=reset, skip_check_array=True)

    except ImportError:

        class NotFittedError(ValueError, AttributeError):
            """A method that needs a fitted model was called before `fit`."""

        class Estimator:
            """Parameters by name, as in scikit-learn."""

            @classmethod
            def _parameter_names(cls):
                parameters = inspect.signature(cls.__init__).parameters
                kinds = inspect.Parameter
                return sorted(
                    name for name, p in parameters.items() if name != "self" and p.kind is not kinds.VAR_KEYWORD
                )

            def get_params(self, deep=True):
                """The constructor's parameters by name."""
                return {name: getattr(self, name) for name in self._parameter_names()}

            def set_params(self, **params):
                """Set parameters by name; ValueError for one that the constructor does not have."""
                names = self._parameter_names()
                for name, value in params.items():
                    if name not in names:
                        raise ValueError(f"{type(self).__name__}: no parameter {name!r}, expected one of {names}")
                    setattr(self, name, value)
                return self

            def __repr__(self):
                defaults = inspect.signature(type(self).__init__).parameters
                changed = [
                    f"{name}={value!r}"
                    for name, value in self.get_params().items()
                    if value is not defaults[name].default
                ]
                return f"{type(self).__name__}({', '.join(changed)})"

            def get_feature_names_out(self, input_features=None):
                """The names of the output columns: the name of the class and a number."""
                prefix = type(self).__name__.lower()
                return np.array([f"{prefix}{k}" for k in range(self._n_features_out)], dtype=object)

            def _check_columns(self, X, width, reset):
                check_feature_names(self, X, reset)
                if reset:
                    self.n_features_in_ = width
                elif width != self.n_features_in_:
                    raise ValueError(
                        f"X has {width} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input"
                    )
