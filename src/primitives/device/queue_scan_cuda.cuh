#pragma once

#include <algorithm>
#include <cstdint>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "primitives/device/scan_tiles_cuda.cuh"
#include "primitives/device/sum_segments_cuda.cuh"
#include "primitives/device/workspace_cuda.h"
#include "primitives/device_calls.h"

// The host side of scans and segmented reductions: the workspace and the launches. One .cu file per type includes it.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

// Before a scan: clears what must be zero and the status word, and finds first[t], the first segment
// whose offset is above the first item of tile t; it is 0 for the first tile, and after the last tile it
// is the number of offsets. So each offset belongs to exactly one tile, whatever the offsets are. Half a
// warp searches together, 16 offsets at a time: a search costs as many waits for memory as it has steps.
struct Preparation {
  uint4* cleared;
  std::int64_t chunks;
  std::int64_t* status;         // null: none
  const std::int64_t* offsets;  // null: none
  std::int64_t segments;
  std::int64_t tile_size;
  std::int64_t tiles;
  std::int64_t* first;
};

static __global__ void __launch_bounds__(256) prepare_scan(const __grid_constant__ Preparation call) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (thread == 0 && call.status != nullptr) *call.status = primitives::no_error;
  for (std::int64_t i = thread; i < call.chunks; i += std::int64_t{gridDim.x} * blockDim.x)
    call.cleared[i] = make_uint4(0, 0, 0, 0);
  if (call.offsets == nullptr) return;
  const std::int64_t tile = thread / 16;
  const int lane = static_cast<int>(threadIdx.x % 16), half = static_cast<int>(threadIdx.x % 32 / 16);
  std::int64_t low = 0, high = tile > 0 && tile <= call.tiles ? call.segments + 1 : 0;
  if (tile == call.tiles) low = high;
  const std::int64_t begin = tile * call.tile_size;
  while (__any_sync(every_lane, low < high)) {
    const std::int64_t step = ((high - low) >> 4) + 1, probe = low + (lane + 1) * step - 1;
    const bool above = probe >= high || call.offsets[probe] > begin;
    const unsigned found = __ballot_sync(every_lane, above) >> (16 * half) & 0xFFFFu;
    const int before = found != 0 ? __ffs(static_cast<int>(found)) - 1 : 16;  // probes that are not above
    if (before < 16) high = min(high, low + (before + 1) * step - 1);
    low = min(high, low + before * step);
  }
  if (lane == 0 && tile <= call.tiles) call.first[tile] = low;
}

// The parts of a scan's workspace; those that must be zero come first.
struct ScanWorkspace {
  unsigned int* ticket;
  Records records;
  std::int64_t zeroed;
  std::int64_t* first_segment;
  std::int64_t bytes;

  ScanWorkspace(std::byte* begin, std::int64_t tiles, int words, bool packed, bool by_offsets) {
    primitives::WorkspaceParts parts(begin);
    ticket = parts.take<unsigned int>(1);
    records.together = parts.take<StateAndWord>(words == 1 || packed ? tiles : 0);
    records.state = parts.take<std::uint32_t>(words == 1 || packed ? 0 : tiles);
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

// The workspace with records of P for `tiles` tiles.
template <class P>
ScanWorkspace scan_workspace_of(std::byte* begin, std::int64_t tiles, bool by_offsets) {
  bool packed = false;
  if constexpr (P::of_floats) packed = P::packed;
  return ScanWorkspace(begin, tiles, P::words, packed, by_offsets);
}

template <class T>
using SumsOf = typename std::conditional_t<
    std::is_floating_point_v<T>, std::type_identity<FloatSums<T>>,
    std::conditional_t<sizeof(T) == 4, std::type_identity<Int32Sums>, std::type_identity<Int64Sums>>>::type;

template <class T>
std::int64_t scan_workspace(std::int64_t items, ReduceOp op, bool by_offsets) {
  const std::int64_t tiles = tiles_of<T>(items);
  return op == ReduceOp::sum ? scan_workspace_of<SumsOf<T>>(nullptr, tiles, by_offsets).bytes
                             : scan_workspace_of<Folds<T>>(nullptr, tiles, by_offsets).bytes;
}

// Clears and finds what the kernels need, and completes `call`.
template <class P>
Records prepare(ScanCall<typename P::Value>& call, bool reads_only, const primitives::DeviceCall& on) {
  using T = typename P::Value;
  call.tiles = tiles_of<T>(call.items);
  const ScanWorkspace workspace = scan_workspace_of<P>(on.workspace, call.tiles, call.offsets != nullptr);
  call.status = on.status;
  call.ticket = workspace.ticket;
  call.first_segment = workspace.first_segment;
  const auto aligned = [](const void* address) { return reinterpret_cast<std::uintptr_t>(address) % 16 == 0; };
  call.aligned = aligned(call.values) && (reads_only || aligned(call.out));
  const Preparation preparation = {.cleared = reinterpret_cast<uint4*>(on.workspace),
                                   .chunks = workspace.zeroed / 16,
                                   .status = on.status,
                                   .offsets = call.offsets,
                                   .segments = call.segments,
                                   .tile_size = TileShape<T>::size,
                                   .tiles = call.tiles,
                                   .first = workspace.first_segment};
  prepare_scan<<<static_cast<unsigned>(call.tiles / 16 + 1), 256, 0, static_cast<cudaStream_t>(on.stream)>>>(
      preparation);
  execution::check_launch("preparing a scan");
  return workspace.records;
}

// Launches a kernel whose blocks take tiles until none are left.
template <class P, class Store, class Kernel>
void launch_tiles(Kernel kernel, int threads, int blocks_per_multiprocessor, const ScanCall<typename P::Value>& call,
                  const Records& records, const P& op, const primitives::DeviceCall& on, const char* what) {
  execution::check(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(sizeof(Store))), what);
  const std::int64_t blocks = std::int64_t{execution::multiprocessors()} * blocks_per_multiprocessor;
  kernel<<<static_cast<unsigned>(std::min(blocks, call.tiles)), threads, sizeof(Store),
           static_cast<cudaStream_t>(on.stream)>>>(call, records, op);
  execution::check_launch(what);
}

template <class T>
void queue_scan(ScanCall<T> call, ReduceOp op, const primitives::DeviceCall& on) {
  const execution::OnDevice here(on.device);
  constexpr const char* what = "scanning";
  if (op != ReduceOp::sum) {
    using P = Folds<T>;
    const Records records = prepare<P>(call, false, on);
    return launch_tiles<P, TileStore<P>>(scan_tiles<P, false, true>, TileShape<T>::threads, scan_blocks<P>, call,
                                         records, P{op}, on, what);
  }
  using P = SumsOf<T>;
  const Records records = prepare<P>(call, false, on);
  const bool segmented = call.offsets != nullptr || call.flags != nullptr;
  launch_tiles<P, TileStore<P>>(segmented ? scan_tiles<P, false, true> : scan_tiles<P, false, false>,
                                TileShape<T>::threads, scan_blocks<P>, call, records, P{}, on, what);
}

template <class T>
void queue_segmented_reduce(ScanCall<T> call, ReduceOp op, const primitives::DeviceCall& on) {
  const execution::OnDevice here(on.device);
  constexpr const char* what = "reducing segments";
  if (op != ReduceOp::sum) {
    using P = Folds<T>;
    const Records records = prepare<P>(call, true, on);
    return launch_tiles<P, TileStore<P>>(scan_tiles<P, true, true>, TileShape<T>::threads, scan_blocks<P>, call,
                                         records, P{op}, on, what);
  }
  using P = SumsOf<T>;
  const Records records = prepare<P>(call, true, on);
  launch_tiles<P, SumStore<P>>(sum_segments<P>, TileShape<T>::threads + scout_threads, sum_blocks<P>, call, records,
                               P{}, on, what);
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel

namespace papilio::primitives {

template <class T>
std::int64_t scan_workspace_on_cuda(const DeviceScan<T>& call, Device) {
  return primitive_kernel::scan_workspace<T>(call.items, call.op, call.offsets != nullptr);
}

template <class T>
void scan_on_cuda(const DeviceScan<T>& call, const DeviceCall& on) {
  primitive_kernel::queue_scan<T>({.offsets = call.offsets,
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
  primitive_kernel::queue_segmented_reduce<T>({.offsets = call.offsets,
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
