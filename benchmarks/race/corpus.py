"""Corpora of the race: a UCI bag of words, every 20th document held out, in the forms that the systems read.

A prepared folder holds

    meta.json            name, documents, words, tokens, held-out documents and tokens, held-out words never seen
    train.words.bin      int32: the word of each training token, documents in the corpus's order
    train.offsets.bin    int64: where each training document begins, and the end
    held_out.*.bin       likewise; ids from `words` on are of words that training never saw
    docword.train.txt    the training documents as UCI bag of words, with vocab.train.txt

The vocabulary is the words that occur in training, so that V is one number for all systems.
"""

import gzip
import json
import pathlib
import subprocess

import numpy as np

EVERY = 20


def find(folder, name):
    for ending in (".txt", ".txt.gz", ".txt.zst"):
        path = pathlib.Path(folder) / f"docword.{name}{ending}"
        if path.exists():
            return path
    raise SystemExit(f"race: there is no docword.{name}.txt, plain, .gz or .zst, in {folder}")


def read_bytes(path):
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes())
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dcq", path], stdout=subprocess.PIPE, check=True).stdout
    return path.read_bytes()


def write_part(folder, part, rows, documents):
    """`rows`: (document, word, count) in the order of the file; documents are numbered from 0."""
    tokens = np.repeat(rows[:, 1], rows[:, 2]).astype(np.int32)
    lengths = np.bincount(rows[:, 0], weights=rows[:, 2], minlength=documents).astype(np.int64)
    tokens.tofile(folder / f"{part}.words.bin")
    np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64).tofile(folder / f"{part}.offsets.bin")
    return len(tokens)


def prepare(source, name, folder):
    folder.mkdir(parents=True, exist_ok=True)
    table = np.array(read_bytes(find(source, name)).split(), dtype=np.int64)
    documents, words = int(table[0]), int(table[1])
    rows = table[3:].reshape(-1, 3) - [1, 1, 0]
    held = (rows[:, 0] + 1) % EVERY == 0
    train, test = rows[~held], rows[held]
    seen = np.bincount(train[:, 1], minlength=words) > 0
    number = np.where(seen, np.cumsum(seen) - 1, seen.sum() + np.cumsum(~seen) - 1)
    for part in (train, test):
        part[:, 1] = number[part[:, 1]]
    test[:, 0] //= EVERY
    train[:, 0] -= train[:, 0] // EVERY
    tests = documents // EVERY
    meta = {"name": name, "documents": documents - tests, "words": int(seen.sum()), "held_out_documents": tests,
            "tokens": write_part(folder, "train", train, documents - tests),
            "held_out_tokens": write_part(folder, "held_out", test, tests),
            "unseen_words": int(len(np.unique(test[test[:, 1] >= seen.sum(), 1])))}
    vocabulary = (pathlib.Path(source) / f"vocab.{name}.txt").read_text(encoding="utf-8").split("\n")
    kept = [word for word, is_seen in zip(vocabulary, seen) if is_seen]
    (folder / "vocab.train.txt").write_text("\n".join(kept) + "\n", encoding="utf-8")
    with open(folder / "docword.train.txt", "w") as out:
        out.write(f"{meta['documents']}\n{meta['words']}\n{len(train)}\n")
        np.savetxt(out, train + [1, 1, 0], fmt="%d")
    (folder / "meta.json").write_text(json.dumps(meta, indent=1) + "\n")
    return meta


def meta(folder):
    return json.loads((pathlib.Path(folder) / "meta.json").read_text())


def documents(folder, part):
    """The word ids of each document, one array per document."""
    folder = pathlib.Path(folder)
    words = np.fromfile(folder / f"{part}.words.bin", dtype=np.int32)
    offsets = np.fromfile(folder / f"{part}.offsets.bin", dtype=np.int64)
    return [words[a:b] for a, b in zip(offsets[:-1], offsets[1:])]


def batch(corpus_meta):
    """Documents of an online learner's mini-batch: a tenth of all, at most 2,048."""
    return min(2048, -(-corpus_meta["documents"] // 10))
