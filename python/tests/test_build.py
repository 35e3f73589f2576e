"""The module that is tested is the one that was meant, with or without CUDA in it."""

import os
import pathlib

import papilio


def test_devices_are_described():
    (line, *more) = papilio.describe_cuda_devices()
    has_cuda = "this build has no CUDA support" not in line
    assert line.startswith("cuda:0 ") or ("none" in line and not more)
    build = os.environ.get("PAPILIO_TEST_BUILD")
    if build is not None:
        cache = pathlib.Path(build, "CMakeCache.txt").read_text()
        assert has_cuda == ("PAPILIO_CUDA:BOOL=ON" in cache)


def test_targets():
    assert papilio.cpu_target() in papilio.cpu_targets()
    assert papilio.default_threads() >= 1
