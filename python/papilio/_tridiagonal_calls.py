"""The arrays of a call of `_tridiagonal`, and the call.

As in `_direct_draws`, every array that is made on the way keeps a name until the call returns.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from papilio import _core
from papilio._arguments import is_integer, length, unsigned
from papilio._checked import flag, plain, threads as checked_threads
from papilio._device_arrays import UnknownCuda
from papilio._frameworks import CuPy, Jax, NumPy, Torch, adopt


def _of_numpy(x: Any, what: str) -> np.ndarray:
    """Real numbers as float32 or float64."""
    numbers = x if isinstance(x, np.ndarray) and x.dtype in (np.float32, np.float64) and x.dtype.isnative else None
    if numbers is None:
        numbers = plain(x, f"papilio: {what}")
        if numbers.dtype.kind == "b":
            raise TypeError(f"papilio: {what} has the dtype bool, expected real numbers")
        numbers = numbers.astype(np.float64)
    return numbers


class Systems:
    """The right-hand sides of a call, the result, and the diagonals in their shape."""

    def __init__(self, caller: str, d: Any, out: Any):
        self.caller = caller
        self.given, self.arrays = adopt(d, "the right-hand side")
        if self.arrays is UnknownCuda:
            raise TypeError(
                f"papilio: {caller} takes arrays on a CUDA device of PyTorch and CuPy; got {type(d).__name__}"
            )
        if self.arrays.is_traced(self.given):
            raise TypeError(
                f"papilio: {caller} does not run inside code that is compiled, or on JAX's devices but the CPU"
            )
        self.of_numpy = self.arrays in (NumPy, Jax)
        self.d = _of_numpy(np.asarray(self.given), "the right-hand side") if self.of_numpy else self.given
        if not 1 <= self.d.ndim <= 2:
            raise ValueError(f"papilio: the right-hand side must have one or two dimensions; got {self.d.ndim}")
        self.shape = tuple(self.d.shape)
        self.count = 1 if len(self.shape) == 1 else self.shape[0]
        self.keep: list[Any] = []  # what views borrow
        self.out = self._empty() if out is None else self.arrays.result(out)
        if tuple(self.out.shape) != self.shape:
            raise ValueError(f"papilio: out must have the shape {self.shape}; got {tuple(self.out.shape)}")
        if self.out.dtype != self.d.dtype:
            raise TypeError(
                f"papilio: out must be of the dtype {self.d.dtype} of the right-hand side; got {self.out.dtype}"
            )

    def _empty(self) -> Any:
        """Memory for a result, laid out as the right-hand side is."""
        size, dtype = int(np.prod(self.shape, dtype=np.int64)), str(self.d.dtype).rpartition(".")[2]
        arrays = NumPy if self.of_numpy else self.arrays
        memory = arrays.empty(size, dtype, self.d)
        if len(self.shape) == 1:
            return memory
        strides = self.d.stride() if callable(getattr(self.d, "stride", None)) else self.d.strides
        if abs(strides[0]) < abs(strides[1]):
            return memory.reshape(self.shape[::-1]).T
        return memory.reshape(self.shape)

    def diagonal(self, x: Any, what: str, between: bool = False) -> Any:
        """A diagonal in the shape of the right-hand sides, as the module takes it. Nothing is copied but numbers."""
        if self.of_numpy:
            numbers = _of_numpy(np.asarray(adopt(x, what)[0]) if hasattr(x, "dtype") else x, what)
            x = numbers if hasattr(x, "dtype") and numbers.ndim > 0 else numbers.astype(self.d.dtype)
        elif isinstance(x, (int, float, np.number)) and not isinstance(x, bool):
            x = self._constant(float(x))
        else:
            x = self.arrays.like(x, what)
        shape = self.shape
        if between and x.ndim > 0 and x.shape[-1] == shape[-1] - 1:
            shape = (*shape[:-1], shape[-1] - 1)
        try:
            x = self._broadcast(x, shape)
        except (ValueError, RuntimeError):
            raise ValueError(
                f"papilio: {what} must have the shape {shape}, or one that is broadcast to it; got {tuple(x.shape)}"
            ) from None
        return self.view(x, what)

    def view(self, x: Any, what: str) -> Any:
        self.keep.append(x)
        return (NumPy if self.of_numpy else self.arrays).view(x, what)

    def _constant(self, x: float) -> Any:
        """A number on the device, without waiting for it."""
        if self.arrays is Torch:
            return sys.modules["torch"].full((), x, dtype=self.d.dtype, device=self.d.device)
        with self.d.device:
            return sys.modules["cupy"].full((), x, self.d.dtype)

    def _broadcast(self, x: Any, shape: tuple[int, ...]) -> Any:
        if self.arrays is Torch:
            return x.expand(shape)
        return (sys.modules["cupy"] if self.arrays is CuPy else np).broadcast_to(x, shape)


class Call:
    """What a call is lent: threads, the framework's stream, a workspace, statuses."""

    def __init__(self, systems: Systems, check: Any, return_status: Any, threads: Any, cuda_stream: int | None):
        self.systems = systems
        self.arrays = NumPy if systems.of_numpy else systems.arrays
        self.on_cpu = self.arrays.is_on_cpu(systems.d)
        self.check = flag(check, "papilio: check") and self.on_cpu
        self.threads = checked_threads(threads)
        self.status = None
        if flag(return_status, "papilio: return_status"):
            self.status = self.arrays.empty(systems.count, "uint8", systems.d)
        self.stream = cuda_stream
        if cuda_stream is None:
            self.stream = 0 if self.on_cpu else self.arrays.stream(systems.d)

    def numbers(self, seed: Any, stream: Any, system_ids: Any) -> tuple[Any, ...]:
        """Seed, stream, the number of the first system, or those of all."""
        if not is_integer(seed):
            seed = self.systems.arrays.seed(seed)
            if getattr(seed, "ndim", None) == 0:  # a generator on a device gave it
                seed = int(seed) % 2**64
        if not is_integer(seed):
            raise TypeError(f"papilio: the seed must be an integer, one for all systems; got {seed!r}")
        first, ids = 0, None
        if is_integer(system_ids):
            first = unsigned(system_ids, "system_ids")
        elif system_ids is not None:
            numbers = self.arrays.integers(system_ids, "int64", "system_ids", self.systems.d)
            if length(numbers, "system_ids") != self.systems.count:
                raise ValueError(
                    "papilio: system_ids must have one entry per system; "
                    f"got {numbers.shape[0]} for {self.systems.count}"
                )
            ids = self.systems.view(numbers, "system_ids")
        return unsigned(seed, "seed"), unsigned(stream, "stream"), first, ids

    def run(self, function: Any, diagonals: tuple[Any, ...], numbers: tuple[Any, ...] = ()) -> Any:
        systems, arrays = self.systems, self.arrays
        d, x = systems.view(systems.d, "the right-hand side"), systems.view(systems.out, "out")
        workspace = status = None
        if not self.on_cpu:
            size = _core.tridiagonal_workspace_bytes(x)
            if size > 0:
                workspace = systems.view(arrays.empty(size, "uint8", systems.d), "the workspace")
        if self.status is not None:
            status = systems.view(self.status, "status")
        function(*diagonals, d, x, self.check, self.threads, self.stream, status, workspace, *numbers)
        result = systems.arrays.finish(systems.out, systems.given)
        return result if self.status is None else (result, systems.arrays.finish(self.status, systems.given))
