#pragma once

namespace papilio::lda {

// What taking a token out of its topic k asks for, of the sweep's start: y_k = n_k + V beta, and y_k / (y_k - 1).
struct RemovalMass {
  double with_token;
  double ratio;
};

}  // namespace papilio::lda
