"""What a disk may hold after the power has failed, from the calls that record_shim.cpp recorded.

Only what was synced is sure. Of a file's later writes a disk may hold none, all, a part, or their length with zeros in
it. Of a folder's later changes (names made, taken away, replaced) it may hold any, in spite of their order; each one is
there or not.
"""

import itertools
import os
import random
from dataclasses import dataclass, field

BLOCK = 512
MOST_CHANGES = 8  # of a folder, of which every subset is tried; of more, a choice


def read_log(path):
    """Lists of fields, the last of which is the data."""
    content = path.read_bytes()
    records, at = [], 0
    while at < len(content):
        end = content.index(b"\n", at)
        *fields, size = content[at:end].split(b"\0")
        at = end + 1 + int(size)
        records.append([*(os.fsdecode(text) for text in fields), content[end + 1:at]])
    return records


@dataclass(eq=False)
class File:
    synced: bytes = b""
    now: bytearray = field(default_factory=bytearray)
    written: list = field(default_factory=list)  # (begin, end) of what was written since

    def sync(self):
        self.synced, self.written = bytes(self.now), []

    def write(self, offset, data):
        self.now.extend(bytes(max(0, offset + len(data) - len(self.now))))
        self.now[offset:offset + len(data)] = data
        self.written.append((offset, offset + len(data)))

    def truncate(self, size):
        self.now = bytearray(self.now[:size].ljust(size, b"\0"))
        self.written.append((0, size))

    def contents(self):
        """All that may be found."""
        now = bytes(self.now)
        if not self.written:
            return [now]
        zeros = self.synced[:len(now)].ljust(len(now), b"\0")
        half = self.written[-1][0] + (self.written[-1][1] - self.written[-1][0]) // 2
        blocks = [now[at:at + BLOCK] for at in range(0, len(now), BLOCK)]
        missing = [*blocks]
        missing[len(blocks) // 2:len(blocks) // 2 + 1] = [bytes(len(block)) for block in blocks[len(blocks) // 2:][:1]]
        last = zeros[:len(now) - len(blocks[-1])] + blocks[-1] if blocks else b""
        return [*dict.fromkeys([now, self.synced, zeros, now[:half], b"".join(missing), last])]


class Disk:
    def __init__(self, folder):
        """As `folder` is now, all of it synced."""
        self.folder = str(folder)
        self.names = {}
        for path in folder.iterdir():
            if path.is_file():
                content = path.read_bytes()
                self.names[str(path)] = File(content, bytearray(content))
        self.synced_names = dict(self.names)
        self.changes = []  # (folder, {path: file or None}), since that folder was synced
        self.open = {}  # descriptor: [file or folder's path, position]

    def change(self, names):
        self.names.update(names)
        for folder in {os.path.dirname(path) for path in names}:
            self.changes.append((folder, {path: file for path, file in names.items()
                                          if os.path.dirname(path) == folder}))

    def apply(self, record):
        """Whether that can make a difference after a loss of power."""
        what, *fields, data = record
        if what in ("open", "rename", "link", "unlink", "mkdir", "rmdir", "symlink"):
            fields = [os.path.normpath(text) if text.startswith("/") else text for text in fields]
            paths = [text for text in fields if text.startswith("/")]
            if not any(f"{path}/".startswith(f"{self.folder}/") for path in paths):
                return False
        return getattr(self, f"apply_{what}")(*fields, data=data)

    def apply_open(self, descriptor, path, how, data):
        if how == "unnamed":
            self.open[descriptor] = [File(), 0]
            return False
        if os.path.isdir(path):
            self.open[descriptor] = [path, 0]
            return False
        if how == "created":
            self.change({path: File()})
        file = self.names.get(path)
        if file is None:
            raise AssertionError(f"{path} was opened, but nobody made it")
        if how == "truncated":
            file.truncate(0)
        self.open[descriptor] = [file, 0]
        return how != "opened"

    def apply_close(self, descriptor, data):
        self.open.pop(descriptor, None)
        return False

    def apply_write(self, descriptor, offset, data):
        if descriptor not in self.open:
            return False
        opened = self.open[descriptor]
        offset = int(offset)
        if offset >= 0:
            opened[0].write(offset, data)
            return True
        begin = len(opened[0].now) if offset == -2 else opened[1]
        opened[0].write(begin, data)
        opened[1] = begin + len(data)
        return True

    def apply_truncate(self, descriptor, size, data):
        self.open[descriptor][0].truncate(int(size))
        return True

    def apply_sync(self, descriptor, data):
        what = self.open.get(descriptor, [None])[0]
        if isinstance(what, File):
            what.sync()
        elif what is not None:
            for folder, names in self.changes:
                if folder == what:
                    self.synced_names.update(names)
            self.changes = [change for change in self.changes if change[0] != what]
        return what is not None

    def apply_rename(self, old, new, data):
        self.change({old: None, new: self.names[old]})
        return True

    def apply_link(self, old, new, data):
        self.change({new: self.names[old]})
        return True

    def apply_unlink(self, path, data):
        self.change({path: None})
        return True

    def visible(self):
        """Names in the folder, without it, and contents, as a program sees them."""
        return self.contents_of(self.names, lambda file: bytes(file.now))

    def contents_of(self, names, content):
        return {os.path.relpath(path, self.folder): content(file) for path, file in names.items() if file is not None}

    def choices(self):
        """Which of the changes that are not synced a disk may hold."""
        count = len(self.changes)
        if count <= MOST_CHANGES:
            return itertools.product((False, True), repeat=count)
        some = random.Random(count)
        chosen = {tuple(i < n for i in range(count)) for n in range(count + 1)}
        for n in range(count):
            chosen |= {tuple(i == n for i in range(count)), tuple(i != n for i in range(count))}
        while len(chosen) < 2 ** MOST_CHANGES:
            chosen.add(tuple(some.random() < 0.5 for _ in range(count)))
        return sorted(chosen)

    def after_loss(self):
        """Every state that the power may leave, as names and contents."""
        for choice in self.choices():
            names = dict(self.synced_names)
            for (_, change), is_there in zip(self.changes, choice):
                if is_there:
                    names.update(change)
            files = [*dict.fromkeys(file for file in names.values() if file is not None)]
            variants = [file.contents() for file in files]
            longest = max(map(len, variants), default=1)
            unsure = sum(len(contents) > 1 for contents in variants)
            ways = (itertools.product(*variants) if unsure <= 2 else
                    [[contents[min(n, len(contents) - 1)] for contents in variants] for n in range(longest)])
            for way in ways:
                found = dict(zip(files, way))
                yield self.contents_of(names, found.__getitem__)
