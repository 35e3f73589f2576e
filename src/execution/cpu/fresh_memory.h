#pragma once

#include <cstddef>
#include <vector>

namespace papilio::execution {

// Touches memory that has just been allocated, in huge pages if the system has them, by up to `threads` threads
// (0: all). The system takes far longer for the first touch of a page than for later writes, and one thread alone would
// have to wait for every page. It writes zeros at some places, so use it only before anything is stored there.
void touch_fresh(void* memory, std::size_t bytes, int threads);

// Asks for huge pages for as many of these bytes as fill whole ones.
void prefer_huge_pages_within(void* memory, std::size_t bytes);

// Makes `values`, whatever it holds, a vector of `size` zeros.
template <class T>
void make_zeros(std::vector<T>& values, std::size_t size, int threads) {
  if (values.capacity() < size) {
    values = {};
    values.reserve(size);
    touch_fresh(values.data(), size * sizeof(T), threads);
  }
  values.assign(size, T{});
}

}  // namespace papilio::execution
