#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lda/training/parameters/aligned_table.h"
#include "lda/training/recipe.h"
#include "lda/training/scratch_pool.h"
#include "lda/training/sparse/parallel/batch.h"
#include "lda/training/sparse/parallel/lists_cpu.h"
#include "lda/training/sparse/parallel/topic_masses_cpu.h"
#include "lda/training/sparse/parallel/word_order_cpu.h"

namespace papilio::lda {

// Draws every token's topic in time that follows the number of topics of its document rather than
// K: docs/lda/sparse.md. The draws have the law of ParallelSweep's, not their numbers.
class SparseSweep {
 public:
  virtual ~SparseSweep() = default;

  // Counts the documents' topics, and n_k. Returns the entries of all lists. The first call takes over z; from
  // then on it is kept here, and the state's z and n_wk stay behind until they are copied.
  virtual std::int64_t count_documents(State& state) = 0;

  // Documents that have tokens.
  virtual std::int64_t documents() const = 0;

  // Draws z; counts do not follow. After count_documents.
  virtual sparse::Statistics draw(const State& state) = 0;

  virtual void copy_topics(State& state) const = 0;
  virtual void copy_word_counts(State& state) const = 0;
};

// For samplers whose theta is counts and whose phi is estimated. Keeps references: the corpus must
// outlive it. Throws InvalidArgument for 2^32 tokens and more.
std::unique_ptr<SparseSweep> make_sparse_sweep(const CorpusView& corpus, const TrainOptions& options);

}  // namespace papilio::lda
