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
// `Quads<T>` holds four neighbours per lane, the unit of a coalesced load: lane l
// has p[4 l] ... p[4 l + 3].
//
// docs/warp.md documents each operation with its cost on each realisation.
template <class W>
concept Warp = requires(Lanes<W, float> x, Lanes<W, double> d, Lanes<W, std::int32_t> i, Lanes<W, std::uint32_t> u,
                        Quads<W, float> q, Quads<W, double> r, Mask<W> m, typename W::template Signs<float> signs,
                        std::int64_t count, const float* in, const float* const* rows, Lanes<W, float> (&element)[4],
                        void (*use)(int, float), float* out) {
  { W::width } -> std::convertible_to<int>;
  { W::quads_at_once } -> std::convertible_to<int>;
  // Making lanes.
  { W::template splat<float>(1.0f) } -> std::same_as<Lanes<W, float>>;
  { W::lane_id() } -> std::same_as<Lanes<W, std::int32_t>>;
  { W::template convert<double>(x) } -> std::same_as<Lanes<W, double>>;
  { W::template convert<float>(i) } -> std::same_as<Lanes<W, float>>;
  { W::template bit_cast<std::uint32_t>(x) } -> std::same_as<Lanes<W, std::uint32_t>>;
  // Lane-wise arithmetic; the second number may be one for all lanes.
  { x + x } -> std::same_as<Lanes<W, float>>;
  { x - x } -> std::same_as<Lanes<W, float>>;
  { x* x } -> std::same_as<Lanes<W, float>>;
  { x + 1.0f } -> std::same_as<Lanes<W, float>>;
  { d* d } -> std::same_as<Lanes<W, double>>;
  { i& i } -> std::same_as<Lanes<W, std::int32_t>>;
  { i | i } -> std::same_as<Lanes<W, std::int32_t>>;
  { u ^ u } -> std::same_as<Lanes<W, std::uint32_t>>;
  { u << 1u } -> std::same_as<Lanes<W, std::uint32_t>>;
  { u >> 1u } -> std::same_as<Lanes<W, std::uint32_t>>;
  { W::fma(x, x, x) } -> std::same_as<Lanes<W, float>>;
  { W::fma(d, d, d) } -> std::same_as<Lanes<W, double>>;
  // Comparison and choice.
  { W::less(d, d) } -> std::same_as<Mask<W>>;
  { W::equal(x, x) } -> std::same_as<Mask<W>>;
  { W::lane_has_bit(1) } -> std::same_as<Mask<W>>;
  { m& m } -> std::same_as<Mask<W>>;
  { m | m } -> std::same_as<Mask<W>>;
  { !m } -> std::same_as<Mask<W>>;
  { W::bits(m) } -> std::same_as<std::uint64_t>;
  { W::select(m, x, x) } -> std::same_as<Lanes<W, float>>;
  // Exchange between lanes.
  { W::shuffle_xor(x, 1) } -> std::same_as<Lanes<W, float>>;
  { W::shuffle(x, i) } -> std::same_as<Lanes<W, float>>;
  { W::for_each_lane(x, use) } -> std::same_as<void>;
  // Memory.
  { W::load(in) } -> std::same_as<Lanes<W, float>>;
  { W::load(in, count) } -> std::same_as<Lanes<W, float>>;
  { W::gather(in, i) } -> std::same_as<Lanes<W, float>>;
  { W::store(out, x) } -> std::same_as<void>;
  { W::prefetch(in) } -> std::same_as<void>;
  { W::sync() } -> std::same_as<void>;
  // Quads.
  { W::template zero_quads<float>() } -> std::same_as<Quads<W, float>>;
  { W::load_quads(in) } -> std::same_as<Quads<W, float>>;
  { W::load_quads(in, count) } -> std::same_as<Quads<W, float>>;
  { q + q } -> std::same_as<Quads<W, float>>;
  { W::fma(r, r, r) } -> std::same_as<Quads<W, double>>;
  { W::lane_sums(q) } -> std::same_as<Lanes<W, float>>;
  { W::gather_quads(rows, i, i, element) } -> std::same_as<void>;
  { W::collect_signs(signs, q) } -> std::same_as<void>;
  { W::collect_signs(signs, q, q) } -> std::same_as<void>;
  { W::any_sign(signs) } -> std::same_as<bool>;
};

}  // namespace papilio::inline PAPILIO_TARGET::warp
