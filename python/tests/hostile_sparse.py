"""Sparse matrices of SciPy with wrong arrays, and outputs that overlap inputs; run by test_hostile_arrays.py.

    hostile_sparse.py

A matrix is made by SciPy, and its arrays are replaced after that, as a program or a file may do. SciPy's compiled code
would read and write through them; papilio must refuse them before. Run with checks of the heap switched on.
"""

import faulthandler
import re
import sys
import warnings

import numpy as np
import scipy.sparse

import papilio

COUNTS = np.array([[2, 0, 1], [0, 3, 1], [1, 1, 0], [4, 0, 2]])
FAR = 2**32 + 1  # becomes 1 in 32 bits
FITTED = papilio.LDA(2, max_iter=2, random_state=0, device="cpu").fit(COUNTS)


def counts_of(X):
    return papilio.corpus_to_matrix(papilio.corpus_from_matrix(X)).toarray()


def fit(X):
    return papilio.LDA(2, max_iter=1, random_state=0, device="cpu").fit(X)


def changed(kind, name, change):
    X = scipy.sparse.csr_matrix(COUNTS).asformat(kind)
    after = change(getattr(X, name).copy())
    if name in ("row", "col") and hasattr(X, "coords"):  # the setters of both convert; this one does not
        X.coords = (after, X.coords[1]) if name == "row" else (X.coords[0], after)
    else:
        setattr(X, name, after)
    return X


def at(place, value, dtype=np.int64):
    def change(a):
        a = a.astype(dtype)
        a.flat[place] = value
        return a

    return change


COMPRESSED = {
    "indptr not from 0": ("indptr", at(0, 1), "indptr begins with 1, expected 0"),
    "indptr negative": ("indptr", at(1, -5), "indptr.1. is -5, less than 0"),
    "indptr falling": ("indptr", at(1, 7), "less than 7 before it"),
    "indptr too long": ("indptr", lambda a: np.append(a, a[-1]), "expected"),
    "indptr too short": ("indptr", lambda a: a[:-1], "expected"),
    "indptr empty": ("indptr", lambda a: a[:0], "expected"),
    "indptr past the end": ("indptr", at(-1, 10**6), "ends with 1000000"),
    "indptr of 2^62": ("indptr", at(-1, 2**62), "ends with"),
    "indptr of uint64": ("indptr", at(1, 2**64 - 1, np.uint64), "18446744073709551615"),
    "indptr of float": ("indptr", lambda a: a + 0.5, "expected integers"),
    "indptr masked": ("indptr", lambda a: np.ma.array(a, mask=a == a[1]), "masked"),
    "indptr in two dimensions": ("indptr", lambda a: a[None], "dimension"),
    "index too large": ("indices", at(0, 9), "indices.0. is 9"),
    "index of 2^32 + 1": ("indices", at(0, FAR), "indices.0. is 4294967297"),
    "index negative": ("indices", at(1, -1), "indices.1. is -1"),
    "index of uint64": ("indices", at(1, 2**63, np.uint64), "9223372036854775808"),
    "indices of float": ("indices", lambda a: a.astype(float), "expected integers"),
    "indices of objects": ("indices", lambda a: np.array(["x"] * len(a), object), "strings"),
    "indices masked": ("indices", lambda a: np.ma.array(a, mask=a == a[0]), "masked"),
    "indices too few": ("indices", lambda a: a[:2], "as many of each"),
    "indices in two dimensions": ("indices", lambda a: a[None], "as many of each"),
    "data too few": ("data", lambda a: a[:3], "as many of each"),
    "data masked": ("data", lambda a: np.ma.array(a, mask=a == 1), "masked"),
    "data of text": ("data", lambda a: a.astype(str), "real numbers"),
    "data complex": ("data", lambda a: a.astype(complex), "Complex"),
    "data None": ("data", lambda a: np.array([None] * len(a)), "missing"),
    "data NaN": ("data", at(0, np.nan, float), "NaN or inf"),
    "data negative": ("data", at(0, -1), "Negative"),
    "data of 2^31": ("data", at(0, 2**31), "at most 2147483647"),
    "data of 2^64 - 1": ("data", at(0, 2**64 - 1, np.uint64), "at most 2147483647"),
    "data of fractions": ("data", at(0, 0.5, float), "whole numbers"),
}
WRONG = {
    **{f"{kind}: {name}": (kind, *case) for kind in ("csr", "csc") for name, case in COMPRESSED.items()},
    **{f"bsr: {name}": ("bsr", *COMPRESSED[name]) for name in COMPRESSED if "indptr" in name or "ind" in name},
    "coo: row too large": ("coo", "row", at(0, 4), "row.0. is 4"),
    "coo: row negative": ("coo", "row", at(0, -1), "row.0. is -1"),
    "coo: column of 2^32 + 1": ("coo", "col", at(2, FAR), "col.2. is 4294967297"),
    "coo: rows too few": ("coo", "row", lambda a: a[:1], "as many of each"),
    "coo: data masked": ("coo", "data", lambda a: np.ma.array(a, mask=a == 1), "masked"),
    "coo: rows of float": ("coo", "row", lambda a: a + 0.5, "expected integers"),
    "bsr: blocks that do not fit": ("bsr", "data", lambda a: np.ones((len(a), 3, 2)), "blocks do not divide"),
    "bsr: blocks of no size": ("bsr", "data", lambda a: np.ones((len(a), 0, 2)), "blocks do not divide"),
    "dia: offsets twice": ("dia", "offsets", lambda a: a * 0, "distinct"),
    "dia: offsets of float": ("dia", "offsets", lambda a: a + 0.5, "expected integers"),
    "dia: offsets too few": ("dia", "offsets", lambda a: a[:1], "distinct"),
    "lil: column too large": ("lil", "rows", lambda a: np.array([[9], *[list(r) for r in a[1:]]], object), "columns and|rows.0. is 9"),
    "lil: values too few": ("lil", "data", lambda a: np.array([[], *[list(r) for r in a[1:]]], object), "2 columns and 0 values"),
}  # fmt: skip


def csr(data, indices, indptr, shape=(2, 3)):
    X = scipy.sparse.csr_matrix(shape, dtype=np.asarray(data).dtype)
    X.data, X.indices, X.indptr = np.asarray(data), np.asarray(indices, np.int64), np.asarray(indptr, np.int64)
    return X


def flagged(X):
    X.has_canonical_format = X.has_sorted_indices = True  # as some programs set it, here falsely
    return X


def dok_with_a_far_key():
    X = scipy.sparse.dok_matrix((2, 3), dtype=int)
    X._dict[(0, FAR)] = 5
    return X


def overlapping():
    memory = np.ones(24)
    return memory[:12].reshape(4, 3), memory[10:14].view(np.int64)


def draw_over_input(which):
    weights, out = overlapping()
    rows = np.zeros(4, np.int64)
    given = {
        "weights": dict(weights=weights, out=out),
        "row_ids": dict(weights=np.ones((4, 3)), row_ids=rows, out=rows),
        "seed": dict(weights=np.ones((4, 3)), seed=rows, out=rows),
        "indices": dict(weights=np.ones((4, 3)), indices=rows.view(np.int32)[:4], out=rows.view(np.int32)[3:7]),
        "indptr": dict(weights=np.ones(9), indptr=rows.repeat(2)[:5], out=None),
    }[which]
    if which == "indptr":
        given["out"] = given["indptr"][1:]
    return papilio.sample_categorical(**{"seed": 1, **given})


def products_over_input():
    left, out = overlapping()
    return papilio.sample_products(np.ones((4, 3)), left, seed=1, out=out)


def draw_into(out):
    return papilio.sample_categorical(np.ones((4, 3)), seed=1, out=out)


def misaligned_out():
    return np.frombuffer(bytearray(41), np.int64, 4, offset=1)


CALLS = {
    **{f"out over {name}": (lambda name=name: draw_over_input(name), "shares memory") for name in ("weights", "row_ids", "seed", "indices", "indptr")},
    "out over right": (products_over_input, "shares memory"),
    "out masked": (lambda: draw_into(np.ma.zeros(4, int)), "masked"),
    "out big-endian": (lambda: draw_into(np.zeros(4, ">i8")), "byte order"),
    "out misaligned": (lambda: draw_into(misaligned_out()), "aligned"),
    "out of a table, masked": (lambda: papilio.AliasTable([1.0, 2.0]).sample(seed=1, out=np.ma.zeros(4, int)), "masked"),
    "out of a table, misaligned": (lambda: papilio.AliasTable([1.0, 2.0]).sample(seed=1, out=misaligned_out()), "aligned"),
    "one dimension": (lambda: counts_of(scipy.sparse.coo_array(np.array([1, 2]))), "1 dimension"),
    "dok: a far key": (lambda: counts_of(dok_with_a_far_key()), "is 4294967297"),
    "more columns than int32": (lambda: counts_of(scipy.sparse.csr_matrix((2, 2**33))), "8589934592 columns"),
    "more rows than memory": (lambda: counts_of(scipy.sparse.coo_matrix((2**55, 3))), ""),
}  # fmt: skip
RIGHT = {
    "spare room past the last offset": (lambda: csr([1, 2, 99], [0, 2, 77], [0, 1, 2]), [[1, 0, 0], [0, 0, 2]]),
    "duplicates": (lambda: csr([1, 2, 3], [1, 1, 0], [0, 2, 3]), [[0, 3, 0], [3, 0, 0]]),
    "duplicates with false flags": (lambda: flagged(csr([1, 2, 3], [1, 1, 0], [0, 2, 3])), [[0, 3, 0], [3, 0, 0]]),
    "unsorted with false flags": (lambda: flagged(csr([1, 2, 3], [2, 0, 0], [0, 2, 3])), [[2, 0, 1], [3, 0, 0]]),
    "duplicates of uint8 above 255": (lambda: csr(np.array([200, 100, 3], np.uint8), [1, 1, 0], [0, 2, 3]), [[0, 300, 0], [3, 0, 0]]),
    "halves that add up": (lambda: csr([0.5, 0.5, 3], [1, 1, 0], [0, 2, 3]), [[0, 1, 0], [3, 0, 0]]),
    "bool": (lambda: scipy.sparse.csr_matrix(COUNTS > 0), (COUNTS > 0).astype(int)),
    "big-endian": (lambda: changed("csr", "data", lambda a: a.astype(">i4")), COUNTS),
    "no entries in a row": (lambda: csr([1], [2], [0, 0, 1]), [[0, 0, 0], [0, 0, 1]]),
    "a diagonal outside": (lambda: scipy.sparse.dia_matrix((np.ones((2, 3)), [0, 40]), shape=(3, 3)), np.eye(3)),
    **{kind: (lambda kind=kind: scipy.sparse.csr_matrix(COUNTS).asformat(kind), COUNTS) for kind in ("csr", "csc", "coo", "bsr", "dia", "lil", "dok")},
    "bsr with blocks": (lambda: scipy.sparse.bsr_matrix(COUNTS, blocksize=(2, 3)), COUNTS),
    "arrays": (lambda: scipy.sparse.csc_array(COUNTS), COUNTS),
}  # fmt: skip


def refusal(call, message):
    """What is wrong with the refusal of a call, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = call()
    except (TypeError, ValueError, MemoryError) as error:
        return None if re.search(message, str(error)) else f"the error does not say {message!r}: {error!r}"
    return f"accepted, with the result {result!r}"


def main():
    failures = []
    for name, (kind, array, change, message) in WRONG.items():
        for what, call in {"corpus_from_matrix": counts_of, "fit": fit, "transform": FITTED.transform}.items():
            print(f"{name}, {what}", flush=True)
            X = changed(kind, array, change)
            failures.append((name, refusal(lambda: call(X), message)))
    for name, (call, message) in CALLS.items():
        print(name, flush=True)
        failures.append((name, refusal(call, message)))
    for name, (make, expected) in RIGHT.items():
        print(name, flush=True)
        found = counts_of(make())
        failures.append((name, None if np.array_equal(found, expected) else f"gives {found.tolist()}"))
    failures = [failure for failure in failures if failure[1] is not None]
    for failure in failures:
        print("FAILED", *failure, flush=True)
    return bool(failures)


if __name__ == "__main__":
    faulthandler.enable()
    sys.exit(main())
