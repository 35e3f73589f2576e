"""The names and types of options, for editors and type checkers.

The compiled module checks every value. The tests compare these names and the defaults of `train` with its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Optional, Protocol, TypedDict, Union

from papilio._core import Corpus, Model, Progress, ReadReport

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

Sampler = Literal["collapsed", "phi_collapsed", "theta_collapsed", "uncollapsed", "mean_for_mode"]
Schedule = Literal["parallel", "sequential"]
Start = Literal["automatic", "uniform", "progressive"]
Draws = Literal["automatic", "dense", "sparse", "alias"]
PartialSums = Literal[
    "slots",
    "prefix",
    "transposed",
    "transposed_through_scratch",
    "butterfly_swap",
    "butterfly_add_subtract",
    "butterfly_two_pass",
    "transposed_remnant_first",
    "butterfly_swap_remnant_first",
    "butterfly_add_subtract_remnant_first",
]
ReduceOp = Literal["sum", "minimum", "maximum", "bit_and", "bit_or", "bit_xor"]
InferMethod = Literal["gibbs", "em"]
CoherenceMeasure = Literal["umass", "npmi", "c_v"]
CorpusFormat = Literal[
    "auto",
    "text",
    "uci",
    "ldac",
    "svmlight",
    "mtx",
    "npz",
    "low",
    "mallet",
    "csv",
    "tsv",
    "jsonl",
    "json",
    "folder",
    "corpus",
]
WordRule = Literal["letters", "mixed", "numbers", "icu"]
Fractional = Literal["raise", "round"]
Missing = Literal["raise", "empty"]
Phrases = Union[Literal["auto"], Iterable[str], Model, Corpus]
Callback = Callable[[Progress], Optional[bool]]


class HasModel(Protocol):
    """What has a model, such as a fitted `papilio.LDA`."""

    @property
    def model_(self) -> Model: ...


ModelLike = Union[Model, HasModel]


# Words of topics; of each a list, all of one weight, or a weight for each word.
SeedWords = Mapping[int, Union[Iterable[str], Mapping[str, int]]]


class Ranks(Protocol):
    """What `train` asks of the ranks of a job. Other engines than `process_group` may provide it.

    Every rank makes the same calls in the same order. An array is the library's memory: it is read or changed in place,
    and not kept. Calls come from several threads, one at a time.

    Attributes
    ----------
    rank : int
        The number of this process, 0 to ranks - 1.
    ranks : int
        The number of processes.
    """

    rank: int
    ranks: int

    def add_up(self, values: NDArray[Any]) -> None:
        """Replace int32 or int64 numbers by their sums over all ranks, modulo 2^32 or 2^64."""

    def broadcast(self, values: NDArray[np.uint8], source: int) -> None:
        """Replace bytes by those of rank `source`."""

    def gather(self, values: NDArray[np.uint8], target: int) -> list[NDArray[np.uint8]] | None:
        """Return on rank `target` the bytes of each rank, of any lengths; on others anything."""

    def barrier(self) -> None:
        """Return when every rank has called it."""


class HasFeatureNames(Protocol):
    """What has names for its columns, such as a CountVectorizer of scikit-learn."""

    def get_feature_names_out(self) -> Any: ...


Vocabulary = Union[Iterable[str], Mapping[str, int], HasFeatureNames]


class TrainOptions(TypedDict, total=False):
    """What decides how a chain goes on: the options that `train`, `save_checkpoint` and `load_checkpoint` share.

    `papilio.train` describes each of them and has the defaults.

    Examples
    --------
    >>> import papilio
    >>> options: papilio.TrainOptions = {"topics": 4, "sweeps": 10, "seed": 5}
    >>> corpus = papilio.generate_corpus(documents=200, vocabulary=100, topics=4)
    >>> papilio.train(corpus, **options).model
    Model(4 topics, 100 words)
    """

    topics: int
    sweeps: int
    alpha: float
    beta: float
    topic_alpha: ArrayLike | None
    seed: int
    sampler: Sampler
    schedule: Schedule
    start: Start
    draws: Draws
    mh_steps: int
    method: PartialSums
    optimize_every: int
    optimize_after: int
    seed_words: SeedWords | None
    seed_weight: int
    evaluate_every: int
    held_out_every: int
    progress_every: int
    device: str
    max_device_memory: int
    threads: int


class TextOptions(TypedDict, total=False):
    """How texts become words: the options that every reader of texts shares. `papilio.read_corpus` describes them."""

    min_token_length: int | None
    words: WordRule
    token_pattern: str | None
    stop_words: str | Iterable[str]
    min_df: int
    max_df: float
    max_vocabulary: int
    phrases: Phrases
    phrase_threshold: float
    phrase_min_count: int
    phrase_length: int
    phrase_delimiter: str
    threads: int
    report: ReadReport | None


class LDAParameters(TypedDict, total=False):
    """Parameters of `papilio.LDA` that a model or a chain in a file does not have."""

    sampler: Sampler
    schedule: Schedule
    start: Start
    draws: Draws
    mh_steps: int
    max_iter: int
    optimize_every: int
    optimize_after: int
    seed_words: SeedWords | None
    seed_weight: int
    evaluate_every: int
    transform_method: InferMethod
    transform_iter: int
    fractional: Fractional
    random_state: Any
    n_jobs: int | None
    device: str | None
    max_device_memory: int
    callback: Callback | list[Callback] | None
    verbose: int
    ranks: Ranks | None


class VariationalParameters(TypedDict, total=False):
    """Parameters of scikit-learn's ``LatentDirichletAllocation`` that belong to its variational method.

    `papilio.LDA` takes and ignores them, with a warning.
    """

    learning_method: str
    learning_decay: float
    learning_offset: float
    batch_size: int
    total_samples: float
    perp_tol: float
    mean_change_tol: float
    max_doc_update_iter: int


class TypicalOptions(TypedDict, total=False):
    """Which documents of a topic are shown: the options of `papilio.typical_documents`, which describes them."""

    documents: int
    excerpt: int
    texts: Sequence[str] | None
    seed: int
    threads: int


class ReportOptions(TypedDict, total=False):
    """What a page of topics shows: the options of `papilio.report`, which describes them."""

    title: str
    words: int
    documents: int
    excerpt: int
    texts: Sequence[str] | None
    groups: Iterable[str] | None
    group_name: str
    facts: Mapping[str, str] | None
    command: str
    likelihood: ArrayLike | None
    seed: int
    threads: int
