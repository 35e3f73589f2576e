#pragma once

#include <cstdint>

#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"
#include "execution/out_of_device_memory.h"

namespace papilio::lda {

// n_wk of a rank's own tokens, which follow z from sweep to sweep, if they take at most `room` bytes of the current
// device. Counting all tokens again for each sweep takes up to a seventh of its time.
class KeptCounts {
 public:
  KeptCounts() = default;
  KeptCounts(std::int64_t words, std::int32_t padded, std::int64_t room, cudaStream_t stream) : padded_(padded) {
    const std::int64_t count = words * padded;
    if (count * std::int64_t{sizeof(std::int32_t)} > room) return;
    try {
      counts_ = execution::DeviceArray<std::int32_t>(count, "counts of words");
      counts_.clear(stream);
    } catch (const execution::OutOfDeviceMemory&) {  // others have taken the room
    }
  }

  bool are_kept() const { return counts_.size() > 0; }

  // Those of a word and the words after it; null if none are kept.
  std::int32_t* from_word(std::int64_t word) { return are_kept() ? counts_.data() + word * padded_ : nullptr; }

  // Copies `count` counts, from those of a word on, if they are kept.
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
