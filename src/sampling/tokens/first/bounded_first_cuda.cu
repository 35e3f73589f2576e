#include "papilio/half.h"
#include "sampling/tokens/first/bounded_first_cuda.cuh"
#include "sampling/tokens/first/first_shape_cuda.cuh"
#include "sampling/tokens/first_tokens_cuda.h"
#include "sampling/tokens/token_launch_cuda.h"

namespace papilio::sampling {
namespace {

// Draws from rows of which clusters of so many blocks hold all in registers, so many vectors in each thread; or, with
// no `vectors`, by reading some logits again. Clusters must all be on the device at once.
template <class S, bool masked, int blocks, int vectors>
bool draw_as(const TokenCall& call, cudaStream_t stream) {
  using namespace sampling_kernel;
  constexpr std::int64_t most = std::int64_t{blocks} * first_threads * vectors * (16 / sizeof(S));
  constexpr const char* what = "drawing from the first tokens";
  if (vectors != 0 && call.categories > most) return false;
  const auto kernel = draw_first_bounded<S, blocks, vectors, masked>;
  const TokenShape shape = first_shape<S>(blocks, call.categories);
  static OfDevice at_once;
  if (blocks > 1 && call.rows > at_once.known([&] { return rows_at_once(kernel, shape, first_threads, what); }))
    return false;
  launch_on_rows(kernel, shaped(call, shape), call.rows, shape, first_threads, stream, what);
  return true;
}

template <class S, bool masked>
bool draw(const TokenCall& call, cudaStream_t stream) {
  return draw_as<S, masked, 8, 8>(call, stream) || draw_as<S, masked, 8, 16>(call, stream) ||
         draw_as<S, masked, 8, 0>(call, stream) || draw_as<S, masked, 4, 0>(call, stream) ||
         draw_as<S, masked, 2, 0>(call, stream) || draw_as<S, masked, 1, 0>(call, stream);
}

}  // namespace

template <class S>
bool draw_bounded_on_cuda(const TokenCall& call, cudaStream_t stream) {
  // Every thread of a block should have a vector. With a larger top_k too many logits would reach the bound.
  constexpr std::int64_t least = sampling_kernel::first_threads * (16 / sizeof(S)), most_k = 64;
  const TokenFilter filter = {call.temperature.value, call.top_k.value, call.top_p.value, call.min_p.value};
  const bool is_few = filter.temperature != 0 && sampling_kernel::has_top_k(call, filter) && filter.top_k <= most_k &&
                      call.kept_masses == nullptr && !(call.joint && filter.top_p < 1);
  const bool is_plain = call.column_stride == 1 && call.bias_offsets == nullptr;
  if (!is_few || !is_plain || call.categories < least || call.rows > most_token_rows || !execution::runs_code_for_90())
    return false;
  return call.allowed == nullptr ? draw<S, false>(call, stream) : draw<S, true>(call, stream);
}

template bool draw_bounded_on_cuda<float>(const TokenCall&, cudaStream_t);
template bool draw_bounded_on_cuda<Half>(const TokenCall&, cudaStream_t);
template bool draw_bounded_on_cuda<BFloat16>(const TokenCall&, cudaStream_t);

}  // namespace papilio::sampling
