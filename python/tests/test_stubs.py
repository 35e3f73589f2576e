"""The types that are shipped are those of the module."""

import importlib.metadata
import pathlib
import subprocess
import sys

import pytest

import papilio

ROOT = pathlib.Path(__file__).parents[2]


def test_the_stub_fits_the_module():
    pytest.importorskip("nanobind")
    done = subprocess.run(
        [sys.executable, ROOT / "tools/make_stubs.py", "--check"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_are_shipped():
    package = pathlib.Path(papilio.__file__).parent
    assert (package / "py.typed").exists()
    assert (package / "_core.pyi").read_text() == (ROOT / "python/papilio/_core.pyi").read_text()


def test_everything_public_has_a_docstring():
    for name in papilio.__all__:
        assert getattr(papilio, name).__doc__, name


def test_the_version_is_that_of_the_library():
    assert papilio.__version__ == papilio.version()
    try:
        assert importlib.metadata.version("papilio") == papilio.version()
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is not installed, but run from the source tree")
