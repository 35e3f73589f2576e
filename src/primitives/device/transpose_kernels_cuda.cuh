#pragma once

#include <bit>
#include <cstdint>

#include "execution/cuda/memory.h"

// The kernels of transposition: a block reads a tile along the contiguous dimension of the matrix into
// shared memory and writes it along that of the result. transpose_cuda.cu chooses the kernel of a call.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

inline constexpr int transpose_threads = 256;
inline constexpr int most_narrow = 32;  // elements of the short side

// Element (a, b) of matrix m is at in + m * in_batch + a * in_a + b * in_b, and
// goes to out + m * out_batch + a * out_a + b * out_b. Strides count elements.
// Reading is contiguous along b and writing along a, if they are contiguous at all.
struct TransposeCall {
  const void* in;
  void* out;
  std::int64_t a_count, b_count, batch;
  std::int64_t in_a, in_b, in_batch;
  std::int64_t out_a, out_b, out_batch;
  int tile_a = 0, tile_b = 0;  // tile_a * tile_b elements are moved at a time
  std::int64_t a_tiles = 0, b_tiles = 0;
};

// Division of numbers below 2^16 by numbers below 2^16, by multiplication.
struct Divisor {
  unsigned by, factor;
  __device__ explicit Divisor(unsigned d) : by(d), factor(d == 1 ? 0 : 0xFFFF'FFFFu / d + 1) {}
  __device__ unsigned quotient(unsigned n) const { return by == 1 ? n : __umulhi(n, factor); }
};

// The elements that are moved in one access of 16 bytes.
template <class Element>
struct alignas(16) ElementVector {
  static constexpr int count = 16 / static_cast<int>(sizeof(Element));
  Element element[count];

  __device__ __forceinline__ static ElementVector load(const Element* from) {
    return std::bit_cast<ElementVector>(__ldcs(reinterpret_cast<const uint4*>(from)));
  }
  __device__ __forceinline__ void store(Element* to) const {
    __stcs(reinterpret_cast<uint4*>(to), std::bit_cast<uint4>(*this));
  }
};
template <class Element>
inline constexpr bool has_vectors = sizeof(Element) < 16 && 16 % sizeof(Element) == 0;

// Many small matrices without gaps: a block takes `tile_a` of them at a time, in accesses of 16 bytes if `by_vectors`.
template <class Element, bool by_vectors>
__global__ void __launch_bounds__(transpose_threads) transpose_small(const __grid_constant__ TransposeCall call) {
  __shared__ alignas(16) Element tile[16384 / sizeof(Element)];
  const auto a_count = static_cast<unsigned>(call.a_count), b_count = static_cast<unsigned>(call.b_count);
  const std::int64_t first = std::int64_t{blockIdx.x} * call.tile_a;
  const unsigned size = a_count * b_count;
  const unsigned count = static_cast<unsigned>(min(call.batch - first, std::int64_t{call.tile_a})) * size;
  const auto* const in = static_cast<const Element*>(call.in) + first * size;
  auto* const out = static_cast<Element*>(call.out) + first * size;
  const Divisor by_size(size), by_a(a_count);
  unsigned whole = 0;  // elements that are in whole vectors
  if constexpr (by_vectors) {
    using Vector = ElementVector<Element>;
    whole = count / Vector::count * Vector::count;
#pragma unroll 4
    for (unsigned k = threadIdx.x * Vector::count; k < whole; k += transpose_threads * Vector::count)
      *reinterpret_cast<Vector*>(tile + k) = Vector::load(in + k);
  }
#pragma unroll 8
  for (unsigned k = whole + threadIdx.x; k < count; k += transpose_threads) tile[k] = in[k];
  __syncthreads();
  if constexpr (by_vectors) {
    using Vector = ElementVector<Element>;
#pragma unroll 4
    for (unsigned k = threadIdx.x * Vector::count; k < whole; k += transpose_threads * Vector::count) {
      const unsigned matrix = by_size.quotient(k), at = k - matrix * size;
      unsigned j = by_a.quotient(at), i = at - j * a_count;
      const Element* from = tile + matrix * size;
      Vector gathered;
#pragma unroll
      for (int e = 0; e < Vector::count; ++e) {
        gathered.element[e] = from[i * b_count + j];
        if (++i < a_count) continue;
        i = 0;
        if (++j < b_count) continue;
        j = 0;
        from += size;
      }
      gathered.store(out + k);
    }
  }
#pragma unroll 8
  for (unsigned k = whole + threadIdx.x; k < count; k += transpose_threads) {
    const unsigned matrix = by_size.quotient(k), at = k - matrix * size;
    const unsigned j = by_a.quotient(at), i = at - j * a_count;
    out[k] = tile[matrix * size + i * b_count + j];
  }
}

// One side of the matrix is short. On one side of the transposition all elements lie without gaps ("flat"); on the
// other they form as many long lines as the short side has elements. A block takes `tile_a` places of the long
// side at a time. tile_a is a multiple of the elements in 16 bytes, and all lines begin at a multiple of 16 bytes.
template <class Element, bool to_flat>
__global__ void __launch_bounds__(transpose_threads) transpose_narrow(const __grid_constant__ TransposeCall call) {
  using Vector = ElementVector<Element>;
  __shared__ alignas(16) Element tile[16384 / sizeof(Element) + most_narrow * Vector::count];
  const std::int64_t matrix = blockIdx.x / call.a_tiles, begin = blockIdx.x % call.a_tiles * call.tile_a;
  const auto lines = static_cast<unsigned>(to_flat ? call.a_count : call.b_count);
  const auto places =
      static_cast<unsigned>(min((to_flat ? call.b_count : call.a_count) - begin, std::int64_t{call.tile_a}));
  const unsigned stride = static_cast<unsigned>(call.tile_a) + Vector::count;
  const auto* const in =
      static_cast<const Element*>(call.in) + matrix * call.in_batch + (to_flat ? begin : begin * call.in_a);
  auto* const out = static_cast<Element*>(call.out) + matrix * call.out_batch + (to_flat ? begin * call.out_b : begin);
  const std::int64_t line_stride = to_flat ? call.in_a : call.out_b;
  const Divisor by_lines(lines);
  if (places == static_cast<unsigned>(call.tile_a)) {
    const unsigned line_vectors = places / Vector::count, vectors = lines * line_vectors;
    const Divisor by_line(line_vectors);
    // Calls use(flat, line, place) for the first element of each vector: of the flat side, or (for_lines) of the lines.
    const auto for_flat = [&](auto use) {
#pragma unroll 4
      for (unsigned v = threadIdx.x; v < vectors; v += transpose_threads) {
        const unsigned place = by_lines.quotient(v * Vector::count);
        use(v * Vector::count, v * Vector::count - place * lines, place);
      }
    };
    const auto for_lines = [&](auto use) {
#pragma unroll 4
      for (unsigned v = threadIdx.x; v < vectors; v += transpose_threads) {
        const unsigned line = by_line.quotient(v);
        use(line, (v - line * line_vectors) * Vector::count);
      }
    };
    if constexpr (to_flat) {
      for_lines([&](unsigned line, unsigned place) {
        *reinterpret_cast<Vector*>(tile + line * stride + place) = Vector::load(in + line * line_stride + place);
      });
      __syncthreads();
      for_flat([&](unsigned flat, unsigned line, unsigned place) {
        Vector gathered;
#pragma unroll
        for (int e = 0; e < Vector::count; ++e) {
          gathered.element[e] = tile[line * stride + place];
          if (++line < lines) continue;
          line = 0;
          ++place;
        }
        gathered.store(out + flat);
      });
    } else {
      for_flat([&](unsigned flat, unsigned line, unsigned place) {
        const Vector loaded = Vector::load(in + flat);
#pragma unroll
        for (int e = 0; e < Vector::count; ++e) {
          tile[line * stride + place] = loaded.element[e];
          if (++line < lines) continue;
          line = 0;
          ++place;
        }
      });
      __syncthreads();
      for_lines([&](unsigned line, unsigned place) {
        reinterpret_cast<const Vector*>(tile + line * stride + place)->store(out + line * line_stride + place);
      });
    }
    return;
  }
  // The last places of the long side, however many remain.
  for (unsigned k = threadIdx.x; k < lines * places; k += transpose_threads) {
    const unsigned place = by_lines.quotient(k), line = k - place * lines;
    if constexpr (to_flat)
      out[k] = in[line * line_stride + place];
    else
      out[line * line_stride + place] = in[k];
  }
}

// Tiles of edge x edge, in accesses of 16 bytes: in_b == out_a == 1, and all lines begin and end
// at multiples of 16 bytes. Tiles that run at the same time are neighbours along the shorter side.
template <class Element>
__global__ void __launch_bounds__(transpose_threads) transpose_squares(const __grid_constant__ TransposeCall call) {
  constexpr int per_vector = 16 / sizeof(Element), edge = 256 / sizeof(Element);
  constexpr int row_vectors = edge / per_vector;  // 16
  constexpr int rows_at_once = transpose_threads / row_vectors;
  constexpr int stride = edge + 1;
  __shared__ Element tile[edge * stride];
  const std::int64_t tiles = call.a_tiles * call.b_tiles;
  const std::int64_t matrix = blockIdx.x / tiles, in_matrix = blockIdx.x % tiles;
  const bool down = call.a_tiles < call.b_tiles;
  const std::int64_t a = (down ? in_matrix % call.a_tiles : in_matrix / call.b_tiles) * edge,
                     b = (down ? in_matrix / call.a_tiles : in_matrix % call.b_tiles) * edge;
  const int vector = static_cast<int>(threadIdx.x % row_vectors), row = static_cast<int>(threadIdx.x / row_vectors);
  const auto* const in =
      static_cast<const Element*>(call.in) + matrix * call.in_batch + a * call.in_a + b + vector * per_vector;
  // How many rows of the tile are in the matrix; 0 for a thread whose columns are not in it.
  const std::int64_t in_rows = b + vector * per_vector < call.b_count ? call.a_count - a : 0;
  const std::int64_t out_rows = a + vector * per_vector < call.a_count ? call.b_count - b : 0;
  uint4 held[edge / rows_at_once];
#pragma unroll
  for (int r = 0; r < edge; r += rows_at_once)
    held[r / rows_at_once] =
        r + row < in_rows ? __ldcs(reinterpret_cast<const uint4*>(in + (r + row) * call.in_a)) : uint4{};
#pragma unroll
  for (int r = 0; r < edge; r += rows_at_once) {
#pragma unroll
    for (int k = 0; k < per_vector; ++k)
      tile[(r + row) * stride + vector * per_vector + k] = reinterpret_cast<const Element*>(&held[r / rows_at_once])[k];
  }
  __syncthreads();
  auto* const out =
      static_cast<Element*>(call.out) + matrix * call.out_batch + b * call.out_b + a + vector * per_vector;
#pragma unroll
  for (int r = 0; r < edge; r += rows_at_once) {
    uint4 gathered;
#pragma unroll
    for (int k = 0; k < per_vector; ++k)
      reinterpret_cast<Element*>(&gathered)[k] = tile[(vector * per_vector + k) * stride + r + row];
    if (r + row < out_rows) __stcs(reinterpret_cast<uint4*>(out + (r + row) * call.out_b), gathered);
  }
}

// Tiles of edge x edge, element by element, for lines at any address: in_b == out_a == 1.
// What is written of a line begins at a multiple of 32 bytes if the line does, so that
// no two blocks write parts of one sector. For that, a tile reads a few more rows.
template <class Element>
__global__ void __launch_bounds__(transpose_threads) transpose_lines(const __grid_constant__ TransposeCall call) {
  constexpr int edge = 256 / static_cast<int>(sizeof(Element)), sector = 32 / static_cast<int>(sizeof(Element));
  constexpr int more = sector - 1, rows = edge + more, stride = edge + 1;
  constexpr int warps = transpose_threads / 32, per_lane = edge / 32;
  __shared__ Element tile[rows * stride];
  const std::int64_t tiles = call.a_tiles * call.b_tiles;
  const std::int64_t matrix = blockIdx.x / tiles, in_matrix = blockIdx.x % tiles;
  const std::int64_t a = in_matrix / call.b_tiles * edge, b = in_matrix % call.b_tiles * edge;
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  const auto* const in =
      static_cast<const Element*>(call.in) + matrix * call.in_batch + (a - more) * call.in_a + b + lane;
  const auto columns = static_cast<int>(min(call.b_count - b, std::int64_t{edge}));
  const auto first = static_cast<int>(max(more - a, std::int64_t{0})),
             last = static_cast<int>(min(call.a_count - a + more, std::int64_t{rows}));
#pragma unroll
  for (int r = 0; r < rows; r += warps) {
    const int row = r + warp;
#pragma unroll
    for (int k = 0; k < per_lane; ++k)
      if (row >= first && row < last && lane + 32 * k < columns)
        tile[row * stride + lane + 32 * k] = in[row * call.in_a + 32 * k];
  }
  __syncthreads();
  auto* const out = static_cast<Element*>(call.out) + matrix * call.out_batch + b * call.out_b + a;
#pragma unroll
  for (int r = 0; r < edge; r += warps) {
    const int column = r + warp;
    if (column >= columns) break;
    Element* const line = out + column * call.out_b;
    const auto shift = static_cast<int>(reinterpret_cast<std::uintptr_t>(line) / sizeof(Element) % sector);
#pragma unroll
    for (int k = 0; k < per_lane; ++k) {
      const int row = lane + 32 * k - shift;
      if (row + more >= first && row + more < last) line[row] = tile[(row + more) * stride + column];
    }
  }
}

// For any shape, alignment and strides. In shared memory, b is the tile's fastest, and lines have one element more.
template <class Element>
__global__ void __launch_bounds__(transpose_threads) transpose_tiles(const __grid_constant__ TransposeCall call) {
  constexpr int room = 16384 / sizeof(Element);
  __shared__ Element tile[room + room / 2];
  const std::int64_t tiles = call.a_tiles * call.b_tiles;
  const std::int64_t matrix = blockIdx.x / tiles, in_matrix = blockIdx.x % tiles;
  const std::int64_t a = in_matrix / call.b_tiles * call.tile_a, b = in_matrix % call.b_tiles * call.tile_b;
  const auto a_count = static_cast<unsigned>(min(call.a_count - a, std::int64_t{call.tile_a}));
  const auto b_count = static_cast<unsigned>(min(call.b_count - b, std::int64_t{call.tile_b}));
  const unsigned stride = b_count | 1, count = a_count * b_count;
  const auto* const in = static_cast<const Element*>(call.in) + matrix * call.in_batch + a * call.in_a + b * call.in_b;
  const Divisor by_a(a_count), by_b(b_count);
#pragma unroll 8
  for (unsigned k = threadIdx.x; k < count; k += transpose_threads) {
    const unsigned i = by_b.quotient(k), j = k - i * b_count;
    tile[i * stride + j] = in[i * call.in_a + j * call.in_b];
  }
  __syncthreads();
  auto* const out = static_cast<Element*>(call.out) + matrix * call.out_batch + a * call.out_a + b * call.out_b;
#pragma unroll 8
  for (unsigned k = threadIdx.x; k < count; k += transpose_threads) {
    const unsigned j = by_a.quotient(k), i = k - j * a_count;
    out[i * call.out_a + j * call.out_b] = tile[i * stride + j];
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
