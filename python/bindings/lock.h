#pragma once

#include <nanobind/nanobind.h>

// The lock of the interpreter (GIL), as nb::gil_scoped_release and nb::gil_scoped_acquire, for threads that may
// outlive it.
//
// Python ends a daemon thread that asks for the lock while the interpreter shuts down, by unwinding its stack: through
// destructors that must not throw, which ends the process with SIGABRT. So from the moment that the functions
// registered with `atexit` run, a thread of a call that ends waits here instead, until the process is gone.

namespace papilio::python {

class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

class Locked {
 public:
  Locked();
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

void bind_lock(nanobind::module_& m);

}  // namespace papilio::python
