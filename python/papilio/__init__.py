"""Draws from many discrete distributions at once, and topic models trained with them.

The same seed gives the same draws and the same models on every machine, for any number of
threads, on the CPU and on CUDA devices.

The modules whose names start with an underscore are the package's own; the other names are public.
tools/check_imports.py has the order in which modules may import each other.
"""

import importlib
from typing import TYPE_CHECKING, Any

from papilio import _display
from papilio._choice import choice
from papilio._core import (
    cpu_target,
    cpu_targets,
    default_threads,
    describe_cuda_devices,
    version,
)
from papilio._draws import DrawStatus, sample_categorical, sample_products
from papilio._dynamic import DynamicForest, DynamicWeights
from papilio._errors import DeviceError, DeviceUnavailable, FormatError, RankError
from papilio._primitives import (
    PrimitiveStatus,
    compact,
    primitive_status,
    reduce_by_index,
    segmented_reduce,
    transpose,
)
from papilio._resample import resample
from papilio._scans import scan, segmented_scan
from papilio._tables import AliasTable, CumulativeTable
from papilio._report import Report, report, typical_documents
from papilio._token_draws import Tokens, TokenStatus
from papilio._token_shards import sample_sharded_tokens
from papilio._tokens import VerifiedDraft, sample_tokens, verify_draft
from papilio._tridiagonal import (
    TridiagonalStatus,
    draw_gaussian_tridiagonal,
    draw_random_walk,
    solve_random_walk,
    solve_tridiagonal,
)
from papilio._without_replacement import WeightedReservoir, sample_without_replacement, weighted_shuffle
from papilio.choose import ChooseProgress, ChooseResult, ChooseRow, ChooseRun, choose_topics
from papilio.corpora import (
    Corpus,
    corpus_from_matrix,
    corpus_from_texts,
    corpus_from_tokens,
    corpus_to_matrix,
    generate_corpus,
    hold_out_every,
)
from papilio.evaluation import (
    Coherence,
    Completion,
    DocumentTopics,
    Inference,
    LeftToRight,
    TopicDiagnostics,
    TopicStability,
    coherence,
    complete_documents,
    diagnose_topics,
    diversity,
    infer,
    left_to_right,
    topic_stability,
    unknown_words,
)
from papilio.phrases import Phrase, find_phrases, join_phrases, phrases_in_vocabulary
from papilio.readers import (
    LeftOutWords,
    ReadReport,
    english_stop_words,
    icu_version,
    open_corpus,
    read_corpus,
    stop_word_languages,
    stop_words,
    write_corpus,
)
from papilio.training import (
    ChainState,
    HeldOutScore,
    Model,
    Progress,
    TrainOptions,
    TrainResult,
    load_checkpoint,
    load_model,
    log_joint,
    read_mallet_state,
    save_checkpoint,
    save_model,
    train,
    write_mallet_state,
)

if TYPE_CHECKING:
    from papilio import distributed, interop, plot
    from papilio._lda import LDA

_display.install()

__version__ = version()

__all__ = [
    "LDA",
    "AliasTable",
    "ChainState",
    "ChooseProgress",
    "ChooseResult",
    "ChooseRow",
    "ChooseRun",
    "Coherence",
    "Completion",
    "Corpus",
    "CumulativeTable",
    "DeviceError",
    "DeviceUnavailable",
    "DocumentTopics",
    "DrawStatus",
    "DynamicForest",
    "DynamicWeights",
    "FormatError",
    "HeldOutScore",
    "Inference",
    "LeftOutWords",
    "LeftToRight",
    "Model",
    "Phrase",
    "PrimitiveStatus",
    "Progress",
    "RankError",
    "ReadReport",
    "Report",
    "Tokens",
    "TokenStatus",
    "TopicDiagnostics",
    "TopicStability",
    "TrainOptions",
    "TrainResult",
    "TridiagonalStatus",
    "VerifiedDraft",
    "WeightedReservoir",
    "choice",
    "choose_topics",
    "coherence",
    "compact",
    "complete_documents",
    "corpus_from_matrix",
    "corpus_from_texts",
    "corpus_from_tokens",
    "corpus_to_matrix",
    "cpu_target",
    "cpu_targets",
    "default_threads",
    "describe_cuda_devices",
    "diagnose_topics",
    "distributed",
    "diversity",
    "draw_gaussian_tridiagonal",
    "draw_random_walk",
    "english_stop_words",
    "find_phrases",
    "generate_corpus",
    "hold_out_every",
    "icu_version",
    "infer",
    "interop",
    "join_phrases",
    "left_to_right",
    "load_checkpoint",
    "load_model",
    "log_joint",
    "open_corpus",
    "phrases_in_vocabulary",
    "plot",
    "primitive_status",
    "read_corpus",
    "read_mallet_state",
    "reduce_by_index",
    "report",
    "resample",
    "sample_categorical",
    "sample_products",
    "sample_sharded_tokens",
    "sample_tokens",
    "sample_without_replacement",
    "save_checkpoint",
    "save_model",
    "scan",
    "segmented_reduce",
    "segmented_scan",
    "solve_random_walk",
    "solve_tridiagonal",
    "stop_word_languages",
    "stop_words",
    "topic_stability",
    "train",
    "transpose",
    "typical_documents",
    "unknown_words",
    "verify_draft",
    "version",
    "weighted_shuffle",
    "write_corpus",
    "write_mallet_state",
]

# Imported at first use: slow to import, or in need of a package that may not be installed.
_LATER = {"LDA": "papilio._lda", "distributed": "papilio.distributed", "interop": "papilio.interop", "plot": "papilio.plot"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'papilio' has no attribute {name!r}")
    module = importlib.import_module(_LATER[name])
    value = getattr(module, name) if name == "LDA" else module
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
