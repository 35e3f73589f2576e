#pragma once

#include <atomic>

#include "papilio/error.h"

// Ending a long call early, as for Ctrl-C.

namespace papilio {

// Thrown by a call that was told to stop.
class Interrupted : public Error {
 public:
  Interrupted();
};

// While a scope lives, calls of its thread to infer, complete_documents, left_to_right, coherence, topic_stability and
// generate_corpus throw Interrupted within a fraction of a second after any thread sets `stop`; choose_topics does
// after a sweep, and read_corpus and the other readers of corpora with the next bytes that they read. All threads of
// the call check `stop` once per document, sweep, token or block of bytes. Scopes nest; the innermost counts.
//
//   std::atomic<bool> stop = false;  // a signal handler stores true
//   const papilio::InterruptionScope scope(stop);
//   papilio::left_to_right(model, corpus);
class InterruptionScope {
 public:
  explicit InterruptionScope(const std::atomic<bool>& stop);
  explicit InterruptionScope(const std::atomic<bool>&& stop) = delete;  // a temporary would not outlive this line
  ~InterruptionScope();
  InterruptionScope(const InterruptionScope&) = delete;
  InterruptionScope& operator=(const InterruptionScope&) = delete;

 private:
  const std::atomic<bool>* outer_;
};

}  // namespace papilio
