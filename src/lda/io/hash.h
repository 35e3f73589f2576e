#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace papilio::lda {

// XXH3-128 of the bytes as 32 hexadecimal digits, high digits first.
std::string xxh3_128(std::span<const std::byte> bytes);

}  // namespace papilio::lda
