"""Hostile files of words and names: the number of documents and a list of words each (low), and MALLET's lines."""

from cases import BOUNDED, Cases, compress


def low():
    cases = Cases("low", ".low")
    cases.add("nothing", "", says="expected the number of documents, got an empty file")
    cases.add("an empty first line", "\ncats\n", says=":1:")
    for number in ("-1", "x", "1.5", "nan", "inf", "0x10", "1_0", "١", "1\0", "1 2", "9223372036854775808",
                   "1" + "0" * 30, "1e30", "cats dogs"):
        cases.add(f"{number!r} documents", f"{number}\ncats dogs\n", says=":1:")
    cases.add("fewer documents than said", "3\ncats\ndogs\n",
              says="expected 3 documents (line 1), got 2 before the end of the file")
    cases.add("more documents than said", "1\ncats\ndogs\n",
              says=":3:1: expected the end of the file after 1 documents")
    cases.add("documents where none are said", "0\ncats\n", says=":2:1: expected the end of the file after 0 documents")
    cases.add("2^50 documents claimed", f"{1 << 50}\ncats\n", says=f"expected {1 << 50} documents")
    cases.add("no documents", "0\n", says="holds no words to train on")
    cases.add("empty documents alone", "3\n\n \n\t\n", says="holds no words to train on")
    cases.add("ill-formed UTF-8", b"2\ncats\ndogs \xff\n", says=":3:6: expected UTF-8")
    cases.add("an overlong sequence", b"1\ncats\xc0\xaf\n", says=":2:5: expected UTF-8")
    cases.add("a surrogate", b"1\n\xed\xa0\x80\n", says=":2:1: expected UTF-8")
    cases.add("UTF-8 that is cut", b"1\ncats\xe2\x82", says=":2:5: expected UTF-8")
    cases.add("UTF-16", "1\ncats\n".encode("utf-16"), says="expected UTF-8, got the byte-order")
    cases.add("a line without end", "1\n" + "word " * 100000, "--max-line-bytes", "100000",
              says=":2: line longer than")
    cases.add("a header without end", "1" * 200000, "--max-line-bytes", "100000", says=":1: line of 200000 bytes")
    cases.add("a bomb of words", compress(b"1\n" + b"a " * (1 << 22)), *BOUNDED, ending=".low.gz",
              says="needs more than")
    cases.add("a bomb of documents", compress(b"2000000\n" + b"a b c\n" * 2000000), *BOUNDED, ending=".low.gz",
              says="needs more than")
    cases.add("gzip that is cut", compress(b"9\n" + b"cats dogs\n" * 9)[:-5], ending=".low.gz",
              says="gzip stream ends too early")
    cases.accept("a byte-order mark, CRLF, no end", b"\xef\xbb\xbf2\r\ncats dogs\r\ncats")
    cases.accept("empty lines at the end and blanks", " 2 \n cats\t\tdogs \n\n\n\n \n")
    cases.accept("NUL bytes and symbols as words", b"1\ncats \0 \x01 <b> 1 --\n")
    cases.accept("a word of a megabyte", b"1\n" + b"a" * (1 << 20) + b" cats\n")
    return cases


def mallet():
    cases = Cases("mallet", ".mallet")
    cases.add("nothing", "", says="holds no words to train on")
    for name, line in (("an empty line", ""), ("blanks alone", "  \t "), ("a carriage return alone", "\r")):
        cases.add(name, f"a en cats\n{line}\nb en dogs\n", says=":2:")
    for name, line in (("a name alone", "d2"), ("a name and blanks", "d2 \t "), ("commas", "d2,en,cats,and,dogs")):
        cases.add(name, f"a en cats\n{line}\nb en dogs\n", says="no label")
    cases.add("no label in the last line", "a en cats\nd2", says=":2:3: expected")
    cases.add("a name that is no UTF-8", b"a en cats\n\xff en dogs\n", says=":2:1: expected UTF-8")
    cases.add("a label that is no UTF-8", b"a en cats\nb \xff dogs\n", says=":2:3: expected UTF-8")
    cases.add("a name with an overlong sequence", b"\xc0\xaf en dogs\n", says=":1:1: expected UTF-8")
    cases.add("a name that is a surrogate", b"\xed\xa0\x80 en dogs\n", says=":1:1: expected UTF-8")
    cases.add("UTF-16", "a en cats\n".encode("utf-16"), says="expected UTF-8, got the byte-order")
    cases.add("documents without words", "a en\nb en 1 2 3\nc en a bc\n", says="holds no words to train on")
    cases.add("a line without end", "a en " + "word " * 100000, "--max-line-bytes", "100000",
              says=":1: line longer than")
    cases.add("a name without end", "a" * 200000 + " en cats\n", "--max-line-bytes", "100000",
              says=":1: line of 200008")
    cases.add("a bomb of words", compress(b"a en " + b"word " * (1 << 21)), *BOUNDED, ending=".mallet.gz",
              says="longer than")
    cases.add("a bomb of documents", compress(b"a en aaa bbb ccc\n" * 1000000), *BOUNDED, ending=".mallet.gz",
              says="needs more than")
    cases.add("a bomb of names", compress((b"n" * 4000 + b" en\n") * 8000), *BOUNDED, ending=".mallet.gz",
              says="needs more than")
    cases.add("gzip that is cut", compress(b"a en cats dogs\n" * 9)[:-5], ending=".mallet.gz",
              says="gzip stream ends too early")
    cases.add("a byte of gzip alone", b"\x1f\x8b", ending=".mallet.gz", says="gzip stream ends too early")
    cases.accept("a byte-order mark, CRLF, no end", b"\xef\xbb\xbfa en cats dogs\r\nb\ten\tcats")
    cases.accept("ill-formed UTF-8 in the text", b"a en cats \xff\xc0\xaf dogs\n")
    cases.accept("names that come again, and odd ones", "a en cats\na en dogs\n\0 \x01 cats\n-k -- cats\n")
    cases.accept("quotes and commas", 'a "en", "cats", and ""dogs""\n')
    cases.accept("a million marks in the text", b"a en aaa" + "\u0301\u0316".encode() * 200000 + b" cats")
    return cases


def word_cases():
    return low() + mallet()
