#pragma once

#include <cuda_runtime_api.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

#include "base/math.h"
#include "execution/cpu/fresh_memory.h"
#include "execution/cpu/huge_pages.h"
#include "execution/cuda/check.h"

namespace papilio::execution {

// Page-locked host memory: copies from it run at the same time as other work.
class PinnedBytes {
 public:
  explicit PinnedBytes(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
    if (bytes_ < huge_page || bytes_ > most_registered || !lock_huge_pages()) {
      check(cudaMallocHost(&data_, bytes_), "allocating page-locked memory");
    }
  }
  ~PinnedBytes() {
    if (!is_registered_) {
      cudaFreeHost(data_);
      return;
    }
    if (cudaHostUnregister(data_) == cudaSuccess) free_fresh(data_, bytes_);  // else the device may still use it
  }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  // Larger memory is left to the driver, which refuses it if the system does not have that much.
  static constexpr std::size_t most_registered = std::size_t{1} << 28;

  // Locking takes time per page, and the memory that the driver allocates has small pages.
  bool lock_huge_pages() {
    const std::size_t whole = base::round_up(bytes_, huge_page);
    void* const memory = allocate_fresh(whole);
    madvise(memory, whole, MADV_DONTFORK);  // a forked child must not share pages that the device uses
    touch_fresh(memory, whole, 0);
    if (cudaHostRegister(memory, whole, cudaHostRegisterDefault) != cudaSuccess) {
      cudaGetLastError();  // not the error of a later call
      free_fresh(memory, whole);
      return false;
    }
    bytes_ = whole;
    data_ = memory;
    is_registered_ = true;
    return true;
  }

  void* data_ = nullptr;
  std::size_t bytes_;
  bool is_registered_ = false;
};

}  // namespace papilio::execution
