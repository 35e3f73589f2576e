#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lda/evaluation/fold_in/kernels.h"
#include "lda/evaluation/known_document.h"
#include "papilio/model.h"

namespace papilio::lda {

// A fixed phi, as EM needs it for a document: for each distinct word, the topics that it has and their counts.
class ListedPhi {
 public:
  explicit ListedPhi(const Model& model);

  void set_words(const KnownDocument& document);

  // Computes theta by `steps` of the fixed point theta_k <- alpha_k + sum_w counts_w theta_k phi_wk / probability(w),
  // from a uniform theta, and normalises it. `counts` has an entry for each of the document's distinct words.
  void fold_in(std::span<const std::int32_t> counts, int steps, std::vector<double>& theta);

  // sum_k theta_k phi_k of the last fold_in. `place` is the number of a word among the document's distinct words.
  double probability(std::int32_t place) const;

 private:
  // The entries of lists: indices and counts. The memory is kept from document to document.
  struct Entries {
    void make_room(std::size_t size);

    std::vector<std::int32_t> indices;
    std::vector<double> counts;
  };

  const std::int32_t* row_of(std::int32_t word) const;
  void add_word(std::int32_t word);
  fold_in::List list_of(std::size_t place, std::size_t word) const;
  void choose_lists(std::span<const std::int32_t> counts);
  template <class Use>
  void for_each_entry(const fold_in::List& list, Use use) const;
  void make_slices();

  const Model& model_;
  const fold_in::FoldInKernels& kernels_;
  std::vector<double> reciprocals_;   // K: 1 / (n_k + s_k + V beta)
  std::vector<std::int64_t> begins_;  // where each word's list begins, and the end of the last
  Entries by_word_;                   // topics, and n_wk + s_wk > 0
  double of_beta_ = 0;                // beta times the sum of weights
  std::vector<double> weights_;       // K, padded to whole blocks
  std::vector<double> shares_;        // K, and one more for the padding of slices

  // The words that have a count: first in their order, then as the kernels take them.
  std::vector<std::int32_t> counts_;
  std::vector<double> factors_;
  std::vector<fold_in::List> chosen_;
  std::vector<fold_in::List> lists_;
  std::vector<fold_in::TopicSlice> slices_;
  Entries by_topic_;  // words, and n_wk + s_wk

  // Working memory for these. For a word with seeds, row_ holds n_wk + s_wk, and has_ is above 0 for the same topics.
  std::vector<double> row_;
  std::vector<std::int32_t> has_;
  std::vector<std::int32_t> levels_;
  std::vector<std::size_t> sizes_;
  std::vector<std::size_t> places_;
  std::vector<std::uint8_t> has_all_;
  std::vector<std::int32_t> order_;
};

}  // namespace papilio::lda
