#pragma once

#include "primitives/device/sort_items_cuda.cuh"

// The host side of reductions by index. One .cu file per type includes it.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

inline unsigned grid_for(std::int64_t work, std::int64_t per_block, int blocks_per_multiprocessor) {
  const std::int64_t most = std::int64_t{execution::multiprocessors()} * blocks_per_multiprocessor;
  return static_cast<unsigned>(std::clamp<std::int64_t>(base::ceil_div(work, per_block), 1, most));
}

// Bytes of shared memory for the table of all bins, if a block has as many, and for the hashed table.
inline constexpr std::int64_t most_table_bytes = 96 * 1024;
inline constexpr int hashed_table_bytes = 64 * 1024;

inline SharedTable table_for(std::int64_t bins, int limbs, std::int64_t most_bytes) {
  const std::int64_t bytes = bins * limbs * 4;
  if (bytes <= most_bytes) {
    int copies = 1;
    while (copies < 32 && 2 * copies * bytes <= most_bytes / 2) copies *= 2;
    return {.hashed = false, .slots = static_cast<int>(bins), .copies = copies};
  }
  int slots = 1;
  while (2 * slots * (limbs + 1) * 4 <= hashed_table_bytes) slots *= 2;
  return {.hashed = true, .slots = slots, .copies = 1};
}

// What a device's cache holds besides the items that stream through it; the most ranges of bins
// for which reading all indices again pays, so that additions stay in the cache; and, with more
// ranges than that, the share of the call's arrays (one in so many bytes) that the cells may take.
inline constexpr std::int64_t cached_bytes = 32 << 20;
inline constexpr std::int64_t most_cached_ranges = 40;
inline constexpr std::int64_t one_in = 20;

// Bytes of cells that a call needs. `per_bin` is what the sum of one bin
// takes; `array_bytes` is the size of indices, values and bins together.
inline std::int64_t cell_bytes_for(std::int64_t bins, std::int64_t per_bin, std::int64_t array_bytes) {
  const std::int64_t all = bins * per_bin;
  if (all <= cached_bytes * most_cached_ranges) return std::min(all, cached_bytes);
  return std::clamp(array_bytes / one_in, cached_bytes, all) / 16 * 16;
}

// Calls body(first, range, last) for ranges of at most `most` of the bins that an
// Index can name; once if there are none, because indices are checked even then.
template <class Index, class Body>
void for_each_range(std::int64_t bins, std::int64_t most, Body&& body) {
  constexpr std::int64_t longest = std::int64_t{1} << 31;
  const std::int64_t named = sizeof(Index) == sizeof(std::int32_t) ? std::min(bins, longest) : bins;
  if (named == 0) return body(0, 0, true);
  const std::int64_t size = std::min(most, longest);
  for (std::int64_t first = 0; first < named; first += size)
    body(first, static_cast<std::uint32_t>(std::min(size, named - first)), first + size >= named);
}

template <class Index, class T>
ByIndexCall<Index, T> call_for_range(ByIndexCall<Index, T> call, std::int64_t first, std::uint32_t range) {
  call.first = first;
  call.range = range;
  call.reports = first == 0 && !call.skip_out_of_range;
  return call;
}

template <class C, class Index, class T, Items which>
void launch_adding(const ByIndexCall<Index, T>& call, const C& cells, cudaStream_t stream) {
  constexpr std::int64_t queues =
      sizeof(typename QueueOfWarp<T>::Entries) * (which == Items::few ? by_index_threads / 32 : 1);
  const std::int64_t most =
      std::min(most_table_bytes, execution::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - queues);
  const SharedTable table = table_for(call.range, C::limbs, most);
  const int bytes = table.slots * table.copies * (C::limbs + (table.hashed ? 1 : 0)) * 4;
  const auto kernel = add_by_index<C, Index, T, which>;
  execution::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most)),
                   "asking for shared memory");
  kernel<<<grid_for(call.items, by_index_tile, 2), by_index_threads, static_cast<std::size_t>(bytes), stream>>>(
      call, cells, table);
  execution::check_launch("reducing by index");
}

// Items are sorted if the cells of all bins would take more than this many times the cache: sorting
// takes as long as reading the indices about five times. With more bins than `most_sorted_bins`, a copy
// of the items would often be more than a twentieth of the arrays, or there would be too many parts.
inline constexpr std::int64_t least_sorted_ranges = 5;
inline constexpr std::int64_t most_sorted_bins = 100'000'000;

template <class T>
struct ByIndexWorkspace {
  FoundMagnitudes* found;
  unsigned long long* cells;
  std::int64_t cell_bytes;
  bool sorts = false;
  SortedItems<T> sorted = {};
  std::int64_t bytes;

  static constexpr std::int64_t words_per_bin = std::is_floating_point_v<T> || sizeof(T) == 8 ? 2 : 1;
  static constexpr int part_shift = words_per_bin == 2 ? 21 : 22;  // as many bins as fit into the cache
  static_assert(8 * words_per_bin << part_shift == cached_bytes);
  static_assert(most_sorted_bins <= std::int64_t{most_parts} << part_shift);

  // Takes nothing for counts and for operators other than sum.
  template <class Index>
  ByIndexWorkspace(std::byte* begin, const primitives::DeviceReduceByIndex<Index, T>& call) {
    primitives::WorkspaceParts parts(begin);
    const bool sums = call.op == ReduceOp::sum && call.values != nullptr;
    const auto array_bytes =
        static_cast<std::int64_t>((sizeof(Index) + sizeof(T)) * call.items + sizeof(T) * call.bins);
    sorts = sums && !call.small_workspace && call.bins >= least_sorted_ranges << part_shift &&
            call.bins <= most_sorted_bins;
    found = parts.take<FoundMagnitudes>(sums && std::is_floating_point_v<T> ? 1 : 0);
    cell_bytes = sorts ? cached_bytes : sums ? cell_bytes_for(call.bins, 8 * words_per_bin, array_bytes) : 0;
    cells = parts.take<unsigned long long>(cell_bytes / 8);
    if (sorts) {
      sorted.shift = part_shift;
      sorted.counts = parts.take<unsigned long long>(most_parts);
      sorted.begins = parts.take<std::int64_t>(most_parts + 1);
      sorted.bins = parts.take<std::uint32_t>(call.items);
      sorted.values = parts.take<T>(call.items);
    }
    bytes = parts.bytes();
  }
};

// Sorts the items by parts, and returns them as the items of a call.
template <class Index, class T>
ByIndexCall<std::int32_t, T> queue_sorting(const ByIndexCall<Index, T>& call, const SortedItems<T>& sorted,
                                           cudaStream_t stream) {
  constexpr const char* what = "sorting items";
  execution::check(cudaMemsetAsync(sorted.counts, 0, most_parts * sizeof(*sorted.counts), stream), what);
  count_parts<<<grid_for(call.items, 4 * by_index_threads, 4), by_index_threads, 0, stream>>>(call, sorted);
  execution::check_launch(what);
  begin_parts<<<1, most_parts, 0, stream>>>(sorted);
  execution::check_launch(what);
  constexpr auto bytes = static_cast<int>(sizeof(SortStore<T>));
  const auto kernel = sort_items<Index, T>;
  execution::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), what);
  kernel<<<grid_for(call.items, sorted_tile, 3), by_index_threads, bytes, stream>>>(call, sorted);
  execution::check_launch(what);
  return {.indices = reinterpret_cast<const std::int32_t*>(sorted.bins),
          .values = sorted.values,
          .items = call.items,
          .bins = call.bins,
          .skip_out_of_range = true,
          .status = call.status,
          .begin_and_end = sorted.begins};
}

// Adds the items that belong to a range of bins to its cells.
template <class C, class Index, class T>
void queue_adding(const ByIndexCall<Index, T>& call, const C& cells, int part_shift, cudaStream_t stream) {
  if (call.begin_and_end != nullptr) {
    if constexpr (sizeof(Index) == sizeof(std::int32_t)) {
      ByIndexCall<Index, T> sorted = call;
      sorted.begin_and_end += call.first >> part_shift;
      sorted.parts = static_cast<int>(base::ceil_div<std::int64_t>(call.range, std::int64_t{1} << part_shift));
      launch_adding<C, Index, T, Items::sorted>(sorted, cells, stream);
    }
  } else if (2 * std::int64_t{call.range} > call.bins) {
    launch_adding<C, Index, T, Items::all>(call, cells, stream);
  } else {
    launch_adding<C, Index, T, Items::few>(call, cells, stream);
  }
}

// Adds all items and finishes all bins, range by range, with cells of one kind, which must be clear.
template <class C, class Index, class T>
void queue_ranges(const ByIndexCall<Index, T>& call, const C& cells, std::int64_t cell_bytes, T* out,
                  cudaStream_t stream) {
  for_each_range<Index>(
      call.bins, cell_bytes / (8 * C::cell_words), [&](std::int64_t first, std::uint32_t range, bool last) {
        queue_adding(call_for_range(call, first, range), cells, ByIndexWorkspace<T>::part_shift, stream);
        finish_bins<C, T><<<grid_for(range, by_index_threads, 8), by_index_threads, 0, stream>>>(
            cells, out, first, range, last, call.status);
        execution::check_launch("finishing bins");
      });
}

// Adds all items to cells that are clear, or that are cleared once the magnitudes of the values are known.
template <class Index, class T>
void queue_sums_of(const ByIndexCall<Index, T>& call, T* out, const ByIndexWorkspace<T>& workspace,
                   cudaStream_t stream) {
  unsigned long long* const cells = workspace.cells;
  if constexpr (std::is_floating_point_v<T>) {
    queue_ranges(call, FloatCells<T, 1>{cells, workspace.found, call.items}, workspace.cell_bytes, out, stream);
    queue_ranges(call, FloatCells<T, 2>{cells, workspace.found, call.items}, workspace.cell_bytes, out, stream);
  } else {
    queue_ranges(call, IntegerCells<T>(cells, call.items), workspace.cell_bytes, out, stream);
  }
}

template <class Index, class T>
void queue_sums(const ByIndexCall<Index, T>& call, T* out, const ByIndexWorkspace<T>& workspace, cudaStream_t stream) {
  unsigned long long* const cells = workspace.cells;
  if constexpr (std::is_floating_point_v<T>) {
    execution::check(cudaMemsetAsync(workspace.found, 0, sizeof(FoundMagnitudes), stream), "clearing a workspace");
    find_magnitudes<<<grid_for(call.items, 8 * by_index_threads, 4), by_index_threads, 0, stream>>>(call, out,
                                                                                                    workspace.found);
    execution::check_launch("finding magnitudes");
    const std::int64_t cells_of_two = workspace.cell_bytes / 16;
    clear_float_cells<T><<<grid_for(cells_of_two, by_index_threads, 8), by_index_threads, 0, stream>>>(
        cells, cells_of_two, call.bins, workspace.found, call.items);
    execution::check_launch("clearing bins");
  } else {
    execution::check(cudaMemsetAsync(cells, 0, static_cast<std::size_t>(workspace.cell_bytes), stream),
                     "clearing bins");
  }
  if (workspace.sorts)
    queue_sums_of(queue_sorting(call, workspace.sorted, stream), out, workspace, stream);
  else
    queue_sums_of(call, out, workspace, stream);
}

template <class Index, class T>
void queue_by_index(const primitives::DeviceReduceByIndex<Index, T>& asked, const primitives::DeviceCall& on) {
  const execution::OnDevice here(on.device);
  const auto stream = static_cast<cudaStream_t>(on.stream);
  primitives::set_no_error(on.status, stream);
  if (asked.items == 0) return;
  ByIndexCall<Index, T> call = {asked.indices,           asked.values, asked.items, asked.bins,
                                asked.skip_out_of_range, on.status};
  if (asked.op != ReduceOp::sum) {
    fold_by_index<<<grid_for(call.items, 4 * by_index_threads, 4), by_index_threads, 0, stream>>>(
        call, FoldCells<T>{asked.out, asked.op});
    return execution::check_launch("reducing by index");
  }
  if (asked.values != nullptr) return queue_sums(call, asked.out, ByIndexWorkspace<T>(on.workspace, asked), stream);
  if constexpr (std::is_integral_v<T>) {
    const std::int64_t most =
        cell_bytes_for(call.bins, sizeof(T), call.bins * std::int64_t{sizeof(T)} * one_in) / std::int64_t{sizeof(T)};
    for_each_range<Index>(call.bins, most, [&](std::int64_t first, std::uint32_t range, bool) {
      queue_adding(call_for_range(call, first, range), CountCells<T>{asked.out + first, first, on.status}, 0, stream);
    });
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel

namespace papilio::primitives {

template <class Index, class T>
std::int64_t reduce_by_index_workspace_on_cuda(const DeviceReduceByIndex<Index, T>& call, Device) {
  return primitive_kernel::ByIndexWorkspace<T>(nullptr, call).bytes;
}

template <class Index, class T>
void reduce_by_index_on_cuda(const DeviceReduceByIndex<Index, T>& call, const DeviceCall& on) {
  primitive_kernel::queue_by_index(call, on);
}

#define PAPILIO_INSTANTIATE_BY_INDEX(Index, T)                                                                     \
  template std::int64_t reduce_by_index_workspace_on_cuda<Index, T>(const DeviceReduceByIndex<Index, T>&, Device); \
  template void reduce_by_index_on_cuda<Index, T>(const DeviceReduceByIndex<Index, T>&, const DeviceCall&)

}  // namespace papilio::primitives
