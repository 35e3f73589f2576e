"""choice: draws from one row, with NumPy's signature."""

import numpy as np
import pytest

import papilio

P = np.array([1, 2, 0, 1.0])


def intervals(p, u):
    """The law, plainly: the category in whose interval of the running sums u * total lies. For exact sums."""
    sums = np.cumsum(p)
    return np.searchsorted(sums, u * sums[-1], side="right")


def uniforms(count, seed, stream=0):
    """The uniform numbers of draws 0, 1, ..., read off a table of 2^12 equal weights and of its parts, 52 bits in all."""
    numbers = papilio.CumulativeTable(np.ones(2**20))
    return (numbers.sample(count, seed=seed, stream=stream) + 0.5) / 2**20


@pytest.mark.parametrize("draws", [1, 7, 63, 64, 2500, 20_000])
@pytest.mark.parametrize("categories", [1, 4, 33, 256, 10_000])
def test_the_category_that_holds_u(draws, categories):
    """With few draws and with an index alike. u is known to 20 bits, so the draw is between those of its two ends."""
    p = np.random.default_rng(categories).integers(0, 50, categories).astype(float)
    p[categories // 2] += 1
    drawn = papilio.choice(categories, draws, p, seed=9, stream=3)
    u = uniforms(draws, 9, 3)
    assert (intervals(p, u - 2**-21) <= drawn).all() and (drawn <= intervals(p, np.minimum(u + 2**-21, 1 - 2**-53))).all()
    assert (p[drawn] > 0).all()
    table = papilio.CumulativeTable(p).sample(draws, seed=9, stream=3)
    assert (table == drawn).all()  # sums of whole numbers are exact in both


def test_a_shorter_call_gives_the_first_draws():
    p = np.random.default_rng(0).random(4000)
    many = papilio.choice(4000, 20_000, p, seed=5)
    for few in (1, 10, 999, 1000, 5000):  # from 1,000 on by an index
        assert (papilio.choice(4000, few, p, seed=5) == many[:few]).all()
        assert (papilio.choice(4000, few, p, seed=5, first_draw=70, threads=2) == many[70 : 70 + few]).all()
    assert (papilio.choice(4000, 20_000, p.astype("f4").astype("f8"), seed=5) == papilio.choice(4000, 20_000, p.astype("f4"), seed=5)).all()
    assert (papilio.choice(4000, 100, p, seed=5, stream=1) != many[:100]).any()


@pytest.mark.parametrize("size", [None, 0, 5, (2, 3), (), (0, 4)])
@pytest.mark.parametrize("p", [None, P])
@pytest.mark.parametrize("a", [4, np.array(["a", "b", "c", "d"]), [1.5, 2, 3, 4], np.arange(8).reshape(4, 2)])
def test_shapes_and_types_are_those_of_numpy(a, p, size):
    theirs = np.random.default_rng(1).choice(a, size, p=None if p is None else p / p.sum())
    ours = papilio.choice(a, size, p, seed=1)
    assert np.shape(ours) == np.shape(theirs) and np.asarray(ours).dtype == np.asarray(theirs).dtype
    indices = papilio.choice(4, size, p, seed=1)
    expected = indices if isinstance(a, int) else np.take(a, indices, axis=0)
    assert np.array_equal(ours, expected)


def test_axis_dtype_and_other_kinds_of_weights():
    a = np.arange(8).reshape(2, 4)
    assert (papilio.choice(a, 3, P, axis=1, seed=2) == a[:, papilio.choice(4, 3, P, seed=2)]).all()
    assert (papilio.choice(a, 3, P, axis=-1, seed=2) == a[:, papilio.choice(4, 3, P, seed=2)]).all()
    assert papilio.choice(4, 3, P, dtype="int32", seed=2).dtype == np.int32
    expected = papilio.choice(4, 50, P, seed=2).tolist()
    for p in (P.tolist(), [1, 2, 0, 1], P.astype(int), P.astype("f2"), P.astype("f4"), P.astype(">f8"), np.repeat(P, 2)[::2]):
        assert papilio.choice(4, 50, p, seed=2).tolist() == expected
    assert papilio.choice(4, 50, P * 0.125, seed=2).tolist() == expected
    assert papilio.choice(4, 50, p=P, replace=True, seed=2).tolist() == expected


def test_equal_weights():
    drawn = papilio.choice(10, 100_000, seed=3)
    counts = np.bincount(drawn, minlength=10)
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 33.7  # 9 degrees of freedom: exceeded with probability 1e-4
    assert papilio.choice(10, 5, seed=3).tolist() == drawn[:5].tolist()
    assert papilio.choice(2**31 - 1, 100, seed=3).max() > 2**30


def test_proportions():
    """Chi-square, 9 degrees of freedom; with few draws a call, and with many."""
    p = np.arange(1.0, 41.0)
    for drawn in (
        papilio.choice(40, 200_000, p, seed=5),
        np.concatenate([papilio.choice(40, 4, p, seed=6, first_draw=i) for i in range(0, 40_000, 4)]),
    ):
        expected = len(drawn) * p / p.sum()
        assert ((np.bincount(drawn, minlength=40) - expected) ** 2 / expected).sum() < 81  # 39 degrees: 1e-4


@pytest.mark.parametrize(
    "call, error, text",
    [
        (dict(a=0), ValueError, "a is 0, expected a whole number from 1"),
        (dict(a=2**31), ValueError, "a is 2147483648"),
        (dict(a=2.5), TypeError, "a is 2.5, expected a number of categories or an array"),
        (dict(a=[]), ValueError, "the number of entries of a is 0"),
        (dict(p=P[:3]), ValueError, "p must have one weight per category; got 3 for 4"),
        (dict(p=np.ones((4, 1))), ValueError, "p must have one dimension; got 2"),
        (dict(p=-P), ValueError, "weights must be finite and >= 0; category 0 is -1"),
        (dict(p=P * np.nan), ValueError, "category 0 is nan"),
        (dict(p=P * 0), ValueError, "no category has a positive weight"),
        (dict(p=P > 0), TypeError, "p has the dtype bool"),
        (dict(p=["a"] * 4), TypeError, "p"),
        (dict(p=np.ma.array(P, mask=[1, 0, 0, 0])), ValueError, "1 masked entries"),
        (dict(size=-1), ValueError, "size is -1"),
        (dict(size=2.0), TypeError, "size is 2.0"),
        (dict(size=(2**40, 2**40)), MemoryError, "more than any memory holds"),
        (dict(seed=None), TypeError, "seed is None, expected a whole number"),
        (dict(seed=-1), ValueError, "0 <= seed"),
        (dict(seed=1.5), TypeError, "seed is 1.5, expected a whole number"),
        (dict(threads=-1), ValueError, "threads is -1"),
        (dict(axis=1, a=[1, 2]), ValueError, "axis is 1"),
        (dict(a=[1, 2, 3, 4], dtype="int32"), ValueError, "dtype is for draws of numbers"),
        (dict(replace=False), ValueError, "replace is False, .* papilio.sample_without_replacement"),
        (dict(replace=0), TypeError, "replace is 0, expected True or False"),
        (dict(sed=1), TypeError, "unknown option 'sed'; did you mean 'seed'"),
    ],
)
def test_bad_calls(call, error, text):
    with pytest.raises(error, match=text):
        papilio.choice(**{"a": 4, "size": 3, "seed": 1, **call})
