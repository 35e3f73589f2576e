"""The names of a data frame's columns, kept and compared as scikit-learn does, where that does not do it."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from papilio._warnings import caller_level

_SHOWN = 5


def _names_of(X: Any) -> np.ndarray | None:
    """The names of columns that are all str; None where there are none. TypeError where only some are str."""
    names = getattr(X, "column_names", None)  # of Arrow, whose `columns` are the columns themselves
    if names is None:
        names = getattr(X, "columns", None)
    names = [] if names is None else list(names)
    kinds = sorted({type(name).__qualname__ for name in names})
    if not names or "str" not in kinds:
        return None
    if len(kinds) > 1:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but your input has "
            f"{kinds} as feature name / column name types; convert them all, as by X.columns.astype(str)"
        )
    return np.array(names, dtype=object)


def _listed(names: Iterable[str]) -> str:
    names = sorted(names)
    return "".join(f"- {name}\n" for name in names[:_SHOWN]) + ("- ...\n" if len(names) > _SHOWN else "")


def check_feature_names(estimator: Any, X: Any, reset: bool) -> None:
    """Keeps the names of X's columns as `feature_names_in_`; without `reset`, compares them with these.

    Names that differ raise ValueError. Names on one side only are a UserWarning: columns are then matched by place.
    """
    names, fitted = _names_of(X), getattr(estimator, "feature_names_in_", None)
    if reset:
        if names is not None:
            estimator.feature_names_in_ = names
        elif fitted is not None:
            del estimator.feature_names_in_
        return
    kind = type(estimator).__name__
    if names is None or fitted is None:
        if names is not None:
            message = f"X has feature names, but {kind} was fitted without feature names"
            warnings.warn(message, UserWarning, stacklevel=caller_level())
        elif fitted is not None:
            message = f"X does not have valid feature names, but {kind} was fitted with feature names"
            warnings.warn(message, UserWarning, stacklevel=caller_level())
        return
    if list(names) == list(fitted):
        return
    unseen, missing = set(names) - set(fitted), set(fitted) - set(names)
    message = "The feature names should match those that were passed during fit.\n"
    if unseen:
        message += "Feature names unseen at fit time:\n" + _listed(unseen)
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + _listed(missing)
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    raise ValueError(message)
