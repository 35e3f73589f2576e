#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <type_traits>

#include "lock.h"
#include "papilio/interruption.h"

// Long calls that Ctrl-C ends within a fraction of a second.

namespace papilio::python {

// Whether this thread is the one that runs Python's signal handlers. Needs the GIL.
inline bool handles_signals() {
  const nanobind::module_ threading = nanobind::module_::import_("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

// Calls work() without the GIL and returns its result. Python's main thread leaves the work to another thread and runs
// signal handlers meanwhile; what one raises (KeyboardInterrupt) stops the work and is thrown. Other threads never see
// a signal, and do the work themselves, as does the main thread where the work is `short_work`. Needs the GIL.
template <class F>
auto interruptible(const F& work, bool short_work = false) {
  using Result = std::invoke_result_t<const F&>;
  if (short_work || !handles_signals()) {
    const Unlocked unlocked;
    return work();
  }
  std::optional<Result> result;
  std::exception_ptr failure;
  std::optional<nanobind::python_error> raised;
  {
    const Unlocked unlocked;
    std::atomic<bool> stop = false;
    std::mutex mutex;
    std::condition_variable finished;
    bool done = false;
    std::thread worker([&] {
      try {
        const InterruptionScope scope(stop);
        result.emplace(work());
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      done = true;
      finished.notify_one();
    });
    std::unique_lock lock(mutex);
    while (!finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return done; })) {
      if (stop) continue;
      lock.unlock();
      {
        const Locked locked;
        if (PyErr_CheckSignals() != 0) raised.emplace();
      }
      if (raised) stop = true;
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (raised) throw nanobind::python_error(std::move(*raised));
  if (failure) std::rethrow_exception(failure);
  return std::move(*result);
}

}  // namespace papilio::python
