#include <optional>

#include "lda/corpus/part_of_rank.h"
#include "lda/training/chain/chain_cuda.h"
#include "lda/training/distributed/chain_of_rank.h"
#include "lda/training/distributed/sparse_sweep_cuda.h"

namespace papilio::lda {
namespace {

std::unique_ptr<CudaSweep> make_cuda_sweep_of_rank(const CudaStart& start) {
  if (start.plan.is_sparse && start.plan.order == Order::all_at_once) {
    return make_sparse_cuda_sweep_of_rank(start, memory_to_use(start.options));
  }
  return make_range_sweep(start);
}

class CudaChainOfRank final : public Chain {
 public:
  CudaChainOfRank(const CorpusView& corpus, const TrainOptions& options, const ChainState* resume)
      : part_(corpus, options.ranks->rank(), options.ranks->ranks()), device_(options.device) {
    const execution::OnDevice here(device_);
    sums_ = execution::make_device_sums(*options.ranks);
    const RankDocuments& place = part_.place();
    ranks_.emplace(DeviceRanks{.ranks = *options.ranks,
                               .sums = *sums_,
                               .whole = corpus,
                               .place = {place.first_document, place.first_token, corpus.tokens()}});
    chain_.emplace(part_.view(), options, resume, *ranks_,
                   [](const CudaStart& start) { return make_cuda_sweep_of_rank(start); });
  }
  ~CudaChainOfRank() override {
    const execution::OnDevice here(device_);
    chain_.reset();
    sums_.reset();
  }

  void sweep() override { chain_->sweep(); }
  void wait() override { chain_->wait(); }
  std::int64_t sweeps() const override { return chain_->sweeps(); }
  SweepDraws draws() override { return chain_->draws(); }
  double log_joint() override { return chain_->log_joint(); }
  const State* counted_state() override { return chain_->counted_state(); }
  void show_state(base::FunctionRef<void(const ChainState&)> use) override { chain_->show_state(use); }
  State take_state() override { return chain_->take_state(); }

 private:
  const PartOfRank part_;
  const Device device_;
  std::unique_ptr<execution::DeviceSums> sums_;
  std::optional<DeviceRanks> ranks_;
  std::optional<CudaChain> chain_;
};

}  // namespace

std::unique_ptr<Chain> start_chain_of_rank_on_cuda(const CorpusView& corpus, const TrainOptions& options,
                                                   const ChainState* resume) {
  return std::make_unique<CudaChainOfRank>(corpus, options, resume);
}

}  // namespace papilio::lda
