#pragma once

#include <cstddef>
#include <cstdint>

#include "collective/block.cuh"
#include "collective/warp_scan.cuh"
#include "lda/training/sparse/parallel/word_part_cuda.cuh"

// What a block keeps for a word with far fewer tokens than there are topics: the topics that it has and, for each group
// of 32 topics, which of them these are. So the cost of a word is proportional to its tokens, while a row of phi would
// cost time for all topics. The sums, and therefore the draws, are those of word_part_cuda.cuh.

namespace papilio::lda {

// A word of few tokens, in shared memory.
class WordOfFewTopics {
 public:
  // For words of up to `most` tokens; uses few_topics_bytes(masses.padded, most) of `memory`.
  __device__ WordOfFewTopics(void* memory, const PaddedTopicMasses& all_masses, std::int32_t most)
      : masses(all_masses),
        beta_(static_cast<float>(all_masses.beta)),
        sets_(static_cast<uint2*>(memory)),
        ends_(reinterpret_cast<std::uint64_t*>(sets_ + all_masses.padded / 32)),
        topics_(reinterpret_cast<std::int32_t*>(ends_ + most)),
        counts_(topics_ + most),
        with_beta_(reinterpret_cast<float*>(counts_ + most)),
        found_(reinterpret_cast<std::int32_t*>(with_beta_ + most + 1)) {}

  // Computes all of this for an item's word; called by all threads of the block.
  template <class Entry, int threads>
  __device__ __forceinline__ void count_tokens(const SparseDraw<Entry>& draw, const SparseItem& item) {
    const int thread = static_cast<int>(threadIdx.x);
    for (int s = 2 * thread; s < masses.padded / 32; s += 2 * threads) {
      *reinterpret_cast<uint4*>(sets_ + s) = make_uint4(0, 0, 0, 0);
    }
    for (int i = thread; i < item.count; i += threads) counts_[i] = 0;
    wait_for_the_others<threads>();
    const auto topic_of = [&](int t) { return int{draw.z[token_number(draw, std::int64_t{item.first} + t)]}; };
    for (int t = thread; t < item.count; t += threads) {
      const int k = topic_of(t);
      atomicOr(&sets_[k / 32].x, 1u << k % 32);
    }
    wait_for_the_others<threads>();
    if (thread < 32) number_topics();
    wait_for_the_others<threads>();
    for (int t = thread; t < item.count; t += threads) {
      const int k = topic_of(t), at = place_of(sets_[k / 32], k);
      topics_[at] = k;
      atomicAdd(counts_ + at, 1);
    }
    wait_for_the_others<threads>();
    if (thread < 32) add_up();
    wait_for_the_others<threads>();
    topic_count_ = *found_;
    mass = ends_[topic_count_ - 1];
  }

  __device__ __forceinline__ float phi(std::int32_t k) const {
    return scaled_phi(4 * static_cast<std::uint32_t>(k)) * masses.unscale;
  }
  __device__ __forceinline__ float scaled_phi(std::uint32_t place) const {
    const auto k = static_cast<std::int32_t>(place / 4);
    const uint2 set = sets_[k / 32];
    const float with_tokens = with_beta_[place_of(set, k)];
    return (has(set, k) ? with_tokens : beta_) * __ldg(masses.inverse + k);
  }

  __device__ __forceinline__ std::int32_t count(std::int32_t k) const {
    const uint2 set = sets_[k / 32];
    return has(set, k) ? counts_[place_of(set, k)] : 0;
  }

  // Like WordOfItem::find. `without` is never found: without what it takes, its sum equals that of the topic before it.
  __device__ __forceinline__ std::int32_t find(std::uint64_t x, std::int32_t without, std::uint64_t taken) const {
    int found = 0, left = topic_count_ - 1;
    while (left > 0) {
      const int half = left / 2, i = found + half;
      if (ends_[i] - (topics_[i] >= without ? taken : 0) > x) {
        left = half;
      } else {
        found += half + 1;
        left -= half + 1;
      }
    }
    return topics_[found];
  }

  const PaddedTopicMasses& masses;
  std::uint64_t mass = 0;  // of the word part

 private:
  // x: which of 32 topics the word has; y: how many it has before them.
  __device__ __forceinline__ static bool has(uint2 set, std::int32_t k) { return (set.x >> k % 32 & 1u) != 0; }
  __device__ __forceinline__ static int place_of(uint2 set, std::int32_t k) {
    return static_cast<int>(set.y) + __popc(set.x & ((1u << k % 32) - 1));
  }

  // Called by one warp; each thread handles four sets at a time.
  __device__ __forceinline__ void number_topics() {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    int before = 0;
    for (int first = 0; first < masses.padded / 32; first += 128) {
      const int s = first + 4 * lane;
      uint2 four[4] = {};
      int sum = 0;
      if (s < masses.padded / 32) {  // it is a multiple of 4
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          four[i] = sets_[s + i];
          sum += __popc(four[i].x);
        }
      }
      const int until = cuda::collective::warp_scan(sum);
      int at = before + until - sum;
      if (s < masses.padded / 32) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          sets_[s + i].y = static_cast<unsigned>(at);
          at += __popc(four[i].x);
        }
      }
      before += __shfl_sync(cuda::collective::all_threads, until, 31);
    }
    if (lane == 0) *found_ = before;
  }

  // Called by one warp: computes n_wk + beta and the running sums.
  __device__ __forceinline__ void add_up() {
    const int lane = static_cast<int>(threadIdx.x) % 32, topics = *found_;
    std::uint64_t before = 0;
    for (int first = 0; first < topics; first += 32) {
      const int i = first + lane;
      std::uint64_t sum = 0;
      if (i < topics) {
        with_beta_[i] = static_cast<float>(counts_[i]) + beta_;
        sum = masses.word_masses[topics_[i]] * static_cast<std::uint64_t>(counts_[i]);
      }
      sum = cuda::collective::warp_scan(sum) + before;
      before = __shfl_sync(cuda::collective::all_threads, sum, 31);
      if (i < topics) ends_[i] = sum;
    }
  }

  const float beta_;
  uint2* const sets_;           // padded / 32
  std::uint64_t* const ends_;   // for each topic that the word has, the running sum of the word part
  std::int32_t* const topics_;  // in ascending order
  std::int32_t* const counts_;  // n_wk of each
  float* const with_beta_;      // n_wk + beta of each; one more may be read
  std::int32_t* const found_;   // the number of topics
  std::int32_t topic_count_ = 0;
};

}  // namespace papilio::lda
