"""Hostile bags of words: UCI, LDA-C, SVMlight, Matrix Market, scipy's npz."""

import struct
import zipfile
from io import BytesIO

from cases import BOUNDED, Cases, compress, cuts, flipped

HUGE = ("-1", "2147483648", "4294967297", "9223372036854775808", "1" + "0" * 30, "1e30", "-9223372036854775809")
ODD = ("x", "", "1.5", "nan", "inf", "0x10", "1_0", "١", "1\0")


def uci():
    cases = Cases("uci", ".docword")
    good = "2\n3\n3\n"
    for name, header in (("nothing", ""), ("D alone", "2\n"), ("D and W alone", "2\n3\n")):
        cases.add(f"{name}", header, says="expected the number of")
    for number in (*HUGE[:1], *ODD[:5], "1 2", "9" * 30):
        cases.add(f"D is {number!r}", f"{number}\n3\n3\n1 1 1\n", says=":1:")
        cases.add(f"W is {number!r}", f"2\n{number}\n3\n1 1 1\n", says=":2:")
        cases.add(f"NNZ is {number!r}", f"2\n3\n{number}\n1 1 1\n", says=":3:")
    for column, field in enumerate(("document", "word", "count")):
        for number in ("0", *HUGE, *ODD):
            row = ["1", "1", "1"]
            row[column] = number
            cases.add(f"{field} is {number!r}", f"{good}1 2 1\n{' '.join(row)}\n1 3 1\n", says=":5:")
    cases.add("a document beyond D", good + "3 1 1\n2 1 1\n1 1 1\n", says=":4:1: expected")
    cases.add("a word beyond W", good + "1 4 1\n2 1 1\n1 1 1\n", says=":4:3: expected")
    cases.add("two fields", good + "1 1\n", says="2 of 3 fields")
    cases.add("four fields", good + "1 1 1 1\n", says="more than 3 fields")
    cases.add("fewer entries than NNZ", good + "1 1 1\n1 2 1\n", says="expected 3 entries (line 3: NNZ), got 2")
    cases.add("more entries than NNZ", good + "1 1 1\n" * 4, says=":7:1: expected the end of the file after 3 entries")
    cases.add("2^34 entries claimed", "2\n3\n17179869184\n1 1 1\n", says="expected 17179869184 entries")
    cases.add("2^50 documents claimed", f"{1 << 50}\n3\n1\n1 1 1\n", says=":1:1: the header claims")
    cases.add("2^31 - 1 words claimed", f"1\n{(1 << 31) - 1}\n1\n1 1 1\n", says=":2:1: the header claims")
    cases.add("a count that fills the memory", "1\n1\n1\n1 1 2147483647\n", *BOUNDED, says="needs more than")
    cases.add("counts that fill the memory", compress(b"1\n1\n9\n" + b"1 1 999999\n" * 9), *BOUNDED,
              says="needs more than")
    cases.add("a bomb of entries", compress(b"1\n1\n2000000\n" + b"1 1 1\n" * 2000000), *BOUNDED,
              says="needs more than")
    cases.add("UTF-16", b"\xff\xfe2\0\n\0", says=":1:1: expected UTF-8")
    cases.add("commas", good + "1,1,1\n", says=":4:")
    cases.add("a line without end", good + "1" * 2000000, "--max-line-bytes", "100000", says="max_line_bytes")

    def vocabulary(name, words, says, first="vocab.txt", refused=True):
        data = (good + "1 1 1\n1 3 1\n2 2 1\n").encode()
        before = len(cases)
        cases.add(f"vocabulary {name}", data, "--vocabulary", first, says=says, refused=refused, others={first: words})
        cases[before].files = {first: words, "x.docword": data}
    vocabulary("of two words", b"a\nb\n", "expected 3 words")
    vocabulary("of four words", b"a\nb\nc\nd\n", "expected 3 words")
    vocabulary("with a word twice", b"a\nb\na\n", ":3:1: word")
    vocabulary("with an empty line", b"a\n\nc\n", ":2:1: expected a word")
    vocabulary("that is no UTF-8", b"a\n\xff\nc\n", ":2:1: expected UTF-8")
    vocabulary("of UTF-16", b"\xff\xfea\0", ":1:1: expected UTF-8")
    vocabulary("with odd words", b"a b\n#\n\0\n", "", refused=False)
    cases.accept("blanks, floats, any order, empty lines at the end",
                 " 2 \r\n3\t\n3\n2  3   1.0\r\n1\t1\t3e0\n1 2 2.000\n\n \n")
    cases.accept("entries that come again", "1\n1\n3\n1 1 1\n1 1 1\n1 1 1\n")
    cases.accept("empty documents", "100000\n2\n1\n99999 2 1\n")
    return cases


def ldac():
    cases = Cases("ldac", ".ldac")
    for number in (*HUGE, "1.5", "x", "nan"):
        cases.add(f"{number} as the number of pairs", f"1 0:1\n{number} 0:1\n", says=":2")
        cases.add(f"{number} as an id", f"1 0:1\n1 {number}:1\n", says=":2")
        cases.add(f"{number} as a count", f"1 0:1\n1 0:{number}\n", says=":2")
    for name, line in (("fewer pairs than said", "3 0:1 1:1"), ("more pairs than said", "1 0:1 1:1"),
                       ("no colon", "1 0"),
                       ("two colons", "1 0:1:1"), ("no id", "1 :1"), ("no count", "1 0:"), ("a count of 0", "1 0:0"),
                       ("commas", "2,0:1,1:1"), ("text", "cats and dogs"), ("2^34 pairs said", "17179869184 0:1"),
                       ("an id that calls for 2^31 words", "1 2147483646:1"), ("NUL", "1 0:1\0"),
                       ("a float id", "1 0.5:1")):
        cases.add(name, f"1 0:1\n{line}\n", says=":2")
    cases.add("a count that fills the memory", "1 0:2147483647\n", *BOUNDED)
    cases.add("a bomb", compress(b"1 0:1\n" * 3000000), *BOUNDED)
    cases.accept("CRLF, empty documents, ids in any order", "0\r\n2 1:1 0:2\r\n0\r\n1 3:1")
    return cases


def svmlight():
    cases = Cases("svmlight", ".svmlight")
    for number in ("-1", "0.5", "x", "2147483648", "9223372036854775808", "1e30", "nan", ""):
        cases.add(f"{number!r} as an id", f"0 1:1\n0 {number}:1\n", says=":2")
    for number in ("-1", "0.5", "x", "2147483648", "1e30", "nan", "inf", ""):
        cases.add(f"{number!r} as a count", f"0 1:1\n0 1:{number}\n", says=":2")
    for name, line in (("no colon", "0 1"), ("two colons", "0 1:1:1"), ("text", "cats dogs"),
                       ("a label that is none", "x 1:1"),
                       ("an id that calls for 2^31 words", "0 2147483646:1")):
        cases.add(name, f"0 1:1\n{line}\n", says=":2")
    cases.add("a count that fills the memory", "0 1:2147483647\n", *BOUNDED)
    cases.add("a bomb", compress(b"0 1:1\n" * 3000000), *BOUNDED)
    cases.accept("labels, comments and query ids", "# comment\n-1.5 qid:3 1:1 2:2.0 # more\n0\n+1 3:1\n")
    return cases


def matrix_market():
    cases = Cases("mtx", ".mtx")
    banner = "%%MatrixMarket matrix coordinate integer general\n"
    for name, text in (("nothing", ""), ("no banner", "2 2 1\n1 1 1\n"),
                       ("another banner", "%%MatrixMarket tensor\n2 2 1\n1 1 1\n"),
                       ("an array", "%%MatrixMarket matrix array integer general\n1 1\n1\n"),
                       ("complex numbers", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n"),
                       ("symmetric", "%%MatrixMarket matrix coordinate integer symmetric\n1 1 1\n1 1 1\n"),
                       ("a banner alone", banner), ("comments alone", banner + "% x\n" * 3)):
        cases.add(name, text)
    for number in ("-1", "x", "1.5", "9223372036854775808", "1e30", "", "nan"):
        cases.add(f"{number!r} rows", f"{banner}{number} 2 1\n1 1 1\n", says=":2")
        cases.add(f"{number!r} columns", f"{banner}2 {number} 1\n1 1 1\n", says=":2")
        cases.add(f"{number!r} entries", f"{banner}2 2 {number}\n1 1 1\n", says=":2")
    for number in ("-1", "0", "3", "x", "1.5", "9223372036854775808", "nan"):
        cases.add(f"row {number}", f"{banner}2 2 1\n{number} 1 1\n", says=":3")
        cases.add(f"column {number}", f"{banner}2 2 1\n1 {number} 1\n", says=":3")
    for number in ("-1", "x", "1.5", "2147483648", "nan", "inf"):
        cases.add(f"value {number}", f"{banner}2 2 1\n1 1 {number}\n", says=":3")
    cases.add("fewer entries", banner + "2 2 2\n1 1 1\n")
    cases.add("more entries", banner + "2 2 1\n1 1 1\n1 2 1\n")
    cases.add("2^34 entries claimed", banner + "2 2 17179869184\n1 1 1\n")
    cases.add("2^50 rows claimed", f"{banner}{1 << 50} 2 1\n1 1 1\n")
    cases.add("2^31 - 1 columns claimed", f"{banner}2 {(1 << 31) - 1} 1\n1 1 1\n")
    cases.add("a value that fills the memory", banner + "1 1 1\n1 1 2147483647\n", *BOUNDED)
    cases.add("a bomb", compress(banner.encode() + b"1 1 3000000\n" + b"1 1 1\n" * 3000000), *BOUNDED)
    cases.accept("comments, empty lines and floats",
                 "%%MatrixMarket matrix coordinate real general\n% x\n%\n2 2 2\n1 1 1.0\n2 2 2e0\n")
    return cases


def npy(kind, shape, data, order="False", version=1, header=None):
    text = header if header is not None else f"{{'descr': '{kind}', 'fortran_order': {order}, 'shape': {shape}, }}"
    length = 2 if version == 1 else 4
    text += " " * (-(len(text) + 7 + length + 1) % 64) + "\n"
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text.encode() + data


def ints(*values, kind="<i4"):
    return npy(kind, f"({len(values)},)", struct.pack(f"<{len(values)}{'i' if kind == '<i4' else 'q'}", *values))


def archive(members, method=zipfile.ZIP_STORED):
    out = BytesIO()
    with zipfile.ZipFile(out, "w", method) as file:
        for name, data in members.items():
            file.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data, method, compresslevel=1)
    return out.getvalue()


def matrix(**changes):
    """2 x 3 by rows: (0, 0) = 1, (0, 2) = 2, (1, 1) = 1."""
    members = {"indices.npy": ints(0, 2, 1), "indptr.npy": ints(0, 2, 3), "format.npy": npy("|S3", "()", b"csr"),
               "shape.npy": ints(2, 3, kind="<i8"), "data.npy": ints(1, 2, 1)}
    members.update({f"{name}.npy": data for name, data in changes.items()})
    return {name: data for name, data in members.items() if data is not None}


def npz():
    cases = Cases("npz", ".npz")
    good = archive(matrix())
    for length in cuts(good, 24):
        cases.add(f"cut at {length}", good[:length])
    cases.add("no zip", b"PK but no zip at all" * 10)
    cases.add("garbage after the end", good + b"x" * 70000)
    for name in ("indices", "indptr", "format", "shape", "data"):
        cases.add(f"without {name}", archive(matrix(**{name: None})), says=name)
        cases.add(f"objects as {name}", archive(matrix(**{name: npy("|O", "(3,)", b"\x80\x04N.")})), says=name)
        cases.add(f"no npy as {name}", archive(matrix(**{name: b"cats"})), says=name)
        cases.add(f"2^60 elements as {name}", archive(matrix(**{name: npy("<i4", f"({1 << 60},)", b"\0" * 12)})),
                  says=name)
        cases.add(f"text as the header of {name}",
                  archive(matrix(**{name: npy("", "", b"", header="__import__('os')")})),
                  says=name)
        cases.add(f"version 9 of {name}", archive(matrix(**{name: npy("<i4", "(3,)", b"\0" * 12, version=9)})),
                  says=name)
    cases.add("indices beyond the columns", archive(matrix(indices=ints(0, 3, 1))))
    cases.add("indices below 0", archive(matrix(indices=ints(0, -1, 1))))
    cases.add("indptr that decreases", archive(matrix(indptr=ints(0, 3, 2))))
    cases.add("indptr beyond the data", archive(matrix(indptr=ints(0, 2, 4))))
    cases.add("indptr too short", archive(matrix(indptr=ints(0, 3))))
    cases.add("data too short", archive(matrix(data=ints(1, 2))))
    cases.add("a count below 0", archive(matrix(data=ints(1, -2, 1))))
    cases.add("a count that fills the memory", archive(matrix(data=ints(1, 2147483647, 1))), *BOUNDED)
    cases.add("a fraction", archive(matrix(data=npy("<f8", "(3,)", struct.pack("<3d", 1, 0.5, 1)))))
    cases.add("NaN", archive(matrix(data=npy("<f8", "(3,)", struct.pack("<3d", 1, float("nan"), 1)))))
    cases.add("complex numbers", archive(matrix(data=npy("<c16", "(3,)", b"\0" * 48))))
    cases.add("2^50 rows", archive(matrix(shape=ints(1 << 50, 3, kind="<i8"))))
    cases.add("2^50 columns", archive(matrix(shape=ints(2, 1 << 50, kind="<i8"))))
    cases.add("a shape below 0", archive(matrix(shape=ints(-2, 3, kind="<i8"))))
    cases.add("another format", archive(matrix(format=npy("|S3", "()", b"dia"))))
    cases.add("a member that inflates to 64 MiB",
              archive(matrix(data=npy("<i4", f"({1 << 24},)", b"\0" * (1 << 26))), zipfile.ZIP_DEFLATED), *BOUNDED)
    cases.add("a damaged member", flipped(good, good.find(b"NUMPY") + 70))
    place = good.find(b"PK\x01\x02")
    for name, offset in (("a wrong size in the directory", 24), ("a wrong compressed size", 20),
                         ("a wrong check sum", 16),
                         ("a wrong place", 42), ("a wrong method", 10), ("a wrong length of a name", 28)):
        for bit in (4, 7):
            cases.add(f"{name}, bit {bit}", flipped(good, place + offset, bit))
    cases.accept("compressed members", archive(matrix(), zipfile.ZIP_DEFLATED))
    cases.accept("floats that are whole", archive(matrix(data=npy("<f8", "(3,)", struct.pack("<3d", 1, 2, 1)))))
    return cases


def bag_cases():
    return uci() + ldac() + svmlight() + matrix_market() + npz()
