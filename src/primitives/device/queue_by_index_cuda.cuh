#pragma once

#include "primitives/device/by_index_cuda.cuh"

// The host's side of reductions by index. One .cu file per type includes it.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

inline unsigned grid_for(std::int64_t work, std::int64_t per_block, int blocks_per_multiprocessor) {
  const std::int64_t most = std::int64_t{execution::multiprocessors()} * blocks_per_multiprocessor;
  return static_cast<unsigned>(std::clamp<std::int64_t>(base::ceil_div(work, per_block), 1, most));
}

// Bytes of shared memory for the table of all bins; and slots of the hashed one.
inline constexpr std::int64_t most_table_bytes = 96 * 1024;
inline constexpr int hashed_table_bytes = 64 * 1024;

inline SharedTable table_for(std::int64_t bins, int limbs) {
  const std::int64_t bytes = bins * limbs * 4;
  if (bytes <= most_table_bytes) {
    int copies = 1;
    while (copies < 32 && 2 * copies * bytes <= most_table_bytes / 2) copies *= 2;
    return {.hashed = false, .slots = static_cast<int>(bins), .copies = copies};
  }
  int slots = 1;
  while (2 * slots * (limbs + 1) * 4 <= hashed_table_bytes) slots *= 2;
  // Tags have 32 bits.
  if (bins >= std::int64_t{std::numeric_limits<std::uint32_t>::max()}) slots = 0;
  return {.hashed = true, .slots = slots, .copies = 1};
}

template <class C, class Index, class T>
void queue_adding(const ByIndexCall<Index, T>& call, const C& cells, cudaStream_t stream) {
  const SharedTable table = table_for(call.bins, C::limbs);
  const int bytes = table.slots * table.copies * (C::limbs + (table.hashed ? 1 : 0)) * 4;
  const auto kernel = add_by_index<C, Index, T>;
  execution::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        static_cast<int>(most_table_bytes)),
                   "asking for shared memory");
  kernel<<<grid_for(call.items, by_index_tile, 2), by_index_threads, static_cast<std::size_t>(bytes), stream>>>(
      call, cells, table);
  execution::check_launch("reducing by index");
}

template <class T>
struct ByIndexWorkspace {
  FoundMagnitudes* found;
  unsigned long long* cells;
  std::int64_t bytes;

  // Nothing for counts and for what is not a sum.
  ByIndexWorkspace(std::byte* begin, std::int64_t bins, bool sums) {
    primitives::WorkspaceParts parts(begin);
    constexpr bool floats = std::is_floating_point_v<T>;
    found = parts.take<FoundMagnitudes>(sums && floats ? 1 : 0);
    const std::int64_t words = floats || sizeof(T) == 8 ? 2 : 1;
    cells = parts.take<unsigned long long>(sums ? words * bins : 0);
    bytes = parts.bytes();
  }
};

template <class Index, class T>
void queue_sums(const ByIndexCall<Index, T>& call, T* out, const primitives::DeviceCall& on, cudaStream_t stream) {
  const ByIndexWorkspace<T> workspace(on.workspace, call.bins, true);
  unsigned long long* const cells = workspace.cells;
  const unsigned over_bins = grid_for(call.bins, by_index_threads, 8);
  if constexpr (std::is_floating_point_v<T>) {
    execution::check(cudaMemsetAsync(workspace.found, 0, sizeof(FoundMagnitudes), stream), "clearing a workspace");
    find_magnitudes<<<grid_for(call.items, 4 * by_index_threads, 4), by_index_threads, 0, stream>>>(call, out,
                                                                                                    workspace.found);
    execution::check_launch("finding magnitudes");
    clear_float_cells<T><<<over_bins, by_index_threads, 0, stream>>>(cells, call.bins, workspace.found, call.items);
    execution::check_launch("clearing bins");
    queue_adding(call, FloatCells<T, 1>{cells, workspace.found, call.items}, stream);
    queue_adding(call, FloatCells<T, 2>{cells, workspace.found, call.items}, stream);
    finish_floats<<<over_bins, by_index_threads, 0, stream>>>(out, cells, call.bins, workspace.found, call.items);
  } else {
    using Cells = IntegerCells<T>;
    execution::check(cudaMemsetAsync(cells, 0, static_cast<std::size_t>(call.bins) * Cells::cell_words * 8, stream),
                     "clearing bins");
    queue_adding(call, Cells{cells}, stream);
    finish_integers<<<over_bins, by_index_threads, 0, stream>>>(out, cells, call.bins, call.status);
  }
  execution::check_launch("finishing bins");
}

template <class Index, class T>
void queue_by_index(const primitives::DeviceReduceByIndex<Index, T>& asked, const primitives::DeviceCall& on) {
  const execution::OnDevice here(on.device);
  const auto stream = static_cast<cudaStream_t>(on.stream);
  primitives::set_no_error(on.status, stream);
  if (asked.items == 0) return;
  const ByIndexCall<Index, T> call = {asked.indices, asked.values, asked.items,
                                      asked.bins,    asked.skip_out_of_range, on.status};
  if (asked.op != ReduceOp::sum) {
    fold_by_index<<<grid_for(call.items, 4 * by_index_threads, 4), by_index_threads, 0, stream>>>(
        call, FoldCells<T>{asked.out, asked.op});
    return execution::check_launch("reducing by index");
  }
  if (asked.values != nullptr) return queue_sums(call, asked.out, on, stream);
  if constexpr (std::is_integral_v<T>) queue_adding(call, CountCells<T>{asked.out, on.status}, stream);
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel

namespace papilio::primitives {

template <class Index, class T>
std::int64_t reduce_by_index_workspace_on_cuda(const DeviceReduceByIndex<Index, T>& call, Device) {
  const bool sums = call.op == ReduceOp::sum && call.values != nullptr;
  return primitive_kernel::ByIndexWorkspace<T>(nullptr, call.bins, sums).bytes;
}

template <class Index, class T>
void reduce_by_index_on_cuda(const DeviceReduceByIndex<Index, T>& call, const DeviceCall& on) {
  primitive_kernel::queue_by_index(call, on);
}

#define PAPILIO_INSTANTIATE_BY_INDEX(Index, T)                                                                     \
  template std::int64_t reduce_by_index_workspace_on_cuda<Index, T>(const DeviceReduceByIndex<Index, T>&, Device); \
  template void reduce_by_index_on_cuda<Index, T>(const DeviceReduceByIndex<Index, T>&, const DeviceCall&)

}  // namespace papilio::primitives
