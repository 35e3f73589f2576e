#pragma once

#include "papilio/device.h"

namespace papilio {

// Does now what the first work on a device would begin with: a CUDA device makes its context, in 0.1 to 0.3 s. A
// program can call it on a thread of its own while it reads its data; the current device of that thread stays the same.
// Does nothing for the CPU, nor where it has been done. Throws DeviceError where the device cannot be used.
//
//   std::thread start([device] { papilio::prepare_device(device); });
void prepare_device(Device device);

}  // namespace papilio
