#include "lda/io/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

namespace papilio::lda {

std::string xxh3_128(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace papilio::lda
