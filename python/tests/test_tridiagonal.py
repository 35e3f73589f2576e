"""Tridiagonal systems and random walks from Python."""

import conftest
import numpy as np
import pytest
from conftest import to_numpy

import papilio
from papilio import TridiagonalStatus

RNG = np.random.default_rng(1)
SHAPES = [(1, 1), (1, 2), (5, 3), (40, 17), (3, 300), (70, 33)]


def dominant(shape, dtype=np.float64):
    a, c, d = (RNG.uniform(-1, 1, shape).astype(dtype) for _ in range(3))
    return a, (abs(a) + abs(c) + 0.25).astype(dtype), c, d


def dense(a, b, c):
    """One system as a matrix."""
    return np.diag(b) + np.diag(a[1:], -1) + np.diag(c[:-1], 1)


def walk_matrix(steps, weights):
    matrix = np.diag(weights)
    for i, p in enumerate(steps):
        matrix[i : i + 2, i : i + 2] += [[p, -p], [-p, p]]
    return matrix


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_agrees_with_numpy(shape, dtype):
    a, b, c, d = dominant(shape, dtype)
    x = papilio.solve_tridiagonal(a, b, c, d)
    assert x.dtype == dtype and x.shape == shape
    for s in range(shape[0]):
        expected = np.linalg.solve(dense(a[s], b[s], c[s]).astype(float), d[s].astype(float))
        assert abs(x[s] - expected).max() <= 64 * np.finfo(dtype).eps * abs(expected).max()


def test_layouts_splits_and_threads_give_one_set_of_bits():
    a, b, c, d = dominant((70, 100), np.float32)
    x = papilio.solve_tridiagonal(a, b, c, d, threads=1)
    across = [np.asfortranarray(m) for m in (a, b, c, d)]
    y = papilio.solve_tridiagonal(*across, threads=2)
    assert y.flags.f_contiguous and y.tobytes("C") == x.tobytes()
    assert papilio.solve_tridiagonal(a[3], b[3], c[3], d[3]).tobytes() == x[3].tobytes()
    assert papilio.solve_tridiagonal(a[::-2], b[::-2], c[::-2], d[::-2]).tobytes() == x[::-2].tobytes()
    assert papilio.solve_tridiagonal(a, b, c, d, out=d) is d
    assert d.tobytes() == x.tobytes()


def test_numbers_and_shorter_arrays_are_broadcast():
    d = RNG.normal(size=(4, 50))
    x = papilio.solve_tridiagonal(-1, np.full(50, 3.0), -1.0, d)
    assert np.array_equal(x, papilio.solve_tridiagonal(*(np.full(d.shape, v) for v in (-1.0, 3.0, -1.0)), d))
    assert np.array_equal(papilio.solve_tridiagonal([0, -1], [2, 2], [-1, 0], [1, 1]), [1, 1])
    per_system = papilio.solve_tridiagonal(-1, np.array([[3.0], [4.0], [5.0], [6.0]]), -1, d)
    assert np.array_equal(per_system[0], x[0])


def test_random_walks_agree_with_numpy():
    steps, weights = RNG.uniform(0.5, 2, 30), RNG.uniform(0, 1, 31)
    h = RNG.normal(size=(3, 31))
    expected = np.linalg.solve(walk_matrix(steps, weights), h.T).T
    assert np.allclose(papilio.solve_random_walk(steps, weights, h), expected, rtol=0, atol=1e-12)
    padded = np.append(steps, np.nan)
    assert np.array_equal(papilio.solve_random_walk(padded, weights, h), papilio.solve_random_walk(steps, weights, h))


def test_a_long_walk_in_float32_keeps_its_digits():
    n = 2048
    weights, h = np.zeros(n, np.float32), np.zeros(n, np.float32)
    weights[0], h[0] = 0.25, 0.5
    assert abs(papilio.solve_random_walk(100.0, weights, h) - 2).max() < 1e-5
    b = np.full(n, 200, np.float32)
    b[0], b[-1] = 100.25, 100
    assert abs(papilio.solve_tridiagonal(-100, b, -100, h) - 2).max() > 1e-3


def test_draws_are_keyed_by_system():
    b, c, h = np.full((6, 40), 2.5), np.full((6, 39), -1.0), np.zeros((6, 40))
    x = papilio.draw_gaussian_tridiagonal(b, c, h, seed=7, system_ids=10)
    y = papilio.draw_gaussian_tridiagonal(b, c, h, seed=7, system_ids=[15, 14, 13, 12, 11, 10], threads=2)
    assert np.array_equal(x, y[::-1])
    assert not np.array_equal(x, papilio.draw_gaussian_tridiagonal(b, c, h, seed=8, system_ids=10))
    assert not np.array_equal(x, papilio.draw_gaussian_tridiagonal(b, c, h, seed=7, stream=1, system_ids=10))
    drawn = [papilio.draw_random_walk(1, 1, h, seed=np.random.default_rng(3)) for _ in range(2)]
    assert np.array_equal(*drawn)


def test_draws_have_the_covariance_of_the_matrix():
    steps, weights = np.array([2.0, 1.0, 3.0]), np.array([0.5, 0.0, 1.0, 0.0])
    x = papilio.draw_random_walk(steps, weights, np.broadcast_to(weights, (200_000, 4)), seed=1)
    expected = np.linalg.inv(walk_matrix(steps, weights))
    # Five standard errors of the largest variance.
    assert abs(np.cov(x.T) - expected).max() < 5 * expected.max() * np.sqrt(2 / 200_000)
    assert abs(x.mean(axis=0) - 1).max() < 5 * np.sqrt(expected.max() / 200_000)


def test_what_a_system_must_be_is_checked():
    a, b, c, d = dominant((3, 20))
    b[1, 7], b[2, 0] = 0.01, 0
    with pytest.raises(ValueError, match="system 1 is neither diagonally dominant"):
        papilio.solve_tridiagonal(a, b, c, d)
    x, status = papilio.solve_tridiagonal(a, b, c, d, return_status=True)
    assert list(status) == [TridiagonalStatus.OK, TridiagonalStatus.NOT_DOMINANT, TridiagonalStatus.SINGULAR]
    assert papilio.solve_tridiagonal(a, b, c, d, check=False)[:2].tobytes() == x[:2].tobytes()
    with pytest.raises(ValueError, match="system 0 is not positive definite"):
        papilio.draw_gaussian_tridiagonal([1, 1], 2, [0, 0], seed=1)
    with pytest.raises(ValueError, match="negative precision"):
        papilio.solve_random_walk(-0.25, 1, [0.0, 0.0])


def test_arguments_that_do_not_fit():
    d = np.ones((2, 3))
    with pytest.raises(ValueError, match=r"b must have the shape \(2, 3\)"):
        papilio.solve_tridiagonal(1, np.ones((2, 4)), 1, d)
    with pytest.raises(ValueError, match="one or two dimensions; got 3"):
        papilio.solve_tridiagonal(1, 4, 1, np.ones((2, 2, 2)))
    with pytest.raises(ValueError, match=r"out must have the shape \(2, 3\)"):
        papilio.solve_tridiagonal(1, 4, 1, d, out=np.ones(6))
    with pytest.raises(TypeError, match="out must be of the dtype float64 of the right-hand side; got float32"):
        papilio.solve_tridiagonal(1.0, 4.0, 1.0, np.ones(3), out=np.ones(3, np.float32))
    with pytest.raises(ValueError, match="x overlaps b"):
        papilio.solve_tridiagonal(1, d, 1, np.ones((2, 3)), out=d)
    with pytest.raises(TypeError, match="a must be of the dtype of the right-hand side; got float32"):
        papilio.solve_tridiagonal(np.ones((2, 3), np.float32), 4, 1, d)
    with pytest.raises(TypeError, match="has the dtype bool"):
        papilio.solve_tridiagonal(1, 4, 1, np.ones(3, bool))
    with pytest.raises(TypeError, match="seed"):
        papilio.draw_random_walk(1, 1, d, seed=None)
    with pytest.raises(ValueError, match="one entry per system; got 1 for 2"):
        papilio.draw_random_walk(1, 1, d, seed=1, system_ids=[4])
    with pytest.raises(ValueError, match="threads"):
        papilio.solve_tridiagonal(1, 4, 1, d, threads=-1)


def test_arrays_of_no_systems():
    assert papilio.solve_tridiagonal(1, 4, 1, np.empty((0, 3))).shape == (0, 3)
    assert papilio.solve_tridiagonal(1, 4, 1, np.empty((3, 0))).shape == (3, 0)
    assert papilio.solve_random_walk(1, 2, [4.0]) == [2.0]


def test_tensors():
    torch = pytest.importorskip("torch")
    a, b, c, d = dominant((5, 20), np.float32)
    x = papilio.solve_tridiagonal(*(torch.from_numpy(m) for m in (a, b, c, d)))
    assert isinstance(x, torch.Tensor)
    assert x.numpy().tobytes() == papilio.solve_tridiagonal(a, b, c, d).tobytes()
    across = papilio.solve_tridiagonal(-1.0, torch.tensor(4.0), -1, torch.from_numpy(d).T)
    assert across.numpy().tobytes() == papilio.solve_tridiagonal(-1, 4, -1, d.T).tobytes()


@pytest.mark.parametrize("name", ["torch-cuda", "cupy"])
@pytest.mark.parametrize("shape", [(5, 20), (40, 300), (2, 20_000)])
def test_a_device_gives_the_bits_of_the_cpu(name, shape):
    if name in conftest.MISSING:
        pytest.skip(conftest.MISSING[name])
    host = dominant(shape, np.float32)
    there = [conftest.MAKERS[name](m) for m in host]
    x, status = papilio.solve_tridiagonal(*there, return_status=True)
    assert to_numpy(x).tobytes() == papilio.solve_tridiagonal(*host).tobytes()
    assert not to_numpy(status).any()
    weights, h = abs(host[1]), host[3]
    drawn = papilio.draw_random_walk(2.0, abs(there[1]), there[3], seed=7)
    assert to_numpy(drawn).tobytes() == papilio.draw_random_walk(2.0, weights, h, seed=7).tobytes()
