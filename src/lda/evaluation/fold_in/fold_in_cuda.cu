#include "lda/evaluation/fold_in/fold_in_cuda.h"

#include <algorithm>
#include <type_traits>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "execution/cuda/shared_bytes.h"
#include "lda/evaluation/fold_in/fold_in_formulas.h"

namespace papilio::lda {
namespace {

constexpr unsigned whole_warp = 0xffffffffu;
constexpr int most_threads = 512;
constexpr int scratch_blocks = 2;            // per multiprocessor, if a document's numbers are in global memory
constexpr std::int32_t words_of_many = 512;  // documents with this many words or more have most_threads

// A whole number as a double: it becomes the low bits of 2^52. This is faster, as few units of a GPU convert numbers.
__device__ __forceinline__ double as_double(std::uint32_t n) {
  return __hiloint2double(0x43300000, static_cast<int>(n)) - 0x1p52;
}

// sum_in_lanes of numbers that all threads of the block can read. It
// synchronises the threads once; before `sums` is reused they must meet again.
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

// A list of a document: the place of its word in the document, its row, and its size as in WordLists.
struct Listed {
  std::int32_t word, row;
  std::uint32_t size;
};

// The lists of a document's words in their order.
struct InOrder {
  const WordLists& lists;
  const std::int32_t* rows;
  __device__ __forceinline__ Listed operator[](std::int64_t i) const {
    const std::int32_t row = __ldg(rows + i);
    return {static_cast<std::int32_t>(i), row, __ldg(lists.sizes + row)};
  }
};

// The lists of a document with few words, longest first, so that neighbours take about the same time.
struct BySize {
  std::int32_t row[words_of_many];
  std::uint32_t size[words_of_many];
  std::uint16_t word[words_of_many];
  __device__ __forceinline__ Listed operator[](std::int64_t i) const { return {word[i], row[i], size[i]}; }
};

// Called by all threads of a block, which meet at the end. `sizes` has room for one number per word.
template <int threads>
__device__ __forceinline__ void sort_by_size(const WordLists& lists, const std::int32_t* rows, int count,
                                             std::uint32_t* sizes, BySize& by_size) {
  for (int w = static_cast<int>(threadIdx.x); w < count; w += threads) sizes[w] = lists.sizes[rows[w]];
  __syncthreads();
  for (int w = static_cast<int>(threadIdx.x); w < count; w += threads) {
    const std::uint32_t size = sizes[w];
    int place = 0;
    for (int v = 0; v < count; ++v) place += sizes[v] > size || (sizes[v] == size && v < w) ? 1 : 0;
    by_size.row[place] = rows[w];
    by_size.size[place] = size;
    by_size.word[place] = static_cast<std::uint16_t>(w);
  }
  __syncthreads();
}

// The probabilities of words, each by 16 neighbouring threads, one of which calls use(word, its probability).
template <int threads, class Words, class Use>
__device__ __forceinline__ void weigh_words(const WordLists& lists, const double* weights, double of_beta,
                                            const Words& words, std::int64_t count, Use use) {
  constexpr int per_warp = 32 / list_lanes;
  const std::int64_t group = threadIdx.x / list_lanes;
  const std::uint32_t lane = threadIdx.x % list_lanes;
  for (std::int64_t first = group / per_warp * per_warp; first < count; first += threads / list_lanes) {
    const std::int64_t i = first + group % per_warp;
    const Listed listed = i < count ? words[i] : Listed{};
    double sum = 0;
    if (i < count) {
      const std::uint32_t* const entries = lists.entries + listed.row * lists.stride();
      const std::uint32_t end = listed.size / 2;
      if (listed.size % 2 == 0) {
#pragma unroll 4
        for (std::uint32_t e = lane; e < end; e += list_lanes) {
          const std::uint32_t entry = __ldg(entries + e);
          sum += weights[entry >> 16] * as_double(entry & 0xffffu);
        }
      } else {
        const std::uint32_t* const counts = entries + lists.row_at();
        for (std::uint32_t e = lane; e < end; e += list_lanes) {
          const std::uint32_t k = __ldg(entries + e);
          sum += weights[k] * as_double(__ldg(counts + place_in_row(k)));
        }
      }
    }
#pragma unroll
    for (int half = list_lanes / 2; half > 0; half /= 2) sum += __shfl_xor_sync(whole_warp, sum, half);
    if (i < count && lane == 0) use(listed.word, of_beta + sum);
  }
}

// Loads `own` neighbouring counts of a row, from `at` on.
template <bool is_wide, int own>
__device__ __forceinline__ void load_counts(const std::uint32_t* row, std::uint32_t at, std::uint32_t (&n)[own]) {
  if constexpr (is_wide) {
#pragma unroll
    for (int i = 0; i < own; ++i) n[i] = __ldg(row + at + i);
  } else if constexpr (own == 1) {
    n[0] = __ldg(reinterpret_cast<const unsigned short*>(row) + at);
  } else {
    std::uint32_t both[own / 2];
    if constexpr (own == 8) {
      const uint4 x = __ldg(reinterpret_cast<const uint4*>(row) + at / 8);
      both[0] = x.x, both[1] = x.y, both[2] = x.z, both[3] = x.w;
    } else if constexpr (own == 4) {
      const uint2 x = __ldg(reinterpret_cast<const uint2*>(row) + at / 4);
      both[0] = x.x, both[1] = x.y;
    } else {
      both[0] = __ldg(row + at / 2);
    }
#pragma unroll
    for (int i = 0; i < own; ++i) n[i] = both[i / 2] >> (16 * (i % 2)) & 0xffffu;
  }
}

// Adds what the words contribute to this thread's topics, word after word. A topic that a word does not have gets 0,
// which changes no sum. any_wide: whether rows may be wide.
template <bool any_wide, int at_once, int own>
__device__ __forceinline__ void add_shares(const WordLists& lists, std::uint32_t at, const std::int32_t* rows,
                                           const double* factors, std::int64_t count, double (&shares)[own]) {
  const std::uint32_t* const first = lists.entries + lists.row_at();
#pragma unroll at_once
  for (std::int64_t w = 0; w < count; ++w) {
    const std::int32_t row = __ldg(rows + w);
    const double factor = factors[w];
    std::uint32_t n[own];
    if (any_wide && __ldg(lists.sizes + row) % 2 != 0)
      load_counts<true>(first + row * lists.stride(), at, n);
    else
      load_counts<false>(first + row * lists.stride(), at, n);
#pragma unroll
    for (int i = 0; i < own; ++i) shares[i] += factor * as_double(n[i]);
  }
}

// A step of the fixed point. A warp has whole blocks of topics, or a part of one block. own: topics per thread.
template <int threads, int own, int at_once>
__device__ __forceinline__ void step_topics(const FoldIn& in, double* weights, const std::int32_t* rows,
                                            const double* factors, std::int64_t count, double of_beta, bool any_wide,
                                            bool is_last) {
  constexpr int warps_per_block = own_topics / own;
  const std::int32_t topics = in.lists.topics;
  const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
  for (std::int32_t block = warp / warps_per_block * block_topics; block < topics;
       block += threads / 32 / warps_per_block * block_topics) {
    const int first = warp % warps_per_block * own;  // of the thread's topics in the block
    const auto at = static_cast<std::uint32_t>(block + lane * own_topics + first);
    double shares[own] = {};
    if (any_wide)
      add_shares<true, at_once>(in.lists, at, rows, factors, count, shares);
    else
      add_shares<false, at_once>(in.lists, at, rows, factors, count, shares);
#pragma unroll
    for (int i = 0; i < own; ++i) {
      const std::int32_t k = block + 32 * (first + i) + lane;
      if (k >= topics) continue;
      const double theta = folded_theta(in.alpha[k], weights[k], shares[i], of_beta);
      weights[k] = is_last ? theta : weight_of_topic(theta, in.lists.reciprocals[k]);
    }
  }
}

// own: topics per thread at a time. at_once: words whose counts are loaded together. blocks: per multiprocessor.
template <int threads, int own, int at_once, int blocks>
__global__ void __launch_bounds__(threads, blocks)
    fold_in_documents(const __grid_constant__ FoldIn in, std::int64_t first, std::int64_t end) {
  extern __shared__ double shared[];
  __shared__ double sums[sum_lanes];
  constexpr bool sorted = threads < most_threads;  // documents with few words
  __shared__ std::conditional_t<sorted, BySize, char> by_size;
  __shared__ std::uint32_t sizes[sorted ? words_of_many : 1];
  const std::int32_t topics = in.lists.topics;
  double* const weights = in.scratch != nullptr ? in.scratch + blockIdx.x * std::int64_t{topics} : shared;
  const double* const reciprocals = in.lists.reciprocals;
  for (std::int64_t o = first + blockIdx.x; o < end; o += gridDim.x) {
    const std::int64_t d = in.order[o], begin = in.offsets[d], count = in.offsets[d + 1] - begin;
    const std::int32_t* const rows = in.rows + begin;
    double* const factors = in.factors + begin;
    for (std::int32_t k = static_cast<int>(threadIdx.x); k < topics; k += threads)
      weights[k] = weight_of_topic(1.0 / topics, reciprocals[k]);
    bool wide = false;
    for (std::int64_t w = threadIdx.x; w < count; w += threads) wide |= in.lists.sizes[rows[w]] % 2 != 0;
    const bool any_wide = __syncthreads_or(static_cast<int>(wide)) != 0;
    if constexpr (sorted) sort_by_size<threads>(in.lists, rows, static_cast<int>(count), sizes, by_size);
    double total = block_sum_in_lanes<threads>(weights, topics, sums);
    for (int step = 0; step < in.steps; ++step) {
      const auto set_factor = [&](std::int64_t word, double p) { factors[word] = in.counts[begin + word] / p; };
      if constexpr (sorted)
        weigh_words<threads>(in.lists, weights, in.beta * total, by_size, count, set_factor);
      else
        weigh_words<threads>(in.lists, weights, in.beta * total, InOrder{in.lists, rows}, count, set_factor);
      __syncthreads();
      const double of_beta = in.beta * block_sum_in_lanes<threads>(factors, count, sums);
      step_topics<threads, own, at_once>(in, weights, rows, factors, count, of_beta, any_wide, step + 1 == in.steps);
      __syncthreads();
      total = block_sum_in_lanes<threads>(weights, topics, sums);  // of theta, after the last step
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
      weigh_words<threads>(in.lists, weights, in.beta * total, InOrder{in.lists, in.scored_rows + of},
                           in.scored_offsets[d + 1] - of,
                           [&](std::int64_t word, double p) { in.probabilities[of + word] = p; });
      __syncthreads();  // the next document overwrites the weights
    }
  }
}

std::int64_t bytes_of_document(std::int32_t topics) {
  return std::int64_t{topics} * static_cast<std::int64_t>(sizeof(double));
}

bool has_room(std::int32_t topics) {
  cudaFuncAttributes attributes = {};
  execution::check(cudaFuncGetAttributes(&attributes, fold_in_documents<most_threads, own_topics, 4, 2>),
                   "asking for what a kernel needs");
  return bytes_of_document(topics) <= execution::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) -
                                          static_cast<std::int64_t>(attributes.sharedSizeBytes);
}

template <int threads, int own, int at_once, int blocks>
void launch_fold_in(const FoldIn& in, std::int64_t first, std::int64_t end, cudaStream_t stream) {
  if (first == end) return;
  const auto bytes = static_cast<int>(in.scratch != nullptr ? 0 : bytes_of_document(in.lists.topics));
  const auto kernel = fold_in_documents<threads, own, at_once, blocks>;
  execution::allow_shared_bytes(kernel, bytes, "requesting shared memory");
  const std::int64_t most =
      in.scratch != nullptr ? std::int64_t{execution::multiprocessors()} * scratch_blocks : end - first;
  kernel<<<static_cast<unsigned>(std::min(end - first, most)), threads, static_cast<std::size_t>(bytes), stream>>>(
      in, first, end);
  execution::check_launch("inferring topics");
}

}  // namespace

std::int64_t fold_in_scratch(std::int32_t topics) {
  return has_room(topics) ? 0 : std::int64_t{execution::multiprocessors()} * scratch_blocks * topics;
}

void queue_fold_in(const FoldIn& fold_in, const std::int32_t* words, std::int64_t documents, cudaStream_t stream) {
  const std::int32_t topics = fold_in.lists.topics;
  // As many threads as keep a multiprocessor busy, given the shared memory that a document takes.
  const bool are_many = fold_in.scratch != nullptr || topics > 1536;
  const std::int64_t long_ones =
      are_many
          ? documents
          : std::partition_point(words, words + documents, [](std::int32_t n) { return n >= words_of_many; }) - words;
  if (topics > 2048) {
    launch_fold_in<most_threads, 8, 4, 2>(fold_in, 0, long_ones, stream);
  } else if (topics > 1024) {
    launch_fold_in<most_threads, 4, 4, 2>(fold_in, 0, long_ones, stream);
  } else if (topics > 512) {
    launch_fold_in<most_threads, 2, 4, 2>(fold_in, 0, long_ones, stream);
  } else {
    launch_fold_in<most_threads, 1, 4, 2>(fold_in, 0, long_ones, stream);
  }
  if (topics > 512) {
    launch_fold_in<128, 8, 2, 10>(fold_in, long_ones, documents, stream);
  } else if (topics > 256) {
    launch_fold_in<64, 8, 4, 16>(fold_in, long_ones, documents, stream);
  } else {
    launch_fold_in<32, 8, 4, 16>(fold_in, long_ones, documents, stream);
  }
}

}  // namespace papilio::lda
