#pragma once

#include <cstdint>
#include <string>

// The first bytes of a .npy file (format 1.0) of rows x columns floats, row-major; the values follow,
// least significant byte first.
std::string npy_header(std::int64_t rows, std::int64_t columns);
