#include "execution/ranks/work_in_turns.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <future>
#include <span>
#include <system_error>
#include <vector>

#include "execution/ranks/collectives.h"

namespace papilio::execution {

void work_in_turns(Communicator& ranks, std::atomic<bool>& is_over, base::FunctionRef<void()> work) {
  const std::chrono::duration<double> turn(std::min(1.0, ranks.deadline_seconds() / 4));
  std::future<void> working;
  try {
    working = std::async(std::launch::async, [&] { work(); });
  } catch (const std::system_error&) {  // no thread to be had
    work();
  }
  try {
    for (std::int64_t ready = 0; ready < ranks.ranks();) {
      if (working.valid() && working.wait_for(turn) == std::future_status::ready) working.get();
      ready = working.valid() ? 0 : 1;
      ranks.add_up(std::span(&ready, 1));
    }
  } catch (...) {
    is_over = true;
    throw;
  }
}

void work_on_parts(Communicator& ranks, std::atomic<bool>& is_over, base::FunctionRef<void()> work) {
  std::exception_ptr thrown;
  work_in_turns(ranks, is_over, [&] {
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  });
  const std::vector<std::int64_t> failed = gather_numbers(ranks, thrown ? 1 : 0);
  const auto first = std::ranges::find(failed, 1) - failed.begin();
  if (first == ranks.rank()) std::rethrow_exception(thrown);
  if (first < ranks.ranks()) ranks.barrier();  // which that rank does not join
}

}  // namespace papilio::execution
