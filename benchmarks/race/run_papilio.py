"""papilio train, as a user starts it, with a checkpoint every 5 sweeps, which holds the topic of every token.

The clock goes by the arrival of the sweeps' progress lines, from the start of the first sweep; writing checkpoints is in it.
A checkpoint is kept by a hard link to it. Word counts, and phi, are made of it afterwards (snapshots.py).
"""

import json
import os
import pathlib
import shlex
import subprocess
import time

import corpus
from report import GRID, SWEEPS, event, forget_peaks, peak_memory, status
from snapshots import safetensors_header

EVERY = 5


class Run:
    def __init__(self, options):
        self.options, self.folder = options, pathlib.Path(options.snapshots).resolve()
        self.checkpoint = self.folder / "checkpoint"
        self.times, self.kept, self.peak = {}, 0, 0
        command = [options.papilio, "train", str(pathlib.Path(options.corpus) / "docword.train.txt"), "-k", options.topics,
                   "--alpha", repr(options.alpha), "--beta", repr(options.beta), "--seed", options.seed,
                   "--device", "cpu", "--threads", options.threads, "--sweeps", SWEEPS, "--evaluate-every", 0,
                   "--checkpoint", self.checkpoint, "--checkpoint-every", EVERY, "--checkpoint-minutes", 0,
                   "--progress", "json", "-o", self.folder / "model", *shlex.split(options.options)]
        self.process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def keep(self, last=False):
        """Links the newest checkpoint, if it is a new one of GRID or the last, and reports it with its sweep's time."""
        try:
            sweep = int(safetensors_header(self.checkpoint)["__metadata__"]["sweep"])
        except FileNotFoundError:
            return
        name = f"{sweep}.checkpoint"
        if sweep > self.kept and sweep in self.times and (last or sweep in GRID):
            os.link(self.checkpoint, self.folder / name)
            self.kept = sweep
            event("snapshot", sweep=sweep, seconds=self.times[sweep], file=name, peak_bytes=self.peak)

    def follow(self, tokens):
        begin = None
        for line in self.process.stdout:
            now = time.monotonic()
            fields = json.loads(line)
            if fields["event"] != "sweep":
                continue
            if begin is None:
                begin = now - fields["share"] * tokens / fields["tokens_per_second"]
                forget_peaks(self.process.pid)
            self.times[fields["sweep"]] = now - begin
            if fields["sweep"] % EVERY == 0:
                self.peak = max(self.peak, peak_memory(self.process.pid))
            if fields["sweep"] % EVERY == 1:
                self.keep()  # the checkpoint of the sweep before: it is written by now
            if now - begin >= self.options.limit:
                break
        return max(self.times)


def run(options, held_words):
    version = subprocess.run([options.papilio, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    tokens = corpus.meta(options.corpus)["tokens"]
    event("start", version=version, loaded_bytes=0, detail=" ".join(filter(None, [options.options, f"{options.threads} thread{'s' * (options.threads > 1)}"])))
    one = Run(options)
    last = one.follow(tokens)
    if last < SWEEPS:
        one.process.kill()
    one.process.wait()
    one.keep(last=True)
    event("end", sweeps=last, seconds=one.times[last])
