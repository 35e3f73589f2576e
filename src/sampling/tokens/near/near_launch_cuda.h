#pragma once

#include <algorithm>
#include <array>

#include "base/math.h"
#include "sampling/tokens/near/near_buckets_cuda.cuh"
#include "sampling/tokens/token_launch_cuda.h"

// How kernels are launched whose blocks collect logits.

namespace papilio::sampling {

// With more categories, too many would fall into one bucket.
inline constexpr std::int64_t most_near_categories = std::int64_t{1} << 19;

template <class Shape>
constexpr std::int64_t near_shared_bytes =
    sizeof(sampling_kernel::NearMemory<Shape>) + Shape::capacity * sizeof(sampling_kernel::NearLogit);

// Blocks share rows if those of all rows have room at the same time. All kernels of a shape have the same registers and
// the same shared memory, so the room is found once.
template <class Shape>
void launch_near(void (*kernel)(TokenCall), const TokenCall& call, cudaStream_t stream, const char* what, Begin begin) {
  constexpr std::int64_t least = 8192, any_length = std::int64_t{1} << 31;
  const std::int64_t blocks = Shape::blocks * std::int64_t{execution::multiprocessors()};
  const auto shape_of = [&](int parts) {
    const std::int64_t in_slice = base::ceil_div<std::int64_t>(call.categories, parts);
    return TokenShape{parts, base::round_up<std::int64_t>(in_slice, 8), near_shared_bytes<Shape>, false};
  };
  static std::array<OfDevice, most_token_parts + 1> at_once;
  const auto room = [&](int parts) {
    return at_once[static_cast<std::size_t>(parts)].known(
        [&] { return rows_at_once(kernel, shape_of(parts), Shape::threads, what); });
  };
  int parts = parts_for(call.rows, call.categories, least, any_length);
  while (parts > 1 && (call.rows > room(parts))) parts /= 2;
  const TokenShape shape = shape_of(parts);
  const std::int64_t clusters = std::min(call.rows, std::max<std::int64_t>(1, blocks / parts));
  launch_on_rows(kernel, shaped(call, shape), clusters, shape, Shape::threads, stream, what, begin);
}

}  // namespace papilio::sampling
