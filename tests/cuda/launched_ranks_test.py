#!/usr/bin/env python3
"""Jobs whose ranks have a GPU each, against one process on the CPU:

    launched_ranks_test.py path/to/papilio GPUS [--mpirun PROGRAM] [--torchrun PROGRAM]

papilio is of a build with CUDA and MPI. With --torchrun the Python package, of a build with CUDA, is on PYTHONPATH.
PAPILIO_NCCL may name NCCL's library. --only TEXT runs the tests whose names contain it. The last line is
"N passed, N failed". docs/distributed.md
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_btl="self,vader,tcp",
                   OMPI_MCA_hwloc_base_binding_policy="none")
TRAIN = ["-k", "40", "--start", "uniform", "--threads", "2", "--force"]
SAMPLERS = (["--draws", "sparse"], ["--draws", "dense"], ["--sampler", "mean_for_mode", "--draws", "sparse"],
            ["--sampler", "theta_collapsed"], ["--optimize-interval", "7", "--optimize-burn-in", "3"])

LDA_SCRIPT = """
import os, sys
import numpy as np
import papilio
from papilio.distributed import join_processes
ranks = join_processes()
device = None if ranks is None else f"cuda:{os.environ['LOCAL_RANK']}"
corpus = papilio.generate_corpus(documents=900, vocabulary=700, topics=9, mean_length=40, seed=2)
train, held_out = papilio.hold_out_every(corpus, 10)
lda = papilio.LDA(30, random_state=1, max_iter=25, device=device, ranks=ranks).fit(train, held_out=held_out)
theta = lda.transform(held_out)
choice = papilio.choose_topics(corpus, [5, 9], seeds=2, sweeps=10, ranks=ranks, **({"device": device} if device else {}))
rows = [repr(row._replace(seconds=0)) for row in choice.rows]
if ranks is None or ranks.rank == 0:
    np.savez(sys.argv[1], theta=theta, perplexity=lda.perplexity(held_out) if ranks is None else 0,
             hash=np.array(lda.model_.hash()), rows=np.array(rows))
if ranks is not None:
    import torch.distributed
    torch.distributed.destroy_process_group()
"""


class Jobs:
    def __init__(self, arguments, folder):
        self.papilio, self.gpus, self.folder = arguments.papilio.resolve(), arguments.gpus, folder
        self.mpirun, self.torchrun = arguments.mpirun, arguments.torchrun
        self.corpus = folder / "corpus"
        self.run(None, ["generate", "-o", "c", "--documents", "20000", "--words", "5000", "-k", "20", "--mean-length", "60"])
        self.run(None, ["import", "docword.c.txt", "-o", self.corpus])
        self.run(None, ["generate", "-o", "h", "--documents", "500", "--words", "5000", "-k", "20", "--mean-length", "60",
                        "--seed", "9"])

    def command(self, ranks, arguments):
        return [*([self.mpirun, "-n", str(ranks)] if ranks else []), str(self.papilio), *map(str, arguments)]

    def run(self, ranks, arguments, expected=0, **variables):
        done = subprocess.run(self.command(ranks, arguments), cwd=self.folder, env={**ENVIRONMENT, **variables}, text=True,
                              capture_output=True, timeout=300, check=False)
        assert done.returncode == expected, f"status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def model(self, ranks, *options, sweeps=25, corpus=None, **variables):
        run = self.run(ranks, ["train", corpus or self.corpus, *TRAIN, "--sweeps", sweeps, "-o", "m", *options], **variables)
        return (self.folder / "m").read_bytes(), run


# --- What ranks of GPUs do, as one process on the CPU does


def gpus_of_one_process(jobs, sampler):
    expected, _ = jobs.model(None, *sampler)
    for device in ("cuda:0", "cuda:all"):
        found, _ = jobs.model(None, *sampler, "--device", device)
        assert found == expected, device


def mpi_ranks_with_a_gpu_each(jobs, sampler):
    expected, _ = jobs.model(None, *sampler)
    for ranks in range(1, jobs.gpus + 1):
        found, _ = jobs.model(ranks, *sampler, "--device", "cuda")
        assert found == expected, ranks


def mpi_ranks_that_share_a_gpu(jobs):
    expected, _ = jobs.model(None)
    found, _ = jobs.model(jobs.gpus + 1, "--device", "cuda:0")
    assert found == expected


def sums_through_host_memory(jobs):
    expected, _ = jobs.model(None)
    for ranks, device in ((jobs.gpus, "cuda"), (None, "cuda:all")):
        found, _ = jobs.model(ranks, "--device", device, PAPILIO_NCCL="off")
        assert found == expected, device


def memory_in_use(gpus):
    """MiB of each GPU that the ranks see."""
    seen = os.environ.get("CUDA_VISIBLE_DEVICES", ",".join(map(str, range(gpus)))).split(",")[:gpus]
    listed = subprocess.run(["nvidia-smi", "-i", ",".join(seen), "--query-gpu=memory.used", "--format=csv,noheader,nounits"],
                            text=True, capture_output=True, check=True).stdout
    return [int(line) for line in listed.split()]


def gpus_of_processes():
    """Process -> its GPUs. In a container the driver may list none, or processes by numbers that mean nothing there."""
    listed = subprocess.run(["nvidia-smi", "--query-compute-apps=pid,gpu_uuid", "--format=csv,noheader"], text=True,
                            capture_output=True, check=True).stdout
    found = {}
    for process, gpu in (line.split(", ") for line in listed.splitlines() if ", " in line):
        found.setdefault(process, set()).add(gpu)
    return found


def each_rank_is_on_its_gpu_alone(jobs):
    """A context takes some 500 MiB of a GPU: the first must not have one of every rank."""
    before = memory_in_use(jobs.gpus)
    others = set(gpus_of_processes())
    options = ["train", str(jobs.corpus), *TRAIN, "--sweeps", "1000000", "-o", "alone.model", "--device", "cuda",
               "--checkpoint", "alone", "--checkpoint-every", "200"]
    job = subprocess.Popen([jobs.mpirun, "-n", str(jobs.gpus), str(jobs.papilio), *options], cwd=jobs.folder, env=ENVIRONMENT,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        deadline = time.monotonic() + 60
        while not (jobs.folder / "alone").exists():
            assert job.poll() is None and time.monotonic() < deadline, "the run has ended too early, or hangs"
            time.sleep(0.02)
        taken = [now - then for now, then in zip(memory_in_use(jobs.gpus), before)]
        found = {process: gpus for process, gpus in gpus_of_processes().items() if process not in others}
    finally:
        job.terminate()  # mpirun ends its ranks, whose memory the next test would find in use
        try:
            job.wait(30)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(job.pid, signal.SIGKILL)
            job.wait()
    print(f"         MiB of each GPU: {taken}; GPUs of each process: {sorted(map(len, found.values()))}", flush=True)
    assert min(taken) > 100, taken
    assert max(taken) - min(taken) < 250, taken
    assert all(len(gpus) == 1 for gpus in found.values()), found


def more_ranks_than_gpus(jobs):
    run = jobs.run(jobs.gpus + 1, ["train", jobs.corpus, *TRAIN, "-o", "m", "--device", "cuda"], expected=70)
    assert f"CUDA device {jobs.gpus} was asked for" in run.stderr, run.stderr


def resumed_on_other_ranks(jobs):
    whole, _ = jobs.model(None, sweeps=40)
    gpus = jobs.gpus
    for first, then in (((gpus, "cuda"), (None, "cuda:0")), ((None, "cuda:all"), (gpus, "cuda")), ((1, "cuda"), (None, "cpu"))):
        for old in jobs.folder.glob("kept*"):
            old.unlink()
        jobs.model(first[0], "--device", first[1], "--checkpoint", "kept", sweeps=15)
        found, _ = jobs.model(then[0], "--device", then[1], "--checkpoint", "kept", "--resume", sweeps=40)
        assert found == whole, (first, then)


def killed_rank(jobs):
    sweeps, options = 1500, ("--checkpoint", "kept", "--checkpoint-every", "50", "--device", "cuda")
    whole, _ = jobs.model(None, "--device", "cuda:0", sweeps=sweeps)
    for victim in range(jobs.gpus):
        for old in jobs.folder.glob("kept*"):
            old.unlink()
        script = 'echo $$ > pid.$OMPI_COMM_WORLD_RANK; exec "$0" "$@"'
        job = subprocess.Popen([jobs.mpirun, "-n", str(jobs.gpus), "sh", "-c", script, str(jobs.papilio), "train",
                                str(jobs.corpus), *TRAIN, "--sweeps", str(sweeps), "-o", "m", *options], cwd=jobs.folder,
                               env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            deadline = time.monotonic() + 60
            while not (jobs.folder / "kept").exists():
                assert job.poll() is None and time.monotonic() < deadline, "the run has ended too early, or hangs"
                time.sleep(0.02)
            os.kill(int((jobs.folder / f"pid.{victim}").read_text()), signal.SIGKILL)
            assert job.wait(timeout=30) != 0
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(job.pid, signal.SIGKILL)
        found, _ = jobs.model(jobs.gpus, *options, "--resume", sweeps=sweeps)
        assert found == whole, victim


def inference_and_scores(jobs):
    jobs.model(None)
    commands = (["infer", "m", "docword.h.txt", "-o", "theta.npy", "--force"],
                ["infer", "m", "docword.h.txt", "-o", "theta.npy", "--force", "--method", "em"],
                ["evaluate", "m", "--held-out", "docword.h.txt", "--format", "json"])
    for command in commands:
        found = {}
        for ranks, device in ((None, "cpu"), (None, "cuda:0"), (jobs.gpus, "cuda")):
            run = jobs.run(ranks, [*command, "--device", device])
            found[ranks, device] = (run.stdout, (jobs.folder / "theta.npy").read_bytes())
        assert len(set(found.values())) == 1, (command, [value[0] for value in found.values()])


def choice(jobs):
    found = {}
    for ranks, device in ((None, "cpu"), (None, "cuda:0"), (jobs.gpus, "cuda")):
        run = jobs.run(ranks, ["choose", jobs.corpus, "--topics", "5,10,20", "--seeds", "2", "--sweeps", "15", "--json",
                               "--device", device])
        assert len(json.loads(run.stdout)) > 0
        found[ranks, device] = run.stdout
    assert len(set(found.values())) == 1, found


def torchrun_trains(jobs):
    expected, _ = jobs.model(None)
    torchrun = [jobs.torchrun, "--standalone", f"--nproc-per-node={jobs.gpus}", "-m", "papilio.train"]
    done = subprocess.run([*torchrun, jobs.corpus, "-k", "40", "--sweeps", "25", "--threads", "2", "--device", "cuda", "-o",
                           "t"], cwd=jobs.folder, text=True, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert (jobs.folder / "t").read_bytes() == expected


def lda_over_ranks(jobs):
    import numpy as np

    (jobs.folder / "script.py").write_text(LDA_SCRIPT)
    found = []
    for name, command in (("one", [sys.executable]),
                          ("ranks", [jobs.torchrun, "--standalone", f"--nproc-per-node={jobs.gpus}"])):
        done = subprocess.run([*command, "script.py", f"{name}.npz"], cwd=jobs.folder, text=True, capture_output=True,
                              timeout=300, check=False)
        assert done.returncode == 0, done.stderr
        with np.load(jobs.folder / f"{name}.npz") as arrays:
            found.append((arrays["theta"].tobytes(), str(arrays["hash"]), arrays["rows"].tolist()))
    assert found[0] == found[1], (found[0][1:], found[1][1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papilio", type=Path)
    parser.add_argument("gpus", type=int)
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--torchrun")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        jobs = Jobs(arguments, Path(folder))
        tests = [(f"{test.__name__} {' '.join(sampler)}", lambda test=test, sampler=sampler: test(jobs, sampler))
                 for test in (gpus_of_one_process, mpi_ranks_with_a_gpu_each) for sampler in SAMPLERS]
        tests += [(test.__name__, lambda test=test: test(jobs)) for test in (
            mpi_ranks_that_share_a_gpu, sums_through_host_memory, each_rank_is_on_its_gpu_alone, more_ranks_than_gpus,
            resumed_on_other_ranks, killed_rank, inference_and_scores, choice,
            *((torchrun_trains, lda_over_ranks) if arguments.torchrun else ()))]
        tests = [(name, test) for name, test in tests if arguments.only in name]
        for name, test in tests:
            start = time.monotonic()
            try:
                test()
                print(f"passed   {name} ({time.monotonic() - start:.1f} s)", flush=True)
            except (AssertionError, OSError, ValueError, subprocess.TimeoutExpired) as error:
                failed.append(name)
                print(f"FAILED   {name}: {error}", flush=True)
    print(f"{len(tests) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
