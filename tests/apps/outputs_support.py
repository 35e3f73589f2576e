"""What output_files_test.py and output_signals_test.py share: a folder with inputs, and commands that write."""

import fcntl
import os
import struct
import subprocess
import sys
import termios
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "faults"))
from support import TEXT, Command, quick_folder  # noqa: E402

MOST_SECONDS = 60
STRANGER = b"a file of somebody else\n"

# Each command that writes, with {} where the name of its output goes; what it reads, by the words of messages; and what
# it makes of that name. CORPUS is the corpus's place.
TRAIN = ("train", "CORPUS", "-k", 2, "--sweeps", 3, "--threads", 1, "-q")
WRITERS = {
    "train": ([*TRAIN, "-o", "{}"], ["{}"]),
    "infer": (["infer", "model", "CORPUS", "-q", "-o", "{}"], ["{}"]),
    "convert": (["convert", "CORPUS", "--to", "uci", "-o", "{}"], ["{}", "{}.vocab"]),
    "import": (["import", "CORPUS", "-q", "-o", "{}"], ["{}"]),
    "import-file": (["import-file", "--input", "CORPUS", "-q", "--output", "{}"], ["{}"]),
    "ldavis": (["ldavis", "model", "--corpus", "CORPUS", "-o", "{}"], ["{}"]),
    "split": (["split", "CORPUS", "--every", 2, "-o", "{}"],
              [f"{kind}.{{}}-{part}.txt" for kind in ("docword", "vocab") for part in ("train", "held-out")]),
    "generate": (["generate", "--documents", 9, "--words", 9, "--topics", 2, "-o", "{}"],
                 ["docword.{}.txt", "vocab.{}.txt", "topics.{}.tsv"]),
}


class OutputsTest(unittest.TestCase):
    papilio = shim = ""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(dir=quick_folder())
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name).resolve() / "work"
        self.folder.mkdir()
        self.command = Command(self.papilio, self.shim, self.folder)
        (self.folder / "text").write_text(TEXT)
        self.run_well(*TRAIN[:1], "text", *TRAIN[2:], "-o", "model")
        self.before = self.names()

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def arguments(self, name, output="made", corpus="text"):
        arguments, outputs = WRITERS[name]
        return ([corpus if a == "CORPUS" else str(a).format(output) for a in arguments],
                [text.format(output) for text in outputs])

    def run_well(self, *arguments):
        code, out, err = self.command.run(arguments)
        self.assertEqual(code, 0, err)
        return out

    def refused(self, arguments, code, *texts, before=None):
        """With that exit status and one line that holds the texts; the folder stays as it was."""
        names = self.names()
        found, out, err = self.command.run(arguments)
        self.assertEqual(found, code, f"{arguments}: {err}")
        self.assertEqual((out, err.count("\n")), ("", 1), err)
        for text in texts:
            self.assertIn(text, err)
        self.assertEqual(self.names(), names)
        return err

    def start(self, arguments, faults=None, **options):
        """A process, with stdin=PIPE if wanted, which is killed with the test."""
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, **options}
        process = subprocess.Popen([self.papilio, *map(str, arguments)], cwd=self.folder,
                                   env=self.command.environment(faults), **options)
        self.addCleanup(self.stop, process)
        return process

    def stop(self, process):
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream:
                stream.close()

    def wait_until(self, holds, process=None):
        end = time.monotonic() + MOST_SECONDS
        while not holds():
            self.assertLess(time.monotonic(), end, "what was waited for did not come")
            if process is not None and process.poll() is not None:
                self.fail(f"ended with {process.returncode}: {process.stderr.read().decode()}")
            time.sleep(0.001)

    def locks(self):
        return [name for name in self.names() if name.startswith(".papilio-") and name.endswith(".lock")]

    def start_reserved(self, name, *more, output="made", locks=None):
        """A command that has reserved its outputs and waits for its corpus on standard input."""
        arguments, outputs = self.arguments(name, output, corpus="-")
        count = len(self.locks()) + (locks or len(outputs) + (name == "train"))
        process = self.start([*arguments, *more], stdin=subprocess.PIPE)
        self.wait_until(lambda: len(self.locks()) >= count, process)
        self.wait_until_it_reads(process)
        return process

    def wait_until_it_reads(self, process):
        """Locks come before the look at what is there; when the first byte of the corpus is read, both are over."""
        process.stdin.write(TEXT[:1].encode())
        process.stdin.flush()
        process.sent = 1
        unread = lambda: struct.unpack("i", fcntl.ioctl(process.stdin, termios.FIONREAD, b"\0" * 4))[0]
        self.wait_until(lambda: unread() == 0, process)

    def finish(self, process, text=TEXT):
        """Exit status and standard error, after the corpus has come."""
        rest = text[getattr(process, "sent", 0):]
        _, err = process.communicate(rest.encode() if process.stdin else None, timeout=MOST_SECONDS)
        return process.returncode, err.decode()


def main(module):
    OutputsTest.papilio, OutputsTest.shim = map(os.path.abspath, sys.argv[1:3])
    del sys.argv[1:3]
    unittest.main(module=module, verbosity=2)
