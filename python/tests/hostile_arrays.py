"""Every public function that takes arrays, called with every malformed family; run by test_hostile_arrays.py.

    hostile_arrays.py FUNCTION

runs the cases of one function, in a process of its own, so that a crash ends this process only. It names each case
before it runs, and prints those that are not as the table says. A case is right where the call gives what it gives for
a plain array of the same numbers; an error is TypeError, ValueError or MemoryError.
"""

import faulthandler
import importlib
import re
import sys
import warnings

import numpy as np

import papilio

WEIGHTS = np.array([[1, 2, 1], [4, 1, 5], [3, 2, 1], [1, 6, 2]], float)
COUNTS = np.array([[2, 0, 1], [0, 3, 1], [1, 1, 0], [4, 0, 2]])
CORPUS = papilio.corpus_from_tokens([["cats", "purr"], ["dogs"], ["cats"]])
FITTED = papilio.LDA(2, max_iter=2, random_state=0, n_jobs=1, device="cpu").fit(COUNTS)


def draw(**given):
    return papilio.sample_categorical(**{"weights": WEIGHTS, "seed": 3, "threads": 1, **given})


def products(**given):
    return papilio.sample_products(**{"left": WEIGHTS, "right": WEIGHTS, "seed": 3, "threads": 1, **given})


def tokens(**given):
    return papilio.sample_tokens(**{"logits": WEIGHTS.astype(np.float32), "seeds": 3, "threads": 1, **given})


def verified(**given):
    logits = np.vstack([WEIGHTS, WEIGHTS[:2]]).astype(np.float32)  # of four drafted tokens, and one more per text
    draft = {"tokens": np.array([1, 0, 2, 1], np.int32), "offsets": np.array([0, 2, 4], np.int32)}
    found = papilio.verify_draft(logits, **{**draft, "seeds": 3, "threads": 1, **given})
    return found.accepted.tolist(), found.next_token.tolist()


def contents(corpus):
    return corpus.document_offsets.tolist(), corpus.words.tolist(), corpus.vocabulary


def fitted(X, **parameters):
    return papilio.LDA(**{"n_components": 2, "max_iter": 2, "random_state": 0, "device": "cpu", **parameters}).fit(X)


def model(n_wk=COUNTS[:, :2], alpha=(0.1, 0.2)):
    made = papilio.Model(n_wk, alpha, 0.01, ["a", "b", "c", "d"])
    return made.n_wk.tolist(), made.alpha.tolist()


def state(z=(0, 1, 0, 1), alpha=()):
    made = papilio.ChainState(z, 0, alpha, 0.0)
    return made.z.tolist(), made.alpha.tolist()


def trained(topic_alpha):
    options = {"topics": 2, "sweeps": 2, "threads": 1, "topic_alpha": topic_alpha}
    return papilio.train(CORPUS, **options).topics.z.tolist()


# Name: (a good array, the call, what its numbers are).
FUNCTIONS = {
    "weights": (WEIGHTS, lambda x: draw(weights=x), "weights"),
    "one row": (WEIGHTS[0], lambda x: draw(weights=x), "weights"),
    "ragged weights": (WEIGHTS.ravel(), lambda x: draw(weights=x, indptr=[0, 3, 12]), "weights"),
    "logits": (WEIGHTS, lambda x: draw(weights=x, logits=True), "logits"),
    "left": (WEIGHTS, lambda x: products(left=x), "weights"),
    "right": (WEIGHTS, lambda x: products(right=x), "weights"),
    "sample_tokens": (WEIGHTS.astype(np.float32), lambda x: tokens(logits=x), "tokens"),
    "sample_tokens seeds": (np.arange(4), lambda x: tokens(seeds=x), "whole"),
    "sample_tokens positions": (np.arange(4), lambda x: tokens(positions=x), "whole"),
    "sample_tokens top_k": (np.array([3, 1, 2, 2]), lambda x: tokens(top_k=x), "numbers"),
    "sample_tokens top_p": (np.array([0.5, 1, 0.9, 0.1]), lambda x: tokens(top_p=x), "shares"),
    "sample_tokens allowed": (WEIGHTS > 1, lambda x: tokens(allowed=x), "mask"),
    "verify_draft tokens": (np.array([1, 0, 2, 1]), lambda x: verified(tokens=x), "numbers"),
    "verify_draft probabilities": (WEIGHTS / 10, lambda x: verified(probabilities=x), "weights"),
    "verify_draft offsets": (np.array([0, 2, 4]), lambda x: verified(offsets=x), "numbers"),
    "AliasTable": (WEIGHTS[0], lambda x: papilio.AliasTable(x).sample(9, seed=1), "weights"),
    "CumulativeTable": (WEIGHTS[0], lambda x: papilio.CumulativeTable(x).sample(9, seed=1), "weights"),
    "choice": (WEIGHTS[0], lambda x: papilio.choice(len(WEIGHTS[0]), 9, x, seed=1), "weights"),
    "reduce_by_index": (np.array([3, 0, 3, 1]), lambda x: papilio.reduce_by_index(x, [1, 2, 3, 4], 4), "numbers"),
    "reduce_by_index values": (WEIGHTS[0], lambda x: papilio.reduce_by_index([1, 0, 1], x, 2), "values"),
    "segmented_reduce": (WEIGHTS[0], lambda x: papilio.segmented_reduce(x, [0, 1, 3]), "values"),
    "segmented_reduce offsets": (np.array([0, 2, 2, 3]), lambda x: papilio.segmented_reduce([1, 2, 3], x), "numbers"),
    "scan": (WEIGHTS[0], lambda x: papilio.scan(x), "values"),
    "segmented_scan offsets": (np.array([0, 2, 2, 3]), lambda x: papilio.segmented_scan([1, 2, 3], x), "numbers"),
    "segmented_scan flags": (np.array([1, 0, 1]), lambda x: papilio.segmented_scan([1, 2, 3], flags=x), "flags"),
    "compact flags": (np.array([1, 0, 1]), lambda x: papilio.compact([1, 2, 3], x), "flags"),
    "seed": (np.arange(4), lambda x: draw(seed=x), "whole"),
    "row_ids": (np.arange(4), lambda x: draw(row_ids=x), "whole"),
    "indices": (np.array([3, 0, 1]), lambda x: draw(indices=x), "numbers"),
    "indptr": (np.array([0, 2, 2, 5]), lambda x: draw(weights=np.ones(6), indptr=x, return_status=True), "numbers"),
    "left_rows": (np.array([3, 0, 1, 2]), lambda x: products(left_rows=x), "numbers"),
    "right_rows": (np.array([3, 0, 1, 2]), lambda x: products(right_rows=x), "numbers"),
    "Corpus offsets": (np.array([0, 2, 3]), lambda x: contents(papilio.Corpus(x, [1, 0, 1], ["a", "b"])), "numbers"),
    "Corpus words": (np.array([1, 0, 1]), lambda x: contents(papilio.Corpus([0, 2, 3], x, ["a", "b"])), "numbers"),
    "from_counts offsets": (
        np.array([0, 2, 3]), lambda x: contents(papilio.Corpus.from_counts(x, [0, 1, 0], [1, 2, 1], ["a", "b"])), "numbers"),
    "from_counts columns": (
        np.array([0, 1, 0]), lambda x: contents(papilio.Corpus.from_counts([0, 2, 3], x, [1, 2, 1], ["a", "b"])), "numbers"),
    "from_counts counts": (
        np.array([1, 2, 1]), lambda x: contents(papilio.Corpus.from_counts([0, 2, 3], [0, 1, 0], x, ["a", "b"])), "numbers"),
    "Model n_wk": (COUNTS[:, :2], lambda x: model(n_wk=x), "numbers"),
    "Model alpha": (np.array([0.1, 0.2]), lambda x: model(alpha=x), "priors"),
    "ChainState z": (np.array([0, 1, 0, 1]), lambda x: state(z=x), "topics"),
    "ChainState alpha": (np.array([0.1, 0.2]), lambda x: state(alpha=x), "any"),
    "log_joint z": (np.array([0, 1, 0, 1]), lambda x: papilio.log_joint(CORPUS, x, [0.1, 0.1], 0.1), "numbers"),
    "log_joint alpha": (np.array([0.1, 0.2]), lambda x: papilio.log_joint(CORPUS, [0, 1, 0, 1], x, 0.1), "priors"),
    "train topic_alpha": (np.array([0.1, 0.2]), trained, "priors"),
    "LDA doc_topic_prior": (np.array([0.1, 0.2]), lambda x: fitted(COUNTS, doc_topic_prior=x).components_, "priors"),
    "corpus_from_matrix": (COUNTS, lambda x: contents(papilio.corpus_from_matrix(x))[:2], "counts"),
    "LDA.fit": (COUNTS, lambda x: fitted(x).components_, "counts"),
    "LDA.fit held_out": (
        COUNTS, lambda x: papilio.LDA(2, max_iter=2, random_state=0, device="cpu").fit(COUNTS, held_out=x).held_out_curve_, "counts"),
    "LDA.transform": (COUNTS, FITTED.transform, "counts"),
    "LDA.perplexity": (COUNTS, FITTED.perplexity, "counts"),
}  # fmt: skip
PRODUCTS = {"left", "right"}


def with_entry(a, value, dtype=None):
    a = a.astype(dtype or a.dtype)
    a.flat[a.size // 2] = value
    return a


def misaligned(a):
    memory = np.zeros(a.nbytes + 1, np.uint8)
    x = np.frombuffer(memory, a.dtype, a.size, offset=1).reshape(a.shape)
    memory[1:] = np.frombuffer(a.tobytes(), np.uint8)
    return x


def packed(a):
    records = np.zeros(a.shape, np.dtype([("tag", "i1"), ("value", a.dtype)]))
    records["value"] = a
    return records["value"]


class Masked:
    """An array whose interface has a mask."""

    def __init__(self, a):
        self.kept = a, np.arange(a.size).reshape(a.shape) % 2 == 0
        self.__array_interface__ = {**a.__array_interface__, "mask": self.kept[1]}


def huge(a):
    return np.lib.stride_tricks.as_strided(a.ravel()[:1], (2**48, *a.shape[1:]), (0,) * a.ndim)


ERROR, RIGHT, EITHER = "error", "right", "either"  # either: an error, or right
NO_NUMBERS = "number|integers|dtype|object|weights must be"
# Name: (maker, what is expected, what the error says). A maker may give None where it does not apply.
FAMILIES = {
    "as it is": (lambda a: a, RIGHT, ""),
    "masked": (lambda a: np.ma.array(a, mask=np.arange(a.size).reshape(a.shape) % 2 == 0), ERROR, "masked"),
    "all masked": (lambda a: np.ma.masked_all(a.shape, a.dtype), ERROR, "masked"),
    "masked, hard, with fill": (lambda a: np.ma.array(a, mask=a == a.flat[0], fill_value=1, hard_mask=True), ERROR, "masked"),
    "masked nothing": (lambda a: np.ma.array(a), RIGHT, ""),
    "rows masked": (lambda a: [np.ma.array(row, mask=np.arange(len(row)) == 0) for row in a] if a.ndim == 2 else None, ERROR, "masked"),
    "the masked constant": (lambda a: [np.ma.masked, *a.tolist()[1:]], ERROR, "masked|nan|NaN"),
    "a mask in the interface": (lambda a: Masked(a), ERROR, "mask"),
    "big-endian": (lambda a: a.astype(a.dtype.newbyteorder(">")), EITHER, "byte order"),
    "misaligned": (misaligned, EITHER, "aligned"),
    "packed records": (packed, EITHER, "aligned|stride"),
    "records": (lambda a: np.zeros(a.shape, [("x", "f8"), ("y", "f8")]), ERROR, NO_NUMBERS),
    "backwards": (lambda a: np.ascontiguousarray(a[::-1])[::-1], EITHER, "contiguous"),
    "with gaps": (lambda a: np.repeat(a, 2, axis=0)[::2], EITHER, "contiguous"),
    "columns first": (lambda a: np.asfortranarray(a), EITHER, "adjacent columns"),
    "read-only": (lambda a: (lambda x: (x.setflags(write=False), x)[1])(a.copy()), RIGHT, ""),
    "list": (lambda a: a.tolist(), EITHER, "must be an array"),
    "objects": (lambda a: a.astype(object), EITHER, NO_NUMBERS),
    "None": (lambda a: with_entry(a, None, object), ERROR, NO_NUMBERS + "|missing"),
    "NA": (lambda a: with_entry(a, pandas().NA, object), ERROR, NO_NUMBERS + "|missing"),
    "text": (lambda a: a.astype(str), ERROR, NO_NUMBERS),
    "list of text": (lambda a: a.astype(str).tolist(), ERROR, NO_NUMBERS),
    "bytes": (lambda a: a.astype(np.bytes_), ERROR, NO_NUMBERS),
    "dates": (lambda a: a.astype("datetime64[s]"), ERROR, NO_NUMBERS),
    "durations": (lambda a: a.astype("timedelta64[s]"), ERROR, NO_NUMBERS),
    "complex": (lambda a: a.astype(complex), ERROR, NO_NUMBERS + "|[Cc]omplex"),
    "float16": (lambda a: a.astype(np.float16), EITHER, NO_NUMBERS),
    "longdouble": (lambda a: a.astype(np.longdouble), EITHER, NO_NUMBERS),
    "not a number": (lambda a: with_entry(a, np.nan, float), ERROR, NO_NUMBERS + "|nan|NaN"),
    "infinite": (lambda a: with_entry(a, np.inf, float), ERROR, NO_NUMBERS + "|inf"),
    "no dimension": (lambda a: a.flat[0], ERROR, "dimension|one row|one entry per row|expected a number"),
    "three dimensions": (lambda a: np.ones((2, 2, 2), a.dtype), ERROR, "dimension|shape"),
    "one dimension too many": (lambda a: a[None] if a.ndim == 1 else None, EITHER, "dimension|shape"),
    "huge": (huge, ERROR, ""),
    "a sparse matrix": (lambda a: sparse().csr_matrix(np.atleast_2d(a)), EITHER, "must be an array|sparse|integers|shape"),
    "a str": (lambda a: "1 2 3", ERROR, ""),
    "a dict": (lambda a: {0: 1.0, 1: 2.0}, ERROR, ""),
    "a set": (lambda a: {1, 2}, ERROR, ""),
    "a function": (lambda a: len, ERROR, ""),
    "a generator": (lambda a: (row for row in a), ERROR, ""),
    "memory-mapped": (lambda a: mapped(a), RIGHT, ""),
    "np.matrix": (lambda a: np.asmatrix(a) if a.ndim == 2 else None, RIGHT, ""),
    "pandas": (lambda a: in_pandas(a), RIGHT, ""),
    "pandas Int64": (lambda a: in_pandas(a, "Int64") if a.dtype.kind == "i" else None, EITHER, NO_NUMBERS),
    "pandas Float64": (lambda a: in_pandas(a, "Float64"), EITHER, NO_NUMBERS),
    "pandas Int64 with NA": (lambda a: without_first(in_pandas(a.astype(int), "Int64")), ERROR, "missing|integers|objects"),
    "pandas Float64 with NA": (lambda a: without_first(in_pandas(a, "Float64")), ERROR, "missing|integers|objects"),
    "pandas with NaN": (lambda a: in_pandas(with_entry(a, np.nan, float)), ERROR, "missing|integers|NaN|nan"),
    "pandas of Arrow with null": (lambda a: without_first(in_pandas(a, "float64[pyarrow]")), ERROR, "missing|integers|objects|NaN|nan"),
    "pandas categories": (lambda a: in_pandas(a, "category"), ERROR, "categories"),
    "pandas sparse": (lambda a: in_pandas(a, pandas().SparseDtype(a.dtype, 0)), RIGHT, ""),
    "Arrow": (lambda a: in_arrow(a), RIGHT, ""),
    "Arrow with null": (lambda a: in_arrow(a, null=True), ERROR, "missing"),
    "Arrow in chunks": (lambda a: arrow().chunked_array([a[:2], a[2:]]) if a.ndim == 1 else None, RIGHT, ""),
    "Arrow in chunks with null": (lambda a: arrow().chunked_array([a[:2].tolist(), [None]]) if a.ndim == 1 else None, ERROR, "missing"),
    "Arrow dictionary": (lambda a: arrow().array(a).dictionary_encode() if a.ndim == 1 else None, EITHER, NO_NUMBERS),
    "Arrow dictionary with null": (lambda a: arrow().array([None, *a.tolist()[1:]]).dictionary_encode() if a.ndim == 1 else None, ERROR, "missing"),
    "Arrow text": (lambda a: arrow().array(a.astype(str).tolist()) if a.ndim == 1 else None, ERROR, NO_NUMBERS),
    "polars": (lambda a: in_polars(a), RIGHT, ""),
    "polars with null": (lambda a: in_polars(a, null=True), ERROR, "missing"),
}  # fmt: skip
WHOLE = {  # of numbers that are whole
    "2^32 + 1": (lambda a: with_entry(a, 2**32 + 1, np.int64), ERROR, "4294967297|4294967298|offsets|end"),
    "2^63": (lambda a: with_entry(a, 2**63, np.uint64), ERROR, "9223372036854775808|offsets|end"),
    "negative": (lambda a: with_entry(a, -1), ERROR, "-1|offsets|Negative|-"),
    "fractions": (lambda a: a + 0.5, ERROR, "integers|whole|int"),
    "floats that are whole": (lambda a: a.astype(float), EITHER, "integers|int"),
    "bool": (lambda a: a.astype(bool), EITHER, "integers|int"),
    "int8": (lambda a: a.astype(np.int8), RIGHT, ""),
    "uint64": (lambda a: a.astype(np.uint64), RIGHT, ""),
}
WEIGHED = {
    "negative": (lambda a: with_entry(a, -1.0), ERROR, "-1|-3|-0"),
    "integers": (lambda a: a.astype(int), EITHER, "must be of|> 0|0 <|expected 1e"),
    "bool": (lambda a: a.astype(bool), EITHER, NO_NUMBERS),
    "all zero": (lambda a: a * 0, ERROR, "positive|> 0|0 <|expected 1e"),
}


def families_of(function):
    good, _, kind = FUNCTIONS[function]
    chosen = dict(FAMILIES)
    if kind in ("whole", "numbers", "counts", "topics"):
        chosen |= WHOLE
    if kind == "flags":
        chosen |= {name: WHOLE[name] for name in ("fractions", "floats that are whole", "bool", "int8", "uint64")}
    if kind == "values":
        chosen["float16"] = (chosen["float16"][0], EITHER, "values must be of int32, int64, float32 or float64; got float16")
    if kind in ("weights", "priors"):
        chosen |= WEIGHED
    left_out = {
        "whole": {"2^32 + 1", "2^63", "negative", "no dimension", "the masked constant"},  # good seeds and row numbers
        "topics": {"2^63", "negative", "huge"},  # `train` compares them with its corpus
        "values": {"not a number", "infinite", "pandas with NaN"},
        "flags": {"no dimension"},
        "any": {"not a number", "pandas with NaN", "infinite", "huge", "one dimension too many"},  # likewise
    }.get(kind, set())  # fmt: skip
    if function in PRODUCTS:  # a data frame's columns are apart, and products ask for adjacent ones
        for name in ("pandas", "pandas sparse", "polars", "pandas with NaN"):
            chosen[name] = (chosen[name][0], EITHER, "adjacent columns")
    if kind == "tokens":  # floats of 64 bits are refused, whatever they are
        for name in ("not a number", "infinite", "pandas with NaN", "Arrow", "polars"):
            chosen[name] = (chosen[name][0], EITHER, "float16, bfloat16 or float32")
    if function in ("sample_tokens top_k", "sample_tokens top_p"):  # what is no array counts as one number for all rows
        left_out = left_out | {"no dimension"}
        for name in chosen:
            if name == "a mask in the interface" or name.startswith(("Arrow", "polars")):
                chosen[name] = (chosen[name][0], EITHER, f"{function.split()[1]} is ")
    if kind == "mask":
        left_out = {"pandas sparse"}  # whose 0 is no bool
        for name in ("objects", "float16", "longdouble", "not a number", "infinite", "no dimension", "three dimensions",
                     "pandas Float64", "pandas with NaN"):  # fmt: skip
            chosen[name] = (*chosen[name][:2], "must be of bool|one flag per category")
    if function.startswith("verify_draft "):  # numbers that do not fit are told by text
        for name in ("not a number", "infinite", "pandas with NaN", "negative"):
            chosen[name] = (chosen[name][0], ERROR, f"{chosen[name][2]}|out of range")
    if function == "verify_draft probabilities":
        left_out = left_out | {"all zero"}  # a draft of another law than it says, which nothing shows
    if function == "LDA doc_topic_prior":
        left_out = {"no dimension"}  # one number for all topics
    if function.startswith("LDA.") and kind == "counts":
        left_out = left_out | {"list of text"}  # documents of tokens
    return {name: family for name, family in chosen.items() if name not in left_out}


def pandas():
    return importlib.import_module("pandas")


def arrow():
    return importlib.import_module("pyarrow")


def sparse():
    return importlib.import_module("scipy.sparse")


def mapped(a):
    import tempfile

    with tempfile.TemporaryFile() as file:
        x = np.memmap(file, a.dtype, "w+", shape=a.shape)
        x[:] = a
        return x


def in_pandas(a, dtype=None):
    made = pandas().DataFrame(a, columns=[f"c{i}" for i in range(a.shape[1])]) if a.ndim == 2 else pandas().Series(a)
    return made if dtype is None else made.astype(dtype)


def without_first(made):
    if made.ndim == 2:
        made.iloc[0, 0] = pandas().NA
    else:
        made.iloc[0] = pandas().NA
    return made


def in_arrow(a, null=False):
    columns = a.T.tolist() if a.ndim == 2 else [a.tolist()]
    if null:
        columns[0][0] = None
    arrays = [arrow().array(column) for column in columns]
    return arrow().table(arrays, names=[f"c{i}" for i in range(len(arrays))]) if a.ndim == 2 else arrays[0]


def in_polars(a, null=False):
    import polars

    columns = a.T.tolist() if a.ndim == 2 else [a.tolist()]
    if null:
        columns[0][0] = None
    made = [polars.Series(f"c{i}", column) for i, column in enumerate(columns)]
    return polars.DataFrame(made) if a.ndim == 2 else made[0]


def outcome(call, x):
    """("right", result) or ("error", the exception)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return RIGHT, call(x)
    except (TypeError, ValueError, MemoryError) as error:
        return ERROR, error


def wrong(call, x, plain, expected, message):
    """What is wrong with the outcome of a case, or None."""
    found, result = outcome(call, x)
    if found == ERROR:
        if expected == RIGHT:
            return f"refused: {type(result).__name__}: {result}"
        said = str(result)
        if not isinstance(result, MemoryError) and not re.search(message, said):
            return f"the error does not say {message!r}: {type(result).__name__}: {said}"
        if "incompatible" in said:
            return f"an error of the binding: {said}"
        return None
    if expected == ERROR:
        return f"accepted, with the result {result!r}"
    if plain is not None and repr(result) != repr(call(plain)):
        return f"gives {result!r}, expected {call(plain)!r}"
    return None


def same_numbers(a, name, x):
    """A plain array of the numbers of a hostile one that may be right."""
    if name in ("bool", "integers", "float16", "longdouble", "fractions", "one dimension too many"):
        return None if name in ("one dimension too many",) else np.asarray(x).astype(a.dtype)
    return a


def run(function):
    good, call, _ = FUNCTIONS[function]
    failures = 0
    for name, (make, expected, message) in families_of(function).items():
        print(f"{function}: {name}", flush=True)
        try:
            x = make(good)
        except ImportError as error:
            print(f"MISSING {error.name}")
            continue
        if x is None:
            continue
        plain = same_numbers(good, name, x) if expected != ERROR else None
        said = wrong(call, x, plain, expected, message)
        if said is not None:
            failures += 1
            print(f"FAILED {function}: {name}: {said}", flush=True)
    return failures


if __name__ == "__main__":
    faulthandler.enable()
    sys.exit(1 if sum(run(function) for function in sys.argv[1:] or FUNCTIONS) else 0)
