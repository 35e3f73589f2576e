"""Pages say what the committed records say: a wrong digit, an absent record and an unmarked number are found."""

import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "benchmarks/race")]
import bench_record  # noqa: E402
import claims  # noqa: E402
import claims_values  # noqa: E402
import gpu_report  # noqa: E402
import page  # noqa: E402
import races  # noqa: E402
import recorded_commits  # noqa: E402

GAMMA = {"records": [{"shape": 1, "papilio_ns": 8.0, "standard_ns": 40.0}, {"shape": 2, "papilio_ns": 6.0, "standard_ns": 42.0}]}


class Pages(unittest.TestCase):
    def test_every_page_agrees_with_the_records(self):
        records, wrong, found = claims.Records(), [], list(claims.pages())
        for name in found:
            wrong += claims.check(name, (claims.ROOT / name).read_text(), records)
        self.assertEqual(wrong, [])
        self.assertLessEqual(set(claims.STRICT), set(found))

    def test_every_generated_page_is_what_its_tool_makes_of_the_records(self):
        records = claims.Records()
        made = {"h200": gpu_report.page("h200"), "epyc-zen4": bench_record.page("epyc-zen4", records["epyc-zen4"]),
                "race": page.page(records["race"], "mallet", races.TARGETS)}
        for name, text in made.items():
            self.assertEqual((claims.RESULTS / f"{name}.md").read_text(), text, name)
        for name in page.plots(records["race"], races.TARGETS):
            self.assertTrue((claims.ROOT / "docs/plots" / name).exists(), name)

    def test_every_claim_can_be_said(self):
        records = claims.Records()
        for name in claims_values.CLAIMS:
            self.assertNotIn(claims.said(name, records), ("", "None"), name)

    def test_a_commit_that_a_record_names_is_in_the_history_or_in_the_table(self):
        if not recorded_commits.history_is_whole():
            self.skipTest("a clone without its whole history")
        joined = recorded_commits.joined()
        self.assertTrue(joined)
        for commit, known in joined.items():
            self.assertTrue(recorded_commits.is_in_history(known["in"]), f"{commit}: {known['in']}")
        for path in sorted(claims.RESULTS.glob("*.json")):
            if path != recorded_commits.TABLE:
                for commit in set(recorded_commits.named(json.loads(path.read_text()))):
                    self.assertTrue(commit in joined or recorded_commits.is_in_history(commit), f"{path.name}: {commit}")


class Checks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / "gamma-cpu.json").write_text(json.dumps(GAMMA))
        self.records = claims.Records(self.path)

    def wrong(self, text, page="page.md"):
        return list(claims.check(page, text, self.records))

    def test_the_right_number_passes(self):
        self.assertEqual(self.wrong("It is <!-- claims: gamma_least -->5.0<!-- end --> to <!-- claims: gamma_most -->7.0<!-- end -->."), [])

    def test_a_wrong_digit_fails(self):
        self.assertEqual(self.wrong("One\n<!-- claims: gamma_least -->5.1<!-- end -->"),
                         ["page.md:2: claim gamma_least: the page has '5.1', the records say '5.0'"])

    def test_a_wrong_digit_in_a_table_fails(self):
        records = claims.Records()
        right = f"<!-- claims: results -->{claims.said('results', records)}<!-- end -->"
        self.assertEqual(list(claims.check("page.md", right, records)), [])
        digits = [i for i, c in enumerate(right) if c.isdigit() and right.index("\n") < i]
        for i in (digits[0], digits[len(digits) // 2], digits[-1]):
            changed = right[:i] + str((int(right[i]) + 1) % 10) + right[i + 1:]
            self.assertEqual(len(list(claims.check("page.md", changed, records))), 1, changed)

    def test_another_record_makes_another_claim(self):
        (self.path / "gamma-cpu.json").write_text(json.dumps(GAMMA).replace("40.0", "32.0"))
        self.assertEqual(len(self.wrong("<!-- claims: gamma_least -->5.0<!-- end -->")), 1)
        self.assertEqual(claims.write("<!-- claims: gamma_least -->5.0<!-- end -->", self.records), "<!-- claims: gamma_least -->4.0<!-- end -->")

    def test_an_absent_record_fails(self):
        self.assertEqual(self.wrong("<!-- claims: heldout_100 -->1,286<!-- end -->"),
                         ["page.md:1: claim heldout_100: heldout-nips.json is not there"])

    def test_a_record_without_the_case_fails(self):
        (self.path / "heldout-nips.json").write_text('{"records": []}')
        self.assertEqual(self.wrong("<!-- claims: heldout_100 -->1,286<!-- end -->"),
                         ["page.md:1: claim heldout_100: 0 records of collapsed, where one is meant"])

    def test_an_unknown_claim_and_a_half_marker_fail(self):
        self.assertEqual(self.wrong("<!-- claims: nothing -->1<!-- end -->"), ["page.md:1: claim nothing: no claim has the name nothing"])
        self.assertEqual(self.wrong("<!-- claims: gamma_least -->5.0"), ["page.md: <!-- claims: gamma_least --> has no counterpart"])

    def test_the_front_page_needs_its_table(self):
        self.assertEqual(self.wrong("# papilio", "README.md"), ["README.md: has no claim results"])

    def test_a_quoted_number_must_be_on_its_page(self):
        start, records = "docs/lda/start.md", claims.Records()
        text = "14.6 s and 38.7 s"
        self.assertEqual(list(claims.check(start, text, records)), [])
        self.assertEqual(list(claims.check(start, text.replace("38.7", "38.71"), records)),
                         [f"{start}: does not have the 38.7 of claim race_nips_1000_mallet"])
        self.assertEqual(len(self.wrong(text, start)), 2)  # the records are absent

    def test_a_link_to_results_that_are_not_there_fails(self):
        self.assertEqual(self.wrong("[a](../benchmarks/results/race.md) [b](benchmarks/results/none.md)"),
                         ["page.md: benchmarks/results/none.md is not there"])

    def test_a_measured_number_must_be_marked_on_the_summary_pages(self):
        for quantity in ("0.24 ms", "7.93 billion tokens per second", "4.1 times as fast", "12.6 s", "4,256 GB/s", "18 % less", "3 times faster"):
            self.assertEqual(len(list(claims.unmarked(f"It takes {quantity} here."))), 1, quantity)
        for text in ("`sleep 5 s`", "```sh\nwait 5 s\n```", "300 sweeps over 62,000 descriptions", "17 programs", "-DX=90 and CUDA 12 or later",
                     "<!-- claims: gamma_least -->5.0 ms<!-- end -->"):
            self.assertEqual(list(claims.unmarked(text)), [], text)


if __name__ == "__main__":
    unittest.main()
