"""A vocabulary in shards: each process of a group holds some columns of the logits, and all get the same tokens.

`torch.distributed` carries the records: between GPUs by NCCL where each process has one, else between CPUs by gloo. The
tokens are those that one process draws from whole rows, on a CPU, for any number of processes.

    python examples/python/sharded_vocabulary.py [processes]      needs torch
"""

import sys

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

import papilio

ROWS, V = 6, 5000
FILTERS = dict(temperature=0.9, top_k=100, top_p=0.95)


def logits_of_all():
    return torch.randn(ROWS, V, generator=torch.Generator().manual_seed(3)) * 3


def all_gather(own):
    """What `papilio.sample_sharded_tokens` needs: the arrays of all processes, in their order."""
    tensor = torch.as_tensor(own)  # of logits on a GPU it is a tensor there
    found = [torch.empty_like(tensor) for _ in range(dist.get_world_size())]
    dist.all_gather(found, tensor)
    return found


def process(rank, size, store, results):
    gpus = torch.cuda.device_count() >= size
    device = torch.device("cuda", rank) if gpus else torch.device("cpu")
    dist.init_process_group("nccl" if gpus else "gloo", init_method=f"file://{store}", rank=rank, world_size=size)
    edges = np.linspace(0, V, size + 1).astype(int)
    part = logits_of_all()[:, edges[rank] : edges[rank + 1]].to(device)  # in a model: what this process computes
    drawn = papilio.sample_sharded_tokens(
        part, all_gather, number=rank, first=int(edges[rank]), categories=V,
        seeds=torch.arange(ROWS, device=device), positions=torch.full((ROWS,), 17, device=device), **FILTERS,
    )  # fmt: skip
    results[rank] = drawn.tokens.tolist()
    dist.destroy_process_group()


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    import tempfile

    with mp.Manager() as manager, tempfile.TemporaryDirectory() as folder:
        results = manager.dict()
        mp.spawn(process, args=(size, f"{folder}/store", results), nprocs=size)
        found = [results[rank] for rank in range(size)]
    whole = papilio.sample_tokens(
        logits_of_all(), seeds=torch.arange(ROWS), positions=torch.full((ROWS,), 17), **FILTERS
    )
    print("tokens:", whole.tolist())
    print("the same on every process:", all(tokens == whole.tolist() for tokens in found))


if __name__ == "__main__":
    main()
