"""Where a warning points to."""

from __future__ import annotations

import sys


def caller_level() -> int:
    """The stack level of the first caller outside papilio and scikit-learn, for a warning of the function that asks."""
    frame, level = sys._getframe(2), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("papilio", "sklearn"):
        frame, level = frame.f_back, level + 1
    return level
