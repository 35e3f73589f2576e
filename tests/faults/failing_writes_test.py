"""Writes that fail at every call, full disks, limits: python3 failing_writes_test.py path/to/papilio path/to/shim.so

What was there before stays whole, nothing temporary is left, and the message and the exit
status say what happened.
"""

import errno
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from support import TEXT, Command, quick_folder

PAPILIO = SHIM = ""

NAMES = {"model": "the_model", "chain": "the_chain", "keys": "the_keys"}
SANITIZED = "PAPILIO_SANITIZED" in os.environ
ERRORS = (errno.ENOSPC,) if SANITIZED else (errno.ENOSPC, errno.EIO)  # a sanitizer's runs begin slowly


class FaultTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=quick_folder())
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        (self.folder / "pets.txt").write_text(TEXT)
        self.command = Command(PAPILIO, SHIM, self.folder)

    def run_well(self, *arguments):
        code, out, err = self.command.run(arguments)
        self.assertEqual(code, 0, err)
        return out, err

    def train(self, *more, sweeps=12):
        return ["train", "pets.txt", "-k", 3, "--threads", 1, "--sweeps", sweeps, "-o", "the_model", "--checkpoint",
                "the_chain", "--quiet", *more]

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def read(self, name):
        return (self.folder / name).read_bytes()


class EveryCall(FaultTest):
    """A model, two checkpoints and topic keys of a run that is gone over again, a fault at each call."""

    def setUp(self):
        super().setUp()
        self.run_well(*self.train("--output-topic-keys", "the_keys", "--checkpoint-every", 5))
        self.whole = self.read("the_model")
        self.before = self.names()
        self.kept = {name: self.read(name) for name in self.before}

    def restore(self):
        for path in self.folder.iterdir():
            path.unlink()
        for name, content in self.kept.items():
            (self.folder / name).write_bytes(content)

    def each_fault(self, what, arguments, paths, check, begin=0, end=None):
        """Runs with a fault at each call from begin to end, numbers from 0; checks how each ended."""
        self.restore()
        calls = self.command.calls(arguments, paths)
        faults = [(number, error) for number in range(len(calls))[begin:end] for error in ERRORS]
        failed = 0
        for number, error in faults:
            self.restore()
            code, _, err = self.command.run(arguments, {"PATH": paths, "AT": number + 1, "DO": error})
            harmless = self.harmless(calls, number)
            with self.subTest(what=what, call=f"{number} {calls[number]}", error=errno.errorcode[error], err=err):
                self.assertEqual(self.names(), self.before)
                check(code, err, harmless)
                if not harmless:
                    failed += 1
                    self.check_message(what, error, err)
        return failed

    def in_folder(self, what):
        """A file's own calls, and the folder's that are synced with it."""
        return f"{NAMES[what]}:=.:={self.folder}"

    def end_of_save(self, arguments, paths, saves):
        """The calls up to the end of that many saves, each of which ends with the folder."""
        self.restore()
        calls = self.command.calls(arguments, paths)
        return [end for end in range(3, len(calls) + 1) if calls[end - 3:end] == ["open", "fsync", "close"]][saves - 1]

    def harmless(self, calls, number):
        """The second link, its removal, and the end of a look at a folder may fail."""
        of_folder = number >= 2 and calls[number - 2:number + 1] == ["open", "fsync", "close"]
        return calls[number] in ("link", "unlink") or of_folder

    def check_message(self, what, error, err):
        self.assertIn(NAMES[what], err)
        self.assertIn(os.strerror(error), err)
        if error == errno.ENOSPC:
            self.assertRegex(err, r"about [\d,]+ bytes needed, [\d,]+ free")

    def check_resumes(self, sweeps=12):
        """From what is there, newest or previous, to the same model."""
        self.run_well(*self.train("--resume", "--force", sweeps=sweeps))
        self.assertEqual(self.read("the_model"), self.whole)

    def test_model(self):
        def check(code, err, harmless):
            self.assertEqual(code, 0 if harmless else 74)
            self.assertEqual(self.read("the_model"), self.whole)  # the old one or the new one: the same bytes
            if not harmless:
                self.assertIn("the chain is in the_chain; to write the model: ", err)
                self.check_resumes()
        train, paths = self.train("--force"), self.in_folder("model")
        failed = self.each_fault("model", train, paths, check, end=self.end_of_save(train, paths, 1))
        self.assertEqual(failed, len(ERRORS) * len(["open", "write", "fsync", "close", "rename", "open", "fsync"]))

    def test_last_checkpoint(self):
        def check(code, err, harmless):
            self.assertEqual(code, 0 if harmless else 74)
            self.check_resumes(sweeps=14)
        train, paths = self.train("--resume", sweeps=14), self.in_folder("chain")
        self.run_well(*self.train("--resume", "--force", sweeps=14))
        self.whole = self.read("the_model")
        failed = self.each_fault("chain", train, paths, check, begin=self.end_of_save(train, paths, 1))
        self.assertEqual(failed, len(ERRORS) * len(["open", "write", "fsync", "close", "rename", "rename", "open", "fsync"]))

    def test_topic_keys(self):
        def check(code, err, harmless):
            self.assertEqual(code, 0 if harmless else 74)
            self.assertEqual(self.read("the_keys"), self.kept["the_keys"])
            self.assertEqual(self.read("the_model"), self.whole)
        failed = self.each_fault("keys", self.train("--output-topic-keys", "the_keys", "--force"), "the_keys", check)
        self.assertEqual(failed, len(ERRORS) * len(["open", "write", "fsync", "close", "rename"]))

    def test_checkpoints_on_the_way_are_told_of_and_tried_again(self):
        def check(code, err, harmless):
            self.assertEqual(code, 0)
            self.assertEqual("warning: " in err, not harmless)
            self.assertEqual(self.read("the_model"), self.whole)
            self.check_resumes()
        train, paths = self.train("--checkpoint-every", 5, "--force"), self.in_folder("chain")
        failed = self.each_fault("chain", train, paths, check, end=self.end_of_save(train, paths, 2))
        self.assertEqual(failed, 2 * len(ERRORS) * len(["open", "write", "fsync", "close", "rename", "rename", "open", "fsync"]))

    def test_a_disk_that_stays_full_takes_nothing_away(self):
        self.run_well(*self.train("--resume", "--force", sweeps=20))
        grown = self.read("the_model")
        self.restore()
        code, _, err = self.command.run(
            self.train("--resume", "--checkpoint-every", 3, sweeps=20),
            {"PATH": f"the_:={self.folder}", "AT": 1, "FOR": 1000000, "DO": errno.ENOSPC})
        self.assertEqual(code, 74, err)
        self.assertEqual(err.count("warning: "), 3, err)  # after sweeps 15 and 18, and for the model that was not written
        self.assertEqual({name: self.read(name) for name in self.names()}, self.kept)
        self.run_well(*self.train("--resume", sweeps=20))
        self.assertEqual(self.read("the_model"), grown)

    def test_files_that_may_not_be_made(self):
        for what, arguments in (("model", self.train("--force")), ("chain", self.train("--force")),
                                ("keys", self.train("--force", "--output-topic-keys", "the_keys"))):
            self.restore()
            paths = f"{NAMES[what]}:"
            at = self.command.calls(arguments, paths).index("open") + 1
            self.restore()
            code, _, err = self.command.run(arguments, {"PATH": paths, "AT": at, "DO": errno.EACCES})
            self.assertEqual(code, 73, err)
            self.assertIn(NAMES[what], err)
            self.assertEqual(self.names(), self.before)

    def test_short_and_interrupted_calls_are_no_faults(self):
        paths = "the_:"
        train = self.train("--output-topic-keys", "the_keys", "--force")
        self.restore()
        for number, name in enumerate(self.command.calls(train, paths), 1):
            for do in {"write": ("short", errno.EINTR), "fsync": (errno.EINTR,), "close": (errno.EINTR,)}.get(name, ()):
                self.restore()
                code, _, err = self.command.run(train, {"PATH": paths, "AT": number, "DO": do})
                self.assertEqual((code, err), (0, ""), f"{number} {name} {do}")
                self.assertEqual({name: self.read(name) for name in self.names() if name != "the_chain.previous"},
                                 {name: self.kept[name] for name in self.before if name != "the_chain.previous"})


class Limits(FaultTest):
    def test_largest_size_of_a_file(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))
        code, _, err = self.command.run(self.train(), preexec_fn=limit)
        self.assertEqual(code, 74, err)
        self.assertIn("the_model: File too large", err)
        self.assertEqual(self.names(), ["pets.txt"])

    def test_full_disk(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", str(disk)], stderr=subprocess.PIPE)
        if mounted.returncode != 0:
            self.skipTest(f"no small disk can be mounted here: {mounted.stderr.decode().strip()}")
        try:
            arguments = ["train", "pets.txt", "-k", 3000, "--sweeps", 3, "--threads", 1, "-q"]
            code, _, err = self.command.run([*arguments, "-o", "disk/the_model"])
            self.assertEqual(code, 74, err)
            self.assertRegex(err, r"disk/the_model: No space left on device \(about [\d,]+ bytes needed, [\d,]+ free\)")
            self.assertIn("--resume", err)
            self.assertEqual([path.name for path in disk.iterdir()], ["the_model.checkpoint.safetensors"])
            self.run_well(*arguments, "-o", "enough", "--checkpoint", "disk/the_model.checkpoint.safetensors", "--resume")
            self.run_well(*arguments, "-o", "whole")
            self.assertEqual(self.read("enough"), self.read("whole"))
        finally:
            subprocess.run(["umount", str(disk)], check=True)

    @unittest.skipIf(SANITIZED, "a sanitizer needs its address space")
    def test_memory(self):
        """Whatever the limit: done, or out of memory, in one line."""
        large = ["train", "pets.txt", "-k", 300_000, "--sweeps", 1, "-q", "-o", "large", "--force", "--threads", 4]
        ends = set()
        for mebibytes in [*range(14, 40, 2), *range(40, 361, 40)]:
            def limit():
                resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20))
            if self.command.run(["--version"], preexec_fn=limit)[0] != 0:
                continue  # not even enough to load the libraries
            code, _, err = self.command.run(large, preexec_fn=limit)
            self.assertIn(code, (0, 71), f"{mebibytes} MiB: {err}")
            self.assertEqual(err.count("\n"), 1 if code else 0, err)
            ends.add(code)
        self.assertEqual(ends, {0, 71})


class SlowDisk(FaultTest):
    def test_sweeps_go_on_while_a_checkpoint_is_written(self):
        """A disk that answers when the last sweep but one has been reported, and not before."""
        faults = {"PATH": NAMES["chain"], "AT": 1, "DO": "pause", "PAUSE": self.folder / "paused"}
        train = self.train("--checkpoint-every", 20, "--progress", "json", sweeps=30)
        process = self.command.start([word for word in train if word != "--quiet"], faults)
        self.addCleanup(process.kill)
        for line in process.stdout:
            if b'"sweep":29,' in line:
                break
        else:
            self.fail(f"training has ended: {process.stderr.read()}")
        deadline = time.monotonic() + 60
        while not (self.folder / "paused.here").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertNotIn(NAMES["chain"], self.names())
        (self.folder / "paused.here").unlink()
        _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, err)
        self.assertNotIn(b"warning", err)
        found = self.read("the_model")
        self.run_well(*self.train("--force", sweeps=30))
        self.assertEqual(self.read("the_model"), found)


class Damage(FaultTest):
    def setUp(self):
        super().setUp()
        self.run_well(*self.train("--checkpoint-every", 5))
        self.whole = self.read("the_model")
        (self.folder / "the_model").unlink()

    def damage(self, name):
        (self.folder / name).write_bytes(self.read(name)[:-1])

    def test_the_previous_checkpoint_takes_the_place_of_a_damaged_one(self):
        self.damage("the_chain")
        damaged, previous = self.read("the_chain"), self.read("the_chain.previous")
        code, _, err = self.command.run(self.train("--resume"))
        self.assertEqual(code, 0, err)
        self.assertRegex(err, r"^papilio train: the_chain: .*; continuing from .*/the_chain.previous, sweep 10\n"
                              r"papilio train: the damaged checkpoint is now the_chain.damaged\n$")
        self.assertEqual(self.read("the_model"), self.whole)
        self.assertEqual(self.read("the_chain.damaged"), damaged)
        self.assertEqual(self.read("the_chain.previous"), previous)  # not the damaged one
        self.run_well(*self.train("--resume", sweeps=14))

    def test_a_checkpoint_may_be_missing(self):
        (self.folder / "the_chain").unlink()
        code, _, err = self.command.run(self.train("--resume"))
        self.assertEqual(code, 0, err)
        self.assertIn("the_chain: No such file or directory; continuing from ", err)
        self.assertEqual(self.read("the_model"), self.whole)

    def test_two_damaged_ones_are_an_error_of_data(self):
        self.damage("the_chain")
        self.damage("the_chain.previous")
        before = self.names()
        code, _, err = self.command.run(self.train("--resume"))
        self.assertEqual(code, 65)
        self.assertRegex(err, "^papilio train: the_chain: .*; and .*/the_chain.previous: .*\n$")
        self.assertEqual(self.names(), before)

    def test_another_runs_is_refused(self):
        code, _, err = self.command.run(self.train("--resume", "--seed", 5))
        self.assertEqual((code, err), (65, "papilio train: the_chain: the checkpoint belongs to another run: "
                                           '--seed is "0", expected 5\n'))


class Signals(FaultTest):
    def test_the_end_of_a_terminal_is_an_interruption(self):
        for ignored, code in ((False, 129), (True, 0)):
            def disposition():
                signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)
            arguments = self.train("--force", "--progress=json", sweeps=3000)
            process = self.command.start(arguments, preexec_fn=disposition)
            process.stdout.readline()
            process.send_signal(signal.SIGHUP)
            _, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, code, err)
            self.assertEqual(b"to continue: " in err, not ignored)
            self.assertIn("the_chain", self.names())


class Crashes(FaultTest):
    def test_exceptions_that_nobody_catches_take_one_line(self):
        for what, code, line in (("runtime_error", 70, "papilio: internal error: thrown by a test\n"),
                                 ("bad_alloc", 71, "papilio: out of memory\n"),
                                 ("int", 70, "papilio: internal error: an exception of an unknown kind\n")):
            ended = self.command.run(self.train("--force", sweeps=4_000_000), {"THROW": what})
            self.assertEqual(ended, (code, "", line))


class BrokenPipes(FaultTest):
    def read_first_line(self, arguments, **options):
        """Ends the pipe after the first line, as head -1 does."""
        process = self.command.start(arguments, **options)
        process.stdout.readline()
        process.stdout.close()
        err = ""
        if process.stderr:
            err = process.stderr.read().decode()
            process.stderr.close()
        return process.wait(timeout=120), err

    def test_a_list_cut_short_is_no_matter(self):
        self.run_well("train", "pets.txt", "-k", 20_000, "--sweeps", 1, "-q", "-o", "m")
        self.assertEqual(self.read_first_line(["topics", "m"]), (-13, ""))

    def test_training_ends_in_good_order(self):
        train = ["train", "pets.txt", "-k", 3, "--sweeps", 40_000, "--threads", 1, "--evaluate-every", 0]
        code, err = self.read_first_line([*train, "--progress=json", "-o", "a"])
        self.assertEqual(code, 141, err)
        self.assertIn("to continue: ", err)
        code, _ = self.read_first_line([*train, "--progress=json", "-o", "b"], stderr=subprocess.STDOUT)
        self.assertEqual(code, 141)
        for name in "ab":
            self.assertIn(f"{name}.checkpoint.safetensors", self.names())
            self.run_well(*train, "-q", "-o", name, "--resume")
        self.assertEqual(self.read("a"), self.read("b"))

    def test_a_full_standard_output_costs_no_model(self):
        with open("/dev/full", "w") as full:
            code, _, err = self.command.run(["train", "pets.txt", "-k", 3, "--progress=json", "-o", "m"], stdout=full)
        self.assertEqual(code, 74, err)
        self.assertTrue(err.endswith("papilio train: cannot write to standard output: No space left on device\n"), err)
        self.run_well("inspect", "m")


if __name__ == "__main__":
    PAPILIO, SHIM = map(os.path.abspath, sys.argv[1:3])
    del sys.argv[1:3]
    unittest.main(verbosity=2)
