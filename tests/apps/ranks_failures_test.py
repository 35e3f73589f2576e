"""Tests jobs under mpirun of which one rank fails before it has met the others:
python3 ranks_failures_test.py path/to/papilio path/to/mpirun."""

import shlex
import subprocess
import time
import unittest

from ranks_support import ENVIRONMENT, MPIRUN, PAPILIO, TRAIN, TRY_AGAIN, RanksCase

RANKS = 3


class RanksThatFail(RanksCase):
    def setUp(self):
        super().setUp()
        subprocess.run([PAPILIO, "train", self.corpus, *TRAIN, "--sweeps", "5", "-o", self.folder / "model"], check=True,
                       capture_output=True)
        subprocess.run([PAPILIO, "import", self.corpus, "-o", self.folder / "mapped"], check=True, capture_output=True)
        (self.folder / "empty").mkdir()

    # Every rank runs `command`; one does it after `before`, with `options` added. The exit status of each rank, the
    # message of all, and mpirun's status. Shells outlive the rank that fails, so that mpirun does not end the others,
    # which have to end by themselves.
    def run_ranks(self, failing, command, before=":", options=()):
        script = (f'if [ $OMPI_COMM_WORLD_RANK = {failing} ]; then {before}; set -- "$@" {shlex.join(options)}; fi; '
                  f'"$0" "$@"; code=$?; echo $code > {shlex.quote(str(self.folder))}/code.$OMPI_COMM_WORLD_RANK; '
                  'for i in $(seq 100); do '
                  f'[ $(ls {shlex.quote(str(self.folder))}/code.* | wc -l) = {RANKS} ] && break; sleep 0.1; done; exit $code')
        for old in self.folder.glob("code.*"):
            old.unlink()
        start = time.monotonic()
        run = subprocess.run([MPIRUN, "-n", str(RANKS), "sh", "-c", script, PAPILIO, *command], cwd=self.folder,
                             env=ENVIRONMENT, text=True, capture_output=True, timeout=120, check=False)
        self.assertLess(time.monotonic() - start, 60, run.stderr)
        codes = {rank: (self.folder / f"code.{rank}") for rank in range(RANKS)}
        return [int(path.read_text()) if path.exists() else None for path in codes.values()], run.stderr

    def expect_failure(self, status, reason, command, **of_one):
        for failing in (0, RANKS - 1):
            with self.subTest(command=command, failing=failing):
                codes, errors = self.run_ranks(failing, [*command, "--rank-timeout", "600"], **of_one)
                self.assertEqual(codes, [status if rank == failing else TRY_AGAIN for rank in range(RANKS)], errors)
                self.assertIn(f"papilio {command[0]}: rank {failing} of {RANKS} has failed:\n", errors)
                self.assertIn(reason, errors)
                heard = [line for line in errors.splitlines() if f": rank {failing} of {RANKS} has failed: " in line]
                self.assertEqual(len(heard), 1, errors)  # one of the others says what all have heard
                self.assertIn(reason, heard[0])

    def test_wrong_option(self):
        for command in (["train", "mapped", *TRAIN, "-o", "m"], ["infer", "model", "mapped", "-o", "theta.tsv"],
                        ["evaluate", "model", "--held-out", "mapped"], ["choose", "mapped", "--topics", "4,8"]):
            self.expect_failure(64, "--sweeqs", command, options=["--sweeqs", "3"])

    def test_options_that_contradict_one_another(self):
        self.expect_failure(64, "--burn-in is 9", ["infer", "model", "mapped", "-o", "theta.tsv"],
                            options=["--burn-in", "9", "--sweeps", "9"])

    def test_missing_file(self):
        (self.folder / "text").write_bytes(self.corpus.read_bytes())
        for command in (["train", "mapped", *TRAIN, "-o", "m"], ["train", str(self.folder / "mapped"), *TRAIN, "-o", "m"],
                        ["infer", "model", "mapped", "-o", "theta.tsv"], ["evaluate", "model", "--held-out", "mapped"],
                        ["choose", "mapped", "--topics", "4,8"]):
            if command[1].startswith("/"):
                command = [*command, "--held-out", "mapped"]  # the corpus is there
            self.expect_failure(66, "No such file or directory", command, before="cd empty")

    def test_no_gpu(self):
        self.expect_failure(70, "CUDA device 97 was asked for", ["train", "mapped", *TRAIN, "-o", "m"],
                            before="export OMPI_COMM_WORLD_LOCAL_RANK=97", options=["--device", "cuda"])

    def test_too_little_memory(self):
        self.expect_failure(65, "needs more than 1000 bytes of memory", ["train", str(self.corpus), *TRAIN, "-o", "m"], options=["--max-memory", "1000"])

    def test_all_with_a_wrong_option(self):
        codes, errors = self.run_ranks(RANKS, ["train", "mapped", "-o", "m", "--sweeqs", "3"])
        self.assertEqual(codes, [64] * RANKS, errors)
        self.assertIn("--sweeqs", errors)

    def test_commands_of_one_process_do_not_wait(self):
        run = subprocess.run([MPIRUN, "-n", "2", PAPILIO, "inspect", "model", "--sweeqs"], cwd=self.folder, env=ENVIRONMENT,
                             text=True, capture_output=True, timeout=30, check=False)
        self.assertEqual(run.returncode, 64)
        self.assertNotIn("rank", run.stderr.split("----")[0])


if __name__ == "__main__":
    unittest.main()
