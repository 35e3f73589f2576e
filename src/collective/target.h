#pragma once

#include <limits>

#include "warp/warp.h"

namespace papilio::inline PAPILIO_TARGET::collective {

// u * total for 0 <= u < 1: the point of a row's cumulative weight at which a draw falls.
// Weights are of type T and the target of type V, float or double.
//
// A product that is subnormal is cut off to a multiple of the least positive number, not
// rounded to the nearest one: of the weights 1 and 2, in units of that number, the first
// would otherwise be drawn with probability 1/6. Cutting off changes no comparison, since
// sums are multiples of that number too; so such rows are drawn from as if they were
// scaled by a power of two into the range of normal numbers. Other products are as they are.
template <warp::Warp W, class T, class V = T>
PAPILIO_LANEWISE warp::Lanes<W, V> target_of(warp::Lanes<W, V> u, warp::Lanes<W, V> total) {
  const warp::Lanes<W, V> target = u * total;
  if constexpr (sizeof(T) < sizeof(V)) {
    return target;  // sums of floats are far above the subnormal doubles
  } else {
    // Where `total` is so large that this overflows, both sides are infinite.
    const auto scale = W::template splat<V>(static_cast<V>(sizeof(V) == 4 ? 0x1p64 : 0x1p128));
    const auto rounded_up = W::less(u * (total * scale), target * scale);
    return W::select(rounded_up, target - W::template splat<V>(std::numeric_limits<V>::denorm_min()), target);
  }
}

}  // namespace papilio::inline PAPILIO_TARGET::collective
