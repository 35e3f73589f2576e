#pragma once

#include <cuda_runtime_api.h>

// The calling thread's context, which is the driver's notion of a current device. cudaSetDevice makes a context on the
// device that it names, which takes time and hundreds of MiB there, even if it is only to go back to that device.

namespace papilio::execution {

// Whether the driver is known to have no context for the calling thread: the thread's device is one that it has not
// used yet.
bool has_no_context() noexcept;

// Makes a device current for a thread that has no context, until leave_device.
cudaError_t enter_device(int ordinal) noexcept;
void leave_device(int ordinal) noexcept;

// The device whose memory this is; -1 if it is none's.
int device_of(const void* memory) noexcept;

}  // namespace papilio::execution
