#include <algorithm>

#include "base/math.h"
#include "collective/block.cuh"
#include "collective/warp_scan.cuh"
#include "execution/cuda/check.h"
#include "lda/training/sparse/parallel/draws_cuda.h"

namespace papilio::lda {
namespace {

constexpr int block_threads = 1024;

// The inclusive sum of `x` over the threads of the block.
__device__ std::uint64_t running_sum(std::uint64_t x, std::uint64_t* warps) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  x = cuda::collective::warp_scan(x);
  if (lane == 31) warps[warp] = x;
  __syncthreads();
  for (unsigned w = 0; w < warp; ++w) x += warps[w];
  return x;
}

// One block; each thread has consecutive topics.
__global__ void __launch_bounds__(block_threads) weigh_topics(const PaddedTopicMasses masses, const TopicMassArrays a) {
  __shared__ std::uint64_t warps[block_threads / 32];
  const int each = (masses.padded + block_threads - 1) / block_threads;
  const int first = static_cast<int>(threadIdx.x) * each;
  std::uint64_t sum = 0;
  for (int k = first; k < first + each && k < masses.padded; ++k) {
    if (k >= masses.topics) {
      a.inverse[k] = 0;
      a.word_masses[k] = 0;
      continue;
    }
    const sparse::TopicMass mass = sparse::topic_mass(a.n_k[k], a.alpha[k], masses.beta, a.v_beta, masses.places);
    sum += mass.prior_mass;
    a.inverse[k] = sparse::inverse_mass(a.n_k[k], a.v_beta) * a.scale;
    a.word_masses[k] = mass.word_mass;
    a.of[k] = mass;
    a.prior_sums[k] = sum;
  }
  const std::uint64_t before = running_sum(sum, warps) - sum;
  for (int k = first; k < first + each && k < masses.topics; ++k) a.prior_sums[k] += before;
}

constexpr int sum_threads = 128;
constexpr std::int64_t rows_per_sum = 256;  // at least, per sum of a column
constexpr std::int64_t most_sums = 4096;    // at most, per column

// A block has some rows, and each of its threads one of their columns.
__global__ void __launch_bounds__(sum_threads)
    add_up_columns(const std::int32_t* counts, std::int64_t rows, std::int32_t padded, std::int32_t topics,
                   std::int64_t* n_k) {
  const int k = static_cast<int>(blockIdx.x) * sum_threads + static_cast<int>(threadIdx.x);
  if (k >= topics) return;
  std::int64_t sum = 0;
  for (std::int64_t row = blockIdx.y; row < rows; row += gridDim.y) sum += counts[row * padded + k];
  if (sum != 0) cuda::collective::atomic_add(n_k + k, sum);
}

}  // namespace

void queue_column_sums(const std::int32_t* counts, std::int64_t rows, std::int32_t padded, std::int32_t topics,
                       std::int64_t* n_k, cudaStream_t stream) {
  if (rows == 0) return;
  const dim3 blocks(static_cast<unsigned>(base::ceil_div(topics, sum_threads)),
                    static_cast<unsigned>(std::min(base::ceil_div(rows, rows_per_sum), most_sums)));
  add_up_columns<<<blocks, sum_threads, 0, stream>>>(counts, rows, padded, topics, n_k);
  execution::check_launch("adding counts up");
}

void queue_topic_masses(const PaddedTopicMasses& masses, const TopicMassArrays& arrays, cudaStream_t stream) {
  weigh_topics<<<1, block_threads, 0, stream>>>(masses, arrays);
  execution::check_launch("weighing topics");
}

}  // namespace papilio::lda
