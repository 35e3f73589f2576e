#pragma once

#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "collective/scan.h"
#include "warp/scalar_warp.h"

// Blocks of scalar warps, step by step, and elements whose operator proves an order: shared by host and CUDA tests.

namespace papilio::testing {

// The places [first, last] of an array; joining what are not neighbours gives `broken`.
struct Places {
  std::int32_t first;
  std::int32_t last;
};
inline constexpr std::int32_t broken = -1000;

struct JoinPlaces {
  PAPILIO_LANEWISE Places operator()(const Places& a, const Places& b) const {
    return a.last + 1 == b.first && a.last != broken ? Places{a.first, b.last} : Places{broken, broken};
  }
};

// Elements for each operator, of a kind that shows a wrong order.
template <class T, class Op>
std::vector<T> elements(std::size_t count, Op, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::vector<T> x(count);
  const auto number = [&] { return static_cast<double>(bits() >> 11) * 0x1p-52 - 1; };
  for (T& value : x) {
    if constexpr (std::is_same_v<T, Places>) {
      const auto place = static_cast<std::int32_t>(&value - x.data());
      value = {place, place};
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = std::is_integral_v<T> ? static_cast<T>(bits() % 1000) : static_cast<T>(number());
    } else if constexpr (requires { value.shift; }) {
      value.shift = static_cast<decltype(value.shift)>(number());
      value.factor = static_cast<decltype(value.factor)>(number());
    } else {
      for (auto& row : value.at)
        for (auto& entry : row) {
          using Entry = std::remove_reference_t<decltype(entry)>;
          entry = std::is_integral_v<Entry> ? static_cast<Entry>(bits()) : static_cast<Entry>(number());
        }
    }
  }
  return x;
}

// What a block returns for each of its threads.
template <class T>
struct BlockScan {
  std::vector<T> value, total;
};

template <class T, class Lanes>
void append(std::vector<T>& to, const Lanes& lanes) {
  for (const T& value : lanes.at) to.push_back(value);
}

// A block of `warps` scalar warps of W lanes: the first step of all, then the second. `x` has an element per lane.
template <int W, int warps, class T, class Op>
BlockScan<T> scan_on_host(const std::vector<T>& x, Op op) {
  using Warp = warp::ScalarWarp<W>;
  collective::BlockTotals<T, warps> shared;
  typename Warp::template Lanes<T> own[warps];
  BlockScan<T> result;
  for (int w = 0; w < warps; ++w) own[w] = collective::begin_scan<Warp, T>(shared, w, Warp::load(x.data() + w * W), op);
  for (int w = 0; w < warps; ++w) {
    const auto scanned = collective::end_scan<Warp, T>(shared, w, own[w], op);
    append(result.value, scanned.value);
    append(result.total, scanned.total);
  }
  return result;
}

template <int W, int warps, class T, class Op>
std::vector<T> reduce_on_host(const std::vector<T>& x, Op op) {
  using Warp = warp::ScalarWarp<W>;
  collective::BlockTotals<T, warps> shared;
  std::vector<T> result;
  for (int w = 0; w < warps; ++w) collective::begin_reduce<Warp, T>(shared, w, Warp::load(x.data() + w * W), op);
  for (int w = 0; w < warps; ++w) {
    const auto total = collective::end_reduce<Warp, T>(shared, op);
    append(result, total);
  }
  return result;
}

// Heads: not 0 where a segment begins.
template <int W, int warps, class T, class Op>
BlockScan<collective::RunEnd<T>> segmented_scan_on_host(const std::vector<T>& x, const std::vector<std::uint8_t>& heads,
                                                        Op op) {
  using Warp = warp::ScalarWarp<W>;
  collective::BlockTotals<T, warps> shared;
  typename Warp::template Lanes<T> own[warps];
  typename Warp::Mask head[warps];
  BlockScan<collective::RunEnd<T>> result;
  for (int w = 0; w < warps; ++w) {
    for (int l = 0; l < W; ++l) head[w].at[l] = heads[static_cast<std::size_t>(w * W + l)] != 0;
    own[w] = collective::begin_segmented_scan<Warp, T>(shared, w, Warp::load(x.data() + w * W), head[w], op);
  }
  for (int w = 0; w < warps; ++w) {
    const auto scanned = collective::end_segmented_scan<Warp, T>(shared, w, own[w], head[w], op);
    append(result.value, scanned.value);
    append(result.total, scanned.total);
  }
  return result;
}

}  // namespace papilio::testing
