#pragma once

#include <cstddef>
#include <cstdint>

#include "base/math.h"

// How a workspace is divided. A query goes through the same steps with null.

namespace papilio::primitives {

class WorkspaceParts {
 public:
  explicit WorkspaceParts(std::byte* begin) : begin_(begin) {}

  // `count` entries, aligned to 256 bytes.
  template <class T>
  T* take(std::int64_t count) {
    std::byte* const at = begin_ == nullptr ? nullptr : begin_ + bytes_;
    bytes_ += base::round_up<std::int64_t>(count * static_cast<std::int64_t>(sizeof(T)), 256);
    return reinterpret_cast<T*>(at);
  }

  std::int64_t bytes() const { return bytes_; }

 private:
  std::byte* begin_;
  std::int64_t bytes_ = 0;
};

}  // namespace papilio::primitives
