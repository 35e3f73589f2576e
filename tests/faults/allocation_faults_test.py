#!/usr/bin/env python3
"""Fails allocations of every command, one by one, and looks at what is left.

    tests/faults/allocation_faults_test.py PAPILIO SHIM [--every] [--only NAME] [--stride N]

SHIM is built of allocation_shim.cpp. Each command is run once with each allocation failing that has other calls on its
stack than those before it (--stride N: with every N-th of these; --every: with each allocation that is not part of the
start, which all commands have in common), and once with that allocation and all after it failing.
Whatever fails, the command either does all its work, or ends with exit status 71 and one line that says why; files are
as they were before or as they should be after, nothing temporary stays, and a chain continues to the same model.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from allocation_server import ALL_AFTER, AllocationServer
from inputs import CORPORA, make_inputs
from support import quick_folder

OLD = b"what was there before\n"
CHAINS = ("chain", "chain.previous")


class Case:
    """A command, run in a folder in which `outputs` exist already and `chain` is a checkpoint where it `resumes`."""

    def __init__(self, name, arguments, outputs=(), resumes=False, threads=1):
        self.name, self.outputs, self.resumes = name, outputs, resumes
        # None: the command has no such option.
        self.arguments = [*arguments.split(), *([] if threads is None else ["--threads", str(threads)])]
        self.is_deterministic = threads in (None, 1)


def cases():
    train = "train ../in/pets.txt -k 3 --sweeps 6 -q --force -o made --checkpoint chain --checkpoint-every 3"
    yield Case("start", "--version", threads=None)
    yield Case("train", train, ["made"])
    yield Case("train, new", train.replace(" --force", ""))
    for name in ("phi_collapsed", "theta_collapsed", "uncollapsed", "mean_for_mode"):
        yield Case(f"train, {name}", f"{train} --sampler {name}", ["made"])
    yield Case("train, sequential", f"{train} --schedule sequential", ["made"])
    yield Case("train, sparse", train.replace("-k 3", "-k 40"), ["made"])
    yield Case("train, sparse theta_collapsed", f"{train} -k 40 --draws sparse --sampler theta_collapsed"
               .replace("-k 3 ", ""), ["made"])
    yield Case("train, progressive", f"{train} --start progressive", ["made"])
    yield Case("train, all outputs",
               f"{train} --output-topic-keys keys --output-doc-topics topics.tsv --output-state state.gz "
               "--topic-word-weights-file weights --diagnostics-file diagnostics --optimize-interval 2 "
               "--optimize-burn-in 1 --held-out ../in/pets.csv --evaluate-every 2",
               ["made", "keys", "topics.tsv", "state.gz", "weights", "diagnostics"])
    yield Case("train, arrays", f"{train} --output-doc-topics topics.npy --topic-word-weights-file weights.npy "
               "--stopwords english", ["made", "topics.npy", "weights.npy"])
    yield Case("train, input state", f"{train} --input-state ../in/state.gz", ["made"])
    yield Case("train, two threads", train, ["made"], threads=2)
    yield Case("resume", f"{train.replace('--sweeps 6', '--sweeps 24')} --resume", ["made"], resumes=True)
    yield Case("topics", "topics ../in/model", threads=None)
    yield Case("topics, json", "topics ../in/model --format json", threads=None)
    yield Case("inspect", "inspect ../in/model", threads=None)
    yield Case("infer", "infer ../in/model ../in/pets.txt -o made --force -q", ["made"])
    yield Case("infer, em", "infer ../in/model ../in/pets.csv -o made.npy --force -q --method em", ["made.npy"])
    yield Case("evaluate", "evaluate ../in/model --held-out ../in/pets.txt --corpus ../in/pets.npz "
               "--reference ../in/pets.txt --left-to-right 2")
    yield Case("ldavis", "ldavis ../in/model -o made.json --force --corpus ../in/pets.txt", ["made.json"])
    yield Case("split", "split ../in/pets.txt --every 2 -o x --force",
               [f"{what}.x-{part}.txt" for what in ("docword", "vocab") for part in ("train", "held-out")])
    yield Case("generate", "generate -o x --documents 5 --words 9 -k 2 --force",
               ["docword.x.txt", "vocab.x.txt", "topics.x.tsv"], threads=None)
    for kind, name in CORPORA:
        yield Case(f"import {name}", f"import ../in/{name} -o made --force --format {kind}", ["made"])
    yield Case("import-file", "import-file --input ../in/pets.mallet -o made --force", ["made"], threads=None)
    for kind in ("text", "uci", "ldac", "svmlight", "mtx", "npz", "corpus"):
        words = ["words"] if kind not in ("text", "corpus") else []
        yield Case(f"convert to {kind}", " ".join([f"convert ../in/pets.txt -o made --to {kind} --force",
                                                   *(["--output-vocabulary words"] if words else [])]),
                   ["made", *words])
    yield Case("stop words", "convert ../in/pets.jsonl -o - --to text --stopwords ../in/words.txt --min-df 1 "
               "--max-vocabulary 5 --id-field id")


class Sweep:
    def __init__(self, server, root, options):
        self.server, self.options = server, options
        self.inputs, self.work = root / "in", root / "work"
        self.work.mkdir()
        make_inputs(self.inputs, lambda folder, arguments: self.plain(folder, arguments))
        self.seen = set()
        self.common = set()  # stacks of what every command does before it knows what it is to do
        self.runs = collections.Counter()
        self.failures = []

    def plain(self, folder, arguments):
        ended = self.server.run(folder, arguments)
        return ended.code, ended.err

    # What is there before a run, and after it.

    def files(self):
        return {path.name: path.read_bytes() for path in self.work.iterdir()}

    def restore(self, case):
        """An output named `made` is a link to a file: writing follows it."""
        for path in self.work.iterdir():
            path.unlink()
        for name in case.outputs:
            (self.work / name).write_bytes(OLD)
        if "made" in case.outputs:
            (self.work / "made").rename(self.work / "real")
            (self.work / "made").symlink_to("real")
        if case.resumes:
            (self.work / "chain").write_bytes((self.inputs / "chain").read_bytes())
        return self.files()

    def run(self, case, **fault):
        return self.server.run(self.work, case.arguments, **fault)

    # What is expected.

    def prepare(self, case):
        self.before = self.restore(case)
        self.normal = self.run(case, detailed=1)
        assert self.normal.code == 0, f"{case.name}: {self.normal}"
        self.after = self.files()
        self.resumed = {}
        return self.server.stacks(self.normal.calls)

    def complaint(self, case, ended):
        """What is wrong with the end of a run; nothing: ''."""
        line = r"papilio( [a-z-]+)?: (out of memory|.*Cannot allocate memory|.*out of memory.*)"
        told = [text for text in ended.err.splitlines() if text not in self.normal.err.splitlines()]
        told = [text for text in told if not re.match(rf"papilio( {case.arguments[0]})?: warning: ", text)]
        if ended.code == 0 and (told or (case.is_deterministic and ended.out != self.normal.out)):
            return "printed something else although the exit status is 0"
        if ended.code not in (0, 71):
            return f"ended with {ended.code}"
        if ended.code == 71 and (not told or not re.fullmatch(line, told[0])):
            return "no line says that memory has run out"
        return self.complaint_of_files(case, ended)

    def complaint_of_files(self, case, ended):
        files = self.files()
        for name in {*files, *self.after, *self.before} - {*CHAINS}:
            if files.get(name) not in (self.before.get(name), self.after.get(name)):
                return f"{name} is neither what it was nor what it should be"
            if ended.code == 0 and files.get(name) != self.after.get(name):
                return f"{name} is not what it should be although the exit status is 0"
        if "made" in case.outputs and not (self.work / "made").is_symlink():
            return "a link was replaced by a file"
        if "chain" in self.after and ended.code != 0:
            return self.complaint_of_chain(case, files)
        return ""

    def complaint_of_chain(self, case, files):
        chain = tuple(files.get(name) for name in CHAINS)
        if chain == (None, None):
            return "the checkpoint is gone" if case.resumes else ""
        if chain not in self.resumed:
            resume = [word for word in case.arguments if word not in ("--resume", "--input-state", "../in/state.gz")]
            resume.append("--resume")
            again = self.server.run(self.work, resume)
            same = (self.work / "made").read_bytes() == self.after["made"]
            self.resumed[chain] = "" if again.code == 0 and not again.err and same else f"cannot be resumed: {again}"
        return self.resumed[chain]

    def stack(self, case, at, span):
        self.restore(case)
        places = [re.fullmatch(r"(/.*)\+(0x[0-9a-f]+)", line)
                  for line in self.run(case, at=at, span=1, detailed=2).err.splitlines()]
        return [place.groups() for place in places if place and "allocation_shim" not in place[1]]

    def is_in_loader(self, stack):
        """oneTBB loads its allocator when the first threads start; the loader's own failures are not ours."""
        modules = [os.path.basename(module) for module, _ in stack]
        return any(name.startswith("libtbb") for name in modules) and any(name.startswith("ld-") for name in modules)

    def check(self, case, at, span):
        self.restore(case)
        ended = self.run(case, at=at, span=span)
        self.runs["all after" if span > 1 else "one"] += 1
        self.runs["not reached"] += ended.failed == 0
        self.runs["harmless"] += ended.failed > 0 and ended.code == 0
        complaint = self.complaint(case, ended)
        if not complaint:
            return
        stack = self.stack(case, at, span)
        if complaint.startswith("ended with") and self.is_in_loader(stack) and not self.complaint_of_files(case, ended):
            self.runs["in the loader"] += 1
            return
        shown = [f"{Path(module).name} {name_of(module, offset)}" for module, offset in stack[:14]]
        self.failures.append(f"{case.name}: allocation {at}{' and all after' if span > 1 else ''}: {complaint}\n"
                             f"  {ended.code} {ended.err!r}\n    " + "\n    ".join(shown))

    def sweep(self, case):
        started = time.monotonic()
        stacks = self.prepare(case)
        first = {}
        for number, stack in enumerate(stacks, 1):
            first.setdefault(stack, number)
        new = sorted(number for stack, number in first.items() if stack not in self.seen)
        self.seen.update(first)
        if self.options.only and self.options.only not in (case.name, "start"):
            return
        if case.name == "start":
            self.common = set(first)
            chosen = new if self.options.every else new[::97]
        elif self.options.every:
            chosen = [number for number, stack in enumerate(stacks, 1) if stack not in self.common]
        else:
            chosen = new[::self.options.stride]
        for number in chosen:
            self.check(case, number, 1)
            if case.is_deterministic:
                self.check(case, number, ALL_AFTER)
        self.runs["distinct stacks"] += len(new)
        print(f"{case.name}: {self.normal.calls} allocations, {len(new)} new stacks, {len(chosen)} failed, "
              f"{time.monotonic() - started:.1f} s", flush=True)


def name_of(module, offset):
    try:
        found = subprocess.run(["addr2line", "-fCe", module, offset], capture_output=True, text=True, check=True)
        return found.stdout.splitlines()[0][:120]
    except (OSError, subprocess.CalledProcessError):
        return offset


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("papilio")
    parser.add_argument("shim")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--stride", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=quick_folder()) as folder:
        root = Path(folder).resolve()
        server = AllocationServer(os.path.abspath(options.papilio), os.path.abspath(options.shim), root)
        sweep = Sweep(server, root, options)
        count = 0
        for case in cases():
            sweep.sweep(case)
            count += 1
        server.close()
    runs = sweep.runs
    print(f"{count} commands, {runs['distinct stacks']} distinct stacks; {runs['one']} times one allocation failed, "
          f"{runs['all after']} times all from one on; {runs['harmless']} did no harm, {runs['not reached']} were not "
          f"reached, {runs['in the loader']} inside the loader of oneTBB's allocator; {len(sweep.failures)} failures")
    for failure in sweep.failures[:400]:
        print(failure)
    return 1 if sweep.failures else 0


if __name__ == "__main__":
    sys.exit(main())
