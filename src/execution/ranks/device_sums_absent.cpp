#include "papilio/communicator.h"

// Takes the place of nccl_library.cpp in a build without CUDA.

namespace papilio {

std::string describe_device_sums() { return "none: this build has no CUDA support"; }

}  // namespace papilio
