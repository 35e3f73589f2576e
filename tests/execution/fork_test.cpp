#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "execution/cpu/parallel_for.h"
#include "papilio/device.h"

namespace papilio::execution {
namespace {

constexpr std::int64_t count = 64;

// Runs a loop. Returns its number of ranges; 0 if they do not cover it.
int ranges_of_loop(int threads) {
  std::atomic<int> ranges = 0;
  std::atomic<std::int64_t> covered = 0;
  parallel_for(count, 1, threads, [&](std::int64_t begin, std::int64_t end) {
    ++ranges;
    covered += end - begin;
  });
  return covered == count ? ranges.load() : 0;
}

constexpr int hung = -1;

// Returns with what status a forked child ends that calls this function; `hung` if it is still there after a minute.
template <class Work>
int status_of_child(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  int status = 0;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (::waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > limit) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return hung;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// 0 if loops of all numbers of threads are one range each, and work is divided by one.
int loops_run_alone() {
  for (const int threads : {0, 1, 2, 7}) {
    if (ranges_of_loop(threads) != 1 || thread_count(threads) != 1) return 1;
  }
  return 0;
}

TEST(Fork, TheChildOfAProcessThatHasUsedThreadsRunsAlone) {
  EXPECT_GT(ranges_of_loop(2), 0);
  EXPECT_EQ(status_of_child(loops_run_alone), 0);
  EXPECT_EQ(status_of_child([] { return status_of_child(loops_run_alone); }), 0) << "a child's child";
}

TEST(Fork, AChildDoesNotWaitForThreadsThatItDoesNotHave) {
  std::atomic<bool> stops = false;
  std::thread other([&] {
    while (!stops) ranges_of_loop(2);
  });
  for (int i = 0; i < 300; ++i) {
    ranges_of_loop(2);
    const int status = status_of_child(loops_run_alone);
    EXPECT_EQ(status, 0) << "child " << i;
    if (status != 0) break;
  }
  stops = true;
  other.join();
}

// Ends a process without a handler of `exit`, when its thread's objects that were made after this one are gone.
struct EndOfThread {
  ~EndOfThread() {
    if (ends_process) ::_exit(0);
  }
  bool ends_process = false;
};

TEST(Fork, AChildThatEndsDoesNotWaitForThreadsThatItDoesNotHave) {
  std::atomic<bool> stops = false;
  const auto begin_threads = [&] {
    while (!stops) std::thread([] { ranges_of_loop(2); }).join();
  };
  std::thread others[] = {std::thread(begin_threads), std::thread(begin_threads)};
  std::thread([] {
    static thread_local EndOfThread end;
    end.ends_process = false;
    ranges_of_loop(2);
    for (int i = 0; i < 300; ++i) {
      const int status = status_of_child([]() -> int {
        end.ends_process = true;
        std::exit(1);
      });
      EXPECT_EQ(status, 0) << "child " << i;
      if (status != 0) break;
    }
  }).join();
  stops = true;
  for (std::thread& other : others) other.join();
}

using ForkDeathTest = ::testing::Test;

// In a process of its own, which has not run a loop before.
TEST(ForkDeathTest, TheChildOfAProcessThatHasNotUsedThreadsHasItsOwn) {
  if (default_threads() < 2) GTEST_SKIP() << "one processor";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(::_exit(status_of_child([] { return ranges_of_loop(2) > 1 ? 0 : 1; })), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace papilio::execution
