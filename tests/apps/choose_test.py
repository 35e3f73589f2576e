"""papilio choose from end to end: python3 choose_test.py path/to/papilio [TEST...]

The tests of class Page need chromium, and are skipped by name where it is missing.
"""

import csv
import json
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

COMMAND = ""
# A process begun in the background of a script inherits that SIGINT is ignored, and papilio would leave it so.
signal.signal(signal.SIGINT, signal.default_int_handler)
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
WORDS = [words.split() for words in
         ("cat dog bird fish horse", "star moon planet comet galaxy", "bread milk cheese wine salt")]
QUICK = ["--sweeps", 15, "--seeds", 2, "--every", 5, "--device", "cpu"]
STATE = "text.choose.safetensors"


class ChooseTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name)
        lines = [" ".join(WORDS[d % 3][(d * 3 + i * i) % 5] for i in range(9 + d % 4)) for d in range(60)]
        (self.path / "text.txt").write_text("\n".join(lines) + "\n")

    def papilio(self, *arguments, code=0):
        run = subprocess.run([COMMAND, *map(str, arguments)], cwd=self.path, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        run.out, run.err = run.stdout.decode(), run.stderr.decode()
        self.assertEqual(run.returncode, code, run.err)
        return run

    def choose(self, *arguments, topics="2,3,6", code=0):
        return self.papilio("choose", "text.txt", "--topics", topics, *QUICK, *arguments, code=code)

    def fresh(self):
        (self.path / STATE).unlink(missing_ok=True)


class Command(ChooseTest):
    def test_a_table_and_what_it_says(self):
        run = self.choose(topics="6,2,3")
        lines = run.out.splitlines()
        self.assertEqual(lines[0].split(), "topics perplexity +- coherence +- diversity stability".split())
        self.assertEqual([line.split()[0] for line in lines[1:4]], ["2", "3", "6"])
        self.assertEqual(len({len(line) for line in lines[:4]}), 1)  # aligned
        self.assertIn("Held-out documents are predicted best with ", run.out)
        self.assertIn("lower is better", run.out)
        self.assertLessEqual(max(map(len, lines)), 100)
        self.assertIn("model 6 of 6: 6 topics, seed 1: perplexity ", run.err)
        self.assertNotIn("seconds", run.out)

    def test_it_is_split_train_and_evaluate(self):
        # papilio split writes a bag of words; of it the same split is made.
        self.papilio("split", "text.txt", "--every", 5, "-o", "part")
        self.papilio("train", "docword.part-train.txt", "-k", 3, "--sweeps", 15, "--seed", 1, "-q", "-o", "model",
                     "--device", "cpu")
        run = self.papilio("evaluate", "model", "--held-out", "docword.part-held-out.txt", "--format", "json")
        done = json.loads(run.out)
        self.papilio("convert", "text.txt", "-o", "docword.all.txt")
        found = json.loads(self.papilio("choose", "docword.all.txt", "-k", 3, *QUICK, "--json").out)
        run = found["runs"][1]
        self.assertEqual((run["topics"], run["seed"]), (3, 1))
        self.assertEqual(run["perplexity"], done["document_completion"]["perplexity"])
        self.assertEqual(found["coherence"]["window"], None)

    def test_json_and_csv_agree(self):
        found = json.loads(self.choose("--json").out)
        rows = list(csv.DictReader(self.choose("--csv").out.splitlines()))
        self.assertEqual([row["topics"] for row in rows], ["2", "3", "6"])
        for row, of_json in zip(rows, found["rows"]):
            self.assertEqual(float(row["perplexity"]), of_json["perplexity"]["mean"])
            self.assertEqual(float(row["coherence_least"]), of_json["coherence"]["least"])
            self.assertEqual(float(row["stability"]), of_json["stability"])
            self.assertNotIn("seconds", of_json)
        self.assertEqual(len(found["runs"]), 6)
        self.assertEqual((found["documents"], found["held_out_documents"]), (48, 12))
        self.assertIn("seconds", json.loads(self.choose("--json", "--times").out)["rows"][0])
        self.assertIn("seconds", self.choose("--csv", "--times").out.splitlines()[0])
        self.assertIn("seconds", self.choose("--times").out.splitlines()[0])
        self.choose("--json", "--csv", code=64)

    def test_threads_change_nothing(self):
        one = self.choose("--json", "--threads", 1).out
        self.fresh()
        self.assertEqual(one, self.choose("--json", "--threads", 3).out)

    def test_more_topics_train_only_what_is_missing(self):
        self.choose(topics="2,3")
        run = self.choose(topics="2,3,5")
        self.assertIn("text.choose.safetensors has 4 models", run.err)
        self.assertIn("model 2 of 2: 5 topics, seed 1", run.err)
        with_state = self.choose("--json", topics="2,3,5").out
        self.fresh()
        self.assertEqual(with_state, self.choose("--json", topics="2,3,5").out)

    def test_mistakes(self):
        for value, says in (("20,,50", 'is "", expected numbers of topics between commas'), ("20,x", '"x"'),
                            ("0", "expected numbers of topics"), ("2,3,2", "has 2 twice"), ("-3", "expected"),
                            ("9999999999", "expected numbers"), ("2,", '""')):
            with self.subTest(value=value):
                self.assertIn(says, self.papilio("choose", "text.txt", f"--topics={value}", *QUICK, code=64).err)
        err = self.choose(topics="2,49", code=65).err
        self.assertIn("49 topics are more than the 48 documents trained on (12 are held out); expected at most 48", err)
        self.assertIn("no held-out document", self.papilio("choose", "text.txt", "-k", 2, "--every", 61, code=65).err)
        self.assertIn("too little to divide", self.choose("--alpha-sum", "1e-100", code=64).err)
        self.papilio("choose", "nothing.txt", "-k", 2, code=66)
        err = self.papilio("choose", "text.txt", "-k", 2, "--seed", 2**64 - 1, code=64).err
        self.assertIn("too large for 3 seeds", err)
        (self.path / "text.txt").write_text("a b\nc d\n")
        self.assertIn("holds no words to train on (2 documents; ", self.papilio("choose", "text.txt", code=65).err)
        self.assertEqual(sorted(p.name for p in self.path.iterdir()), ["text.txt"])

    def test_the_state_of_something_else_is_refused(self):
        self.choose()
        before = (self.path / STATE).read_bytes()
        err = self.choose("--beta", 0.5, code=65).err
        self.assertIn("holds results of another run: --beta is \"0.01\", expected 0.5; use --restart to train all "
                      "models again, or --state for another file", err)
        same = {"--sweeps": 15, "--every": 5, "--device": "cpu"}
        for option, value, was in (("--every", 6, "5"), ("--optimize-interval", 7, "never"),
                                   ("--sampler", "uncollapsed", "collapsed"), ("--partial-sums", "prefix", "slots")):
            options = [text for pair in {**same, option: value}.items() for text in pair]
            err = self.papilio("choose", "text.txt", "-k", 2, *options, code=65).err
            self.assertIn(f'another run: {option} is "{was}", expected ', err)
        with (self.path / "text.txt").open("a") as text:
            text.write("bread wine bread\n")
        err = self.choose(code=65).err
        self.assertRegex(err, r"the results belong to another corpus, or to this one read with other options "
                              r"\(--stopwords, --min-df, \.\.\.\): it has 60 documents, \d+ tokens and \d+ different "
                              r"words, expected 61 documents, \d+ tokens and \d+ different words; use --restart to "
                              r"train all models again, or")
        self.assertNotIn("hash", err)
        self.assertEqual((self.path / STATE).read_bytes(), before)
        self.assertIn("model 6 of 6", self.choose("--restart").err)
        self.choose()

    def test_hostile_states(self):
        self.choose()
        whole = (self.path / STATE).read_bytes()
        header = int.from_bytes(whole[:8], "little")
        hostile = [b"", b"\0" * 8, b"\xff" * 100, whole[:-1], whole + b"\0", whole[:60], b"{" * 5000,
                   whole[:8] + b"[" * header + whole[8 + header:], whole.replace(b"papilio-choose", b"papilio-choosy"),
                   whole[:-40] + bytes(40)]
        for number, content in enumerate(hostile):
            with self.subTest(number=number):
                (self.path / STATE).write_bytes(content)
                run = self.choose(code=65)
                self.assertIn("use --restart", run.err)
                self.assertEqual(len(run.err.splitlines()), 2, run.err)  # what was read, and what is wrong
                self.assertEqual((self.path / STATE).read_bytes(), content)
        self.papilio("train", "text.txt", "-k", 2, "--sweeps", 2, "-q", "-o", "model", "--device", "cpu")
        self.assertIn('format is "papilio-model", expected papilio-choose', self.choose("--state", "model", code=65).err)
        (self.path / "folder").mkdir()
        self.choose("--state", "folder", code=73)
        self.choose("--state", "text.txt", code=64)
        self.choose("--state", "page", "-o", "page", code=64)

    def test_an_existing_page_is_kept(self):
        (self.path / "page.html").write_text("mine")
        self.assertIn("--force", self.choose("-o", "page.html", code=73).err)
        self.choose("-o", "page.html", "--force")
        self.assertIn("<svg", (self.path / "page.html").read_text())
        self.assertTrue(self.choose("-o", "-").out.startswith("<!DOCTYPE html>"))


class Interrupted(ChooseTest):
    """Killed, or ended by a signal: the same command goes on, and ends with the same bytes."""

    def expected(self):
        run = self.choose("-o", "page.html", "--json", topics="2,3,6,9")
        page = (self.path / "page.html").read_bytes()
        self.fresh()
        (self.path / "page.html").unlink()
        return run.out, page

    # Ends a run when `ready` models are in the state file: the next ones never end by themselves.
    def interrupt(self, number, ready):
        arguments = [COMMAND, "choose", "text.txt", "--topics", "2,3,6,9", *map(str, QUICK), "-o", "page.html", "--json"]
        process = subprocess.Popen(arguments, cwd=self.path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        err = b""
        while err.count(b"model ") < ready and process.poll() is None:
            err += process.stderr.readline()
        process.send_signal(number)
        out, rest = process.communicate(timeout=60)
        return process.returncode, out.decode(), (err + rest).decode()

    def test_killed_at_any_model(self):
        out, page = self.expected()
        for ready in range(1, 8):
            with self.subTest(ready=ready):
                self.interrupt(signal.SIGKILL, ready)
                (self.path / "page.html").unlink(missing_ok=True)  # it was done before the signal came
                run = self.choose("-o", "page.html", "--json", topics="2,3,6,9")
                self.assertEqual(run.out, out)
                self.assertEqual((self.path / "page.html").read_bytes(), page)
                (self.path / "page.html").unlink()
                self.fresh()
        self.assertEqual([p.name for p in self.path.iterdir() if not p.name.startswith(".papilio-")], ["text.txt"])

    def test_signals_say_how_to_continue(self):
        out, page = self.expected()
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen(
                [COMMAND, "choose", "text.txt", "-k", "2,50", "--sweeps", "100000000", "--seeds", "1", "--every", "10",
                 "--device", "cpu"], cwd=self.path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            process.stderr.readline()  # the corpus has been read
            time.sleep(0.3)
            begun = time.monotonic()
            process.send_signal(number)
            printed, err = process.communicate(timeout=60)
            self.assertLess(time.monotonic() - begun, 10)
            self.assertEqual(process.returncode, 128 + number, err)
            self.assertEqual(printed, b"")
            self.assertIn(b"stopped; no model is done yet\nto continue: ", err)
            self.assertEqual([p.name for p in self.path.iterdir()], ["text.txt"])
        code, printed, err = self.interrupt(signal.SIGINT, 2)
        if code == 130:  # it had not come to its end
            again = re.search(r"to continue: (.*)\n", err)[1]
            self.assertNotIn("--restart", again)
            done = subprocess.run(again, shell=True, cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
            self.assertEqual((done.returncode, done.stdout.decode()), (0, out), done.stderr)
            self.assertEqual((self.path / "page.html").read_bytes(), page)

    def test_a_state_that_cannot_be_saved_is_not_called_unfinished(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (256, 256))
        process = subprocess.Popen(
            [COMMAND, "choose", "text.txt", "-k", "2,3", "--sweeps", "15", "--seeds", "1000", "--device", "cpu"],
            cwd=self.path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=limit)
        err = b""
        while b" models are kept\n" not in err and process.poll() is None:
            err += process.stderr.readline()
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 130, rest)
        self.assertIn(b"File too large; 0 of 1 models are kept\n", err)
        self.assertIn(b"stopped; no model could be kept\nto continue: ", rest)

    def test_two_runs_do_not_share_a_state(self):
        first = subprocess.Popen([COMMAND, "choose", "text.txt", "-k", "2", "--sweeps", "100000000", "--device", "cpu"],
                                 cwd=self.path, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        first.stderr.readline()
        self.assertIn("is being written by another process", self.choose(code=73).err)
        first.kill()
        first.communicate()
        self.choose()


@unittest.skipUnless(CHROMIUM, "chromium is not installed, so the page was not opened")
class Page(ChooseTest):
    def open(self, page, *more):
        (self.path / "open.html").write_text(page)
        done = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.path}/user",
                               "--virtual-time-budget=3000", *more, "--dump-dom", (self.path / "open.html").as_uri()],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode(), done.stderr.decode()

    def test_its_script_runs_and_no_other(self):
        page = self.choose("-o", "-").out
        dom, err = self.open(page)
        self.assertIn('data-ready="true"', dom)
        self.assertNotIn("Content Security Policy", err)
        # Markup that somebody puts in is shown, not run.
        hurt = "<script>document.documentElement.dataset.hurt='1'</script><img src=x onerror=\"document.body.dataset.hurt=1\">"
        dom, _ = self.open(page.replace("<h2>The numbers</h2>", hurt + "<h2>The numbers</h2>"))
        self.assertNotIn("data-hurt", dom)

    def test_keys_choose_a_number_of_topics(self):
        page = self.choose("-o", "-").out
        # A policy that admits the test's own script.
        keys = ("<script>addEventListener('load',()=>{for(const key of ['ArrowRight','ArrowRight'])"
                "dispatchEvent(new KeyboardEvent('keydown',{key}))})</script>")
        open_page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page).replace("</body>", keys + "</body>")
        dom, _ = self.open(open_page)
        chosen = re.findall(r'<(\w+) class="[^"]*chosen[^"]*" data-k="(\d+)"|<(\w+) data-k="(\d+)"[^>]* class="chosen"', dom)
        self.assertTrue(chosen)
        self.assertEqual({number for one in chosen for number in (one[1], one[3]) if number}, {"3"})
        self.assertRegex(dom, r'<p id="status"[^>]*>3 topics; Held-out perplexity')


if __name__ == "__main__":
    COMMAND = str(Path(sys.argv[1]).resolve())
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]], verbosity=2)
