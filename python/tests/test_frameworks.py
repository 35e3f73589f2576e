"""Which frameworks the other tests ran with: one that is missing here is skipped by name; what all have in common."""

import conftest
import numpy as np
import pytest
from papilio import _frameworks


@pytest.mark.parametrize("name", [*conftest.MAKERS, *conftest.MISSING])
def test_is_here(name):
    if name in conftest.MISSING:
        pytest.skip(conftest.MISSING[name])


def test_results_are_filled_in_memory_of_their_framework():
    class Memory(np.ndarray):
        pass

    class Other(_frameworks.NumPy):
        @staticmethod
        def empty_like(x, shape, dtype=None):
            return np.empty(shape, dtype or x.dtype).view(Memory)

    given = np.ones(3, np.int32)
    for framework, kind in ((_frameworks.NumPy, np.ndarray), (Other, Memory)):
        for value in (0, 7):
            filled = framework.filled_like(given, (2, 2), None, value)
            assert type(filled) is kind and filled.dtype == np.int32 and filled.tolist() == [[value] * 2] * 2
            assert framework.filled_like(given, (2,), "float64", value).dtype == np.float64
