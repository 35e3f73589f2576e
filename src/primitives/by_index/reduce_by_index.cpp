#include <algorithm>
#include <mutex>

#include "primitives/by_index/scatter.h"
#include "primitives/call_checks.h"
#include "primitives/fixed_grid.h"
#include "primitives/kernels.h"

namespace papilio {
namespace {

using primitives::FirstWrong;
using primitives::IntegerCells;
using primitives::Magnitudes;
using primitives::ValueRange;

// Below this many values, a second thread costs more than it saves.
constexpr std::int64_t least_values = std::int64_t{1} << 16;

template <class Index>
bool is_bin(Index index, std::int64_t bins) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(index)) < static_cast<std::uint64_t>(bins);
}

// Includes the magnitudes of more values.
void take(Magnitudes& all, const Magnitudes& more) {
  all.special |= more.special;
  all.largest = std::max(all.largest, more.largest);
  all.last_place = std::min(all.last_place, more.last_place);
}

// The magnitudes of those values whose index is that of a bin.
template <class Index, class T>
Magnitudes magnitudes_of(const VectorView<const Index>& indices, const VectorView<const T>& values, std::int64_t bins,
                         const ReduceByIndexOptions& options) {
  std::mutex guard;
  Magnitudes all;
  const primitives::ExactSums<T>& sums = primitives::exact_sums<T>();
  execution::parallel_for(values.size, least_values, options.threads, [&](std::int64_t begin, std::int64_t end) {
    Magnitudes some;
    if (options.skip_out_of_range) {
      for (std::int64_t i = begin; i < end; ++i) {
        if (is_bin(indices.data[i], bins)) take(some, sums.magnitudes(values.data + i, 1));
      }
    } else {
      some = sums.magnitudes(values.data + begin, end - begin);
    }
    const std::lock_guard lock(guard);
    take(all, some);
  });
  return all;
}

// Adds infinities and NaN one by one: either they are few, or the result is useless. Their order does not matter.
template <class Index, class T>
void add_specials(const VectorView<const Index>& indices, const VectorView<const T>& values, const VectorView<T>& out) {
  for (std::int64_t i = 0; i < values.size; ++i) {
    const T value = values.data[i];
    if (primitives::is_finite(value) || !is_bin(indices.data[i], out.size)) continue;
    T& bin = out.data[indices.data[i]];
    bin = primitives::plus_special(bin, value);
  }
}

template <class Index, class T>
primitives::ScatterResult reduce_floats(const primitives::IndexedItems<Index>& items,
                                        const VectorView<const Index>& indices, const VectorView<const T>& values,
                                        const VectorView<T>& out, const ReduceByIndexOptions& options) {
  ValueRange range{.items = items.count};
  if (options.op == ReduceOp::sum) {
    const Magnitudes magnitudes = magnitudes_of(indices, values, out.size, options);
    if (magnitudes.special) add_specials(indices, values, out);
    using Bits = primitives::BitsOf<T>;
    const auto largest = static_cast<Bits>(magnitudes.largest);
    range.fits_64_bits = primitives::fits_64_bits<T>(largest, magnitudes.last_place, items.count);
    range.place = primitives::grid_place<T>(largest, items.count, range.fits_64_bits ? 64 : 128);
  }
  return primitives::scatter(items, primitives::accumulator<T>(options.op, range), out.data, options.threads);
}

// Sums are kept in T. A sum that overflowed on the way may have come back into range. So what was added
// is taken out again, and added in a wider type, which also shows the first bin whose sum does not fit.
template <class Index, class T>
primitives::ScatterResult reduce_integers(const primitives::IndexedItems<Index>& items, const VectorView<T>& out,
                                          const ReduceByIndexOptions& options) {
  ValueRange range{.counts = items.values == nullptr, .items = items.count};
  const auto pass = [&](IntegerCells cells, int threads) {
    range.integers = cells;
    return primitives::scatter(items, primitives::accumulator<T>(options.op, range), out.data, threads);
  };
  const primitives::ScatterResult result = pass(IntegerCells::narrow, options.threads);
  if (!result.left_type || result.wrong_index != FirstWrong::none) return result;
  if (result.in_out) pass(IntegerCells::undo, options.threads);
  return pass(IntegerCells::wide, options.threads);
}

template <class Index, class T>
void check_call(const VectorView<const Index>& indices, const VectorView<const T>& values, const VectorView<T>& out,
                bool counts, const ReduceByIndexOptions& options) {
  constexpr const char* function = "reduce_by_index";
  primitives::require_operator<T>(function, options.op);
  base::require(!counts || options.op == ReduceOp::sum, "papilio::{}: op must be sum where there are no values; got {}",
                function, name(options.op));
  primitives::require_options(function, options, out.device);
  primitives::require_array(function, "indices", indices, out.device);
  primitives::require_array(function, "values", values, counts ? values.device : out.device);
  primitives::require_array(function, "out", out, out.device);
  base::require(counts || values.size == indices.size,
                "papilio::reduce_by_index: values must have one entry per index; got {} for {}", values.size,
                indices.size);
  execution::require_apart(function, "out", out, "indices", indices);
  execution::require_apart(function, "out", out, "values", values);
}

template <class Index, class T>
primitives::DeviceReduceByIndex<Index, T> device_reduce(const VectorView<const Index>& indices,
                                                        const VectorView<const T>& values, bool counts,
                                                        const VectorView<T>& out, const ReduceByIndexOptions& options) {
  return {indices.data, counts ? nullptr : values.data, indices.size,           out.data, out.size,
          options.op,   options.skip_out_of_range,      options.small_workspace};
}

template <class Index, class T>
void reduce(const VectorView<const Index>& indices, const VectorView<const T>& values, bool counts,
            const VectorView<T>& out, const ReduceByIndexOptions& options) {
  check_call(indices, values, out, counts, options);
  if (!out.device.is_cpu()) {
    const auto call = device_reduce(indices, values, counts, out, options);
    const std::int64_t bytes = primitives::reduce_by_index_workspace_on_cuda(call, out.device);
    return primitives::reduce_by_index_on_cuda(call,
                                               primitives::device_call("reduce_by_index", options, out.device, bytes));
  }
  PrimitiveStatus found;
  if (!indices.empty()) {
    const primitives::IndexedItems<Index> items{indices.data, counts ? nullptr : values.data, indices.size, out.size,
                                                options.skip_out_of_range};
    primitives::ScatterResult result;
    if constexpr (std::is_integral_v<T>) {
      result = reduce_integers(items, out, options);
    } else {
      result = reduce_floats(items, indices, values, out, options);
    }
    if (result.wrong_index != FirstWrong::none) {
      found = {PrimitiveError::index_out_of_range, result.wrong_index};
    } else if (result.overflow != FirstWrong::none) {
      found = {PrimitiveError::sum_overflow, result.overflow};
    }
  }
  primitives::finish(options.status, found, [&] {
    return found.error == PrimitiveError::sum_overflow
               ? fmt::format("papilio::reduce_by_index: the sum of bin {} does not fit {}", found.place,
                             primitives::type_name<T>())
               : fmt::format("papilio::reduce_by_index: index {} is {}, expected 0 <= index < {}", found.place,
                             indices.data[found.place], out.size);
  });
}

template <class Index, class T>
std::int64_t workspace_bytes(const VectorView<const Index>& indices, const VectorView<const T>& values, bool counts,
                             const VectorView<T>& out, const ReduceByIndexOptions& options) {
  check_call(indices, values, out, counts, options);
  if (out.device.is_cpu()) return 0;
  return primitives::reduce_by_index_workspace_on_cuda(device_reduce(indices, values, counts, out, options),
                                                       out.device);
}

}  // namespace

template <class Index, class T>
void reduce_by_index(VectorView<const Index> indices, VectorView<const T> values, VectorView<T> out,
                     const ReduceByIndexOptions& options) {
  reduce(indices, values, false, out, options);
}

template <class Index, class T>
void reduce_by_index(VectorView<const Index> indices, VectorView<T> out, const ReduceByIndexOptions& options) {
  reduce(indices, VectorView<const T>(), true, out, options);
}

template <class Index, class T>
std::int64_t reduce_by_index_workspace_bytes(VectorView<const Index> indices, VectorView<const T> values,
                                             VectorView<T> out, const ReduceByIndexOptions& options) {
  return workspace_bytes(indices, values, false, out, options);
}

template <class Index, class T>
std::int64_t reduce_by_index_workspace_bytes(VectorView<const Index> indices, VectorView<T> out,
                                             const ReduceByIndexOptions& options) {
  return workspace_bytes(indices, VectorView<const T>(), true, out, options);
}

#define PAPILIO_INSTANTIATE(Index, T)                                                                           \
  template void reduce_by_index<Index, T>(VectorView<const Index>, VectorView<const T>, VectorView<T>,          \
                                          const ReduceByIndexOptions&);                                         \
  template std::int64_t reduce_by_index_workspace_bytes<Index, T>(VectorView<const Index>, VectorView<const T>, \
                                                                  VectorView<T>, const ReduceByIndexOptions&);
#define PAPILIO_INSTANTIATE_COUNTS(Index, T)                                                                    \
  PAPILIO_INSTANTIATE(Index, T)                                                                                 \
  template void reduce_by_index<Index, T>(VectorView<const Index>, VectorView<T>, const ReduceByIndexOptions&); \
  template std::int64_t reduce_by_index_workspace_bytes<Index, T>(VectorView<const Index>, VectorView<T>,       \
                                                                  const ReduceByIndexOptions&);
PAPILIO_INSTANTIATE_COUNTS(std::int32_t, std::int32_t)
PAPILIO_INSTANTIATE_COUNTS(std::int32_t, std::int64_t)
PAPILIO_INSTANTIATE(std::int32_t, float)
PAPILIO_INSTANTIATE(std::int32_t, double)
PAPILIO_INSTANTIATE_COUNTS(std::int64_t, std::int32_t)
PAPILIO_INSTANTIATE_COUNTS(std::int64_t, std::int64_t)
PAPILIO_INSTANTIATE(std::int64_t, float)
PAPILIO_INSTANTIATE(std::int64_t, double)

}  // namespace papilio
