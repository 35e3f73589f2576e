#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lda/io/bytes/hash.h"
#include "lda/io/bytes/origin.h"
#include "lda/io/corpus_file/corpus_layout.h"
#include "papilio/corpus_file.h"

namespace papilio {

// The mapped bytes, and the strings made from them.
struct MappedCorpus::Mapping {
  using CorpusPart = lda::CorpusPart;

  explicit Mapping(const std::string& path);
  ~Mapping();
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
  // Checks the first and last offset only, so that those between can be checked when they are used.
  void require_ends(CorpusPart which, std::int64_t end, const char* what) const;
  std::vector<std::string> strings(CorpusPart offsets, CorpusPart text, const char* what) const;
  const std::vector<std::string>& made_vocabulary();
  const std::vector<std::string>& made_names();

  lda::Digest stored_hash(CorpusPart which) const;  // the hash that the tensor should have
  void verify_header() const;
  void verify_hash(CorpusPart which, const lda::Digest& found) const;
  void verify_hash(CorpusPart which) const { verify_hash(which, lda::hash_of(part(which))); }
  // Documents and tokens from number `first` on. A file whose hashes match is as it was written, but not every program
  // that writes such files checks the content.
  void verify_offsets(std::span<const std::int64_t> offsets, std::int64_t first) const;
  void verify_words(std::span<const std::int32_t> words, std::int64_t first, int threads) const;
  void verify_vocabulary();
  [[noreturn]] void fail(std::string_view message) const { origin.format_error(0, 0, message); }

  lda::Origin origin;
  void* bytes = nullptr;
  std::size_t size = 0;
  lda::CorpusLayout layout;

  // Made at the first request. Without std::call_once: if it passes an
  // exception on, glibc ends the program when there is no memory left.
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

namespace lda {

// The most memory that the words and names of a corpus file take: made once for the mapped corpus, and copied.
struct BytesOfStrings {
  explicit BytesOfStrings(const MappedCorpus& mapped);  // by the file's sizes
  std::int64_t vocabulary;
  std::int64_t names;
};

}  // namespace lda

}  // namespace papilio
