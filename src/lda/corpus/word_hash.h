#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace papilio::lda {

// 128 bits that the author of a file cannot know.
struct HashKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// SipHash with `rounds` rounds per 8 bytes of text and `last_rounds` at the end. Without the key nobody can make texts
// that collide. Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012.
template <int rounds, int last_rounds>
std::uint64_t sip_hash(std::string_view text, HashKey key);

// Hashes words for tables, with a key drawn once per process. No result may depend on it.
struct WordHash {
  std::size_t operator()(std::string_view word) const;
};

}  // namespace papilio::lda
