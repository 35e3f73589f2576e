"""Hostile text: lines, streams of gzip and zstd, tables, JSON lines and arrays, folders."""

from itertools import islice, product

from cases import BOUNDED, TRAIN, Case, Cases, compress, cuts, flipped, zstd_frame, zstd_raw, zstd_repeated

TEXT = b"".join(b"cats and dogs %s play\n" % bytes([97 + i % 26]) * 3 for i in range(200))


def streams():
    """Compressed streams, as every reader meets them."""
    cases = Cases("text", ".txt.gz")
    packed = compress(TEXT)
    for length in cuts(packed, 24)[1:]:
        if length >= 2:
            cases.add(f"gzip cut at {length}", packed[:length], says="gzip stream ends too early")
    for byte in (2, 3, len(packed) - 8, len(packed) - 5, len(packed) - 4, len(packed) - 1):
        bit = 5 if byte == 3 else 1
        cases.add(f"gzip with byte {byte} damaged", flipped(packed, byte, bit), says="damaged gzip stream")
    for tail in (b"\0", b"\n", b"garbage", b"\x1f", b"\x1f\x8c", packed[1:]):
        cases.add(f"gzip, then {tail[:8]!r}", packed + tail, says="followed by other bytes")
    cases.add("gzip, then another that is cut", packed + packed[:-4], says="ends too early")
    cases.add("gzip with a block of reserved kind", packed[:10] + b"\x07" + packed[11:], says="damaged gzip stream")
    cases.add("gzip with a wrong distance", packed[:10] + b"\x03\x02" + bytes(8), says="damaged gzip stream")
    cases.add("gzip bomb of tokens", compress(b"aaa bbb ccc ddd\n" * (1 << 21)), *BOUNDED, says="needs more than")
    cases.add("gzip bomb of lines", compress(b"\n" * (1 << 24)), *BOUNDED, says="needs more than")
    cases.add("gzip bomb of one line", compress(b"a" * (1 << 26)), *BOUNDED, says="longer than max_line_bytes")
    cases.add("gzip bomb of one token", compress(b"a" * (1 << 26) + b"\n"), *BOUNDED, says="longer than max_line_bytes")
    words = b" ".join(islice(map(bytes, product(b"abcdefghij", repeat=6)), 100_000, 700_000))
    cases.add("gzip bomb of words", compress(words), *BOUNDED, says="needs more than")
    cases.accept("gzip in two parts", compress(TEXT[:500]) + compress(TEXT[500:]))
    cases.accept("gzip with an empty part", compress(b"") + packed)
    cases.accept("gzip with name, comment and extra field",
                 packed[:3] + b"\x1c" + packed[4:10] + b"\x03\x00abcname\0comment\0" + packed[10:])
    cases.accept("plain text called .gz", TEXT)
    cases.accept("gzip of a long line", compress(b"word " * 100000))

    zstd = Cases("text", ".txt.zst")
    packed = zstd_raw(TEXT)
    for length in cuts(packed, 20)[1:]:
        if length >= 4:
            zstd.add(f"zstd cut at {length}", packed[:length], says="zstd stream ends too early")
    for tail in (b"\0", b"garbage", b"\x28\xb5\x2f", packed[1:]):
        zstd.add(f"zstd, then {tail[:8]!r}", packed + tail, says="zstd stream")
    zstd.add("zstd with a block of reserved kind", zstd_frame([(3, 4, b"aaaa")]), says="damaged zstd stream")
    zstd.add("zstd with a block beyond its bound", zstd_frame([(0, 200000, b"a" * 200000)]), says="damaged zstd stream")
    zstd.add("zstd with a compressed block of noise", zstd_frame([(2, 40, bytes(range(200, 240)))]),
             says="damaged zstd stream")
    zstd.add("zstd with a wrong check sum", zstd_frame([(0, 4, b"cats")], checksum=b"1234"),
             says="damaged zstd stream")
    zstd.add("zstd with a window of 3.75 TiB", zstd_frame([(0, 4, b"cats")], window=0xff),
             says="zstd stream that needs more than")
    zstd.add("zstd with a window of 256 MiB", zstd_frame([(0, 4, b"cats")], window=0x90),
             says="zstd stream that needs more than")
    zstd.add("zstd with a dictionary", b"\x28\xb5\x2f\xfd\x01\x50\x07" + b"\x21\0\0cats", says="damaged zstd stream")
    zstd.add("zstd with a reserved bit", b"\x28\xb5\x2f\xfd\x08\x50" + b"\x21\0\0cats", says="damaged zstd stream")
    zstd.add("zstd that claims 2^60 bytes", b"\x28\xb5\x2f\xfd\xe0" + (1 << 60).to_bytes(8, "little") + b"\x21\0\0cats",
             says="zstd stream that needs more than")
    zstd.add("zstd bomb of lines", zstd_repeated(b"\n", 16), *BOUNDED, says="needs more than")
    zstd.add("zstd bomb of one line", zstd_repeated(b"a", 64), *BOUNDED, says="longer than max_line_bytes")
    zstd.add("zstd bomb of blanks", zstd_repeated(b" ", 64), *BOUNDED, says="longer than max_line_bytes")
    zstd.accept("zstd in two frames", zstd_raw(TEXT[:500]) + zstd_raw(TEXT[500:]))
    zstd.accept("zstd with a frame to skip", b"\x5a\x2a\x4d\x18\x04\0\0\0skip" + packed)
    return cases + zstd


def lines():
    cases = Cases("text", ".txt")
    for name, mark in (("little", b"\xff\xfe"), ("big", b"\xfe\xff")):
        cases.add(f"UTF-16, {name} end first", mark + "cats".encode("utf-16-le"),
                  says="expected UTF-8, got the byte-order")
    cases.add("a line beyond the bound", TEXT + b"x" * 2000, "--max-line-bytes", "1000", says=":601: line")
    cases.add("a line without end", b"word " * 100000, "--max-line-bytes", "100000",
              says=":1: line of 500000 bytes, longer than")
    for name, data in (("nothing", b""), ("an empty line", b"\n"), ("0xff bytes", b"\xff" * 10000),
                       ("digits", b"1 2 3\n"), ("blanks", b" \t\r\n" * 100), ("short words", b"a bc d\n"),
                       ("marks", "\u0301\u0301".encode() * 1000)):
        cases.add(f"{name} alone", data, says="holds no words to train on")
    cases.add("NUL bytes between words", b"cats\0dogs\0\n" * 10, says="got a binary file (a NUL byte at offset 4)")
    cases.add("NUL bytes alone", b"\0" * 10000, says="got a binary file (a NUL byte at offset 0)")
    cases.add("the last byte that is looked at", b"cats " * 819 + b"\0", says="a NUL byte at offset 4095)")
    cases.add("a PDF", b"%PDF-1.7\ncats\n", says="got a PDF file")
    cases.accept("a NUL byte farther down", b"cats " * 820 + b"\0cats")
    cases.accept("ill-formed UTF-8", b"cats \xff\xc0\xaf \xed\xa0\x80 \xf5\x80 dogs\xe2\x82\ncats\n")
    cases.accept("CRLF, a byte-order mark, no end", b"\xef\xbb\xbfcats dogs\r\n\r\ncats")
    cases.accept("a carriage return alone", b"cats\rdogs\r")
    cases.accept("a word of a megabyte", b"a" * (1 << 20) + b" cats")
    cases.accept("a million marks on a letter", b"aaa" + "\u0301\u0316".encode() * 200000 + b" cats")
    cases.accept("many empty lines", b"\n" * 100000 + b"cats")
    cases.accept("controls and escapes", b"\x1b[31mcats\x1b[0m \x07 dogs\x7f\n")
    cases.accept("right-to-left and wide letters", "שלום עולם 日本語 ｃａｔｓ ﬁsh\n".encode())
    return cases


def tables():
    cases = Cases("csv", ".csv")
    cases.add("nothing", "", says="expected a header")
    cases.add("no such column", "a,b\ncats,dogs\n", "--text-column", "c", says='expected a column "c", got "a", "b"')
    cases.add("no column text", "a,b\ncats,dogs\n", says='expected a column "text"')
    cases.add("no such number", "a,b\ncats,dogs\n", "--text-column", "3", says="expected at least 3 columns, got 2")
    cases.add("a number without end", "a\ncats\n", "--text-column", "9" * 40, says="expected a column")
    cases.add("no such id", "text\ncats\n", "--id-column", "id", says='expected a column "id"')
    cases.add("a column twice", "text,text\ncats,dogs\n", says="is there twice")
    cases.add("fewer fields", "text,b\ncats,1\ndogs\n", says=":3: expected 2 fields as on line 1, got 1")
    cases.add("more fields", "text,b\ncats,1\ndogs,1,2\n", says=":3: expected 2 fields as on line 1, got 3")
    cases.add("more fields than the header", "text\ncats,1\n", says=":2: expected 1 fields as on line 1, got 2")
    cases.add("another record after an empty line", "text,b\n\ncats,1\n\ndogs\n", says=":5: expected 2 fields")
    cases.add("a quote that does not close", 'text,b\ncats,"1\ndogs,2\n', says=":2:6: expected a quote that closes")
    cases.add("a quote that does not close in the header", '"text,b\ncats,1\n',
              says=":1:1: expected a quote that closes")
    cases.add("a quote at the end of the file", 'text\n"', says=":2:1: expected a quote that closes")
    cases.add("an even number of quotes that do not close", 'text\n"cats""', says=":2:1: expected a quote")
    cases.add("bytes after a quote", 'text,b\n"cats"x,1\n', says=':2:7: expected "," or the end of the line')
    cases.add("a blank after a quote", 'text,b\n"cats" ,1\n', says=':2:7: expected "," or the end')
    cases.add("NUL after a quote", b'text\n"cats"\0\n', says=":2:7: expected")
    cases.add("a field without end", 'text\n"' + "word\n" * 30000, *BOUNDED[:2], "--max-line-bytes", "100000",
              says=":2: record longer than max_line_bytes")
    cases.add("a line without end", "text\n" + "word " * 30000, "--max-line-bytes", "100000", says=":2: line")
    cases.add("an id that is no UTF-8", b"text,id\ncats,\xff\n", "--id-column", "id",
              says=":2: expected UTF-8 as the id")
    cases.add("UTF-16", b"\xff\xfet\0e\0x\0t\0\n\0", says=":1:1: expected UTF-8")
    cases.add("a million commas", "text,b\ncats" + "," * 1000000,
              says=":2: expected 2 fields as on line 1, got 1000001")
    cases.add("a million columns", "a," * 1000000 + "b\n", says='expected a column "text"')
    cases.add("a header alone", "text,b\n", says="holds no words")
    cases.add("a bomb", compress(b"text\n" + b"aaa bbb\n" * 2000000), *BOUNDED, ending=".csv.gz",
              says="needs more than")
    cases.add("a bomb of ids", compress(b"text,id\n" + (b"," + b"x" * 4000 + b"\n") * 8000), "--id-column", "id",
              *BOUNDED,
              ending=".csv.gz", says="needs more than")
    cases.add("a bomb in quotes", compress(b'text\n"' + b"\n" * (1 << 25)), *BOUNDED, ending=".csv.gz",
              says="record longer")
    cases.add("gzip cut in a quote", compress(b'text\n"cats\n\n\n' + bytes(range(32, 127)) * 3)[:-12], ending=".csv.gz",
              says="gzip stream ends too early")
    cases.add("a column by name without header", "cats,1\n", "--no-header", "--text-column", "text",
              says="can only be found by name")
    cases.add("columns without header or number", "cats,1\n", "--no-header", says="by its number")
    cases.accept("ends of lines and quotes in fields", 'id,text\r\n1,"cats\r\n""dogs"", and\nmore"\r\n\r\n2,dogs\r\n')
    cases.accept("quotes within fields", 'text,b\n6" cats,"x"\n')
    cases.accept("empty fields", "text,\ncats,\n,\n")
    cases.accept("a byte-order mark", b"\xef\xbb\xbftext,b\ncats,1")
    cases.accept("ill-formed UTF-8 in the text", b"text\ncats \xff dogs\n")
    cases.accept("a column called 2", "2,text\ncats,dogs\n", "--text-column", "2")
    cases.accept("NUL bytes", b"text,b\ncats\0dogs,\0\n")
    cases.accept("no header", "cats,1\n", "--no-header", "--text-column", "1", "--id-column", "2")

    tabs = Cases("tsv", ".tsv")
    tabs.add("a text that begins with a quote", 'id\ttext\n1\t"cats" dogs\n', says=":2:9: expected a tab or the end")
    tabs.add("commas for tabs", "id,text\n1,cats\n", "--text-column", "text",
             says='expected a column "text", got "id,text"')
    tabs.add("one tab too many", "id\ttext\n1\tcats\t\n", says=":2: expected 2 fields as on line 1, got 3")
    tabs.add("a quote that does not close", 'id\ttext\n1\t"cats\n', says=":2:3: expected a quote that closes")
    tabs.accept("quotes that are none", 'id\ttext\n1\t"cats" dogs\n2\t"\n', "--no-quotes")
    return cases + tabs


# What is no JSON object.
BROKEN = {
    "a string": '"text"', "a number": "12", "null": "null", "nothing but a brace": "{",
    "a brace too many": '{"text":"a"}}', "two objects": '{"text":"a"}{"text":"b"}',
    "a comma at the end": '{"text":"a",}',
    "a comma at the beginning": '{,"text":"a"}', "two commas": '{"text":"a",,"b":1}', "no colon": '{"text" "a"}',
    "two colons": '{"text"::"a"}', "a key without quotes": '{text:"a"}', "single quotes": "{'text':'a'}",
    "a comment": '{"text":"a"} // x', "NaN": '{"a":NaN,"text":"a"}', "Infinity": '{"a":-Infinity,"text":"a"}',
    "True": '{"a":True,"text":"a"}', "a plus sign": '{"a":+1,"text":"a"}', "a leading zero": '{"a":01,"text":"a"}',
    "a point at the end": '{"a":1.,"text":"a"}', "a point at the beginning": '{"a":.5,"text":"a"}',
    "an exponent without digits": '{"a":1e,"text":"a"}', "a minus alone": '{"a":-,"text":"a"}',
    "hexadecimal": '{"a":0x1}',
    "an array that does not close": '{"a":[1,2', "an array closed by a brace": '{"a":[1}}',
    "an empty element": '{"a":[1,]}',
    "a string that does not close": '{"text":"cats', "a backslash at the end": '{"text":"cats\\',
    "an unknown escape": '{"text":"\\x41"}', "a short escape": '{"text":"\\u12"}',
    "an escape that is no number": '{"text":"\\uzzzz"}',
    "a tab in a string": '{"text":"a\tb"}', "a byte 0x01 in a string": '{"text":"a\x01b"}',
    "NUL in a string": '{"text":"a\0b"}',
    "NUL between tokens": '{\0"text":"a"}', "a form feed between tokens": '{\f"text":"a"}',
    "0xa0 between tokens": '{\u00a0"text":"a"}',
}


def json_lines():
    cases = Cases("jsonl", ".jsonl")
    for name, line in {"an array": "[1]", **BROKEN}.items():
        cases.add(name, '{"text":"cats"}\n' + line + "\n", says=":2:")
    cases.add("no field text", '{"body":"cats"}\n', says=':1:1: expected a field "text"')
    cases.add("no field id", '{"text":"cats"}\n', "--id-field", "id", says=':1:1: expected a field "id"')
    for name, value in (("null", "null"), ("a number", "1"), ("an array", "[]"), ("an object", "{}"), ("true", "true")):
        cases.add(f"{name} as the text", '{"text":' + value + "}\n", says=':1:9: expected a string as "text"')
    for name, value in (("null", "null"), ("an array", "[]"), ("true", "true")):
        cases.add(f"{name} as the id", '{"text":"cats","id":' + value + "}\n", "--id-field", "id",
                  says=":1:21: expected a string")
    cases.add("a key twice", '{"text":"cats","text":"dogs"}\n', says=":1:16: expected a key that has not occurred yet")
    cases.add("a key twice, once in escapes", '{"text":"cats","\\u0074ext":"dogs"}\n', says=":1:16: expected a key")
    cases.add("a surrogate in the id", '{"text":"cats","id":"\\ud800"}\n', "--id-field", "id",
              says=":1:21: expected UTF-8")
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        for levels in (100, 1000000):
            cases.add(f"{levels} levels of {opening}", '{"a":' + opening * levels + "1" + closing * levels + "}\n",
                      says="levels of nesting")
    cases.add("an array without end", '{"a":' + "[" * 100000 + "\n", says="levels of nesting")
    cases.add("a line without end", '{"text":"' + "word " * 30000, "--max-line-bytes", "100000",
              says=":1: line of 150009 bytes, longer")
    cases.add("an object over lines", '{\n"text":"cats"\n}\n', says=":1:2: expected the whole object on this line")
    cases.add("an array, read as lines", '[\n{"text":"cats"},\n{"text":"dogs"}\n]\n',
              says=":1:1: expected a JSON object (--format json")
    cases.add("UTF-16", '{"text":"cats"}\n'.encode("utf-16"), says=":1:1: expected UTF-8")
    cases.add("a bomb", compress(b'{"text":"aaa bbb"}\n' * 2000000), *BOUNDED, ending=".jsonl.gz",
              says="needs more than")
    cases.add("gzip that is cut", compress(b'{"text":"cats"}\n' * 9)[:-5], ending=".jsonl.gz",
              says="gzip stream ends too early")
    cases.add("nothing", "", says="holds no words")
    cases.add("empty lines", "\n\n \n", says="holds no words")
    cases.accept("99 levels", '{"a":' + "[" * 98 + "]" * 98 + ',"text":"cats"}\n')
    cases.accept("numbers beyond all bounds", '{"a":1e999999999,"b":' + "9" * 10000 + ',"c":-0.0e-0,"text":"cats"}\n')
    cases.accept("halves of pairs", '{"text":"cats\\ud83d dogs\\ude00"}\n')
    cases.accept("ill-formed UTF-8", b'{"text":"cats \xff dogs"}\n')
    cases.accept("keys twice further down", '{"a":{"b":1,"b":2},"text":"cats"}\n')
    cases.accept("empty keys and lines", '\n{"":"","text":"cats"}\n\n')
    cases.accept("100,000 fields", "{" + ",".join(f'"{i}":{i}' for i in range(100000)) + ',"text":"cats"}\n')
    cases.accept("an empty text", '{"text":""}\n{"text":"cats"}\n')
    return cases


def json_arrays():
    cases = Cases("json", ".json")
    for name, element in {"an array": "[1]", "nothing": "", "a colon": ":", **BROKEN}.items():
        cases.add(name, '[{"text":"cats"},\n' + element + "]", says=":2:")
    cases.add("an array without end", '[\n{"text":"cats"}\n', says=':3:1: expected "," or "]", got the end of the file')
    cases.add("a bracket alone", "[", says=":1:2: expected an object or a string")
    cases.add("a bracket and blanks", "[" + " \n" * 100000, says=":100001:1: expected an object or a string")
    cases.add("no comma", '[{"text":"cats"} {"text":"dogs"}]', says=':1:18: expected "," or "]"')
    cases.add("a comma at the end of the array", '[{"text":"cats"},\n]', says=":2:1: expected an object")
    cases.add("another array", '["cats"]\n["dogs"]', says=":2:1: expected the end of the file")
    cases.add("a bracket too many", '["cats"]]', says=":1:9: expected the end of the file")
    cases.add("closed by a brace", '["cats"}', says=':1:8: expected "," or "]"')
    cases.add("a string after an object", '[{"text":"cats"},\n"dogs"]', says=":2:1: expected an object like the")
    cases.add("an object after a string", '["cats",\n{"text":"dogs"}]', says=":2:1: expected a string like the")
    cases.add("a field of strings", '["cats"]', "--text-field", "body",
              says=':1:2: expected an object with a field "body"')
    cases.add("an id of strings", '["cats"]', "--id-field", "id", says=':1:2: expected an object with a field "id"')
    cases.add("no field text", '[{"body":"cats"}]', says=':1:2: expected a field "text"')
    cases.add("a line feed in a string", '["cats\ndogs"]', says=":1:7: expected no control character")
    cases.add("a million arrays", "[" * 1000000, says=":1:2: expected an object or a string")
    cases.add("100 levels", '[{"a":' + "[" * 100 + "]" * 100 + "}]", says="levels of nesting")
    for name, bytes_ in (("text", "word " * 30000), ("escapes", "\\\\" * 80000), ("quotation marks", '\\"' * 80000)):
        cases.add(f"{name} without end", '["cats","' + bytes_, "--max-line-bytes", "100000",
                  says=":1:9: element longer than max_line_bytes")
    cases.add("an element beyond the bound", '["' + "word " * 30000 + '"]', "--max-line-bytes", "100000",
              says=":1:2: element of 150002 bytes, longer")
    cases.add("lines, read as an array", '{"text":"cats"}\n', says=":1:1: expected an array")
    cases.add("an empty file", "", says=":1:1: expected an array")
    cases.add("an empty array", "[]", says="holds no words")
    cases.add("UTF-16", '["cats"]'.encode("utf-16"), says=":1:1: expected UTF-8")
    cases.add("a bomb", compress(b'["' + b'aaa bbb","' * 2000000 + b'"]'), *BOUNDED, ending=".json.gz",
              says="needs more than")
    cases.add("a bomb of blanks", compress(b"[" + b" " * (1 << 25)), ending=".json.gz", says="expected an object or a")
    cases.add("a bomb in a string", compress(b'["' + b"a" * (1 << 26)), *BOUNDED, ending=".json.gz", says="element")
    cases.add("gzip that is cut", compress(b'[\n"cats"' + b',"dogs"\n' * 9 + b"]")[:-5], ending=".json.gz",
              says="gzip stream ends too early")
    array = b'[{"text":"caf\\u00e9 \\ud83d\\ude00 cats","id":-1.5e3},\n{"x":[true,{"y":null}],"text":"dogs","id":"b"}]'
    for length in cuts(array, 40):
        if length > 0:
            cases.add(f"an array cut at {length}", array[:length], says=": expected")
    cases.accept("an array over lines", '[\n{"text"\n:\n"cats"\r\n}\n,\n{"text":"dogs"}\n]\n\n')
    cases.accept("a byte-order mark", '\ufeff["cats"]')
    cases.accept("blanks beyond the bound", '["cats"' + " " * 10000 + ',"dogs"' + "\n" * 10000 + "]" + "\t" * 10000,
                 "--max-line-bytes", "100")
    cases.accept("ill-formed UTF-8", b'["cats \xff dogs", "\\ud800 \\udc00"]')
    cases.accept("100,000 empty texts", "[" + '"",' * 100000 + '"cats"]')
    return cases


def folders():
    def case(name, files, *options, says="", refused=True):
        return Case(f"folder: {name}", files, (*TRAIN, "x", *options), says, refused)

    packed = compress(TEXT)
    return [
        case("a cut gzip in it", {"x/b.gz": packed[:-3], "x/a": TEXT}, says="gzip stream ends too early"),
        case("a damaged zstd in it", {"x/sub/b.zst": zstd_raw(TEXT)[:-3]}, says="zstd stream ends too early"),
        case("UTF-16 in it", {"x/sub/deep/b": b"\xff\xfea\0"}, says=":1:1: expected UTF-8"),
        case("a picture in it", {"x/sub/b.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"}, says="x/sub/b.png: expected text"),
        case("a file beyond the bound", {"x/b": b"word\n" * 1000}, "--max-line-bytes", "1000", says="file longer than"),
        case("a bomb in it", {"x/b.gz": compress(b"a" * (1 << 26))}, *BOUNDED, says="file longer than"),
        case("nothing in it", {"x/.hidden": TEXT}, says="holds no words"),
        case("columns asked for", {"x/b": TEXT}, "--text-column", "a", says="has no columns"),
        case("odd names", {"x/ ": TEXT, "x/\n": TEXT, "x/ü": TEXT, "x/-k": TEXT, "x/" + "n" * 200: b""}, refused=False),
        case("links in a circle", {"x/a": TEXT, "x/up": "->..", "x/self": "->self", "x/here": "->."}, refused=False),
    ]


def text_cases():
    return streams() + lines() + tables() + json_lines() + json_arrays() + folders()
