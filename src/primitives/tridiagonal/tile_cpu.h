#pragma once

#include <cstdint>
#include <cstring>

#include "primitives/tridiagonal/chunk_kernel.h"
#include "primitives/tridiagonal/systems.h"

// Chunks side by side in the lanes of a tile, copied from and to arrays with any strides.

namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel {

using papilio::primitives::Diagonal;

template <class T, int width>
using Tile = T[chunk_rows][width];

// The chunks that the lanes of a tile hold.
template <int width>
struct TileLanes {
  std::int64_t system[width];
  std::int64_t chunk[width];
  std::int64_t rows;  // of each system
  int count;          // the lanes that hold a chunk
  bool neighbours;    // the lanes hold chunk k of neighbouring systems

  PAPILIO_LANEWISE int rows_of(int lane) const {
    const std::int64_t left = rows - chunk[lane] * chunk_rows;
    return left < chunk_rows ? static_cast<int>(left) : chunk_rows;
  }
};

template <int width, class Work>
PAPILIO_LANEWISE TileLanes<width> lanes_of(const Work& work, std::int64_t first, std::int64_t end) {
  TileLanes<width> lanes;
  lanes.rows = work.systems.rows;
  lanes.count = end - first < width ? static_cast<int>(end - first) : width;
  const std::int64_t fast = work.interleaved ? work.systems.count : work.chunks;
  std::int64_t inner = first % fast, outer = first / fast;
  lanes.neighbours = work.interleaved && inner + lanes.count <= fast;
  for (int l = 0; l < lanes.count; ++l) {
    lanes.system[l] = work.interleaved ? inner : outer;
    lanes.chunk[l] = work.interleaved ? outer : inner;
    if (++inner == fast) inner = 0, ++outer;
  }
  return lanes;
}

// Rows that no chunk has become `filling`. So does row `missing`, which is not read (-1: there is none).
template <class T, int width>
PAPILIO_LANEWISE void load_tile(const Diagonal<const T>& from, std::int64_t missing, const TileLanes<width>& lanes,
                                T filling, Tile<T, width>& to) {
  if (lanes.neighbours && from.system_stride == 1) {
    const int rows = lanes.rows_of(0);
    const std::int64_t first = lanes.chunk[0] * chunk_rows;
    const T* p = from.data + lanes.system[0] + first * from.row_stride;
    for (int i = 0; i < chunk_rows; ++i) {
      const int valid = i < rows && first + i != missing ? lanes.count : 0;
      if (valid == width) {
        std::memcpy(to[i], p + i * from.row_stride, sizeof to[i]);
      } else {
        for (int l = 0; l < width; ++l) to[i][l] = l < valid ? p[i * from.row_stride + l] : filling;
      }
    }
    return;
  }
  if (lanes.count < width)
    for (int i = 0; i < chunk_rows; ++i)
      for (int l = lanes.count; l < width; ++l) to[i][l] = filling;
  for (int l = 0; l < lanes.count; ++l) {
    const std::int64_t first = lanes.chunk[l] * chunk_rows;
    const T* p = from.data + lanes.system[l] * from.system_stride + first * from.row_stride;
    const int rows = lanes.rows_of(l);
    if (from.row_stride == 1 && rows == chunk_rows && missing / chunk_rows != lanes.chunk[l]) {
      T all[chunk_rows];
      std::memcpy(all, p, sizeof all);
      for (int i = 0; i < chunk_rows; ++i) to[i][l] = all[i];
    } else {
      for (int i = 0; i < chunk_rows; ++i)
        to[i][l] = i < rows && first + i != missing ? p[i * from.row_stride] : filling;
    }
  }
}

template <class T, int width>
PAPILIO_LANEWISE void store_tile(const Tile<T, width>& from, const TileLanes<width>& lanes, const Diagonal<T>& to) {
  if (lanes.neighbours && to.system_stride == 1) {
    const int rows = lanes.rows_of(0);
    T* p = to.data + lanes.system[0] + lanes.chunk[0] * chunk_rows * to.row_stride;
    for (int i = 0; i < rows; ++i) {
      if (lanes.count == width)
        std::memcpy(p + i * to.row_stride, from[i], sizeof from[i]);
      else
        for (int l = 0; l < lanes.count; ++l) p[i * to.row_stride + l] = from[i][l];
    }
    return;
  }
  for (int l = 0; l < lanes.count; ++l) {
    T* p = to.data + lanes.system[l] * to.system_stride + lanes.chunk[l] * chunk_rows * to.row_stride;
    const int rows = lanes.rows_of(l);
    for (int i = 0; i < rows; ++i) p[i * to.row_stride] = from[i][l];
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel
