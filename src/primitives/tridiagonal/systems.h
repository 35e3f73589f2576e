#pragma once

#include <cstdint>

// A call as plain data, between its checks and the kernels of the CPU or of a GPU.

namespace papilio::primitives {

// Element i of system s is data[s * system_stride + i * row_stride].
template <class T>
struct Diagonal {
  T* data = nullptr;
  std::int64_t system_stride = 0;
  std::int64_t row_stride = 0;
};

// Equations of `rows` unknowns each. Two numbers are never read: the a of row 0 and the c of the last row.
template <class T>
struct Systems {
  Diagonal<const T> a, b, c, d;
  std::int64_t count = 0;
  std::int64_t rows = 0;
  // As the caller gave them: for a walk, a then holds precisions, which are -a.
  bool given = false;
};

// The normal numbers of the rows: row i uses number (i + 1) * scale
// - 1 of its system, and none if that is not below `rows`.
struct Noise {
  bool wanted = false;
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  std::uint64_t first_id = 0;
  const std::int64_t* ids = nullptr;  // those of the systems; null: first_id + s
  std::int64_t scale = 1;
  std::int64_t rows = 0;
};

// A call of a public function. A walk has no c.
template <class T>
struct TridiagonalCall {
  Systems<T> systems;
  Diagonal<T> x;
  bool walk = false;
  Noise noise;
};

}  // namespace papilio::primitives
