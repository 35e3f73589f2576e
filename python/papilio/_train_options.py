"""Checks of the options of training, which `train`, `save_checkpoint` and `load_checkpoint` share."""

from __future__ import annotations

from typing import Any

from papilio._checked import real, reals, whole
from papilio._checked import threads as checked_threads


def train_option(name: str, value: Any, caller: str) -> Any:
    """The value of an option of training; the library checks ranges that depend on other options."""
    if name == "topic_alpha":
        return reals(value, f"{caller}: topic_alpha").tolist()
    if name == "threads":
        return checked_threads(value, caller)
    if name in _WHOLE:
        least, most = _WHOLE[name]
        return whole(value, f"{caller}: {name}", least, most)
    if name in ("alpha", "beta"):
        return real(value, f"{caller}: {name}", f"a number, 0 < {name} <= 1e6")
    if not isinstance(value, str):
        raise TypeError(f"{caller}: {name} is {value!r}, expected a str")
    return value


_COUNT = (0, 2**63 - 1)
_WHOLE = {
    "topics": (1, 2**31 - 1),
    "sweeps": (0, 2**32 - 1),
    "seed": (0, 2**64 - 1),
    "mh_steps": (1, 64),
    "optimize_every": _COUNT,
    "optimize_after": _COUNT,
    "evaluate_every": _COUNT,
    "held_out_every": _COUNT,
    "max_device_memory": _COUNT,
    "progress_every": (1, 2**63 - 1),
}
