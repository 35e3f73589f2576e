#include "papilio/half.h"
#include "sampling/tokens/first/bounded_first_cuda.cuh"
#include "sampling/tokens/first/first_shape_cuda.cuh"
#include "sampling/tokens/first_tokens_cuda.h"
#include "sampling/tokens/token_launch_cuda.h"

namespace papilio::sampling {
namespace {

// Draws from rows by clusters of so many blocks. Each thread holds up to `vectors` vectors in registers; if there are
// none, it reads some logits again. Every group must have logits, or the bound would be of no use, and the device must
// have room for all clusters at once. Returns false where that is not so.
template <class S, bool masked, int blocks, int vectors>
bool draw_as(const TokenCall& call, cudaStream_t stream) {
  using namespace sampling_kernel;
  constexpr std::int64_t of_vectors = std::int64_t{blocks} * first_threads * (16 / sizeof(S));
  // A quarter is enough if rows are held, because groups of eight lanes then take turns along the row.
  constexpr std::int64_t least = vectors != 0 ? of_vectors / 4 : of_vectors;
  constexpr const char* what = "drawing from the first tokens";
  if (call.categories < least || (vectors != 0 && call.categories > vectors * of_vectors)) return false;
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
  // With a larger top_k too many logits would reach the bound.
  constexpr std::int64_t most_k = 64;
  constexpr std::int64_t bytes = first_bytes<S> + sizeof(sampling_kernel::BoundMemory<1>);
  const TokenFilter filter = {call.temperature.value, call.top_k.value, call.top_p.value, call.min_p.value};
  const bool is_few = filter.temperature != 0 && sampling_kernel::has_top_k(call, filter) && filter.top_k <= most_k &&
                      call.kept_masses == nullptr && !(call.joint && filter.top_p < 1);
  const bool is_plain = call.column_stride == 1 && call.bias_offsets == nullptr;
  if (!is_few || !is_plain || call.rows > most_token_rows || !execution::runs_code_for_90() || !fits_in_block(bytes))
    return false;
  return call.allowed == nullptr ? draw<S, false>(call, stream) : draw<S, true>(call, stream);
}

template bool draw_bounded_on_cuda<float>(const TokenCall&, cudaStream_t);
template bool draw_bounded_on_cuda<Half>(const TokenCall&, cudaStream_t);
template bool draw_bounded_on_cuda<BFloat16>(const TokenCall&, cudaStream_t);

}  // namespace papilio::sampling
