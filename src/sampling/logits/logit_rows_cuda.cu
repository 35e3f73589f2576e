#include "sampling/logits/logit_rows_cuda.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/math.h"
#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"
#include "random/elementary_lanes.h"
#include "sampling/logits/logit_rows.h"
#include "sampling/rows/memory_rows_cuda.cuh"
#include "warp/cuda_warp.cuh"

// Turns rows of logits into rows of weights in a workspace: first the largest logit of
// each row, then the weights. A block takes one part of a row after another. The workspace holds the
// weights, the largest logits and, if rows are picked, the number of each row or -1.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

inline constexpr int logit_threads = 256;
inline constexpr std::int64_t part_size = 4096;  // categories of a block

// A float as an integer, in the same order; 0 is below all of them.
__device__ __forceinline__ unsigned ordered(float x) {
  const unsigned bits = __float_as_uint(x);
  return (bits >> 31) != 0 ? ~bits : bits | 0x8000'0000u;
}
__device__ __forceinline__ float from_ordered(unsigned order) {
  return __uint_as_float((order >> 31) != 0 ? order & 0x7FFF'FFFFu : ~order);
}
__device__ __forceinline__ unsigned long long ordered(double x) {
  const auto bits = static_cast<unsigned long long>(__double_as_longlong(x));
  return (bits >> 63) != 0 ? ~bits : bits | 0x8000'0000'0000'0000u;
}
__device__ __forceinline__ double from_ordered(unsigned long long order) {
  return __longlong_as_double(static_cast<long long>((order >> 63) != 0 ? order & 0x7FFF'FFFF'FFFF'FFFFu : ~order));
}

template <class Sum>
struct OrderOf {
  using Word = unsigned;
};
template <>
struct OrderOf<double> {
  using Word = unsigned long long;
};

// Where the parts of the workspace are.
template <class Sum>
struct LogitTables {
  Sum* weights;
  std::int64_t stride;
  typename OrderOf<Sum>::Word* largest;
  std::int32_t* numbers;  // null: rows are not picked
};

// Row i, or a row without categories if there is no such row.
template <class S>
__device__ __forceinline__ MemoryRow<S, false> logit_row(const DeviceRows& rows, std::int64_t i, bool& exists) {
  MemoryRow<S, false> row = row_of<S, false>(rows, i, exists);
  if (!exists) row.count = 0;
  return row;
}

template <class S, class Sum>
__global__ void __launch_bounds__(logit_threads)
    find_largest_logits(const DeviceRows rows, const LogitTables<Sum> tables, std::int64_t parts) {
  for (std::int64_t part = blockIdx.x; part < rows.rows * parts; part += gridDim.x) {
    const std::int64_t i = part / parts, first = part % parts * part_size;
    bool exists;
    const MemoryRow<S, false> row = logit_row<S>(rows, i, exists);
    if (tables.numbers != nullptr && first == 0 && threadIdx.x == 0)
      tables.numbers[i] = exists ? static_cast<std::int32_t>(i) : -1;
    Sum most = -std::numeric_limits<Sum>::infinity();
    for (std::int64_t k = first + threadIdx.x; k < first + part_size && k < row.count; k += logit_threads) {
      const Sum x = row.weight(k);
      most = most < x ? x : most;
    }
    for (int distance = 16; distance > 0; distance /= 2) {
      const Sum other = __shfl_xor_sync(warp::all_threads, most, distance);
      most = most < other ? other : most;
    }
    if (threadIdx.x % 32 == 0) atomicMax(tables.largest + i, ordered(most));
  }
}

__device__ __forceinline__ float weight_of_logit(float x, float largest, float scale) {
  const float weight = random::exp2_or_zero<warp::CudaWarp<32>>((x - largest) * scale);
  return x < std::numeric_limits<float>::infinity() ? weight : x;
}

template <class S, class Sum>
__global__ void __launch_bounds__(logit_threads)
    weigh_logits(const DeviceRows rows, const LogitTables<Sum> tables, std::int64_t parts, Sum scale) {
  for (std::int64_t part = blockIdx.x; part < rows.rows * parts; part += gridDim.x) {
    const std::int64_t i = part / parts, first = part % parts * part_size;
    bool exists;
    const MemoryRow<S, false> row = logit_row<S>(rows, i, exists);
    const Sum largest = from_ordered(tables.largest[i]);
    const bool finite = largest - largest == 0;
    for (std::int64_t k = first + threadIdx.x; k < first + part_size && k < row.count; k += logit_threads) {
      const Sum x = row.weight(k);
      tables.weights[i * tables.stride + k] = finite ? weight_of_logit(x, largest, scale) : weight_in_bad_row(x);
    }
  }
}

template <class S>
void queue_weighing(const DeviceRows& rows, void* workspace, double temperature, cudaStream_t stream) {
  using Sum = typename Stored<S>::Sum;
  const DeviceRows made = papilio::sampling::weights_of_logits(rows, workspace);
  auto* const weights = static_cast<Sum*>(const_cast<void*>(made.left));
  auto* const largest = reinterpret_cast<typename OrderOf<Sum>::Word*>(weights + rows.rows * made.left_stride);
  const LogitTables<Sum> tables = {weights, made.left_stride, largest, const_cast<std::int32_t*>(made.left_rows)};
  execution::check(cudaMemsetAsync(largest, 0, static_cast<std::size_t>(rows.rows) * sizeof(Sum), stream),
                   "clearing the largest logits");
  const std::int64_t parts = std::max<std::int64_t>(1, base::ceil_div(rows.categories, part_size));
  const std::int64_t most = std::int64_t{execution::multiprocessors()} * 64;
  const auto blocks = static_cast<unsigned>(std::min(rows.rows * parts, most));
  find_largest_logits<S, Sum><<<blocks, logit_threads, 0, stream>>>(rows, tables, parts);
  execution::check_launch("finding the largest logits");
  const Sum scale = logit_scale<Sum>(temperature);
  weigh_logits<S, Sum><<<blocks, logit_threads, 0, stream>>>(rows, tables, parts, scale);
  execution::check_launch("turning logits into weights");
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel

namespace papilio::sampling {

DeviceRows weights_of_logits(const DeviceRows& logits, void* workspace) {
  const std::int64_t bytes = sum_bytes(logits.storage), stride = base::round_up<std::int64_t>(logits.categories, 4);
  auto* const base = static_cast<std::byte*>(workspace);
  DeviceRows weights = {.storage = bytes == 8 ? Storage::float64 : Storage::float32,
                        .left = base,
                        .left_count = logits.rows,
                        .left_stride = stride,
                        .rows = logits.rows,
                        .categories = logits.categories};
  if (logits.left_rows != nullptr && base != nullptr)
    weights.left_rows = reinterpret_cast<const std::int32_t*>(base + logits.rows * (stride + 1) * bytes);
  return weights;
}

std::int64_t logits_workspace_on_cuda(const DeviceRows& logits) {
  const std::int64_t bytes = sum_bytes(logits.storage), stride = base::round_up<std::int64_t>(logits.categories, 4);
  const std::int64_t numbers = logits.left_rows != nullptr ? 4 : 0;
  return base::round_up<std::int64_t>(logits.rows * ((stride + 1) * bytes + numbers), 256);
}

void weigh_logits_on_cuda(const DeviceDraw& draw, double temperature) {
  const execution::OnDevice here(draw.device);
  const auto stream = static_cast<cudaStream_t>(draw.cuda_stream);
  switch (draw.rows.storage) {
    case Storage::float32:
      return sampling_kernel::queue_weighing<float>(draw.rows, draw.workspace, temperature, stream);
    case Storage::float64:
      return sampling_kernel::queue_weighing<double>(draw.rows, draw.workspace, temperature, stream);
    case Storage::half:
      return sampling_kernel::queue_weighing<Half>(draw.rows, draw.workspace, temperature, stream);
    case Storage::bfloat16:
      return sampling_kernel::queue_weighing<BFloat16>(draw.rows, draw.workspace, temperature, stream);
    case Storage::float8_e4m3fn:
      return sampling_kernel::queue_weighing<Float8E4M3FN>(draw.rows, draw.workspace, temperature, stream);
    case Storage::float8_e5m2:
      return sampling_kernel::queue_weighing<Float8E5M2>(draw.rows, draw.workspace, temperature, stream);
  }
}

}  // namespace papilio::sampling
