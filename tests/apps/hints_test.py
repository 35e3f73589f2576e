"""What papilio says of classic mistakes, and whose model it replaces: python3 hints_test.py path/to/papilio."""

import gzip
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMMAND = ""

ENGLISH = "the and that with for from this they have not which were their been would there when into".split()
GERMAN = "und die der das nicht mit sich auf für wird dem auch werden aus wenn aber nach wie noch über".split()
CONTENT = [a + b for a in ("ship", "sail", "wave", "wind", "rope", "mast", "reef", "tide") for b in ("yard", "line", "mark")]


def documents(stop_words, count=12, length=40, seed=1):
    """Lines of which two thirds of the tokens are of `stop_words`."""
    draw = random.Random(seed)
    return "".join(
        " ".join(draw.choice(stop_words if draw.random() < 2 / 3 and stop_words else CONTENT) for _ in range(length)) + "\n"
        for _ in range(count))


class HintsTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name).resolve()

    def papilio(self, *arguments, code=0, cwd=None):
        run = subprocess.run([COMMAND, *map(str, arguments)], cwd=self.path if cwd is None else self.path / cwd,
                             stdin=subprocess.DEVNULL, capture_output=True, timeout=120, check=False, text=True)
        self.assertEqual(run.returncode, code, f"{arguments}\n{run.stdout}\n{run.stderr}")
        return run

    def write(self, name, text):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def train(self, corpus, *options, topics=2, **run):
        return self.papilio("train", corpus, "-k", topics, "--sweeps", 2, *options, **run)

    def hints(self, run):
        return [line for line in run.stderr.splitlines() if line.startswith("hint: ")]

    def check_hints(self, corpus, *expected, options=(), topics=2):
        """Both commands say the same, but for the topics, of which only train knows."""
        of_topics = [line for line in expected if line.startswith("-k ")]
        others = [line for line in expected if line not in of_topics]
        for threads in (1, 3):
            run = self.train(corpus, *options, "--threads", threads, "--force", topics=topics)
            self.assertEqual(self.hints(run), [f"hint: {line}" for line in expected])
            run = self.papilio("import", corpus, *options, "--threads", threads, "--force", "-o", "made")
            self.assertEqual(self.hints(run), [f"hint: {line}" for line in others])
        for command in (["train", corpus, "-k", topics, "--sweeps", 2, "-o", "made"], ["import", corpus, "-o", "made"]):
            self.assertEqual(self.papilio(*command, *options, "--quiet", "--force").stderr, "")


class StopWords(HintsTest):
    def test_a_hint_where_none_are_given(self):
        self.write("english.txt", documents(ENGLISH))
        for name, words in (("english", ENGLISH), ("german", GERMAN)):
            text = documents(words)
            self.write(f"{name}.txt", text)
            counts = {word: text.split().count(word) for word in text.split()}  # equal ones in order of the text
            frequent = sorted(counts, key=lambda word: -counts[word])[:30]
            stop = [word for word in frequent if word in words]
            self.check_hints(f"{name}.txt", f"{len(stop)} of the 30 most frequent words are stop words "
                             f"({', '.join(stop[:3])}, ...); --stopwords {name} leaves such words out")

    def test_no_hint_where_they_are_given_or_are_few(self):
        self.write("english.txt", documents(ENGLISH))
        self.write("few", "the\n")
        self.write("plain.txt", documents([]))
        for corpus, *options in (("english.txt", "--stopwords", "english"), ("english.txt", "--stopwords", "few"),
                                 ("english.txt", "--extra-stopwords", "few"), ("plain.txt",)):
            self.check_hints(corpus, options=options)

    def test_any_format_has_the_hint(self):
        self.write("english.txt", documents(ENGLISH))
        self.papilio("convert", "english.txt", "-o", "docword.english.txt")
        self.papilio("import", "english.txt")
        for corpus in ("docword.english.txt", "english.papilio-corpus"):
            hints = self.hints(self.train(corpus, "--force"))
            self.assertEqual(len(hints), 1)
            self.assertIn("--stopwords english", hints[0])

    def test_choose_has_the_hint_too(self):
        self.write("english.txt", documents(ENGLISH))
        choose = ["choose", "english.txt", "-k", 2, "--seeds", 1, "--sweeps", 2, "--every", 4, "--restart"]
        run = self.papilio(*choose)
        self.assertEqual([line.split(";")[1] for line in self.hints(run)],
                         [" --stopwords english leaves such words out"])
        run = self.papilio(*choose, "--stopwords", "english")
        self.assertEqual(self.hints(run), [])
        self.assertRegex(run.stderr, r"\nleft out \d+ tokens: stop words \(")
        self.assertEqual(self.papilio(*choose, "-q").stderr, "")
        self.write("plain.txt", documents([]))
        for topics, code in (("12,2", 65), ("13,2", 65), ("2,13", 65), ("2,9", 0)):
            run = self.papilio("choose", "plain.txt", "-k", topics, "--seeds", 1, "--sweeps", 2, "--every", 4, code=code)
            self.assertEqual(self.hints(run), ["hint: -k 13 is more topics than there are documents (12); choose fewer"]
                             if "13" in topics else [], topics)

    def test_mallets_commands_name_the_command_that_has_the_option(self):
        self.write("named.txt", "".join(f"name{i} en {line}\n" for i, line in enumerate(documents(GERMAN).splitlines())))
        hints = self.hints(self.papilio("import-file", "--input", "named.txt", "--output", "made"))
        self.assertEqual(len(hints), 1)
        self.assertIn("; papilio import --stopwords german leaves such words out", hints[0])

    def words(self, *options):
        self.papilio("convert", "mixed.txt", "-o", "mixed.mtx", "--force", *options)
        return set((self.path / "mixed.mtx.vocab").read_text().split())

    def test_of_languages_and_files(self):
        self.write("mixed.txt", "The ship und die Welle daß außer rope\n")
        self.write("mine", "rope\n")
        self.write("german", "ship\n")
        self.write("a,b", "welle\n")
        everything = {"the", "ship", "und", "die", "welle", "dass", "ausser", "rope"}
        self.assertEqual(self.words(), everything)
        for given, left_out in (("english", {"the"}), ("german", {"und", "die", "dass", "ausser"}),
                                ("english,german", {"the", "und", "die", "dass", "ausser"}),
                                ("german,mine", {"und", "die", "dass", "ausser", "rope"}), ("mine,english", {"rope", "the"}),
                                ("./german", {"ship"}), ("a,b", {"welle"}), ("mine,./german,mine", {"rope", "ship"})):
            self.assertEqual(self.words("--stopwords", given), everything - left_out, given)

    def test_what_is_no_list(self):
        self.write("text", documents([]))
        run = self.train("text", "--stopwords", "germann", code=66)
        self.assertIn('papilio train: --stopwords "germann" is neither a file nor one of the languages catalan, czech, ',
                      run.stderr)
        self.assertTrue(run.stderr.endswith('swedish, turkish; did you mean german?\n'), run.stderr)
        self.assertIn('"absent"', self.train("text", "--stopwords", "english,absent", code=66).stderr)
        self.assertIn("cannot open ./absent", self.train("text", "--stopwords", "./absent", code=66).stderr)
        for given, what in (("english,", "nothing"), (",english", "nothing"), ("english,-", "standard input")):
            run = self.train("text", "--stopwords", given, code=64)
            self.assertIn(f"--stopwords \"{given}\" has {what}", run.stderr)
        self.assertEqual(sorted(os.listdir(self.path)), ["text"])

    def test_a_list_is_no_output(self):
        self.write("text", documents([]))
        self.write("mine", "ship\n")
        run = self.train("text", "--stopwords", "english,mine", "-o", "mine", "--force", code=64)
        self.assertIn("would overwrite an input: --stopwords, mine", run.stderr)

    def test_mallets_list_is_a_file_whatever_its_name(self):
        self.write("named.txt", "one en und ship\ntwo en ship rope\n")
        self.write("german", "ship\n")
        self.papilio("import-file", "--input", "named.txt", "--output", "made", "--stoplist-file", "german")
        self.papilio("convert", "made", "-o", "made.mtx")
        self.assertEqual((self.path / "made.mtx.vocab").read_text().split(), ["und", "rope"])


class Documents(HintsTest):
    def test_none_of_a_corpus_that_looks_well(self):
        self.write("text.txt", documents([], count=30))
        for i, line in enumerate(documents([], count=12).splitlines()):
            self.write(f"folder/{i}.txt", line)
        self.papilio("generate", "--documents", 50, "--words", 200, "--topics", 3, "-o", "made")
        for corpus in ("text.txt", "folder", "docword.made.txt"):
            self.check_hints(corpus)

    def test_one_document(self):
        words = documents([], count=1)
        self.write("text.txt", words)
        self.write("folder/a", words)
        self.write("table.csv", f"text\n{words}")
        one = "the corpus is one document; "
        self.check_hints("text.txt", one + "put each document on a line of its own, or give a folder with a file per document")
        self.check_hints("folder", one + "in a folder each file is a document; for a document per line give the file itself")
        self.check_hints("table.csv", one + "topics are distinguished by the documents in which their words occur", topics=5)

    def test_short_documents(self):
        short, long = "ship sail wave\n", "ship sail wave wind\n"
        self.write("half.txt", short * 3 + "\n" + long * 4)
        self.check_hints("half.txt")
        self.write("more.txt", short * 3 + "\n\n" + long * 4)
        self.check_hints("more.txt", "5 of 9 documents have 3 words or fewer; each line is a document; if yours have "
                         "several lines, give a folder with a file per document, or put each on one line")
        self.write("table.csv", "text\n" + short * 5 + long * 4)
        self.check_hints("table.csv", "5 of 9 documents have 3 words or fewer; so few words say little about topics; "
                         "join short documents")

    def test_more_topics_than_documents(self):
        self.write("text.txt", documents([], count=12))
        self.check_hints("text.txt", topics=12)
        self.check_hints("text.txt", "-k 13 is more topics than there are documents (12); choose fewer", topics=13)

    def test_another_encoding(self):
        line = "das große Segel für die Brücke und das Boot über dem Wasser\n"
        self.write("text.txt", (line * 12).encode("latin-1"))
        advice = "if the text is in another encoding, such as Latin-1, iconv -f LATIN1 -t UTF-8 FILE converts it"
        self.check_hints("text.txt", f"ill-formed UTF-8 separates words in 48 places; {advice}",
                         options=("--stopwords", "german"))
        self.write("short.txt", "ship sail große wave\nship sail wave wind rope\n".encode("latin-1"))
        self.check_hints("short.txt", f"ill-formed UTF-8 separates words in 1 place; {advice}")
        self.write("halves.jsonl", r'{"text": "ship \ud83d sail wave \udc00 wind rope"}' "\n" * 12)
        self.check_hints("halves.jsonl")
        self.write("halves.json", "[" + r'"ship \ud83d sail wave \udc00 wind rope",' * 12 + '"ship"]')
        self.check_hints("halves.json")
        self.write("few.txt", documents([], count=30).encode() + "Segel für\n".encode("latin-1"))
        self.check_hints("few.txt")

    def test_all_at_once_in_one_order(self):
        words = ENGLISH + ["ship", "sail"]
        self.write("text.txt", "".join(f"{a} {b}\n" for a, b in zip(words, words[1:])))
        run = self.train("text.txt", topics=1000)
        self.assertEqual([line.split()[1] for line in self.hints(run)], ["19", "-k", "18"])


class NoText(HintsTest):
    def test_a_binary_file_is_refused_by_name_and_offset(self):
        picture = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
        self.write("picture.txt", picture)
        self.write("packed.txt.gz", gzip.compress(picture))
        self.write("folder/sub/picture.png", picture)
        self.write("folder/letter", "ship sail wave\n")
        for corpus, name in (("picture.txt", "picture.txt"), ("packed.txt.gz", "packed.txt.gz"),
                             ("folder", "folder/sub/picture.png")):
            for command in (["train", corpus, "-k", 2], ["import", corpus]):
                run = self.papilio(*command, code=65)
                self.assertIn(f"{name}: expected text, got a binary file (a NUL byte at offset 8)", run.stderr)
                self.assertEqual(len(run.stderr.splitlines()), 1)
        self.write("paper", b"%PDF-1.7\n1 0 obj\n")
        self.assertIn("paper: expected text, got a PDF file", self.papilio("import", "paper", code=65).stderr)


class Refusals(HintsTest):
    """What an error says to do next."""

    def setUp(self):
        super().setUp()
        self.write("text.txt", documents(ENGLISH))

    def test_a_chain_of_a_corpus_read_in_another_way(self):
        self.train("text.txt", "--checkpoint", "kept", "-o", "model", "--stopwords", "english")
        run = self.train("text.txt", "--checkpoint", "kept", "-o", "model", "--resume", code=65)
        self.assertRegex(run.stderr.splitlines()[-1],
                         r"^papilio train: kept: the checkpoint belongs to another corpus, or to this one read with "
                         r"other options \(--stopwords, --min-df, \.\.\.\): it has 12 documents, \d+ tokens and \d+ "
                         r"different words, expected 12 documents, 480 tokens and \d+ different words$")

    def test_a_run_that_is_done_has_no_checkpoint(self):
        alone = "papilio train: cannot resume: checkpoint text.checkpoint.safetensors does not exist"
        self.assertEqual(self.train("text.txt", "--resume", code=66).stderr, alone + "\n")
        self.train("text.txt")
        self.assertEqual(self.train("text.txt", "--resume", code=66).stderr,
                         alone + "; a run that is done removes it, and text.papilio.safetensors is there. To be able "
                         "to continue after the last sweep, train with --checkpoint FILE, which is kept\n")

    def test_no_room_on_a_device_is_none_of_its_folder(self):
        run = self.papilio("convert", "text.txt", "--to", "mtx", "-o", "/dev/full", code=74)
        self.assertEqual(run.stderr.splitlines()[-1],
                         "papilio convert: cannot write to /dev/full: No space left on device")

    def test_json_that_is_not_in_lines(self):
        for name, text in (("a.json", '["ship and sail"]'), ("b", '[\n  {"text": "ship and sail"}\n]\n')):
            self.write(name, text)
            self.assertIn(f"read {name} (json): 1 documents", self.train(name).stderr)
            self.assertIn(f"papilio train: {name}:1:1: expected a JSON object (--format json, in Python "
                          'format="json", reads an array), got ', self.train(name, "--format", "jsonl", code=65).stderr)
        self.write("c.json", '{\n  "text": "ship and sail"\n}\n')
        self.assertIn("papilio train: c.json:1:2: expected the whole object on this line (jq -c . FILE puts each on a "
                      "line), got ", self.train("c.json", code=65).stderr)
        self.assertIn('papilio train: c.json:1:1: expected an array (--format jsonl, in Python format="jsonl", reads an '
                      "object per line), got ", self.train("c.json", "--format", "json", code=65).stderr)


class Models(HintsTest):
    NAME = "letters.papilio.safetensors"

    def setUp(self):
        super().setUp()
        for i, line in enumerate(documents(ENGLISH, count=6).splitlines()):
            self.write(f"letters/{i}", line)
        self.write("other/letters", documents(ENGLISH, seed=2))

    def model(self):
        return (self.path / self.NAME).read_bytes()

    def test_a_folders_is_named_after_it(self):
        for corpus in ("letters", "letters/", "./letters//", "other/../letters/."):
            self.train(corpus)
            (self.path / self.NAME).unlink()
        self.assertEqual(sorted(os.listdir(self.path)), ["letters", "other"])
        (self.path / "letters").rename(self.path / "letters.2020")
        self.train("letters.2020/")
        self.papilio("import", "letters.2020")
        self.assertEqual(sorted(os.listdir(self.path)),
                         ["letters.2020", "letters.2020.papilio-corpus", "letters.2020.papilio.safetensors", "other"])

    def test_within_the_folder_itself(self):
        self.train("letters")
        for _ in range(2):  # the model in it is no document
            self.train(".", cwd="letters")
            self.assertEqual((self.path / "letters" / self.NAME).read_bytes(), self.model())
        self.papilio("import", ".", cwd="letters")
        self.train(".", cwd="letters")
        self.assertEqual((self.path / "letters" / self.NAME).read_bytes(), self.model())
        (self.path / "letters" / "deeper").mkdir()
        self.train("..", cwd="letters/deeper")
        self.assertEqual((self.path / "letters/deeper" / self.NAME).read_bytes(), self.model())

    def test_of_another_corpus_is_not_replaced(self):
        self.train("letters")
        before = self.model()
        for options in ([], ["--stopwords", "english"], ["--min-df", 2], ["-q"]):
            run = self.train("other/letters", *options, code=73)
            self.assertRegex(run.stderr.splitlines()[-1],
                             rf"^papilio train: {self.NAME} was made from another corpus \(41 words, 240 tokens; most often: "
                             r"\w+, \w+, \w+\) than other/letters \(\d+ words, \d+ tokens; most often: \w+, \w+, \w+\); use "
                             r"--force to replace it, or -o for another name$")
        self.assertEqual(self.model(), before)
        self.assertEqual(sorted(os.listdir(self.path)), ["letters", self.NAME, "other"])
        self.train("other/letters", "-o", "named")
        self.train("other/letters", "--force")
        self.assertNotEqual(self.model(), before)

    def test_of_the_same_corpus_is_replaced(self):
        self.train("letters")
        before = self.model()
        # However words are left out, and in whatever form the corpus is read.
        for options in (["--seed", 2], ["--stopwords", "english"], ["--min-df", 3, "--stopwords", "german"], [],
                        ["--max-vocabulary", 25]):
            self.train("letters", *options)
        self.train("letters")
        self.assertEqual(self.model(), before)
        self.papilio("import", "letters", "--stopwords", "english")
        self.train("letters.papilio-corpus")
        self.papilio("import", "letters", "--force")
        self.train("letters.papilio-corpus")
        self.assertEqual(self.model(), before)

    def test_a_word_less_is_another_corpus(self):
        text = documents(ENGLISH)
        for name, content in (("a", text), ("b", text.replace("shipyard", "dockyard")), ("c", text + "ship\n")):
            self.write(f"{name}/letters", content)
        self.train("a/letters")
        self.train("b/letters", code=73)
        self.train("c/letters")  # all of it and more, which options of the first may have left out
        self.train("b/letters", code=73)
        self.write("a/letters", text * 2)
        self.train("a/letters", code=73)


if __name__ == "__main__":
    COMMAND = os.path.abspath(sys.argv.pop(1))
    unittest.main()
