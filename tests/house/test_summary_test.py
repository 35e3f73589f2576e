"""The last line of a test run counts every part, and nothing bad gets lost on the way."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "tools"))
import test_summary  # noqa: E402


def junit(*cases):
    return f"<testsuite>{''.join(cases)}</testsuite>"


PASSED = '<testcase name="a" status="run"/>'
FAILED = '<testcase name="b" status="fail"><failure message=""/></testcase>'
SKIPPED = '<testcase name="c" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>'
DISABLED = '<testcase name="d" status="disabled"/>'
LOST = '<testcase name="e" status="notrun"><skipped message="Unable to find executable"/></testcase>'

PYTEST_PASSED = '<testcase classname="t" name="f"/>'
PYTEST_FAILED = '<testcase classname="t" name="g"><failure message="x"/></testcase>'
PYTEST_ERROR = '<testcase classname="t" name="h"><error message="x"/></testcase>'
PYTEST_SKIPPED = '<testcase classname="t" name="i"><skipped type="pytest.skip" message="no torch"/></testcase>'

# A suite that ctest ran as one entry, and what GoogleTest says of its cases.
SUITE = '<testcase name="avx2/In/Rows.*" status="run"/>'
FAILED_SUITE = '<testcase name="avx2/In/Rows.*" status="fail"><failure message=""/></testcase>'
CASE = '<testcase name="A" status="run" result="completed"/>'
FAILED_CASE = '<testcase name="B/0" value_param="3" status="run" result="completed"><failure message="x"/></testcase>'
SKIPPED_CASE = '<testcase name="C" status="run" result="skipped"><skipped message="x"/></testcase>'
DISABLED_CASE = '<testcase name="DISABLED_D" status="notrun" result="suppressed"/>'


def suite(entry, *cases):
    """A results folder where ctest ran `entry` and one other test; without cases there is no report."""
    files = {"r.status": "0\n" if entry == SUITE else "8\n", "r.xml": junit(PASSED, entry)}
    return {**files, **({"avx2.In.Rows.xml": f"<testsuites>{junit(*cases)}</testsuites>"} if cases else {})}


def summary(files):
    """Returns the exit status and the lines printed for a results folder that holds `files`, and where the suites
    of step r leave theirs."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**files, "r.suites": folder + "\n"}.items():
            (pathlib.Path(folder) / name).write_text(text)
        printed = io.StringIO()
        with mock.patch.object(sys, "argv", ["test_summary.py", folder]), contextlib.redirect_stdout(printed):
            status = test_summary.main()
        return status, printed.getvalue().splitlines()


class Summary(unittest.TestCase):
    def check(self, files, status, last, *others):
        found_status, lines = summary(files)
        self.assertEqual((found_status, lines[-1]), (status, last))
        self.assertEqual(lines[:-1], list(others))

    def test_suites_and_steps_are_added(self):
        files = {
            "release.status": "0\n", "release.xml": junit(PASSED, PASSED),
            "fuzz.status": "0\n", "fuzz.log": "running\n3 passed, 0 failed\n",
            "shared.status": "0\n", "shared.log": "built\n",
        }
        self.check(files, 0, "6 passed, 0 failed")

    def test_a_failed_case_is_named(self):
        files = {"dev.status": "8\n", "dev.xml": junit(PASSED, FAILED)}
        self.check(files, 1, "1 passed, 1 failed", "FAILED   dev: b")

    def test_skipped_and_disabled_cases_are_named(self):
        files = {"dev.status": "0\n", "dev.xml": junit(PASSED, SKIPPED, DISABLED)}
        self.check(files, 0, "1 passed, 0 failed, 2 skipped", "skipped  dev: c", "skipped  dev: d")

    def test_cases_of_pytest(self):
        cases = junit(PYTEST_PASSED, PYTEST_FAILED, PYTEST_ERROR, PYTEST_SKIPPED)
        self.check(
            {"python.status": "1\n", "python.xml": cases}, 1, "1 passed, 2 failed, 1 skipped",
            "skipped  python: i: no torch", "FAILED   python: g", "FAILED   python: h",
        )

    def test_a_case_whose_program_is_missing_failed(self):
        files = {"dev.status": "8\n", "dev.xml": junit(PASSED, LOST)}
        self.check(files, 1, "1 passed, 1 failed", "FAILED   dev: e")

    def test_the_cases_of_a_suite_are_counted(self):
        self.check(suite(SUITE, CASE, CASE, CASE), 0, "4 passed, 0 failed")

    def test_the_failed_cases_of_a_suite_are_named(self):
        self.check(suite(FAILED_SUITE, CASE, FAILED_CASE), 1, "2 passed, 1 failed", "FAILED   r: avx2/In/Rows.B/0 (3)")

    def test_skipped_and_disabled_cases_of_a_suite_are_named(self):
        self.check(
            suite(SUITE, CASE, SKIPPED_CASE, DISABLED_CASE), 0, "2 passed, 0 failed, 2 skipped",
            "skipped  r: avx2/In/Rows.C", "skipped  r: avx2/In/Rows.DISABLED_D",
        )

    def test_a_suite_that_crashed_failed(self):
        self.check(suite(FAILED_SUITE), 1, "1 passed, 1 failed", "FAILED   r: avx2/In/Rows.*")

    def test_a_suite_that_failed_after_its_cases_failed(self):
        self.check(suite(FAILED_SUITE, CASE), 1, "2 passed, 1 failed", "FAILED   r: avx2/In/Rows.*")

    def test_a_suite_that_passed_without_a_report_failed(self):
        self.check(suite(SUITE), 1, "1 passed, 1 failed", "FAILED   r: avx2/In/Rows.*")

    def test_a_suite_without_cases_failed(self):
        self.check(suite(SUITE, "<properties/>"), 1, "1 passed, 1 failed", "FAILED   r: avx2/In/Rows.*")

    def test_a_suite_that_passed_with_a_failed_case_failed(self):
        self.check(
            suite(SUITE, FAILED_CASE), 1, "1 passed, 2 failed", "FAILED   r: avx2/In/Rows.B/0 (3)",
            "FAILED   r: avx2/In/Rows.*",
        )

    def test_suites_of_one_name_failed(self):
        files = suite(SUITE, CASE)
        files["r.xml"] = junit(SUITE, SUITE)
        self.check(files, 1, "1 passed, 1 failed", "FAILED   r: avx2/In/Rows.*: two suites have this name")

    def test_a_failed_build_counts_as_a_failed_test(self):
        files = {"build-dev.status": "1\n", "build-dev.log": "error\n", "r.status": "0\n", "r.xml": junit(PASSED)}
        self.check(files, 1, "1 passed, 1 failed", "FAILED   build-dev: exit status 1: error")

    def test_a_suite_that_died_without_a_report_failed(self):
        self.check({"dev.status": "139\n", "dev.log": ""}, 1, "0 passed, 1 failed", "FAILED   dev: exit status 139")

    def test_a_suite_that_failed_beside_its_cases_failed(self):
        files = {"dev.status": "8\n", "dev.xml": junit(PASSED)}
        self.check(files, 1, "1 passed, 1 failed", "FAILED   dev: exit status 8")

    def test_a_step_that_died_after_its_counts_failed(self):
        files = {"fuzz.status": "1\n", "fuzz.log": "3 passed, 0 failed\n"}
        self.check(files, 1, "3 passed, 1 failed", "FAILED   fuzz: exit status 1: 3 passed, 0 failed")

    def test_the_failures_that_a_step_names_are_named(self):
        files = {"fuzz.status": "1\n", "fuzz.log": "FAILED   a: because\ninput\nFAILED   b\n1 passed, 3 failed\n"}
        self.check(
            files, 1, "1 passed, 3 failed", "FAILED   fuzz: a: because", "FAILED   fuzz: b", "FAILED   fuzz: see above",
        )

    def test_a_step_whose_status_was_never_written_failed(self):
        self.check({"fuzz.status": "", "fuzz.log": "x\n"}, 1, "0 passed, 1 failed", "FAILED   fuzz: exit status 1: x")

    def test_a_step_without_tests_failed(self):
        files = {"fuzz.status": "0\n", "fuzz.log": "0 passed, 0 failed\n", "r.status": "0\n", "r.xml": junit(PASSED)}
        self.check(files, 1, "1 passed, 1 failed", "FAILED   fuzz: no tests")

    def test_a_skipped_step_is_named(self):
        files = {"neon.status": "0\n", "neon.log": "skipped: no compiler\n", "r.status": "0\n", "r.xml": junit(PASSED)}
        self.check(files, 0, "1 passed, 0 failed, 1 skipped", "skipped  neon: no compiler")

    def test_nothing_at_all_is_no_success(self):
        self.check({}, 1, "0 passed, 0 failed")

    def test_the_nightly_tests_are_named(self):
        listing = "Test project x\n  Test #12: slow.chain\n\nTotal Tests: 1\n"
        files = {"dev.status": "0\n", "dev.xml": junit(PASSED), "dev.nightly": listing}
        self.check(files, 0, "1 passed, 0 failed", "left to the nightly suite (dev): slow.chain")

    def test_the_long_tests_are_named(self):
        listing = "  Test #3: emit\n  Test #4: oracle\n\nTotal Tests: 2\n"
        files = {"dev.status": "0\n", "dev.xml": junit(PASSED), "dev.long": listing, "dev.nightly": "Total Tests: 0\n"}
        self.check(files, 0, "1 passed, 0 failed", "left to ./run test --all (dev): emit, oracle")


if __name__ == "__main__":
    unittest.main()
