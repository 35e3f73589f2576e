#!/usr/bin/env python3
"""The primitives of torch on a CUDA device, on arrays of the sizes of papilio_primitives_cuda_bench.

    benchmarks/cuda/primitives_peers.py --json FILE [--limit SECONDS]

Times are on the device, the median of repeated calls after two for warming up. A call
that fails is recorded with its error message, and the others go on. torch's sums of
floats by atomic additions differ from call to call; nothing is verified here.
"""

import argparse
import json
import statistics
import time

VALUES = 1 << 26


def median_ms(torch, call):
    call()
    call()
    torch.cuda.synchronize()
    times = []
    for _ in range(10):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return statistics.median(times)


def segments(torch, mean):
    """Lengths of segments from half the mean to 1.5 times it (about 1: 0, 1 or 2) that sum to VALUES."""
    count = max(1, VALUES // mean)
    generator = torch.Generator(device="cuda").manual_seed(1)
    unit = torch.rand(count, device="cuda", generator=generator)
    lengths = (3 * unit if mean == 1 else mean * (0.5 + unit)).long()
    lengths[-1] = 0
    ends = lengths.cumsum(0).clamp(max=VALUES)
    lengths = torch.diff(ends, prepend=ends.new_zeros(1))
    lengths[-1] += VALUES - lengths.sum()
    return lengths


def keys(torch, hits, bins):
    generator = torch.Generator(device="cuda").manual_seed(2)
    unit = torch.rand(VALUES, device="cuda", dtype=torch.float64, generator=generator)
    if hits == "one":
        return torch.full((VALUES,), bins // 2, device="cuda", dtype=torch.int64)
    place = torch.exp(unit * torch.log(torch.tensor(float(bins)))) - 1 if hits == "zipf" else unit * bins
    return place.long().clamp(max=bins - 1)


def cases(torch):
    """Pairs of a record and what makes its call; arrays of a case are made when it begins."""

    def values(count=VALUES):
        return torch.rand(count, device="cuda")

    def scan():
        x = values(1 << 28)
        out = torch.empty_like(x)
        return lambda: torch.cumsum(x, 0, out=out)

    def segmented_reduce(mean):
        x, lengths = values(), segments(torch, mean)
        return lambda: torch.segment_reduce(x, "sum", lengths=lengths, unsafe=True)

    def counts(hits, bins):
        by = keys(torch, hits, bins)
        return lambda: torch.bincount(by, minlength=bins)

    def sums(hits, bins):
        by, x, out = keys(torch, hits, bins), values(), torch.zeros(bins, device="cuda")
        return lambda: out.scatter_add_(0, by, x)

    def transpose(rows, columns):
        x = values(rows * columns).view(rows, columns)
        return lambda: x.t().contiguous()

    yield {"case": "scan", "type": "float", "method": "torch.cumsum"}, scan
    for mean in (1, 4, 16, 64, 256, 4096, 10_000_000):
        yield ({"case": "segmented_reduce", "type": "float", "law": str(mean), "method": "torch.segment_reduce"},
               lambda mean=mean: segmented_reduce(mean))
    for bins in (256, 4096, 65_536, 1_000_000, 100_000_000):
        for hits in ("uniform", "zipf", "one"):
            yield ({"case": "counts", "hits": hits, "bins": bins, "method": "torch.bincount"},
                   lambda hits=hits, bins=bins: counts(hits, bins))
            yield ({"case": "sums of float", "hits": hits, "bins": bins, "method": "torch.scatter_add"},
                   lambda hits=hits, bins=bins: sums(hits, bins))
    for rows, columns in ((8192, 8192), (2, 33_554_432), (33_554_432, 2), (1000, 67_108), (8191, 8193)):
        yield ({"case": "transpose", "type": "float", "rows": rows, "columns": columns, "method": "torch contiguous"},
               lambda rows=rows, columns=columns: transpose(rows, columns))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", required=True)
    parser.add_argument("--limit", type=float, default=60, help="begin nothing new after this time, in seconds")
    arguments = parser.parse_args()
    import torch

    start, records = time.monotonic(), []
    for record, prepare in cases(torch):
        if time.monotonic() - start > arguments.limit:
            record["error"] = "not measured: the time was up"
        else:
            try:
                record["ms"] = median_ms(torch, prepare())
            except Exception as error:  # whatever torch may throw
                record["error"] = f"{type(error).__name__}: {error}".splitlines()[0][:300]
        records.append(record)
        print("  ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{v}" for k, v in record.items()), flush=True)
    head = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "records": records}
    with open(arguments.json, "w", encoding="utf-8") as file:
        json.dump(head, file, indent=1)


if __name__ == "__main__":
    main()
