"""Which frameworks the other tests ran with: one that is missing here is skipped by name."""

import conftest
import pytest


@pytest.mark.parametrize("name", [*conftest.MAKERS, *conftest.MISSING])
def test_is_here(name):
    if name in conftest.MISSING:
        pytest.skip(conftest.MISSING[name])
