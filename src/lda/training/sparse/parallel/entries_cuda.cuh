#pragma once

#include <cstdint>
#include <type_traits>

#include "lda/training/sparse/parallel/draws_cuda.h"

// Entries of documents' lists in device memory.

namespace papilio::lda {

// Converts a count of 16 bits by using it as the low bits of 2^23 and subtracting, which is faster.
__device__ __forceinline__ float count_as_float(sparse::NarrowEntry entry) {
  return __uint_as_float(entry.count() | 0x4B00'0000u) - 0x1p23f;
}
__device__ __forceinline__ float count_as_float(sparse::WideEntry entry) { return static_cast<float>(entry.count()); }

__device__ __forceinline__ sparse::TopicMass load_topic(const sparse::TopicMass* from) {
  const double2 a = __ldg(reinterpret_cast<const double2*>(from));
  const ulonglong2 b = __ldg(reinterpret_cast<const ulonglong2*>(from) + 1);
  return {a.x, a.y, b.x, b.y};
}

__device__ __forceinline__ SparseDocument load_document(const SparseDocument* from) {
  const uint4 x = __ldg(reinterpret_cast<const uint4*>(from));
  return {x.x, x.y, {x.z, x.w}};
}

// The list at a place.
template <class Entry>
__device__ __forceinline__ Entry* list_at(Entry* lists, std::uint32_t group) {
  using Byte = std::conditional_t<std::is_const_v<Entry>, const char, char>;
  return reinterpret_cast<Entry*>(reinterpret_cast<Byte*>(lists) + std::uint64_t{group} * list_unit);
}

// The large counts of a list with short entries.
__device__ __forceinline__ const sparse::NarrowEntry* large_entries(const std::uint16_t* list, std::uint32_t size) {
  return reinterpret_cast<const sparse::NarrowEntry*>(list +
                                                      (size + sparse::lanes - 1) / sparse::lanes * sparse::lanes);
}
__device__ __forceinline__ std::uint32_t large_count(const sparse::NarrowEntry* large, std::uint32_t topic) {
  while (large->topic() != topic) ++large;
  return large->count();
}

// Loads a depth of a list.
__device__ __forceinline__ void load_entries(const sparse::NarrowEntry* from,
                                             sparse::NarrowEntry (&to)[sparse::lanes]) {
#pragma unroll
  for (std::uint32_t i = 0; i < sparse::lanes; i += 4) {
    const uint4 x = __ldg(reinterpret_cast<const uint4*>(from + i));
    to[i] = {x.x}, to[i + 1] = {x.y}, to[i + 2] = {x.z}, to[i + 3] = {x.w};
  }
}
__device__ __forceinline__ void load_entries(const sparse::WideEntry* from, sparse::WideEntry (&to)[sparse::lanes]) {
#pragma unroll
  for (std::uint32_t i = 0; i < sparse::lanes; i += 2) {
    const uint4 x = __ldg(reinterpret_cast<const uint4*>(from + i));
    to[i] = {x.x, x.y}, to[i + 1] = {x.z, x.w};
  }
}

}  // namespace papilio::lda
