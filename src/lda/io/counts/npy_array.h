#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lda/io/bytes/number.h"
#include "lda/io/bytes/origin.h"

namespace papilio::lda {

// An array of numpy's format .npy, versions 1 to 3, in memory: signed and
// unsigned integers, bool, float and double, and byte strings, little-endian.
// Objects, which are pickles, are refused like all other types.
class NpyArray {
 public:
  // `name` begins the messages. Throws FormatError unless the number of bytes is what the array's shape requires.
  NpyArray(const Origin& origin, std::string name, std::string_view bytes);

  const std::vector<std::int64_t>& shape() const { return shape_; }

  // The number of elements, over all dimensions.
  std::int64_t size() const { return size_; }

  // The whole number in an element, from `least` to `most`, stored as an integer or a float; throws FormatError naming
  // the element for anything else.
  std::int64_t number(std::int64_t element, std::int64_t least, std::int64_t most) const;

  // The first element as text, without the zero bytes after it.
  std::string text() const;

  // Throws FormatError "NAME: message".
  [[noreturn]] void refuse(std::string_view message) const;

 private:
  void read_header(std::string_view header);
  void read_type(std::string_view type);
  NumberForm whole(const char* at, std::int64_t& value) const;
  std::string shown(const char* at) const;

  Origin origin_;
  std::string name_;
  char kind_ = ' ';  // kind of type: i, u, b, f, S, U
  std::int64_t element_bytes_ = 0;
  std::vector<std::int64_t> shape_;
  std::int64_t size_ = 1;
  std::string_view data_;
};

}  // namespace papilio::lda
