#pragma once

#include <cstdint>

// What the papers' algorithms as printed (as_printed.h) draw from, and the kernels that they are: a warp has 32
// documents, and a block one warp. theta_local and p are local arrays of each thread.

namespace papers {

enum class Printed : std::uint8_t {
  algorithm_1,         // running sums, each lane reading its own rows
  algorithm_4,         // coalesced reading, a transposition in registers per block
  algorithm_7,         // butterfly-patterned tables, searched by exchanges
  algorithm_7_shared,  // the same with theta_local in shared memory
};

// DrawZ's arguments. Documents come W at a time, by length; the last group is filled up with empty ones.
template <class T>
struct PrintedDraw {
  std::int32_t groups = 0;                // M / W
  const std::int32_t* first = nullptr;    // [M]: where a document's tokens begin
  const std::int32_t* lengths = nullptr;  // N[M]
  const std::int32_t* words = nullptr;    // w, one document after the other
  const T* theta = nullptr;               // [M, K]
  std::int32_t theta_stride = 0;
  const T* phi = nullptr;  // [V, K]
  std::int32_t phi_stride = 0;
  std::int32_t* z = nullptr;  // of each token
  std::int32_t topics = 0;    // K
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
};

}  // namespace papers

inline constexpr std::int32_t most_printed_topics = 1024;

const char* name_of(papers::Printed algorithm);

// Whether a warp's theta_local has room where the algorithm wants it.
bool has_room(papers::Printed algorithm, std::int32_t topics, std::int64_t bytes_per_weight);

// Queues the draws of all documents on stream(). T is float or double.
template <class T>
void queue_printed(papers::Printed algorithm, const papers::PrintedDraw<T>& draw);

// Copies rows of floats to rows of doubles.
void queue_widening(double* to, std::int64_t to_stride, const float* from, std::int64_t from_stride, std::int64_t rows,
                    std::int64_t columns);

// Small whole numbers everywhere, some of them 0, but every fourth from the second on: sums of products are exact, and
// no row of 2 or more sums to 0.
template <class T>
void queue_whole_numbers(T* to, std::int64_t count, std::uint32_t seed, std::uint32_t below);
