"""What ranks_test.py and ranks_reading_test.py share: a corpus, and jobs under mpirun."""

import contextlib
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

PAPILIO, MPIRUN = sys.argv.pop(1), sys.argv.pop(1)
TRAIN = ["-k", "40", "--threads", "1", "--optimize-interval", "7", "--optimize-burn-in", "3"]
TRY_AGAIN = 75
# More ranks than processors, as root (in a container), and without the network.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl="self,vader,tcp",
                   OMPI_MCA_hwloc_base_binding_policy="none")


def hash_of(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


class RanksCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.own = tempfile.TemporaryDirectory()
        cls.shared = Path(cls.own.name)
        subprocess.run([PAPILIO, "generate", "-o", cls.shared / "c", "--documents", "600", "--words", "900", "-k", "9",
                        "--mean-length", "30"], check=True, capture_output=True)
        cls.corpus = cls.shared / "docword.c.txt"

    @classmethod
    def tearDownClass(cls):
        cls.own.cleanup()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    # Each rank leaves its process's number in a file.
    def begin(self, ranks, *options, sweeps=20, model="m", corpus=None):
        script = 'echo $$ > pid.$OMPI_COMM_WORLD_RANK; exec "$0" "$@"'
        command = [MPIRUN, "-n", str(ranks), "sh", "-c", script] if ranks else []
        start = () if "--start" in options else ("--start", "uniform")
        return subprocess.Popen([*command, PAPILIO, "train", corpus or self.corpus, *TRAIN, *start, "--sweeps",
                                 str(sweeps), "-o", model, *options], cwd=self.folder, env=ENVIRONMENT, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def end(self, job, seconds=120):
        try:
            out, errors = job.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(job.pid, signal.SIGKILL)
            raise
        return job.returncode, out, errors

    def run_job(self, *arguments, **options):
        return self.end(self.begin(*arguments, **options))

    # Waits until a run has written a checkpoint, or another file, and returns the process of a rank.
    def in_the_middle(self, job, rank, name="kept"):
        for _ in range(1200):
            if (self.folder / name).exists():
                return int((self.folder / f"pid.{rank}").read_text())
            self.assertIsNone(job.poll(), "the run has ended too early")
            time.sleep(0.05)
        self.fail("no checkpoint")
