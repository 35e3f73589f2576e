#pragma once

namespace papilio::execution {

// How many CUDA devices this build and machine have. Defined by cuda/, or by
// cuda_absent/ in a build without CUDA.
int cuda_device_count();

}  // namespace papilio::execution
