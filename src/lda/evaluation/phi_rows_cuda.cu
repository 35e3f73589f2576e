#include "lda/evaluation/phi_rows_cuda.h"

#include <algorithm>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "lda/evaluation/fold_in/fixed_phi_formulas.h"

namespace papilio::lda {
namespace {

constexpr int block_threads = 256;
constexpr int scan_rows = 32;    // rows that a warp adds up at a time, one per thread
constexpr int scan_topics = 32;  // topics of each row in shared memory

unsigned blocks_for_phi(std::int64_t work) {
  const std::int64_t wanted = base::ceil_div<std::int64_t>(work, block_threads);
  return static_cast<unsigned>(std::clamp<std::int64_t>(wanted, 1, std::int64_t{execution::multiprocessors()} * 32));
}

__global__ void weigh_fixed_topics(const std::int64_t* n_k, std::int32_t topics, double prior_mass, double* masses) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < topics) masses[k] = fixed_topic_mass(n_k[k], prior_mass);
}

__global__ void divide_fixed_counts(PhiRows rows, const std::uint32_t* counts, std::int64_t first, std::int64_t count) {
  const std::int64_t entries = count * rows.topics;
  const std::int64_t step = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < entries; i += step) {
    rows.phi[first * rows.topics + i] = fixed_phi(counts[i], rows.beta, rows.masses[i % rows.topics]);
  }
}

// One warp per block. Tiles pass through shared memory, so that neighbouring topics are read and written together.
__global__ void __launch_bounds__(32) add_up_rows(PhiRows rows, const double* alpha, double* sums) {
  __shared__ double tile[scan_rows][scan_topics + 1];
  const int lane = static_cast<int>(threadIdx.x);
  const std::int64_t topics = rows.topics;
  for (std::int64_t first = std::int64_t{blockIdx.x} * scan_rows; first < rows.count;
       first += std::int64_t{gridDim.x} * scan_rows) {
    const int here = static_cast<int>(min(std::int64_t{scan_rows}, rows.count - first));
    double sum = 0;
    for (std::int64_t k = 0; k < topics; k += scan_topics) {
      const bool inside = k + lane < topics;
      const double a = inside ? alpha[k + lane] : 0;
      for (int r = 0; r < here; ++r) tile[r][lane] = inside ? a * rows.phi[(first + r) * topics + k + lane] : 0;
      __syncwarp();
      if (lane < here) {
        for (int i = 0; i < scan_topics; ++i) {
          sum += tile[lane][i];
          tile[lane][i] = sum;
        }
      }
      __syncwarp();
      for (int r = 0; r < here; ++r) {
        if (inside) sums[(first + r) * topics + k + lane] = tile[r][lane];
      }
      __syncwarp();
    }
  }
}

}  // namespace

void queue_fixed_topic_masses(const std::int64_t* n_k, std::int32_t topics, double prior_mass, double* masses,
                              cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(base::ceil_div<std::int64_t>(topics, block_threads));
  weigh_fixed_topics<<<blocks, block_threads, 0, stream>>>(n_k, topics, prior_mass, masses);
  execution::check_launch("weighing topics");
}

void queue_phi_rows(const PhiRows& rows, const std::uint32_t* counts, std::int64_t first, std::int64_t count,
                    cudaStream_t stream) {
  if (count == 0) return;
  divide_fixed_counts<<<blocks_for_phi(count * rows.topics), block_threads, 0, stream>>>(rows, counts, first, count);
  execution::check_launch("computing phi");
}

void queue_alpha_phi_sums(const PhiRows& rows, const double* alpha, double* sums, cudaStream_t stream) {
  if (rows.count == 0) return;
  const std::int64_t wanted = base::ceil_div<std::int64_t>(rows.count, scan_rows);
  const auto blocks = static_cast<unsigned>(std::min(wanted, std::int64_t{execution::multiprocessors()} * 32));
  add_up_rows<<<blocks, 32, 0, stream>>>(rows, alpha, sums);
  execution::check_launch("adding up phi");
}

}  // namespace papilio::lda
