"""Reductions by index and by segment, scans, compaction, transposition: against plain Python, on every framework."""

from fractions import Fraction

import conftest
import numpy as np
import pytest
from conftest import to_numpy

import papilio

RNG = np.random.default_rng(11)
DTYPES = ["int32", "int64", "float32", "float64"]
OPS = {
    "sum": sum,
    "minimum": min,
    "maximum": max,
    "bit_and": lambda values: _fold(values, lambda a, b: a & b),
    "bit_or": lambda values: _fold(values, lambda a, b: a | b),
    "bit_xor": lambda values: _fold(values, lambda a, b: a ^ b),
}


def _fold(values, op):
    result = values[0]
    for value in values[1:]:
        result = op(result, value)
    return result


def exact(values, op, dtype):
    """The result by definition: exact, rounded once."""
    info = np.iinfo(dtype) if dtype.startswith("int") else None
    if not len(values):
        least, most = (info.min, info.max) if info else (-np.inf, np.inf)
        return {"minimum": most, "maximum": least, "bit_and": -1}.get(op, 0)
    if op != "sum" or info:
        return OPS[op]([int(v) for v in values] if info else [float(v) for v in values])
    total = sum(map(Fraction, map(float, values)))
    if dtype == "float64":
        return float(total)
    # One rounding to float: by the doubles around the exact sum, which decide a tie of the nearest float.
    near = np.float32(float(total))
    candidates = [near, np.nextafter(near, np.float32(-np.inf)), np.nextafter(near, np.float32(np.inf))]
    distances = [abs(Fraction(float(c)) - total) for c in candidates]
    best = min(distances)
    tied = [c for c, d in zip(candidates, distances) if d == best]
    return tied[0] if len(tied) == 1 else next(c for c in tied if int(c.view(np.int32)) % 2 == 0)


def ops_of(dtype):
    return OPS if dtype.startswith("int") else ["sum", "minimum", "maximum"]


def some(count, dtype):
    if dtype.startswith("int"):
        return RNG.integers(-1000, 1000, count).astype(dtype)
    return (RNG.standard_normal(count) * 10.0 ** RNG.integers(-6, 7, count)).astype(dtype)


def same(found, expected, dtype):
    expected = np.array(expected, dtype)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    assert found.tobytes() == (expected + 0 if dtype.startswith("float") else expected).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_reduce_by_index(dtype):
    values, indices = some(3000, dtype), RNG.integers(0, 50, 3000)
    for op in ops_of(dtype):
        expected = [exact(values[indices == b], op, dtype) for b in range(53)]
        for form in (indices, indices.astype(np.int32), indices.astype(np.uint8), indices.tolist()):
            same(papilio.reduce_by_index(form, values, 53, op=op), expected, dtype)
        for threads in (1, 2, 7):
            same(papilio.reduce_by_index(indices, values, 53, op=op, threads=threads), expected, dtype)
    order = RNG.permutation(3000)
    same(papilio.reduce_by_index(indices[order], values[order], 53), [exact(values[indices == b], "sum", dtype) for b in range(53)], dtype)


def test_counts():
    indices = RNG.integers(0, 9, 500)
    expected = np.bincount(indices, minlength=12)
    found = papilio.reduce_by_index(indices, bins=12)
    assert found.dtype == np.int64 and (found == expected).all()
    assert papilio.reduce_by_index(indices, bins=12, dtype="int32").dtype == np.int32
    out = np.arange(12)
    assert papilio.reduce_by_index(indices, out=out) is out
    assert (out == expected + np.arange(12)).all()
    assert papilio.reduce_by_index([], bins=3).tolist() == [0, 0, 0]


def test_bins_of_the_caller():
    out = np.array([5.0, 7.0, 9.0])
    papilio.reduce_by_index([2, 0, 2], [1.0, 2.0, 3.0], out=out)
    assert out.tolist() == [7, 7, 13]
    papilio.reduce_by_index([0, 1], [9.0, 1.0], out=out, op="minimum")
    assert out.tolist() == [7, 1, 13]


def test_indices_out_of_range():
    for bad in (-1, 4, 2**40):
        with pytest.raises(ValueError, match=f"index 1 is {bad}, expected 0 <= index < 4"):
            papilio.reduce_by_index([0, bad], [1, 2], 4)
        assert papilio.reduce_by_index([0, bad], [1, 2], 4, skip_out_of_range=True).tolist() == [1, 0, 0, 0]
        _, status = papilio.reduce_by_index([0, bad], [1, 2], 4, return_status=True)
        assert papilio.primitive_status(status) == ("index_out_of_range", 1)
    with pytest.raises(ValueError, match="18446744073709551615"):
        papilio.reduce_by_index(np.array([0, 2**64 - 1], np.uint64), [1, 2], 4)
    _, status = papilio.reduce_by_index([0, 1], [1, 2], 4, return_status=True)
    assert papilio.primitive_status(status) == ("none", 0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_segmented_reduce(dtype):
    offsets = np.concatenate([[0], np.cumsum(RNG.integers(0, 40, 60))])
    values = some(offsets[-1], dtype)
    for op in ops_of(dtype):
        expected = [exact(values[a:b], op, dtype) for a, b in zip(offsets, offsets[1:])]
        for threads in (0, 1, 3):
            same(papilio.segmented_reduce(values, offsets, op=op, threads=threads), expected, dtype)
    out = np.zeros(60, dtype)
    assert papilio.segmented_reduce(values, offsets.astype(np.int32), out=out) is out
    assert papilio.segmented_reduce(values, [0]).shape == (0,)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("exclusive", [False, True])
def test_scans(dtype, exclusive):
    offsets = np.concatenate([[0], np.cumsum(RNG.integers(0, 40, 20))])
    size = offsets[-1]
    values = some(size, dtype)
    flags = np.zeros(size, bool)
    flags[offsets[:-1][offsets[:-1] < size]] = True
    begins = np.maximum.accumulate(np.where(flags, np.arange(size), 0))
    last = 0 if exclusive else 1
    for op in ops_of(dtype):
        expected = [exact(values[: i + last], op, dtype) for i in range(size)]
        segmented = [exact(values[begins[i] : i + last], op, dtype) for i in range(size)]
        for threads in (0, 1, 3):
            same(papilio.scan(values, op=op, exclusive=exclusive, threads=threads), expected, dtype)
            same(papilio.segmented_scan(values, offsets, op=op, exclusive=exclusive, threads=threads), segmented, dtype)
        for marks in (flags, flags.tolist(), flags.astype(np.int32) * 256, flags.astype(np.uint8) * 2, flags.astype(np.int64) << 40):
            same(papilio.segmented_scan(values, flags=marks, op=op, exclusive=exclusive), segmented, dtype)
    if exclusive:
        total = papilio.scan(values, exclusive=True, append_total=True)
        assert total.shape == (size + 1,)
        same(total[-1:], [exact(values, "sum", dtype)], dtype)
    again = values.copy()
    assert papilio.scan(again, exclusive=exclusive, out=again) is again
    same(again, papilio.scan(values, exclusive=exclusive), dtype)


@pytest.mark.parametrize(
    "values", [[2**63], [0, 2**63], [2**64 - 1, 5], [2**64, -1], [-(2**63) - 1, 0], [-(2**63), 2**63]]
)
def test_whole_numbers_of_a_list_that_int64_does_not_hold(values):
    beyond = next(value for value in values if not -(2**63) <= value < 2**63)
    for call in (
        papilio.scan,
        lambda x: papilio.segmented_reduce(x, [0, len(x)]),
        lambda x: papilio.reduce_by_index([0] * len(x), x, 1),
        lambda x: papilio.compact(x, [1] * len(x)),
        lambda x: papilio.transpose([x]),
    ):
        with pytest.raises(ValueError, match=f"holds {beyond}, which int64 does not hold"):
            call(values)
    assert papilio.scan([1e30, 2]).tolist() == [1e30, 1e30]
    assert papilio.scan([2**63 - 1]).tolist() == [2**63 - 1]
    assert papilio.scan([-(2**63), 0]).tolist() == [-(2**63)] * 2


def test_sums_that_do_not_fit():
    values = np.array([2**31 - 1, 1, -1], np.int32)
    with pytest.raises(ValueError, match="int32"):
        papilio.scan(values)
    with pytest.raises(ValueError, match="int32"):
        papilio.reduce_by_index([1, 1], values[:2], 2)
    assert papilio.segmented_reduce(values, [0, 3]).tolist() == [2**31 - 1]
    _, status = papilio.scan(values, return_status=True)
    assert papilio.primitive_status(status) == ("sum_overflow", 1)


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int16", "float16", "int32", "float32", "int64", "float64", "complex128", "complex64", "S4", "M8[s]"]
)
def test_elements_of_any_size(dtype):
    bytes_of = RNG.integers(0, 255, 60 * np.dtype(dtype).itemsize, dtype=np.uint8)
    values = (bytes_of % 2).astype(bool) if dtype == "bool" else bytes_of.view(dtype)
    flags = RNG.integers(0, 2, 60).astype(bool)
    kept = papilio.compact(values, flags)
    assert kept.dtype == values.dtype and kept.tobytes() == values[flags].tobytes()
    matrix = values.reshape(6, 10)
    for x in (matrix, matrix[::2, 1::3], matrix[::-1], np.asfortranarray(matrix)):
        turned = papilio.transpose(x)
        assert turned.dtype == x.dtype and turned.flags.c_contiguous
        assert turned.shape == x.T.shape and turned.tobytes() == np.ascontiguousarray(x.T).tobytes()
    batch = values.reshape(3, 4, 5)
    for x in (batch, batch[::-1], batch[:, ::2], batch[1:1]):
        turned = papilio.transpose(x)
        assert turned.shape == x.transpose(0, 2, 1).shape
        assert turned.tobytes() == np.ascontiguousarray(x.transpose(0, 2, 1)).tobytes()


def test_compact():
    values = np.arange(1000)
    for threads in (0, 1, 5):
        assert papilio.compact(values, values % 3 == 0, threads=threads).tolist() == list(range(0, 1000, 3))
    out = np.zeros(400, int)
    kept = papilio.compact(values, values % 3 == 0, out=out)
    assert kept.base is out and kept.shape == (334,) and out[334:].tolist() == [0] * 66
    with pytest.raises(ValueError, match="kept has room for 3 values, 334 are flagged"):
        papilio.compact(values, values % 3 == 0, out=np.zeros(3, int))
    assert papilio.compact([], []).shape == (0,)
    assert papilio.compact([7, 8, 9], [0, 256, -1]).tolist() == [8, 9]


def test_results_into_memory_that_does_not_fit():
    for call, match in [
        (lambda: papilio.transpose(np.ones((2, 3)), out=np.ones((2, 3))), "shape"),
        (lambda: papilio.scan([1, 2], out=np.ones(3, int)), "out"),
        (lambda: papilio.segmented_reduce([1, 2], [0, 2], out=np.ones(2, int)), "out"),
        (lambda: papilio.segmented_scan([1, 2], [0, 1]), "offsets must go from 0 to the number of values, 2; got 0 ... 1"),
        (lambda: papilio.segmented_scan([1, 2], [1, 2]), "got 1 ... 2"),
        (lambda: papilio.segmented_scan([1, 2], []), "got none"),
        (lambda: papilio.segmented_scan([1, 2], flags=[1]), "one entry per value"),
        (lambda: papilio.segmented_scan([1, 2]), "either offsets or flags"),
        (lambda: papilio.segmented_reduce([1, 2], []), "at least one"),
        (lambda: papilio.segmented_reduce([1, 2], [0, 3]), "offset"),
        (lambda: papilio.segmented_reduce([1, 2], [0, 2, 1]), "offset"),
        (lambda: papilio.compact([1, 2], [True]), "one entry per value"),
        (lambda: papilio.reduce_by_index([0], [1, 2], 2), "indices|values"),
        (lambda: papilio.reduce_by_index([0], [1]), "either bins or out"),
        (lambda: papilio.reduce_by_index([0], [1], 2, out=np.ones(2, int)), "either bins or out"),
        (lambda: papilio.reduce_by_index([0], [1], -1), "bins is -1"),
        (lambda: papilio.reduce_by_index([0], [1], 1, dtype="int32"), "dtype"),
        (lambda: papilio.reduce_by_index([0], [1.0], 2, op="bit_or"), "bit_or is for integers"),
        (lambda: papilio.scan([1], op="product"), "product"),
        (lambda: papilio.scan([1], append_total=True), "exclusive"),
        (lambda: papilio.scan(np.ones((2, 2))), "one dimension"),
        (lambda: papilio.scan(np.ones(8)[::2]), "contiguous"),
        (lambda: papilio.transpose(np.ones(3)), "two dimensions"),
        (lambda: papilio.transpose(np.ones((2, 2, 2, 2))), "two dimensions"),
    ]:
        with pytest.raises(ValueError, match=match):
            call()
    square = np.ones((3, 3))
    with pytest.raises(ValueError, match="overlap"):
        papilio.transpose(square, out=square)
    with pytest.raises(ValueError, match="overlap"):
        papilio.compact(square[0], [1, 1, 1], out=square[0])


def test_dtypes_that_are_not_taken():
    for call, match in [
        (lambda: papilio.scan(np.ones(3, np.float16)), "int32, int64, float32 or float64; got float16"),
        (lambda: papilio.scan(np.ones(3, np.uint64)), "int32, int64, float32 or float64; got uint64"),
        (lambda: papilio.scan([True, False]), "int32, int64, float32 or float64; got bool"),
        (lambda: papilio.scan(["a"]), "dtype|numbers"),
        (lambda: papilio.reduce_by_index([0.5], [1], 2), "integers"),
        (lambda: papilio.reduce_by_index([0], [1.0], out=np.ones(2, np.float32)), "dtype of out"),
        (lambda: papilio.reduce_by_index([0], out=np.ones(2, np.float32)), "which count"),
        (lambda: papilio.compact([1], [0.5]), "bool or integers"),
        (lambda: papilio.compact(np.array([object()]), [1]), "Python objects"),
        (lambda: papilio.compact(np.array(["abc"]), [1]), "entries of 12 bytes"),
        (lambda: papilio.compact([1, 2], [1, 1], out=np.ones(2)), "dtype of values"),
        (lambda: papilio.transpose(np.ones((2, 2)), out=np.ones((2, 2), np.float32)), "dtype of matrix"),
        (lambda: papilio.scan([1], exclusive="yes"), "exclusive"),
        (lambda: papilio.scan(np.arange(3), out=np.broadcast_to(np.int64(0), 3)), "writable|contiguous"),
        (lambda: papilio.transpose(np.ones((2, 2)), out=np.broadcast_to(0.0, (2, 2))), "read-only"),
        (lambda: papilio.scan(np.ones(2), out=[0, 0]), "numpy.ndarray"),
    ]:
        with pytest.raises((TypeError, ValueError), match=match):
            call()


@pytest.mark.parametrize("name", [name for name in conftest.MAKERS if name not in ("torch-cuda", "cupy", "jax-gpu")])
def test_every_framework_gives_the_same(name):
    make = conftest.MAKERS[name]
    values, indices = some(200, "float32"), RNG.integers(0, 9, 200).astype(np.int32)
    offsets, flags = np.array([0, 50, 50, 200]), RNG.integers(0, 2, 200).astype(np.uint8)
    for call in (
        lambda x, i, o, f: papilio.reduce_by_index(i, x, 9),
        lambda x, i, o, f: papilio.reduce_by_index(i, bins=9),
        lambda x, i, o, f: papilio.segmented_reduce(x, o),
        lambda x, i, o, f: papilio.scan(x),
        lambda x, i, o, f: papilio.segmented_scan(x, o),
        lambda x, i, o, f: papilio.segmented_scan(x, flags=f),
        lambda x, i, o, f: papilio.compact(x, f),
    ):
        found = to_numpy(call(*map(make, (values, indices, offsets, flags))))
        expected = call(values, indices, offsets, flags)
        assert np.array_equal(found, expected)
    turned = papilio.transpose(make(values.reshape(10, 20)))
    assert to_numpy(turned).tobytes() == values.reshape(10, 20).T.tobytes("C")
    for shape in ((4, 5, 10), (3, 200, 300)):
        batch = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
        turned = papilio.transpose(make(batch))
        assert to_numpy(turned).tobytes() == batch.transpose(0, 2, 1).tobytes("C")


def calls_on_a_device(count):
    """Calls by name, each of arrays (values, indices, offsets, flags) of `count` items."""
    matrix = (10, count // 10)
    return {
        "reduce_by_index": lambda x, i, o, f: papilio.reduce_by_index(i, x, 9),
        "reduce_by_index, skipping": lambda x, i, o, f: papilio.reduce_by_index(i, x, 5, skip_out_of_range=True),
        "small workspace": lambda x, i, o, f: papilio.reduce_by_index(i, x, 9, small_workspace=True),
        "minimum": lambda x, i, o, f: papilio.reduce_by_index(i, x, 9, op="minimum"),
        "counts": lambda x, i, o, f: papilio.reduce_by_index(i, bins=9),
        "segmented_reduce": lambda x, i, o, f: papilio.segmented_reduce(x, o),
        "scan": lambda x, i, o, f: papilio.scan(x),
        "exclusive scan": lambda x, i, o, f: papilio.scan(x, exclusive=True),
        "segmented_scan": lambda x, i, o, f: papilio.segmented_scan(x, o),
        "segmented_scan, flags": lambda x, i, o, f: papilio.segmented_scan(x, flags=f),
        "compact": lambda x, i, o, f: papilio.compact(x, f),
        "transpose": lambda x, i, o, f: papilio.transpose(x.reshape(matrix)),
    }


@pytest.mark.parametrize("name", ["torch-cuda", "cupy"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_device_gives_the_bits_of_the_cpu(name, dtype):
    if name in conftest.MISSING:
        pytest.skip(conftest.MISSING[name])
    count = 50_000
    host = (
        some(count, dtype),
        RNG.integers(0, 9, count).astype(np.int32),
        np.array([0, 50, 50, 30_000, count]),
        RNG.integers(0, 2, count).astype(np.uint8),
    )
    there = [conftest.MAKERS[name](x) for x in host]
    for case, call in calls_on_a_device(count).items():
        assert to_numpy(call(*there)).tobytes() == to_numpy(call(*host)).tobytes(), case


@pytest.mark.parametrize("name", ["torch-cuda", "cupy"])
def test_a_device_writes_to_out_and_says_what_is_wrong(name):
    if name in conftest.MISSING:
        pytest.skip(conftest.MISSING[name])
    make = conftest.MAKERS[name]
    out = make(np.full(3, 5, np.float32))
    result = papilio.reduce_by_index(make(np.array([0, 2, 2])), make(np.ones(3, np.float32)), out=out)
    assert result is out
    assert to_numpy(out).tolist() == [6, 5, 7]
    _, status = papilio.reduce_by_index(make(np.array([0, 2, 9])), make(np.ones(3)), 3, return_status=True)
    assert papilio.primitive_status(status) == ("index_out_of_range", 2)
    with pytest.raises(ValueError, match="out"):
        papilio.scan(make(np.ones(4)), out=make(np.ones(3)))


def test_arrays_of_jax_on_a_device_are_refused_by_name():
    if "jax-gpu" in conftest.MISSING:
        pytest.skip(conftest.MISSING["jax-gpu"])
    with pytest.raises(TypeError, match="JAX on the CPU only"):
        papilio.scan(conftest.MAKERS["jax-gpu"](np.ones(3)))
