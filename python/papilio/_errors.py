"""What the library throws, where Python has no exception of its own for it."""

from __future__ import annotations


class FormatError(ValueError):
    """A file does not hold what its format says.

    Attributes
    ----------
    line, column : int or None
        The place in the file, counted from 1, where it is known.
    """

    line: int | None = None
    column: int | None = None


class DeviceUnavailable(RuntimeError):
    """The build or the machine lacks the device that was asked for by name."""


class DeviceError(RuntimeError):
    """A device failed, or has no room for what it was asked to hold."""


for _error in (FormatError, DeviceUnavailable, DeviceError):
    _error.__module__ = "papilio"
