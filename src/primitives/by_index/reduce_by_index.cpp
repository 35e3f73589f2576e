#include <algorithm>
#include <limits>
#include <mutex>

#include "primitives/by_index/scatter.h"
#include "primitives/call_checks.h"
#include "primitives/fixed_grid.h"

namespace papilio {
namespace {

using primitives::FirstWrong;
using primitives::Int128;
using primitives::ValueRange;

// Below this many values, a second thread costs more than it saves.
constexpr std::int64_t least_values = std::int64_t{1} << 16;

template <class Index>
bool is_bin(Index index, std::int64_t bins) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(index)) < static_cast<std::uint64_t>(bins);
}

// The largest magnitude of some integers.
template <class T>
Int128 magnitude_of(const VectorView<const T>& values, int threads) {
  std::mutex guard;
  T least = 0, most = 0;
  execution::parallel_for(values.size, least_values, threads, [&](std::int64_t begin, std::int64_t end) {
    T low = 0, high = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      low = std::min(low, values.data[i]);
      high = std::max(high, values.data[i]);
    }
    const std::lock_guard lock(guard);
    least = std::min(least, low);
    most = std::max(most, high);
  });
  return std::max(-static_cast<Int128>(least), static_cast<Int128>(most));
}

// The magnitudes of floats, as bits: the largest finite one, the least but 0, and whether others than finite ones
// occur.
template <class T>
struct Magnitudes {
  using Bits = primitives::BitsOf<T>;
  static constexpr Bits infinity = primitives::FloatFormat<T>::infinity;
  Bits largest = 0;
  Bits least = infinity;
  bool special = false;

  void take(Bits magnitude) {
    special |= magnitude >= infinity;
    largest = std::max(largest, magnitude < infinity ? magnitude : Bits{0});
    least = std::min(least, magnitude != 0 ? magnitude : infinity);
  }
  void take(const Magnitudes& other) {
    special |= other.special;
    largest = std::max(largest, other.largest);
    least = std::min(least, other.least);
  }
};

// Of the values whose index is that of a bin.
template <class Index, class T>
Magnitudes<T> magnitudes_of(const VectorView<const Index>& indices, const VectorView<const T>& values,
                            std::int64_t bins, const ReduceByIndexOptions& options) {
  std::mutex guard;
  Magnitudes<T> all;
  execution::parallel_for(values.size, least_values, options.threads, [&](std::int64_t begin, std::int64_t end) {
    Magnitudes<T> some;
    if (options.skip_out_of_range) {
      for (std::int64_t i = begin; i < end; ++i) {
        if (is_bin(indices.data[i], bins)) some.take(primitives::magnitude_bits(values.data[i]));
      }
    } else {
      for (std::int64_t i = begin; i < end; ++i) some.take(primitives::magnitude_bits(values.data[i]));
    }
    const std::lock_guard lock(guard);
    all.take(some);
  });
  return all;
}

// Infinities and NaN, one after the other: they are few, or the result is of no use. Their order does not matter.
template <class Index, class T>
void add_specials(const VectorView<const Index>& indices, const VectorView<const T>& values, const VectorView<T>& out) {
  for (std::int64_t i = 0; i < values.size; ++i) {
    const T value = values.data[i];
    if (primitives::is_finite(value) || !is_bin(indices.data[i], out.size)) continue;
    T& bin = out.data[indices.data[i]];
    bin = primitives::plus_special(bin, value);
  }
}

// What has to be known of the values of a sum before the first one is added.
template <class Index, class T>
ValueRange range_of(const VectorView<const Index>& indices, const VectorView<const T>& values, bool counts,
                    const VectorView<T>& out, const ReduceByIndexOptions& options) {
  ValueRange range{.counts = counts, .items = indices.size};
  if (options.op != ReduceOp::sum) return range;
  if constexpr (std::is_integral_v<T>) {
    const Int128 largest = counts ? Int128{1} : magnitude_of(values, options.threads);
    const Int128 before = magnitude_of(VectorView<const T>(out), options.threads);
    range.may_overflow = largest * indices.size + before > std::numeric_limits<T>::max();
  } else {
    const Magnitudes<T> magnitudes = magnitudes_of(indices, values, out.size, options);
    if (magnitudes.special) add_specials(indices, values, out);
    range.fits_64_bits = primitives::fits_64_bits<T>(magnitudes.largest, magnitudes.least, indices.size);
    range.place = primitives::grid_place<T>(magnitudes.largest, indices.size, range.fits_64_bits ? 64 : 128);
  }
  return range;
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
  return {indices.data, counts ? nullptr : values.data, indices.size, out.data, out.size,
          options.op,   options.skip_out_of_range};
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
    const ValueRange range = range_of(indices, values, counts, out, options);
    const primitives::IndexedItems<Index> items{indices.data, counts ? nullptr : values.data, indices.size, out.size,
                                                options.skip_out_of_range};
    const primitives::ScatterResult result =
        primitives::scatter(items, primitives::accumulator<T>(options.op, range), out.data, options.threads);
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
