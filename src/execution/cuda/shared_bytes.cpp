#include "execution/cuda/shared_bytes.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "execution/cuda/check.h"

namespace papilio::execution {

void allow_shared_bytes(const void* kernel, std::int64_t bytes, const char* what) {
  // Never destroyed: a thread may still draw while the process exits.
  static std::mutex& mutex = *new std::mutex;
  static auto& allowed = *new std::map<std::pair<const void*, int>, std::int64_t>;
  int device = 0;
  check(cudaGetDevice(&device), what);
  const std::lock_guard lock(mutex);
  std::int64_t& most = allowed[{kernel, device}];
  const std::int64_t wanted = std::max(most, bytes);
  // Also if no more is wanted than before: a device that was reset has forgotten it.
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(wanted)), what);
  most = wanted;
}

}  // namespace papilio::execution
