"""Which arguments JAX may trace, and its keys as seeds. Skipped where JAX is not installed."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import papilio

jax = pytest.importorskip("jax")
jnp = jax.numpy

WEIGHTS = np.random.default_rng(0).random((6, 40))
LEFT, RIGHT = np.random.default_rng(1).random((2, 5, 40))
VALUES, INDPTR = np.arange(1.0, 31.0), np.array([0, 3, 3, 10, 20, 30])[[0, 1, 3, 4, 5]]
SEEDS = np.arange(6) * 2**40 + 3
# The public draws. Each takes the names that it may trace, and gives them values.
DRAWS = {
    "rows": (papilio.sample_categorical, dict(weights=WEIGHTS, row_ids=np.array([5, 0, 1, 2, 2, 9]), seed=7)),
    "seeds": (papilio.sample_categorical, dict(weights=WEIGHTS, seed=SEEDS)),
    "one row": (papilio.sample_categorical, dict(weights=WEIGHTS[2], seed=7, row_ids=3)),
    "indexed": (papilio.sample_categorical, dict(weights=WEIGHTS, indices=np.array([5, 0, 5]), seed=7, row_ids=4)),
    "ragged": (papilio.sample_categorical, dict(weights=VALUES, indptr=INDPTR, seed=7, row_ids=2**20)),
    "picked ragged": (
        papilio.sample_categorical,
        dict(weights=VALUES, indptr=INDPTR, indices=np.array([3, 0]), seed=np.array([4, 5])),
    ),
    "logits": (papilio.sample_categorical, dict(weights=WEIGHTS, seed=7, row_ids=np.arange(6), indices=np.arange(6))),
    "products": (
        papilio.sample_products,
        dict(left=LEFT, right=RIGHT, left_rows=np.array([0, 4, 4]), right_rows=np.array([1, 2, 3]), seed=7, row_ids=8),
    ),
    "products in order": (papilio.sample_products, dict(left=LEFT, right=RIGHT, seed=np.arange(5))),
}
TRACED = [(name, argument) for name, (_, given) in DRAWS.items() for argument in given]


def call(name, **given):
    function, _ = DRAWS[name]
    return function(**given, return_status=True, **({"logits": True, "temperature": 0.5} if name == "logits" else {}))


def same(found, expected):
    return all(np.asarray(a).tolist() == np.asarray(b).tolist() for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("name, argument", TRACED)
def test_each_argument_alone_may_be_traced(name, argument):
    """The other arguments are NumPy's, or JAX's with known values: the draws are those of NumPy's arrays."""
    _, given = DRAWS[name]
    expected = call(name, **given)
    on_jax = {key: jnp.asarray(x) if isinstance(x, np.ndarray) else x for key, x in given.items()}
    for rest in (given, on_jax):
        traced = jax.jit(lambda x, rest=rest: call(name, **{**rest, argument: x}))
        found = traced(jnp.asarray(given[argument]))
        assert isinstance(found[0], jax.Array) and same(found, expected)


@pytest.mark.parametrize("name", DRAWS)
def test_all_arguments_may_be_traced(name):
    _, given = DRAWS[name]
    assert same(jax.jit(lambda given: call(name, **given))(given), call(name, **given))


@pytest.mark.parametrize("name", DRAWS)
def test_loops_and_vmap_over_seeds(name):
    """scan, fori_loop, while_loop and vmap, with nothing traced but the seed."""
    _, given = DRAWS[name]
    rest = {key: x for key, x in given.items() if key != "seed"}
    expected = [call(name, **rest, seed=s)[0] for s in range(4)]
    seeds = jnp.arange(4)

    def one(seed):
        return call(name, **rest, seed=seed)[0]

    assert same(jax.lax.scan(lambda c, s: (c, one(s)), 0, seeds)[1], expected)
    assert same(jax.vmap(one)(seeds), expected)
    assert same(jax.jit(jax.vmap(one))(seeds), expected)
    assert same(jax.lax.map(one, seeds), expected)
    total = jax.lax.fori_loop(0, 4, lambda s, sum_: sum_ + one(s), jnp.zeros_like(expected[0], dtype="int32"))
    assert total.tolist() == np.sum(expected, axis=0).tolist()
    until = jax.lax.while_loop(lambda state: state[0] < 4, lambda state: (state[0] + 1, one(state[0])), (0, total))
    assert until[1].tolist() == expected[3].tolist()


@pytest.mark.parametrize("implementation", ["threefry2x32", "rbg", "unsafe_rbg"])
@pytest.mark.parametrize("typed", [True, False])
def test_a_key_is_a_seed(framework, implementation, typed):
    make = jax.random.key if typed else jax.random.PRNGKey
    key = make(7, impl=implementation)
    two = framework(WEIGHTS[:2].astype("float32"))  # as many rows as a raw key has words
    four = framework(WEIGHTS[:4].astype("float32"))
    for weights in (two, four):
        expected = numpy_of(papilio.sample_categorical(weights, seed=7))
        assert numpy_of(papilio.sample_categorical(weights, seed=key)) == expected
        assert numpy_of(papilio.sample_products(weights, weights, seed=key)) == numpy_of(
            papilio.sample_products(weights, weights, seed=7)
        )


def numpy_of(x):
    from conftest import to_numpy

    return to_numpy(x).tolist()


def seed_of(key):
    """The documented seed of a key: the first word is the high half; 128 bits are folded."""
    words = [int(word) for word in np.asarray(jax.random.key_data(key) if key.dtype != "uint32" else key)]
    if len(words) == 4:
        words = [words[i] ^ (words[i] ^ words[i + 2]) * 0x9E3779B9 % 2**32 for i in (0, 1)]
    return words[0] * 2**32 + words[1]


@pytest.mark.parametrize("implementation", ["threefry2x32", "rbg"])
def test_split_keys_are_seeds_per_row(implementation):
    keys = jax.random.split(jax.random.key(3, impl=implementation), 6)
    raw = jax.random.key_data(keys)
    seeds = np.array([seed_of(key) for key in keys], np.uint64)
    assert len(set(seeds.tolist())) == 6
    expected = papilio.sample_categorical(WEIGHTS, seed=seeds).tolist()
    for weights in (WEIGHTS, jnp.asarray(WEIGHTS)):
        for given in (keys, raw):
            assert papilio.sample_categorical(weights, seed=given).tolist() == expected
            assert jax.jit(lambda k, w=weights: papilio.sample_categorical(w, seed=k))(given).tolist() == expected
    other = jnp.array([1, 2, 3, 4], "uint32")  # of 128 bits whose halves differ
    assert papilio.sample_categorical(WEIGHTS, seed=other).tolist() == papilio.sample_categorical(
        WEIGHTS, seed=seed_of(other)
    ).tolist()


def test_keys_under_transformations():
    keys = jax.random.split(jax.random.key(5), 4)
    one = lambda key: papilio.sample_categorical(WEIGHTS, seed=key)  # noqa: E731
    expected = [one(key).tolist() for key in keys]
    assert jax.vmap(one)(keys).tolist() == expected
    assert jax.jit(jax.vmap(one))(jax.random.key_data(keys)).tolist() == expected
    assert jax.lax.map(one, keys).tolist() == expected
    both = jax.vmap(lambda key, w: papilio.sample_categorical(w, seed=key))(keys, jnp.asarray(WEIGHTS[:4]))
    assert both.tolist() == [int(papilio.sample_categorical(w, seed=key)) for key, w in zip(keys, WEIGHTS)]

    def chain(key, _):
        key, now = jax.random.split(key)
        return key, one(now)

    drawn = jax.lax.scan(chain, jax.random.key(1), None, length=3)[1]
    key, wanted = jax.random.key(1), []
    for _ in range(3):
        key, now = jax.random.split(key)
        wanted.append(one(now).tolist())
    assert drawn.tolist() == wanted and len({tuple(row) for row in wanted}) == 3


def test_uint32_is_for_keys():
    """So that the number of rows never decides what an array means."""
    weights = jnp.asarray(WEIGHTS)
    for seed in (jnp.arange(6, dtype="uint32"), np.arange(6, dtype="uint32")):
        with pytest.raises(TypeError, match=r"uint32 is for raw keys of JAX, of the shape \(2,\) or \(rows, 2\)"):
            papilio.sample_categorical(weights, seed=seed)
        with pytest.raises(TypeError, match="uint32 is for raw keys"):
            jax.jit(lambda s: papilio.sample_categorical(WEIGHTS, seed=s))(seed)
    with pytest.raises(ValueError, match="seed must have one entry per row; got"):
        papilio.sample_categorical(weights, seed=jax.random.split(jax.random.key(1), 2))
    scalar = jnp.asarray(9, "uint32")
    assert papilio.sample_categorical(weights, seed=scalar).tolist() == papilio.sample_categorical(weights, seed=9).tolist()
    # NumPy's own arrays, in calls without JAX's, are seeds per row as ever.
    seeds = np.arange(6, dtype="uint32")
    assert papilio.sample_categorical(WEIGHTS, seed=seeds).tolist() == papilio.sample_categorical(
        WEIGHTS, seed=seeds.astype(int)
    ).tolist()
    for bad in ("row_ids", "indices"):
        with pytest.raises(TypeError, match="PRNGKey dtype cannot be converted"):  # JAX's own words
            papilio.sample_categorical(WEIGHTS, seed=1, **{bad: jax.random.split(jax.random.key(1), 6)})
        with pytest.raises(TypeError, match=f"{bad} must hold integers"):
            jitted = jax.jit(lambda x, bad=bad: papilio.sample_categorical(WEIGHTS, seed=1, **{bad: x}))
            jitted(jax.random.split(jax.random.key(1), 6))


def test_generators_of_numpy():
    weights = jnp.asarray(WEIGHTS)
    rng, twin = np.random.default_rng(7), np.random.default_rng(7)
    for _ in range(2):
        seed = int(twin.integers(2**64, dtype="uint64"))
        expected = papilio.sample_categorical(WEIGHTS, seed=seed).tolist()
        assert papilio.sample_categorical(weights, seed=rng).tolist() == expected
    with pytest.raises(TypeError, match="would give its seed once, when the call is compiled"):
        jax.jit(lambda w: papilio.sample_categorical(w, seed=rng))(weights)
    with pytest.raises(TypeError, match="a generator of NumPy's would give its seed once"):
        jax.jit(lambda w: papilio.sample_tokens(w, seeds=rng))(weights.astype("float32"))
    assert rng.random() == twin.random()


def test_what_is_compiled_in_is_said():
    for option, text in [
        (lambda x: dict(stream=x), "stream is traced, but is compiled into the call; vary seed or row_ids"),
        (lambda x: dict(logits=True, temperature=x), "temperature is traced, but .* divide the logits"),
    ]:
        for weights in (WEIGHTS, jnp.asarray(WEIGHTS)):
            with pytest.raises(TypeError, match=text):
                jax.jit(lambda x, w=weights, option=option: papilio.sample_categorical(w, seed=1, **option(x)))(1)
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="seed is traced by JAX, but the weights are a Tensor"):
        jax.jit(lambda s: papilio.sample_categorical(torch.ones(3, 3), seed=s))(1)


def test_doubles_without_64_bits_in_jax():
    """NumPy's doubles are drawn from as they are, where an array of JAX's would be rounded to float32."""
    code = """
        import jax, numpy as np, papilio
        rng = np.random.default_rng(0)
        weights, left = rng.random((200, 300)), rng.random((200, 300))
        expected = papilio.sample_categorical(weights, seed=5).tolist()
        step = jax.jit(lambda s: papilio.sample_categorical(weights, seed=s))
        assert step(5).tolist() == expected
        assert jax.vmap(step)(jax.numpy.array([5, 6])).tolist()[0] == expected
        rows = jax.jit(lambda r: papilio.sample_categorical(weights.ravel(), indptr=np.arange(0, 60001, 300), seed=5, row_ids=r))
        assert rows(0).tolist() == expected
        one = jax.jit(lambda s: papilio.sample_categorical(weights[3][::-1], seed=s))
        assert int(one(5)) == papilio.sample_categorical(weights[3][::-1], seed=5)
        logits = jax.jit(lambda s: papilio.sample_categorical(weights, logits=True, seed=s))
        assert logits(5).tolist() == papilio.sample_categorical(weights, logits=True, seed=5).tolist()
        both = jax.jit(lambda s: papilio.sample_products(left, weights, seed=s))
        assert both(5).tolist() == papilio.sample_products(left, weights, seed=5).tolist()
        try:
            jax.jit(lambda right: papilio.sample_products(left, right, seed=5))(weights)
        except TypeError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert "right must be of the dtype of left; got float32" in done.stdout
