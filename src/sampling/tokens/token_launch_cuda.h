#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>

#include "base/math.h"
#include "execution/cuda/check.h"
#include "execution/cuda/code_for_90.h"
#include "execution/cuda/dependent_launch.cuh"
#include "execution/cuda/memory.h"
#include "execution/cuda/shared_bytes.h"
#include "sampling/tokens/token_call_cuda.h"
#include "sampling/tokens/tokens_cuda.h"

// How kernels on rows of logits are launched: the blocks per row, the categories of each block, and the launch.

namespace papilio::sampling {

inline constexpr int most_token_parts = 8;  // the largest cluster that every device supports
// The most clusters of a launch; with more rows each goes on to another row.
inline constexpr std::int64_t most_token_rows = std::int64_t{1} << 27;

// How blocks share rows.
struct TokenShape {
  int parts;
  std::int64_t in_slice;
  std::int64_t shared_bytes;
  bool staged;  // rows do not fit on chip and are held in the workspace
};

// Whether a block of the current device has room for so much shared memory, static and dynamic.
inline bool fits_in_block(std::int64_t bytes) {
  return bytes <= execution::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

// If there are too few rows to fill the device, blocks share rows, as long as each has at least `least` categories.
inline int parts_for(std::int64_t rows, std::int64_t categories, std::int64_t least, std::int64_t most) {
  if (!execution::runs_code_for_90()) return 1;  // other code has one block per row
  const std::int64_t enough = 2 * std::int64_t{execution::multiprocessors()};
  int parts = 1;
  while (parts < most_token_parts &&
         (categories > parts * most || (rows * parts < enough && categories >= 2 * parts * least)))
    parts *= 2;
  return parts;
}

// The most logits between a multiple of 16 bytes and the beginning of a row.
template <class S>
std::int64_t most_before(const TokenCall& call) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(S));
  const bool lines = reinterpret_cast<std::uintptr_t>(call.logits) % 16 == 0 && call.row_stride * size % 16 == 0;
  return lines ? 0 : 16 / size - 1;
}

// `fixed_bytes`: a kernel's shared memory besides its part of the row.
inline TokenShape slice_shape(std::int64_t rows, std::int64_t categories, std::size_t fixed_bytes) {
  constexpr std::int64_t least = 4096, most = 16384;
  const int parts = parts_for(rows, categories, least, most);
  const std::int64_t in_slice = base::ceil_div<std::int64_t>(categories, parts);
  const std::int64_t room = execution::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) -
                            static_cast<std::int64_t>(fixed_bytes) - 1024;
  const std::int64_t bytes = in_slice * static_cast<std::int64_t>(sizeof(float));
  return {parts, in_slice, bytes <= room ? bytes : 0, bytes > room};
}

// The arguments for kernels of this shape.
inline TokenCall shaped(TokenCall call, const TokenShape& shape) {
  call.in_slice = shape.in_slice;
  if (!shape.staged) call.staged = nullptr;
  return call;
}

// When a kernel begins: after the kernel before it in the stream, or early, while that one is still running, if its
// code waits by itself (execution/cuda/dependent_launch.cuh).
enum class Begin : bool { after, early };

// The configuration of a launch.
struct TokenLaunch {
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attributes[2] = {};

  TokenLaunch(std::int64_t rows, const TokenShape& shape, int threads, cudaStream_t stream,
              Begin begin = Begin::after) {
    if (shape.parts > 1) {
      cudaLaunchAttribute& cluster = attributes[config.numAttrs++];
      cluster.id = cudaLaunchAttributeClusterDimension;
      cluster.val.clusterDim.x = static_cast<unsigned>(shape.parts);
      cluster.val.clusterDim.y = 1;
      cluster.val.clusterDim.z = 1;
    }
    if (begin == Begin::early) attributes[config.numAttrs++] = execution::early_launch();
    config.gridDim = dim3(static_cast<unsigned>(std::min(rows, most_token_rows) * shape.parts));
    config.blockDim = dim3(static_cast<unsigned>(threads));
    config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
    config.stream = stream;
    config.attrs = attributes;
  }
  TokenLaunch(const TokenLaunch&) = delete;
  TokenLaunch& operator=(const TokenLaunch&) = delete;
};

template <class Call>
void allow_shared_bytes(void (*kernel)(Call), const TokenShape& shape, const char* what) {
  if (shape.shared_bytes > 0) execution::allow_shared_bytes(kernel, shape.shared_bytes, what);
}

template <class Call>
void launch_on_rows(void (*kernel)(Call), const Call& call, std::int64_t rows, const TokenShape& shape, int threads,
                    cudaStream_t stream, const char* what, Begin begin = Begin::after) {
  allow_shared_bytes(kernel, shape, what);
  if (begin == Begin::early && !execution::runs_code_for_90()) begin = Begin::after;
  const TokenLaunch launch(rows, shape, threads, stream, begin);
  execution::check(cudaLaunchKernelEx(&launch.config, kernel, call), what);
}

// For how many rows the current device can hold the blocks at the same time.
template <class Call>
std::int64_t rows_at_once(void (*kernel)(Call), const TokenShape& shape, int threads, const char* what) {
  allow_shared_bytes(kernel, shape, what);
  const TokenLaunch launch(1, shape, threads, nullptr);
  int count = 0;
  if (shape.parts > 1) {
    execution::check(cudaOccupancyMaxActiveClusters(&count, kernel, &launch.config), what);
  } else {
    execution::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&count, kernel, threads,
                                                                   static_cast<std::size_t>(shape.shared_bytes)),
                     what);
    count *= execution::multiprocessors();
  }
  return count;
}

// A number that is the same for all calls on a device, and is asked for once.
class OfDevice {
 public:
  template <class Ask>
  std::int64_t known(const Ask& ask) {
    int device = 0;
    execution::check(cudaGetDevice(&device), "finding the current device");
    if (device >= static_cast<int>(known_.size())) return ask();
    std::atomic<std::int64_t>& place = known_[static_cast<std::size_t>(device)];
    if (place == 0) place = ask();
    return place;
  }

 private:
  std::array<std::atomic<std::int64_t>, 64> known_ = {};
};

// The rows, filters and random keys of a call; all else is 0.
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
