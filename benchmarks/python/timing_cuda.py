"""Times of calls on a CUDA device, for benchmarks with PyTorch."""

import statistics


def time_of(torch, call, calls=20, before=None, graph=False):
    """Milliseconds per call on the device: the median. `before` is called before each, untimed; with `graph` the call
    is captured as a CUDA graph and its replays are timed."""
    before = before or (lambda: None)
    for _ in range(3):
        before()
        call()
    torch.cuda.synchronize()
    if graph:
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            call()
        call = captured.replay
        before()
        call()
        torch.cuda.synchronize()
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(calls)]
    torch.cuda._sleep(40_000_000)  # about 20 ms, in which the host runs ahead
    for begin, end in events:
        before()
        begin.record()
        call()
        end.record()
    torch.cuda.synchronize()
    return statistics.median(begin.elapsed_time(end) for begin, end in events)
