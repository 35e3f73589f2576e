#include "lda/io/counts/bag_of_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <numeric>
#include <utility>

#include "execution/cpu/parallel_for.h"
#include "lda/corpus/corpus_builder.h"
#include "lda/corpus/tokenizer.h"
#include "lda/corpus/word_index.h"
#include "lda/corpus/word_tally.h"
#include "lda/io/counts/vocabulary_file.h"
#include "papilio/primitives.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t grain = 256;  // runs

// Takes the stop words out and appends them to `dropped`; returns each word's new number, -1 - s for dropped[s].
std::vector<std::int32_t> drop_stop_words(std::vector<std::string>& vocabulary, const TextOptions& options,
                                          std::vector<std::string>& dropped) {
  std::vector<std::int32_t> numbers(vocabulary.size());
  std::iota(numbers.begin(), numbers.end(), 0);
  if (options.stop_words.empty()) return numbers;
  const WordIndex stop_words = index_stop_words(options.stop_words);
  Tokenizer tokenizer(1);
  std::vector<std::string> kept;
  for (std::size_t w = 0; w < vocabulary.size(); ++w) {
    const bool stop = stop_words.find(tokenizer.fold(vocabulary[w])) >= 0;
    numbers[w] = stop ? -1 - static_cast<std::int32_t>(dropped.size()) : static_cast<std::int32_t>(kept.size());
    (stop ? dropped : kept).push_back(std::move(vocabulary[w]));
  }
  vocabulary = std::move(kept);
  return numbers;
}

}  // namespace

void BagOfWords::add(std::int64_t document, std::int64_t word, std::int64_t count) {
  assert(document >= 0 && word >= 0 && word < most_words && count >= 1 && count <= most_count);
  if (runs_.empty() || runs_.back().document != document) runs_.push_back({document, entries()});
  entries_.push_back({static_cast<std::int32_t>(word), static_cast<std::int32_t>(count)});
  tokens_ += count;
}

bool BagOfWords::add_if_room(std::span<const std::vector<Place>> lists) {
  const std::size_t entries = entries_.size();
  const std::size_t runs = runs_.size();
  const std::int64_t tokens = tokens_;
  for (const std::vector<Place>& list : lists) {
    for (const Place& place : list) add(place.document, place.word, place.count);
  }
  if (fits(0)) return true;
  entries_.resize(entries);
  runs_.resize(runs);
  tokens_ = tokens;
  return false;
}

// Twice an entry: the room in which vectors grow, or the sorted copy. Three times a run: two numbers per run are
// sorted besides.
bool BagOfWords::fits(std::int64_t documents, std::int64_t more) {
  constexpr std::int64_t bytes_per_entry = 2 * sizeof(Entry);
  constexpr std::int64_t bytes_per_run = 3 * sizeof(Run);
  const std::int64_t rows = std::max(documents, std::ssize(runs_));
  return memory_.set(bytes_per_token * tokens_ + bytes_per_entry * entries() + bytes_per_run * std::ssize(runs_) +
                     bytes_per_document * rows + more);
}

void BagOfWords::require_room(const LineReader& at, std::int64_t documents, std::int64_t more) {
  if (!fits(documents, more)) refuse(at.origin(), at.line_number(), documents);
}

void BagOfWords::refuse(const Origin& at, std::int64_t line, std::int64_t documents) const {
  memory_.limit().refuse(at, line, tokens_, std::max(documents, std::ssize(runs_)));
}

Corpus BagOfWords::make_corpus(const Origin& origin, std::int64_t documents, std::vector<std::string> vocabulary,
                               std::int64_t first_word, const char* format, ReadReport& report) && {
  for (Entry& entry : entries_) entry.word -= static_cast<std::int32_t>(first_word);
  report.tokens_read = tokens_;
  sort_by_document();
  std::vector<std::string> stop_words;
  const std::vector<std::int32_t> numbers = drop_stop_words(vocabulary, options_, stop_words);
  std::vector<std::int64_t> stop_word_counts(stop_words.size());
  for (std::size_t e = 0; e < entries_.size() && !stop_words.empty(); ++e) {
    const std::int32_t number = numbers[static_cast<std::size_t>(entries_[e].word)];
    if (number < 0) stop_word_counts[static_cast<std::size_t>(-1 - number)] += entries_[e].count;
  }
  report.left_out[LeftOutReason::stop_word] =
      pick_words(stop_words, stop_word_counts, [&](std::size_t w) { return stop_word_counts[w] > 0; });
  Corpus corpus;
  corpus.vocabulary = std::move(vocabulary);
  corpus.document_offsets.resize(static_cast<std::size_t>(documents + 1));
  expand(origin, numbers, corpus);
  entries_ = {};
  runs_ = {};
  report.stop_words_dropped = report.tokens_read - corpus.tokens();
  corpus = keep_words(std::move(corpus), options_, &report.left_out);
  complete_report(corpus, format, report);
  return corpus;
}

// Brings the runs into the order of their documents, one run per document.
void BagOfWords::sort_by_document() {
  const auto before = [](const Run& a, const Run& b) { return a.document < b.document; };
  if (std::is_sorted(runs_.begin(), runs_.end(), before)) return;
  std::vector<std::int64_t> ends;
  for (std::size_t r = 1; r < runs_.size(); ++r) ends.push_back(runs_[r].begin);
  ends.push_back(entries());
  std::vector<std::size_t> order(runs_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return before(runs_[a], runs_[b]); });
  std::vector<Entry> entries;
  std::vector<Run> runs;
  entries.reserve(entries_.size());
  for (const std::size_t r : order) {
    if (runs.empty() || runs.back().document != runs_[r].document) {
      runs.push_back({runs_[r].document, std::ssize(entries)});
    }
    entries.insert(entries.end(), entries_.begin() + runs_[r].begin, entries_.begin() + ends[r]);
  }
  entries_ = std::move(entries);
  runs_ = std::move(runs);
}

// Writes every entry's word as often as its count says, by word within a document.
void BagOfWords::expand(const Origin& origin, const std::vector<std::int32_t>& numbers, Corpus& corpus) {
  const auto number = [&](const Entry& entry) { return numbers[static_cast<std::size_t>(entry.word)]; };
  const std::int64_t runs = std::ssize(runs_);
  const auto entries_of = [&](std::int64_t r) {
    const std::int64_t end = r + 1 < runs ? runs_[static_cast<std::size_t>(r + 1)].begin : entries();
    return std::pair(entries_.begin() + runs_[static_cast<std::size_t>(r)].begin, entries_.begin() + end);
  };
  std::vector<std::int64_t> lengths(corpus.document_offsets.size() - 1);
  execution::parallel_for(runs, grain, options_.threads, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      const auto [begin, end] = entries_of(r);
      std::sort(begin, end, [](const Entry& a, const Entry& b) { return a.word < b.word; });
      std::int64_t& length = lengths[static_cast<std::size_t>(runs_[static_cast<std::size_t>(r)].document)];
      for (auto entry = begin; entry != end; ++entry) length += number(*entry) >= 0 ? entry->count : 0;
    }
  });
  const auto longest = std::max_element(lengths.begin(), lengths.end());
  if (longest != lengths.end() && *longest > most_document_tokens) {
    refuse_document(origin, 0, longest - lengths.begin() + 1, *longest);
  }
  const std::int64_t tokens = exclusive_scan(lengths, corpus.document_offsets, options_.threads);
  corpus.words.resize(static_cast<std::size_t>(tokens));
  execution::parallel_for(runs, grain, options_.threads, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      const auto document = static_cast<std::size_t>(runs_[static_cast<std::size_t>(r)].document);
      auto word = corpus.words.begin() + corpus.document_offsets[document];
      const auto [begin, end] = entries_of(r);
      for (auto entry = begin; entry != end; ++entry) {
        if (number(*entry) >= 0) word = std::fill_n(word, entry->count, number(*entry));
      }
    }
  });
}

void require_believable(const Origin& origin, std::int64_t line, const std::string& who, std::int64_t claimed,
                        const char* what, std::int64_t entries) {
  const std::int64_t most = free_claims + claims_per_entry * entries;
  if (claimed <= most) return;
  origin.format_error(
      line, 1,
      fmt::format("{} claims {} {}, but the file holds {} entries; at most {} + {} per entry are accepted", who,
                  claimed, what, entries, free_claims, claims_per_entry));
}

void require_believable(const Origin& origin, const ClaimedShape& shape, bool named, BagOfWords& bag) {
  const std::string who = "the header";
  require_believable(origin, shape.documents_line, who, shape.documents, "documents", bag.entries());
  if (!named) require_believable(origin, shape.words_line, who, shape.words, "words", bag.entries());
  if (!bag.fits(shape.documents, named ? 0 : shape.words * bytes_per_number)) bag.refuse(origin, 0, shape.documents);
}

}  // namespace papilio::lda
