#pragma once

#include "base/check.h"
#include "papilio/array_view.h"

namespace papilio::execution {

// Throws InvalidArgument where `array` (a VectorView or MatrixView), called `what`, is in the memory of a device other
// than the CPU. For functions that read or write it right here.
template <class View>
void require_cpu(const char* function, const char* what, const View& array) {
  base::require(array.device.is_cpu(), "papilio::{}: {} is on {}, expected cpu; copy it to the CPU first", function,
                what, array.device.name());
}

}  // namespace papilio::execution
