#pragma once

#include <cstdint>

#include "collective/warp_scan.cuh"
#include "lda/training/sparse/parallel/word_part_cuda.cuh"

// Words of few tokens, without a row: a group of neighbouring threads, one for each token, has a word, and a warp has
// several words. The sums are those of word_part_cuda.cuh.

namespace papilio::lda {

inline constexpr std::int32_t no_topic = 0x7FFFFFFF;

// A word of at most tokens_of_rare tokens, in the registers of its threads.
class RareWord {
 public:
  // inverse: PaddedTopicMasses::inverse or a copy. topic: that of the thread's token, or no_topic if it has
  // none. All threads of the warp call this.
  __device__ __forceinline__ RareWord(const PaddedTopicMasses& all_masses, const float* inverse, std::int32_t topic)
      : masses(all_masses), inverse_(inverse), beta_(static_cast<float>(all_masses.beta)) {
    static_assert(tokens_of_rare == 4);
#pragma unroll
    for (int i = 0; i < tokens_of_rare; ++i) {
      topics_[i] = __shfl_sync(cuda::collective::all_threads, topic, i, tokens_of_rare);
    }
    order(0, 1), order(2, 3), order(0, 2), order(1, 3), order(1, 2);
#pragma unroll
    for (int i = 0; i < tokens_of_rare; ++i) {
      if (topics_[i] != no_topic) mass += __ldg(masses.word_masses + topics_[i]);
    }
  }

  __device__ __forceinline__ float phi(std::int32_t k) const {
    return scaled_phi(4 * static_cast<std::uint32_t>(k)) * masses.unscale;
  }
  __device__ __forceinline__ float scaled_phi(std::uint32_t place) const {
    const auto k = static_cast<std::int32_t>(place / 4);
    return sparse::phi_of_count(count(k), beta_, inverse_[k]);
  }

  __device__ __forceinline__ std::int32_t count(std::int32_t k) const {
    std::int32_t n = 0;
#pragma unroll
    for (int i = 0; i < tokens_of_rare; ++i) n += topics_[i] == k ? 1 : 0;
    return n;
  }

  // Like WordOfItem::find.
  __device__ __forceinline__ std::int32_t find(std::uint64_t x, std::int32_t without, std::uint64_t) const {
    std::uint64_t sum = 0;
    std::int32_t found = no_topic;
#pragma unroll
    for (int i = 0; i < tokens_of_rare; ++i) {
      const std::int32_t k = topics_[i];
      if (k == no_topic || k == without || found != no_topic) continue;
      sum += __ldg(masses.word_masses + k);
      if (sum > x) found = k;
    }
    return found;
  }

  const PaddedTopicMasses& masses;
  std::uint64_t mass = 0;  // of the word part

 private:
  __device__ __forceinline__ void order(int i, int j) {
    const std::int32_t a = topics_[i], b = topics_[j];
    topics_[i] = min(a, b), topics_[j] = max(a, b);
  }

  const float* const inverse_;
  const float beta_;
  std::int32_t topics_[tokens_of_rare];  // of its tokens, in ascending order
};

// What a block keeps for `words` words of at most `tokens` tokens at a time. Four words share a table,
// which has four bytes per topic.
template <int words, int tokens>
struct TableOfWords {
  static constexpr int of_table = 4;
  static_assert(words % of_table == 0);

  float* inverse;         // padded: PaddedTopicMasses::inverse
  std::uint32_t* counts;  // words / of_table tables of `padded`
  std::uint64_t* ends;    // for each token
  std::int32_t* topics;   // for each token

  static constexpr std::int64_t bytes(std::int32_t padded) {
    return std::int64_t{padded} * 4 * (1 + words / of_table) + std::int64_t{words} * tokens * 12;
  }

  __device__ TableOfWords(void* memory, std::int32_t padded)
      : inverse(static_cast<float*>(memory)),
        counts(reinterpret_cast<std::uint32_t*>(inverse + padded)),
        ends(reinterpret_cast<std::uint64_t*>(counts + std::int64_t{padded} * (words / of_table))),
        topics(reinterpret_cast<std::int32_t*>(ends + words * tokens)) {}

  // Called by all threads of the block; waits for all of them.
  template <int threads>
  __device__ __forceinline__ void start(const PaddedTopicMasses& masses) {
    for (int k = static_cast<int>(threadIdx.x); k < masses.padded; k += threads) inverse[k] = masses.inverse[k];
    for (int i = static_cast<int>(threadIdx.x); i < masses.padded * (words / of_table); i += threads) counts[i] = 0;
    __syncthreads();
  }
};

// A word of at most `tokens` tokens. Its counts are bytes in a table, which it clears at the end.
template <int tokens>
class WordInTable {
 public:
  template <int words>
  __device__ __forceinline__ WordInTable(const PaddedTopicMasses& all_masses, const TableOfWords<words, tokens>& block,
                                         int word)
      : masses(all_masses),
        inverse_(block.inverse),
        beta_(static_cast<float>(all_masses.beta)),
        counts_(reinterpret_cast<std::uint8_t*>(block.counts + std::int64_t{masses.padded} * (word / of_table)) +
                word % of_table),
        ends_(block.ends + word * tokens),
        topics_(block.topics + word * tokens) {}

  // Called by a group of `tokens` neighbouring threads, each with the topic of its token, or no_topic if it has none.
  // All threads of the warp call this, and `end`.
  __device__ __forceinline__ void begin(std::int32_t topic) {
    using cuda::collective::all_threads;
    const int member = static_cast<int>(threadIdx.x) % tokens;
    __syncwarp();  // the previous word's counts have been cleared
    int n = 0;
#pragma unroll
    for (int i = 0; i < tokens; ++i) n += __shfl_sync(all_threads, topic, i, tokens) == topic ? 1 : 0;
    if (topic != no_topic) counts_[4 * topic] = static_cast<std::uint8_t>(n);
    const std::int32_t sorted = in_order(topic, member);
    const std::uint64_t sum = cuda::collective::warp_scan<tokens>(mass_of(sorted));
    ends_[member] = sum;
    topics_[member] = sorted;
    mass = __shfl_sync(all_threads, sum, tokens - 1, tokens);
    __syncwarp();
  }
  __device__ __forceinline__ void end(std::int32_t topic) const {
    __syncwarp();
    if (topic != no_topic) counts_[4 * topic] = 0;
  }

  __device__ __forceinline__ float phi(std::int32_t k) const {
    return scaled_phi(4 * static_cast<std::uint32_t>(k)) * masses.unscale;
  }
  __device__ __forceinline__ float scaled_phi(std::uint32_t place) const {
    const float inverse = *reinterpret_cast<const float*>(reinterpret_cast<const char*>(inverse_) + place);
    return sparse::phi_of_count(counts_[place], beta_, inverse);
  }
  __device__ __forceinline__ std::int32_t count(std::int32_t k) const { return counts_[4 * k]; }

  // Like WordOfItem::find. Each token has a place of its own, in the order of topics.
  __device__ __forceinline__ std::int32_t find(std::uint64_t x, std::int32_t without, std::uint64_t taken) const {
    const int own = first([&](int i) { return topics_[i] >= without; });
    if (x >= (own > 0 ? ends_[own - 1] : 0)) x += taken;
    return topics_[first([&](int i) { return ends_[i] > x; })];
  }

  const PaddedTopicMasses& masses;
  std::uint64_t mass = 0;  // of the word part

 private:
  static constexpr int of_table = 4;

  __device__ __forceinline__ std::uint64_t mass_of(std::int32_t topic) const {
    return topic != no_topic ? __ldg(masses.word_masses + topic) : 0;
  }

  // The first place from which on the condition holds; the last place if it holds nowhere before.
  template <class Condition>
  __device__ __forceinline__ static int first(const Condition& holds) {
    int at = 0;
#pragma unroll
    for (int half = tokens / 2; half > 0; half /= 2) at += holds(at + half - 1) ? 0 : half;
    return at;
  }

  // The group's topics in ascending order, sorted by a bitonic network (source: collective/sort_keys.cuh).
  __device__ __forceinline__ static std::int32_t in_order(std::int32_t topic, int member) {
#pragma unroll
    for (int size = 2; size <= tokens; size *= 2) {
#pragma unroll
      for (int distance = size / 2; distance > 0; distance /= 2) {
        const std::int32_t other = __shfl_xor_sync(cuda::collective::all_threads, topic, distance, tokens);
        const bool takes_smaller = ((member & distance) == 0) == ((member & size) == 0);
        topic = takes_smaller ? min(topic, other) : max(topic, other);
      }
    }
    return topic;
  }

  const float* const inverse_;
  const float beta_;
  std::uint8_t* const counts_;  // that of topic k is at 4 k
  std::uint64_t* const ends_;   // running sums of the word part
  std::int32_t* const topics_;  // of the word's tokens, in ascending order
};

}  // namespace papilio::lda
