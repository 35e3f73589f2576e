"""Runs the command papilio from end to end: python3 command_test.py path/to/papilio."""

import csv
import gzip
import io
import json
import os
import pty
import resource
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMMAND = ""
# A process begun in the background of a script inherits that SIGINT is ignored, and papilio would leave it so.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Two subjects, so that two topics make sense.
TEXT = """\
The cat chased the mouse, and the mouse hid from the cat.
Kittens and cats like warm milk; mouse and kitten play.

Stars and planets: a planet orbits its star, a moon its planet.
Telescopes show moons, planets, stars and galaxies.
A kitten drinks milk.
Every galaxy holds stars beyond number.
"""


class CommandTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)
        (self.path / "pets.txt").write_text(TEXT)

    def papilio(self, *arguments, code=0, **options):
        options = {"stdin": subprocess.DEVNULL, **options} if "input" not in options else options
        run = subprocess.run(
            [COMMAND, *map(str, arguments)],
            cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, **options)
        self.assertEqual(run.returncode, code, f"{arguments}\n{run.stdout.decode()}\n{run.stderr.decode()}")
        run.out, run.err = run.stdout.decode(), run.stderr.decode()
        return run

    def read(self, name):
        return (self.path / name).read_bytes()

    def names(self):
        return sorted(file.name for file in self.path.iterdir())


class Train(CommandTest):
    def test_needs_nothing_but_a_corpus_and_topics(self):
        run = self.papilio("train", "pets.txt", "-k", 2)
        self.assertEqual(self.names(), ["pets.papilio.safetensors", "pets.txt"])
        sizes, topics, commands = run.out.split("\n\n")
        lines = dict(line.split(maxsplit=1) for line in sizes.splitlines())
        self.assertEqual(topics.splitlines(), self.papilio("topics", "pets.papilio.safetensors", "-n", 8).out.splitlines())
        for line in commands.splitlines():
            self.assertIn(" papilio ", line)
            self.assertIn(" pets.papilio.safetensors", line)
        self.assertRegex(lines["time"], r"^\d:\d\d$")
        self.assertEqual(lines["documents"], "7")
        self.assertEqual(lines["topics"], "2")
        self.assertEqual(lines["model"], "pets.papilio.safetensors")
        self.assertLess(float(lines["likelihood"].split()[0]), 0)
        self.assertGreater(int(lines["tokens"]), 30)
        self.assertIn("1 empty documents", run.err)
        self.assertIn("sweep 200/200", run.err)

    def test_same_seed_same_bytes_for_any_number_of_threads(self):
        for name, seed, threads in (("a", 1, 1), ("b", 1, 3), ("c", 2, 1)):
            self.papilio("train", "pets.txt", "-k", 3, "--seed", seed, "--threads", threads, "-o", name)
        self.assertEqual(self.read("a"), self.read("b"))
        self.assertNotEqual(self.read("a"), self.read("c"))

    def test_reads_standard_input_and_compressed_text(self):
        self.papilio("train", "pets.txt", "-k", 2)
        self.papilio("train", "-", "-k", 2, input=TEXT.encode())
        (self.path / "packed.txt.gz").write_bytes(gzip.compress(TEXT.encode()))
        self.papilio("train", "packed.txt.gz", "-k", 2)
        self.assertEqual(self.read("stdin.papilio.safetensors"), self.read("pets.papilio.safetensors"))
        self.assertEqual(self.read("packed.papilio.safetensors"), self.read("pets.papilio.safetensors"))

    def test_knows_uci_bags_of_words(self):
        (self.path / "docword.bag.txt").write_text("2\n3\n3\n1 1 2\n1 3 1\n2 2 4\n")
        (self.path / "vocab.bag.txt").write_text("red\ngreen\nblue\n")
        run = self.papilio("train", "docword.bag.txt", "-k", 2)
        self.assertIn("(uci)", run.err)
        self.assertIn("green", self.papilio("topics", "bag.papilio.safetensors").out)
        (self.path / "docword.bag.txt").rename(self.path / "numbers")
        self.assertIn("(uci)", self.papilio("train", "numbers", "-k", 2).err)
        self.assertIn("(text)", self.papilio("train", "vocab.bag.txt", "-k", 2).err)
        (self.path / "plain").write_text("3\n3\n3 words not numbers\n")
        self.assertIn("(text)", self.papilio("train", "plain", "-k", 2).err)

    def test_leaves_words_out(self):
        self.papilio("train", "pets.txt", "-k", 2, "--stopwords", "english", "--min-df", 2)
        words = self.papilio("topics", "pets.papilio.safetensors", "-n", 100).out.split()
        self.assertIn("milk", words)
        self.assertNotIn("the", words)  # a stop word
        self.assertNotIn("telescopes", words)  # once
        (self.path / "stop").write_text("# mine\nmilk\n")
        self.papilio("train", "pets.txt", "-k", 2, "--stopwords", "stop")
        words = self.papilio("topics", "pets.papilio.safetensors", "-n", 100).out.split()
        self.assertNotIn("milk", words)
        self.assertIn("the", words)

    def test_takes_mallets_names(self):
        self.papilio("train", "pets.txt", "--num-topics", 3, "--num-iterations", 10, "--random-seed", 4,
                     "--num-threads", 1, "--num-top-words", 4, "--output-topic-keys", "keys.txt")
        keys = self.read("keys.txt").decode()
        self.assertEqual(keys, self.papilio("topics", "pets.papilio.safetensors", "-n", 4, "--format", "tsv").out)
        lines = [line.split("\t") for line in keys.splitlines()]
        self.assertEqual([line[:2] for line in lines], [["0", "0.10000"], ["1", "0.10000"], ["2", "0.10000"]])
        self.assertEqual([len(line[2].split()) for line in lines], [4, 4, 4])

    def test_device_changes_nothing_but_where_it_trains(self):
        train = ["train", "pets.txt", "-k", 3, "--sweeps", 20]
        self.assertIn("training on cpu\n", self.papilio(*train, "--device", "cpu", "-o", "a").err)
        self.papilio(*train, "-o", "b")
        self.assertEqual(self.read("a"), self.read("b"))
        self.assertNotIn(b"cpu", self.read("a"))
        if "cuda        none" in self.papilio("devices").out:
            for wanted, number in (("cuda", 0), ("cuda:0", 0), ("cuda:3", 3), ("cuda:all", 0), ("cuda:2,0", 2)):
                run = self.papilio(*train, "--device", wanted, "-o", "c", code=70)
                self.assertIn(f"papilio train: CUDA device {number} was asked for, but ", run.err)
            self.assertNotIn("c", self.names())
        else:
            self.assertIn("training on cuda:0\n", self.papilio(*train, "--device", "cuda", "-o", "c").err)
            self.assertEqual(self.read("a"), self.read("c"))

    def test_says_nothing_when_quiet(self):
        run = self.papilio("train", "pets.txt", "-k", 2, "--quiet")
        self.assertEqual((run.out, run.err), ("", ""))

    def test_tells_programs_in_json(self):
        run = self.papilio("train", "pets.txt", "-k", 2, "--sweeps", 5, "--evaluate-every", 2, "--progress=json")
        events = [json.loads(line) for line in run.out.splitlines()]
        self.assertEqual([event["event"] for event in events], ["sweep"] * 5 + ["done"])
        self.assertEqual([event.get("log_joint_per_token") is None for event in events[:5]],
                         [True, False, True, False, False])
        self.assertEqual(events[-1]["log_joint_per_token"], events[-2]["log_joint_per_token"])
        self.assertEqual(events[-1]["model"], "pets.papilio.safetensors")

    def test_keeps_one_live_line_on_a_terminal(self):
        for no_color in ("", "1"):
            ours, theirs = pty.openpty()
            environment = {**os.environ, "TERM": "xterm", "NO_COLOR": no_color}
            subprocess.run([COMMAND, "train", "pets.txt", "-k", "2"], cwd=self.path, check=True, stderr=theirs,
                           stdout=subprocess.PIPE, env=environment, timeout=120)
            os.close(theirs)
            shown = os.read(ours, 65536).decode()
            os.close(ours)
            self.assertIn("\rsweep 200/200" if no_color else "\r\x1b[1msweep 200/200", shown)
            self.assertEqual("\x1b" in shown, not no_color)
            self.assertLess(shown.count("\n"), 4)


class Interrupt(CommandTest):
    def setUp(self):
        super().setUp()
        self.papilio("generate", "-o", "made", "--documents", 300, "--words", 500, "--topics", 5)
        self.train = ["train", "docword.made.txt", "-k", "20", "--sweeps", "600", "--progress=json"]

    def stop_at_sweep(self, sweep, signal_number, extra=()):
        run = subprocess.Popen([COMMAND, *self.train, *extra], cwd=self.path, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for line in run.stdout:
            if json.loads(line)["sweep"] == sweep:
                run.send_signal(signal_number)
                break
        _, errors = run.communicate(timeout=120)
        return run.returncode, errors

    def test_stopped_and_resumed_is_the_same_as_never_stopped(self):
        code, errors = self.stop_at_sweep(3, signal.SIGTERM)
        self.assertEqual(code, 143, errors)
        self.assertIn("stopped after sweep", errors)
        self.assertIn(" --resume", errors)
        settings = self.papilio("inspect", "made.papilio.safetensors").out
        self.assertNotIn("sweeps      600", settings)
        self.assertIn("made.checkpoint.safetensors", self.names())

        self.papilio(*self.train, code=73)  # neither --resume nor --force: the checkpoint is not lost
        self.papilio(*self.train, "--resume", "--threads", 1)
        self.assertNotIn("made.checkpoint.safetensors", self.names())
        self.papilio(*self.train, "-o", "whole")
        self.assertEqual(self.read("made.papilio.safetensors"), self.read("whole"))

    def test_ends_with_130_for_sigint(self):
        code, errors = self.stop_at_sweep(2, signal.SIGINT, ["--checkpoint", "mine"])
        self.assertEqual(code, 130, errors)
        self.assertIn("mine", self.names())
        self.papilio("train", "docword.made.txt", "-k", "20", "--sweeps", "600", "--checkpoint", "mine", "--resume",
                     "--seed", 1, code=65)

    # As nohup does, and a shell for what a script starts in the background.
    def test_signals_that_the_caller_ignores_stay_ignored(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            run = subprocess.Popen([COMMAND, *self.train, "--force"], cwd=self.path, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda number=number: signal.signal(number, signal.SIG_IGN))
            for line in run.stdout:
                if json.loads(line).get("sweep") == 2:
                    run.send_signal(number)
                    break
            rest, errors = run.communicate(timeout=120)
            self.assertEqual(run.returncode, 0, errors)
            self.assertEqual(json.loads(rest.splitlines()[-1])["event"], "done")

    def test_checkpoints_on_the_way_change_nothing(self):
        short = ["train", "docword.made.txt", "-k", "20", "--sweeps", "25"]
        self.papilio(*short, "-o", "a")
        self.papilio(*short, "-o", "b", "--checkpoint", "kept", "--checkpoint-every", 7)
        self.assertEqual(self.read("a"), self.read("b"))
        longer = ["train", "docword.made.txt", "-k", "20", "--sweeps", "30"]
        self.papilio(*longer, "-o", "c", "--checkpoint", "kept", "--resume")  # the chain goes on from its end
        self.papilio(*longer, "-o", "d")
        self.assertEqual(self.read("c"), self.read("d"))
        self.papilio(*short, "-o", "e", "--checkpoint", "kept", "--resume", code=64)  # already beyond


class Errors(CommandTest):
    def test_usage(self):
        for arguments in ([], ["train"], ["fly"], ["train", "pets.txt", "-k", "0"], ["train", "pets.txt", "-k", "2.5"],
                          ["train", "pets.txt", "--alpha", "nan"], ["train", "pets.txt", "--alpha", "-1"],
                          ["train", "pets.txt", "--seed", "-1"], ["train", "pets.txt", "--seed", "18446744073709551616"],
                          ["train", "pets.txt", "-k", "4294967298"], ["generate", "-o", "a", "--seed", "x"], ["train", "pets.txt", "--sweeps", "99999999999"],
                          ["train", "pets.txt", "--format", "xml"], ["train", "pets.txt", "--wings"],
                          ["train", "pets.txt", "--device", "gpu"],
                          ["train", "pets.txt", "--device", "cuda:0,"], ["train", "pets.txt", "--device", "cuda:0,x"], ["train", "pets.txt", "--device", "cuda:x"],
                          ["train", "pets.txt", "--device", "cuda:-1"], ["train", "pets.txt", "--device", "cuda:"],
                          ["train", "pets.txt", "-o", "-"], ["generate", "-o", "a", "-k", "9", "--words", "8"],
                          ["generate", "-o", "folder/"],
                          *(["generate", "-o", "a", "--length-spread", spread]
                            for spread in ("nan", "inf", "-0.1", "5.1", "1e400", "x", ""))):
            self.papilio(*arguments, code=64)
        self.assertEqual(self.names(), ["pets.txt"])
        self.papilio("train", "pets.txt", "-k", 2)
        self.papilio("topics", "pets.papilio.safetensors", "--topic", 2, code=64)

    def test_bad_data(self):
        (self.path / "docword.bad.txt").write_text("2\n3\n2\n1 1 2\n1 x 1\n")
        run = self.papilio("train", "docword.bad.txt", code=65)
        self.assertTrue(run.err.startswith("papilio train: docword.bad.txt:5:"), run.err)
        (self.path / "blank.txt").write_text("\n\n1 2 3\n")
        self.assertIn("no words", self.papilio("train", "blank.txt", code=65).err)
        self.papilio("topics", "pets.txt", code=65)
        self.papilio("inspect", "pets.txt", code=65)
        self.papilio("train", "pets.txt", "-k", 2, "--quiet")
        damaged = bytearray(self.read("pets.papilio.safetensors"))
        damaged[-1] ^= 1
        (self.path / "damaged").write_bytes(damaged)
        self.assertIn("hash", self.papilio("inspect", "damaged", code=65).err)

    def test_no_input(self):
        (self.path / "docword.bag.txt").write_text("1\n1\n1\n1 1 2\n")
        for arguments in (["train", "absent.txt"], ["train", "pets.txt/x"], ["topics", "absent"],
                          ["inspect", "absent"], ["train", "pets.txt", "--stopwords", "absent"],
                          ["train", "docword.bag.txt", "--vocabulary", "absent"],
                          ["train", "pets.txt", "--resume"]):
            run = self.papilio(*arguments, code=66)
            self.assertTrue(run.err.startswith(f"papilio {arguments[0]}: "), run.err)

    @unittest.skipIf("PAPILIO_SANITIZED" in os.environ, "a sanitizer needs its address space")
    def test_no_memory(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
        run = self.papilio("train", "pets.txt", "-k", 100_000_000, code=71, preexec_fn=limit)
        self.assertIn("memory", run.err)

    def test_cannot_create(self):
        (self.path / "mine.txt").write_text("not a model")
        for arguments in (["-o", "absent/model"], ["-o", "."], ["-o", "pets.txt/model"], ["-o", "mine.txt"],
                          ["--checkpoint", "absent/c"], ["--output-topic-keys", "absent/k"],
                          ["--output-topic-keys", "mine.txt"]):
            self.papilio("train", "pets.txt", *arguments, code=73)
        self.papilio("generate", "-o", "absent/made", code=73)
        self.assertEqual(self.read("mine.txt"), b"not a model")
        self.assertEqual(self.names(), ["mine.txt", "pets.txt"])

    def test_replaces_only_what_it_may(self):
        train = ["train", "pets.txt", "-k", 2, "--sweeps", 2]
        self.papilio(*train)
        self.papilio(*train)  # a model under its default name: yes
        (self.path / "pets.papilio.safetensors").write_text("precious")
        self.papilio(*train, code=73)
        self.assertEqual(self.read("pets.papilio.safetensors"), b"precious")
        self.papilio(*train, "--force")
        self.papilio(*train, "-o", "named")
        self.papilio(*train, "-o", "named", code=73)  # a model that was named: only when forced
        self.papilio(*train, "-o", "named", "--force")

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_disk(self):
        run = self.papilio("train", "pets.txt", "-k", 2, "--sweeps", 2, "-o", "/dev/full", "--checkpoint", "chain", code=74)
        self.assertIn("cannot write to /dev/full: No space left on device\n", run.err)
        self.papilio("train", "pets.txt", "-k", 2, "--sweeps", 2)
        with open("/dev/full", "w") as full:
            run = subprocess.run([COMMAND, "topics", "pets.papilio.safetensors"], cwd=self.path, stdout=full,
                                 stderr=subprocess.PIPE, timeout=120)
        self.assertEqual(run.returncode, 74)


class OtherCommands(CommandTest):
    def test_topics_in_json_and_one_alone(self):
        self.papilio("train", "pets.txt", "-k", 2)
        topics = json.loads(self.papilio("topics", "pets.papilio.safetensors", "--format", "json", "-n", 3).out)["topics"]
        self.assertEqual([topic["topic"] for topic in topics], [0, 1])
        self.assertAlmostEqual(sum(topic["share"] for topic in topics), 1)
        for topic in topics:
            probabilities = [word["probability"] for word in topic["words"]]
            self.assertEqual(len(probabilities), 3)
            self.assertEqual(probabilities, sorted(probabilities, reverse=True))
        one = self.papilio("topics", "pets.papilio.safetensors", "--topic", 1).out.splitlines()
        self.assertEqual([line.split()[0] for line in one], ["topic", "1"])
        self.assertEqual(self.papilio("topics", "pets.papilio.safetensors", "--json", "-n", 3).out,
                         self.papilio("topics", "pets.papilio.safetensors", "--format", "json", "-n", 3).out)
        self.papilio("topics", "pets.papilio.safetensors", "--json", "--csv", code=64)
        self.papilio("topics", "pets.papilio.safetensors", "--json", "--format", "json", code=64)

    def test_topics_are_sorted_by_share_for_people(self):
        self.papilio("train", "pets.txt", "-k", 6, "--alpha", 5)
        rows = list(csv.DictReader(io.StringIO(self.papilio("topics", "pets.papilio.safetensors", "--csv").out)))
        self.assertEqual([row["topic"] for row in rows], list("012345"))
        lines = self.papilio("topics", "pets.papilio.safetensors").out.splitlines()
        self.assertEqual(lines[0].split(), ["topic", "share", "words"])
        by_share = sorted(rows, key=lambda row: -float(row["share"]))
        self.assertEqual([(line.split()[0], line.split()[2:]) for line in lines[1:]],
                         [(row["topic"], row["words"].split()) for row in by_share])
        self.assertNotEqual(rows, by_share)  # so that something was sorted

    def test_generated_corpus_is_fixed_by_its_seed(self):
        options = ["--documents", 50, "--words", 100, "--topics", 3]
        for name, seed in (("a", 1), ("b", 1), ("c", 2)):
            self.papilio("generate", "-o", name, *options, "--seed", seed)
        self.assertEqual(self.read("docword.a.txt"), self.read("docword.b.txt"))
        self.assertEqual(self.read("vocab.a.txt"), self.read("vocab.c.txt"))
        self.assertNotEqual(self.read("docword.a.txt"), self.read("docword.c.txt"))
        header = self.read("docword.a.txt").decode().split()[:3]
        self.assertEqual(header[:2], ["50", "100"])
        rows = [line.split("\t") for line in self.read("topics.a.tsv").decode().splitlines()[1:]]
        for topic in "012":
            self.assertAlmostEqual(sum(float(row[2]) for row in rows if row[0] == topic), 1, places=5)
        self.papilio("generate", "-o", "a", *options, code=73)
        self.papilio("generate", "-o", "a", *options, "--force")

    def test_inspect_names_settings(self):
        self.papilio("train", "pets.txt", "-k", 2, "--seed", 42, "--sweeps", 3)
        out = self.papilio("inspect", "pets.papilio.safetensors").out
        for line in ("topics      2", "seed        42", "sweeps      3", "sampler     collapsed",
                     "schedule    parallel", "documents   7",
                     "alpha       0.1", "verified    hashes and counts"):
            self.assertIn(line + "\n", out)
        keys = [line[:11] for line in out.splitlines()]
        self.assertEqual(sorted(keys), sorted(set(keys)))
        self.papilio("train", "pets.txt", "-k", 2, "--sweeps", 20, "--optimize-interval", 2, "--optimize-burn-in", 2)
        out = self.papilio("inspect", "pets.papilio.safetensors").out
        self.assertRegex(out, r"\nalpha       \d+\.\d{3,} to \d+\.\d+\nbeta        \d+\.\d{3,}\n")
        self.assertIn("first alpha 0.1\n", out)
        self.assertIn("first beta  0.01\n", out)

    def test_version_devices_and_help(self):
        self.assertRegex(self.papilio("--version").out, r"^papilio \d+\.\d+\.\d+\n$")
        devices = self.papilio("devices").out
        for word in ("device", "cpu target", "threads"):
            self.assertIn(word, devices)
        for arguments in (["--help"], ["train", "--help"]):
            self.assertIn("--help", self.papilio(*arguments).out)
        usual, every = (self.papilio("train", option).out for option in ("--help", "--help-all"))
        self.assertIn("Number of topics (an integer of at least 1; by default 100)", usual)
        for option in ("--partial-sums", "--max-line-bytes", "--input-state"):
            self.assertNotIn(option, usual)
            self.assertIn(option, every)
        self.assertLess(usual.count("  -"), 30)
        self.assertIn("papilio train --help-all explains ", usual)
        self.assertNotRegex(usual + every, r"INT|FLOAT|TEXT|UINT|REQUIRED.*REQUIRED")
        run = self.papilio("devices", code=70, env={**os.environ, "PAPILIO_CPU_TARGET": "abacus"})
        self.assertIn("abacus", run.err)


if __name__ == "__main__":
    COMMAND = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
