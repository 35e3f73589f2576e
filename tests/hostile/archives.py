"""Zip archives of arrays, right or not, as the tests write them."""

import struct
import zlib


def member(name, data, claimed=None, method=8):
    """The header and content of a member, and its entry in the directory without place and name."""
    deflater = zlib.compressobj(1, zlib.DEFLATED, -15)
    stored = deflater.compress(data) + deflater.flush() if method == 8 else data
    size = len(data) if claimed is None else claimed
    fields = struct.pack("<HHHHHIII", 20, 0, method, 0, 33, zlib.crc32(data), len(stored), size)
    local = b"PK\x03\x04" + fields + struct.pack("<HH", len(name), 0) + name + stored
    return local, b"PK\x01\x02\x14\0" + fields + struct.pack("<HHHHHI", len(name), 0, 0, 0, 0, 0)


def zip_archive(members):
    """An archive of (name, data[, size that is claimed[, method]])."""
    body, directory, at = [], [], 0
    for name, data, *rest in members:
        local, entry = member(name, data, *rest)
        directory.append(entry + struct.pack("<I", at) + name)
        body.append(local)
        at += len(local)
    entries = b"".join(directory)
    count = len(members)
    return b"".join(body) + entries + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, count, count, len(entries), at, 0)


def many_members(count):
    """A directory that names one member again and again, with Zip64."""
    local, entry = member(b"a", b"", None, 0)
    directory = (entry + bytes(4) + b"a") * count
    end = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, len(directory), len(local))
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, len(local) + len(directory), 1)
    tail = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 0xffff, 0xffff, 0xffffffff, 0xffffffff, 0)
    return local + directory + end + locator + tail


def npy(kind, shape, data):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def matrix(documents, words, indptr, indices, data):
    """What scipy.sparse.save_npz writes for a matrix by rows, numbers of 32 bits."""
    return zip_archive([(b"format.npy", npy("|S3", "()", b"csr")),
                        (b"shape.npy", npy("<i8", "(2,)", struct.pack("<qq", documents, words))),
                        (b"indptr.npy", npy("<i4", f"({len(indptr) // 4},)", indptr)),
                        (b"indices.npy", npy("<i4", f"({len(indices) // 4},)", indices)),
                        (b"data.npy", npy("<i4", f"({len(data) // 4},)", data))])
