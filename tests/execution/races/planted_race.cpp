// Two bodies of one parallel_for add to one number, without any order: a data race that ThreadSanitizer must report.
// With the argument "ordered" each has a number of its own, which the caller adds up: no race.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>

#include "execution/cpu/parallel_for.h"

namespace {

std::int64_t sums[2];

[[gnu::noinline]] void add_without_order(std::int64_t& sum) { ++sum; }

// Waits until both bodies run, so that two threads do; a relaxed counter puts nothing in order.
void wait_for_both(std::atomic<int>& started) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  started.fetch_add(1, std::memory_order_relaxed);
  while (started.load(std::memory_order_relaxed) < 2 && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
}

}  // namespace

int main(int count, char**) {
  const bool ordered = count > 1;
  for (int attempt = 0; attempt < 10; ++attempt) {  // a busy machine may run both bodies on one thread
    std::atomic<int> started = 0;
    papilio::execution::parallel_for(2, 1, 2, [&](std::int64_t begin, std::int64_t end) {
      if (end - begin == 1) wait_for_both(started);
      add_without_order(sums[ordered ? begin : 0]);
    });
  }
  std::printf("%lld\n", static_cast<long long>(sums[0] + sums[1]));
}
