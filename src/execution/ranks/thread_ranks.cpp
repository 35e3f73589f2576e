#include "execution/ranks/thread_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "base/function_ref.h"
#include "execution/ranks/check_rank.h"

namespace papilio::execution {
namespace {

// What a rank brings to a call.
struct Arrival {
  std::string call;  // "add_up of 12 numbers of 4 bytes"
  std::span<std::byte> own;
  std::span<const std::byte> given;
  std::vector<std::vector<std::byte>>* gathered = nullptr;
};

// Where the ranks meet: the last to arrive does the call for all, while the others wait.
class Meeting {
 public:
  Meeting(int ranks, std::chrono::milliseconds deadline)
      : arrivals_(static_cast<std::size_t>(ranks)),
        has_arrived_(static_cast<std::size_t>(ranks)),
        deadline_(deadline) {}

  // Throws RankError for a failure; every rank gets the same message.
  void join(int rank, Arrival arrival, base::FunctionRef<void(std::vector<Arrival>&)> work) {
    std::unique_lock lock(mutex_);
    throw_failure();
    const auto at = static_cast<std::size_t>(rank);
    arrivals_[at] = std::move(arrival);
    has_arrived_[at] = true;
    if (++arrived_ == arrivals_.size()) {
      require_same_calls();
      throw_failure();
      work(arrivals_);
      arrived_ = 0;
      std::fill(has_arrived_.begin(), has_arrived_.end(), false);
      ++calls_;
      all_here_.notify_all();
      return;
    }
    const std::int64_t call = calls_;
    const auto is_over = [&] { return calls_ != call || failed_rank_ != nobody; };
    if (!all_here_.wait_for(lock, deadline_, is_over)) {
      const auto missing = std::find(has_arrived_.begin(), has_arrived_.end(), false) - has_arrived_.begin();
      set_failure(static_cast<int>(missing),
                  fmt::format("did not join call {}, {}, within {} ms", call, arrivals_[at].call, deadline_.count()));
    }
    if (calls_ == call) throw_failure();
  }

  void fail(int rank, std::string_view reason) {
    const std::lock_guard lock(mutex_);
    set_failure(rank, reason);
  }
  void listen() {
    const std::lock_guard lock(mutex_);
    throw_failure();
  }
  std::chrono::milliseconds deadline() const { return deadline_; }

 private:
  static constexpr int nobody = -1;

  void set_failure(int rank, std::string_view what) {
    if (failed_rank_ != nobody) return;
    failed_rank_ = rank;
    failure_ = fmt::format("papilio::Communicator: rank {} of {} {}", rank, arrivals_.size(), what);
    all_here_.notify_all();
  }
  void throw_failure() const {
    if (failed_rank_ != nobody) throw RankError(failure_, failed_rank_);
  }
  void require_same_calls() {
    for (std::size_t r = 1; r < arrivals_.size(); ++r) {
      if (arrivals_[r].call != arrivals_[0].call) {
        set_failure(static_cast<int>(r),
                    fmt::format("calls {}, where rank 0 calls {}", arrivals_[r].call, arrivals_[0].call));
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable all_here_;
  std::vector<Arrival> arrivals_;
  std::vector<bool> has_arrived_;
  std::size_t arrived_ = 0;
  std::int64_t calls_ = 0;
  const std::chrono::milliseconds deadline_;
  int failed_rank_ = nobody;
  std::string failure_;
};

template <class T>
void add_up_all(std::vector<Arrival>& arrivals) {
  using Sum = std::make_unsigned_t<T>;  // wraps around
  constexpr std::size_t at_once = 2048;
  const std::size_t count = arrivals[0].own.size() / sizeof(T);
  Sum sums[at_once];
  for (std::size_t first = 0; first < count; first += at_once) {
    const std::size_t here = std::min(at_once, count - first);
    const auto numbers = [&](const Arrival& of) { return reinterpret_cast<Sum*>(of.own.data()) + first; };
    std::copy_n(numbers(arrivals[0]), here, sums);
    for (std::size_t r = 1; r < arrivals.size(); ++r) {
      const Sum* const added = numbers(arrivals[r]);
      for (std::size_t i = 0; i < here; ++i) sums[i] += added[i];
    }
    for (const Arrival& arrival : arrivals) std::copy_n(sums, here, numbers(arrival));
  }
}

class ThreadRank final : public Communicator {
 public:
  ThreadRank(std::shared_ptr<Meeting> meeting, int rank, const ThreadRanksOptions& options)
      : meeting_(std::move(meeting)), rank_(rank), ranks_(options.ranks), faults_(options.faults) {}
  ~ThreadRank() override {
    if (!is_gone_) meeting_->fail(rank_, "has left");
  }
  ThreadRank(const ThreadRank&) = delete;
  ThreadRank& operator=(const ThreadRank&) = delete;

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  std::string engine() const override { return "threads"; }

  void add_up(std::span<std::int32_t> values) override { add_up_of(values); }
  void add_up(std::span<std::int64_t> values) override { add_up_of(values); }

  void broadcast(std::span<std::byte> bytes, int from) override {
    require_rank("broadcast", "from", from, ranks_);
    join({fmt::format("broadcast of {} bytes from rank {}", bytes.size(), from), bytes, {}}, [&](auto& arrivals) {
      const std::span<std::byte> source = arrivals[static_cast<std::size_t>(from)].own;
      for (Arrival& arrival : arrivals) {
        if (!source.empty() && arrival.own.data() != source.data()) {
          std::memcpy(arrival.own.data(), source.data(), source.size());
        }
      }
    });
  }

  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes, int to) override {
    require_rank("gather", "to", to, ranks_);
    std::vector<std::vector<std::byte>> gathered;
    join({fmt::format("gather to rank {}", to), {}, bytes, &gathered}, [to](auto& arrivals) {
      auto& all = *arrivals[static_cast<std::size_t>(to)].gathered;
      for (const Arrival& arrival : arrivals) all.emplace_back(arrival.given.begin(), arrival.given.end());
    });
    return gathered;
  }

  void barrier() override {
    join({"barrier", {}, {}}, [](auto&) {});
  }

  double deadline_seconds() const override { return std::chrono::duration<double>(meeting_->deadline()).count(); }
  void listen() override { meeting_->listen(); }

  void fail(std::string_view reason) noexcept override {
    if (is_gone_) return;
    try {
      meeting_->fail(rank_, fmt::format("has failed: {}", reason));
    } catch (const std::exception&) {  // they will find out by the deadline
    }
  }

 private:
  template <class T>
  void add_up_of(std::span<T> values) {
    join(
        {fmt::format("add_up of {} numbers of {} bytes", values.size(), sizeof(T)), std::as_writable_bytes(values), {}},
        [](auto& arrivals) { add_up_all<T>(arrivals); });
  }

  void join(Arrival arrival, base::FunctionRef<void(std::vector<Arrival>&)> work) {
    act_on_fault(call_++);
    meeting_->join(rank_, std::move(arrival), work);
  }

  void act_on_fault(std::int64_t call) {
    for (const RankFault& fault : faults_) {
      if (fault.rank != rank_ || fault.call != call) continue;
      switch (fault.kind) {
        case RankFault::Kind::drop:
          is_gone_ = true;
          throw RankError(fmt::format("papilio::Communicator: rank {} of {} drops call {}", rank_, ranks_, call),
                          rank_);
        case RankFault::Kind::delay:
          std::this_thread::sleep_for(fault.delay);
          break;
        case RankFault::Kind::fail:
          fail("a fault that was asked for");
          break;
      }
    }
  }

  const std::shared_ptr<Meeting> meeting_;
  const int rank_;
  const int ranks_;
  const std::vector<RankFault> faults_;
  std::int64_t call_ = 0;
  bool is_gone_ = false;
};

}  // namespace

std::vector<std::unique_ptr<Communicator>> thread_ranks(const ThreadRanksOptions& options) {
  base::require(options.ranks >= 1, "papilio::thread_ranks: ranks is {}, expected at least 1", options.ranks);
  const auto meeting = std::make_shared<Meeting>(options.ranks, options.deadline);
  std::vector<std::unique_ptr<Communicator>> ranks;
  for (int rank = 0; rank < options.ranks; ++rank) {
    ranks.push_back(std::make_unique<ThreadRank>(meeting, rank, options));
  }
  return ranks;
}

}  // namespace papilio::execution
