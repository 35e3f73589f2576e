#include "lock.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace nb = nanobind;

namespace papilio::python {
namespace {

std::atomic<bool> closing = false;         // the interpreter shuts down
std::atomic<std::thread::id> closer = {};  // the thread that shuts it down
std::atomic<int> asking = 0;               // threads that may be waiting for the lock

// Takes the lock by `take`, unless the interpreter shuts down.
template <class F>
auto take_lock(const F& take) {
  asking.fetch_add(1);
  if (closing.load() && closer.load() != std::this_thread::get_id()) {
    asking.fetch_sub(1);
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  if constexpr (std::is_void_v<decltype(take())>) {
    take();
    asking.fetch_sub(1);
  } else {
    const auto state = take();
    asking.fetch_sub(1);
    return state;
  }
}

// Called by `atexit`. Threads that are past the check above get the lock before this returns.
void close() {
  // Daemon threads never return what they hold; nanobind would list it.
  if (nb::cast<int>(nb::module_::import_("threading").attr("active_count")()) > 1) nb::set_leak_warnings(false);
  closer = std::this_thread::get_id();
  closing = true;
  PyThreadState* state = PyEval_SaveThread();
  for (int i = 0; asking.load() > 0 && i < 5000; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  PyEval_RestoreThread(state);
}

}  // namespace

Unlocked::~Unlocked() {
  take_lock([this] { PyEval_RestoreThread(state_); });
}

Locked::Locked() : state_(take_lock([] { return PyGILState_Ensure(); })) {}

void bind_lock(nb::module_&) {
  nb::module_::import_("os").attr("register_at_fork")(  // the child has none of the threads, and keeps what they held
      nb::arg("after_in_child") = nb::cpp_function([] {
        asking = 0;
        nb::set_leak_warnings(false);
      }));
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&close));
}

}  // namespace papilio::python
