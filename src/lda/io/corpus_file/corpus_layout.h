#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace papilio::lda {

// The numbers of what a corpus file contains.
struct CorpusSizes {
  std::int64_t documents = 0;
  std::int64_t tokens = 0;
  std::int64_t words = 0;  // in the vocabulary
  std::int64_t vocabulary_bytes = 0;
  std::int64_t named_documents = 0;  // all documents or 0
  std::int64_t name_bytes = 0;
};

// The tensors in their order in the file: larger elements first, so that all are aligned.
enum class CorpusPart : std::size_t {
  document_offsets,
  vocabulary_offsets,
  name_offsets,
  words,
  vocabulary,
  names,
  hashes,  // of the header, then of each of the tensors above
};
inline constexpr std::size_t corpus_parts = 7;

// Where everything is in the file; it follows from the sizes alone.
struct CorpusLayout {
  CorpusSizes sizes;
  std::string header;                              // the first bytes of the file: the length, then the JSON
  std::array<std::int64_t, corpus_parts> begin{};  // bytes from the beginning of the file
  std::array<std::int64_t, corpus_parts> bytes{};
  std::int64_t file_bytes = 0;
};

CorpusLayout layout_of(const CorpusSizes& sizes);

// No header is longer.
inline constexpr std::size_t longest_corpus_header = 2048;

// Whether a file begins like a corpus file.
bool begins_as_corpus_file(std::string_view bytes);

// The layout whose header is at the beginning of `bytes`, the file's first bytes (all of them, up to
// longest_corpus_header); nothing if there is no such layout.
std::optional<CorpusLayout> parse_corpus_header(std::string_view bytes);

}  // namespace papilio::lda
