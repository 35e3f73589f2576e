#pragma once

#include <cstddef>
#include <cstdint>

#include "papilio/device.h"
#include "papilio/primitives.h"

// The border between the public calls and their CUDA side: plain data, checked as far as is possible
// without reading arrays. Each *_on_cuda queues its work and returns; each *_workspace_on_cuda says what
// workspace it needs. In a build without CUDA, the functions in cuda_absent.cpp throw DeviceUnavailable.
//
// T is int32, int64, float, double; Index is int32, int64; Flag is uint8, int32.

namespace papilio::primitives {

struct DeviceCall {
  Device device;
  void* stream;          // a cudaStream_t
  std::byte* workspace;  // as many bytes as the query said, aligned to 256; null for 0
  std::int64_t* status;  // null: not requested; else set to no_error, or to the error (status.h)
};

template <class Index, class T>
struct DeviceReduceByIndex {
  const Index* indices;
  const T* values;  // null: each item counts as 1
  std::int64_t items;
  T* out;
  std::int64_t bins;
  ReduceOp op;
  bool skip_out_of_range;
  bool small_workspace;
};

template <class T>
struct DeviceSegmentedReduce {
  const std::int64_t* offsets;  // segments + 1
  const T* values;
  std::int64_t items;  // values
  T* out;
  std::int64_t segments;
  ReduceOp op;
};

// With `offsets`, or with `flags`, or with neither: then there is one segment.
template <class T>
struct DeviceScan {
  const std::int64_t* offsets;  // segments + 1
  std::int64_t segments;
  const std::uint8_t* flags;  // items
  const T* values;
  std::int64_t items;
  T* out;           // may be the same as values
  bool with_total;  // out has one more entry, for the total (exclusive, without segments)
  ReduceOp op;
  bool exclusive;
};

template <class Flag>
struct DeviceCompact {
  const Flag* flags;
  const void* values;
  std::int64_t items;
  void* kept;
  std::int64_t room;
  std::int64_t size;       // bytes per element
  std::int64_t alignment;  // of both arrays
  std::int64_t* count;     // null: nobody asked
};

struct DeviceSortByKey {
  const std::int32_t* keys;
  std::int64_t items;
  std::int64_t* offsets;  // key_count + 1
  std::int64_t key_count;
  std::int64_t* order;  // items
};

template <class Index, class T>
std::int64_t reduce_by_index_workspace_on_cuda(const DeviceReduceByIndex<Index, T>& call, Device device);
template <class Index, class T>
void reduce_by_index_on_cuda(const DeviceReduceByIndex<Index, T>& call, const DeviceCall& on);

template <class T>
std::int64_t segmented_reduce_workspace_on_cuda(const DeviceSegmentedReduce<T>& call, Device device);
template <class T>
void segmented_reduce_on_cuda(const DeviceSegmentedReduce<T>& call, const DeviceCall& on);

template <class T>
std::int64_t scan_workspace_on_cuda(const DeviceScan<T>& call, Device device);
template <class T>
void scan_on_cuda(const DeviceScan<T>& call, const DeviceCall& on);

template <class Flag>
std::int64_t compact_workspace_on_cuda(const DeviceCompact<Flag>& call, Device device);
template <class Flag>
void compact_on_cuda(const DeviceCompact<Flag>& call, const DeviceCall& on);

std::int64_t sort_by_key_workspace_on_cuda(const DeviceSortByKey& call, Device device);
void sort_by_key_on_cuda(const DeviceSortByKey& call, const DeviceCall& on);

// wide[i] = values[i].
void widen_on_cuda(const std::int32_t* values, std::int64_t items, std::int64_t* wide, const DeviceCall& on);

// Non-empty matrices; `size` is 1 to 16 bytes per element, strides count elements.
void transpose_on_cuda(const detail::ElementMatrices& in, const detail::ElementMatrices& out, std::int64_t size,
                       std::int64_t batch, const DeviceCall& on);

}  // namespace papilio::primitives
