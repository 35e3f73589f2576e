"""What the tests share: golden draws of the C++ tests, and makers of arrays of each framework."""

import importlib
import os
import pathlib
import re

import numpy as np
import pytest

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # or JAX leaves the others no memory of a GPU
GOLDEN = pathlib.Path(__file__).parents[2] / "tests/sampling/golden_draws.h"


class Golden:
    """The constants of tests/sampling/golden_draws.h, by which the C++ tests hold the library."""

    def __init__(self):
        text = GOLDEN.read_text()
        rows = re.findall(r"\{(\d+), \{([\d, ]+)\}\}", text)
        self.draws = {int(size): [int(k) for k in draws.split(",")] for size, draws in rows}
        self.hash = int(re.search(r"golden_hash = (0x[0-9a-f]+)", text)[1], 16)
        logits = text[text.index("golden_logit_draws") :]
        self.logit_draws = [int(k) for k in re.search(r"golden = \{([\d,\s]+)\}", logits)[1].split(",")]

    @staticmethod
    def weights(categories):
        return np.tile(np.arange(1, categories + 1, dtype=np.float64), (12, 1))

    @staticmethod
    def matrix():
        numbers = np.arange(4096 * 300, dtype=np.uint64) * np.uint64(2654435761)
        return (numbers.astype(np.uint32) >> np.uint32(24)).astype(np.float32).reshape(4096, 300)

    @staticmethod
    def logits():
        numbers = np.arange(12 * 1500, dtype=np.uint64) * np.uint64(2654435761)
        return ((numbers.astype(np.uint32) >> np.uint32(25)) / 16).reshape(12, 1500)

    @staticmethod
    def hash_of(draws):
        value = 0xCBF29CE484222325
        for k in np.asarray(draws).tolist():
            value = ((value ^ k) * 0x100000001B3) % 2**64
        return value


@pytest.fixture(scope="session")
def golden():
    return Golden()


class OnlyDLPack:
    """An array that offers nothing but DLPack."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


class OnlyInterface:
    def __init__(self, x):
        self.x = x
        self.__array_interface__ = x.__array_interface__


class OnlyArray:
    def __init__(self, x):
        self.x = x

    def __array__(self, dtype=None, copy=None):
        return self.x


def _torch(device):
    torch = importlib.import_module("torch")
    if device != "cpu" and not torch.cuda.is_available():
        raise ImportError("PyTorch finds no CUDA device")
    return lambda x: torch.from_numpy(np.asarray(x, order="C")).to(device)


def _jax(platform):
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    try:
        device = jax.devices(platform)[0]
    except RuntimeError as error:
        raise ImportError(f"JAX finds no {platform}") from error
    return lambda x: jax.device_put(x, device)


def _cupy():
    cupy = importlib.import_module("cupy")
    if not cupy.cuda.is_available():
        raise ImportError("CuPy finds no CUDA device")
    return cupy.asarray


MAKERS = {
    "numpy": lambda x: x,
    "read-only": lambda x: (lambda y: (y.setflags(write=False), y)[1])(x.copy()),
    "dlpack": OnlyDLPack,
    "interface": OnlyInterface,
    "array": OnlyArray,
    "memoryview": lambda x: memoryview(np.ascontiguousarray(x)),
}
# Frameworks that are not here, and why; test_frameworks.py skips one test for each.
MISSING = {}
for _name, _maker in {
    "torch-cpu": lambda: _torch("cpu"),
    "torch-cuda": lambda: _torch("cuda"),
    "jax-cpu": lambda: _jax("cpu"),
    "jax-gpu": lambda: _jax("gpu"),
    "cupy": _cupy,
}.items():
    try:
        MAKERS[_name] = _maker()
    except ImportError as error:
        MISSING[_name] = str(error)


@pytest.fixture(params=MAKERS)
def framework(request):
    """Makes an array of a framework from one of NumPy's."""
    return MAKERS[request.param]


def to_numpy(x):
    """A result of any framework."""
    if hasattr(x, "get"):
        x = x.get()  # CuPy
    if hasattr(x, "cpu"):
        x = x.cpu()  # PyTorch
    return np.asarray(x)
