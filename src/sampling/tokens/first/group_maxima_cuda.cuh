#pragma once

#include <cstdint>
#include <type_traits>

#include "sampling/tokens/row_tiles_cuda.cuh"
#include "sampling/tokens/token_loads_cuda.cuh"
#include "sampling/tokens/token_weights_cuda.cuh"

// A block reads its part of a row once and keeps the largest logit of each group of its threads' loads. Few groups
// contain any of the first categories, and these groups are read again.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// 16 bytes of logits, and the largest of them, which is NaN if any is.
template <class S>
struct LogitVector {
  static constexpr int width = 16 / sizeof(S);
  uint4 words;

  static __device__ __forceinline__ LogitVector none() {
    const unsigned low = minus_infinity<S>().bits;
    const unsigned word = low << 16 | low;
    return {{word, word, word, word}};
  }
  static __device__ __forceinline__ LogitVector load(const S* from) {
    return {__ldg(reinterpret_cast<const uint4*>(from))};
  }
  static __device__ __forceinline__ LogitVector load_once(const S* from) {
    return {words_read_once(reinterpret_cast<const uint4*>(from))};
  }

  __device__ __forceinline__ float operator[](int e) const {
    const unsigned word = words_at(e / 2);
    return logit_of(S{static_cast<std::uint16_t>(e % 2 == 0 ? word : word >> 16)});
  }
  __device__ __forceinline__ float largest() const {
    const unsigned of_pairs = greater(greater(words.x, words.y), greater(words.z, words.w));
    const LogitVector pair = {{of_pairs, 0, 0, 0}};
    return greater_or_nan(pair[0], pair[1]);
  }
  // Replaces each logit by the larger of it and the other one.
  __device__ __forceinline__ void join(const LogitVector& other) {
    words = {greater(words.x, other.words.x), greater(words.y, other.words.y), greater(words.z, other.words.z),
             greater(words.w, other.words.w)};
  }

 private:
  __device__ __forceinline__ unsigned words_at(int n) const {
    return n == 0 ? words.x : n == 1 ? words.y : n == 2 ? words.z : words.w;
  }
  // For both halves of a word.
  static __device__ __forceinline__ unsigned greater(unsigned a, unsigned b) {
    unsigned c;
    if constexpr (std::is_same_v<S, Half>)
      asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
    else
      asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(c) : "r"(a), "r"(b));
    return c;
  }
};

template <>
struct LogitVector<float> {
  static constexpr int width = 4;
  float4 logits;

  static __device__ __forceinline__ LogitVector none() {
    const float least = -__builtin_inff();
    return {{least, least, least, least}};
  }
  static __device__ __forceinline__ LogitVector load(const float* from) {
    return {__ldg(reinterpret_cast<const float4*>(from))};
  }
  static __device__ __forceinline__ LogitVector load_once(const float* from) {
    return {__builtin_bit_cast(float4, words_read_once(reinterpret_cast<const uint4*>(from)))};
  }

  __device__ __forceinline__ float operator[](int e) const {
    return e == 0 ? logits.x : e == 1 ? logits.y : e == 2 ? logits.z : logits.w;
  }
  __device__ __forceinline__ float largest() const {
    return greater_or_nan(greater_or_nan(logits.x, logits.y), greater_or_nan(logits.z, logits.w));
  }
  __device__ __forceinline__ void join(const LogitVector& other) {
    logits = {greater_or_nan(logits.x, other.logits.x), greater_or_nan(logits.y, other.logits.y),
              greater_or_nan(logits.z, other.logits.z), greater_or_nan(logits.w, other.logits.w)};
  }
};

// Logits as they are stored, and those of a row with a mask: -infinity if they are not allowed.
struct Unmasked {
  Unmasked() = default;
  __device__ Unmasked(const TokenCall&, std::int64_t) {}

  static __device__ __forceinline__ bool allows(std::int64_t) { return true; }
  template <class S>
  static __device__ __forceinline__ void apply(LogitVector<S>&, std::int64_t) {}
};
template <class S>
class Masked {
 public:
  __device__ Masked(const TokenCall& call, std::int64_t row) : call_(call), row_(row), mask_(call, row) {}

  __device__ __forceinline__ bool allows(std::int64_t category) const { return is_allowed(call_, row_, category); }
  // To a vector that begins with a category, all of which are in the row.
  __device__ __forceinline__ void apply(LogitVector<S>& x, std::int64_t category) const {
    auto line = __builtin_bit_cast(LogitLine<S>, x);
    LineMask<S>::apply(mask_.of_line(static_cast<unsigned>(category)), line);
    x = __builtin_bit_cast(LogitVector<S>, line);
  }

 private:
  const TokenCall& call_;
  std::int64_t row_;
  LineMask<S> mask_;
};

// For a row of adjacent logits, or a part of one. A round is a few loads by every thread; a group is what a thread
// loads in one round, or in several if the row is long. If several blocks of a cluster have the same part, they take
// turns along it.
template <class S, int threads, int blocks = 1, class Mask = Unmasked>
class GroupMaxima {
 public:
  static constexpr int most_groups = 8;  // per thread
  static constexpr int at_once = 8;      // loads per round

  // `maxima` are most_groups * threads floats of shared memory.
  __device__ GroupMaxima(const S* row, std::int64_t begin, std::int64_t end, float* maxima, const Mask& mask = {})
      : mask_(mask), mine_(maxima + threadIdx.x) {
    const auto place = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(row + begin) / sizeof(S));
    const std::int64_t count = end - begin;
    const auto head = static_cast<int>(min(count, std::int64_t{(width - place % width) % width}));
    vectors_ = static_cast<int>((count - head) / width);
    const auto tail = static_cast<int>(count - head - std::int64_t{vectors_} * width);
    const int thread = static_cast<int>(threadIdx.x), block = blocks == 1 ? 0 : cluster::rank();
    index_ = block * threads + thread;
    first_ = begin + head + width * index_;
    from_ = row + first_;
    if (block == 0 && thread < head) edge_ = begin + thread;
    if (block == 0 && thread >= head && thread < head + tail) edge_ = end - tail + (thread - head);
    if (edge_ >= 0 && mask_.allows(edge_)) at_edge_ = logit_of(row[edge_]);
    const int rounds = (vectors_ + in_round - 1) / in_round;
    of_group_ = max(1, (rounds + most_groups - 1) / most_groups);
    groups_ = (rounds + of_group_ - 1) / of_group_;
  }

  // Returns the largest logit of the thread; NaN if it has one. `streams`: that of the call.
  __device__ float read(bool streams = false) const {
    float largest = at_edge_;
    for (int g = 0, round = 0; g < groups_; ++g) {
      Vector most = Vector::none();
      for (int r = 0; r < of_group_; ++r, ++round) {
        Vector x[at_once];
        load(x, round, streams);
        PAPILIO_UNROLL
        for (int u = 0; u < at_once; ++u) most.join(x[u]);
      }
      mine_[g * threads] = most.largest();
      largest = greater_or_nan(largest, mine_[g * threads]);
    }
    return largest;
  }

  // Calls take(logit, category) for each logit of the thread that is not below `bound`. None of them is NaN.
  template <class Take>
  __device__ void find(float bound, const Take& take) const {
    if (at_edge_ >= bound) take(at_edge_, edge_);
    unsigned groups = 0;
    for (int g = 0; g < groups_; ++g) groups |= (mine_[g * threads] >= bound ? 1u : 0u) << g;
    for (; groups != 0; groups &= groups - 1) {
      const int round = (__ffs(static_cast<int>(groups)) - 1) * of_group_;
      for (int r = round; r < round + of_group_; ++r) {
        Vector x[at_once];
        load(x, r);
        unsigned vectors = 0;
        PAPILIO_UNROLL
        for (int u = 0; u < at_once; ++u) vectors |= (x[u].largest() >= bound ? 1u : 0u) << u;
        for (; vectors != 0; vectors &= vectors - 1) {
          const int n = r * in_round + (__ffs(static_cast<int>(vectors)) - 1) * in_turn;
          if (!has(n)) continue;  // false only if the bound is -infinity
          Vector again = Vector::load(from_ + std::int64_t{n} * width);
          mask_.apply(again, first_ + std::int64_t{n} * width);
          PAPILIO_UNROLL
          for (int e = 0; e < width; ++e)
            if (again[e] >= bound) take(again[e], first_ + std::int64_t{n} * width + e);
        }
      }
    }
  }

 private:
  using Vector = LogitVector<S>;
  static constexpr int width = Vector::width;
  static constexpr int in_turn = blocks * threads, in_round = at_once * in_turn;

  // Whether the thread has its vector n; vectors are counted over all threads, from the thread's first.
  __device__ __forceinline__ bool has(int n) const { return n + index_ < vectors_; }

  __device__ __forceinline__ void load(Vector (&x)[at_once], int round, bool streams = false) const {
    const int n = round * in_round;
    const S* const from = from_ + std::int64_t{n} * width;
    if (n + in_round <= vectors_ && streams) {
      PAPILIO_UNROLL
      for (int u = 0; u < at_once; ++u) x[u] = Vector::load_once(from + u * in_turn * width);
    } else if (n + in_round <= vectors_) {
      PAPILIO_UNROLL
      for (int u = 0; u < at_once; ++u) x[u] = Vector::load(from + u * in_turn * width);
    } else {
      PAPILIO_UNROLL
      for (int u = 0; u < at_once; ++u)
        x[u] = has(n + u * in_turn) ? Vector::load(from + u * in_turn * width) : Vector::none();
    }
    PAPILIO_UNROLL
    for (int u = 0; u < at_once; ++u)
      if (has(n + u * in_turn)) mask_.apply(x[u], first_ + std::int64_t{n + u * in_turn} * width);
  }

  Mask mask_;
  float* mine_;
  const S* from_;           // the thread's first vector
  std::int64_t first_;      // the category of its first logit
  std::int64_t edge_ = -1;  // the thread's category before or after the vectors
  float at_edge_ = -__builtin_inff();
  int index_;  // of the thread among those that share the row or part
  int vectors_, of_group_, groups_;
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
