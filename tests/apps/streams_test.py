"""Standard output and error that cannot be written to or are closed, names that are no UTF-8, and words that a
terminal would act on: python3 streams_test.py path/to/papilio."""

import fcntl
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import unittest
from pathlib import Path

COMMAND = ""

# What each subcommand prints to standard output, and the files that it writes.
PRINTS = {
    "train": ["train", "pets.txt", "-k", "2", "--sweeps", "9", "-o", "model"],
    "topics": ["topics", "given"],
    "topics of documents": ["topics", "given", "--documents", "1", "--corpus", "pets.txt"],
    "inspect": ["inspect", "given"],
    "choose": ["choose", "pets.txt", "-k", "2", "--sweeps", "9", "--seeds", "1", "--restart",
               "--state", "/dev/null"],
    "evaluate": ["evaluate", "given", "--corpus", "pets.txt", "--reference", "bag.mtx"],  # with a warning
    "import": ["import", "pets.txt", "-o", "corpus"],
    "import-file": ["import-file", "--input", "pets.txt", "--output", "corpus"],
    "import-dir": ["import-dir", "--input", "folder", "--output", "corpus"],
    "convert": ["convert", "pets.txt", "-o", "made.mtx"],
    "convert -": ["convert", "pets.txt", "-o", "-", "--to", "text"],
    "infer -": ["infer", "given", "pets.txt", "-o", "-"],
    "ldavis -": ["ldavis", "given", "-o", "-"],
    "split": ["split", "pets.txt", "--every", "2", "-o", "parts"],
    "generate": ["generate", "-o", "new", "--documents", "5", "--words", "20", "-k", "2"],
    "devices": ["devices"],
    "completion": ["completion", "bash"],
    "man": ["man"],
    "--help": ["--help"],
    "train --help": ["train", "--help"],
    "--version": ["--version"],
}
PRINTS_NOTHING = {
    "infer": ["infer", "given", "pets.txt", "-o", "topics"],
    "ldavis": ["ldavis", "given", "-o", "vis"],
    "merge": ["merge", "given", "0,1", "-o", "merged"],
    "train -q": ["train", "pets.txt", "-k", "2", "--sweeps", "9", "-o", "model", "-q"],
}
if "PAPILIO_SANITIZED" in os.environ:  # each run takes ten times as long there; all share what writes to the streams
    PRINTS = dict(list(PRINTS.items())[::3])
ALL = {**PRINTS, **PRINTS_NOTHING}
FIXED = ("pets.txt", "bag.mtx", "bag.mtx.vocab", "given", "folder")


def closed_pipe():
    """The writing end of a pipe that nobody reads."""
    reading, writing = os.pipe()
    os.close(reading)
    return writing


class StreamsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.inputs = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.inputs.cleanup)
        path = Path(cls.inputs.name)
        (path / "pets.txt").write_text("one x the cat chased mice\ntwo x kittens drink warm milk\n" * 8)
        (path / "folder").mkdir()
        (path / "folder/a.txt").write_text("cats chase mice")
        for arguments in (["train", "pets.txt", "-k", "2", "--sweeps", "3", "-q", "-o", "given"],
                          ["convert", "pets.txt", "-o", "bag.mtx"]):
            subprocess.run([COMMAND, *arguments], cwd=path, check=True, timeout=120, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        shutil.copytree(self.inputs.name, self.path, dirs_exist_ok=True)

    def start(self, arguments, **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        done = subprocess.run([COMMAND, *arguments], cwd=self.path, timeout=120, **options)
        return done.returncode, done.stdout, done.stderr

    def run_well(self, *arguments, **options):
        code, out, err = self.start(arguments, **options)
        self.assertEqual(code, 0, (arguments, err))
        return out, err

    def shell(self, redirections, arguments, **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        done = subprocess.run(["/bin/sh", "-c", f'exec "$0" "$@" {redirections}', COMMAND, *arguments], cwd=self.path,
                              timeout=120, **options)
        return done.returncode, done.stdout, done.stderr

    def made(self):
        """The files that a run has made, which are then removed."""
        files = {}
        for path in sorted(self.path.iterdir()):
            if path.name not in FIXED:
                files[path.name] = path.read_bytes()
                path.unlink()
        return files

    def without_times(self, text):
        return re.sub(rb"(speed|time) .*", b"", text)


class StandardError(StreamsTest):
    def test_that_cannot_be_written_to_changes_nothing(self):
        for name, arguments in ALL.items():
            out, _ = self.run_well(*arguments)
            files = self.made()
            full = os.open("/dev/full", os.O_WRONLY)
            for kind, run in (("full", lambda a: self.start(a, stderr=full)),
                              ("closed", lambda a: self.shell("2>&-", a)),
                              ("pipe", lambda a: self.start(a, stderr=closed_pipe()))):
                with self.subTest(command=name, kind=kind):
                    code, out_now, _ = run(arguments)
                    self.assertEqual((code, self.without_times(out_now)), (0, self.without_times(out)))
                    self.assertEqual(self.made(), files)
            os.close(full)

    def test_that_breaks_in_the_middle_of_training_changes_nothing(self):
        train = ["train", "pets.txt", "-k", "2", "--sweeps", "3000", "--evaluate-every", "1", "-o", "model"]
        self.run_well(*train)
        whole = self.made()
        process = subprocess.Popen([COMMAND, *train], cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stderr.readline()
        process.stderr.close()
        out = process.stdout.read()
        process.stdout.close()
        self.assertEqual((process.wait(timeout=120), b"model  " in out), (0, True))
        self.assertEqual(self.made(), whole)

    def test_errors_keep_their_code(self):
        for stderr in ("2>&-", "2>/dev/full"):
            self.assertEqual(self.shell(stderr, ["train", "absent"])[0], 66)
            self.assertEqual(self.shell(stderr, ["train"])[0], 64)


class StandardOutput(StreamsTest):
    def test_that_cannot_be_written_to_is_an_error(self):
        for name, arguments in PRINTS.items():
            for kind, redirection in (("full", ">/dev/full"), ("closed", ">&-")):
                with self.subTest(command=name, kind=kind):
                    code, _, err = self.shell(redirection, arguments)
                    self.assertEqual(code, 74, err)
                    self.assertRegex(err, b"papilio[a-z -]*: cannot write .*\n$")
                    self.made()

    def test_that_nobody_reads_ends_silently(self):
        for name, arguments in PRINTS.items():
            with self.subTest(command=name):
                code, _, err = self.start(arguments, stdout=closed_pipe())
                self.assertIn(code, (-signal.SIGPIPE, 141), err)
                self.assertNotIn(b"cannot write", err)
                self.made()

    def test_that_is_not_needed_may_be_closed(self):
        for name, arguments in PRINTS_NOTHING.items():
            self.run_well(*arguments)
            files = self.made()
            for redirection in (">&-", ">/dev/full", "<&- >&- 2>&-"):
                with self.subTest(command=name, redirection=redirection):
                    code, _, err = self.shell(redirection, arguments)
                    self.assertEqual(code, 0, err)
                    self.assertEqual(self.made(), files)

    def test_no_file_takes_the_number_of_one_that_was_closed(self):
        train = [*PRINTS["train"], "--output-state", "state.gz", "--output-topic-keys", "keys", "--checkpoint", "chain",
                 "--checkpoint-every", "2"]
        self.run_well(*train)
        files = self.made()
        for redirection in ("<&-", "2>&-", ">&-", "<&- 2>&-", "<&- >&-", "<&- >&- 2>&-"):
            with self.subTest(redirection=redirection):
                code, _, _ = self.shell(redirection, train)
                self.assertEqual(code, 74 if ">&-" in redirection.split() else 0)
                self.assertEqual(self.made(), files)

    def test_closed_standard_input_is_no_corpus(self):
        code, _, err = self.shell("<&-", ["train", "-", "-k", "2"])
        self.assertIn(code, (66, 74), err)
        self.assertEqual(self.made(), {})

    def test_dev_stdout_that_is_closed(self):
        code, _, err = self.shell(">&-", ["infer", "given", "pets.txt", "-o", "/dev/stdout"])
        self.assertEqual(code, 74, err)


class Names(StreamsTest):
    def test_that_are_no_utf8(self):
        corpus, model = b"caf\xe9\x1b[31m.txt", b"caf\xe9\x1b[31m.papilio.safetensors"
        os.rename(self.path / "pets.txt", os.path.join(os.fsencode(self.path), corpus))
        out, err = self.run_well(b"train", corpus, b"-k", b"2", b"--sweeps", b"2")
        self.assertIn(rb"caf\xe9\x1b[31m.papilio.safetensors", out)
        self.assertIn(rb"read caf\xe9\x1b[31m.txt (text)", err)
        self.assertIn(model, os.listdir(os.fsencode(self.path)))
        out, _ = self.run_well(b"train", corpus, b"-k", b"2", b"--sweeps", b"2", b"--progress=json")
        done = json.loads(out.splitlines()[-1].decode("utf-8"))
        self.assertEqual(done["model"], "caf\ufffd\x1b[31m.papilio.safetensors")
        for arguments in ([b"topics", model], [b"inspect", model], [b"evaluate", model, b"--corpus", corpus],
                          [b"infer", model, corpus, b"-o", b"\xff.tsv"], [b"convert", corpus, b"-o", b"\xfe.mtx"],
                          [b"import", corpus, b"-o", b"\xfd"], [b"split", corpus, b"--every", b"2", b"-o", b"\xfc"],
                          [b"generate", b"-o", b"\xfb", b"--documents", b"3", b"--words", b"9", b"-k", b"2"],
                          [b"train", corpus, b"-k", b"2", b"--sweeps", b"2", b"-o", b"\xfa"]):
            for chunk in self.run_well(*arguments):
                self.assertNotIn(b"\x1b", chunk)
                chunk.decode("utf-8")
        json.loads(self.run_well(b"evaluate", model, b"--corpus", corpus, b"--format", b"json")[0].decode("utf-8"))
        self.assertIn(b"\xff.tsv", os.listdir(os.fsencode(self.path)))
        code, _, err = self.start([b"train", b"\x1b]0;\xff\n\x07"])
        self.assertEqual(code, 66)
        self.assertEqual(err, b"papilio train: cannot open \\x1b]0;\\xff\n  \\x07: No such file or directory\n")

    def test_the_command_to_resume_can_be_typed(self):
        name = b"it's\xe9\x1b.txt"
        os.rename(self.path / "pets.txt", os.path.join(os.fsencode(self.path), name))
        process = subprocess.Popen([COMMAND, b"train", name, b"-k", b"2", b"--sweeps", b"400000000",
                                    b"--progress=json", b"-o", b"m"],
                                   cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        err = process.communicate(timeout=120)[1]
        typed = err.split(b"to continue: ")[1].strip()
        self.assertNotIn(b"\x1b", typed)
        self.assertIn(rb"$'it\x27s\xe9\x1b.txt'", typed)
        shell = subprocess.run(["bash", "-c", b"set -- " + typed.split(b" ", 1)[1] + b'; printf %s "$2"'],
                               check=True, stdout=subprocess.PIPE)
        self.assertEqual(shell.stdout, name)


def read_terminal(arguments, path, columns, environment=None, until=None):
    """What the command shows on a terminal, as standard output and error."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen([COMMAND, *arguments], cwd=path, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                               env={**os.environ, "TERM": "xterm", **(environment or {})})
    os.close(theirs)
    shown = b""
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not chunk:
            break
        shown += chunk
        if until:
            until(ours, shown)
    os.close(ours)
    return process.wait(timeout=120), shown.decode("utf-8")


class Words(StreamsTest):
    EVIL = ["a\x1b[31mb", "c\x07d", "e\u202ef", "g\x9bh", "i\u2066j"]

    def setUp(self):
        super().setUp()
        lines = [" ".join(self.EVIL)] * 4
        (self.path / "evil.low").write_text(f"{len(lines)}\n" + "\n".join(lines) + "\n")
        self.run_well("train", "evil.low", "-k", "2", "--sweeps", "2", "-q", "-o", "given2", "--output-topic-keys",
                      "keys")

    def test_are_escaped_in_tables_and_whole_in_files_and_json(self):
        out = self.run_well("topics", "given2")[0].decode()
        for escaped in (r"a\x1b[31mb", r"c\x07d", r"e\u202ef", r"g\u009bh", r"i\u2066j"):
            self.assertIn(escaped, out)
        out = self.run_well("topics", "given2", "--format", "json")[0]
        self.assertTrue(out.replace(b"\n", b"").decode().isprintable())
        words = {word["word"] for topic in json.loads(out)["topics"] for word in topic["words"]}
        self.assertEqual(words, set(self.EVIL))
        keys = (self.path / "keys").read_bytes()
        self.assertIn(self.EVIL[0].encode(), keys)
        self.assertEqual(self.run_well("topics", "given2", "--format", "tsv", "-n", "20")[0], keys)

    def test_are_escaped_on_a_terminal(self):
        for form in ("text", "tsv", "json", "csv"):
            code, shown = read_terminal(["topics", "given2", "--format", form], self.path, 80)
            self.assertEqual(code, 0, shown)
            self.assertFalse(re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e\u2066]", shown), shown)
            self.assertIn(r"a\x1b[31mb" if form != "json" else r"a\u001b[31mb", shown)


class LiveLine(StreamsTest):
    # In one thread, so that it takes a few updates, ten per second, on a machine of many cores too.
    TRAIN = ["train", "made.mtx", "-k", "50", "--sweeps", "60", "--threads", "1", "-q", "-o", "m", "--force",
             "--evaluate-every", "5"]

    def setUp(self):
        super().setUp()
        self.run_well("generate", "-o", "made", "--documents", "1000", "--words", "500", "-k", "5")
        self.run_well("convert", "docword.made.txt", "-o", "made.mtx")
        self.train = [a for a in self.TRAIN if a != "-q"]

    def lines(self, shown):
        """The updates of the live line, without colours."""
        return re.sub("\x1b\\[[0-9;]*m", "", shown).split("\r")

    def test_fits_at_every_width(self):
        for columns, colour in ((200, ""), (80, ""), (80, "1"), (40, "1"), (20, ""), (9, "1")):
            code, shown = read_terminal([*self.train, "--verbose"], self.path, columns, {"NO_COLOR": colour})
            self.assertEqual(code, 0, shown)
            updates = [line for line in self.lines(shown) if line.startswith("sweep ")]
            self.assertGreater(len(updates), 1)
            for line in updates:
                self.assertLess(len(line.split("\n")[0]), columns, line)
            self.assertEqual("\x1b" in shown, not colour)
            last = updates[-1].split("\n")[0]
            self.assertTrue(last.startswith("sweep 60/60"[:columns - 1]), last)
            self.assertEqual("likelihood -" in last, columns >= 80, last)
            if columns == 40:  # room for one of them: it depends on how many digits the speed has
                self.assertNotEqual("[=====" in last, "tokens/s" in last, last)
            else:
                self.assertEqual("[=====" in last, columns == 200, last)
                self.assertEqual("tokens/s" in last, columns >= 80, last)
            self.assertEqual(columns >= 40, "0:00 left" in last)

    def test_fits_when_the_terminal_is_resized(self):
        resized = []

        def resize(terminal, shown):
            if not resized and shown.count(b"\rsweep") >= 2:
                fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 30, 0, 0))
                resized.append(len(shown))
        long = [a if a != "60" else "400" for a in self.train]
        code, shown = read_terminal(long, self.path, 120, {"NO_COLOR": "1"}, resize)
        self.assertEqual(code, 0)
        before, after = shown[:resized[0]], shown[resized[0]:]
        self.assertGreater(max(map(len, self.lines(before))), 60)
        later = self.lines(after)[2:]  # one is on its way
        updates = [line.split("\n")[0] for line in later if line.startswith("sweep ")]
        self.assertGreater(len(updates), 1)
        self.assertLess(max(map(len, updates)), 30)

    def test_hides_what_was_longer(self):
        for columns in (80, 40, 20):
            _, shown = read_terminal(self.train, self.path, columns, {"NO_COLOR": "1"})
            screen = ""
            for line in self.lines(shown.split("documents ")[0]):
                line = line.split("\n")[0]
                screen = line + screen[len(line):] if line.startswith("sweep ") else ""
                if line.startswith("sweep 60/60"):
                    self.assertNotIn("sweep", screen[5:])
                    self.assertRegex(screen,
                                     r"^sweep 60/60( \[=*\])?(  0:00 left)?(  likelihood -\d\.\d{4} per token)? *$")


if __name__ == "__main__":
    COMMAND = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
