#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/function_ref.h"
#include "lda/training/chain/chain.h"
#include "lda/training/device_ranks_cuda.h"
#include "lda/training/sparse/by_document/draws_cuda.h"
#include "lda/training/sparse/parallel/sweep_cuda.h"
#include "lda/training/sweep_cuda.h"

namespace papilio::lda {

// How a chain uses a CUDA device; set only by tests and benchmarks. None of this changes a draw.
struct CudaTuning {
  // The most bytes of the device that the chain may take; 0: what the options allow, at most nearly all that is free.
  std::int64_t memory = 0;
  ByDocumentTuning by_document = {};
  SparseParallelTuning sparse_parallel = {};
};

// Makes the sweep of a chain.
using MakeCudaSweep = base::FunctionRef<std::unique_ptr<CudaSweep>(const CudaStart&)>;

// How many bytes of the current device a chain may take: what the options allow, at most nearly all that is free.
std::int64_t memory_to_use(const TrainOptions& options);

// The sweep over ranges of documents, in nearly all free memory: dense in every order, or sparse by document.
std::unique_ptr<CudaSweep> make_range_sweep(const CudaStart& start);

// A chain with its whole state on a CUDA device.
class CudaChain final : public Chain {
 public:
  // On options.device, like start_chain_on_cuda.
  CudaChain(const CorpusView& corpus, const TrainOptions& options, const ChainState* resume,
            const CudaTuning& tuning = {});

  // For a part of a corpus, of which other ranks have the rest: `make` makes a sweep that knows about them. The
  // options are those of the whole corpus.
  CudaChain(const CorpusView& part, const TrainOptions& options, const ChainState* resume, const DeviceRanks& ranks,
            MakeCudaSweep make);
  ~CudaChain() override;

  void sweep() override;
  void wait() override;
  std::int64_t sweeps() const override { return sweeps_; }
  SweepDraws draws() override;
  double log_joint() override;
  std::optional<Completion> complete(const CorpusView& corpus, const WordMap& map) override;
  const State* counted_state() override;
  void show_state(base::FunctionRef<void(const ChainState&)> use) override;
  State take_state() override;

  DevicePlan device_plan() const;

  // How much device memory the chain's arrays take.
  std::int64_t bytes() const { return sweep_->bytes(); }

 private:
  CudaChain(const CorpusView& corpus, const TrainOptions& options, const ChainState* resume, const DeviceRanks* ranks,
            MakeCudaSweep make);
  std::int64_t memory_for_held_out() const;
  State uncounted_state();
  State state_without_topics() const;
  State state();

  const CorpusView corpus_;
  const TrainOptions options_;
  const DeviceRanks* const ranks_;
  const Seeds seeds_;
  Priors priors_;
  std::int64_t sweeps_;
  Start begun_as_;                           // as in ChainState
  std::optional<execution::Stream> stream_;  // on the device
  std::unique_ptr<CudaSweep> sweep_;

  // Held-out documents; prepared when they are first scored.
  struct HeldOut;
  std::unique_ptr<HeldOut> held_out_;
  bool is_held_out_on_host_ = false;  // if the device has no room for them

  State counted_;  // what counted_state returns
};

}  // namespace papilio::lda
