#pragma once

#include <concepts>
#include <cstdint>

#include "warp/portability.h"

namespace papilio::inline PAPILIO_TARGET::warp {

template <class W, class T>
using Lanes = typename W::template Lanes<T>;
template <class W, class T>
using Quads = typename W::template Quads<T>;
template <class W>
using Mask = typename W::Mask;

// W lanes that hold one value each and run in lock step. There are no branches
// on lane values: where lanes differ, `select` picks. `Lanes<T>` is an array in
// the reference, a row of vector registers on a CPU, a T in each CUDA thread.
// `Quads<T>` holds four neighbours a lane, the unit of a coalesced load: lane l
// has p[4 l] ... p[4 l + 3].
//
// docs/warp.md documents each operation with its cost on each realisation.
template <class W>
concept Warp = requires(Lanes<W, float> x, Lanes<W, double> d, Lanes<W, std::int32_t> i, Lanes<W, std::uint32_t> u,
                        Quads<W, float> q, Mask<W> m, const float* in, const float* const* rows, float* out) {
  { W::width } -> std::convertible_to<int>;
  { W::quads_at_once } -> std::convertible_to<int>;
  // Lane-wise arithmetic.
  { x + x } -> std::same_as<Lanes<W, float>>;
  { x - x } -> std::same_as<Lanes<W, float>>;
  { x* x } -> std::same_as<Lanes<W, float>>;
  { i& i } -> std::same_as<Lanes<W, std::int32_t>>;
  { W::fma(x, x, x) } -> std::same_as<Lanes<W, float>>;
  { W::template splat<float>(1.0f) } -> std::same_as<Lanes<W, float>>;
  { W::template convert<double>(x) } -> std::same_as<Lanes<W, double>>;
  { W::template bit_cast<std::uint32_t>(x) } -> std::same_as<Lanes<W, std::uint32_t>>;
  { W::lane_id() } -> std::same_as<Lanes<W, std::int32_t>>;
  // Comparison and choice.
  { W::less(d, d) } -> std::same_as<Mask<W>>;
  { W::lane_has_bit(1) } -> std::same_as<Mask<W>>;
  { m& m } -> std::same_as<Mask<W>>;
  { !m } -> std::same_as<Mask<W>>;
  { W::bits(m) } -> std::same_as<std::uint64_t>;
  { W::select(m, x, x) } -> std::same_as<Lanes<W, float>>;
  // Exchange between lanes.
  { W::shuffle_xor(x, 1) } -> std::same_as<Lanes<W, float>>;
  { W::shuffle(x, i) } -> std::same_as<Lanes<W, float>>;
  // Memory.
  { W::load(in) } -> std::same_as<Lanes<W, float>>;
  { W::gather(in, i) } -> std::same_as<Lanes<W, float>>;
  W::store(out, x);
  W::sync();
  { W::load_quads(in) } -> std::same_as<Quads<W, float>>;
  { W::load_quads(in, 3) } -> std::same_as<Quads<W, float>>;
  { W::lane_sums(q) } -> std::same_as<Lanes<W, float>>;
};

}  // namespace papilio::inline PAPILIO_TARGET::warp
