#pragma once

#include <algorithm>
#include <cstdint>

#include "base/math.h"
#include "execution/cuda/check.h"
#include "execution/cuda/memory.h"
#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/tokens_cuda.h"

// How calls on rows of logits become kernels: what of the rows each block has, and the launch itself.

namespace papilio::sampling {

inline constexpr int most_token_parts = 8;  // blocks of a cluster that every device has room for
// Rows that have clusters of their own; those of larger calls go on with another row.
inline constexpr std::int64_t most_token_rows = std::int64_t{1} << 27;

// How the blocks of a device share rows.
struct TokenShape {
  int parts;
  std::int64_t in_slice;
  std::int64_t shared_bytes;
  bool staged;  // rows do not fit on chip
};

// Blocks share rows where there are too few rows to fill the device, as long as each has `least` categories.
inline int parts_for(std::int64_t rows, std::int64_t categories, std::int64_t least, std::int64_t most) {
  if (execution::device_attribute(cudaDevAttrComputeCapabilityMajor) < 9) return 1;
  const std::int64_t enough = 2 * std::int64_t{execution::multiprocessors()};
  int parts = 1;
  while (parts < most_token_parts &&
         (categories > parts * most || (rows * parts < enough && categories >= 2 * parts * least)))
    parts *= 2;
  return parts;
}

// `fixed_bytes` of shared memory are a kernel's beside its part of the row.
inline TokenShape slice_shape(std::int64_t rows, std::int64_t categories, std::size_t fixed_bytes) {
  constexpr std::int64_t least = 4096, most = 16384;
  const int parts = parts_for(rows, categories, least, most);
  const std::int64_t in_slice = base::ceil_div<std::int64_t>(categories, parts);
  const std::int64_t room = execution::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) -
                            static_cast<std::int64_t>(fixed_bytes) - 1024;
  const std::int64_t bytes = in_slice * static_cast<std::int64_t>(sizeof(float));
  return {parts, in_slice, bytes <= room ? bytes : 0, bytes > room};
}

// The call as kernels of a shape take it.
inline TokenCall shaped(TokenCall call, const TokenShape& shape) {
  call.in_slice = shape.in_slice;
  if (!shape.staged) call.staged = nullptr;
  return call;
}

template <class Call>
void launch_on_rows(void (*kernel)(Call), const Call& call, std::int64_t rows, const TokenShape& shape, int threads,
                    cudaStream_t stream, const char* what) {
  if (shape.shared_bytes > 0)
    execution::check(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shape.shared_bytes)),
        what);
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = static_cast<unsigned>(shape.parts);
  cluster.val.clusterDim.y = 1;
  cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(std::min(rows, most_token_rows) * shape.parts));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = shape.parts > 1 ? 1 : 0;
  execution::check(cudaLaunchKernelEx(&config, kernel, call), what);
}

// Rows, filters and keys of a call; the rest is zeros.
inline TokenCall call_on_rows(const DeviceLogits& logits, const TokenFilters& f, const TokenOptions& options) {
  const auto per_row = [](const auto& of) {
    return DevicePerRow{of.value, of.values.empty() ? nullptr : of.values.data};
  };
  TokenCall call = {};
  call.logits = logits.logits;
  call.rows = logits.rows;
  call.categories = logits.categories;
  call.row_stride = logits.row_stride;
  call.column_stride = logits.column_stride;
  call.temperature = per_row(f.temperature);
  call.top_k = per_row(f.top_k);
  call.top_p = per_row(f.top_p);
  call.min_p = per_row(f.min_p);
  call.joint = f.joint;
  call.allowed = f.allowed.rows == 0 ? nullptr : f.allowed.data;
  call.allowed_stride = f.allowed.row_stride;
  call.bias_offsets = f.bias_offsets.empty() ? nullptr : f.bias_offsets.data;
  call.bias_categories = f.bias_categories.data;
  call.bias_values = f.bias_values.data;
  call.bias_size = f.bias_categories.size;
  call.seed = options.seed;
  call.stream = options.stream;
  call.first_position = options.first_position;
  call.positions = options.positions.empty() ? nullptr : options.positions.data;
  call.seeds = options.seeds.empty() ? nullptr : options.seeds.data;
  return call;
}

}  // namespace papilio::sampling
