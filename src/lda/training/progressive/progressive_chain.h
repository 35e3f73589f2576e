#pragma once

#include <memory>
#include <optional>

#include "lda/corpus/part_of_rank.h"
#include "lda/training/chain/chain.h"
#include "lda/training/progressive/progressive_start.h"

namespace papilio::lda {

// A chain that starts on a part of the documents, and has more of them from stage to stage. Its topics are those of
// all tokens at any time: documents that it does not have yet get theirs by PartOfCorpus::spread.
//
// Over ranks each has the topics of its own tokens, and while there is a part the words and topics of the part, which
// the ranks gather; the part's chain is over ranks too, and its documents are dealt out again.
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
  const std::optional<PartOfRank> own_;  // over ranks alone
  ChainState state_;                     // of all tokens, or of the rank's; as old as the last call of complete
  std::optional<PartOfCorpus> part_;     // that chain_ has; none: all
  std::unique_ptr<Chain> chain_;         // none before the first sweep
  State counted_;                        // likewise, for counted_state while there is a part
};

}  // namespace papilio::lda
