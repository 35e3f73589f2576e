#pragma once

#include <cstddef>
#include <memory>

#include "execution/cpu/huge_pages.h"

namespace papilio::lda {

// An array of zeros with a fixed size; a large one is in huge pages if the system has them.
template <class T>
class BigArray {
 public:
  explicit BigArray(std::size_t size) : values_(size) { std::uninitialized_value_construct_n(values_.data(), size); }

  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  std::size_t size() const { return values_.size(); }
  T& operator[](std::size_t i) { return values_.data()[i]; }
  const T& operator[](std::size_t i) const { return values_.data()[i]; }

 private:
  execution::FreshArray<T> values_;
};

}  // namespace papilio::lda
