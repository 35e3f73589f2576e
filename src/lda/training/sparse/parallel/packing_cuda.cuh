#pragma once

#include <cstdint>

#include "lda/training/sparse/parallel/draws_cuda.h"

// Entries of documents' lists.

namespace papilio::lda {

template <class Packing>
__device__ __forceinline__ typename Packing::Entry make_entry(std::uint32_t topic, std::uint32_t count) {
  return static_cast<typename Packing::Entry>(topic) << Packing::bits | count;
}
template <class Packing>
__device__ __forceinline__ std::uint32_t topic_of(typename Packing::Entry entry) {
  return static_cast<std::uint32_t>(entry >> Packing::bits);
}
template <class Packing>
__device__ __forceinline__ std::uint32_t count_of(typename Packing::Entry entry) {
  if constexpr (Packing::bits == 16)
    return entry & 0xFFFFu;
  else
    return static_cast<std::uint32_t>(entry);
}

// A count of 16 bits becomes a float faster as the low bits of 2^23 and a difference.
template <class Packing>
__device__ __forceinline__ float count_as_float(typename Packing::Entry entry) {
  if constexpr (Packing::bits == 16)
    return __uint_as_float(entry & 0xFFFFu | 0x4B00'0000u) - 0x1p23f;
  else
    return static_cast<float>(count_of<Packing>(entry));
}

__device__ __forceinline__ SparseTopic load_topic(const SparseTopic* from) {
  const double2 a = __ldg(reinterpret_cast<const double2*>(from));
  const ulonglong2 b = __ldg(reinterpret_cast<const ulonglong2*>(from) + 1);
  return {a.x, a.y, b.x, b.y};
}

__device__ __forceinline__ SparseDocument load_document(const SparseDocument* from) {
  const uint4 x = __ldg(reinterpret_cast<const uint4*>(from));
  return {x.x, x.y, x.z, x.w};
}

// A depth of a list.
__device__ __forceinline__ void load_entries(const std::uint32_t* from, std::uint32_t (&to)[list_lanes]) {
#pragma unroll
  for (int i = 0; i < list_lanes; i += 4) {
    const uint4 x = __ldg(reinterpret_cast<const uint4*>(from + i));
    to[i] = x.x, to[i + 1] = x.y, to[i + 2] = x.z, to[i + 3] = x.w;
  }
}
__device__ __forceinline__ void load_entries(const std::uint64_t* from, std::uint64_t (&to)[list_lanes]) {
#pragma unroll
  for (int i = 0; i < list_lanes; i += 2) {
    const ulonglong2 x = __ldg(reinterpret_cast<const ulonglong2*>(from + i));
    to[i] = x.x, to[i + 1] = x.y;
  }
}

}  // namespace papilio::lda
