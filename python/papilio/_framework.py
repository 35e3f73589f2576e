"""Arrays of each framework as `papilio._core` takes them, and results in the same framework.

`_core` takes an array that it can import by itself (NumPy's), or a tuple
`(pointer, shape, strides in elements, dtype, CUDA ordinal or -1)`, which costs less where a
framework tells these, and needs no synchronisation of streams.

A framework is a class of static methods:

    view(x, what)            what `_core` takes; TypeError for what are no numbers
    integers(x, dtype, what, like)  an array of integers of this dtype, where `like` lies
    empty(count, dtype, like)       memory for a result
    like(x, what)                   another array of weights, as one of this framework
    result(x)                       the caller's memory for a result
    seed(x)                         an integer or an array of them, of a generator too, where there are such
    repeat(x, count)                a number without a dimension, `count` times
    count_from(x, count)            a number without a dimension, and those that follow it
    is_on_cpu(x), stream(x)         where it lies, and its current CUDA stream
    finish(x, like)                 a result as the caller gets it
    is_traced(x)                    whether a compiler is looking
    trace(), trace_products()       what draws for it
"""

from __future__ import annotations

from typing import Any


class Framework:
    """What most of them have in common."""

    result_dtype = "int64"

    @staticmethod
    def seed(x: Any) -> Any:
        return x

    @staticmethod
    def is_on_cpu(x: Any) -> bool:
        return True

    @staticmethod
    def stream(x: Any) -> int:
        return 0

    @staticmethod
    def finish(x: Any, like: Any) -> Any:
        return x

    @staticmethod
    def is_traced(x: Any) -> bool:
        return False
