"""Tests the race's records and its scorer: python3 race_test.py path/to/repository [Records|Scorer].

The scorer's tests need NumPy, and are reported as skipped where it is missing.
"""

import json
import math
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import numpy as np
except ImportError:
    np = None

REPOSITORY = Path(sys.argv.pop(1))
sys.path.insert(0, str(REPOSITORY / "benchmarks/race"))
import records  # noqa: E402

WANTED = ("nips", 100, 1, "mallet")


def record(others=0.0, where="here", **fields):
    return dict(zip(records.KEY, WANTED), machine=where, others=others, **fields)


class Records(unittest.TestCase):
    def test_a_run_is_made_once(self):
        self.assertTrue(records.needed([], WANTED, "here"))
        self.assertFalse(records.needed([record()], WANTED, "here"))
        self.assertTrue(records.needed([record()], ("nips", 1000, 1, "mallet"), "here"))
        self.assertTrue(records.needed([record()], WANTED, "elsewhere"))

    def test_a_disturbed_run_is_repeated_twice(self):
        self.assertTrue(records.needed([record(0.021)], WANTED, "here"))
        self.assertTrue(records.needed([record(0.5), record(0.021)], WANTED, "here"))
        self.assertFalse(records.needed([record(0.5), record(0.02)], WANTED, "here"))
        self.assertFalse(records.needed([record(0.5)] * 3, WANTED, "here"))

    def test_the_least_disturbed_is_shown(self):
        runs = [record(0.5, number=0), record(0.03, number=1), record(0.04, number=2)]
        self.assertEqual(records.best(runs)[WANTED]["number"], 1)

    def test_records_are_lines(self):
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "records.jsonl"
            self.assertEqual(records.read(table), [])
            for number in range(3):
                records.append(table, record(number=number))
            records.replace(table, 1, record(number=7))
            self.assertEqual([r["number"] for r in records.read(table)], [0, 7, 2])
            self.assertEqual(json.loads(table.read_text().splitlines()[1])["number"], 7)

    def test_the_target_is_reached_between_two_points(self):
        curve = [dict(sweep=s, seconds=t, perplexity=p) for s, t, p in [(10, 4, 200), (20, 8, 120), (30, 12, 100)]]
        self.assertEqual(records.reached(curve, 140), (7, 17.5))
        self.assertEqual(records.reached(curve, 120), (8, 20))
        self.assertEqual(records.reached(curve, 250), (4, 10))
        self.assertIsNone(records.reached(curve, 99))

    def test_the_settled_rate_is_of_the_second_half(self):
        curve = [dict(sweep=s, seconds=t) for s, t in [(5, 10), (10, 12), (20, 14)]]
        self.assertEqual(records.steady_rate(curve, 100), 500)
        self.assertEqual(records.steady_rate(curve[:1], 100), 50)


@unittest.skipIf(np is None, "NumPy is not installed")
class Scorer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import scorer
        cls.scorer = scorer

    def test_words_of_one_topic_have_its_probabilities(self):
        # Words 0 and 1 are the first topic's, 2 and 3 the second's. With an alpha of 0 the EM leaves a
        # document of the first topic there after one step, so each word scored has probability 1/4 or 3/4.
        phi = np.array([[0.25, 0.75, 0, 0], [0, 0, 0.5, 0.5]])
        held_out = self.scorer.complete([[0, 1, 0, 1, 1, 0, 0, 1]], 4)
        value, tokens = self.scorer.perplexity(phi[:, held_out.words], held_out, 0.0)
        second = held_out.words[held_out.documents[0][2]]
        expected = math.exp(-sum(math.log((0.25, 0.75)[word]) for word in second) / 4)
        self.assertEqual(tokens, 4)
        self.assertAlmostEqual(value, expected, 12)

    def test_one_step_of_folding_in(self):
        rows = np.array([[0.2, 0.6], [0.8, 0.4]])  # two words, two topics
        theta = self.scorer.fold_in(rows, np.array([3.0, 1.0]), 0.5, steps=1)
        # Shares of topic 0: word 0 0.1/0.4, word 1 0.4/0.6; so 0.5 + 3/4 + 2/3 against 0.5 + 9/4 + 1/3.
        self.assertAlmostEqual(theta[0], (0.5 + 3 / 4 + 2 / 3) / 5, 14)
        self.assertAlmostEqual(theta.sum(), 1, 14)

    def test_halves_hold_every_known_token_once(self):
        document = [3, 3, 0, 5, 9, 2, 2, 2]
        held_out = self.scorer.complete([document, [9, 9], [1]], 6)  # 9 was never seen; a lone token cannot be split
        self.assertEqual(len(held_out.documents), 1)
        words, often, scored = held_out.documents[0]
        first = list(np.repeat(held_out.words[words], often.astype(int)))
        both = sorted(first + list(held_out.words[scored]))
        self.assertEqual(both, sorted(w for w in document if w < 6))
        self.assertEqual((len(first), len(scored)), (4, 3))

    def test_the_shuffle_is_the_protocols(self):
        generator = np.random.default_rng(7)
        expected = [np.arange(9), np.arange(4)]
        for document in expected:
            generator.shuffle(document)
        held_out = self.scorer.complete([np.arange(9), np.arange(4)], 9)
        for document, (words, _, scored) in zip(expected, held_out.documents):
            self.assertEqual(list(held_out.words[scored]), list(document[1::2]))
            self.assertEqual(list(held_out.words[words]), sorted(document[0::2]))


if __name__ == "__main__":
    unittest.main()
