"""`papilio.sample_sharded_tokens`: threads that hold parts of a vocabulary draw the tokens of the whole."""

import concurrent.futures
import threading

import numpy as np
import pytest

import papilio
from papilio import _core

LOGITS = np.random.default_rng(3).normal(size=(8, 300)).astype(np.float32) * 3


class Group:
    """Threads that gather from each other, as processes do."""

    def __init__(self, size):
        self.size, self.given, self.meet = size, [None] * size, threading.Barrier(size)

    def gather(self, number):
        def all_gather(own):
            self.given[number] = own + 0  # a copy, of whichever framework
            self.meet.wait(30)
            found = list(self.given)
            self.meet.wait(30)
            return found

        return all_gather

    def run(self, function):
        with concurrent.futures.ThreadPoolExecutor(self.size) as pool:
            return list(pool.map(function, range(self.size)))


@pytest.mark.parametrize(
    "edges", [*(np.linspace(0, 300, n + 1).astype(int) for n in (1, 2, 4, 8)), np.array([0, 0, 7, 7, 7, 300, 300])]
)
def test_shards_draw_the_tokens_of_the_whole(edges):
    top_k = np.array([0, 1, 5, 50, 0, 7, 300, 0])
    filters = dict(temperature=np.linspace(0, 1.4, 8), top_k=top_k, top_p=0.9, min_p=0.01)
    flags = np.random.default_rng(6).random((8, 300)) < 0.5
    logits = LOGITS.copy()
    logits[3, 17] = np.nan
    flags[3, 17] = True
    expected = papilio.sample_tokens(
        logits, seeds=np.arange(8), allowed=flags, return_status=True, return_log_probability=True, **filters
    )
    group = Group(len(edges) - 1)

    def draw(number):
        part = slice(edges[number], edges[number + 1])
        return papilio.sample_sharded_tokens(
            logits[:, part], group.gather(number), number=number, first=int(part.start), categories=300,
            seeds=np.arange(8), allowed=np.ascontiguousarray(flags[:, part]), **filters,
        )  # fmt: skip

    for drawn in group.run(draw):
        for name in ("tokens", "status"):
            assert getattr(drawn, name).tolist() == getattr(expected, name).tolist()
        assert np.array_equal(drawn.log_probability, expected.log_probability, equal_nan=True)


def test_refused_shards():
    given = dict(number=0, first=0, categories=300, seeds=1)
    with pytest.raises(ValueError, match="all_gather gave arrays"):
        papilio.sample_sharded_tokens(LOGITS, lambda own: [own[:3]], **given)
    with pytest.raises(ValueError, match="the shard has 300 categories from 10 on, of 300"):
        papilio.sample_sharded_tokens(LOGITS, lambda own: [own], **{**given, "first": 10})
    with pytest.raises(TypeError, match="number is 0.5"):
        papilio.sample_sharded_tokens(LOGITS, lambda own: [own], **{**given, "number": 0.5})


def test_finish_needs_every_round():
    words, _ = _core.token_shard_words()
    states, tokens = np.zeros(8 * words, np.int64), np.zeros(8, np.int32)
    with pytest.raises(ValueError, match=r"states\[0\] needs another round"):
        _core.finish_shard(LOGITS, 0, 300, 0, states, {"tokens": tokens}, {}, {})
