#include "lda/io/bytes/hash.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstring>
#include <new>

namespace papilio::lda {
namespace {

Digest digest_of(const XXH128_hash_t& hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  Digest digest;
  std::memcpy(digest.data(), canonical.digest, digest.size());
  return digest;
}

std::string digits_of(const XXH128_hash_t& hash) { return fmt::format("{:016x}{:016x}", hash.high64, hash.low64); }

}  // namespace

struct RunningHash::State {
  XXH3_state_t* xxh3 = XXH3_createState();
};

std::string xxh3_128(std::span<const std::byte> bytes) { return digits_of(XXH3_128bits(bytes.data(), bytes.size())); }

RunningHash::RunningHash() : state_(std::make_unique<State>()) {
  if (state_->xxh3 == nullptr) throw std::bad_alloc();
  reset();
}

RunningHash::~RunningHash() { XXH3_freeState(state_->xxh3); }

void RunningHash::update(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_->xxh3, bytes.data(), bytes.size());
}

Digest RunningHash::digest() const { return digest_of(XXH3_128bits_digest(state_->xxh3)); }

std::string RunningHash::digits() const { return digits_of(XXH3_128bits_digest(state_->xxh3)); }

void RunningHash::reset() { XXH3_128bits_reset(state_->xxh3); }

std::string digits_of(const Digest& digest) {
  std::string digits;
  for (const std::byte byte : digest) digits += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return digits;
}

Digest hash_of(std::span<const std::byte> bytes) { return digest_of(XXH3_128bits(bytes.data(), bytes.size())); }

}  // namespace papilio::lda
