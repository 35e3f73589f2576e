"""Qrita's Triton kernels (Park et al., arXiv 2602.01518) as vLLM has them, loaded without vLLM's dependencies.

They are in vLLM's wheels, which need not be installed: unpack one, or these files of it,

    pip download --no-deps vllm==0.33.0
    unzip vllm-*.whl 'vllm/v1/sample/ops/topk_topp_triton.py' 'vllm/v1/worker/gpu/sample/gumbel.py' \
        'vllm/model_executor/warmup/jit_warmup*.py' 'vllm/utils/math_utils.py' 'vllm-*.dist-info/METADATA' -d FOLDER

The kernels and what launches them run as they are; what they ask vLLM about the machine is answered here.
"""

import contextlib
import importlib
import pathlib
import sys
import types

from timing_cuda import time_of

FILTERS = {"top_k 50, top_p 0.9": (50, 0.9), "top_p 0.9": (None, 0.9)}

# Packages, of which no __init__.py is run.
FOLDERS = (
    *("vllm", "vllm/v1", "vllm/v1/sample", "vllm/v1/sample/ops", "vllm/v1/worker", "vllm/v1/worker/gpu"),
    *("vllm/v1/worker/gpu/sample", "vllm/model_executor", "vllm/model_executor/warmup", "vllm/utils"),
)


def _module(name, **members):
    module = types.ModuleType(name)
    vars(module).update(members)
    sys.modules[name] = module
    return module


def load(folder, torch):
    """The mask, the draw by Gumbel noise, and the version of the package."""
    import triton

    folder = pathlib.Path(folder)
    for path in FOLDERS:
        _module(path.replace("/", "."), __path__=[str(folder / path)])
    on_cuda = types.SimpleNamespace(is_cuda=lambda: True, is_cuda_alike=lambda: True, is_cpu=lambda: False)
    _module("vllm.envs")
    sys.modules["vllm"].envs = sys.modules["vllm.envs"]
    _module("vllm.platforms", current_platform=on_cuda)
    _module("vllm.triton_utils", triton=triton, tl=triton.language, HAS_TRITON=True)
    _module("vllm.utils.gpu_sync_debug", gpu_sync_allowed=contextlib.nullcontext)

    def units(device=0):
        return torch.cuda.get_device_properties(device or 0).multi_processor_count

    _module("vllm.utils.platform_utils", num_compute_units=units)
    mask = importlib.import_module("vllm.v1.sample.ops.topk_topp_triton").apply_top_k_top_p_triton
    gumbel = importlib.import_module("vllm.v1.worker.gpu.sample.gumbel").gumbel_sample
    about = next(folder.glob("vllm-*.dist-info/METADATA")).read_text().splitlines()
    return mask, gumbel, next(line.split()[1] for line in about if line.startswith("Version:"))


class Peer:
    """Its calls for one batch of logits (float32, the only type that the mask takes), which it overwrites: they are
    divided by the temperature and put in their place before each call, untimed."""

    def __init__(self, folder, torch):
        self.torch = torch
        self.mask, self.gumbel, self.version = load(folder, torch)

    def take(self, logits):
        self.scaled = logits / 0.8
        self.work = self.scaled.clone()
        rows = len(logits)
        numbers = self.torch.arange(rows, device="cuda")
        self.given = {"rows": numbers.int(), "ones": self.torch.ones(rows, device="cuda"), "numbers": numbers}

    def fill(self):
        self.work.copy_(self.scaled)

    def masked(self, top_k, top_p):
        def of(value, kind):
            return None if value is None else self.torch.full((len(self.work),), value, dtype=kind, device="cuda")

        k, p = of(top_k, self.torch.int32), of(top_p, self.torch.float32)
        return lambda: self.mask(self.work, k, p, has_topp_only_rows=top_k is None)

    def by_exponentials(self, masked):
        """The draw of vLLM's first sampler."""
        p = self.torch.softmax(masked, -1, dtype=self.torch.float32)
        return p.div_(self.torch.empty_like(p).exponential_()).argmax(-1)

    def by_gumbel(self, masked):
        """The draw of its second one, by a kernel, with a seed and a position per row."""
        given = self.given
        return self.gumbel(masked, given["rows"], given["ones"], given["numbers"], given["numbers"],
                           apply_temperature=False, is_drafting=False)  # fmt: skip

    def records(self, logits):
        """Times of all its calls, and how its kept sets differ from the rule's."""
        self.take(logits)
        for name, filters in FILTERS.items():
            mask = self.masked(*filters)
            calls = {
                "the mask": mask,
                "the mask, exponentials": lambda mask=mask: self.by_exponentials(mask()),
                "the mask, Gumbel noise": lambda mask=mask: self.by_gumbel(mask()),
            }
            about = {"filters": name, "rows": len(logits), "type": "float32"}
            for who, call in calls.items():
                record = {**about, "who": f"Qrita, {who}"}
                for unit, graph in (("ms", False), ("graph_ms", True)):
                    try:
                        record[unit] = time_of(self.torch, call, before=self.fill, graph=graph)
                    except Exception as error:  # a peer that cannot run is recorded
                        record["error"] = str(error).splitlines()[0]
                yield record
            self.fill()
            yield {**about, "who": "Qrita, what it keeps", **self.differences(mask() > float("-inf"), *filters)}

    def differences(self, kept, top_k, top_p):
        """Beside the rule in double precision: the fewest from the front of the order whose share is top_p."""
        torch = self.torch
        report = {"rows that differ": 0, "most tokens too many": 0, "most too few": 0, "least share": 1.0}
        for row, flags in zip(self.scaled, kept):
            values = torch.sort(row.double(), descending=True).values
            p = torch.softmax(values[:top_k], -1)
            right = int((p.cumsum(-1) - p < top_p).sum())
            found = row[flags].sort(descending=True).values.double()  # of equal logits any may be kept
            if len(found) != right or not torch.equal(found, values[:right]):
                report["rows that differ"] += 1
                report["most tokens too many"] = max(report["most tokens too many"], len(found) - right)
                report["most too few"] = max(report["most too few"], right - len(found))
            report["least share"] = min(report["least share"], float(p[: len(found)].sum()))
        return report
