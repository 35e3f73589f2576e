#include <algorithm>
#include <cstring>
#include <vector>

#include "primitives/call_checks.h"
#include "primitives/parts.h"
#include "primitives/reductions.h"

namespace papilio {
namespace {

using primitives::block_size;
using primitives::FirstWrong;
using primitives::ScanBlock;

// Below this many values per part, a second thread costs more than it saves.
constexpr std::int64_t least_values = std::int64_t{1} << 15;

// Where segments begin.
struct Starts {
  VectorView<const std::int64_t> offsets = {};
  VectorView<const std::uint8_t> flags = {};

  // The last start in [begin, end), or -1.
  std::int64_t last_in(std::int64_t begin, std::int64_t end) const {
    if (!offsets.empty()) {
      const std::int64_t* const after = std::lower_bound(offsets.data, offsets.data + offsets.size, end);
      return after != offsets.data && after[-1] >= begin ? after[-1] : -1;
    }
    for (std::int64_t i = end; !flags.empty() && i-- > begin;) {
      if (flags.data[i] != 0) return i;
    }
    return -1;
  }

  // The starts among the values of a block, as flags; null if there are none. `marks` has room for those of a block.
  const std::uint8_t* in_block(std::int64_t begin, int count, std::uint8_t* marks) const {
    if (!flags.empty()) return flags.data + begin;
    if (offsets.empty()) return nullptr;
    const std::int64_t* at = std::lower_bound(offsets.data, offsets.data + offsets.size, begin);
    const std::int64_t* const last = offsets.data + offsets.size;
    if (at == last || *at >= begin + count) return nullptr;
    std::memset(marks, 0, static_cast<std::size_t>(count));
    for (; at != last && *at < begin + count; ++at) marks[*at - begin] = 1;
    return marks;
  }
};

// Two passes over the parts: first what the last segment of each part holds, then
// the scans, from where the parts before end. If there is only one part, one pass.
template <class Reduction, class T = typename Reduction::Value>
class Scan {
  using Carry = typename Reduction::Carry;

 public:
  Scan(const Starts& starts, const T* values, T* out, bool exclusive)
      : starts_(starts), values_(values), out_(out), exclusive_(exclusive) {}

  // Scans the values [first, last); returns the first place whose result does not fit, or FirstWrong::none.
  std::int64_t run(std::int64_t first, std::int64_t last, int threads) {
    const primitives::Parts parts(last - first, least_values, execution::thread_count(threads));
    carries_.resize(static_cast<std::size_t>(parts.count()) + 1);
    for (Carry& carry : carries_) Reduction::clear(carry);
    if (parts.count() > 1) sum_ends(parts, first, threads);
    parts.for_each(threads, [&](std::int64_t part, std::int64_t begin, std::int64_t end) {
      const auto p = static_cast<std::size_t>(part);
      Carry carry = carries_[p];
      scan_part(first + begin, first + end, carry);
      if (part + 1 == parts.count()) carries_.back() = carry;
    });
    return wrong_.item();
  }

  // The total of the last segment.
  bool total(T& value) const { return Reduction::result(carries_.back(), value); }

 private:
  // Sets carries_[p] to what the segment in which part p begins holds before the part.
  void sum_ends(const primitives::Parts& parts, std::int64_t first, int threads) {
    std::vector<std::uint8_t> begins(static_cast<std::size_t>(parts.count()));
    parts.for_each(threads, [&](std::int64_t part, std::int64_t begin, std::int64_t end) {
      if (part + 1 == parts.count()) return;
      const std::int64_t start = starts_.last_in(first + begin, first + end);
      const std::int64_t from = start < 0 ? first + begin : start;
      const auto p = static_cast<std::size_t>(part);
      begins[p] = start >= 0 ? 1 : 0;
      Reduction::add(values_ + from, first + end - from, carries_[p + 1]);
    });
    for (std::size_t p = 1; p + 1 < begins.size(); ++p) {
      if (begins[p] == 0) Reduction::join(carries_[p + 1], carries_[p]);
    }
  }

  void scan_part(std::int64_t begin, std::int64_t end, Carry& carry) {
    std::uint8_t marks[block_size];
    for (std::int64_t at = begin; at < end; at += block_size) {
      const int count = static_cast<int>(std::min<std::int64_t>(end - at, block_size));
      const std::uint8_t* const starts = starts_.in_block(at, count, marks);
      const std::int64_t done = Reduction::scan({values_ + at, starts, out_ + at, count, exclusive_}, carry);
      if (done < count) return wrong_.report(at + done);
    }
  }

  const Starts& starts_;
  const T* values_;
  T* out_;
  bool exclusive_;
  std::vector<Carry> carries_;
  FirstWrong wrong_;
};

template <class T>
void check_call(const char* function, const VectorView<const T>& values, const VectorView<T>& out, bool may_have_total,
                const ScanOptions& options) {
  primitives::require_operator<T>(function, options.op);
  primitives::require_options(function, options, out.device);
  primitives::require_array(function, "values", values, out.device);
  primitives::require_array(function, "out", out, out.device);
  const bool fits = out.size == values.size || (may_have_total && options.exclusive && out.size == values.size + 1);
  base::require(fits, "papilio::{}: out must have as many entries as values{}; got {} for {}", function,
                may_have_total ? ", or for an exclusive scan one more" : "", out.size, values.size);
  if (out.data != values.data) execution::require_apart(function, "out", out, "values", values);
}

template <class T>
void check_starts(const Starts& starts, const VectorView<const T>& values, const VectorView<T>& out, bool by_flags) {
  constexpr const char* function = "segmented_scan";
  primitives::require_array(function, "offsets", starts.offsets, by_flags ? starts.offsets.device : out.device);
  primitives::require_array(function, "flags", starts.flags, by_flags ? out.device : starts.flags.device);
  base::require(by_flags || !starts.offsets.empty(),
                "papilio::segmented_scan: offsets must have one entry more than there are segments; got 0");
  base::require(!by_flags || starts.flags.size == values.size,
                "papilio::segmented_scan: flags must have one entry per value; got {} for {}", starts.flags.size,
                values.size);
  execution::require_apart(function, "out", out, "offsets", starts.offsets);
  execution::require_apart(function, "out", out, "flags", starts.flags);
}

template <class T>
primitives::DeviceScan<T> device_scan(const Starts& starts, const VectorView<const T>& values, const VectorView<T>& out,
                                      const ScanOptions& options) {
  return {.offsets = starts.offsets.empty() ? nullptr : starts.offsets.data,
          .segments = starts.offsets.empty() ? 0 : starts.offsets.size - 1,
          .flags = starts.flags.empty() ? nullptr : starts.flags.data,
          .values = values.data,
          .items = values.size,
          .out = out.data,
          .with_total = out.size > values.size,
          .op = options.op,
          .exclusive = options.exclusive};
}

// Performs a call that has been checked.
template <class T>
void scan_checked(const char* function, const Starts& starts, const VectorView<const T>& values,
                  const VectorView<T>& out, const ScanOptions& options) {
  if (!out.device.is_cpu()) {
    const auto call = device_scan(starts, values, out, options);
    const std::int64_t bytes = primitives::scan_workspace_on_cuda(call, out.device);
    return primitives::scan_on_cuda(call, primitives::device_call(function, options, out.device, bytes));
  }
  PrimitiveStatus found;
  const VectorView<const std::int64_t>& offsets = starts.offsets;
  if (!offsets.empty()) found = primitives::check_offsets(offsets, values.size, options.threads);
  if (found.error == PrimitiveError::none) {
    primitives::with_reduction<T>(options.op, [&](auto reduction) {
      Scan<decltype(reduction)> scan(starts, values.data, out.data, options.exclusive);
      const std::int64_t first = offsets.empty() ? 0 : offsets.data[0];
      const std::int64_t last = offsets.empty() ? values.size : offsets.data[offsets.size - 1];
      std::int64_t wrong = scan.run(first, last, options.threads);
      if (wrong == FirstWrong::none && out.size > values.size && !scan.total(out.data[values.size])) {
        wrong = values.size;
      }
      if (wrong != FirstWrong::none) found = {PrimitiveError::sum_overflow, wrong};
    });
  }
  primitives::finish(options.status, found, [&] {
    return found.error == PrimitiveError::sum_overflow
               ? fmt::format("papilio::{}: the sum at place {} does not fit {}", function, found.place,
                             primitives::type_name<T>())
               : primitives::offset_message(function, offsets, values.size, found.place);
  });
}

template <class T>
std::int64_t workspace_bytes(const Starts& starts, const VectorView<const T>& values, const VectorView<T>& out,
                             const ScanOptions& options) {
  if (out.device.is_cpu()) return 0;
  return primitives::scan_workspace_on_cuda(device_scan(starts, values, out, options), out.device);
}

}  // namespace

template <class T>
void scan(VectorView<const T> values, VectorView<T> out, const ScanOptions& options) {
  check_call("scan", values, out, true, options);
  scan_checked("scan", {}, values, out, options);
}

template <class T>
std::int64_t scan_workspace_bytes(VectorView<const T> values, VectorView<T> out, const ScanOptions& options) {
  check_call("scan", values, out, true, options);
  return workspace_bytes({}, values, out, options);
}

template <class T>
void segmented_scan(VectorView<const std::int64_t> offsets, VectorView<const T> values, VectorView<T> out,
                    const ScanOptions& options) {
  check_call("segmented_scan", values, out, false, options);
  const Starts starts{.offsets = offsets};
  check_starts(starts, values, out, false);
  scan_checked("segmented_scan", starts, values, out, options);
}

template <class T>
void segmented_scan(VectorView<const std::uint8_t> flags, VectorView<const T> values, VectorView<T> out,
                    const ScanOptions& options) {
  check_call("segmented_scan", values, out, false, options);
  const Starts starts{.flags = flags};
  check_starts(starts, values, out, true);
  scan_checked("segmented_scan", starts, values, out, options);
}

template <class T>
std::int64_t segmented_scan_workspace_bytes(VectorView<const std::int64_t> offsets, VectorView<const T> values,
                                            VectorView<T> out, const ScanOptions& options) {
  check_call("segmented_scan", values, out, false, options);
  const Starts starts{.offsets = offsets};
  check_starts(starts, values, out, false);
  return workspace_bytes(starts, values, out, options);
}

template <class T>
std::int64_t segmented_scan_workspace_bytes(VectorView<const std::uint8_t> flags, VectorView<const T> values,
                                            VectorView<T> out, const ScanOptions& options) {
  check_call("segmented_scan", values, out, false, options);
  const Starts starts{.flags = flags};
  check_starts(starts, values, out, true);
  return workspace_bytes(starts, values, out, options);
}

#define PAPILIO_INSTANTIATE(T)                                                                                 \
  template void scan<T>(VectorView<const T>, VectorView<T>, const ScanOptions&);                               \
  template std::int64_t scan_workspace_bytes<T>(VectorView<const T>, VectorView<T>, const ScanOptions&);       \
  template void segmented_scan<T>(VectorView<const std::int64_t>, VectorView<const T>, VectorView<T>,          \
                                  const ScanOptions&);                                                         \
  template void segmented_scan<T>(VectorView<const std::uint8_t>, VectorView<const T>, VectorView<T>,          \
                                  const ScanOptions&);                                                         \
  template std::int64_t segmented_scan_workspace_bytes<T>(VectorView<const std::int64_t>, VectorView<const T>, \
                                                          VectorView<T>, const ScanOptions&);                  \
  template std::int64_t segmented_scan_workspace_bytes<T>(VectorView<const std::uint8_t>, VectorView<const T>, \
                                                          VectorView<T>, const ScanOptions&);
PAPILIO_INSTANTIATE(std::int32_t)
PAPILIO_INSTANTIATE(std::int64_t)
PAPILIO_INSTANTIATE(float)
PAPILIO_INSTANTIATE(double)

}  // namespace papilio
