"""
The compiled part of papilio; use the names that `papilio` itself offers.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, overload

import numpy
import numpy.typing
from numpy.typing import NDArray
from typing_extensions import CapsuleType, Unpack

import papilio._options
import papilio._report


def version() -> str: ...

def cpu_targets() -> list[str]: ...

def cpu_target() -> str: ...

def default_threads() -> int: ...

def describe_cuda_devices() -> list[str]: ...

class Array:
    def __init__(self, source: object, what: str, writable: bool) -> None: ...

    @staticmethod
    def at(what: str, address: int, shape: tuple[int, ...], strides: tuple[int, ...], dtype: str, cuda_ordinal: int) -> Array: ...

    @property
    def shape(self) -> tuple[int, ...]: ...

def samplers() -> list[str]: ...

def schedules() -> list[str]: ...

def starts() -> list[str]: ...

def draw_kinds() -> list[str]: ...

def partial_sums() -> list[str]: ...

def reduce_ops() -> list[str]: ...

def infer_methods() -> list[str]: ...

def coherence_measures() -> list[str]: ...

def corpus_formats() -> list[str]: ...

def word_rules() -> list[str]: ...

def status_name(status: int) -> str: ...

class DrawSource:
    """Where the weights of a draw are: one of four layouts."""

    @staticmethod
    def matrix(weights: object, rows: object | None) -> DrawSource: ...

    @staticmethod
    def logits(logits: object, rows: object | None, temperature: float) -> DrawSource: ...

    @staticmethod
    def ragged(values: object, offsets: object, rows: object | None) -> DrawSource: ...

    @staticmethod
    def products(left: object, left_rows: object | None, right: object, right_rows: object | None) -> DrawSource: ...

def draw(source: DrawSource, drawn: object, *, seed: int, stream: int, first_row_id: int, row_ids: object | None, seeds: object | None, status: object | None, check_negative: bool, threads: int, method: str, cuda_stream: int, workspace: object | None) -> None: ...

def workspace_bytes(source: DrawSource, method: str) -> int: ...

def jax_handler(on_cuda: bool) -> CapsuleType: ...

class AliasTable:
    @staticmethod
    def of(weights: object, cuda_stream: int) -> AliasTable: ...

    def draw(self, drawn: object, seed: int, stream: int, first_draw: int, threads: int, cuda_stream: int) -> None: ...

    def device(self) -> str: ...

    def categories(self) -> int: ...

def choice(weights: object | None, categories: int, drawn: object, seed: int, stream: int, first_draw: int, threads: int) -> None: ...

class CumulativeTable:
    @staticmethod
    def of(weights: object, cuda_stream: int) -> CumulativeTable: ...

    def draw(self, drawn: object, seed: int, stream: int, first_draw: int, threads: int, cuda_stream: int) -> None: ...

    def device(self) -> str: ...

    def categories(self) -> int: ...

    def find(self, u: float) -> int: ...

def reduce_by_index(indices: object, values: object | None, out: object, op: str, skip_out_of_range: bool, small_workspace: bool, threads: int, cuda_stream: int, workspace: object | None, status: object | None, measure: bool) -> int: ...

def segmented_reduce(values: object, offsets: object, out: object, op: str, threads: int, cuda_stream: int, workspace: object | None, status: object | None, measure: bool) -> int: ...

def scan(values: object, segments: object | None, out: object, op: str, exclusive: bool, threads: int, cuda_stream: int, workspace: object | None, status: object | None, measure: bool) -> int: ...

def compact(values: object, flags: object, out: object, count: object | None, threads: int, cuda_stream: int, workspace: object | None, status: object | None, measure: bool) -> int: ...

def transpose(matrix: object, out: object, batch: int, stride: int, out_stride: int, threads: int, cuda_stream: int) -> None: ...

def read_status(word: int) -> tuple[int, int]: ...

class DynamicWeights:
    @staticmethod
    def of(weights: object, method: str) -> DynamicWeights: ...

    @staticmethod
    def from_bytes(state: bytes) -> DynamicWeights: ...

    def to_bytes(self) -> bytes: ...

    def categories(self) -> int: ...

    def method(self) -> str: ...

    def weight(self, category: int) -> float: ...

    def weights(self) -> list[float]: ...

    def total(self) -> float: ...

    def update(self, categories: object, weights: object) -> None: ...

    def add(self, category: int, amount: float) -> None: ...

    def rebuild(self) -> None: ...

    def mean_comparisons(self) -> float: ...

    def draw(self, drawn: object, seed: int, stream: int, first_draw: int, threads: int) -> None: ...

class DynamicForest:
    @staticmethod
    def of(weights: object, cuda_stream: int) -> DynamicForest: ...

    def rows(self) -> int: ...

    def categories(self) -> int: ...

    def weight(self, row: int, category: int, cuda_stream: int) -> float: ...

    def total(self, row: int, cuda_stream: int) -> float: ...

    def workspace_bytes(self, updates: int) -> int: ...

    def update(self, rows: object, categories: object, weights: object, threads: int, status: object | None, cuda_stream: int, workspace: object | None) -> None: ...

    def draw(self, rows: object, drawn: object, seed: int, stream: int, first_draw: int, threads: int, cuda_stream: int) -> None: ...

def sample_without_replacement(source: DrawSource, drawn: object, *, rows: int, draws: int, seed: int, stream: int, first_row_id: int, row_ids: object | None, seeds: object | None, status: object | None, threads: int) -> None: ...

def resample(weights: object, ancestors: object, method: str, seed: int, stream: int) -> None: ...

class WeightedReservoir:
    @staticmethod
    def of(k: int, seed: int, stream: int, row_id: int) -> WeightedReservoir: ...

    @staticmethod
    def from_bytes(state: bytes) -> WeightedReservoir: ...

    def to_bytes(self) -> bytes: ...

    def capacity(self) -> int: ...

    def size(self) -> int: ...

    def seed(self) -> int: ...

    def items(self, out: object) -> None: ...

    def add(self, weights: object, first: int) -> None: ...

    def merge(self, other: WeightedReservoir) -> None: ...

def sample_tokens(logits: object, results: dict, filters: dict, options: dict) -> None: ...

def verify_draft(logits: object, draft: dict, results: dict, filters: dict, options: dict) -> None: ...

def summarize_shard(logits: object, first: int, categories: int, states: object, records: object, filters: dict, options: dict) -> None: ...

def combine_shards(records: object, shards: int, categories: int, states: object, filters: dict, options: dict) -> int: ...

def finish_shard(logits: object, first: int, categories: int, number: int, states: object, results: dict, filters: dict, options: dict) -> None: ...

def token_shard_words() -> tuple[int, int]: ...

def token_workspace_bytes(logits: object) -> int: ...

def draft_workspace_bytes(logits: object) -> int: ...

def solve_tridiagonal(walk: bool, a: object | None, b: object, c: object, d: object, x: object, check: bool, threads: int, cuda_stream: int, status: object | None, workspace: object | None) -> None: ...

def draw_tridiagonal(walk: bool, b: object, c: object, d: object, x: object, check: bool, threads: int, cuda_stream: int, status: object | None, workspace: object | None, seed: int, stream: int, first_system_id: int, system_ids: object | None) -> None: ...

def tridiagonal_workspace_bytes(x: object) -> int: ...

class LeftOutWords:
    """
    Words of the input that are not in a corpus, or not in a model, for one reason.

    Attributes
    ----------
    tokens : int
        How often they occur.
    words : int
        How many distinct ones there are.
    has_more_words : bool
        Whether there are more distinct words than were counted. Of words too short, numbers and words outside of the
        pattern, 16,384 are counted, of at most 64 bytes each, besides those of one or two ASCII characters.
    examples : list of str
        The three most frequent of the words counted; of equals the first by bytes.
    """

    @property
    def tokens(self) -> int: ...

    @property
    def words(self) -> int: ...

    @property
    def has_more_words(self) -> bool: ...

    @property
    def examples(self) -> list[str]: ...

def icu_version() -> str: ...

class PhraseOptions:
    def __init__(self) -> None: ...

    @property
    def find(self) -> bool: ...

    @find.setter
    def find(self, arg: bool, /) -> None: ...

    @property
    def phrases(self) -> list[str]: ...

    @phrases.setter
    def phrases(self, arg: Sequence[str], /) -> None: ...

    @property
    def threshold(self) -> float: ...

    @threshold.setter
    def threshold(self, arg: float, /) -> None: ...

    @property
    def min_count(self) -> int: ...

    @min_count.setter
    def min_count(self, arg: int, /) -> None: ...

    @property
    def length(self) -> int: ...

    @length.setter
    def length(self, arg: int, /) -> None: ...

    @property
    def delimiter(self) -> str: ...

    @delimiter.setter
    def delimiter(self, arg: str, /) -> None: ...

class TextOptions:
    def __init__(self) -> None: ...

    @property
    def min_token_length(self) -> int | None: ...

    @min_token_length.setter
    def min_token_length(self, arg: int | None, /) -> None: ...

    @property
    def words(self) -> str: ...

    @words.setter
    def words(self, arg: str, /) -> None: ...

    @property
    def token_pattern(self) -> str: ...

    @token_pattern.setter
    def token_pattern(self, arg: str, /) -> None: ...

    @property
    def stop_words(self) -> list[str]: ...

    @stop_words.setter
    def stop_words(self, arg: Sequence[str], /) -> None: ...

    @property
    def min_df(self) -> int: ...

    @min_df.setter
    def min_df(self, arg: int, /) -> None: ...

    @property
    def max_df(self) -> float: ...

    @max_df.setter
    def max_df(self, arg: float, /) -> None: ...

    @property
    def max_vocabulary(self) -> int: ...

    @max_vocabulary.setter
    def max_vocabulary(self, arg: int, /) -> None: ...

    @property
    def max_line_bytes(self) -> int: ...

    @max_line_bytes.setter
    def max_line_bytes(self, arg: int, /) -> None: ...

    @property
    def max_memory(self) -> int: ...

    @max_memory.setter
    def max_memory(self, arg: int, /) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

    @property
    def phrases(self) -> PhraseOptions: ...

    @phrases.setter
    def phrases(self, arg: PhraseOptions, /) -> None: ...

class CorpusOptions:
    def __init__(self) -> None: ...

    @property
    def format(self) -> str: ...

    @format.setter
    def format(self, arg: str, /) -> None: ...

    @property
    def vocabulary(self) -> bytes: ...

    @vocabulary.setter
    def vocabulary(self, arg: str | bytes, /) -> None: ...

    @property
    def first_id(self) -> int | None: ...

    @first_id.setter
    def first_id(self, arg: int | None, /) -> None: ...

    @property
    def transposed(self) -> bool: ...

    @transposed.setter
    def transposed(self, arg: bool, /) -> None: ...

    @property
    def text_column(self) -> str: ...

    @text_column.setter
    def text_column(self, arg: str, /) -> None: ...

    @property
    def id_column(self) -> str: ...

    @id_column.setter
    def id_column(self, arg: str, /) -> None: ...

    @property
    def header(self) -> bool: ...

    @header.setter
    def header(self, arg: bool, /) -> None: ...

    @property
    def quotes(self) -> bool: ...

    @quotes.setter
    def quotes(self, arg: bool, /) -> None: ...

    @property
    def text(self) -> TextOptions: ...

    @text.setter
    def text(self, arg: TextOptions, /) -> None: ...

class ReadReport:
    """
    What a reader found in its input; none of it is an error.

    Attributes
    ----------
    documents, empty_documents : int
        Documents read, and those without a word.
    tokens_read, tokens_kept : int
    stop_words_dropped, rare_or_common_dropped : int
        Tokens left out as stop words, and by `min_df`, `max_df` or `max_vocabulary`.
    phrases, tokens_joined : int
        Distinct phrases that were joined; tokens that went into them, less one for each phrase.
    left_out : dict of str to LeftOutWords
        The words left out, by reason: "too_short", "number", "pattern", "stop_word", "min_df", "max_df",
        "max_vocabulary". Reasons that nothing was left out for are not there. The same for any number of threads.
    unspaced_tokens, seems_unspaced : int, bool
        Tokens that are long runs of a script without spaces (Chinese, Japanese, Thai), and whether they are a tenth of
        all: then ``words="icu"`` cuts the text better.
    invalid_utf8 : int
        Sequences of bytes that are not UTF-8; they separate words.
    skipped_files : int
        Of a folder: hidden files, links to folders, and what is not a regular file.
    icu_version : str
        Of the ICU that cut the text into words; empty except for ``words="icu"``.
    format : str
        The format that was read.
    """

    def __init__(self) -> None: ...

    @property
    def documents(self) -> int: ...

    @property
    def empty_documents(self) -> int: ...

    @property
    def tokens_read(self) -> int: ...

    @property
    def tokens_kept(self) -> int: ...

    @property
    def stop_words_dropped(self) -> int: ...

    @property
    def rare_or_common_dropped(self) -> int: ...

    @property
    def phrases(self) -> int: ...

    @property
    def tokens_joined(self) -> int: ...

    @property
    def invalid_utf8(self) -> int: ...

    @property
    def skipped_files(self) -> int: ...

    @property
    def unspaced_tokens(self) -> int: ...

    @property
    def seems_unspaced(self) -> bool: ...

    @property
    def left_out(self) -> dict[str, LeftOutWords]: ...

    def describe_left_out(self) -> str:
        """What was left out and why, as one line; empty if nothing was."""

    @property
    def icu_version(self) -> str: ...

    @property
    def format(self) -> str: ...

class Corpus:
    """
    Documents as rows of word numbers, one per token.

    A corpus never changes; its arrays cannot be written. It can be pickled and shared by threads.

    Parameters
    ----------
    document_offsets : array of int64, shape (D + 1,)
        The tokens of document d are ``words[document_offsets[d]:document_offsets[d + 1]]``.
    words : array of int32, shape (N,)
        Word numbers, 0 to V - 1.
    vocabulary : list of str, length V
        Each word once.
    document_names : list of str, length D, or empty

    Attributes
    ----------
    documents, tokens, vocabulary_size : int
        D, N and V.
    is_mapped : bool
        Whether the arrays are in a file (see `open_corpus`).
    is_part : bool
        Whether only the words of one rank's documents are here (see `read_corpus`, `ranks`). Then `words`, `counts`, a
        pickle, and every function that needs the words of all documents, are a ValueError; all else is that of the whole
        corpus, but for `document_names`, which rank 0 has and others lack.

    Raises
    ------
    ValueError
        Naming the first offset or word that does not fit.

    Examples
    --------
    >>> import numpy as np
    >>> import papilio
    >>> corpus = papilio.Corpus(np.array([0, 2, 3]), np.array([1, 0, 1], np.int32), ["cats", "dogs"])
    >>> corpus
    Corpus(2 documents, 2 words, 3 tokens)
    >>> corpus.words
    array([1, 0, 1], dtype=int32)
    """

    def __init__(self, document_offsets: numpy.typing.ArrayLike, words: numpy.typing.ArrayLike, vocabulary: Sequence[str], document_names: Sequence[str] = ()) -> None: ...

    def __getstate__(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], list[str], list[str]]: ...

    def __setstate__(self, arg: tuple[numpy.typing.ArrayLike, numpy.typing.ArrayLike, Sequence[str], Sequence[str]], /) -> None: ...

    @staticmethod
    def from_counts(row_offsets: numpy.typing.ArrayLike, columns: numpy.typing.ArrayLike, counts: numpy.typing.ArrayLike, vocabulary: Sequence[str], document_names: Sequence[str] = (), threads: int = 0) -> Corpus: ...

    def counts(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        The corpus as compressed rows (CSR): row offsets, word numbers in increasing order, and their counts.
        """

    def __repr__(self) -> str: ...

    def __len__(self) -> int: ...

    @property
    def documents(self) -> int: ...

    @property
    def tokens(self) -> int: ...

    @property
    def vocabulary_size(self) -> int: ...

    @property
    def is_mapped(self) -> bool: ...

    @property
    def is_part(self) -> bool: ...

    @property
    def document_offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def words(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def vocabulary(self) -> list[str]: ...

    @property
    def document_names(self) -> list[str]: ...

def read_corpus(path: str | bytes, options: CorpusOptions, report: ReadReport | None, ranks: Ranks | None = None) -> Corpus: ...

def corpus_from_texts(texts: list, options: TextOptions, document_names: Sequence[str], report: ReadReport | None) -> Corpus: ...

def is_read_in_parts(path: str | bytes, options: CorpusOptions) -> bool: ...

def open_corpus(path: str | bytes, ranks: Ranks | None, threads: int) -> Corpus: ...

def write_corpus(corpus: Corpus, path: str | bytes, format: str, vocabulary: str | bytes) -> None: ...

def corpus_format_of_name(path: str | bytes) -> str: ...

def has_vocabulary_file(format: str) -> bool: ...

def is_written(format: str) -> bool: ...

def detect_corpus_format(path: str | bytes) -> str: ...

def generate_corpus(documents: int, vocabulary: int, topics: int, mean_length: float, length_spread: float, alpha: float, overlap: float, seed: int, threads: int) -> Corpus: ...

def hold_out_every(corpus: Corpus, every: int) -> tuple[Corpus, Corpus]: ...

def english_stop_words() -> list[str]: ...

def stop_word_languages() -> list[str]: ...

def stop_words(language: str) -> list[str]: ...

def find_frequent_stop_words(corpus: Corpus, threads: int) -> tuple[str, int, list[str]] | None: ...

def read_word_list(path: str | bytes) -> list[str]: ...

def find_phrases(corpus: Corpus, options: PhraseOptions) -> list[tuple[str, int, float]]: ...

def join_phrases(corpus: Corpus, phrases: Sequence[str], delimiter: str) -> Corpus: ...

def phrases_in_vocabulary(vocabulary: Sequence[str], delimiter: str) -> list[str]: ...

class Model:
    """
    A trained topic model: how often each word was counted with each topic.

    A model never changes; its arrays cannot be written. It can be pickled and shared by threads.

    Parameters
    ----------
    n_wk : array of int32, shape (V, K)
        Tokens of each word with each topic, 0 or more.
    alpha : array of float64, shape (K,)
        Prior of each topic in a document; 0 < alpha <= 1e6.
    beta : float
        Prior of each word in a topic; 0 < beta <= 1e6.
    vocabulary : list of str, length V
        Each word once.
    settings : dict of str to str, optional
        How the model was trained: sampler, seed, sweeps, ...
    seed_words : array of int32, shape (n, 3), optional
        Rows of topic, word (a number in the vocabulary) and weight: the prior of that word in that topic is beta + weight.
        Weights are 1 to 1,000,000; they are not in `n_wk`.
    labels : list of str, length K, optional
        What topics are called, "" for no label. Labels are distinct and no numbers.

    Attributes
    ----------
    topics, vocabulary_size : int
        K and V.
    n_k : array of int64, shape (K,)
        Tokens of each topic: the column sums of n_wk.
    edits : list of (list of str, str)
        What `label`, `merge` and `drop` have done since training, oldest first, as the command has it
        (``["merge", "3,7"]``), each with the hash of the model that it was done to.

    Raises
    ------
    ValueError
        Naming what does not fit.

    Examples
    --------
    >>> import numpy as np
    >>> import papilio
    >>> counts = np.array([[3, 0], [1, 2]], np.int32)
    >>> model = papilio.Model(counts, np.array([0.1, 0.1]), 0.01, ["cats", "dogs"])
    >>> model.n_k.tolist()
    [4, 2]
    >>> model.top_words(0, 1)[0][0]
    'cats'
    """

    def __init__(self, n_wk: numpy.typing.ArrayLike, alpha: numpy.typing.ArrayLike, beta: float, vocabulary: Sequence[str], settings: Mapping[str, str] = {}, seed_words: numpy.typing.ArrayLike | None = None, labels: Sequence[str] = []) -> None: ...

    def __getstate__(self) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64], float, list[str], dict[str, str], NDArray[numpy.int32], list[str], list[tuple[list[str], str]]]: ...

    @overload
    def __setstate__(self, arg: tuple[numpy.typing.ArrayLike, numpy.typing.ArrayLike, float, Sequence[str], Mapping[str, str], numpy.typing.ArrayLike, Sequence[str], Sequence[tuple[Sequence[str], str]]], /) -> None: ...

    @overload
    def __setstate__(self, arg: tuple[numpy.typing.ArrayLike, numpy.typing.ArrayLike, float, Sequence[str], Mapping[str, str]], /) -> None: ...

    @property
    def topics(self) -> int: ...

    @property
    def vocabulary_size(self) -> int: ...

    @property
    def vocabulary(self) -> list[str]: ...

    @property
    def settings(self) -> dict[str, str]: ...

    @property
    def labels(self) -> list[str]: ...

    @property
    def edits(self) -> list[tuple[list[str], str]]: ...

    @property
    def beta(self) -> float: ...

    @property
    def alpha(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def n_wk(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None), writable=False)]: ...

    @property
    def n_k(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def seed_words(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]: ...

    def phi(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        The probability of each word in each topic, shape (K, V): (n_wk + beta) / (n_k + V beta), transposed. The weight of a seed word counts as that many tokens.
        """

    def top_words(self, topic: int, count: int = 10, counted: bool = False) -> list[tuple[str, float]]:
        """
        The `count` most probable words of a topic, with their probabilities; with `counted`, only words that were counted with the topic.
        """

    def report(self, corpus: Corpus | None = None, **options: Unpack[papilio._options.ReportOptions]) -> papilio._report.Report:
        """
        Make a page that shows the model, and the documents of a corpus; `papilio.report` has the options.
        """

    def label(self, labels: Mapping[int, str]) -> Model:
        """
        Gives topics labels, in a new model.

        Parameters
        ----------
        labels : dict of int to str
            The label of each topic: at most 200 bytes of UTF-8 without control characters, not a number,
            and no other topic's. "" takes a label away.

        Returns
        -------
        Model
            With `edits` that end with this one.

        Raises
        ------
        TypeError, ValueError
            Naming the topic or the label.

        Examples
        --------
        >>> import numpy as np
        >>> import papilio
        >>> model = papilio.Model(np.array([[3, 0], [1, 2]]), np.array([0.1, 0.1]), 0.01, ["cats", "dogs"])
        >>> model.label({1: "Dogs"}).labels
        ['', 'Dogs']
        """

    def merge(self, groups: Sequence[Sequence[int]]) -> Model:
        """
        Makes one topic of each group, in a new model.

        Counts and alphas of a group are added: the tokens stay what they are, and so does the law of the
        sum of the topics' shares of a document. The new topic has the lowest number of its group, and the
        label of the first topic in it that has one; topics after a removed one move down.

        Parameters
        ----------
        groups : list of list of int
            Two topics or more in each, every topic at most once: ``[[3, 7], [12, 15]]``.

        Returns
        -------
        Model
            With `edits` that end with this one.

        Raises
        ------
        TypeError, ValueError
            Naming the group or the topic.

        Examples
        --------
        >>> import numpy as np
        >>> import papilio
        >>> model = papilio.Model(np.array([[3, 0], [1, 2]]), np.array([0.1, 0.1]), 0.01, ["cats", "dogs"])
        >>> merged = model.merge([[0, 1]])
        >>> merged.n_wk.tolist(), merged.alpha.tolist()
        ([[3], [3]], [0.2])
        """

    def drop(self, topics: Sequence[int]) -> Model:
        """
        Leaves topics out, in a new model.

        Their tokens go with them; the vocabulary stays. In new documents the remaining topics, whose shares
        sum to 1, explain all tokens of words that have a token left; other words are unknown. Topics after a
        removed one move down.

        Parameters
        ----------
        topics : list of int
            Each once, and not all.

        Returns
        -------
        Model
            With `edits` that end with this one.

        Raises
        ------
        TypeError, ValueError
            Naming the topic.

        Examples
        --------
        >>> import numpy as np
        >>> import papilio
        >>> model = papilio.Model(np.array([[3, 0], [1, 2]]), np.array([0.1, 0.1]), 0.01, ["cats", "dogs"])
        >>> model.drop([0]).n_k.tolist()
        [2]
        """

    def hash(self) -> str:
        """
        The XXH3-128 of the file that `save_model` writes, as ``papilio inspect`` shows it.
        """

    def __repr__(self) -> str: ...

def save_model(model: Model, path: str | bytes) -> None: ...

def load_model(path: str | bytes) -> Model: ...

class Ranks:
    def __init__(self, engine: object) -> None: ...

    @property
    def rank(self) -> int: ...

    @property
    def ranks(self) -> int: ...

    def gather_numbers(self, numbers: Sequence[int]) -> list[list[int]]: ...

def default_seed_weight() -> int: ...

def largest_seed_weight() -> int: ...

class TrainOptions:
    def __init__(self) -> None: ...

    @property
    def topics(self) -> int: ...

    @topics.setter
    def topics(self, arg: int, /) -> None: ...

    @property
    def sweeps(self) -> int: ...

    @sweeps.setter
    def sweeps(self, arg: int, /) -> None: ...

    @property
    def alpha(self) -> float: ...

    @alpha.setter
    def alpha(self, arg: float, /) -> None: ...

    @property
    def beta(self) -> float: ...

    @beta.setter
    def beta(self, arg: float, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def threads(self) -> int: ...

    @threads.setter
    def threads(self, arg: int, /) -> None: ...

    @property
    def evaluate_every(self) -> int: ...

    @evaluate_every.setter
    def evaluate_every(self, arg: int, /) -> None: ...

    @property
    def topic_alpha(self) -> list[float]: ...

    @topic_alpha.setter
    def topic_alpha(self, arg: Sequence[float], /) -> None: ...

    @property
    def mh_steps(self) -> int: ...

    @mh_steps.setter
    def mh_steps(self, arg: int, /) -> None: ...

    @property
    def optimize_every(self) -> int: ...

    @optimize_every.setter
    def optimize_every(self, arg: int, /) -> None: ...

    @property
    def optimize_after(self) -> int: ...

    @optimize_after.setter
    def optimize_after(self, arg: int, /) -> None: ...

    @property
    def progress_every(self) -> int: ...

    @progress_every.setter
    def progress_every(self, arg: int, /) -> None: ...

    @property
    def held_out_every(self) -> int: ...

    @held_out_every.setter
    def held_out_every(self, arg: int, /) -> None: ...

    @property
    def max_device_memory(self) -> int: ...

    @max_device_memory.setter
    def max_device_memory(self, arg: int, /) -> None: ...

    @property
    def seed_words(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None))]: ...

    @seed_words.setter
    def seed_words(self, arg: numpy.typing.ArrayLike, /) -> None: ...

    @property
    def method(self) -> str: ...

    @method.setter
    def method(self, arg: str, /) -> None: ...

    @property
    def device(self) -> str: ...

    @device.setter
    def device(self, arg: str, /) -> None: ...

    @property
    def sampler(self) -> str: ...

    @sampler.setter
    def sampler(self, arg: str, /) -> None: ...

    @property
    def schedule(self) -> str: ...

    @schedule.setter
    def schedule(self, arg: str, /) -> None: ...

    @property
    def start(self) -> str: ...

    @start.setter
    def start(self, arg: str, /) -> None: ...

    @property
    def draws(self) -> str: ...

    @draws.setter
    def draws(self, arg: str, /) -> None: ...

class Progress:
    """
    What training reports after a sweep.

    Attributes
    ----------
    sweep, sweeps : int
        Sweeps done, and sweeps in all.
    share : float
        The share of all tokens that the sweep drew: less than 1 in the first sweeps of a progressive start.
    draws : {"dense", "sparse", "alias"}
        How the sweep drew.
    tokens_per_second : float
        In the sweeps since the last report.
    seconds : float
        Since training began.
    training_seconds : float
        The same without the time of likelihoods, held-out documents and callbacks.
    log_joint_per_token : float or None
        log p(w, z) / N in nats, if it was computed after this sweep.
    held_out_perplexity : float or None
        If the held-out documents were scored after this sweep.
    """

    @property
    def sweep(self) -> int: ...

    @property
    def sweeps(self) -> int: ...

    @property
    def share(self) -> float: ...

    @property
    def tokens_per_second(self) -> float: ...

    @property
    def seconds(self) -> float: ...

    @property
    def draws(self) -> str: ...

    @property
    def log_joint_per_token(self) -> float | None: ...

    @property
    def training_seconds(self) -> float: ...

    @property
    def held_out_perplexity(self) -> float | None: ...

class ChainState:
    """
    The state of a chain. With the corpus and the options of training it determines all further sweeps.

    A state never changes; its arrays cannot be written. It can be pickled and shared by threads.

    Parameters
    ----------
    z : array of int32, shape (N,)
        The topic of each token, in the order of the corpus.
    sweep : int
        Sweeps done.
    alpha : array of float64, shape (K,) or (0,)
        The prior of each topic, if priors were optimised; empty: as in the options.
    beta : float
        The prior of words, if priors were optimised; 0: as in the options.
    start : {"uniform", "progressive"}
        How the chain started; the first 40 sweeps of a progressive start depend on it.

    Examples
    --------
    >>> import numpy as np
    >>> import papilio
    >>> corpus = papilio.corpus_from_tokens([["cats", "purr"], ["dogs"]])
    >>> state = papilio.ChainState(np.array([0, 0, 1], np.int32), sweep=0, alpha=np.empty(0), beta=0)
    >>> papilio.train(corpus, topics=2, sweeps=3, resume=state).topics.sweep
    3
    """

    def __init__(self, z: numpy.typing.ArrayLike, sweep: int, alpha: numpy.typing.ArrayLike, beta: float, start: str = 'uniform') -> None: ...

    def __getstate__(self) -> tuple[NDArray[numpy.int32], int, NDArray[numpy.float64], float, str]: ...

    def __setstate__(self, arg: tuple[numpy.typing.ArrayLike, int, numpy.typing.ArrayLike, float, str], /) -> None: ...

    @property
    def z(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]: ...

    @property
    def alpha(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def sweep(self) -> int: ...

    @property
    def beta(self) -> float: ...

    @property
    def start(self) -> str: ...

class HeldOutScore:
    """
    How well the chain predicted the held-out documents after a sweep.

    Attributes
    ----------
    sweep : int
    training_seconds : float
        Seconds of training until then, as in `Progress`.
    completion : Completion
        As `complete_documents` gives it.
    """

    @property
    def sweep(self) -> int: ...

    @property
    def training_seconds(self) -> float: ...

    @property
    def completion(self) -> Completion: ...

class TrainResult:
    """
    A trained model, and the chain that it comes from.

    Attributes
    ----------
    model : Model
    topics : ChainState
        The state of the chain after the last sweep.
    log_joint_per_token : float
        log p(w, z) / N after the last sweep, in nats.
    stopped : bool
        Whether `progress` stopped training before the last sweep.
    held_out : list of HeldOutScore
        In the order of sweeps; empty without held-out documents.
    """

    @property
    def model(self) -> Model: ...

    @property
    def topics(self) -> ChainState: ...

    @property
    def log_joint_per_token(self) -> float: ...

    @property
    def stopped(self) -> bool: ...

    @property
    def held_out(self) -> list[HeldOutScore]: ...

def train(corpus: Corpus, options: TrainOptions, resume: ChainState | None, progress: Callable[[Progress], bool | None] | None, checkpoint: str | bytes, checkpoint_every: int, checkpoint_seconds: float, held_out: Corpus | None = None, ranks: Ranks | None = None) -> TrainResult: ...

def log_joint(corpus: Corpus, z: numpy.typing.ArrayLike, topic_alpha: numpy.typing.ArrayLike, beta: float, threads: int, seed_words: numpy.typing.ArrayLike) -> float: ...

def save_checkpoint(state: ChainState, corpus: Corpus, options: TrainOptions, path: str | bytes, ranks: Ranks | None = None) -> None: ...

def load_checkpoint(corpus: Corpus, options: TrainOptions, path: str | bytes, ranks: Ranks | None = None) -> tuple[ChainState, str]: ...

class MalletState:
    @property
    def corpus(self) -> Corpus: ...

    @property
    def topics(self) -> ChainState: ...

    @property
    def topic_count(self) -> int: ...

def read_mallet_state(path: str | bytes, max_memory: int) -> MalletState: ...

def match_topics(state: MalletState, corpus: Corpus) -> ChainState: ...

def write_mallet_state(corpus: Corpus, z: numpy.typing.ArrayLike, alpha: numpy.typing.ArrayLike, beta: float, path: str | bytes) -> None: ...

def documents_of_rank(corpus: Corpus, rank: int, ranks: int) -> tuple[int, int, int, int]: ...

def gather_topics(part: ChainState, ranks: Ranks) -> ChainState: ...

def gather_corpus(corpus: Corpus, ranks: Ranks | None) -> Corpus | None: ...

def gather_topics_everywhere(part: ChainState, tokens: int, ranks: Ranks) -> ChainState: ...

def unknown_words(model: Model, corpus: Corpus) -> LeftOutWords: ...

class DocumentTopics:
    """
    Topics of documents, and the tokens that they follow from.

    Attributes
    ----------
    theta : array of float32, shape (D, K)
        A row per document; rows sum to 1.
    document_tokens : array of int64, shape (D,)
        Tokens of each document whose word the model knows.
    known_tokens, unknown_tokens : int
        Tokens whose word the model knows, and the others.
    unknown_words : int
        Words of the corpus that the model does not know.
    """

    @property
    def theta(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None), writable=False)]: ...

    @property
    def document_tokens(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def known_tokens(self) -> int: ...

    @property
    def unknown_words(self) -> int: ...

    @property
    def unknown_tokens(self) -> int: ...

def infer(model: Model, corpus: Corpus, method: str, sweeps: int, burn_in: int, em_steps: int, seed: int, threads: int, device: str, ranks: Ranks | None = None) -> DocumentTopics: ...

class Inference:
    """
    A model made ready to infer topics; papilio.Inference is the public class.
    """

    def __init__(self, model: Model) -> None: ...

    def infer(self, corpus: Corpus, method: str, sweeps: int, burn_in: int, em_steps: int, seed: int, threads: int, device: str, ranks: Ranks | None = None) -> DocumentTopics: ...

    def infer_counts(self, row_offsets: numpy.typing.ArrayLike, columns: numpy.typing.ArrayLike, counts: numpy.typing.ArrayLike, method: str, sweeps: int, burn_in: int, em_steps: int, seed: int, threads: int, device: str, ranks: Ranks | None = None) -> DocumentTopics: ...

    def complete_documents(self, corpus: Corpus, em_steps: int, seed: int, shuffle: bool, threads: int, device: str, ranks: Ranks | None = None) -> Completion: ...

    def complete_counts(self, row_offsets: numpy.typing.ArrayLike, columns: numpy.typing.ArrayLike, counts: numpy.typing.ArrayLike, em_steps: int, seed: int, shuffle: bool, threads: int, device: str, ranks: Ranks | None = None) -> Completion: ...

def share_topics(topics: DocumentTopics, ranks: Ranks) -> None: ...

class Completion:
    """
    Held-out likelihood by document completion.

    Attributes
    ----------
    documents, left_out : int
        Documents scored, and those with fewer than two known tokens.
    tokens, tokens_seen, unknown_tokens : int
        Tokens scored, tokens that theta was estimated from, and tokens of unknown words.
    log_likelihood : float
        Of the tokens scored, in nats.
    nats_per_token, perplexity : float
        -log_likelihood / tokens, and exp of it.
    """

    @property
    def documents(self) -> int: ...

    @property
    def left_out(self) -> int: ...

    @property
    def tokens_seen(self) -> int: ...

    @property
    def tokens(self) -> int: ...

    @property
    def unknown_tokens(self) -> int: ...

    @property
    def log_likelihood(self) -> float: ...

    @property
    def nats_per_token(self) -> float: ...

    @property
    def perplexity(self) -> float: ...

def complete_documents(model: Model, corpus: Corpus, em_steps: int, seed: int, shuffle: bool, threads: int, device: str, ranks: Ranks | None = None) -> Completion: ...

class LeftToRight:
    """
    Held-out likelihood of whole documents.

    Attributes
    ----------
    log_likelihoods : array of float64, shape (D,)
        In nats; 0 for a document without known words.
    log_likelihood : float
        Their sum.
    tokens, unknown_tokens : int
        Tokens scored, and tokens of unknown words.
    nats_per_token, perplexity : float
        -log_likelihood / tokens, and exp of it.
    """

    @property
    def log_likelihoods(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def tokens(self) -> int: ...

    @property
    def unknown_tokens(self) -> int: ...

    @property
    def log_likelihood(self) -> float: ...

    @property
    def nats_per_token(self) -> float: ...

    @property
    def perplexity(self) -> float: ...

def left_to_right(model: Model, corpus: Corpus, particles: int, seed: int, threads: int, ranks: Ranks | None = None) -> LeftToRight: ...

class Coherence:
    """
    How often the most probable words of each topic occur together.

    Attributes
    ----------
    topics : array of float64, shape (K,)
        NaN for a topic with fewer than two words in the corpus.
    mean : float
        Over the topics that have a value; NaN if none has.
    top_words, window : int
        Words per topic, and tokens per window (0: whole documents).
    windows : int
        Windows, or documents that are not empty.
    missing_words : int
        Top words that the corpus does not hold, counted per topic.
    """

    @property
    def mean(self) -> float: ...

    @property
    def topics(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def top_words(self) -> int: ...

    @property
    def window(self) -> int: ...

    @property
    def windows(self) -> int: ...

    @property
    def missing_words(self) -> int: ...

def coherence(model: Model, corpus: Corpus, measure: str, top_words: int, window: int, threads: int) -> Coherence: ...

def diversity(model: Model, top_words: int) -> float: ...

class TopicDiagnostics:
    """
    One topic in its training corpus, by the measures of MALLET.

    Attributes
    ----------
    tokens : int
    document_entropy : float
        Of the topic's tokens over documents, in nats: low where a few documents hold most of them.
    mean_word_length : float
        Of the top words, in code points.
    uniform_distance, corpus_distance : float
        Kullback-Leibler divergence of the topic's words from uniform, and from the words of the corpus; nats.
    effective_words : float
        1 / sum of squared word probabilities.
    exclusivity : float
        Mean over the top words of the topic's share of the word.
    coherence : float
        UMass, with beta in place of 1.
    documents, dominated : int
        Documents with a token of the topic, and those where no other topic has more tokens.
    allocated_half, allocated_little : int
        Documents of which the topic is at least a half, and at least 2 %.
    """

    @property
    def tokens(self) -> int: ...

    @property
    def document_entropy(self) -> float: ...

    @property
    def mean_word_length(self) -> float: ...

    @property
    def uniform_distance(self) -> float: ...

    @property
    def corpus_distance(self) -> float: ...

    @property
    def effective_words(self) -> float: ...

    @property
    def exclusivity(self) -> float: ...

    @property
    def coherence(self) -> float: ...

    @property
    def documents(self) -> int: ...

    @property
    def dominated(self) -> int: ...

    @property
    def allocated_half(self) -> int: ...

    @property
    def allocated_little(self) -> int: ...

def diagnose_topics(corpus: Corpus, z: numpy.typing.ArrayLike, model: Model, words: int) -> list[TopicDiagnostics]: ...

def ldavis_json(model: Model, corpus: Corpus | None, terms: int, lambda_step: float, sort_topics: bool, seed: int, threads: int) -> str: ...

def report_page(model: Model, corpus: Corpus | None, texts: Callable[[list[int]], list[str]] | None, groups: Sequence[str], group_name: str, title: str, words: int, documents: int, excerpt: int, seed: int, threads: int, facts: Sequence[tuple[str, str]], command: str, likelihood: Sequence[tuple[int, float]]) -> str: ...

def typical_documents(model: Model, corpus: Corpus, texts: Callable[[list[int]], list[str]] | None, documents: int, excerpt: int, seed: int, threads: int) -> list[list[tuple[int, float, str]]]: ...

class TopicStability:
    """
    How much of a model's topics another model has too.

    Attributes
    ----------
    mean : float
        Of `similarity`.
    similarity : array of float64, shape (K,)
        Of each topic of the first model and its partner in the second: the Jaccard index of their top words.
    partner : array of int32, shape (K,)
        The partner's number.
    """

    @property
    def mean(self) -> float: ...

    @property
    def similarity(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def partner(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

def topic_stability(first: Model, second: Model, top_words: int) -> TopicStability: ...

class ChooseProgress:
    """
    What `choose_topics` reports after a sweep.

    Attributes
    ----------
    topics, seed : int
        Of the model that is being trained.
    model, models : int
        Its number, from 1, and how many are to be trained.
    training : Progress
        As `train` reports it.
    """

    @property
    def topics(self) -> int: ...

    @property
    def seed(self) -> int: ...

    @property
    def model(self) -> int: ...

    @property
    def models(self) -> int: ...

    @property
    def training(self) -> Progress: ...

class ChooseRun:
    @property
    def topics(self) -> int: ...

    @property
    def seed(self) -> int: ...

    @property
    def perplexity(self) -> float: ...

    @property
    def coherence(self) -> float: ...

    @property
    def diversity(self) -> float: ...

    @property
    def seconds(self) -> float: ...

class ChooseRow:
    @property
    def topics(self) -> int: ...

    @property
    def seeds(self) -> int: ...

    @property
    def perplexity(self) -> float: ...

    @property
    def perplexity_range(self) -> tuple[float, float]: ...

    @property
    def coherence(self) -> float: ...

    @property
    def coherence_range(self) -> tuple[float, float]: ...

    @property
    def diversity(self) -> float: ...

    @property
    def diversity_range(self) -> tuple[float, float]: ...

    @property
    def stability(self) -> float: ...

    @property
    def seconds(self) -> float: ...

class ChooseResult:
    @property
    def rows(self) -> list[ChooseRow]: ...

    @property
    def runs(self) -> list[ChooseRun]: ...

    @property
    def stopped(self) -> bool: ...

    @property
    def documents(self) -> int: ...

    @property
    def held_out_documents(self) -> int: ...

    @property
    def measure(self) -> str: ...

    @property
    def settings(self) -> list[tuple[str, str]]: ...

    def summary(self) -> str: ...

    def page(self, title: str, times: bool) -> str: ...

def choose_topics(corpus: Corpus, training: TrainOptions, topics: Sequence[int], seeds: int, alpha_sum: float | None, held_out_every: int, measure: str, coherence_words: int, window: int, top_words: int, state: str | bytes, progress: Callable[[ChooseProgress], bool | None] | None, ranks: Ranks | None = None) -> ChooseResult: ...
