#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "papilio/primitives.h"
#include "primitives/call_checks.h"
#include "primitives/parts.h"

namespace papilio {
namespace {

using primitives::FirstWrong;
using primitives::key_bound;
using primitives::Parts;

// Below this many keys per part, a second thread costs more than it saves.
constexpr std::int64_t least_items = std::int64_t{1} << 14;

void check_sort(const VectorView<const std::int32_t>& keys, const VectorView<std::int64_t>& offsets,
                const VectorView<std::int64_t>& order) {
  primitives::require_array("sort_by_key", "keys", keys, offsets.device);
  execution::require_vector("sort_by_key", "offsets", offsets);
  primitives::require_array("sort_by_key", "order", order, offsets.device);
  base::require(offsets.size >= 1, "papilio::sort_by_key: offsets must have one entry more than there are keys; got 0");
  base::require(order.size == keys.size, "papilio::sort_by_key: order must have one entry per item; got {} for {}",
                order.size, keys.size);
  execution::require_apart("sort_by_key", "offsets", offsets, "keys", keys);
  execution::require_apart("sort_by_key", "order", order, "keys", keys);
  execution::require_apart("sort_by_key", "order", order, "offsets", offsets);
}

primitives::DeviceSortByKey device_sort(const VectorView<const std::int32_t>& keys,
                                        const VectorView<std::int64_t>& offsets,
                                        const VectorView<std::int64_t>& order) {
  return {keys.data, keys.size, offsets.data, offsets.size - 1, order.data};
}

}  // namespace

// Each part counts its keys in a table of its own. A scan over keys and, within a key,
// over the parts turns the counts into the places of each part's first item of each key.
// So every part scatters independently, and equal keys keep their order. There are as many
// parts as threads, but only so many that their tables together are smaller than the items.
void sort_by_key(VectorView<const std::int32_t> keys, VectorView<std::int64_t> offsets, VectorView<std::int64_t> order,
                 const PassOptions& options) {
  check_sort(keys, offsets, order);
  primitives::require_options("sort_by_key", options, offsets.device);
  if (!offsets.device.is_cpu()) {
    const primitives::DeviceSortByKey call = device_sort(keys, offsets, order);
    const std::int64_t bytes = primitives::sort_by_key_workspace_on_cuda(call, offsets.device);
    return primitives::sort_by_key_on_cuda(call,
                                           primitives::device_call("sort_by_key", options, offsets.device, bytes));
  }
  const int threads = options.threads;
  const std::int64_t key_count = offsets.size - 1;
  const std::int64_t most_parts =
      std::clamp<std::int64_t>(keys.size / std::max<std::int64_t>(1, key_count), 1, execution::thread_count(threads));
  const Parts parts(keys.size, least_items, most_parts);
  std::vector<std::vector<std::int64_t>> places(static_cast<std::size_t>(parts.count()));

  FirstWrong wrong;
  parts.for_each(threads, [&](std::int64_t part, std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t>& counts = places[static_cast<std::size_t>(part)];
    counts.resize(static_cast<std::size_t>(key_count));
    for (std::int64_t i = begin; i < end; ++i) {
      const auto key = static_cast<std::uint32_t>(keys.data[i]);
      if (key >= key_bound(key_count)) [[unlikely]] {
        return wrong.report(i);
      }
      ++counts[key];
    }
  });
  primitives::finish(options.status,
                     {wrong.found() ? PrimitiveError::index_out_of_range : PrimitiveError::none, wrong.item()}, [&] {
                       return fmt::format("papilio::sort_by_key: key {} is {}, expected 0 <= key < {}", wrong.item(),
                                          keys.data[wrong.item()], key_count);
                     });
  if (wrong.found()) return;

  execution::parallel_for(key_count, least_items, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      std::int64_t before = 0;
      for (std::vector<std::int64_t>& place : places)
        before += std::exchange(place[static_cast<std::size_t>(k)], before);
      offsets.data[k] = before;
    }
  });
  exclusive_scan(VectorView<const std::int64_t>(offsets.data, key_count), offsets, threads);
  parts.for_each(threads, [&](std::int64_t part, std::int64_t begin, std::int64_t end) {
    std::vector<std::int64_t>& place = places[static_cast<std::size_t>(part)];
    for (std::size_t k = 0; k < place.size(); ++k) place[k] += offsets.data[k];
    for (std::int64_t i = begin; i < end; ++i) order.data[place[static_cast<std::size_t>(keys.data[i])]++] = i;
  });
}

void sort_by_key(VectorView<const std::int32_t> keys, VectorView<std::int64_t> offsets, VectorView<std::int64_t> order,
                 int threads) {
  sort_by_key(keys, offsets, order, PassOptions{.threads = threads});
}

std::int64_t sort_by_key_workspace_bytes(VectorView<const std::int32_t> keys, VectorView<std::int64_t> offsets,
                                         VectorView<std::int64_t> order) {
  check_sort(keys, offsets, order);
  if (offsets.device.is_cpu()) return 0;
  return primitives::sort_by_key_workspace_on_cuda(device_sort(keys, offsets, order), offsets.device);
}

}  // namespace papilio
