#pragma once

#include <algorithm>

// The step of Metropolis and Hastings for a token whose topic k has weight t(k) = d(k) w(k): a factor of its document,
// d(k) = n'_dk + alpha_k, and one of its word, w(k) = phi_wk, or (n'_wk + beta) / (n'_k + V beta). A prime marks counts
// without the token, so that neither factor depends on the topic which is drawn.
//
// A topic proposed with probability q(k), whatever the token's topic s, replaces s with probability
// min(1, t(k) q(s) / (t(s) q(k))). Proposals by word have q ~ w, so d(k) / d(s) is left of it; proposals by document
// have q ~ d, so w(k) / w(s) is left.

namespace papilio::lda {

// Whether a proposal is accepted, by a uniform number in [0, 1). from and to: the factor that is left, of s and of k.
inline bool accepts(double uniform, double from, double to) { return uniform * from < to; }

// The probability that `accepts` holds.
inline double acceptance(double from, double to) { return from > to ? to / from : 1; }

}  // namespace papilio::lda
