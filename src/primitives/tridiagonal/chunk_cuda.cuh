#pragma once

#include <cstdint>

#include "primitives/tridiagonal/chunk_kernel.h"
#include "primitives/tridiagonal/noise_kernel.h"
#include "primitives/tridiagonal/systems.h"
#include "warp/cuda_warp.cuh"

// A chunk in the registers of one thread: it is loaded, eliminated, substituted back and stored.

namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel {

using papilio::primitives::Diagonal;
using papilio::primitives::Noise;
using papilio::primitives::Systems;

inline constexpr int warp_threads = 32;

struct OneMath {
  PAPILIO_LANEWISE static float fma(float x, float y, float c) { return ::fmaf(x, y, c); }
  PAPILIO_LANEWISE static double fma(double x, double y, double c) { return ::fma(x, y, c); }
  template <class T>
  PAPILIO_LANEWISE static T negative(T x) {
    return -x;
  }
  template <class T>
  PAPILIO_LANEWISE static T reciprocal(T x) {
    return T{1} / x;
  }
  PAPILIO_LANEWISE static float sqrt(float x) { return ::sqrtf(x); }
  PAPILIO_LANEWISE static double sqrt(double x) { return ::sqrt(x); }
};

// The same, with reciprocals without a branch: MUFU and the Newton steps of the compiler's own division. They
// round correctly unless the number or its reciprocal is near an end of the type's range, which `is_quick` tells.
struct QuickMath : OneMath {
  PAPILIO_LANEWISE static float reciprocal(float x) {
    float r = 0;
#if defined(__CUDA_ARCH__)
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
#endif
    return ::fmaf(r, ::fmaf(-x, r, 1.0f), r);
  }
  PAPILIO_LANEWISE static double reciprocal(double x) {
    double r = 0;
#if defined(__CUDA_ARCH__)
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    // The low bits matter if all bits of x are ones.
    r = __hiloint2double(__double2hiint(r), __double2hiint(x) + 0x30'0402);
#endif
    double e = ::fma(-x, r, 1.0);
    e = ::fma(e, e, e);
    r = ::fma(r, e, r);
    return ::fma(r, ::fma(-x, r, 1.0), r);
  }
};

// How far a reciprocal is above the least that is quick, 2^-120 or 2^-960, as a
// number with the same order; NaN, infinity and smaller reciprocals come last.
__device__ __forceinline__ unsigned quick_order(float inverse) {
  return 2 * __float_as_uint(inverse) - 2 * 0x0380'0000u;
}
__device__ __forceinline__ unsigned quick_order(double inverse) {
  return 2 * static_cast<unsigned>(__double2hiint(inverse)) - 2 * 0x03F0'0000u;
}
// Whether the reciprocal with the largest order, and so all, are those of OneMath: none is above 2^120 or 2^960.
template <class T>
__device__ __forceinline__ bool is_quick(unsigned order) {
  return order <= (sizeof(T) == sizeof(float) ? 2 * (0x7B80'0000u - 0x0380'0000u) : 2 * (0x7BF0'0000u - 0x03F0'0000u));
}

// The chunk that a thread has; `system` counts from the first system of the call.
struct Place {
  std::int64_t system = 0;
  std::int64_t chunk = 0;
};

// Chunks in the order of the threads: all chunks of one system after another, or chunk k of all systems first.
struct Order {
  std::int64_t first_system = 0;  // the first one of the block or of the call
  std::int64_t systems = 0;
  std::int64_t chunks = 0;  // of each system
  bool interleaved = false;

  __device__ __forceinline__ Place at(std::int64_t p) const {
    const std::int64_t fast = interleaved ? systems : chunks;
    std::int64_t outer, inner;
    if ((p | fast) >> 32 == 0) {  // much faster
      outer = static_cast<std::uint32_t>(p) / static_cast<std::uint32_t>(fast);
      inner = static_cast<std::uint32_t>(p) % static_cast<std::uint32_t>(fast);
    } else {
      outer = p / fast, inner = p % fast;
    }
    return interleaved ? Place{first_system + inner, outer} : Place{first_system + outer, inner};
  }
};

// A warp's memory for turning what its threads load together, 16 neighbours by 16 threads, into one
// chunk per thread. Each chunk has a word of padding, so that a column is spread over all banks.
template <class T>
struct Turner {
  T at[warp_threads * (chunk_rows + 1)];
};

// Where this thread loads and stores for the chunks of its warp: its element j is row `row` of chunk 2 j + lane / 16.
struct StripedPlace {
  std::int64_t system, chunk;
  std::int64_t chunks;
  int row;

  __device__ __forceinline__ StripedPlace(const Order& order, std::int64_t first_of_warp, int lane)
      : chunks(order.chunks), row(lane % chunk_rows) {
    const Place place = order.at(first_of_warp + lane / chunk_rows);
    system = place.system, chunk = place.chunk;
  }
  // Moves on to element j + 1.
  __device__ __forceinline__ void advance() {
    chunk += 2;
    if (chunk >= chunks) chunk -= chunks, ++system;
    if (chunk >= chunks) chunk -= chunks, ++system;
  }
  __device__ __forceinline__ std::int64_t row_of_system() const { return chunk * chunk_rows + row; }
};

template <class T>
__device__ __forceinline__ void turn_to_chunks(T (&values)[chunk_rows], Turner<T>& turner, int lane) {
  __syncwarp();
#pragma unroll
  for (int j = 0; j < chunk_rows; ++j)
    turner.at[(2 * j + lane / chunk_rows) * (chunk_rows + 1) + lane % chunk_rows] = values[j];
  __syncwarp();
#pragma unroll
  for (int i = 0; i < chunk_rows; ++i) values[i] = turner.at[lane * (chunk_rows + 1) + i];
}

template <class T>
__device__ __forceinline__ void turn_to_stripes(T (&values)[chunk_rows], Turner<T>& turner, int lane) {
  __syncwarp();
#pragma unroll
  for (int i = 0; i < chunk_rows; ++i) turner.at[lane * (chunk_rows + 1) + i] = values[i];
  __syncwarp();
#pragma unroll
  for (int j = 0; j < chunk_rows; ++j)
    values[j] = turner.at[(2 * j + lane / chunk_rows) * (chunk_rows + 1) + lane % chunk_rows];
}

template <class T>
__device__ __forceinline__ T element(const Diagonal<const T>& from, std::int64_t system, std::int64_t row) {
  return from.data[system * from.system_stride + row * from.row_stride];
}

// The rows of a thread's chunk; after the solution, d is x.
template <class T>
struct Chunk {
  T a[chunk_rows], b[chunk_rows], c[chunk_rows], d[chunk_rows];

  __device__ __forceinline__ Row<T> row(int i) const { return {a[i], b[i], c[i], d[i]}; }
  __device__ __forceinline__ void set(int i, const Row<T>& row) {
    a[i] = row.a, b[i] = row.b, c[i] = row.c, d[i] = row.d;
  }
};

// Loads one row; if there is no such row, it is x = 0 on its own.
template <class Form, class T>
__device__ __forceinline__ void load_row(const Systems<T>& systems, bool valid, std::int64_t system, std::int64_t row,
                                         T& a, T& b, T& c, T& d) {
  valid = valid && row < systems.rows;
  a = valid && row > 0 ? element(systems.a, system, row) : T{0};
  b = valid ? element(systems.b, system, row) : T{1};
  if constexpr (Form::is_walk)
    c = T{0};
  else
    c = valid && row + 1 < systems.rows ? element(systems.c, system, row) : T{0};
  d = valid ? element(systems.d, system, row) : T{0};
}

// Loads the chunk of a thread. All threads of a warp call it; they have the
// chunks from number first_of_warp on, of which those below `end` exist.
template <class Form, class T>
__device__ __forceinline__ void load_chunk(Chunk<T>& chunk, const Systems<T>& systems, const Order& order,
                                           std::int64_t first_of_warp, std::int64_t end, Turner<T>* turner) {
  const int lane = static_cast<int>(threadIdx.x % warp_threads);
  if (order.interleaved) {
    const Place place = order.at(first_of_warp + lane);
    const bool valid = first_of_warp + lane < end && place.system < systems.count;
#pragma unroll
    for (int i = 0; i < chunk_rows; ++i)
      load_row<Form>(systems, valid, place.system, place.chunk * chunk_rows + i, chunk.a[i], chunk.b[i], chunk.c[i],
                     chunk.d[i]);
  } else {
    StripedPlace place(order, first_of_warp, lane);
#pragma unroll
    for (int j = 0; j < chunk_rows; ++j) {
      const bool valid = first_of_warp + 2 * j + lane / chunk_rows < end && place.system < systems.count;
      load_row<Form>(systems, valid, place.system, place.row_of_system(), chunk.a[j], chunk.b[j], chunk.c[j],
                     chunk.d[j]);
      place.advance();
    }
    turn_to_chunks(chunk.a, *turner, lane);
    turn_to_chunks(chunk.b, *turner, lane);
    if constexpr (!Form::is_walk) turn_to_chunks(chunk.c, *turner, lane);
    turn_to_chunks(chunk.d, *turner, lane);
  }
  if constexpr (Form::is_walk) {
    if (systems.given) {
#pragma unroll
      for (int i = 0; i < chunk_rows; ++i) chunk.a[i] = -chunk.a[i];
    }
  }
}

// Stores the unknowns, chunk.d. It is called like load_chunk.
template <class T>
__device__ __forceinline__ void store_chunk(Chunk<T>& chunk, const Diagonal<T>& to, const Systems<T>& systems,
                                            const Order& order, std::int64_t first_of_warp, std::int64_t end,
                                            Turner<T>* turner) {
  const int lane = static_cast<int>(threadIdx.x % warp_threads);
  if (order.interleaved) {
    const Place place = order.at(first_of_warp + lane);
    if (first_of_warp + lane >= end || place.system >= systems.count) return;
    const std::int64_t first = place.chunk * chunk_rows;
    T* const p = to.data + place.system * to.system_stride;
#pragma unroll
    for (int i = 0; i < chunk_rows; ++i)
      if (first + i < systems.rows) p[(first + i) * to.row_stride] = chunk.d[i];
    return;
  }
  turn_to_stripes(chunk.d, *turner, lane);
  StripedPlace place(order, first_of_warp, lane);
#pragma unroll
  for (int j = 0; j < chunk_rows; ++j) {
    const std::int64_t row = place.row_of_system();
    if (first_of_warp + 2 * j + lane / chunk_rows < end && place.system < systems.count && row < systems.rows)
      to.data[place.system * to.system_stride + row * to.row_stride] = chunk.d[j];
    place.advance();
  }
}

template <class Form, class T>
__device__ __forceinline__ Link<T> eliminate_chunk(Chunk<T>& chunk) {
  Link<T> link = Form::start(T{0}, T{1});
  Row<T> row = chunk.row(0);
#pragma unroll
  for (int i = 0; i < separator; ++i) {
    Row<T> next = chunk.row(i + 1);
    Form::template eliminate<OneMath>(row, next, link);
    chunk.set(i, row);
    row = next;
  }
  chunk.set(separator, row);
  return link;
}

// What a check finds in a chunk before its elimination, and after it.
template <class Form, class T>
__device__ __forceinline__ unsigned faults_before(const Chunk<T>& chunk, const Systems<T>& systems,
                                                  const Place& place) {
  unsigned faults = 0;
  if (!systems.given) return faults;
  const std::int64_t first = place.chunk * chunk_rows;
  [[maybe_unused]] T c_before = 0;
  if constexpr (!Form::is_walk)
    if (first > 0) c_before = element(systems.c, place.system, first - 1);
#pragma unroll
  for (int i = 0; i < chunk_rows; ++i) {
    if (first + i >= systems.rows) continue;
    if constexpr (Form::is_walk) {
      faults |= walk_faults(chunk.a[i], chunk.b[i]);
    } else {
      faults |= row_faults(chunk.a[i], chunk.b[i], chunk.c[i], c_before);
      c_before = chunk.c[i];
    }
  }
  return faults;
}
template <class T>
__device__ __forceinline__ unsigned faults_after(const Chunk<T>& chunk) {
  unsigned faults = 0;
#pragma unroll
  for (int i = 0; i < separator; ++i) faults |= pivot_faults(chunk.b[i]);
  return faults;
}

// The normal numbers for the rows of a thread's chunk, four at a time.
class ChunkNoise {
 public:
  using W = warp::CudaWarp<warp_threads>;

  __device__ __forceinline__ ChunkNoise(const Noise& noise, const Place& place)
      : noise_(noise), first_(place.chunk * chunk_rows) {
    const std::uint64_t id = noise.ids != nullptr ? static_cast<std::uint64_t>(noise.ids[place.system])
                                                  : noise.first_id + static_cast<std::uint64_t>(place.system);
    const auto block = random::draw_block(noise.seed, noise.stream, id);
    source_ = {{static_cast<std::uint32_t>(noise.seed), static_cast<std::uint32_t>(noise.seed >> 32)},
               {block.word[1], block.word[2], block.word[3]}};
  }

  // Those of rows 4 quad ... 4 quad + 3; 0 if a row has none.
  __device__ __forceinline__ FourNormals<W> quad(int quad) const {
    const std::int64_t row = first_ + 4 * quad;
    FourNormals<W> four;
    if (noise_.scale == 1) {
      four = four_normals<W>(source_, static_cast<std::uint32_t>(row / 4));
    } else {
#pragma unroll 1
      for (int j = 0; j < 4; ++j) {
        const float e =
            four_normals<W>(source_, static_cast<std::uint32_t>((row + j + 1) * noise_.scale / 4 - 1)).at[3];
        // No index may be unknown to the compiler, so that `four` stays in registers.
        four.at[0] = j == 0 ? e : four.at[0], four.at[1] = j == 1 ? e : four.at[1];
        four.at[2] = j == 2 ? e : four.at[2], four.at[3] = j == 3 ? e : four.at[3];
      }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j)
      if ((row + j + 1) * noise_.scale > noise_.rows) four.at[j] = 0;
    return four;
  }

 private:
  const Noise& noise_;
  std::int64_t first_;
  NoiseSource<std::uint32_t> source_;
};

// Finds the unknowns of a chunk's rows except the separator, whose unknown
// is chunk.d[separator]. `upper` has the normal numbers of the last quad.
template <bool draws, class T>
__device__ __forceinline__ void substitute_chunk(Chunk<T>& chunk, T before, const ChunkNoise* noise,
                                                 const FourNormals<ChunkNoise::W>& upper) {
  T next = chunk.d[separator];
  FourNormals<ChunkNoise::W> four = upper;
#pragma unroll
  for (int i = separator - 1; i >= 0; --i) {
    if constexpr (draws)
      if (i % 4 == 3) four = noise->quad(i / 4);
    next = substitute<OneMath>(chunk.row(i), before, next);
    if constexpr (draws) next = disturbed<OneMath>(next, chunk.b[i], static_cast<T>(four.at[i % 4]));
    chunk.d[i] = next;
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel
