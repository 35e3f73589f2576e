"""Arrays on a CUDA device: the draws of the CPU, on the framework's stream, without waiting for it.

Every test is run with each framework; one that is not here, or finds no device, is skipped by name.
"""

import gc
import sys
import threading

import conftest
import numpy as np
import pytest
from conftest import to_numpy

import papilio

FRAMEWORKS = ["torch-cuda", "cupy", "jax-gpu"]
DTYPES = ["float8_e4m3fn", "float8_e5m2", "float16", "bfloat16", "float32", "float64"]


def require(*names):
    for name in names:
        if name in conftest.MISSING:
            pytest.skip(conftest.MISSING[name])


@pytest.fixture(params=FRAMEWORKS)
def name(request):
    require(request.param)
    return request.param


def move(name, x, dtype=None):
    """An array of NumPy's on the device, as `dtype`, which NumPy need not have."""
    x = conftest.MAKERS[name](x)
    if dtype is None or str(x.dtype).rpartition(".")[2] == dtype:
        return x
    if name == "torch-cuda":
        return x.to(getattr(sys.modules["torch"], dtype))
    if name == "cupy" and (dtype == "bfloat16" or dtype.startswith("float8")):
        pytest.skip(f"CuPy: arrays of {dtype} are not taken")
    return x.astype(dtype)


def is_on_device(name, x):
    if name == "torch-cuda":
        return x.is_cuda
    if name == "cupy":
        return type(x).__module__.startswith("cupy")
    return next(iter(x.devices())).platform == "gpu"


def of_three_bits(x):
    """Numbers rounded to three significant bits, which those of 8 bits hold."""
    fraction, exponent = np.frexp(x)
    return np.ldexp(np.round(fraction * 8) / 8, exponent).astype(x.dtype)


# Weights of few bits, so that every dtype holds them as they are.
RNG = np.random.default_rng(3)
WEIGHTS = RNG.integers(0, 9, (96, 300)).astype(np.float32)
LONG = RNG.integers(0, 3, (4, 40_000)).astype(np.float32)
LOGITS = RNG.integers(-40, 40, (60, 1500)).astype(np.float32) / 8
PICKED = RNG.integers(0, 96, 700)
INDPTR = np.concatenate([[0], np.cumsum(RNG.integers(1, 700, 70))])
VALUES = RNG.integers(1, 9, INDPTR[-1]).astype(np.float32)
SEEDS = RNG.integers(0, 2**62, 96)


def every_call(move_weights, move_integers):
    """Draws of each layout by name: functions of no argument, on arrays that are made before."""
    weights, long, logits, values = map(move_weights, (WEIGHTS, LONG, LOGITS, VALUES))
    picked, indptr, seeds = map(move_integers, (PICKED, INDPTR, SEEDS))
    narrow = move_integers((PICKED % 60).astype(np.int32))
    sample = papilio.sample_categorical
    return {
        "rows": lambda: sample(weights, seed=1, stream=5),
        "rows and their state": lambda: sample(weights, seed=2**63 + 1, return_status=True),
        "long rows": lambda: sample(long, seed=2),
        "seeds": lambda: sample(weights, seed=seeds, row_ids=7),
        "picked rows": lambda: sample(weights, seed=3, indices=picked, row_ids=picked),
        "ragged rows": lambda: sample(values, seed=4, indptr=indptr),
        "logits": lambda: sample(logits, seed=5, logits=True, temperature=0.75, return_status=True),
        "picked logits": lambda: sample(logits, seed=6, logits=True, indices=narrow),
        "one row": lambda: sample(weights[3], seed=7),
    }


def flat(result):
    """The numbers of a result; with a status, of both."""
    parts = result if isinstance(result, tuple) else (result,)
    return [to_numpy(part).tolist() for part in parts]


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_layout_draws_what_the_cpu_draws(name, dtype):
    held = of_three_bits if dtype.startswith("float8") else lambda x: x
    expected = every_call(held, lambda x: x)
    calls = every_call(lambda x: move(name, held(x), dtype), lambda x: move(name, x))
    for case, call in calls.items():
        result = call()
        assert is_on_device(name, result[0] if isinstance(result, tuple) else result), case
        assert flat(result) == flat(expected[case]()), case


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products(name, dtype):
    left, right = WEIGHTS[:20].astype(dtype), WEIGHTS[20:].astype(dtype)
    rows, other = PICKED % 20, PICKED % 76
    expected = papilio.sample_products(left, right, rows, other, seed=9)
    drawn = papilio.sample_products(*(move(name, x) for x in (left, right, rows, other)), seed=9)
    assert is_on_device(name, drawn) and flat(drawn) == flat(expected)


def test_hash_of_the_library(name, golden):
    drawn = papilio.sample_categorical(move(name, golden.matrix()), seed=3)
    assert golden.hash_of(to_numpy(drawn)) == golden.hash
    first = papilio.sample_categorical(move(name, golden.matrix()[7:]), seed=3, row_ids=move(name, np.array(7)))
    assert flat(first) == flat(drawn[7:])


def test_strides(name, golden):
    weights = golden.weights(100)
    wide = np.full((12, 105), np.nan)
    wide[:, 3:-2] = weights
    for x in (move(name, np.asfortranarray(weights)), move(name, wide)[:, 3:-2], move(name, np.repeat(weights, 2, axis=0))[::2]):
        assert flat(papilio.sample_categorical(x, seed=1, stream=2)) == [golden.draws[100]]


def test_bad_rows_are_told_and_not_raised(name):
    weights = np.ones((5, 40), np.float32)
    weights[1], weights[2, 3], weights[3, 1], weights[4, 0] = 0, -1, np.nan, np.inf
    drawn, status = papilio.sample_categorical(move(name, weights), seed=1, return_status=True)
    expected = papilio.sample_categorical(weights, seed=1, return_status=True)
    assert flat((drawn, status)) == flat(expected)
    assert flat(papilio.sample_categorical(move(name, weights), seed=1)) == flat(expected[0])
    rows = move(name, np.array([0, 5, -1, 2**40]))
    drawn, status = papilio.sample_categorical(move(name, np.ones((5, 40))), seed=1, indices=rows, return_status=True)
    no_row = papilio.DrawStatus.NO_SUCH_ROW
    assert flat((drawn[1:], status)) == [[-1, -1, -1], [0, no_row, no_row, no_row]]


def test_no_rows(name):
    assert to_numpy(papilio.sample_categorical(move(name, np.ones((0, 3))), seed=1)).shape == (0,)


def test_results_in_memory_of_the_caller(name):
    expected = papilio.sample_categorical(WEIGHTS, seed=1)
    if name == "jax-gpu":
        with pytest.raises(TypeError, match="out"):
            papilio.sample_categorical(move(name, WEIGHTS), seed=1, out=np.empty(96, int))
        return
    for dtype in ("int32", "int64"):
        out = move(name, np.full(100, -9, dtype))
        part = out[2:98]
        assert papilio.sample_categorical(move(name, WEIGHTS), seed=1, out=part) is part
        assert flat(out) == [[-9, -9, *expected.tolist(), -9, -9]]
    with pytest.raises(TypeError, match="out must be"):
        papilio.sample_categorical(move(name, WEIGHTS), seed=1, out=np.empty(96, int))


def test_arrays_of_no_known_framework():
    require("torch-cuda")
    weights, out = move("torch-cuda", WEIGHTS), move("torch-cuda", np.zeros(96, np.int64))
    expected = flat(papilio.sample_categorical(WEIGHTS, seed=1))

    class Interface:
        def __init__(self, x):
            self.__cuda_array_interface__ = x.__cuda_array_interface__

    for wrap in (Interface, conftest.OnlyDLPack):
        out.zero_()
        papilio.sample_categorical(wrap(weights), seed=1, out=wrap(out))
        assert flat(out) == expected
        with pytest.raises(TypeError, match="need `out`"):
            papilio.sample_categorical(wrap(weights), seed=1)


@pytest.mark.parametrize("table", [papilio.AliasTable, papilio.CumulativeTable])
def test_tables(name, table):
    if name == "jax-gpu":
        pytest.skip("JAX: weights of a table are copied to the CPU")
    weights = WEIGHTS[0].astype(np.float64)
    expected = table(weights).sample(50_000, seed=3, first_draw=7)
    for dtype in ("float32", "float64"):
        made = table(move(name, weights.astype(dtype)))
        assert made.device == "cuda:0" and made.categories == 300
        drawn = made.sample(50_000, seed=3, first_draw=7)
        assert is_on_device(name, drawn) and flat(drawn) == flat(expected)
        out = move(name, np.full(100, -9, np.int32))
        part = out[2:98]
        assert made.sample(out=part, seed=3, first_draw=7) is part
        assert flat(out) == [[-9, -9, *expected[:96].tolist(), -9, -9]]
    with pytest.raises(TypeError, match="out must be"):
        made.sample(out=np.empty(96, int), seed=1)
    with pytest.raises(ValueError, match="finite and >= 0; category 1"):
        table(move(name, np.array([1.0, -1.0])))
    if table is papilio.CumulativeTable:
        with pytest.raises(ValueError, match="the table is on cuda:0, expected cpu"):
            made.find(0.5)


def test_tables_of_no_known_framework():
    require("torch-cuda")
    weights, out = move("torch-cuda", WEIGHTS[0]), move("torch-cuda", np.zeros(96, np.int64))
    made = papilio.AliasTable(conftest.OnlyDLPack(weights))
    made.sample(out=conftest.OnlyDLPack(out), seed=1)
    sys.modules["torch"].cuda.synchronize()
    assert flat(out) == flat(papilio.AliasTable(WEIGHTS[0]).sample(96, seed=1))
    with pytest.raises(TypeError, match="need `out`"):
        made.sample(96, seed=1)


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64"])
def test_primitives(name, dtype):
    rng = np.random.default_rng(5)
    values = (rng.integers(-99, 99, 60_000) if dtype.startswith("int") else rng.standard_normal(60_000)).astype(dtype)
    offsets = np.concatenate([[0], np.sort(rng.integers(0, 60_001, 700)), [60_000]])
    flags, indices = rng.integers(0, 5, 60_000) == 0, rng.integers(0, 500, 60_000)
    given = values, indices, offsets, flags
    if name == "jax-gpu":
        with pytest.raises(TypeError, match="JAX|Jax"):
            papilio.scan(move(name, values))
        return
    there = [move(name, x) for x in given]
    for call in (
        lambda x, i, o, f: papilio.reduce_by_index(i, x, 500),
        lambda x, i, o, f: papilio.reduce_by_index(i, x, 11_000_000),
        lambda x, i, o, f: papilio.reduce_by_index(i, x, 11_000_000, small_workspace=True),
        lambda x, i, o, f: papilio.reduce_by_index(i, x, 400, op="maximum", skip_out_of_range=True),
        lambda x, i, o, f: papilio.reduce_by_index(i, bins=500),
        lambda x, i, o, f: papilio.segmented_reduce(x, o),
        lambda x, i, o, f: papilio.segmented_reduce(x, o, op="minimum"),
        lambda x, i, o, f: papilio.scan(x),
        lambda x, i, o, f: papilio.scan(x, exclusive=True, append_total=True),
        lambda x, i, o, f: papilio.segmented_scan(x, o, exclusive=True),
        lambda x, i, o, f: papilio.segmented_scan(x, flags=f),
        lambda x, i, o, f: papilio.compact(x, f),
        lambda x, i, o, f: papilio.compact(i, f),
        lambda x, i, o, f: papilio.transpose(x.reshape(200, 300)),
        lambda x, i, o, f: papilio.transpose(x.reshape(20, 30, 100)[:, ::2]),
    ):
        found, expected = call(*there), call(*given)
        assert is_on_device(name, found)
        assert to_numpy(found).tobytes() == expected.tobytes() and to_numpy(found).dtype == expected.dtype
    bad = indices.copy()
    bad[17] = 500
    _, status = papilio.reduce_by_index(move(name, bad), there[0], 500, return_status=True)
    assert papilio.primitive_status(status) == ("index_out_of_range", 17)
    _, status = papilio.segmented_reduce(there[0], there[2], return_status=True)
    assert papilio.primitive_status(status) == ("none", 0)


def test_primitives_of_no_known_framework():
    require("torch-cuda")
    with pytest.raises(TypeError, match="of PyTorch and CuPy"):
        papilio.scan(conftest.OnlyDLPack(move("torch-cuda", WEIGHTS[0])))


def test_arrays_on_two_devices_are_refused():
    require("torch-cuda")
    torch = sys.modules["torch"]
    weights = move("torch-cuda", WEIGHTS)
    with pytest.raises(ValueError, match="cpu"):
        papilio.sample_categorical(weights, seed=1, out=torch.empty(96, dtype=torch.int64))
    with pytest.raises(ValueError, match="cpu"):
        papilio.sample_categorical(weights, seed=1, indices=torch.tensor([0, 1]))


# Memory and threads


def test_references_and_memory_of_torch():
    require("torch-cuda")
    torch = sys.modules["torch"]
    weights, rows = move("torch-cuda", LONG), move("torch-cuda", np.array([3, 0, 1]))
    out = torch.empty(3, dtype=torch.int64, device="cuda")
    tensors = (weights, rows, out)

    def call():
        papilio.sample_categorical(weights, seed=rows, indices=rows, row_ids=rows, out=out, return_status=True)
        papilio.sample_categorical(weights, seed=1, logits=True)
        with pytest.raises(ValueError):
            papilio.sample_categorical(weights, seed=1, indices=rows, out=out[:2])

    call()
    gc.collect()
    references, memory = [sys.getrefcount(x) for x in tensors], torch.cuda.memory_allocated()
    for _ in range(200):
        call()
    gc.collect()
    assert [sys.getrefcount(x) for x in tensors] == references
    assert torch.cuda.memory_allocated() == memory


def test_threads_each_on_a_stream():
    require("torch-cuda")
    torch = sys.modules["torch"]
    weights = move("torch-cuda", WEIGHTS)
    torch.cuda.synchronize()
    results = [None] * 8

    def work(i):
        with torch.cuda.stream(torch.cuda.Stream()):
            for _ in range(50):
                drawn = papilio.sample_categorical(weights, seed=i)
            results[i] = flat(drawn)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [flat(papilio.sample_categorical(WEIGHTS, seed=i)) for i in range(8)]


def test_a_forest_whose_weights_change(name):
    if name == "jax-gpu":
        with pytest.raises(TypeError, match="PyTorch or CuPy"):
            papilio.DynamicForest(move(name, np.ones((2, 3), np.float32)))
        return
    generator = np.random.default_rng(5)
    weights = generator.integers(0, 9, (40, 300)).astype(np.float64)
    here, there = papilio.DynamicForest(weights), papilio.DynamicForest(move(name, weights))
    rows = generator.integers(0, 40, 9000)
    for seed in range(3):
        categories, changed = generator.integers(0, 300, 9000), generator.random(9000)
        here.update(rows, categories, changed)
        status = there.update(*(move(name, x) for x in (rows, categories, changed)))
        assert is_on_device(name, status) and not to_numpy(status).any()
        drawn = there.sample(move(name, rows), seed=seed)
        assert is_on_device(name, drawn) and flat(drawn) == flat(here.sample(rows, seed=seed))
    assert there.total(3) == here.total(3) and there.weight(7, 11) == here.weight(7, 11)
    bad = there.update(move(name, np.array([0, 41])), move(name, np.array([0, 0])), 1.0)
    assert to_numpy(bad).tolist() == [papilio.DrawStatus.OK, papilio.DrawStatus.NO_SUCH_ROW]
    out = move(name, np.zeros(2, np.int32))
    assert there.sample(move(name, np.array([40, -1])), seed=1, out=out) is out and flat(out) == [[-1, -1]]
    assert there.total(0) == here.total(0)
