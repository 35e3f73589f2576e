#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "execution/ranks/collectives.h"
#include "execution/ranks/work_in_turns.h"
#include "execution/ranks/work_of_rank.h"
#include "lda/corpus/corpus_builder.h"
#include "lda/io/bytes/byte_source.h"
#include "lda/io/bytes/hash.h"
#include "lda/io/bytes/memory_of_ranks.h"
#include "lda/io/formats.h"
#include "lda/io/model/agreed.h"
#include "lda/io/model/corpus_identity.h"
#include "lda/io/ranks/words_of_rank.h"
#include "papilio/distributed.h"
#include "papilio/primitives.h"
#include "papilio/word_rules.h"

namespace papilio {
namespace {

constexpr std::size_t words_sent_at_once = std::size_t{1} << 20;
constexpr std::int64_t bytes_per_offset = sizeof(std::int64_t);

// The offsets of all documents. This rank has read some of them, which follow those of the ranks before.
std::vector<std::int64_t> offsets_of_all(const Corpus& read, std::int64_t before, std::int64_t documents, int threads,
                                         Communicator& ranks) {
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(documents) + 1);
  std::adjacent_difference(read.document_offsets.begin() + 1, read.document_offsets.end(), offsets.begin() + before);
  ranks.add_up(offsets);
  exclusive_scan(offsets, VectorView<std::int64_t>(offsets), threads);
  return offsets;
}

std::int64_t sum_before(const std::vector<std::int64_t>& numbers, int rank) {
  return std::accumulate(numbers.begin(), numbers.begin() + rank, std::int64_t{0});
}

std::span<const std::byte> bytes_of(std::span<const std::int32_t> words) { return std::as_bytes(words); }

}  // namespace

class RankCorpus::Part {
 public:
  // Takes the documents that each rank has read, which follow those of the ranks before. All ranks have the vocabulary.
  Part(Corpus read, const lda::Origin& origin, const TextOptions& options, Communicator& ranks)
      : rank_(ranks.rank()), vocabulary_(std::move(read.vocabulary)) {
    lda::MemoryLimit limit(options.max_memory);
    lda::MemoryShare of_names(limit), of_documents(limit), of_words(limit);
    take_names(read.document_names, of_names, origin, ranks);
    const std::vector<std::int64_t> documents = execution::gather_numbers(ranks, read.documents());
    const std::int64_t before = sum_before(documents, ranks.rank()), of_all = sum_before(documents, ranks.ranks());
    lda::require_room(of_documents, memory_of_vocabulary() + bytes_per_offset * (of_all + read.documents()), origin,
                      "the vocabulary, and where the documents of all ranks begin,", ranks);
    offsets_ = offsets_of_all(read, before, of_all, options.threads, ranks);
    for (int r = 0; r < ranks.ranks(); ++r) {
      of_ranks_.push_back(documents_of_rank({offsets_, {}, {}, {}}, r, ranks.ranks()));
    }
    const std::int64_t first = offsets_[static_cast<std::size_t>(before)];
    lda::require_room(of_words, bytes_to_hand_on(first, read.tokens(), ranks), origin,
                      "handing on documents to the ranks that draw them", ranks);
    words_ = std::make_unique<lda::WordsOfRank>(offsets_.back(), of_ranks_[static_cast<std::size_t>(ranks.rank())]);
    take_words(std::move(read.words), first, ranks);
    counts_.resize(vocabulary_.size());
    const std::span<const std::int32_t> own = words_->own();
    histogram({own.data(), std::ssize(own)}, counts_, options.threads);
    ranks.add_up(counts_);
    identity_ = {view().documents(),       view().tokens(),
                 view().vocabulary_size(), lda::xxh3_128(std::as_bytes(std::span(offsets_))),
                 hash_of_words(ranks),     lda::hash_of_vocabulary(vocabulary_)};
  }

  CorpusView view() const { return {offsets_, words_->all(), vocabulary_, names_}; }
  const CorpusIdentity& identity() const { return identity_; }
  std::span<const std::int64_t> counts() const { return counts_; }

  Corpus gather(Communicator& ranks) const {
    require_parts_of_one(ranks);
    Corpus whole;
    const std::vector<std::vector<std::byte>> parts = ranks.gather(bytes_of(words_->own()), 0);
    if (ranks.rank() != 0) return whole;
    whole = {offsets_, std::vector<std::int32_t>(static_cast<std::size_t>(offsets_.back())), vocabulary_, names_};
    auto to = std::as_writable_bytes(std::span(whole.words)).begin();
    for (std::size_t r = 0; r < parts.size(); ++r) {
      const std::size_t expected = static_cast<std::size_t>(of_ranks_[r].tokens()) * sizeof(std::int32_t);
      if (parts[r].size() != expected) {
        throw RankError(fmt::format("papilio::RankCorpus::gather: rank {} of {} sent {} bytes, expected {}", r,
                                    parts.size(), parts[r].size(), expected),
                        static_cast<int>(r));
      }
      to = std::ranges::copy(parts[r], to).out;
    }
    return whole;
  }

 private:
  // Throws InvalidArgument on every rank unless these ranks have read one corpus together, and each has its own part.
  void require_parts_of_one(Communicator& ranks) const {
    lda::Metadata metadata;
    lda::add_corpus_identity(metadata, identity_);
    std::string lines;
    for (const auto& [key, value] : metadata) lines += fmt::format("{} {}\n", key, value);
    lda::require_same_lines(lines, ranks, "RankCorpus::gather");
    lda::agreed(&ranks, [&] {
      base::require(rank_ == ranks.rank() && std::ssize(of_ranks_) == ranks.ranks(),
                    "papilio::RankCorpus::gather: the corpus is what rank {} of {} has read, expected rank {} of {}",
                    rank_, of_ranks_.size(), ranks.rank(), ranks.ranks());
    });
  }

  // Rank 0 gets the names of all documents.
  void take_names(const std::vector<std::string>& of_read, lda::MemoryShare& memory, const lda::Origin& origin,
                  Communicator& ranks) {
    const std::int64_t own = execution::memory_of_sent(of_read);
    const std::vector<std::int64_t> of_ranks = execution::gather_numbers(ranks, own);
    const std::int64_t arriving = ranks.rank() == 0 ? sum_before(of_ranks, ranks.ranks()) : 0;
    lda::require_room(memory, own + arriving, origin, "the names of documents", ranks);
    for (std::vector<std::string>& of_rank : execution::gather_text_lists(ranks, of_read)) {
      std::ranges::move(of_rank, std::back_inserter(names_));
    }
  }

  // Includes a count for each word.
  std::int64_t memory_of_vocabulary() const {
    std::size_t bytes = vocabulary_.size() * (sizeof(std::string) + sizeof(std::int64_t));
    for (const std::string& word : vocabulary_) bytes += word.size() > std::string().capacity() ? word.size() + 1 : 0;
    return static_cast<std::int64_t>(bytes);
  }

  // The largest number of bytes of words that are read, sent, received and kept at one time, for `tokens` that this
  // rank has read from number `first` on. Words that were read are freed before others arrive.
  std::int64_t bytes_to_hand_on(std::int64_t first, std::int64_t tokens, const Communicator& ranks) const {
    const std::int64_t own = of_ranks_[static_cast<std::size_t>(ranks.rank())].tokens();
    const std::int64_t kept = part_of(first, tokens, ranks.rank()).size;
    std::int64_t hashed_at_once = 0;
    for (const RankDocuments& of_rank : of_ranks_) hashed_at_once = std::max(hashed_at_once, of_rank.tokens());
    hashed_at_once = std::min(hashed_at_once, static_cast<std::int64_t>(words_sent_at_once));
    return std::int64_t{sizeof(std::int32_t)} *
           (own + std::max(tokens - kept + std::max(tokens, own - kept), hashed_at_once));
  }

  // The place of the words of a rank's documents among the `tokens` words from number `first` on.
  struct Place {
    std::int64_t begin;
    std::int64_t size;
  };
  Place part_of(std::int64_t first, std::int64_t tokens, int rank) const {
    const RankDocuments& documents = of_ranks_[static_cast<std::size_t>(rank)];
    const std::int64_t from = std::clamp(documents.first_token, first, first + tokens);
    const std::int64_t to = std::clamp(documents.end_token, from, first + tokens);
    return {from - first, to - from};
  }

  // Sends each rank its words, from those that this rank has read from token `first` on.
  void take_words(std::vector<std::int32_t> read, std::int64_t first, Communicator& ranks) {
    const auto words_of = [&](int rank) {
      const Place place = part_of(first, std::ssize(read), rank);
      return std::span<const std::int32_t>(read).subspan(static_cast<std::size_t>(place.begin),
                                                         static_cast<std::size_t>(place.size));
    };
    const auto self = static_cast<std::size_t>(ranks.rank());
    const RankDocuments& own = of_ranks_[self];
    const std::span<const std::int32_t> kept = words_of(ranks.rank());
    const std::int64_t kept_from = std::clamp(first, own.first_token, own.end_token) - own.first_token;
    std::ranges::copy(kept, words_->own().begin() + kept_from);
    std::vector<std::vector<std::byte>> sent(of_ranks_.size());
    for (int r = 0; r < ranks.ranks(); ++r) {
      const auto bytes = bytes_of(words_of(r));
      if (r != ranks.rank()) sent[static_cast<std::size_t>(r)].assign(bytes.begin(), bytes.end());
    }
    const std::size_t bytes_kept = kept.size_bytes();
    std::vector<std::int32_t>().swap(read);
    auto to = std::as_writable_bytes(words_->own()).begin();
    const std::vector<std::vector<std::byte>> received = execution::exchange(ranks, std::move(sent));
    for (std::size_t r = 0; r < received.size(); ++r) {
      to = r == self ? to + static_cast<std::ptrdiff_t>(bytes_kept) : std::ranges::copy(received[r], to).out;
    }
  }

  // The hash of all tokens' words in order, on every rank: rank 0 hashes what the others send.
  std::string hash_of_words(Communicator& ranks) const {
    lda::RunningHash hash;
    hash.update(bytes_of(ranks.rank() == 0 ? words_->own() : std::span<std::int32_t>()));
    for (int from = 1; from < ranks.ranks(); ++from) {
      const auto tokens = static_cast<std::size_t>(of_ranks_[static_cast<std::size_t>(from)].tokens());
      for (std::size_t at = 0; at < tokens; at += words_sent_at_once) {
        std::span<const std::int32_t> block;
        if (from == ranks.rank()) block = words_->own().subspan(at, std::min(words_sent_at_once, tokens - at));
        for (const std::vector<std::byte>& bytes : ranks.gather(bytes_of(block), 0)) hash.update(bytes);
      }
    }
    return execution::broadcast_text(ranks, hash.digits());
  }

  int rank_;
  std::vector<std::int64_t> offsets_;
  std::vector<std::string> vocabulary_;
  std::vector<std::string> names_;
  std::vector<RankDocuments> of_ranks_;
  std::unique_ptr<lda::WordsOfRank> words_;
  std::vector<std::int64_t> counts_;
  CorpusIdentity identity_;
};

RankCorpus::RankCorpus(std::unique_ptr<Part> part) : part_(std::move(part)) {}
RankCorpus::RankCorpus(RankCorpus&&) noexcept = default;
RankCorpus& RankCorpus::operator=(RankCorpus&&) noexcept = default;
RankCorpus::~RankCorpus() = default;

const RankCorpus::Part& RankCorpus::part() const {
  base::require(part_ != nullptr,
                "papilio::RankCorpus: this object was moved from, so it has no corpus; use the one it was moved to");
  return *part_;
}

CorpusView RankCorpus::view() const { return part().view(); }
const CorpusIdentity& RankCorpus::identity() const { return part().identity(); }
std::span<const std::int64_t> RankCorpus::word_counts() const { return part().counts(); }

Corpus RankCorpus::gather(Communicator& ranks) const {
  return execution::work_of_rank(ranks, [&] { return part().gather(ranks); });
}

namespace lda {
namespace {

// How the ranks read a file. Rank 0 decides: it alone looks at the file, and for a vocabulary beside it.
struct WayToRead {
  std::int64_t format = 0;
  std::int64_t by_parts = 0;
};

// Independent of the order, because lists may come from sets.
std::string hash_of_list(std::vector<std::string> words) {
  std::ranges::sort(words);
  return fmt::format("{} words, hash {}", words.size(), hash_of_vocabulary(words));
}

// What must be the same on every rank, one line each. The vocabulary
// file, which only rank 0 reads, may have another name on another host.
std::string lines_of(const CorpusOptions& options) {
  const TextOptions& text = options.text;
  const PhraseOptions& phrases = text.phrases;
  std::string lines;
  const auto add = [&](std::string_view key, const auto& value) {
    lines += fmt::format("options.{} {}\n", key, value);
  };
  add("format", name(options.format));
  add("first_id", options.first_id ? std::to_string(*options.first_id) : "none");
  add("transposed", options.transposed);
  add("text_column", options.text_column);
  add("id_column", options.id_column);
  add("header", options.header);
  add("quotes", options.quotes);
  add("min_token_length", text.min_token_length ? std::to_string(*text.min_token_length) : "none");
  add("words", name(text.words));
  add("token_pattern", text.token_pattern);
  add("fold_case", text.fold_case);
  add("stop_words", hash_of_list(text.stop_words));
  add("min_df", text.min_df);
  add("max_df", text.max_df);
  add("max_vocabulary", text.max_vocabulary);
  add("max_line_bytes", text.max_line_bytes);
  add("phrases.find", phrases.find);
  add("phrases.list", hash_of_list(phrases.list));
  add("phrases.threshold", phrases.threshold);
  add("phrases.min_count", phrases.min_count);
  add("phrases.length", phrases.length);
  add("phrases.delimiter", phrases.delimiter);
  return lines;
}

Corpus read_for_all(const Format& format, const std::string& path, const CorpusOptions& options, ReadReport& report,
                    Communicator& ranks) {
  Corpus read;
  std::atomic<bool> is_over = false;
  execution::work_in_turns(ranks, is_over, [&] {
    if (ranks.rank() == 0) read = format.read(path, options, report);
  });
  MemoryLimit limit(options.text.max_memory);
  MemoryShare memory(limit);
  std::int64_t bytes = execution::memory_of_sent(read.vocabulary);
  ranks.broadcast(std::as_writable_bytes(std::span(&bytes, 1)), 0);
  require_room(memory, bytes, {reader_name, path}, "the vocabulary", ranks);
  read.vocabulary = execution::broadcast_texts(ranks, std::move(read.vocabulary));
  return read;
}

bool is_read_in_parts(const ChosenFormat& chosen, const std::string& path) {
  return chosen.format.read_parts != nullptr && !chosen.options.text.phrases.used() && has_parts(path);
}

// Turns the report into one of what all ranks have read.
void complete_report_over_ranks(const CorpusView& corpus, ReadReport& report, Communicator& ranks) {
  std::int64_t* const counted[] = {&report.tokens_read,    &report.stop_words_dropped, &report.phrases,
                                   &report.tokens_joined,  &report.invalid_utf8,       &report.skipped_files,
                                   &report.unspaced_tokens};
  std::vector<std::int64_t> sums;
  for (const std::int64_t* number : counted) sums.push_back(*number);
  ranks.add_up(sums);
  for (std::size_t i = 0; i < sums.size(); ++i) *counted[i] = sums[i];
  report.icu_version = execution::broadcast_text(ranks, report.icu_version);
  report.empty_documents = 0;
  complete_report(corpus.document_offsets, execution::broadcast_text(ranks, report.format).c_str(), report);
}

}  // namespace
}  // namespace lda

bool is_read_in_parts(const std::string& path, const CorpusOptions& options) {
  return lda::is_read_in_parts(lda::choose_format(path, options), path);
}

RankCorpus read_corpus(const std::string& path, const CorpusOptions& options, Communicator& ranks, ReadReport* report) {
  return execution::work_of_rank(ranks, [&] {
    CorpusOptions chosen = options;
    lda::WayToRead way;
    if (ranks.rank() == 0) {
      const lda::ChosenFormat found = lda::choose_format(path, options);
      chosen = found.options;
      way = {static_cast<std::int64_t>(found.format.format), lda::is_read_in_parts(found, path) ? 1 : 0};
    }
    ranks.broadcast(std::as_writable_bytes(std::span(&way, 1)), 0);
    lda::require_same_lines(lda::lines_of(options), ranks, "read_corpus");
    chosen.format = static_cast<CorpusFormat>(way.format);
    chosen.vocabulary = execution::broadcast_text(ranks, chosen.vocabulary);
    const lda::Format& format = lda::format_of(chosen.format);
    ReadReport counts;
    Corpus read = way.by_parts != 0 ? format.read_parts(path, chosen, counts, ranks)
                                    : lda::read_for_all(format, path, chosen, counts, ranks);
    auto part =
        std::make_unique<RankCorpus::Part>(std::move(read), lda::Origin{lda::reader_name, path}, options.text, ranks);
    lda::complete_report_over_ranks(part->view(), counts, ranks);
    if (report != nullptr) *report = counts;
    return RankCorpus(std::move(part));
  });
}

}  // namespace papilio
