"""Hostile files of papilio's own: models, checkpoints, corpus files."""

import json
import struct

from cases import TRAIN, Case, cuts, flipped

CORPUS = b"cats dogs cats\ndogs mice\nmice mice cats\n"


def tensors(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def safetensors(good):
    """Damage that any safetensors file may have: pairs of a name and the bytes."""
    length = struct.unpack_from("<Q", good)[0]
    header, data = json.loads(good[8:8 + length]), good[8 + length:]
    for cut in cuts(good, 20):
        yield f"cut at {cut}", good[:cut]
    for byte in range(9, len(good), max(1, len(good) // 25)):
        yield f"bit 0 of byte {byte} flipped", flipped(good, byte)
    yield "a byte after it", good + b"\0"
    yield "text", b"cats and dogs\n" * 100
    for claim in (0, 1, length + 8, 1 << 30, 1 << 62, (1 << 64) - 1):
        yield f"a header of {claim} bytes claimed", tensors(good[8:8 + length], data, claim)
    yield "no object", tensors(b"[1,2,3]", data)
    yield "100,000 levels", tensors(b'{"a":' + b"[" * 100000 + b"]" * 100000 + b"}", data)
    yield "100,000 levels that do not close", tensors(b'{"a":' * 100000, data)
    yield "a key twice", tensors(good[8:8 + length].rstrip()[:-1] + b',"__metadata__":{}}', data)
    yield "ill-formed UTF-8 in the header", tensors(b'{"\xff":1}', data)
    yield "no metadata", tensors({k: v for k, v in header.items() if k != "__metadata__"}, data)
    name = next(k for k in header if k != "__metadata__")
    for what, entry in (("a shape below 0", {"shape": [-1]}), ("a shape of 2^62 x 2^62", {"shape": [1 << 62, 1 << 62]}),
                        ("a shape that is too large", {"shape": [1 << 40]}), ("an unknown type", {"dtype": "F8"}),
                        ("objects", {"dtype": "O"}), ("offsets beyond the file", {"data_offsets": [0, 1 << 62]}),
                        ("offsets below 0", {"data_offsets": [-8, 8]}),
                        ("offsets that decrease", {"data_offsets": [16, 8]}),
                        ("three offsets", {"data_offsets": [0, 8, 16]}), ("a shape that is a word", {"shape": "x"}),
                        ("fractions in a shape", {"shape": [1.5]})):
        yield what, tensors({**header, name: {**header[name], **entry}}, data)
    yield "a tensor too many", tensors({**header, "more": {"dtype": "I32", "shape": [0], "data_offsets": [0, 0]}}, data)
    yield "a tensor too few", tensors({k: v for k, v in header.items() if k != name}, data)
    yield "an empty object", tensors({})


def binary_cases(model, checkpoint, corpus, sparse):
    """`model`, `checkpoint` and `sparse`, a model too, come from train on CORPUS as x.txt, `corpus` from import."""
    assert b"n_wk_offsets" in sparse
    cases = [Case("model of sparse counts: whole", {"x": sparse}, ("inspect", "x"), refused=False)]
    for name, data in safetensors(sparse):
        cases.append(Case(f"model of sparse counts: {name}", {"x": data}, ("inspect", "x")))
    for name, data in safetensors(model):
        cases.append(Case(f"model: {name}", {"x": data}, ("inspect", "x")))
    for name, data in safetensors(checkpoint):
        cases.append(Case(f"checkpoint: {name}", {"x": data, "x.txt": CORPUS},
                          (*TRAIN, "x.txt", "--checkpoint", "x", "--resume")))
    for name, data in safetensors(corpus):
        cases.append(Case(f"corpus: {name}", {"x.papilio-corpus": data}, (*TRAIN, "x.papilio-corpus")))
    resume = (*TRAIN, "x.txt", "--checkpoint", "x", "--resume")
    cases.append(Case("checkpoint: of another corpus", {"x": checkpoint, "x.txt": CORPUS + b"mice\n"}, resume))
    cases.append(Case("checkpoint: of another seed", {"x": checkpoint, "x.txt": CORPUS}, (*resume, "--seed", "7")))
    cases.append(Case("checkpoint: a model", {"x": model, "x.txt": CORPUS}, resume))
    cases.append(Case("model: a checkpoint", {"x": checkpoint}, ("inspect", "x")))
    cases.append(Case("model: a corpus file", {"x": corpus}, ("inspect", "x")))
    cases.append(Case("corpus: a model", {"x": model}, (*TRAIN, "x", "--format", "corpus")))
    cases.append(Case("corpus: text", {"x": CORPUS}, (*TRAIN, "x", "--format", "corpus")))
    cases.append(Case("corpus: nothing", {"x": b""}, (*TRAIN, "x", "--format", "corpus")))
    cases.append(Case("corpus: whole", {"x": corpus}, (*TRAIN, "x"), refused=False))
    cases.append(Case("model: whole", {"x": model}, ("inspect", "x"), refused=False))
    return cases
