#pragma once

#include <cstdint>

#include "primitives/tridiagonal/chunk_cuda.cuh"
#include "primitives/tridiagonal/plan_cuda.h"

// The numbers of a block's systems in shared memory. They are copied by cp.async, which takes no registers while copies
// are in flight, so the blocks of a multiprocessor together can have as much in flight as its shared memory holds.

namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel {

using papilio::primitives::ResidentShape;

// What a call allows its blocks to do, decided once. Arrays are bits: a, b, c, d, x.
struct StagePlan {
  static constexpr unsigned a = 1, b = 2, c = 4, d = 8, x = 16;
  unsigned wide = 0;      // arrays that may be copied 16 bytes at a time
  unsigned uniform = 0;   // a or c, if it is the same number everywhere
  bool mirrored = false;  // a(s, i) is c(s, i - 1), and is read there
};

// The part of the systems that belongs to a block.
struct Part {
  std::int64_t first_system, first_row;
  int systems, rows;  // rows <= chunks * rows_of_chunk
  int most_systems;   // of a full block
  int chunks;         // of a system in a full block
};

// Copies 16 bytes to 16 bytes, bypassing the L1.
__device__ __forceinline__ void copy_16_bytes(unsigned to, const void* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
template <class T>
__device__ __forceinline__ void copy_number(T* to, const T* from) {
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(from), "n"(sizeof(T)) : "memory");
}
__device__ __forceinline__ void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

// The same value, which the compiler now keeps in a register instead of computing it again in a loop.
template <class T>
__device__ __forceinline__ T* held(T* address) {
  asm("" : "+l"(address));
  return address;
}
__device__ __forceinline__ unsigned held(unsigned number) {
  asm("" : "+r"(number));
  return number;
}

// Four floats or two doubles.
template <class T>
struct alignas(16) Wide {
  static constexpr int width = 16 / sizeof(T);
  T at[width];
};

// Where the numbers of an array lie in shared memory, without conflicts when threads read their
// chunks: in pieces of 16 bytes if the systems are contiguous, and number by number if not.
template <class T, bool interleaved, int rows_of_chunk>
struct Area {
  static constexpr int width = Wide<T>::width;
  static constexpr int pieces = rows_of_chunk / width;  // per chunk
  // In an interleaved chunk, a row of padding moves the next chunk to other banks.
  static constexpr int padded_rows = rows_of_chunk == chunk_rows ? chunk_rows + 1 : rows_of_chunk;

  __host__ __device__ static constexpr int numbers(int systems, int chunks) {
    const int all = interleaved ? chunks * padded_rows * systems : chunks * systems * rows_of_chunk;
    return (all + width - 1) / width * width;
  }
  // Piece j of the chunk of thread t; those of neighbouring threads are in different banks.
  __device__ __forceinline__ static int piece(int t, int j) {
    const auto u = static_cast<unsigned>(t);
    return static_cast<int>((u * pieces + (static_cast<unsigned>(j) ^ (u / (8 / pieces) % pieces))) * width);
  }
  // Row `row` of system s.
  __device__ __forceinline__ static int number(const Part& part, int s, int row) {
    const auto u = static_cast<unsigned>(row);
    return number(part, s, static_cast<int>(u / rows_of_chunk), static_cast<int>(u % rows_of_chunk));
  }
  // Row i of chunk k of system s.
  __device__ __forceinline__ static int number(const Part& part, int s, int k, int i) {
    if constexpr (interleaved)
      return (k * padded_rows + i) * part.most_systems + s;
    else
      return piece(s * part.chunks + k, static_cast<int>(static_cast<unsigned>(i) / width)) +
             static_cast<int>(static_cast<unsigned>(i) % width);
  }
};

// p / d and p % d for small numbers.
struct QuickDivision {
  unsigned divisor, inverse;

  // Exact for p * d < 2^32.
  __device__ __forceinline__ explicit QuickDivision(int d)
      : divisor(static_cast<unsigned>(d)), inverse(0xFFFF'FFFFu / static_cast<unsigned>(d) + 1) {}
  __device__ __forceinline__ int quotient(int p) const {
    return divisor == 1 ? p : static_cast<int>(__umulhi(static_cast<unsigned>(p), inverse));
  }
};

// What a block reads of one diagonal: rows begin ... end - 1 of its part. `lenient`: all other
// numbers within the same 16 bytes lie between numbers of the array, and may be read, too.
template <class T>
struct Source {
  Diagonal<const T> from;
  T* to;
  int begin, end;
  bool used, wide, lenient;
};

template <class T, bool interleaved, int rows_of_chunk>
class Stager {
 public:
  using At = Area<T, interleaved, rows_of_chunk>;
  static constexpr int width = At::width;

  __device__ __forceinline__ explicit Stager(const Part& part) : part_(part) {}

  // Begins to copy all of the sources.
  template <int count>
  __device__ __forceinline__ void copy(const Source<T> (&sources)[count]) const {
    copy_pieces(sources);
#pragma unroll
    for (int j = 0; j < count; ++j)
      if (sources[j].used && !sources[j].wide) copy_numbers(sources[j]);
  }

  // Writes x, which lies in shared memory as a contiguous array would.
  __device__ __forceinline__ void write(const T* from, const Diagonal<T>& to, bool wide) const {
    static_assert(!interleaved);
    T* const first = held(to.data + part_.first_system * to.system_stride + part_.first_row * to.row_stride);
    const int step = wide ? width : 1, per_system = (part_.rows + step - 1) / step;
    const QuickDivision by(per_system);
    for (int p = static_cast<int>(threadIdx.x); p < per_system * part_.systems; p += static_cast<int>(blockDim.x)) {
      const int s = by.quotient(p), row = (p - s * per_system) * step;
      const T* const source = from + At::number(part_, s, row);
      if (wide && row + width <= part_.rows) {
        T* const target = first + std::int64_t{s} * static_cast<int>(to.system_stride) + row;
        *reinterpret_cast<Wide<T>*>(target) = *reinterpret_cast<const Wide<T>*>(source);
      } else {
        T* const target = first + s * to.system_stride + row * to.row_stride;
        const int end = min(step, part_.rows - row);
        for (int e = 0; e < end; ++e) target[e * to.row_stride] = source[e];
      }
    }
  }

 private:
  __device__ __forceinline__ const T* start(const Diagonal<const T>& from) const {
    return from.data + part_.first_system * from.system_stride + part_.first_row * from.row_stride;
  }

  // Copies the wide sources, 16 bytes at a time.
  template <int count>
  __device__ __forceinline__ void copy_pieces(const Source<T> (&sources)[count]) const {
    const T* first[count];
    unsigned to[count], stride[count];
    bool all = true;  // may be read together
#pragma unroll
    for (int j = 0; j < count; ++j) {
      first[j] = held(start(sources[j].from));
      to[j] = held(static_cast<unsigned>(__cvta_generic_to_shared(sources[j].to)));
      stride[j] = held(static_cast<unsigned>(interleaved ? sources[j].from.row_stride : sources[j].from.system_stride));
      all = all && sources[j].used && sources[j].wide && (interleaved || sources[j].lenient);
    }
    const unsigned together = held(all ? 1u : 0u);
    const int per_row = interleaved ? part_.most_systems / width : (part_.rows + width - 1) / width;
    const QuickDivision by(per_row);
    const int pieces = per_row * (interleaved ? part_.rows : part_.systems);
#pragma unroll 1
    for (int p = static_cast<int>(threadIdx.x); p < pieces; p += static_cast<int>(blockDim.x)) {
      const int outer = by.quotient(p), inner = (p - outer * per_row) * width;
      const int s = interleaved ? inner : outer, row = interleaved ? outer : inner;
      const int target = At::number(part_, s, row);
      const auto from = [&](int j) { return first[j] + std::int64_t{outer} * static_cast<int>(stride[j]) + inner; };
      const bool inside =
          interleaved ? row > 0 && row + 1 < part_.rows && s + width <= part_.systems : row + width <= part_.rows;
      if (together != 0 && inside) {
#pragma unroll
        for (int j = 0; j < count; ++j)
          copy_16_bytes(to[j] + static_cast<unsigned>(target) * static_cast<unsigned>(sizeof(T)), from(j));
        continue;
      }
#pragma unroll
      for (int j = 0; j < count; ++j) {
        const Source<T>& source = sources[j];
        if (!source.used || !source.wide) continue;
        const int low = interleaved || source.lenient ? 0 : source.begin - row;
        const int high = interleaved ? part_.systems - s : (source.lenient ? part_.rows : source.end) - row;
        if (interleaved && (row < source.begin || row >= source.end)) continue;
        if (low <= 0 && high >= width)
          copy_16_bytes(to[j] + static_cast<unsigned>(target) * static_cast<unsigned>(sizeof(T)), from(j));
        else
          copy_some(source.to + target, from(j), low, high);
      }
    }
  }
  __device__ __forceinline__ static void copy_some(T* to, const T* from, int low, int high) {
#pragma unroll 1
    for (int e = max(low, 0); e < min(high, width); ++e) copy_number(to + e, from + e);
  }

  // Copies number by number, with any strides.
  __device__ __forceinline__ void copy_numbers(const Source<T>& source) const {
    const T* const first = start(source.from);
    const int rows = source.end - source.begin;
    if (rows <= 0) return;
    const QuickDivision by(interleaved ? part_.systems : rows);
    for (int p = static_cast<int>(threadIdx.x); p < rows * part_.systems; p += static_cast<int>(blockDim.x)) {
      const int outer = by.quotient(p), inner = p - outer * static_cast<int>(by.divisor);
      const int s = interleaved ? inner : outer, row = source.begin + (interleaved ? outer : inner);
      copy_number(source.to + At::number(part_, s, row),
                  first + s * source.from.system_stride + row * source.from.row_stride);
    }
  }

  const Part& part_;
};

// The place of a thread's chunk.
template <class T, bool interleaved, int rows_of_chunk>
class ChunkPlace {
 public:
  using At = Area<T, interleaved, rows_of_chunk>;
  static constexpr int width = At::width;

  __device__ __forceinline__ ChunkPlace(const Part& part, int s, int k) : part_(part), s_(s), k_(k) {}

  // Reads numbers i ... i + width - 1; i is a multiple of width.
  __device__ __forceinline__ void read(const T* area, int i, T (&values)[rows_of_chunk]) const {
    if constexpr (interleaved) {
#pragma unroll
      for (int e = 0; e < width; ++e) values[i + e] = area[At::number(part_, s_, k_, i + e)];
    } else {
      const auto piece = *reinterpret_cast<const Wide<T>*>(area + At::piece(s_ * part_.chunks + k_, i / width));
#pragma unroll
      for (int e = 0; e < width; ++e) values[i + e] = piece.at[e];
    }
  }
  __device__ __forceinline__ void write(T* area, int i, const T (&values)[rows_of_chunk]) const {
    if constexpr (interleaved) {
#pragma unroll
      for (int e = 0; e < width; ++e) area[At::number(part_, s_, k_, i + e)] = values[i + e];
    } else {
      Wide<T> piece;
#pragma unroll
      for (int e = 0; e < width; ++e) piece.at[e] = values[i + e];
      *reinterpret_cast<Wide<T>*>(area + At::piece(s_ * part_.chunks + k_, i / width)) = piece;
    }
  }
  // The last number of the chunk before.
  __device__ __forceinline__ T before(const T* area) const {
    return area[At::number(part_, s_, k_ - 1, rows_of_chunk - 1)];
  }

 private:
  const Part& part_;
  int s_, k_;
};

}  // namespace papilio::inline PAPILIO_TARGET::tridiagonal_kernel
