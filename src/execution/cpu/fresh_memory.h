#pragma once

#include <cstddef>
#include <vector>

namespace papilio::execution {

// Touches memory that has just been allocated, in huge pages where the system has them, by up to `threads` threads
// (0: all). The first touch of a page takes the system far longer than writing it does, and one thread alone would have
// to wait for all of them. Writes zeros here and there; for memory that nothing has been put into yet.
void touch_fresh(void* memory, std::size_t bytes, int threads);

// Asks for huge pages where these bytes fill whole ones.
void prefer_huge_pages_within(void* memory, std::size_t bytes);

// Makes a vector of `size` zeros of one that may hold anything.
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
