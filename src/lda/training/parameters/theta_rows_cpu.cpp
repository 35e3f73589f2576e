#include "lda/training/parameters/theta_rows_cpu.h"

#include <algorithm>

#include "lda/training/parameters/dirichlet_cpu.h"
#include "lda/training/parameters/estimates.h"
#include "random/purpose.h"

namespace papilio::lda {

ThetaRows::ThetaRows(const CorpusView& corpus, std::int32_t topics, std::int64_t most_documents)
    : corpus_(corpus),
      theta_(most_documents, topics),
      prior_(static_cast<std::size_t>(topics)),
      n_dk_(static_cast<std::size_t>(topics)) {}

void ThetaRows::estimate(const State& state, std::int64_t first, std::int64_t end) {
  first_ = first;
  const std::vector<double>& alpha = state.priors.alpha;
  std::transform(alpha.begin(), alpha.end(), prior_.begin(), [](double a) { return estimated_theta(0, a); });
  for (std::int64_t d = first; d < end; ++d) {
    float* theta = row(d);
    std::copy(prior_.begin(), prior_.end(), theta);
    const Tokens tokens = tokens_of(d);
    for (std::size_t i = tokens.begin; i < tokens.end; ++i) {
      ++n_dk_[static_cast<std::size_t>(state.z[i])];
    }
    for (std::size_t i = tokens.begin; i < tokens.end; ++i) {
      const auto k = static_cast<std::size_t>(state.z[i]);
      if (n_dk_[k] > 0) {  // the topic's first token here
        theta[k] = estimated_theta(n_dk_[k], alpha[k]);
        n_dk_[k] = 0;
      }
    }
  }
}

void ThetaRows::draw(const State& state, std::int64_t first, std::int64_t end, const sampling::GammaPrior& prior,
                     std::uint64_t seed) {
  first_ = first;
  const std::uint64_t stream = random::stream(random::Purpose::theta, static_cast<std::uint32_t>(state.sweep));
  for (std::int64_t d = first; d < end; ++d) {
    const Tokens tokens = tokens_of(d);
    if (tokens.begin == tokens.end) continue;
    for (std::size_t i = tokens.begin; i < tokens.end; ++i) {
      ++n_dk_[static_cast<std::size_t>(state.z[i])];
    }
    draw_theta(state.place.document + d, n_dk_.data(), prior, seed, stream, row(d));
    for (std::size_t i = tokens.begin; i < tokens.end; ++i) {
      n_dk_[static_cast<std::size_t>(state.z[i])] = 0;
    }
  }
}

ThetaRows::Tokens ThetaRows::tokens_of(std::int64_t document) const {
  const auto d = static_cast<std::size_t>(document);
  return {static_cast<std::size_t>(corpus_.document_offsets[d]),
          static_cast<std::size_t>(corpus_.document_offsets[d + 1])};
}

}  // namespace papilio::lda
