#pragma once

#include <cstdint>

#include "warp/warp.h"

// The 64-bit numbers of tokens in the whole corpus, given their places in the part that is drawn here.

namespace papilio::inline PAPILIO_TARGET::sparse_kernel {

template <warp::Warp W>
struct TokenNumbers {
  warp::Lanes<W, std::uint32_t> low;
  warp::Lanes<W, std::uint32_t> high;
};

template <warp::Warp W>
PAPILIO_LANEWISE TokenNumbers<W> token_numbers(std::uint64_t first, warp::Lanes<W, std::uint32_t> place) {
  const auto low = place + W::template splat<std::uint32_t>(static_cast<std::uint32_t>(first));
  const auto high = W::template splat<std::uint32_t>(static_cast<std::uint32_t>(first >> 32));
  // A sum that has wrapped around is below each of its terms.
  const auto next = high + W::template splat<std::uint32_t>(1);
  return {low, W::select(W::less(low, place), next, high)};
}

}  // namespace papilio::inline PAPILIO_TARGET::sparse_kernel
