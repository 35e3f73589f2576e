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

  // The documents 0, n, 2 n, ... are drawn by a sweep, counted from 1; n = 1: all.
  std::int64_t stride(std::int64_t sweep) const;

 private:
  int stages_ = 0;  // before all documents; the first has every 2^stages-th
};

// The documents 0, n, 2 n, ... of a corpus, as one.
//
// Over ranks each reads the words of its own documents of the corpus, and has those of the part from the others. Then
// topics of all tokens are those of the rank's own; the part's are whole on every rank.
class PartOfCorpus {
 public:
  // With ranks collective.
  PartOfCorpus(const CorpusView& corpus, std::int64_t stride, Communicator* ranks = nullptr);
  PartOfCorpus(const PartOfCorpus&) = delete;
  PartOfCorpus& operator=(const PartOfCorpus&) = delete;

  CorpusView view() const { return {offsets_, words_, corpus_.vocabulary, {}}; }
  std::int64_t stride() const { return stride_; }

  // Topics of its tokens, from those of all. With ranks collective.
  std::vector<std::int32_t> take(const std::vector<std::int32_t>& z) const;

  // Topics of all tokens, from those of its own documents. A token of another document takes the topic that a token of
  // the same word has in the part, each of these with the same probability; if there is none, one of K, or of those
  // that list it as a seed word. By (seed, sweep, token).
  void spread(const TrainOptions& options, std::int64_t sweep, const std::vector<std::int32_t>& part,
              std::vector<std::int32_t>& z) const;

 private:
  // f(the first token among the rank's own, the first in the part, tokens) for each of the rank's documents in it.
  template <class F>
  void for_each_document(F f) const;

  const CorpusView corpus_;
  const std::int64_t stride_;
  Communicator* const ranks_;  // null: this process alone
  const RankDocuments own_;    // of the corpus
  std::vector<std::int64_t> offsets_ = {0};
  std::vector<std::int32_t> words_;
};

}  // namespace papilio::lda
