"""The GPU report: shares, gains and claims are computed as the page says, and plots are sound SVG."""

import json
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import gpu_claims  # noqa: E402
import gpu_counters  # noqa: E402
import gpu_findings  # noqa: E402
import gpu_plots  # noqa: E402
import gpu_report  # noqa: E402
import svg_chart  # noqa: E402

SHAPE = {"case": "batched", "rows": 262144, "categories": 1024, "type": "float"}  # 2^30 bytes
HEAD = {"device": "NVIDIA Example", "cuda_driver": "13.0", "cuda_runtime": "13.0", "papilio": "0.1.0"}


def batched(method, ms, **more):
    return {**SHAPE, "method": method, "ms": ms, "bytes": 1 << 30, "bytes_per_second": (1 << 30) / ms * 1e3, **more}


def sample():
    """A run: reading takes 2^30 bytes in 0.25 ms, papilio 0.26, the best peer 1.3."""
    roof = {"case": "ceiling", "name": "read", "ms": 1, "bytes": 1 << 32, "bytes_per_second": (1 << 30) / 0.25e-3}
    draws = [{"case": "draws", "corpus": "docword.wiki.txt", "topics": K, "type": "float", "method": m, "ms": ms, "tokens": 1000000,
              "bytes": 4000000 * K, **({"floor_over_time": 0.08 / ms} if m != "floor" else {})}
             for K in (64, 128) for m, ms in (("floor", 0.08), ("slots", 0.16), ("trainer", 0.1))]
    methods = [{"case": "methods", "corpus": "docword.wiki.txt", "topics": K, "type": kind, "method": m, "ms": ms * K, "tokens": 1000000}
               for K in (512, 1024) for kind in ("float", "double")
               for m, ms in (("prefix", 4), ("transposed", 2), ("butterfly_add_subtract", 1))]
    return {
        "batched": {**HEAD, "records": [roof, batched("read only", 0.25), batched("papilio", 0.26, check_negative=True),
                                        batched("papilio", 0.255, check_negative=False)]},
        "peers": {"torch": "2.11", "records": [batched("torch.multinomial", 2.6), batched("torch race", 1.3),
                                               {**SHAPE, "method": "cupy race", "error": "TypeError: no"}]},
        "draws": {**HEAD, "records": draws},
        "methods": {**HEAD, "records": methods, "stopped_before": "methods, K = 80"},
        "lda": [{"device": "cuda:0", "topics": 16, "sweeps": 100, "seconds_per_sweep": 0.0005, "tokens_per_second": 6e9,
                 "log_joint_per_token": -8.1}],
        "machine": [],
        "measured": [{"part": "batched", "commit": "abc"}, {"part": "draws", "commit": "abc"}, {"part": "peers", "commit": "def", "date": "2026-11-22"}],
    }


class Tables(unittest.TestCase):
    def test_a_share_of_the_roof_and_the_gain_over_the_best_peer(self):
        row = gpu_report.batched_row(sample(), 262144, 1024, "float")
        self.assertEqual(row, ["262,144 x 1,024", "float", "0.260", "0.255", "4,130", "0.962 (goal 0.9: reached)", "0.250",
                               "torch race: 1.30", "5.00 (goal 4: reached)", "10"])

    def test_a_missed_goal_is_called_so(self):
        data = sample()
        data["peers"]["records"][1]["ms"] = 1.0
        self.assertEqual(gpu_report.batched_row(data, 262144, 1024, "float")[8], "3.85 (goal 4: missed)")

    def test_floor_by_time(self):
        text = gpu_report.draws_section(sample())
        self.assertIn("| 64 | 0.0800 | 0.160 | 0.50 | 0.100 | 0.800 (goal 0.6: reached) | 10.0 | 2,560 |", text)

    def test_nothing_is_lost_in_silence(self):
        data = sample()
        data["draws"]["records"].append({"case": "draws", "topics": 4096, "error": "out of memory"})
        text = gpu_report.report("x", data, "")
        for words in ("TypeError: no", "out of memory", "nothing from `methods, K = 80` on was measured"):
            self.assertIn(words, text)

    def test_figures(self):
        for value, expected in ((0.03694, "0.0369"), (0.1, "0.100"), (12.34, "12.3"), (1234.5, "1,230"), (0.9999, "1.00"), (0, "0")):
            self.assertEqual(gpu_report.figures(value), expected)

    def test_raw_data_comes_back(self):
        data = sample()
        self.assertEqual(gpu_report.unpacked(gpu_report.packed(data)), data)

    def test_a_folder_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "batched.json").write_text(json.dumps(sample()["batched"]))
            (path / "lda-cpu.json").write_text('{"device": "cpu", "sweeps": 5, "results": [{"topics": 16}]}')
            data = gpu_report.read_folder(path)
        self.assertEqual(data["lda"], [{"device": "cpu", "sampler": "mean_for_mode", "sweeps": 5, "topics": 16}])
        self.assertEqual(data["batched"], sample()["batched"])
        self.assertNotIn("peers", data)

    def test_a_new_part_takes_the_place_of_the_old_one_and_is_dated(self):
        new = {"peers": {"torch": "3", "records": []}, "machine": ["one"]}
        data = gpu_report.merged(sample(), new, "123", "2026-12-01")
        self.assertEqual(data["peers"], new["peers"])
        self.assertEqual(data["batched"], sample()["batched"])
        self.assertEqual(gpu_report.measured_at(data), "batched, draws: commit abc; peers: commit 123, 2026-12-01")


class Claims(unittest.TestCase):
    def claims(self):
        found = gpu_claims.claims(sample()["methods"]["records"], [])
        return {claim: (here, holds) for claim, here, holds in found}

    def test_so_much_less_time(self):
        self.assertEqual(self.claims()["Algorithm 7 against 4, K = 512: 8 % less time (float)"], ("50 % less time", "yes"))
        self.assertEqual(self.claims()["Algorithm 4 against 1, K = 1,024: 70 % less time (float)"], ("50 % less time", "no"))

    def test_faster_at_every_number_of_topics(self):
        ms = {"new": {64: 1, 96: 3, 128: 1, 160: 1}, "old": {64: 2, 96: 2, 128: 2, 160: 2}}
        self.assertEqual(gpu_claims.faster_everywhere(ms, "new", "old", lambda K: True, "c"),
                         ["c", "faster at 3 of 4 K (64, 128 ... 160)", "in part"])
        self.assertEqual(gpu_claims.faster_everywhere(ms, "new", "old", lambda K: K > 96, "c")[2], "yes")
        self.assertEqual(gpu_claims.faster_everywhere(ms, "new", "old", lambda K: K == 96, "c")[2], "no")
        self.assertIsNone(gpu_claims.faster_everywhere(ms, "new", "old", lambda K: K > 200, "c"))

    def test_sawtooth(self):
        records = [{"type": "float", "method": "m", "topics": K, "ms": 0.5 if K % 32 == 0 else 1} for K in range(495, 530)]
        self.assertEqual(gpu_claims.sawtooth(records, "float", "m"), (0.5, 0))


class Findings(unittest.TestCase):
    def lines(self, data):
        return gpu_findings.sentences(gpu_report, data).replace("\n  ", " ").split("\n")  # a sentence is one line

    def test_goals_that_are_missed_are_named(self):
        data = sample()
        lines = self.lines(data)
        self.assertIn("- Times as fast as the best peer, float, goal 4: 5.00, reached.", lines)
        self.assertIn("- Share of the read roof, float, 128 categories and more, goal 0.9: 0.96, reached.", lines)
        data["peers"]["records"][1]["ms"] = 1.0
        self.assertIn("- Times as fast as the best peer, float, goal 4: 3.85, missed.", self.lines(data))

    def test_one_that_misses_among_several_is_named(self):
        self.assertEqual(gpu_findings.of_goals("Share", [("a", 0.5), ("b", 0.9)], 0.6, str), ["- Share, goal 0.6: 0.5 to 0.9. Missed at a: 0.5."])

    def test_counters_are_of_the_launch_with_the_most_topics(self):
        launch = dict.fromkeys(gpu_counters.SHARES, "40.4") | {"smsp__issue_active.avg.pct_of_peak_sustained_active": "30", "dram__bytes_read.sum": "2e9",
                                                               "launch__registers_per_thread": "72", "smsp__inst_executed.sum": "5000"}
        launches = [launch | {"kernel": "void draw_blocks<4, double, 1>(x)", gpu_counters.TIME: "1e6"},
                    launch | {"kernel": "void draw_blocks<4, double, 1>(x)", gpu_counters.TIME: "3e6"},
                    launch | {"kernel": "void draw_batches<64, float, 1, 1>(x)", gpu_counters.TIME: "2e6"},
                    launch | {"kernel": "void draw_blocks<9, float, 1>(x)", gpu_counters.TIME: "2e6"}]
        self.assertEqual(gpu_counters.rows(launches, 10, gpu_report.figures),
                         [["slots, float", "2.00", "500", "30 %", "2.00", "40 %", "40 %", "40 %", "40 %", "72"],
                          ["butterfly_swap, double", "3.00", "500", "30 %", "2.00", "40 %", "40 %", "40 %", "40 %", "72"]])

    def test_methods_are_compared_as_they_were_measured(self):
        lines = self.lines(sample())
        self.assertIn("- `butterfly_add_subtract` takes 50 % less time than `transposed` at the multiples of 32 above 64 (float); "
                      "at K = 1,024: 50 % less time.", lines)
        self.assertIn("- `prefix` takes 4.00 times as long as `butterfly_add_subtract` at K = 1,024 (double).", lines)

    def test_more_time_is_called_so(self):
        ms = {"a": {96: 3, 128: 2}, "b": {96: 2, 128: 1.9}}
        self.assertEqual(gpu_findings.compared(ms, "a", "b", lambda K: True, "here"), "`a` takes 5 to 50 % more time than `b` here")
        self.assertEqual(gpu_findings.compared(ms, "b", "a", lambda K: True, "here"), "`b` takes 5 to 33 % less time than `a` here")
        ms["a"][128] = 1.9 * 0.9
        self.assertEqual(gpu_findings.compared(ms, "a", "b", lambda K: True, "here"),
                         "`a` takes from 10 % less time to 50 % more time than `b` here")


class Charts(unittest.TestCase):
    def test_plots_are_well_formed(self):
        plots = gpu_plots.plots(sample())
        self.assertEqual(sorted(plots), ["gpu_application.svg", "gpu_batched.svg", "gpu_draws_floor.svg", "gpu_draws_time.svg",
                                         "gpu_methods_double.svg", "gpu_methods_float.svg"])
        for name, svg in plots.items():
            root = ElementTree.fromstring(svg)
            self.assertEqual(root.tag, "{http://www.w3.org/2000/svg}svg", name)

    def test_points_lie_where_the_axes_say(self):
        scale = svg_chart.Scale(svg_chart.Axis("", low=0, high=10), [], 100, 200)
        self.assertEqual([scale(0), scale(5), scale(10)], [100, 150, 200])
        scale = svg_chart.Scale(svg_chart.Axis("", log=True), [1, 100], 0, 100)
        self.assertAlmostEqual(scale(10), 50)
        with self.assertRaises(ValueError):
            svg_chart.Scale(svg_chart.Axis("", log=True), [0, 1], 0, 1)

    def test_ticks(self):
        self.assertEqual(svg_chart.linear_ticks(0, 4500), [0, 1000, 2000, 3000, 4000])
        self.assertEqual(svg_chart.linear_ticks(0.1, 0.9), [0.2, 0.4, 0.6, 0.8])
        self.assertEqual([round(t, 3) for t in svg_chart.log_ticks(0.04, 5)], [0.05, 0.1, 0.2, 0.5, 1, 2, 5])


if __name__ == "__main__":
    unittest.main()
