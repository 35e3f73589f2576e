#include <algorithm>
#include <bit>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "primitives/device/workspace_cuda.h"
#include "primitives/device_calls.h"

// Sorts item numbers by key with CUB's radix sort, which is stable, between two
// pairs of arrays. The offsets are a histogram of the keys and its exclusive scan.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

inline constexpr int sort_threads = 256;

__global__ void __launch_bounds__(sort_threads) number_items(std::int64_t* order, std::int64_t items) {
  const std::int64_t step = std::int64_t{gridDim.x} * sort_threads;
  for (std::int64_t i = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x; i < items; i += step) order[i] = i;
}

__global__ void __launch_bounds__(sort_threads)
    widen(const std::int32_t* values, std::int64_t items, std::int64_t* wide) {
  const std::int64_t step = std::int64_t{gridDim.x} * sort_threads;
#pragma unroll 4
  for (std::int64_t i = std::int64_t{blockIdx.x} * sort_threads + threadIdx.x; i < items; i += step)
    wide[i] = values[i];
}

inline unsigned sort_grid(std::int64_t items) {
  const std::int64_t most = std::int64_t{execution::multiprocessors()} * 8;
  return static_cast<unsigned>(std::clamp<std::int64_t>(base::ceil_div<std::int64_t>(items, sort_threads), 1, most));
}

using Keys = cub::DoubleBuffer<std::int32_t>;
using Items = cub::DoubleBuffer<std::int64_t>;

// How many bits keys can differ in.
inline int bits_of_keys(std::int64_t key_count) {
  return std::min(
      32, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(key_count, 1) - 1))));
}

inline primitives::DeviceScan<std::int64_t> scan_of_counts(const primitives::DeviceSortByKey& call) {
  return {.offsets = nullptr,
          .segments = 0,
          .flags = nullptr,
          .values = call.offsets,
          .items = call.key_count,
          .out = call.offsets,
          .with_total = true,
          .op = ReduceOp::sum,
          .exclusive = true};
}

struct SortWorkspace {
  std::int32_t* keys[2];
  std::int64_t* items;
  std::byte* cub;
  std::size_t cub_bytes = 0;
  std::byte* scan;
  std::int64_t bytes;

  SortWorkspace(std::byte* begin, const primitives::DeviceSortByKey& call, Device device) {
    primitives::WorkspaceParts parts(begin);
    const bool sorts = bits_of_keys(call.key_count) > 0;
    for (std::int32_t*& k : keys) k = parts.take<std::int32_t>(sorts ? call.items : 0);
    items = parts.take<std::int64_t>(sorts ? call.items : 0);
    if (sorts) {
      Keys some_keys;
      Items some_items;
      execution::check(cub::DeviceRadixSort::SortPairs(nullptr, cub_bytes, some_keys, some_items, call.items, 0,
                                                       bits_of_keys(call.key_count)),
                       "asking for what sorting needs");
    }
    cub = parts.take<std::byte>(static_cast<std::int64_t>(cub_bytes));
    scan = parts.take<std::byte>(primitives::scan_workspace_on_cuda(scan_of_counts(call), device));
    bytes = parts.bytes();
  }
};

void queue_sort(const primitives::DeviceSortByKey& call, SortWorkspace& workspace, cudaStream_t stream) {
  number_items<<<sort_grid(call.items), sort_threads, 0, stream>>>(call.order, call.items);
  execution::check_launch("numbering items");
  const int bits = bits_of_keys(call.key_count);
  if (bits == 0) return;
  const auto key_bytes = static_cast<std::size_t>(call.items) * sizeof(std::int32_t);
  execution::check(cudaMemcpyAsync(workspace.keys[0], call.keys, key_bytes, cudaMemcpyDeviceToDevice, stream),
                   "copying keys");
  Keys keys(workspace.keys[0], workspace.keys[1]);
  Items items(call.order, workspace.items);
  execution::check(
      cub::DeviceRadixSort::SortPairs(workspace.cub, workspace.cub_bytes, keys, items, call.items, 0, bits, stream),
      "sorting");
  if (items.Current() != call.order) {
    execution::check(cudaMemcpyAsync(call.order, items.Current(), 2 * key_bytes, cudaMemcpyDeviceToDevice, stream),
                     "copying item numbers");
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel

namespace papilio::primitives {

std::int64_t sort_by_key_workspace_on_cuda(const DeviceSortByKey& call, Device device) {
  const execution::OnDevice here(device);
  return primitive_kernel::SortWorkspace(nullptr, call, device).bytes;
}

void sort_by_key_on_cuda(const DeviceSortByKey& call, const DeviceCall& on) {
  const execution::OnDevice here(on.device);
  const auto stream = static_cast<cudaStream_t>(on.stream);
  primitive_kernel::SortWorkspace workspace(on.workspace, call, on.device);
  const auto entries = static_cast<std::size_t>(call.key_count + 1);
  execution::check(cudaMemsetAsync(call.offsets, 0, entries * sizeof(std::int64_t), stream), "clearing offsets");
  // Only a key can be wrong, and the histogram finds that.
  reduce_by_index_on_cuda<std::int32_t, std::int64_t>(
      {call.keys, nullptr, call.items, call.offsets, call.key_count, ReduceOp::sum, false},
      {on.device, on.stream, nullptr, on.status});
  if (call.key_count > 0)
    scan_on_cuda(primitive_kernel::scan_of_counts(call), {on.device, on.stream, workspace.scan, nullptr});
  if (call.items > 0) primitive_kernel::queue_sort(call, workspace, stream);
}

void widen_on_cuda(const std::int32_t* values, std::int64_t items, std::int64_t* wide, const DeviceCall& on) {
  if (items == 0) return;
  const execution::OnDevice here(on.device);
  const auto stream = static_cast<cudaStream_t>(on.stream);
  primitive_kernel::widen<<<primitive_kernel::sort_grid(items), primitive_kernel::sort_threads, 0, stream>>>(
      values, items, wide);
  execution::check_launch("widening values");
}

}  // namespace papilio::primitives
