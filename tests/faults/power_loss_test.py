#!/usr/bin/env python3
"""Takes the power away after every change of a file or folder that a command makes, and looks at what the disk holds.

    tests/faults/power_loss_test.py PAPILIO SHIM [--all-states]

SHIM is built of record_shim.cpp. Every state that a disk may be in (disk.py) has for each output the old file or the
new one, whole; after exit status 0 the new one. From every state training continues to the same model and leaves
nothing temporary; the other commands, run again, make the same files. Of states that differ in no file that papilio
would read, only one is continued, unless --all-states is given. Recordings from which the syncs are taken out are the
controls: there the states must be found to be damaged.
"""

import os
import re
import tempfile
import unittest
from pathlib import Path

from disk import Disk, read_log
from inputs import make_inputs
from support import Command, quick_folder, run_script

PAPILIO = SHIM = ""
ALL_STATES = False
COUNTS = {"calls": 0, "states": 0, "continued": 0}


def is_ours(name):
    """Names beside an output, which no user gives: new files, locks."""
    return re.search(r"\.tmp(\.old)?$|\.lock$", name) is not None


class PowerLoss(unittest.TestCase):
    CHAINS = ("chain", "chain.previous")

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(dir=quick_folder())
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name).resolve()
        self.folder = self.root / "work"
        self.folder.mkdir()
        self.command = Command(PAPILIO, SHIM, self.folder)
        make_inputs(self.root / "in", self.run_in)

    def run_in(self, folder, arguments):
        code, _, err = Command(PAPILIO, SHIM, folder).run(arguments)
        return code, err

    def files(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}

    def write(self, files):
        for path in self.folder.iterdir():
            path.unlink()
        for name, content in files.items():
            (self.folder / name).write_bytes(content)

    def run_well(self, arguments):
        code, _, err = self.command.run(arguments)
        self.assertEqual(code, 0, err)

    def record(self, arguments):
        """The disk before, the records, what the folder holds afterwards."""
        log = self.root / "log"
        log.unlink(missing_ok=True)
        disk = Disk(self.folder)
        process = self.command.start(arguments, env=self.command.preloaded({"RECORD_LOG": str(log)}))
        _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0, err)
        return disk, read_log(log), self.files()

    def prefixes(self, disk, records):
        """Applies the records; after each one that matters, and after the last, whether that is the end."""
        for number, record in enumerate(records):
            if disk.apply(record) and number + 1 < len(records):
                COUNTS["calls"] += 1
                yield False
        yield True

    def complaints(self, before, after, disk, records, outputs, on_state=None):
        """What is wrong with the states, each once."""
        wrong, whole = set(), {before.get(name) for name in self.CHAINS} | {None}
        had_chain = any(name in before for name in self.CHAINS)
        for is_end in self.prefixes(disk, records):
            whole |= {disk.visible().get(name) for name in self.CHAINS}
            always = True
            for state in disk.after_loss():
                COUNTS["states"] += 1
                for name in outputs:
                    if state.get(name) not in (before.get(name), after[name]):
                        wrong.add(f"{name} is gone" if name not in state else f"{name} is torn")
                    elif is_end and state.get(name) != after[name]:
                        wrong.add(f"{name} is the old one after exit status 0")
                if any(state.get(name) not in whole for name in self.CHAINS):
                    wrong.add("a checkpoint is torn")
                has_chain = any(name in state for name in self.CHAINS)
                if had_chain and not has_chain and state.get("made") != after.get("made"):
                    wrong.add("no checkpoint is left")
                always = always and has_chain
                if on_state:
                    on_state(state)
            had_chain = had_chain or always
        return wrong

    def check(self, arguments, outputs, before, again):
        """`again` gets a state, and returns the arguments that go on from there."""
        self.write(before)
        disk, records, after = self.record(arguments)
        seen = {}

        def note(state):
            read = {name: content for name, content in state.items() if not is_ours(name)}
            beside = {re.sub(r"[0-9a-zA-Z]{6,16}\.tmp", "tmp", name) for name in state if is_ours(name)}
            key = state if ALL_STATES else {**read, "": repr(sorted(beside)).encode()}
            seen.setdefault(tuple(sorted(key.items())), state)

        self.assertEqual(self.complaints(before, after, disk, records, outputs, note), set())
        self.assertEqual(disk.visible(), after, "a call was not recorded")
        for state in seen.values():
            COUNTS["continued"] += 1
            self.write(state)
            self.run_well(again(state))
            found = self.files()
            self.assertEqual({name: found.get(name) for name in outputs}, {name: after[name] for name in outputs})
            left = [name for name in found if is_ours(name)]
            self.assertEqual(left, [], f"temporary files stay: of {sorted(state)}")

    TRAIN = ["train", "../in/pets.txt", "-k", 3, "--threads", 1, "-q", "-o", "made"]

    def again_training(self, arguments):
        first = [word for word in arguments if word not in ("--force", "--resume")]

        def again(state):
            chains = any(name in state for name in self.CHAINS)
            return [*first, *(["--resume"] if chains else []), "--force"]
        return again

    def check_training(self, arguments, before, outputs=("made",)):
        self.check(arguments, outputs, before, self.again_training(arguments))

    def old_run(self):
        """The files of a run that is over, with a checkpoint before the last."""
        self.write({})
        self.run_well([*self.TRAIN, "--sweeps", 4, "--checkpoint", "chain", "--checkpoint-every", 2])
        return self.files()

    def test_training(self):
        self.check_training([*self.TRAIN, "--sweeps", 6, "--checkpoint-every", 2, "--checkpoint", "chain"], {})

    def test_training_over_an_old_model(self):
        self.check_training([*self.TRAIN, "--sweeps", 6, "--checkpoint-every", 3, "--checkpoint", "chain", "--force"],
                            {"made": b"the old model"})

    def test_a_checkpoint_of_its_own_is_removed_last(self):
        self.CHAINS = ("made.checkpoint.safetensors", "made.checkpoint.safetensors.previous")
        self.check_training([*self.TRAIN, "--sweeps", 6, "--checkpoint-every", 2], {})

    def test_resuming(self):
        self.check_training([*self.TRAIN, "--sweeps", 8, "--checkpoint-every", 2, "--checkpoint", "chain", "--resume"],
                            self.old_run())

    def test_other_outputs_of_training(self):
        outputs = ["keys", "topics.npy", "state.gz", "weights", "diagnostics"]
        options = ["--output-topic-keys", "--output-doc-topics", "--output-state", "--topic-word-weights-file",
                   "--diagnostics-file"]
        pairs = [word for pair in zip(options, outputs) for word in pair]
        self.check_training([*self.TRAIN, "--sweeps", 2, "--checkpoint", "chain", "--force", *pairs],
                            {name: b"old" for name in ("made", *outputs)}, ("made", *outputs))

    def test_a_damaged_checkpoint_is_set_aside(self):
        before = self.old_run()
        before["chain"] = before["chain"][:-9]
        self.check_training([*self.TRAIN, "--sweeps", 6, "--checkpoint-every", 2, "--checkpoint", "chain", "--resume"],
                            before)

    def check_command(self, arguments, outputs):
        for before in ({}, {name: b"old" for name in outputs}):
            self.check([*arguments, "--force"], outputs, before, lambda state: [*arguments, "--force"])

    def test_convert(self):
        for kind in ("text", "uci", "npz", "corpus"):
            words = ["words"] if kind in ("uci", "npz") else []
            self.check_command(["convert", "../in/pets.txt", "-o", "made", "--to", kind,
                                *(["--output-vocabulary", "words"] if words else [])], ["made", *words])

    def test_import(self):
        self.check_command(["import", "../in/pets.txt", "-o", "made"], ["made"])

    def test_other_commands(self):
        self.check_command(["infer", "../in/model", "../in/pets.txt", "-o", "made", "-q"], ["made"])
        self.check_command(["infer", "../in/model", "../in/pets.txt", "-o", "made.npy", "-q"], ["made.npy"])
        self.check_command(["ldavis", "../in/model", "-o", "made.json"], ["made.json"])
        self.check_command(["split", "../in/pets.txt", "--every", 2, "-o", "x"],
                           [f"{what}.x-{part}.txt" for what in ("docword", "vocab") for part in ("train", "held-out")])
        self.check_command(["generate", "-o", "x", "--documents", 5, "--words", 9, "-k", 2],
                           ["docword.x.txt", "vocab.x.txt", "topics.x.tsv"])


class Controls(PowerLoss):
    """Recordings of a writer that forgets something."""

    def complaints_of(self, forget):
        arguments = [*self.TRAIN, "--sweeps", 6, "--checkpoint-every", 2, "--checkpoint", "chain", "--resume"]
        before = self.old_run()
        disk, records, after = self.record(arguments)
        return self.complaints(before, after, disk, forget(records), ["made"])

    def folders_of_syncs(self, records):
        """Numbers of the records that sync folders, and of those that sync files."""
        opened, folders, files = {}, set(), set()
        for number, record in enumerate(records):
            if record[0] == "open":
                opened[record[1]] = record[2]
            elif record[0] == "sync":
                (folders if os.path.isdir(opened[record[1]]) else files).add(number)
        return folders, files

    def without_syncs(self, which):
        def forget(records):
            dropped = self.folders_of_syncs(records)[which]
            return [record for number, record in enumerate(records) if number not in dropped]
        return self.complaints_of(forget)

    def test_nothing_forgotten(self):
        self.assertEqual(self.complaints_of(lambda records: records), set())

    def test_files_not_synced(self):
        self.assertEqual(self.without_syncs(1), {"made is torn", "a checkpoint is torn"})

    def test_folder_not_synced(self):
        self.assertEqual(self.without_syncs(0), {"made is the old one after exit status 0"})

    def test_synced_after_the_renaming(self):
        def late(records):
            rename = max(number for number, record in enumerate(records) if record[0] == "rename")
            sync = max(self.folders_of_syncs(records[:rename])[1])
            return [*records[:sync], records[rename], records[sync], *records[sync + 1:rename], *records[rename + 1:]]
        self.assertEqual(self.complaints_of(late), {"a checkpoint is torn"})

    def test_the_old_one_removed_first(self):
        def removing(records):
            at = max(number for number, record in enumerate(records) if record[0] == "rename" and "made" in record[2])
            return [*records[:at], ["unlink", records[at][2], b""], *records[at:]]
        self.assertIn("made is gone", self.complaints_of(removing))


def load_tests(loader, tests, pattern):
    suite = unittest.TestSuite()
    suite.addTests(loader.loadTestsFromTestCase(PowerLoss))
    suite.addTests(Controls(name) for name in loader.getTestCaseNames(Controls) if name in vars(Controls))
    return suite


if __name__ == "__main__":
    run_script("--all-states", lambda: (
        f"{COUNTS['calls']} places at which the power was taken away, {COUNTS['states']} states of the disk, "
        f"{COUNTS['continued']} continued"))
