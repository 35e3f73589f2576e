#include "lda/training/trainer/train_on_devices.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "execution/cpu/fresh_memory.h"
#include "execution/cpu/parallel_for.h"
#include "execution/ranks/thread_ranks.h"
#include "papilio/distributed.h"

namespace papilio::lda {
namespace {

// Long enough never to matter: a rank that fails tells the others at once, and a thread is never lost.
constexpr std::chrono::hours deadline_of_threads{24};

constexpr std::int64_t tokens_per_task = std::int64_t{1} << 16;  // per task of a copy

// What the ranks of one process share.
class DeviceThreads {
 public:
  DeviceThreads(const CorpusView& corpus, const TrainOptions& options, const ChainState* resume, TrainRank train)
      : corpus_(corpus), options_(options), resume_(resume), train_(train), thrown_(options.devices.size()) {}

  TrainResult run() {
    const auto count = static_cast<int>(options_.devices.size());
    std::vector<std::unique_ptr<Communicator>> ranks =
        execution::thread_ranks({.ranks = count, .deadline = deadline_of_threads});
    std::vector<std::thread> threads;
    try {
      for (int rank = 1; rank < count; ++rank) {
        threads.emplace_back([&, rank] { run_rank(*ranks[static_cast<std::size_t>(rank)]); });
      }
    } catch (const std::exception& error) {  // a thread could not be started: the ranks that run are told
      ranks.front()->fail(reason_of(error));
      for (std::thread& thread : threads) thread.join();
      throw;
    }
    run_rank(*ranks.front());
    for (std::thread& thread : threads) thread.join();
    rethrow();
    return std::move(result_);
  }

 private:
  void run_rank(Communicator& ranks) noexcept {
    const auto rank = static_cast<std::size_t>(ranks.rank());
    try {
      const TrainOptions own = options_of(ranks);
      TrainResult here = train_(own, part_of_resume(ranks));
      join_topics(here.topics, own);
      if (rank != 0) return;
      result_ = std::move(here);
      result_.topics.z = std::move(z_);
    } catch (const std::exception& error) {
      thrown_[rank] = std::current_exception();
      ranks.fail(reason_of(error));
    } catch (...) {
      thrown_[rank] = std::current_exception();
      ranks.fail("an exception of another kind");
    }
  }

  // Only the first rank calls the caller's callbacks, with the topics of all ranks.
  TrainOptions options_of(Communicator& ranks) {
    TrainOptions own = options_;
    own.device = options_.devices[static_cast<std::size_t>(ranks.rank())];
    own.devices.clear();
    own.ranks = &ranks;
    own.threads = std::max(1, execution::thread_count(options_.threads) / ranks.ranks());
    if (ranks.rank() != 0) own.progress = {};
    if (options_.checkpoint) {
      own.checkpoint = [this, &ranks, threads = own.threads](const ChainState& part) {
        join_topics(part, {.threads = threads, .ranks = &ranks});
        if (ranks.rank() != 0) return;
        ChainState whole = {.sweep = part.sweep, .z = {}, .alpha = part.alpha, .beta = part.beta, .start = part.start};
        whole.z = std::exchange(z_, {});
        options_.checkpoint(whole);
      };
    }
    return own;
  }

  // Makes z_ the topics of all ranks; each rank copies its own into it. Collective.
  void join_topics(const ChainState& part, const TrainOptions& own) {
    const RankDocuments place = documents_of_rank(corpus_, own.ranks->rank(), own.ranks->ranks());
    if (own.ranks->rank() == 0) execution::make_zeros(z_, corpus_.words.size(), options_.threads);
    own.ranks->barrier();
    execution::parallel_for(place.tokens(), tokens_per_task, own.threads, [&](std::int64_t begin, std::int64_t end) {
      std::copy(part.z.begin() + begin, part.z.begin() + end, z_.begin() + place.first_token + begin);
    });
    own.ranks->barrier();
  }

  std::optional<ChainState> part_of_resume(const Communicator& ranks) const {
    if (resume_ == nullptr) return std::nullopt;
    const RankDocuments own = documents_of_rank(corpus_, ranks.rank(), ranks.ranks());
    ChainState part = {.sweep = resume_->sweep,
                       .z = {resume_->z.begin() + own.first_token, resume_->z.begin() + own.end_token},
                       .alpha = resume_->alpha,
                       .beta = resume_->beta,
                       .start = resume_->start};
    return part;
  }

  // A RankError only reports another rank's failure, so any other error is thrown before it.
  void rethrow() const {
    std::exception_ptr first;
    for (const std::exception_ptr& error : thrown_) {
      if (!error) continue;
      try {
        std::rethrow_exception(error);
      } catch (const RankError&) {
        if (!first) first = error;
      } catch (...) {
        throw;
      }
    }
    if (first) std::rethrow_exception(first);
  }

  const CorpusView corpus_;
  const TrainOptions& options_;
  const ChainState* const resume_;
  const TrainRank train_;
  std::vector<std::exception_ptr> thrown_;
  std::vector<std::int32_t> z_;  // of all tokens
  TrainResult result_;
};

}  // namespace

void require_devices(const TrainOptions& options) {
  if (options.devices.empty()) return;
  base::require(options.ranks == nullptr,
                "papilio::train: devices and ranks are both given; expected one of them: a rank has one device");
  for (const Device device : options.devices) {
    base::require(device.is_cpu() == options.devices.front().is_cpu(),
                  "papilio::train: devices are {} and {}, expected GPUs alone", options.devices.front().name(),
                  device.name());
  }
}

TrainResult train_on_devices(const CorpusView& corpus, const TrainOptions& options, const ChainState* resume,
                             TrainRank train) {
  return DeviceThreads(corpus, options, resume, train).run();
}

}  // namespace papilio::lda
