#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace papilio::lda {

using Sha256 = std::array<std::uint8_t, 32>;

// SHA-256 (FIPS 180-4) of bytes that arrive in pieces.
class RunningSha256 {
 public:
  void update(std::string_view bytes);
  Sha256 digest();  // once, at the end

 private:
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::string rest_;  // less than a block
  std::uint64_t bytes_ = 0;
};

Sha256 sha256(std::string_view bytes);

// The digest in base 64, as a Content-Security-Policy has it.
std::string base64(const Sha256& digest);

}  // namespace papilio::lda
