#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "lda/aligned_table.h"
#include "lda/state.h"
#include "papilio/lda.h"

namespace papilio::lda {

// The mean-for-mode estimator: theta and phi are their posterior means given z,
// then every z is drawn at once, each from theta_dk * phi_wk.
//
// Source: Tristan, Tassarotti and Steele, ICML 2015.
class MeanForMode {
 public:
  // Keeps references: the corpus and its order by word must outlive it.
  MeanForMode(const CorpusView& corpus, const TokensByWord& by_word, const TrainOptions& options);
  ~MeanForMode();

  // Every token's topic, uniform over the topics.
  State initial_state() const;

  // One sweep: counts give phi and theta, these give z, z gives the counts.
  void sweep(State& state);

 private:
  struct Scratch;
  class BorrowedScratch;

  void estimate_phi(const State& state);
  void draw_topics(State& state, std::int64_t first_document, std::int64_t end_document, Scratch& scratch);
  void estimate_theta(const State& state, std::int64_t first_document, std::int64_t end_document, Scratch& scratch);

  const CorpusView corpus_;
  const TokensByWord& by_word_;
  const std::int32_t topics_;
  const double alpha_;
  const double beta_;
  const std::uint64_t seed_;
  const int threads_;
  const std::int64_t documents_a_block_;
  AlignedTable phi_;               // V x K
  std::vector<double> n_k_prior_;  // n_k + V beta

  std::mutex scratch_mutex_;
  std::vector<std::unique_ptr<Scratch>> free_scratch_;
};

}  // namespace papilio::lda
