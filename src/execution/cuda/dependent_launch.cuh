#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

#include "execution/cuda/check.h"

// Launches a kernel that is brought to the device while the kernel before it in its stream is
// still ending. That is so from compute capability 9.0 on; older devices launch it as usual. Such a
// kernel has to wait before anything else, since the kernel after it relies on all before it.

namespace papilio::execution {

// The kernel before calls it: from here on the next one may be brought to the device.
__device__ __forceinline__ void let_next_kernel_come() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// The kernel itself calls it before it reads what the kernel before has written: waits for that kernel's end.
__device__ __forceinline__ void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Whether the code of such a kernel that the current device runs does wait: code for older devices does not.
template <class... Parameters>
bool waits_for_kernel_before(void (*kernel)(Parameters...), const char* what) {
  cudaFuncAttributes attributes = {};
  check(cudaFuncGetAttributes(&attributes, kernel), what);
  return attributes.ptxVersion >= 90;
}

inline cudaLaunchAttribute early_launch() {
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  return early;
}

// Queues a kernel that calls wait_for_kernel_before().
template <class... Parameters, class... Arguments>
void launch_early(void (*kernel)(Parameters...), unsigned blocks, unsigned threads, std::size_t shared_bytes,
                  cudaStream_t stream, const char* what, Arguments&&... arguments) {
  cudaLaunchAttribute early = early_launch();
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared_bytes;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = waits_for_kernel_before(kernel, what) ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...), what);
}

}  // namespace papilio::execution
