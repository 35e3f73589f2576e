#pragma once

#include <cstdint>

#include "primitives/tridiagonal/systems.h"

// What the driver calls on the CPU: the kernels of each instruction-set target, as a table of functions.

namespace papilio::primitives {

// The equations between the separators of all chunks: one entry per chunk, in the order of ChunkWork.
template <class T>
struct Separators {
  T *a = nullptr, *b = nullptr, *c = nullptr, *d = nullptr;   // d becomes the solution
  T *link_c = nullptr, *link_b = nullptr, *link_d = nullptr;  // what chunk k adds to the row of separator k - 1
};

// The chunks of some systems, numbered: chunk k of system s has
// number s * chunks + k or, if `interleaved`, k * systems.count + s.
template <class T>
struct ChunkWork {
  Systems<T> systems;
  std::int64_t chunks = 0;  // of each system
  bool interleaved = false;
  Separators<T> separators;  // not used if chunks == 1
  Diagonal<T> x;
  Noise noise;
  bool walk = false;
  std::uint8_t* faults = nullptr;  // bits of chunk_kernel.h are added for each system; null: no check
};

// Functions for the chunks [begin, end).
template <class T>
struct ChunkKernels {
  // Writes all of `separators`, but without the effect of the links on the rows.
  void (*reduce)(const ChunkWork<T>& work, std::int64_t begin, std::int64_t end);
  // Adds link k + 1 to row k, for chunks k that are not the last of their system.
  void (*join)(const ChunkWork<T>& work, std::int64_t begin, std::int64_t end);
  // Writes x, given separators.d.
  void (*solve)(const ChunkWork<T>& work, std::int64_t begin, std::int64_t end);
};

struct TridiagonalKernels {
  ChunkKernels<float> of_float;
  ChunkKernels<double> of_double;
};

// The kernels of the target in use (papilio::cpu_target).
const TridiagonalKernels& tridiagonal_kernels();

// Chunks are handled in tiles of this many, or of a divisor of it; ranges of chunks begin at a multiple of it.
inline constexpr std::int64_t tile_chunks = 32;

}  // namespace papilio::primitives
