#include "lda/evaluation/fold_in/fold_in_cuda.h"

#include <algorithm>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "lda/evaluation/fold_in/fold_in_formulas.h"

namespace papilio::lda {
namespace {

constexpr unsigned whole_warp = 0xffffffffu;
constexpr int most_threads = 512;
constexpr int scratch_blocks = 2;            // on a multiprocessor, where a document's numbers are in global memory
constexpr std::int32_t words_of_many = 512;  // from which a document has most_threads

// Of one word, or of its topics in some ranges.
struct TopicList {
  const std::uint32_t* entries;
  std::uint32_t begin, end;
  bool is_wide;

  // Topic and count.
  __device__ __forceinline__ uint2 operator[](std::uint32_t i) const {
    if (is_wide) return reinterpret_cast<const uint2*>(entries)[i];
    const std::uint32_t both = entries[i];
    return {both >> 16, both & 0xffffu};
  }
};

__device__ __forceinline__ TopicList list_of(const WordLists& lists, std::int64_t row, int first_range, int end_range) {
  const std::uint32_t* const begins = lists.begins + row * (topic_ranges + 1);
  return {lists.entries + row * lists.stride(), first_range == 0 ? 0 : begins[first_range], begins[end_range],
          begins[0] != 0};
}

// sum_in_lanes of numbers that all threads of the block may read. Threads meet twice: within, and before `sums` is
// reused.
template <int threads>
__device__ double block_sum_in_lanes(const double* x, std::int64_t count, double* sums) {
  for (int lane = static_cast<int>(threadIdx.x); lane < sum_lanes; lane += threads) {
    double sum = 0;
#pragma unroll 4
    for (std::int64_t i = lane; i < count; i += sum_lanes) sum += x[i];
    sums[lane] = sum;
  }
  __syncthreads();
  const int lane = static_cast<int>(threadIdx.x) % 32;
  double sum = (sums[lane] + sums[lane + 64]) + (sums[lane + 32] + sums[lane + 96]);
#pragma unroll
  for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(whole_warp, sum, half);
  return sum;
}

// The probabilities of words, by 16 neighbouring threads each: use(word, its probability) in one of them.
template <int threads, class Use>
__device__ __forceinline__ void weigh_words(const WordLists& lists, const double* weights, double of_beta,
                                            const std::int32_t* rows, std::int64_t count, Use use) {
  constexpr int per_warp = 32 / list_lanes;
  const std::int64_t group = threadIdx.x / list_lanes;
  const std::uint32_t lane = threadIdx.x % list_lanes;
  for (std::int64_t first = group / per_warp * per_warp; first < count; first += threads / list_lanes) {
    const std::int64_t word = first + group % per_warp;
    double sum = 0;
    if (word < count) {
      const TopicList list = list_of(lists, rows[word], 0, topic_ranges);
#pragma unroll 4
      for (std::uint32_t i = lane; i < list.end; i += list_lanes) {
        const uint2 entry = list[i];
        sum += weights[entry.x] * static_cast<double>(entry.y);
      }
    }
#pragma unroll
    for (int half = list_lanes / 2; half > 0; half /= 2) sum += __shfl_xor_sync(whole_warp, sum, half);
    if (word < count && lane == 0) use(word, of_beta + sum);
  }
}

// What words give the topics of some ranges, by a warp: word after word.
__device__ __forceinline__ void add_shares(const WordLists& lists, int first_range, int end_range,
                                           const std::int32_t* rows, const double* factors, std::int64_t count,
                                           double* shares) {
  constexpr int at_once = 2;  // words whose entries are fetched together
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (std::int64_t first = 0; first < count; first += 32) {
    TopicList mine = {lists.entries, 0, 0, false};
    std::int64_t row = 0;
    double factor = 0;
    if (first + lane < count) {
      row = rows[first + lane];
      mine = list_of(lists, row, first_range, end_range);
      factor = factors[first + lane];
    }
    const int here = static_cast<int>(min(std::int64_t{32}, count - first));
    for (int next = 0; next < here; next += at_once) {
      TopicList list[at_once];
      uint2 entry[at_once];
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const int from = next + i;  // those behind the last word have no entries
        list[i] = {lists.entries + __shfl_sync(whole_warp, row, from) * lists.stride(),
                   __shfl_sync(whole_warp, mine.begin, from), __shfl_sync(whole_warp, mine.end, from),
                   __shfl_sync(whole_warp, static_cast<int>(mine.is_wide), from) != 0};
        list[i].begin += static_cast<std::uint32_t>(lane);
        if (list[i].begin < list[i].end) entry[i] = list[i][list[i].begin];
      }
#pragma unroll
      for (int i = 0; i < at_once; ++i) {
        const double f = __shfl_sync(whole_warp, factor, next + i);
        if (list[i].begin < list[i].end) shares[entry[i].x] += f * static_cast<double>(entry[i].y);
        for (std::uint32_t e = list[i].begin + 32; e < list[i].end; e += 32) {
          const uint2 other = list[i][e];
          shares[other.x] += f * static_cast<double>(other.y);
        }
        __syncwarp();
      }
    }
  }
}

template <int threads>
__global__ void __launch_bounds__(threads)
    fold_in_documents(const __grid_constant__ FoldIn in, std::int64_t first, std::int64_t end) {
  extern __shared__ double shared[];
  __shared__ double sums[sum_lanes];
  constexpr int ranges_per_warp = topic_ranges / (threads / 32);
  const std::int32_t topics = in.lists.topics;
  double* const weights = in.scratch != nullptr ? in.scratch + blockIdx.x * 2 * std::int64_t{topics} : shared;
  double* const shares = weights + topics;
  const double* const reciprocals = in.lists.reciprocals;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first_range = static_cast<int>(threadIdx.x) / 32 * ranges_per_warp;
  const std::int32_t per_range = topics_per_range(topics);
  const std::int32_t own_end = min(topics, (first_range + ranges_per_warp) * per_range);
  for (std::int64_t o = first + blockIdx.x; o < end; o += gridDim.x) {
    const std::int64_t d = in.order[o], begin = in.offsets[d], count = in.offsets[d + 1] - begin;
    const std::int32_t* const rows = in.rows + begin;
    double* const factors = in.factors + begin;
    for (std::int32_t k = static_cast<int>(threadIdx.x); k < topics; k += threads) {
      weights[k] = weight_of_topic(1.0 / topics, reciprocals[k]);
      shares[k] = 0;
    }
    __syncthreads();
    double total = block_sum_in_lanes<threads>(weights, topics, sums);
    for (int step = 0; step < in.steps; ++step) {
      weigh_words<threads>(in.lists, weights, in.beta * total, rows, count,
                           [&](std::int64_t word, double p) { factors[word] = in.counts[begin + word] / p; });
      __syncthreads();
      const double of_beta = in.beta * block_sum_in_lanes<threads>(factors, count, sums);
      add_shares(in.lists, first_range, first_range + ranges_per_warp, rows, factors, count, shares);
      for (std::int32_t k = first_range * per_range + lane; k < own_end; k += 32) {
        const double theta = folded_theta(in.alpha[k], weights[k], shares[k], of_beta);
        weights[k] = step + 1 < in.steps ? weight_of_topic(theta, reciprocals[k]) : theta;
        shares[k] = 0;
      }
      __syncthreads();
      total = block_sum_in_lanes<threads>(weights, topics, sums);  // of theta after the last step
    }
    for (std::int32_t k = static_cast<int>(threadIdx.x); k < topics; k += threads) {
      const double theta = weights[k] / total;
      if (in.theta != nullptr) in.theta[d * topics + k] = static_cast<float>(theta);
      weights[k] = weight_of_topic(theta, reciprocals[k]);
    }
    __syncthreads();
    if (in.probabilities != nullptr) {
      total = block_sum_in_lanes<threads>(weights, topics, sums);
      const std::int64_t of = in.scored_offsets[d];
      weigh_words<threads>(in.lists, weights, in.beta * total, in.scored_rows + of, in.scored_offsets[d + 1] - of,
                           [&](std::int64_t word, double p) { in.probabilities[of + word] = p; });
      __syncthreads();  // weights become the next document's
    }
  }
}

std::int64_t bytes_of_document(std::int32_t topics) {
  return 2 * std::int64_t{topics} * static_cast<std::int64_t>(sizeof(double));
}

bool has_room(std::int32_t topics) {
  cudaFuncAttributes attributes = {};
  execution::check(cudaFuncGetAttributes(&attributes, fold_in_documents<most_threads>),
                   "asking for what a kernel needs");
  return bytes_of_document(topics) <= execution::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) -
                                          static_cast<std::int64_t>(attributes.sharedSizeBytes);
}

template <int threads>
void launch_fold_in(const FoldIn& in, std::int64_t first, std::int64_t end, cudaStream_t stream) {
  if (first == end) return;
  const auto bytes = static_cast<int>(in.scratch != nullptr ? 0 : bytes_of_document(in.lists.topics));
  execution::check(cudaFuncSetAttribute(fold_in_documents<threads>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
                   "requesting shared memory");
  const std::int64_t most =
      in.scratch != nullptr ? std::int64_t{execution::multiprocessors()} * scratch_blocks : end - first;
  fold_in_documents<threads>
      <<<static_cast<unsigned>(std::min(end - first, most)), threads, static_cast<std::size_t>(bytes), stream>>>(
          in, first, end);
  execution::check_launch("inferring topics");
}

}  // namespace

std::int64_t fold_in_scratch(std::int32_t topics) {
  return has_room(topics) ? 0 : std::int64_t{execution::multiprocessors()} * scratch_blocks * 2 * topics;
}

void queue_fold_in(const FoldIn& fold_in, const std::int32_t* words, std::int64_t documents, cudaStream_t stream) {
  const std::int32_t topics = fold_in.lists.topics;
  // As many threads as keep a multiprocessor busy, beside the shared memory that a document takes.
  const bool are_many = fold_in.scratch != nullptr || topics > 1536;
  const std::int64_t long_ones =
      are_many
          ? documents
          : std::partition_point(words, words + documents, [](std::int32_t n) { return n >= words_of_many; }) - words;
  launch_fold_in<most_threads>(fold_in, 0, long_ones, stream);
  if (topics > 256) {
    launch_fold_in<128>(fold_in, long_ones, documents, stream);
  } else {
    launch_fold_in<32>(fold_in, long_ones, documents, stream);
  }
}

}  // namespace papilio::lda
