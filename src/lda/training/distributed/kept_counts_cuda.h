#pragma once

#include <cstdint>

#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"
#include "execution/out_of_device_memory.h"

namespace papilio::lda {

// n_wk of a rank's own tokens, kept up to date with z from sweep to sweep if it takes at most `room` bytes of the
// current device. Otherwise all tokens are counted again in each sweep, which takes up to a seventh of its time.
class KeptCounts {
 public:
  KeptCounts() = default;
  KeptCounts(std::int64_t words, std::int32_t padded, std::int64_t room, cudaStream_t stream) : padded_(padded) {
    const std::int64_t count = words * padded;
    if (count * std::int64_t{sizeof(std::int32_t)} > room) return;
    try {
      counts_ = execution::DeviceArray<std::int32_t>(count, "counts of words");
      counts_.clear(stream);
    } catch (const execution::OutOfDeviceMemory&) {  // others have taken the memory
    }
  }

  bool are_kept() const { return counts_.size() > 0; }

  // The counts from a word on; null if none are kept.
  std::int32_t* from_word(std::int64_t word) { return are_kept() ? counts_.data() + word * padded_ : nullptr; }

  // Copies `count` counts, from those of a word on, if counts are kept.
  bool copy(std::int64_t word, std::int64_t count, execution::DeviceArray<std::int32_t>& to, cudaStream_t stream) {
    if (!are_kept()) return false;
    execution::check(cudaMemcpyAsync(to.data(), from_word(word), static_cast<std::size_t>(count) * sizeof(std::int32_t),
                                     cudaMemcpyDeviceToDevice, stream),
                     "a copy on the device");
    return true;
  }

  std::int64_t bytes() const { return counts_.bytes(); }

 private:
  std::int32_t padded_ = 0;
  execution::DeviceArray<std::int32_t> counts_;
};

}  // namespace papilio::lda
