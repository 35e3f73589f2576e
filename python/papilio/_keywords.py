"""Unknown keyword arguments, answered with the nearest name that a function has."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

_NAMED = ("distributed", "interop", "plot")  # modules whose functions are called by the module's name
_Function = TypeVar("_Function", bound=Callable[..., Any])


def unknown_option(caller: str, name: str, known: Iterable[str]) -> str:
    """What to say of an option that `caller` does not have."""
    known = sorted(known)
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(known)}"
    return f"{caller}: unknown option {name!r}; {hint}"


def suggests_options(function: _Function) -> _Function:
    """Lets a function name the nearest option where it is called with one that it does not have."""
    return suggests_options_beside(())(function)


def suggests_options_beside(others: Iterable[str]) -> Callable[[_Function], _Function]:
    """The same for a function that takes these options too, as **others, which its signature does not show."""
    others = frozenset(others)

    def decorate(function: _Function) -> _Function:
        within = function.__module__.split(".")[1]
        place = f"papilio.{within}." if within in _NAMED else "papilio."
        caller = place + function.__qualname__.removesuffix(".__init__")
        signature = inspect.signature(function)
        unnamed = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_KEYWORD)
        options = frozenset(p.name for p in signature.parameters.values() if p.kind not in unnamed)

        @functools.wraps(function)
        def checked(*values: Any, **named: Any) -> Any:
            for name in named:
                if name not in options and name not in others:
                    raise TypeError(unknown_option(caller, name, options - {"self"}))
            return function(*values, **named)

        shown = [p for p in signature.parameters.values() if not (others and p.kind is p.VAR_KEYWORD)]
        checked.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]
        return cast(_Function, checked)

    return decorate
