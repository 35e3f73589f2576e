"""Where NVIDIA's wheel has NCCL, which adds up counts of several GPUs."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path


def point_to_wheel() -> None:
    """Let the library find the NCCL that torch brings along, unless PAPILIO_NCCL says where it is."""
    if "PAPILIO_NCCL" in os.environ:
        return
    try:
        found = importlib.util.find_spec("nvidia.nccl")
    except ModuleNotFoundError:
        return
    for folder in found.submodule_search_locations or () if found is not None else ():
        library = Path(folder) / "lib" / "libnccl.so.2"
        if library.exists():
            os.environ["PAPILIO_NCCL"] = str(library)
            return
