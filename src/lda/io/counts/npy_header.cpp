#include <fmt/format.h>

#include "base/check.h"
#include "papilio/npy.h"

namespace papilio {

std::string npy_header(std::string_view type, const std::vector<std::int64_t>& shape) {
  base::require(type.find_first_of("'\\\n") == std::string_view::npos, "papilio::npy_header: {} is not a type", type);
  std::string sizes;
  for (const std::int64_t size : shape) {
    base::require(size >= 0, "papilio::npy_header: a size is {}, expected 0 or more", size);
    sizes += sizes.empty() ? "" : ", ";
    sizes += std::to_string(size);
  }
  if (shape.size() == 1) sizes += ',';  // a tuple of one, as Python writes it
  constexpr std::size_t before = 10;    // magic string, version, length
  std::string fields = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, sizes);
  fields.append(63 - (before + fields.size()) % 64, ' ');
  fields += '\n';
  base::require(fields.size() < 1 << 16, "papilio::npy_header: the shape has too many sizes, {}", shape.size());
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(fields.size() & 0xff);
  header += static_cast<char>(fields.size() >> 8);
  return header + fields;
}

}  // namespace papilio
