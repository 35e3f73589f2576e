"""Arrays of NumPy, PyTorch, CuPy and JAX, by the methods of `papilio._framework.Framework`."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from papilio import _core, _seeds
from papilio._checked import NUMBERS, is_sparse, plain, refuse_hidden, refuse_huge, steps, whole_of_list
from papilio._device_arrays import UnknownCuda, by_dlpack, on_device
from papilio._framework import Framework, name_of_bytes

_INT32 = 2**31
_INTEGERS = {"int32": np.dtype(np.int32), "int64": np.dtype(np.int64)}
_names_of_torch: dict[Any, str] = {}


class NumPy(Framework):
    @staticmethod
    def view(x: Any, what: str) -> Any:
        flags = x.flags
        if x.dtype in NUMBERS and flags.c_contiguous and flags.aligned:
            return x
        name = x.dtype.name
        if name == "bfloat16" or name.startswith("float8_"):  # of ml_dtypes, which NumPy itself does not have
            words = x.view(np.uint16 if name == "bfloat16" else np.uint8)
            strides = steps(words.strides, words.itemsize, what)
            address = words.__array_interface__["data"][0]
            return _core.Array.at(what, address, words.shape, strides, name, cuda_ordinal=-1)
        if not x.dtype.isnative:
            raise TypeError(f"papilio: {what} has the dtype {x.dtype}, which is not in this machine's byte order")
        if x.dtype.hasobject:
            raise TypeError(f"papilio: {what} holds Python objects, expected numbers; use x.astype(float)")
        if not x.flags.aligned:
            raise ValueError(f"papilio: {what} is not aligned to its dtype {x.dtype} in memory; use x.copy()")
        steps(x.strides, x.itemsize, what)
        return x

    @staticmethod
    def elements(x: Any, what: str, writable: bool = False) -> Any:
        if x.dtype.hasobject:
            raise TypeError(f"papilio: {what} holds Python objects, expected numbers; use x.astype(float)")
        if not x.flags.aligned:
            raise ValueError(f"papilio: {what} is not aligned to its dtype {x.dtype} in memory; use x.copy()")
        if writable and not x.flags.writeable:
            raise TypeError(f"papilio: {what} must be a writable array of numbers; got one that is read-only")
        name = name_of_bytes(x.itemsize, what)
        strides = steps(x.strides, x.itemsize, what)
        return _core.Array.at(what, x.__array_interface__["data"][0], x.shape, strides, name, cuda_ordinal=-1)

    @staticmethod
    def integers(x: Any, dtype: str, what: str, like: Any = None) -> Any:
        if type(x) is np.ndarray and x.dtype == _INTEGERS[dtype] and x.flags.c_contiguous and x.flags.aligned:
            return x
        refuse_hidden(x, f"papilio: {what}")
        x = whole_of_list(x, what) if isinstance(x, (list, tuple)) else np.asarray(x)
        refuse_huge(x, f"papilio: {what}")
        if x.dtype.kind not in "iu":
            if x.size:
                raise TypeError(f"papilio: {what} must hold integers; got {x.dtype}")
            x = x.astype(dtype)
        if not (x.dtype.isnative and x.flags.aligned):
            x = x.astype(x.dtype.newbyteorder("="))
        if dtype == "int64":
            return np.asarray(x if x.dtype.itemsize == 8 else x.astype(np.int64), order="C")
        if x.size and not (-_INT32 <= x.min() and x.max() < _INT32):
            worst = x.max() if x.max() >= _INT32 else x.min()
            raise ValueError(f"papilio: {what} holds {worst}, which int32 does not hold")
        return np.asarray(x, dtype=np.int32, order="C")

    @staticmethod
    def empty(count: int, dtype: str, like: Any) -> Any:
        return np.empty(count, dtype)

    @staticmethod
    def empty_like(x: Any, shape: tuple[int, ...], dtype: str | None = None) -> Any:
        return np.empty(shape, x.dtype if dtype is None else dtype)

    @classmethod
    def filled_like(cls, x: Any, shape: tuple[int, ...], dtype: str | None, value: Any) -> Any:
        if value != 0 or cls is not NumPy:  # the frameworks derived from this one have memory of their own
            return super().filled_like(x, shape, dtype, value)
        return np.zeros(shape, x.dtype if dtype is None else dtype)  # fresh memory, which nothing has touched yet

    @staticmethod
    def view_as(x: Any, dtype: str) -> Any:
        return np.asarray(x).view(dtype)

    @staticmethod
    def like(x: Any, what: str) -> Any:
        return adopt(x, what)[0]

    @staticmethod
    def result(x: Any) -> Any:
        if not isinstance(x, np.ndarray):
            raise TypeError(f"papilio: out must be a numpy.ndarray, as the weights are; got {type(x).__name__}")
        if isinstance(x, np.ma.MaskedArray):
            raise TypeError("papilio: out is a masked array, whose mask would hide results; give a numpy.ndarray")
        return x

    @staticmethod
    def repeat(x: Any, count: int) -> Any:
        return np.full(count, x)

    @staticmethod
    def count_from(x: Any, count: int) -> Any:
        return x.view(np.uint64) + np.arange(count, dtype=np.uint64)


class Torch(NumPy):
    @staticmethod
    def view(x: Any, what: str) -> Any:
        name = _names_of_torch.get(x.dtype)
        if name is None:
            name = _names_of_torch[x.dtype] = str(x.dtype)[6:]  # "torch.float32"
        return _tensor(x, what, name)

    @staticmethod
    def elements(x: Any, what: str, writable: bool = False) -> Any:
        if x.is_conj():
            raise TypeError(f"papilio: {what} is a view whose conjugate is not stored; use x.resolve_conj()")
        return _tensor(x, what, name_of_bytes(x.element_size(), what))

    @staticmethod
    def integers(x: Any, dtype: str, what: str, like: Any = None) -> Any:
        torch = sys.modules["torch"]
        if not isinstance(x, torch.Tensor):
            x = torch.from_numpy(NumPy.integers(x, dtype, what).copy())
            x = x if like is None else x.to(like.device)
        if x.dtype is (torch.int64 if dtype == "int64" else torch.int32) and x.is_contiguous():
            return x
        if not _is_whole(x):
            raise TypeError(f"papilio: {what} must hold integers; got {x.dtype}")
        if dtype == "int64":
            return (x if x.dtype == torch.uint64 else x.to(torch.int64)).contiguous()
        if x.dtype == torch.int64:  # what does not fit stays out of range, without waiting for a device
            x = x.clamp(-1, _INT32 - 1)
        return x.to(torch.int32).contiguous()

    @staticmethod
    def seed(x: Any) -> Any:
        torch = sys.modules["torch"]
        if isinstance(x, torch.Tensor):
            return int(x) % 2**64 if x.ndim == 0 and x.device.type == "cpu" and _is_whole(x) else x
        on_device = _seeds.is_torchs(x) and x.device.type == "cuda"  # then the seed stays there, and nothing waits
        return _seeds.drawn_by_torch(x) if on_device else _seeds.known(x)

    @staticmethod
    def empty(count: int, dtype: str, like: Any) -> Any:
        torch = sys.modules["torch"]
        return torch.empty(count, dtype=getattr(torch, dtype), device=like.device)

    @staticmethod
    def empty_like(x: Any, shape: tuple[int, ...], dtype: str | None = None) -> Any:
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=x.dtype if dtype is None else getattr(torch, dtype), device=x.device)

    @staticmethod
    def view_as(x: Any, dtype: str) -> Any:
        return x.view(getattr(sys.modules["torch"], dtype))

    @staticmethod
    def is_on_cpu(x: Any) -> bool:
        return x.device.type == "cpu"

    @staticmethod
    def like(x: Any, what: str) -> Any:
        return _same_type(x, sys.modules["torch"].Tensor, what)

    @staticmethod
    def result(x: Any) -> Any:
        return _same_type(x, sys.modules["torch"].Tensor, "out")

    @staticmethod
    def repeat(x: Any, count: int) -> Any:
        return x.expand(count).contiguous()

    @staticmethod
    def count_from(x: Any, count: int) -> Any:
        torch = sys.modules["torch"]
        return x.view(torch.int64) + torch.arange(count, device=x.device)

    @staticmethod
    def is_traced(x: Any) -> bool:
        return sys.modules["torch"].compiler.is_compiling() or type(x).__name__ == "FakeTensor"

    @staticmethod
    def stream(x: Any) -> int:
        return sys.modules["torch"].cuda.current_stream(x.device).cuda_stream if x.is_cuda else 0


def _tensor(x: Any, what: str, dtype: str) -> Any:
    """A tensor whose entries are called `dtype`."""
    if x.layout is not sys.modules["torch"].strided:
        raise TypeError(f"papilio: {what} must be a strided tensor; got {x.layout}")
    if type(x) is not sys.modules["torch"].Tensor and type(x).__name__ == "MaskedTensor":
        raise TypeError(f"papilio: {what} is a MaskedTensor; masked entries have no value here: use x.to_tensor(0)")
    if x.is_neg():  # such as the imaginary part of a conjugate: the sign is not in memory yet
        raise TypeError(f"papilio: {what} is a view whose sign is not stored; use x.resolve_neg()")
    device = x.device
    ordinal = device.index if x.is_cuda else _cpu(device, what)
    return _core.Array.at(what, x.data_ptr(), x.shape, x.stride(), dtype, ordinal)


def _is_whole(x: Any) -> bool:
    """Whether a tensor is of integers."""
    return not (x.is_floating_point() or x.is_complex() or x.dtype == sys.modules["torch"].bool)


def _same_type(x: Any, kind: type, what: str) -> Any:
    if not isinstance(x, kind):
        raise TypeError(f"papilio: {what} must be a {kind.__name__}, as the weights are; got {type(x).__name__}")
    return x


def _cpu(device: Any, what: str) -> int:
    if device.type != "cpu":
        raise TypeError(f"papilio: {what} is on {device}, which is neither the CPU nor a CUDA device")
    return -1


class CuPy(NumPy):
    @staticmethod
    def view(x: Any, what: str) -> Any:
        strides = steps(x.strides, x.itemsize, what)
        return _core.Array.at(what, x.data.ptr, x.shape, strides, x.dtype.name, x.device.id)

    @staticmethod
    def elements(x: Any, what: str, writable: bool = False) -> Any:
        strides = steps(x.strides, x.itemsize, what)
        return _core.Array.at(what, x.data.ptr, x.shape, strides, name_of_bytes(x.itemsize, what), x.device.id)

    @staticmethod
    def integers(x: Any, dtype: str, what: str, like: Any = None) -> Any:
        cupy = sys.modules["cupy"]
        if not isinstance(x, cupy.ndarray):
            raise TypeError(f"papilio: {what} must be a cupy.ndarray, as the weights are; got {type(x).__name__}")
        if x.dtype.kind not in "iu":
            raise TypeError(f"papilio: {what} must hold integers; got {x.dtype}")
        if dtype == "int64":
            return x.astype(x.dtype if x.dtype.itemsize == 8 else dtype, order="C", copy=False)
        if x.dtype.itemsize == 8:
            x = x.clip(-1, _INT32 - 1)
        return x.astype(dtype, order="C", copy=False)

    @staticmethod
    def empty(count: int, dtype: str, like: Any) -> Any:
        cupy = sys.modules["cupy"]
        with like.device:
            return cupy.empty(count, dtype)

    @staticmethod
    def empty_like(x: Any, shape: tuple[int, ...], dtype: str | None = None) -> Any:
        cupy = sys.modules["cupy"]
        with x.device:
            return cupy.empty(shape, x.dtype if dtype is None else dtype)

    @staticmethod
    def view_as(x: Any, dtype: str) -> Any:
        return x.view(dtype)

    @staticmethod
    def like(x: Any, what: str) -> Any:
        return _same_type(x, sys.modules["cupy"].ndarray, what)

    @staticmethod
    def result(x: Any) -> Any:
        return _same_type(x, sys.modules["cupy"].ndarray, "out")

    @staticmethod
    def repeat(x: Any, count: int) -> Any:
        return sys.modules["cupy"].repeat(x, count)

    @staticmethod
    def count_from(x: Any, count: int) -> Any:
        cupy = sys.modules["cupy"]
        with x.device:
            return x.view(cupy.int64) + cupy.arange(count)

    @staticmethod
    def is_on_cpu(x: Any) -> bool:
        return False

    @staticmethod
    def stream(x: Any) -> int:
        with x.device:
            return sys.modules["cupy"].cuda.get_current_stream().ptr


class Jax(NumPy):
    """Arrays of JAX on the CPU, as NumPy sees them; papilio._jax has JAX's compiled code and GPUs."""

    result_dtype = "int32"  # JAX's own integers

    @staticmethod
    def view(x: Any, what: str) -> Any:
        return NumPy.view(np.asarray(x), what)

    @staticmethod
    def elements(x: Any, what: str, writable: bool = False) -> Any:
        return NumPy.elements(np.asarray(x), what, writable)

    @staticmethod
    def result(x: Any) -> Any:
        raise TypeError("papilio: out and cuda_stream are not supported with arrays of JAX")

    @staticmethod
    def seed(x: Any) -> Any:
        return _seeds.known(x, of_jax=True)

    @staticmethod
    def finish(x: Any, like: Any) -> Any:
        return sys.modules["jax"].numpy.asarray(x)

    @staticmethod
    def is_traced(x: Any) -> bool:
        jax = sys.modules["jax"]
        return isinstance(x, jax.core.Tracer) or next(iter(x.devices())).platform != "cpu"


_known: dict[type, Any] = {np.ndarray: NumPy}
_BY_MODULE = {"torch": Torch, "cupy": CuPy, "jax": Jax, "jaxlib": Jax, "numpy": NumPy}


def framework_of(x: Any) -> Any:
    """The framework of an array, or None."""
    kind = type(x)
    known = _known.get(kind)
    if known is None:
        for base in kind.__mro__:
            known = _BY_MODULE.get(base.__module__.partition(".")[0])
            if known is not None and hasattr(kind, "dtype"):
                _known[kind] = known
                break
        else:
            return None
    return known


def compiler_of(arrays: Any, weights: Any, **others: Any) -> Any:
    """The framework that is compiling a call, not running it; None where the values of all its arrays are known.

    That is the framework of `weights`, or JAX where one of the other arguments is traced by it.
    """
    if arrays.is_traced(weights):
        return arrays
    jax = sys.modules.get("jax")
    tracer = None if jax is None else jax.core.Tracer
    for name, x in others.items():
        if tracer is None or x is None or type(x) is int or not isinstance(x, tracer):
            continue
        if arrays not in (NumPy, Jax):
            raise TypeError(f"papilio: {name} is traced by JAX, but the weights are a {type(weights).__name__}")
        return Jax
    return None


def adopt(x: Any, what: str) -> tuple[Any, Any]:
    """Any array, as one of a framework above, and that framework."""
    if type(x) is np.ndarray:
        return x, NumPy
    known = framework_of(x)
    if known is not None and known is not NumPy:
        return x, known
    refuse_hidden(x, f"papilio: {what}")
    if known is not None:
        return (np.asarray(x) if isinstance(x, np.ma.MaskedArray) else x), known
    if isinstance(x, (list, tuple)):
        return plain(x, f"papilio: {what}").astype(np.float64), NumPy
    if hasattr(x, "__array_interface__") or type(x).__module__.partition(".")[0] == "pyarrow":
        return np.asarray(x), NumPy
    if hasattr(x, "__cuda_array_interface__"):
        return on_device(x, what), UnknownCuda
    if hasattr(x, "__dlpack__"):
        cuda = hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] != 1
        return (on_device(x, what), UnknownCuda) if cuda else (by_dlpack(x, what), NumPy)
    if hasattr(x, "__array__") or _has_buffer(x):
        return np.asarray(x), NumPy
    hint = "; use x.toarray(), or x.data with indptr=x.indptr" if is_sparse(x) else ""
    raise TypeError(
        f"papilio: {what} must be an array, such as one of NumPy or with __dlpack__; got {type(x).__name__}{hint}"
    )


def _has_buffer(x: Any) -> bool:
    try:
        memoryview(x)
    except TypeError:
        return False
    return not isinstance(x, (bytes, bytearray))
