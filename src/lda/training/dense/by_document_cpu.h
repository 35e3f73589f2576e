#pragma once

#include <cstdint>
#include <vector>

#include "lda/training/memory/aligned_table.h"
#include "lda/training/memory/scratch_pool.h"
#include "lda/training/parameters/phi_table_cpu.h"
#include "lda/training/sweep_cpu.h"
#include "sampling/products/product_draws.h"

namespace papilio::lda {

// Draws phi, then the topics of each document's tokens in order, given phi: a token's weights depend
// on the topics that the document's other tokens have at that moment.
//
// Given phi, documents are independent. So a thread takes a block of them and draws all their
// first tokens together, then the second ones, and so on: as many rows at a time as a warp can use.
class ByDocumentSweep final : public CpuSweep {
 public:
  // Keeps references: the corpus must outlive it.
  ByDocumentSweep(const CorpusView& corpus, const TrainOptions& options);

  void run(State& state) override;

 private:
  // A document that is being drawn. Its counts follow every draw.
  struct Document {
    std::int64_t token;  // the next to draw
    std::int64_t end;
    std::int64_t row;  // in theta and n_dk
  };
  struct Scratch {
    Scratch(const TrainOptions& options, std::int64_t documents);
    AlignedTable theta;              // documents x K: n_dk + alpha_k
    std::vector<std::int32_t> n_dk;  // documents x K
    std::vector<Document> documents;
    sampling::ProductDraws draws;
  };

  void start(const State& state, std::int64_t first, std::int64_t end, Scratch& scratch) const;
  void draw_next_tokens(State& state, Scratch& scratch) const;

  const CorpusView corpus_;
  const std::uint64_t seed_;
  const int threads_;
  const std::int64_t documents_per_block_;
  PhiTable phi_;
  ScratchPool<Scratch> scratch_;
};

}  // namespace papilio::lda
