#include "execution/ranks/work_in_turns.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <future>
#include <span>
#include <system_error>
#include <vector>

#include "execution/cpu/interruption.h"
#include "execution/ranks/collectives.h"

namespace papilio::execution {
namespace {

// Waits for the work, at most one turn; false if it is still running. Whatever stops the caller also stops the work.
bool is_done_in_turn(const std::future<void>& working, std::chrono::duration<double> turn,
                     const std::atomic<bool>* stop, std::atomic<bool>& is_over) {
  constexpr std::chrono::duration<double> step(0.05);
  for (; turn.count() > 0; turn -= step) {
    if (working.wait_for(std::min(turn, step)) == std::future_status::ready) return true;
    if (stop != nullptr && *stop) is_over = true;
  }
  return false;
}

}  // namespace

void work_in_turns(Communicator& ranks, std::atomic<bool>& is_over, base::FunctionRef<void()> work) {
  stop_point();
  const std::chrono::duration<double> turn(std::min(1.0, ranks.deadline_seconds() / 4));
  std::future<void> working;
  try {
    working = std::async(std::launch::async, [&] {
      const StopFlagScope scope(&is_over);
      work();
      stop_point();  // for work that ended early
    });
  } catch (const std::system_error&) {  // no thread could be started
    work();
  }
  try {
    for (std::int64_t ready = 0; ready < ranks.ranks();) {
      if (working.valid() && is_done_in_turn(working, turn, stop_flag(), is_over)) working.get();
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
  if (first < ranks.ranks()) ranks.barrier();  // which throws, since that rank does not join it
}

}  // namespace papilio::execution
