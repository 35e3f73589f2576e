#include "sampling/tokens/interval_tokens_cuda.h"

#include "sampling/tokens/interval_tokens_cuda.cuh"
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
// reads long enough.
template <class S>
TokenShape interval_shape(const TokenCall& call) {
  constexpr std::int64_t least = sampling_kernel::RowTiles<S>::size * sampling_kernel::interval_warps, most = 4 * least;
  return {parts_for(call.rows, call.categories, least, most), 0, 0, false};
}

template <class S>
void launch(const TokenCall& call, cudaStream_t stream) {
  launch_on_rows(sampling_kernel::draw_tokens_by_intervals<S>, call, call.rows, interval_shape<S>(call),
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
