#pragma once

#include <cuda_runtime_api.h>

// Every CUDA call of the library goes through here.

namespace papilio::execution {

// Throws DeviceError: "papilio: <what> failed on cuda:0: <the driver's words>".
[[noreturn]] void throw_device_error(cudaError_t error, const char* what);

inline void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess) [[unlikely]]
    throw_device_error(error, what);
}

// After a launch: checks whether the kernel was accepted. An
// error while it runs appears at the next call that waits.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

}  // namespace papilio::execution
