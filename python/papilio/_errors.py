"""Exceptions of the library that Python has no class of its own for."""

from __future__ import annotations


class FormatError(ValueError):
    """The content of a file does not match its format.

    Attributes
    ----------
    line, column : int or None
        The place in the file, counted from 1, if known.
    """

    line: int | None = None
    column: int | None = None


class DeviceUnavailable(RuntimeError):
    """The requested device does not exist, or this build does not support it."""


class DeviceError(RuntimeError):
    """A device failed, or has too little memory."""


class RankError(RuntimeError):
    """A rank of a job ended, stopped answering, or does something else than the others (`papilio.distributed`).

    Attributes
    ----------
    rank : int or None
        Which one, if known.
    """

    rank: int | None = None


for _error in (FormatError, DeviceUnavailable, DeviceError, RankError):
    _error.__module__ = "papilio"
