"""What cost_of_reading.py reads: families of files, benign and hostile, whose size one number gives."""

import struct
from itertools import product

from archives import matrix, npy, zip_archive
from binary_cases import tensors
from cases import compress, zstd_raw


class Family:
    """`make(n)` gives the files by name, `command` reads the first; `prepare` are commands that are run before it,
    unmeasured. It ends with `code`. n is doubled until reading takes long enough to be measured; `cheap`: it never
    does, because the file is refused at its beginning or is read at once."""

    def __init__(self, name, n, make, command, prepare=(), code=0, cheap=False):
        self.name, self.n, self.make, self.command = name, n, make, command
        self.prepare, self.code, self.cheap = prepare, code, cheap


LETTERS = b"abcdefghijklmnop"
PREFIXED = [bytes(letters) for letters in product(LETTERS, repeat=4)]


def joined(count, between=b" "):
    """Distinct words of six letters: the first two are those of a group of 2^16."""
    groups = [between.join([two + four for four in PREFIXED[:min(len(PREFIXED), count - at)]])
              for at, two in zip(range(0, count, len(PREFIXED)), map(bytes, product(LETTERS, repeat=2)))]
    return between.join(groups)


def each(count, shape, first=1):
    """`shape % i` for i = first, first + 1, ..."""
    return b"".join([shape % i for i in range(first, first + count)])


def reading(form, ending, rows, *options):
    """Families of one format; n counts thousands of bytes, or of entries."""
    file = "x" + ending
    for name, n, data, *rest in rows:
        where = file + (rest[0] if rest else "")
        yield Family(f"{form}: {name}", n, lambda n, where=where, data=data: {where: data(1000 * n)},
                     ["convert", where, "--from", form, "--to", "text", "-o", "/dev/null", "--force", *options])


def texts():
    line = b"cats and dogs play with mice and birds\n"
    yield from reading("text", ".txt", [
        ("short documents", 480, lambda n: b"cats dogs\n" * (n // 10)),
        ("one document", 950, lambda n: b"cats and dogs " * (n // 14)),
        ("one document of distinct words", 170, lambda n: joined(n // 7)),
        ("distinct words", 140, lambda n: joined(n // 7, b"\n")),
        ("one word", 1400, lambda n: b"a" * n),
        ("one word beyond ASCII", 230, lambda n: "é".encode() * (n // 2)),
        ("combining marks", 220, lambda n: b"a" + b"\xcc\x81\xcc\x96" * (n // 4)),
        ("ASCII before letters beyond it", 470, lambda n: (b"a" * 998 + "é ".encode()) * (n // 1001)),
        ("punctuation", 1500, lambda n: b"a.b." * (n // 4)),
        ("blank lines", 190, lambda n: b"\n" * n),
        ("ill-formed UTF-8", 5400, lambda n: b"\xe2\x82 \xff" * (n // 4)),
        ("carriage returns", 8000, lambda n: b"\r" * n),
        ("gzip", 900, lambda n: compress(line * (n // 39)), ".gz"),
        ("gzip of small members", 1200, lambda n: compress(b"cats dogs\n") * (n // 30), ".gz"),
        ("gzip of empty members", 4200, lambda n: compress(b"") * (n // 20), ".gz"),
        ("zstd", 900, lambda n: zstd_raw(line * (n // 39)), ".zst"),
        ("zstd of small frames", 770, lambda n: zstd_raw(b"cats dogs\n") * (n // 19), ".zst"),
    ])
    yield from reading("text", ".txt", [("filters", 240, lambda n: joined(n // 14, b"\n") + b"\n" + joined(n // 14))],
                       "--min-df", "2", "--max-vocabulary", "100")
    yield from reading("text", ".txt", [
        ("phrases of one word", 340, lambda n: b"cats " * (n // 5)),
        ("phrases of distinct words", 60, lambda n: joined(n // 7)),
        ("phrases of words around one", 60, lambda n: joined(n // 14, b" cats ")),
    ], "--phrases", "auto", "--phrase-threshold", "-1", "--phrase-min-count", "1", "--phrase-length", "16")


def records():
    yield from reading("csv", ".csv", [
        ("records", 640, lambda n: b"text,b\n" + b"cats,dogs\n" * (n // 10)),
        ("quotes", 1600, lambda n: b'text\n"' + b'""' * (n // 2) + b'"\n'),
        ("a field of many lines", 840, lambda n: b'text\n"' + b"a\n" * (n // 2) + b'"\n'),
        ("columns", 280, lambda n: b"text" + b"," * n + b"\n"),
        ("named columns", 1200, lambda n: b"text," + joined(n // 7, b",") + b"\n"),
        ("blank lines", 590, lambda n: b"text,b\n" + b"\n" * n),
        ("a long field", 940, lambda n: b"text\n" + b"cats " * (n // 5) + b"\n"),
    ])
    yield from reading("csv", ".csv", [("ids", 450, lambda n: b"text,id\n" + b"cats,dogs\n" * (n // 10))],
                       "--id-column", "id")
    record = b'{"text":"cats dogs","n":[1,2,3]}\n'
    yield from reading("jsonl", ".jsonl", [
        ("records", 1100, lambda n: record * (n // len(record))),
        ("keys", 450, lambda n: b'{"text":"a"' + b',"' + joined(n // 11, b'":1,"') + b'":1}\n'),
        ("keys of an inner object", 2800, lambda n: b'{"text":"a","o":{' + b'"a":1,' * (n // 6) + b'"b":1}}\n'),
        ("escapes", 2400, lambda n: b'{"text":"' + b"\\u0041\\n" * (n // 8) + b'"}\n'),
        ("halves of surrogates", 2600, lambda n: b'{"text":"' + b"\\ud83d" * (n // 6) + b'"}\n'),
        ("a long number", 5400, lambda n: b'{"text":"a","n":' + b"1" * n + b"}\n"),
        ("deep arrays", 2000, lambda n: (b'{"text":"a","n":' + b"[" * 90 + b"]" * 90 + b"}\n") * (n // 198)),
        ("a long array", 1800, lambda n: b'{"text":"a","n":[' + b"1," * (n // 2) + b"1]}\n"),
        ("blank lines", 1200, lambda n: b"\n" * n),
    ])
    element = b'{"text":"cats dogs","n":[1,2,3]}'
    indented = b'\n  {\n    "text": "cats dogs",\n    "n": [\n      1,\n      2\n    ]\n  },'
    yield from reading("json", ".json", [
        ("records", 1100, lambda n: b"[" + (element + b",") * (n // len(element)) + element + b"]"),
        ("records over lines", 1500, lambda n: b"[" + indented * (n // len(indented)) + element + b"]"),
        ("one record over lines", 2000, lambda n: b'[{"text":"a","n":[' + b"1\n,\n" * (n // 4) + b"1]}]"),
        ("strings", 800, lambda n: b"[" + b'"cats dogs",' * (n // 12) + b'"cats"]'),
        ("empty strings", 300, lambda n: b"[" + b'"",' * (n // 3) + b'""]'),
        ("a long string", 1500, lambda n: b'["' + b"cats " * (n // 5) + b'"]'),
        ("long strings", 1500, lambda n: b"[" + (b'"' + b"cats " * 54000 + b'",') * (n // 270000) + b'""]'),
        ("escapes", 2400, lambda n: b'["' + b"\\\\" * (n // 2) + b'"]'),
        ("keys", 450, lambda n: b'[{"text":"a"' + b',"' + joined(n // 11, b'":1,"') + b'":1}]'),
        ("blanks", 6000, lambda n: b"[" + b" " * n + b'"cats"]'),
        ("blank lines", 2000, lambda n: b"[" + b"\n" * n + b'"cats"' + b"\n" * n + b"]" + b"\n" * n),
    ])
    yield from reading("low", ".low", [
        ("documents", 410, lambda n: b"%d\n" % (n // 5) + b"a b \n" * (n // 5)),
        ("one document of distinct words", 360, lambda n: b"1\n" + joined(n // 7)),
        ("a long word", 1700, lambda n: b"1\n" + b"a" * n),
    ])
    yield from reading("mallet", ".mallet", [
        ("documents", 800, lambda n: b"a en cats dogs\n" * (n // 15)),
        ("one document", 1100, lambda n: b"a en " + b"cats " * (n // 5)),
        ("a long name", 2500, lambda n: b"n" * n + b" en cats\n"),
    ])


def npz_small(members):
    return zip_archive(members + [(b"format.npy", npy("|S3", "()", b"csr")),
                                  (b"shape.npy", npy("<i8", "(2,)", struct.pack("<qq", 1, 1))),
                                  (b"indptr.npy", npy("<i4", "(2,)", struct.pack("<ii", 0, 1))),
                                  (b"indices.npy", npy("<i4", "(1,)", bytes(4))),
                                  (b"data.npy", npy("<i4", "(1,)", b"\1\0\0\0"))])


def bags():
    head = b"%d\n%d\n%d\n"
    ones = b"\1\0\0\0"
    banner = b"%%MatrixMarket matrix coordinate integer general\n"
    yield from reading("uci", ".uci", [
        ("one document", 80, lambda n: head % (1, n, n) + each(n, b"1 %d 1\n")),
        ("a document per entry", 90, lambda n: head % (n, 1, n) + each(n, b"%d 1 1\n")),
        ("documents in turns", 75, lambda n: head % (2, 1, n) + b"1 1 1\n2 1 1\n" * (n // 2)),
        ("documents backwards", 60, lambda n: head % (n, 1, n) + b"".join([b"%d 1 1\n" % i for i in range(n, 0, -1)])),
        ("large counts", 80, lambda n: head % (1, 1, n // 100) + b"1 1 1000\n" * (n // 100)),
        ("a long number", 2600, lambda n: head % (1, 1, 1) + b"1 1 " + b"0" * n + b"1\n"),
        ("blank lines", 1300, lambda n: head % (1, 1, 1) + b"1 1 1\n" + b"\n" * n),
    ])
    yield from reading("ldac", ".ldac", [
        ("one document", 75, lambda n: b"%d" % n + each(n, b" %d:1", 0)),
        ("one word", 160, lambda n: b"%d" % n + b" 0:1" * n),
        ("empty documents", 250, lambda n: b"0\n" * n),
    ])
    yield from reading("svmlight", ".svmlight", [
        ("one document", 180, lambda n: b"0" + b" 1:1" * n),
        ("comments", 900, lambda n: b"# cats\n" * n + b"0 1:1\n"),
        ("labels", 690, lambda n: b",".join([b"1"] * n) + b" 1:1\n"),
    ])
    yield from reading("mtx", ".mtx", [
        ("a document per entry", 75, lambda n: banner + b"%d 1 %d\n" % (n, n) + each(n, b"%d 1 1\n")),
        ("comments", 490, lambda n: banner + b"%cats\n" * n + b"1 1 1\n1 1 1\n"),
        ("blank lines", 1400, lambda n: banner + b"1 1 1\n" + b"\n" * n + b"1 1 1\n"),
    ])
    yield from reading("npz", ".npz", [
        ("one document", 90, lambda n: matrix(1, n, struct.pack("<2i", 0, n), struct.pack(f"<{n}i", *range(n)),
                                              ones * n)),
        ("a document per entry", 100, lambda n: matrix(n, 1, struct.pack(f"<{n + 1}i", *range(n + 1)), bytes(4 * n),
                                                      ones * n)),
        ("zeros", 690, lambda n: matrix(1, 1, struct.pack("<2i", 0, n), bytes(4 * n), bytes(4 * n))),
        ("gzip", 190, lambda n: compress(matrix(1, 1, struct.pack("<2i", 0, n), bytes(4 * n), ones * n)), ".gz"),
    ])
    archive = Family("npz: members", 1000, lambda n: {"x.npz": npz_small([(b"m", b"", None, 0)] * min(n, 8000))},
                     ["convert", "x.npz", "--to", "text", "-o", "/dev/null", "--force"], cheap=True)
    yield archive


def lists():
    convert = ["convert", "x.ldac", "--to", "text", "-o", "/dev/null", "--force"]
    yield Family("vocabulary: words", 420, lambda n: {"v": joined(1000 * n // 7, b"\n"), "x.ldac": b"1 1:1\n"},
                 [*convert, "--vocabulary", "v"])
    yield Family("vocabulary: a long word", 2500, lambda n: {"v": b"a\n" + b"w" * (1000 * n), "x.ldac": b"1 1:1\n"},
                 [*convert, "--vocabulary", "v"])
    for name, n, data in (("words", 190, lambda n: joined(n // 7, b"\n")),
                          ("one word", 220, lambda n: b"the\n" * (n // 4)),
                          ("comments", 7200, lambda n: b"# cats and dogs\n" * (n // 16)),
                          ("blank lines", 1000, lambda n: b"\n" * n)):
        yield Family(f"stop words: {name}", n, lambda n, data=data: {"stop": data(1000 * n), "x.ldac": b"1 1:1\n"},
                     [*convert, "--stopwords", "stop"])
    yield from folders()


def folders():
    convert = ["convert", "x", "--to", "text", "-o", "/dev/null", "--force"]
    yield Family("folder: files", 3000, lambda n: {f"x/{i}.txt": b"cats dogs" for i in range(n)}, convert)
    some = compress(b"cats and dogs\n" * 3000)
    yield Family("folder: .gz files", 20, lambda n: {f"x/{i}.txt.gz": some for i in range(n)}, convert)
    yield Family("folder: a long file", 1400, lambda n: {"x/a.txt": b"cats\n" * (200 * n)}, convert)
    yield Family("folder: a long .gz file", 1200, lambda n: {"x/a.gz": compress(b"cats dogs\n" * (100 * n))}, convert)
    yield Family("folder: a .gz file of small members", 1000, lambda n: {"x/a.gz": compress(b"cats dogs\n") * (33 * n)},
                 convert)
    yield Family("folder: a long file of one word", 1600, lambda n: {"x/a.txt": b"a" * (1000 * n)}, convert)


def states():
    """States of MALLET; the corpus is another's, so that they are refused once they have been read."""
    head = b"#doc source pos typeindex type topic\n"
    train = ["train", "x.txt", "-k", "2", "--sweeps", "1", "-o", "model", "--force", "-q", "--input-state", "state"]
    for name, n, data in (("one document", 75, lambda n: each(n, b"0 NA %d 0 cats 0\n")),
                          ("a document per token", 70, lambda n: each(n, b"%d NA 0 0 cats 0\n", 0)),
                          ("a type per token", 60, lambda n: each(n, b"0 NA 0 %d w 0\n", 0)),
                          ("alphas", 330, lambda n: b"#alpha :" + b" 1" * n + b"\n0 NA 0 0 cats 0\n"),
                          ("comments", 420, lambda n: b"#cats\n" * n + b"0 NA 0 0 cats 0\n"),
                          ("a long source", 5500, lambda n: b"0 " + b"s" * n + b" 0 0 cats 0\n")):
        yield Family(f"state: {name}", n, lambda n, data=data: {"state": head + data(1000 * n), "x.txt": b"dogs\n"},
                     train, code=None)


def binary():
    """Models, checkpoints and corpus files as papilio writes them, and headers that it never would."""
    train = ["train", "x.txt", "-k", "2", "--sweeps", "1", "-o", "model", "--force", "-q"]
    yield Family("model: words", 340, lambda n: {"x.txt": joined(1000 * n // 7)}, ["inspect", "model"], [train])
    yield Family("checkpoint: tokens", 560, lambda n: {"x.txt": b"cats dogs\n" * (100 * n)},
                 [*train, "--checkpoint", "c", "--resume"], [[*train, "--checkpoint", "c"]])
    for name, data in (("tokens", lambda n: b"cats and dogs\n" * (n // 14)), ("words", lambda n: joined(n // 7)),
                       ("documents", lambda n: b"cats\n" * (n // 5))):
        yield Family(f"corpus file: {name}", 400, lambda n, data=data: {"x.txt": data(1000 * n)},
                     ["convert", "x.corpus", "--to", "text", "-o", "/dev/null", "--force"],
                     [["import", "x.txt", "-o", "x.corpus", "--force"]])
    entry = b'"t%d":{"dtype":"I32","shape":[0],"data_offsets":[0,0]},'
    for name, header in (("small tensors", lambda n: b"{" + each(n // 50, entry) + b'"z":0}'),
                         ("metadata", lambda n: b'{"__metadata__":{' + each(n // 10, b'"%d":"a",') + b'"a":"b"}}'),
                         ("blanks", lambda n: b"{" + b" " * n + b"}"),
                         ("a long string", lambda n: b'{"__metadata__":{"a":"' + b"s" * n + b'"}}'),
                         ("escapes", lambda n: b'{"__metadata__":{"a":"' + b"\\n" * (n // 2) + b'"}}'),
                         ("levels", lambda n: b'{"a":' + b"[" * n)):
        yield Family(f"model: a header of {name}", 1000, lambda n, header=header: {"model": tensors(header(1000 * n))},
                     ["inspect", "model"], code=65, cheap=True)


def families():
    return [*texts(), *records(), *bags(), *lists(), *states(), *binary()]
