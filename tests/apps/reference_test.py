"""The manual page and the completions, read by the programs that they are for: python3 reference_test.py path/to/papilio.

Completions of bash are asked for as bash asks. Those of zsh and fish, and the manual page as man shows it, are tested
where these programs are installed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMMAND = ""


def output(*arguments, **options):
    return subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True, timeout=60,
                          encoding="utf-8", **options).stdout


class Completion(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        for name in ("corpus.txt", "my corpus.txt", "collapsed"):
            (self.path / name).write_text("")
        (self.path / "papilio").symlink_to(COMMAND)
        self.environment = {**os.environ, "PATH": f"{self.path}:{os.environ['PATH']}", "HOME": str(self.path)}

    def bash(self, line):
        """What bash offers at the end of the line; it splits words at blanks and '='."""
        words = [word for word in re.split(r"(=)| ", line) if word is not None]
        words = [word for i, word in enumerate(words) if word or i == len(words) - 1]
        script = output(COMMAND, "completion", "bash")
        quoted = " ".join("'" + word + "'" for word in words)
        script += f'\nCOMP_WORDS=({quoted})\nCOMP_CWORD={len(words) - 1}\n_papilio\nprintf "%s\\n" "${{COMPREPLY[@]}}"\n'
        found = output("bash", "--noprofile", "--norc", "-c", script, cwd=self.path, env=self.environment)
        return sorted(found.splitlines()) if found.strip() else []

    def test_bash_offers_subcommands_and_options(self):
        self.assertEqual(self.bash("papilio tra"), ["train"])
        self.assertEqual(self.bash("papilio m"), ["man", "merge"])
        self.assertEqual(self.bash("papilio train --sampl"), ["--sampler"])
        self.assertEqual(self.bash("papilio train-topics --sampl"), ["--sampler"])
        self.assertIn("--labels", self.bash("papilio label model --"))
        self.assertEqual(self.bash("papilio nothing --"), [])

    def test_bash_offers_the_values_of_options(self):
        samplers = ["collapsed", "mean_for_mode", "phi_collapsed", "theta_collapsed", "uncollapsed"]
        for line in ("papilio train corpus.txt --sampler ", "papilio train corpus.txt --sampler="):
            self.assertEqual(self.bash(line), samplers)
        self.assertEqual(self.bash("papilio train --sampler=the"), ["theta_collapsed"])
        self.assertEqual(self.bash("papilio topics model --format "), ["csv", "json", "text", "tsv"])
        self.assertEqual(self.bash("papilio infer model c --method e"), ["em"])
        self.assertEqual(self.bash("papilio train --device c"), ["cpu", "cuda", "cuda:all"])
        self.assertEqual(self.bash("papilio completion "), ["bash", "fish", "zsh"])
        self.assertIn("jsonl", self.bash("papilio convert corpus.txt --from "))

    def test_bash_offers_files_where_files_are_expected(self):
        files = sorted(name.name for name in self.path.iterdir())
        for line in ("papilio train ", "papilio train corpus.txt -o ", "papilio train --held-out ",
                     "papilio train --held-out=", "papilio report model corpus.txt --texts "):
            self.assertEqual(self.bash(line), files, line)
        self.assertEqual(self.bash("papilio train my"), ["my corpus.txt"])
        self.assertEqual(self.bash("papilio train --stopwords e"), ["english"])
        self.assertIn("corpus.txt", self.bash("papilio train --stopwords "))
        for line in ("papilio train corpus.txt -k ", "papilio train --seed ", "papilio train --text-column ",
                     "papilio report model --title "):
            self.assertEqual(self.bash(line), [], line)

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed, so its completions were not asked for")
    def test_fish(self):
        (self.path / "script").write_text(output(COMMAND, "completion", "fish"))

        def offered(line):
            found = output("fish", "--no-config", "-c", f"source script; complete -C '{line}'", cwd=self.path,
                           env=self.environment)
            return sorted(line.split("\t")[0] for line in found.splitlines())

        self.assertEqual(offered("papilio tra"), ["train"])
        self.assertEqual(offered("papilio topics model --format "), ["csv", "json", "text", "tsv"])
        self.assertIn("theta_collapsed", offered("papilio train --sampler "))
        self.assertEqual(offered("papilio train --seed "), [])
        self.assertIn("corpus.txt", offered("papilio train --held-out "))
        self.assertEqual(offered("papilio completion z"), ["zsh"])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed, so its completions were not asked for")
    def test_zsh(self):
        script = output(COMMAND, "completion", "zsh")
        (self.path / "_papilio").write_text(script)
        subprocess.run(["zsh", "-f", "-n", "_papilio"], cwd=self.path, check=True, timeout=60)
        # What _arguments is told, by a stand-in that prints it.
        def told(words, current):
            stand_in = ("_arguments() { print -rl -- \"$@\" }; _describe() { print -rl -- ${(P)2} }; "
                        f"words=({words}); CURRENT={current}; source ./_papilio; ")
            return output("zsh", "-f", "-c", "compdef() { : }; " + stand_in + "_papilio", cwd=self.path).splitlines()

        self.assertIn("merge:Merge several topics into one, in a new model", told("papilio mer", 2))
        train = told("papilio train --sampler", 3)
        self.assertTrue(any(line.startswith("(--sampler)--sampler=[") and line.endswith(
            ":value:(collapsed phi_collapsed theta_collapsed uncollapsed mean_for_mode)") for line in train), train)
        self.assertTrue(any("--held-out=" in line and line.endswith(":file:_files") for line in train), train)
        self.assertTrue(any("-k+[" in line and line.endswith(":value: ") for line in train), train)
        self.assertEqual(train[-1], "*:file:_files")
        self.assertEqual(told("papilio completion z", 3)[-1], "*:word:(bash zsh fish)")


class Manual(unittest.TestCase):
    def test_sections_in_order(self):
        page = output(COMMAND, "man")
        self.assertEqual(re.findall(r"^\.SH (.*)$", page, re.M),
                         ["NAME", "SYNOPSIS", "DESCRIPTION", "SUBCOMMANDS", "EXAMPLES", "FILES", "ENVIRONMENT",
                          "EXIT STATUS"])
        self.assertIn("\\fB\\-\\-sampler\\fR \\fIcollapsed|\\:phi_collapsed|", page)
        self.assertIn("PAPILIO_DEVICE", page)
        for code in (64, 65, 66, 70, 71, 73, 74):
            self.assertIn(f"\\fB{code}\\fR", page)

    def test_examples_are_lines_that_the_command_takes(self):
        """All but what they read is there: nothing but the missing file is wrong."""
        page = output(COMMAND, "man").partition(".SH EXAMPLES")[2].partition(".SH FILES")[0].replace("\\-", "-")
        lines = re.findall(r"^\\fB(.*)\\fR$", page, re.M)
        self.assertGreater(len(lines), 6)
        with tempfile.TemporaryDirectory() as folder:
            for line in lines:
                if not line.startswith("papilio "):
                    continue
                done = subprocess.run(["bash", "-c", line.replace("papilio", f"'{COMMAND}'", 1)], cwd=folder,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, encoding="utf-8")
                self.assertEqual(done.returncode, 66, f"{line}\n{done.stderr}")

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed, so the page was not formatted")
    def test_groff_has_nothing_to_say(self):
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=output(COMMAND, "man"),
                              stderr=subprocess.PIPE, timeout=60, encoding="utf-8")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    COMMAND = str(Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
