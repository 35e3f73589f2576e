"""NumPy's generators as seeds, wherever a seed is taken. Keys of JAX are in test_jax_seeds.py."""

import numpy as np
import pytest

import papilio

WEIGHTS = np.random.default_rng(0).random((6, 40))
TABLE = papilio.AliasTable([1.0, 2, 3])
TAKES_A_SEED = {
    "sample_categorical": lambda seed: papilio.sample_categorical(WEIGHTS, seed=seed),
    "sample_products": lambda seed: papilio.sample_products(WEIGHTS, WEIGHTS, seed=seed),
    "choice": lambda seed: papilio.choice(1000, 20, seed=seed),
    "AliasTable": lambda seed: TABLE.sample(50, seed=seed),
    "generate_corpus": lambda seed: papilio.generate_corpus(documents=3, vocabulary=20, topics=2, seed=seed).words,
}


@pytest.mark.parametrize("name", TAKES_A_SEED)
def test_a_generator_gives_64_bits_and_advances(name):
    draw = TAKES_A_SEED[name]
    for make, integers in ((np.random.default_rng, "integers"), (np.random.RandomState, "randint")):
        generator, twin = make(7), make(7)
        drawn = []
        for _ in range(2):
            drawn.append(draw(generator).tolist())
            seed = int(getattr(twin, integers)(0, 2**64, dtype=np.uint64))
            assert drawn[-1] == draw(seed).tolist()
        assert drawn[0] != drawn[1]
        assert draw(make(7)).tolist() == drawn[0]  # reproducible


@pytest.mark.parametrize("name", TAKES_A_SEED)
def test_a_key_of_jax_is_a_seed(name):
    jax = pytest.importorskip("jax")
    draw = TAKES_A_SEED[name]
    expected = draw(7).tolist()
    for key in (jax.random.key(7), jax.random.PRNGKey(7)):
        assert draw(key).tolist() == expected


def test_lda_takes_a_key_as_it_takes_an_int():
    jax = pytest.importorskip("jax")
    counts = np.random.default_rng(0).integers(0, 3, (8, 12))
    topics = [papilio.LDA(2, max_iter=3, random_state=s).fit(counts).components_.tolist() for s in (7, jax.random.key(7))]
    assert topics[0] == topics[1]


def test_several_keys_where_one_seed_will_do():
    jax = pytest.importorskip("jax")
    for name in ("choice", "AliasTable", "generate_corpus"):
        with pytest.raises(ValueError, match="seed must be one integer, or one key; got an array of the shape"):
            TAKES_A_SEED[name](jax.random.split(jax.random.key(1), 3))


def test_lists_of_whole_numbers_of_several_types_keep_every_bit():
    """NumPy makes float64 of np.uint64 among other integers, and of numbers on both sides of 2^63."""
    mixed = [np.uint64(2**53 + 1), -1]
    for call in (papilio.scan, lambda x: papilio.compact(x, [np.uint64(1), 1]), lambda x: papilio.transpose([x, x])):
        assert np.array_equal(call(mixed), call(np.array([2**53 + 1, -1]))) and call(mixed).dtype == np.int64
    for entries in (mixed, [np.uint64(2**63 + 1), 5], [2**63 + 1, 5], [2**63 + 1, -1], (2**64, 5)):
        assert {int(entry) for entry in papilio.choice(entries, 50, seed=1)} == set(map(int, entries))
    drawn = papilio.sample_categorical(WEIGHTS, seed=np.array([5, -1, 0, 0, 0, 0])).tolist()
    assert papilio.sample_categorical(WEIGHTS, seed=[np.uint64(5), -1, 0, 0, 0, 0]).tolist() == drawn
    corpus = papilio.Corpus([np.uint64(0), 2], (np.uint64(1), 0), ["a", "b"])
    assert corpus.words.tolist() == [1, 0]
    logits = np.zeros((2, 4), np.float32)
    assert papilio.sample_tokens(logits, seeds=1, bias={np.uint64(2): 50.0, 1: 0.0}).tolist() == [2, 2]


def test_a_list_of_an_empty_array_of_objects():
    with pytest.raises(ValueError, match="seed must have one dimension; got 2"):
        papilio.sample_categorical(WEIGHTS, seed=[np.array([], object)])


def test_a_list_of_seeds_on_both_sides_of_2_63():
    seeds = [2**63, 1, 2**64 - 1, 0, 5, 2**63 - 1]
    drawn = papilio.sample_categorical(WEIGHTS, seed=np.array(seeds, np.uint64)).tolist()
    assert papilio.sample_categorical(WEIGHTS, seed=seeds).tolist() == drawn
    assert [int(papilio.sample_categorical(WEIGHTS[i], seed=seed, row_ids=i)) for i, seed in enumerate(seeds)] == drawn
    assert papilio.sample_tokens(WEIGHTS.astype(np.float32), seeds=seeds).tolist() == papilio.sample_tokens(
        WEIGHTS.astype(np.float32), seeds=np.array(seeds, np.uint64)
    ).tolist()
