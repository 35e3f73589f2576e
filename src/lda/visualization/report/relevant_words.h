#pragma once

#include <cstdint>
#include <vector>

#include "lda/visualization/report/sparse_counts.h"
#include "papilio/model.h"

namespace papilio::lda {

// The positions of the slider between lift (lambda = 0) and probability (1), and the position when a page opens.
inline constexpr int lambda_steps = 20;
inline constexpr double first_lambda = 0.6;

// A word of a topic.
struct RelevantWord {
  std::int32_t word;
  std::int32_t count;  // n_wk
};

// The words that are among the `count` most relevant of the topic for some lambda in 0, 1/20, ..., 1, sorted by
// relevance for lambda = 0.6, equally relevant ones by number. Only words that have tokens with the topic.
//
// Relevance is lambda ln phi + (1 - lambda) ln (phi / p_w). p_w is the mean of phi over topics, weighted by each
// topic's tokens and prior: (n_w + K beta) / (N + K V beta). Weights of seed words count as tokens here.
//
// Source: Sievert and Shirley, LDAvis, 2014, which also suggests 0.6.
std::vector<RelevantWord> relevant_words(const Model& model, const SparseCounts& counts, std::int32_t topic, int count);

}  // namespace papilio::lda
