#include "lda/evaluation/topic_draws_cuda.h"

#include <algorithm>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "lda/evaluation/fold_in/fixed_phi_formulas.h"
#include "random/philox.h"
#include "random/purpose.h"
#include "random/uniform.h"

namespace papilio::lda {
namespace {

constexpr unsigned all = 0xffffffffu;
constexpr int block_threads = 128;
constexpr int warps_per_block = block_threads / 32;
constexpr int blocks_at_once = 10;  // per multiprocessor

__device__ __forceinline__ int this_lane() { return static_cast<int>(threadIdx.x) % 32; }

// The topics of a document's tokens in the order of TopicDraws, 32 at a time, one per lane: in registers if there are
// never more than 32, else in memory. All lanes call every function with the same arguments.
template <bool in_registers>
struct PresentTopics;

template <>
struct PresentTopics<true> {
  int size = 0;
  std::int32_t topic = -1;
  std::int32_t count = 0;

  __device__ PresentTopics(std::int32_t*, std::int64_t) {}
  __device__ std::int32_t topic_at(int) const { return topic; }
  __device__ std::int32_t count_at(int) const { return count; }

  __device__ __forceinline__ void add(std::int32_t k) {
    const unsigned here = __ballot_sync(all, this_lane() < size && topic == k);
    if (here != 0) {
      count += static_cast<int>(here >> this_lane() & 1u);
    } else {
      if (this_lane() == size) topic = k, count = 1;
      ++size;
    }
  }
  __device__ __forceinline__ void remove(std::int32_t k) {
    const unsigned here = __ballot_sync(all, this_lane() < size && topic == k);
    const int place = __ffs(static_cast<int>(here)) - 1;
    const std::int32_t last_topic = __shfl_sync(all, topic, size - 1), last_count = __shfl_sync(all, count, size - 1);
    const bool is_last = __shfl_sync(all, count, place) == 1;  // the topic's last token
    if (!is_last) {
      if (this_lane() == place) --count;
      return;
    }
    --size;
    // The last topic of the list takes the place, unless the removed topic is the last.
    if (this_lane() == place) topic = last_topic, count = last_count;
  }
};

template <>
struct PresentTopics<false> {
  int size = 0;
  std::int32_t* topics;
  std::int32_t* counts;

  __device__ PresentTopics(std::int32_t* memory, std::int64_t most) : topics(memory), counts(memory + most) {}
  __device__ std::int32_t topic_at(int i) const { return topics[i]; }
  __device__ std::int32_t count_at(int i) const { return counts[i]; }

  // Returns -1 if k is not in the list.
  __device__ int find(std::int32_t k) const {
    for (int first = 0; first < size; first += 32) {
      const int i = first + this_lane();
      const unsigned here = __ballot_sync(all, i < size && topics[i] == k);
      if (here != 0) return first + __ffs(static_cast<int>(here)) - 1;
    }
    return -1;
  }
  __device__ void add(std::int32_t k) {
    const int place = find(k);
    if (this_lane() == 0) {
      if (place >= 0) {
        ++counts[place];
      } else {
        topics[size] = k;
        counts[size] = 1;
      }
    }
    if (place < 0) ++size;
    __syncwarp();
  }
  __device__ void remove(std::int32_t k) {
    const int place = find(k);
    const bool is_last = counts[place] == 1;
    __syncwarp();  // all lanes have read it
    if (this_lane() == 0) {
      if (is_last) {
        topics[place] = topics[size - 1];
        counts[place] = counts[size - 1];
      } else {
        --counts[place];
      }
    }
    if (is_last) --size;
    __syncwarp();
  }
};

// The sum of n_k phi_k over the topics of a list, in its order.
template <class Present>
struct CountedSum {
  const Present& present;
  const double* phi;

  // For 32 topics at a time calls use(first, the sum up to this lane's topic, the number of lanes that have one) until
  // it returns true. Returns the sum of the topics added up so far.
  template <class Use>
  __device__ __forceinline__ double add(Use use) const {
    double sum = 0;
    for (int first = 0; first < present.size; first += 32) {
      const int i = first + this_lane();
      const int here = min(32, present.size - first);
      const double mine = this_lane() < here ? present.count_at(i) * phi[present.topic_at(i)] : 0;
      double after = 0;
      for (int lane = 0; lane < here; ++lane) {
        sum += __shfl_sync(all, mine, lane);
        if (lane == this_lane()) after = sum;
      }
      if (use(first, after, here)) break;
    }
    return sum;
  }
};

// The first of `count` non-descending numbers that is above x; `count` if there is none.
__device__ __forceinline__ std::int32_t first_above(const double* numbers, std::int32_t count, double x) {
  std::int32_t begin = 0, left = count;
  while (left > 32) {
    const std::int32_t part = (left + 31) / 32;
    const std::int32_t last = min((this_lane() + 1) * part, left) - 1;
    const unsigned above = __ballot_sync(all, numbers[begin + last] > x);
    if (above == 0) return count;
    const std::int32_t before = (__ffs(static_cast<int>(above)) - 1) * part;
    begin += before;
    left = min(part, left - before);
  }
  const unsigned above = __ballot_sync(all, this_lane() < left && numbers[begin + min(this_lane(), left - 1)] > x);
  return above == 0 ? begin + left : begin + __ffs(static_cast<int>(above)) - 1;
}

// TopicDraws::draw.
template <class Present>
__device__ __forceinline__ std::int32_t draw_topic(const TopicSampling& s, const Present& present, std::int32_t row,
                                                   double uniform) {
  const double* const phi = s.phi + std::int64_t{row} * s.topics;
  const double* const sums = s.prior_sums + std::int64_t{row} * s.topics;
  const double prior = sums[s.topics - 1];
  const CountedSum<Present> counted{present, phi};
  double after_of_first = 0;
  const double of_counts = counted.add([&](int first, double after, int) {
    if (first == 0) after_of_first = after;
    return false;
  });
  const double target = uniform * (of_counts + prior);
  if (target < of_counts) {
    const int here = min(32, present.size);
    const unsigned hit = __ballot_sync(all, this_lane() < here && target < after_of_first);
    if (hit != 0)
      return __shfl_sync(all, present.topic_at(min(this_lane(), here - 1)), __ffs(static_cast<int>(hit)) - 1);
    std::int32_t topic = 0;
    counted.add([&](int first, double after, int lanes) {
      const unsigned found = __ballot_sync(all, this_lane() < lanes && target < after);
      if (found == 0) return false;
      topic = present.topic_at(first + __ffs(static_cast<int>(found)) - 1);
      return true;
    });
    return topic;
  }
  return first_above(sums, s.topics - 1, target - of_counts);
}

template <bool in_registers>
__global__ void __launch_bounds__(block_threads)
    sample_topics(const __grid_constant__ TopicSampling s, std::int64_t first, std::int64_t end) {
  const int lane = this_lane();
  const std::int64_t warp = std::int64_t{blockIdx.x} * warps_per_block + threadIdx.x / 32;
  const std::int64_t warps = std::int64_t{gridDim.x} * warps_per_block;
  if (warp >= s.warps) return;
  std::int64_t* const sums = s.sums + warp * s.topics;
  for (std::int64_t o = first + warp; o < end; o += min(warps, s.warps)) {
    const std::int64_t d = s.order[o], begin = s.offsets[d], tokens = s.offsets[d + 1] - begin;
    const std::uint64_t key = s.keys[d];
    for (std::int32_t k = lane; k < s.topics; k += 32) sums[k] = 0;
    __syncwarp();
    PresentTopics<in_registers> present(s.present + 2 * warp * s.most_present, s.most_present);
    for (int number = 0; number <= s.sweeps; ++number) {
      const std::uint64_t stream = random::stream(random::Purpose::infer_topics, static_cast<std::uint32_t>(number));
      for (std::int64_t base = 0; base < tokens; base += 32) {
        const std::int64_t t = base + lane;
        const std::int32_t row = t < tokens ? s.tokens[begin + t] : 0;
        std::int32_t z = number > 0 && t < tokens ? s.z[begin + t] : 0;
        const random::Block block = random::draw_block(s.seed, stream, key + static_cast<std::uint64_t>(t));
        const double u = random::uniform53(block.word[0], block.word[1]);
        const int here = static_cast<int>(min(std::int64_t{32}, tokens - base));
        for (int i = 0; i < here; ++i) {
          if (number > 0) present.remove(__shfl_sync(all, z, i));
          const std::int32_t topic = draw_topic(s, present, __shfl_sync(all, row, i), __shfl_sync(all, u, i));
          present.add(topic);
          if (lane == i) z = topic;
        }
        if (t < tokens) s.z[begin + t] = z;
      }
      if (number > s.burn_in) {
        for (int i = lane; i < present.size; i += 32) sums[present.topic_at(i)] += present.count_at(i);
        __syncwarp();
      }
    }
    const double samples = s.sweeps - s.burn_in;
    const double total = static_cast<double>(tokens) + s.alpha_sum;
    for (std::int32_t k = lane; k < s.topics; k += 32) {
      s.theta[d * s.topics + k] = mean_theta(sums[k], samples, s.alpha[k], total);
    }
    __syncwarp();
  }
}

template <bool in_registers>
void launch_topic_sampling(const TopicSampling& s, std::int64_t first, std::int64_t end, cudaStream_t stream) {
  if (first == end) return;
  const std::int64_t blocks = base::ceil_div<std::int64_t>(std::min(end - first, s.warps), warps_per_block);
  sample_topics<in_registers><<<static_cast<unsigned>(blocks), block_threads, 0, stream>>>(s, first, end);
  execution::check_launch("inferring topics");
}

}  // namespace

std::int64_t warps_for_topic_sampling() {
  return std::int64_t{execution::multiprocessors()} * blocks_at_once * warps_per_block;
}

void queue_topic_sampling(const TopicSampling& sampling, const std::int32_t* lengths, std::int64_t documents,
                          cudaStream_t stream) {
  const std::int64_t in_memory =
      sampling.topics <= 32
          ? 0
          : std::partition_point(lengths, lengths + documents, [](std::int32_t n) { return n > 32; }) - lengths;
  launch_topic_sampling<false>(sampling, 0, in_memory, stream);
  launch_topic_sampling<true>(sampling, in_memory, documents, stream);
}

}  // namespace papilio::lda
