#include "sampling/tokens/near/near_tokens_cuda.cuh"

#include "papilio/half.h"
#include "sampling/tokens/first_tokens_cuda.h"
#include "sampling/tokens/near/near_launch_cuda.h"

namespace papilio::sampling {

NearRows near_rows(const TokenCall& call) {
  if (!call.on_chip || call.bias_offsets != nullptr || call.kept_masses != nullptr ||
      call.categories > most_near_categories || !fits_in_block(near_shared_bytes<sampling_kernel::FewNear>))
    return NearRows::none;
  // With fewer rows other kernels are as fast, or faster (benchmarks/results/tokens-gpu.md, near the largest).
  const std::int64_t multiprocessors = execution::multiprocessors();
  if (4 * call.rows >= 3 * multiprocessors) return NearRows::filtered;
  if (2 * call.rows > multiprocessors) return NearRows::of_top_p;
  return call.rows >= 8 ? NearRows::of_top_k : NearRows::none;
}

template <class S>
void draw_near_tokens_on_cuda(const TokenCall& call, Begin begin, cudaStream_t stream) {
  using namespace sampling_kernel;
  launch_near<FewNear>(call.allowed != nullptr ? draw_near_tokens<S, true> : draw_near_tokens<S, false>, call, stream,
                       "drawing from tokens near the largest", begin);
}

template <class S>
void draw_many_near_tokens_on_cuda(const TokenCall& call, cudaStream_t stream) {
  using namespace sampling_kernel;
  if (!fits_in_block(near_shared_bytes<ManyNear>)) return;  // what is left goes on chip
  launch_near<ManyNear>(call.allowed != nullptr ? draw_many_near_tokens<S, true> : draw_many_near_tokens<S, false>,
                        call, stream, "drawing from more tokens near the largest", Begin::early);
}

template void draw_near_tokens_on_cuda<float>(const TokenCall&, Begin, cudaStream_t);
template void draw_near_tokens_on_cuda<Half>(const TokenCall&, Begin, cudaStream_t);
template void draw_near_tokens_on_cuda<BFloat16>(const TokenCall&, Begin, cudaStream_t);
template void draw_many_near_tokens_on_cuda<float>(const TokenCall&, cudaStream_t);
template void draw_many_near_tokens_on_cuda<Half>(const TokenCall&, cudaStream_t);
template void draw_many_near_tokens_on_cuda<BFloat16>(const TokenCall&, cudaStream_t);

}  // namespace papilio::sampling
