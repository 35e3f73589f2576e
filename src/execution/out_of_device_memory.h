#pragma once

#include "papilio/error.h"

namespace papilio::execution {

// A device has no room for what is asked of it; it works on.
struct OutOfDeviceMemory : DeviceError {
  using DeviceError::DeviceError;
};

}  // namespace papilio::execution
