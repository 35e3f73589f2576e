#pragma once

#include <cstdint>

#include "collective/draw_slots.cuh"
#include "sampling/rows/device_rows.h"

// Rows of weights in device memory, as providers for collective/draw_slots.cuh.

namespace papilio::inline PAPILIO_TARGET::sampling_kernel {

using papilio::sampling::DeviceDraw;
using papilio::sampling::DeviceRows;

// How many numbers stored as S a thread loads at once, and the type in which they are summed.
template <class S>
struct Stored {
  using Sum = float;
};
template <>
struct Stored<double> {
  using Sum = double;
};

__device__ __forceinline__ float decoded(float x) { return x; }
__device__ __forceinline__ double decoded(double x) { return x; }
__device__ __forceinline__ float decoded(BFloat16 x) { return __uint_as_float(static_cast<unsigned>(x.bits) << 16); }
__device__ __forceinline__ float decoded(Half x) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(x.bits));
  return value;
}

// E5M2 is the upper half of a half. E4M3 fits into a half, and newer GPUs convert two at once. Older GPUs
// multiply by 2^120, which moves the exponent's bias from 7 to 127, also below the least normal number.
__device__ __forceinline__ float decoded(Float8E5M2 x) {
  return decoded(Half{static_cast<std::uint16_t>(x.bits << 8)});
}
__device__ __forceinline__ float decoded(Float8E4M3FN x) {
#if __CUDA_ARCH__ >= 890
  unsigned halves;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(static_cast<std::uint16_t>(x.bits)));
  return decoded(Half{static_cast<std::uint16_t>(halves)});
#else
  const unsigned size = x.bits & 0x7Fu;
  const unsigned value = __float_as_uint(__uint_as_float(size << 20) * 0x1p120f);
  return __uint_as_float((x.bits & 0x80u) << 24 | (size == 0x7F ? 0x7FC0'0000u : value));
#endif
}

// Two neighbouring numbers of 8 bits, the first in the low bits.
template <class S>
__device__ __forceinline__ void decode_two(unsigned two, float (&to)[2]) {
  for (int i = 0; i < 2; ++i) to[i] = decoded(S{static_cast<std::uint8_t>(two >> (8 * i))});
}
#if __CUDA_ARCH__ >= 890
template <>
__device__ __forceinline__ void decode_two<Float8E4M3FN>(unsigned two, float (&to)[2]) {
  unsigned halves;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(static_cast<std::uint16_t>(two)));
  for (int i = 0; i < 2; ++i) to[i] = decoded(Half{static_cast<std::uint16_t>(halves >> (16 * i))});
}
#endif

// Loads n neighbouring numbers by up to 16 bytes at a time; `from` is aligned to that.
template <int n>
__device__ __forceinline__ void load(const float* from, float (&to)[n]) {
  if constexpr (n == 4) {
    const float4 x = __ldg(reinterpret_cast<const float4*>(from));
    to[0] = x.x, to[1] = x.y, to[2] = x.z, to[3] = x.w;
  } else if constexpr (n == 2) {
    const float2 x = __ldg(reinterpret_cast<const float2*>(from));
    to[0] = x.x, to[1] = x.y;
  } else {
    to[0] = __ldg(from);
  }
}
template <int n>
__device__ __forceinline__ void load(const double* from, double (&to)[n]) {
  if constexpr (n == 1) {
    to[0] = __ldg(from);
  } else {
#pragma unroll
    for (int i = 0; i < n; i += 2) {
      const double2 x = __ldg(reinterpret_cast<const double2*>(from + i));
      to[i] = x.x, to[i + 1] = x.y;
    }
  }
}
template <int n, class S>
__device__ __forceinline__ void load(const S* from, float (&to)[n]) {
  static_assert(sizeof(S) <= 2);
  if constexpr (sizeof(S) == 1 && n == 1) {
    to[0] = decoded(S{__ldg(reinterpret_cast<const unsigned char*>(from))});
  } else if constexpr (sizeof(S) == 1) {
    using Word = std::conditional_t<n == 4, unsigned, unsigned short>;
    const unsigned word = __ldg(reinterpret_cast<const Word*>(from));
#pragma unroll
    for (int i = 0; i < n; i += 2) {
      float two[2];
      decode_two<S>(word >> (8 * i), two);
      to[i] = two[0], to[i + 1] = two[1];
    }
  } else if constexpr (n == 1) {
    to[0] = decoded(S{__ldg(reinterpret_cast<const unsigned short*>(from))});
  } else {
    unsigned words[n / 2];
    if constexpr (n == 4) {
      const uint2 x = __ldg(reinterpret_cast<const uint2*>(from));
      words[0] = x.x, words[1] = x.y;
    } else {
      words[0] = __ldg(reinterpret_cast<const unsigned*>(from));
    }
#pragma unroll
    for (int i = 0; i < n; ++i) to[i] = decoded(S{static_cast<std::uint16_t>(words[i / 2] >> (16 * (i % 2)))});
  }
}

template <class V>
struct Plain {
  V x;
  __device__ __forceinline__ V weight() const { return x; }
  __device__ __forceinline__ V plus(V sum) const { return sum + x; }
};

__device__ __forceinline__ float fused(float x, float y, float sum) { return __fmaf_rn(x, y, sum); }
__device__ __forceinline__ double fused(double x, double y, double sum) { return __fma_rn(x, y, sum); }

template <class V>
struct Product {
  V x, y;
  __device__ __forceinline__ V weight() const { return x * y; }
  __device__ __forceinline__ V plus(V sum) const { return fused(x, y, sum); }
};

__device__ __forceinline__ unsigned sign_word(float x) { return __float_as_uint(x); }
__device__ __forceinline__ unsigned sign_word(double x) { return static_cast<unsigned>(__double2hiint(x)); }
template <class V>
__device__ __forceinline__ unsigned sign_word(Plain<V> e) {
  return sign_word(e.x);
}
template <class V>
__device__ __forceinline__ unsigned sign_word(Product<V> e) {
  return sign_word(e.x) ^ sign_word(e.y);
}

// A whole row, category by category.
template <class S, bool product>
struct MemoryRow {
  using Sum = typename Stored<S>::Sum;
  const S* left;
  const S* right;
  std::int64_t stride;
  std::int64_t count;

  __device__ __forceinline__ std::int64_t size() const { return count; }
  __device__ __forceinline__ Sum weight(std::int64_t k) const {
    const Sum x = decoded(left[k * stride]);
    if constexpr (product) return x * decoded(right[k]);
    return x;
  }
};

// Row i of a draw. `exists` becomes whether its indices are in
// range; if they are not, the result is some row that exists.
template <class S, bool product>
__device__ __forceinline__ MemoryRow<S, product> row_of(const DeviceRows& rows, std::int64_t i, bool& exists) {
  std::int64_t l = rows.left_rows != nullptr ? rows.left_rows[i] : i;
  exists = l >= 0 && l < rows.left_count;
  if (!exists) l = 0;
  const S* left = static_cast<const S*>(rows.left);
  if (rows.offsets != nullptr) {
    if (!exists) return {left, nullptr, 1, 0};
    const std::int64_t begin = rows.offsets[l], end = rows.offsets[l + 1];
    exists = 0 <= begin && begin <= end && end <= rows.values;
    return {left + (exists ? begin : 0), nullptr, 1, exists ? end - begin : 0};
  }
  MemoryRow<S, product> row = {left + l * rows.left_stride, nullptr, rows.column_stride, rows.categories};
  if constexpr (product) {
    std::int64_t r = rows.right_rows != nullptr ? rows.right_rows[i] : i;
    if (r < 0 || r >= rows.right_count) {
      exists = false;
      r = 0;
    }
    row.right = static_cast<const S*>(rows.right) + r * rows.right_stride;
  }
  return row;
}

// The number that row i has in the random-number counter.
__device__ __forceinline__ std::uint64_t number_of(const DeviceDraw& draw, std::int64_t i) {
  return draw.row_ids != nullptr ? static_cast<std::uint64_t>(draw.row_ids[i])
                                 : draw.first_row_id + static_cast<std::uint64_t>(i);
}

// The seed under which row i is drawn.
__device__ __forceinline__ std::uint64_t seed_of(const DeviceDraw& draw, std::int64_t i) {
  return draw.seeds != nullptr ? static_cast<std::uint64_t>(draw.seeds[i]) : draw.seed;
}

// Writes the result of row i: the category, or -1 if the status is not ok.
__device__ __forceinline__ void store_result(const DeviceDraw& draw, std::int64_t i, DrawStatus status,
                                             std::int64_t category) {
  if (status != DrawStatus::ok) category = -1;
  if (draw.drawn_is_wide)
    static_cast<std::int64_t*>(draw.drawn)[i] = category;
  else
    static_cast<std::int32_t*>(draw.drawn)[i] = static_cast<std::int32_t>(category);
  if (draw.status != nullptr) draw.status[i] = status;
}

// The provider. `aligned`: every group of four categories that begins below the
// size is whole and can be loaded at once. `full`: nothing lies past the end.
// `signs`, which must outlive it, collects the sign bits of all weights that this
// thread reads into sums.
template <class S, bool product, bool aligned, bool full, int G, int T>
class MemoryRows {
  static constexpr int threads_per_row = G / T;

 public:
  using Sum = typename Stored<S>::Sum;
  using Element = std::conditional_t<product, Product<Sum>, Plain<Sum>>;

  // `here`: how many rows the batch really has.
  __device__ __forceinline__ MemoryRows(const MemoryRow<S, product>& mine, unsigned& signs, std::int64_t here = T)
      : whole_(mine), part_(mine), signs_(signs), here_(here < T ? static_cast<int>(here) : T) {
    // With rows of a whole warp: tells the compiler that their number is the same in all its threads.
    if constexpr (G == 32 && T > 1) here_ = __reduce_max_sync(collective::all_threads, here_);
  }

  __device__ __forceinline__ bool has(int q) const { return q < here_; }

  // Part of a row as one thread of its group sees it.
  struct Cursor {
    using Element = MemoryRows::Element;
    MemoryRow<S, product> row;
    unsigned& signs;

    __device__ __forceinline__ void quad(int v, Element (&e)[4]) const {
      read<4>(row, 4 * (threadIdx.x % G), 4 * G * v, e);
#pragma unroll
      for (int i = 0; i < 4; ++i) signs |= sign_word(e[i]);
    }
  };

  __device__ __forceinline__ Cursor batch_row(int q) const {
    MemoryRow<S, product> row = part_;
    if constexpr (T > 1) {
      row.left = from_thread(part_.left, q * threads_per_row);
      if constexpr (product) row.right = from_thread(part_.right, q * threads_per_row);
    }
    return {row, signs_};
  }

  template <int n>
  __device__ __forceinline__ void mine(int v, int lane, int part, Element (&e)[n]) const {
    read<n>(part_, 4 * static_cast<unsigned>(lane) + n * static_cast<unsigned>(part), 4 * G * v, e);
  }

  __device__ __forceinline__ MemoryRow<S, product> row() const { return whole_; }

  __device__ __forceinline__ MemoryRows segment(std::int64_t s) const {
    MemoryRows later(*this);
    const std::int64_t first = s * collective::segment_size;
    later.part_.left += first * part_.stride;
    if constexpr (product) later.part_.right += first;
    later.part_.count -= first;
    return later;
  }

 private:
  __device__ __forceinline__ static const S* from_thread(const S* pointer, int thread) {
    return reinterpret_cast<const S*>(
        __shfl_sync(collective::all_threads, reinterpret_cast<unsigned long long>(pointer), thread, G));
  }

  // Reads the categories from at + offset on. The offset is known at compile time and goes into the load instructions.
  template <int n>
  __device__ __forceinline__ static void read(const MemoryRow<S, product>& row, unsigned at, int offset,
                                              Element (&e)[n]) {
    Sum x[n] = {}, y[n] = {};
    if constexpr (aligned) {
      if (full || offset + at < row.count) {
        load<n>(row.left + at + offset, x);
        if constexpr (product) load<n>(row.right + at + offset, y);
      }
    } else {
      const std::int64_t k = offset + at;
#pragma unroll
      for (int i = 0; i < n; ++i) {
        if (k + i < row.count) {
          x[i] = decoded(row.left[(k + i) * row.stride]);
          if constexpr (product) y[i] = decoded(row.right[k + i]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < n; ++i) {
      if constexpr (product)
        e[i] = {x[i], y[i]};
      else
        e[i] = {x[i]};
    }
  }

  MemoryRow<S, product> whole_;
  MemoryRow<S, product> part_;
  unsigned& signs_;
  int here_;
};

// Whether any weight that some thread of the warp read had its sign bit set.
__device__ __forceinline__ bool any_sign(unsigned signs) {
  return __any_sync(collective::all_threads, static_cast<int>(signs) < 0) != 0;
}

}  // namespace papilio::inline PAPILIO_TARGET::sampling_kernel
