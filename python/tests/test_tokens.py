"""`papilio.sample_tokens` and `papilio.verify_draft` beside the rules of docs/tokens.md, written down in NumPy."""

import numpy as np
import pytest

import papilio

# --- The rules, in whole numbers of NumPy and Python ------------------------------------------------------------------


def fma(a, b, c):
    """a * b + c of floats, rounded once: to odd in double, where the product is exact, and then to float."""
    a, b, c = (np.asarray(x, np.float64) for x in (a, b, c))
    product = a * b
    total = product + c
    back = total - product
    error = (product - (total - back)) + (c - back)
    odd = total.view(np.int64) & 1
    with np.errstate(invalid="ignore"):
        toward = np.where(error > 0, np.inf, -np.inf)
    return np.where((error != 0) & (odd == 0), np.nextafter(total, toward), total).astype(np.float32)


def weights_of(logits, largest, temperature, s):
    f = np.float32
    scale = float.fromhex("0x1.71547652b82fep0") / float(f(temperature))
    high = f(scale)
    low = f(scale - float(high))
    with np.errstate(all="ignore"):
        d = logits - largest
        gone = ~(d * high > -63)
        d = np.where(gone, f(0), d)
        back = d - logits
        error = np.where(gone, f(0), (logits - (d - back)) - (largest + back))
    y = d * high
    rest = fma(error, high, fma(d, low, fma(d, high, -y)))
    whole = np.rint(y)
    g = (y - whole) + rest
    slope = np.full_like(g, f(float.fromhex("0x1.4308fep-13")))
    for c in ("0x1.5f07b4p-10", "0x1.3b2ba0p-7", "0x1.c6af6ep-5", "0x1.ebfbdep-3", "0x1.62e430p-1"):
        slope = fma(slope, g, f(float.fromhex(c)))
    part = (slope * (g * f(2**30))).astype(np.int64) + 2**30
    weight = (part.astype(np.uint64) << np.uint64(s - 30)) >> (-whole).astype(np.uint64)
    return np.where(gone, np.uint64(0), weight)


def share(p, total):
    """ceil(p total), at least 1, for a float p."""
    n, d = float(np.float32(p)).as_integer_ratio()
    return max(1, -(-n * total // d))


def law(logits, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0, joint=False):
    """The kept tokens, ascending, and their weights."""
    logits = np.asarray(logits, np.float32) + np.float32(0)
    s = 62 - (len(logits) - 1).bit_length()
    order = np.argsort(-logits.astype(np.float64), kind="stable")
    if temperature == 0:
        return order[:1], np.array([2**s], np.uint64)
    weights = weights_of(logits, logits.max(), temperature, s)[order]
    count = len(order) if top_k == 0 else min(top_k, len(order))
    if top_p < 1:
        of = int(weights.sum()) if joint else int(weights[:count].sum())
        count = min(count, int(np.searchsorted(np.cumsum(weights), np.uint64(share(top_p, of)))) + 1)
    keep = weights[:count] >= np.uint64(share(min_p, 2**s))
    kept, weights = order[:count][keep], weights[:count][keep]
    ascending = np.argsort(kept)
    return kept[ascending], weights[ascending]


def philox(seed, stream, index):
    mask = 2**32 - 1
    x = [index & mask, index >> 32, stream & mask, stream >> 32]
    key = [seed & mask, seed >> 32]
    for _ in range(10):
        a, b = x[0] * 0xD2511F53, x[2] * 0xCD9E8D57
        x = [(b >> 32) ^ x[1] ^ key[0], b & mask, (a >> 32) ^ x[3] ^ key[1], a & mask]
        key = [(key[0] + 0x9E3779B9) & mask, (key[1] + 0xBB67AE85) & mask]
    return x


def token_of(kept, weights, seed, stream, position):
    words = philox(seed, stream, position)
    target = (words[1] << 32 | words[0]) * int(weights.sum()) >> 64
    return int(kept[np.searchsorted(np.cumsum(weights), np.uint64(target), side="right")])


def row_of(rng, count):
    kind = rng.integers(6)
    row = rng.normal(size=count) * rng.choice([0.01, 1, 4, 20, 1e-38, 1e4]) + rng.choice([0, 30, -7.5])
    if kind == 1:
        row = rng.integers(0, 4, count)
    row = row.astype(np.float32)
    if kind == 2:
        row[rng.random(count) < 0.7] = -np.inf
    if kind == 3:
        row[:] = 1.5
    if kind == 4:
        row = np.where(rng.random(count) < 0.5, 0.0, -0.0).astype(np.float32)
    row[rng.integers(count)] = 2.0
    return row


def filters_of(rng, count):
    return dict(
        temperature=float(rng.choice([1, 1, 0.7, 1.5, 0, 1e-6, 1e6, 0.1])),
        top_k=int(rng.choice([0, 0, 1, 2, 50, count // 2, count])),
        top_p=float(rng.choice([1, 1, 0.9, 0.5, 0.999, 1e-9, 0])),
        min_p=float(rng.choice([0, 0, 0.05, 0.5, 1, 1e-12])),
        joint=bool(rng.random() < 0.5),
    )


def expect_law(rng, counts, rows):
    for _ in range(rows):
        count = int(rng.choice(counts))
        row, filters = row_of(rng, count), filters_of(rng, count)
        seed, position = (int(x) for x in rng.integers(0, 2**63, 2))
        kept, weights = law(row, **filters)
        drawn = papilio.sample_tokens(
            row, seeds=seed, stream=5, positions=position, return_log_probability=True, return_kept=count, **filters
        )
        told = dict(count=count, **filters)
        assert drawn.tokens == token_of(kept, weights, seed, 5, position), told
        assert (drawn.kept[: drawn.kept_count] == kept).all() and drawn.kept_count == len(kept), told
        log = np.log(float(weights[list(kept).index(drawn.tokens)]) / float(weights.sum()))
        assert abs(drawn.log_probability - log) <= 4e-7 + 2e-7 * abs(log), told


def test_draws_are_those_of_the_rules():
    expect_law(np.random.default_rng(1), [1, 2, 3, 31, 33, 255, 257, 1000, 5000], 1500)


def test_long_rows():
    expect_law(np.random.default_rng(2), [131072, 262144], 6)


# --- Arguments --------------------------------------------------------------------------------------------------------

LOGITS = np.random.default_rng(3).normal(size=(8, 300)).astype(np.float32) * 3


def test_rows_do_not_depend_on_the_batch():
    seeds, positions = np.arange(8) * 11, np.arange(8)[::-1] * 5
    filters = dict(temperature=np.linspace(0, 1.4, 8), top_k=np.arange(8), top_p=np.linspace(0.3, 1, 8))
    whole = papilio.sample_tokens(LOGITS, seeds=seeds, positions=positions, return_log_probability=True, **filters)
    for i in range(8):
        alone = papilio.sample_tokens(
            LOGITS[i], seeds=int(seeds[i]), positions=int(positions[i]), return_log_probability=True,
            **{name: x[i] for name, x in filters.items()},
        )  # fmt: skip
        assert alone.tokens == whole.tokens[i] and alone.log_probability == whole.log_probability[i]


def test_masks_and_biases_in_all_their_forms():
    flags = np.random.default_rng(4).random((8, 300)) < 0.2
    flags[:, 7] = True
    expected = papilio.sample_tokens(np.where(flags, LOGITS, -np.inf).astype(np.float32), seeds=9)
    padded = np.zeros((8, 320), np.uint8)
    padded[:, :300] = flags
    words = np.packbits(padded, axis=1, bitorder="little").view(np.uint32)
    for allowed in (flags, flags.tolist(), words, words.view(np.int32), np.asfortranarray(flags)):
        assert (papilio.sample_tokens(LOGITS, seeds=9, allowed=allowed) == expected).all()
    assert (papilio.sample_tokens(LOGITS, seeds=9, allowed=flags[0]) ==
            papilio.sample_tokens(LOGITS, seeds=9, allowed=np.tile(flags[0], (8, 1)))).all()  # fmt: skip
    added = LOGITS.copy()
    added[:, 5] += 2
    added[:, 100] -= 1
    expected = papilio.sample_tokens(added, seeds=9)
    bias = {100: -1, 5: 2}
    arrays = (np.arange(9) * 2, np.tile([5, 100], 8), np.tile([2.0, -1.0], 8))
    for given in (bias, [bias] * 8, arrays):
        assert (papilio.sample_tokens(LOGITS, seeds=9, bias=given) == expected).all()
    assert (papilio.sample_tokens(LOGITS, seeds=9, bias=[None] * 8) == papilio.sample_tokens(LOGITS, seeds=9)).all()


def test_what_is_asked_for_is_there():
    drawn = papilio.sample_tokens(LOGITS, seeds=1, top_k=5, return_kept=True, return_kept_mass=True, return_rank=True)
    assert drawn.kept.shape == (8, 5) and (drawn.kept_count == 5).all() and (drawn.rank < 5).all()
    assert np.exp(drawn.kept_log_probability.astype(float)).sum(axis=1) == pytest.approx(np.ones(8), abs=1e-6)
    assert drawn.log_probability is None and drawn.status is None
    softmax = np.exp(LOGITS.astype(float) - LOGITS.max(axis=1, keepdims=True))
    softmax /= softmax.sum(axis=1, keepdims=True)
    assert drawn.kept_mass == pytest.approx(np.sort(softmax, axis=1)[:, -5:].sum(axis=1), rel=1e-6)
    raw = papilio.sample_tokens(
        LOGITS, seeds=1, temperature=0.5, top_k=3, bias={0: 1}, return_raw_log_probability=True
    )
    assert raw.raw_log_probability == pytest.approx(np.log(softmax[np.arange(8), raw.tokens]), rel=1e-6)
    counted = papilio.sample_tokens(LOGITS, seeds=1, top_k=5, return_kept=0)
    assert counted.kept.shape == (8, 0) and (counted.kept_count == 5).all() and counted.kept_mass is None
    weighed = papilio.sample_tokens(LOGITS, seeds=1, top_k=5, return_kept_mass=True)
    assert weighed.kept is None and weighed.kept_mass.tolist() == drawn.kept_mass.tolist()
    alone = papilio.sample_tokens(LOGITS[0], seeds=1, top_k=5, return_kept_mass=True)
    assert alone.kept_mass == drawn.kept_mass[0]
    assert papilio.sample_tokens(LOGITS[:0], seeds=1).shape == (0,)


def test_faulty_rows_have_a_status():
    logits = np.array([[0, np.nan], [np.inf, 0], [-np.inf, -np.inf], [0, 1]], np.float32)
    drawn = papilio.sample_tokens(logits, seeds=1, return_status=True, return_log_probability=True)
    status = papilio.TokenStatus
    assert drawn.status.tolist() == [status.NOT_A_NUMBER, status.INFINITE, status.NOTHING_ALLOWED, status.OK]
    assert drawn.tokens[:3].tolist() == [-1, -1, -1] and np.isnan(drawn.log_probability[:3]).all()
    with pytest.raises(ValueError, match="row 0 has NaN"):
        papilio.sample_tokens(logits, seeds=1)


@pytest.mark.parametrize(
    "given, error, match",
    [
        (dict(temperature=-1.0), ValueError, "temperature must be 0 or in"),
        (dict(temperature="warm"), TypeError, "temperature is 'warm'"),
        (dict(temperature=[1.0, 2.0]), ValueError, "temperature must have one entry per row; got 2 for 8"),
        (dict(top_k=1.5), TypeError, "top_k is 1.5"),
        (dict(top_k=[1.5] * 8), TypeError, "top_k must hold integers"),
        (dict(top_p=1.5), ValueError, "top_p and min_p in"),
        (dict(joint=1), TypeError, "joint is 1, expected True or False"),
        (dict(allowed=np.ones((8, 3), bool)), ValueError, "one flag per category"),
        (dict(allowed=np.ones((3, 300), bool)), ValueError, "one row, or one per row of logits"),
        (dict(allowed=np.ones((8, 10))), TypeError, "allowed must be of bool"),
        (dict(allowed=np.ones((8, 9), np.int32)), ValueError, "10 words for 300 categories; got 9"),
        (dict(bias={300: 1}), ValueError, "ascending categories below 300"),
        (dict(bias={1.5: 1}), TypeError, "categories of bias must hold integers; got float64"),
        (dict(bias={"1": 1}), TypeError, "categories of bias must hold integers"),
        (dict(bias={2**70: 1}), TypeError, "categories of bias must hold integers"),
        (dict(bias={2**40: 1}), ValueError, "categories of bias holds 1099511627776"),
        (dict(bias={1: "2"}), TypeError, "values of bias"),
        (dict(bias={1: None}), ValueError, "values of bias has a missing value"),
        (dict(bias={1: 1j}), ValueError, "values of bias"),
        (dict(bias=3), TypeError, r"bias\[0\] is a int, expected a dict"),
        (dict(bias=[{1: 2}, 3]), TypeError, r"bias\[1\] is a int, expected a dict"),
        (dict(bias=np.ones((8, 300))), TypeError, r"bias\[0\] is a ndarray, expected a dict"),
        (dict(bias="logits"), TypeError, r"bias\[0\] is a str, expected a dict"),
        (dict(bias=({}, [0], [1.0])), TypeError, r"bias\[1\] is a list, expected a dict"),
        (dict(seeds=None), TypeError, "seeds must be an integer"),
        (dict(seeds=[1, 2]), ValueError, "seeds must have one entry per row; got 2 for 8"),
        (dict(positions=-1), ValueError, "positions must be in the range"),
        (dict(return_kept=-1), ValueError, "return_kept is -1"),
        (dict(return_rank="yes"), TypeError, "return_rank is 'yes'"),
        (dict(return_kept_mass=1), TypeError, "return_kept_mass is 1"),
        (dict(logits=LOGITS.astype(float)), TypeError, "float16, bfloat16 or float32"),
        (dict(logits=LOGITS[None]), ValueError, "one or two dimensions; got 3"),
    ],
)
def test_refusals(given, error, match):
    with pytest.raises(error, match=match):
        papilio.sample_tokens(**{"logits": LOGITS, "seeds": 1, **given})


# --- Drafts -----------------------------------------------------------------------------------------------------------


def test_a_draft_without_probabilities_changes_nothing():
    for seed in range(50):
        expected = papilio.sample_tokens(LOGITS[:4], seeds=seed, positions=np.arange(10, 14), top_k=3)
        draft = np.array([[expected[0], expected[1], (expected[2] + seed % 2) % 300]])
        verified = papilio.verify_draft(LOGITS[:4], draft, seeds=seed, positions=[10], top_k=3)
        kept = 2 if seed % 2 else 3
        assert verified.accepted == [kept] and verified.next_token == [expected[kept]]


@pytest.mark.parametrize("rule", ["token", "block"])
def test_a_draft_of_the_target_itself_is_accepted(rule):
    drawn = papilio.sample_tokens(LOGITS[:3], seeds=5, stream=1, top_k=20, return_kept=True)
    given = dict(kept=drawn.kept, kept_log_probability=drawn.kept_log_probability, rule=rule)
    accepted = [
        papilio.verify_draft(LOGITS[:4], drawn.tokens[None], seeds=seed, top_k=20, **given).accepted[0]
        for seed in range(100)
    ]
    assert np.mean(accepted) > 2.99
    dense = np.zeros((3, 300), np.float32)
    for i in range(3):
        dense[i, drawn.kept[i]] = np.exp(drawn.kept_log_probability[i])
    offsets = papilio.verify_draft(
        LOGITS[:4], drawn.tokens, [0, 3], seeds=1, top_k=20, probabilities=dense, rule=rule, return_status=True
    )
    assert offsets.accepted == [3] and offsets.status == [papilio.TokenStatus.OK]


def test_refused_drafts():
    with pytest.raises(ValueError, match="one row of logits per draft token and one more per text"):
        papilio.verify_draft(LOGITS, [[1, 2]], seeds=1)
    with pytest.raises(ValueError, match="unknown draft rule"):
        papilio.verify_draft(LOGITS[:3], [[1, 2]], seeds=1, rule="greedy")
    with pytest.raises(ValueError, match="two dimensions without offsets"):
        papilio.verify_draft(LOGITS[:3], [1, 2], seeds=1)
    bad = papilio.verify_draft(LOGITS[:3], [[1, 300]], seeds=1, return_status=True)
    assert bad.status == [papilio.TokenStatus.BAD_DRAFT] and bad.accepted == [-1] and bad.next_token == [-1]


# --- Other frameworks -------------------------------------------------------------------------------------------------

FILTERS = dict(temperature=0.8, top_k=40, top_p=0.9, return_log_probability=True)


def same(drawn, expected):
    assert np.asarray(drawn.tokens).tolist() == expected.tokens.tolist()
    assert np.asarray(drawn.log_probability).tolist() == expected.log_probability.tolist()


def test_jax():
    jax = pytest.importorskip("jax")
    expected = papilio.sample_tokens(LOGITS, seeds=np.arange(8), **FILTERS)
    logits = jax.numpy.asarray(LOGITS)
    seeds = jax.numpy.arange(8)
    same(papilio.sample_tokens(logits, seeds=seeds, **FILTERS), expected)
    same(jax.jit(lambda x, s: papilio.sample_tokens(x, seeds=s, **FILTERS))(logits, seeds), expected)
    with_mass = dict(seeds=3, top_k=5, return_kept=5, return_kept_mass=True)
    drawn = jax.jit(lambda x: papilio.sample_tokens(x, **with_mass))(logits)
    for found, wanted in zip(drawn, papilio.sample_tokens(LOGITS, **with_mass)):
        assert (found is None) == (wanted is None) and (wanted is None or np.asarray(found).tolist() == wanted.tolist())
    cool = jax.jit(lambda x, t: papilio.sample_tokens(x, seeds=3, temperature=t))(logits, jax.numpy.full(8, 0.5))
    assert np.asarray(cool).tolist() == papilio.sample_tokens(LOGITS, seeds=3, temperature=0.5).tolist()


def test_torch():
    torch = pytest.importorskip("torch")
    flags = np.random.default_rng(4).random((8, 300)) < 0.5
    given = dict(FILTERS, bias={5: 2.0})
    expected = papilio.sample_tokens(LOGITS, seeds=np.arange(8), allowed=flags, **given)
    logits, seeds = torch.from_numpy(LOGITS), torch.arange(8)
    same(papilio.sample_tokens(logits, seeds=seeds, allowed=torch.from_numpy(flags), **given), expected)
    same(papilio.sample_tokens(logits, seeds=seeds, allowed=flags, **given), expected)
    halves = papilio.sample_tokens(logits.to(torch.bfloat16), seeds=seeds, **FILTERS)
    same(halves, papilio.sample_tokens(logits.to(torch.bfloat16).float().numpy(), seeds=np.arange(8), **FILTERS))


def test_torch_compile():
    torch = pytest.importorskip("torch")
    torch._dynamo.reset()

    @torch.compile(backend="eager", fullgraph=True)
    def step(logits, seeds, temperature):
        drawn = papilio.sample_tokens(
            logits * 2, seeds=seeds, temperature=temperature, top_k=40, return_kept=True, return_kept_mass=True,
            return_status=True,
        )  # fmt: skip
        return drawn.tokens, drawn.kept, drawn.kept_mass, drawn.status

    logits, seeds = torch.from_numpy(LOGITS), torch.arange(8)
    tokens, kept, mass, status = step(logits, seeds, torch.full((8,), 0.7))
    expected = papilio.sample_tokens(
        LOGITS * 2, seeds=np.arange(8), temperature=0.7, top_k=40, return_kept=True, return_kept_mass=True
    )
    assert tokens.tolist() == expected.tokens.tolist() and kept.tolist() == expected.kept.tolist()
    assert mass.tolist() == expected.kept_mass.tolist()
    assert status.tolist() == [0] * 8
    torch.library.opcheck(
        torch.ops.papilio.sample_tokens.default, (logits,) + (None,) * 10, dict(seed=3, top_k=5, room=4, kept_mass=True),
        test_utils=("test_schema", "test_faketensor"),
    )  # fmt: skip
