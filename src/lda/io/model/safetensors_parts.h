#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "lda/io/model/safetensors.h"

// What the writer and the reader of the safetensors format share.
namespace papilio::lda {

inline constexpr std::uint64_t longest_header = 100'000'000;  // the format's own limit
inline constexpr std::string_view hash_prefix = "xxh3_128.";
inline constexpr std::string_view hash_of_metadata = "xxh3_128";

// How many elements change their type at a time.
inline constexpr std::size_t numbers_per_part = std::size_t{1} << 14;

// XXH3-128 of all keys and values.
std::string hash_metadata(const Metadata& metadata);

// The smallest type that can store the numbers 0 ... count - 1, where count is at most 2^31.
const char* smallest_dtype(std::int64_t count);

}  // namespace papilio::lda
