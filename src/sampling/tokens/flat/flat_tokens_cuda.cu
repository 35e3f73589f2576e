#include "sampling/tokens/flat/flat_tokens_cuda.cuh"

#include "papilio/half.h"
#include "sampling/tokens/flat_tokens_cuda.h"
#include "sampling/tokens/near/near_launch_cuda.h"

namespace papilio::sampling {

// A part has a segment more than those that are full, and may be longer than its share by less than one.
static_assert(most_near_categories / sampling_kernel::FlatSegments<sampling_kernel::FewNear>::size +
                  2 * most_token_parts <=
              sampling_kernel::most_segments);
static_assert(most_near_categories <= std::int64_t{1} << (31 - sampling_kernel::flat_mass_bits));

bool has_flat_rows(const TokenCall& call) {
  const bool has_top_p = call.top_p.values != nullptr || call.top_p.value < 1;
  const bool has_no_top_k =
      call.top_k.values != nullptr || call.top_k.value <= 0 || call.top_k.value >= call.categories;
  return call.near >= NearRows::of_top_p && has_top_p && has_no_top_k && call.room == 0 && call.ranks == nullptr &&
         call.categories >= sampling_kernel::least_flat;
}

template <class S>
void draw_flat_tokens_on_cuda(const TokenCall& call, cudaStream_t stream) {
  using namespace sampling_kernel;
  launch_near<FewNear>(call.allowed != nullptr ? draw_flat_tokens<S, true> : draw_flat_tokens<S, false>, call, stream,
                       "drawing from flat rows of tokens", Begin::early);
}

template void draw_flat_tokens_on_cuda<float>(const TokenCall&, cudaStream_t);
template void draw_flat_tokens_on_cuda<Half>(const TokenCall&, cudaStream_t);
template void draw_flat_tokens_on_cuda<BFloat16>(const TokenCall&, cudaStream_t);

}  // namespace papilio::sampling
