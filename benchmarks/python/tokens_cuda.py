#!/usr/bin/env python3
"""Filtered draws of tokens with torch on a CUDA device: what papilio_tokens_cuda_bench is measured beside.

    benchmarks/python/tokens_cuda.py --json FILE [--papilio] [--flashinfer] [--qrita FOLDER] [--without-torch]

Rows of 131,072 logits. Times are on the device, the median of repeated calls, eager and by torch.compile; the first
column of the filters is the benchmark's. With --papilio, papilio.sample_tokens is timed from Python in the same run;
with --flashinfer, FlashInfer's draws, which have no log probability, kept set or seed per row: its logits are divided
by the temperature beforehand where its call takes none; with --qrita, the Triton kernels of the vLLM that FOLDER holds
(see qrita.py), also as CUDA graphs.
"""

import argparse
import json

import qrita
from timing_cuda import time_of

CATEGORIES = 131072


def samplers(torch):
    """The same filters as torch's users write them."""

    def top_k_top_p_min_p(logits):
        values, tokens = torch.topk(logits.float() / 0.8, 50)
        probabilities = torch.softmax(values, -1)
        before = probabilities.cumsum(-1) - probabilities
        keep = (before < 0.9) & (probabilities >= 0.01 * probabilities[:, :1])
        kept = torch.where(keep, probabilities, 0.0)
        place = torch.multinomial(kept, 1)
        log = torch.log(kept.gather(-1, place) / kept.sum(-1, keepdim=True))
        return tokens.gather(-1, place), log

    def top_p(logits):
        values, tokens = torch.sort(logits.float() / 0.8, -1, descending=True)
        probabilities = torch.softmax(values, -1)
        kept = torch.where(probabilities.cumsum(-1) - probabilities < 0.9, probabilities, 0.0)
        return tokens.gather(-1, torch.multinomial(kept, 1))

    def unfiltered(logits):
        return torch.multinomial(torch.softmax(logits.float() / 0.8, -1), 1)

    return {
        "top_k 50, top_p 0.9, min_p 0.01; log probability": top_k_top_p_min_p,
        "top_p 0.9": top_p,
        "no filter": unfiltered,
    }


def ours(logits, torch):
    import papilio

    seeds = torch.arange(len(logits), device="cuda")
    options = {"seeds": seeds, "temperature": 0.8}
    all_filters = {**options, "top_k": 50, "top_p": 0.9, "min_p": 0.01, "return_log_probability": True}
    return {
        "top_k 50, top_p 0.9, min_p 0.01; log probability": lambda: papilio.sample_tokens(logits, **all_filters),
        "top_p 0.9": lambda: papilio.sample_tokens(logits, top_p=0.9, **options),
        "no filter": lambda: papilio.sample_tokens(logits, **options),
    }


def flashinfer_samplers(logits):
    import torch
    from flashinfer import sampling

    scaled = logits / 0.8

    top_k = torch.full((len(logits),), 50, dtype=torch.int32, device=logits.device)
    top_ps = torch.full((len(logits),), 0.9, device=logits.device)

    def filtered(order, k=50, p=0.9):
        return lambda: sampling.top_k_top_p_sampling_from_logits(scaled, k, p, filter_apply_order=order)

    def top_p():
        return sampling.top_p_sampling_from_probs(sampling.softmax(logits, temperature=0.8), 0.9)

    return {
        ("top_k 50, top_p 0.9", "flashinfer, joint"): filtered("joint"),
        ("top_k 50, top_p 0.9", "flashinfer"): filtered("top_k_first"),
        ("top_k 50, top_p 0.9, each per row", "flashinfer, joint"): filtered("joint", top_k, top_ps),
        ("top_k 50, top_p 0.9, each per row", "flashinfer"): filtered("top_k_first", top_k, top_ps),
        ("top_p 0.9", "flashinfer"): top_p,
        ("no filter", "flashinfer"): lambda: sampling.sampling_from_logits(scaled),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", required=True)
    parser.add_argument("--papilio", action="store_true")
    parser.add_argument("--flashinfer", action="store_true")
    parser.add_argument("--qrita", metavar="FOLDER", help="an unpacked wheel of vllm from PyPI (written for 0.33.0)")
    parser.add_argument("--without-torch", action="store_true", help="leave out torch's own draws")
    arguments = parser.parse_args()
    import torch

    records = []

    def keep(record):
        records.append(record)
        print(record, flush=True)

    peer = qrita.Peer(arguments.qrita, torch) if arguments.qrita else None
    for kind in (torch.float32, torch.bfloat16):
        for rows in (512, 64, 1):
            torch.manual_seed(1)
            logits = (3 * torch.randn(rows, CATEGORIES, device="cuda")).to(kind)
            calls = {}
            for name, call in samplers(torch).items() if not arguments.without_torch else ():
                calls[name, "torch"] = lambda call=call: call(logits)
                compiled = torch.compile(call, dynamic=False)
                calls[name, "torch, compiled"] = lambda compiled=compiled: compiled(logits)
            if arguments.papilio:
                calls |= {(name, "papilio, from Python"): call for name, call in ours(logits, torch).items()}
            if arguments.flashinfer:
                calls |= flashinfer_samplers(logits)
            for (name, who), call in calls.items():
                record = {"filters": name, "who": who, "rows": rows, "type": str(kind).removeprefix("torch.")}
                try:
                    record["ms"] = time_of(torch, call)
                except Exception as error:  # a peer that cannot run is recorded
                    record["error"] = str(error).splitlines()[0]
                keep(record)
            if peer and kind is torch.float32:
                for record in peer.records(logits):
                    keep(record)
    with open(arguments.json, "w") as file:
        about = {"device": torch.cuda.get_device_name(), "torch": torch.__version__}
        about |= {"vllm": peer.version} if peer else {}
        json.dump({**about, "records": records}, file, indent=1)


if __name__ == "__main__":
    main()
