"""What the command papilio makes of hostile arguments: python3 command_line_test.py path/to/papilio [--more | --all].

Every option of every subcommand gets every hostile value. The inputs named are not there, so that no work begins:
what is tested is the reading of arguments, in milliseconds each. --all tries all values on all options, --more a dozen
numbers and three texts on each; else options take turns with the values, and one option of each kind gets all numbers.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMMAND = ""
ALL = "--all" in sys.argv

NO_NUMBERS = ["nan", "NaN", "inf", "-inf", "infinity", "-0", "-0.0", "1e999", "-1e999", "0x10", "0b1", "1_000",
              "1,000", "+5", "+", "5x", "x", " 5", "5 ", "\t5", "5\n", "- 5", "--5", "1e", "1e-999", "9" * 400,
              "-" + "9" * 400,
              "18446744073709551616", "٣", "½", "\x1b[31m", "{}", "%s%n", "[1,2]", "1;2"]
HOSTILE = ["\x1b]0;t\x07\u202e\udcff\n", "\x1b[2J\x1b]0;title\x07", "\u202egnp.exe", "\udcff\udcfe", "a\nb",
           "papilio: done\n", "~", "*", "$(id)", "%n",
           "a" * 100_000, "é" * 300, "-", "--", "=", "==", "..", "", "a\x7fb", "\x85", "\u2028", "none", "0", "-1"]

# How many of NO_NUMBERS and of HOSTILE each option gets, in turns, and how many subcommands share the hostile names:
# all are read by the same few functions. Under sanitizers, where a process takes ten times as long, every fourth
# option gets some.
SANITIZED, MORE = "PAPILIO_SANITIZED" in os.environ, "--more" in sys.argv or ALL
NUMBERS, TEXTS, SHARED = (12, 3, 1) if MORE else (1, 1, 4)
STRIDE = 4 if SANITIZED else 1

# What each subcommand needs; nothing of this name is there.
NEEDED = {
    "train": ["absent"], "topics": ["absent"], "infer": ["absent", "absent", "-o", "out"], "evaluate": ["absent"],
    "inspect": ["absent"], "ldavis": ["absent", "-o", "out"], "report": ["absent", "-o", "out"],
    "choose": ["absent"],
    "import": ["absent"],
    "import-file": ["--input", "absent"],
    "import-dir": ["--input", "absent"], "convert": ["absent", "-o", "out.mtx"],
    "split": ["absent", "--every", "2", "-o", "out"], "generate": ["-o", "absent/out"], "devices": ["x"],
    "completion": ["x"], "man": ["x"],
    "label": ["absent", "1=a", "-o", "out"], "merge": ["absent", "1,2", "-o", "out"],
    "drop": ["absent", "1", "-o", "out"],
}
# 0 done, and what docs/lda.md says of the others.
CODES = (64, 65, 66, 70, 73)
CPP = ("papilio::", "std::", "CLI::", "basic_string", "INT", "UINT", "FLOAT", "TEXT", "options.", "_M_")


def some(values, count, turn):
    """`count` of the values; other turns get others, until all have been given."""
    return [values[(turn * count + i) % len(values)] for i in range(count)]


def is_printable(text):
    """No control character but the end of a line, and nothing that turns the direction of text."""
    return not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
                         "\ud800-\udfff]", text)


class CommandLineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = Path(cls.folder.name)
        cls.options = {name: [] for name in NEEDED}
        listing = subprocess.run([COMMAND, "completion", "fish"], check=True, stdout=subprocess.PIPE).stdout.decode()
        for line in listing.splitlines():
            words = shlex.split(line.replace("\\'", ""))
            seen = re.search(r"__fish_seen_subcommand_from ([\w-]+)", line)
            if seen and "-r" in words:
                cls.options[seen[1]].append("--" + words[words.index("-l") + 1])
        assert sum(map(len, cls.options.values())) > 130, cls.options

    def run_command(self, *arguments, **options):
        run = subprocess.run([os.fsencode(a) for a in (COMMAND, *arguments)], cwd=self.path, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, **options)
        run.err = run.stderr.decode(errors="surrogateescape")
        return run

    def refused(self, *arguments, codes=CODES):
        """The message with which the command refuses the arguments."""
        run = self.run_command(*arguments)
        shown = f"{[a[:80] for a in arguments]}: {run.returncode}\n{run.err[:2000]}"
        self.assertIn(run.returncode, codes, shown)
        self.assertEqual(run.stdout, b"", shown)
        self.assertRegex(run.err, r"\Apapilio[\w -]*: [^\n]+(\n  [^\n]*)*\n\Z", shown)
        self.assertTrue(is_printable(run.err), shown)
        self.assertLess(len(run.err), 5000, shown)
        for name in CPP:
            self.assertNotIn(name, run.err, shown)
        return run.err


class Values(CommandLineTest):
    def test_every_option_with_every_value(self):
        numbers = turn = 0
        for subcommand, options in self.options.items():
            for option in options[::STRIDE]:
                turn += 1
                expected = re.search("expected (an integer|a number|0 or 1)", self.refused(
                    subcommand, *NEEDED[subcommand], f"{option}=x"))
                if expected:
                    for value in NO_NUMBERS if ALL else some(NO_NUMBERS, NUMBERS, numbers):
                        if value in ("-0", "-0.0") and option == "--phrase-threshold":  # from -1 to 1
                            continue
                        err = self.refused(subcommand, *NEEDED[subcommand], f"{option}={value}", codes=(64,))
                        self.assertRegex(err, f"{option} is \".*\"( \\(\\d+ bytes\\))?, expected (an integer|a number|0 or 1)")
                    numbers += 1
                for value in HOSTILE if ALL else some(HOSTILE, TEXTS, turn):
                    self.refused(subcommand, *NEEDED[subcommand], f"{option}={value}")
        self.assertGreater(numbers, 55 // STRIDE)
        self.assertEqual(list(self.path.iterdir()), [])

    def test_every_bad_number_on_one_option_of_each_kind(self):
        for needed, option in ((["train", "absent"], "--topics"), (["train", "absent"], "--seed"),
                               (["train", "absent"], "--alpha"), (["infer", "m", "c", "-o", "x"], "--threshold")):
            for value in [*NO_NUMBERS[::STRIDE], *(["010"] if option in ("--topics", "--seed") else [])]:  # not octal
                self.assertIn(", expected a", self.refused(*needed, f"{option}={value}", codes=(64,)))

    def test_every_subcommand_with_hostile_names(self):
        names = [value for value in HOSTILE if value not in ("-", "..")]  # which are there
        for turn, subcommand in enumerate(sorted(set(NEEDED) - {"generate"})):  # whose output is in the root
            for value in names[turn % SHARED::SHARED]:
                self.refused(subcommand, *(a.replace("absent", value) for a in NEEDED[subcommand]), "--")

    def test_the_limits_themselves_fit(self):
        for option, value in (("--threshold", "0"), ("--threshold", "1"), ("--threshold", "1e-3"),
                              ("--threshold", ".5"),
                              ("--seed", "18446744073709551615"), ("--seed", "0"), ("--sweeps", "2147483647")):
            self.refused("infer", "absent", "absent", "-o", "out", f"{option}={value}", codes=(66,))

    def test_ranges_say_what_was_exceeded(self):
        for option, value, expected in (
                ("--topics", "2147483648", "an integer of at least 1, and at most 2,147,483,647"),
                ("--topics", "0", "an integer of at least 1"),
                ("--threads", "4097", "an integer from 0 to 4,096"),
                ("--threads", "-1", "an integer from 0 to 4,096"),
                ("--seed", "18446744073709551616", "an integer from 0 to 2^64 - 1")):
            err = self.refused("train", "absent", f"{option}={value}", codes=(64,))
            self.assertEqual(err, f'papilio train: {option} is "{value}", expected {expected}\n')
        err = self.refused("report", "absent", "-o", "x", "--excerpt=100001", codes=(64,))
        self.assertIn('--excerpt is "100001", expected an integer from 1 to 100,000\n', err)


class Rules(CommandLineTest):
    def expect(self, message, *arguments, code=64):
        self.assertIn(message, self.refused(*arguments, codes=(code,)))

    def test_no_arguments_or_wrong_names(self):
        self.expect("expected a subcommand: train, topics, infer,")
        self.expect('"trian" is not a subcommand; did you mean train?', "trian")
        self.expect('"fly" is not a subcommand; expected train, topics,', "fly")
        self.expect('unknown option "--topisc"; did you mean --topics?', "train", "absent", "--topisc", "3")
        self.expect('unknown option "--thread"; did you mean --threads?', "train", "absent", "--thread=3")
        self.expect('unknown option "--sampler"; papilio train has it', "infer", "a", "b", "--sampler", "x")
        self.expect("did you mean collapsed?", "train", "absent", "--sampler", "colapsed")
        self.expect('unknown option "-5"', "train", "-5")
        self.expect('"--hlep" is not a subcommand; did you mean --help?', "--hlep")

    def test_a_misspelled_file(self):
        (self.path / "corpus.txt").write_text("a b\n")
        self.addCleanup((self.path / "corpus.txt").unlink)
        self.expect("; did you mean corpus.txt?", "train", "corpsu.txt", code=66)
        self.expect("; did you mean ./corpus.txt?", "train", "./corpus.tx", code=66)

    def test_options_are_given_once(self):
        for arguments in (["--alpha=1", "--alpha=1"], ["-k", "1", "--topics", "2"], ["-k1", "-k1", "-k1"],
                          ["--stopwords", "a", "--stopwords", "b"], ["--input", "b"]):
            err = self.refused("train", "absent", *arguments, codes=(64,))
            self.assertRegex(err, r" is given (twice|3 times): .*; expected once\n")
        self.refused("train", "absent", "-q", "-q", "--force", "-qq", "--force", codes=(66,))  # flags may be repeated

    def test_missing_and_unexpected(self):
        self.expect("CORPUS is missing; expected papilio train CORPUS (papilio", "train")
        self.expect("CORPUS is missing; expected papilio infer MODEL CORPUS --output VALUE (papilio", "infer", "m")
        self.expect("--output is missing", "infer", "a", "b")
        self.expect("-k needs a value, but the command line ends", "train", "absent", "-k")
        self.expect('-o needs a value, but is followed by "--force"', "train", "absent", "-o", "--force")
        self.expect("--force takes no value", "train", "absent", "--force=no")
        self.expect("--alpha has no value", "train", "absent", "--alpha=")
        self.expect("an argument is empty", "train", "")
        self.expect("-o has an empty value", "train", "absent", "-o", "")
        self.expect('unexpected argument "b"', "train", "a", "b")
        self.expect("--alpha and --alpha-sum are both given", "train", "a", "--alpha-sum=1", "--alpha=1")
        self.expect("--held-out-every is given without --held-out", "train", "a", "--held-out-every=1")
        self.expect("--left-to-right is given without --held-out", "evaluate", "a", "--left-to-right=5")
        self.expect("--burn-in is 9, expected less than --sweeps, 5", "infer", "a", "b", "-o", "c", "--burn-in=9",
                    "--sweeps=5")
        self.expect("not supported: topics consist of single words", "import-file", "--input=a", "--gram-sizes", "1,2")

    def test_standard_input_has_one_reader(self):
        both = "cannot both be standard input"
        for arguments in (["train", "-", "--stopwords", "-"], ["train", "-", "--extra-stopwords=-"],
                          ["train", "-", "--held-out", "-"], ["train", "-", "--vocabulary", "-"],
                          ["train", "a", "--stopwords=-", "--extra-stopwords=-"],
                          ["infer", "m", "-", "-o", "x", "--stopwords=-"],
                          ["evaluate", "m", "--corpus=-", "--reference=-"], ["import", "-", "--stopwords=-"],
                          ["convert", "-", "-o", "a.mtx", "--stopwords=-"],
                          ["import-file", "--input=-", "--stoplist-file=-"],
                          ["split", "-", "--every=2", "-o", "a", "--stopwords=-"],
                          ["topics", "m", "--documents=1", "--corpus=-", "--stopwords=-"],
                          ["ldavis", "m", "-o", "x", "--corpus=-", "--stopwords=-"]):
            self.expect(both, *arguments)
        self.expect("is read once for each corpus", "train", "a", "--held-out", "b", "--stopwords=-")

    def test_the_end_of_options(self):
        (self.path / "-k").write_text("cats dogs cats\n" * 4)
        self.addCleanup((self.path / "-k").unlink)
        self.addCleanup((self.path / "made").unlink)
        for number, arguments in enumerate((["-k", "2", "--sweeps=1", "-o", "made", "--", "-k"],
                                            ["-k2", "--force", "--sweeps", "1", "-omade", "./-k"],
                                            ["--input=-k", "-qk2", "--force", "--sweeps=1", "-o", "made"])):
            run = self.run_command("train", *arguments)
            self.assertEqual(run.returncode, 0, run.err)
        self.expect('unexpected argument "--force"', "train", "--", "a", "--force")
        self.refused("topics", "train", codes=(66,))  # a file that is called like a subcommand

    def test_many_and_long_arguments(self):
        self.assertIn("unexpected argument", self.refused("train", *["x"] * 10_000, codes=(64,)))
        self.assertIn("is given 10000 times", self.refused("train", "a", *["-k", "2"] * 10_000, codes=(64,)))
        self.refused("train", "absent", *["-q"] * 10_000, codes=(66,))
        self.refused("train", "a" * 100_000, codes=(73,))  # nor can a model be called after it
        self.assertIn("(100,000 bytes)", self.refused("train", "a", "-k", "9" * 100_000, codes=(64,)))
        self.assertIn("(100,003 bytes)", self.refused("train", "--a" + "b" * 100_000, codes=(64,)))

    def test_help_of_every_subcommand(self):
        for arguments in (["--help"], ["-h"], ["--version"], *([name, "--help"] for name in NEEDED),
                          *([name, "-h"] for name in NEEDED)):
            run = self.run_command(*arguments)
            self.assertEqual((run.returncode, run.err), (0, ""))
            self.assertTrue(is_printable(run.stdout.decode()) and run.stdout.endswith(b"\n"))


if __name__ == "__main__":
    COMMAND = os.path.abspath(sys.argv[1])
    names = [argument for argument in sys.argv[2:] if not argument.startswith("--")]
    unittest.main(argv=[sys.argv[0], *names], verbosity=2)
