"""Times of calls on a CUDA device, for benchmarks with PyTorch."""

import statistics


def time_of(torch, call, calls=20):
    """Milliseconds per call on the device: the median."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    events = [torch.cuda.Event(enable_timing=True) for _ in range(calls + 1)]
    torch.cuda._sleep(40_000_000)  # about 20 ms, in which the host runs ahead
    events[0].record()
    for i in range(calls):
        call()
        events[i + 1].record()
    torch.cuda.synchronize()
    return statistics.median(a.elapsed_time(b) for a, b in zip(events, events[1:]))
