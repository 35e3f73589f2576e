#!/usr/bin/env python3
"""Times `papilio import --phrases auto` beside an import without phrases and beside gensim's Phrases.

    phrases.py PAPILIO TEXT... [--repeats 5] [--threads 1]

PAPILIO is the command, each TEXT a file with one document per line, plain or compressed. gensim gets the words that
papilio reads (no stop words left out), as lists in memory; its time is that of counting (`Phrases`, scoring="npmi") and
of joining (`FrozenPhrases`), once for pairs and twice for up to three words, without tokenization. papilio's is that of
the whole import, from text to the corpus file. Runs alternate, and the least time of each counts. Prints the rows of
benchmarks/results/phrases.md: times are multiples of the import without phrases.
"""

import argparse
import pathlib
import subprocess
import tempfile
import time

from gensim.models.phrases import Phrases


def papilio(command, text, output, threads, *options):
    start = time.perf_counter()
    options = ("-o", output, "--force", "-q", "--threads", str(threads), *options)
    subprocess.run([command, "import", text, *options], check=True)
    return time.perf_counter() - start


def gensim(documents, passes):
    start = time.perf_counter()
    for _ in range(passes):
        phrases = Phrases(documents, min_count=5, threshold=0.5, scoring="npmi").freeze()
        documents = [phrases[document] for document in documents]
    return time.perf_counter() - start


def words(command, text):
    """The documents as lists of words, as papilio reads them."""
    command = [command, "convert", text, "-o", "-", "--to", "text"]
    run = subprocess.run(command, check=True, capture_output=True, text=True)
    return [line.split() for line in run.stdout.splitlines()]


def row(options, text, folder):
    documents = words(options.papilio, text)
    output = folder / "corpus.papilio-corpus"
    phrases = ("--phrases", "auto")
    runs = {
        "import": lambda: papilio(options.papilio, text, output, options.threads),
        "pairs": lambda: papilio(options.papilio, text, output, options.threads, *phrases, "--phrase-length", "2"),
        "three": lambda: papilio(options.papilio, text, output, options.threads, *phrases),
        "gensim pairs": lambda: gensim(documents, 1),
        "gensim three": lambda: gensim(documents, 2),
    }
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(options.repeats):
        for name, run in runs.items():
            best[name] = min(best[name], run())
    times = " | ".join(f"{best[name] / best['import']:.2f}" for name in list(runs)[1:])
    tokens = sum(map(len, documents)) / 1e6
    return f"| {text.name} | {tokens:.1f} M | {best['import']:.2f} s | {times} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papilio")
    parser.add_argument("texts", nargs="+", type=pathlib.Path)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    print("| text | tokens | import | pairs | up to three words | gensim, pairs | gensim, up to three words |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder:
        for text in options.texts:
            print(row(options, text, pathlib.Path(folder)), flush=True)


if __name__ == "__main__":
    main()
