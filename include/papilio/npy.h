#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace papilio {

// Returns the header of a NumPy file (.npy, format 1.0) for an array of `shape`, row-major. The elements follow it,
// least significant byte first, aligned to 64 bytes. `type` is spelled as NumPy does: "<f4", "<i8", "|S3".
//
//   file << papilio::npy_header("<f4", {documents, topics});
//   file.write(reinterpret_cast<const char*>(theta.data()), 4 * documents * topics);
//
// Throws InvalidArgument for a negative size, a type that contains a quotation mark, and a shape whose header is longer
// than 65,535 bytes.
std::string npy_header(std::string_view type, const std::vector<std::int64_t>& shape);

}  // namespace papilio
