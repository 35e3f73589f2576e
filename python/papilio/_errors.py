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


for _error in (FormatError, DeviceUnavailable, DeviceError):
    _error.__module__ = "papilio"
