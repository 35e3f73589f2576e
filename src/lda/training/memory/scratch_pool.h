#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "execution/cpu/parallel_for.h"

namespace papilio::lda {

// Working memory for the threads of a parallel loop: made when first needed, kept from
// sweep to sweep.
template <class Scratch>
class ScratchPool {
 public:
  ScratchPool(int threads, std::function<std::unique_ptr<Scratch>()> make) : make_(std::move(make)) {
    // give_back must not allocate.
    free_.reserve(static_cast<std::size_t>(execution::thread_count(threads)));
  }

  // Lends one of them for the time of a scope.
  class Loan {
   public:
    explicit Loan(ScratchPool& pool) : pool_(pool), scratch_(pool.take()) {}
    ~Loan() { pool_.give_back(std::move(scratch_)); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    Scratch& operator*() { return *scratch_; }

   private:
    ScratchPool& pool_;
    std::unique_ptr<Scratch> scratch_;
  };

  // Calls f for each of them in turn; none may be on loan.
  template <class F>
  void for_each(F f) {
    for (const std::unique_ptr<Scratch>& scratch : free_) f(*scratch);
  }

 private:
  std::unique_ptr<Scratch> take() {
    {
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<Scratch> scratch = std::move(free_.back());
        free_.pop_back();
        return scratch;
      }
    }
    return make_();
  }
  void give_back(std::unique_ptr<Scratch> scratch) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(scratch));
  }

  const std::function<std::unique_ptr<Scratch>()> make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Scratch>> free_;
};

}  // namespace papilio::lda
