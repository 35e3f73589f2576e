#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "execution/cuda/check.h"

namespace papilio::execution {

// Page-locked host memory: copies from it run at the same time as other work.
class PinnedBytes {
 public:
  explicit PinnedBytes(std::int64_t bytes) {
    check(cudaMallocHost(&data_, static_cast<std::size_t>(bytes)), "allocating page-locked memory");
  }
  ~PinnedBytes() { cudaFreeHost(data_); }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  void* data_ = nullptr;
};

}  // namespace papilio::execution
