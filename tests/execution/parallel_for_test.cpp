#include "execution/cpu/parallel_for.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdint>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "papilio/device.h"
#include "papilio/error.h"

namespace papilio::execution {
namespace {

using Range = std::pair<std::int64_t, std::int64_t>;

std::set<Range> ranges_of(std::int64_t count, std::int64_t grain, int threads) {
  std::mutex mutex;
  std::set<Range> ranges;
  parallel_for(count, grain, threads, [&](std::int64_t begin, std::int64_t end) {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(ranges.emplace(begin, end).second) << begin << " " << end;
  });
  return ranges;
}

TEST(ParallelFor, CoversEveryIndexOnceInMultiplesOfTheGrain) {
  for (const int threads : {0, 1, 2, 7}) {
    for (const std::int64_t count : {0, 1, 2, 3, 7, 8, 9, 63, 64, 65, 1000, 4097}) {
      for (const std::int64_t grain : {1, 2, 3, 8, 64, 5000}) {
        std::int64_t next = 0;
        for (const auto& [begin, end] : ranges_of(count, grain, threads)) {
          EXPECT_EQ(begin, next);
          EXPECT_LT(begin, end);
          EXPECT_TRUE((end - begin) % grain == 0 || end == count) << begin << " " << end << " grain " << grain;
          next = end;
        }
        EXPECT_EQ(next, count);
      }
    }
  }
}

TEST(ParallelFor, CountsUpToTheLargestInteger) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t grain : {largest, largest - 1, largest / 3}) {
    std::int64_t next = 0;
    for (const auto& [begin, end] : ranges_of(largest, grain, 2)) {
      EXPECT_EQ(begin, next);
      EXPECT_LT(begin, end);
      next = end;
    }
    EXPECT_EQ(next, largest);
  }
}

TEST(ParallelFor, OneThreadIsOneCallOnTheCaller) {
  int calls = 0;
  const std::thread::id caller = std::this_thread::get_id();
  parallel_for(1000, 8, 1, [&](std::int64_t begin, std::int64_t end) {
    ++calls;
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 1000);
    EXPECT_EQ(std::this_thread::get_id(), caller);
  });
  EXPECT_EQ(calls, 1);
}

// Each of two ranges waits for the other to start, which takes two threads.
// Two ranges wait for each other. A scheduler may let one call run alone where the
// machine is busy, so they get ten attempts; a serial loop would fail them all.
TEST(ParallelFor, RunsRangesAtTheSameTime) {
  if (default_threads() < 2) GTEST_SKIP() << "one processor";
  for (const int threads : {0, 2}) {
    bool met = false;
    for (int attempt = 0; attempt < 10 && !met; ++attempt) {
      std::atomic<int> started = 0;
      parallel_for(2, 1, threads, [&](std::int64_t, std::int64_t) {
        ++started;
        const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(3);
        while (started < 2 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
        if (std::chrono::steady_clock::now() < limit) std::atomic_ref(met).store(true);
      });
    }
    EXPECT_TRUE(met) << threads;
  }
}

TEST(ParallelFor, UsesNoMoreThreadsThanAskedFor) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  parallel_for(2000, 1, 2, [&](std::int64_t, std::int64_t) {
    const int now = ++running;
    int seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::yield();
    --running;
  });
  EXPECT_LE(most, 2);
}

TEST(ParallelFor, ThrowsWhatABodyThrowsAfterAllHaveComeToRest) {
  for (const int threads : {0, 1, 2, 7}) {
    std::atomic<int> running = 0;
    try {
      parallel_for(1000, 1, threads, [&](std::int64_t begin, std::int64_t end) {
        ++running;
        std::this_thread::yield();
        --running;
        if (begin <= 500 && 500 < end) throw std::out_of_range("index 500");
      });
      FAIL() << "nothing thrown";
    } catch (const std::out_of_range& error) {
      EXPECT_STREQ(error.what(), "index 500");
    }
    EXPECT_EQ(running, 0);
    EXPECT_EQ(ranges_of(100, 100, threads).size(), 1u) << "works again afterwards";
  }
}

TEST(ParallelFor, Nests) {
  for (const int outer : {0, 1, 2, 7}) {
    for (const int inner : {0, 1, 2, 7}) {
      std::vector<std::atomic<int>> hits(40 * 50);
      parallel_for(40, 1, outer, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          parallel_for(50, 3, inner, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t j = first; j < last; ++j) ++hits[static_cast<std::size_t>(i * 50 + j)];
          });
        }
      });
      for (const auto& hit : hits) ASSERT_EQ(hit, 1) << outer << " " << inner;
    }
  }
}

TEST(ParallelFor, NestedExceptionsReachTheOuterCaller) {
  EXPECT_THROW(parallel_for(8, 1, 2,
                            [](std::int64_t, std::int64_t) {
                              parallel_for(8, 1, 2, [](std::int64_t begin, std::int64_t) {
                                if (begin == 7) throw std::domain_error("inner");
                              });
                              throw std::domain_error("outer");
                            }),
               std::domain_error);
}

// A thread that waits in an inner call must not start another outer body, or
// scratch that belongs to a thread would be used twice at once. Four threads, on
// however few processors, so that waiting threads find outer bodies to take.
TEST(ParallelFor, ABodyNeverStartsInsideAnother) {
  using Control = oneapi::tbb::global_control;
  const Control four_threads(Control::max_allowed_parallelism, 4);
  std::atomic<int> inside_another = 0;
  for (int repeat = 0; repeat < 30; ++repeat) {
    const int inner = repeat % 2 == 0 ? 0 : 4;  // of the implicit arena, or one like the outer call's
    parallel_for(64, 1, 4, [&](std::int64_t, std::int64_t) {
      thread_local int depth = 0;
      if (++depth > 1) ++inside_another;
      parallel_for(16, 1, inner, [](std::int64_t, std::int64_t) {
        for (int turn = 0; turn < 5; ++turn) std::this_thread::yield();
      });
      --depth;
    });
  }
  EXPECT_EQ(inside_another, 0);
}

// oneTBB's arenas keep the mode in which they were made; those of the calls before do not count.
TEST(ParallelFor, BodiesRoundAsTheCallerDoes) {
  const oneapi::tbb::global_control four(oneapi::tbb::global_control::max_allowed_parallelism, 4);
  const int before = std::fegetround();
  for (const int mode : {before, FE_UPWARD, FE_DOWNWARD, before}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    for (const int threads : {0, 1, 2, 4}) {
      std::atomic<int> others = 0;
      parallel_for(64, 1, threads, [&](std::int64_t, std::int64_t) { others += std::fegetround() == mode ? 0 : 1; });
      EXPECT_EQ(others, 0) << threads << " threads, mode " << mode;
    }
    EXPECT_EQ(std::fegetround(), mode);
  }
  std::fesetround(before);
}

TEST(ThreadCount, ZeroIsAllAndNonsenseIsRefused) {
  EXPECT_EQ(thread_count(0), default_threads());
  EXPECT_EQ(thread_count(1), 1);
  EXPECT_EQ(thread_count(7), 7);
  EXPECT_EQ(thread_count(4096), 4096);
  for (const int threads : {-1, 4097, std::numeric_limits<int>::min()}) {
    const auto nothing = [](std::int64_t, std::int64_t) {};
    EXPECT_THROW(parallel_for(0, 1, threads, nothing), InvalidArgument) << threads;
    try {
      thread_count(threads);
      FAIL() << "accepted";
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.what(),
                "papilio: threads must be 0 (all) or a number up to 4096; got " + std::to_string(threads));
    }
  }
}

}  // namespace
}  // namespace papilio::execution
