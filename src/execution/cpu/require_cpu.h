#pragma once

#include "base/check.h"
#include "execution/check_view.h"
#include "papilio/array_view.h"

namespace papilio::execution {

// Throws InvalidArgument if `array`, called `what`, is in the memory of a device other than the CPU
// or cannot be an array (execution/check_view.h). For functions that read or write it on the CPU.
template <class T>
void require_cpu(const char* function, const char* what, const VectorView<T>& array) {
  base::require(array.device.is_cpu(), "papilio::{}: {} is on {}, expected cpu; copy it to the CPU first", function,
                what, array.device.name());
  require_vector(function, what, array);
}

template <class T>
void require_cpu(const char* function, const char* what, const MatrixView<T>& array) {
  base::require(array.device.is_cpu(), "papilio::{}: {} is on {}, expected cpu; copy it to the CPU first", function,
                what, array.device.name());
  require_matrix(function, what, array);
}

}  // namespace papilio::execution
