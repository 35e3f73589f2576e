"""Arrays whose framework is not known: on a CUDA device, and what DLPack gives on the CPU."""

from __future__ import annotations

from typing import Any

import numpy as np

from papilio import _core
from papilio._checked import refuse_hidden, steps
from papilio._framework import Framework


class OnDevice:
    """An array known only by `__cuda_array_interface__`, or by DLPack on a CUDA device."""

    def __init__(self, view: _core.Array, stream: int):
        self.view = view
        self.shape = view.shape
        self.ndim = len(self.shape)
        self.stream = stream


class UnknownCuda(Framework):
    """Arrays on a CUDA device whose framework is not known. Results go into `out`."""

    @staticmethod
    def view(x: Any, what: str) -> Any:
        return x.view

    @staticmethod
    def integers(x: Any, dtype: str, what: str, like: Any = None) -> Any:
        return on_device(x, what)

    @staticmethod
    def like(x: Any, what: str) -> Any:
        return on_device(x, what)

    @staticmethod
    def result(x: Any) -> Any:
        return on_device(x, "out")

    @staticmethod
    def repeat(x: Any, count: int) -> Any:
        raise TypeError("papilio: a number without a dimension is not supported here; give one per row")

    count_from = repeat

    @staticmethod
    def empty(count: int, dtype: str, like: Any) -> Any:
        raise TypeError(
            "papilio: weights on a CUDA device that are not of PyTorch, CuPy or JAX need `out`, "
            "rows of at most 8,192 categories, and no logits: there is no framework to allocate memory with"
        )

    @staticmethod
    def is_on_cpu(x: Any) -> bool:
        return False

    @staticmethod
    def stream(x: Any) -> int:
        return x.stream


def by_dlpack(x: Any, what: str) -> np.ndarray:
    """`x`, which is in the CPU's memory, as an array of NumPy's. TypeError for a dtype that NumPy does not take."""
    try:
        return np.from_dlpack(x)
    except (BufferError, RuntimeError) as error:
        raise TypeError(
            f"papilio: {what} is not an array that NumPy takes by DLPack ({error}); bfloat16 and 8-bit floats are "
            "taken as arrays of PyTorch, of JAX, or of NumPy by ml_dtypes"
        ) from error


_CUDA_TYPES = {"<f2": "float16", "<f4": "float32", "<f8": "float64", "<i4": "int32", "<i8": "int64", "<u8": "uint64"}
_CUDA_TYPES["|u1"] = "uint8"


def on_device(x: Any, what: str) -> OnDevice:
    """`x`, which is on a CUDA device, as an array of `UnknownCuda`."""
    refuse_hidden(x, f"papilio: {what}")
    interface = getattr(x, "__cuda_array_interface__", None)
    if interface is None:
        return OnDevice(_core.Array(x.__dlpack__(stream=1), what, what == "out"), 0)  # 1: ready on the default stream
    name = _CUDA_TYPES.get(interface["typestr"])
    if name is None:
        raise TypeError(f"papilio: {what} has the type {interface['typestr']!r}, which papilio does not support")
    shape = tuple(interface["shape"])
    size = int(interface["typestr"][2:])
    strides = interface.get("strides")
    if strides is None:
        distances = [1] * len(shape)
        for i in range(len(shape) - 2, -1, -1):
            distances[i] = distances[i + 1] * shape[i + 1]
    else:
        distances = list(steps(strides, size, what))
    ordinal = x.__dlpack_device__()[1] if hasattr(x, "__dlpack_device__") else 0
    view = _core.Array.at(what, interface["data"][0], shape, tuple(distances), name, ordinal)
    return OnDevice(view, interface.get("stream") or 0)
