"""Runs every command line that the documentation shows:
python3 docs_commands_test.py path/to/papilio path/to/repository.

A command line is a line of a fenced block that begins with "papilio " or "$ papilio "; what follows two
blanks and is no option, or "#", is its description. Words in capitals and the names of the examples
stand for the files below. Commands of one page run in one folder, in order.
"""

import gzip
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMMAND = ""
REPOSITORY = Path()

WORDS = "apple banana cherry grape lemon melon orange peach plum quince".split(), \
        "axle brake clutch engine gear piston radiator spark valve wheel".split()


def documents(count=60):
    """Texts of two subjects, a few words of each."""
    for d in range(count):
        words = WORDS[d % 2]
        yield " ".join(words[(d * 7 + i * (1 + d % 3)) % 10] for i in range(12))


def fixtures(folder):
    """The files that the pages speak of."""
    texts = list(documents())
    for name in ("corpus.txt", "news.txt", "more.txt"):
        (folder / name).write_text("\n".join(texts) + "\n")
    (folder / "new.txt").write_text("\n".join(texts[:7]) + "\n")
    (folder / "held-out.txt").write_text("\n".join(texts[7:13]) + "\n")
    (folder / "phrases.txt").write_text("apple banana\nclutch engine\n")
    (folder / "seeds.txt").write_text("0: apple banana\n1: axle brake\n")
    (folder / "table.csv").write_text("id,text\n" + "".join(f'd{d},"{t}"\n' for d, t in enumerate(texts)))
    (folder / "table.tsv").write_text("id\ttext\n" + "".join(f"d{d}\t{t}\n" for d, t in enumerate(texts)))
    (folder / "records.jsonl").write_text("".join(f'{{"id": "d{d}", "text": "{t}"}}\n' for d, t in enumerate(texts)))
    pages = folder / "pages"
    pages.mkdir()
    for d, text in enumerate(texts[:10]):
        (pages / f"{d}.txt").write_text(text)
    run(folder, ["generate", "-o", "news", "--documents", "80", "--words", "120", "-k", "4", "--mean-length", "30"])
    (folder / "docword.news.txt.gz").write_bytes(gzip.compress((folder / "docword.news.txt").read_bytes()))
    (folder / "words.txt").write_bytes((folder / "vocab.news.txt").read_bytes())
    run(folder, ["convert", "docword.news.txt", "-o", "matrix.mtx"])
    (folder / "matrix.mtx.vocab").unlink()
    run(folder, ["train", "corpus.txt", "-k", "2", "--sweeps", "5", "-q", "-o", "model.papilio.safetensors"])


# What stands for what; longer names first.
PLACEHOLDERS = {
    "FOLDER/NAME": "made",
    "CORPUS": "corpus.txt",
    "MODEL": "model.papilio.safetensors",
    "NEW": "new.txt",
}


def run(folder, arguments, code=0):
    done = subprocess.run([COMMAND, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=120)
    text = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode != code:
        raise AssertionError(f"papilio {shlex.join(arguments)}: exit {done.returncode}, expected {code}\n{text}")
    return text


def command_lines(page):
    """The command lines of a page, with their line numbers."""
    fenced = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            fenced = not fenced
            continue
        text = line.strip().removeprefix("$ ")
        if fenced and text.startswith("papilio ") and " SUBCOMMAND" not in text:
            text = re.sub(r"\s+#\s.*$", "", text)
            text = re.split(r"\s{2,}(?!-)", text)[0]
            yield number, text


def arguments_of(text):
    for name, meant in PLACEHOLDERS.items():
        text = re.sub(rf"(?<![\w.]){name}(?![\w.])", meant, text)
    return shlex.split(text)[1:]


def pages():
    return [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]


class DocumentedCommands(unittest.TestCase):
    def test_all_run(self):
        count = 0
        fixed = tempfile.TemporaryDirectory()
        self.addCleanup(fixed.cleanup)
        made = Path(fixed.name)
        fixtures(made)
        for page in pages():
            lines = list(command_lines(page))
            if not lines:
                continue
            with tempfile.TemporaryDirectory() as name:
                folder = shutil.copytree(made, Path(name) / "page")
                for number, text in lines:
                    count += 1
                    with self.subTest(page=str(page.relative_to(REPOSITORY)), line=number, command=text):
                        self.check(folder, text)
        self.assertGreater(count, 10)

    def check(self, folder, text):
        program, *pipeline = text.split(" | ")
        arguments = arguments_of(program)
        # There may be no device: then the command says so.
        if any(argument.partition(":")[0] == "cuda" for argument in arguments):
            done = subprocess.run([COMMAND, *arguments], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=300)
            self.assertIn(done.returncode, (0, 70), done.stderr)
            return
        # Quick, whatever the page says; and again where an earlier line wrote the same file.
        if arguments[0] in ("train", "train-topics"):
            arguments += ["--force"] if "--force" not in arguments and "--resume" not in arguments else []
        run(folder, arguments)


if __name__ == "__main__":
    COMMAND = str(Path(sys.argv[1]).resolve())
    REPOSITORY = Path(sys.argv[2]).resolve()
    unittest.main(argv=sys.argv[:1], verbosity=2)
