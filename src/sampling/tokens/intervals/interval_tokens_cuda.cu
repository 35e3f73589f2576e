#include "sampling/tokens/interval_tokens_cuda.h"

#include <algorithm>

#include "sampling/tokens/intervals/interval_tokens_cuda.cuh"
#include "sampling/tokens/token_launch_cuda.h"

namespace papilio::sampling {
namespace {

// Rows of fewer bytes are drawn from on chip, and so are rows that all fit there at once, in three blocks per
// multiprocessor.
constexpr std::int64_t least_bytes = 65536;
bool are_few(const TokenCall& call) {
  return call.on_chip && call.rows * most_token_parts <= 3 * std::int64_t{execution::multiprocessors()};
}

// The work at the end of each block overlaps with the reading of other blocks: rows have several blocks, each of which
// reads long enough. Fewer blocks are enough for many rows, and for so few rows of floats that they then all fit at
// once.
template <class S>
TokenShape interval_shape(const TokenCall& call) {
  using namespace sampling_kernel;
  constexpr std::int64_t least = RowTiles<S>::size * interval_warps, most = 4 * least;
  constexpr bool is_float = sizeof(S) == 4;
  const std::int64_t multiprocessors = execution::multiprocessors();
  const bool many = is_float && call.rows >= 3 * multiprocessors;
  int parts = parts_for(call.rows, call.categories, least, many ? 2 * most : most);
  // Clusters do not fill all multiprocessors.
  const auto fits = [&](int n) { return 16 * call.rows * n <= 15 * interval_blocks * multiprocessors; };
  if (is_float && parts > 1 && !fits(parts) && fits(parts / 2)) parts /= 2;
  return {parts, 0, 0, false};
}

// Blocks that begin together read together and then finish together, while memory is idle. So if blocks follow one
// another, the first ones of a multiprocessor begin one after another: about when the one before has its logits.
template <class S>
TokenCall in_turns(TokenCall call, int parts) {
  const std::int64_t multiprocessors = execution::multiprocessors();
  if (call.rows * parts <= sampling_kernel::interval_blocks * multiprocessors) return call;
  constexpr std::int64_t bytes_per_cycle = 21;  // and multiprocessor
  const std::int64_t bytes = call.categories * static_cast<std::int64_t>(sizeof(S)) / parts;
  call.turn_blocks = static_cast<std::int32_t>(multiprocessors);
  call.turn_cycles = static_cast<std::int32_t>(std::min<std::int64_t>(bytes / bytes_per_cycle, 10'000));
  return call;
}

template <class S>
void launch(const TokenCall& call, cudaStream_t stream) {
  const TokenShape shape = interval_shape<S>(call);
  launch_on_rows(sampling_kernel::draw_tokens_by_intervals<S>, in_turns<S>(call, shape.parts), call.rows, shape,
                 sampling_kernel::interval_threads, stream, "drawing by intervals");
}

}  // namespace

bool has_intervals(Storage storage, const TokenCall& call) {
  const bool tokens_alone = call.log_probabilities == nullptr && call.ranks == nullptr && call.kept_counts == nullptr &&
                            call.kept_masses == nullptr && call.room == 0;
  return tokens_alone && call.allowed == nullptr && call.bias_offsets == nullptr && call.column_stride == 1 &&
         call.rows <= most_token_rows && call.categories * stored_bytes(storage) >= least_bytes && !are_few(call);
}

void draw_by_intervals(Storage storage, const TokenCall& call, void* stream) {
  const auto queue = static_cast<cudaStream_t>(stream);
  switch (storage) {
    case Storage::half:
      return launch<Half>(call, queue);
    case Storage::bfloat16:
      return launch<BFloat16>(call, queue);
    default:
      return launch<float>(call, queue);
  }
}

}  // namespace papilio::sampling
