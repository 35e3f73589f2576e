"""Tokens on a CUDA device: what the CPU draws, accepts and says, bit for bit, on the framework's stream."""

import sys

import numpy as np
import papilio
import pytest
from conftest import to_numpy
from test_cuda import is_on_device, move, require
from test_token_shards import Group

RNG = np.random.default_rng(8)
LOGITS = (RNG.standard_normal((24, 3000)) * 3).astype(np.float32)
SEEDS, POSITIONS = RNG.integers(0, 2**63, 24), RNG.integers(0, 1000, 24)
# Every way through a row: greedy, among the first, by the share, whole.
FILTERS = dict(
    temperature=np.tile([0, 0.7, 1, 1.3], 6).astype(np.float32),
    top_k=np.tile([0, 40, 0, 2000, 1, 0], 4).astype(np.int32),
    top_p=np.tile([0.9, 1, 0.5], 8).astype(np.float32),
    min_p=np.tile([0, 0.02], 12).astype(np.float32),
)
ALL = dict(
    return_log_probability=True, return_raw_log_probability=True, return_rank=True, return_kept=60,
    return_kept_mass=True, return_status=True,
)


@pytest.fixture(params=["torch-cuda", "cupy"])
def name(request):
    require(request.param)
    return request.param


def there(name, given):
    return {key: move(name, x) if isinstance(x, np.ndarray) else x for key, x in given.items()}


def expect_same(name, found, expected):
    for field in expected._fields:
        x, y = getattr(found, field), getattr(expected, field)
        if y is None:
            assert x is None
            continue
        assert is_on_device(name, x)
        assert to_numpy(x).tobytes() == np.ascontiguousarray(y).tobytes(), field


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_draws_are_those_of_the_cpu(name, dtype):
    logits = move(name, LOGITS, dtype)
    host = to_numpy(logits.float() if dtype == "bfloat16" else logits)
    given = dict(seeds=SEEDS, positions=POSITIONS, allowed=RNG.random((24, 3000)) < 0.8, **FILTERS)
    expected = papilio.sample_tokens(host, **given, **ALL)
    expect_same(name, papilio.sample_tokens(logits, **there(name, given), **ALL), expected)
    # Any batch, any place in it, any strides.
    for i in (0, 7, 23):
        one = {key: x[i : i + 1] for key, x in given.items()}
        alone = papilio.sample_tokens(logits[i : i + 1], **there(name, one))
        assert to_numpy(alone).tolist() == [expected.tokens[i]]
    columns = papilio.sample_tokens(move(name, np.ascontiguousarray(LOGITS.T)).T, seeds=3, top_k=50)
    assert to_numpy(columns).tolist() == papilio.sample_tokens(LOGITS, seeds=3, top_k=50).tolist()


def test_statuses_are_those_of_the_cpu(name):
    logits = LOGITS[:5].copy()
    logits[0, 5], logits[1, 2999], logits[2] = np.nan, np.inf, -np.inf
    given = dict(seeds=1, temperature=np.array([1, 1, 1, -1, 1], np.float32), bias=[{}, {}, {}, {}, {7: 1.0, 9: -2.0}])
    expected = papilio.sample_tokens(logits, **given, return_status=True)
    expect_same(name, papilio.sample_tokens(move(name, logits), **there(name, given), return_status=True), expected)
    assert expected.status.tolist() == [2, 3, 1, 4, 0]


def draft_of(rows, drafted, seed):
    """Tokens drawn from logits beside the target's: their law, dense and as kept sets."""
    beside = LOGITS[rows] + RNG.standard_normal((drafted, 3000)).astype(np.float32) * 0.2
    drawn = papilio.sample_tokens(beside, seeds=seed, top_k=30, return_kept=30)
    dense = np.zeros((drafted, 3000), np.float32)
    np.put_along_axis(dense, drawn.kept.astype(np.int64), np.exp(drawn.kept_log_probability), 1)
    return drawn, np.minimum(dense, 1)


@pytest.mark.parametrize("rule", ["token", "block"])
def test_drafts_are_verified_as_on_the_cpu(name, rule):
    offsets = np.array([0, 5, 5, 12, 18])  # 4 texts, 22 rows
    rows = np.concatenate([np.arange(a, b) + i for i, (a, b) in enumerate(zip(offsets, offsets[1:]))])
    accepted = 0
    for seed in range(12):
        drawn, dense = draft_of(rows, 18, seed)
        for law in (
            {},
            {"probabilities": dense},
            {"kept": drawn.kept, "kept_log_probability": drawn.kept_log_probability},
        ):
            given = dict(offsets=offsets, seeds=SEEDS[:4], positions=POSITIONS[:4], top_k=30, rule=rule, **law)
            expected = papilio.verify_draft(LOGITS[:22], drawn.tokens, **given, return_status=True)
            found = papilio.verify_draft(
                move(name, LOGITS[:22]), move(name, drawn.tokens), **there(name, given), return_status=True
            )
            expect_same(name, found, expected)
            accepted += expected.accepted.sum()
    assert accepted > 50
    # Lists, and faults.
    bad = papilio.verify_draft(move(name, LOGITS[:3]), [[1, 3000]], seeds=1, return_status=True)
    assert to_numpy(bad.status).tolist() == [papilio.TokenStatus.BAD_DRAFT]
    bad = papilio.verify_draft(move(name, LOGITS[:3]), [1, 2], [0, 3], seeds=1, return_status=True)
    assert to_numpy(bad.accepted).tolist() == [-1]


@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(
    "edges", [*(np.linspace(0, 3000, n + 1).astype(int) for n in (1, 2, 4, 8)), np.array([0, 0, 7, 7, 7, 3000, 3000])]
)
def test_shards_draw_the_tokens_of_the_whole(name, edges, masked):
    given = dict(seeds=SEEDS, positions=POSITIONS, **FILTERS)
    flags = np.random.default_rng(6).random((24, 3000)) < 0.5
    expected = papilio.sample_tokens(
        LOGITS, **given, allowed=flags if masked else None, return_log_probability=True, return_status=True
    )
    group = Group(len(edges) - 1)

    def draw(number):
        part = slice(edges[number], edges[number + 1])
        return papilio.sample_sharded_tokens(
            move(name, np.ascontiguousarray(LOGITS[:, part])), group.gather(number), number=number,
            first=int(part.start), categories=3000, **there(name, given),
            allowed=move(name, np.ascontiguousarray(flags[:, part])) if masked else None,
        )  # fmt: skip

    for drawn in group.run(draw):
        expect_same(name, drawn, expected)


# --- PyTorch ----------------------------------------------------------------------------------------------------------


def test_a_graph_that_is_replayed_draws_on():
    require("torch-cuda")
    torch = sys.modules["torch"]
    logits, seeds = move("torch-cuda", LOGITS), move("torch-cuda", SEEDS)
    positions = move("torch-cuda", POSITIONS)
    filters = there("torch-cuda", FILTERS)
    draft = move("torch-cuda", np.zeros((8, 2), np.int64))

    def step():
        tokens = papilio.sample_tokens(logits, seeds=seeds, positions=positions, **filters)
        verified = papilio.verify_draft(
            logits, draft, seeds=seeds[:8], positions=positions[:8], temperature=0.5, offsets=offsets
        )
        positions.add_(1)
        return tokens, verified

    offsets = torch.arange(9, device="cuda") * 2
    draft = draft.reshape(-1)
    step()
    positions.copy_(move("torch-cuda", POSITIONS))
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        tokens, verified = step()
    for replay in range(20):
        graph.replay()
        at = POSITIONS + replay
        assert to_numpy(tokens).tolist() == papilio.sample_tokens(LOGITS, seeds=SEEDS, positions=at, **FILTERS).tolist()
        expected = papilio.verify_draft(
            LOGITS, np.zeros((8, 2), np.int64), seeds=SEEDS[:8], positions=at[:8], temperature=0.5
        )
        assert to_numpy(verified.next_token).tolist() == expected.next_token.tolist()


def test_compiled_and_on_another_stream():
    require("torch-cuda")
    torch = sys.modules["torch"]
    logits, seeds = move("torch-cuda", LOGITS), move("torch-cuda", SEEDS)

    def step(x, s):
        return papilio.sample_tokens(x * 0.5, seeds=s, positions=3, temperature=0.8, top_k=50, top_p=0.9)

    expected = papilio.sample_tokens(
        LOGITS * np.float32(0.5), seeds=SEEDS, positions=3, temperature=0.8, top_k=50, top_p=0.9
    ).tolist()
    assert to_numpy(torch.compile(step, backend="aot_eager", fullgraph=True)(logits, seeds)).tolist() == expected
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        assert to_numpy(step(logits, seeds)).tolist() == expected
