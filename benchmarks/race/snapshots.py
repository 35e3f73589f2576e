"""Reads what the runs keep: phi of the held-out words, from any system."""

import json
import pathlib

import numpy as np

import corpus


def safetensors_header(path):
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        return json.loads(file.read(length)) | {"begin": 8 + length}


def tensor(path, name):
    header = safetensors_header(path)
    types = {"U8": np.uint8, "U16": np.uint16, "I32": np.int32}
    begin, end = header[name]["data_offsets"]
    return np.fromfile(path, types[header[name]["dtype"]], offset=header["begin"] + begin,
                       count=(end - begin) // np.dtype(types[header[name]["dtype"]]).itemsize)


def from_counts(counts, beta, words):
    """phi = (n_wk + beta) / (n_k + V beta), topics x words, of the counts: words x topics."""
    return ((counts[words] + beta) / (counts.sum(axis=0) + len(counts) * beta)).T


def checkpoint_counts(path, folder, topics):
    words = np.fromfile(pathlib.Path(folder) / "train.words.bin", dtype=np.int32)
    z = tensor(path, "z")
    if len(z) != len(words):
        raise ValueError(f"{path}: {len(z)} topics for {len(words)} tokens")
    V = corpus.meta(folder)["words"]
    return np.bincount(words.astype(np.int64) * topics + z, minlength=V * topics).reshape(V, topics)


def sparse_counts(path, folder, topics):
    """MALLET's: int32 triples of word, topic, count."""
    word, topic, count = np.fromfile(path, dtype=np.int32).reshape(-1, 3).T
    counts = np.zeros((corpus.meta(folder)["words"], topics), dtype=np.int64)
    counts[word, topic] = count
    return counts


def load(path, folder, topics, beta, words):
    """phi, topics x words."""
    path = pathlib.Path(path)
    if path.suffix == ".npy":
        phi = np.load(path)
        if phi.shape != (topics, len(words)):
            raise ValueError(f"{path}: {phi.shape} for {topics} topics and {len(words)} words")
        return phi
    counts = {".checkpoint": checkpoint_counts, ".counts": sparse_counts}[path.suffix](path, folder, topics)
    if counts.sum() != corpus.meta(folder)["tokens"]:
        raise ValueError(f"{path}: counts of {counts.sum()} tokens, not {corpus.meta(folder)['tokens']}")
    return from_counts(counts, beta, words)
