#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

// Case folding of ASCII, eight characters at a time: most words of most texts are ASCII.

namespace papilio::lda {

inline char fold_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// The same for eight bytes, all ASCII: bit 7 of a sum tells which are beyond 'A' - 1, and which are beyond 'Z'.
inline std::uint64_t fold_ascii(std::uint64_t bytes) {
  constexpr std::uint64_t ones = 0x0101010101010101;
  const std::uint64_t from_a = bytes + (0x80 - 'A') * ones, beyond_z = bytes + (0x7f - 'Z') * ones;
  return bytes | ((from_a & ~beyond_z & 0x80 * ones) >> 2);
}

template <class Bytes>
void fold_bytes(const char* from, char* to) {
  Bytes bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  bytes = static_cast<Bytes>(fold_ascii(std::uint64_t{bytes}));
  std::memcpy(to, &bytes, sizeof bytes);
}

// A word of ASCII, not empty, in steps of as many bytes as it allows; its last bytes may be folded twice.
inline void fold_ascii(std::string_view word, char* to) {
  const char* const from = word.data();
  const std::size_t size = word.size();
  if (size >= 8) {
    for (std::size_t i = 0; i + 8 < size; i += 8) fold_bytes<std::uint64_t>(from + i, to + i);
    fold_bytes<std::uint64_t>(from + size - 8, to + size - 8);
  } else if (size >= 4) {
    fold_bytes<std::uint32_t>(from, to);
    fold_bytes<std::uint32_t>(from + size - 4, to + size - 4);
  } else if (size >= 2) {
    fold_bytes<std::uint16_t>(from, to);
    fold_bytes<std::uint16_t>(from + size - 2, to + size - 2);
  } else {
    *to = fold_ascii(*from);
  }
}

}  // namespace papilio::lda
