#include "sampling/tables/repeated_draws_cuda.h"

#include <algorithm>

#include "base/math.h"
#include "execution/cuda/memory.h"
#include "sampling/tables/repeated_draws_kernel.h"

namespace papilio::sampling {
namespace {

constexpr int threads_per_block = 256;

struct DrawNumbers {
  std::uint64_t seed, stream, first;
};

// One draw per thread at a time, so that neighbouring threads write neighbouring entries.
template <class Draw, class Index>
__global__ __launch_bounds__(threads_per_block) void draw_from_table(Draw draw, Index* drawn, std::int64_t count,
                                                                     DrawNumbers numbers) {
  const std::int64_t step = std::int64_t{gridDim.x} * threads_per_block;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x; i < count; i += step) {
    const std::uint64_t number = numbers.first + static_cast<std::uint64_t>(i);
    drawn[i] = static_cast<Index>(draw(random::draw_block(numbers.seed, numbers.stream, number)));
  }
}

template <class Draw, class Index>
void queue(const Draw& draw, VectorView<Index> drawn, const RepeatedDrawOptions& options) {
  const execution::OnDevice here(drawn.device);
  const std::int64_t wanted = base::ceil_div<std::int64_t>(drawn.size, threads_per_block);
  const std::int64_t most = std::int64_t{execution::multiprocessors()} * 64;
  draw_from_table<<<static_cast<unsigned>(std::min(wanted, most)), threads_per_block, 0,
                    static_cast<cudaStream_t>(options.cuda_stream)>>>(
      draw, drawn.data, drawn.size, DrawNumbers{options.seed, options.stream, options.first_draw});
  execution::check_launch("drawing from a table");
}

sampling_kernel::AliasDraw draw_of(const DeviceAliasTable& table) {
  return {table.columns, static_cast<std::uint64_t>(table.K)};
}
sampling_kernel::CumulativeDraw draw_of(const DeviceCumulativeTable& table) {
  return {table.sums, table.K, table.total, table.below_total};
}

}  // namespace

void draw_by_alias_on_cuda(const DeviceAliasTable& table, VectorView<std::int32_t> drawn,
                           const RepeatedDrawOptions& options) {
  queue(draw_of(table), drawn, options);
}
void draw_by_alias_on_cuda(const DeviceAliasTable& table, VectorView<std::int64_t> drawn,
                           const RepeatedDrawOptions& options) {
  queue(draw_of(table), drawn, options);
}
void draw_by_sums_on_cuda(const DeviceCumulativeTable& table, VectorView<std::int32_t> drawn,
                          const RepeatedDrawOptions& options) {
  queue(draw_of(table), drawn, options);
}
void draw_by_sums_on_cuda(const DeviceCumulativeTable& table, VectorView<std::int64_t> drawn,
                          const RepeatedDrawOptions& options) {
  queue(draw_of(table), drawn, options);
}

}  // namespace papilio::sampling
