#include "lda/evaluation/fold_in/fold_in_cuda.h"

#include <algorithm>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "lda/evaluation/fold_in/cluster_fold_in_cuda.h"
#include "lda/evaluation/fold_in/fixed_phi_formulas.h"
#include "lda/evaluation/fold_in/ordered_sum_cuda.cuh"

namespace papilio::lda {
namespace {

constexpr int most_threads = 1024;
constexpr int lanes = probability_lanes;
constexpr int most_blocks = 8;     // on a multiprocessor, of few threads each
constexpr int scratch_blocks = 2;  // on a multiprocessor, where theta is in global memory

// Of a block's dynamic shared memory: theta, unless it is in global memory; rows of phi, of the document's first words.
struct FoldInShape {
  int cached = 0;           // rows
  std::int64_t stride = 0;  // of these, doubles; neighbouring rows begin in other banks
};

constexpr std::int64_t cached_stride(std::int32_t topics) { return base::round_up<std::int64_t>(topics, 16) + 8; }

// The rows of a document's words.
struct WordRows {
  const double* phi;
  const std::int32_t* rows;
  const double* cache;
  std::int64_t topics, stride;
  std::int64_t cached;  // of the document's words

  __device__ __forceinline__ const double* global(std::int64_t i) const { return phi + rows[i] * topics; }
  __device__ __forceinline__ const double* row(std::int64_t i) const {
    return i < cached ? cache + i * stride : global(i);
  }
};

// FixedPhi::probability by eight neighbouring threads: in the first of them. All threads of the warp take part.
__device__ __forceinline__ double probability(const double* theta, const double* row, std::int64_t topics) {
  double sum = 0;
  if (row != nullptr) {
#pragma unroll 8
    for (std::int64_t k = threadIdx.x % lanes; k < topics; k += lanes) sum += theta[k] * row[k];
  }
  sum += __shfl_xor_sync(0xffffffffu, sum, 4);
  sum += __shfl_xor_sync(0xffffffffu, sum, 2);
  sum += __shfl_xor_sync(0xffffffffu, sum, 1);
  return sum;
}

// factors[i] = counts[i] / probability of word i, by eight threads each.
__device__ void weigh_words(const WordRows& words, const double* theta, const std::int32_t* counts, std::int64_t count,
                            double* factors) {
  const std::int64_t groups = blockDim.x / lanes, groups_per_warp = 32 / lanes;
  const std::int64_t group = threadIdx.x / lanes;
  for (std::int64_t first = group / groups_per_warp * groups_per_warp; first < count; first += groups) {
    const std::int64_t i = first + group % groups_per_warp;
    const double p = probability(theta, i < count ? words.row(i) : nullptr, words.topics);
    if (i < count && threadIdx.x % lanes == 0) factors[i] = counts[i] / p;
  }
}

// theta before it is normalised.
__device__ void fold_topics(const WordRows& words, double* theta, const double* alpha, const double* factors,
                            std::int64_t count) {
  for (std::int64_t k = threadIdx.x; k < words.topics; k += blockDim.x) {
    double share = 0;
    std::int64_t i = 0;
#pragma unroll 8
    for (; i < words.cached; ++i) share += factors[i] * words.cache[i * words.stride + k];
#pragma unroll 4
    for (; i < count; ++i) share += factors[i] * words.global(i)[k];
    theta[k] = folded_theta(alpha[k], theta[k], share);
  }
}

__global__ void __launch_bounds__(most_threads)
    fold_in_documents(const __grid_constant__ FoldIn in, std::int64_t first, std::int64_t end, FoldInShape shape) {
  extern __shared__ double shared[];
  const std::int64_t topics = in.topics;
  double* const theta = in.scratch != nullptr ? in.scratch + blockIdx.x * topics : shared;
  double* const cache = in.scratch != nullptr ? shared : shared + base::round_up<std::int64_t>(topics, 16);
  const auto thread = static_cast<std::int64_t>(threadIdx.x), threads = static_cast<std::int64_t>(blockDim.x);
  const BlockOrderedSum sum_of_all(topics);
  for (std::int64_t o = first + blockIdx.x; o < end; o += gridDim.x) {
    const std::int64_t d = in.order[o], begin = in.offsets[d], count = in.offsets[d + 1] - begin;
    const WordRows words = {in.phi, in.rows + begin, cache,
                            topics, shape.stride,    count < shape.cached ? count : shape.cached};
    for (std::int64_t i = 0; i < words.cached; ++i) {
      const double* const row = words.global(i);
      for (std::int64_t k = thread; k < topics; k += threads) cache[i * shape.stride + k] = row[k];
    }
    for (std::int64_t k = thread; k < topics; k += threads) theta[k] = 1.0 / in.topics;
    __syncthreads();
    for (int step = 0; step < in.steps; ++step) {
      weigh_words(words, theta, in.counts + begin, count, in.factors + begin);
      __syncthreads();
      fold_topics(words, theta, in.alpha, in.factors + begin, count);
      __syncthreads();
      const double total = sum_of_all.of(NumbersInOrder{theta});
      for (std::int64_t k = thread; k < topics; k += threads) theta[k] /= total;
      __syncthreads();
    }
    if (in.theta != nullptr) {
      for (std::int64_t k = thread; k < topics; k += threads) in.theta[d * topics + k] = static_cast<float>(theta[k]);
    }
    if (in.probabilities != nullptr) {
      const std::int64_t of = in.scored_offsets[d], scored = in.scored_offsets[d + 1] - of;
      const std::int64_t per_warp = 32 / lanes, group = thread / lanes;
      for (std::int64_t next = group / per_warp * per_warp; next < scored; next += threads / lanes) {
        const std::int64_t i = next + group % per_warp;
        const double* const row = i < scored ? in.phi + in.scored_rows[of + i] * topics : nullptr;
        const double p = probability(theta, row, topics);
        if (i < scored && thread % lanes == 0) in.probabilities[of + i] = p;
      }
    }
    __syncthreads();  // theta and the cache become the next document's
  }
}

// Of shared memory, what a block has beside theta and rows.
std::int64_t own_bytes() {
  cudaFuncAttributes attributes = {};
  execution::check(cudaFuncGetAttributes(&attributes, fold_in_documents), "asking for what a kernel needs");
  return static_cast<std::int64_t>(attributes.sharedSizeBytes);
}

std::int64_t shared_bytes_per_block() {
  return execution::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - own_bytes();
}

std::int64_t theta_bytes(std::int32_t topics) {
  return base::round_up<std::int64_t>(topics, 16) * static_cast<std::int64_t>(sizeof(double));
}

bool theta_fits(std::int32_t topics) { return theta_bytes(topics) <= shared_bytes_per_block() / 2; }

// Launches those of documents [first, end) that share a multiprocessor with blocks - 1 others.
void launch_fold_in(const FoldIn& in, std::int64_t first, std::int64_t end, int blocks, int cached,
                    cudaStream_t stream) {
  const FoldInShape shape = {cached, cached_stride(in.topics)};
  const auto bytes = static_cast<std::size_t>((in.scratch != nullptr ? 0 : theta_bytes(in.topics)) +
                                              cached * shape.stride * static_cast<std::int64_t>(sizeof(double)));
  const int threads =
      std::min(most_threads / blocks, base::round_up<std::int32_t>(std::clamp(in.topics, 64, most_threads), 32));
  const std::int64_t most = std::int64_t{execution::multiprocessors()} * blocks;
  fold_in_documents<<<static_cast<unsigned>(std::min(end - first, most)), static_cast<unsigned>(threads), bytes,
                      stream>>>(in, first, end, shape);
  execution::check_launch("inferring topics");
}

}  // namespace

std::int64_t fold_in_scratch(std::int32_t topics) {
  return theta_fits(topics) ? 0 : std::int64_t{execution::multiprocessors()} * scratch_blocks * topics;
}

void queue_fold_in(const FoldIn& fold_in, const std::int32_t* words, std::int64_t documents, cudaStream_t stream) {
  if (documents == 0) return;
  if (fold_in.scratch != nullptr) return launch_fold_in(fold_in, 0, documents, scratch_blocks, 0, stream);
  documents = queue_cluster_fold_in(fold_in, words, documents, stream);
  if (documents == 0) return;
  const std::int64_t shared = shared_bytes_per_block();
  // The same and the system's, where blocks share a multiprocessor.
  const std::int64_t shared_beside = own_bytes() + execution::device_attribute(cudaDevAttrReservedSharedMemoryPerBlock);
  execution::check(
      cudaFuncSetAttribute(fold_in_documents, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)),
      "requesting shared memory");
  const std::int64_t row = cached_stride(fold_in.topics) * static_cast<std::int64_t>(sizeof(double));
  // As many blocks on a multiprocessor as have room for all rows of their documents.
  std::int64_t first = 0;
  for (int blocks = 1; blocks <= most_blocks && first < documents; blocks *= 2) {
    const std::int64_t room = shared / blocks - (blocks > 1 ? shared_beside : 0) - theta_bytes(fold_in.topics);
    const auto cached = static_cast<int>(std::clamp<std::int64_t>(room / row, 0, 4096));
    const std::int64_t next_room = shared / (2 * blocks) - shared_beside - theta_bytes(fold_in.topics);
    const std::int64_t of_next = 2 * blocks > most_blocks ? -1 : next_room < 0 ? -1 : next_room / row;
    const std::int64_t end =
        std::partition_point(words + first, words + documents, [&](std::int32_t n) { return n > of_next; }) - words;
    if (end > first) {
      const int used = std::min<std::int64_t>(cached, words[first]);
      launch_fold_in(fold_in, first, end, blocks, used, stream);
      first = end;
    }
  }
}

}  // namespace papilio::lda
