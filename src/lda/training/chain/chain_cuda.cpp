#include "lda/training/chain/chain_cuda.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "execution/out_of_device_memory.h"
#include "lda/evaluation/completion_cuda.h"
#include "lda/evaluation/document_completion.h"
#include "lda/model/options.h"
#include "lda/training/chain/range_sweep_cuda.h"
#include "lda/training/parameters/initial_topics_cpu.h"

namespace papilio::lda {
namespace {

using execution::OnDevice;

// Memory left free if no limit is given, because the driver needs some for kernels and their stacks.
constexpr std::int64_t driver_share = 32;  // a 32nd of the free memory

std::unique_ptr<CudaSweep> make_sweep(const CudaStart& start, const CudaTuning& tuning) {
  const std::int64_t memory = tuning.memory > 0 ? tuning.memory : memory_to_use(start.options);
  if (start.plan.is_sparse && start.plan.order == Order::all_at_once) {
    return make_sparse_parallel_sweep(start, memory, tuning.sparse_parallel);
  }
  return make_range_sweep(start, memory, tuning.by_document);
}

}  // namespace

std::int64_t memory_to_use(const TrainOptions& options) {
  const std::int64_t allowed = options.max_device_memory, free = execution::free_device_bytes();
  const std::int64_t most = free - free / driver_share;
  return allowed > 0 ? std::min(allowed, most) : most;
}

std::unique_ptr<CudaSweep> make_range_sweep(const CudaStart& start) {
  return make_range_sweep(start, memory_to_use(start.options), {});
}

CudaChain::CudaChain(const CorpusView& corpus, const TrainOptions& options, const ChainState* resume,
                     const CudaTuning& tuning)
    : CudaChain(corpus, options, resume, nullptr, [&](const CudaStart& start) { return make_sweep(start, tuning); }) {}

CudaChain::CudaChain(const CorpusView& part, const TrainOptions& options, const ChainState* resume,
                     const DeviceRanks& ranks, MakeCudaSweep make)
    : CudaChain(part, options, resume, &ranks, make) {}

CudaChain::CudaChain(const CorpusView& corpus, const TrainOptions& options, const ChainState* resume,
                     const DeviceRanks* ranks, MakeCudaSweep make)
    : corpus_(corpus),
      options_(options),
      ranks_(ranks),
      seeds_(seeds_of_options(corpus, options, "train")),
      priors_(priors_of(options, resume)),
      sweeps_(resume != nullptr ? resume->sweep : 0),
      begun_as_(resume != nullptr ? resume->start : Start::uniform) {
  const Plan plan(corpus_, options_);
  std::optional<std::vector<std::int32_t>> first;  // topics of seed words are chosen on the host
  if (resume == nullptr && !seeds_.empty()) {
    first = starting_topics(corpus_, options_, ranks_ != nullptr ? ranks_->place.token : 0);
  }
  const OnDevice here(options_.device);
  stream_.emplace();
  sweep_ = make({.corpus = corpus_,
                 .options = options_,
                 .plan = plan,
                 .priors = priors_,
                 .seeds = seeds_,
                 .z = resume != nullptr ? &resume->z
                      : first           ? &*first
                                        : nullptr,
                 .stream = stream_->get(),
                 .ranks = ranks_});
  stream_->wait();  // so that the first sweep is timed alone
  if (options_.planned && (ranks_ == nullptr || ranks_->is_first())) options_.planned(device_plan());
}

DevicePlan CudaChain::device_plan() const {
  const Streaming streaming = sweep_->streaming();
  DevicePlan plan = {.device = options_.device.name(),
                     .bytes = sweep_->bytes(),
                     .allowed_bytes = options_.max_device_memory,
                     .streamed_tokens = streaming.tokens,
                     .streamed_bytes = streaming.bytes};
  if (streaming.bytes > 0 && streaming.bytes_per_second > 0) {
    plan.tokens_per_second =
        static_cast<double>(corpus_.tokens()) / (static_cast<double>(streaming.bytes) / streaming.bytes_per_second);
  }
  return plan;
}

struct CudaChain::HeldOut {
  HeldOut(const CorpusView& corpus, const WordMap& map, const TrainOptions& options, std::int64_t memory,
          cudaStream_t stream)
      : alpha(options.topics, "alpha"),
        completion(corpus, map, {.threads = options.threads}, options.topics, memory, stream) {}

  execution::DeviceArray<double> alpha;
  CompletionOnDevice completion;
};

// For scoring with the state after the sweeps so far.
std::int64_t CudaChain::memory_for_held_out() const {
  const std::int64_t free = execution::free_device_bytes();
  if (options_.max_device_memory == 0) return free / 2;
  return std::clamp<std::int64_t>(options_.max_device_memory - sweep_->bytes(), 0, free) / 2;
}

CudaChain::~CudaChain() {
  const OnDevice here(options_.device);
  held_out_.reset();
}

std::optional<Completion> CudaChain::complete(const CorpusView& corpus, const WordMap& map) {
  const OnDevice here(options_.device);
  if (is_held_out_on_host_ || ranks_ != nullptr) return {};
  if (!held_out_) {
    try {
      held_out_ = std::make_unique<HeldOut>(corpus, map, options_, memory_for_held_out(), stream_->get());
    } catch (const execution::OutOfDeviceMemory&) {  // there is no room beside the chain
      is_held_out_on_host_ = true;
      return {};
    }
  }
  held_out_->alpha.upload(priors_.alpha.data(), options_.topics, stream_->get());
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(corpus.documents()));
  std::vector<double> scores(lengths.size());
  const auto make_lists = [&](const WordLists& lists, std::span<const std::int32_t> words) {
    sweep_->make_lists(lists, words);
  };
  held_out_->completion(make_lists, held_out_->alpha.data(), priors_.beta, lengths, scores);
  return completion_of(lengths, scores, map);
}

void CudaChain::sweep() {
  const OnDevice here(options_.device);
  sweep_->run(++sweeps_);
  if (!optimizes_priors_after(options_, sweeps_)) return;
  sweep_->optimize(priors_);
  sweep_->set_priors(priors_);
}

void CudaChain::wait() {
  const OnDevice here(options_.device);
  if (ranks_ != nullptr) return ranks_->sums.wait(stream_->get());
  stream_->wait();
}

SweepDraws CudaChain::draws() {
  const OnDevice here(options_.device);
  return sweep_->draws();
}

double CudaChain::log_joint() {
  const OnDevice here(options_.device);
  return sweep_->log_joint();
}

// Collective.
const State* CudaChain::counted_state() {
  if (ranks_ == nullptr) return nullptr;
  counted_ = state();
  return &counted_;
}

void CudaChain::show_state(base::FunctionRef<void(const ChainState&)> use) {
  State now = uncounted_state();
  use(take_chain_state(now, options_));
}

State CudaChain::take_state() { return state(); }

State CudaChain::uncounted_state() {
  const OnDevice here(options_.device);
  State state = state_without_topics();
  state.z = sweep_->z();
  return state;
}

State CudaChain::state_without_topics() const {
  State state;
  state.topics = options_.topics;
  state.sweep = sweeps_;
  state.priors = priors_;
  state.start = begun_as_;
  state.seeds = seeds_;
  if (ranks_ != nullptr) state.place = ranks_->place;
  return state;
}

State CudaChain::state() {
  const OnDevice here(options_.device);
  State state = state_without_topics();
  sweep_->take(state);
  return state;
}

std::unique_ptr<Chain> start_chain_on_cuda(const CorpusView& corpus, const TrainOptions& options,
                                           const ChainState* resume) {
  return std::make_unique<CudaChain>(corpus, options, resume);
}

}  // namespace papilio::lda
