#!/usr/bin/env python3
"""What ./run says where a job cannot start: one clear line, before anything is installed or built."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOBODY = 65534


class Run(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.checkout = self.folder / "checkout"
        (self.checkout / "tools").mkdir(parents=True)
        shutil.copy(ROOT / "run", self.checkout)
        for script in (ROOT / "tools").glob("*.sh"):
            shutil.copy(script, self.checkout / "tools")
        self.bin = self.folder / "bin"
        self.bin.mkdir()

    def tools(self, *names):
        for name in names:
            (self.bin / name).symlink_to(shutil.which(name))

    def run_job(self, *arguments, path=None, **options):
        return subprocess.run(["bash", str(self.checkout / "run"), *arguments], capture_output=True, text=True, timeout=60,
                              env={"PATH": path or os.environ["PATH"], "HOME": str(self.folder)}, **options)

    def test_help_of_a_job_does_not_start_it(self):
        for arguments in (["demo", "--help"], ["test", "-h"], ["install", "--help"], ["help"]):
            done = self.run_job(*arguments)
            self.assertEqual(done.returncode, 0, arguments)
            self.assertTrue(done.stdout.startswith("usage: ./run JOB"), arguments)
        self.assertFalse((self.checkout / "build").exists())

    def test_unknown_jobs_and_arguments(self):
        done = self.run_job("demonstrate")
        self.assertEqual(done.returncode, 64)
        self.assertTrue(done.stderr.startswith("run: there is no job demonstrate\n"), done.stderr)
        done = self.run_job("demo", "now")
        self.assertEqual((done.returncode, done.stderr), (1, "run: demo takes no arguments, got: now\n"))

    def test_limits_that_are_not_minutes(self):
        for words in (["--within"], ["--within", "0"], ["--within", "soon"], ["--within", "5", "6"], ["5"]):
            done = self.run_job("test", "--all", *words)
            self.assertEqual(done.returncode, 1, done)
            self.assertEqual(done.stderr, f"run: test --all takes --within MINUTES (1 to 99999), not {' '.join(words)}\n")

    def test_parts_after_the_limit_are_skipped_and_named(self):
        results = self.folder / "results"
        results.mkdir()
        script = f"""
            source {ROOT}/tools/run_tests.sh
            results={results}
            within --within 2
            done_in() {{ step "$1" echo "$2 passed, 0 failed"; }}
            SECONDS=119; part early done_in early 3
            SECONDS=120; part late done_in late 5
            minutes=0; part later done_in later 7"""
        subprocess.run(["bash", "-euo", "pipefail", "-c", script], check=True, capture_output=True, timeout=60)
        told = subprocess.run(["python3", ROOT / "tools/test_summary.py", results], capture_output=True, text=True)
        self.assertEqual(told.stdout, "skipped  late: 2 minutes were over before it began (--within 2)\n"
                                      "10 passed, 0 failed, 1 skipped\n")
        self.assertEqual(told.returncode, 0)

    def test_a_checkout_that_cannot_be_written(self):
        options = {}
        if os.geteuid() == 0:
            self.folder.chmod(0o755)
            options = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
        self.checkout.chmod(0o555)
        self.addCleanup(self.checkout.chmod, 0o755)
        for job in ("demo", "test", "install"):
            done = self.run_job(job, **options)
            self.assertEqual(done.returncode, 1, done)
            self.assertIn(f"run: cannot write to {self.checkout}/build", done.stderr)
            self.assertEqual(done.stdout, "")

    def test_a_prefix_that_cannot_be_written(self):
        (self.folder / "file").write_text("")
        done = self.run_job("install", "--prefix", str(self.folder / "file"))
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"run: cannot write to {self.folder}/file; choose another", done.stderr)

    def test_the_demo_without_apt(self):
        self.tools("bash", "dirname", "nproc", "mkdir")
        done = self.run_job("demo", path=str(self.bin))
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no apt-get here", done.stderr)

    def test_the_demo_where_apt_knows_no_descriptions(self):
        self.tools("bash", "dirname", "nproc", "mkdir", "cat")
        apt = self.bin / "apt-get"
        apt.write_text(f"#!{shutil.which('bash')}\nexit 0\n")
        apt.chmod(0o755)
        done = self.run_job("demo", path=str(self.bin))
        self.assertEqual(done.returncode, 1)
        self.assertIn("name no archive of Debian or Ubuntu with English descriptions", done.stderr)
        self.assertNotIn("building", done.stdout)


if __name__ == "__main__":
    unittest.main()
