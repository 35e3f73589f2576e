"""The GPU of a process beside others on its host."""

from __future__ import annotations

import os
from pathlib import Path

_GPUS = Path("/proc/driver/nvidia/gpus")  # a folder for each


def own_gpu(gpus: Path = _GPUS) -> str:
    """The name of the GPU of this process's number among those that torchrun has started on the host.

    Where it is there, the others are hidden from the driver, which would start them too. Before the driver is first
    asked for anything.
    """
    number = int(os.environ.get("LOCAL_RANK", "0"))
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    if visible is None:
        listed = [str(gpu) for gpu in range(len(list(gpus.iterdir())))] if gpus.is_dir() else []
    else:
        listed = visible.split(",")
    own = listed[number] if number < len(listed) else ""
    if not own or any(gpu.startswith("-") for gpu in listed[: number + 1]):
        return f"cuda:{number}"
    os.environ["CUDA_VISIBLE_DEVICES"] = own
    return "cuda:0"
