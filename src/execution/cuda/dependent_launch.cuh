#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <utility>

#include "execution/cuda/check.h"
#include "execution/cuda/code_for_90.h"

// Launches a kernel early: its blocks may start while the kernel before it in the stream is still ending (compute
// capability 9.0 or later; older devices and code launch it as usual). A kernel that is launched as usual and those
// launched early after it are a group: all kernels before the group have ended. Until a kernel has waited for the one
// before it:
// - It writes nothing that earlier kernels of its group read or write.
// - It reads nothing that they write.
// At least one of its threads waits, so that it does not end before the kernel before does: the kernel after it waits
// for its end alone. Other threads may leave without waiting.

namespace papilio::execution {

// Called by the kernel before: from here on the blocks of the next kernel may start.
__device__ __forceinline__ void let_next_kernel_come() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// Called by the kernel that was launched early: waits for the end of the kernel before.
__device__ __forceinline__ void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// The same at the end of a kernel that may not have waited yet. At least thread 0 of block 0 comes here.
__device__ __forceinline__ void end_after_kernel_before() {
  if (blockIdx.x == 0 && threadIdx.x == 0) wait_for_kernel_before();
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
  config.numAttrs = runs_code_for_90() ? 1 : 0;  // other code does not wait
  check(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...), what);
}

}  // namespace papilio::execution
