#include "execution/cuda/check.h"
#include "lda/training/sparse/parallel/draws_cuda.h"

namespace papilio::lda {
namespace {

constexpr int block_threads = 1024;

__device__ std::uint64_t to_units(double weight, double scale) {
  return static_cast<std::uint64_t>(__double2ull_rz(weight * scale));
}

// The sum of `x` of the threads up to this one, over the block.
__device__ std::uint64_t running_sum(std::uint64_t x, std::uint64_t* warps) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const std::uint64_t other = __shfl_up_sync(0xFFFF'FFFFu, x, distance);
    if (lane >= distance) x += other;
  }
  if (lane == 31) warps[warp] = x;
  __syncthreads();
  for (unsigned w = 0; w < warp; ++w) x += warps[w];
  return x;
}

// One block; a thread has topics that follow one another.
__global__ void __launch_bounds__(block_threads) weigh_topics(const SparseTopics t, const std::int64_t* n_k) {
  __shared__ std::uint64_t warps[block_threads / 32];
  const int each = (t.padded + block_threads - 1) / block_threads;
  const int first = static_cast<int>(threadIdx.x) * each;
  std::uint64_t sum = 0;
  for (int k = first; k < first + each && k < t.padded; ++k) {
    if (k >= t.topics) {
      t.inverse[k] = 0;
      continue;
    }
    const bool is_used = n_k[k] > 0;
    const double alpha = t.alpha[k], mass = static_cast<double>(n_k[k]) + t.prior_mass;
    const std::uint64_t unit = is_used ? to_units(alpha / mass, t.scale) : 0;
    const std::uint64_t smoothing = to_units((alpha * t.beta) / mass, t.scale);
    sum += smoothing;
    t.inverse[k] = is_used ? static_cast<float>(1.0 / mass) : 0.0f;
    t.unit[k] = unit;
    t.records[k] = {alpha, is_used ? 1.0 / (static_cast<double>(n_k[k] - 1) + t.prior_mass) : 0.0, unit, smoothing};
    t.smoothing[k] = sum;
  }
  const std::uint64_t before = running_sum(sum, warps) - sum;
  for (int k = first; k < first + each && k < t.topics; ++k) t.smoothing[k] += before;
}

}  // namespace

void queue_sparse_topics(const SparseTopics& topics, const std::int64_t* n_k, cudaStream_t stream) {
  weigh_topics<<<1, block_threads, 0, stream>>>(topics, n_k);
  execution::check_launch("weighing topics");
}

}  // namespace papilio::lda
