#pragma once

#include <cstddef>
#include <cstdint>

#include "base/math.h"
#include "execution/cuda/check.h"

// What all calls do with their workspace and their status word.

namespace papilio::primitives {

// Queues the clearing of a call's status word, if it has one.
inline void set_no_error(std::int64_t* status, cudaStream_t stream) {
  if (status != nullptr) execution::check(cudaMemsetAsync(status, 0xFF, 8, stream), "clearing a status word");
}

// Divides a workspace. A query goes through the same steps, with null.
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
