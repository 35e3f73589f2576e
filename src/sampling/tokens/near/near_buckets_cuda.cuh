#pragma once

#include <cstdint>

#include "sampling/tokens/token_cluster_cuda.cuh"
#include "sampling/tokens/token_weights_cuda.cuh"

// The logits that a block collects from a row, and buckets with counts and sums of their weights. The buckets lead to
// the logit at which a count or a sum is reached, in the order of logits or of categories.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

// The threads of a block, and what follows from them.
template <int of_block>
struct NearShape {
  static constexpr int threads = of_block, warps = threads / 32;
  static constexpr int blocks = 1024 / threads;           // of a multiprocessor, as their shared memory allows
  static constexpr unsigned capacity = 39 * threads / 2;  // the most logits that a block collects
  static constexpr unsigned aimed_at = (threads == 256 ? 13 : 15) * threads;  // leaves room for a wrong guess
  static constexpr float least_mass = threads == 256 ? 0.3f : 0.75f;          // of what top_p asks for, by the sample
  static constexpr unsigned sample = 16 * threads;                            // logits that the guess is made from
  static constexpr unsigned buckets = 2 * threads;
  static constexpr unsigned sorted = threads;      // the most members of a bucket that can be sorted
  static constexpr unsigned bits = 256 * threads;  // categories with a bit each, at the same time
};
using FewNear = NearShape<256>;
using ManyNear = NearShape<512>;  // for rows of which the filters keep more

inline constexpr unsigned near_kept = 1u << 31;  // flag of a category that the filters keep

// A logit that was collected, and its category.
struct NearLogit {
  float x;
  std::uint32_t category;
};

template <class Shape>
struct NearBuckets {
  unsigned sums[Shape::buckets][2];  // two halves of 64-bit integers
  unsigned counts[Shape::buckets];
  std::uint64_t keys[Shape::sorted];    // of the members of one bucket
  std::uint64_t sorted[Shape::sorted];  // these in order
};

// What a sample says about a row.
struct NearGuessed {
  int bins;  // from the largest logit of the sample on: what is collected
  bool given_up;
};

template <class Shape>
struct NearMemory {
  union {
    alignas(16) NearBuckets<Shape> buckets;
    unsigned bits[Shape::bits / 32];      // later, when of the buckets only `sorted` is needed
    unsigned lines[16 * Shape::threads];  // earlier: 16 words per thread, from which it collects
  };
  std::uint64_t scratch[2][Shape::warps];
  double rest_of_warp[Shape::warps], rest_of_block[most_blocks];
  unsigned largest_of_warp[Shape::warps], least_of_warp[Shape::warps];  // in the order
  NearGuessed guess;
  std::uint64_t known_sum;  // of all weights, roughly
  std::int32_t left;        // the token of the row, if it is left over
  TokenScale scale;
  unsigned count;  // of collected logits; above the capacity if some were dropped
  unsigned gathered;
  unsigned bucket, in_bucket;              // where the count or sum is reached
  std::uint64_t sum_before, count_before;  // of the buckets before
  std::uint64_t answer, answer_sum;        // the key of that logit, and the sum up to it
  std::uint64_t wanted[2];                 // the sum that top_p asks for is between these
  std::uint64_t number, least_weight;      // of the draw
  double log_total;
  unsigned rank;
};

// A block's shared memory, followed by the collected logits. Functions that are not inlined call these accessors: the
// compiler does not know that a pointer argument points to shared memory.
extern __shared__ __align__(16) unsigned char near_shared[];
template <class Shape>
__device__ __forceinline__ NearMemory<Shape>& near_memory() {
  static_assert(sizeof(NearBuckets<Shape>) - sizeof(NearBuckets<Shape>::sorted) == Shape::bits / 8);
  return *reinterpret_cast<NearMemory<Shape>*>(near_shared);
}
template <class Shape>
__device__ __forceinline__ NearLogit* near_logits() {
  return reinterpret_cast<NearLogit*>(near_shared + sizeof(NearMemory<Shape>));
}

// Called by all threads of a block.
template <class Shape>
class NearSums {
 public:
  // `count`: of collected logits.
  __device__ explicit NearSums(unsigned count) : memory_(near_memory<Shape>()), count_(count) {}

  // Calls f(n) for all collected logits.
  template <class F>
  __device__ __forceinline__ void each(F f) const {
    for (unsigned n = threadIdx.x; n < count_; n += Shape::threads) f(n);
  }

  // Calls use(n, make(n)) for all collected logits. Several calls of `make` overlap.
  template <class Make, class Use>
  __device__ __forceinline__ void each(Make make, Use use) const {
    constexpr unsigned at_once = 4;
    for (unsigned first = threadIdx.x; first < count_; first += at_once * Shape::threads) {
      decltype(make(0u)) made[at_once];
      PAPILIO_UNROLL
      for (unsigned i = 0; i < at_once; ++i) {
        const unsigned n = first + i * Shape::threads;
        made[i] = make(n < count_ ? n : first);  // one of this thread's own: others may be changing
      }
      PAPILIO_UNROLL
      for (unsigned i = 0; i < at_once; ++i)
        if (const unsigned n = first + i * Shape::threads; n < count_) use(n, made[i]);
    }
  }

  // Empties the buckets. Ends with a barrier.
  __device__ void clear() const {
    for (unsigned n = threadIdx.x; n < Shape::buckets; n += Shape::threads) {
      memory_.buckets.sums[n][0] = memory_.buckets.sums[n][1] = 0;
      memory_.buckets.counts[n] = 0;
    }
    __syncthreads();
  }

  __device__ __forceinline__ void add(unsigned bucket, std::uint64_t weight) const {
    add_halves(memory_.buckets.sums[bucket], weight);
    atomicAdd(&memory_.buckets.counts[bucket], 1u);
  }

  // Computes the sums over the buckets. Begins with a barrier. Each thread has two buckets.
  __device__ void sum_up() {
    __syncthreads();
    PAPILIO_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      const unsigned n = 2 * threadIdx.x + i;
      sums_[i] = std::uint64_t{memory_.buckets.sums[n][1]} << 32 | memory_.buckets.sums[n][0];
      counts_[i] = memory_.buckets.counts[n];
    }
    const std::uint64_t sum = sums_[0] + sums_[1], count = counts_[0] + counts_[1];
    const std::uint64_t sum_to = sum_to_lane(sum), count_to = sum_to_lane(count);
    if (lane_of_thread() == 31) {
      memory_.scratch[0][warp_of_thread()] = sum_to;
      memory_.scratch[1][warp_of_thread()] = count_to;
    }
    __syncthreads();
    const bool has = lane_of_thread() < Shape::warps;
    const std::uint64_t sum_of = has ? memory_.scratch[0][lane_of_thread() % Shape::warps] : 0;
    const std::uint64_t count_of = has ? memory_.scratch[1][lane_of_thread() % Shape::warps] : 0;
    const std::uint64_t sums_to = sum_to_lane(sum_of), counts_to = sum_to_lane(count_of);
    sum_before_ = __shfl_sync(whole_warp, sums_to - sum_of, warp_of_thread()) + sum_to - sum;
    count_before_ = __shfl_sync(whole_warp, counts_to - count_of, warp_of_thread()) + count_to - count;
    all_ = __shfl_sync(whole_warp, sums_to, 31);
    members_ = __shfl_sync(whole_warp, counts_to, 31);
  }

  // The sum and the count of all buckets.
  __device__ std::uint64_t all() const { return all_; }
  __device__ std::uint64_t members() const { return members_; }

  // Finds the logit at which the sum of weights, or the count, reaches `wanted`, which is at least 1 and at most the
  // total. bucket_of(n) is the bucket of a logit, key_of(n) its key, by which a bucket is sorted in descending order,
  // and weight_of_key the weight for a key. Returns false if the bucket has too many members to be sorted. Otherwise
  // the answer is in memory.
  template <class BucketOf, class KeyOf, class WeightOfKey>
  __device__ bool find(bool by_sum, std::uint64_t wanted, BucketOf bucket_of, KeyOf key_of,
                       WeightOfKey weight_of_key) const {
    __syncthreads();  // all threads have read the previous answer
    std::uint64_t sum_before = sum_before_, count_before = count_before_;
    PAPILIO_UNROLL
    for (unsigned i = 0; i < 2; ++i) {
      const std::uint64_t before = by_sum ? sum_before : count_before, here = by_sum ? sums_[i] : counts_[i];
      if (before < wanted && wanted <= before + here) {
        memory_.bucket = 2 * threadIdx.x + i;
        memory_.in_bucket = static_cast<unsigned>(counts_[i]);
        memory_.sum_before = sum_before;
        memory_.count_before = count_before;
      }
      sum_before += sums_[i];
      count_before += counts_[i];
    }
    if (threadIdx.x == 0) memory_.gathered = 0;
    __syncthreads();
    const unsigned members = memory_.in_bucket, bucket = memory_.bucket;
    if (members > Shape::sorted) return false;
    each(bucket_of, [&](unsigned n, unsigned of) {
      if (of == bucket) memory_.buckets.keys[atomicAdd(&memory_.gathered, 1u)] = key_of(n);
    });
    __syncthreads();
    sort(members);
    const bool has = threadIdx.x < members;
    const std::uint64_t key = has ? memory_.buckets.sorted[threadIdx.x] : 0, weight = has ? weight_of_key(key) : 0;
    std::uint64_t in_bucket;
    const std::uint64_t to = memory_.sum_before + sum_to_thread<Shape::threads>(weight, memory_.scratch[0], in_bucket);
    const bool it = by_sum ? to - weight < wanted && wanted <= to : memory_.count_before + threadIdx.x + 1 == wanted;
    if (has && it) {
      memory_.answer = key;
      memory_.answer_sum = to;
    }
    __syncthreads();
    return true;
  }

 private:
  // Sorts the keys in descending order: a warp counts the keys that come before one.
  __device__ void sort(unsigned members) const {
    const std::uint64_t* const keys = memory_.buckets.keys;
    for (auto n = static_cast<unsigned>(warp_of_thread()); n < members; n += Shape::warps) {
      const std::uint64_t key = keys[n];
      unsigned before = 0;
      for (auto other = static_cast<unsigned>(lane_of_thread()); other < members; other += 32)
        before += keys[other] > key ? 1 : 0;
      __syncwarp();
      before = __reduce_add_sync(whole_warp, before);
      if (lane_of_thread() == 0) memory_.buckets.sorted[before] = key;
    }
    __syncthreads();
  }

  NearMemory<Shape>& memory_;
  unsigned count_;
  std::uint64_t sums_[2] = {}, counts_[2] = {};      // of this thread's buckets
  std::uint64_t sum_before_ = 0, count_before_ = 0;  // of the buckets before
  std::uint64_t all_ = 0, members_ = 0;
};

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
