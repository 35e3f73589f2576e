#include "papilio/scan_with.h"

#include "primitives/call_checks.h"

namespace papilio::detail {

void for_each_part(std::int64_t count, std::int64_t grain, int threads, void (*body)(void* context, std::int64_t i),
                   void* context) {
  execution::parallel_for(count, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) body(context, i);
  });
}

void require_scan_with(const Elements& values, const Elements& out, int threads) {
  constexpr const char* function = "scan_with";
  execution::thread_count(threads);
  const auto require_elements = [&](const char* what, const Elements& view) {
    base::require(view.device.is_cpu(), "papilio::{}: {} is on {}, expected cpu; copy it to the CPU first", function,
                  what, view.device.name());
    base::require(view.count >= 0, "papilio::{}: {} has {} entries, expected 0 or more", function, what, view.count);
    base::require(view.count == 0 || view.data != nullptr, "papilio::{}: {} is null, but {} entries were given",
                  function, what, view.count);
    execution::detail::require_address(function, what, view.data, view.alignment);
  };
  require_elements("values", values);
  require_elements("out", out);
  base::require(out.count == values.count, "papilio::{}: out must have as many entries as values; got {} for {}",
                function, out.count, values.count);
  if (out.data == values.data) return;
  const auto bytes = [](const Elements& view) {
    return VectorView<const unsigned char>(static_cast<const unsigned char*>(view.data), view.count * view.size);
  };
  execution::require_apart(function, "out", bytes(out), "values", bytes(values));
}

void require_segments(VectorView<const std::int64_t> offsets, std::int64_t values) {
  constexpr const char* function = "segmented_scan_with";
  primitives::require_array(function, "offsets", offsets, Device::cpu());
  base::require(!offsets.empty(), "papilio::{}: offsets must have one entry more than there are segments; got 0",
                function);
  const PrimitiveStatus found = primitives::check_offsets(offsets, values, 1);
  primitives::finish({}, found, [&] { return primitives::offset_message(function, offsets, values, found.place); });
}

}  // namespace papilio::detail
