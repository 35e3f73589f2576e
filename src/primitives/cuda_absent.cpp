// Replaces the CUDA side in a build without CUDA: calls with views of a device cannot be served.

#include "papilio/error.h"
#include "primitives/device_calls.h"

namespace papilio::primitives {
namespace {

[[noreturn]] void refuse() {
  throw DeviceUnavailable("papilio: arrays on a CUDA device were given, but this build has no CUDA support");
}

}  // namespace

template <class Index, class T>
std::int64_t reduce_by_index_workspace_on_cuda(const DeviceReduceByIndex<Index, T>&, Device) {
  refuse();
}
template <class Index, class T>
void reduce_by_index_on_cuda(const DeviceReduceByIndex<Index, T>&, const DeviceCall&) {
  refuse();
}
template <class T>
std::int64_t segmented_reduce_workspace_on_cuda(const DeviceSegmentedReduce<T>&, Device) {
  refuse();
}
template <class T>
void segmented_reduce_on_cuda(const DeviceSegmentedReduce<T>&, const DeviceCall&) {
  refuse();
}
template <class T>
std::int64_t scan_workspace_on_cuda(const DeviceScan<T>&, Device) {
  refuse();
}
template <class T>
void scan_on_cuda(const DeviceScan<T>&, const DeviceCall&) {
  refuse();
}
template <class Flag>
std::int64_t compact_workspace_on_cuda(const DeviceCompact<Flag>&, Device) {
  refuse();
}
template <class Flag>
void compact_on_cuda(const DeviceCompact<Flag>&, const DeviceCall&) {
  refuse();
}
std::int64_t sort_by_key_workspace_on_cuda(const DeviceSortByKey&, Device) { refuse(); }
void sort_by_key_on_cuda(const DeviceSortByKey&, const DeviceCall&) { refuse(); }
void widen_on_cuda(const std::int32_t*, std::int64_t, std::int64_t*, const DeviceCall&) { refuse(); }
void transpose_on_cuda(const detail::ElementMatrices&, const detail::ElementMatrices&, std::int64_t, std::int64_t,
                       const DeviceCall&) {
  refuse();
}

#define PAPILIO_BY_INDEX(Index, T)                                                                                 \
  template std::int64_t reduce_by_index_workspace_on_cuda<Index, T>(const DeviceReduceByIndex<Index, T>&, Device); \
  template void reduce_by_index_on_cuda<Index, T>(const DeviceReduceByIndex<Index, T>&, const DeviceCall&);
#define PAPILIO_VALUES(T)                                                                               \
  PAPILIO_BY_INDEX(std::int32_t, T)                                                                     \
  PAPILIO_BY_INDEX(std::int64_t, T)                                                                     \
  template std::int64_t segmented_reduce_workspace_on_cuda<T>(const DeviceSegmentedReduce<T>&, Device); \
  template void segmented_reduce_on_cuda<T>(const DeviceSegmentedReduce<T>&, const DeviceCall&);        \
  template std::int64_t scan_workspace_on_cuda<T>(const DeviceScan<T>&, Device);                        \
  template void scan_on_cuda<T>(const DeviceScan<T>&, const DeviceCall&);
#define PAPILIO_FLAGS(Flag)                                                                  \
  template std::int64_t compact_workspace_on_cuda<Flag>(const DeviceCompact<Flag>&, Device); \
  template void compact_on_cuda<Flag>(const DeviceCompact<Flag>&, const DeviceCall&);

PAPILIO_VALUES(std::int32_t)
PAPILIO_VALUES(std::int64_t)
PAPILIO_VALUES(float)
PAPILIO_VALUES(double)
PAPILIO_FLAGS(std::uint8_t)
PAPILIO_FLAGS(std::int32_t)

}  // namespace papilio::primitives
