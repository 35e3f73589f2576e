#pragma once

#include "papilio/error.h"

namespace papilio::execution {

// A device has too little memory for what was asked of it; it can still be used.
struct OutOfDeviceMemory : DeviceError {
  using DeviceError::DeviceError;
};

}  // namespace papilio::execution
