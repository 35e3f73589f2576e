#include "execution/cuda/code_for_90.h"

#include <atomic>
#include <cstddef>

#include "execution/cuda/check.h"

namespace papilio::execution {
namespace {

// All kernels of a build are compiled for the same devices, so any of them can be asked.
__global__ void do_nothing() {}

}  // namespace

bool runs_code_for_90() {
  constexpr std::size_t most = 64;  // devices whose answers are kept
  static std::atomic<signed char> known[most] = {};
  int device = 0;
  check(cudaGetDevice(&device), "finding the current device");
  const auto index = static_cast<std::size_t>(device);
  if (index < most && known[index] != 0) return known[index] > 0;
  cudaFuncAttributes attributes = {};
  check(cudaFuncGetAttributes(&attributes, do_nothing), "asking for a kernel");
  const bool runs = attributes.ptxVersion >= 90;
  if (index < most) known[index] = runs ? 1 : -1;
  return runs;
}

}  // namespace papilio::execution
