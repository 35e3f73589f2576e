#include "lda/evaluation/fold_in/cluster_fold_in_cuda.h"

#include <algorithm>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "lda/evaluation/fold_in/cluster_numbers_cuda.cuh"
#include "lda/evaluation/fold_in/cluster_words_cuda.cuh"
#include "lda/evaluation/fold_in/ordered_sum_cuda.cuh"

// A document's rows of phi are on chip twice. A block has rows of some words in shared memory, where it finds the
// words' probabilities, and some topics of all words in registers, where it folds these topics. So in a step the blocks
// of a cluster tell each other factors and folded topics, and rows not at all.

namespace papilio::lda {
namespace {

constexpr int most_threads = 128;
constexpr int registers = 88;  // phi of a thread
constexpr int most_columns = 8;
constexpr std::int32_t most_topics = 4096;
constexpr std::int64_t most_cluster_words = 4096;  // of a document: a factor of each is in shared memory
constexpr std::int64_t usual_words = 256;

struct ClusterShape {
  std::int32_t padded = 0;   // topics, a multiple of 32
  std::int32_t own = 0;      // topics of a block, a multiple of 16
  std::int32_t stride = 0;   // of cached rows; four that follow one another are in different banks
  std::int32_t cached = 0;   // rows of a block
  std::int32_t factors = 0;  // room for so many, a multiple of 4
};

template <int columns, int words>
__global__ void __launch_bounds__(most_threads, 2)
    fold_in_by_clusters(const __grid_constant__ FoldIn in, std::int64_t first_document, ClusterShape shape) {
  extern __shared__ double2 memory[];
  __shared__ ClusterNumbers all_factors, all_folded;
  double* const theta = reinterpret_cast<double*>(memory);
  double* const factors = theta + shape.padded;
  double* const cache = factors + shape.factors;
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const int lane = thread % 32, warp = thread / 32, warps = threads / 32;
  const int blocks = cluster::size(), rank = cluster::rank();
  const bool alone = blocks == 1;
  const std::int64_t d = in.order[first_document + blockIdx.x / static_cast<unsigned>(blocks)];
  const std::int64_t begin = in.offsets[d];
  const auto count = static_cast<std::int32_t>(in.offsets[d + 1] - begin);
  const std::int32_t topics = in.topics, padded = shape.padded;
  const ClusterWords document = {in.phi, in.rows + begin, topics, count, (count + blocks - 1) / blocks, shape.cached};
  const std::int32_t first_word = document.first(rank), own_words = document.first(rank + 1) - first_word;

  for (std::int32_t i = warp; i < min(own_words, shape.cached); i += warps) {
    const double* const row = document.row(first_word + i);
#pragma unroll 8
    for (std::int32_t k = lane; k < padded; k += 32) {
      cache[i * shape.stride + place_of(k)] = k < topics ? row[k] : 0;
    }
  }
  for (std::int32_t k = thread; k < padded; k += threads) theta[place_of(k)] = k < topics ? 1.0 / topics : 0;
  for (std::int32_t i = count + thread; i < shape.factors; i += threads) factors[i] = 0;
  std::int32_t place[columns];  // of this thread's topics
  double alpha[columns], phi[columns][words];
#pragma unroll
  for (int c = 0; c < columns; ++c) {
    const std::int32_t within = thread + c * threads;
    place[c] = rank * shape.own + within;
    if (within >= shape.own || place[c] >= padded || topic_at(place[c]) >= topics) place[c] = -1;
    alpha[c] = place[c] < 0 ? 0 : in.alpha[topic_at(place[c])];
  }
#pragma unroll
  for (int i = 0; i < words; ++i) {
    const double* const row = i < count ? document.row(i) : nullptr;
#pragma unroll
    for (int c = 0; c < columns; ++c) phi[c][i] = place[c] >= 0 && i < count ? row[topic_at(place[c])] : 0;
  }
  double before[columns];  // theta of this thread's topics
#pragma unroll
  for (int c = 0; c < columns; ++c) before[c] = place[c] < 0 ? 0 : 1.0 / topics;
  if (alone) {
    __syncthreads();
  } else {
    if (thread == 0) {
      all_factors.init(count);
      all_folded.init(topics);
    }
    cluster::sync();
  }

  const BlockOrderedSum sum_of_all(topics);
  for (int step = 0; step < in.steps; ++step) {
    for (std::int32_t first = warp * words_of_warp; first < own_words; first += warps * words_of_warp) {
      const double p = probability_of_own(theta, cache, shape.stride, padded, document, first_word, own_words, first);
      const std::int32_t i = first + lane % words_of_warp;
      const int block = lane / words_of_warp;  // that this lane tells
      if (i < own_words && block < blocks) {
        const double factor = in.counts[begin + first_word + i] / p;
        if (alone) {
          factors[i] = factor;
        } else {
          all_factors.tell(block, factors + first_word + i, factor);
        }
      }
    }
    if (alone) {
      __syncthreads();
    } else {
      all_factors.wait(step);
      // A block that has told no factor may not be done with theta, whose place folded topics take.
      if (document.first(blocks - 1) == count) cluster::sync();
    }
    double share[columns] = {};
#pragma unroll
    for (int i = 0; i < words; i += 2) {
      if (i % 4 == 0 && i >= count) break;
      const double2 factor = reinterpret_cast<const double2*>(factors)[i / 2];
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        share[c] += factor.x * phi[c][i];
        share[c] += factor.y * phi[c][i + 1];
      }
    }
    fold_other_words<columns, words>(document, cache, shape.stride, factors, place, share);
#pragma unroll
    for (int c = 0; c < columns; ++c) {
      if (place[c] < 0) continue;
      before[c] = folded_theta(alpha[c], before[c], share[c]);
      double* const folded = theta + folded_place_of(topic_at(place[c]));
      if (alone) {
        *folded = before[c];
      } else {
        for (int b = 0; b < blocks; ++b) all_folded.tell(b, folded, before[c]);
      }
    }
    if (alone) {
      __syncthreads();
    } else {
      all_folded.wait(step);
    }
    const double total = sum_of_all.of(FoldedInOrder{theta}), reciprocal = 1 / total;
    if (!alone && thread == 0) {
      all_factors.expect(count);
      all_folded.expect(topics);
    }
#pragma unroll
    for (int c = 0; c < columns; ++c) before[c] = normalised(before[c], total, reciprocal);
    normalise(theta, topics, padded, total, reciprocal);
    __syncthreads();
  }

  if (in.theta != nullptr) {
    for (std::int32_t k = rank * threads + thread; k < topics; k += blocks * threads) {
      in.theta[d * topics + k] = static_cast<float>(theta[place_of(k)]);
    }
  }
  if (in.probabilities != nullptr) {
    const std::int64_t of = in.scored_offsets[d], scored = in.scored_offsets[d + 1] - of;
    for (std::int64_t first = (rank * warps + warp) * words_of_warp; first < scored;
         first += blocks * warps * words_of_warp) {
      const std::int64_t i = first + lane % words_of_warp;
      const std::int64_t row = in.scored_rows[of + (i < scored ? i : scored - 1)];
      const double p = probability_of_row(theta, in.phi + row * topics, topics);
      if (i < scored && lane < words_of_warp) in.probabilities[of + i] = p;
    }
  }
}

// How documents are dealt out: to how many blocks of how many threads, and the topics of a thread.
struct Deal {
  int columns = 0;
  int blocks = 0;
  int threads = 0;
};

constexpr std::int32_t padded_topics(std::int32_t topics) { return base::round_up<std::int32_t>(topics, 32); }
constexpr std::int64_t cluster_stride(std::int32_t topics) { return padded_topics(topics) + 4; }

// Each has twice the threads of the one before, as long as there is room in a cluster; columns: 0 beyond.
Deal deal_of(std::int32_t topics, int doubled) {
  const std::int64_t padded = padded_topics(topics);
  const std::int64_t all =
      base::round_up<std::int64_t>(base::ceil_div<std::int64_t>(padded, most_columns) << doubled, 32);
  int blocks = 1;
  while (std::int64_t{blocks} * most_threads < all) blocks *= 2;
  if (blocks > sampling_kernel::most_blocks) return {};
  return {std::max(most_columns >> doubled, 1), blocks,
          static_cast<int>(base::round_up<std::int64_t>(base::ceil_div<std::int64_t>(all, blocks), 32))};
}

// Bytes of shared memory of a block, of as many as have room on a multiprocessor.
std::int64_t cluster_room(const Deal& deal) {
  constexpr std::int64_t beside = 6656;  // of a block's and the system's
  const std::int64_t all = execution::device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  return all / (2 * most_threads / deal.threads) - beside;
}

std::int64_t rows_in_room(const Deal& deal, std::int32_t topics, std::int64_t factors) {
  const std::int64_t rest = cluster_room(deal) / 8 - padded_topics(topics) - factors;
  return rest < 0 ? 0 : rest / cluster_stride(topics);
}

template <int columns>
void launch_clusters(const FoldIn& in, std::int64_t first, std::int64_t end, const Deal& deal, std::int32_t most_words,
                     cudaStream_t stream) {
  ClusterShape shape;
  shape.padded = padded_topics(in.topics);
  shape.own = base::round_up<std::int32_t>(base::ceil_div<std::int32_t>(shape.padded, deal.blocks), 16);
  shape.stride = static_cast<std::int32_t>(cluster_stride(in.topics));
  shape.factors = base::round_up<std::int32_t>(most_words, 4);
  shape.cached = static_cast<std::int32_t>(
      std::min<std::int64_t>(rows_in_room(deal, in.topics, shape.factors), base::ceil_div(most_words, deal.blocks)));
  const auto kernel = fold_in_by_clusters<columns, registers / columns / 2 * 2>;
  cudaLaunchConfig_t config = {};
  config.dynamicSmemBytes =
      8 * static_cast<std::size_t>(shape.padded + shape.factors + std::int64_t{shape.cached} * shape.stride);
  execution::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(config.dynamicSmemBytes)),
                   "requesting shared memory");
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = static_cast<unsigned>(deal.blocks);
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  config.gridDim = dim3(static_cast<unsigned>((end - first) * deal.blocks));
  config.blockDim = dim3(static_cast<unsigned>(deal.threads));
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = deal.blocks > 1 ? 1 : 0;
  execution::check(cudaLaunchKernelEx(&config, kernel, in, first, shape), "inferring topics");
}

}  // namespace

std::int64_t queue_cluster_fold_in(const FoldIn& in, const std::int32_t* words, std::int64_t documents,
                                   cudaStream_t stream) {
  constexpr std::int64_t most_documents = std::int64_t{1} << 27;  // that have clusters of their own
  if (in.topics > most_topics || documents > most_documents ||
      execution::device_attribute(cudaDevAttrComputeCapabilityMajor) < 9) {
    return documents;
  }
  const auto with_more = [&](std::int64_t n) {
    return std::partition_point(words, words + documents, [&](std::int32_t of) { return of > n; }) - words;
  };
  int last = 0;
  while (deal_of(in.topics, last + 1).columns != 0) ++last;
  const std::int64_t others = with_more(most_cluster_words);
  std::int64_t first = others;
  for (int doubled = last; doubled >= 0; --doubled) {
    // What has room where there are half as many threads is left to these.
    std::int64_t room = -1;
    for (int fewer = doubled - 1; fewer >= 0; --fewer) {
      const Deal deal = deal_of(in.topics, fewer);
      const std::int64_t rows = deal.blocks * rows_in_room(deal, in.topics, usual_words);
      room = std::max(room, std::min({rows, usual_words, std::int64_t{3} * registers / 2 / deal.columns}));
    }
    const Deal deal = deal_of(in.topics, doubled);
    // Factors of very many words take room from rows.
    for (const std::int64_t beyond : {std::max(room, usual_words), room}) {
      const std::int64_t end = beyond < 0 ? documents : with_more(beyond);
      if (end <= first) continue;
      if (deal.columns == 8) {
        launch_clusters<8>(in, first, end, deal, words[first], stream);
      } else if (deal.columns == 4) {
        launch_clusters<4>(in, first, end, deal, words[first], stream);
      } else if (deal.columns == 2) {
        launch_clusters<2>(in, first, end, deal, words[first], stream);
      } else {
        launch_clusters<1>(in, first, end, deal, words[first], stream);
      }
      first = end;
    }
  }
  return others;
}

}  // namespace papilio::lda
