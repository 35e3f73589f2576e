#pragma once

#include <cstdint>

#include "primitives/tridiagonal/chunk_cuda.cuh"
#include "primitives/tridiagonal/plan_cuda.h"

// The numbers of a block's systems in shared memory: copied by cp.async, which needs no registers while they are on the
// way, so that all of a multiprocessor's blocks together keep as much in flight as its memory holds.

namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel {

using papilio::primitives::ResidentShape;

// What a call lets its blocks do, decided once. Bits of arrays: a, b, c, d, x.
struct StagePlan {
  static constexpr unsigned a = 1, b = 2, c = 4, d = 8, x = 16;
  unsigned wide = 0;      // may be copied 16 bytes at a time
  unsigned uniform = 0;   // of a or c: one number for all
  bool mirrored = false;  // a(s, i) is c(s, i - 1), and is read there
};

// The part of the systems that a block has.
struct Part {
  std::int64_t first_system, first_row;
  int systems, rows;  // rows <= chunks * rows_of_chunk
  int most_systems;   // of a full block
  int chunks;         // of a system in a full block
};

// 16 bytes to 16 bytes, past the L1; the neighbours that other blocks will want come into the L2.
__device__ __forceinline__ void copy_16_bytes(void* to, const void* from) {
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
}
template <class T>
__device__ __forceinline__ void copy_number(T* to, const T* from) {
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(from), "n"(sizeof(T)) : "memory");
}
__device__ __forceinline__ void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// Four floats or two doubles.
template <class T>
struct alignas(16) Wide {
  static constexpr int width = 16 / sizeof(T);
  T at[width];
};

// Where the numbers of an array lie in shared memory, conflict-free for threads that read their chunks, in pieces of 16
// bytes if contiguous and number by number if not.
template <class T, bool interleaved, int rows_of_chunk>
struct Area {
  static constexpr int width = Wide<T>::width;
  static constexpr int pieces = rows_of_chunk / width;  // of a chunk
  // Of an interleaved chunk: a row of padding moves the next chunk to other banks.
  static constexpr int padded_rows = rows_of_chunk == chunk_rows ? chunk_rows + 1 : rows_of_chunk;

  __host__ __device__ static constexpr int numbers(int systems, int chunks) {
    const int all = interleaved ? chunks * padded_rows * systems : chunks * systems * rows_of_chunk;
    return (all + width - 1) / width * width;
  }
  // Piece j of the chunk of thread t: neighbouring threads have theirs in different banks.
  __device__ __forceinline__ static int piece(int t, int j) {
    return (t * pieces + (j ^ (t / (8 / pieces) % pieces))) * width;
  }
  // Row i of chunk k of system s.
  __device__ __forceinline__ static int number(const Part& part, int s, int k, int i) {
    if constexpr (interleaved)
      return (k * padded_rows + i) * part.most_systems + s;
    else
      return piece(s * part.chunks + k, i / width) + i % width;
  }
};

// p / d and p % d of small numbers.
struct QuickDivision {
  unsigned divisor, inverse;

  // Exact for p * d < 2^32.
  __device__ __forceinline__ explicit QuickDivision(int d)
      : divisor(static_cast<unsigned>(d)), inverse(0xFFFF'FFFFu / static_cast<unsigned>(d) + 1) {}
  __device__ __forceinline__ int quotient(int p) const {
    return divisor == 1 ? p : static_cast<int>(__umulhi(static_cast<unsigned>(p), inverse));
  }
};

template <class T, bool interleaved, int rows_of_chunk>
class Stager {
 public:
  using At = Area<T, interleaved, rows_of_chunk>;
  static constexpr int width = At::width;

  __device__ __forceinline__ explicit Stager(const Part& part) : part_(part) {}

  // Rows [begin, end) of the block's systems, number by number: any strides.
  __device__ __forceinline__ void numbers(const Diagonal<const T>& from, T* to, int begin, int end) const {
    const T* const first = start(from);
    const int rows = end - begin;
    if (rows <= 0) return;
    const QuickDivision by(interleaved ? part_.systems : rows);
    for (int p = static_cast<int>(threadIdx.x); p < rows * part_.systems; p += static_cast<int>(blockDim.x)) {
      const int outer = by.quotient(p), inner = p - outer * static_cast<int>(by.divisor);
      const int s = interleaved ? inner : outer, row = begin + (interleaved ? outer : inner);
      copy_number(to + At::number(part_, s, row / rows_of_chunk, row % rows_of_chunk),
                  first + s * from.system_stride + row * from.row_stride);
    }
  }

  // The same, 16 bytes at a time. Rows before `begin` share a piece with row `begin` and are not read.
  __device__ __forceinline__ void pieces(const Diagonal<const T>& from, T* to, int begin, int end) const {
    const T* const first = start(from);
    const int per_row = interleaved ? part_.most_systems / width : (part_.rows + width - 1) / width;
    const QuickDivision by(per_row);
    const int count = per_row * (interleaved ? part_.rows : part_.systems);
#pragma unroll 2
    for (int p = static_cast<int>(threadIdx.x); p < count; p += static_cast<int>(blockDim.x)) {
      const int outer = by.quotient(p), inner = (p - outer * per_row) * width;
      const int s = interleaved ? inner : outer, row = interleaved ? outer : inner;
      const T* const source = first + (interleaved ? row * from.row_stride + s : s * from.system_stride + row);
      T* const target = to + At::number(part_, s, row / rows_of_chunk, row % rows_of_chunk);
      int low = 0, high = width;
      if constexpr (interleaved) {
        if (row < begin || row >= end) continue;
        high = min(width, part_.systems - s);
      } else {
        low = max(0, begin - row), high = min(width, end - row);
      }
      if (low == 0 && high == width) {
        copy_16_bytes(target, source);
      } else {
        for (int e = low; e < high; ++e) copy_number(target + e, source + e);
      }
    }
  }

  __device__ __forceinline__ void array(const Diagonal<const T>& from, T* to, bool wide, int begin, int end) const {
    if (wide)
      pieces(from, to, begin, end);
    else
      numbers(from, to, begin, end);
  }

  // Writes x, which lies where a contiguous array would.
  __device__ __forceinline__ void write(const T* from, const Diagonal<T>& to, bool wide) const {
    static_assert(!interleaved);
    T* const first = to.data + part_.first_system * to.system_stride + part_.first_row * to.row_stride;
    const int step = wide ? width : 1, per_system = (part_.rows + step - 1) / step;
    const QuickDivision by(per_system);
#pragma unroll 2
    for (int p = static_cast<int>(threadIdx.x); p < per_system * part_.systems; p += static_cast<int>(blockDim.x)) {
      const int s = by.quotient(p), row = (p - s * per_system) * step;
      const T* const source = from + At::number(part_, s, row / rows_of_chunk, row % rows_of_chunk);
      T* const target = first + s * to.system_stride + row * to.row_stride;
      if (wide && row + width <= part_.rows) {
        *reinterpret_cast<Wide<T>*>(target) = *reinterpret_cast<const Wide<T>*>(source);
      } else {
        const int end = min(step, part_.rows - row);
        for (int e = 0; e < end; ++e) target[e * to.row_stride] = source[e];
      }
    }
  }

 private:
  __device__ __forceinline__ const T* start(const Diagonal<const T>& from) const {
    return from.data + part_.first_system * from.system_stride + part_.first_row * from.row_stride;
  }

  const Part& part_;
};

}  // namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel
