#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lda/evaluation/known_document.h"
#include "papilio/model.h"

namespace papilio::lda {

// A fixed phi as EM needs it of a document: for each distinct word, the topics that it has and how often.
class ListedPhi {
 public:
  explicit ListedPhi(const Model& model);

  void set_words(const KnownDocument& document);

  // theta by `steps` of the fixed point theta_k <- alpha_k + sum_w counts_w theta_k phi_wk / probability(w),
  // normalised, from uniform. `counts` has an entry for each of the document's distinct words.
  void fold_in(std::span<const std::int32_t> counts, int steps, std::vector<double>& theta);

  // sum_k theta_k phi_k of the last fold_in. `place` counts the document's distinct words.
  double probability(std::int32_t place) const;

 private:
  void add_word(std::int32_t word);
  void make_factors(std::span<const std::int32_t> counts);
  void add_shares(std::span<const std::int32_t> counts);

  const Model& model_;
  std::vector<double> reciprocals_;  // K: 1 / (n_k + s_k + V beta)
  std::vector<std::size_t> begins_;  // of each word's list, and the end of the last
  std::vector<std::int32_t> topics_;
  std::vector<double> counts_;   // n_wk + s_wk > 0
  std::vector<double> weights_;  // K
  std::vector<double> shares_;   // K
  std::vector<double> factors_;  // of the words that have a count
  double of_beta_ = 0;           // beta times the sum of weights

  // n_wk + s_wk of all topics, of words that have most of them, one after another; and of each word where its row
  // begins, or no_row.
  std::vector<double> rows_;
  std::vector<std::size_t> row_begins_;
  static constexpr std::size_t no_row = ~std::size_t{0};

  std::vector<double> row_;             // n_wk + s_wk of a word
  std::vector<std::int32_t> residues_;  // list_lanes x places: topics of a range by residue
};

}  // namespace papilio::lda
