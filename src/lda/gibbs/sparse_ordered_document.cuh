#pragma once

#include <cstddef>
#include <cstdint>

#include "lda/gibbs/sparse_ordered_cuda.h"

// A document's counts, for the 16 threads that have it: a thread has a lane, the topics k with k mod 16 its number.

namespace papilio::lda {

// Which topics of a lane, one a line, a document has: of up to 64 lines.
struct FewLines {
  static constexpr int blocks_a_multiprocessor = 8;

  struct Cursor {
    std::uint64_t bits;
    __device__ __forceinline__ bool more() const { return bits != 0; }
    // The next line; -1: there is none.
    __device__ __forceinline__ std::int32_t next() {
      const std::int32_t line = __ffsll(static_cast<long long>(bits)) - 1;
      bits &= bits - 1;
      return line;
    }
  };

  std::uint64_t bits = 0;

  __device__ __forceinline__ void load(std::uint64_t* of_lane, std::int32_t) { bits = *of_lane; }
  __device__ __forceinline__ std::int32_t size() const { return __popcll(bits); }
  __device__ __forceinline__ Cursor first() const { return {bits}; }
  __device__ __forceinline__ void add(std::int32_t line) { bits |= std::uint64_t{1} << line; }
  __device__ __forceinline__ void take(std::int32_t line) { bits &= ~(std::uint64_t{1} << line); }
};

// The same of any number of lines: words of bits in memory, and of up to 64 runs of words whether a bit may be set.
struct ManyLines {
  static constexpr int blocks_a_multiprocessor = 6;
  static constexpr std::int32_t step = sparse::topics_a_line;  // from word to word of a lane

  struct Cursor {
    const std::uint64_t* words;
    std::int32_t count;  // words
    int run_shift;
    std::uint64_t runs;              // that are left
    std::int32_t word = 0, end = 0;  // of a run
    std::uint64_t bits = 0;          // of the word before

    __device__ __forceinline__ bool more() const { return bits != 0 || word < end || runs != 0; }
    __device__ __forceinline__ std::int32_t next() {
      while (bits == 0) {
        if (word == end) {
          if (runs == 0) return -1;
          word = (__ffsll(static_cast<long long>(runs)) - 1) << run_shift;
          end = min(word + (1 << run_shift), count);
          runs &= runs - 1;
        }
        bits = words[step * word++];
      }
      const std::int32_t line = 64 * (word - 1) + __ffsll(static_cast<long long>(bits)) - 1;
      bits &= bits - 1;
      return line;
    }
  };

  std::uint64_t* words = nullptr;
  std::int32_t count = 0;
  int run_shift = 0;
  std::uint64_t runs = 0;
  std::int32_t topics = 0;  // when loaded

  __device__ __forceinline__ void load(std::uint64_t* of_lane, std::int32_t word_count) {
    words = of_lane;
    count = word_count;
    run_shift = 32 - __clz((count - 1) / 64);
    for (std::int32_t w = 0; w < count; ++w) {
      const std::uint64_t bits = words[step * w];
      topics += __popcll(bits);
      if (bits != 0) runs |= std::uint64_t{1} << (w >> run_shift);
    }
  }
  __device__ __forceinline__ std::int32_t size() const { return topics; }
  __device__ __forceinline__ Cursor first() const { return {words, count, run_shift, runs}; }
  __device__ __forceinline__ void add(std::int32_t line) {
    words[step * (line / 64)] |= std::uint64_t{1} << (line % 64);
    runs |= std::uint64_t{1} << (line / 64 >> run_shift);
  }
  __device__ __forceinline__ void take(std::int32_t line) {
    const std::uint64_t left = words[step * (line / 64)] &= ~(std::uint64_t{1} << (line % 64));
    if (left == 0 && run_shift == 0) runs &= ~(std::uint64_t{1} << (line / 64));
  }
};

// Has a number on its way to the cache: a copy of it goes to the thread's own `target`, which nobody reads.
__device__ __forceinline__ void ask_for(const float* number, float* target) {
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(target))),
      "l"(number));
}
__device__ __forceinline__ void wait_for_what_was_asked() { asm volatile("cp.async.wait_all;" ::: "memory"); }

template <class Count, class Lines>
class OrderedDocument {
 public:
  // Of `memory`, ordered_counts_bytes(), which the 16 threads clear first.
  __device__ __forceinline__ OrderedDocument(void* memory, std::int32_t topics)
      : lane_(static_cast<int>(threadIdx.x) % sparse::topics_a_line),
        memory_(static_cast<std::uint32_t*>(memory)),
        words_(reinterpret_cast<std::uint64_t*>(static_cast<Count*>(memory) +
                                                std::size_t{sparse::topics_a_line} * ordered_lines(topics)) +
               lane_),
        counts_(static_cast<Count*>(memory) + lane_) {}

  __device__ __forceinline__ void clear(std::int32_t topics) const {
    const auto bytes = ordered_counts_bytes(topics, sizeof(Count));
    for (std::int64_t i = lane_; i < bytes / 16; i += sparse::topics_a_line) {
      reinterpret_cast<uint4*>(memory_)[i] = make_uint4(0, 0, 0, 0);
    }
  }

  // Counts a token, by any of the threads, before `load`.
  __device__ __forceinline__ void count(std::int32_t topic) const {
    constexpr int a_word = 4 / sizeof(Count);
    atomicAdd(memory_ + topic / a_word, 1u << (8 * sizeof(Count) * (topic % a_word)));
    const std::int32_t line = topic / sparse::topics_a_line, lane = topic % sparse::topics_a_line;
    atomicOr(reinterpret_cast<unsigned long long*>(words_ - lane_ + lane + line / 64 * sparse::topics_a_line),
             1ull << (line % 64));
  }
  __device__ __forceinline__ void load(std::int32_t topics) { lines_.load(words_, ordered_line_words(topics)); }

  // Topics of the lane, before any is added or taken.
  __device__ __forceinline__ std::int32_t size() const { return lines_.size(); }

  // By the thread of the topic's lane.
  __device__ __forceinline__ void add(std::int32_t topic) {
    const std::int32_t line = topic / sparse::topics_a_line;
    counts_[sparse::topics_a_line * line] += 1;
    lines_.add(line);
  }
  __device__ __forceinline__ void take(std::int32_t topic) {
    const std::int32_t line = topic / sparse::topics_a_line;
    const Count left = counts_[sparse::topics_a_line * line] -= 1;
    if (left == 0) lines_.take(line);
  }

  // The lane's sum of n_dk phi_k, downwards; phi is the word's row.
  __device__ __forceinline__ float sum(const float* phi) const {
    float sum = 0;
    for (typename Lines::Cursor at = lines_.first(); at.more();) {
      const Weights next(*this, phi + lane_, at);
#pragma unroll
      for (int i = 0; i < at_once; ++i) sum = sum + next.weight[i];
    }
    return sum;
  }

  // The first topic of the lane at which its sum is above `bound`, which is below the sum of all.
  __device__ __forceinline__ std::int32_t find(const float* phi, float bound) const {
    float sum = 0;
    std::int32_t found = -1;
    for (typename Lines::Cursor at = lines_.first(); !(sum > bound) && at.more();) {
      const Weights next(*this, phi + lane_, at);
      float running[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) running[i] = sum = sum + next.weight[i];
#pragma unroll
      for (int i = at_once - 1; i >= 0; --i) found = running[i] > bound ? next.line[i] : found;
    }
    return sparse::topics_a_line * found + lane_;
  }

  // Asks for what `sum` will read.
  __device__ __forceinline__ void ask_for_row(const float* phi, float* target) const {
    for (typename Lines::Cursor at = lines_.first(); at.more();) {
      const std::int32_t line = at.next();
      if (line >= 0) ask_for(phi + lane_ + sparse::topics_a_line * std::int64_t{line}, target);
    }
  }

 private:
  static constexpr int at_once = 4;

  // Of so many topics, loaded together.
  struct Weights {
    std::int32_t line[at_once];
    float weight[at_once];

    __device__ __forceinline__ Weights(const OrderedDocument& document, const float* phi, typename Lines::Cursor& at) {
      Count n[at_once] = {};
      float x[at_once] = {};
#pragma unroll
      for (int i = 0; i < at_once; ++i) line[i] = at.next();
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        if (line[i] < 0) continue;
        const auto k = sparse::topics_a_line * std::uint64_t{static_cast<std::uint32_t>(line[i])};
        n[i] = document.counts_[k];
        x[i] = __ldg(phi + k);
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) weight[i] = static_cast<float>(n[i]) * x[i];
    }
  };

  const int lane_;
  std::uint32_t* const memory_;
  std::uint64_t* const words_;  // of the lane
  Count* const counts_;         // likewise, 16 apart
  Lines lines_;
};

}  // namespace papilio::lda
