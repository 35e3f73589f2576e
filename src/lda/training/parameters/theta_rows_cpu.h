#pragma once

#include <cstdint>
#include <vector>

#include "lda/model/state.h"
#include "lda/training/memory/aligned_table.h"
#include "sampling/gamma/gamma_rows.h"

namespace papilio::lda {

// theta of consecutive documents, rows of K floats. A row need not sum to 1 to
// be drawn from.
class ThetaRows {
 public:
  ThetaRows(const CorpusView& corpus, std::int32_t topics, std::int64_t most_documents);

  // The posterior mean given z: theta_dk = n_dk + alpha_k, of documents [first, end).
  void estimate(const State& state, std::int64_t first, std::int64_t end);

  // Drawn given z: theta_dk ~ Gamma(n_dk + alpha_k); `prior` holds the state's alpha. Rows of empty
  // documents are left as they are.
  void draw(const State& state, std::int64_t first, std::int64_t end, const sampling::GammaPrior& prior,
            std::uint64_t seed);

  float* row(std::int64_t document) { return theta_.row(document - first_); }

 private:
  struct Tokens {
    std::size_t begin;
    std::size_t end;
  };
  Tokens tokens_of(std::int64_t document) const;

  const CorpusView corpus_;
  std::int64_t first_ = 0;
  AlignedTable theta_;
  std::vector<float> prior_;        // K: theta of an empty document
  std::vector<std::int32_t> n_dk_;  // K, of one document, all 0 between documents
};

}  // namespace papilio::lda
