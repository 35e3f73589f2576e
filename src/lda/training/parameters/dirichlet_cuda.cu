#include "lda/training/parameters/dirichlet_cuda.h"

#include <algorithm>
#include <climits>

#include "base/math.h"
#include "collective/block.cuh"
#include "lda/training/parameters/estimates.h"
#include "lda/training/parameters/fixed_point_sums.h"
#include "sampling/gamma/gamma_rows.h"
#include "sampling/gamma/gamma_rows_cuda.cuh"

namespace papilio::lda {
namespace {

using cuda::collective::atomic_add;
using cuda::collective::wait_for_the_others;
using sampling_kernel::PendingGammas;

constexpr int threads_per_block = 128;
constexpr int warps_per_block = threads_per_block / 32;
// How many topics of one document are counted at a time, in shared memory beside the pending entries;
// together they take less than 48 KiB.
constexpr int counters_per_block = 8 * 1024;
static_assert((sizeof(PendingGammas) * warps_per_block) + counters_per_block * sizeof(int) <= 48 * 1024);

// A warp has a document, or a block of four warps has one and shares its topics by tiles of 128. Topics beyond `tile`,
// which is a multiple of 128 or more than all topics, are counted in further passes.
template <int threads>
__global__ __launch_bounds__(threads_per_block) void draw_documents(DocumentRange range, DrawnThetaTable table,
                                                                    int tile) {
  extern __shared__ int shared[];
  constexpr int warps = threads / 32;  // that share a document
  auto& pending = reinterpret_cast<PendingGammas*>(shared)[threadIdx.x / 32];
  int* counters = shared + sizeof(PendingGammas) / sizeof(int) * warps_per_block + threadIdx.x / threads * tile;
  const int lane = static_cast<int>(threadIdx.x % threads);
  for (int k = lane; k < tile; k += threads) counters[k] = 0;
  wait_for_the_others<threads>();
  const std::int64_t step = std::int64_t{gridDim.x} * (warps_per_block / warps);
  for (std::int64_t d = std::int64_t{blockIdx.x} * (warps_per_block / warps) + threadIdx.x / threads;
       d < range.documents; d += step) {
    const std::int64_t begin = range.offsets[d] - range.first_token;
    const std::int64_t end = range.offsets[d + 1] - range.first_token;
    const auto blocks =
        random::gamma_blocks(table.seed, table.stream, static_cast<std::uint64_t>(range.first_document + d));
    float* theta = table.theta + d * table.stride;
    for (std::int32_t first = 0; first < table.topics; first += tile) {
      for (std::int64_t i = begin + lane; i < end; i += threads) {
        const std::int32_t k = range.z[i] - first;
        if (0 <= k && k < tile) atomicAdd(counters + k, 1);
      }
      wait_for_the_others<threads>();
      const std::int32_t end_topic = min(table.topics, first + tile);
      sampling_kernel::draw_gamma_tiles(
          blocks, first / random::gamma_tile + lane / 32, warps, end_topic, pending,
          [&](std::int32_t k) {
            const int n = counters[k - first];
            counters[k - first] = 0;
            return static_cast<float>(n) + table.shape[k];
          },
          [&](std::int32_t k) { return table.inverse[k]; }, theta);
      wait_for_the_others<threads>();
    }
    for (std::int64_t k = table.topics + lane; k < table.stride; k += threads) theta[k] = 0;
  }
}

template <int threads>
void launch_on_documents(const DocumentRange& range, const DrawnThetaTable& table, int tile) {
  constexpr int documents_per_block = threads_per_block / threads;
  const std::size_t bytes =
      sizeof(PendingGammas) * warps_per_block + sizeof(int) * static_cast<std::size_t>(tile) * documents_per_block;
  const std::int64_t wanted = base::ceil_div<std::int64_t>(range.documents, documents_per_block);
  const std::int64_t most = std::int64_t{execution::multiprocessors()} * 64;
  draw_documents<threads>
      <<<static_cast<unsigned>(std::min(wanted, most)), threads_per_block, bytes, range.stream>>>(range, table, tile);
  execution::check_launch("drawing theta");
}

// One word per warp; phi receives the gamma draws.
__global__ __launch_bounds__(threads_per_block) void draw_words(DrawnPhiTable table, float shape, float inverse) {
  __shared__ PendingGammas all_pending[warps_per_block];
  const int lane = static_cast<int>(threadIdx.x % 32);
  const std::int64_t step = std::int64_t{gridDim.x} * warps_per_block;
  for (std::int64_t w = std::int64_t{blockIdx.x} * warps_per_block + threadIdx.x / 32; w < table.words; w += step) {
    const auto blocks = random::gamma_blocks(table.seed, table.stream, static_cast<std::uint64_t>(w));
    const std::int32_t* n_wk = table.n_wk + w * table.n_wk_stride;
    float* phi = table.phi + w * table.stride;
    sampling_kernel::draw_gamma_tiles(
        blocks, 0, 1, table.topics, all_pending[threadIdx.x / 32],
        [&](std::int32_t k) { return static_cast<float>(n_wk[k]) + shape; }, [&](std::int32_t) { return inverse; },
        phi);
    for (std::int64_t k = table.topics + lane; k < table.stride; k += 32) phi[k] = 0;
  }
}

// A thread has four neighbouring topics and goes from word to word: it calls use(word, values).
template <class Use>
__device__ void for_words(const DrawnPhiTable& table, std::int64_t quads, const Use& use) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t rows = std::int64_t{gridDim.x} * blockDim.x / quads;
  if (thread >= rows * quads) return;
  float* phi = table.phi + thread % quads * 4;
#pragma unroll 4
  for (std::int64_t w = thread / quads; w < table.words; w += rows)
    use(reinterpret_cast<float4*>(phi + w * table.stride));
}

__global__ void sum_words(DrawnPhiTable table, std::int64_t quads, float units, std::int64_t* sums) {
  std::int64_t sum[4] = {};
  for_words(table, quads, [&](const float4* g) {
    const float4 here = *g;
    sum[0] += __float2ll_rn(here.x * units);
    sum[1] += __float2ll_rn(here.y * units);
    sum[2] += __float2ll_rn(here.z * units);
    sum[3] += __float2ll_rn(here.w * units);
  });
  const std::int64_t k = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) % quads * 4;
  for (int e = 0; e < 4; ++e)
    if (sum[e] != 0 && k + e < table.topics) atomic_add(sums + k + e, sum[e]);
}

// One topic per block: computes its total, as a double; 0 if all draws are 0.
__global__ void take_totals(DrawnPhiTable table, FixedPointSums fixed, const std::int64_t* sums, double* totals) {
  const std::int32_t k = static_cast<std::int32_t>(blockIdx.x);
  if (fixed.is_fine(sums[k])) {
    if (threadIdx.x == 0) totals[k] = fixed.total(sums[k]);
    return;
  }
  __shared__ int greatest_bits;  // non-negative floats have the same order as their bits
  __shared__ unsigned long long sum;
  if (threadIdx.x == 0) greatest_bits = 0, sum = 0;
  __syncthreads();
  const float* phi = table.phi + k;
  int bits = 0;
  for (std::int64_t w = threadIdx.x; w < table.words; w += blockDim.x)
    bits = max(bits, __float_as_int(phi[w * table.stride]));
  atomicMax(&greatest_bits, bits);
  __syncthreads();
  if (greatest_bits == 0) {
    if (threadIdx.x == 0) totals[k] = 0;
    return;
  }
  const int exponent = fixed.exponent(__int_as_float(greatest_bits));
  const double units = power_of_two(exponent);
  std::int64_t part = 0;
  for (std::int64_t w = threadIdx.x; w < table.words; w += blockDim.x)
    part += __double2ll_rn(static_cast<double>(phi[w * table.stride]) * units);
  atomicAdd(&sum, static_cast<unsigned long long>(part));
  __syncthreads();
  if (threadIdx.x == 0) totals[k] = static_cast<double>(static_cast<std::int64_t>(sum)) * power_of_two(-exponent);
}

__global__ void divide_by_totals(DrawnPhiTable table, std::int64_t quads, const double* totals, double even) {
  const std::int64_t k = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) % quads * 4;
  double total[4];
  for (int e = 0; e < 4; ++e) total[e] = k + e < table.topics ? totals[k + e] : 1;
  const auto share = [&](float g, int e) { return normalised_phi(g, total[e], even); };
  for_words(table, quads, [&](float4* g) {
    const float4 here = *g;
    *g = make_float4(share(here.x, 0), share(here.y, 1), share(here.z, 2), share(here.w, 3));
  });
}

}  // namespace

void ThetaPriorOnDevice::set(std::span<const double> alpha, cudaStream_t stream) {
  const sampling::GammaPrior prior(alpha);
  shape_.upload(prior.shape(), prior.columns(), stream);
  inverse_.upload(prior.inverse(), prior.columns(), stream);
  execution::check(cudaStreamSynchronize(stream), "a copy to the device");
}

void queue_drawn_theta(const DocumentRange& range, const DrawnThetaTable& table) {
  if (range.documents == 0) return;
  const std::int64_t padded = base::round_up<std::int64_t>(table.topics, random::gamma_tile);
  if (padded <= counters_per_block / warps_per_block && range.tokens / range.documents < 2048) {
    launch_on_documents<32>(range, table, static_cast<int>(padded));
  } else {
    launch_on_documents<threads_per_block>(range, table,
                                           static_cast<int>(std::min<std::int64_t>(padded, counters_per_block)));
  }
}

void queue_drawn_phi(const DrawnPhiTable& table, cudaStream_t stream) {
  if (table.words == 0) return;
  const sampling::GammaPrior prior(table.beta, 1);
  const FixedPointSums fixed(table.tokens, table.words, static_cast<double>(table.words) * table.beta);
  std::int64_t* sums = table.workspace;
  auto* totals = reinterpret_cast<double*>(sums + table.topics);
  execution::check(cudaMemsetAsync(sums, 0, static_cast<std::size_t>(table.topics) * sizeof(std::int64_t), stream),
                   "clearing device memory");
  const std::int64_t many = execution::multiprocessors();
  const std::int64_t wanted = base::ceil_div<std::int64_t>(table.words, warps_per_block);
  draw_words<<<static_cast<unsigned>(std::min(wanted, many * 64)), threads_per_block, 0, stream>>>(
      table, *prior.shape(), *prior.inverse());
  execution::check_launch("drawing phi");

  constexpr int threads = 256;
  const std::int64_t quads = base::ceil_div<std::int64_t>(table.topics, 4);
  const std::int64_t least = base::ceil_div<std::int64_t>(quads, threads);
  const std::int64_t all = base::ceil_div<std::int64_t>(quads * table.words, threads);
  const auto blocks = [&](std::int64_t waves) {
    return static_cast<unsigned>(std::max(least, std::min(all, many * waves)));
  };
  sum_words<<<blocks(4), threads, 0, stream>>>(table, quads, fixed.units(), sums);
  execution::check_launch("summing phi");
  take_totals<<<static_cast<unsigned>(table.topics), threads, 0, stream>>>(table, fixed, sums, totals);
  execution::check_launch("summing phi");
  divide_by_totals<<<blocks(16), threads, 0, stream>>>(table, quads, totals, 1 / static_cast<double>(table.words));
  execution::check_launch("dividing phi");
}

}  // namespace papilio::lda
