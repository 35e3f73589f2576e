#include "sampling/gamma/sample_gamma_cuda.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "sampling/gamma/gamma_rows_cuda.cuh"

namespace papilio::sampling {
namespace {

using sampling_kernel::PendingGammas;

constexpr int threads_per_block = 128;
constexpr int warps_per_block = threads_per_block / 32;

__device__ bool is_shape(float shape) { return shape >= FLT_MIN && shape <= FLT_MAX; }

// Draws one row per warp: NaN where a shape is not valid. `drawn` may be `shapes`: a tile's shapes are read before
// its draws are written.
__global__ __launch_bounds__(threads_per_block) void draw_rows(DeviceGammas gammas) {
  __shared__ PendingGammas all_pending[warps_per_block];
  const std::int64_t step = std::int64_t{gridDim.x} * warps_per_block;
  for (std::int64_t i = std::int64_t{blockIdx.x} * warps_per_block + threadIdx.x / 32; i < gammas.rows; i += step) {
    const std::uint64_t row = gammas.row_ids != nullptr ? static_cast<std::uint64_t>(gammas.row_ids[i])
                                                        : gammas.first_row_id + static_cast<std::uint64_t>(i);
    const auto blocks = random::gamma_blocks(gammas.seed, gammas.stream, row);
    const float* shapes = gammas.shapes + i * gammas.shapes_row_stride;
    const auto given = [&](std::int32_t k) { return shapes[k * gammas.shapes_column_stride]; };
    float* drawn = gammas.drawn + i * gammas.drawn_stride;
    sampling_kernel::draw_gamma_tiles(
        blocks, 0, 1, gammas.columns, all_pending[threadIdx.x / 32],
        [&](std::int32_t k) {
          const float shape = given(k);
          return is_shape(shape) ? shape : NAN;
        },
        [&](std::int32_t k) { return random::gamma_inverse<warp::CudaWarp<32>>({given(k)}); }, drawn);
    __syncwarp();
  }
}

}  // namespace

void draw_gammas_on_cuda(const DeviceGammas& gammas, Device device, void* cuda_stream) {
  const execution::OnDevice here(device);
  const std::int64_t wanted = base::ceil_div<std::int64_t>(gammas.rows, warps_per_block);
  const std::int64_t most = std::int64_t{execution::multiprocessors()} * 64;
  draw_rows<<<static_cast<unsigned>(std::min(wanted, most)), threads_per_block, 0,
              static_cast<cudaStream_t>(cuda_stream)>>>(gammas);
  execution::check_launch("drawing gammas");
}

}  // namespace papilio::sampling
