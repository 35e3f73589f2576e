#pragma once

#include <algorithm>
#include <cstdint>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "primitives/device/scan_tiles_cuda.cuh"
#include "primitives/device/workspace_cuda.h"
#include "primitives/device_calls.h"

// The host's side of scans and segmented reductions: the workspace and the launches. One .cu file per type includes it.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

// first[t]: the first segment whose offset is above the first item of tile t; 0 for the first tile, and behind the last
// one the number of offsets. So each offset belongs to one tile, whatever the offsets are.
static __global__ void __launch_bounds__(256)
    find_first_segments(const std::int64_t* offsets, std::int64_t segments, std::int64_t tile_size, std::int64_t tiles,
                        std::int64_t* first) {
  const std::int64_t tile = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (tile > tiles) return;
  std::int64_t low = 0, high = segments + 1;
  if (tile == 0) high = 0;
  if (tile == tiles) low = high;
  const std::int64_t begin = tile * tile_size;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (offsets[middle] > begin)
      high = middle;
    else
      low = middle + 1;
  }
  first[tile] = low;
}

// The parts of a scan's workspace; those that must be zero come first.
struct ScanWorkspace {
  unsigned int* ticket;
  Records records;
  std::int64_t zeroed;
  std::int64_t* first_segment;
  std::int64_t bytes;

  ScanWorkspace(std::byte* begin, std::int64_t tiles, int words, bool by_offsets) {
    primitives::WorkspaceParts parts(begin);
    ticket = parts.take<unsigned int>(1);
    records.together = parts.take<StateAndWord>(words == 1 ? tiles : 0);
    records.state = parts.take<std::uint32_t>(words == 1 ? 0 : tiles);
    zeroed = parts.bytes();
    first_segment = parts.take<std::int64_t>(by_offsets ? tiles + 1 : 0);
    records.part = parts.take<std::uint64_t>(words == 1 ? 0 : tiles * words);
    records.complete = parts.take<std::uint64_t>(words == 1 ? 0 : tiles * words);
    bytes = parts.bytes();
  }
};

template <class T>
std::int64_t tiles_of(std::int64_t items) {
  return std::max<std::int64_t>(1, base::ceil_div<std::int64_t>(items, TileShape<T>::size));
}

template <class T>
std::int64_t scan_workspace(std::int64_t items, ReduceOp op, bool by_offsets) {
  int words = Folds<T>::words;
  if (op == ReduceOp::sum) {
    if constexpr (std::is_floating_point_v<T>)
      words = FloatSums<T>::words;
    else
      words = sizeof(T) == 4 ? Int32Sums::words : Int64Sums::words;
  }
  return ScanWorkspace(nullptr, tiles_of<T>(items), words, by_offsets).bytes;
}

template <class P, bool reduce>
void queue_tiles(ScanCall<typename P::Value> call, const P& op, const primitives::DeviceCall& on) {
  using T = typename P::Value;
  const auto stream = static_cast<cudaStream_t>(on.stream);
  const std::int64_t tiles = tiles_of<T>(call.items);
  const ScanWorkspace workspace(on.workspace, tiles, P::words, call.offsets != nullptr);
  execution::check(cudaMemsetAsync(on.workspace, 0, static_cast<std::size_t>(workspace.zeroed), stream),
                   "clearing a workspace");
  primitives::set_no_error(on.status, stream);
  call.status = on.status;
  call.ticket = workspace.ticket;
  call.first_segment = workspace.first_segment;
  const auto aligned = [](const void* address) { return reinterpret_cast<std::uintptr_t>(address) % 16 == 0; };
  call.aligned = aligned(call.values) && (reduce || aligned(call.out));
  if (call.offsets != nullptr) {
    find_first_segments<<<static_cast<unsigned>(tiles / 256 + 1), 256, 0, stream>>>(
        call.offsets, call.segments, TileShape<T>::size, tiles, workspace.first_segment);
    execution::check_launch("finding the segments of tiles");
  }
  scan_tiles<P, reduce>
      <<<static_cast<unsigned>(tiles), TileShape<T>::threads, 0, stream>>>(call, workspace.records, op);
  execution::check_launch(reduce ? "reducing segments" : "scanning");
}

template <class T, bool reduce>
void queue_by_operator(const ScanCall<T>& call, ReduceOp op, const primitives::DeviceCall& on) {
  const execution::OnDevice here(on.device);
  if (op != ReduceOp::sum) return queue_tiles<Folds<T>, reduce>(call, {op}, on);
  if constexpr (std::is_floating_point_v<T>)
    queue_tiles<FloatSums<T>, reduce>(call, {}, on);
  else if constexpr (sizeof(T) == 4)
    queue_tiles<Int32Sums, reduce>(call, {}, on);
  else
    queue_tiles<Int64Sums, reduce>(call, {}, on);
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel

namespace papilio::primitives {

template <class T>
std::int64_t scan_workspace_on_cuda(const DeviceScan<T>& call, Device) {
  return primitive_kernel::scan_workspace<T>(call.items, call.op, call.offsets != nullptr);
}

template <class T>
void scan_on_cuda(const DeviceScan<T>& call, const DeviceCall& on) {
  primitive_kernel::queue_by_operator<T, false>({.offsets = call.offsets,
                                                 .segments = call.segments,
                                                 .flags = call.flags,
                                                 .values = call.values,
                                                 .items = call.items,
                                                 .out = call.out,
                                                 .exclusive = call.exclusive,
                                                 .with_total = call.with_total},
                                                call.op, on);
}

template <class T>
std::int64_t segmented_reduce_workspace_on_cuda(const DeviceSegmentedReduce<T>& call, Device) {
  return primitive_kernel::scan_workspace<T>(call.items, call.op, true);
}

template <class T>
void segmented_reduce_on_cuda(const DeviceSegmentedReduce<T>& call, const DeviceCall& on) {
  primitive_kernel::queue_by_operator<T, true>({.offsets = call.offsets,
                                                .segments = call.segments,
                                                .flags = nullptr,
                                                .values = call.values,
                                                .items = call.items,
                                                .out = call.out,
                                                .exclusive = false,
                                                .with_total = false},
                                               call.op, on);
}

#define PAPILIO_INSTANTIATE_SCANS(T)                                                                    \
  template std::int64_t scan_workspace_on_cuda<T>(const DeviceScan<T>&, Device);                        \
  template void scan_on_cuda<T>(const DeviceScan<T>&, const DeviceCall&);                               \
  template std::int64_t segmented_reduce_workspace_on_cuda<T>(const DeviceSegmentedReduce<T>&, Device); \
  template void segmented_reduce_on_cuda<T>(const DeviceSegmentedReduce<T>&, const DeviceCall&)

}  // namespace papilio::primitives
