#pragma once

#include <cstdint>

#include "sampling/tokens/first/first_collection_cuda.cuh"
#include "sampling/tokens/first/group_maxima_cuda.cuh"

// The first few of a row in order, where nothing changes its logits: the blocks of a cluster read a part each, take
// what is not below a bound that k of their threads reach, tell each other what they took, and rank it.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int few_taken = 256;                   // keys that a block has room for
inline constexpr int ranking = first_threads / 32 - 1;  // warps

struct FewMemory {
  std::uint64_t sorted[few_most];                  // of the first block: the first of the row
  std::uint64_t weights[few_most / 32][few_most];  // of each warp that draws, by category
  std::uint64_t told[most_blocks];                 // what the blocks tell of themselves
  std::uint8_t places[few_most], ranks[few_most / 32][few_most];
  TokenScale scale;             // but for the largest logit
  std::uint64_t number, least;  // of the draw; the least weight that is kept
  unsigned lowest[first_threads / 32], highest[first_threads / 32], counts[first_threads / 32];
};

// What became of a row.
struct FewFound {
  int count;        // of the first k, in order in the first block's `sorted`
  unsigned faults;  // where there are some, nothing is in order
  bool too_many;    // to be ranked here: the row is still to be drawn from
};

template <class S>
class FirstFew {
 public:
  __device__ FirstFew(FirstMemory& memory, FewMemory& few, float* maxima, int k)
      : memory_(memory), few_(few), maxima_(maxima), k_(k) {}

  // By all blocks of a cluster, with a part of the row each: takes what can be among the first. `met` is whether they
  // have begun.
  __device__ void take(const S* row, std::int64_t begin, std::int64_t end, bool& met) {
    // Nobody looks at these any more: a row ends after the barrier that follows their last use.
    if (threadIdx.x < 256) memory_.bins[threadIdx.x] = 0;
    if (threadIdx.x == 0) memory_.count = 0;
    const GroupMaxima<S, first_threads> part(row, begin, end, maxima_);
    const float largest = part.read();
    const Bound bound = find_bound(largest);
    if (bound.faults == 0 && largest >= bound.least)
      part.find(bound.least, [this](float x, std::int64_t category) {
        if (x == -__builtin_inff()) return;
        const int place = atomicAdd(&memory_.count, 1);
        if (place < few_taken) keys_of(cluster::rank())[place] = token_key(token_order(x + 0.0f), category);
      });
    __syncthreads();
    if (!met) cluster::begun();
    met = true;
    tell(bound);
  }

  // Puts the keys of this block that are among the first k where they belong; the last warp does something else
  // meanwhile. Ends with a barrier of all blocks.
  template <class Meanwhile>
  __device__ FewFound rank(const Meanwhile& meanwhile) {
    FewFound found = {0, 0, false};
    unsigned least = ~0u;  // k keys are not below it
    for (int b = 0; b < cluster::size(); ++b) {
      const std::uint64_t of = few_.told[b];
      found.count += count_of(of);
      found.faults |= faults_of(of);
      found.too_many = found.too_many || count_of(of) > few_taken;
      least = min(least, static_cast<unsigned>(of >> 32));
    }
    found.count = min(found.count, k_);
    found.too_many = found.too_many && found.faults == 0;
    if (found.faults == 0 && !found.too_many) {
      if (warp_of_thread() == ranking)
        meanwhile();
      else if (cluster::size() == 1)
        put_in_order<8>(least);
      else
        put_in_order<32>(least);
    }
    cluster::size() > 1 ? cluster::sync() : __syncthreads();
    return found;
  }

 private:
  struct Bound {
    float least;      // what k threads are not below, -infinity where fewer have a logit
    unsigned share;   // the same of the block's share of k, in the order
    unsigned faults;  // of this block
  };

  static __device__ std::uint64_t told(int count, unsigned faults, unsigned share) {
    return std::uint64_t{share} << 32 | faults << 16 | static_cast<unsigned>(min(count, few_taken + 1));
  }
  static __device__ int count_of(std::uint64_t told) { return static_cast<int>(told & 0xFFFFu); }
  static __device__ unsigned faults_of(std::uint64_t told) { return static_cast<unsigned>(told) >> 16; }

  __device__ std::uint64_t* keys_of(int block) const { return memory_.keys + block * few_taken; }

  // By all threads, the same in all: counts the threads' largest logits in bins of equal width.
  __device__ Bound find_bound(float largest) {
    const bool any = largest > -__builtin_inff();
    const unsigned order = any ? token_order(largest + 0.0f) : 0;
    const unsigned has = __popc(__ballot_sync(whole_warp, any));
    const unsigned bad = __any_sync(whole_warp, largest != largest)            ? fault_nan
                         : __any_sync(whole_warp, largest == __builtin_inff()) ? fault_infinite
                                                                               : 0;
    unsigned low = __reduce_min_sync(whole_warp, any ? order : ~0u), high = __reduce_max_sync(whole_warp, order);
    if (lane_of_thread() == 0) {
      few_.lowest[warp_of_thread()] = low;
      few_.highest[warp_of_thread()] = high;
      few_.counts[warp_of_thread()] = bad << 16 | has;
    }
    __syncthreads();
    const int other = lane_of_thread() % (first_threads / 32);
    low = __reduce_min_sync(whole_warp, few_.lowest[other]);
    high = __reduce_max_sync(whole_warp, few_.highest[other]);
    const unsigned said = few_.counts[other];
    const unsigned faults = __reduce_or_sync(whole_warp, said >> 16);
    const int all =
        static_cast<int>(__reduce_add_sync(whole_warp, lane_of_thread() < first_threads / 32 ? said & 0xFFFFu : 0));
    if (k_ == 1 && all > 0) return {logit_of_order(high), high, faults};
    const int shift = bin_shift(low, high);
    if (any) atomicAdd(&memory_.bins[(high - order) >> shift], 1u);
    __syncthreads();
    const int share = (k_ + cluster::size() - 1) / cluster::size();
    if (all < share || faults != 0) return {-__builtin_inff(), 0, faults};
    const Bins bins(memory_.bins);
    const float least = all < k_ ? -__builtin_inff() : edge_of(bins.of_kth(k_), shift, low, high);
    const float share_least = share == k_ ? least : edge_of(bins.of_kth(share), shift, low, high);
    return {least, token_order(share_least), faults};
  }

  // A histogram as one warp has it.
  class Bins {
   public:
    __device__ explicit Bins(const unsigned* bins) {
      PAPILIO_UNROLL
      for (int n = 0; n < 2; ++n) four_[n] = reinterpret_cast<const uint4*>(bins)[2 * lane_of_thread() + n];
      const unsigned mine = sum_of(four_[0]) + sum_of(four_[1]);
      to_ = sum_to_lane(mine);
      before_ = to_ - mine;
    }

    // The bin up to which there are k; there are as many.
    __device__ unsigned of_kth(int k) const {
      const auto wanted = static_cast<unsigned>(k);
      const unsigned bin[8] = {four_[0].x, four_[0].y, four_[0].z, four_[0].w,
                               four_[1].x, four_[1].y, four_[1].z, four_[1].w};
      unsigned up_to = before_, last = 8 * static_cast<unsigned>(lane_of_thread());
      PAPILIO_UNROLL
      for (int n = 0; n < 7; ++n) {
        up_to += bin[n];
        last += up_to < wanted ? 1 : 0;
      }
      const unsigned there = __ballot_sync(whole_warp, to_ >= wanted);
      return __shfl_sync(whole_warp, last, __ffs(static_cast<int>(there)) - 1);
    }

   private:
    static __device__ unsigned sum_of(uint4 x) { return x.x + x.y + x.z + x.w; }

    uint4 four_[2];
    unsigned to_, before_;
  };

  // Tells the blocks what this one took. Ends with a barrier of all of them.
  __device__ void tell(const Bound& bound) {
    const int blocks = cluster::size(), here = cluster::rank();
    const int taken = memory_.count;
    if (blocks == 1) {
      if (threadIdx.x == 0) few_.told[0] = told(taken, bound.faults, bound.share);
      return __syncthreads();
    }
    if (static_cast<int>(threadIdx.x) < blocks)
      *cluster::at(&few_.told[here], static_cast<int>(threadIdx.x)) = told(taken, bound.faults, bound.share);
    // A thread writes to one block.
    const int block = static_cast<int>(threadIdx.x) % blocks;
    if (block != here) {
      std::uint64_t* const to = cluster::at(keys_of(here), block);
      for (int n = static_cast<int>(threadIdx.x) / blocks; n < min(taken, few_taken); n += first_threads / blocks)
        to[n] = keys_of(here)[n];
    }
    cluster::sync();
  }

  // `lanes` compare a key with all others.
  template <int lanes>
  __device__ void put_in_order(unsigned least) {
    constexpr int at_once = 32 / lanes;
    const int blocks = cluster::size(), here = cluster::rank();
    const int lane = lane_of_thread() % lanes, block = lane % blocks;
    const int taken = count_of(few_.told[here]), others = count_of(few_.told[block]);
    const std::uint64_t* const other = keys_of(block);
    for (int first = warp_of_thread() * at_once; first < taken; first += ranking * at_once) {
      const int n = first + lane_of_thread() / lanes;
      const std::uint64_t key = n < taken ? keys_of(here)[n] : 0;
      if (lanes == 32 && static_cast<unsigned>(key >> 32) < least) continue;
      int before = 0;
      PAPILIO_UNROLL_FEW
      for (int j = lane / blocks; j < others; j += lanes / blocks) before += other[j] > key ? 1 : 0;
      PAPILIO_UNROLL
      for (int distance = lanes / 2; distance > 0; distance /= 2)
        before += __shfl_xor_sync(whole_warp, before, distance);
      if (lane == 0 && n < taken && before < k_) *cluster::at(&few_.sorted[before], 0) = key;
    }
  }

  FirstMemory& memory_;
  FewMemory& few_;
  float* maxima_;
  int k_;
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
