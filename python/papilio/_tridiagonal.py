"""Tridiagonal systems and random walks: `papilio.solve_tridiagonal` and the functions beside it.

As in `_direct_draws`, every array that is made on the way keeps a name until the call returns.
"""

from __future__ import annotations

import enum
import sys
from typing import Any

import numpy as np

from papilio import _core
from papilio._arguments import is_integer, length, unsigned
from papilio._checked import flag, plain, threads as checked_threads
from papilio._device_arrays import UnknownCuda
from papilio._frameworks import CuPy, Jax, NumPy, Torch, adopt


class TridiagonalStatus(enum.IntEnum):
    """What a check found in a system.

    Attributes
    ----------
    OK
        Nothing.
    NOT_DOMINANT
        Of `solve_tridiagonal`: the matrix is neither diagonally dominant nor symmetric with positive pivots, which
        elimination without exchanges of rows needs. Digits may be lost.
    NOT_POSITIVE
        Of the others: a pivot is not positive, or a precision is negative.
    SINGULAR
        A pivot is 0, infinite or not a number: x is not finite.
    """

    OK = 0
    NOT_DOMINANT = 1
    NOT_POSITIVE = 2
    SINGULAR = 3


def solve_tridiagonal(
    a: Any,
    b: Any,
    c: Any,
    d: Any,
    *,
    out: Any = None,
    check: bool = True,
    return_status: bool = False,
    threads: int = 0,
    cuda_stream: int | None = None,
) -> Any:
    """Solve tridiagonal systems: ``a[i] x[i-1] + b[i] x[i] + c[i] x[i+1] = d[i]``.

    Parameters
    ----------
    a, b, c : arrays of shape (n,) or (systems, n), or numbers
        The diagonals below, on and above the main one, a row per system. They are broadcast to the shape of `d`
        without a copy. ``a[..., 0]`` and ``c[..., -1]`` are not read.
    d : array of shape (n,) or (systems, n)
        The right-hand sides; float32 or float64, and all arrays the same. Arrays of NumPy, PyTorch, CuPy, or JAX on the
        CPU; lists and integers become float64. Any strides are supported: give ``d.T`` where unknown i of all systems
        lies together.
    out : array of the shape of `d`, optional
        Receives the solutions and is returned. It may be `d`, but must not share memory with the arrays otherwise.
    check : bool, default True
        On the CPU, raise for the first system that does not meet the requirement below. On a CUDA device calls do not
        wait: use `return_status` there.
    return_status : bool, default False
        Return ``(x, status)``; `status` is uint8, a `TridiagonalStatus` per system, and no system is an error.
    threads : int, default 0
        CPU threads; 0: all processors.
    cuda_stream : int, optional
        The CUDA stream to use, as a pointer. By default the framework's current stream.

    Returns
    -------
    array of the shape of `d`
        Of the framework of `d`, on the same device, and in memory as `d` is.

    Raises
    ------
    ValueError
        With `check`: a system that is not `TridiagonalStatus.OK`. Shapes or devices that do not fit.
    TypeError
        A dtype or an object that is no array of numbers.
    DeviceError, DeviceUnavailable
        A CUDA device fails; it does not exist, or this build has no CUDA support.

    Notes
    -----
    Rows are not exchanged, so a system must be diagonally dominant (``abs(b) >= abs(a) + abs(c)`` in each row), or
    symmetric and positive definite. Bits are the same on every machine, for any number of threads, any strides and any
    split of the systems, on the CPU and on CUDA devices. Time is O(systems * n). The GIL is released.

    Examples
    --------
    >>> import numpy as np
    >>> solve_tridiagonal(1.0, 2.0, 1.0, np.array([1.0, 2.0, 3.0, 4.0])).round(12)
    array([0., 1., 0., 2.])

    A matrix shared by two systems, and one that no elimination solves:

    >>> solve_tridiagonal(-1, [2, 4, 2], -1, np.array([[1.0, 2, 1], [0, 2, 0]])).round(12)
    array([[1.        , 1.        , 1.        ],
           [0.33333333, 0.66666667, 0.33333333]])
    >>> solve_tridiagonal(1, 0, 1, [1.0, 1.0], return_status=True)[1]
    array([3], dtype=uint8)
    """
    systems = _Systems("solve_tridiagonal", d, out)
    lower, diagonal, upper = systems.diagonal(a, "a"), systems.diagonal(b, "b"), systems.diagonal(c, "c")
    call = _Call(systems, check, return_status, threads, cuda_stream)
    return call.run(_core.solve_tridiagonal, (False, lower, diagonal, upper))


def solve_random_walk(
    steps: Any,
    weights: Any,
    h: Any,
    *,
    out: Any = None,
    check: bool = True,
    return_status: bool = False,
    threads: int = 0,
    cuda_stream: int | None = None,
) -> Any:
    """Solve ``A x = h``, A the precision of a random walk that is observed: the mean of its unknowns.

    ``x @ A @ x`` is ``sum(steps * diff(x)**2) + sum(weights * x**2)``. Nothing is ever subtracted, so that the solution
    is good to a few units in the last place where `solve_tridiagonal` loses every digit: a long walk that is rarely
    observed.

    Parameters
    ----------
    steps : array of shape (n - 1,), (systems, n - 1) or (systems, n), or a number
        The precisions of the steps, >= 0 and finite. A column n is not read.
    weights : array of shape (n,) or (systems, n), or a number
        The precisions of the observations, >= 0 and finite, not all 0.
    h : array of shape (n,) or (systems, n)
        `weights` times what was observed. Otherwise as `d` of `solve_tridiagonal`.
    out, check, return_status, threads, cuda_stream
        As for `solve_tridiagonal`.

    Returns
    -------
    array of the shape of `h`

    Raises
    ------
    ValueError, TypeError, DeviceError, DeviceUnavailable
        As for `solve_tridiagonal`.

    Examples
    --------
    >>> import numpy as np
    >>> solve_random_walk(1.0, [1.0, 1.0, 1.0], np.array([8.0, 0.0, 8.0])).round(12)
    array([6., 4., 6.])
    """
    systems = _Systems("solve_random_walk", h, out)
    between, on = systems.diagonal(steps, "steps", True), systems.diagonal(weights, "weights")
    call = _Call(systems, check, return_status, threads, cuda_stream)
    return call.run(_core.solve_tridiagonal, (True, None, on, between))


def draw_gaussian_tridiagonal(
    diagonal: Any,
    off_diagonal: Any,
    h: Any,
    *,
    seed: Any,
    stream: int = 0,
    system_ids: Any = None,
    out: Any = None,
    check: bool = True,
    return_status: bool = False,
    threads: int = 0,
    cuda_stream: int | None = None,
) -> Any:
    """Draw ``x ~ N(inv(A) @ h, inv(A))``, A symmetric, tridiagonal and positive definite, in the time of a solution.

    Parameters
    ----------
    diagonal : array of shape (n,) or (systems, n), or a number
        The main diagonal of A, a precision.
    off_diagonal : array of shape (n - 1,), (systems, n - 1) or (systems, n), or a number
        The diagonals beside it. A column n is not read.
    h : array of shape (n,) or (systems, n)
        The mean times the precision. Otherwise as `d` of `solve_tridiagonal`.
    seed : int, generator or key
        0 <= seed < 2^64; else as for `sample_categorical`, but one for all systems.
    stream : int, default 0
        Selects independent draws under one seed. Use one that no other kind of draw has.
    system_ids : int or array of integers of shape (systems,), optional
        The number of each system, by default 0, 1, ...; an integer is the number of the first. A system with the same
        number keeps its draw wherever it is in a batch.
    out, check, return_status, threads, cuda_stream
        As for `solve_tridiagonal`.

    Returns
    -------
    array of the shape of `h`

    Raises
    ------
    ValueError, TypeError, DeviceError, DeviceUnavailable
        As for `solve_tridiagonal`.

    Notes
    -----
    The draw of a system depends on the seed, the stream, the number and the coefficients of the system, and on nothing
    else: bits are the same on every machine. The normal numbers have float32's precision.

    Examples
    --------
    >>> import numpy as np
    >>> x = draw_gaussian_tridiagonal(2.5, -1.0, np.zeros((100000, 3)), seed=7)
    >>> A = np.array([[2.5, -1, 0], [-1, 2.5, -1], [0, -1, 2.5]])
    >>> bool(abs(np.cov(x.T) - np.linalg.inv(A)).max() < 0.01)
    True
    """
    systems = _Systems("draw_gaussian_tridiagonal", h, out)
    on, between = systems.diagonal(diagonal, "diagonal"), systems.diagonal(off_diagonal, "off_diagonal", True)
    call = _Call(systems, check, return_status, threads, cuda_stream)
    return call.run(_core.draw_tridiagonal, (False, on, between), call.numbers(seed, stream, system_ids))


def draw_random_walk(
    steps: Any,
    weights: Any,
    h: Any,
    *,
    seed: Any,
    stream: int = 0,
    system_ids: Any = None,
    out: Any = None,
    check: bool = True,
    return_status: bool = False,
    threads: int = 0,
    cuda_stream: int | None = None,
) -> Any:
    """Draw a random walk given its observations: ``x ~ N(inv(A) @ h, inv(A))`` for the A of `solve_random_walk`.

    Parameters
    ----------
    steps, weights, h
        As for `solve_random_walk`.
    seed, stream, system_ids
        As for `draw_gaussian_tridiagonal`.
    out, check, return_status, threads, cuda_stream
        As for `solve_tridiagonal`.

    Returns
    -------
    array of the shape of `h`

    Raises
    ------
    ValueError, TypeError, DeviceError, DeviceUnavailable
        As for `solve_tridiagonal`.

    Examples
    --------
    A walk that is observed at its start, by 1 with precision 4:

    >>> import numpy as np
    >>> weights = np.array([4.0, 0, 0])
    >>> x = draw_random_walk(1.0, weights, np.broadcast_to(weights, (100000, 3)), seed=7)
    >>> bool(abs(x.mean(axis=0) - 1).max() < 0.02), bool(abs(x.var(axis=0) - [0.25, 1.25, 2.25]).max() < 0.05)
    (True, True)
    """
    systems = _Systems("draw_random_walk", h, out)
    between, on = systems.diagonal(steps, "steps", True), systems.diagonal(weights, "weights")
    call = _Call(systems, check, return_status, threads, cuda_stream)
    return call.run(_core.draw_tridiagonal, (True, on, between), call.numbers(seed, stream, system_ids))


def _of_numpy(x: Any, what: str) -> np.ndarray:
    """Real numbers as float32 or float64."""
    numbers = x if isinstance(x, np.ndarray) and x.dtype in (np.float32, np.float64) and x.dtype.isnative else None
    if numbers is None:
        numbers = plain(x, f"papilio: {what}")
        if numbers.dtype.kind == "b":
            raise TypeError(f"papilio: {what} has the dtype bool, expected real numbers")
        numbers = numbers.astype(np.float64)
    return numbers


class _Systems:
    """The right-hand sides of a call, the result, and the diagonals in their shape."""

    def __init__(self, caller: str, d: Any, out: Any):
        self.caller = caller
        self.given, self.arrays = adopt(d, "the right-hand side")
        if self.arrays is UnknownCuda:
            raise TypeError(f"papilio: {caller} takes arrays on a CUDA device of PyTorch and CuPy; got {type(d).__name__}")
        if self.arrays.is_traced(self.given):
            raise TypeError(f"papilio: {caller} does not run inside code that is compiled, or on JAX's devices but the CPU")
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


class _Call:
    """What a call is lent: threads, the framework's stream, a workspace, statuses."""

    def __init__(self, systems: _Systems, check: Any, return_status: Any, threads: Any, cuda_stream: int | None):
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
                    f"papilio: system_ids must have one entry per system; got {numbers.shape[0]} for {self.systems.count}"
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
