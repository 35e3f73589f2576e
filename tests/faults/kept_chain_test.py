"""What a run has computed is not lost at its end: python3 kept_chain_test.py path/to/papilio path/to/shim.so [--large]

What cannot be saved is refused before the first sweep. Where a file cannot be written at the end, the chain is saved
at its own place, beside the model or in $TMPDIR, and the command that the message names goes on from it.
"""

import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import TEXT, Command, quick_folder

PAPILIO = SHIM = ""
# What lasts until the fault has been made; ten times as long under sanitizers.
SWEEPS = 3_000 if "PAPILIO_SANITIZED" in os.environ else 20_000


class TrainTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=quick_folder())
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        self.rescue = self.folder / "temporary files"
        for made in (self.rescue, self.folder / "out"):
            made.mkdir()
        (self.folder / "pets.txt").write_text(TEXT)
        os.environ["TMPDIR"] = str(self.rescue)
        self.addCleanup(os.environ.pop, "TMPDIR")
        self.command = Command(PAPILIO, SHIM, self.folder)

    def train(self, *more, sweeps=SWEEPS):
        return ["train", "pets.txt", "-k", 3, "--threads", 1, "--sweeps", sweeps, "--evaluate-every", 0, *more]

    def run_well(self, *arguments):
        code, out, err = self.command.run(arguments)
        self.assertEqual(code, 0, err)
        return out


class KeptChain(TrainTest):
    def whole(self):
        self.run_well(*self.train("-q", "-o", "whole", "--force"))
        return (self.folder / "whole").read_bytes()

    def run_and_lose(self, lost, arguments):
        """A run whose folder `lost` is gone before its end."""
        process = self.command.start([*arguments, "--progress=json"])
        process.stdout.readline()
        shutil.rmtree(self.folder / lost)
        _, err = process.communicate(timeout=120)
        return process.returncode, err.decode()

    def follow(self, err, phrase="to write the model: "):
        """Runs what the message says, as a user would; returns where the chain was."""
        found = re.search(rf"the chain is in (.*); {phrase}(.*)\n", err)
        self.assertIsNotNone(found, err)
        place, command = found.groups()
        done = subprocess.run(command, shell=True, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True)
        self.assertEqual(done.returncode, 0, (command, done.stderr))
        return place

    def test_in_the_folder_for_temporary_files(self):
        for chain in ((), ("--checkpoint", "out/a chain"), ("--checkpoint=out/a chain",)):
            arguments = self.train("-o", "out/model", *chain)
            code, err = self.run_and_lose("out", arguments)
            self.assertEqual(code, 73, err)
            (self.folder / "out").mkdir()
            place = self.follow(err)
            self.assertRegex(place, f"^{self.rescue}/papilio-[^/]{{6}}/model.checkpoint.safetensors$")
            self.assertEqual((self.folder / "out/model").read_bytes(), self.whole())
            (self.folder / "out/model").unlink()

    def test_beside_the_model(self):
        (self.folder / "chains").mkdir()
        arguments = self.train("-o", "out/model", "--checkpoint", "chains/chain", "--output-topic-keys", "chains/keys")
        code, err = self.run_and_lose("chains", arguments)
        self.assertEqual(code, 73, err)
        (self.folder / "chains").mkdir()
        self.assertEqual(self.follow(err), "out/model.checkpoint.safetensors")
        self.assertTrue((self.folder / "chains/keys").exists())
        self.assertEqual((self.folder / "out/model").read_bytes(), self.whole())
        self.assertEqual(list(self.rescue.iterdir()), [])

    def test_at_its_own_place_where_an_output_fails(self):
        (self.folder / "more").mkdir()
        for option, name in (("--output-state", "state.gz"), ("--output-doc-topics", "topics.npy"),
                             ("--topic-word-weights-file", "weights"), ("--diagnostics-file", "diagnostics.xml"),
                             ("--output-topic-keys", "keys")):
            code, err = self.run_and_lose("more", self.train("-o", "out/model", "--force", option, f"more/{name}"))
            self.assertEqual(code, 73, (option, err))
            self.assertIn(f"more/{name}", err)
            (self.folder / "more").mkdir()
            self.assertEqual(self.follow(err), "out/model.checkpoint.safetensors")
            self.assertTrue((self.folder / "more" / name).exists(), option)

    def test_after_an_interruption(self):
        process = self.command.start([*self.train("-o", "out/model", sweeps=4_000_000), "--progress=json"])
        process.stdout.readline()
        shutil.rmtree(self.folder / "out")
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 73, err)
        self.assertIn(f"the chain is in {self.rescue}/papilio-", err.decode())

    def test_nowhere(self):
        """Every write fails: the message names every place that was tried, and nothing is left there."""
        before = sorted(path.name for path in self.folder.rglob("*"))
        code, _, err = self.command.run(self.train("-q", "-o", "out/model", sweeps=20), {
            "PATH": "model:/papilio-", "AT": 1, "FOR": 1_000_000, "DO": errno.ENOSPC})
        self.assertEqual(code, 74, err)
        self.assertIn("the chain could not be saved either: ", err)
        self.assertEqual(sorted(path.name for path in self.folder.rglob("*")), before)

    def test_the_command_to_continue_leaves_the_input_state_behind(self):
        self.run_well(*self.train("-q", "-o", "first", "--output-state", "a state.gz", sweeps=3))
        for state in (("--input-state", "a state.gz"), ("--input-state=a state.gz",)):
            arguments = self.train("-o", "out/model", "--force", *state, sweeps=5 * SWEEPS)
            process = self.command.start([*arguments, "--progress=json"])
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 130, err)
            command = re.search(r"to continue: (.*)\n", err.decode()).group(1)
            self.assertNotIn("input-state", command)
            done = subprocess.run(f"{command} --quiet", shell=True, cwd=self.folder, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("input_state given\n", self.run_well("inspect", "out/model"))


class BeforeTheFirstSweep(TrainTest):
    def refused(self, *arguments):
        begun = sorted(path.name for path in self.folder.rglob("*"))
        code, out, err = self.command.run([*self.train("-o", "model", "--progress=json", sweeps=10**9), *arguments])
        self.assertEqual((code, out), (65, ""), err)
        self.assertEqual(sorted(path.name for path in self.folder.rglob("*")), begun)
        return err

    def test_names_that_a_state_cannot_hold(self):
        (self.folder / "docword.a.txt").write_text("1\n2\n2\n1 1 1\n1 2 1\n")
        (self.folder / "vocab.a.txt").write_text("york\nnew york\n")
        arguments = self.train("-o", "model", "--progress=json", "--output-state", "state.gz", sweeps=10**9)
        arguments[1] = "docword.a.txt"
        code, out, err = self.command.run(arguments)
        self.assertEqual((code, out), (65, ""), err)
        self.assertTrue(err.endswith('papilio train: --output-state state.gz: word 1 is "new york", expected a name '
                                     'without blanks\n'), err)

    def test_another_start_than_the_chains(self):
        self.run_well(*self.train("-q", "-o", "model", "--checkpoint", "chain", sweeps=5))
        err = self.refused("--checkpoint", "chain", "--resume", "--start", "progressive")
        self.assertIn("start is progressive, but the chain to resume started as uniform; expected uniform or automatic",
                      err)


class LargeVocabulary(unittest.TestCase):
    """Six million words, which as JSON took more than the 100 MB that a header may have."""

    @unittest.skipUnless("--large" in sys.argv, "only with --large")
    def test_is_saved(self):
        words = 6_200_000
        with tempfile.TemporaryDirectory(dir=quick_folder()) as folder:
            folder = Path(folder)
            with open(folder / "vocab.v.txt", "w") as file:
                file.writelines(f"word{w:012}\n" for w in range(words))
            with open(folder / "docword.v.txt", "w") as file:
                file.write(f"62\n{words}\n{words}\n")
                file.writelines(f"{1 + w // 100_000} {w + 1} 1\n" for w in range(words))
            command = Command(PAPILIO, SHIM, folder)
            code, _, err = command.run(["train", "docword.v.txt", "-k", 2, "--sweeps", 1, "-q", "-o", "model"])
            self.assertEqual(code, 0, err)
            code, out, err = command.run(["inspect", "model"])
            self.assertEqual(code, 0, err)
            self.assertIn("words       6,200,000", out)


if __name__ == "__main__":
    PAPILIO, SHIM = map(os.path.abspath, sys.argv[1:3])
    if "--large" in sys.argv:
        unittest.main(argv=[sys.argv[0], "LargeVocabulary"], verbosity=2)
    del sys.argv[1:3]
    unittest.main(argv=[sys.argv[0], "KeptChain", "BeforeTheFirstSweep"], verbosity=2)
