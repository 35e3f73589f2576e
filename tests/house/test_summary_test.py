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


def summary(files):
    """Returns the exit status and the lines printed for a results folder that holds `files`."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
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

    def test_a_failed_build_counts_as_a_failed_test(self):
        files = {"build-dev.status": "1\n", "build-dev.log": "error\n", "r.status": "0\n", "r.xml": junit(PASSED)}
        self.check(files, 1, "1 passed, 1 failed", "FAILED   build-dev: exit status 1")

    def test_a_suite_that_died_without_a_report_failed(self):
        self.check({"dev.status": "139\n", "dev.log": ""}, 1, "0 passed, 1 failed", "FAILED   dev: exit status 139")

    def test_a_suite_that_failed_beside_its_cases_failed(self):
        files = {"dev.status": "8\n", "dev.xml": junit(PASSED)}
        self.check(files, 1, "1 passed, 1 failed", "FAILED   dev: exit status 8")

    def test_a_step_that_died_after_its_counts_failed(self):
        files = {"fuzz.status": "1\n", "fuzz.log": "3 passed, 0 failed\n"}
        self.check(files, 1, "3 passed, 1 failed", "FAILED   fuzz: exit status 1")

    def test_a_step_whose_status_was_never_written_failed(self):
        self.check({"fuzz.status": "", "fuzz.log": "x\n"}, 1, "0 passed, 1 failed", "FAILED   fuzz: exit status 1")

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
