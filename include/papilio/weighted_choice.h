#pragma once

#include <cstdint>

#include "papilio/array_view.h"
#include "papilio/sampling.h"

namespace papilio {

// Draws from one row without a table to keep; fast for one draw as for millions.
//
//   weights  finite, >= 0, at least one > 0; at most 2^31 - 1 of them
//   drawn    receives the categories; draw i depends only on the weights, seed, stream and first_draw + i
//
// The draw is the category whose interval of the running sums contains u times the total: sums are in double within
// groups of 32 categories, and over groups to about 106 bits. It never decreases as u grows. A category of weight 0 is
// never drawn. float weights draw as the same numbers in double do.
//
// Time O(K) for one reading of the weights, and per draw a walk through one group. From 64 draws and one per four
// categories on, running sums and an index of all categories are made first; they give the same draws faster. Memory
// K / 4 bytes, or 12 to 20 K. Throws InvalidArgument for weights that cannot be drawn from, and for arrays that are not
// on the CPU.
//
//   papilio::choice(papilio::VectorView<const float>(w), papilio::VectorView<std::int32_t>(drawn), {.seed = 7});
//
// Source: Chen and Asau, AIIE Transactions 6(2), 1974 (the index).
void choice(VectorView<const float> weights, VectorView<std::int32_t> drawn, const RepeatedDrawOptions& options = {});
void choice(VectorView<const float> weights, VectorView<std::int64_t> drawn, const RepeatedDrawOptions& options = {});
void choice(VectorView<const double> weights, VectorView<std::int32_t> drawn, const RepeatedDrawOptions& options = {});
void choice(VectorView<const double> weights, VectorView<std::int64_t> drawn, const RepeatedDrawOptions& options = {});

// The same with `categories` of equal weight, 1 to 2^31 - 1, in O(1) per draw: floor(x categories / 2^64) of 64
// random bits x, so that some categories are likelier than others by less than 2^-32.
void choice(std::int64_t categories, VectorView<std::int32_t> drawn, const RepeatedDrawOptions& options = {});
void choice(std::int64_t categories, VectorView<std::int64_t> drawn, const RepeatedDrawOptions& options = {});

}  // namespace papilio
