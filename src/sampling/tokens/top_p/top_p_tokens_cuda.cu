#include "sampling/tokens/top_p/top_p_tokens_cuda.cuh"

#include "papilio/half.h"
#include "sampling/tokens/token_launch_cuda.h"
#include "sampling/tokens/top_p_tokens_cuda.h"

namespace papilio::sampling {
namespace {

// Every block must have logits: its first lines start the barriers. From so many floats on each of eight times 512
// threads has about a line; shorter rows were not measured. Entries, a row's and a line's, are 32-bit numbers.
constexpr std::int64_t least_categories = 16385, most_categories = std::int64_t{1} << 31;

// How rows are drawn from: the kernel, its shape, and for how many rows the device has room at the same time.
struct TopPLaunch {
  void (*kernel)(TokenCall);
  int threads;
  TokenShape shape;
  std::int64_t rows;
};

template <class Shape, class S, bool masked, int blocks>
TopPLaunch launch_of() {
  using namespace sampling_kernel;
  static OfDevice at_once;
  constexpr auto kernel = draw_tokens_by_top_p<Shape, S, masked>;
  const TokenShape shape = {blocks, 0, sizeof(TopPList<Shape>), false};
  return {kernel, Shape::threads, shape,
          at_once.known([&] { return rows_at_once(kernel, shape, Shape::threads, "drawing by top_p"); })};
}

// As many blocks share a row as there is room for. Small blocks number the entries of their lists with 16 bits, so they
// have none for longer parts. Large blocks have.
template <class S, bool masked>
TopPLaunch choose(const TokenCall& call) {
  using namespace sampling_kernel;
  TopPLaunch chosen = launch_of<SmallTopP, S, masked, 8>();
  if (call.rows <= chosen.rows) return chosen;
  chosen = launch_of<SmallTopP, S, masked, 4>();
  const std::int64_t entries = call.categories + most_before<S>(call);
  const bool is_listed = entries <= chosen.shape.parts * std::int64_t{SmallTopP::in_part};
  const bool can_be_listed = entries <= 2 * std::int64_t{LargeTopP::in_part};
  return call.rows <= chosen.rows && (is_listed || !can_be_listed) ? chosen : launch_of<LargeTopP, S, masked, 2>();
}

template <class S>
TopPLaunch choose(const TokenCall& call) {
  return call.allowed == nullptr ? choose<S, false>(call) : choose<S, true>(call);
}

template <class Shape>
bool fits() {
  using namespace sampling_kernel;
  return fits_in_block(sizeof(TopPMemory<Shape>) + sizeof(TopPList<Shape>));
}

}  // namespace

template <class S>
bool can_be_drawn_by_top_p(const TokenCall& call) {
  using namespace sampling_kernel;
  const bool has_top_p = call.top_p.values != nullptr || call.top_p.value < 1;
  return has_top_p && call.column_stride == 1 && call.bias_offsets == nullptr && call.ranks == nullptr &&
         call.kept_masses == nullptr && call.categories >= least_categories && call.categories < most_categories &&
         execution::runs_code_for_90() && fits<SmallTopP>() && fits<LargeTopP>() && call.rows <= choose<S>(call).rows;
}

template <class S>
void draw_by_top_p(const TokenCall& call, Begin begin, cudaStream_t stream) {
  const TopPLaunch of = choose<S>(call);
  launch_on_rows(of.kernel, call, call.rows, of.shape, of.threads, stream, "drawing by top_p", begin);
}

template bool can_be_drawn_by_top_p<float>(const TokenCall&);
template bool can_be_drawn_by_top_p<Half>(const TokenCall&);
template bool can_be_drawn_by_top_p<BFloat16>(const TokenCall&);
template void draw_by_top_p<float>(const TokenCall&, Begin, cudaStream_t);
template void draw_by_top_p<Half>(const TokenCall&, Begin, cudaStream_t);
template void draw_by_top_p<BFloat16>(const TokenCall&, Begin, cudaStream_t);

}  // namespace papilio::sampling
