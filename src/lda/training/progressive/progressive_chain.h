#pragma once

#include <memory>
#include <optional>

#include "lda/corpus/part_of_rank.h"
#include "lda/training/chain/chain.h"
#include "lda/training/progressive/progressive_start.h"

namespace papilio::lda {

// A chain that starts on a part of the documents and gets more of them from stage to stage. At any time it has topics
// for all tokens: documents that it does not draw yet get theirs from PartOfCorpus::spread.
//
// Over ranks, each rank has the topics of its own tokens. While there is a part, each also has the part's words and
// topics, which the ranks gather. The part's chain runs over ranks too; its documents are dealt out anew.
class ProgressiveChain final : public Chain {
 public:
  // From uniform topics, or from those that a chain of this schedule showed after one of its sweeps.
  ProgressiveChain(const CorpusView& corpus, const TrainOptions& options, const StartSchedule& schedule,
                   std::optional<ChainState> resume);

  void sweep() override;
  void wait() override;
  std::int64_t sweeps() const override;
  SweepDraws draws() override { return chain_->draws(); }
  double share() const override;
  double log_joint() override;
  std::optional<Completion> complete(const CorpusView& corpus, const WordMap& map) override {
    return chain_ && !part_ ? chain_->complete(corpus, map) : std::nullopt;
  }
  const State* counted_state() override;
  void show_state(base::FunctionRef<void(const ChainState&)> use) override;
  State take_state() override;

 private:
  std::unique_ptr<Chain> make_chain_of(const CorpusView& corpus, ChainState own) const;
  void have_every(std::int64_t stride);
  void end_part();
  void complete(const ChainState& part);
  Communicator* ranks() const { return own_ ? options_.ranks : nullptr; }

  const CorpusView corpus_;
  const TrainOptions options_;
  const StartSchedule schedule_;
  const std::optional<PartOfRank> own_;  // only over ranks
  ChainState state_;                     // of all tokens; over ranks, of the rank's own. As of the last `complete`
  std::optional<PartOfCorpus> part_;     // what chain_ draws; none: all documents
  std::unique_ptr<Chain> chain_;         // none before the first sweep
  State counted_;                        // over ranks: what counted_state returns while there is a part
};

}  // namespace papilio::lda
