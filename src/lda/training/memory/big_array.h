#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "execution/cpu/huge_pages.h"
#include "execution/cpu/parallel_for.h"

namespace papilio::lda {

// An array of zeros with a fixed size; a large one is in huge pages if the system has them. Up to `threads` threads
// (0: all) write the zeros, because the first touch of a page takes the system a long time.
template <class T>
class BigArray {
 public:
  explicit BigArray(std::size_t size, int threads = 1) : values_(size) {
    constexpr std::int64_t grain = std::int64_t{execution::huge_page / sizeof(T)};
    execution::parallel_for(static_cast<std::int64_t>(size), grain, threads,
                            [this](std::int64_t begin, std::int64_t end) {
                              std::uninitialized_value_construct_n(values_.data() + begin, end - begin);
                            });
  }

  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  std::size_t size() const { return values_.size(); }
  T& operator[](std::size_t i) { return values_.data()[i]; }
  const T& operator[](std::size_t i) const { return values_.data()[i]; }

 private:
  execution::FreshArray<T> values_;
};

}  // namespace papilio::lda
