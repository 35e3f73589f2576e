#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace papilio {

// The first bytes of a file in NumPy's form (.npy, format 1.0) for an array of `shape`, row-major: the elements follow,
// least significant byte first, from a multiple of 64 bytes on. `type` as NumPy writes it: "<f4", "<i8", "|S3".
//
//   file << papilio::npy_header("<f4", {documents, topics});
//   file.write(reinterpret_cast<const char*>(theta.data()), 4 * documents * topics);
//
// Throws InvalidArgument for a negative size, a type with a quote in it, and a shape whose header is longer than 65,535
// bytes.
std::string npy_header(std::string_view type, const std::vector<std::int64_t>& shape);

}  // namespace papilio
