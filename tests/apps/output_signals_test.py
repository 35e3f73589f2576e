"""Files that appear, runs that meet, pipes and signals: python3 output_signals_test.py path/to/papilio path/to/shim.so

Nothing here waits for a moment to come: a run is held by its standard input, by a pipe, or by the shim.
"""

import errno
import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from outputs_support import MOST_SECONDS, STRANGER, TRAIN, WRITERS, OutputsTest, main

# What another run of the command is told.
BUSY = "is being written by another process, which holds the lock"
FROM_STDIN = [name for name in WRITERS if name not in ("generate", "import-file")]


class Appearing(OutputsTest):
    """A file that appears at an output's name after a run has begun, without --force."""

    def check_kept(self, process, made):
        code, err = self.finish(process)
        self.assertEqual(code, 73, err)
        self.assertIn(f"cannot create {made}: another file has taken that name in the meantime and is not replaced; "
                      f"what was written is in {made}.1", err)
        self.assertEqual((self.folder / made).read_bytes(), STRANGER)
        self.assertEqual(self.locks(), [])

    def test_each_command(self):
        for name in FROM_STDIN:
            arguments, outputs = self.arguments(name)
            self.run_well(*arguments)
            expected = {made: (self.folder / made).read_bytes() for made in outputs}
            for made in outputs:
                for path in outputs:
                    (self.folder / path).unlink(missing_ok=True)
                process = self.start_reserved(name)
                (self.folder / made).write_bytes(STRANGER)
                with self.subTest(name=name, made=made):
                    self.check_kept(process, made)
                    self.assertEqual((self.folder / f"{made}.1").read_bytes(), expected[made])
                (self.folder / f"{made}.1").unlink()
            for path in self.folder.iterdir():
                if path.name not in self.before:
                    path.unlink()

    def test_the_chain_of_a_model_is_kept_too(self):
        process = self.start_reserved("train")
        (self.folder / "made").write_bytes(STRANGER)
        self.check_kept(process, "made")
        self.assertIn("made.checkpoint.safetensors", self.names())
        self.run_well("inspect", "made.1")
        (self.folder / "made").unlink()
        self.run_well(*self.arguments("train")[0], "--resume")
        self.assertEqual((self.folder / "made").read_bytes(), (self.folder / "made.1").read_bytes())

    def test_a_checkpoints_name(self):
        """Training goes on, and a stranger's file stays, also at the end, when the checkpoint is removed."""
        chain = "made.checkpoint.safetensors"
        process = self.start_reserved("train", "--checkpoint-every", 1)
        (self.folder / chain).write_bytes(STRANGER)
        code, err = self.finish(process)
        self.assertEqual((code, err.count("warning: ")), (0, 2), err)
        self.assertEqual((self.folder / chain).read_bytes(), STRANGER)
        self.assertEqual(self.names(), sorted([*self.before, "made", chain, f"{chain}.1"]))

    def test_names_that_are_taken_already(self):
        for taken in (["made.1"], ["made.1", "made.2"]):
            process = self.start_reserved("import")
            for path in ("made", *taken):
                (self.folder / path).write_bytes(STRANGER)
            code, err = self.finish(process)
            self.assertEqual((code, f"what was written is in made.{len(taken) + 1}" in err), (73, True), err)
            self.run_well("train", f"made.{len(taken) + 1}", "-k", 2, "--sweeps", 1, "-q", "-o", "/dev/null")
            for path in ("made", *taken, f"made.{len(taken) + 1}"):
                (self.folder / path).unlink()

    def test_with_force_it_is_replaced(self):
        process = self.start_reserved("import", "--force")
        (self.folder / "made").write_bytes(STRANGER)
        self.assertEqual(self.finish(process), (0, ""))
        self.assertNotEqual((self.folder / "made").read_bytes(), STRANGER)


class WithoutRenameat2(OutputsTest):
    """File systems that cannot rename without replacing, and those that have no hard links either."""

    def test_a_name_that_is_free_and_one_that_is_taken(self):
        arguments, _ = self.arguments("import")
        self.run_well(*arguments)
        expected = (self.folder / "made").read_bytes()
        (self.folder / "made").unlink()
        rename = self.command.calls(arguments, "made").index("rename") + 1
        (self.folder / "made").unlink()
        for lacking, fault in ((1, errno.EINVAL), (1, errno.ENOSYS), (2, errno.EPERM)):
            faults = {"PATH": "made", "AT": rename, "FOR": lacking, "DO": fault}
            process = self.start(arguments, faults)
            self.assertEqual(self.finish(process), (0, ""))
            self.assertEqual((self.folder / "made").read_bytes(), expected)
            self.assertEqual(self.names(), sorted([*self.before, "made"]))
            (self.folder / "made").unlink()
            reading, _ = self.arguments("import", corpus="-")
            process = self.start(reading, faults, stdin=subprocess.PIPE)
            self.wait_until(self.locks, process)
            self.wait_until_it_reads(process)
            (self.folder / "made").write_bytes(STRANGER)
            code, err = self.finish(process)
            self.assertEqual((code, "what was written is in made.1" in err), (73, True), err)
            self.assertEqual((self.folder / "made").read_bytes(), STRANGER)
            self.run_well("train", "made.1", "-k", 2, "--sweeps", 1, "-q", "-o", "/dev/null")
            for path in ("made", "made.1"):
                (self.folder / path).unlink()
            self.assertEqual(self.names(), self.before)


class Meeting(OutputsTest):
    """Two runs with one output: the second ends at once."""

    def test_each_command(self):
        (self.folder / "to_here").symlink_to(".")
        (self.folder / "to_made").symlink_to("made")
        for name in FROM_STDIN:
            first = self.start_reserved(name)
            for output in ("made", "./made", "to_here/made", *(["to_made"] if name not in ("split", "convert") else [])):
                for force in ([], ["--force"]):
                    self.refused([*self.arguments(name, output)[0], *force], 73, BUSY)
            self.assertEqual(self.finish(first)[0], 0)
            self.assertEqual(self.locks(), [])
            for made in self.arguments(name)[1]:
                (self.folder / made).unlink()

    def test_different_commands(self):
        first = self.start_reserved("train", "--output-topic-keys", "keys")
        for name, output in (("import", "made"), ("infer", "keys"), ("ldavis", "made.checkpoint.safetensors")):
            self.refused(self.arguments(name, output)[0], 73, output, BUSY)
        self.run_well(*self.arguments("import", "other")[0])
        self.assertEqual(self.finish(first)[0], 0)

    def test_checkpoints_do_not_mix(self):
        first = self.start_reserved("train", "--checkpoint", "chain")
        second = self.arguments("train", "other")[0]
        self.refused([*second, "--checkpoint", "chain"], 73, "chain", BUSY)
        self.assertEqual(self.finish(first)[0], 0)
        self.refused([*second, "--checkpoint", "chain"], 73, "chain exists")
        self.run_well(*second, "--checkpoint", "chain", "--resume")

    def test_another_container(self):
        """Another PID namespace, with another mount of the same folder."""
        script = 'mkdir mounted && mount --bind work mounted && cd mounted && exec "$@"'
        outside = ["unshare", "--fork", "--pid", "--mount", "sh", "-c", script, "sh"]
        if subprocess.run([*outside, "true"], cwd=self.folder.parent, stderr=subprocess.DEVNULL).returncode != 0:
            self.skipTest("no namespaces can be made here")
        (self.folder.parent / "mounted").rmdir()
        first = self.start_reserved("import")
        other = subprocess.run([*outside, self.papilio, *self.arguments("import")[0]], cwd=self.folder.parent,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=MOST_SECONDS)
        self.assertEqual((other.returncode, BUSY in other.stderr.decode()), (73, True), other.stderr)
        self.assertEqual(self.finish(first)[0], 0)
        self.assertEqual(self.names(), sorted([*self.before, "made"]))

    def test_a_killed_run_locks_nothing(self):
        first = self.start_reserved("train")
        first.kill()
        first.wait()
        self.assertEqual(len(self.locks()), 2)
        self.run_well(*self.arguments("train")[0])
        self.assertEqual(self.names(), sorted([*self.before, "made"]))

    def test_what_is_no_lock(self):
        self.start_reserved("import")
        lock, = self.locks()
        for make in (os.mkdir, os.mkfifo, lambda path: os.symlink("text", path)):
            (self.folder / "again").mkdir(exist_ok=True)
            make(self.folder / "again" / lock)
            self.refused(self.arguments("import", "again/made")[0], 73, lock)
            (self.folder / "again" / lock).rename(self.folder / "again" / f"was {make}".replace("/", " "))


class Pipes(OutputsTest):
    """A FIFO where a file is expected is refused, or can be ended by one signal."""

    def setUp(self):
        super().setUp()
        os.mkfifo(self.folder / "fifo")

    def test_where_a_file_is_expected(self):
        before = self.names()
        train = [a if a != "CORPUS" else "text" for a in TRAIN]
        for arguments, code in (
                (["topics", "fifo"], 65), (["inspect", "fifo"], 65), (["evaluate", "fifo"], 65),
                (["infer", "fifo", "text", "-o", "made"], 65), (["ldavis", "fifo", "-o", "made"], 65),
                ([*train, "-o", "fifo"], 73), ([*train, "-o", "fifo", "--force"], 73),
                ([*train, "-o", "m", "--checkpoint", "fifo"], 73), ([*train, "-o", "m", "--checkpoint", "fifo", "--resume"], 66),
                (["import", "text", "-o", "fifo", "--force"], 73)):
            found, _, err = self.command.run(arguments)
            self.assertEqual((found, "fifo" in err, err.count("\n")), (code, True, 1), err)
            self.assertEqual(self.names(), before)
        os.mkfifo(self.folder / "text.papilio.safetensors")
        self.refused(train, 73, "text.papilio.safetensors: it is a pipe")
        os.mkfifo(self.folder / "f.papilio-corpus")
        self.refused(["train", "f.papilio-corpus", "-k", 2], 65, "f.papilio-corpus")
        os.mkfifo(self.folder / "m.checkpoint.safetensors.previous")
        self.refused([*train, "-o", "m"], 73, "m.checkpoint.safetensors.previous: it is a pipe")

    def test_texts_come_through_pipes(self):
        """As <(zcat corpus.gz) gives one."""
        for name in FROM_STDIN:
            arguments, outputs = self.arguments(name, corpus="fifo")
            process = self.start(arguments)
            (self.folder / "fifo").write_text((self.folder / "text").read_text())
            self.assertEqual(self.finish(process)[0], 0)
            for made in outputs:
                (self.folder / made).unlink()

    def test_reading_ends_at_the_first_signal(self):
        for name in FROM_STDIN:
            for number in (signal.SIGTERM, signal.SIGINT):
                process = self.start_reserved(name)
                process.send_signal(number)
                self.assertEqual(process.wait(timeout=MOST_SECONDS), -number)
                self.assertEqual(self.names(), [*sorted([*self.before, "fifo"])])

    def test_results_go_through_pipes(self):
        for name in ("infer", "ldavis"):
            expected = self.run_well(*self.arguments(name, "-")[0])
            process = self.start(self.arguments(name, "fifo")[0])
            self.assertEqual((self.folder / "fifo").read_text(), expected)
            self.assertEqual(self.finish(process)[0], 0)

    def is_asleep(self, process):
        """Waits for something: its reader, here."""
        return Path(f"/proc/{process.pid}/wchan").exists() and \
            "S" == Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]

    def test_a_pipe_that_nobody_reads(self):
        """The first signal ends the command, and other outputs that are unfinished go."""
        for name, arguments, temporary in (
                ("infer", self.arguments("infer", "fifo")[0], 0), ("ldavis", self.arguments("ldavis", "fifo")[0], 0),
                ("convert", [*self.arguments("convert")[0], "--output-vocabulary", "fifo"], 1)):
            process = self.start(arguments)
            self.wait_until(lambda: len([n for n in self.names() if n.endswith(".tmp")]) == temporary
                            and self.is_asleep(process), process)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=MOST_SECONDS), -signal.SIGTERM, name)
            self.assertEqual(self.names(), sorted([*self.before, "fifo"]))

    def test_training_that_writes_to_a_pipe(self):
        """The model is there by then, and the first signal ends the command."""
        for option in ("--output-topic-keys", "--output-doc-topics", "--output-state", "--diagnostics-file"):
            process = self.start([*self.arguments("train")[0], option, "fifo"])
            self.wait_until(lambda: (self.folder / "made").exists() and self.is_asleep(process), process)
            time.sleep(0.01)
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=MOST_SECONDS), 143, option)
            self.assertEqual(self.names(), sorted([*self.before, "fifo", "made"]))
            self.run_well("inspect", "made")
            (self.folder / "made").unlink()


class Unfinished(OutputsTest):
    """A signal at any call of any command leaves no file but those that are whole."""

    def test_each_call(self):
        held = 0
        for name in WRITERS:
            arguments, outputs = self.arguments(name)
            more = ["--checkpoint-every", 1] if name == "train" else []
            mark = self.folder.parent / "mark"
            for call in range(1, 100):
                faults = {"PATH": "made", "AT": call, "DO": "pause", "PAUSE": mark}
                process = self.start([*arguments, *more], faults)
                here = Path(f"{mark}.here")
                self.wait_until(lambda: here.exists() or process.poll() is not None)
                if process.poll() is not None:
                    self.assertEqual(process.returncode, 0, process.stderr.read())
                    break
                held += 1
                # Training ends in good order at the first signal, and at once at the second.
                for number in ([signal.SIGTERM, signal.SIGINT] if name == "train" else [signal.SIGTERM]):
                    process.send_signal(number)
                    time.sleep(0.002)
                code = process.wait(timeout=MOST_SECONDS)
                self.assertIn(code, (-signal.SIGTERM, 143, 130), f"{name} {call}")
                left = set(self.names()) - set(self.before)
                allowed = {*outputs, *(f"made.checkpoint.safetensors{e}" for e in ("", ".previous"))}
                self.assertLessEqual(left, allowed, f"{name} at call {call}")
                here.unlink()
                for path in left:
                    (self.folder / path).unlink()
            else:
                self.fail("did not come to an end")
            for path in set(self.names()) - set(self.before):
                (self.folder / path).unlink()
        self.assertGreater(held, 60)


if __name__ == "__main__":
    main("__main__")
