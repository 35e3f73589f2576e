#pragma once

#include "sampling/rows/row_batch.h"

namespace papilio::sampling {

// The kernels of the instruction-set target in use (see papilio::cpu_target).
const Kernels& kernels_in_use();

}  // namespace papilio::sampling
