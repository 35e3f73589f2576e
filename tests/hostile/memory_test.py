"""What papilio takes of memory at --max-memory 32 MiB: python3 memory_test.py path/to/papilio [--large].

Each file is one that could take many times that. It is read within the limit or refused with a message that names the
file, the limit and what to do; either way the peak of the process (getrusage) is at most what a tiny corpus takes and
FACTOR times the limit. --large multiplies the sizes of the files by 4 and leaves the bound as it is, but for the pages
of the corpus file that `papilio import` maps in the end: the system can drop them, and getrusage counts them.
"""

import os
import struct
import sys
import tempfile

from archives import many_members, matrix
from cases import compress as packed
from cases import zstd_frame, zstd_raw, zstd_repeated
from cost_families import joined
from measure import Runner, fast_folder, write

MIB = 1 << 20
LIMIT = 32 * MIB
# What is counted is counted in full; one block of text per thread, a quarter of the limit together, is counted once
# it has become tokens, and malloc keeps some of what was freed.
FACTOR = 1.25
THREADS = "2"
STATE = b"#doc source pos typeindex type topic\n"

READ, REFUSED = 0, 65
ANY = None  # of the two


def zstd_with_window(log):
    """36 MiB of one byte, for which a decoder keeps 2^log bytes."""
    return zstd_frame([(1, 1 << 17, b" ")] * 288, window=(log - 10) << 3)


def one_file(form, file, data, ends, *options):
    return f"{file}: {form}", {file: data}, ends, ["convert", file, *options]


def long_gzip(before, repeated, after, size):
    """A stream of many members: `repeated` as often as gives about that size."""
    chunk = repeated * (MIB // len(repeated))
    return packed(before) + packed(chunk) * (size // len(chunk)) + packed(after)


def streams(size):
    """Text that is longer than the limit."""
    word = b"word " * (size // 5)
    yield "x.txt: a line of words", {"x.txt": word}, READ, ["import", "x.txt"]
    yield "x.txt.zst: a line of words", {"x.txt.zst": zstd_raw(word)}, READ, ["import", "x.txt.zst"]
    words = long_gzip(b"", b"word ", b"", size)
    yield "x.txt.gz: a line of words", {"x.txt.gz": words}, READ, ["import", "x.txt.gz"]
    yield "folder: a long file", {"x/a.txt.gz": words}, READ, ["import", "x"]
    yield one_file("one word", "x.txt", b"a" * size, REFUSED)
    yield one_file("one word", "x.txt.gz", long_gzip(b"", b"a", b"", size), REFUSED)
    yield one_file("one word", "x.txt.zst", zstd_repeated(b"a", size // MIB), REFUSED)
    yield "folder: one word", {"x/a.txt.gz": long_gzip(b"", b"a", b"", size)}, REFUSED, ["convert", "x"]
    yield one_file("letters beyond ASCII", "x.txt.gz", long_gzip(b"", "é".encode(), b"", size), REFUSED)
    yield one_file("a line of blanks", "x.txt.zst", zstd_repeated(b" ", size // MIB), READ)
    yield one_file("lines of nothing", "x.txt.zst", zstd_repeated(b"\n", size // MIB), REFUSED)
    yield one_file("a zstd window of 64 MiB", "x.txt.zst", zstd_with_window(26), REFUSED)
    yield one_file("a zstd window of 8 MiB", "x.txt.zst", zstd_with_window(23), READ)


def long_lines(size):
    """One line, field or name that is longer than the limit, in every format that holds such a thing whole."""
    banner = b"%%MatrixMarket matrix coordinate integer general\n"
    for form, file, before, repeated, after in (
            ("a long text", "x.jsonl.gz", b'{"text":"', b"k", b'"}\n'),
            ("a long key", "x.jsonl.gz", b'{"', b"k", b'":1}\n'),
            ("a long number", "x.jsonl.gz", b'{"text":"cats","n":1', b"0", b"}\n"),
            ("a long string", "x.json.gz", b'["', b"k", b'"]\n'),
            ("a long text", "x.json.gz", b'[{"text":"', b"k", b'"}]\n'),
            ("a long key", "x.json.gz", b'[{"', b"k", b'":1}]\n'),
            ("a long number", "x.json.gz", b'[{"text":"cats","n":1', b"0", b"}]\n"),
            ("an element of many lines", "x.json.gz", b'[{"text":"cats",', b"\n", b'"n":1}]\n'),
            ("a long quoted field", "x.csv.gz", b'text\n"', b"k", b'"\n'),
            ("a quote that does not close", "x.csv.gz", b'text\n"', b"cats\n", b""),
            ("a long word", "x.low.gz", b"1\n", b"k", b"\n"),
            ("a long name", "x.mallet.gz", b"", b"k", b" en cats\n"),
            ("a long comment", "x.svmlight.gz", b"0 1:1 #", b"k", b"\n"),
            ("a long number", "x.ldac.gz", b"1 0:", b"0", b"1\n"),
            ("a long comment", "x.mtx.gz", banner + b"%", b"k", b"\n1 1 1\n1 1 1\n"),
            ("a long number", "x.uci.gz", b"1\n1\n1\n1 1 ", b"0", b"1\n")):
        yield one_file(form, file, long_gzip(before, repeated, after, size), REFUSED)
    indices = struct.pack("<ii", 0, size // 4)
    yield one_file("zeros that inflate", "x.npz", matrix(1, 10, indices, bytes(size), b""), REFUSED)
    yield one_file("a file that inflates", "x.npz.gz", long_gzip(matrix(1, 1, bytes(8), b"", b""), b"\0", b"", size),
                   REFUSED)
    word = {"words": long_gzip(b"", b"k", b"\n", size), "x.ldac": b"1 1:1\n"}
    yield "vocabulary: a long word", word, REFUSED, ["convert", "x.ldac", "--vocabulary", "words"]
    yield "stop words: a long word", word, REFUSED, ["convert", "x.ldac", "--stopwords", "words"]
    yield state("a long source", long_gzip(STATE + b"0 ", b"s", b" 0 0 cats 0\n", size))


def parts(size, distinct):
    """What a line or a file of moderate size makes many times as large."""
    keys = b",".join([b'"%x":1' % i for i in range(size // 10)])
    pairs = b"".join([b"%d:1 " % (i % 1000) for i in range(size // 6)])
    for form, file, data in (
            ("a line of distinct words", "x.txt", distinct),
            ("combining marks", "x.txt", b"a" + b"\xcc\x81" * (size // 2)),
            ("a word beyond ASCII", "x.txt", "é".encode() * (size // 2)),
            ("gzip members", "x.txt.gz", packed(b"") * (size // 20)),
            ("keys", "x.jsonl", b'{"text":"cats",' + keys + b"}\n"),
            ("escapes", "x.jsonl", b'{"text":"' + b"\\u0041 " * (size // 7) + b'"}\n'),
            ("a text of distinct words", "x.jsonl", b'{"text":"' + distinct + b'"}\n'),
            ("keys", "x.json", b'[{"text":"cats",' + keys + b"}]"),
            ("escapes", "x.json", b'["' + b"\\u0041 " * (size // 7) + b'"]'),
            ("a text of distinct words", "x.json", b'["' + distinct + b'"]'),
            ("strings", "x.json", b'["' + b'a b","' * (size // 6) + b'"]'),
            ("columns", "x.csv", b"text" + b"," * size + b"\n"),
            ("fields", "x.csv", b"text\ncats" + b"," * size + b"\n"),
            ("a quoted field of distinct words", "x.csv", b'text\n"' + distinct + b'"\n'),
            ("a line of distinct words", "x.low", b"1\n" + distinct),
            ("a line of letters", "x.low", b"1\n" + b"a " * (size // 2)),
            ("a line of distinct words", "x.mallet", b"a en " + distinct),
            ("a long word", "x.mallet", b"a en " + b"w" * size),
            ("a line of pairs", "x.ldac", b"%d " % (size // 6) + pairs),
            ("a line of pairs", "x.svmlight", b"0 " + pairs),
            ("a header of 2^53 documents", "x.uci", b"9007199254740992\n2147483647\n1\n1 1 1\n"),
            ("what its entries allow", "x.uci", b"1048576\n1048576\n1\n1 1 1\n"),
            ("entries", "x.uci", b"2\n1\n%d\n" % (size // 6 * 2) + b"1 1 1\n2 1 1\n" * (size // 6)),
            ("large counts", "x.uci", b"1\n1\n9\n" + b"1 1 2147483647\n" * 9),
            ("a header of 2^53 rows", "x.mtx",
             b"%%MatrixMarket matrix coordinate integer general\n9007199254740992 2147483647 1\n1 1 1\n"),
            ("members", "x.npz", many_members(size // 47)),
            ("entries", "x.npz", matrix(1, 1, struct.pack("<ii", 0, size), bytes(4 * size), b"\1\0\0\0" * size))):
        yield one_file(form, file, data, ANY)
    yield one_file("ids", "x.csv", b"text,id\n" + b"a,b\n" * (size // 4), ANY, "--id-column", "id")
    lists = {"words": distinct.replace(b" ", b"\n"), "x.ldac": b"1 1:1\n"}
    yield "vocabulary: words", lists, ANY, ["convert", "x.ldac", "--vocabulary", "words"]
    yield "stop words: words", lists, ANY, ["convert", "x.ldac", "--stopwords", "words"]
    yield "extra stop words: words", lists, ANY, ["convert", "x.ldac", "--extra-stopwords", "words"]
    yield state("alphas", STATE + b"#alpha :" + b" 1" * (size // 2) + b"\n")
    yield state("tokens", long_gzip(STATE, b"0 NA 0 0 cats 0\n", b"", 4 * size))
    yield state("types", STATE + b"".join([b"0 NA 0 %d w 0\n" % i for i in range(size // 16)]))


def state(name, data):
    """A state of MALLET."""
    files = {"state": data, "x.txt": b"dogs\n"}
    train = ["train", "x.txt", "-k", "2", "--sweeps", "1", "-o", "model", "-q", "--input-state", "state"]
    return f"state: {name}", files, ANY, train


def families(times):
    """name, files, how it ends, command"""
    large, small = 36 * MIB * times, 6 * MIB * times
    yield from streams(large)
    yield from long_lines(large)
    yield from parts(small, joined(small // 7))


def complaints(result, ends, most, file):
    if result["code"] not in (READ, REFUSED) or ends not in (ANY, result["code"]):
        yield f"exit code {result['code']}, expected {'0 or 65' if ends is ANY else ends}"
    if result["peak"] > most:
        yield f"a peak of {result['peak'] / MIB:.1f} MiB, expected at most {most / MIB:.1f}"
    if result["code"] == REFUSED and os.path.basename(file).split(".")[0] not in result["error"]:
        yield "a complaint without the file's name"


def measured(runner, command, arguments, folder):
    if arguments[0] in ("convert", "import"):
        arguments = [*arguments, "-o", "out" if arguments[0] == "import" else os.devnull, "--force"]
        arguments += ["--to", "text"] if arguments[0] == "convert" else []
    return runner.run([command, *arguments, "--threads", THREADS, "--max-memory", str(LIMIT)], folder)


def main(command, large):
    runner = Runner()
    failures, worst, count = [], (0, ""), 0
    with tempfile.TemporaryDirectory(dir=fast_folder()) as root:
        write({"tiny.txt": b"cats and dogs\n"}, root)
        base = measured(runner, command, ["convert", "tiny.txt"], root)["peak"]
        for name, files, ends, arguments in families(4 if large else 1):
            with tempfile.TemporaryDirectory(dir=root) as folder:
                write(files, folder)
                result = measured(runner, command, arguments, folder)
                made = os.path.join(folder, "out")
                mapped = os.path.getsize(made) if large and os.path.exists(made) else 0
            count += 1
            worst = max(worst, ((result["peak"] - base) / LIMIT, name))
            found = list(complaints(result, ends, base + FACTOR * LIMIT + mapped, next(iter(files))))
            print(f"{name}: exit code {result['code']}, {result['peak'] / MIB:.1f} MiB, {result['seconds']:.2f} s")
            if found:
                failures.append(f"{name}: {'; '.join(found)}\n    {result['error'][:300]}")
    runner.close()
    print("\n".join(failures))
    print(f"{count} families at --max-memory {LIMIT // MIB} MiB; a tiny corpus takes {base / MIB:.1f} MiB; the largest "
          f"peak is that and {worst[0]:.2f} times the limit ({worst[1]}); {len(failures)} failed")
    return 1 if failures or count < 50 else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), "--large" in sys.argv))
