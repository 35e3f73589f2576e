#pragma once

#include "warp/simd_warp.h"

namespace papilio::inline PAPILIO_TARGET::warp {

// Bytes of a vector register of the instruction set that this file is compiled for.
#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX2__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

// The warp whose lanes of T fill one register; at least four lanes.
template <class T>
using NativeWarp =
    SimdWarp<(register_bytes / sizeof(T) < 4 ? 4 : register_bytes / static_cast<int>(sizeof(T))), register_bytes>;

}  // namespace papilio::inline PAPILIO_TARGET::warp
