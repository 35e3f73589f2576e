#!/usr/bin/env python3
"""Kills training runs with SIGKILL and resumes them until they are done; every model must be that of an unbroken run.

    tests/faults/kill_and_resume.py PAPILIO SHIM [--kills N] [--inside M] [--seed S] [-- OPTIONS OF TRAIN]

PAPILIO is the command, SHIM the library that is built of fault_shim.cpp. Of N kills at
least M come inside a write of a checkpoint, at a call to the system that is drawn; the others at
a moment that is drawn. Each run has another number of threads than the one before it.
"""

import argparse
import collections
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from support import Command, quick_folder

MODEL, CHECKPOINT = "the_model.papilio.safetensors", "the_model.checkpoint.safetensors"


class Experiment:
    def __init__(self, arguments, folder):
        self.draw = random.Random(arguments.seed)
        self.kills_left, self.inside_left = arguments.kills, arguments.inside
        self.folder = folder
        self.command = Command(arguments.papilio, arguments.shim, folder)
        self.train = ["train", "docword.made.txt", "-k", 40, "--sweeps", 60, "--quiet", "--checkpoint-every", 2,
                      "-o", MODEL, *arguments.options]
        self.threads = 0
        self.runs = self.chains = 0
        self.kills = collections.Counter()  # by where they came

    def prepare(self):
        """The corpus, the model of an unbroken run, and how long that takes."""
        code, _, err = self.command.run(["generate", "-o", "made", "--documents", 400, "--words", 500, "--topics", 5])
        assert code == 0, err
        start = time.monotonic()
        code, _, err = self.command.run([*self.train, "--threads", 1])
        assert code == 0, err
        self.seconds = time.monotonic() - start
        self.whole = (self.folder / MODEL).read_bytes()
        (self.folder / MODEL).unlink()
        self.corpus = sorted(path.name for path in self.folder.iterdir())

    def arguments(self):
        self.threads = self.draw.choice([n for n in (1, 2, 3, 4) if n != self.threads])
        begun = any((self.folder / name).exists() for name in (CHECKPOINT, CHECKPOINT + ".previous"))
        return [*self.train, "--threads", self.threads, "--resume" if begun else "--force"]

    def run_once(self):
        """One run, killed or not; whether it came to its end."""
        self.runs += 1
        inside = self.draw.random() * self.kills_left < self.inside_left
        if self.kills_left == 0:
            code, where, err = self.run_undisturbed()
        elif inside:
            code, where, err = self.run_and_kill_inside()
        else:
            code, where, err = self.run_and_kill_at_a_moment()
        assert err == "", f"a run that was resumed complains: {err}"
        if code == 0:
            return True
        assert code == -9, f"exit status {code}"
        self.kills[where] += 1
        self.kills_left -= 1
        self.inside_left -= inside and where.startswith("inside")
        return False

    def run_undisturbed(self):
        code, _, err = self.command.run(self.arguments())
        return code, "", err

    def run_and_kill_at_a_moment(self):
        process = self.command.start(self.arguments())
        time.sleep(self.draw.uniform(0, self.seconds))
        process.kill()
        err = process.communicate(timeout=120)[1].decode()
        return process.returncode, "at a moment", err

    def run_and_kill_inside(self):
        """At a call of one of the next three checkpoints."""
        log = self.folder / "calls.log"
        do = self.draw.choice(["kill-before", "kill-within", "kill-after"])
        faults = {"PATH": f"{CHECKPOINT}:=.:={self.folder}", "AT": self.draw.randint(1, 33), "DO": do, "LOG": log}
        code, _, err = self.command.run(self.arguments(), faults)
        calls = [line.split() for line in log.read_text().splitlines()]
        log.unlink()
        return code, self.place(calls, do), err

    def place(self, calls, do):
        """A write of a checkpoint goes from the opening of the new file to that of the folder, its sync and close."""
        names = [name for _, name, *_ in calls]
        last_save = max((i for i, call in enumerate(calls) if call[1] == "open" and call[2].endswith(".tmp")), default=0)
        save = names[last_save:]
        not_begun = do == "kill-before" and save == ["open"]
        done = save[-3:] == ["open", "fsync", "close"] and do != "kill-before"
        return f"{'beside' if not_begun or done else 'inside'}: {do.removeprefix('kill-')} {save[-1]}"

    def finish_chain(self):
        while not self.run_once():
            pass
        self.chains += 1
        assert (self.folder / MODEL).read_bytes() == self.whole, "the model differs from that of an unbroken run"
        (self.folder / MODEL).unlink()
        left = sorted(path.name for path in self.folder.iterdir())
        assert left == self.corpus, f"files were left: {left}"

    def report(self):
        inside = sum(count for where, count in self.kills.items() if where.startswith("inside"))
        for where, count in sorted(self.kills.items()):
            print(f"{count:6}  {where}")
        print(f"{sum(self.kills.values())} kills in {self.runs} runs, {inside} of them inside a write of a checkpoint; "
              f"{self.chains} chains came to their end, each with the model of the unbroken run")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("papilio", type=os.path.abspath)
    parser.add_argument("shim", type=os.path.abspath)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--inside", type=int, default=None, help="a quarter of --kills unless given")
    parser.add_argument("--seed", type=int, default=1)
    parser.usage = "%(prog)s PAPILIO SHIM [--kills N] [--inside M] [--seed S] [-- OPTIONS OF TRAIN]"
    own, options = sys.argv[1:], []
    if "--" in own:
        own, options = own[: own.index("--")], own[own.index("--") + 1 :]
    arguments = parser.parse_args(own)
    arguments.options = options
    if arguments.inside is None:
        arguments.inside = (arguments.kills + 3) // 4
    with tempfile.TemporaryDirectory(dir=quick_folder()) as folder:
        experiment = Experiment(arguments, Path(folder).resolve())
        experiment.prepare()
        while experiment.kills_left > 0:
            experiment.finish_chain()
        experiment.report()


if __name__ == "__main__":
    sys.exit(main())
