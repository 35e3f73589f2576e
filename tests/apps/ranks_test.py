"""Tests `papilio train`, `infer`, `evaluate` and `choose` under mpirun, of a build with MPI:
python3 ranks_test.py path/to/papilio path/to/mpirun."""

import contextlib
import os
import signal
import subprocess
import time
import unittest

from ranks_support import ENVIRONMENT, MPIRUN, PAPILIO, TRAIN, TRY_AGAIN, RanksCase, hash_of


class Ranks(RanksCase):
    def test_any_number_of_ranks_gives_the_model_of_one_process(self):
        outputs = ("--output-doc-topics", "theta.tsv", "--held-out", str(self.corpus), "--held-out-every", "10",
                   "--progress", "json")
        expected = None
        for ranks in (0, 1, 2, 3):
            code, out, errors = self.run_job(ranks, "--force", *outputs)
            self.assertEqual(code, 0, errors)
            last = [line for line in out.splitlines() if '"event":"done"' in line]
            self.assertEqual(len(last), 1, "only rank 0 speaks")
            scores = [part for part in last[0].split(",") if "log_joint" in part or "perplexity" in part]
            found = (hash_of(self.folder / "m"), hash_of(self.folder / "theta.tsv"), scores)
            expected = expected or found
            self.assertEqual(found, expected, ranks)
            self.assertEqual([f.name for f in self.folder.iterdir() if "checkpoint" in f.name], [])

    # Stopped while a part of the documents is drawn, and after that.
    def test_progressive_start_gives_the_model_of_one_process(self):
        subprocess.run([PAPILIO, "import", self.corpus, "-o", self.folder / "mapped"], check=True, capture_output=True)
        start = ("--force", "--start", "progressive", "--checkpoint", "kept", "--held-out", str(self.corpus))
        code, _, errors = self.run_job(0, *start, sweeps=45, model="alone")
        self.assertEqual(code, 0, errors)
        for corpus, first, ranks, resumed_by in (("mapped", 17, 3, 2), ("mapped", 42, 2, 3), (None, 17, 2, 0)):
            for old in self.folder.glob("kept*"):
                old.unlink()
            code, _, errors = self.run_job(ranks, *start, corpus=corpus, sweeps=first)
            self.assertEqual(code, 0, errors)
            code, _, errors = self.run_job(resumed_by, *start, "--resume", corpus=corpus, sweeps=45)
            self.assertEqual(code, 0, errors)
            self.assertEqual(hash_of(self.folder / "m"), hash_of(self.folder / "alone"), (corpus, first))

    def test_infer_and_evaluate_give_what_one_process_gives(self):
        code, _, errors = self.run_job(0)
        self.assertEqual(code, 0, errors)
        # Of a corpus file each rank reads its own documents.
        subprocess.run([PAPILIO, "import", self.corpus, "-o", self.folder / "mapped"], check=True, capture_output=True)
        expected, by_text = None, None
        for corpus, ranks in ((c, r) for c in (self.corpus, "mapped") for r in (0, 1, 2, 3)):
            if ranks == 0:
                by_text, expected = expected, None
            found = []
            for command in (["infer", "m", corpus, "-o", "theta.tsv", "--force"],
                            ["infer", "m", corpus, "-o", "theta.npy", "--force", "--method", "em"],
                            ["evaluate", "m", "--held-out", corpus, "--corpus", corpus,
                             "--left-to-right", "2", "--format", "json"]):
                job = [MPIRUN, "-n", str(ranks)] if ranks else []
                run = subprocess.run([*job, PAPILIO, *command, "--threads", "1"], cwd=self.folder, env=ENVIRONMENT,
                                     text=True, capture_output=True, timeout=120, check=False)
                self.assertEqual(run.returncode, 0, run.stderr)
                found += [run.stdout, run.stderr]
            found += [hash_of(self.folder / name) for name in ("theta.tsv", "theta.npy")]
            self.assertIn("document_completion", found[4])
            expected = expected or found
            self.assertEqual(found, expected, ranks)
        self.assertEqual(expected[-2:], by_text[-2:])

    # One rank fails before it has met the others, which wait for it.
    def test_rank_without_its_device(self):
        self.assertEqual(self.run_job(0, model="m")[0], 0)
        state = self.folder / "state"
        for command in (["train", self.corpus, *TRAIN, "-o", "other"], ["infer", "m", self.corpus, "-o", "theta.tsv"],
                        ["evaluate", "m", "--held-out", self.corpus],
                        ["choose", self.corpus, "--topics", "4,8", "--sweeps", "5", "--threads", "1", "--state", state]):
            script = ('[ $OMPI_COMM_WORLD_RANK = 2 ] && export OMPI_COMM_WORLD_LOCAL_RANK=97 && set -- "$@" --device cuda; '
                      'exec "$0" "$@"')
            start = time.monotonic()
            run = subprocess.run([MPIRUN, "-n", "3", "sh", "-c", script, PAPILIO, *command], cwd=self.folder,
                                 env=ENVIRONMENT, text=True, capture_output=True, timeout=120, check=False)
            self.assertLess(time.monotonic() - start, 15)
            self.assertEqual(run.returncode, 70, run.stderr)
            self.assertIn(f"papilio {command[0]}: rank 2 of 3 has failed:", run.stderr)
            self.assertIn("CUDA device 97 was asked for", run.stderr)

    def test_device_of_a_rank_that_infers(self):
        self.assertEqual(self.run_job(0)[0], 0)
        for command in (["infer", "m", self.corpus, "-o", "theta.tsv", "--force"],
                        ["evaluate", "m", "--held-out", self.corpus]):
            for device, status, expected in (("auto", 0, ""), ("cuda", 70, "CUDA device 97 was asked for")):
                script = 'export OMPI_COMM_WORLD_LOCAL_RANK=97 PAPILIO_DEVICE=cuda:98; exec "$0" "$@"'
                run = subprocess.run([MPIRUN, "-n", "2", "sh", "-c", script, PAPILIO, *command, "--device", device],
                                     cwd=self.folder, env=ENVIRONMENT, text=True, capture_output=True, timeout=120,
                                     check=False)
                self.assertEqual(run.returncode, status, run.stderr)
                self.assertIn(expected, run.stderr)

    def test_ranks_that_infer_fail_as_one_process_does(self):
        self.assertEqual(self.run_job(0)[0], 0)
        (self.folder / "theta.tsv").write_text("precious")
        for command, status, expected in (
                (["infer", "m", self.corpus, "-o", "theta.tsv"], 73, "papilio infer: rank 0 of 2 has failed:\n"
                                                                    "papilio infer: theta.tsv exists"),
                (["infer", "m", "-", "-o", "other.tsv"], 64, "several ranks cannot read standard input"),
                (["evaluate", "m", "--held-out", "nowhere.txt"], 66, "has failed:\npapilio evaluate: ")):
            run = subprocess.run([MPIRUN, "-n", "2", PAPILIO, *command], cwd=self.folder, env=ENVIRONMENT, text=True,
                                 stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False)
            self.assertEqual(run.returncode, status, run.stderr)
            self.assertIn(expected, run.stderr)
        self.assertEqual((self.folder / "theta.tsv").read_text(), "precious")

    # The command of choosing, with its output and the numbers of the page.
    def choose(self, ranks, *options, status=0, state=None, topics="4,8,16", sweeps="12"):
        job = [MPIRUN, "-n", str(ranks)] if ranks else []
        run = subprocess.run([*job, PAPILIO, "choose", self.corpus, "--topics", topics, "--seeds", "2", "--sweeps", sweeps,
                              "--threads", "1", "--state", state or f"state.{ranks}", "--json", *options], cwd=self.folder,
                             env=ENVIRONMENT, text=True, capture_output=True, timeout=120, check=False)
        self.assertEqual(run.returncode, status, run.stderr)
        return run

    def test_choose_gives_what_one_process_gives(self):
        expected = None
        for ranks in (0, 1, 2, 3, 7):  # for 6 models
            run = self.choose(ranks, "-o", "page.html", "--force")
            self.assertEqual(run.stderr.count("model 6 of 6: "), 1, "only rank 0 speaks")
            page = (self.folder / "page.html").read_text().replace(f"state.{ranks}", "state")
            found = (run.stdout, page)
            expected = expected or found
            self.assertEqual(found, expected, ranks)
            again = self.choose(0, state=f"state.{ranks}")  # what ranks have left, one process finds
            self.assertEqual(again.stdout, run.stdout)
            self.assertNotIn("model 1 of", again.stderr)

    def test_choose_fails_as_one_process_does(self):
        (self.folder / "page.html").write_text("precious")
        run = self.choose(2, "-o", "page.html", status=73)
        self.assertIn("papilio choose: rank 0 of 2 has failed:\npapilio choose: page.html exists", run.stderr)
        self.assertEqual((self.folder / "page.html").read_text(), "precious")
        self.choose(0)
        run = self.choose(2, "--beta", "0.5", status=65, state="state.0")  # rank 1 hears of it while it waits
        self.assertIn("has failed:\npapilio choose: state.0: the file holds results of another run", run.stderr)

    def test_choose_goes_on_after_a_killed_rank(self):
        options = {"topics": "20,24", "sweeps": "500"}
        expected = self.choose(0, **options).stdout
        for victim in (0, 1):
            name = f"left.{victim}"
            script = 'echo $$ > pid.$OMPI_COMM_WORLD_RANK; exec "$0" "$@"'
            job = subprocess.Popen([MPIRUN, "-n", "2", "sh", "-c", script, PAPILIO, "choose", self.corpus, "--topics",
                                    "20,24", "--seeds", "2", "--sweeps", "500", "--threads", "1", "--state", name],
                                   cwd=self.folder, env=ENVIRONMENT, text=True, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
            os.kill(self.in_the_middle(job, victim, name), signal.SIGKILL)
            code, _, _ = self.end(job, 60)
            self.assertNotEqual(code, 0)
            run = self.choose(2, state=name, **options)
            self.assertRegex(run.stderr, f"{name} has [12] models")  # those of the first round
            self.assertEqual(run.stdout, expected)

    def test_killed_rank(self):
        code, _, errors = self.run_job(0, sweeps=400, model="whole")
        self.assertEqual(code, 0, errors)
        for ranks, victim, resumed_by in ((2, 1, 3), (3, 0, 0), (2, 0, 2)):
            for old in self.folder.glob("kept*"):
                old.unlink()
            job = self.begin(ranks, "--checkpoint", "kept", "--checkpoint-every", "20", "--force", sweeps=400)
            os.kill(self.in_the_middle(job, victim), signal.SIGKILL)
            start = time.monotonic()
            code, _, errors = self.end(job)
            self.assertNotEqual(code, 0)
            self.assertLess(time.monotonic() - start, 15)
            code, _, errors = self.run_job(resumed_by, "--checkpoint", "kept", "--resume", sweeps=400)
            self.assertEqual(code, 0, errors)
            self.assertEqual(hash_of(self.folder / "m"), hash_of(self.folder / "whole"))

    def test_killed_between_the_parts_and_their_names(self):
        code, _, errors = self.run_job(0, sweeps=200, model="whole")
        self.assertEqual(code, 0, errors)
        for victim, resumed_by in ((0, 3), (1, 0)):
            for old in self.folder.glob("kept*"):
                old.unlink()
            code, _, errors = self.run_job(2, "--checkpoint", "kept", "--force", sweeps=30)
            self.assertEqual(code, 0, errors)
            os.mkfifo(self.folder / "kept.sweep-40.rank-1-of-2")  # whose writing does not end: nobody reads it
            job = self.begin(2, "--checkpoint", "kept", "--resume", "--checkpoint-every", "20", sweeps=200)
            process = self.in_the_middle(job, victim, "kept.sweep-40.rank-0-of-2")
            os.kill(process, signal.SIGKILL)
            code, _, _ = self.end(job)
            self.assertNotEqual(code, 0)
            self.assertIn(b'"sweep":"30"', (self.folder / "kept").read_bytes())
            code, _, errors = self.run_job(resumed_by, "--checkpoint", "kept", "--resume", sweeps=200)
            self.assertEqual(code, 0, errors)
            self.assertEqual(hash_of(self.folder / "m"), hash_of(self.folder / "whole"))

    # Rank 1 has links of its own to the files, so that a file which it renames is seen.
    def test_damaged_checkpoint_is_set_aside_by_the_first_rank(self):
        code, _, errors = self.run_job(0, sweeps=40, model="whole")
        self.assertEqual(code, 0, errors)
        code, _, errors = self.run_job(2, "--checkpoint", "kept", "--checkpoint-every", "10", sweeps=30)
        self.assertEqual(code, 0, errors)
        os.truncate(self.folder / "kept", 100)
        (self.folder / "other").mkdir()
        for file in self.folder.glob("kept*"):
            os.link(file, self.folder / "other" / file.name)
        script = 'if [ $OMPI_COMM_WORLD_RANK = 1 ]; then cd other; fi; exec "$0" "$@"'
        run = subprocess.run([MPIRUN, "-n", "2", "sh", "-c", script, PAPILIO, "train", self.corpus, *TRAIN, "--start",
                              "uniform", "--sweeps", "40", "-o", "m", "--force", "--checkpoint", "kept", "--resume"],
                             cwd=self.folder, env=ENVIRONMENT, text=True, capture_output=True, timeout=120, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(run.stderr.count("the damaged checkpoint is now kept.damaged"), 1, run.stderr)
        self.assertTrue((self.folder / "kept.damaged").exists())
        self.assertTrue((self.folder / "other" / "kept").exists())
        self.assertFalse((self.folder / "other" / "kept.damaged").exists())
        self.assertEqual(hash_of(self.folder / "m"), hash_of(self.folder / "whole"))

    def test_rank_that_hangs_is_named_at_the_deadline(self):
        job = self.begin(3, "--checkpoint", "kept", "--checkpoint-every", "20", "--rank-timeout", "1", sweeps=100000)
        victim = self.in_the_middle(job, 1)
        os.kill(victim, signal.SIGSTOP)
        start = time.monotonic()
        try:
            code, _, errors = self.end(job, 60)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        self.assertEqual(code, TRY_AGAIN, errors)
        self.assertIn("rank 1 of 3 did not join", errors)
        self.assertLess(time.monotonic() - start, 30)

    def test_rank_that_fails_names_itself(self):
        (self.folder / "m").write_text("precious")
        code, _, errors = self.run_job(2)
        self.assertEqual(code, 73, errors)
        self.assertIn("papilio train: rank 0 of 2 has failed:\npapilio train: m exists", errors)
        self.assertEqual((self.folder / "m").read_text(), "precious")
        code, _, errors = self.run_job(2, "--force", "--schedule", "sequential")
        self.assertEqual(code, 65, errors)
        self.assertIn("which 2 ranks cannot do", errors)

    def test_interrupted_ranks_save_and_stop(self):
        job = self.begin(2, "--checkpoint", "kept", "--checkpoint-every", "20", sweeps=100000)
        os.kill(self.in_the_middle(job, 1), signal.SIGTERM)
        code, _, errors = self.end(job, 60)
        self.assertEqual(code, 128 + signal.SIGTERM, errors)
        self.assertIn("stopped after sweep", errors)
        self.assertTrue((self.folder / "m").exists())


if __name__ == "__main__":
    unittest.main()
