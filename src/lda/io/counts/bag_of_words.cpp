#include "lda/io/counts/bag_of_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>
#include <numeric>
#include <utility>

#include "execution/cpu/fresh_memory.h"
#include "execution/cpu/parallel_for.h"
#include "execution/ranks/collectives.h"
#include "lda/corpus/corpus_builder.h"
#include "lda/corpus/tokenizer.h"
#include "lda/corpus/word_index.h"
#include "lda/corpus/word_tally.h"
#include "lda/io/counts/vocabulary_file.h"
#include "papilio/primitives.h"

namespace papilio::lda {
namespace {

constexpr std::int64_t grain = 256;  // rows

// Removes the stop words and appends them to `dropped`; returns each word's new number, -1 - s for dropped[s].
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

// Whether this process is the one that refuses a number which is too large: of the ranks, the first with the largest
// number. The others wait to be told.
bool first_to_refuse(std::int64_t number, std::int64_t most, Communicator* ranks) {
  if (ranks == nullptr) return number > most;
  const std::vector<std::int64_t> numbers = execution::gather_numbers(*ranks, number);
  const auto largest = std::max_element(numbers.begin(), numbers.end());
  if (*largest <= most) return false;
  if (largest - numbers.begin() == ranks->rank()) return true;
  ranks->barrier();
  return false;
}

// Writes a value `count` times before `last`; returns where it stops. Most counts are small: writing a few values too
// many, which the next ones overwrite, takes less time than a loop.
std::int32_t* write_times(std::int32_t* to, const std::int32_t* last, std::int32_t value, std::int32_t count) {
  constexpr std::int32_t at_once = 4;
  if (count > at_once || last - to < at_once) return std::fill_n(to, count, value);
  std::fill_n(to, at_once, value);
  return to + count;
}

}  // namespace

void BagOfWords::add(std::int64_t document, std::int64_t word, std::int64_t count) {
  assert(document >= 0 && word >= 0 && word < most_words && count >= 1 && count <= most_count);
  gatherers_.front().add(document, word, count);
  runs_ += document != last_document_ ? 1 : 0;
  last_document_ = document;
  ++entries_;
  tokens_ += count;
}

// Ends the piece that `add` is adding to; what other gatherers hold comes after it.
void BagOfWords::close_piece() { std::ranges::move(gatherers_.front().finish(), std::back_inserter(pieces_)); }

bool BagOfWords::add_if_room(std::vector<EntryGatherer::Piece> pieces) {
  const std::int64_t entries = entries_, runs = runs_, tokens = tokens_, last_document = last_document_;
  for (const EntryGatherer::Piece& piece : pieces) {
    entries_ += std::ssize(piece.entries);
    runs_ += std::ssize(piece.runs) - (piece.runs.front().document == last_document_ ? 1 : 0);
    tokens_ += piece.tokens;
    last_document_ = piece.runs.back().document;
  }
  if (!fits(0)) {
    entries_ = entries;
    runs_ = runs;
    tokens_ = tokens;
    last_document_ = last_document;
    return false;
  }
  close_piece();
  std::ranges::move(pieces, std::back_inserter(pieces_));
  return true;
}

// An entry counts twice, for the room in which vectors grow or for the joined copy. A run's row counts twice, because
// sorting copies rows.
bool BagOfWords::fits(std::int64_t documents, std::int64_t more) {
  constexpr std::int64_t bytes_per_entry = 2 * sizeof(Entry);
  constexpr std::int64_t bytes_per_run = sizeof(Run) + 2 * sizeof(Row);
  const std::int64_t rows = std::max(documents, runs_);
  return memory_.set(bytes_per_token * tokens_ + bytes_per_entry * entries() + bytes_per_run * runs_ +
                     bytes_per_document * rows + more);
}

void BagOfWords::require_room(const LineReader& at, std::int64_t documents, std::int64_t more) {
  if (!fits(documents, more)) refuse(at.origin(), at.line_number(), documents);
}

void BagOfWords::refuse(const Origin& at, std::int64_t line, std::int64_t documents) const {
  memory_.limit().refuse(at, line, tokens_, std::max(documents, runs_));
}

Corpus BagOfWords::make_corpus(const Origin& origin, std::int64_t documents, std::vector<std::string> vocabulary,
                               std::int64_t first_word, const char* format, ReadReport& report,
                               const OverRanks& over) && {
  close_piece();
  for (EntryGatherer::Piece& piece : pieces_) {
    if (first_word == 0) break;
    for (Entry& entry : piece.entries) entry.word -= static_cast<std::int32_t>(first_word);
  }
  report.tokens_read = tokens_;
  const std::vector<Row> rows = rows_by_document();
  std::vector<std::string> stop_words;
  const std::vector<std::int32_t> numbers = drop_stop_words(vocabulary, options_, stop_words);
  std::vector<std::int64_t> stop_word_counts(stop_words.size());
  for (std::size_t r = 0; r < rows.size() && !stop_words.empty(); ++r) {
    for (const Entry* entry = rows[r].begin; entry != rows[r].end; ++entry) {
      const std::int32_t number = numbers[static_cast<std::size_t>(entry->word)];
      if (number < 0) stop_word_counts[static_cast<std::size_t>(-1 - number)] += entry->count;
    }
  }
  if (over.ranks != nullptr) over.ranks->add_up(stop_word_counts);
  report.left_out[LeftOutReason::stop_word] =
      pick_words(stop_words, stop_word_counts, [&](std::size_t w) { return stop_word_counts[w] > 0; });
  Corpus corpus;
  corpus.vocabulary = std::move(vocabulary);
  corpus.document_offsets.resize(static_cast<std::size_t>(documents + 1));
  expand(origin, rows, numbers, over, corpus);
  pieces_ = {};
  gatherers_.clear();
  of_several_ = {};
  report.stop_words_dropped = report.tokens_read - corpus.tokens();
  corpus = keep_words(std::move(corpus), options_, &report.left_out, over.ranks);
  complete_report(corpus, format, report);
  return corpus;
}

std::vector<BagOfWords::Row> BagOfWords::rows_of_pieces() {
  std::vector<Row> rows;
  rows.reserve(static_cast<std::size_t>(runs_) + pieces_.size());
  execution::touch_fresh(rows.data(), rows.capacity() * sizeof(Row), options_.threads);
  for (const EntryGatherer::Piece& piece : pieces_) {
    for (std::size_t r = 0; r < piece.runs.size(); ++r) {
      const bool is_last = r + 1 == piece.runs.size();
      rows.push_back({piece.runs[r].document, piece.entries.data() + piece.runs[r].begin,
                      piece.entries.data() + (is_last ? std::ssize(piece.entries) : piece.runs[r + 1].begin)});
    }
  }
  return rows;
}

// One row per document that has entries, sorted by document.
std::vector<BagOfWords::Row> BagOfWords::rows_by_document() {
  std::vector<Row> rows = rows_of_pieces();
  const auto before = [](const Row& a, const Row& b) { return a.document < b.document; };
  if (!std::is_sorted(rows.begin(), rows.end(), before)) std::stable_sort(rows.begin(), rows.end(), before);
  const auto same = [](const Row& a, const Row& b) { return a.document == b.document; };
  if (std::adjacent_find(rows.begin(), rows.end(), same) != rows.end()) join(rows);
  return rows;
}

// Copies the entries of each document that has several rows so that they are contiguous, and makes one row of them.
void BagOfWords::join(std::vector<Row>& rows) {
  const auto has_next = [&](std::size_t r) { return r + 1 < rows.size() && rows[r + 1].document == rows[r].document; };
  std::ptrdiff_t entries = 0;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (has_next(r) || (r > 0 && has_next(r - 1))) entries += rows[r].end - rows[r].begin;
  }
  of_several_.reserve(static_cast<std::size_t>(entries));  // so that the entries do not move
  std::size_t joined = 0;
  for (std::size_t r = 0; r < rows.size(); ++joined) {
    Row row = rows[r];
    if (!has_next(r)) {
      rows[joined] = row;
      ++r;
      continue;
    }
    row.begin = of_several_.data() + of_several_.size();
    for (; r < rows.size() && rows[r].document == row.document; ++r) {
      of_several_.insert(of_several_.end(), rows[r].begin, rows[r].end);
    }
    row.end = of_several_.data() + of_several_.size();
    rows[joined] = row;
  }
  rows.resize(joined);
}

// Writes every entry's word as often as its count says, by word within a document. Documents are sorted and counted
// while one thread makes the array of words, unless its size is not yet known.
void BagOfWords::expand(const Origin& origin, std::span<const Row> rows, const std::vector<std::int32_t>& numbers,
                        const OverRanks& over, Corpus& corpus) {
  const auto number = [&](const Entry& entry) { return numbers[static_cast<std::size_t>(entry.word)]; };
  const auto for_rows = [&](std::int64_t first, std::int64_t last, auto f) {
    for (std::int64_t r = first; r < last; ++r) {
      const Row& row = rows[static_cast<std::size_t>(r)];
      f(static_cast<std::size_t>(row.document), row.begin, row.end);
    }
  };
  const bool is_size_known = options_.stop_words.empty() && tokens_ <= most_document_tokens;
  std::vector<std::int64_t> lengths(corpus.document_offsets.size() - 1);
  const auto sort_and_count = [&](std::size_t document, Entry* begin, Entry* end) {
    const auto before = [](const Entry& a, const Entry& b) { return a.word < b.word; };
    if (!std::is_sorted(begin, end, before)) std::sort(begin, end, before);
    for (Entry* entry = begin; entry != end; ++entry) lengths[document] += number(*entry) >= 0 ? entry->count : 0;
  };
  execution::parallel_for(std::ssize(rows) + grain, grain, options_.threads,
                          [&](std::int64_t first, std::int64_t last) {
                            if (first == 0 && is_size_known)
                              execution::make_zeros(corpus.words, static_cast<std::size_t>(tokens_), 1);
                            for_rows(std::max<std::int64_t>(first - grain, 0), last - grain, sort_and_count);
                          });
  const auto longest = std::max_element(lengths.begin(), lengths.end());
  const std::int64_t most = longest != lengths.end() ? *longest : 0;
  if (first_to_refuse(most, most_document_tokens, over.ranks)) {
    refuse_document(origin, 0, over.first_document + (longest - lengths.begin()) + 1, most);
  }
  const std::int64_t tokens = exclusive_scan(lengths, corpus.document_offsets, options_.threads);
  if (!is_size_known) execution::make_zeros(corpus.words, static_cast<std::size_t>(tokens), options_.threads);
  const auto write = [&](std::size_t document, const Entry* begin, const Entry* end) {
    std::int32_t* word = corpus.words.data() + corpus.document_offsets[document];
    std::int32_t* const last = corpus.words.data() + corpus.document_offsets[document + 1];
    for (const Entry* entry = begin; entry != end; ++entry) {
      if (number(*entry) >= 0) word = write_times(word, last, number(*entry), entry->count);
    }
  };
  execution::parallel_for(std::ssize(rows), grain, options_.threads,
                          [&](std::int64_t first, std::int64_t last) { for_rows(first, last, write); });
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

void require_believable(const Origin& origin, const ClaimedShape& shape, bool named, BagOfWords& bag,
                        std::int64_t entries) {
  const std::string who = "the header";
  require_believable(origin, shape.documents_line, who, shape.documents, "documents", entries);
  if (!named) require_believable(origin, shape.words_line, who, shape.words, "words", entries);
  if (!bag.fits(shape.documents, named ? 0 : shape.words * bytes_per_number)) bag.refuse(origin, 0, shape.documents);
}

}  // namespace papilio::lda
