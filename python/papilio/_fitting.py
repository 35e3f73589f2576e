"""From parameters and counts to a run of the library."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from papilio import _core, _nccl, _parameters
from papilio._core import Corpus
from papilio._counts import Counts, as_counts, kind_of_texts
from papilio._fit import Fit
from papilio._inference import infer
from papilio._lda_ranks import agreed_seed, part_of
from papilio._options import Ranks, SeedWords, Vocabulary
from papilio._progress import Reporter
from papilio._ranks import core_ranks, is_part_on_all
from papilio._seed_words import seed_rows
from papilio._warnings import caller_level
from papilio.corpora import column_words, corpus_from_texts, corpus_from_tokens


class Prior(NamedTuple):
    """What training makes of documents without words, in the place of a TrainResult."""

    model: _core.Model
    topics: _core.ChainState
    log_joint_per_token: float = math.nan
    held_out: tuple[()] = ()


class Fitting:
    """The part of LDA that trains: parameters to options, X to a corpus, and what becomes of the result."""

    n_features_in_: int
    n_iter_: int
    log_joint_: float
    seed_words: SeedWords | None
    seed_weight: int
    ranks: Ranks | None = None  # which an older pickle does not have
    _fitted: Fit

    def _options(self, seed: int) -> _core.TrainOptions:
        options = _core.TrainOptions()
        options.topics = topics = _parameters.integer(self.n_components, "n_components", 1)
        alpha = _parameters.document_prior(self.doc_topic_prior, topics)
        if isinstance(alpha, float):
            options.alpha = alpha
        else:
            options.topic_alpha = alpha
        options.beta = _parameters.word_prior(self.topic_word_prior, topics)
        for name in ("sampler", "schedule", "start", "draws"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"LDA: {name} is {getattr(self, name)!r}, expected a str")
        options.sampler = self.sampler
        options.schedule = self.schedule
        options.start = self.start
        options.draws = self.draws
        options.mh_steps = _parameters.integer(self.mh_steps, "mh_steps", 1, 64)
        options.optimize_every = _parameters.integer(self.optimize_every, "optimize_every", 0)
        options.optimize_after = _parameters.integer(self.optimize_after, "optimize_after", 0)
        options.evaluate_every = max(0, _parameters.integer(self.evaluate_every, "evaluate_every", -1))
        options.held_out_every = options.evaluate_every
        options.threads = _parameters.threads(self.n_jobs)
        options.device = _parameters.device(self.device, self.schedule, self.ranks)
        options.max_device_memory = _parameters.integer(self.max_device_memory, "max_device_memory", 0, 2**63 - 1)
        options.seed = seed
        return options

    def _add_seed_words(self, options: _core.TrainOptions, corpus: Corpus) -> None:
        """The seed words that the corpus has, for the options."""
        words = self.seed_words
        options.seed_words = seed_rows(words, self.seed_weight, corpus.vocabulary if words else [], "LDA")

    def _require_fractional(self) -> None:
        if self.fractional not in ("raise", "round"):
            raise ValueError(f"LDA: fractional is {self.fractional!r}, expected 'raise' or 'round'")

    def _as_documents(self, X: Any, method: str) -> Corpus | Counts:
        """X as a corpus with words of its own, or as counts whose columns are the model's words."""
        caller = f"{type(self).__name__}.{method}"
        self._require_fractional()
        X = _corpus_of_texts(X, _parameters.threads(self.n_jobs))
        if isinstance(X, Corpus):
            return X
        counts = as_counts(X, caller, self.fractional)
        self._check_columns(X, counts.width, False)
        return counts

    def _require_whole_or_parts(self, X: Any, method: str) -> None:
        """Fails on every rank where X is one rank's part on some of them only. Collective."""
        caller = f"{type(self).__name__}.{method}"
        ranks = core_ranks(self.ranks, "LDA")
        is_part_on_all(X, ranks, caller, "the whole corpus on every rank: use read_corpus without ranks")

    def _as_corpus(
        self,
        X: Any,
        method: str,
        *,
        reset: bool = False,
        vocabulary: Vocabulary | None = None,
        words: list[str] | None = None,
    ) -> Corpus:
        """X as a corpus, with these words or the model's. Without `reset`, the columns must be those of the fit."""
        caller = f"{type(self).__name__}.{method}"
        self._require_fractional()
        X = _corpus_of_texts(X, _parameters.threads(self.n_jobs))
        if isinstance(X, Corpus):
            if vocabulary is not None:
                raise ValueError(f"{caller}: vocabulary cannot be given with a corpus or texts, which have their own")
            if X.is_part and words is None:
                raise ValueError(
                    f"{caller}: X has the words of one rank's documents alone, but LDA holds all documents on every "
                    "rank; expected the whole corpus: use read_corpus without ranks"
                )
            if reset:
                self.n_features_in_ = X.vocabulary_size
                self.__dict__.pop("feature_names_in_", None)
            return X
        counts = as_counts(X, caller, self.fractional)
        self._check_columns(X, counts.width, reset)
        if words is None:
            words = column_words(X, counts.width, vocabulary, caller) if reset else self._fitted.model.vocabulary
            if not reset and vocabulary is not None:
                _require_words(column_words(X, counts.width, vocabulary, caller), words, caller)
        threads = _parameters.threads(self.n_jobs)
        return Corpus.from_counts(counts.offsets, counts.columns, counts.values, words, threads=threads)

    def _further(self, X: Any, vocabulary: Vocabulary | None) -> Corpus:
        """X as a corpus with the words of the fit; texts lose all others. `_join` refuses corpora with others."""
        corpus = self._as_corpus(X, "partial_fit", vocabulary=vocabulary)
        return _with_words(corpus, self._fitted.model) if kind_of_texts(X) else corpus

    def _join(self, corpus: Corpus, options: _core.TrainOptions) -> tuple[Corpus, _core.ChainState]:
        """The documents of the chain, followed by those of `corpus` if these are new; and the state of the chain."""
        old, topics = self._fitted.corpus, self._fitted.topics
        if corpus.vocabulary != old.vocabulary:
            raise ValueError(
                "LDA.partial_fit: further documents must have the vocabulary of the fit, and those of X have another; "
                "give the texts or lists of words themselves, or "
                "papilio.corpus_from_tokens(lists_of_words, vocabulary=lda.vocabulary_)"
            )
        if np.array_equal(old.document_offsets, corpus.document_offsets) and np.array_equal(old.words, corpus.words):
            return old, topics
        _warn_of_repeated(old, corpus)
        joined = Corpus(
            np.concatenate([old.document_offsets, corpus.document_offsets[1:] + old.tokens]),
            np.concatenate([old.words, corpus.words]),
            old.vocabulary,
            _joined_names(old, corpus),
        )
        options.sweeps = 0
        self._add_seed_words(options, joined)
        first = _core.train(joined, options, None, None, b"", 0, 0.0).topics.z
        z = np.concatenate([topics.z, first[old.tokens :]])
        return joined, _core.ChainState(z, topics.sweep, topics.alpha, topics.beta)

    def _train(
        self,
        corpus: Corpus,
        options: _core.TrainOptions,
        resume: _core.ChainState | None = None,
        held_out: Any = None,
    ) -> None:
        before = None if resume is None else self._fitted
        ranks = core_ranks(self.ranks, "LDA")
        if ranks is not None:
            is_drawn = resume is None and _parameters.draws_seed(self.random_state)
            options.seed = agreed_seed(ranks, options.seed, is_drawn, corpus, resume)
        self._add_seed_words(options, corpus)
        if corpus.tokens == 0 and corpus.vocabulary_size > 0:
            self._keep(self._prior(corpus, options), options, corpus, before)
            return
        if held_out is not None:
            held_out = self._as_corpus(held_out, "fit", words=corpus.vocabulary)
        done = 0 if resume is None else resume.sweep
        callbacks = _parameters.callbacks(self.callback)
        if resume is not None:
            options.start = "automatic"  # the chain has started
        tells = ranks is None or ranks.rank == 0
        report = Reporter(callbacks, self.verbose if tells else 0, options.sweeps, done)
        if ranks is not None:
            resume = None if resume is None else part_of(resume, corpus, ranks)
            if options.device.startswith("cuda"):
                _nccl.point_to_wheel()
        try:
            result = _core.train(corpus, options, resume, report, b"", 0, 0.0, held_out, ranks)
        except BaseException as error:
            result = getattr(error, "train_result", None)
            if result is not None:
                self._keep(result, options, corpus, before, report.curve, ranks)
            raise
        finally:
            report.close()
        self._keep(result, options, corpus, before, report.curve, ranks)

    def _prior(self, corpus: Corpus, options: _core.TrainOptions) -> Prior:
        warnings.warn(
            f"LDA: the {corpus.documents} documents of X have no words, so the model is the prior",
            UserWarning,
            stacklevel=4,
        )
        alpha = options.topic_alpha or [options.alpha] * options.topics
        settings = {
            "sampler": options.sampler,
            "schedule": options.schedule,
            "seed": str(options.seed),
            "sweeps": str(options.sweeps),
            "documents": str(corpus.documents),
            "tokens": "0",
        }
        n_wk = np.zeros((corpus.vocabulary_size, options.topics), np.int32)
        model = _core.Model(n_wk, alpha, options.beta, corpus.vocabulary, settings)
        return Prior(model, _core.ChainState(np.zeros(0, np.int32), options.sweeps, alpha, options.beta))

    def _keep(
        self,
        result: _core.TrainResult | Prior,
        options: _core.TrainOptions,
        corpus: Corpus,
        before: Fit | None = None,
        curve: Iterable[tuple[int, float]] = (),
        ranks: _core.Ranks | None = None,
    ) -> None:
        """Keeps the result, of ranks the topics of all tokens; its curves follow those of the fit before."""
        topics = result.topics
        if ranks is not None:
            topics = _core.gather_topics_everywhere(topics, corpus.tokens, ranks)
        held_out = [(score.sweep, score.completion.perplexity) for score in result.held_out]
        if before is not None:
            curve, held_out = [*before.curve, *curve], [*before.held_out, *held_out]
        self._fitted = Fit(result.model, options.seed, corpus, topics, curve, held_out)
        self.n_iter_ = topics.sweep
        self.log_joint_ = result.log_joint_per_token


def _require_words(words: list[str], fitted: list[str], caller: str) -> None:
    """ValueError where the words of as many columns differ from those of the fit."""
    for column, (word, known) in enumerate(zip(words, fitted)):
        if word != known:
            raise ValueError(
                f"{caller}: vocabulary has {word!r} for column {column}, expected {known!r} as in the first call; "
                "leave it out, or put the columns in that order"
            )


def _with_words(corpus: Corpus, model: _core.Model) -> Corpus:
    """Documents read from texts, with the words of the model; others are left out, as `transform` does."""
    fitted = model.vocabulary
    if corpus.vocabulary == fitted:
        return corpus
    numbers = {word: number for number, word in enumerate(fitted)}
    known = np.array([numbers.get(word, -1) for word in corpus.vocabulary], np.int32)
    if len(known) > 0 and known.max() < 0:
        _require_words_for(corpus, model)
    words = known[corpus.words]
    kept = words >= 0
    before = np.concatenate([[0], np.cumsum(kept, dtype=np.int64)])  # how many are kept of the first n tokens
    return Corpus(before[corpus.document_offsets], words[kept], fitted, corpus.document_names)


def _require_words_for(corpus: Corpus, model: _core.Model) -> None:
    """ValueError where `transform` has one: the model has the numbers of its columns for words, and texts have none."""
    no_documents = Corpus(np.zeros(1, np.int64), np.zeros(0, np.int32), corpus.vocabulary)
    try:
        infer(model, no_documents, seed=0, threads=1)
    except ValueError as error:
        raise ValueError(
            f"LDA.partial_fit: the model has the numbers of its {len(model.vocabulary)} columns for words, and knows "
            "no word of these texts; give counts with the same columns, or fit with the words of the columns "
            "(vocabulary)"
        ) from error


def _warn_of_repeated(old: Corpus, new: Corpus) -> None:
    """UserWarning where the new documents equal the first or the last of the old ones, as a batch given twice does.

    One document alone may well occur again.
    """
    n = new.documents
    if not 1 < n <= old.documents or new.tokens == 0:
        return
    lengths, ends = np.diff(new.document_offsets), (0, old.documents - n)
    for first in ends:
        offsets = old.document_offsets[first : first + n + 1]
        if np.array_equal(np.diff(offsets), lengths) and np.array_equal(old.words[offsets[0] : offsets[-1]], new.words):
            warnings.warn(
                f"LDA.partial_fit: the {n} documents of X equal the {'last' if first else 'first'} ones of the chain; "
                "if they are these, they now count twice; to continue the chain without new ones, "
                f"give all {old.documents} documents again",
                UserWarning,
                stacklevel=caller_level(),
            )
            return


def _joined_names(old: Corpus, new: Corpus) -> list[str]:
    """The names of the documents of both, "" for those of the one that has none; none where neither has."""
    names = old.document_names, new.document_names
    if not any(names):
        return []
    return [name for corpus, own in zip((old, new), names) for name in own or [""] * corpus.documents]


def _corpus_of_texts(X: Any, threads: int) -> Any:
    """Texts and lists of words as a corpus; anything else as it is."""
    kind = "" if isinstance(X, Corpus) else kind_of_texts(X)
    if not kind:
        return X
    return corpus_from_texts(X, threads=threads) if kind == "texts" else corpus_from_tokens(X)
