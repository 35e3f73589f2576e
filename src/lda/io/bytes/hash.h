#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace papilio::lda {

// XXH3-128 of the bytes as 32 hexadecimal digits, high digits first.
std::string xxh3_128(std::span<const std::byte> bytes);

using Digest = std::array<std::byte, 16>;  // high bytes first

// XXH3-128 of bytes that arrive in pieces.
class RunningHash {
 public:
  RunningHash();
  ~RunningHash();
  RunningHash(const RunningHash&) = delete;
  RunningHash& operator=(const RunningHash&) = delete;

  void update(std::span<const std::byte> bytes);
  Digest digest() const;
  std::string digits() const;  // as xxh3_128 gives them
  void reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Digest hash_of(std::span<const std::byte> bytes);

// As xxh3_128 gives them.
std::string digits_of(const Digest& digest);

}  // namespace papilio::lda
