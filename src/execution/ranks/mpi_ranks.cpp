#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <exception>
#include <memory>
#include <thread>
#include <utility>

#include "base/check.h"
#include "execution/ranks/check_rank.h"
#include "papilio/communicator.h"

namespace papilio {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t most_elements = std::size_t{1} << 28;  // in one call of MPI, which counts with ints
constexpr std::chrono::seconds roll_call_time{2};
constexpr std::chrono::milliseconds fail_time{500};

// For a rank that reports its failure, to end before the others: the first process to end gives mpirun its exit code.
constexpr std::chrono::seconds head_start{1};

// Tags of messages outside of collectives.
constexpr int gathered = 1;   // a part of what is gathered
constexpr int roll_call = 2;  // "are you waiting too?"
constexpr int here = 3;       // the answer
constexpr int failed = 4;     // "rank 2 of 3 has ..."

// MPI is polled: a blocking call would wait forever for a rank that is gone.
class MpiRanks final : public Communicator {
 public:
  explicit MpiRanks(double deadline_seconds)
      : deadline_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(deadline_seconds))) {
    int is_started = 0;
    check(MPI_Initialized(&is_started), "MPI_Initialized");
    if (is_started == 0) {
      int provided = 0;
      check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided), "MPI_Init_thread");
      is_ours_ = true;
      if (provided < MPI_THREAD_SERIALIZED) {
        throw RankError("papilio::mpi_ranks: this MPI cannot be called by one thread after another", -1);
      }
    }
    join();
    check(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(comm_, &ranks_), "MPI_Comm_size");
  }
  // After a failure MPI is not finalized: that would wait for ranks that are
  // gone, or that wait for this one. mpirun ends the job when this process ends.
  ~MpiRanks() override {
    if (std::uncaught_exceptions() > exceptions_at_start_) fail("an error has ended its work");
    if (has_failed_) return;
    MPI_Comm_free(&comm_);
    if (is_ours_) MPI_Finalize();
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;

  int rank() const override { return rank_; }
  int ranks() const override { return ranks_; }
  std::string engine() const override { return "MPI"; }

  void add_up(std::span<std::int32_t> values) override { add_up_of(values, MPI_UINT32_T); }
  void add_up(std::span<std::int64_t> values) override { add_up_of(values, MPI_UINT64_T); }

  void broadcast(std::span<std::byte> bytes, int from) override {
    execution::require_rank("broadcast", "from", from, ranks_);
    for_each_part(bytes, [&](std::span<std::byte> part) {
      wait("broadcast", [&](MPI_Request* request) {
        return MPI_Ibcast(part.data(), static_cast<int>(part.size()), MPI_BYTE, from, comm_, request);
      });
    });
  }

  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> bytes, int to) override {
    execution::require_rank("gather", "to", to, ranks_);
    const auto size = static_cast<std::int64_t>(bytes.size());
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(rank_ == to ? ranks_ : 0));
    wait("gather", [&](MPI_Request* request) {
      return MPI_Igather(&size, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, to, comm_, request);
    });
    if (rank_ != to) {
      for_each_part(bytes, [&](std::span<const std::byte> part) {
        wait("gather", [&](MPI_Request* request) {
          return MPI_Isend(part.data(), static_cast<int>(part.size()), MPI_BYTE, to, gathered, comm_, request);
        });
      });
      return {};
    }
    std::vector<std::vector<std::byte>> all;
    for (int r = 0; r < ranks_; ++r) {
      std::vector<std::byte>& of_rank = all.emplace_back(static_cast<std::size_t>(sizes[static_cast<std::size_t>(r)]));
      if (r == rank_) {
        std::copy(bytes.begin(), bytes.end(), of_rank.begin());
        continue;
      }
      for_each_part(std::span(of_rank), [&](std::span<std::byte> part) {
        wait("gather", [&](MPI_Request* request) {
          return MPI_Irecv(part.data(), static_cast<int>(part.size()), MPI_BYTE, r, gathered, comm_, request);
        });
      });
    }
    return all;
  }

  void barrier() override {
    wait("barrier", [&](MPI_Request* request) { return MPI_Ibarrier(comm_, request); });
  }

  double deadline_seconds() const override { return std::chrono::duration<double>(deadline_).count(); }
  void listen() override { answer(); }

  void fail(std::string_view reason) noexcept override {
    try {
      if (!std::exchange(has_failed_, true))
        tell_all(fmt::format("rank {} of {} has failed: {}", rank_, ranks_, reason));
    } catch (const std::exception&) {  // they will find out by the deadline, or from mpirun
    }
  }

 private:
  static void check(int code, const char* call) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = {};
    int length = 0;
    MPI_Error_string(code, text, &length);
    throw RankError(fmt::format("papilio::Communicator: MPI: {}: {}", call,
                                std::string_view(text, static_cast<std::size_t>(length))),
                    -1);
  }

  // Ranks connect in this call, the first of all. Open MPI would wait forever if it was refused a connection.
  void join() {
    auto joined = std::make_unique<MPI_Comm>(MPI_COMM_NULL);
    MPI_Request request = MPI_REQUEST_NULL;
    check(MPI_Comm_idup(MPI_COMM_WORLD, joined.get(), &request), "MPI_Comm_idup");
    const Clock::time_point start = Clock::now();
    for (int is_done = 0; is_done == 0;) {
      check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), "MPI_Comm_idup");
      if (is_done == 0 && Clock::now() - start > deadline_) {
        static_cast<void>(joined.release());  // MPI may still write there
        check(MPI_Comm_size(MPI_COMM_WORLD, &ranks_), "MPI_Comm_size");
        throw RankError(fmt::format("papilio::mpi_ranks: not all of {} ranks joined within {:g} s: can their hosts "
                                    "reach each other?",
                                    ranks_, std::chrono::duration<double>(deadline_).count()),
                        -1);
      }
      std::this_thread::yield();
    }
    comm_ = *joined;
  }

  // Calls use(part) for each part that one call of MPI can take.
  template <class T, class Use>
  static void for_each_part(std::span<T> elements, const Use& use) {
    for (; !elements.empty(); elements = elements.subspan(std::min(elements.size(), most_elements))) {
      use(elements.first(std::min(elements.size(), most_elements)));
    }
  }

  template <class T>
  void add_up_of(std::span<T> values, MPI_Datatype type) {
    for_each_part(values, [&](std::span<T> part) {
      wait("add_up", [&](MPI_Request* request) {
        return MPI_Iallreduce(MPI_IN_PLACE, part.data(), static_cast<int>(part.size()), type, MPI_SUM, comm_, request);
      });
    });
  }

  // Starts a call and waits for its end.
  template <class Begin>
  void wait(const char* what, const Begin& begin) {
    if (has_failed_)
      throw RankError("papilio::Communicator: a rank has failed before; no call is possible any more", -1);
    MPI_Request request = MPI_REQUEST_NULL;
    check(begin(&request), what);
    const Clock::time_point start = Clock::now();
    for (std::int64_t polls = 0;; ++polls) {
      int is_done = 0;
      check(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE), what);
      if (is_done != 0) return;
      if (polls % 64 != 63) {
        std::this_thread::yield();
        continue;
      }
      answer();
      const Clock::duration waited = Clock::now() - start;
      if (waited > deadline_) give_up(what);
      if (waited > std::chrono::milliseconds(20)) std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }

  // Handles what others have said while this rank waits.
  void answer() {
    std::string text;
    for (int from = take(failed, text); from >= 0; from = take(failed, text)) {
      has_failed_ = true;
      const int rank = std::stoi(text);
      if (rank == from) std::this_thread::sleep_for(head_start);
      throw RankError("papilio::Communicator: " + text.substr(text.find(' ') + 1), rank);
    }
    for (int from = take(roll_call, text); from >= 0; from = take(roll_call, text)) tell(from, here, "");
  }

  // Names the first rank that does not answer that it waits too, to this rank and all others.
  [[noreturn]] void give_up(const char* what) {
    std::vector<bool> is_here(static_cast<std::size_t>(ranks_));
    is_here[static_cast<std::size_t>(rank_)] = true;
    for (int r = 0; r < ranks_; ++r) {
      if (r != rank_) tell(r, roll_call, "");
    }
    const Clock::time_point start = Clock::now();
    while (Clock::now() - start < roll_call_time) {
      std::string text;
      for (int from = take(here, text); from >= 0; from = take(here, text))
        is_here[static_cast<std::size_t>(from)] = true;
      answer();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    has_failed_ = true;
    const auto missing = static_cast<int>(std::find(is_here.begin(), is_here.end(), false) - is_here.begin());
    const double seconds = std::chrono::duration<double>(deadline_).count();
    const std::string text =
        missing < ranks_
            ? fmt::format("rank {} of {} did not join {} within {:g} s", missing, ranks_, what, seconds)
            : fmt::format("{} of {} ranks took longer than {:g} s, though all are waiting", what, ranks_, seconds);
    tell_all(text, missing < ranks_ ? missing : -1);
    throw RankError("papilio::Communicator: " + text, missing < ranks_ ? missing : -1);
  }

  // Takes a waiting message with this tag. Returns who sent it; -1 if there is none.
  int take(int tag, std::string& text) {
    int is_there = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm_, &is_there, &status), "MPI_Iprobe");
    if (is_there == 0) return -1;
    int size = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &size), "MPI_Get_count");
    text.resize(static_cast<std::size_t>(size));
    check(MPI_Recv(text.data(), size, MPI_BYTE, status.MPI_SOURCE, tag, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
    return status.MPI_SOURCE;
  }

  // Best effort: a rank that is gone receives nothing.
  void tell(int to, int tag, const std::string& text) {
    sent_.push_back(text);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(sent_.back().data(), static_cast<int>(sent_.back().size()), MPI_BYTE, to, tag, comm_, &request);
    const Clock::time_point start = Clock::now();
    int is_done = 0;
    while (is_done == 0 && Clock::now() - start < fail_time / ranks_) {
      if (MPI_Test(&request, &is_done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
    }
  }
  void tell_all(const std::string& text) { tell_all(text, rank_); }
  void tell_all(const std::string& text, int of_rank) {
    for (int r = 0; r < ranks_; ++r) {
      if (r != rank_) tell(r, failed, fmt::format("{} {}", of_rank, text));
    }
  }

  const Clock::duration deadline_;
  bool is_ours_ = false;
  bool has_failed_ = false;
  const int exceptions_at_start_ = std::uncaught_exceptions();
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int ranks_ = 1;
  std::deque<std::string> sent_;  // messages that MPI may still read
};

}  // namespace

std::unique_ptr<Communicator> mpi_ranks(double deadline_seconds) {
  base::require(deadline_seconds > 0, "papilio::mpi_ranks: deadline_seconds is {}, expected more than 0",
                deadline_seconds);
  return std::make_unique<MpiRanks>(std::min(deadline_seconds, 1e6));
}

}  // namespace papilio
