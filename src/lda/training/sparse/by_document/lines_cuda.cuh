#pragma once

#include <cstdint>

#include "lda/training/sparse/by_document/draws_cuda.h"

// Which topics a document has, for the thread of a lane: bits, visited in the order of topics.

namespace papilio::lda {

// Which topics of a lane (one per line) a document has: one bit for each `lines` neighbouring lines, 64 bits in all.
template <int lines>
struct FewLines {
  static constexpr int lines_per_bit = lines;
  static constexpr int blocks_per_multiprocessor = lines == 1 ? 8 : 6;
  static constexpr std::uint64_t first_bit = std::uint64_t{1} << 63;

  struct Cursor {
    std::uint32_t low, high;
    __device__ __forceinline__ bool more() const { return (low | high) != 0; }
    // The next bit's number, if there is one.
    __device__ __forceinline__ bool next(std::uint32_t& bit) {
      const bool is_high = high != 0;
      const std::uint32_t bits = is_high ? high : low;
      const std::uint32_t place = 31 - static_cast<std::uint32_t>(__clz(static_cast<int>(bits)));
      const std::uint32_t rest = bits & ~(1u << (place & 31));
      bit = (is_high ? 31 : 63) - place;
      high = is_high ? rest : 0;
      low = is_high ? low : rest;
      return bits != 0;
    }
  };

  std::uint64_t bits = 0;  // the first topic is the highest bit, which is the fastest to find

  static constexpr std::int32_t words_of(std::int32_t) { return 1; }
  __device__ __forceinline__ void load(std::uint64_t* of_lane, std::int32_t) { bits = __brevll(*of_lane); }
  __device__ __forceinline__ Cursor first() const {
    return {static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  }
  __device__ __forceinline__ void add(std::int32_t bit) { bits |= first_bit >> bit; }
  __device__ __forceinline__ void take(std::int32_t bit) { bits &= ~(first_bit >> bit); }
};

// The same for any number of lines, with a bit for each: words of bits in memory and, for up to 64 runs of words, a bit
// that is 0 only if no bit of the run is set.
struct ManyLines {
  static constexpr int lines_per_bit = 1;
  static constexpr int blocks_per_multiprocessor = 6;
  static constexpr std::int32_t step = sparse::topics_per_line;  // between words of a lane

  struct Cursor {
    const std::uint64_t* words;
    std::int32_t count;  // number of words
    int run_shift;
    std::uint64_t runs;              // those that are left
    std::int32_t word = 0, end = 0;  // in the current run
    std::uint64_t bits = 0;          // of the previous word

    __device__ __forceinline__ bool more() const { return bits != 0 || word < end || runs != 0; }
    __device__ __forceinline__ bool next(std::uint32_t& bit) {
      while (bits == 0) {
        if (word == end) {
          if (runs == 0) return false;
          word = (__ffsll(static_cast<long long>(runs)) - 1) << run_shift;
          end = min(word + (1 << run_shift), count);
          runs &= runs - 1;
        }
        bits = words[step * word++];
      }
      bit = static_cast<std::uint32_t>(64 * (word - 1) + __ffsll(static_cast<long long>(bits)) - 1);
      bits &= bits - 1;
      return true;
    }
  };

  std::uint64_t* words = nullptr;
  std::int32_t count = 0;
  int run_shift = 0;
  std::uint64_t runs = 0;

  static constexpr std::int32_t words_of(std::int32_t topics) { return document_line_words(topics); }
  __device__ __forceinline__ void load(std::uint64_t* of_lane, std::int32_t word_count) {
    words = of_lane;
    count = word_count;
    run_shift = 32 - __clz((count - 1) / 64);
    for (std::int32_t w = 0; w < count; ++w) {
      const std::uint64_t bits = words[step * w];
      if (bits != 0) runs |= std::uint64_t{1} << (w >> run_shift);
    }
  }
  __device__ __forceinline__ Cursor first() const { return {words, count, run_shift, runs}; }
  __device__ __forceinline__ void add(std::int32_t bit) {
    words[step * (bit / 64)] |= std::uint64_t{1} << (bit % 64);
    runs |= std::uint64_t{1} << (bit / 64 >> run_shift);
  }
  __device__ __forceinline__ void take(std::int32_t bit) {
    const std::uint64_t left = words[step * (bit / 64)] &= ~(std::uint64_t{1} << (bit % 64));
    if (left == 0 && run_shift == 0) runs &= ~(std::uint64_t{1} << (bit / 64));
  }
};

}  // namespace papilio::lda
