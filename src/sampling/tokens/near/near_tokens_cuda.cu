#include <algorithm>

#include "base/math.h"
#include "papilio/half.h"
#include "sampling/tokens/first_tokens_cuda.h"
#include "sampling/tokens/near/near_tokens_cuda.cuh"
#include "sampling/tokens/token_launch_cuda.h"

namespace papilio::sampling {
namespace {

template <class Shape>
constexpr std::int64_t shared_bytes =
    sizeof(sampling_kernel::NearMemory<Shape>) + Shape::capacity * sizeof(sampling_kernel::NearLogit);

// With more categories, too many would fall into one bucket.
constexpr std::int64_t most_categories = std::int64_t{1} << 19;

}  // namespace

NearRows near_rows(const TokenCall& call) {
  if (!call.on_chip || call.bias_offsets != nullptr || call.kept_masses != nullptr ||
      call.categories > most_categories || !fits_in_block(shared_bytes<sampling_kernel::FewNear>))
    return NearRows::none;
  // With fewer rows the other kernels are as fast (benchmarks/results/tokens-gpu.md, near the largest).
  const std::int64_t multiprocessors = execution::multiprocessors();
  if (2 * call.rows >= 3 * multiprocessors) return NearRows::filtered;
  if (4 * call.rows >= 3 * multiprocessors) return NearRows::of_top_p;
  return call.rows >= 8 ? NearRows::of_top_k : NearRows::none;
}

namespace {

template <class Shape>
void launch(void (*kernel)(TokenCall), const TokenCall& call, cudaStream_t stream, Begin begin) {
  constexpr std::int64_t least = 8192, any_length = std::int64_t{1} << 31;
  const std::int64_t blocks = Shape::blocks * std::int64_t{execution::multiprocessors()};
  int parts = parts_for(call.rows, call.categories, least, any_length);
  while (parts > 1 && call.rows * parts > blocks) parts /= 2;
  const TokenShape shape = {parts,
                            base::round_up<std::int64_t>(base::ceil_div<std::int64_t>(call.categories, parts), 8),
                            shared_bytes<Shape>, false};
  const std::int64_t at_once = std::min(call.rows, std::max<std::int64_t>(1, blocks / parts));
  launch_on_rows(kernel, shaped(call, shape), at_once, shape, Shape::threads, stream,
                 "drawing from tokens near the largest", begin);
}

}  // namespace

template <class S>
void draw_near_tokens_on_cuda(const TokenCall& call, Begin begin, cudaStream_t stream) {
  using namespace sampling_kernel;
  const bool masked = call.allowed != nullptr;
  launch<FewNear>(masked ? draw_near_tokens<S, true> : draw_near_tokens<S, false>, call, stream, begin);
  if (!fits_in_block(shared_bytes<ManyNear>)) return;  // what is left goes on chip
  launch<ManyNear>(masked ? draw_many_near_tokens<S, true> : draw_many_near_tokens<S, false>, call, stream,
                   Begin::early);
}

template void draw_near_tokens_on_cuda<float>(const TokenCall&, Begin, cudaStream_t);
template void draw_near_tokens_on_cuda<Half>(const TokenCall&, Begin, cudaStream_t);
template void draw_near_tokens_on_cuda<BFloat16>(const TokenCall&, Begin, cudaStream_t);

}  // namespace papilio::sampling
