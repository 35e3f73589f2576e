#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>

#include "execution/cpu/parallel_for.h"
#include "execution/cpu/require_cpu.h"
#include "papilio/sampling.h"
#include "random/philox.h"
#include "sampling/tables/repeated_draws_kernel.h"

namespace papilio::sampling {

// Draws that a thread makes at a time.
constexpr std::int64_t draws_per_grain = std::int64_t{1} << 12;

using sampling_kernel::multiply_high;

// drawn[i] = category(random block number first_draw + i), or category(that block, i).
template <class Index, class Category>
void draw_each(const char* caller, VectorView<Index> drawn, const RepeatedDrawOptions& options, Category category) {
  execution::require_cpu(caller, "drawn", drawn);
  execution::parallel_for(drawn.size, draws_per_grain, options.threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::uint64_t number = options.first_draw + static_cast<std::uint64_t>(i);
      const random::Block block = random::draw_block(options.seed, options.stream, number);
      if constexpr (std::invocable<Category&, const random::Block&, std::int64_t>) {
        drawn.data[i] = static_cast<Index>(category(block, i));
      } else {
        drawn.data[i] = static_cast<Index>(category(block));
      }
    }
  });
}

}  // namespace papilio::sampling
