#pragma once

#include <cstdint>
#include <type_traits>

#include "primitives/device/float_records_cuda.cuh"

// What the threads of a scan share, the window of a tile of floats, which they find together, and sums that lanes pass
// on.

namespace papilio::inline PAPILIO_TARGET::primitive_kernel {

struct NoWindow {};
template <class P>
using WindowOf = typename std::conditional_t<P::of_floats, std::type_identity<Window<typename P::Value>>,
                                             std::type_identity<NoWindow>>::type;

// What the blocks of a scan share.
template <class P>
struct TileStore {
  using T = typename P::Value;
  static constexpr int size = TileShape<T>::size;
  static constexpr int warps = TileShape<T>::warps;
  // The total of a tile, for the look-back a turn later.
  struct Told {
    TileNumber tile;
    typename P::Sum total{};  // after the tile's last begin
    int place = 0;            // floats: of its window
    bool begun = false;       // a segment begins in the tile
  };
  alignas(16) T values[3][size];                  // of the tile before, the tile, and the next, by turns
  alignas(16) std::uint8_t begins[2][size + 16];  // by turns: 1 where a segment begins, and behind the last value
  std::uint16_t masks[P::of_floats ? TileShape<T>::threads : 1];
  typename P::Sum total[warps];
  typename P::Sum before;  // what it found
  Told told[2];            // by turns
  std::uint32_t has_begin[warps];
  std::uint32_t most[warps], least[warps];
  TileNumber next_tile;
  FloatStore<P> floats;
};

// Blocks per multiprocessor, of a scan and of sums of segments: as many as their registers allow.
template <class P>
inline constexpr int scan_blocks = sizeof(typename P::Sum) == 8 ? 3 : 2;
template <class P>
inline constexpr int sum_blocks = sizeof(typename P::Sum) == 8 ? 3 : 2;

// The extremes of a thread's values, from which a tile's window is found: by warps, to shared memory.
template <class T, int items>
__device__ __forceinline__ void find_extremes(const T (&own)[items], std::uint32_t* most_of, std::uint32_t* least_of) {
  std::uint32_t most = 0, least = ~0u;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const std::uint32_t upper = primitives::upper_magnitude(own[k]);
    // A subnormal double may have no upper bits; it must not pass for 0.
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
