#include "papilio/half.h"
#include "sampling/tokens/first/bounded_first_cuda.cuh"
#include "sampling/tokens/first/first_shape_cuda.cuh"
#include "sampling/tokens/first_tokens_cuda.h"
#include "sampling/tokens/token_launch_cuda.h"

namespace papilio::sampling {
namespace {

// The categories of so many blocks whose threads have a vector each.
template <class S>
constexpr std::int64_t in_vectors(std::int64_t blocks) {
  return blocks * sampling_kernel::first_threads * std::int64_t{16 / sizeof(S)};
}

// Every group must have logits, or the bound would be of no use. A quarter is enough if rows are held in registers,
// because groups of eight lanes then take turns along the row.
template <class S>
constexpr std::int64_t least_categories(int blocks, int vectors) {
  return vectors != 0 ? in_vectors<S>(blocks) / 4 : in_vectors<S>(blocks);
}

// Draws from rows by clusters of so many blocks. Each thread holds up to `vectors` vectors in registers; if there are
// none, it reads some logits again. Returns false if the rows are too short or too long, or if the device does not have
// room for all clusters at once.
template <class S, bool masked, int blocks, int vectors>
bool draw_as(const TokenCall& call, Begin begin, cudaStream_t stream) {
  using namespace sampling_kernel;
  constexpr const char* what = "drawing from the first tokens";
  if (call.categories < least_categories<S>(blocks, vectors)) return false;
  if (vectors != 0 && call.categories > vectors * in_vectors<S>(blocks)) return false;
  const auto kernel = draw_first_bounded<S, blocks, vectors, masked>;
  const TokenShape shape = first_shape<S>(blocks, call.categories);
  static OfDevice at_once;
  if (blocks > 1 && call.rows > at_once.known([&] { return rows_at_once(kernel, shape, first_threads, what); }))
    return false;
  launch_on_rows(kernel, shaped(call, shape), call.rows, shape, first_threads, stream, what, begin);
  return true;
}

template <class S, bool masked>
void draw(const TokenCall& call, Begin begin, cudaStream_t stream) {
  // The last one takes every call.
  [[maybe_unused]] const bool drawn =
      draw_as<S, masked, 8, 8>(call, begin, stream) || draw_as<S, masked, 8, 16>(call, begin, stream) ||
      draw_as<S, masked, 8, 0>(call, begin, stream) || draw_as<S, masked, 4, 0>(call, begin, stream) ||
      draw_as<S, masked, 2, 0>(call, begin, stream) || draw_as<S, masked, 1, 0>(call, begin, stream);
}

}  // namespace

template <class S>
bool can_be_bounded(const TokenCall& call) {
  using namespace sampling_kernel;
  constexpr std::int64_t bytes = tile_bytes<S> + sizeof(BoundedFirstMemory<1>);
  return call.column_stride == 1 && call.bias_offsets == nullptr && call.kept_masses == nullptr &&
         call.categories >= least_categories<S>(1, 0) && call.rows <= most_token_rows &&
         execution::runs_code_for_90() && fits_in_block(bytes);
}

template <class S>
void draw_bounded_on_cuda(const TokenCall& call, Begin begin, cudaStream_t stream) {
  call.allowed == nullptr ? draw<S, false>(call, begin, stream) : draw<S, true>(call, begin, stream);
}

template bool can_be_bounded<float>(const TokenCall&);
template bool can_be_bounded<Half>(const TokenCall&);
template bool can_be_bounded<BFloat16>(const TokenCall&);
template void draw_bounded_on_cuda<float>(const TokenCall&, Begin, cudaStream_t);
template void draw_bounded_on_cuda<Half>(const TokenCall&, Begin, cudaStream_t);
template void draw_bounded_on_cuda<BFloat16>(const TokenCall&, Begin, cudaStream_t);

}  // namespace papilio::sampling
