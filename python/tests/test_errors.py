"""What is wrong with a call is said by a Python exception, and nothing is drawn."""

import numpy as np
import pytest

import papilio

WEIGHTS = np.ones((4, 3), np.float32)


class Unknown:
    pass


BAD_CALLS = {
    # weights
    "no array": (dict(weights=Unknown()), TypeError, "weights must be an array, .* got Unknown"),
    "a string": (dict(weights="weights"), TypeError, "weights must be an array"),
    "integers": (dict(weights=np.ones((2, 3), int)), TypeError, "weights must be of float8_e4m3fn, float8_e5m2, float16, bfloat16, float32 or float64; got int64; use weights.astype"),
    "complex": (dict(weights=np.ones((2, 3), complex)), TypeError, "weights has a dtype that papilio does not support"),
    "bool": (dict(weights=np.ones((2, 3), bool)), TypeError, "papilio"),
    "big-endian": (dict(weights=np.ones((2, 3), ">f4")), TypeError, "not in this machine's byte order"),
    "no dimension": (dict(weights=np.float32(1)), ValueError, "one or two dimensions; got 0"),
    "three dimensions": (dict(weights=np.ones((2, 2, 2))), ValueError, "one or two dimensions; got 3"),
    "negative weight": (dict(weights=-WEIGHTS), ValueError, "row 0, category 0 is -1"),
    "not a number": (dict(weights=WEIGHTS * np.nan), ValueError, "row 0, category 0 is nan"),
    "all zero": (dict(weights=WEIGHTS * 0), ValueError, "row 0 has no positive weight"),
    "no categories": (dict(weights=np.ones((4, 0))), ValueError, "row 0 has no categories"),
    # seed, stream, row_ids
    "no seed": (dict(seed=None), TypeError, "the seed must be an integer"),
    "seed of float": (dict(seed=1.5), TypeError, "the seed must be an integer"),
    "seed of bool": (dict(seed=True), TypeError, "the seed must be an integer"),
    "negative seed": (dict(seed=-1), ValueError, "0 <= seed < 2\\^64; got -1"),
    "large seed": (dict(seed=2**64), ValueError, "0 <= seed < 2\\^64"),
    "seeds of floats": (dict(seed=np.ones(4)), TypeError, "seed must hold integers; got float64"),
    "too few seeds": (dict(seed=np.arange(3)), ValueError, "seed must have one entry per row; got 3 for 4 rows"),
    "seeds in two dimensions": (dict(seed=np.ones((4, 1), int)), ValueError, "seed must have one dimension"),
    "seeds of two signs": (dict(seed=[-1, 2**63, 0, 0]), ValueError, "seed has numbers from -1 to 9223372036854775808, more than"),
    "seeds of 65 bits": (dict(seed=[0, 2**64, 0, 0]), ValueError, "seed has numbers from 0 to 18446744073709551616, more than"),
    "negative stream": (dict(stream=-1), ValueError, "0 <= stream < 2\\^64"),
    "stream of float": (dict(stream=1.0), TypeError, "stream is 1.0, expected a whole number"),
    "negative row_ids": (dict(row_ids=-1), ValueError, "row_ids"),
    "row_ids of floats": (dict(row_ids=np.ones(4)), TypeError, "row_ids must hold integers"),
    "too many row_ids": (dict(row_ids=np.arange(5)), ValueError, "row_ids must have one entry per row; got 5 for 4 rows"),
    # indices, indptr
    "index too large": (dict(indices=[0, 4]), ValueError, "rows\\[1\\] is 4, expected 0 <= row < 4"),
    "negative index": (dict(indices=[-1]), ValueError, "rows\\[0\\] is -1"),
    "index of 2^32": (dict(indices=np.array([2**32])), ValueError, "indices holds 4294967296, which int32 does not hold"),
    "indices of floats": (dict(indices=np.zeros(2)), TypeError, "indices must hold integers"),
    "indices in two dimensions": (dict(indices=[[0]]), ValueError, "indices must have one dimension; got 2"),
    "indices of one row": (dict(weights=np.ones(3), indices=[0]), ValueError, "weights of one dimension are a single row"),
    "decreasing indptr": (dict(weights=np.ones(6), indptr=[0, 4, 2]), ValueError, "row 1 has the offsets 4 and 2"),
    "indptr too large": (dict(weights=np.ones(6), indptr=[0, 7]), ValueError, "row 0 has the offsets 0 and 7"),
    "empty indptr": (dict(weights=np.ones(6), indptr=[]), ValueError, "indptr must have one entry more"),
    "indptr and two dimensions": (dict(indptr=[0, 1]), ValueError, "weights must have one dimension; got 2"),
    "indptr and gaps": (dict(weights=np.ones(12)[::2], indptr=[0, 1]), ValueError, "weights must be contiguous"),
    "indptr of floats": (dict(weights=np.ones(6), indptr=[0.0, 1.0]), TypeError, "indptr must hold integers"),
    # logits
    "logits and indptr": (dict(weights=np.ones(6), indptr=[0, 6], logits=True), ValueError, "indptr cannot be combined with logits"),
    "temperature of weights": (dict(temperature=2.0), ValueError, "a temperature applies to logits"),
    "temperature of str": (dict(logits=True, temperature="1"), TypeError, "temperature is '1', expected a number"),
    "temperature of bool": (dict(logits=True, temperature=True), TypeError, "temperature is True, expected a number"),
    "logits of str": (dict(logits="no"), TypeError, "logits is 'no', expected True or False"),
    "temperature of 0": (dict(logits=True, temperature=0), ValueError, "temperature must be between"),
    "infinite logit": (dict(weights=WEIGHTS * np.inf, logits=True), ValueError, "logits must not be NaN or \\+infinity; row 0, category 0"),
    "no logit": (dict(weights=-WEIGHTS * np.inf, logits=True), ValueError, "row 0 has no logit above -infinity"),
    # out, dtype
    "out of floats": (dict(out=np.empty(4)), TypeError, "out must be of int32 or int64; got float64"),
    "out too short": (dict(out=np.empty(3, int)), ValueError, "out must have one entry per row; got 3 for 4 rows"),
    "out in two dimensions": (dict(out=np.empty((4, 1), int)), ValueError, "out must have one dimension"),
    "out with gaps": (dict(out=np.empty(8, int)[::2]), ValueError, "out must be contiguous"),
    "out backwards": (dict(out=np.empty(4, int)[::-1]), ValueError, "out must be contiguous; got a stride of -1"),
    "out read-only": (dict(out=np.broadcast_to(np.int64(0), 4)), TypeError, "out must be a writable array"),
    "out no array": (dict(out=[0, 0, 0, 0]), TypeError, "out must be a numpy.ndarray"),
    "out and dtype": (dict(out=np.empty(4, int), dtype="int64"), ValueError, "give either out or dtype"),
    "dtype of floats": (dict(dtype="float32"), TypeError, "results are int32 or int64"),
    "dtype of nothing": (dict(dtype=3), TypeError, "results are int32 or int64"),
    # the rest
    "status of str": (dict(return_status="no"), TypeError, "return_status is 'no', expected True or False"),
    "check of an integer": (dict(check_negative=1), TypeError, "check_negative is 1, expected True or False"),
    "negative threads": (dict(threads=-1), ValueError, "threads is -1, expected a whole number from 1 to 4096, or 0 for all"),
    "unknown method": (dict(method="fast"), ValueError, 'unknown method "fast"'),
    "method for rows of one length": (
        dict(weights=np.ones(6), indptr=[0, 6], method="butterfly_swap_remnant_first"), ValueError, "takes rows of one length"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_CALLS)
def test_bad_calls(case):
    options, error, text = BAD_CALLS[case]
    with pytest.raises(error, match=text):
        papilio.sample_categorical(**{"weights": WEIGHTS, "seed": 1, **options})


TWO = {"float32", "float64"}
DRAWN = {"float8_e4m3fn", "float8_e5m2", "float16", "bfloat16", *TWO}
WHOLE = ("int64", "int32", "int16", "int8", "uint8", "uint16", "uint32", "uint64")
READ = {*WHOLE, "float16", "bfloat16", *TWO}  # as float64
# What each function that draws takes as weights (docs/python.md), and what it calls them in the error for others.
TAKEN = {
    "sample_categorical": (lambda x: papilio.sample_categorical(x, seed=1), DRAWN, "weights"),
    "logits": (lambda x: papilio.sample_categorical(x, logits=True, seed=1), DRAWN, "weights"),
    "indptr": (lambda x: papilio.sample_categorical(x[0], indptr=[0, 2], seed=1), DRAWN, "weights"),
    "sample_products": (lambda x: papilio.sample_products(x, x, [0], [0], seed=1), TWO, "weights"),
    "AliasTable": (lambda x: papilio.AliasTable(x[0]), TWO, "weights"),
    "CumulativeTable": (lambda x: papilio.CumulativeTable(x[0]), TWO, "weights"),
    "sample_tokens": (lambda x: papilio.sample_tokens(x, seeds=1), {"float16", "bfloat16", "float32"}, "logits"),
    "choice": (lambda x: papilio.choice(3, 2, x[0], seed=1), READ, ""),
    "resample": (lambda x: papilio.resample(x[0], 2, seed=1), READ, ""),
    "sample_without_replacement": (lambda x: papilio.sample_without_replacement(x, 1, seed=1), READ, ""),
    "weighted_shuffle": (lambda x: papilio.weighted_shuffle(x, seed=1), READ, ""),
    "WeightedReservoir": (lambda x: papilio.WeightedReservoir(2, seed=1).add(x[0]), READ, ""),
    "DynamicWeights": (lambda x: papilio.DynamicWeights(x[0]), {*READ, "bool"}, ""),
    "DynamicForest": (lambda x: papilio.DynamicForest(x), {*READ, "bool"}, ""),
}


CASES = [
    (function, dtype)
    for function, (_, taken, _) in TAKEN.items()
    for dtype in [*WHOLE, "bool", *sorted(DRAWN if taken <= DRAWN else DRAWN & taken)]
]


@pytest.mark.parametrize("function, dtype", CASES)
def test_dtypes_of_weights_and_what_to_do_with_others(function, dtype):
    call, taken, what = TAKEN[function]
    if hasattr(np, dtype if dtype != "bool" else "bool_"):
        weights = np.array([[1, 2, 1], [1, 1, 2]]).astype(dtype)
    else:
        weights = np.array([[1, 2, 1], [1, 1, 2]]).astype(getattr(pytest.importorskip("ml_dtypes"), dtype))
    if dtype in taken:
        call(weights)
        return
    with pytest.raises(TypeError) as raised:
        call(weights)
    if what:
        in_order = ("float8_e4m3fn", "float8_e5m2", "float16", "bfloat16", "float32", "float64")
        names = [name for name in in_order if name in taken]
        expected = f"{what} must be of {', '.join(names[:-1])} or {names[-1]}; got {dtype}"
        hint = "" if dtype in DRAWN else f"; use {what}.astype(np.float32)"
        assert str(raised.value) == f"papilio: {expected}{hint}"
        call(weights.astype(np.float32))


def test_out_is_kept_by_a_refused_call():
    out = np.full(4, -9)
    with pytest.raises(ValueError):
        papilio.sample_categorical(WEIGHTS, seed=1, indices=[0, 1, 2, 9], out=out[:4], row_ids=[1])
    assert (out == -9).all()


BAD_PRODUCTS = {
    "other dtype": (dict(right=np.ones((4, 3))), TypeError, "right must be of the dtype of left; got float64"),
    "halves": (dict(left=WEIGHTS.astype("f2"), right=WEIGHTS.astype("f2")), TypeError, "weights must be of float32 or float64"),
    "other width": (dict(right=np.ones((4, 5), np.float32)), ValueError, "same number of columns; got 3 and 5"),
    "other number of rows": (dict(right=np.ones((5, 3), np.float32)), ValueError, "same number of rows; got 4 and 5"),
    "columns apart": (dict(right=np.ones((3, 4), np.float32).T), ValueError, "products need adjacent columns"),
    "one dimension": (dict(left=np.ones(3, np.float32)), ValueError, "left must have two dimensions; got 1"),
    "row too large": (dict(left_rows=[4], right_rows=[0]), ValueError, "left_rows\\[0\\] is 4"),
    "rows of floats": (dict(right_rows=[0.5]), TypeError, "right_rows must hold integers"),
    "no array": (dict(right=Unknown()), TypeError, "right must be an array"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_PRODUCTS)
def test_bad_products(case):
    options, error, text = BAD_PRODUCTS[case]
    with pytest.raises(error, match=text):
        papilio.sample_products(**{"left": WEIGHTS, "right": WEIGHTS, "seed": 1, **options})


def test_exceptions_of_the_library():
    assert issubclass(papilio.FormatError, ValueError)
    assert issubclass(papilio.DeviceUnavailable, RuntimeError)
    assert issubclass(papilio.DeviceError, RuntimeError)
    assert papilio.FormatError.__module__ == "papilio"


def test_a_device_that_is_not_there():
    class Far:
        """A tensor on the 1000th device; nothing is read from it."""

        def __init__(self, shape, typestr):
            self.__cuda_array_interface__ = dict(shape=shape, typestr=typestr, data=(4096, False), version=3)

        def __dlpack_device__(self):
            return 2, 999

    with pytest.raises(papilio.DeviceUnavailable, match="CUDA"):
        papilio.sample_categorical(Far((2, 3), "<f4"), seed=1, out=Far((2,), "<i8"))
    with pytest.raises(TypeError, match="need `out`"):
        papilio.sample_categorical(Far((2, 3), "<f4"), seed=1)


def test_memory_that_is_not_there():
    with pytest.raises(MemoryError):
        papilio.sample_categorical(np.broadcast_to(np.float32(1), (2**50, 1)), seed=1)
