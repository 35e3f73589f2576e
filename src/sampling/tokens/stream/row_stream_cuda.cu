#include "sampling/tokens/row_stream_cuda.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/math.h"
#include "sampling/tokens/stream/row_stream_cuda.cuh"
#include "sampling/tokens/token_launch_cuda.h"

namespace papilio::sampling {
namespace {

// A stream takes a while to begin and to end, so a cluster must have several rows.
constexpr std::int64_t least_rows_of_cluster = 8;

struct StreamShape {
  TokenShape blocks;
  sampling_kernel::StreamCall call;
};

// No `parts` if the rows do not fit.
template <class S, bool alone, unsigned thread_lines>
StreamShape stream_shape(const TokenCall& call) {
  using namespace sampling_kernel;
  constexpr std::int64_t in_line = 16 / sizeof(S), block_lines = thread_lines * stream_workers;
  const bool whole_lines = reinterpret_cast<std::uintptr_t>(call.logits) % 16 == 0 && call.row_stride % in_line == 0 &&
                           call.categories % in_line == 0;
  if (!whole_lines || execution::device_attribute(cudaDevAttrComputeCapabilityMajor) < 9) return {};
  const std::int64_t lines = call.categories / in_line;
  int parts = 2;
  while (parts < most_token_parts && lines > parts * block_lines) parts *= 2;
  const std::int64_t part_lines = base::ceil_div<std::int64_t>(lines, parts);
  // A thread's exact sum has to fit, and most threads should have something to do.
  const int unit_bits = token_unit_bits(call.categories);
  const bool fits = unit_bits <= 52 && thread_lines * in_line <= std::int64_t{1} << (52 - unit_bits);
  if (!fits || part_lines > block_lines || 4 * part_lines < 3 * block_lines) return {};
  const std::int64_t room = execution::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) -
                            static_cast<std::int64_t>(sizeof(StreamMemory<alone>)) - 1024;
  const std::int64_t buffers = std::min<std::int64_t>(stream_most_buffers, room / (block_lines * 16));
  if (buffers < 2) return {};
  StreamShape shape = {{parts, part_lines * in_line, buffers * block_lines * 16, false},
                       {call, static_cast<std::uint32_t>(buffers), static_cast<std::uint32_t>(buffers + 5)}};
  shape.call.call.in_slice = shape.blocks.in_slice;
  return shape;
}

// How many clusters the current device has room for. Asked once per device.
template <class S, bool alone, unsigned lines>
int clusters_at_once(const TokenShape& shape) {
  static std::array<std::array<std::atomic<int>, most_token_parts + 1>, 64> known;
  int device = 0;
  execution::check(cudaGetDevice(&device), "finding the current device");
  std::atomic<int>* const place =
      device < 64 ? &known[static_cast<std::size_t>(device)][static_cast<std::size_t>(shape.parts)] : nullptr;
  if (place != nullptr && place->load() > 0) return place->load();
  const auto kernel = sampling_kernel::draw_rows_in_stream<S, alone, lines>;
  execution::check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shape.shared_bytes)),
      "drawing from a stream of rows");
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(shape.parts), 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(shape.parts));
  config.blockDim = dim3(sampling_kernel::stream_threads(alone));
  config.dynamicSmemBytes = static_cast<std::size_t>(shape.shared_bytes);
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  execution::check(cudaOccupancyMaxActiveClusters(&clusters, kernel, &config), "drawing from a stream of rows");
  if (place != nullptr) place->store(clusters);
  return clusters;
}

template <class S, bool alone, unsigned lines>
bool draw(const TokenCall& call, cudaStream_t stream) {
  const StreamShape shape = stream_shape<S, alone, lines>(call);
  if (shape.blocks.parts == 0) return false;
  const int clusters = clusters_at_once<S, alone, lines>(shape.blocks);
  if (clusters == 0 || call.rows < least_rows_of_cluster * clusters) return false;
  launch_on_rows(sampling_kernel::draw_rows_in_stream<S, alone, lines>, shape.call, clusters, shape.blocks,
                 sampling_kernel::stream_threads(alone), stream, "drawing from a stream of rows");
  return true;
}

// Rough sums of 16-bit logits are faster than memory in eight blocks, exact sums need long parts; rough sums of floats
// are as fast by intervals.
template <class S>
bool draw(const TokenCall& call, bool alone, cudaStream_t stream) {
  if (!alone) return draw<S, false, 8>(call, stream);
  if constexpr (sizeof(S) == 2) return draw<S, true, 4>(call, stream);
  return false;
}

}  // namespace

bool draw_in_stream(Storage storage, const TokenCall& call, bool alone, void* stream) {
  const auto queue = static_cast<cudaStream_t>(stream);
  switch (storage) {
    case Storage::half:
      return draw<Half>(call, alone, queue);
    case Storage::bfloat16:
      return draw<BFloat16>(call, alone, queue);
    default:
      return draw<float>(call, alone, queue);
  }
}

}  // namespace papilio::sampling
