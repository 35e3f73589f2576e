#pragma once

#include <cstdint>
#include <span>

#include "lda/model/prior_steps.h"
#include "lda/model/priors.h"
#include "lda/model/seeds.h"
#include "papilio/communicator.h"
#include "papilio/corpus.h"
#include "papilio/lda.h"

namespace papilio::lda {

struct PriorSearch {
  bool symmetric_alpha = false;  // one alpha for all topics; else one for each
  int most_iterations = 20;
  double tolerance = 1e-6;  // ends where no prior changes by more than this share of itself
};

// Replaces the priors by ones under which the topics are likelier: steps of Minka's fixed
// point for the Dirichlet-multinomial likelihood, from the priors as they are, alpha by the
// documents' counts and beta by the words'. No step lowers the likelihood.
//
// With ranks, corpus and z are this rank's part, n_wk and n_k of all of them; every rank comes to the same priors.
//
// With seeds, which n_wk and n_k include, the prior of a seed word is beta + s_wk; of it beta is searched.
//
// From integers, sums in a fixed order and IEEE operations alone: the same doubles for any
// number of threads and on every machine. Priors that the counts say nothing about (no tokens)
// stay. Time O(N + V K) for the counts, and O(K) times the larger counts, at most 1024, per iteration.
//
// Source: Minka, "Estimating a Dirichlet distribution", 2000; Wallach, "Structured topic
// models for language", 2008, chapter 2, on histograms of counts.
void optimize_priors(const CorpusView& corpus, std::span<const std::int32_t> z, std::span<const std::int32_t> n_wk,
                     std::span<const std::int64_t> n_k, Priors& priors, int threads, const PriorSearch& search = {},
                     const Seeds& seeds = {}, Communicator* ranks = nullptr);

}  // namespace papilio::lda
