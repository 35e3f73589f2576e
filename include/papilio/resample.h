#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "papilio/array_view.h"
#include "papilio/choice.h"

namespace papilio {

// How the particles of the next step are drawn. With every method the expected count of a category is m w / W, where m
// is the number of draws, w the weight and W the total; the methods differ in how far counts may deviate from it.
enum class ResampleMethod : std::uint8_t {
  systematic,   // m evenly spaced points from one random number: every count is m w / W rounded down or up; the default
  stratified,   // one random number in each m-th part of the total
  residual,     // at least m w / W rounded down; the rest are independent draws
  multinomial,  // independent draws
};

// Every method, the default first.
std::span<const Choice<ResampleMethod>> resample_methods() noexcept;

// "systematic", "stratified", ...; "unknown" for a number that is not an enumerator.
std::string_view name(ResampleMethod method) noexcept;

// The method of that name. Throws InvalidArgument with the known names.
ResampleMethod parse_resample_method(std::string_view name);

struct ResampleOptions {
  std::uint64_t seed = 0;    // same seed, same draws
  std::uint64_t stream = 0;  // a time step; below 2^32, since `train` uses those above
  ResampleMethod method = ResampleMethod::systematic;
};

// Draws the ancestors of m particles from n weighted ones: categories of one row with replacement, in ascending order.
//
//   weights    n: 1 to 2^31 - 1; finite, >= 0, at least one > 0
//   ancestors  m entries, 0 to 2^31 - 1; receives categories that never decrease. It must not overlap the weights
//
// Weights are first made whole numbers: w is rounded to the nearest multiple of 2^-62 of the power of two above the
// largest weight. The rest is exact arithmetic with whole numbers of 128 bits. With the whole weights W_k and their
// total W, `systematic` gives category k exactly floor(m W_k / W) or ceil(m W_k / W) times, `residual` at least
// floor(m W_k / W) times, and `stratified` between floor(m W_k / W) - 1 and ceil(m W_k / W) + 1 times. A weight of 0 is
// never drawn. Random numbers have 64 bits: number j of the seed and stream for draw j, number 0 alone for
// `systematic`.
//
// The draws are a function of the weights, seed, stream, method and m: the same on every machine. Time O(n + m) for
// `systematic` and `stratified`; others O(n + m log m). Memory 16 to 24 bytes times n, and 8 times m for those.
// Throws InvalidArgument for weights that cannot be drawn from, an unknown method and arrays that do not fit or are not
// on the CPU.
//
//   papilio::resample(papilio::VectorView<const double>(w), papilio::VectorView<std::int32_t>(ancestors),
//                     {.seed = 7, .stream = time_step});
//
// Source: Kitagawa, Journal of Computational and Graphical Statistics 5(1), 1996 (systematic, stratified); Liu and
// Chen, Journal of the American Statistical Association 93, 1998 (residual); Douc and Cappe, ISPA 2005, section 2, for
// all of them side by side.
void resample(VectorView<const float> weights, VectorView<std::int32_t> ancestors, const ResampleOptions& options = {});
void resample(VectorView<const float> weights, VectorView<std::int64_t> ancestors, const ResampleOptions& options = {});
void resample(VectorView<const double> weights, VectorView<std::int32_t> ancestors,
              const ResampleOptions& options = {});
void resample(VectorView<const double> weights, VectorView<std::int64_t> ancestors,
              const ResampleOptions& options = {});

}  // namespace papilio
