#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/check.h"
#include "lda/corpus/corpus_builder.h"
#include "lda/corpus/phrases.h"
#include "lda/corpus/tokenizer.h"
#include "lda/corpus/vocabulary.h"
#include "lda/io/bytes/hash.h"
#include "lda/io/bytes/memory_limit.h"
#include "lda/io/bytes/origin.h"
#include "lda/io/corpus_file/corpus_layout.h"
#include "papilio/corpus_file.h"

namespace papilio {

using lda::CorpusPart;

// The mapped bytes, and the strings made of them.
struct MappedCorpus::Mapping {
  explicit Mapping(const std::string& path);
  ~Mapping() {
    if (bytes != nullptr) ::munmap(bytes, size);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::span<const std::byte> part(CorpusPart which) const {
    const auto i = static_cast<std::size_t>(which);
    return {static_cast<const std::byte*>(bytes) + layout.begin[i], static_cast<std::size_t>(layout.bytes[i])};
  }
  template <class T>
  std::span<const T> elements(CorpusPart which) const {
    const std::span<const std::byte> found = part(which);
    return {reinterpret_cast<const T*>(found.data()), found.size() / sizeof(T)};
  }

  void map();
  void read_header();
  void require_ends(CorpusPart which, std::int64_t end, const char* what) const;
  std::vector<std::string> strings(CorpusPart offsets, CorpusPart text, const char* what) const;
  void verify_hashes() const;
  void verify_corpus() const;
  [[noreturn]] void fail(std::string_view message) const { origin.format_error(0, 0, message); }

  lda::Origin origin;
  void* bytes = nullptr;
  std::size_t size = 0;
  lda::CorpusLayout layout;

  // Made when they are first asked for. Not by std::call_once: where that passes an exception on, glibc ends the
  // program if there is no memory left.
  struct Made {
    const std::vector<std::string>& get(auto&& make) {
      const std::lock_guard guard(making);
      if (!strings) strings = make();
      return *strings;
    }
    std::mutex making;
    std::optional<std::vector<std::string>> strings;
  };
  Made vocabulary;
  Made names;
};

namespace {

constexpr std::array<const char*, lda::corpus_parts> part_names = {
    "document_offsets", "vocabulary_offsets", "name_offsets", "words", "vocabulary", "names", "hashes"};

}  // namespace

MappedCorpus::Mapping::Mapping(const std::string& path) : origin{"papilio::MappedCorpus", path} {
  map();
  try {
    read_header();
    require_ends(CorpusPart::document_offsets, layout.sizes.tokens, "documents");
    require_ends(CorpusPart::vocabulary_offsets, layout.sizes.vocabulary_bytes, "words");
    if (layout.sizes.named_documents > 0) require_ends(CorpusPart::name_offsets, layout.sizes.name_bytes, "names");
  } catch (...) {
    ::munmap(bytes, size);
    throw;
  }
}

void MappedCorpus::Mapping::map() {
  if (origin.path == "-")
    fail("expected the name of a papilio corpus file, got standard input, which cannot be mapped");
  const int file = ::open(origin.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status = {};
  if (file < 0 || ::fstat(file, &status) != 0) {
    const int code = errno;
    if (file >= 0) ::close(file);
    origin.io_error("open", code);
  }
  size = static_cast<std::size_t>(status.st_size);
  const bool fits = S_ISREG(status.st_mode) && size > 0;
  if (fits) bytes = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  const int code = errno;
  ::close(file);
  if (S_ISDIR(status.st_mode)) origin.io_error("read", EISDIR);
  if (!fits) fail("expected a papilio corpus file, got no bytes (it must be a regular file, not compressed)");
  if (bytes == MAP_FAILED) {
    bytes = nullptr;
    origin.io_error("map", code);
  }
}

void MappedCorpus::Mapping::read_header() {
  const std::string_view all(static_cast<const char*>(bytes), size);
  if (!lda::begins_as_corpus_file(all)) {
    fail(fmt::format("byte 0: expected the header of a papilio corpus file, got {}", lda::quoted(all.substr(0, 48))));
  }
  std::optional<lda::CorpusLayout> parsed = lda::parse_corpus_header(all);
  if (!parsed) {
    fail(
        "byte 8: expected the header of a papilio corpus file, version 1, got one that is cut short, damaged or of "
        "another version");
  }
  layout = *std::move(parsed);
  if (layout.file_bytes != static_cast<std::int64_t>(size)) {
    fail(fmt::format("expected {} bytes (by the header), got {}: the file is {}", layout.file_bytes, size,
                     layout.file_bytes > static_cast<std::int64_t>(size) ? "cut short" : "too long"));
  }
  constexpr std::int64_t most_words = std::numeric_limits<std::int32_t>::max();
  if (layout.sizes.words > most_words)
    fail(fmt::format("expected at most {} words, got {}", most_words, layout.sizes.words));
  if (layout.sizes.named_documents > 0 && layout.sizes.named_documents != layout.sizes.documents) {
    fail(fmt::format("expected a name for each of {} documents, got {}", layout.sizes.documents,
                     layout.sizes.named_documents));
  }
}

// Looks at the first and last offset, so that what lies between can be checked as it is used.
void MappedCorpus::Mapping::require_ends(CorpusPart which, std::int64_t end, const char* what) const {
  const auto offsets = elements<std::int64_t>(which);
  if (offsets.front() != 0 || offsets.back() != end) {
    fail(fmt::format("tensor {}: expected offsets of {} from 0 to {}, got {} to {}",
                     part_names[static_cast<std::size_t>(which)], what, end, offsets.front(), offsets.back()));
  }
}

std::vector<std::string> MappedCorpus::Mapping::strings(CorpusPart offsets_part, CorpusPart text_part,
                                                        const char* what) const {
  const auto offsets = elements<std::int64_t>(offsets_part);
  const auto text = elements<char>(text_part);
  std::vector<std::string> made;
  if (offsets.empty()) return made;
  made.reserve(offsets.size() - 1);
  for (std::size_t i = 1; i < offsets.size(); ++i) {
    if (offsets[i] < offsets[i - 1] || offsets[i] > std::ssize(text)) {
      fail(fmt::format("tensor {}: expected offsets of {} that do not decrease, got {} after {}",
                       part_names[static_cast<std::size_t>(offsets_part)], what, offsets[i], offsets[i - 1]));
    }
    made.emplace_back(text.data() + offsets[i - 1], static_cast<std::size_t>(offsets[i] - offsets[i - 1]));
  }
  return made;
}

void MappedCorpus::Mapping::verify_hashes() const {
  const std::span<const std::byte> expected = part(CorpusPart::hashes);
  for (std::size_t i = 0; i < lda::corpus_parts; ++i) {
    const lda::Digest found =
        lda::hash_of(i == 0 ? std::as_bytes(std::span(layout.header)) : part(static_cast<CorpusPart>(i - 1)));
    if (std::memcmp(found.data(), expected.data() + i * found.size(), found.size()) != 0) {
      fail(fmt::format("the hash of {} does not match: the file is damaged",
                       i == 0 ? "the header" : fmt::format("tensor {}", part_names[i - 1])));
    }
  }
}

// A file whose hashes match is as it was written, but not everybody who writes such files checks what goes in.
void MappedCorpus::Mapping::verify_corpus() const {
  const auto offsets = elements<std::int64_t>(CorpusPart::document_offsets);
  for (std::size_t d = 1; d < offsets.size(); ++d) {
    if (offsets[d] < offsets[d - 1]) {
      fail(fmt::format("tensor document_offsets: expected offsets that do not decrease, got {} after {} in row {}",
                       offsets[d], offsets[d - 1], d));
    }
  }
  const auto words = elements<std::int32_t>(CorpusPart::words);
  const auto range = static_cast<std::uint32_t>(layout.sizes.words);
  const auto bad = std::find_if(words.begin(), words.end(), [&](std::int32_t w) {
    return static_cast<std::uint32_t>(w) >= range;  // also those below 0
  });
  if (bad != words.end()) {
    fail(fmt::format("tensor words: expected words from 0 to {}, got {} as token {}", layout.sizes.words - 1, *bad,
                     bad - words.begin()));
  }
}

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

const std::vector<std::string>& MappedCorpus::vocabulary() const {
  Mapping& m = mapping();
  return m.vocabulary.get([&] { return m.strings(CorpusPart::vocabulary_offsets, CorpusPart::vocabulary, "words"); });
}

const std::vector<std::string>& MappedCorpus::document_names() const {
  Mapping& m = mapping();
  return m.names.get([&] { return m.strings(CorpusPart::name_offsets, CorpusPart::names, "names"); });
}

CorpusView MappedCorpus::view() const { return {document_offsets(), words(), vocabulary(), document_names()}; }

void MappedCorpus::verify() const {
  mapping().verify_hashes();
  mapping().verify_corpus();
  const std::string fault = lda::vocabulary_fault(vocabulary());
  if (!fault.empty()) mapping().fail("tensor vocabulary: " + fault);
}

namespace lda {
namespace {

// By the sizes alone, before anything is copied.
void require_room(const MappedCorpus& mapped, const std::string& path, const TextOptions& options, const char* caller) {
  std::error_code error;
  const auto file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(path, error));
  const std::int64_t text = file_bytes - 4 * mapped.tokens() - 8 * (mapped.documents() + mapped.vocabulary_size());
  const MemoryLimit limit(options.max_memory);
  if (!limit.holds(bytes_per_token * mapped.tokens() + bytes_per_document * mapped.documents() +
                   2 * (static_cast<std::int64_t>(sizeof(std::string)) * mapped.vocabulary_size() + text))) {
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
  mapped.verify();
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
