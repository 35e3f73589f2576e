#pragma once

#include <cstdint>
#include <type_traits>

#include "primitives/device/float_records_cuda.cuh"

// What the threads of a scan share; the window of a tile of floats,
// which they find together; and how lanes pass sums to each other.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

struct NoWindow {};
template <class P>
using WindowOf = typename std::conditional_t<P::of_floats, std::type_identity<Window<typename P::Value>>,
                                             std::type_identity<NoWindow>>::type;

// What the threads of a block share in a scan.
template <class P>
struct TileStore {
  using T = typename P::Value;
  static constexpr int size = TileShape<T>::size;
  static constexpr int warps = TileShape<T>::warps;
  // The total of a tile, kept for the look-back one turn later.
  struct Told {
    TileNumber tile;
    typename P::Sum total{};  // after the tile's last begin
    int place = 0;            // floats: the place of its window
    bool begun = false;       // a segment begins in the tile
  };
  alignas(16) T values[3][size];                  // the tile before, this tile and the next, in rotation
  alignas(16) std::uint8_t begins[2][size + 16];  // in turns: 1 if a segment begins; and after the last value
  std::uint16_t masks[P::of_floats ? TileShape<T>::threads : 1];
  typename P::Sum total[warps];
  typename P::Sum before;  // what the look-back found
  Told told[2];            // used in turns
  std::uint32_t has_begin[warps];
  std::uint32_t most[warps], least[warps];
  TileNumber next_tile;
  FloatStore<P> floats;
};

// Blocks per multiprocessor, for a scan and for sums of segments: as many as their registers allow.
template <class P>
inline constexpr int scan_blocks = sizeof(typename P::Sum) == 8 ? 3 : 2;
template <class P>
inline constexpr int sum_blocks = sizeof(typename P::Sum) == 8 ? 3 : 2;

// Finds the extremes of a thread's values, which determine a tile's window: combines them by warps, into shared memory.
template <class T, int items>
__device__ __forceinline__ void find_extremes(const T (&own)[items], std::uint32_t* most_of, std::uint32_t* least_of) {
  std::uint32_t most = 0, least = ~0u;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const std::uint32_t upper = primitives::upper_magnitude(own[k]);
    // The upper bits of a subnormal double may be 0; such a value must not pass for 0.
    const bool hidden = sizeof(T) == 8 && upper == 0 && own[k] != 0;
    most = max(most, hidden ? 1u : upper);
    least = min(least, (hidden ? 1u : upper) - 1);
  }
  most = __reduce_max_sync(every_lane, most);
  least = __reduce_min_sync(every_lane, least);
  if (threadIdx.x % 32 == 0) {
    most_of[threadIdx.x / 32] = most;
    least_of[threadIdx.x / 32] = least;
  }
}
template <class T>
__device__ __forceinline__ Window<T> window_of(const std::uint32_t* most_of, const std::uint32_t* least_of) {
  std::uint32_t most = 0, least = ~0u;
#pragma unroll
  for (int w = 0; w < TileShape<T>::warps; ++w) {
    most = max(most, most_of[w]);
    least = min(least, least_of[w]);
  }
  return Window<T>::of(most, least);
}

template <class Sum>
__device__ __forceinline__ Sum shuffle_up(const Sum& sum, int distance) {
  if constexpr (sizeof(Sum) == 8) {
    return static_cast<Sum>(__shfl_up_sync(every_lane, static_cast<long long>(sum), distance));
  } else {
    const auto low = __shfl_up_sync(every_lane, static_cast<unsigned long long>(sum), distance);
    const auto high = __shfl_up_sync(every_lane, static_cast<unsigned long long>(sum >> 64), distance);
    return static_cast<Sum>((static_cast<primitives::UInt128>(high) << 64) | low);
  }
}

template <class Sum>
__device__ __forceinline__ Sum shuffle(const Sum& sum, int lane) {
  if constexpr (sizeof(Sum) == 8) {
    return static_cast<Sum>(__shfl_sync(every_lane, static_cast<long long>(sum), lane));
  } else {
    const auto low = __shfl_sync(every_lane, static_cast<unsigned long long>(sum), lane);
    const auto high = __shfl_sync(every_lane, static_cast<unsigned long long>(sum >> 64), lane);
    return static_cast<Sum>((static_cast<primitives::UInt128>(high) << 64) | low);
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::primitive_kernel
