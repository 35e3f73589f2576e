#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <future>
#include <string>
#include <string_view>

#include "base/check.h"
#include "execution/cpu/parallel_for.h"
#include "lda/corpus/corpus_builder.h"
#include "lda/corpus/phrases.h"
#include "lda/corpus/tokenizer.h"
#include "lda/io/bytes/memory_limit.h"
#include "lda/io/corpus_file/corpus_layout.h"
#include "lda/io/corpus_file/mapping.h"
#include "papilio/corpus_file.h"

namespace papilio {

using lda::CorpusPart;

MappedCorpus::MappedCorpus(const std::string& path) : mapping_(std::make_unique<Mapping>(path)) {}
MappedCorpus::~MappedCorpus() = default;
MappedCorpus::MappedCorpus(MappedCorpus&&) noexcept = default;
MappedCorpus& MappedCorpus::operator=(MappedCorpus&&) noexcept = default;

MappedCorpus::Mapping& MappedCorpus::mapping() const {
  base::require(mapping_ != nullptr,
                "papilio::MappedCorpus: this object was moved from, so it maps no file; use the one it was moved to");
  return *mapping_;
}

std::int64_t MappedCorpus::documents() const { return mapping().layout.sizes.documents; }
std::int64_t MappedCorpus::tokens() const { return mapping().layout.sizes.tokens; }
std::int64_t MappedCorpus::vocabulary_size() const { return mapping().layout.sizes.words; }

std::span<const std::int64_t> MappedCorpus::document_offsets() const {
  return mapping().elements<std::int64_t>(CorpusPart::document_offsets);
}

std::span<const std::int32_t> MappedCorpus::words() const {
  return mapping().elements<std::int32_t>(CorpusPart::words);
}

const std::vector<std::string>& MappedCorpus::vocabulary() const { return mapping().made_vocabulary(); }
const std::vector<std::string>& MappedCorpus::document_names() const { return mapping().made_names(); }

CorpusView MappedCorpus::view() const { return {document_offsets(), words(), vocabulary(), document_names()}; }

void MappedCorpus::verify(int threads) const {
  const bool is_alone = execution::thread_count(threads) == 1;
  const int others = threads == 0 ? 0 : std::max(1, threads - 1);
  Mapping& m = mapping();
  m.verify_header();
  // One thread hashes; the others look at the words meanwhile. What is wrong with the hashes is said first.
  const auto when = is_alone ? std::launch::deferred : std::launch::async | std::launch::deferred;
  std::future<void> has_words = std::async(when, [&] { m.verify_words(words(), 0, others); });
  for (std::size_t i = 0; i + 1 < lda::corpus_parts; ++i) m.verify_hash(static_cast<CorpusPart>(i));
  m.verify_offsets(document_offsets(), 0);
  has_words.get();
  m.verify_vocabulary();
}

namespace lda {

BytesOfStrings::BytesOfStrings(const MappedCorpus& mapped) {
  const CorpusSizes& sizes = mapped.mapping().layout.sizes;
  constexpr auto bytes_per_string = static_cast<std::int64_t>(sizeof(std::string));
  vocabulary = 2 * (bytes_per_string * sizes.words + sizes.vocabulary_bytes);
  names = 2 * (bytes_per_string * sizes.named_documents + sizes.name_bytes);
}

namespace {

// Uses the sizes only, before anything is copied.
void require_room(const MappedCorpus& mapped, const std::string& path, const TextOptions& options, const char* caller) {
  const MemoryLimit limit(options.max_memory);
  const BytesOfStrings strings(mapped);
  if (!limit.holds(bytes_per_token * mapped.tokens() + bytes_per_document * mapped.documents() + strings.vocabulary +
                   strings.names)) {
    limit.refuse({caller, path}, 0, mapped.tokens(), mapped.documents());
  }
}

}  // namespace
}  // namespace lda

Corpus read_corpus_file(const std::string& path, const TextOptions& options, ReadReport* report) {
  constexpr const char* caller = "papilio::read_corpus_file";
  lda::require_text_options(options, caller);
  lda::require_no_phrases(options, caller, "a corpus file");
  const MappedCorpus mapped(path);
  lda::require_room(mapped, path, options, caller);
  mapped.verify(options.threads);
  Corpus corpus;
  corpus.document_offsets.assign(mapped.document_offsets().begin(), mapped.document_offsets().end());
  corpus.words.assign(mapped.words().begin(), mapped.words().end());
  corpus.vocabulary = mapped.vocabulary();
  corpus.document_names = mapped.document_names();
  ReadReport counts;
  counts.tokens_read = corpus.tokens();
  corpus = lda::drop_stop_words(std::move(corpus), options, counts.left_out);
  counts.stop_words_dropped = counts.tokens_read - corpus.tokens();
  corpus = lda::keep_words(std::move(corpus), options, &counts.left_out);
  lda::complete_report(corpus, "corpus", counts);
  if (report != nullptr) *report = counts;
  return corpus;
}

bool is_corpus_file(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  std::array<char, 64> bytes;
  const ssize_t got = ::read(file, bytes.data(), bytes.size());
  ::close(file);
  return got > 0 && lda::begins_as_corpus_file({bytes.data(), static_cast<std::size_t>(got)});
}

}  // namespace papilio
