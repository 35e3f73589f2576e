#pragma once

#include <cstdint>

#include "papilio/lda.h"

namespace papilio::lda {

// With at least this many topics `automatic` is sparse. It depends on the options only, so that every machine decides
// alike. Sparse draws were the faster ones there (docs/lda/sparse.md); a sweep over fewer topics is short either way.
inline constexpr std::int32_t least_sparse_topics = 32;

// Whether the value is between least_prior and largest_prior.
bool is_prior(double value) noexcept;

// Throws InvalidArgument naming the first option out of range.
void require_options(const TrainOptions& options, const char* caller);

// The most topics that sparse draws support.
inline constexpr std::int32_t most_sparse_topics = 1 << 24;
inline constexpr std::int64_t most_sparse_tokens = 0xffffffff;  // their numbers are 32 bits

// The row of a value. Throws InvalidArgument for a number that is not an enumerator.
const SamplerChoice& choice_of(Sampler sampler);
const PartialSumsChoice& choice_of(PartialSums method);

// Whether sparse draws can be requested with these options, and whether Draws::automatic chooses them.
bool knows_sparse_draws(const TrainOptions& options);
bool prefers_sparse_draws(const TrainOptions& options);

// Whether alias draws can be requested, device aside; and the most steps that they make per token and sweep.
bool knows_alias_draws(const TrainOptions& options);
inline constexpr int most_mh_steps = 64;

// Whether all draws of a chain are sparse; otherwise all are dense, or all are alias draws.
inline bool draws_sparsely(const TrainOptions& options, std::int64_t tokens) {
  if (options.draws != Draws::automatic) return options.draws == Draws::sparse && knows_sparse_draws(options);
  return prefers_sparse_draws(options) && options.topics >= least_sparse_topics && tokens <= most_sparse_tokens;
}

// How a chain draws: dense, sparse or alias.
Draws draws_of(const TrainOptions& options, std::int64_t tokens);

// How often a progressive start doubles its documents; 0 if all documents are drawn from the first sweep on.
// docs/lda/start.md has the measurements.
int start_stages(std::int32_t topics, Start start, std::int64_t tokens);

// Whether other processes draw a part of the corpus.
inline bool trains_over_ranks(const TrainOptions& options) {
  return options.ranks != nullptr && options.ranks->ranks() > 1;
}

// Whether a chain optimises its priors after this sweep; the next sweep uses them.
inline bool optimizes_priors_after(const TrainOptions& options, std::int64_t sweep) {
  return options.optimize_every > 0 && sweep >= options.optimize_after &&
         (sweep - options.optimize_after) % options.optimize_every == 0;
}

}  // namespace papilio::lda
