#pragma once

#include <mutex>
#include <shared_mutex>
#include <utility>

#include "lock.h"

namespace papilio::python {

// A value that threads of Python share: those that read it run beside each other, a change runs alone. Whoever waits
// for the mutex to change something, or to draw, has let go of the interpreter's lock.
template <class T>
class Shared {
 public:
  explicit Shared(T value) : value_(std::move(value)) {}
  Shared(Shared&& other) : value_(std::move(other.value_)) {}

  template <class Call>
  auto read(Call call) const {
    const std::shared_lock lock(mutex_);
    return call(value_);
  }

  template <class Call>
  void draw(Call call) const {
    const Unlocked unlocked;
    const std::shared_lock lock(mutex_);
    call(value_);
  }

  template <class Call>
  void change(Call call) {
    const Unlocked unlocked;
    const std::unique_lock lock(mutex_);
    call(value_);
  }

 private:
  T value_;
  mutable std::shared_mutex mutex_;
};

}  // namespace papilio::python
