#include <algorithm>
#include <cstdint>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "primitives/device/look_back_cuda.cuh"
#include "primitives/device/workspace_cuda.h"
#include "primitives/device_calls.h"

// Compaction in two launches: the first finds the places of each tile's flagged values by a look-back over their
// counts, which also gives the total; the second copies them, if all have room. In between, flags are bits.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

inline constexpr int compact_threads = 256;
inline constexpr int compact_items = 16;  // per thread
inline constexpr int compact_tile = compact_threads * compact_items;

template <class Flag>
struct CompactCall {
  const Flag* flags;
  const void* values;
  std::int64_t items;
  void* kept;
  std::int64_t room;
  std::int64_t* count;
  std::int64_t* status;
  unsigned int* ticket;
  std::int64_t* first;   // of each tile: the number of flagged values before it
  std::uint16_t* marks;  // of each thread: its flags
  std::int64_t* total;
};

// The flags of a thread's items as bits.
template <class Flag>
__device__ __forceinline__ std::uint32_t marks_of(const Flag* flags, std::int64_t item, std::int64_t items) {
  std::uint32_t marks = 0;
  const Flag* const from = flags + item;
  if (item + compact_items <= items && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
    constexpr int loads = static_cast<int>(compact_items * sizeof(Flag) / 16);
    alignas(16) Flag flag[compact_items];
#pragma unroll
    for (int j = 0; j < loads; ++j)
      reinterpret_cast<uint4*>(flag)[j] = __ldcs(reinterpret_cast<const uint4*>(from) + j);
#pragma unroll
    for (int k = 0; k < compact_items; ++k) marks |= (flag[k] != 0 ? 1u : 0u) << k;
  } else {
    for (int k = 0; k < compact_items; ++k)
      if (item + k < items && from[k] != 0) marks |= 1u << k;
  }
  return marks;
}

template <class Flag>
__global__ void __launch_bounds__(compact_threads)
    count_flags(const __grid_constant__ CompactCall<Flag> call, const __grid_constant__ Records records,
                std::int64_t tiles) {
  __shared__ std::int64_t shared_tile;
  __shared__ int of_warp[compact_threads / 32];
  if (threadIdx.x == 0) shared_tile = atomicAdd(call.ticket, 1u);
  __syncthreads();
  const std::int64_t tile = shared_tile, item = tile * compact_tile + std::int64_t{threadIdx.x} * compact_items;
  const std::uint32_t marks = marks_of(call.flags, item, call.items);
  call.marks[tile * compact_threads + threadIdx.x] = static_cast<std::uint16_t>(marks);
  const int in_warp = static_cast<int>(__reduce_add_sync(every_lane, static_cast<unsigned>(__popc(marks))));
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = in_warp;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  std::uint64_t flagged = 0;
  for (int w = 0; w < compact_threads / 32; ++w) flagged += static_cast<std::uint64_t>(of_warp[w]);
  publish<1>(records, tile, {{flagged}}, tile == 0);
  std::uint64_t before = 0;
  if (tile > 0) {
    before = look_back<1>(records, tile, 0, [](std::uint64_t a, std::uint64_t b, int) { return a + b; }).word[0];
    publish<1>(records, tile, {{before + flagged}}, true);
  }
  if (threadIdx.x != 0) return;
  call.first[tile] = static_cast<std::int64_t>(before);
  if (tile != tiles - 1) return;
  const auto total = static_cast<std::int64_t>(before + flagged);
  *call.total = total;
  if (call.count != nullptr) *call.count = total;
  if (total > call.room) report(call.status, PrimitiveError::no_room, total);
}

// What one thread moves in one access.
template <int size>
struct alignas(size) MovedElement {
  unsigned char byte[size];
};

// Writes the flagged values of a tile by their places in the result: neighbouring threads
// write neighbouring entries. `Element` is a piece of a value, which has `pieces` of them.
template <class Element, class Flag>
__global__ void __launch_bounds__(compact_threads)
    copy_flagged(const __grid_constant__ CompactCall<Flag> call, int pieces) {
  __shared__ std::uint16_t from[compact_tile];
  __shared__ int of_warp[compact_threads / 32];
  const std::int64_t tile = blockIdx.x;
  if (*call.total > call.room) return;
  std::uint32_t marks = call.marks[tile * compact_threads + threadIdx.x];
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  int up_to = __popc(marks);
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(every_lane, up_to, distance);
    if (lane >= distance) up_to += other;
  }
  if (lane == 31) of_warp[warp] = up_to;
  __syncthreads();
  int place = up_to - __popc(marks), kept = 0;
  for (int w = 0; w < compact_threads / 32; ++w) {
    if (w < warp) place += of_warp[w];
    kept += of_warp[w];
  }
  for (; marks != 0; marks &= marks - 1)
    from[place++] =
        static_cast<std::uint16_t>(static_cast<int>(threadIdx.x) * compact_items + __ffs(static_cast<int>(marks)) - 1);
  __syncthreads();
  const auto* const values = static_cast<const Element*>(call.values) + tile * compact_tile * pieces;
  auto* const to = static_cast<Element*>(call.kept) + call.first[tile] * pieces;
  if (pieces == 1) {
#pragma unroll 4
    for (int k = static_cast<int>(threadIdx.x); k < kept; k += compact_threads) to[k] = values[from[k]];
  } else {
    const std::int64_t all = std::int64_t{kept} * pieces;
    for (std::int64_t k = threadIdx.x; k < all; k += compact_threads)
      to[k] = values[std::int64_t{from[k / pieces]} * pieces + k % pieces];
  }
}

template <class Flag>
struct CompactWorkspace {
  CompactCall<Flag> call{};
  Records records{};
  std::int64_t zeroed = 0, bytes = 0;

  CompactWorkspace(std::byte* begin, std::int64_t tiles) {
    primitives::WorkspaceParts parts(begin);
    call.ticket = parts.take<unsigned int>(1);
    records.together = parts.take<StateAndWord>(tiles);
    zeroed = parts.bytes();
    call.total = parts.take<std::int64_t>(1);
    call.first = parts.take<std::int64_t>(tiles);
    call.marks = parts.take<std::uint16_t>(tiles * compact_threads);
    bytes = parts.bytes();
  }
};

inline std::int64_t compact_tiles(std::int64_t items) {
  return std::max<std::int64_t>(1, base::ceil_div<std::int64_t>(items, compact_tile));
}

template <int size, class Flag>
void queue_copy(const CompactCall<Flag>& call, std::int64_t tiles, int pieces, cudaStream_t stream) {
  copy_flagged<MovedElement<size>><<<static_cast<unsigned>(tiles), compact_threads, 0, stream>>>(call, pieces);
  execution::check_launch("copying flagged values");
}

template <class Flag>
void queue_compact(const primitives::DeviceCompact<Flag>& asked, const primitives::DeviceCall& on) {
  const execution::OnDevice here(on.device);
  const auto stream = static_cast<cudaStream_t>(on.stream);
  const std::int64_t tiles = compact_tiles(asked.items);
  CompactWorkspace<Flag> workspace(on.workspace, tiles);
  CompactCall<Flag>& call = workspace.call;
  call.flags = asked.flags;
  call.values = asked.values;
  call.items = asked.items;
  call.kept = asked.kept;
  call.room = asked.room;
  call.count = asked.count;
  call.status = on.status;
  execution::check(cudaMemsetAsync(on.workspace, 0, static_cast<std::size_t>(workspace.zeroed), stream),
                   "clearing a workspace");
  primitives::set_no_error(on.status, stream);
  count_flags<<<static_cast<unsigned>(tiles), compact_threads, 0, stream>>>(call, workspace.records, tiles);
  execution::check_launch("counting flags");
  // Pieces as large as the addresses and the size of the values allow.
  const auto all = reinterpret_cast<std::uintptr_t>(asked.values) | reinterpret_cast<std::uintptr_t>(asked.kept) |
                   static_cast<std::uintptr_t>(asked.size);
  const auto pieces = [&](int size) { return static_cast<int>(asked.size / size); };
  if (all % 16 == 0) return queue_copy<16>(call, tiles, pieces(16), stream);
  if (all % 8 == 0) return queue_copy<8>(call, tiles, pieces(8), stream);
  if (all % 4 == 0) return queue_copy<4>(call, tiles, pieces(4), stream);
  if (all % 2 == 0) return queue_copy<2>(call, tiles, pieces(2), stream);
  queue_copy<1>(call, tiles, pieces(1), stream);
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel

namespace papilio::primitives {

template <class Flag>
std::int64_t compact_workspace_on_cuda(const DeviceCompact<Flag>& call, Device) {
  return primitive_kernel::CompactWorkspace<Flag>(nullptr, primitive_kernel::compact_tiles(call.items)).bytes;
}
template <class Flag>
void compact_on_cuda(const DeviceCompact<Flag>& call, const DeviceCall& on) {
  primitive_kernel::queue_compact(call, on);
}

template std::int64_t compact_workspace_on_cuda<std::uint8_t>(const DeviceCompact<std::uint8_t>&, Device);
template void compact_on_cuda<std::uint8_t>(const DeviceCompact<std::uint8_t>&, const DeviceCall&);
template std::int64_t compact_workspace_on_cuda<std::int32_t>(const DeviceCompact<std::int32_t>&, Device);
template void compact_on_cuda<std::int32_t>(const DeviceCompact<std::int32_t>&, const DeviceCall&);

}  // namespace papilio::primitives
