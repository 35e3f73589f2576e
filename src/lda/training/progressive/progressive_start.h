#pragma once

#include <cstdint>
#include <vector>

#include "papilio/communicator.h"
#include "papilio/distributed.h"
#include "papilio/lda.h"

namespace papilio::lda {

// Which documents a sweep draws while a chain starts: every 16th, say, for ten sweeps, then every 8th, and so on.
// docs/lda/start.md.
class StartSchedule {
 public:
  StartSchedule(const CorpusView& corpus, const TrainOptions& options, Start start);

  // Sweep number `sweep`, counted from 1, draws the documents 0, n, 2 n, ...; returns n. n = 1: all.
  std::int64_t stride(std::int64_t sweep) const;

 private:
  int stages_ = 0;  // before the stage with all documents; the first draws every 2^stages_-th
};

// The documents 0, n, 2 n, ... of a corpus, as a corpus of their own.
//
// Over ranks, each rank reads the words of its own documents and gets the other words of the part from the other ranks.
// Then z holds the topics of the rank's own tokens only; the part's topics are complete on every rank.
class PartOfCorpus {
 public:
  // Collective if there are ranks.
  PartOfCorpus(const CorpusView& corpus, std::int64_t stride, Communicator* ranks = nullptr);
  PartOfCorpus(const PartOfCorpus&) = delete;
  PartOfCorpus& operator=(const PartOfCorpus&) = delete;

  CorpusView view() const { return {offsets_, words_, corpus_.vocabulary, {}}; }
  std::int64_t stride() const { return stride_; }

  // The topics of the part's tokens, taken from z. Collective if there are ranks.
  std::vector<std::int32_t> take(const std::vector<std::int32_t>& z) const;

  // Sets z, the topics of all tokens, from `part`, those of the part's tokens. A token outside the part takes the topic
  // of a token of the same word in the part, each of these with the same probability. If there is none, it takes one of
  // the K topics, or of those that list its word as a seed word. The random numbers depend on (seed, sweep, token).
  void spread(const TrainOptions& options, std::int64_t sweep, const std::vector<std::int32_t>& part,
              std::vector<std::int32_t>& z) const;

 private:
  // Calls f(first token among the rank's own, first token in the part, tokens) for each of the rank's documents in it.
  template <class F>
  void for_each_document(F f) const;

  const CorpusView corpus_;
  const std::int64_t stride_;
  Communicator* const ranks_;  // null: this process alone
  const RankDocuments own_;    // this rank's documents of the corpus
  std::vector<std::int64_t> offsets_ = {0};
  std::vector<std::int32_t> words_;
};

}  // namespace papilio::lda
