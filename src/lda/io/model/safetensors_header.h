#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "lda/io/model/safetensors.h"

namespace papilio::lda {

// More than any file of papilio has. They bound what a reader keeps of a header.
inline constexpr std::size_t most_tensors = 64;
inline constexpr std::size_t most_metadata = 4096;

struct SafetensorsHeader {
  Metadata metadata;
  std::map<std::string, TensorPlace> places;
};

// Reads the JSON header of a safetensors file whose tensors take `data_size` bytes: each tensor's dtype, shape and
// data_offsets, and metadata strings, all keys distinct. Stops at the first thing that does not fit, in time linear in
// the text. Throws FormatError, without a path.
SafetensorsHeader parse_safetensors_header(std::string_view text, std::uint64_t data_size);

}  // namespace papilio::lda
