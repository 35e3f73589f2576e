#include <algorithm>
#include <limits>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "lda/training/sparse/by_document/draws_cuda.h"
#include "lda/training/sparse/by_document/prior_part_cuda.cuh"

namespace papilio::lda {
namespace {

constexpr int block_threads = 256;
constexpr int topics_per_warp = 32 * PriorMasses::topics;  // two sums of 64

struct PriorTables {
  float* phi;
  std::uint64_t* totals;
  std::uint64_t* sums;
};

// Sets numbers below the least normal float to 0. Returns whether there were any.
__device__ __forceinline__ bool clear_subnormal(float (&x)[PriorMasses::topics]) {
  bool any = false;
#pragma unroll
  for (float& value : x) {
    const bool is_below = value < std::numeric_limits<float>::min() && value != 0;
    value = is_below ? 0.0f : value;
    any |= is_below;
  }
  return any;
}

// One word per warp.
__global__ void __launch_bounds__(block_threads)
    sum_prior(const __grid_constant__ sparse::PriorPart prior, const PriorTables tables, std::int64_t words) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const std::int64_t step = std::int64_t{gridDim.x} * (block_threads / 32);
  for (std::int64_t w = std::int64_t{blockIdx.x} * (block_threads / 32) + threadIdx.x / 32; w < words; w += step) {
    std::uint64_t before = 0;
    for (std::int32_t from = 0; from < prior.topics; from += topics_per_warp) {
      const std::int32_t first = from + PriorMasses::topics * lane;
      float phi[PriorMasses::topics] = {};
      if (first < prior.topics) {
        auto* const row = reinterpret_cast<float4*>(tables.phi + w * prior.stride + first);
        const float4 four = *row;
        phi[0] = four.x, phi[1] = four.y, phi[2] = four.z, phi[3] = four.w;
        if (clear_subnormal(phi)) *row = make_float4(phi[0], phi[1], phi[2], phi[3]);
      }
      const std::uint64_t sum = sum_of_threads(PriorMasses(prior, phi, first).sum());
      const std::uint64_t low = __shfl_sync(all_threads, sum, 15);
      const std::uint64_t high = __shfl_sync(all_threads, sum, 31);
      const std::int64_t part = from / sparse::topics_per_sum + lane;
      if (lane < 2 && part < prior.sums_per_word) {
        tables.sums[w * prior.sums_per_word + part] = before + low + (lane == 1 ? high : 0);
      }
      before += low + high;
    }
    if (lane == 0) tables.totals[w] = before;
  }
}

}  // namespace

void queue_prior_sums(const sparse::PriorPart& prior, float* phi, std::uint64_t* totals, std::uint64_t* sums,
                      std::int64_t words, cudaStream_t stream) {
  if (words == 0) return;
  const std::int64_t wanted = base::ceil_div<std::int64_t>(words, block_threads / 32);
  const std::int64_t most = std::int64_t{execution::multiprocessors()} * 32;
  sum_prior<<<static_cast<unsigned>(std::min(wanted, most)), block_threads, 0, stream>>>(prior, {phi, totals, sums},
                                                                                         words);
  execution::check_launch("adding up the prior's part");
}

}  // namespace papilio::lda
