#pragma once

#include <cstddef>
#include <cstdint>

#include "lda/training/sparse/by_document/lines_cuda.cuh"

// A document's counts, shared by 16 threads: each thread has a lane, that is, the topics k with k mod 16 = its number.

namespace papilio::lda {

// Starts to load a number into the cache: it is copied to the thread's own `target`, which is never read.
__device__ __forceinline__ void ask_for(const float* number, float* target) {
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(target))),
      "l"(number));
}
__device__ __forceinline__ void wait_for_what_was_asked() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// Counts below 2^23, converted exactly by bits and a subtraction, because the conversion instruction is slow.
template <class Count>
__device__ __forceinline__ float as_float(Count n) {
  if constexpr (sizeof(Count) == 4) return static_cast<float>(n);
  return __int_as_float(0x4B00'0000 | n) - 0x1p23f;
}

template <class Count, class Lines>
class CountedDocument {
 public:
  // Uses counted_document_bytes() of `memory`, which the 16 threads clear first.
  __device__ __forceinline__ CountedDocument(void* memory, std::int32_t topics)
      : lane_(static_cast<int>(threadIdx.x) % sparse::topics_per_line),
        memory_(static_cast<std::uint32_t*>(memory)),
        words_(reinterpret_cast<std::uint64_t*>(static_cast<Count*>(memory) +
                                                std::size_t{sparse::topics_per_line} * document_lines(topics)) +
               lane_),
        counts_(static_cast<Count*>(memory) + lane_ * lines_per_bit) {}

  __device__ __forceinline__ void clear(std::int32_t topics) const {
    const auto bytes = counted_document_bytes(topics, sizeof(Count));
    for (std::int64_t i = lane_; i < bytes / 16; i += sparse::topics_per_line) {
      reinterpret_cast<uint4*>(memory_)[i] = make_uint4(0, 0, 0, 0);
    }
  }

  // Counts a token; any of the threads may call it, before `load`.
  __device__ __forceinline__ void count(std::int32_t topic) const {
    constexpr int a_word = 4 / sizeof(Count);
    const std::int32_t line = topic / sparse::topics_per_line, lane = topic % sparse::topics_per_line;
    const std::int32_t at = place(line) + lane * lines_per_bit, bit = line / lines_per_bit;
    atomicAdd(memory_ + at / a_word, 1u << (8 * sizeof(Count) * (at % a_word)));
    atomicOr(reinterpret_cast<unsigned long long*>(words_ - lane_ + lane + bit / 64 * sparse::topics_per_line),
             1ull << (bit % 64));
  }
  __device__ __forceinline__ void load(std::int32_t topics) { lines_.load(words_, Lines::words_of(topics)); }

  // The number of topics in the lane.
  __device__ __forceinline__ std::int32_t size() const {
    std::int32_t count = 0;
    std::uint32_t bit;
    for (typename Lines::Cursor at = lines_.first(); at.next(bit);) {
      const Counts counts = counts_of(bit);
      for (int i = 0; i < lines_per_bit; ++i) count += counts.n[i] != 0 ? 1 : 0;
    }
    return count;
  }

  // Called by the thread of the topic's lane.
  __device__ __forceinline__ void add(std::int32_t topic) {
    const std::int32_t line = topic / sparse::topics_per_line;
    counts_[place(line)] += 1;
    lines_.add(line / lines_per_bit);
  }
  __device__ __forceinline__ void take(std::int32_t topic) {
    const std::int32_t line = topic / sparse::topics_per_line, bit = line / lines_per_bit;
    const Count left = counts_[place(line)] -= 1;
    if (left != 0) return;
    const Counts counts = counts_of(static_cast<std::uint32_t>(bit));
    bool any = false;
#pragma unroll
    for (int i = 0; i < lines_per_bit; ++i) any |= counts.n[i] != 0;
    if (!any) lines_.take(bit);
  }

  // The lane's sum of n_dk phi_k, in order; phi is the word's row.
  __device__ __forceinline__ float sum(const float* row) const {
    const float* const phi = of_lane(row);
    float sum = 0;
    for (typename Lines::Cursor at = lines_.first(); at.more();) {
      const Weights next(*this, phi, at);
#pragma unroll
      for (int i = 0; i < at_once; ++i) sum = sum + next.weight[i];
    }
    return sum;
  }

  // The first topic of the lane at which the running sum exceeds `bound`, which is below the lane's sum.
  __device__ __forceinline__ std::int32_t find(const float* row, float bound) const {
    const float* const phi = of_lane(row);
    float sum = 0;
    std::uint32_t found = 0;
    for (typename Lines::Cursor at = lines_.first(); !(sum > bound) && at.more();) {
      const Weights next(*this, phi, at);
      float running[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) running[i] = sum = sum + next.weight[i];
#pragma unroll
      for (int i = at_once - 1; i >= 0; --i) found = running[i] > bound ? next.line(i) : found;
    }
    return static_cast<std::int32_t>(sparse::topics_per_line * found) + lane_;
  }

  // Prefetches what `sum` will read.
  __device__ __forceinline__ void ask_for_row(const float* row, float* target) const {
    const float* const phi = of_lane(row);
    std::uint32_t bit;
    for (typename Lines::Cursor at = lines_.first(); at.next(bit);) {
      if constexpr (lines_per_bit == 1) {
        ask_for(phi + distance * bit, target);
      } else {
        const Counts counts = counts_of(bit);
#pragma unroll
        for (int i = 0; i < lines_per_bit; ++i) {
          if (counts.n[i] != 0) ask_for(phi + distance * bit + sparse::topics_per_line * i, target);
        }
      }
    }
  }

 private:
  static constexpr int lines_per_bit = Lines::lines_per_bit;
  static constexpr int bits_at_once = lines_per_bit == 1 ? 4 : 2;
  static constexpr int at_once = bits_at_once * lines_per_bit;
  static constexpr std::uint64_t distance = sparse::topics_per_line * lines_per_bit;  // from bit to bit

  // The counts of the neighbouring lines that share a bit; they are adjacent in memory.
  struct alignas(sizeof(Count) * lines_per_bit) Counts {
    Count n[lines_per_bit];
  };
  __device__ __forceinline__ Counts counts_of(std::uint32_t bit) const {
    return *reinterpret_cast<const Counts*>(counts_ + distance * bit);
  }

  // Where a line's count is, relative to the lane's first.
  __device__ __forceinline__ static std::int32_t place(std::int32_t line) {
    return line / lines_per_bit * static_cast<std::int32_t>(distance) + line % lines_per_bit;
  }

  // Keeps the address in registers; to save them, the compiler would compute it again for each topic.
  __device__ __forceinline__ const float* of_lane(const float* row) const {
    const float* first = row + lane_;
    asm volatile("" : "+l"(first));
    return first;
  }

  // Weights of `at_once` topics, loaded together; 0 if a topic does not exist.
  struct Weights {
    std::uint32_t bit[bits_at_once];
    float weight[at_once];

    __device__ __forceinline__ std::uint32_t line(int i) const {
      return lines_per_bit * bit[i / lines_per_bit] + i % lines_per_bit;
    }

    __device__ __forceinline__ Weights(const CountedDocument& document, const float* phi, typename Lines::Cursor& at) {
      bool is_there[bits_at_once];
      Counts counts[bits_at_once] = {};
#pragma unroll
      for (int b = 0; b < bits_at_once; ++b) is_there[b] = at.next(bit[b]);
#pragma unroll
      for (int b = 0; b < bits_at_once; ++b) {
        if (is_there[b]) counts[b] = document.counts_of(bit[b]);
      }
      float x[at_once] = {};
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const int b = i / lines_per_bit, j = i % lines_per_bit;
        const bool reads = lines_per_bit == 1 ? is_there[b] : counts[b].n[j] != 0;
        if (reads) x[i] = __ldg(phi + distance * bit[b] + sparse::topics_per_line * j);
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        weight[i] = as_float(counts[i / lines_per_bit].n[i % lines_per_bit]) * x[i];
      }
    }
  };

  const int lane_;
  std::uint32_t* const memory_;
  std::uint64_t* const words_;  // the lane's bits
  Count* const counts_;         // the lane's counts
  Lines lines_;
};

}  // namespace papilio::lda
