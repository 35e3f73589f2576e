"""The runner of the GPU tests loses nothing bad: programs that fail, crash, are missing or print something else."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import run  # noqa: E402

# A program in the manner of Google Test: writes the report that it is asked for, then ends with a status.
PROGRAM = """#!/usr/bin/env python3
import os, signal, sys
options = dict(a.lstrip("-").split("=", 1) for a in sys.argv[1:] if "=" in a)
if "--gtest_list_tests" in sys.argv:
    print("Suite.\\n  SmokeOfIt\\n  Other")
    sys.exit(0)
report = {report!r}
if report and "gtest_output" in options:
    open(options["gtest_output"].removeprefix("xml:"), "w").write(report)
{end}
"""
PASSED = '<testcase name="a" classname="S" status="run" result="completed"/>'
FAILED = '<testcase name="b" classname="S" status="run" result="completed"><failure message=""/></testcase>'
SKIPPED = '<testcase name="c" classname="S" status="run" result="skipped"><skipped message=""/></testcase>'
UNSELECTED = '<testcase name="d" classname="S" status="notrun" result="suppressed"/>'
# In the manner of compute-sanitizer.
SANITIZER = """#!/usr/bin/env python3
import sys
tool, log = sys.argv[sys.argv.index("--tool") + 1], sys.argv[sys.argv.index("--log-file") + 1]
bad = tool == {bad!r}
open(log, "w").write(f"========= {{'RACECHECK' if tool == 'racecheck' else 'ERROR'}} SUMMARY: "
                     + ("3" if bad else "0") + (" hazards displayed" if tool == "racecheck" else " errors") + "\\n")
sys.exit(86 if bad else 0)
"""


def program(*cases, end="sys.exit(0)"):
    return PROGRAM.format(report=f"<testsuites>{''.join(cases)}</testsuites>" if cases else "", end=end)


def printing(text):
    return f"#!/usr/bin/env python3\nprint({text!r}, end='')\n"


class Runner(unittest.TestCase):
    def run_on(self, files, *options, absence=None, sanitizer=None):
        """Exit status and lines of a run on programs (name: source) and other files (name with a dot: text)."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "gpu_tests"
            folder.mkdir()
            for file, text in files.items():
                (folder / file).write_text(text)
                (folder / file).chmod(0o644 if "." in file else 0o755)
            tool = None
            if sanitizer is not None:
                tool = pathlib.Path(name) / "compute-sanitizer"
                tool.write_text(SANITIZER.format(bad=sanitizer))
                tool.chmod(0o755)
            printed = io.StringIO()
            with mock.patch.object(sys, "argv", ["run.py", name, *options]), \
                    mock.patch.object(run, "no_device", lambda: absence), \
                    mock.patch.object(run, "find_sanitizer", lambda: tool), contextlib.redirect_stdout(printed):
                status = run.main()
            return status, [line for line in printed.getvalue().splitlines() if not line.startswith("--")]

    def test_cases_and_programs_are_added(self):
        files = {"manifest.txt": "a\nb\nc c.txt\n", "a": program(PASSED, PASSED, UNSELECTED), "b": program(PASSED),
                 "c": printing("1\n"), "c.txt": "1\n"}
        self.assertEqual(self.run_on(files), (0, ["4 passed, 0 failed"]))

    def test_failed_and_skipped_cases_are_named(self):
        files = {"manifest.txt": "a\n", "a": program(PASSED, FAILED, SKIPPED, end="sys.exit(1)")}
        self.assertEqual(self.run_on(files),
                         (1, ["skipped  a: S.c", "FAILED   a: S.b", "1 passed, 1 failed, 1 skipped"]))

    def test_a_crash_is_a_failure(self):
        files = {"manifest.txt": "a\nb\n", "a": program(end="os.kill(os.getpid(), signal.SIGSEGV)"),
                 "b": program(PASSED, end="sys.exit(3)")}
        self.assertEqual(self.run_on(files), (1, ["FAILED   a: died of signal 11, no report",
                                                  "FAILED   b: exit status 3", "1 passed, 2 failed"]))

    def test_a_missing_program_is_a_failure(self):
        status, lines = self.run_on({"manifest.txt": "a\n"})
        self.assertEqual((status, lines), (1, ["FAILED   a: not built", "0 passed, 1 failed"]))

    def test_another_output_is_a_failure(self):
        status, lines = self.run_on({"manifest.txt": "c c.txt\n", "c": printing("1\n"), "c.txt": "2\n"})
        self.assertEqual((status, lines[-2:]), (1, ["FAILED   c: did not print c.txt", "0 passed, 1 failed"]))

    def test_no_device_is_a_failure(self):
        files = {"manifest.txt": "a\n", "a": program(PASSED)}
        self.assertEqual(self.run_on(files, absence="no driver"),
                         (1, ["FAILED   no CUDA device: no driver", "0 passed, 1 failed"]))

    def test_nothing_run_is_no_success(self):
        self.assertEqual(self.run_on({"manifest.txt": "\n"}), (1, ["0 passed, 0 failed"]))

    def test_a_folder_without_tests_is_a_failure(self):
        status, lines = self.run_on({})
        self.assertEqual((status, lines[-1]), (1, "0 passed, 1 failed"))

    def test_each_tool_is_a_test(self):
        files = {"manifest.txt": "a\n", "a": program(PASSED)}
        self.assertEqual(self.run_on(files, "--sanitize", sanitizer=""), (0, ["4 passed, 0 failed"]))

    def test_what_a_tool_finds_is_a_failure(self):
        files = {"manifest.txt": "a\n", "a": program(PASSED)}
        for tool, said in (("memcheck", "3 errors"), ("racecheck", "3 hazards displayed"), ("initcheck", "3 errors")):
            status, lines = self.run_on(files, "--sanitize", sanitizer=tool)
            self.assertEqual((status, lines[-2:]), (1, [f"FAILED   {tool}: a: {said}", "3 passed, 1 failed"]))

    def test_a_missing_tool_is_a_failure(self):
        status, lines = self.run_on({"manifest.txt": "a\n", "a": program(PASSED)}, "--sanitize")
        self.assertEqual((status, lines[-1]), (1, "1 passed, 1 failed"))

    # Every part runs its own cases, and none those that are to be alone; these come last, by their names.
    def test_parts_run_beside_each_other_and_some_cases_alone(self):
        source = """#!/usr/bin/env python3
import os, sys
options = dict(a.lstrip("-").split("=", 1) for a in sys.argv[1:] if "=" in a)
if "--gtest_list_tests" in sys.argv:
    print("Suite.\\n  First\\n  Second\\n  Third\\nTables/0.  # TypeParam = float\\n  ACallNeitherWaitsNorAllocates")
    sys.exit(0)
index, count = os.environ.get("GTEST_SHARD_INDEX"), os.environ.get("GTEST_TOTAL_SHARDS")
case = '<testcase name="%s" classname="S" status="run" result="completed">%s</testcase>'
if index is None:
    assert options["gtest_filter"] == "Tables/0.ACallNeitherWaitsNorAllocates", options
    cases = case % ("alone", "")
else:
    assert count == "3" and "ALLOCATES" in options["gtest_filter"].upper().partition("-")[2], options
    cases = case % ("part" + index, FAILURE if index == "1" else "")
open(options["gtest_output"].removeprefix("xml:"), "w").write(f"<testsuites>{cases}</testsuites>")
"""
        for failure, expected in (("", (0, ["4 passed, 0 failed"])),
                                  ("<failure message=''/>", (1, ["FAILED   a: S.part1", "3 passed, 1 failed"]))):
            files = {"manifest.txt": "a\n", "a": source.replace("FAILURE", repr(failure))}
            self.assertEqual(self.run_on(files, "--shards", "3"), expected)

    def test_a_part_that_crashes_is_a_failure(self):
        files = {"manifest.txt": "a\nb\n", "a": program(end="os.kill(os.getpid(), signal.SIGSEGV)"), "b": program(PASSED)}
        status, lines = self.run_on(files, "--shards", "2")
        self.assertEqual((status, lines[-3:]), (1, ["FAILED   a: died of signal 11, no report"] * 2 + ["2 passed, 2 failed"]))

    def test_cases_are_listed(self):
        files = {"manifest.txt": "a\n", "a": program(PASSED)}
        self.assertEqual(self.run_on(files, "--list"), (0, ["a: Suite.SmokeOfIt", "a: Suite.Other"]))
        self.assertEqual(self.run_on({"manifest.txt": "a\n"}, "--list")[0], 1)


if __name__ == "__main__":
    unittest.main()
