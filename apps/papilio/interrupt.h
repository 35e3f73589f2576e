#pragma once

// While it lives, SIGINT and SIGTERM only leave a note, and a second one ends
// the process at once.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  // The signal that came, or 0.
  static int signal();
};
