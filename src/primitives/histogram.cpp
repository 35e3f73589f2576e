#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "base/check.h"
#include "execution/cpu/require_cpu.h"
#include "papilio/primitives.h"
#include "primitives/call_checks.h"
#include "primitives/parts.h"

namespace papilio {
namespace {

using execution::require_cpu;
using primitives::FirstWrong;
using primitives::key_bound;
using primitives::Parts;

// Below this many keys per part, a second thread costs more than it saves.
constexpr std::int64_t least_keys = std::int64_t{1} << 15;

// Counts keys[begin ... end) by `add(key)`; returns the first one out of range, or FirstWrong::none.
template <class Add>
std::int64_t count_range(const std::int32_t* keys, std::int64_t begin, std::int64_t end, std::uint32_t bound, Add add) {
  for (std::int64_t i = begin; i < end; ++i) {
    const auto key = static_cast<std::uint32_t>(keys[i]);
    if (key >= bound) [[unlikely]] {
      return i;
    }
    add(key);
  }
  return FirstWrong::none;
}

// One table per part: the first part counts in `counts` itself,
// the others in tables of their own, which are then added to it.
template <class Count>
void count_in_copies(const Parts& parts, VectorView<const std::int32_t> keys, VectorView<Count> counts, int threads,
                     FirstWrong& wrong) {
  std::vector<std::vector<Count>> copies(static_cast<std::size_t>(parts.count()));
  parts.for_each(threads, [&](std::int64_t part, std::int64_t begin, std::int64_t end) {
    std::vector<Count>& copy = copies[static_cast<std::size_t>(part)];
    if (part > 0) copy.resize(static_cast<std::size_t>(counts.size));
    Count* table = part > 0 ? copy.data() : counts.data;
    wrong.report(
        count_range(keys.data, begin, end, key_bound(counts.size), [table](std::uint32_t key) { ++table[key]; }));
  });
  if (wrong.found()) return;
  execution::parallel_for(counts.size, least_keys, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::size_t part = 1; part < copies.size(); ++part) {
      const Count* copy = copies[part].data();
      Count* total = counts.data;
      for (std::int64_t k = begin; k < end; ++k) total[k] += copy[k];
    }
  });
}

// All parts count in the one table.
template <class Count>
void count_atomically(const Parts& parts, VectorView<const std::int32_t> keys, VectorView<Count> counts, int threads,
                      FirstWrong& wrong) {
  parts.for_each(threads, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
    Count* table = counts.data;
    wrong.report(count_range(keys.data, begin, end, key_bound(counts.size), [table](std::uint32_t key) {
      std::atomic_ref<Count>(table[key]).fetch_add(1, std::memory_order_relaxed);
    }));
  });
}

// Makes copies if they are smaller than the keys. Larger tables are limited by memory, not by the
// additions: on two cores (4 Mi keys into 8 Mi and 32 Mi counts), atomics took 0.9 to 1.3 of the
// time of one plain thread. One range of keys per thread, with every thread reading all keys, took
// 0.9 to 1.1. So with few threads only one counts, and more threads share the table by atomics.
template <class Count>
void count_without_overflow(VectorView<const std::int32_t> keys, VectorView<Count> counts, int threads,
                            FirstWrong& wrong) {
  constexpr int least_threads_for_atomics = 4;
  const int limit = execution::thread_count(threads);
  const std::int64_t copies = keys.size * std::int64_t{sizeof(std::int32_t)} /
                              std::max<std::int64_t>(1, counts.size * std::int64_t{sizeof(Count)});
  if (copies >= 2) {
    count_in_copies(Parts(keys.size, least_keys, std::min<std::int64_t>(limit, copies)), keys, counts, threads, wrong);
  } else if (limit >= least_threads_for_atomics) {
    count_atomically(Parts(keys.size, least_keys, limit), keys, counts, threads, wrong);
  } else {
    count_in_copies(Parts(keys.size, least_keys, 1), keys, counts, 1, wrong);
  }
}

// Counts one key after the other, for counts so large that one of them might overflow.
template <class Count>
void count_with_care(VectorView<const std::int32_t> keys, VectorView<Count> counts, FirstWrong& wrong) {
  constexpr Count largest = std::numeric_limits<Count>::max();
  std::int64_t i = 0;
  wrong.report(count_range(keys.data, 0, keys.size, key_bound(counts.size), [&](std::uint32_t key) {
    base::require(counts.data[key] < largest,
                  "papilio::histogram: key {} is {}, whose count is already {}, the largest of its type", i, key,
                  largest);
    ++counts.data[key];
    ++i;
  }));
}

template <class Count>
void histogram_of(VectorView<const std::int32_t> keys, VectorView<Count> counts, const PassOptions& options) {
  primitives::require_array("histogram", "keys", keys, counts.device);
  execution::require_vector("histogram", "counts", counts);
  execution::require_apart("histogram", "counts", counts, "keys", keys);
  primitives::require_options("histogram", options, counts.device);
  if (!counts.device.is_cpu() || !options.status.empty()) {
    return reduce_by_index<std::int32_t, Count>(
        keys, counts, {.threads = options.threads, .cuda_stream = options.cuda_stream, .status = options.status});
  }
  const int threads = options.threads;
  FirstWrong wrong;
  Count most = 0;
  for (std::int64_t k = 0; k < counts.size; ++k) most = std::max(most, counts.data[k]);
  if (keys.size <= std::int64_t{std::numeric_limits<Count>::max() - most}) {
    count_without_overflow(keys, counts, threads, wrong);
  } else {
    count_with_care(keys, counts, wrong);
  }
  if (wrong.found()) {
    throw InvalidArgument(fmt::format("papilio::histogram: key {} is {}, expected 0 <= key < {}", wrong.item(),
                                      keys.data[wrong.item()], counts.size));
  }
}

// Throws if something is wrong with the offsets of histogram_by_key.
void check_segments(std::int64_t items, VectorView<const std::int64_t> offsets, std::int64_t rows) {
  constexpr std::int64_t most_items = std::numeric_limits<std::int32_t>::max();
  base::require(offsets.size - 1 == rows,
                "papilio::histogram_by_key: offsets must have one entry more than counts has rows; got {} for {} rows",
                offsets.size, rows);
  for (std::int64_t s = 0; s <= rows; ++s) {
    const std::int64_t least = s == 0 ? 0 : offsets.data[s - 1];
    base::require(least <= offsets.data[s] && offsets.data[s] <= items,
                  "papilio::histogram_by_key: offset {} is {}, expected {} <= offset <= {}", s, offsets.data[s], least,
                  items);
    base::require(s == 0 || offsets.data[s] - least <= most_items,
                  "papilio::histogram_by_key: segment {} has {} items, more than an int32 counts", s - 1,
                  offsets.data[s] - least);
  }
}

}  // namespace

void histogram(VectorView<const std::int32_t> keys, VectorView<std::int64_t> counts, int threads) {
  histogram_of(keys, counts, {.threads = threads});
}

void histogram(VectorView<const std::int32_t> keys, VectorView<std::int32_t> counts, int threads) {
  histogram_of(keys, counts, {.threads = threads});
}

void histogram(VectorView<const std::int32_t> keys, VectorView<std::int64_t> counts, const PassOptions& options) {
  histogram_of(keys, counts, options);
}

void histogram(VectorView<const std::int32_t> keys, VectorView<std::int32_t> counts, const PassOptions& options) {
  histogram_of(keys, counts, options);
}

void histogram_by_key(VectorView<const std::int32_t> values, VectorView<const std::int64_t> offsets,
                      VectorView<const std::int64_t> order, MatrixView<std::int32_t> counts, int threads) {
  require_cpu("histogram_by_key", "values", values);
  require_cpu("histogram_by_key", "offsets", offsets);
  require_cpu("histogram_by_key", "order", order);
  require_cpu("histogram_by_key", "counts", counts);
  execution::require_separate_rows("histogram_by_key", "counts", counts);
  if (counts.column_stride == 1 && counts.row_stride == counts.columns) {
    const VectorView<std::int32_t> all(counts.data, counts.rows * counts.columns);
    execution::require_apart("histogram_by_key", "counts", all, "values", values);
    execution::require_apart("histogram_by_key", "counts", all, "offsets", offsets);
    execution::require_apart("histogram_by_key", "counts", all, "order", order);
  }
  check_segments(order.empty() ? values.size : order.size, offsets, counts.rows);
  FirstWrong wrong;
  const auto count_segment = [&](std::int64_t s) {
    std::int32_t* row = counts.data + s * counts.row_stride;
    const std::int64_t stride = counts.column_stride;
    const std::uint32_t bound = key_bound(counts.columns);
    for (std::int64_t k = 0; k < counts.columns; ++k) row[k * stride] = 0;
    for (std::int64_t i = offsets.data[s]; i < offsets.data[s + 1]; ++i) {
      const std::int64_t item = order.empty() ? i : order.data[i];
      const bool known = 0 <= item && item < values.size;
      const auto value = known ? static_cast<std::uint32_t>(values.data[item]) : bound;
      if (value >= bound) [[unlikely]] {
        return wrong.report(i);
      }
      ++row[value * stride];
    }
  };
  execution::parallel_for(counts.rows, 1, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t s = begin; s < end; ++s) count_segment(s);
  });
  if (!wrong.found()) return;
  const std::int64_t item = order.empty() ? wrong.item() : order.data[wrong.item()];
  base::require(0 <= item && item < values.size, "papilio::histogram_by_key: order {} is {}, expected 0 <= order < {}",
                wrong.item(), item, values.size);
  throw InvalidArgument(fmt::format("papilio::histogram_by_key: value {} is {}, expected 0 <= value < {}", item,
                                    values.data[item], counts.columns));
}

}  // namespace papilio
