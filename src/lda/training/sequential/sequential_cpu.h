#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lda/training/memory/aligned_table.h"
#include "lda/training/parameters/theta_rows_cpu.h"
#include "lda/training/plan.h"
#include "lda/training/sweep_cpu.h"
#include "sampling/products/product_draws.h"

namespace papilio::lda {

// The exact chain where phi is integrated out: one thread draws the tokens in the order of the corpus,
// each from the current counts without the token itself.
class SequentialSweep final : public CpuSweep {
 public:
  // Keeps references: the corpus must outlive it.
  SequentialSweep(const CorpusView& corpus, const TrainOptions& options, const Plan& plan);

  void run(State& state) override;

 private:
  void draw_document(State& state, std::int64_t document, const std::optional<sampling::GammaPrior>& alpha);
  void draw_token(State& state, std::int64_t token, float* theta);
  void count(State& state, std::int32_t w, std::int32_t k, std::int32_t change, float* theta);

  const CorpusView corpus_;
  const Recipe recipe_;
  const std::uint64_t seed_;
  ThetaRows theta_;                 // of one document
  std::vector<std::int32_t> n_dk_;  // K, of one document, all 0 between documents
  std::vector<double> mass_;        // K: n_k + V beta
  AlignedTable phi_;                // the row of one token's word
  sampling::ProductDraws draws_;
};

}  // namespace papilio::lda
