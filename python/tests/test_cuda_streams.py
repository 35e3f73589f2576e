"""Arrays on a CUDA device: calls go on the current stream and wait for nothing, and into graphs and JAX's transformations.

As in test_cuda.py, a framework that is not here, or finds no device, is skipped by name.
"""

import sys

import numpy as np
import pytest
from test_cuda import LOGITS, LONG, WEIGHTS, every_call, flat, move, require

import papilio

# A call returns while the work before it still runs: it waits for nothing.


def test_torch_is_not_waited_for():
    require("torch-cuda")
    torch = sys.modules["torch"]
    calls = every_call(lambda x: move("torch-cuda", x), lambda x: move("torch-cuda", x))
    expected = {case: flat(call()) for case, call in calls.items()}  # and PyTorch has its memory from here on
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for call in calls.values():
            call()
        stream.synchronize()
        torch.cuda._sleep(3_000_000_000)  # clock cycles: more than a second
        held = torch.cuda.Event()
        held.record()
        results = {case: call() for case, call in calls.items()}
        assert not held.query(), "the calls waited for the stream"
    stream.synchronize()
    assert {case: flat(result) for case, result in results.items()} == expected


HOLD = 'extern "C" __global__ void hold(long long n) { const long long start = clock64(); while (clock64() - start < n); }'


def test_cupy_is_not_waited_for():
    require("cupy")
    cupy = sys.modules["cupy"]
    calls = every_call(cupy.asarray, cupy.asarray)
    expected = {case: flat(call()) for case, call in calls.items()}
    hold = cupy.RawKernel(HOLD, "hold")
    with cupy.cuda.Stream(non_blocking=True) as stream:
        for call in calls.values():
            call()
        hold((1,), (1,), (np.int64(10),))
        stream.synchronize()
        hold((1,), (1,), (np.int64(3_000_000_000),))
        held = cupy.cuda.Event(disable_timing=True)
        held.record()
        results = {case: call() for case, call in calls.items()}
        assert not held.done, "the calls waited for the stream"
        stream.synchronize()
    assert {case: flat(result) for case, result in results.items()} == expected


def test_jax_is_not_waited_for():
    require("jax-gpu")
    jax = sys.modules["jax"]
    weights = move("jax-gpu", WEIGHTS)

    @jax.jit
    def slow(weights):
        square = jax.numpy.ones((2048, 2048), "float32") / 2048
        product = jax.lax.fori_loop(0, 4000, lambda _, x: x @ square, square)
        return weights + 0 * product[0, 0]

    slow(weights).block_until_ready()
    papilio.sample_categorical(weights, seed=8).block_until_ready()
    late = slow(weights)
    drawn = papilio.sample_categorical(late, seed=8)
    assert not late.is_ready(), "the call waited for its weights"
    assert flat(drawn) == flat(papilio.sample_categorical(WEIGHTS, seed=8))


def test_draws_follow_the_work_of_their_stream():
    """Weights that are written late, on the current stream, are those that are drawn from."""
    require("torch-cuda")
    torch = sys.modules["torch"]
    weights, late = move("torch-cuda", WEIGHTS), move("torch-cuda", np.zeros_like(WEIGHTS))
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(300_000_000)
        late.copy_(weights)
        drawn = papilio.sample_categorical(late, seed=1)
    stream.synchronize()
    assert flat(drawn) == flat(papilio.sample_categorical(WEIGHTS, seed=1))


# CUDA graphs


@pytest.mark.parametrize("operator", [False, True], ids=["function", "operator"])
def test_a_graph_of_torch_draws_anew_at_each_replay(operator):
    require("torch-cuda")
    import papilio.torch

    torch = sys.modules["torch"]
    weights, logits = move("torch-cuda", WEIGHTS), move("torch-cuda", LOGITS)
    numbers = torch.arange(96, device="cuda")

    def step():
        if operator:
            first = torch.ops.papilio.sample_categorical(weights, None, numbers, None, None, seed=1)[0]
            second = torch.ops.papilio.sample_categorical(logits, None, numbers[:60], None, None, seed=1, logits=True)[0]
            return first, second
        return (
            papilio.sample_categorical(weights, seed=1, row_ids=numbers),
            papilio.sample_categorical(logits, seed=1, row_ids=numbers[:60], logits=True),
        )

    step()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        results = step()
    for first in (0, 96):
        numbers.copy_(torch.arange(first, first + 96))
        graph.replay()
        assert flat(results[0]) == flat(papilio.sample_categorical(WEIGHTS, seed=1, row_ids=first))
        assert flat(results[1]) == flat(papilio.sample_categorical(LOGITS, seed=1, row_ids=first, logits=True))


def test_a_graph_of_cupy():
    require("cupy")
    cupy = sys.modules["cupy"]
    weights, numbers, out = cupy.asarray(WEIGHTS), cupy.arange(96), cupy.empty(96, np.int64)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        stream.begin_capture()
        papilio.sample_categorical(weights, seed=1, row_ids=numbers, out=out)
        graph = stream.end_capture()
        for first in (0, 96):
            numbers[:] = cupy.arange(first, first + 96)
            graph.launch(stream)
            stream.synchronize()
            assert flat(out) == flat(papilio.sample_categorical(WEIGHTS, seed=1, row_ids=first))


def test_reduced_overhead_of_torch():
    """torch.compile with CUDA graphs of its own."""
    require("torch-cuda")
    torch = sys.modules["torch"]

    @torch.compile(fullgraph=True, mode="reduce-overhead")
    def step(logits, numbers):
        return papilio.sample_categorical(logits * 2, seed=1, row_ids=numbers, logits=True)

    logits = move("torch-cuda", LOGITS)
    for first in (0, 60, 120, 180):
        expected = papilio.sample_categorical(LOGITS * 2, seed=1, row_ids=first, logits=True)
        assert flat(step(logits, torch.arange(first, first + 60, device="cuda"))) == flat(expected)


# JAX's transformations


def test_jit_scan_and_grad_of_jax():
    require("jax-gpu")
    jax = sys.modules["jax"]
    weights, long = move("jax-gpu", WEIGHTS), move("jax-gpu", LONG)

    @jax.jit
    def steps(weights, long, seed):
        def one(carry, step):
            return carry, papilio.sample_categorical(weights, seed=seed, row_ids=step * 96)

        return jax.lax.scan(one, 0, jax.numpy.arange(3))[1], papilio.sample_categorical(long, seed=seed, logits=True)

    drawn, logits = steps(weights, long, 11)
    assert flat(drawn) == [[papilio.sample_categorical(WEIGHTS, seed=11, row_ids=96 * i).tolist() for i in range(3)]]
    assert flat(logits) == flat(papilio.sample_categorical(LONG, seed=11, logits=True))
    batched = jax.vmap(lambda w: papilio.sample_categorical(w, seed=4))(weights.reshape(3, 32, 300))
    assert flat(batched) == [[papilio.sample_categorical(w, seed=4).tolist() for w in WEIGHTS.reshape(3, 32, 300)]]

    def loss(logits):
        drawn = papilio.sample_categorical(logits, seed=1, logits=True)
        return -jax.numpy.take_along_axis(jax.nn.log_softmax(logits), drawn[:, None], 1).sum()

    assert bool(jax.numpy.isfinite(jax.grad(loss)(move("jax-gpu", LOGITS))).all())


def test_workspaces_of_jax_go_back():
    """Long rows and logits need memory for a while, from XLA's own allocator."""
    require("jax-gpu")
    weights = move("jax-gpu", LONG)
    call = sys.modules["jax"].jit(lambda w: papilio.sample_categorical(w, seed=1, logits=True))
    call(weights).block_until_ready()
    device = next(iter(weights.devices()))
    before = device.memory_stats()
    if before is None:
        pytest.skip("this allocator of JAX tells nothing of its memory")
    for _ in range(200):
        drawn = call(weights)
    drawn.block_until_ready()
    assert device.memory_stats()["bytes_in_use"] - before["bytes_in_use"] < 4 * LONG.nbytes
