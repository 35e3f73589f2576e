"""What a hostile file is: some bytes, a command that reads them, and how it must end.

A file that is refused ends the command with exit code 65 and one line on standard
error with the file's name, a place in it, what was expected and what was found.
A file that is legal though odd is read, exit code 0.
"""

import gzip
import struct

TRAIN = ("train", "--sweeps", "1", "-k", "2", "-o", "model", "--force", "-q", "--threads", "2")
# Bombs: what reading may take is said, so that the test need not fill half of the machine's memory.
BOUNDED = ("--max-memory", str(32 << 20), "--max-line-bytes", str(8 << 20))


class Case:
    """`files` by name, the first of them the one that is complained about; `says` must be in the complaint."""

    def __init__(self, name, files, arguments, says="", refused=True):
        self.name = name
        self.files = files
        self.arguments = list(arguments)
        self.says = says
        self.refused = refused

    @property
    def file(self):
        return next(iter(self.files))


class Cases(list):
    """Cases of one format; `train` and what follows it make one each."""

    def __init__(self, form, ending):
        super().__init__()
        self.form, self.ending = form, ending

    def add(self, name, data, *options, says="", refused=True, others=None, ending=None):
        data = data.encode() if isinstance(data, str) else data
        file = "x" + (self.ending if ending is None else ending)
        command = (*TRAIN, file, "--format", self.form, *options)
        self.append(Case(f"{self.form}: {name}", {file: data, **(others or {})}, command, says, refused))

    def accept(self, name, data, *options, others=None, ending=None):
        self.add(name, data, *options, refused=False, others=others, ending=ending)


def cuts(data, count):
    """About `count` lengths below len(data), the shortest and longest among them."""
    step = max(1, len(data) // count)
    return sorted({*range(0, len(data), step), len(data) - 1})


def flipped(data, byte, bit=0):
    return data[:byte] + bytes([data[byte] ^ 1 << bit]) + data[byte + 1:]


def compress(data):
    return gzip.compress(data, compresslevel=1 if len(data) > 1 << 20 else 9, mtime=0)  # a bomb needs no good packing


def zstd_frame(blocks, window=0x50, checksum=None):
    """A zstd frame of (type, size, content) blocks: 0 raw, 1 one byte repeated, 2 compressed, 3 reserved."""
    descriptor = 0x04 if checksum is not None else 0
    parts = [b"\x28\xb5\x2f\xfd", bytes([descriptor, window])]
    for number, (kind, size, content) in enumerate(blocks):
        last = number == len(blocks) - 1
        parts += [struct.pack("<I", last | kind << 1 | size << 3)[:3], content]
    return b"".join([*parts, checksum or b""])


def zstd_raw(data):
    chunks = [data[i:i + 100000] for i in range(0, len(data), 100000)] or [b""]
    return zstd_frame([(0, len(chunk), chunk) for chunk in chunks])


def zstd_repeated(byte, mebibytes):
    """A few kilobytes that inflate to that many MiB of one byte."""
    return zstd_frame([(1, 1 << 17, byte)] * (8 * mebibytes))
