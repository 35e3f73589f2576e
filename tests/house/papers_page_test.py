"""tools/papers_page.py and tools/forest_page.py: what they say of known figures."""

import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import forest_page  # noqa: E402
import papers_page  # noqa: E402
from papers_page import FOUR, ONE, SEVEN  # noqa: E402


def application(case, K, kind, times, sampler="uncollapsed"):
    return [{"case": case, "topics": K, "type": kind, "method": method, "sampler": sampler, "ms_per_sweep": ms, "seconds_per_100_sweeps": ms / 10}
            for method, ms in times.items()]


class Papers(unittest.TestCase):
    def claims(self, records):
        return {text: (here, holds) for text, here, holds in papers_page.claims({"records": records})}

    def test_claims_are_judged_by_the_share_of_time_saved(self):
        found = self.claims(application("figure11", 1024, "float", {ONE: 100.0, FOUR: 30.0, SEVEN: 26.5})
                            + application("figure11", 1024, "double", {ONE: 100.0, FOUR: 90.0, SEVEN: 99.0}))
        self.assertEqual(found["Algorithm 7 against 4, K = 1,024: 13 % less time (float)"], ("12 % less time", "yes"))
        self.assertEqual(found["Algorithm 7 against 1, K = 1,024: 74 % less time (float)"], ("74 % less time", "yes"))
        self.assertEqual(found["Algorithm 7 against 4, K = 1,024: 35 % less time (double)"], ("10 % more time", "no"))
        self.assertEqual(found["Algorithm 4 against 1, K = 1,024: 56 % less time (double)"], ("10 % less time", "in part"))
        self.assertEqual(found["Fig. 11(a): Algorithm 7 faster than 4, all K > 576 (float)"], ("at 1 of 1", "yes"))
        self.assertEqual(found["Fig. 11(b): Algorithm 7 faster than 4, all K > 64 (double)"], ("at 0 of 1", "no"))
        self.assertFalse(any(text.startswith(("Fig. 10", "Fig. 12")) for text in found))

    def test_figure_10_counts_all_four_samplers(self):
        records = []
        for sampler, ms in zip(papers_page.SAMPLERS, (40.0, 40.0, 60.0, 120.0)):
            records += application("figure10", 208, "float", {ONE: 100.0, SEVEN: ms}, sampler)
        found = self.claims(records)
        self.assertEqual(found["Fig. 10: the butterfly is faster than Algorithm 1, K >= 80, four samplers (float)"], ("at 3 of 4", "in part"))
        self.assertEqual(found["Fig. 10: more than twice as fast, K >= 200, four samplers (float)"], ("at 2 of 4", "in part"))

    def test_figure_12_finds_a_sawtooth(self):
        records = []
        for K in range(480, 545, 2):
            records += application("figure12", K, "float", {FOUR: 90.0 if K % 32 == 0 else 100.0, SEVEN: 100.0})
        found = self.claims(records)
        self.assertEqual(found["Fig. 12: sawtooth, Algorithm 4 (float)"][1], "yes")
        self.assertTrue(found["Fig. 12: sawtooth, Algorithm 4 (float)"][0].startswith("multiples of 32: 10 % less time"))
        self.assertEqual(found["Fig. 12: sawtooth, Algorithm 7 (float)"][1], "no")

    def test_a_page_of_one_case_has_no_other_and_no_notes_without_verdicts(self):
        data = {"heads": {"draws": {"device": "a GPU"}},
                "records": [{"case": "draws", "topics": 64, "type": "float", "method": "slots", "ms": 0.25},
                            {"case": "draws", "topics": 64, "type": "float", "method": SEVEN, "error": "no room"}]}
        page = papers_page.page(data, "## Notes\n")
        self.assertIn("| slots | 0.250 |", page)
        self.assertIn(f"- draws, {SEVEN}, K = 64, float: no room", page)
        for absent in ("Figure 10", "## Notes", "holds"):
            self.assertNotIn(absent, page.partition("## Draws alone")[2])


class Forests(unittest.TestCase):
    def test_rates_stand_in_brackets(self):
        records = [{"case": "forest", "rows": 1, "categories": 8, "batch": 8, "what": "making a forest", "ms": 2.0, "per_second": 4000.0},
                   {"case": "forest", "rows": 1, "categories": 8, "batch": 1000, "what": "updates", "ms": 0.5, "per_second": 2e6},
                   {"case": "forest", "rows": 1, "categories": 8, "batch": 1000, "what": "draws", "error": "broken"}]
        page = forest_page.page({"heads": [{"device": "a GPU", "papilio": "1"}], "records": records})
        self.assertIn("|  | batches of 1,000 |", page)
        self.assertIn("| updates | 0.500 (2.00) |", page)
        self.assertIn("| draws | failed |", page)
        self.assertIn("host's clock: 2.00 ms", page)


if __name__ == "__main__":
    unittest.main()
