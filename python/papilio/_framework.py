"""What papilio asks of a framework's arrays. Each framework is a class of static methods; none has instances.

`papilio._core` takes an array that it can import by itself (NumPy's), or a `_core.Array` made from what the
framework says of its array: address, shape, strides, dtype, device. That costs less than an import, and no stream
has to be synchronised for it.
"""

from __future__ import annotations

from typing import Any

from papilio import _seeds

# What entries of a number of bytes are called where nothing else of them matters.
_OF_BYTES = {1: "uint8", 2: "float16", 4: "int32", 8: "int64", 16: "complex128"}


class Framework:
    """The methods of a framework; a subclass has those that raise here."""

    result_dtype = "int64"

    @staticmethod
    def view(x: Any, what: str) -> Any:
        """`x` as `_core` takes it. Raises TypeError where it does not hold numbers."""
        raise NotImplementedError

    @staticmethod
    def elements(x: Any, what: str, writable: bool = False) -> Any:
        """The same for entries of any dtype of 1, 2, 4, 8 or 16 bytes, which are moved and not looked at."""
        raise NotImplementedError

    @staticmethod
    def integers(x: Any, dtype: str, what: str, like: Any = None) -> Any:
        """`x` as an array of integers of this dtype, on the device of `like`."""
        raise NotImplementedError

    @staticmethod
    def empty(count: int, dtype: str, like: Any) -> Any:
        """Memory for a result, on the device of `like`."""
        raise NotImplementedError

    @staticmethod
    def empty_like(x: Any, shape: tuple[int, ...], dtype: str | None = None) -> Any:
        """Memory for a result of this shape, on the device of `x`, of its dtype unless another is given."""
        raise NotImplementedError

    @classmethod
    def filled_like(cls, x: Any, shape: tuple[int, ...], dtype: str | None, value: Any) -> Any:
        """The same, with this value in every entry."""
        result = cls.empty_like(x, shape, dtype)
        result[...] = value
        return result

    @staticmethod
    def view_as(x: Any, dtype: str) -> Any:
        """The same bytes as entries of another dtype of their size."""
        raise NotImplementedError

    @staticmethod
    def like(x: Any, what: str) -> Any:
        """A second array of weights, which must be of this framework."""
        raise NotImplementedError

    @staticmethod
    def result(x: Any) -> Any:
        """The caller's `out`, which must be of this framework."""
        raise NotImplementedError

    @staticmethod
    def repeat(x: Any, count: int) -> Any:
        """An array of no dimension, `count` times."""
        raise NotImplementedError

    @staticmethod
    def count_from(x: Any, count: int) -> Any:
        """The number in an array of no dimension, and those that follow it: `count` in all."""
        raise NotImplementedError

    @staticmethod
    def seed(x: Any) -> Any:
        """The caller's seed as an integer or an array: drawn from it, where it is a generator."""
        return _seeds.known(x)

    @staticmethod
    def is_on_cpu(x: Any) -> bool:
        return True

    @staticmethod
    def stream(x: Any) -> int:
        """The current CUDA stream of the device of `x`."""
        return 0

    @staticmethod
    def finish(x: Any, like: Any) -> Any:
        """A result as the caller gets it."""
        return x

    @staticmethod
    def is_traced(x: Any) -> bool:
        """Whether the framework is compiling the call rather than running it."""
        return False


def name_of_bytes(size: int, what: str) -> str:
    """The dtype by which `_core` takes entries of this size. TypeError for other sizes."""
    if size not in _OF_BYTES:
        raise TypeError(f"papilio: {what} has entries of {size} bytes, expected 1, 2, 4, 8 or 16")
    return _OF_BYTES[size]
