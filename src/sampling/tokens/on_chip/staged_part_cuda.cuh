#pragma once

#include <cstdint>

#include "sampling/tokens/row_tiles_cuda.cuh"
#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/token_cluster_cuda.cuh"
#include "sampling/tokens/token_logits.h"

// A part of a row on its way into shared memory, as it is stored: the memory engine copies it while the threads do
// something else.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// Storage that begins at a multiple of 16 bytes. A logit keeps its place within 16 bytes, so that all but a few go 16
// bytes at a time wherever the row begins.
template <class S>
class StagedPart {
 public:
  static constexpr unsigned in_line = 16 / sizeof(S);

  // Memory for `count` logits, and so many entries before them, rounded up to whole groups.
  static constexpr std::int64_t bytes(std::int64_t count, std::int64_t group, std::int64_t before) {
    return (before + count + group - 1) / group * group * static_cast<std::int64_t>(sizeof(S));
  }

  // `arrived` was initialized by thread 0.
  __device__ StagedPart(S* part, std::uint64_t* arrived) : part_(part), arrived_(arrived) {}

  // Begins to copy `count` logits, and puts -infinity around them until there are whole groups. By all threads.
  __device__ void start(const S* from, unsigned count, unsigned group) {
    before_ = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) / sizeof(S) % in_line);
    groups_ = (before_ + count + group - 1) / group;
    lines_ = groups_ * group / in_line;
    const unsigned head = min(count, (in_line - before_) % in_line);
    const unsigned middle = (count - head) / in_line * in_line, end = before_ + count;
    S* const to = part_ + before_;
    copy_lines(to + head, from + head, middle);
    if (threadIdx.x < head) to[threadIdx.x] = from[threadIdx.x];
    if (threadIdx.x < count - head - middle) to[head + middle + threadIdx.x] = from[head + middle + threadIdx.x];
    if (threadIdx.x < before_) part_[threadIdx.x] = minus_infinity<S>();
    for (unsigned n = end + threadIdx.x; n < groups_ * group; n += blockDim.x) part_[n] = minus_infinity<S>();
  }

  // The same for logits of 16 bits, which become floats. They are not copied while the threads do something else.
  template <class Narrow>
  __device__ void start_widened(const Narrow* from, unsigned count, unsigned group) {
    using Line = LogitLine<Narrow>;
    constexpr unsigned at_once = 4;
    before_ = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) / sizeof(Narrow) % Line::size);
    groups_ = (before_ + count + group - 1) / group;
    lines_ = groups_ * group / in_line;
    copy_lines(nullptr, nullptr, 0);
    const unsigned end = before_ + count;
    const Narrow* const lines = from - before_;  // from the beginning of a line
    for (unsigned first = threadIdx.x; first < groups_ * group / Line::size; first += at_once * blockDim.x) {
      Line line[at_once];
      PAPILIO_UNROLL
      for (unsigned u = 0; u < at_once; ++u) {
        const unsigned entry = (first + u * blockDim.x) * Line::size;
        line[u] = Line::empty();
        if (entry >= before_ && entry + Line::size <= end)
          line[u] = __builtin_bit_cast(Line, __ldg(reinterpret_cast<const uint4*>(lines + entry)));
      }
      PAPILIO_UNROLL
      for (unsigned u = 0; u < at_once; ++u) {
        const unsigned entry = (first + u * blockDim.x) * Line::size;
        if (entry >= groups_ * group) break;
        const bool whole = entry >= before_ && entry + Line::size <= end;
        PAPILIO_UNROLL
        for (unsigned e = 0; e < Line::size; ++e) {
          const bool some = !whole && entry + e >= before_ && entry + e < end;
          part_[entry + e] = some ? logit_of(lines[entry + e]) : line[u][e];
        }
      }
    }
  }

  // Waits until all is there. By all threads.
  __device__ void wait() const {
    __syncthreads();
    arrival::wait(arrived_);
  }

  __device__ unsigned groups() const { return groups_; }
  // How many entries come before the first logit.
  __device__ unsigned before() const { return before_; }
  __device__ const S* logits() const { return part_; }
  __device__ float operator[](unsigned entry) const { return logit_of(part_[entry]); }
  __device__ void add(unsigned entry, S x) const { part_[entry] += x; }

  // Four entries from a multiple of 4 on.
  __device__ __forceinline__ float4 four(unsigned entry) const {
    const Four x = *reinterpret_cast<const Four*>(part_ + entry);
    return {logit_of(x.at[0]), logit_of(x.at[1]), logit_of(x.at[2]), logit_of(x.at[3])};
  }

  // The largest of what the threads look at, NaN if one is: together they look at all.
  __device__ __forceinline__ float largest_of_thread() const {
    const auto* const lines = reinterpret_cast<const LogitLine<S>*>(part_);
    LogitLine<S> most = lines[threadIdx.x % lines_];
    PAPILIO_UNROLL_FEW
    for (unsigned n = threadIdx.x + blockDim.x; n < lines_; n += blockDim.x) {
      const LogitLine<S> line = lines[n];
      PAPILIO_UNROLL
      for (unsigned w = 0; w < 4; ++w) most.words[w] = greater_words(most.words[w], line.words[w], S());
    }
    return largest_of_word(greatest_word(most), S());
  }

  // The same, -infinity where a bit is missing; such entries are NaN from now on.
  __device__ __forceinline__ float4 four_allowed(unsigned entry, unsigned bits) const {
    Four* const place = reinterpret_cast<Four*>(part_ + entry);
    const float4 x = four(entry);
    if (bits == 0xFu) return x;
    const auto has = [&](unsigned i) { return (bits >> i & 1u) != 0; };
    Four left = *place;
    PAPILIO_UNROLL
    for (unsigned i = 0; i < 4; ++i) left.at[i] = has(i) ? left.at[i] : not_a_number<S>();
    *place = left;
    const float none = -__builtin_inff();
    return {has(0) ? x.x : none, has(1) ? x.y : none, has(2) ? x.z : none, has(3) ? x.w : none};
  }

 private:
  struct alignas(4 * sizeof(S)) Four {
    S at[4];
  };

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  __device__ __forceinline__ void copy_lines(S* to, const S* from, unsigned count) const {
    if (threadIdx.x != 0) return;
    const unsigned bytes = count * static_cast<unsigned>(sizeof(S));
    arrival::expect(arrived_, bytes);
    if (bytes != 0)
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                       arrival::address(to)),
                   "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(arrival::address(arrived_))
                   : "memory");
  }
#else
  __device__ __forceinline__ void copy_lines(S* to, const S* from, unsigned count) const {
    for (unsigned n = threadIdx.x; n < count / in_line; n += blockDim.x)
      reinterpret_cast<uint4*>(to)[n] = __ldg(reinterpret_cast<const uint4*>(from) + n);
  }
#endif

  S* part_;
  std::uint64_t* arrived_;
  unsigned before_ = 0, groups_ = 0, lines_ = 0;
};

// The mask of a staged part as one thread needs it: the bits of its four logits in each group.
template <class S>
class PartMask {
 public:
  // All are allowed.
  __device__ PartMask() {}

  // Asks for the bits while the logits are on their way. `begin` is the category of the part's first logit.
  __device__ PartMask(const TokenCall& call, std::int64_t row, std::int64_t begin, const StagedPart<S>& part,
                      unsigned group)
      : call_(&call), part_(&part), row_(row), group_(group) {
    first_ = static_cast<std::int32_t>(begin) - static_cast<std::int32_t>(part.before() - 4 * threadIdx.x);
    if (call.allowed == nullptr) return;
    PAPILIO_UNROLL
    for (unsigned g = 0; g < packs * in_pack; ++g)
      if (g < part.groups()) bits_[g / in_pack] |= std::uint64_t{ask(g)} << (4 * (g % in_pack));
  }

  // Four entries, of which those that are not allowed become NaN. A row with a NaN of its own is abandoned at once, so
  // from here on NaN means masked: fminf and fmaxf pass over it, comparisons are false, and it weighs nothing.
  __device__ __forceinline__ float4 four(unsigned g) const {
    const unsigned entry = g * group_ + 4 * threadIdx.x;
    if (call_->allowed == nullptr) return part_->four(entry);
    if (g >= packs * in_pack) return part_->four_allowed(entry, ask(g));
    const std::uint64_t pack = g < in_pack ? bits_[0] : bits_[packs - 1];
    return part_->four_allowed(entry, static_cast<unsigned>(pack >> (4 * (g % in_pack))) & 0xFu);
  }

 private:
  // Most parts have no more groups than these.
  static constexpr unsigned in_pack = 16, packs = 4 / sizeof(S);

  __device__ __forceinline__ unsigned ask(unsigned g) const {
    return allowed_from(*call_, row_, first_ + static_cast<std::int32_t>(g * group_));
  }

  const TokenCall* call_ = nullptr;
  const StagedPart<S>* part_ = nullptr;
  std::int64_t row_ = 0;
  unsigned group_ = 0;
  std::int32_t first_ = 0;  // category of this thread's first entry
  std::uint64_t bits_[packs] = {};
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
