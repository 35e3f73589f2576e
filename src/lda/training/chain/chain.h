#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/function_ref.h"
#include "lda/model/state.h"
#include "papilio/evaluation.h"
#include "papilio/lda.h"

namespace papilio::lda {

// A chain of sweeps by one sampler. Its state is wherever the sampler works, which changes no result.
class Chain {
 public:
  virtual ~Chain() = default;

  // One sweep. A GPU may still be at work when the call returns.
  virtual void sweep() = 0;

  // Waits for all sweeps; throws the errors that occurred in them.
  virtual void wait() = 0;

  // The number of sweeps done or begun.
  virtual std::int64_t sweeps() const = 0;

  // How the last sweep's tokens were drawn. Call `wait` first.
  virtual SweepDraws draws() { return {}; }

  // The fraction of all tokens that the last sweep drew.
  virtual double share() const { return 1; }

  // papilio::log_joint of the state after all sweeps.
  virtual double log_joint() = 0;

  // Document completion of a held-out corpus by the model after all sweeps, with the bits of complete_documents.
  // Returns nothing if the chain cannot do this where its state is. `map` has the model's number of each word of the
  // corpus. Corpus and map are the same in every call, and outlive the chain.
  virtual std::optional<Completion> complete(const CorpusView& corpus, const WordMap& map) {
    static_cast<void>(corpus), static_cast<void>(map);
    return {};
  }

  // Over ranks: the state with the counts of all ranks, borrowed until the next sweep. Otherwise null.
  virtual const State* counted_state() { return nullptr; }

  // Shows the state after all sweeps to `use`; the chain goes
  // on. Copies nothing that is already in the host's memory.
  virtual void show_state(base::FunctionRef<void(const ChainState&)> use) = 0;

  // Returns the state after all sweeps, and ends the chain.
  virtual State take_state() = 0;
};

// A chain that sweeps over all documents on options.device, from uniform topics or from those of `resume`. The corpus
// must outlive it; options and topics are known to be valid.
std::unique_ptr<Chain> make_chain(const CorpusView& corpus, const TrainOptions& options,
                                  std::optional<ChainState> resume);

// The same on a CUDA device. Throws DeviceError, with the bytes needed and free, if the chain does not fit there;
// DeviceUnavailable in a build without CUDA.
std::unique_ptr<Chain> start_chain_on_cuda(const CorpusView& corpus, const TrainOptions& options,
                                           const ChainState* resume);

}  // namespace papilio::lda
