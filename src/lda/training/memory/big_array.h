#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#include "execution/cpu/huge_pages.h"

namespace papilio::lda {

// An array of zeros, its size given when it is made; a large one is in huge pages, where the system has them.
template <class T>
class BigArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  explicit BigArray(std::size_t size) : size_(size), values_(nullptr, Free{alignment_of(size * sizeof(T))}) {
    const std::size_t bytes = size * sizeof(T);
    values_.reset(static_cast<T*>(::operator new (bytes, std::align_val_t{alignment_of(bytes)})));
    execution::prefer_huge_pages(values_.get(), bytes);
    std::uninitialized_value_construct_n(values_.get(), size);
  }

  T* data() { return values_.get(); }
  const T* data() const { return values_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return values_.get()[i]; }
  const T& operator[](std::size_t i) const { return values_.get()[i]; }

 private:
  static constexpr std::size_t alignment_of(std::size_t bytes) {
    return bytes < execution::huge_page ? 64 : execution::huge_page;
  }
  struct Free {
    std::size_t alignment;
    void operator()(T* values) const { ::operator delete (values, std::align_val_t{alignment}); }
  };

  std::size_t size_;
  std::unique_ptr<T, Free> values_;
};

}  // namespace papilio::lda
