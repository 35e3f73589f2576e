#!/usr/bin/env python3
"""Two runs on one file, in every order that can be forced: python3 two_processes_test.py PAPILIO SHIM [--all]

SHIM is built of fault_shim.cpp: it stops a run at its n-th call to the system on the files in question, for every n.
Then another run begins, or a file appears, and then the first goes on. With --all the second run stops too, at each of
its calls, and goes on when the first has ended. One run gets its file, the other ends with 73, nothing is lost.
"""

import os
import shutil
import tempfile
import time
import unittest
from pathlib import Path

from inputs import make_inputs
from support import Command, quick_folder, run_script

PAPILIO = SHIM = ""
ALL = False
COUNTS = {"orders": 0}
STRANGER = b"a file of somebody else\n"
MOST_SECONDS = 60
# A run stops at each of its calls; under sanitizers, where each takes ten times as long, at every fourth.
STRIDE = 4 if "PAPILIO_SANITIZED" in os.environ else 1


class Stopped:
    """A run that stops at a call, or has ended before it."""

    def __init__(self, command, arguments, paths, call, mark):
        self.here = Path(f"{mark}.here")
        self.process = command.start(arguments, {"PATH": paths, "AT": call, "DO": "pause", "PAUSE": mark})
        end = time.monotonic() + MOST_SECONDS
        while not self.here.exists() and self.process.poll() is None:
            assert time.monotonic() < end, "neither stopped nor ended"
            time.sleep(0.0005)

    def go_on(self):
        self.here.unlink(missing_ok=True)
        _, err = self.process.communicate(timeout=MOST_SECONDS)
        return self.process.returncode, err.decode()


class TwoProcesses(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(dir=quick_folder())
        cls.addClassCleanup(temporary.cleanup)
        cls.inputs = Path(temporary.name) / "in"
        make_inputs(cls.inputs, cls.run_in)

    @staticmethod
    def run_in(folder, arguments):
        code, _, err = Command(PAPILIO, SHIM, folder).run(arguments)
        return code, err

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(dir=quick_folder())
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name).resolve()
        self.folder = self.root / "work"
        self.folder.mkdir()
        self.command = Command(PAPILIO, SHIM, self.folder)
        self.paths = f"{self.folder}/:made:.papilio:=.:={self.folder}"
        shutil.copytree(self.inputs, self.root / "in")
        self.before = {}

    def files(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}

    def restore(self):
        for path in self.folder.iterdir():
            path.unlink()
        for name, content in self.before.items():
            (self.folder / name).write_bytes(content)

    def files_of(self, arguments):
        """What a run alone leaves."""
        self.restore()
        code, _, err = self.command.run(arguments)
        self.assertEqual(code, 0, err)
        return self.files()

    def calls(self, arguments):
        self.restore()
        log = self.root / "calls.log"
        log.unlink(missing_ok=True)
        code, _, err = self.command.run(arguments, {"PATH": self.paths, "LOG": log})
        self.assertEqual(code, 0, err)
        return [line.split()[1] for line in log.read_text().splitlines()]

    def stop(self, arguments, call, mark="first"):
        return Stopped(self.command, arguments, self.paths, call, self.root / mark)

    def each_stop(self, arguments):
        """The run stopped at each of its calls, in a folder as it was before."""
        calls = self.calls(arguments)
        self.assertGreater(len(calls), 5)
        for call, name in list(enumerate(calls, 1))[::STRIDE]:
            self.restore()
            COUNTS["orders"] += 1
            yield f"call {call} of {len(calls)}, {name}", self.stop(arguments, call)

    def each_pair(self, first, second):
        """Both runs' exit status and messages, for every order."""
        for place, one in self.each_stop(first):
            begun = time.monotonic()
            code, _, err = self.command.run(second)
            seconds = time.monotonic() - begun
            yield place, one.go_on(), (code, err), seconds
        if not ALL:
            return
        for call in range(1, len(self.calls(second)) + 1):
            for place, one in self.each_stop(first):
                other = self.stop(second, call, "second")
                ended = one.go_on()
                yield f"{place}; call {call} of the other", ended, other.go_on(), 0

    def check_exclusive(self, first, second, outputs=("made",)):
        """Without --force: one has its files, the other ends with 73, and says where it has kept what it has made."""
        wholes = [self.files_of(arguments) for arguments in (first, second)]
        codes_seen = set()
        for place, one, other, seconds in self.each_pair(first, second):
            with self.subTest(place, one=one, other=other):
                codes = [one[0], other[0]]
                self.assertEqual(sorted(codes), [0, 73])
                winner = codes.index(0)
                codes_seen.add(winner)
                files = self.files()
                self.assertEqual({name: files.pop(name, None) for name in outputs}, wholes[winner])
                lost = (one, other)[1 - winner][1]
                self.assertRegex(lost, "made|words|[.]x-")
                for name, content in files.items():  # what is left was kept for the one that lost, and it said so
                    self.assertIn(name, lost)
                    if not name.endswith("checkpoint.safetensors"):
                        self.assertIn(content, wholes[1 - winner].values())
                self.assertLess(seconds, 10)
        return codes_seen

    TRAIN = ["train", "../in/pets.txt", "-k", 3, "--threads", 1, "-q", "-o", "made"]

    def test_two_trainings(self):
        train = [*self.TRAIN, "--sweeps", 6, "--checkpoint-every", 2]
        self.assertEqual(self.check_exclusive([*train, "--seed", 1], [*train, "--seed", 2]), {0, 1})

    def test_two_conversions(self):
        convert = ["convert", "-o", "made", "--to", "uci", "--output-vocabulary", "words"]
        self.check_exclusive([*convert, "../in/pets.txt"], [*convert, "../in/pets.csv", "--stopwords", "english"],
                             ("made", "words"))

    def test_two_imports(self):
        self.check_exclusive(["import", "../in/pets.txt", "-o", "made"], ["import", "../in/pets.jsonl", "-o", "made"])

    def test_two_inferences(self):
        infer = ["infer", "../in/model", "-o", "made", "-q"]
        self.check_exclusive([*infer, "../in/pets.txt"], [*infer, "../in/pets.txt", "--seed", 3])

    def test_two_resumed(self):
        """Both would write the same model: one may come after the other, at no moment beside it."""
        whole = self.files_of([*self.TRAIN, "--sweeps", 12])["made"]
        chain = self.files_of([*self.TRAIN, "--sweeps", 6, "--checkpoint", "made_chain"])
        self.before = {"made_chain": chain["made_chain"]}
        resume = [*self.TRAIN, "--sweeps", 12, "--checkpoint", "made_chain", "--checkpoint-every", 2, "--resume"]
        refused = 0
        for place, one, other, _ in self.each_pair(resume, resume):
            with self.subTest(place, one=one, other=other):
                self.assertIn(0, (one[0], other[0]))
                self.assertLessEqual({one[0], other[0]}, {0, 73})
                refused += 73 in (one[0], other[0])
                self.assertEqual(self.files()["made"], whole)
                self.assertLessEqual(self.files().keys(), {"made", "made_chain", "made_chain.previous"})
                code, _, err = self.command.run(resume)
                self.assertEqual((code, err), (0, ""))
        self.assertGreater(refused, 10 // STRIDE)

    def test_reading_while_training(self):
        old = self.files_of([*self.TRAIN, "--sweeps", 6, "--seed", 7])
        train = [*self.TRAIN, "--sweeps", 6, "--force"]
        new = self.files_of(train)
        self.before = old
        expected = {}
        for reader in (["topics", "made"], ["infer", "made", "../in/pets.txt", "-o", "-", "-q"]):
            for name, files in (("old", old), ("new", new)):
                (self.folder / "made").write_bytes(files["made"])
                code, out, err = self.command.run(reader)
                self.assertEqual(code, 0, err)
                expected[reader[0], name] = out
            for place, one in self.each_stop(train):
                is_new = self.files()["made"] == new["made"]
                code, out, err = self.command.run(reader)
                ended = one.go_on()
                with self.subTest(place, reader=reader[0]):
                    self.assertEqual((code, err, ended[0]), (0, "", 0))
                    self.assertEqual(out, expected[reader[0], "new" if is_new else "old"])
                    self.assertEqual(self.files(), new)


class AFileAppears(TwoProcesses):
    """While a run is stopped, somebody else's file takes its output's name."""

    def check_appearing(self, arguments, name, others=()):
        whole = self.files_of(arguments)
        for place, one in self.each_stop(arguments):
            appeared = name not in self.files()
            if appeared:
                (self.folder / name).write_bytes(STRANGER)
            code, err = one.go_on()
            with self.subTest(place, name=name, err=err):
                files = self.files()
                self.assertEqual(code, 73 if appeared else 0)
                if not appeared:
                    self.assertEqual(files, whole)
                    continue
                self.assertEqual(files.pop(name), STRANGER)
                self.assertIn(name, err)
                kept = [other for other, content in files.items() if content == whole[name]]
                for other in files.keys() - {*others}:
                    self.assertIn(other, err)
                refused_before_the_work = not files and "exists; " in err
                self.assertTrue(kept or refused_before_the_work, "the result is lost")

    def test_model(self):
        self.check_appearing([*self.TRAIN, "--sweeps", 6], "made")

    def test_topic_keys(self):
        self.check_appearing([*self.TRAIN, "--sweeps", 6, "--output-topic-keys", "made_keys"], "made_keys", ["made"])

    def test_other_commands(self):
        for arguments in (["convert", "../in/pets.txt", "-o", "made", "--to", "ldac", "--output-vocabulary", "words"],
                          ["import", "../in/pets.txt", "-o", "made"],
                          ["infer", "../in/model", "../in/pets.txt", "-o", "made", "-q"],
                          ["ldavis", "../in/model", "-o", "made"]):
            self.check_appearing(arguments, "made", ["words"])

    def test_with_force_it_is_replaced(self):
        train = [*self.TRAIN, "--sweeps", 6, "--force"]
        whole = self.files_of(train)
        for place, one in self.each_stop(train):
            if "made" not in self.files():
                (self.folder / "made").write_bytes(STRANGER)
            ended = one.go_on()
            with self.subTest(place):
                self.assertEqual(ended, (0, ""))
                self.assertEqual(self.files(), whole)


def load_tests(loader, tests, pattern):
    suite = unittest.TestSuite()
    for case in (TwoProcesses, AFileAppears):
        suite.addTests(case(name) for name in loader.getTestCaseNames(case) if name in vars(case))
    return suite


if __name__ == "__main__":
    run_script("--all", lambda: f"{COUNTS['orders']} orders of two processes")
