#pragma once

#include <memory>
#include <optional>

#include "lda/training/chain/chain.h"
#include "lda/training/progressive/progressive_start.h"

namespace papilio::lda {

// A chain that starts on a part of the documents, and has more of them from stage to stage. Its topics are those of
// all tokens at any time: documents that it does not have yet get theirs by PartOfCorpus::spread.
//
// Over ranks each knows the topics of all tokens until the chain has all documents, and shows those of its own: the
// part's chain is over ranks, and what it comes to is gathered on every rank.
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
  std::unique_ptr<Chain> make_chain_of(const CorpusView& corpus, ChainState whole) const;
  void have_every(std::int64_t stride);
  void end_part();
  void complete(const ChainState& part);

  const CorpusView corpus_;
  const TrainOptions options_;
  const StartSchedule schedule_;
  ChainState state_;                  // of all tokens; as old as the last call of complete
  std::optional<PartOfCorpus> part_;  // that chain_ has; none: all
  std::unique_ptr<Chain> chain_;      // none before the first sweep
  State counted_;                     // of all tokens, for counted_state while there is a part
};

}  // namespace papilio::lda
