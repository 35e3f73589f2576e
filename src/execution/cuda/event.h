#pragma once

#include "execution/cuda/check.h"

namespace papilio::execution {

// A point in the work of a stream, for another stream to wait until it is
// reached. It belongs to the device that was current when it was made.
class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  // Work given to `later` after this call waits for the work that `earlier` has been given so far.
  void order(cudaStream_t earlier, cudaStream_t later) {
    record(earlier);
    make_wait(later);
  }

  // Makes the host wait until what was recorded is done.
  void wait() { check(cudaEventSynchronize(event_), "work on the device"); }

  // The two halves of `order`. A wait for an event that was never recorded ends at once.
  void record(cudaStream_t earlier) { check(cudaEventRecord(event_, earlier), "recording an event"); }
  void make_wait(cudaStream_t later) { check(cudaStreamWaitEvent(later, event_, 0), "waiting for an event"); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace papilio::execution
