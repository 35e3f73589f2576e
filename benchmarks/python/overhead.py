#!/usr/bin/env python3
"""Measures one call on small inputs beside what PyTorch and NumPy offer; writes a table.

    python benchmarks/python/overhead.py [--device cuda [--tokens]] [-o FILE.md]

Every figure is the least of 15 means over about 0.03 seconds, in turns, on one thread. Needs
papilio and NumPy; PyTorch where it is installed. With --device cuda the arrays are PyTorch's, on
the device: a call's time is that of a hundred queued one after the other, done when the last is.
--tokens: next tokens of language models instead of draws from weights.
"""

import argparse
import platform
import timeit

import numpy as np

import papilio

SHAPES = [(1, 10), (1, 1000), (8, 64), (64, 64), (1000, 100)]
SHAPES_OF_TOKENS = [(1, 131_072), (8, 131_072), (64, 131_072)]
SHAPES_ON_CUDA = [(1, 1000), (64, 64), (1000, 100), (100_000, 100), (1, 128_000), (64, 128_000)]
QUEUED = 100


def seconds(calls):
    """The time of each call: the least of the means of several rounds, in which all take their turn."""
    timers = {name: timeit.Timer(call) for name, call in calls.items()}
    for timer in timers.values():
        timer.timeit(1)
    number = {name: max(1, int(0.03 / max(timer.timeit(3) / 3, 1e-7))) for name, timer in timers.items()}
    rounds = [{name: timer.timeit(number[name]) / number[name] for name, timer in timers.items()} for _ in range(15)]
    return {name: min(times[name] for times in rounds) for name in timers}


def contenders(rows, categories):
    """The calls by name; each draws one category from each row."""
    weights = np.random.default_rng(1).random((rows, categories), dtype=np.float32)
    doubles = weights.astype(np.float64)
    doubles /= doubles.sum(axis=1, keepdims=True)
    generator = np.random.default_rng(2)
    calls = {
        "papilio, NumPy": lambda: papilio.sample_categorical(weights, seed=1, threads=1),
        "Generator.choice per row": lambda: [generator.choice(categories, p=p) for p in doubles],
        "Generator.multinomial": lambda: generator.multinomial(1, doubles).argmax(axis=1),
        "cumsum, compare": lambda: (weights.cumsum(1) > weights.sum(1, keepdims=True) * generator.random((rows, 1))).argmax(1),
    }
    try:
        import torch
    except ImportError:
        return calls
    torch.set_num_threads(1)
    tensor = torch.from_numpy(weights)
    calls["papilio, PyTorch"] = lambda: papilio.sample_categorical(tensor, seed=1, threads=1)
    calls["torch.multinomial"] = lambda: torch.multinomial(tensor, 1)
    return calls


def queued(call):
    """A hundred calls, which are done when the last is."""
    import torch

    def calls():
        for _ in range(QUEUED):
            call()
        torch.cuda.synchronize()

    return calls


def contenders_on_cuda(rows, categories):
    """The calls by name, each queued many times."""
    import torch

    generator = torch.Generator("cuda").manual_seed(1)
    logits = torch.randn(rows, categories, device="cuda", generator=generator)
    weights = logits.softmax(1)

    return {
        "papilio": queued(lambda: papilio.sample_categorical(weights, seed=1)),
        "torch.multinomial": queued(lambda: torch.multinomial(weights, 1)),
        "cumsum, searchsorted": queued(
            lambda: torch.searchsorted(weights.cumsum(1), torch.rand(rows, 1, device="cuda")).clamp_(max=categories - 1)
        ),
        "papilio, logits": queued(lambda: papilio.sample_categorical(logits, seed=1, logits=True)),
        "softmax, multinomial": queued(lambda: torch.multinomial(logits.softmax(1), 1)),
        "Gumbel, argmax": queued(lambda: (logits - torch.empty_like(logits).exponential_().log_()).argmax(1)),
    }


def contenders_of_tokens(rows, categories):
    """The same for next tokens by top_k and top_p; PyTorch filters only the first 50."""
    import torch

    generator = torch.Generator("cuda").manual_seed(1)
    logits = 3 * torch.randn(rows, categories, device="cuda", generator=generator)

    def each(x, dtype):
        return torch.full((rows,), x, dtype=dtype, device="cuda")

    one = dict(temperature=0.8, top_k=50, top_p=0.9)
    own = dict(
        temperature=each(0.8, torch.float32), top_k=each(50, torch.int32), top_p=each(0.9, torch.float32),
        seeds=each(1, torch.int64), positions=each(7, torch.int64),
    )  # fmt: skip

    def by_torch():
        first, places = torch.topk(logits / 0.8, 50)
        shares = first.softmax(1)
        shares[shares.cumsum(1) - shares > 0.9] = 0
        return places.gather(1, torch.multinomial(shares, 1))

    return {
        "papilio": queued(lambda: papilio.sample_tokens(logits, seeds=1, **one)),
        "filters, seeds and positions per row": queued(lambda: papilio.sample_tokens(logits, **own)),
        "those, log probability and kept set": queued(
            lambda: papilio.sample_tokens(logits, return_log_probability=True, return_kept=50, **own)
        ),
        "PyTorch: topk, softmax, multinomial": queued(by_torch),
    }


def table_on_cuda(of_tokens):
    import torch

    calls_of, shapes = (contenders_of_tokens, SHAPES_OF_TOKENS) if of_tokens else (contenders_on_cuda, SHAPES_ON_CUDA)
    columns = {shape: seconds(calls_of(*shape)) for shape in shapes}
    names = list(columns[shapes[0]])
    what = "--device cuda --tokens" if of_tokens else "--device cuda"
    lines = [
        "# One call on a CUDA device",
        "",
        f"One draw from each row of a float32 tensor of PyTorch's, made by `python benchmarks/python/overhead.py {what}`. A",
        f"call's time is that of {QUEUED} queued one after the other. The second column has papilio's in microseconds; the others are",
        "multiples of it, all in one run; more than 1 is slower than papilio.",
        "",
        f"papilio {papilio.version()}, PyTorch {torch.__version__}, Python {platform.python_version()}, "
        f"{torch.cuda.get_device_name()}.",
        "",
        "| rows x categories | " + " | ".join(names) + " |",
        "| --- |" + " ---: |" * len(names),
    ]
    for (rows, categories), times in columns.items():
        base = times["papilio"]
        entries = [f"{base / QUEUED * 1e6:.1f} µs", *(f"{times[name] / base:.2f}" for name in names[1:])]
        lines.append(f"| {rows:,} x {categories:,} | " + " | ".join(entries) + " |")
    return lines


def table_on_cpu():
    columns = {shape: seconds(contenders(*shape)) for shape in SHAPES}
    names = list(columns[SHAPES[0]])
    versions = f"papilio {papilio.version()}, NumPy {np.__version__}"
    if "torch.multinomial" in names:
        import torch

        versions += f", PyTorch {torch.__version__}"
    lines = [
        "# One call on small inputs",
        "",
        "One draw from each row of a float32 matrix, one thread, made by `python benchmarks/python/overhead.py`. Each entry is the",
        "time of the call divided by that of `papilio, NumPy` on the same matrix, all in one run; more than 1 is slower than papilio.",
        "",
        f"{versions}, Python {platform.python_version()}, {papilio.cpu_target()}.",
        "",
        "| rows x categories | " + " | ".join(names) + " |",
        "| --- |" + " ---: |" * len(names),
    ]
    for (rows, categories), times in columns.items():
        entries = [f"{times[name] / times['papilio, NumPy']:.2f}" for name in names]
        lines.append(f"| {rows:,} x {categories:,} | " + " | ".join(entries) + " |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--tokens", action="store_true")
    parser.add_argument("-o", "--output")
    options = parser.parse_args()
    if options.tokens and options.device != "cuda":
        parser.error("--tokens needs --device cuda")
    text = "\n".join(table_on_cuda(options.tokens) if options.device == "cuda" else table_on_cpu()) + "\n"
    print(text, end="")
    if options.output:
        with open(options.output, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
