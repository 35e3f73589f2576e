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

// How a chain uses a CUDA device; only tests and benchmarks set this. Nothing here changes a draw.
struct CudaTuning {
  // Bytes of the device that the chain takes at most; 0: those that the options allow, and nearly all that are free.
  std::int64_t memory = 0;
  ByDocumentTuning by_document = {};
  SparseParallelTuning sparse_parallel = {};
};

// Makes the sweep of a chain.
using MakeCudaSweep = base::FunctionRef<std::unique_ptr<CudaSweep>(const CudaStart&)>;

// Bytes of the current device that a chain may take: those that the options allow, and nearly all that are free.
std::int64_t memory_to_use(const TrainOptions& options);

// The sweep over ranges of documents, in nearly all memory that is free: dense in every order, sparse by document.
std::unique_ptr<CudaSweep> make_range_sweep(const CudaStart& start);

// A chain with all of its state on a CUDA device.
class CudaChain final : public Chain {
 public:
  // On options.device. As start_chain_on_cuda.
  CudaChain(const CorpusView& corpus, const TrainOptions& options, const ChainState* resume,
            const CudaTuning& tuning = {});

  // On a part of a corpus, of which others have the rest: `make` makes a sweep that knows about them. Options are those
  // of the whole corpus.
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

  // Of the device's memory, that of the chain's arrays.
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

  // Held-out documents, from the first time that they are scored.
  struct HeldOut;
  std::unique_ptr<HeldOut> held_out_;
  bool is_held_out_on_host_ = false;  // where it has no room on the device

  State counted_;  // what counted_state lends
};

}  // namespace papilio::lda
