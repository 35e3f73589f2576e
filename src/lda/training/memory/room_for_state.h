#pragma once

#include <cstddef>
#include <cstdint>
#include <future>
#include <system_error>
#include <utility>
#include <vector>

#include "execution/cpu/fresh_memory.h"

namespace papilio::lda {

// The host's memory for the topics and counts at the end of a chain on a device. It takes the system a while to provide
// it, so threads of its own allocate and clear it while the device still draws.
class RoomForState {
 public:
  RoomForState(std::size_t tokens, std::size_t counts, int threads)
      : tokens_(tokens), counts_(counts), threads_(threads) {}

  // Starts what has not been started.
  void prepare() {
    try {
      if (!z_.valid()) z_ = zeros(tokens_);
      if (!n_wk_.valid()) n_wk_ = zeros(counts_);
    } catch (const std::system_error&) {  // no thread is available; take_... allocates instead
    }
  }

  // Zeros. Each call waits for its own, or allocates if nothing was prepared; throws if there is no memory.
  std::vector<std::int32_t> take_z() { return take(z_, tokens_); }
  std::vector<std::int32_t> take_n_wk() { return take(n_wk_, counts_); }

 private:
  using Future = std::future<std::vector<std::int32_t>>;

  static std::vector<std::int32_t> made(std::size_t size, int threads) {
    std::vector<std::int32_t> values;
    execution::make_zeros(values, size, threads);
    return values;
  }
  Future zeros(std::size_t size) const { return std::async(std::launch::async, made, size, threads_); }
  std::vector<std::int32_t> take(Future& future, std::size_t size) const {
    return future.valid() ? std::exchange(future, {}).get() : made(size, threads_);
  }

  std::size_t tokens_;
  std::size_t counts_;
  int threads_;
  Future z_, n_wk_;
};

}  // namespace papilio::lda
