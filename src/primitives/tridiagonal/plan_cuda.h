#pragma once

#include <algorithm>
#include <cstdint>

#include "base/math.h"

// How a call is spread over a GPU. No choice here changes a bit of a result.

namespace papilio::primitives {

// How whole systems are laid out over blocks: a thread has a chunk of 16 unknowns. A cluster of
// `ranks` blocks shares its systems, and each rank has the next `chunks` chunks of each system.
struct ResidentShape {
  int systems = 1;
  int chunks = 1;
  int ranks = 1;
  int threads = 32;  // per block: systems * chunks, rounded up to whole warps
};

// The most threads per block: a chunk takes 256 bytes of float or 512 of double; three blocks fit on a multiprocessor.
constexpr int most_resident_threads(std::int64_t number_bytes) { return number_bytes == 4 ? 256 : 128; }

// The most blocks per cluster.
inline constexpr int most_ranks = 8;

// The unknowns of the longest system that is solved within a block or, on devices with clusters,
// within a cluster. If systems are interleaved, a row of a block is at least a sector of 32 bytes.
constexpr std::int64_t most_resident_rows(bool interleaved, std::int64_t number_bytes, bool clusters) {
  const std::int64_t systems = interleaved ? 32 / number_bytes : 1;
  const std::int64_t rows = 16 * most_resident_threads(number_bytes) / systems;
  return clusters ? std::min<std::int64_t>(4096, rows * most_ranks) : rows;
}

// For contiguous systems: if they are short, blocks have half of the threads, so that more of them overlap.
constexpr ResidentShape contiguous_shape(std::int64_t systems, int chunks, int most_threads) {
  ResidentShape shape = {1, chunks, 1, 0};
  if (chunks > most_threads) {
    shape.chunks = base::round_up(base::ceil_div(chunks, base::ceil_div(chunks, most_threads)), 16);
    shape.ranks = base::ceil_div(chunks, shape.chunks);
  } else {
    shape.systems = static_cast<int>(std::min<std::int64_t>(systems, std::max(1, most_threads / 2 / chunks)));
  }
  return shape;
}

// For interleaved systems: a power of two of them per block, with rows of
// 128 bytes if systems are short, and of 64 or 32 bytes if they are long.
constexpr ResidentShape interleaved_shape(std::int64_t systems, int chunks, std::int64_t number_bytes, bool clusters) {
  const int most_threads = most_resident_threads(number_bytes), sector = static_cast<int>(32 / number_bytes);
  ResidentShape shape = {4 * sector, chunks, 1, 0};
  if (clusters && chunks * 2 * sector > most_threads) {
    shape.chunks = chunks <= 16 * most_ranks ? 16 : 32;
    shape.ranks = base::ceil_div(chunks, shape.chunks);
  }
  while (shape.systems * shape.chunks < most_threads / 2) shape.systems *= 2;
  while (shape.systems * shape.chunks > most_threads) shape.systems /= 2;
  while (shape.systems > 1 && shape.systems / 2 >= systems) shape.systems /= 2;
  return shape;
}

constexpr ResidentShape resident_shape(std::int64_t systems, std::int64_t rows, bool interleaved,
                                       std::int64_t number_bytes, bool clusters) {
  const int chunks = static_cast<int>(base::ceil_div<std::int64_t>(rows, 16));
  ResidentShape shape = interleaved ? interleaved_shape(systems, chunks, number_bytes, clusters)
                                    : contiguous_shape(systems, chunks, most_resident_threads(number_bytes));
  shape.threads = base::round_up(shape.systems * shape.chunks, 32);
  return shape;
}

constexpr std::int64_t workspace_part(std::int64_t bytes) { return base::round_up<std::int64_t>(bytes, 256); }

// The bytes of one level of equations between separators.
constexpr std::int64_t split_bytes(std::int64_t chunks_of_all, std::int64_t number_bytes) {
  return 7 * workspace_part(chunks_of_all * number_bytes);
}

}  // namespace papilio::primitives
