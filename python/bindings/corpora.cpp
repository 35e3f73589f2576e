#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bindings.h"
#include "checked.h"
#include "corpus_object.h"
#include "expanded.h"
#include "interruptible.h"
#include "lock.h"
#include "papilio/corpus_formats.h"
#include "papilio/distributed.h"
#include "papilio/error.h"
#include "papilio/evaluation.h"
#include "papilio/stop_words.h"
#include "path_name.h"
#include "ranks.h"
#include "vectors.h"

namespace papilio::python {
namespace {

using Strings = std::vector<std::string>;
using State = std::tuple<ArrayLike, ArrayLike, Strings, DocumentNames>;

Corpus verified(Corpus corpus) {
  const Unlocked unlocked;
  corpus.verify();
  return corpus;
}

Corpus make_corpus(const ArrayLike& offsets, const ArrayLike& words, Strings vocabulary, DocumentNames names) {
  return verified({vector_of<std::int64_t>(offsets, "papilio.Corpus: document_offsets"),
                   vector_of<std::int32_t>(words, "papilio.Corpus: words"), std::move(vocabulary),
                   std::move(names.values)});
}

CorpusObject from_counts(const ArrayLike& row_offsets, const ArrayLike& columns, const ArrayLike& counts,
                         Strings vocabulary, DocumentNames names, int threads) {
  const auto offsets = vector_of<std::int64_t>(row_offsets, "papilio.Corpus.from_counts: row_offsets");
  const auto words = vector_of<std::int32_t>(columns, "papilio.Corpus.from_counts: columns");
  const auto times = vector_of<std::int64_t>(counts, "papilio.Corpus.from_counts: counts");
  const Unlocked unlocked;
  Corpus corpus = expanded(offsets, words, times, "papilio::Corpus::from_counts");
  corpus.vocabulary = std::move(vocabulary);
  corpus.document_names = std::move(names.values);
  corpus.verify(threads);
  return CorpusObject(std::move(corpus));
}

// Compressed rows of (word, count), words rising.
using CountRows = std::tuple<OutputArray<std::int64_t>, OutputArray<std::int32_t>, OutputArray<std::int64_t>>;

CountRows counts_of(const CorpusObject& object) {
  const CorpusView corpus = object.view();
  std::vector<std::int64_t> offsets = {0};
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> counts;
  {
    const Unlocked unlocked;
    corpus.verify();
    std::vector<std::int32_t> row;
    for (std::size_t d = 0; d + 1 < corpus.document_offsets.size(); ++d) {
      row.assign(corpus.words.begin() + corpus.document_offsets[d],
                 corpus.words.begin() + corpus.document_offsets[d + 1]);
      std::sort(row.begin(), row.end());
      for (auto word = row.begin(); word != row.end();) {
        const auto end = std::upper_bound(word, row.end(), *word);
        columns.push_back(*word);
        counts.push_back(end - word);
        word = end;
      }
      offsets.push_back(static_cast<std::int64_t>(columns.size()));
    }
  }
  return {owned(std::move(offsets)), owned(std::move(columns)), owned(std::move(counts))};
}

Strings as_strings(std::span<const std::string> values) { return {values.begin(), values.end()}; }

CorpusObject read(const PathName& path, const CorpusOptions& options, ReadReport* report, PythonRanks* ranks) {
  const Unlocked unlocked;
  if (ranks == nullptr) return CorpusObject(read_corpus(path.bytes, options, report));
  return CorpusObject(read_corpus(path.bytes, options, *ranks, report), *ranks);
}

// The texts are not copied; the caller's list keeps them.
CorpusObject from_texts(const nb::list& texts, const TextOptions& options, DocumentNames names, ReadReport* report) {
  std::vector<std::string_view> views;
  views.reserve(texts.size());
  for (const nb::handle text : texts) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (bytes == nullptr) nb::raise_python_error();
    views.emplace_back(bytes, static_cast<std::size_t>(size));
  }
  const Unlocked unlocked;
  Corpus corpus = corpus_from_texts(views, options, report);
  corpus.document_names = std::move(names.values);
  corpus.verify(options.threads);
  return CorpusObject(std::move(corpus));
}

constexpr const char* report_doc =
    R"(What a reader found in its input; none of it is an error.

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
)";

void bind_options(nb::module_& m) {
  nb::class_<TextOptions>(m, "TextOptions")
      .def(nb::init<>())
      .def_rw("min_token_length", &TextOptions::min_token_length, nb::arg().none())
      .def_prop_rw(
          "words", [](const TextOptions& self) { return std::string(name(self.words)); },
          [](TextOptions& self, const std::string& rule) { self.words = parse_word_rule(rule); })
      .def_rw("token_pattern", &TextOptions::token_pattern)
      .def_rw("stop_words", &TextOptions::stop_words)
      .def_rw("min_df", &TextOptions::min_df)
      .def_rw("max_df", &TextOptions::max_df)
      .def_rw("max_vocabulary", &TextOptions::max_vocabulary)
      .def_rw("max_line_bytes", &TextOptions::max_line_bytes)
      .def_rw("max_memory", &TextOptions::max_memory)
      .def_rw("threads", &TextOptions::threads)
      .def_rw("phrases", &TextOptions::phrases);
  nb::class_<CorpusOptions>(m, "CorpusOptions")
      .def(nb::init<>())
      .def_prop_rw(
          "format", [](const CorpusOptions& self) { return std::string(name(self.format)); },
          [](CorpusOptions& self, const std::string& format) { self.format = parse_corpus_format(format); })
      .def_prop_rw(
          "vocabulary",
          [](const CorpusOptions& self) { return nb::bytes(self.vocabulary.data(), self.vocabulary.size()); },
          [](CorpusOptions& self, const PathName& path) { self.vocabulary = path.bytes; })
      .def_rw("first_id", &CorpusOptions::first_id, nb::arg().none())
      .def_rw("transposed", &CorpusOptions::transposed)
      .def_rw("text_column", &CorpusOptions::text_column)
      .def_rw("id_column", &CorpusOptions::id_column)
      .def_rw("header", &CorpusOptions::header)
      .def_rw("quotes", &CorpusOptions::quotes)
      .def_rw("text", &CorpusOptions::text);
  nb::class_<ReadReport>(m, "ReadReport", report_doc)
      .def(nb::init<>())
      .def_ro("documents", &ReadReport::documents)
      .def_ro("empty_documents", &ReadReport::empty_documents)
      .def_ro("tokens_read", &ReadReport::tokens_read)
      .def_ro("tokens_kept", &ReadReport::tokens_kept)
      .def_ro("stop_words_dropped", &ReadReport::stop_words_dropped)
      .def_ro("rare_or_common_dropped", &ReadReport::rare_or_common_dropped)
      .def_ro("phrases", &ReadReport::phrases)
      .def_ro("tokens_joined", &ReadReport::tokens_joined)
      .def_ro("invalid_utf8", &ReadReport::invalid_utf8)
      .def_ro("skipped_files", &ReadReport::skipped_files)
      .def_ro("unspaced_tokens", &ReadReport::unspaced_tokens)
      .def_prop_ro("seems_unspaced", [](const ReadReport& self) { return seems_unspaced(self); })
      .def_prop_ro("left_out", [](const ReadReport& self) { return left_out_by_reason(self.left_out); })
      .def(
          "describe_left_out", [](const ReadReport& self) { return describe(self.left_out); },
          "What was left out and why, as one line; empty if nothing was.")
      .def_ro("icu_version", &ReadReport::icu_version)
      .def_ro("format", &ReadReport::format);
}

constexpr const char* corpus_doc =
    R"(Documents as rows of word numbers, one per token.

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
)";

// By the offsets.
std::int64_t tokens_of(const CorpusView& corpus) {
  return corpus.document_offsets.empty() ? 0 : corpus.document_offsets.back();
}

std::string describe(const CorpusObject& corpus) {
  const CorpusView view = corpus.without_words();
  return "Corpus(" + std::to_string(view.documents()) + " documents, " + std::to_string(view.vocabulary_size()) +
         " words, " + std::to_string(tokens_of(view)) + " tokens)";
}

void bind_corpus(nb::module_& m) {
  nb::class_<CorpusObject> corpus(m, "Corpus", corpus_doc);
  corpus.def(
      "__init__",
      [](CorpusObject* self, const ArrayLike& offsets, const ArrayLike& words, Strings vocabulary,
         DocumentNames names) {
        new (self) CorpusObject(make_corpus(offsets, words, std::move(vocabulary), std::move(names)));
      },
      nb::arg("document_offsets"), nb::arg("words"), nb::arg("vocabulary"),
      nb::arg("document_names") = nb::make_tuple());
  corpus.def("__getstate__", [](nb::handle self) {
    const CorpusView view = nb::cast<const CorpusObject&>(self).view();
    return nb::make_tuple(borrowed(view.document_offsets, self), borrowed(view.words, self),
                          as_strings(view.vocabulary), DocumentNames{as_strings(view.document_names)});
  });
  corpus.def("__setstate__", [](CorpusObject& self, const State& state) {
    const auto& [offsets, words, vocabulary, names] = state;
    new (&self) CorpusObject(make_corpus(offsets, words, vocabulary, names));
  });
  corpus.def_static("from_counts", &from_counts, nb::arg("row_offsets"), nb::arg("columns"), nb::arg("counts"),
                    nb::arg("vocabulary"), nb::arg("document_names") = nb::make_tuple(), nb::arg("threads") = 0);
  corpus.def("counts", &counts_of,
             "The corpus as compressed rows (CSR): row offsets, word numbers in increasing order, and their counts.");
  corpus.def("__repr__", &describe);
  corpus.def("__len__", [](const CorpusObject& self) { return self.without_words().documents(); });
  const auto frame = [](nb::handle self) { return nb::cast<const CorpusObject&>(self).without_words(); };
  corpus.def_prop_ro("documents", [](const CorpusObject& self) { return self.without_words().documents(); });
  corpus.def_prop_ro("tokens", [](const CorpusObject& self) { return tokens_of(self.without_words()); });
  corpus.def_prop_ro("vocabulary_size",
                     [](const CorpusObject& self) { return self.without_words().vocabulary_size(); });
  corpus.def_prop_ro("is_mapped", &CorpusObject::is_mapped);
  corpus.def_prop_ro("is_part", &CorpusObject::is_part);
  corpus.def_prop_ro("document_offsets",
                     [frame](nb::handle self) { return borrowed(frame(self).document_offsets, self); });
  corpus.def_prop_ro("words",
                     [](nb::handle self) { return borrowed(nb::cast<const CorpusObject&>(self).view().words, self); });
  corpus.def_prop_ro("vocabulary",
                     [](const CorpusObject& self) { return as_strings(self.without_words().vocabulary); });
  corpus.def_prop_ro("document_names", [](const CorpusObject& self) {
    return DocumentNames{as_strings(self.without_words().document_names)};
  });
}

Corpus generate(std::int64_t documents, std::int64_t vocabulary, int topics, double mean_length, double length_spread,
                double alpha, double overlap, std::uint64_t seed, int threads) {
  return generate_corpus({.documents = documents,
                          .vocabulary = vocabulary,
                          .topics = topics,
                          .mean_length = mean_length,
                          .length_spread = length_spread,
                          .alpha = alpha,
                          .overlap = overlap,
                          .seed = seed,
                          .threads = threads})
      .corpus;
}

}  // namespace

void bind_corpora(nb::module_& m) {
  bind_options(m);
  bind_corpus(m);
  m.def("read_corpus", &read, nb::arg("path"), nb::arg("options"), nb::arg("report").none(),
        nb::arg("ranks").none() = nb::none());
  m.def("corpus_from_texts", &from_texts, nb::arg("texts"), nb::arg("options"), nb::arg("document_names"),
        nb::arg("report").none());
  const nb::call_guard<Unlocked> without_lock;
  m.def(
      "is_read_in_parts",
      [](const PathName& path, const CorpusOptions& options) { return is_read_in_parts(path.bytes, options); },
      nb::arg("path"), nb::arg("options"), without_lock);
  m.def(
      "open_corpus",
      [](const PathName& path, PythonRanks* ranks, int threads) {
        MappedCorpus corpus(path.bytes);
        if (ranks != nullptr) {
          CorpusIdentity identity = verify_over_ranks(corpus, *ranks, threads);
          return CorpusObject(std::move(corpus), std::move(identity), *ranks);
        }
        corpus.verify(threads);
        return CorpusObject(std::move(corpus));
      },
      nb::arg("path"), nb::arg("ranks").none(), nb::arg("threads"), without_lock);
  m.def(
      "write_corpus",
      [](const CorpusObject& corpus, const PathName& path, const std::string& format, const PathName& vocabulary) {
        write_corpus(corpus.view(), path.bytes, parse_corpus_format(format), vocabulary.bytes);
      },
      nb::arg("corpus"), nb::arg("path"), nb::arg("format"), nb::arg("vocabulary"), without_lock);
  m.def(
      "corpus_format_of_name",
      [](const PathName& path) { return std::string(name(corpus_format_of_name(path.bytes))); }, nb::arg("path"));
  m.def(
      "has_vocabulary_file", [](const std::string& format) { return has_vocabulary_file(parse_corpus_format(format)); },
      nb::arg("format"));
  m.def(
      "is_written", [](const std::string& format) { return is_written(parse_corpus_format(format)); },
      nb::arg("format"));
  m.def(
      "detect_corpus_format", [](const PathName& path) { return std::string(name(detect_corpus_format(path.bytes))); },
      nb::arg("path"), without_lock);
  m.def(
      "generate_corpus",
      [](std::int64_t documents, std::int64_t vocabulary, int topics, double mean_length, double length_spread,
         double alpha, double overlap, std::uint64_t seed, int threads) {
        return interruptible([&] {
          return CorpusObject(
              generate(documents, vocabulary, topics, mean_length, length_spread, alpha, overlap, seed, threads));
        });
      },
      nb::arg("documents"), nb::arg("vocabulary"), nb::arg("topics"), nb::arg("mean_length"), nb::arg("length_spread"),
      nb::arg("alpha"), nb::arg("overlap"), nb::arg("seed"), nb::arg("threads"));
  m.def(
      "hold_out_every",
      [](const CorpusObject& corpus, std::int64_t every) {
        HeldOutSplit split = hold_out_every(corpus.view(), every);
        return std::make_pair(CorpusObject(std::move(split.training)), CorpusObject(std::move(split.held_out)));
      },
      nb::arg("corpus"), nb::arg("every"), without_lock);
  m.def("english_stop_words", &english_stop_words);
  m.def("stop_word_languages", &stop_word_languages);
  m.def(
      "stop_words", [](const std::string& language) { return stop_words(language); }, nb::arg("language"));
  m.def(
      "find_frequent_stop_words",
      [](const CorpusObject& corpus, int threads) -> std::optional<std::tuple<std::string, std::int64_t, Strings>> {
        const RankCorpus* const of_rank = corpus.of_rank();
        const std::optional<FrequentStopWords> found =
            of_rank != nullptr ? find_frequent_stop_words(of_rank->view().vocabulary, of_rank->word_counts())
                               : find_frequent_stop_words(corpus.view(), threads);
        if (!found) return std::nullopt;
        return std::tuple(found->language, found->among, found->words);
      },
      nb::arg("corpus"), nb::arg("threads"), without_lock);
  m.def(
      "read_word_list", [](const PathName& path) { return read_word_list(path.bytes); }, nb::arg("path"), without_lock);
}

}  // namespace papilio::python
