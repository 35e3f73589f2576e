"""A small corpus in every format that papilio reads, a model of it, a state and a checkpoint."""

import gzip
import json
import struct
from pathlib import Path

LINES = ["The cat chased the mouse, and the mouse hid from the cat.",
         "Kittens and cats like warm milk; mouse and kitten play.",
         "Stars and planets: a planet orbits its star, a moon its planet.",
         "Telescopes show moons, planets, stars and galaxies."]


def zstd(content):
    """A frame with one block that is stored as it is (RFC 8878)."""
    block = struct.pack("<I", 1 | len(content) << 3)[:3] + content
    return b"\x28\xb5\x2f\xfd\x60" + struct.pack("<H", len(content) - 256) + block


def write_texts(folder):
    text = "".join(f"{line}\n" for line in LINES)
    folder.mkdir()
    (folder / "pets.txt").write_text(text)
    (folder / "pets.txt.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
    (folder / "pets.txt.zst").write_bytes(zstd((text + text).encode()))
    (folder / "pets.csv").write_text("name,text\n" + "".join(f'{n},"{line}"\n' for n, line in enumerate(LINES)))
    (folder / "pets.tsv").write_text("name\ttext\n" + "".join(f"{n}\t{line}\n" for n, line in enumerate(LINES)))
    (folder / "pets.jsonl").write_text("".join(json.dumps({"id": str(n), "text": line, "more": [1, {"a": None}]}) + "\n"
                                               for n, line in enumerate(LINES)))
    (folder / "pets.json").write_text(json.dumps([{"id": n, "text": line} for n, line in enumerate(LINES)], indent=2))
    (folder / "pets.mallet").write_text("".join(f"d{n} x {line}\n" for n, line in enumerate(LINES)))
    (folder / "pets.low").write_text(f"{len(LINES)}\n{text}")
    (folder / "words.txt").write_text("the\nand\n")
    (folder / "pets").mkdir()
    for number, line in enumerate(LINES):
        (folder / "pets" / f"{number}.txt").write_text(line)


# Format, corpus; the last ones are made by papilio.
CORPORA = [("text", "pets.txt"), ("text", "pets.txt.gz"), ("text", "pets.txt.zst"), ("csv", "pets.csv"),
           ("tsv", "pets.tsv"), ("jsonl", "pets.jsonl"), ("json", "pets.json"), ("mallet", "pets.mallet"),
           ("low", "pets.low"), ("folder", "pets"), ("uci", "docword.pets.txt"), ("ldac", "pets.ldac"),
           ("svmlight", "pets.svmlight"), ("mtx", "pets.mtx"), ("npz", "pets.npz"), ("corpus", "pets.papilio-corpus")]


def make_inputs(folder, run):
    """`run` takes a folder and a list of arguments, and returns the exit status and what was printed."""
    def well(*arguments):
        code, printed = run(folder, list(arguments))
        assert code == 0, printed

    write_texts(Path(folder))
    for kind, name in CORPORA:
        if kind in ("uci", "ldac", "svmlight", "mtx", "npz"):
            well("convert", "pets.txt", "-o", name, "--to", kind)
    well("import", "pets.txt", "-o", "pets.papilio-corpus")
    well("train", "pets.txt", "-k", 3, "--sweeps", 20, "--threads", 1, "-q", "-o", "model", "--checkpoint", "chain",
         "--output-state", "state.gz")
