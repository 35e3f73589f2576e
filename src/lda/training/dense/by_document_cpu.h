#pragma once

#include <cstdint>
#include <vector>

#include "lda/training/parameters/aligned_table.h"
#include "lda/training/parameters/phi_table_cpu.h"
#include "lda/training/scratch_pool.h"
#include "sampling/products/product_draws.h"

namespace papilio::lda {

// Draws the topics of each document's tokens in order, given phi: a token's weights come
// from the topics that the document's other tokens have by then.
//
// Documents are independent given phi. So a thread takes a block of them and draws their
// first tokens together, then their second ones, and so on: as many rows at a time as a warp likes.
class DocumentOrderSweep {
 public:
  // Keeps references: the corpus must outlive it.
  DocumentOrderSweep(const CorpusView& corpus, const TrainOptions& options);

  // Draws z, and n_wk follows; n_k does not.
  void draw(State& state, const PhiTable& phi);

 private:
  // A document at work: the topics that its tokens have now.
  struct Document {
    std::int64_t token;  // the next
    std::int64_t end;
    std::int64_t row;  // of the counts
  };
  struct Scratch {
    Scratch(const TrainOptions& options, std::int64_t documents);
    AlignedTable theta;              // documents x K: n_dk + alpha_k
    std::vector<std::int32_t> n_dk;  // likewise
    std::vector<Document> documents;
    sampling::ProductDraws draws;
  };

  void start(const State& state, std::int64_t first, std::int64_t end, Scratch& scratch) const;
  void draw_next_tokens(State& state, const PhiTable& phi, Scratch& scratch) const;

  const CorpusView corpus_;
  const std::uint64_t seed_;
  const int threads_;
  const std::int64_t documents_per_block_;
  ScratchPool<Scratch> scratch_;
};

}  // namespace papilio::lda
