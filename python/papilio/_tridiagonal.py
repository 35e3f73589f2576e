"""Tridiagonal systems and random walks: `papilio.solve_tridiagonal` and the functions beside it."""

from __future__ import annotations

import enum
from typing import Any

from papilio import _core
from papilio._keywords import suggests_options
from papilio._tridiagonal_calls import Call, Systems


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
        A pivot is 0, infinite, not a number, or so small that its inverse is infinite: x means nothing.
    """

    OK = 0
    NOT_DOMINANT = 1
    NOT_POSITIVE = 2
    SINGULAR = 3


@suggests_options
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
    systems = Systems("solve_tridiagonal", d, out)
    lower, diagonal, upper = systems.diagonal(a, "a"), systems.diagonal(b, "b"), systems.diagonal(c, "c")
    call = Call(systems, check, return_status, threads, cuda_stream)
    return call.run(_core.solve_tridiagonal, (False, lower, diagonal, upper))


@suggests_options
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
    systems = Systems("solve_random_walk", h, out)
    between, on = systems.diagonal(steps, "steps", True), systems.diagonal(weights, "weights")
    call = Call(systems, check, return_status, threads, cuda_stream)
    return call.run(_core.solve_tridiagonal, (True, None, on, between))


@suggests_options
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
    systems = Systems("draw_gaussian_tridiagonal", h, out)
    on, between = systems.diagonal(diagonal, "diagonal"), systems.diagonal(off_diagonal, "off_diagonal", True)
    call = Call(systems, check, return_status, threads, cuda_stream)
    return call.run(_core.draw_tridiagonal, (False, on, between), call.numbers(seed, stream, system_ids))


@suggests_options
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
    systems = Systems("draw_random_walk", h, out)
    between, on = systems.diagonal(steps, "steps", True), systems.diagonal(weights, "weights")
    call = Call(systems, check, return_status, threads, cuda_stream)
    return call.run(_core.draw_tridiagonal, (True, on, between), call.numbers(seed, stream, system_ids))
