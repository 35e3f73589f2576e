"""Tables for many draws from one row."""

import conftest
import numpy as np
import pytest

import papilio

TABLES = [papilio.AliasTable, papilio.CumulativeTable]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_draws(table, dtype):
    weights = np.array([1, 2, 0, 1], dtype)
    made = table(weights)
    assert len(made) == made.categories == 4
    assert made.device == "cpu"
    draws = made.sample(100_000, seed=3)
    assert draws.dtype == np.int64
    counts = np.bincount(draws, minlength=4)
    assert counts[2] == 0
    assert np.abs(counts / 100_000 - weights / 4).max() < 0.01
    out = np.empty(60_000, np.int32)
    assert made.sample(out=out, seed=3, first_draw=40_000) is out
    assert (out == draws[40_000:]).all()
    assert (made.sample(100_000, seed=3, threads=3) == draws).all()
    assert (made.sample(100_000, seed=3, stream=1) != draws).any()


def test_find():
    table = papilio.CumulativeTable([1.0, 2, 0, 1])
    assert [table.find(u) for u in (0, 0.249, 0.25, 0.74, 0.75, 0.999)] == [0, 0, 1, 1, 3, 3]
    with pytest.raises(ValueError):
        table.find(1.0)


@pytest.mark.parametrize("name", [name for name in conftest.MAKERS if name != "memoryview"])
def test_weights_with_gaps(name):
    """Weights with others between them, a column of a matrix, of any framework: also where a copy is made of them."""
    make, matrix = conftest.MAKERS[name], np.random.default_rng(0).random((500, 3))
    column, expected = make(matrix)[:, 1] if hasattr(make(matrix), "ravel") else make(matrix[:, 1]), matrix[:, 1].copy()
    for table in TABLES:
        drawn = conftest.to_numpy(table(column).sample(200, seed=4))
        assert drawn.tolist() == table(expected).sample(200, seed=4).tolist()
    if name in ("cupy", "torch-cuda", "jax-gpu"):
        return
    assert (papilio.choice(500, 200, column, seed=4) == papilio.choice(500, 200, expected, seed=4)).all()
    assert (papilio.resample(column, 200, seed=4) == papilio.resample(expected, 200, seed=4)).all()
    reservoirs = [papilio.WeightedReservoir(20, seed=4) for _ in range(2)]
    for reservoir, weights in zip(reservoirs, (column, expected)):
        reservoir.add(weights)
    assert (reservoirs[0].items == reservoirs[1].items).all()


@pytest.mark.parametrize("table", TABLES)
def test_bad_rows(table):
    for weights in ([0.0, 0], [1.0, -1], [np.nan, 1], [np.inf], []):
        with pytest.raises(ValueError):
            table(np.array(weights))
    with pytest.raises(ValueError, match="one dimension"):
        table(np.ones((2, 2)))
    with pytest.raises(TypeError, match="float32 or float64"):
        table(np.ones(3, np.float16))
    made = table([1.0, 2])
    with pytest.raises(ValueError, match="either size or out"):
        made.sample(seed=1)
    with pytest.raises(ValueError):
        made.sample(3, seed=-1)
    with pytest.raises(TypeError, match="writable"):
        made.sample(out=np.broadcast_to(np.int64(0), 3), seed=1)
