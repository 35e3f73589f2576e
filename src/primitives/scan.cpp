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
using primitives::Parts;

// Below this many values per part, a second thread costs more than it saves.
constexpr std::int64_t least_values = std::int64_t{1} << 15;

// Replaces each entry by the sum of those before it and returns the sum of all, modulo 2^64.
std::uint64_t scan_totals(std::vector<std::uint64_t>& totals) {
  std::uint64_t sum = 0;
  for (std::uint64_t& total : totals) {
    const std::uint64_t next = sum + total;
    total = sum;
    sum = next;
  }
  return sum;
}

template <class Value>
void check_scan(const VectorView<const Value>& values, const VectorView<std::int64_t>& sums) {
  primitives::require_array("exclusive_scan", "values", values, sums.device);
  execution::require_vector("exclusive_scan", "sums", sums);
  base::require(sums.size == values.size || sums.size == values.size + 1,
                "papilio::exclusive_scan: sums must have as many entries as values, or one more; got {} for {}",
                sums.size, values.size);
  if (static_cast<const void*>(sums.data) != static_cast<const void*>(values.data) ||
      sizeof(Value) != sizeof(std::int64_t)) {
    execution::require_apart("exclusive_scan", "sums", sums, "values", values);
  }
}

// Values of int32 are first written to `sums` as int64, and then scanned in place.
template <class Value>
primitives::DeviceScan<std::int64_t> device_scan(const VectorView<const Value>& values,
                                                 const VectorView<std::int64_t>& sums) {
  const std::int64_t* from = sums.data;
  if constexpr (sizeof(Value) == sizeof(std::int64_t)) from = values.data;
  return {.offsets = nullptr,
          .segments = 0,
          .flags = nullptr,
          .values = from,
          .items = values.size,
          .out = sums.data,
          .with_total = sums.size > values.size,
          .op = ReduceOp::sum,
          .exclusive = true};
}

template <class Value>
std::int64_t scan_workspace(const VectorView<const Value>& values, const VectorView<std::int64_t>& sums) {
  check_scan(values, sums);
  return sums.device.is_cpu() ? 0 : primitives::scan_workspace_on_cuda(device_scan(values, sums), sums.device);
}

template <class Value>
std::int64_t scan_on_device(const VectorView<const Value>& values, const VectorView<std::int64_t>& sums,
                            const PassOptions& options) {
  const std::int64_t bytes = scan_workspace(values, sums);
  const primitives::DeviceCall on = primitives::device_call("exclusive_scan", options, sums.device, bytes);
  if constexpr (sizeof(Value) != sizeof(std::int64_t))
    primitives::widen_on_cuda(values.data, values.size, sums.data, on);
  primitives::scan_on_cuda(device_scan(values, sums), on);
  return -1;
}

// Two passes over the parts: first their totals, then their sums from where the parts before end.
//
// The totals are sums modulo 2^64. If every sum fits int64, the start of each part is exact, even
// if the total of a part on its own does not fit. If some sum does not fit, the part with the
// first such sum still starts right, because the sum before it did fit, and so it finds that sum.
template <class Value>
std::int64_t scan_to_sums(VectorView<const Value> values, VectorView<std::int64_t> sums, const PassOptions& options) {
  check_scan(values, sums);
  primitives::require_options("exclusive_scan", options, sums.device);
  if (!sums.device.is_cpu()) return scan_on_device(values, sums, options);
  const int threads = options.threads;
  const Parts parts(values.size, least_values, execution::thread_count(threads));
  std::vector<std::uint64_t> totals(static_cast<std::size_t>(parts.count()));
  if (parts.count() > 1) {
    parts.for_each(threads, [&](std::int64_t part, std::int64_t begin, std::int64_t end) {
      std::uint64_t total = 0;
      for (std::int64_t i = begin; i < end; ++i) total += static_cast<std::uint64_t>(std::int64_t{values.data[i]});
      totals[static_cast<std::size_t>(part)] = total;
    });
    scan_totals(totals);
  }
  FirstWrong wrong;
  std::int64_t total_of_all = 0;
  parts.for_each(threads, [&](std::int64_t part, std::int64_t begin, std::int64_t end) {
    auto sum = static_cast<std::int64_t>(totals[static_cast<std::size_t>(part)]);
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t value = values.data[i];
      sums.data[i] = sum;
      if (__builtin_add_overflow(sum, value, &sum)) [[unlikely]] {
        return wrong.report(i);
      }
    }
    if (part == parts.count() - 1) total_of_all = sum;
  });
  // The status has the number of the entry of `sums` that does not fit.
  const bool fits = !wrong.found();
  primitives::finish(
      options.status, {fits ? PrimitiveError::none : PrimitiveError::sum_overflow, fits ? 0 : wrong.item() + 1}, [&] {
        return fmt::format("papilio::exclusive_scan: the sum of values 0 ... {} does not fit int64", wrong.item());
      });
  if (sums.size > values.size) sums.data[values.size] = total_of_all;
  return total_of_all;
}

}  // namespace

std::int64_t exclusive_scan(VectorView<const std::int64_t> values, VectorView<std::int64_t> sums, int threads) {
  return scan_to_sums(values, sums, {.threads = threads});
}

std::int64_t exclusive_scan(VectorView<const std::int32_t> values, VectorView<std::int64_t> sums, int threads) {
  return scan_to_sums(values, sums, {.threads = threads});
}

std::int64_t exclusive_scan(VectorView<const std::int64_t> values, VectorView<std::int64_t> sums,
                            const PassOptions& options) {
  return scan_to_sums(values, sums, options);
}

std::int64_t exclusive_scan(VectorView<const std::int32_t> values, VectorView<std::int64_t> sums,
                            const PassOptions& options) {
  return scan_to_sums(values, sums, options);
}

std::int64_t exclusive_scan_workspace_bytes(VectorView<const std::int64_t> values, VectorView<std::int64_t> sums) {
  return scan_workspace(values, sums);
}

std::int64_t exclusive_scan_workspace_bytes(VectorView<const std::int32_t> values, VectorView<std::int64_t> sums) {
  return scan_workspace(values, sums);
}

// Two passes over the parts: first counts how many values each keeps, then copies them to where the parts before end.
std::int64_t compact(VectorView<const std::int32_t> values, VectorView<const std::uint8_t> flags,
                     VectorView<std::int32_t> kept, int threads) {
  require_cpu("compact", "values", values);
  require_cpu("compact", "flags", flags);
  require_cpu("compact", "kept", kept);
  base::require(flags.size == values.size, "papilio::compact: flags must have one entry per value; got {} for {}",
                flags.size, values.size);
  base::require(threads == 1 || kept.data != values.data || values.empty(),
                "papilio::compact: kept may be values itself only where threads is 1; got {}", threads);
  if (kept.data != values.data) execution::require_apart("compact", "kept", kept, "values", values);
  execution::require_apart("compact", "kept", kept, "flags", flags);
  const Parts parts(values.size, least_values, execution::thread_count(threads));
  std::vector<std::uint64_t> starts(static_cast<std::size_t>(parts.count()));
  parts.for_each(threads, [&](std::int64_t part, std::int64_t begin, std::int64_t end) {
    std::uint64_t count = 0;
    for (std::int64_t i = begin; i < end; ++i) count += flags.data[i] != 0 ? 1u : 0u;
    starts[static_cast<std::size_t>(part)] = count;
  });
  const auto total = static_cast<std::int64_t>(scan_totals(starts));
  base::require(total <= kept.size, "papilio::compact: kept has room for {} values, {} are flagged", kept.size, total);
  parts.for_each(threads, [&](std::int64_t part, std::int64_t begin, std::int64_t) {
    const auto p = static_cast<std::size_t>(part);
    const std::uint64_t stop = p + 1 < starts.size() ? starts[p + 1] : static_cast<std::uint64_t>(total);
    // A value that is not kept is overwritten by the next one; nothing is written after the last one kept.
    std::uint64_t to = starts[p];
    for (std::int64_t i = begin; to < stop; ++i) {
      kept.data[to] = values.data[i];
      to += flags.data[i] != 0 ? 1u : 0u;
    }
  });
  return total;
}

}  // namespace papilio
