"""Draws without replacement, reservoirs of streams, and resampling."""

import copy
import pickle
import threading

import numpy as np
import pytest

import papilio

METHODS = ["systematic", "stratified", "residual", "multinomial"]
WEIGHTS = np.random.default_rng(1).random((50, 300), dtype=np.float32)


def test_draws_are_distinct_and_the_first_of_a_shuffle():
    drawn = papilio.sample_without_replacement(WEIGHTS, 20, seed=3)
    assert drawn.shape == (50, 20) and drawn.dtype == np.int64
    shuffled = papilio.weighted_shuffle(WEIGHTS, seed=3, dtype="int32")
    assert shuffled.dtype == np.int32
    assert (np.sort(shuffled) == np.arange(300)).all()
    assert (shuffled[:, :20] == drawn).all()


def test_the_law():
    counts = np.zeros((3, 3))
    first, second = papilio.sample_without_replacement(np.tile([1.0, 2, 5], (40_000, 1)), 2, seed=1).T
    np.add.at(counts, (first, second), 1 / 40_000)
    p = np.array([1, 2, 5]) / 8
    expected = p[:, None] * p / (1 - p[:, None]) * (1 - np.eye(3))
    assert abs(counts - expected).max() < 0.015  # six standard errors
    assert abs(counts - expected.T).max() > 0.03  # power


def test_neither_split_nor_threads_nor_form_change_draws():
    drawn = papilio.sample_without_replacement(WEIGHTS, 20, seed=3, stream=4)
    call = papilio.sample_without_replacement
    assert (call(WEIGHTS, 20, seed=3, stream=4, threads=2) == drawn).all()
    assert (call(WEIGHTS[30:], 20, seed=3, stream=4, row_ids=30) == drawn[30:]).all()
    rows = np.arange(49, -1, -1)
    assert (call(WEIGHTS, 20, seed=[3] * 50, stream=4, row_ids=rows, indices=rows) == drawn[::-1]).all()
    assert (call(WEIGHTS.astype(np.float64), 20, seed=3, stream=4) == drawn).all()
    assert (call(np.asfortranarray(WEIGHTS), 20, seed=3, stream=4) == drawn).all()
    assert (call(WEIGHTS.ravel(), 20, seed=3, stream=4, indptr=np.arange(51) * 300) == drawn).all()
    assert (call(WEIGHTS.tolist(), 20, seed=3, stream=4) == drawn).all()
    assert (call(WEIGHTS[7], 20, seed=3, stream=4, row_ids=7) == drawn[7]).all()
    half = WEIGHTS.astype(np.float16)
    assert (call(half, 5, seed=3) == call(half.astype(float), 5, seed=3)).all()
    assert (call(WEIGHTS, 20, seed=4, stream=4) != drawn).any()
    assert call(WEIGHTS, 0, seed=1).shape == (50, 0)
    assert call(WEIGHTS[:0], 3, seed=1).shape == (0, 3)


def test_logits():
    drawn = papilio.sample_without_replacement(np.log(WEIGHTS.astype(float)), 30, seed=3, logits=True)
    assert (drawn == papilio.sample_without_replacement(WEIGHTS, 30, seed=3)).mean() > 0.999
    cold = papilio.sample_without_replacement([1.0, 3, 2, -np.inf], 3, seed=3, logits=True, temperature=1e-6)
    assert cold.tolist() == [1, 2, 0]


def test_ragged_shuffle_and_statuses():
    indptr = np.array([0, 2, 2, 5])
    values = np.array([1, 2, 0, 3, 1.0])
    shuffled, status = papilio.weighted_shuffle(values, seed=1, indptr=indptr, return_status=True)
    assert sorted(shuffled[:2]) == [0, 1] and sorted(shuffled[2:4]) == [1, 2] and shuffled[4] == -1
    assert status.tolist() == [papilio.DrawStatus.OK, papilio.DrawStatus.OK, papilio.DrawStatus.ALL_ZERO]
    drawn, status = papilio.sample_without_replacement([1, -1], 1, seed=1, return_status=True)
    assert drawn.tolist() == [-1] and status == papilio.DrawStatus.NEGATIVE


@pytest.mark.parametrize(
    "arguments, error, message",
    [
        (dict(weights=[1.0, 0], k=2), ValueError, "2 draws without replacement from row 0, which has 1"),
        (dict(weights=[1.0, np.nan], k=1), ValueError, "category 1 is nan"),
        (dict(weights=[1.0, -2], k=1), ValueError, "category 1 is -2"),
        (dict(weights=[1.0, np.inf], k=1), ValueError, "category 1 is inf"),
        (dict(weights=[[]], k=1), ValueError, "no row has more than 0"),
        (dict(weights=[1.0], k=2), ValueError, "no row has more than 1"),
        (dict(weights=[1.0], k=2**31 - 1), ValueError, "no row has more than 1"),
        (dict(weights=[1.0, 2], k=2, indptr=[0, 0, 2]), ValueError, "row 0 has no categories"),
        (dict(weights=[1.0], k=-1), ValueError, "k"),
        (dict(weights=[1.0], k=1.5), TypeError, "k"),
        (dict(weights=[1.0], k=2**31), ValueError, "k"),
        (dict(weights=1.0, k=1), TypeError, "weights"),
        (dict(weights=np.ones((2, 2, 2)), k=1), ValueError, "one or two dimensions"),
        (dict(weights=np.array([True, False]), k=1), TypeError, "bool"),
        (dict(weights=["a"], k=1), TypeError, "weights"),
        (dict(weights=[1.0], k=1, seed=None), TypeError, "seed"),
        (dict(weights=[1.0], k=1, seed=-1), ValueError, "seed"),
        (dict(weights=[1.0], k=1, seed=[1, 2]), ValueError, "one entry per row"),
        (dict(weights=[1.0], k=1, row_ids=[1, 2]), ValueError, "one entry per row"),
        (dict(weights=[1.0], k=1, indices=[0]), ValueError, "indices pick rows"),
        (dict(weights=[[1.0]], k=1, indices=[1]), ValueError, "expected 0 <= row < 1"),
        (dict(weights=[1.0], k=1, indptr=[0, 2]), ValueError, "offsets 0 and 2"),
        (dict(weights=[1.0], k=1, indptr=[]), ValueError, "rows"),
        (dict(weights=[1.0], k=1, indptr=[0, 1], logits=True), ValueError, "cannot be combined"),
        (dict(weights=[1.0], k=1, temperature=2.0), ValueError, "logits=True"),
        (dict(weights=[1.0], k=1, logits=True, temperature=0.0), ValueError, "temperature"),
        (dict(weights=[1.0], k=1, dtype="float64"), TypeError, "int32 or int64"),
        (dict(weights=[1.0], k=1, threads=-1), ValueError, "threads"),
    ],
)
def test_what_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        papilio.sample_without_replacement(**{"seed": 1, **arguments})


def test_shuffles_that_are_refused():
    for indptr in ([0, 9], [3, 0], [-1, 2], []):
        with pytest.raises(ValueError):
            papilio.weighted_shuffle([1.0, 2], seed=1, indptr=indptr)


def test_a_reservoir_is_the_whole_row():
    weights = np.random.default_rng(2).random(10_000)
    expected = papilio.sample_without_replacement(weights, 50, seed=9, stream=1, row_ids=3)
    parts = [papilio.WeightedReservoir(50, seed=9, stream=1, row_id=3) for _ in range(4)]
    pieces = [(at, weights[at : at + 333]) for at in range(0, 10_000, 333)]
    threads = [
        threading.Thread(target=lambda i=i: [parts[i % 4].add(piece, at) for at, piece in pieces[i::8]])
        for i in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    whole = parts[0]
    for part in parts[1:]:
        whole.merge(pickle.loads(pickle.dumps(part)))
    whole.merge(whole)
    assert whole.items.tolist() == expected.tolist()
    assert copy.copy(whole).items.tolist() == copy.deepcopy(whole).items.tolist() == expected.tolist()
    assert papilio.WeightedReservoir.from_bytes(whole.to_bytes()).to_bytes() == whole.to_bytes()
    assert (whole.k, len(whole)) == (50, 50)
    assert repr(whole) == "WeightedReservoir(k=50, seed=9, 50 items)"


def test_what_a_reservoir_refuses():
    reservoir = papilio.WeightedReservoir(2, seed=1)
    reservoir.add(np.float32([0, 1]))
    assert reservoir.items.tolist() == [1]
    for weights, first in (([-1.0], 0), ([np.nan], 0), ([np.inf], 0), ([1.0], -1), ([1.0], 2**62), ([[1.0]], 0)):
        with pytest.raises(ValueError):
            reservoir.add(weights, first)
    assert reservoir.items.tolist() == [1]
    for k in (0, -1, 2**40):
        with pytest.raises(ValueError):
            papilio.WeightedReservoir(k, seed=1)
    with pytest.raises(ValueError):
        reservoir.merge(papilio.WeightedReservoir(2, seed=2))
    with pytest.raises(TypeError):
        reservoir.merge([1])
    with pytest.raises(TypeError):
        papilio.WeightedReservoir.from_bytes("x")
    with pytest.raises(ValueError):
        papilio.WeightedReservoir.from_bytes(b"x")


@pytest.mark.parametrize("method", METHODS)
def test_resampling(method):
    weights = np.random.default_rng(3).random(100)
    weights[::7] = 0
    ancestors = papilio.resample(weights, 5000, method=method, seed=1, stream=2)
    assert (np.diff(ancestors) >= 0).all()
    counts = np.bincount(ancestors, minlength=100)
    expected = 5000 * weights / weights.sum()
    assert (counts[weights == 0] == 0).all()
    if method == "systematic":
        assert (abs(counts - expected) < 1).all()
    if method == "residual":
        assert (counts >= np.floor(expected)).all()
    assert abs(counts - expected).max() < 60
    assert len(papilio.resample(weights, method=method, seed=1)) == 100
    assert papilio.resample(weights, 0, method=method, seed=1).tolist() == []
    narrow = weights.astype(np.float32)
    same = papilio.resample(narrow.astype(float), 9, method=method, seed=1)
    assert (papilio.resample(narrow, 9, method=method, seed=1, dtype="int32") == same).all()


@pytest.mark.parametrize(
    "arguments, error",
    [
        (dict(weights=[0.0, 0]), ValueError),
        (dict(weights=[]), ValueError),
        (dict(weights=[1.0, -1]), ValueError),
        (dict(weights=[np.nan]), ValueError),
        (dict(weights=[[1.0]]), ValueError),
        (dict(weights=[1.0], m=-1), ValueError),
        (dict(weights=[1.0], m=1.5), TypeError),
        (dict(weights=[1.0], method="even"), ValueError),
        (dict(weights=[1.0], method=1), TypeError),
        (dict(weights=[1.0], dtype="int8"), TypeError),
        (dict(weights=[1.0], seed=2**64), ValueError),
    ],
)
def test_resampling_that_is_refused(arguments, error):
    with pytest.raises(error):
        papilio.resample(**{"seed": 1, **arguments})
