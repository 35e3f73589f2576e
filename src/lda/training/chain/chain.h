#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/function_ref.h"
#include "lda/model/state.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace papilio::lda {

// A chain of sweeps by one sampler, with its state wherever the sampler works, which changes no result.
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

  // papilio::log_joint of the state that the sweeps have led to.
  virtual double log_joint() = 0;

  // Document completion of a held-out corpus, whose words `map` knows, by the model that the sweeps have led to: where
  // the chain can do it where its state is, with the bits of complete_documents, else nothing. Corpus and map are
  // the same in every call, and outlive the chain.
  virtual std::optional<Completion> complete(const CorpusView& corpus, const WordMap& map) {
    static_cast<void>(corpus), static_cast<void>(map);
    return {};
  }

  // Over ranks, the state with the counts of all of them, borrowed until the next sweep; else null.
  virtual const State* counted_state() { return nullptr; }

  // Shows the state after all sweeps; the chain goes on. Copies nothing that is in the
  // host's memory already.
  virtual void show_state(base::FunctionRef<void(const ChainState&)> use) = 0;

  // The state after all sweeps; the chain ends with it.
  virtual State take_state() = 0;
};

// A chain whose sweeps are over all documents, on options.device: from uniform topics, or from those of `resume`. The
// corpus must outlive it; options and topics are known to be valid.
std::unique_ptr<Chain> make_chain(const CorpusView& corpus, const TrainOptions& options,
                                  std::optional<ChainState> resume);

// The same on a CUDA device. Throws DeviceError where the chain has no room there, with the bytes needed and free;
// DeviceUnavailable in a build without CUDA.
std::unique_ptr<Chain> start_chain_on_cuda(const CorpusView& corpus, const TrainOptions& options,
                                           const ChainState* resume);

}  // namespace papilio::lda
