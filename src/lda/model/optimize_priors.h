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
  bool symmetric_alpha = false;  // one alpha for all topics; otherwise one per topic
  int most_iterations = 20;
  double tolerance = 1e-6;  // ends when no prior changes by more than this fraction
};

// Replaces the priors by ones under which the topics are likelier, by steps of Minka's
// fixed point for the Dirichlet-multinomial likelihood, from the present priors on:
// alpha by the documents' counts, beta by the words'. No step lowers the likelihood.
//
// With ranks, corpus and z are this rank's part, n_wk and n_k the counts of all ranks. All ranks get the same priors.
//
// With seeds, which n_wk and n_k include, the prior of a seed word is beta + s_wk; only beta is optimised.
//
// By integers, sums in a fixed order and IEEE operations only: the same doubles for any number of threads and on every
// machine. Priors about which the counts say nothing (no tokens) stay as they are. Time O(N + V K) for the counts, and
// per iteration O(K) times the larger counts, at most 1024.
//
// Source: Minka, "Estimating a Dirichlet distribution", 2000; Wallach, "Structured topic
// models for language", 2008, chapter 2, on histograms of counts.
void optimize_priors(const CorpusView& corpus, std::span<const std::int32_t> z, std::span<const std::int32_t> n_wk,
                     std::span<const std::int64_t> n_k, Priors& priors, int threads, const PriorSearch& search = {},
                     const Seeds& seeds = {}, Communicator* ranks = nullptr);

}  // namespace papilio::lda
