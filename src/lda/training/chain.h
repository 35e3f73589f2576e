#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/function_ref.h"
#include "lda/model/state.h"
#include "papilio/lda.h"

namespace papilio::lda {

// A chain of sweeps by one sampler, its state wherever the sampler works. Where that
// is changes no result.
class Chain {
 public:
  virtual ~Chain() = default;

  // One sweep. A GPU may still be at work when the call returns.
  virtual void sweep() = 0;

  // Waits for all sweeps; throws what went wrong in them.
  virtual void wait() = 0;

  // Sweeps done or begun.
  virtual std::int64_t sweeps() const = 0;

  // How the last sweep's tokens were drawn. After `wait`.
  virtual SweepDraws draws() { return {}; }

  // Of all tokens, those that it drew.
  virtual double share() const { return 1; }

  // papilio::log_joint of the topics that the sweeps have led to.
  virtual double log_joint() = 0;

  // Shows the topics after all sweeps; the chain goes on. Copies nothing that is in the
  // host's memory already.
  virtual void show_topics(base::FunctionRef<void(const ChainState&)> use) = 0;

  // The state after all sweeps; the chain ends with it.
  virtual State take_state() = 0;
};

// A chain from its start, as the options have it, or from the topics of `resume`, on options.device. The corpus
// must outlive it; options and topics are known to be good.
std::unique_ptr<Chain> start_chain(const CorpusView& corpus, const TrainOptions& options,
                                   std::optional<ChainState> resume);

// The same, all sweeps over all documents: from uniform topics, or from those of `resume`.
std::unique_ptr<Chain> go_on(const CorpusView& corpus, const TrainOptions& options, std::optional<ChainState> resume);

struct OrderedTuning;

// The same on a CUDA device, in at most `memory_limit` bytes of its memory (0: what is
// free, for tests alone anything else). Throws DeviceError where the tables and the
// longest document do not fit, with the bytes needed and free.
std::unique_ptr<Chain> start_chain_on_cuda(const CorpusView& corpus, const TrainOptions& options,
                                           const ChainState* resume, std::int64_t memory_limit = 0,
                                           const OrderedTuning* tuning = nullptr);

}  // namespace papilio::lda
