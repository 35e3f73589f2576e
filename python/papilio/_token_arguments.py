"""What `papilio.sample_tokens` and `papilio.verify_draft` make of their arguments: arrays of the logits' framework.

As in `_direct_draws`, every array that is made on the way keeps a name until the call returns.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from papilio import _core
from papilio._arguments import is_integer, length, unsigned
from papilio._checked import flag, of_list, plain, real, whole
from papilio._checked import threads as checked_threads
from papilio._device_arrays import UnknownCuda
from papilio._frameworks import CuPy, Jax, NumPy, Torch, adopt, framework_of


class Request(NamedTuple):
    """The options of one call, as the caller gave them."""

    temperature: Any
    top_k: Any
    top_p: Any
    min_p: Any
    joint: bool
    allowed: Any
    bias: Any
    seeds: Any
    stream: int
    positions: Any
    log: bool
    raw: bool
    rank: bool
    kept: Any
    mass: bool
    status: bool
    threads: int
    cuda_stream: int | None


def logits_of(x: Any) -> tuple[Any, Any]:
    """Logits as an array of one or two dimensions, and their framework."""
    logits, arrays = adopt(x, "logits")
    if arrays is UnknownCuda:
        raise TypeError(
            "papilio: logits on a CUDA device must be of PyTorch or CuPy, whose memory is asked for results; got "
            f"{type(x).__name__}"
        )
    if arrays is NumPy and logits.dtype == np.float64:  # of a list
        logits = logits.astype(np.float32) if isinstance(x, (list, tuple)) else logits
    if not 1 <= logits.ndim <= 2:
        raise ValueError(f"papilio: logits must have one or two dimensions; got {logits.ndim}")
    return logits, arrays


def moved(arrays: Any, x: np.ndarray, like: Any) -> Any:
    """An array of NumPy's as one of the framework, on the device of `like`."""
    if arrays is Torch:
        return sys.modules["torch"].from_numpy(np.ascontiguousarray(x)).to(like.device)
    if arrays is CuPy:
        with like.device:
            return sys.modules["cupy"].asarray(x)
    return x


def _floats(arrays: Any, x: Any, like: Any, what: str, rows: int | None) -> Any:
    """Numbers as float32 without gaps, on the device of `like`."""
    if arrays is Torch and isinstance(x, sys.modules["torch"].Tensor):
        torch = sys.modules["torch"]
        if x.dtype == torch.bool or x.is_complex():
            raise TypeError(f"papilio: {what} must hold real numbers; got {x.dtype}")
        numbers = x if x.dtype is torch.float32 and x.is_contiguous() else x.to(torch.float32).contiguous()
    elif arrays is CuPy and isinstance(x, sys.modules["cupy"].ndarray):
        numbers = x.astype("float32", order="C", copy=False)
    else:
        host = plain(adopt(x, what)[0], f"papilio: {what}")
        if host.dtype.kind not in "fiu":
            raise TypeError(f"papilio: {what} must hold real numbers; got {host.dtype}")
        numbers = moved(arrays, np.ascontiguousarray(host, np.float32), like)
    if rows is not None and length(numbers, what) != rows:
        raise ValueError(f"papilio: {what} must have one entry per row; got {numbers.shape[0]} for {rows} rows")
    return numbers


def _integers(arrays: Any, x: Any, dtype: str, what: str, like: Any) -> Any:
    if arrays is CuPy and not isinstance(x, sys.modules["cupy"].ndarray):
        x = moved(arrays, NumPy.integers(x, dtype, what), like)
    return arrays.integers(x, dtype, what, like)


def _per_row(arrays: Any, x: Any, like: Any, rows: int, what: str) -> Any:
    """A number, or an array of one per row."""
    if getattr(x, "ndim", 1 if isinstance(x, (list, tuple)) else 0) == 0:
        if what == "top_k":
            return whole(x, "papilio: top_k", -(2**31), 2**31 - 1)
        return real(x, f"papilio: {what}")
    if what != "top_k":
        return _floats(arrays, x, like, what, rows)
    numbers = _integers(arrays, x, "int32", what, like)
    if length(numbers, what) != rows:
        raise ValueError(f"papilio: {what} must have one entry per row; got {numbers.shape[0]} for {rows} rows")
    return numbers


def _packed(arrays: Any, flags: Any) -> Any:
    """A flag per category as bits, 32 to a word."""
    columns = flags.shape[-1]
    words = -(-columns // 32)
    if arrays is Torch:
        torch = sys.modules["torch"]
        padded = torch.nn.functional.pad(flags, (0, 32 * words - columns)).reshape(*flags.shape[:-1], words, 32)
        numbers = (padded.to(torch.int64) << torch.arange(32, device=flags.device)).sum(-1)
        return torch.where(numbers >= 2**31, numbers - 2**32, numbers).to(torch.int32)
    numpy = sys.modules["cupy"] if arrays is CuPy else np
    padded = numpy.zeros((*flags.shape[:-1], 32 * words), numpy.uint8)
    padded[..., :columns] = flags
    octets = numpy.packbits(padded.reshape(-1), bitorder="little")
    return octets.view(numpy.int32).reshape(*flags.shape[:-1], words)


def _allowed(arrays: Any, x: Any, like: Any, rows: int, columns: int) -> Any:
    """A mask as words of 32 bits, with one row for all or one per row."""
    if x is None:
        return None
    if (
        arrays is Torch
        and not isinstance(x, sys.modules["torch"].Tensor)
        or arrays is CuPy
        and not isinstance(x, sys.modules["cupy"].ndarray)
    ):
        x = moved(arrays, plain(adopt(x, "allowed")[0], "papilio: allowed"), like)
    elif arrays in (NumPy, Jax):
        x = plain(x, "papilio: allowed")
    dtype = str(x.dtype).rpartition(".")[2]
    if dtype == "bool":
        if x.shape[-1:] != (columns,):
            raise ValueError(f"papilio: allowed must have one flag per category; got {tuple(x.shape)} for {columns}")
        x = _packed(arrays, x)
    elif dtype in ("int32", "uint32"):
        x = arrays.view_as(x, "int32")
    else:
        raise TypeError(f"papilio: allowed must be of bool, or of int32 or uint32 as words of 32 bits; got {dtype}")
    if x.ndim == 1:
        x = x[None]
    if x.ndim != 2 or x.shape[0] not in (1, rows):
        raise ValueError(f"papilio: allowed must have one row, or one per row of logits; got {x.shape[0]} for {rows}")
    return x.contiguous() if arrays is Torch else x if x.flags.c_contiguous else x.copy()


def _bias(arrays: Any, x: Any, like: Any, rows: int) -> tuple[Any, Any, Any] | None:
    """What is added to logits, as offsets, categories and values."""
    if x is None:
        return None
    if hasattr(x, "indptr") and hasattr(x, "indices") and hasattr(x, "data"):
        x = (x.indptr, x.indices, x.data)
    if isinstance(x, dict):
        x = [x] * rows
    if isinstance(x, tuple) and len(x) == 3 and not isinstance(x[0], (dict, type(None))):
        offsets, categories, values = x
    else:
        given = list(x) if isinstance(x, Iterable) else [x]
        for row, terms in enumerate(given):
            if not (terms is None or isinstance(terms, Mapping)):
                raise TypeError(
                    f"papilio: bias[{row}] is a {type(terms).__name__}, expected a dict of categories and numbers or "
                    "None; or as bias a dict, a sparse matrix, or its offsets, categories and values"
                )
        lists = [sorted(({} if terms is None else terms).items()) for terms in given]
        offsets = np.cumsum([0, *(len(row) for row in lists)])
        categories = of_list([key for row in lists for key, _ in row])
        values = np.array([value for row in lists for _, value in row])
    return (
        _integers(arrays, offsets, "int64", "the offsets of bias", like),
        _integers(arrays, categories, "int32", "the categories of bias", like),
        _floats(arrays, values, like, "the values of bias", None),
    )


def draft_of(x: Any) -> Any:
    """The tokens of a draft, as an array of one or two dimensions; of a framework other than NumPy as they are."""
    if framework_of(x) in (None, NumPy):
        x = plain(x, "papilio: tokens")
    if not 1 <= x.ndim <= 2:
        raise ValueError(f"papilio: tokens must have one or two dimensions; got {x.ndim}")
    return x


def per_draft(arrays: Any, x: Any, dtype: str, what: str, like: Any) -> Any:
    """An array of a draft, of any shape, on the device of `like`: taken there from NumPy's, lists included."""
    if dtype == "float32":
        return _floats(arrays, x, like, what, None)
    if arrays is Jax:
        x = NumPy.integers(x, dtype, what)
    return _integers(arrays, x, dtype, what, like)


def _views(arrays: Any, named: dict[str, Any]) -> dict[str, Any]:
    """Arrays as the module takes them; numbers as they are."""
    return {
        name: x if isinstance(x, (bool, int, float, str)) else arrays.view(x, name)
        for name, x in named.items()
        if x is not None
    }


class Call:
    """One call's arrays: what is read, by the names that the module has for it."""

    def __init__(
        self,
        arrays: Any,
        logits: Any,
        request: Request,
        rows: int,
        keyed: int,
        workspace: Callable[[Any], int] = _core.token_workspace_bytes,
    ):
        self.arrays, self.logits = arrays, logits
        self.view = arrays.view(logits, "logits")
        columns = int(logits.shape[-1])
        bias = _bias(arrays, request.bias, logits, rows)
        self._filters: dict[str, Any] = {
            "temperature": _per_row(arrays, request.temperature, logits, rows, "temperature"),
            "top_k": _per_row(arrays, request.top_k, logits, rows, "top_k"),
            "top_p": _per_row(arrays, request.top_p, logits, rows, "top_p"),
            "min_p": _per_row(arrays, request.min_p, logits, rows, "min_p"),
            "joint": flag(request.joint, "papilio: joint"),
            "allowed": _allowed(arrays, request.allowed, logits, rows, columns),
        }
        if bias is not None:
            self._filters.update(zip(("bias_offsets", "bias_categories", "bias_values"), bias))
        self._options: dict[str, Any] = {
            "stream": unsigned(request.stream, "stream"),
            "threads": checked_threads(request.threads),
        }
        self._key(request, keyed)
        if not arrays.is_on_cpu(logits):
            stream = arrays.stream(logits) if request.cuda_stream is None else request.cuda_stream
            self._options["cuda_stream"] = int(stream)
            size = workspace(self.view)
            if size > 0:
                self._options["workspace"] = arrays.empty(size, "uint8", logits)
        self.filters, self.options = _views(arrays, self._filters), _views(arrays, self._options)

    def _key(self, request: Request, keyed: int) -> None:
        seeds = request.seeds if is_integer(request.seeds) else self.arrays.seed(request.seeds)
        if is_integer(seeds):
            self._options["seed"] = unsigned(seeds, "seeds")
        elif seeds is None or isinstance(seeds, (bool, float, str)):
            raise TypeError(f"papilio: seeds must be an integer, or one integer per row; got {seeds!r}")
        else:
            self._options["seeds"] = self._one_each(seeds, "seeds", keyed)
        if request.positions is None:
            return
        if is_integer(request.positions):
            self._options["first_position"] = unsigned(request.positions, "positions")
        else:
            self._options["positions"] = self._one_each(request.positions, "positions", keyed)

    def _one_each(self, x: Any, what: str, keyed: int) -> Any:
        numbers = _integers(self.arrays, x, "int64", what, self.logits)
        if numbers.ndim == 0:
            numbers = (self.arrays.repeat if what == "seeds" else self.arrays.count_from)(numbers, keyed)
        if length(numbers, what) != keyed:
            raise ValueError(f"papilio: {what} must have one entry per row; got {numbers.shape[0]} for {keyed}")
        return numbers

    def room(self, kept: Any) -> int:
        """How many categories of a kept set there is room for: True stands for all that top_k can leave."""
        columns = int(self.logits.shape[-1])
        if kept is False or kept is None:
            return 0
        if kept is not True:
            return whole(kept, "papilio: return_kept", 0, 2**31 - 1, "True, or the most categories of a row to return")
        top_k = self._filters["top_k"]
        return min(top_k, columns) if isinstance(top_k, int) and top_k > 0 else columns

    def made(self, shape: tuple[int, ...], dtype: str) -> Any:
        return self.arrays.empty_like(self.logits, shape, dtype)


def views_of_results(arrays: Any, results: dict[str, Any]) -> dict[str, Any]:
    """Arrays that are written, as the module takes them."""
    return _views(arrays, results)
