#include "lda/io/corpus_file/mapping.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <limits>

#include "execution/cpu/parallel_for.h"
#include "lda/corpus/vocabulary.h"

namespace papilio {

namespace {

constexpr std::int64_t tokens_per_task = std::int64_t{1} << 18;

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

MappedCorpus::Mapping::~Mapping() {
  if (bytes != nullptr) ::munmap(bytes, size);
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

const std::vector<std::string>& MappedCorpus::Mapping::made_vocabulary() {
  return vocabulary.get([&] { return strings(CorpusPart::vocabulary_offsets, CorpusPart::vocabulary, "words"); });
}

const std::vector<std::string>& MappedCorpus::Mapping::made_names() {
  return names.get([&] { return strings(CorpusPart::name_offsets, CorpusPart::names, "names"); });
}

// The first of the hashes is that of the header.
lda::Digest MappedCorpus::Mapping::stored_hash(CorpusPart which) const {
  lda::Digest hash;
  std::memcpy(hash.data(), part(CorpusPart::hashes).data() + (static_cast<std::size_t>(which) + 1) * hash.size(),
              hash.size());
  return hash;
}

void MappedCorpus::Mapping::verify_header() const {
  const lda::Digest found = lda::hash_of(std::as_bytes(std::span(layout.header)));
  if (std::memcmp(found.data(), part(CorpusPart::hashes).data(), found.size()) != 0) {
    fail("the hash of the header does not match: the file is damaged");
  }
}

void MappedCorpus::Mapping::verify_hash(CorpusPart which, const lda::Digest& found) const {
  if (found != stored_hash(which)) {
    fail(fmt::format("the hash of tensor {} does not match: the file is damaged",
                     part_names[static_cast<std::size_t>(which)]));
  }
}

void MappedCorpus::Mapping::verify_offsets(std::span<const std::int64_t> offsets, std::int64_t first) const {
  for (std::size_t d = 1; d < offsets.size(); ++d) {
    if (offsets[d] < offsets[d - 1]) {
      fail(fmt::format("tensor document_offsets: expected offsets that do not decrease, got {} after {} in row {}",
                       offsets[d], offsets[d - 1], first + static_cast<std::int64_t>(d)));
    }
  }
}

void MappedCorpus::Mapping::verify_words(std::span<const std::int32_t> words, std::int64_t first, int threads) const {
  const auto range = static_cast<std::uint64_t>(layout.sizes.words);
  std::atomic<bool> is_sound = true;
  execution::parallel_for(std::ssize(words), tokens_per_task, threads, [&](std::int64_t begin, std::int64_t end) {
    std::uint32_t largest = 0;  // as unsigned numbers, negative ones are larger than any vocabulary
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      largest = std::max(largest, static_cast<std::uint32_t>(words[i]));
    }
    if (largest >= range) is_sound = false;
  });
  if (is_sound) return;
  const auto bad = std::find_if(words.begin(), words.end(),
                                [&](std::int32_t word) { return static_cast<std::uint32_t>(word) >= range; });
  fail(fmt::format("tensor words: expected words from 0 to {}, got {} as token {}", layout.sizes.words - 1, *bad,
                   first + (bad - words.begin())));
}

void MappedCorpus::Mapping::verify_vocabulary() {
  const std::string fault = lda::vocabulary_fault(made_vocabulary());
  if (!fault.empty()) fail("tensor vocabulary: " + fault);
}

}  // namespace papilio
