"""Distributions whose weights change."""

import copy
import pickle
import threading

import numpy as np
import pytest

import papilio

METHODS = ["tree", "buckets", "huffman"]


@pytest.mark.parametrize("method", METHODS)
def test_draws_follow_the_weights(method):
    kept = papilio.DynamicWeights(np.ones(5, np.float32), method=method)
    kept[[0, 4]] = [0, 3.5]
    kept[1] = 0.5
    kept.add(2, 1)
    assert kept.weights.tolist() == [0, 0.5, 2, 1, 3.5]
    assert (kept[4], kept.total, len(kept), kept.method) == (3.5, 7, 5, method)
    drawn = kept.sample(100_000, seed=3)
    counts = np.bincount(drawn, minlength=5)
    assert counts[0] == 0
    assert np.abs(counts / 100_000 - kept.weights / 7).max() < 0.01
    out = np.empty(60_000, np.int32)
    assert kept.sample(out=out, seed=3, first_draw=40_000, threads=3) is out
    assert (out == drawn[40_000:]).all()
    kept.rebuild()
    assert (kept.mean_comparisons > 0) == (method == "huffman")


@pytest.mark.parametrize("method", METHODS)
def test_copies_draw_the_same_and_are_separate(method):
    kept = papilio.DynamicWeights(range(1, 50), method=method)
    for k in range(0, 49, 3):
        kept[k] = 100 - k
    for made in (pickle.loads(pickle.dumps(kept)), copy.copy(kept), copy.deepcopy(kept)):
        assert (made.sample(500, seed=1) == kept.sample(500, seed=1)).all()
        made[0] = 1e6
        assert kept[0] == 100
    with pytest.raises(ValueError):
        papilio.DynamicWeights.from_bytes(kept.to_bytes()[:-1])
    with pytest.raises(TypeError):
        papilio.DynamicWeights.from_bytes("text")


@pytest.mark.parametrize("method", METHODS)
def test_iterating_gives_the_weights(method):
    kept = papilio.DynamicWeights([1, 0, 2.5], method=method)
    assert list(kept) == [1, 0, 2.5] and 2.5 in kept and 7 not in kept
    assert sum(weight for weight in kept) == kept.total
    for k, weight in enumerate(kept):  # the weights of the start, while the loop changes them
        kept[k] = weight + 1
    assert dict(enumerate(kept)) == {0: 2, 1: 1, 2: 3.5}


def test_bad_arguments_change_nothing():
    kept = papilio.DynamicWeights([1.0, 2])
    for weight in (-1, np.nan, np.inf):
        with pytest.raises(ValueError):
            kept[0] = weight
        with pytest.raises(ValueError):
            papilio.DynamicWeights([1.0, weight])
    for category in (2, -1):
        with pytest.raises(ValueError):
            kept[category] = 1
        with pytest.raises(ValueError):
            kept[category]
    with pytest.raises(ValueError, match="2 categories and 3 weights"):
        kept[[0, 1]] = [1, 2, 3]
    with pytest.raises(TypeError):
        kept[0.5] = 1
    with pytest.raises(TypeError):
        kept["0"]
    with pytest.raises(ValueError, match="masked"):
        kept[[0, 1]] = np.ma.array([1.0, 2], mask=[True, False])
    with pytest.raises(ValueError, match="unknown method"):
        papilio.DynamicWeights([1.0], method="fenwick")
    with pytest.raises(ValueError, match="dimension"):
        papilio.DynamicWeights(np.ones((2, 2)))
    with pytest.raises(ValueError):
        papilio.DynamicWeights([])
    with pytest.raises(ValueError, match="either size or out"):
        kept.sample(seed=1)
    assert kept.weights.tolist() == [1, 2]
    kept[[0, 1]] = 0
    with pytest.raises(ValueError, match="nothing to draw"):
        kept.sample(1, seed=1)


def test_a_generator_is_a_seed_and_advances():
    kept = papilio.DynamicWeights(np.ones(1000))
    generator = np.random.default_rng(7)
    first, second = kept.sample(50, seed=generator), kept.sample(50, seed=generator)
    assert (first != second).any()
    assert (first == kept.sample(50, seed=np.random.default_rng(7))).all()


def test_a_forest_is_many_trees():
    weights = np.random.default_rng(1).random((20, 30))
    forest = papilio.DynamicForest(weights)
    rows, categories = np.arange(20), np.arange(20) + 3
    forest.update(rows, categories, 5.0)
    weights[rows, categories] = 5
    assert forest.shape == (20, 30)
    assert forest.weight(3, 6) == 5
    drawn = forest.sample(rows, seed=9)
    for row in rows:
        alone = papilio.DynamicWeights(weights[row])
        assert forest.total(row) == alone.total
        assert drawn[row] == alone.sample(1, seed=9, first_draw=row)[0]
    with pytest.raises(ValueError, match="row 20"):
        forest.sample([20], seed=1)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(forest)


@pytest.mark.parametrize("method", METHODS)
def test_threads_draw_while_another_changes_weights(method):
    kept = papilio.DynamicWeights(np.ones(1000), method=method)
    stop = threading.Event()
    wrong = []

    def draw():
        while not stop.is_set():
            drawn = kept.sample(2000, seed=1, threads=1)
            wrong.extend(k for k in drawn if not 0 <= k < 1000)

    threads = [threading.Thread(target=draw) for _ in range(3)]
    for thread in threads:
        thread.start()
    for i in range(3000):
        kept[i % 1000] = i % 7
    stop.set()
    for thread in threads:
        thread.join()
    assert not wrong


def test_rows_and_categories_of_uint64():
    places = np.array([0, 2], np.uint64)
    weights = papilio.DynamicWeights([1.0, 2, 3])
    weights[places] = [5, 7]
    assert weights.weights.tolist() == [5, 2, 7]
    forest = papilio.DynamicForest(np.ones((3, 3)))
    forest.update(places, places, [0, 4])
    assert forest.weight(2, 2) == 4
    assert forest.sample(places, seed=1).tolist() == forest.sample([0, 2], seed=1).tolist()
    for bad in (np.array([2**63], np.uint64), [0, 2**63]):
        with pytest.raises(ValueError, match="holds 9223372036854775808, which int64 does not hold"):
            forest.sample(bad, seed=1)
