// What the communicators promise: sums, order of what is gathered, and failures that name a rank within the deadline.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "execution/cpu/interruption.h"
#include "execution/ranks/collectives.h"
#include "execution/ranks/single_rank.h"
#include "execution/ranks/thread_ranks.h"
#include "execution/ranks/work_in_turns.h"
#include "execution/ranks/work_of_rank.h"

namespace papilio::execution {
namespace {

using namespace std::chrono_literals;
using Ranks = std::vector<std::unique_ptr<Communicator>>;

// Calls body(rank's communicator) in a thread per rank; returns what each threw, "" for nothing. A rank that throws
// keeps its communicator, as a process that hangs would.
std::vector<std::string> run(Ranks& ranks, const std::function<void(Communicator&)>& body) {
  std::vector<std::string> thrown(ranks.size());
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    threads.emplace_back([&, r] {
      try {
        body(*ranks[r]);
      } catch (const RankError& error) {
        thrown[r] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return thrown;
}

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

void use_every_call(Communicator& rank) {
  const auto count = static_cast<std::int64_t>(rank.ranks());
  std::vector<std::int32_t> narrow = {1, rank.rank(), 1'500'000'000};
  rank.add_up(narrow);
  EXPECT_EQ(narrow[0], rank.ranks());
  EXPECT_EQ(narrow[1], rank.ranks() * (rank.ranks() - 1) / 2);
  EXPECT_EQ(narrow[2], static_cast<std::int32_t>(static_cast<std::uint32_t>(1'500'000'000 * count)));  // wraps around
  std::vector<std::int64_t> wide(1000, std::int64_t{1} << 40);
  rank.add_up(wide);
  EXPECT_EQ(wide, std::vector<std::int64_t>(1000, count << 40));
  rank.add_up(std::span<std::int64_t>());
  for (int from = 0; from < rank.ranks(); ++from) {
    std::vector<std::byte> bytes = bytes_of("rank " + std::to_string(rank.rank()));
    rank.broadcast(bytes, from);
    EXPECT_EQ(bytes, bytes_of("rank " + std::to_string(from)));
    const auto gathered = rank.gather(bytes_of(std::string(static_cast<std::size_t>(rank.rank()), 'x')), from);
    ASSERT_EQ(std::ssize(gathered), rank.rank() == from ? rank.ranks() : 0);
    for (std::size_t r = 0; r < gathered.size(); ++r) EXPECT_EQ(gathered[r], bytes_of(std::string(r, 'x')));
  }
  rank.barrier();
  EXPECT_EQ(broadcast_text(rank, "by " + std::to_string(rank.rank())), "by 0");
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(rank.ranks()));
  std::iota(numbers.begin(), numbers.end(), 100);
  EXPECT_EQ(gather_numbers(rank, 100 + rank.rank()), numbers);
  const std::vector<std::int32_t> own(static_cast<std::size_t>(rank.rank() % 3), rank.rank());  // some have none
  std::vector<std::int32_t> joined;
  for (int r = 0; r < rank.ranks(); ++r) joined.insert(joined.end(), static_cast<std::size_t>(r % 3), r);
  EXPECT_EQ(join_everywhere(rank, own), joined);
  std::vector<std::vector<std::byte>> sent;
  for (int to = 0; to < rank.ranks(); ++to) {
    sent.push_back(bytes_of(std::string(static_cast<std::size_t>(to), static_cast<char>('a' + rank.rank()))));
  }
  const auto received = exchange(rank, std::move(sent));
  ASSERT_EQ(std::ssize(received), rank.ranks());
  for (std::size_t from = 0; from < received.size(); ++from) {
    const auto bytes = static_cast<std::size_t>(rank.rank());
    EXPECT_EQ(received[from], bytes_of(std::string(bytes, static_cast<char>('a' + static_cast<int>(from)))));
  }
  const std::vector<std::string> of_first = {"one", "", "three"};
  const std::vector<std::vector<std::string>> lists =
      gather_text_lists(rank, std::vector<std::string>(static_cast<std::size_t>(rank.rank()), "\n"));
  ASSERT_EQ(std::ssize(lists), rank.rank() == 0 ? rank.ranks() : 0);
  for (std::size_t r = 0; r < lists.size(); ++r) EXPECT_EQ(lists[r], std::vector<std::string>(r, "\n"));
  EXPECT_EQ(broadcast_texts(rank, rank.rank() == 0 ? of_first : std::vector<std::string>()), of_first);
  const std::vector<std::string> texts = gather_texts(rank, std::to_string(rank.rank()));
  for (std::size_t r = 0; r < texts.size(); ++r) EXPECT_EQ(texts[r], std::to_string(r));
}

// What each rank threw; the others hear which one it was. Work on parts waits for all, and then the first speaks.
TEST(Communicators, WorkInTurnsAndOnParts) {
  for (const bool by_parts : {false, true}) {
    Ranks ranks = thread_ranks({.ranks = 4, .deadline = 200ms});
    const std::vector<std::string> thrown = run(ranks, [&](Communicator& rank) {
      const auto work = [&](bool fails) {
        std::atomic<bool> is_over = false;
        const auto sleep_and_fail = [&] {
          std::this_thread::sleep_for(rank.rank() == 1 ? 400ms : 0ms);  // longer than the deadline
          if (fails && rank.rank() % 2 == 1) throw RankError("part " + std::to_string(rank.rank()), rank.rank());
        };
        by_parts ? work_on_parts(rank, is_over, sleep_and_fail) : work_in_turns(rank, is_over, sleep_and_fail);
      };
      work_of_rank(rank, [&] { work(false), work(true); });
    });
    const std::size_t speaker = by_parts ? 1 : 3;
    EXPECT_EQ(thrown[speaker], "part " + std::to_string(speaker));
    for (std::size_t r = 0; r < thrown.size(); ++r) {
      if (r == speaker) continue;
      EXPECT_NE(thrown[r].find("rank " + std::to_string(speaker) + " of 4 has failed"), std::string::npos) << thrown[r];
    }
  }
}

// Returns what ended the work: its stop points, or the end of the patience.
std::string work_until_stopped() {
  const auto start = std::chrono::steady_clock::now();
  try {
    while (std::chrono::steady_clock::now() - start < 20s) stop_point();
  } catch (const Interrupted& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Communicators, WorkForWhichNobodyWaitsIsStopped) {
  for (const bool by_parts : {false, true}) {
    Ranks ranks = thread_ranks({.ranks = 2, .deadline = 200ms});
    std::string stopped;
    const std::vector<std::string> thrown = run(ranks, [&](Communicator& rank) {
      if (rank.rank() == 1) throw RankError("gone", 1);
      std::atomic<bool> is_over = false;
      const auto work = [&] { stopped = work_until_stopped(); };
      by_parts ? work_on_parts(rank, is_over, work) : work_in_turns(rank, is_over, work);
    });
    EXPECT_EQ(stopped, Interrupted().what());
    EXPECT_NE(thrown[0].find("rank 1 of 2 did not join"), std::string::npos) << thrown[0];
  }
}

// Before the work begins, and while it is done, whether it has stop points or ends early.
TEST(Communicators, WorkOfACallThatIsToldToStop) {
  for (const int when : {0, 1, 2}) {
    Ranks ranks = thread_ranks({.ranks = 3, .deadline = 100s});
    std::atomic<bool> stop = when == 0;
    std::string stopped;
    bool is_interrupted = false;
    const std::vector<std::string> thrown = run(ranks, [&](Communicator& rank) {
      std::atomic<bool> is_over = false;
      std::optional<InterruptionScope> scope;
      if (rank.rank() == 1) scope.emplace(stop);
      const auto work = [&] {
        if (rank.rank() != 1) return;
        stop = true;
        if (when == 1) stopped = work_until_stopped();
        const auto start = std::chrono::steady_clock::now();
        while (!is_over && std::chrono::steady_clock::now() - start < 20s) std::this_thread::sleep_for(1ms);
      };
      try {
        work_of_rank(rank, [&] { work_on_parts(rank, is_over, work); });
      } catch (const Interrupted&) {
        is_interrupted = rank.rank() == 1;
      }
    });
    EXPECT_EQ(stopped, when == 1 ? Interrupted().what() : "");
    EXPECT_TRUE(is_interrupted) << when;
    for (const int r : {0, 2}) {
      EXPECT_NE(thrown[static_cast<std::size_t>(r)].find("rank 1 of 3 has failed: papilio: the call was interrupted"),
                std::string::npos)
          << thrown[static_cast<std::size_t>(r)];
    }
  }
}

TEST(Communicators, SingleDoesEveryCall) {
  SingleRank rank;
  use_every_call(rank);
}

TEST(Communicators, ThreadsDoEveryCall) {
  for (const int count : {1, 2, 3, 7}) {
    Ranks ranks = thread_ranks({.ranks = count});
    EXPECT_EQ(run(ranks, use_every_call), std::vector<std::string>(static_cast<std::size_t>(count))) << count;
  }
}

TEST(Communicators, DelayIsWaitedFor) {
  Ranks ranks = thread_ranks({.ranks = 2, .faults = {{RankFault::Kind::delay, 1, 0, 50ms}}});
  EXPECT_EQ(run(ranks, use_every_call), std::vector<std::string>(2));
}

TEST(Communicators, DroppedCallIsNamedAtTheDeadline) {
  Ranks ranks = thread_ranks({.ranks = 3, .deadline = 1000ms, .faults = {{RankFault::Kind::drop, 1, 2, 0ms}}});
  const auto start = std::chrono::steady_clock::now();
  const auto thrown = run(ranks, [](Communicator& rank) {
    for (int call = 0; call < 5; ++call) rank.barrier();
  });
  EXPECT_EQ(thrown[0], "papilio::Communicator: rank 1 of 3 did not join call 2, barrier, within 1000 ms");
  EXPECT_EQ(thrown[1], "papilio::Communicator: rank 1 of 3 drops call 2");
  EXPECT_EQ(thrown[2], thrown[0]);
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
  EXPECT_THROW(ranks[0]->barrier(), RankError);  // and for good
}

TEST(Communicators, FailureIsToldAtOnce) {
  Ranks ranks = thread_ranks({.ranks = 3, .deadline = 100s, .faults = {{RankFault::Kind::fail, 2, 1, 0ms}}});
  const auto thrown = run(ranks, [](Communicator& rank) {
    for (int call = 0; call < 5; ++call) rank.barrier();
  });
  for (const std::string& what : thrown)
    EXPECT_EQ(what, "papilio::Communicator: rank 2 of 3 has failed: a fault that was asked for");
  try {
    ranks[0]->barrier();
    FAIL();
  } catch (const RankError& error) {
    EXPECT_EQ(error.rank, 2);
  }
}

TEST(Communicators, OneThatLeavesIsNamed) {
  Ranks ranks = thread_ranks({.ranks = 2, .deadline = 100s});
  ranks[1].reset();
  try {
    ranks[0]->barrier();
    FAIL();
  } catch (const RankError& error) {
    EXPECT_STREQ(error.what(), "papilio::Communicator: rank 1 of 2 has left");
  }
}

TEST(Communicators, DifferentCallsAreNamed) {
  Ranks ranks = thread_ranks({.ranks = 2, .deadline = 100s});
  const auto thrown = run(ranks, [](Communicator& rank) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(3 + rank.rank()));
    rank.add_up(values);
  });
  for (const std::string& what : thrown) {
    EXPECT_EQ(what,
              "papilio::Communicator: rank 1 of 2 calls add_up of 4 numbers of 4 bytes, where rank 0 calls add_up of 3 "
              "numbers of 4 "
              "bytes");
  }
}

}  // namespace
}  // namespace papilio::execution
