#include <cstring>
#include <vector>

#include "primitives/call_checks.h"
#include "primitives/parts.h"

namespace papilio {
namespace {

using detail::Elements;
using detail::WritableElements;
using primitives::Parts;

// Below this many values per part, a second thread costs more than it saves.
constexpr std::int64_t least_values = std::int64_t{1} << 15;

template <class View>
void require_elements(const char* what, const View& view, Device device) {
  base::require(view.device == device, "papilio::compact: {} is on {}, the output on {}", what, view.device.name(),
                device.name());
  base::require(view.count >= 0, "papilio::compact: {} has {} entries, expected 0 or more", what, view.count);
  std::int64_t bytes = 0;
  base::require(!__builtin_mul_overflow(view.count, view.size, &bytes),
                "papilio::compact: {} has {} entries of {} bytes, more than an address space holds", what, view.count,
                view.size);
  if (view.count == 0) return;
  base::require(view.data != nullptr, "papilio::compact: {} is null, but {} entries were given", what, view.count);
  execution::detail::require_address("compact", what, view.data, view.alignment);
}

template <class View>
VectorView<const unsigned char> bytes_of(const View& view) {
  return {static_cast<const unsigned char*>(view.data), view.count * view.size, view.device};
}

template <class Flag>
void check_call(const VectorView<const Flag>& flags, const Elements& values, const WritableElements& kept,
                const CompactOptions& options) {
  primitives::require_options("compact", options, kept.device);
  primitives::require_array("compact", "flags", flags, kept.device);
  require_elements("values", values, kept.device);
  require_elements("kept", kept, kept.device);
  base::require(flags.size == values.count, "papilio::compact: flags must have one entry per value; got {} for {}",
                flags.size, values.count);
  execution::require_apart("compact", "kept", bytes_of(kept), "values", bytes_of(values));
  execution::require_apart("compact", "kept", bytes_of(kept), "flags", flags);
  const VectorView<std::int64_t>& count = options.count;
  if (count.empty()) return;
  primitives::require_array("compact", "count", count, kept.device);
  base::require(count.size == 1, "papilio::compact: count must have one entry, or none; got {}", count.size);
  execution::require_apart("compact", "count", count, "kept", bytes_of(kept));
  execution::require_apart("compact", "count", count, "values", bytes_of(values));
  execution::require_apart("compact", "count", count, "flags", flags);
}

// Copies the flagged ones of the values [begin, end) to `to`. A value that is not
// kept is overwritten by the next one; nothing is written after the last one kept.
template <std::size_t size, class Flag>
void copy_flagged(const Flag* flags, const unsigned char* values, std::int64_t begin, std::int64_t kept,
                  unsigned char* to) {
  unsigned char* const stop = to + static_cast<std::size_t>(kept) * size;
  for (std::int64_t i = begin; to < stop; ++i) {
    std::memcpy(to, values + static_cast<std::size_t>(i) * size, size);
    to += flags[i] != 0 ? size : 0;
  }
}

template <class Flag>
void copy_flagged_of_size(std::size_t size, const Flag* flags, const unsigned char* values, std::int64_t begin,
                          std::int64_t kept, unsigned char* to) {
  switch (size) {
    case 1:
      return copy_flagged<1>(flags, values, begin, kept, to);
    case 2:
      return copy_flagged<2>(flags, values, begin, kept, to);
    case 4:
      return copy_flagged<4>(flags, values, begin, kept, to);
    case 8:
      return copy_flagged<8>(flags, values, begin, kept, to);
    case 16:
      return copy_flagged<16>(flags, values, begin, kept, to);
    default:
      break;
  }
  for (std::int64_t i = begin; kept > 0; ++i) {
    if (flags[i] == 0) continue;
    std::memcpy(to, values + static_cast<std::size_t>(i) * size, size);
    to += size;
    --kept;
  }
}

template <class Flag>
primitives::DeviceCompact<Flag> device_compact(const VectorView<const Flag>& flags, const Elements& values,
                                               const WritableElements& kept, const CompactOptions& options) {
  return {flags.data, values.data, values.count,     kept.data,
          kept.count, values.size, values.alignment, options.count.empty() ? nullptr : options.count.data};
}

}  // namespace

// Two passes over the parts: first counts how many values each keeps, then copies them to where the parts before end.
template <class Flag>
std::int64_t detail::compact_elements(VectorView<const Flag> flags, const Elements& values,
                                      const WritableElements& kept, const CompactOptions& options) {
  check_call(flags, values, kept, options);
  if (!kept.device.is_cpu()) {
    const auto call = device_compact(flags, values, kept, options);
    const std::int64_t bytes = primitives::compact_workspace_on_cuda(call, kept.device);
    primitives::compact_on_cuda(call, primitives::device_call("compact", options, kept.device, bytes));
    return -1;
  }
  const Parts parts(values.count, least_values, execution::thread_count(options.threads));
  std::vector<std::int64_t> counts(static_cast<std::size_t>(parts.count()));
  parts.for_each(options.threads, [&](std::int64_t part, std::int64_t begin, std::int64_t end) {
    std::int64_t count = 0;
    for (std::int64_t i = begin; i < end; ++i) count += flags.data[i] != 0 ? 1 : 0;
    counts[static_cast<std::size_t>(part)] = count;
  });
  std::vector<std::int64_t> starts(counts.size());
  std::int64_t total = 0;
  for (std::size_t p = 0; p < counts.size(); ++p) {
    starts[p] = total;
    total += counts[p];
  }
  if (!options.count.empty()) *options.count.data = total;
  const bool fits = total <= kept.count;
  primitives::finish(options.status, {fits ? PrimitiveError::none : PrimitiveError::no_room, fits ? 0 : total}, [&] {
    return fmt::format("papilio::compact: kept has room for {} values, {} are flagged", kept.count, total);
  });
  if (!fits) return total;
  const auto size = static_cast<std::size_t>(values.size);
  parts.for_each(options.threads, [&](std::int64_t part, std::int64_t begin, std::int64_t) {
    const auto p = static_cast<std::size_t>(part);
    copy_flagged_of_size(size, flags.data, static_cast<const unsigned char*>(values.data), begin, counts[p],
                         static_cast<unsigned char*>(kept.data) + static_cast<std::size_t>(starts[p]) * size);
  });
  return total;
}

template <class Flag>
std::int64_t detail::compact_elements_workspace_bytes(VectorView<const Flag> flags, const Elements& values,
                                                      const WritableElements& kept, const CompactOptions& options) {
  check_call(flags, values, kept, options);
  if (kept.device.is_cpu()) return 0;
  return primitives::compact_workspace_on_cuda(device_compact(flags, values, kept, options), kept.device);
}

#define PAPILIO_INSTANTIATE(Flag)                                                                       \
  template std::int64_t detail::compact_elements<Flag>(VectorView<const Flag>, const Elements&,         \
                                                       const WritableElements&, const CompactOptions&); \
  template std::int64_t detail::compact_elements_workspace_bytes<Flag>(                                 \
      VectorView<const Flag>, const Elements&, const WritableElements&, const CompactOptions&);
PAPILIO_INSTANTIATE(std::uint8_t)
PAPILIO_INSTANTIATE(std::int32_t)

}  // namespace papilio
