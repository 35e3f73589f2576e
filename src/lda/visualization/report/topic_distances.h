#pragma once

#include <vector>

#include "lda/visualization/report/sparse_counts.h"

namespace papilio::lda {

// Jensen-Shannon divergences between the words of topics, p_w = n_wk / n_k, in bits, K x K: 0 for the same words in the
// same proportions, 1 for topics without a common word. A topic without tokens has divergence 1 from all others.
//
// Uses only IEEE arithmetic and one order of additions: the same bytes on every machine, for any number of threads.
// Time O(pairs of topics that share a word, over all words).
std::vector<double> token_divergences(const SparseCounts& counts, int threads);

}  // namespace papilio::lda
