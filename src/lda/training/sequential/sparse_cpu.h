#pragma once

#include <cstdint>
#include <vector>

#include "lda/training/memory/big_array.h"
#include "lda/training/sequential/sparse_kernel.h"
#include "lda/training/sequential/word_places.h"
#include "lda/training/sweep_cpu.h"

namespace papilio::lda {

// The exact chain of `collapsed`, in one thread, in time that does not depend on K: see sparse_kernel.h.
class SequentialSparseSweep final : public CpuSweep {
 public:
  // Keeps references: the corpus must outlive it.
  SequentialSparseSweep(const CorpusView& corpus, const TrainOptions& options);

  void run(State& state) override;
  SweepDraws draws() const override { return draws_; }

 private:
  SequentialSparse arrays_of(State& state);
  void list_documents(const State& state);
  void draw_word(const SequentialSparse& s, std::int32_t word);
  void weigh_topics_of(const SequentialSparse& s, const std::int32_t* n_w, const std::int32_t* counts);

  const CorpusView corpus_;
  const std::uint64_t seed_;
  const WordPlaces places_;
  BigArray<std::int32_t> z_;  // N, in the order of places_
  BigArray<DocumentTopic> lists_;
  std::vector<double> q_;
  BigArray<double> tree_;
  std::vector<std::int32_t> seen_;             // topics of the word in hand
  const std::vector<std::int32_t> no_counts_;  // K: of a word without tokens
  std::vector<std::int32_t> place_;            // K: of a topic in a document's list; -1 between documents
  std::int64_t from_document_ = 0;             // tokens of this sweep
  SweepDraws draws_;
};

}  // namespace papilio::lda
