#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lda/io/bytes/atomic_file.h"
#include "lda/io/bytes/hash.h"
#include "lda/io/corpus_file/corpus_layout.h"

namespace papilio::lda {

// Writes a corpus file in one pass: the bytes of each tensor as they come,
// in the order of CorpusPart, and then their hashes. Throws IoError.
class CorpusFileWriter {
 public:
  CorpusFileWriter(const std::string& path, const char* caller, const CorpusSizes& sizes);

  void write(std::span<const std::byte> bytes);
  template <class T>
  void write_elements(std::span<const T> elements) {
    write(std::as_bytes(elements));
  }

  // Writes where each string begins and ends; then the strings themselves.
  template <class Strings>
  void write_offsets(const Strings& strings);
  template <class Strings>
  void write_strings(const Strings& strings) {
    for (const std::string& string : strings) write(std::as_bytes(std::span(string)));
  }

  // Ends a tensor, all of whose bytes must have been written.
  void end_part();

  // Call it once, when all tensors have ended.
  void commit();

 private:
  CorpusLayout layout_;
  AtomicFile file_;
  RunningHash hash_;
  std::vector<Digest> hashes_;
  std::size_t part_ = 0;
  std::int64_t written_ = 0;  // of the part
};

template <class Strings>
void CorpusFileWriter::write_offsets(const Strings& strings) {
  std::int64_t end = 0;
  write_elements(std::span<const std::int64_t>(&end, 1));
  for (const std::string& string : strings) {
    end += std::ssize(string);
    write_elements(std::span<const std::int64_t>(&end, 1));
  }
}

}  // namespace papilio::lda
