#!/usr/bin/env python3
"""Weights that change, with PyTorch on a CUDA device: what papilio_sampling_cuda_bench --cases forest is measured beside.

    benchmarks/python/forest_cuda.py --json FILE

After each batch of updates (`weights[rows, categories] = values`) running sums are made anew and searched, or
torch.multinomial reads the row. Times are on the device, the median of repeated calls; the shapes and batches are those
of the benchmark.
"""

import argparse
import json
import sys

from timing_cuda import time_of

SHAPES = [(1, 1_000_000), (1000, 1000), (100_000, 100), (1 << 20, 64)]
BATCHES = [1000, 100_000, 1_000_000]
MOST_BYTES = 32e9


def cases(torch, rows, categories, batch):
    """What is measured -> function; the weights are float64, as papilio keeps them."""
    weights = torch.rand(rows, categories, dtype=torch.float64, device="cuda")
    row = torch.randint(rows, (batch,), device="cuda")
    place = torch.randint(categories, (batch,), device="cuda")
    values = torch.rand(batch, dtype=torch.float64, device="cuda")
    sums = weights.cumsum(1)

    def search():
        u = torch.rand(batch, dtype=torch.float64, device="cuda")
        if rows == 1:
            return torch.searchsorted(sums[0], u * sums[0, -1], right=True)
        flat = sums[row]
        return torch.searchsorted(flat, (u * flat[:, -1]).unsqueeze(1), right=True)

    def update():
        weights[row, place] = values

    yield "torch: updates in place", update
    yield "torch: running sums anew", lambda: torch.cumsum(weights, 1, out=sums)
    if rows == 1 or batch * categories * 8 <= MOST_BYTES / 4:
        yield "torch: draws by search in the sums", search
    if categories <= 1 << 24 and rows > 1 and batch * categories * 8 <= MOST_BYTES / 4:
        yield "torch.multinomial of the rows", lambda: torch.multinomial(weights[row], 1)
    if rows == 1:
        yield "torch.multinomial", lambda: torch.multinomial(weights[0], batch, replacement=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", required=True)
    arguments = parser.parse_args()
    import torch

    records = []
    for rows, categories in SHAPES:
        for batch in BATCHES:
            for what, call in cases(torch, rows, categories, batch):
                record = {"case": "forest", "rows": rows, "categories": categories, "batch": batch, "what": what}
                try:
                    ms = time_of(torch, call)
                    record.update(ms=ms, per_second=batch / ms * 1e3)
                except Exception as error:  # whatever the library may throw
                    record["error"] = f"{type(error).__name__}: {error}".splitlines()[0][:300]
                records.append(record)
                print("  ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in record.items()), flush=True)
            torch.cuda.empty_cache()
    head = {"torch": torch.__version__, "device": torch.cuda.get_device_name(0)}
    with open(arguments.json, "w") as file:
        json.dump({**head, "records": records}, file, indent=0)
    return 0


if __name__ == "__main__":
    sys.exit(main())
