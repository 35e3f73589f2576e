"""sample_categorical and sample_products: the draws of C++, from arrays of any kind."""

import numpy as np
import pytest
from conftest import to_numpy

import papilio

FLOATS = ["float16", "float32", "float64"]


def draw(weights, **options):
    return papilio.sample_categorical(weights, **{"seed": 1, "stream": 2, **options})


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("categories", [5, 100, 1500])
def test_golden_draws(golden, framework, dtype, categories):
    weights = framework(golden.weights(categories).astype(dtype))
    assert to_numpy(draw(weights)).tolist() == golden.draws[categories]


def test_golden_hash(golden, framework):
    drawn = papilio.sample_categorical(framework(golden.matrix()), seed=3)
    assert golden.hash_of(to_numpy(drawn)) == golden.hash


@pytest.mark.parametrize("dtype", FLOATS)
def test_golden_logits(golden, framework, dtype):
    logits = framework(golden.logits().astype(dtype))
    assert to_numpy(draw(logits, logits=True, temperature=0.7)).tolist() == golden.logit_draws


def test_bfloat16_of_ml_dtypes(golden):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    weights = golden.weights(100).astype(ml_dtypes.bfloat16)
    assert draw(weights).tolist() == golden.draws[100]
    assert draw(weights[:, ::-1][:, ::-1]).tolist() == golden.draws[100]


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_8_bit_floats_of_ml_dtypes(golden, dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    weights = golden.weights(5).astype(getattr(ml_dtypes, dtype))
    assert draw(weights).tolist() == golden.draws[5]
    assert draw(weights[:, ::-1][:, ::-1]).tolist() == golden.draws[5]
    values = weights.ravel()
    assert draw(values, indptr=np.arange(0, 61, 5)).tolist() == golden.draws[5]
    logits = np.linspace(-6, 6, 300, dtype=np.float32).reshape(3, 100).astype(weights.dtype)
    assert draw(logits, logits=True).tolist() == draw(logits.astype(np.float32), logits=True).tolist()
    every = np.arange(256, dtype=np.uint8).view(weights.dtype)
    positive = every[every.astype(np.float32) > 0]
    positive = positive[np.isfinite(positive.astype(np.float32))]
    rows = np.tile(positive, (500, 1))
    assert draw(rows).tolist() == draw(rows.astype(np.float32)).tolist()


@pytest.mark.parametrize("dtype", ["float8_e4m3", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"])
def test_other_8_bit_floats_are_refused(golden, dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    weights = golden.weights(5).astype(getattr(ml_dtypes, dtype))
    with pytest.raises(TypeError, match=f"weights has the dtype {dtype}, which papilio does not support"):
        draw(weights)


def test_only_draws_take_8_bit_floats():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    weights = np.ones((2, 3), ml_dtypes.float8_e5m2)
    with pytest.raises(TypeError, match="float32 or float64; got float8_e5m2"):
        papilio.sample_products(weights, weights, seed=1)
    with pytest.raises(TypeError, match="float16, bfloat16 or float32; got float8_e5m2"):
        papilio.sample_tokens(weights, seeds=np.arange(2))


def layouts(x):
    """The same matrix in memory laid out otherwise."""
    rows, columns = x.shape
    wide = np.full((rows, columns + 5), np.nan, x.dtype)
    wide[:, 3:-2] = x
    sparse = np.full((rows * 2, columns * 3), np.nan, x.dtype)
    sparse[::2, ::3] = x
    reversed_ = np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1]
    return {
        "column-major": np.asfortranarray(x),
        "gaps": wide[:, 3:-2],
        "every other": sparse[::2, ::3],
        "reversed": reversed_,
        "one row": np.broadcast_to(x[0], x.shape),
    }


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("layout", ["column-major", "gaps", "every other", "reversed", "one row"])
def test_layouts(golden, dtype, layout):
    weights = layouts(golden.weights(100).astype(dtype))[layout]
    assert draw(weights).tolist() == golden.draws[100]
    assert draw(weights, logits=True).tolist() == draw(np.ascontiguousarray(weights), logits=True).tolist()


@pytest.mark.parametrize("dtype", FLOATS)
def test_ragged_rows(golden, framework, dtype):
    rows = [np.arange(1, size + 1) for size in (5, 1500, 100)]
    values = framework(np.concatenate(rows).astype(dtype))
    indptr = np.cumsum([0] + [len(row) for row in rows])
    if hasattr(values, "device") and "cuda" in str(values.device).lower():
        indptr = framework(indptr)
    drawn = to_numpy(draw(values, indptr=indptr))
    assert drawn.tolist() == [golden.draws[5][0], golden.draws[1500][1], golden.draws[100][2]]


def test_picked_rows(golden):
    weights = golden.matrix()
    everything = draw(weights)
    picked = np.array([4095, 0, 17, 17, 2048])
    for dtype in ("int16", "int32", "int64", "uint8", "uint64"):
        rows = picked.astype(dtype) if dtype != "uint8" else np.array([255, 0, 17, 17, 9], dtype)
        expected = everything[rows.astype(int)]
        assert np.array_equal(draw(weights, indices=rows, row_ids=rows), expected)
    assert np.array_equal(draw(weights, indices=picked[::2], row_ids=picked[::2]), everything[picked[::2]])
    assert draw(weights, indices=[3, 1]).shape == (2,)


def test_picked_ragged_rows():
    values, indptr = np.arange(1.0, 21.0), np.array([0, 3, 3, 10, 20])
    whole = draw(values, indptr=indptr, return_status=True)[0]
    assert whole[1] == -1
    assert draw(values, indptr=indptr, indices=[3, 0, 2], row_ids=[3, 0, 2]).tolist() == whole[[3, 0, 2]].tolist()


def test_no_rows():
    assert draw(np.ones((0, 3))).shape == (0,)
    assert draw(np.ones((4, 3)), indices=[]).shape == (0,)
    assert draw(np.ones(0), indptr=[0]).shape == (0,)
    drawn, status = draw(np.ones((4, 3)), indices=np.array([], np.int32), return_status=True)
    assert drawn.shape == status.shape == (0,)


def test_one_row_gives_one_number(golden):
    drawn = draw(golden.weights(100)[0])
    assert drawn == golden.draws[100][0] and np.ndim(drawn) == 0
    assert draw([1, 0, 0]) == 0
    assert draw(np.zeros(3), return_status=True) == (-1, papilio.DrawStatus.ALL_ZERO)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_products(golden, dtype):
    weights = golden.weights(100).astype(dtype)
    ones = np.ones((3, 100), dtype)
    assert papilio.sample_products(weights, np.ones((12, 100), dtype), seed=1, stream=2).tolist() == golden.draws[100]
    rows = np.arange(12) % 3
    assert papilio.sample_products(weights, ones, None, rows, seed=1, stream=2).tolist() == golden.draws[100]
    assert papilio.sample_products(ones, weights, rows, np.arange(12), seed=1, stream=2).tolist() == golden.draws[100]
    out = np.empty(12, np.int32)
    assert papilio.sample_products(weights, ones, None, rows, seed=1, stream=2, out=out) is out
    assert out.tolist() == golden.draws[100]


def test_products_of_torch(golden):
    torch = pytest.importorskip("torch")
    weights = torch.from_numpy(golden.weights(100))
    drawn = papilio.sample_products(
        weights, torch.ones(1, 100, dtype=torch.float64), None, torch.zeros(12, dtype=torch.int64), seed=1, stream=2
    )
    assert isinstance(drawn, torch.Tensor) and drawn.tolist() == golden.draws[100]


def test_seeds_of_rows(golden):
    weights = golden.matrix()[:50]
    seeds = np.arange(50) * 12345 + 7
    expected = [int(draw(weights[i], seed=int(seeds[i]), row_ids=i)) for i in range(50)]
    assert draw(weights, seed=seeds).tolist() == expected
    assert draw(weights, seed=seeds.astype(np.int32)).tolist() == expected
    assert draw(weights, seed=seeds.tolist()).tolist() == expected
    large = np.full(50, 2**64 - 1, np.uint64)
    assert draw(weights, seed=large).tolist() == draw(weights, seed=2**64 - 1).tolist()
    assert draw(weights, seed=np.array(9)).tolist() == draw(weights, seed=9).tolist()
    assert draw(weights, seed=np.uint64(9)).tolist() == draw(weights, seed=9).tolist()


def test_row_numbers_split_a_batch(golden):
    weights = golden.matrix()[:100]
    whole = draw(weights)
    parts = [draw(weights[i : i + 7], row_ids=i) for i in range(0, 100, 7)]
    assert np.concatenate(parts).tolist() == whole.tolist()
    assert draw(weights[7:], row_ids=np.array(7)).tolist() == whole[7:].tolist()
    order = np.random.default_rng(0).permutation(100)
    assert draw(weights[order], row_ids=order).tolist() == whole[order].tolist()
    assert draw(weights, stream=3).tolist() != whole.tolist()
    assert draw(weights, seed=2).tolist() != whole.tolist()


@pytest.mark.parametrize("threads", [0, 1, 2, 7])
def test_threads_change_nothing(golden, threads):
    assert golden.hash_of(papilio.sample_categorical(golden.matrix(), seed=3, threads=threads)) == golden.hash


@pytest.mark.parametrize("dtype", ["int32", "int64", np.int32, np.int64, np.dtype("int32")])
def test_dtype_of_results(golden, dtype):
    drawn = draw(golden.weights(5), dtype=dtype)
    assert drawn.dtype == np.dtype(dtype) and drawn.tolist() == golden.draws[5]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_out(golden, dtype):
    memory = np.full(16, -9, dtype)
    out = memory[2:14]
    assert draw(golden.weights(5), out=out) is out
    assert out.tolist() == golden.draws[5]
    assert memory[:2].tolist() == memory[14:].tolist() == [-9, -9]


def test_methods(golden):
    weights = golden.matrix()[:64]
    for method in ("prefix", "transposed", "butterfly_swap", "butterfly_two_pass"):
        assert (weights[np.arange(64), draw(weights, method=method)] > 0).all()


def test_status_of_rows():
    weights = np.ones((6, 4), np.float32)
    weights[1] = 0
    weights[2, 3] = -1
    weights[3, 1] = np.nan
    weights[4, 0] = np.inf
    weights[5] = np.finfo(np.float32).max
    drawn, status = draw(weights, return_status=True)
    assert status.dtype == np.uint8
    names = [papilio.DrawStatus(s).name for s in status]
    assert names == ["OK", "ALL_ZERO", "NEGATIVE", "NOT_A_NUMBER", "INFINITE", "OVERFLOW"]
    assert drawn[0] >= 0 and (drawn[1:] == -1).all()
    assert [papilio._core.status_name(s) for s in range(8)] == [s.name.lower() for s in papilio.DrawStatus]
    assert draw(weights[2:3], return_status=True, check_negative=False)[1][0] == papilio.DrawStatus.OK


def test_never_a_weight_of_zero():
    weights = np.random.default_rng(0).random((5000, 67), dtype=np.float32)
    weights[weights < 0.9] = 0
    weights[:, 5] += 1e-30
    assert (weights[np.arange(5000), draw(weights)] > 0).all()
    logits = np.log(weights, where=weights > 0, out=np.full_like(weights, -np.inf))
    assert (weights[np.arange(5000), draw(logits, logits=True)] > 0).all()


def test_proportions():
    """Chi-square of 200,000 draws, 9 degrees of freedom: 33.7 is exceeded with probability 1e-4. A
    sampler that is off by 4 % in one category must fail."""
    weights = np.arange(1.0, 11.0)
    drawn = papilio.sample_categorical(np.broadcast_to(weights, (200_000, 10)), seed=5)
    expected = 200_000 * weights / weights.sum()

    def chi_square(counts):
        return ((counts - expected) ** 2 / expected).sum()

    counts = np.bincount(drawn, minlength=10)
    assert chi_square(counts) < 33.7
    counts[9] += int(expected[9] * 0.04)
    assert chi_square(counts) > 33.7
