#include "sampling/tokens/first_tokens_cuda.h"

#include <algorithm>

#include "papilio/half.h"
#include "sampling/tokens/first/first_shape_cuda.cuh"
#include "sampling/tokens/first/first_tokens_cuda.cuh"
#include "sampling/tokens/first/largest_tokens_cuda.cuh"
#include "sampling/tokens/first/search_first_cuda.cuh"
#include "sampling/tokens/token_launch_cuda.h"

namespace papilio::sampling {
namespace {

constexpr std::int64_t any_length = std::int64_t{1} << 31;

int first_parts(std::int64_t rows, std::int64_t categories) {
  return parts_for(rows, categories, sampling_kernel::first_tile, any_length);
}

// The shared memory that a block has on every device since compute capability 8.0.
constexpr std::int64_t bytes_everywhere = std::int64_t{99} << 10;

// A block reads a part efficiently if a multiprocessor has one or two of them.
template <class S>
void draw_largest(const TokenCall& call, cudaStream_t stream) {
  int parts = first_parts(call.rows, call.categories);
  while (parts > 1 && 2 * call.rows * parts > 3 * std::int64_t{execution::multiprocessors()}) parts /= 2;
  TokenShape shape = first_shape<S>(parts, call.categories);
  shape.shared_bytes = 0;
  launch_on_rows(sampling_kernel::draw_largest_tokens<S>, shaped(call, shape), call.rows, shape,
                 sampling_kernel::largest_threads, stream, "drawing the largest tokens");
}

template <class S>
void search_first(const TokenCall& call, cudaStream_t stream) {
  const TokenShape shape = slice_shape(call.rows, call.categories, sizeof(sampling_kernel::SliceMemory));
  launch_on_rows(sampling_kernel::search_first_tokens<S>, shaped(call, shape), call.rows, shape,
                 sampling_kernel::slice_threads, stream, "searching for the first tokens");
}

}  // namespace

std::int32_t most_first_tokens(std::int64_t rows, std::int64_t categories) {
  return std::min(sampling_kernel::first_most, sampling_kernel::first_capacity / first_parts(rows, categories));
}

template <class S>
void draw_first_tokens_on_cuda(const TokenCall& call, bool one_filter, Begin begin, cudaStream_t stream) {
  using namespace sampling_kernel;
  int parts = first_parts(call.rows, call.categories);
  std::int64_t at_once = call.rows;
  const bool small = call.temperature.value == 0 || call.top_k.value <= few_most;
  const bool may_be_few = call.column_stride == 1 && call.allowed == nullptr && (small || !one_filter);
  const bool unchanged = may_be_few && one_filter && call.bias_offsets == nullptr;
  if (unchanged && call.temperature.value == 0 && call.rows <= most_token_rows) return draw_largest<S>(call, stream);
  if constexpr (bytes_everywhere < first_bytes<S>) {
    if (!fits_in_block(first_bytes<S>)) return search_first<S>(call, stream);
  }
  if (unchanged || (!one_filter && call.bounded)) {
    // All rows take the same time, or most belong to other kernels, so as many are drawn at a time as there is room
    // for.
    const std::int64_t blocks = first_blocks * std::int64_t{execution::multiprocessors()};
    while (parts > 1 && call.rows * parts > blocks) parts /= 2;
    at_once = std::min(call.rows, std::max<std::int64_t>(1, blocks / parts));
  }
  const TokenShape shape = first_shape<S>(parts, call.categories);
  launch_on_rows(may_be_few ? draw_first_tokens<S, true> : draw_first_tokens<S, false>, shaped(call, shape), at_once,
                 shape, first_threads, stream, "drawing from the first tokens", begin);
}

template void draw_first_tokens_on_cuda<float>(const TokenCall&, bool, Begin, cudaStream_t);
template void draw_first_tokens_on_cuda<Half>(const TokenCall&, bool, Begin, cudaStream_t);
template void draw_first_tokens_on_cuda<BFloat16>(const TokenCall&, bool, Begin, cudaStream_t);

}  // namespace papilio::sampling
