#include "npy.h"

#include <fmt/format.h>

std::string npy_header(std::int64_t rows, std::int64_t columns) {
  std::string fields = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  constexpr std::size_t before = 10;                       // magic string, version, length
  fields.append(63 - (before + fields.size()) % 64, ' ');  // all of it a multiple of 64 bytes
  fields += '\n';
  std::string header = "\x93NUMPY";
  header += '\x01';
  header += '\0';
  header += static_cast<char>(fields.size() % 256);
  header += static_cast<char>(fields.size() / 256);
  return header + fields;
}
