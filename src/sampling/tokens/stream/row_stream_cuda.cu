#include "sampling/tokens/row_stream_cuda.h"

#include <algorithm>
#include <array>

#include "base/math.h"
#include "execution/cuda/code_for_90.h"
#include "sampling/tokens/stream/row_stream_cuda.cuh"
#include "sampling/tokens/token_launch_cuda.h"

namespace papilio::sampling {
namespace {

// A stream takes a while to begin and to end, so a cluster must have several rows: so many bytes for each block.
constexpr std::int64_t least_bytes_of_block = 512 * 1024, least_rows_alone = 8;

// One of so many rows is for the cluster that is first to take it: clusters read at different rates.
constexpr std::int64_t share_taken = 6;

struct StreamShape {
  TokenShape blocks;
  sampling_kernel::StreamCall call;
};

// No `parts` if the rows do not fit.
template <class S, bool alone>
StreamShape stream_shape(const TokenCall& call) {
  using namespace sampling_kernel;
  constexpr std::int64_t in_line = 16 / sizeof(S), lines_of_chunk = chunk_lines, chunk_bytes = 16 * lines_of_chunk;
  const bool whole_lines = reinterpret_cast<std::uintptr_t>(call.logits) % 16 == 0 && call.row_stride % in_line == 0 &&
                           call.categories % in_line == 0;
  if (!whole_lines || !execution::runs_code_for_90()) return {};
  const std::int64_t room = execution::device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) -
                            static_cast<std::int64_t>(sizeof(StreamMemory<S, alone>)) - 1024;
  const std::int64_t buffers = std::min<std::int64_t>(stream_most_buffers, room / chunk_bytes);
  // Exact sums need all of a row's part at once, and some buffers are for the next row meanwhile: more for floats, of
  // which a buffer has half as many and so is summed in half the time.
  const std::int64_t ahead = sizeof(S) == 4 ? 4 : 2;
  const std::int64_t most_chunks =
      alone ? rough_chunks<S>() : std::min<std::int64_t>(stream_most_chunks, buffers - ahead);
  if (buffers < 2 || most_chunks < 1) return {};
  const std::int64_t lines = call.categories / in_line;
  int parts = 2;
  while (parts < most_token_parts && lines > parts * most_chunks * lines_of_chunk) parts *= 2;
  const std::int64_t part_lines = base::ceil_div<std::int64_t>(lines, parts);
  const std::int64_t chunks = base::ceil_div<std::int64_t>(part_lines, lines_of_chunk);
  const std::int64_t in_chunk = base::ceil_div<std::int64_t>(part_lines, chunks);
  // A thread's exact sum has to fit, and most threads should have something to do.
  const int unit_bits = token_unit_bits(call.categories);
  const bool fits = unit_bits <= 52 && chunk_lines_of_thread * in_line <= std::int64_t{1} << (52 - unit_bits);
  const bool few = 4 * in_chunk < 3 * lines_of_chunk || (alone && chunks < rough_chunks<S>());
  if (!fits || few || chunks > most_chunks) return {};
  StreamShape shape = {{parts, part_lines * in_line, buffers * chunk_bytes, false}, {}};
  shape.call.call = call;
  shape.call.call.in_slice = shape.blocks.in_slice;
  shape.call.scale = token_scale(0, call.temperature.value, unit_bits);
  shape.call.buffers = static_cast<std::uint32_t>(buffers);
  shape.call.chunks = static_cast<std::uint32_t>(chunks);
  shape.call.in_chunk = static_cast<std::uint32_t>(in_chunk);
  shape.call.lag = static_cast<std::uint32_t>(buffers / chunks + 5);
  return shape;
}

// How many clusters the current device has room for.
template <class S, bool alone>
std::int64_t clusters_at_once(const TokenShape& shape) {
  static std::array<OfDevice, most_token_parts + 1> of_parts;
  return of_parts[static_cast<std::size_t>(shape.parts)].known([&] {
    return rows_at_once(sampling_kernel::draw_rows_in_stream<S, alone>, shape,
                        sampling_kernel::stream_threads<S, alone>(), "drawing from a stream of rows");
  });
}

template <class S, bool alone>
bool draw_as(const TokenCall& call, cudaStream_t stream) {
  StreamShape shape = stream_shape<S, alone>(call);
  if (shape.blocks.parts == 0) return false;
  const std::int64_t clusters = clusters_at_once<S, alone>(shape.blocks);
  const std::int64_t bytes = std::int64_t{shape.call.chunks} * sampling_kernel::chunk_lines * 16;
  const std::int64_t least = alone ? least_rows_alone : least_bytes_of_block / bytes;
  if (clusters == 0 || call.rows < least * clusters) return false;
  const std::int64_t rows = call.rows / clusters - (alone ? call.rows / clusters / share_taken : 0);
  shape.call.rows = static_cast<std::uint32_t>(rows);
  shape.call.longer = static_cast<std::uint32_t>(call.rows % clusters);
  shape.call.own = static_cast<std::uint32_t>(base::ceil_div<std::int64_t>(call.rows - rows * clusters, clusters));
  launch_on_rows(sampling_kernel::draw_rows_in_stream<S, alone>, shape.call, clusters, shape.blocks,
                 sampling_kernel::stream_threads<S, alone>(), stream, "drawing from a stream of rows");
  return true;
}

template <class S>
bool draw(const TokenCall& call, bool alone, cudaStream_t stream) {
  return alone ? draw_as<S, true>(call, stream) : draw_as<S, false>(call, stream);
}

}  // namespace

bool draw_in_stream(Storage storage, const TokenCall& call, bool alone, void* stream) {
  const auto queue = static_cast<cudaStream_t>(stream);
  switch (storage) {
    case Storage::half:
      return draw<Half>(call, alone, queue);
    case Storage::bfloat16:
      return draw<BFloat16>(call, alone, queue);
    default:
      return draw<float>(call, alone, queue);
  }
}

}  // namespace papilio::sampling
